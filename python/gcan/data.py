"""Datasets for torch's DataLoader over the files of `gcan simulate`."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.utils.data import Dataset

__all__ = ["FluidDataset", "TetrisDataset"]

SPLITS = ("train", "valid", "test")
PathLike = Union[str, "os.PathLike[str]"]


def _split_number(split: str) -> int:
    if split not in SPLITS:
        raise ValueError(f"gcan: there is no split '{split}', expected train, valid or test")
    return SPLITS.index(split)


class TetrisDataset(Dataset):
    """Pairs of past and future positions, (1, steps, points, 3), or with velocities (2, steps, points, 3).

    >>> import h5py, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with h5py.File(folder + "/tetris.h5", "w") as file:
    ...         for field in ("positions", "velocities"):
    ...             _ = file.create_dataset("train/" + field, data=torch.zeros(5, 8, 32, 3))
    ...     data = TetrisDataset(folder + "/tetris.h5")
    >>> len(data), data[0][0].shape
    (5, torch.Size([1, 4, 32, 3]))
    """

    def __init__(self, path: PathLike, split: str = "train", history: int = 4, velocities: bool = False) -> None:
        import h5py

        _split_number(split)
        with h5py.File(path, "r") as file:
            if f"{split}/positions" not in file:
                raise ValueError(f"gcan: {path} holds no Tetris motions for '{split}'")
            fields = ["positions", "velocities"] if velocities else ["positions"]
            parts = [torch.from_numpy(file[f"{split}/{field}"][()]) for field in fields]
        self.scenes = torch.stack(parts, 1)
        self.history = history

    def __len__(self) -> int:
        return len(self.scenes)

    def __getitem__(self, index: int) -> Tuple[Tensor, Tensor]:
        scene = self.scenes[index]
        return scene[:, : self.history], scene[:, self.history :]


class FluidDataset(Dataset):
    """Pairs of past and future frames, (frames, planes, height, width), of a file of fields. A scalar field is one
    plane, a vector field two; they are in the file's order and, unless `raw`, divided to size one: scalars less
    their mean over the training set, vectors by one factor. Frames are read when they are asked for, so that files may
    be larger than the memory; each worker of a DataLoader opens the file for itself.

    >>> import h5py, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with h5py.File(folder + "/flow.h5", "w") as file:
    ...         _ = file.create_dataset("t0_fields/smoke", data=torch.zeros(2, 6, 8, 8))
    ...         _ = file.create_dataset("t1_fields/velocity", data=torch.zeros(2, 6, 8, 8, 2))
    ...         _ = file.create_dataset("gcan/split", data=[0, 1])
    ...     data = FluidDataset(folder + "/flow.h5", history=4, future=1, raw=True)
    ...     len(data), data[0][0].shape, data[0][1].shape
    (2, torch.Size([4, 3, 8, 8]), torch.Size([1, 3, 8, 8]))
    """

    def __init__(
        self, path: PathLike, split: str = "train", history: int = 4, future: int = 1, raw: bool = False
    ) -> None:
        import h5py

        number = _split_number(split)
        self.path, self.history, self.future = os.fspath(path), history, future
        self._opened: Optional[Tuple[int, Any]] = None
        with h5py.File(path, "r") as file:
            if "gcan/split" not in file:
                raise ValueError(f"gcan: {path} is no data file of gcan: it has no gcan/split")
            chosen = file["gcan/split"][()] == number
            if "gcan/status" in file:
                chosen &= file["gcan/status"][()] == 1
            self._trajectories: List[int] = chosen.nonzero()[0].tolist()
            found = [
                (kind, field)
                for kind, dimensions in (("t0_fields", 4), ("t1_fields", 5))
                for field, values in file.get(kind, {}).items()
                if values.shape[0] == len(chosen) and values.ndim == dimensions
            ]
            if not found:
                raise ValueError(f"gcan: {path} holds no fields over trajectories, time and the plane")
            self.fields: List[str] = [field for _, field in found]
            self._places = ["/".join(place) for place in found]
            frames = min(file[place].shape[1] for place in self._places)
            self._scales = [
                None if raw else _scales(torch.from_numpy(file[f"statistics/{field}"][()])) for field in self.fields
            ]
        self._windows = frames - history - future + 1
        if self._windows < 1:
            raise ValueError(f"gcan: {path} has {frames} frames, fewer than {history} + {future}")

    def __len__(self) -> int:
        return len(self._trajectories) * self._windows

    def __getitem__(self, index: int) -> Tuple[Tensor, Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        trajectory, start = divmod(index, self._windows)
        file, row = self._file(), self._trajectories[trajectory]
        planes = []
        for place, scales in zip(self._places, self._scales):
            part = torch.from_numpy(file[place][row, start : start + self.history + self.future])
            part = part.unsqueeze(1) if part.dim() == 3 else part.movedim(-1, 1)
            if scales is not None:
                part = (part - scales[0]) / scales[1]
            planes.append(part)
        window = torch.cat(planes, 1)
        return window[: self.history], window[self.history :]

    def _file(self) -> Any:
        """The file, opened by this process: a forked one must not share its parent's place in it."""
        import h5py

        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), h5py.File(self.path, "r"))
        return self._opened[1]

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_opened": None}


def _scales(statistics: Tensor) -> Tuple[float, float]:
    """What to subtract and what to divide by, from statistics (component, 6), mean and deviation first."""
    mean, deviation = statistics[:, 0].double(), statistics[:, 1].double()
    if len(statistics) == 1:
        return mean.item(), deviation.item()
    return 0.0, deviation.square().mean().sqrt().item()
