"""The simulators as functions that return tensors. Trajectory k of a seed does not depend on count and threads.

>>> positions, velocities = tetris(2, seed=1)
>>> positions.shape
torch.Size([2, 8, 32, 3])
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from torch import Tensor

from gcan._library import ops
from gcan.nn.norm import chosen

__all__ = ["navier_stokes", "shallow_water", "tetris"]


def tetris(
    count: int,
    seed: int = 0,
    *,
    first: int = 0,
    steps: int = 8,
    max_angle: float = 0.05 * 2 * math.pi,
    max_offset: float = 0.5,
    rho: float = 0.5,
    deformation_sigma: float = 0.01,
    orientation: str = "haar",
    translation: str = "cube",
    deformation: str = "constant",
    threads: int = 0,
) -> Tuple[Tensor, Tensor]:
    """Positions and velocities of eight objects of four cubes that rotate and drift, (count, steps, 32, 3) each. The
    defaults are the paper's; `rho` sets how strongly the objects' motions are coupled.

    >>> positions, velocities = tetris(1, steps=3)
    >>> bool(((positions[:, 1] - positions[:, 0]) - velocities[:, 0]).abs().max() < 1e-5)
    True
    """
    return ops.simulate_tetris(
        count, first, seed, steps, max_angle, max_offset, rho, deformation_sigma,
        chosen("orientation", orientation, ("haar", "none", "scene")),
        chosen("translation", translation, ("cube", "ball")),
        chosen("deformation", deformation, ("constant", "per_step")),
        threads,
    )  # fmt: skip


def navier_stokes(
    count: int,
    seed: int = 0,
    *,
    first: int = 0,
    cells: int = 128,
    length: float = 32.0,
    time_step: float = 1.5,
    viscosity: float = 0.01,
    buoyancy: float = 0.5,
    skip_steps: int = 8,
    steps: int = 56,
    frame_every: int = 4,
    threads: int = 0,
) -> Tuple[Tensor, Tensor]:
    """Smoke rising in a closed box: smoke (count, frames, x, y) and velocity (count, frames, 2, x, y). The
    defaults are the paper's.

    >>> smoke, velocity = navier_stokes(1, cells=32, length=8.0, steps=8)
    >>> smoke.shape, velocity.shape
    (torch.Size([1, 2, 32, 32]), torch.Size([1, 2, 2, 32, 32]))
    """
    return ops.simulate_smoke(
        count, first, seed, cells, length, time_step, viscosity, buoyancy, skip_steps, steps, frame_every, threads
    )


def shallow_water(
    count: int,
    seed: int = 0,
    *,
    first: int = 0,
    preset: str = "small",
    initial: Optional[str] = None,
    truncation: Optional[int] = None,
    frames: Optional[int] = None,
    time_step: Optional[float] = None,
    threads: int = 0,
) -> Tuple[Tensor, Tensor]:
    """Weather on the sphere: height of the surface (count, frames, latitude, longitude) and wind (count, frames, 2,
    latitude, longitude), eastward and northward. `preset` is "paper" (96 x 192 points, 88 frames) or "small" (48 x 96,
    22 frames), `initial` the initial condition, for example "galewsky".

    >>> height, wind = shallow_water(1, frames=2)
    >>> height.shape, wind.shape
    (torch.Size([1, 2, 48, 96]), torch.Size([1, 2, 2, 48, 96]))
    """
    return ops.simulate_shallow_water(
        count, first, seed, preset, initial or "", truncation or 0, frames or 0, time_step or 0.0, threads
    )
