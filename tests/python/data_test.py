"""gcan.data: datasets over files in the layout of `gcan simulate`."""

import os
import pickle
import subprocess
from pathlib import Path

import h5py
import pytest
import torch
from torch.utils.data import DataLoader

from gcan import data

GCAN = os.environ.get("GCAN_PROGRAM", "")


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


@pytest.mark.skipif(not GCAN, reason="GCAN_PROGRAM does not name the program")
@pytest.mark.parametrize("kind, context", [("tetris", "fork"), ("navier-stokes", "fork"), ("navier-stokes", "spawn")])
def test_workers_read_the_files_of_the_program(kind: str, context: str, tmp_path: Path) -> None:
    path = tmp_path / "data.h5"
    small = ["--compress"] if context == "fork" else []
    small += [] if kind == "tetris" else ["--cells", "16", "--length", "4", "--steps", "24"]
    subprocess.run(
        [GCAN, "simulate", kind, *small, "--train", "3", "--valid", "2", "--test", "1", "--out", path],
        check=True, capture_output=True,
    )  # fmt: skip
    splits = {
        split: data.TetrisDataset(path, split) if kind == "tetris" else data.FluidDataset(path, split, history=3, future=1)
        for split in ("train", "valid", "test")
    }
    windows = 1 if kind == "tetris" else 6 - 4 + 1
    assert [len(found) for found in splits.values()] == [3 * windows, 2 * windows, windows]
    found = splits["train"]
    expected = [found[i] for i in range(len(found))]  # opened here before the workers start
    batches = list(DataLoader(found, batch_size=2, num_workers=2, multiprocessing_context=context))
    for part in (0, 1):
        assert torch.equal(torch.cat([batch[part] for batch in batches]), torch.stack([pair[part] for pair in expected]))
    assert torch.equal(pickle.loads(pickle.dumps(found))[0][0], expected[0][0])


@pytest.mark.skipif(not GCAN, reason="GCAN_PROGRAM does not name the program")
def test_normalised_frames_have_size_one(tmp_path: Path) -> None:
    path = tmp_path / "data.h5"
    small = ["--cells", "16", "--length", "4", "--steps", "24"]
    subprocess.run([GCAN, "simulate", "navier-stokes", *small, "--train", "4", "--out", path], check=True, capture_output=True)
    found = data.FluidDataset(path, history=5, future=1)
    frames = torch.stack([torch.cat(found[i]) for i in range(len(found))])
    smoke, velocity = frames[:, :, 0], frames[:, :, 1:]
    assert abs(smoke.mean().item()) < 1e-4 and abs(smoke.std().item() - 1) < 1e-2
    deviations = velocity.std((0, 1, 3, 4))
    assert abs(deviations.square().mean().item() - 1) < 2e-2


@pytest.mark.skipif(not GCAN, reason="GCAN_PROGRAM does not name the program")
def test_parts_of_a_set_are_the_set(tmp_path: Path) -> None:
    small = ["--cells", "16", "--length", "4", "--steps", "24", "--train", "5", "--valid", "1"]
    for rank in (None, 0, 1, 2):
        launched = {} if rank is None else {"RANK": str(rank), "WORLD_SIZE": "3", "MASTER_ADDR": "localhost"}
        out = tmp_path / ("whole.h5" if rank is None else "parts.h5")
        subprocess.run(
            [GCAN, "simulate", "navier-stokes", *small, "--out", out],
            check=True, capture_output=True, env={**os.environ, **launched},
        )  # fmt: skip
    pattern = tmp_path / "parts-*.h5"
    files = sorted(tmp_path.glob("parts-*.h5"))
    assert len(files) == 3
    for split in ("train", "valid"):
        whole = data.FluidDataset(tmp_path / "whole.h5", split)
        for path in (pattern, files, ",".join(map(str, files))):
            parts = data.FluidDataset(path, split)
            assert len(parts) == len(whole)
            for i in range(len(whole)):
                torch.testing.assert_close(parts[i], whole[i])
    with pytest.raises(ValueError, match="there is no file"):
        data.FluidDataset(tmp_path / "none-*.h5")


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["numbers"] = [1, 2]
    with pytest.raises(ValueError, match="no gcan/split"):
        data.FluidDataset(tmp_path / "other.h5")
    with pytest.raises(ValueError, match="no Tetris motions"):
        data.TetrisDataset(tmp_path / "other.h5")
    with h5py.File(tmp_path / "empty.h5", "w") as file:
        file["gcan/split"] = [0]
    with pytest.raises(ValueError, match="holds no fields"):
        data.FluidDataset(tmp_path / "empty.h5", raw=True)
