"""Multiplication tables of a geometric algebra, for tensors whose last dimension runs over the blades.

Blades are ordered by grade, then by their indices: 1, e1, e2, e12 in two dimensions. A metric is the list of
the squares of the basis vectors, for example ``(0, 1, 1, 1)`` for projective geometry in three dimensions.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Sequence, Tuple

import torch
from torch import Tensor

__all__ = ["blades", "cayley", "clifford_kernel", "grades", "product", "product_plan"]


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


def product_plan(
    metric: Sequence[float], inputs: Sequence[int], outputs: Sequence[int]
) -> Tuple[Tensor, Tensor]:
    """For each output blade y and input blade x, the unique weight blade b with x b = sign y, and the sign.

    >>> product_plan((-1,), (0, 1), (0, 1))
    (tensor([0, 1, 1, 0]), tensor([ 1., -1.,  1.,  1.], dtype=torch.float64))
    """
    table = cayley(metric)[list(inputs)][:, list(outputs)]  # (x, y, b)
    return table.abs().argmax(-1).t().reshape(-1), table.sum(-1).t().reshape(-1)


def clifford_kernel(weight: Tensor, plan: Tuple[Tensor, Tensor], outputs: int) -> Tensor:
    """The kernel of x -> x weight, (out, outputs, in, inputs, kernel...), from weight (blades, out, in, kernel...).

    >>> clifford_kernel(torch.ones(2, 1, 1), product_plan((-1,), (0, 1), (0, 1)), 2)[0, :, 0]
    tensor([[ 1., -1.],
            [ 1.,  1.]])
    """
    which, signs = plan
    shape = (-1,) + (1,) * (weight.dim() - 1)
    blocks = weight.index_select(0, which.to(weight.device)) * signs.to(weight).view(shape)
    return blocks.unflatten(0, (outputs, -1)).movedim((0, 1, 2, 3), (1, 3, 0, 2))
