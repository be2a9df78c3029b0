"""Linear layers whose weights are multivectors."""

from __future__ import annotations

import math
from typing import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from gcan.cayley import clifford_kernel, product_plan

from ...layout import from_rows, to_rows
from ...signature import CliffordSignature

__all__ = ["CliffordLinear"]


class CliffordLinear(nn.Module):
    """y_o = sum_i x_i w_oi + b_o with geometric products; (batch, channels, blades).

    >>> CliffordLinear((1, 1), 2, 3)(torch.randn(5, 2, 4)).shape
    torch.Size([5, 3, 4])
    """

    def __init__(self, g: Sequence[float], in_channels: int, out_channels: int, bias: bool = True) -> None:
        super().__init__()
        signature = CliffordSignature(g)
        self.register_buffer("g", signature.g)
        self.dim, self.n_blades = signature.dim, signature.n_blades
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(self.n_blades, out_channels, in_channels))
        if bias:
            self.bias = nn.Parameter(torch.empty(self.n_blades, out_channels))
        else:
            self.register_parameter("bias", None)
        self._plan = product_plan(signature.g.tolist(), range(self.n_blades), range(self.n_blades))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_channels * self.n_blades)
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.n_blades:
            raise ValueError(f"gcan: CliffordLinear got {x.shape[-1]} blades, expected {self.n_blades}")
        kernel = clifford_kernel(self.weight, self._plan, self.n_blades).flatten(2, 3).flatten(0, 1)
        bias = None if self.bias is None else self.bias.t().reshape(-1)
        return from_rows(F.linear(to_rows(x), kernel, bias), self.n_blades)

    def extra_repr(self) -> str:
        return f"{self.g.tolist()}, {self.in_channels}, {self.out_channels}, bias={self.bias is not None}"
