"""The algebra of the group action layers."""

from __future__ import annotations

from typing import Optional, Sequence, Union

import torch
from torch import Tensor

from gcan.cayley import cayley, grades

__all__ = ["CliffordAlgebra"]


class CliffordAlgebra:
    """Products of multivectors with all blades, (batch, channels, blades).

    Its tables follow the tensors they meet to their device and type, so a network need not move them.

    >>> algebra = CliffordAlgebra((0, 1, 1, 1))
    >>> algebra.n_blades
    16
    >>> e1, e2 = torch.zeros(1, 1, 16), torch.zeros(1, 1, 16)
    >>> e1[..., 2] = 1; e2[..., 3] = 1
    >>> algebra.geometric_product(e1, e2)[0, 0].nonzero().tolist()
    [[8]]
    """

    def __init__(self, metric: Union[Sequence[float], Tensor]) -> None:
        self.metric = torch.as_tensor(metric, dtype=torch.float32)
        self.dim = self.num_bases = len(self.metric)
        self.cayley = cayley(self.metric.tolist(), torch.float32)
        self.n_blades = len(self.cayley)
        self._grades = torch.tensor(grades(self.dim))

    def to(self, device: Union[str, torch.device]) -> "CliffordAlgebra":
        self.metric, self.cayley = self.metric.to(device), self.cayley.to(device)
        self._grades = self._grades.to(device)
        return self

    def geometric_product(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.einsum("...i,ijk,...k->...j", a, self.cayley.to(a), b)

    def reverse(self, mv: Tensor, blades: Optional[Sequence[int]] = None) -> Tensor:
        """The product of vectors in the opposite order."""
        grade = self._grades.to(mv.device)
        if blades is not None:
            grade = grade[torch.as_tensor(blades, device=mv.device)]
        return mv * (1 - 2 * ((grade * (grade - 1) // 2) % 2)).to(mv)

    def embed(self, tensor: Tensor, tensor_index: Sequence[int]) -> Tensor:
        """The multivectors with these components, zero elsewhere."""
        index = torch.as_tensor(tensor_index, device=tensor.device)
        if tensor.size(-1) != len(index):
            raise ValueError(f"gcan: embed() got {tensor.size(-1)} components for {len(index)} blades")
        return tensor.new_zeros(*tensor.shape[:-1], self.n_blades).index_copy(-1, index, tensor)

    def get(self, mv: Tensor, blade_index: Sequence[int]) -> Tensor:
        """Some components of multivectors."""
        return mv[..., tuple(blade_index)]

    def mag2(self, mv: Tensor) -> Tensor:
        return self.geometric_product(self.reverse(mv), mv)

    def norm(self, mv: Tensor) -> Tensor:
        return self.mag2(mv)[..., :1].abs().sqrt()

    def sandwich(self, a: Tensor, b: Tensor) -> Tensor:
        """a b ~a"""
        return self.geometric_product(self.geometric_product(a, b), self.reverse(a))
