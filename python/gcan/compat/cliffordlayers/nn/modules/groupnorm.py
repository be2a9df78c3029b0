"""Normalisation of multivectors, and complex numbers, by whitening over groups of channels and space.

Weights belong to a channel's group, and the released layers make groups of `num_groups` channels, that is,
`channels / num_groups` groups. With ``corrected=True`` there are `num_groups` groups, and a channel's weights
are those of its position in the group; see also batchnorm.whitening().
"""

from __future__ import annotations

from typing import Optional, Sequence

import torch
from torch import Tensor

from ...signature import CliffordSignature
from .batchnorm import _Whitening, check_dimensions, statistics, whitening

__all__ = [
    "CliffordGroupNorm1d",
    "CliffordGroupNorm2d",
    "CliffordGroupNorm3d",
    "ComplexGroupNorm1d",
    "ComplexGroupNorm2d",
    "ComplexGroupNorm3d",
]


class _GroupWhitening(_Whitening):
    num_groups: int

    def _over_groups(self, x: Tensor) -> Tensor:
        groups = self.num_groups if self.corrected else self.channels
        rows = x.movedim(-1, 1).unflatten(2, (groups, -1)).movedim(2, 1)
        samples = rows.flatten(4) if rows.dim() > 4 else rows.unsqueeze(-1)  # (N, groups, blades, group, space)
        flat = samples.flatten(3)
        if self.training or not self.track_running_stats:
            mean, covariance = statistics(flat)
            if self.track_running_stats:
                self._track_groups(mean.squeeze(-1).mean(0), covariance.mean(0))
        else:
            mean, covariance = self._tracked()
        matrix = whitening(covariance, self.eps, self.corrected)
        weight, bias = self._affine()
        y = flat - mean
        if weight is None or bias is None:
            y = matrix @ y
        elif self.corrected:
            whitened = (matrix @ y).unflatten(3, samples.shape[3:])
            y = torch.einsum("cyx,ngxcs->ngycs", weight, whitened) + bias.transpose(0, 1)
        else:
            y = weight @ matrix @ y + self._mixed_bias(len(x))
        return y.reshape(rows.shape).movedim(1, 2).flatten(2, 3).movedim(1, -1)

    def _mixed_bias(self, samples: int) -> Tensor:
        """The bias (samples, groups, blades, 1) as released: repeated for the samples, then reinterpreted."""
        return self.bias.repeat(1, samples).reshape(samples, self.channels, self.n_blades, 1)

    def _track_groups(self, mean: Tensor, covariance: Tensor) -> None:
        if self.corrected:
            shape = (self.channels, *mean.shape[1:])
            mean, covariance = mean.mean(0).expand(shape), covariance.mean(0).expand(*shape, -1)
        self._track(mean, covariance)

    def _tracked(self) -> "tuple[Tensor, Tensor]":
        mean, covariance = self.running_mean.t().unsqueeze(-1), self.running_cov.permute(2, 0, 1)
        return (mean[:1], covariance[:1]) if self.corrected else (mean, covariance)


class _ComplexGroupNorm(_GroupWhitening):
    dimensions: Sequence[int]

    def __init__(
        self,
        num_groups: int,
        channels: int,
        eps: float = 1e-5,
        momentum: Optional[float] = 0.1,
        affine: bool = True,
        track_running_stats: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(2, channels // num_groups, eps, momentum, affine, track_running_stats, corrected)
        self.num_groups = num_groups

    def forward(self, x: Tensor) -> Tensor:
        check_dimensions(self, x, self.dimensions, None)
        return torch.view_as_complex(self._over_groups(torch.view_as_real(x)).contiguous())


class ComplexGroupNorm1d(_ComplexGroupNorm):
    """Complex numbers (batch, channels) or (batch, channels, length).

    >>> ComplexGroupNorm1d(2, 4)(torch.randn(8, 4, 5, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 5])
    """

    dimensions = (2, 3)


class ComplexGroupNorm2d(_ComplexGroupNorm):
    """Complex numbers (batch, channels, height, width).

    >>> ComplexGroupNorm2d(2, 4)(torch.randn(8, 4, 5, 5, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 5, 5])
    """

    dimensions = (4,)


class ComplexGroupNorm3d(_ComplexGroupNorm):
    """Complex numbers (batch, channels, depth, height, width).

    >>> ComplexGroupNorm3d(2, 4)(torch.randn(8, 4, 3, 3, 3, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 3, 3, 3])
    """

    dimensions = (5,)


class _CliffordGroupNorm(_GroupWhitening):
    dimensions: Sequence[int]

    def __init__(
        self,
        g: Sequence[float],
        num_groups: int,
        channels: int,
        eps: float = 1e-5,
        momentum: Optional[float] = 0.1,
        affine: bool = True,
        track_running_stats: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        signature = CliffordSignature(g)
        blades = signature.n_blades
        super().__init__(blades, channels // num_groups, eps, momentum, affine, track_running_stats, corrected)
        self.num_groups, self.dim = num_groups, signature.dim

    def forward(self, x: Tensor) -> Tensor:
        check_dimensions(self, x, self.dimensions, self.n_blades)
        return self._over_groups(x)


class CliffordGroupNorm1d(_CliffordGroupNorm):
    """Multivectors (batch, channels, blades) or (batch, channels, length, blades).

    >>> CliffordGroupNorm1d((1,), 2, 4)(torch.randn(8, 4, 5, 2)).shape
    torch.Size([8, 4, 5, 2])
    """

    dimensions = (3, 4)


class CliffordGroupNorm2d(_CliffordGroupNorm):
    """Multivectors (batch, channels, height, width, 4).

    >>> CliffordGroupNorm2d((1, 1), 2, 4)(torch.randn(8, 4, 5, 5, 4)).shape
    torch.Size([8, 4, 5, 5, 4])
    """

    dimensions = (5,)


class CliffordGroupNorm3d(_CliffordGroupNorm):
    """Multivectors (batch, channels, depth, height, width, 8).

    >>> CliffordGroupNorm3d((1, 1, 1), 2, 4)(torch.randn(8, 4, 3, 3, 3, 8)).shape
    torch.Size([8, 4, 3, 3, 3, 8])
    """

    dimensions = (6,)
