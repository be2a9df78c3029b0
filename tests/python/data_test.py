"""gcan.data: datasets over files in the layout of `gcan simulate`."""

from pathlib import Path

import h5py
import pytest
import torch
from torch.utils.data import DataLoader

from gcan import data


def test_loaders_give_batches(tmp_path: Path) -> None:
    positions, velocities = torch.randn(6, 8, 32, 3), torch.randn(6, 8, 32, 3)
    with h5py.File(tmp_path / "tetris.h5", "w") as file:
        file["train/positions"], file["train/velocities"] = positions.numpy(), velocities.numpy()
    batches = list(DataLoader(data.TetrisDataset(tmp_path / "tetris.h5", velocities=True), batch_size=3))
    assert len(batches) == 2
    past, future = batches[0]
    assert torch.equal(past[:, 0], positions[:3, :4]) and torch.equal(future[:, 1], velocities[:3, 4:])


def test_fluid_windows_and_normalisation(tmp_path: Path) -> None:
    smoke, velocity = torch.randn(3, 6, 8, 8) * 2 + 5, torch.randn(3, 6, 8, 8, 2) * 4
    with h5py.File(tmp_path / "flow.h5", "w") as file:
        file["t0_fields/smoke"], file["t1_fields/velocity"] = smoke.numpy(), velocity.numpy()
        file["gcan/split"], file["gcan/status"] = [0, 0, 1], [1, 2, 1]
        file["statistics/smoke"] = [[5.0, 2.0, 0, 0, 0, 0]]
        file["statistics/velocity"] = [[0.0, 4.0, 0, 0, 0, 0], [0.0, 4.0, 0, 0, 0, 0]]
    found = data.FluidDataset(tmp_path / "flow.h5", history=3, future=2)
    assert len(found) == 2 and found.fields == ["smoke", "velocity"]
    torch.testing.assert_close(found[1][0][:, 0], (smoke[0, 1:4] - 5) / 2)
    torch.testing.assert_close(found[1][1][:, 1:], velocity[0, 4:6].movedim(-1, 1) / 4)
    with pytest.raises(IndexError):
        found[2]
    with pytest.raises(ValueError, match="fewer than 5 \\+ 2"):
        data.FluidDataset(tmp_path / "flow.h5", history=5, future=2)
    with pytest.raises(ValueError, match="no split 'tests'"):
        data.FluidDataset(tmp_path / "flow.h5", "tests")
