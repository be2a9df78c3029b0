"""Multiplication tables of a geometric algebra, for tensors whose last dimension counts the blades.

Blades are ordered by grade, then by their indices: 1, e1, e2, e12 in two dimensions. A metric is the list of
the squares of the basis vectors, for example ``(0, 1, 1, 1)`` for projective geometry in three dimensions.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Sequence, Tuple

import torch
from torch import Tensor

__all__ = ["blades", "cayley", "grades", "product"]


@lru_cache(maxsize=None)
def blades(dimension: int) -> Tuple[Tuple[int, ...], ...]:
    """All blades, each as the tuple of its basis vectors.

    >>> blades(2)
    ((), (0,), (1,), (0, 1))
    """
    return tuple(blade for grade in range(dimension + 1) for blade in combinations(range(dimension), grade))


def grades(dimension: int) -> Tuple[int, ...]:
    """The grade of each blade.

    >>> grades(3)
    (0, 1, 1, 1, 2, 2, 2, 3)
    """
    return tuple(len(blade) for blade in blades(dimension))


def product(metric: Sequence[float], left: Sequence[int], right: Sequence[int]) -> Tuple[float, Tuple[int, ...]]:
    """The geometric product of two blades, as a factor and a blade.

    >>> product((1, 1), (0, 1), (0,))
    (-1.0, (1,))
    """
    factor = 1.0
    vectors = list(left)
    for vector in right:
        after = sum(v > vector for v in vectors)
        factor *= (-1) ** after
        if vector in vectors:
            factor *= float(metric[vector])
            vectors.remove(vector)
        else:
            vectors.insert(len(vectors) - after, vector)
    return factor, tuple(vectors)


@lru_cache(maxsize=None)
def _cayley(metric: Tuple[float, ...]) -> Tensor:
    order = blades(len(metric))
    place = {blade: i for i, blade in enumerate(order)}
    table = torch.zeros(len(order), len(order), len(order), dtype=torch.float64)
    for i, left in enumerate(order):
        for k, right in enumerate(order):
            factor, blade = product(metric, left, right)
            table[i, place[blade], k] = factor
    return table


def cayley(metric: Sequence[float], dtype: torch.dtype = torch.float64) -> Tensor:
    """The table c with e_i e_k = sum_j c[i, j, k] e_j.

    >>> cayley((-1,))[1]
    tensor([[ 0., -1.],
            [ 1.,  0.]], dtype=torch.float64)
    """
    return _cayley(tuple(float(square) for square in metric)).to(dtype)
