"""gcan.sim against the files that `gcan simulate` writes, and its laws."""

import os
import subprocess
from pathlib import Path

import h5py
import pytest
import torch

from gcan import sim

GCAN = os.environ.get("GCAN_PROGRAM", "")
needs_program = pytest.mark.skipif(not GCAN, reason="GCAN_PROGRAM does not name the program")

SMALL = {
    "tetris": lambda **how: sim.tetris(**{"count": 3, "seed": 4, **how}),
    "navier_stokes": lambda **how: sim.navier_stokes(**{"count": 3, "seed": 4, "cells": 16, "length": 4.0, "steps": 8, **how}),
    "shallow_water": lambda **how: sim.shallow_water(**{"count": 3, "seed": 4, "frames": 2, **how}),
}
every = pytest.mark.parametrize("name", SMALL)


def simulated(path: Path, *words: object) -> h5py.File:
    subprocess.run([GCAN, "simulate", *map(str, words), "--out", path], check=True, capture_output=True)
    return h5py.File(path, "r")


@needs_program
def test_tetris_is_that_of_the_file(tmp_path: Path) -> None:
    with simulated(tmp_path / "t.h5", "tetris", "--train", 5, "--valid", 1, "--test", 1, "--seed", 7, "--rho", 0.25) as file:
        positions, velocities = sim.tetris(5, seed=7, rho=0.25)
        assert torch.equal(positions, torch.from_numpy(file["train/positions"][()]))
        assert torch.equal(velocities, torch.from_numpy(file["train/velocities"][()]))


@needs_program
def test_smoke_is_that_of_the_file(tmp_path: Path) -> None:
    how = ("--precision", "float", "--cells", 32, "--length", 8, "--steps", 16, "--frame-every", 8, "--skip-steps", 4, "--seed", 3)
    with simulated(tmp_path / "s.h5", "navier-stokes", *how, "--trajectories", 2) as file:
        smoke, velocity = sim.navier_stokes(2, seed=3, cells=32, length=8.0, steps=16, frame_every=8, skip_steps=4)
        assert torch.equal(smoke, torch.from_numpy(file["t0_fields/smoke"][()]))
        assert torch.equal(velocity.movedim(2, -1), torch.from_numpy(file["t1_fields/velocity"][()]))


@needs_program
def test_weather_is_that_of_the_file(tmp_path: Path) -> None:
    how = ("--preset", "small", "--frames", 3, "--seed", 5)
    with simulated(tmp_path / "w.h5", "shallow-water", *how, "--trajectories", 2) as file:
        height, wind = sim.shallow_water(2, seed=5, frames=3)
        assert torch.equal(height, torch.from_numpy(file["t0_fields/eta"][()]))
        assert torch.equal(wind.movedim(2, -1), torch.from_numpy(file["t1_fields/velocity"][()]))


@every
def test_a_trajectory_depends_on_seed_and_number_alone(name: str) -> None:
    whole = SMALL[name](threads=2)
    for one, part in zip(SMALL[name](count=1, first=2, threads=1), whole):
        assert one.dtype == torch.float32 and one.isfinite().all()
        assert torch.equal(one[0], part[2])
    other = SMALL[name](seed=5)
    assert not torch.equal(other[0], whole[0])


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: sim.tetris(0), "count is 0, expected a whole number of at least 1"),
        (lambda: sim.tetris(1, orientation="north"), "orientation='north', expected one of haar, none, scene"),
        (lambda: sim.navier_stokes(1, cells=32, viscosity=-1.0), "iscosity"),
        (lambda: sim.shallow_water(1, preset="huge"), "huge"),
        (lambda: sim.shallow_water(1, initial="storm"), "storm"),
    ],
)
def test_errors_say_what_was_expected(call, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=text):
        call()
