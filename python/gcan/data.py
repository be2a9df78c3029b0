"""Datasets for torch's DataLoader over the files of `gcan simulate`."""

from __future__ import annotations

import glob
import os
from typing import Any, Dict, List, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.utils.data import Dataset

__all__ = ["FluidDataset", "TetrisDataset"]

SPLITS = ("train", "valid", "test")
PathLike = Union[str, "os.PathLike[str]"]


def _files_named(path: Union[PathLike, Sequence[PathLike]]) -> List[str]:
    """The files of a name, a pattern like "sw-*.h5", a comma-separated text, or a list of names."""
    if not isinstance(path, (str, os.PathLike)):
        return [os.fspath(part) for part in path]
    text = os.fspath(path)
    if os.path.exists(text) or not set(text) & set("*?[,"):
        return [text]
    files: List[str] = []
    for name in filter(None, text.split(",")):
        found = sorted(glob.glob(name)) if set(name) & set("*?[") else [name]
        if not found:
            raise ValueError(f"gcan: there is no file '{name}'")
        files += found
    return files


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
    """Pairs of past and future frames, (frames, planes, height, width), of a file of fields, or of the parts of a set
    as "sw-*.h5" or a list of files, in their order. A scalar field is one plane, a vector field two, in the order of
    the file. Unless `raw`, they are normalised: scalars by their mean and deviation over the training set, vectors by a
    single factor. Frames are read on demand, so files may be larger than memory; each DataLoader worker opens the file
    itself.

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
        self,
        path: Union[PathLike, Sequence[PathLike]],
        split: str = "train",
        history: int = 4,
        future: int = 1,
        raw: bool = False,
    ) -> None:
        number = _split_number(split)
        self.paths, self.history, self.future = _files_named(path), history, future
        self._opened: Dict[int, Tuple[int, Any]] = {}
        self._trajectories: List[Tuple[int, int]] = []  # the file and the index in it
        frames: List[int] = []
        statistics: List[List[Tensor]] = []
        weights: List[int] = []
        for part, name in enumerate(self.paths):
            file = self._file(part)
            chosen, found = _contents(file, name, number)
            if part == 0:
                self._places = ["/".join(place) for place in found]
                self.fields: List[str] = [field for _, field in found]
            elif self._places != ["/".join(place) for place in found]:
                raise ValueError(f"gcan: {name} has other fields than {self.paths[0]}")
            self._trajectories += [(part, row) for row in chosen]
            frames += [file[place].shape[1] for place in self._places]
            if not raw:
                statistics.append([torch.from_numpy(file[f"statistics/{field}"][()]) for field in self.fields])
                weights.append(len(_contents(file, name, SPLITS.index("train"))[0]))
        self._scales = [None if raw else _scales(list(parts), weights) for parts in zip(*statistics)]
        self._scales = self._scales or [None] * len(self.fields)
        self._windows = min(frames) - history - future + 1
        if self._windows < 1:
            raise ValueError(f"gcan: {path} has {min(frames)} frames, fewer than {history} + {future}")

    def __len__(self) -> int:
        return len(self._trajectories) * self._windows

    def __getitem__(self, index: int) -> Tuple[Tensor, Tensor]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        trajectory, start = divmod(index, self._windows)
        part, row = self._trajectories[trajectory]
        file = self._file(part)
        planes = []
        for place, scales in zip(self._places, self._scales):
            frames = torch.from_numpy(file[place][row, start : start + self.history + self.future])
            frames = frames.unsqueeze(1) if frames.dim() == 3 else frames.movedim(-1, 1)
            if scales is not None:
                frames = (frames - scales[0]) / scales[1]
            planes.append(frames)
        window = torch.cat(planes, 1)
        return window[: self.history], window[self.history :]

    def _file(self, part: int) -> Any:
        """A file, opened by this process: a forked process must not share its parent's file position."""
        import h5py

        if part not in self._opened or self._opened[part][0] != os.getpid():
            self._opened[part] = (os.getpid(), h5py.File(self.paths[part], "r"))
        return self._opened[part][1]

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_opened": {}}


def _contents(file: Any, name: str, split: int) -> Tuple[List[int], List[Tuple[str, str]]]:
    """The complete trajectories of a split, and the fields as (group, name)."""
    if "gcan/split" not in file:
        raise ValueError(f"gcan: {name} is no data file of gcan: it has no gcan/split")
    chosen = file["gcan/split"][()] == split
    if "gcan/status" in file:
        chosen &= file["gcan/status"][()] == 1
    found = [
        (kind, field)
        for kind, dimensions in (("t0_fields", 4), ("t1_fields", 5))
        for field, values in file.get(kind, {}).items()
        if values.shape[0] == len(chosen) and values.ndim == dimensions
    ]
    if not found:
        raise ValueError(f"gcan: {name} holds no fields over trajectories, time and the plane")
    return chosen.nonzero()[0].tolist(), found


def _scales(parts: List[Tensor], weights: List[int]) -> Tuple[float, float]:
    """What to subtract and what to divide by, from each part's statistics (component, 6), mean and deviation first,
    and its number of training trajectories."""
    counted = [(part.double(), weight) for part, weight in zip(parts, weights) if weight > 0]
    if len(counted) > 1:
        total = sum(weights)
        mean = sum(part[:, 0] * weight for part, weight in counted) / total
        square = sum((part[:, 0] ** 2 + part[:, 1] ** 2) * weight for part, weight in counted) / total
        deviation = (square - mean**2).clamp_min(0).sqrt()
    else:
        mean, deviation = (counted[0][0] if counted else parts[0].double())[:, :2].unbind(1)
    if len(mean) == 1:
        return mean.item(), deviation.item()
    return 0.0, deviation.square().mean().sqrt().item()
