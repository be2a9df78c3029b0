"""Conversion between this package's layout, components last, and the rows of an ordinary layer."""

from __future__ import annotations

from typing import Sequence

import torch
from torch import Tensor


def to_rows(x: Tensor, blades_first: bool = False) -> Tensor:
    """(N, channels, space..., blades) to (N, channels * blades, space...); no copy if the memory layout allows it."""
    rows = x.movedim(-1, 1 if blades_first else 2)
    return rows.flatten(1, 2)


def from_rows(rows: Tensor, blades: int, blades_first: bool = False) -> Tensor:
    """The inverse of to_rows()."""
    channels = rows.shape[1] // blades
    sizes = (blades, channels) if blades_first else (channels, blades)
    return rows.unflatten(1, sizes).movedim(1 if blades_first else 2, -1)


def quaternion_rotation(q: Sequence[Tensor], scale: Tensor) -> Tensor:
    """scale times the rotation matrix of q / sqrt(|q|^2 + 1e-4), stacked to (3, 3, ...).

    The form 1 - 2 (...) is the released layers': it matters because the norm is not exactly 1.
    """
    norm = torch.sqrt(sum(part * part for part in q) + 1e-4)
    w, x, y, z = (part / norm for part in q)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return torch.stack([scale * entry for row in rows for entry in row]).unflatten(0, (3, 3))
