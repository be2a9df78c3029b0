"""Datasets for torch's DataLoader over the files of `gcan simulate`."""

from __future__ import annotations

import os
from typing import List, Tuple, Union

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
    their mean over the training set, vectors by one factor.

    >>> import h5py, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with h5py.File(folder + "/flow.h5", "w") as file:
    ...         _ = file.create_dataset("t0_fields/smoke", data=torch.zeros(2, 6, 8, 8))
    ...         _ = file.create_dataset("t1_fields/velocity", data=torch.zeros(2, 6, 8, 8, 2))
    ...         _ = file.create_dataset("gcan/split", data=[0, 1])
    ...     data = FluidDataset(folder + "/flow.h5", history=4, future=1, raw=True)
    >>> len(data), data[0][0].shape, data[0][1].shape
    (2, torch.Size([4, 3, 8, 8]), torch.Size([1, 3, 8, 8]))
    """

    def __init__(
        self, path: PathLike, split: str = "train", history: int = 4, future: int = 1, raw: bool = False
    ) -> None:
        import h5py

        number = _split_number(split)
        self.history, self.future = history, future
        with h5py.File(path, "r") as file:
            if "gcan/split" not in file:
                raise ValueError(f"gcan: {path} is no data file of gcan: it has no gcan/split")
            chosen = file["gcan/split"][()] == number
            if "gcan/status" in file:
                chosen &= file["gcan/status"][()] == 1
            self.fields: List[str] = []
            planes = []
            for kind in ("t0_fields", "t1_fields"):
                for field in file.get(kind, {}):
                    values = file[f"{kind}/{field}"]
                    if values.shape[0] != len(chosen) or values.ndim != (4 if kind == "t0_fields" else 5):
                        continue
                    part = torch.from_numpy(values[()][chosen])
                    part = part.unsqueeze(2) if kind == "t0_fields" else part.movedim(-1, 2)
                    if not raw:
                        part = _normalised(part, torch.from_numpy(file[f"statistics/{field}"][()]))
                    self.fields.append(field)
                    planes.append(part)
        self.frames = torch.cat(planes, 2)
        self._windows = self.frames.shape[1] - history - future + 1
        if self._windows < 1:
            raise ValueError(f"gcan: {path} has {self.frames.shape[1]} frames, fewer than {history} + {future}")

    def __len__(self) -> int:
        return len(self.frames) * self._windows

    def __getitem__(self, index: int) -> Tuple[Tensor, Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        trajectory, start = divmod(index, self._windows)
        window = self.frames[trajectory, start : start + self.history + self.future]
        return window[: self.history], window[self.history :]


def _normalised(part: Tensor, statistics: Tensor) -> Tensor:
    """Statistics are (component, 6), mean and deviation first."""
    mean, deviation = statistics[:, 0].to(part), statistics[:, 1].to(part)
    if part.shape[2] == 1:
        return (part - mean) / deviation
    return part / deviation.square().mean().sqrt()
