"""Normalisation of multivectors, and complex numbers, by whitening over batch and space."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from ...signature import CliffordSignature

__all__ = [
    "CliffordBatchNorm1d",
    "CliffordBatchNorm2d",
    "CliffordBatchNorm3d",
    "ComplexBatchNorm1d",
    "ComplexBatchNorm2d",
    "ComplexBatchNorm3d",
]


def statistics(x: Tensor) -> Tuple[Tensor, Tensor]:
    """Mean (..., blades, 1) and covariance (..., blades, blades) of samples (..., blades, count)."""
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    return mean, centred @ centred.transpose(-1, -2) / x.shape[-1]


def whitening(covariance: Tensor, eps: float, corrected: bool) -> Tensor:
    """The matrix that whitens samples of this covariance.

    It is the inverse of the Cholesky factor L of the covariance. The released layers take the transpose of L
    instead, after which components are still correlated, and fail on constant input.
    """
    identity = torch.eye(covariance.shape[-1], dtype=covariance.dtype, device=covariance.device)
    if corrected:
        mean_variance = covariance.diagonal(dim1=-2, dim2=-1).mean(-1)[..., None, None]
        factor = torch.linalg.cholesky(covariance + eps * (1 + mean_variance) * identity)
        return torch.linalg.solve_triangular(factor, identity.expand_as(factor), upper=False)
    largest = covariance.amax((-2, -1))[..., None, None]
    factor = torch.linalg.cholesky(covariance + eps * largest * identity).transpose(-1, -2)
    return torch.linalg.solve_triangular(factor, identity.expand_as(factor), upper=True)


class _Whitening(nn.Module):
    """Parameters and buffers of all normalisations: blades first and channels last, as released."""

    def __init__(
        self,
        n_blades: int,
        channels: int,
        eps: float,
        momentum: Optional[float],
        affine: bool,
        track_running_stats: bool,
        corrected: bool,
    ) -> None:
        super().__init__()
        self.n_blades, self.channels, self.eps, self.momentum = n_blades, channels, eps, momentum
        self.affine, self.track_running_stats, self.corrected = affine, track_running_stats, corrected
        if affine:
            self.weight = nn.Parameter(torch.empty(n_blades, n_blades, channels))
            self.bias = nn.Parameter(torch.empty(n_blades, channels))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        tracked = track_running_stats
        self.register_buffer("running_mean", torch.empty(n_blades, channels) if tracked else None)
        self.register_buffer("running_cov", torch.empty(n_blades, n_blades, channels) if tracked else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if tracked else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            self.num_batches_tracked.zero_()
            self.running_mean.zero_()
            self.running_cov.copy_(torch.eye(self.n_blades)[..., None].expand_as(self.running_cov))

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.affine:
            with torch.no_grad():
                self.weight.copy_(torch.eye(self.n_blades)[..., None].expand_as(self.weight))
                self.bias.zero_()

    def _factor(self) -> float:
        """The weight of the new statistics in the running ones."""
        if self.momentum is not None:
            return self.momentum
        return 1 / max(1, int(self.num_batches_tracked))

    def _track(self, mean: Tensor, covariance: Tensor) -> None:
        """Updates the running statistics from mean (channels, blades) and covariance (channels, blades, blades)."""
        with torch.no_grad():
            self.num_batches_tracked += 1
            factor = self._factor()
            self.running_mean.lerp_(mean.t().to(self.running_mean), factor)
            self.running_cov.lerp_(covariance.permute(1, 2, 0).to(self.running_cov), factor)

    def _affine(self) -> Tuple[Optional[Tensor], Optional[Tensor]]:
        """The weight (channels, blades, blades) and the bias (channels, blades, 1).

        The released layers read the memory of the bias (blades, channels) as if it were (channels, blades).
        """
        if not self.affine:
            return None, None
        bias = self.bias.t() if self.corrected else self.bias.reshape(self.channels, self.n_blades)
        return self.weight.permute(2, 0, 1), bias.unsqueeze(-1)

    def _over_batch(self, x: Tensor) -> Tensor:
        rows = x.movedim((1, -1), (0, 1))
        samples = rows.flatten(2)  # (channels, blades, count)
        if self.training or not self.track_running_stats:
            mean, covariance = statistics(samples)
            if self.track_running_stats:
                self._track(mean.squeeze(-1), covariance)
        else:
            mean, covariance = self.running_mean.t().unsqueeze(-1), self.running_cov.permute(2, 0, 1)
        matrix = whitening(covariance, self.eps, self.corrected)
        weight, bias = self._affine()
        y = (matrix if weight is None else weight @ matrix) @ (samples - mean)
        if bias is not None:
            y = y + bias
        return y.view(rows.shape).movedim((0, 1), (1, -1))

    def extra_repr(self) -> str:
        return (
            f"{self.channels}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


def check_dimensions(module: nn.Module, x: Tensor, allowed: Sequence[int], blades: Optional[int]) -> None:
    """ValueError unless x has an allowed number of dimensions and the right number of blades."""
    name = type(module).__name__
    if x.dim() not in allowed:
        expected = " or ".join(str(n) for n in allowed)
        raise ValueError(f"gcan: {name} got an input of {x.dim()} dimensions, expected {expected}")
    if blades is not None and x.shape[-1] != blades:
        raise ValueError(f"gcan: {name} got {x.shape[-1]} blades, expected {blades}")


class _ComplexBatchNorm(_Whitening):
    dimensions: Tuple[int, ...]

    def __init__(
        self,
        channels: int,
        eps: float = 1e-5,
        momentum: Optional[float] = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(2, channels, eps, momentum, affine, track_running_stats, corrected)

    def forward(self, x: Tensor) -> Tensor:
        check_dimensions(self, x, self.dimensions, None)
        return torch.view_as_complex(self._over_batch(torch.view_as_real(x)).contiguous())


class ComplexBatchNorm1d(_ComplexBatchNorm):
    """Complex numbers (batch, channels) or (batch, channels, length). ``corrected``: see whitening().

    >>> ComplexBatchNorm1d(4)(torch.randn(8, 4, 5, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 5])
    """

    dimensions = (2, 3)


class ComplexBatchNorm2d(_ComplexBatchNorm):
    """Complex numbers (batch, channels, height, width). ``corrected``: see whitening().

    >>> ComplexBatchNorm2d(4)(torch.randn(8, 4, 5, 5, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 5, 5])
    """

    dimensions = (4,)


class ComplexBatchNorm3d(_ComplexBatchNorm):
    """Complex numbers (batch, channels, depth, height, width). ``corrected``: see whitening().

    >>> ComplexBatchNorm3d(4)(torch.randn(8, 4, 3, 3, 3, dtype=torch.cfloat)).shape
    torch.Size([8, 4, 3, 3, 3])
    """

    dimensions = (5,)


class _CliffordBatchNorm(_Whitening):
    dimensions: Tuple[int, ...]

    def __init__(
        self,
        g: Sequence[float],
        channels: int,
        eps: float = 1e-5,
        momentum: Optional[float] = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        corrected: bool = False,
    ) -> None:
        signature = CliffordSignature(g)
        super().__init__(signature.n_blades, channels, eps, momentum, affine, track_running_stats, corrected)
        self.dim = signature.dim

    def forward(self, x: Tensor) -> Tensor:
        check_dimensions(self, x, self.dimensions, self.n_blades)
        return self._over_batch(x)


class CliffordBatchNorm1d(_CliffordBatchNorm):
    """Multivectors (batch, channels, blades) or (batch, channels, length, blades).

    >>> CliffordBatchNorm1d((1,), 4)(torch.randn(8, 4, 5, 2)).shape
    torch.Size([8, 4, 5, 2])
    """

    dimensions = (3, 4)


class CliffordBatchNorm2d(_CliffordBatchNorm):
    """Multivectors (batch, channels, height, width, 4).

    >>> norm = CliffordBatchNorm2d((1, 1), 4, corrected=True)
    >>> y = norm(torch.randn(8, 4, 16, 16, 4)).movedim((1, -1), (0, 1)).flatten(2)
    >>> bool(((y @ y.transpose(1, 2)) / y.shape[-1] - torch.eye(4)).abs().max() < 1e-3)
    True
    """

    dimensions = (5,)


class CliffordBatchNorm3d(_CliffordBatchNorm):
    """Multivectors (batch, channels, depth, height, width, 8).

    >>> CliffordBatchNorm3d((1, 1, 1), 4)(torch.randn(8, 4, 3, 3, 3, 8)).shape
    torch.Size([8, 4, 3, 3, 3, 8])
    """

    dimensions = (6,)
