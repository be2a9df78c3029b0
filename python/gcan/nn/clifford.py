"""Layers of multivectors of all grades (Brandstetter et al. 2022). Unlike in gcan.compat.cliffordlayers,
blades follow the channels: (N, channels, blades, space...)."""

from __future__ import annotations

import math
from typing import Callable, Optional, Tuple

import torch
from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import Algebra, AlgebraLike
from gcan.nn.convolution import Convolving, Device, Foldable, PaddingMode, Size, Transposed, placed

__all__ = [
    "CliffordBatchNorm",
    "CliffordConv1d",
    "CliffordConv2d",
    "CliffordConv3d",
    "CliffordConvTranspose1d",
    "CliffordConvTranspose2d",
    "CliffordConvTranspose3d",
    "CliffordGroupNorm",
    "CliffordLinear",
]


def _check_channels(layer: str, in_channels: int, out_channels: int, groups: int = 1) -> None:
    if min(in_channels, out_channels, groups) < 1 or in_channels % groups or out_channels % groups:
        raise ValueError(
            f"gcan: {layer} got {in_channels} input and {out_channels} output channels in {groups} groups, expected "
            "positive numbers that the groups divide"
        )


class CliffordLinear(Foldable):
    """y_o = sum_i x_i w_oi + b_o with geometric products. x is (N, in, blades).

    >>> CliffordLinear((2, 0, 0), 4, 8)(torch.randn(5, 4, 4)).shape
    torch.Size([5, 8, 4])
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        bias: bool = True,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        _check_channels("CliffordLinear", in_channels, out_channels)
        self.algebra, self.in_channels, self.out_channels = Algebra.of(algebra), in_channels, out_channels
        self.blades = 1 << self.algebra.dimension
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, self.blades))
        self.register_parameter("bias", nn.Parameter(torch.empty(out_channels, self.blades)) if bias else None)
        self.reset_parameters()
        placed(self, device, dtype)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_channels * self.blades)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def plain(self) -> Tuple[Tensor, Optional[Tensor]]:
        if self.folded:
            return self.weight, self.bias
        kernel = ops.clifford_kernel(self.weight, self.algebra.signature)
        return kernel, None if self.bias is None else self.bias.flatten()

    def forward(self, x: Tensor) -> Tensor:
        kernel, bias = self.plain()
        return nn.functional.linear(x.flatten(-2), kernel, bias).unflatten(-1, (self.out_channels, self.blades))

    def extra_repr(self) -> str:
        return f"{self.algebra}, {self.in_channels}, {self.out_channels}"


class _CliffordConv(Convolving):
    _bias = True

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
        *,
        rotation: bool = False,
        output_padding: Size = 0,
    ) -> None:
        super().__init__()
        self.algebra, self.in_channels, self.out_channels = Algebra.of(algebra), in_channels, out_channels
        _check_channels(type(self).__name__, in_channels, out_channels, groups)
        if self._is_transposed and groups != 1:
            raise ValueError(f"gcan: {type(self).__name__} has no groups")
        if rotation and self.algebra != Algebra(0, 2):
            raise ValueError(f"gcan: rotation=True is for G(0,2,0), not for {self.algebra}")
        self._set(kernel_size, stride, padding, dilation, groups, padding_mode, output_padding)
        self.blades, self.rotation = 1 << self.algebra.dimension, rotation
        rows, columns = (in_channels, out_channels) if self._is_transposed else (out_channels, in_channels // groups)
        self.weight = nn.Parameter(torch.empty(rows, columns, self.blades, *self.kernel_size))
        self.register_parameter("bias", nn.Parameter(torch.empty(out_channels, self.blades)) if bias else None)
        self.register_parameter(
            "scale", nn.Parameter(torch.empty(rows, columns, *self.kernel_size)) if rotation else None
        )
        self.reset_parameters()
        placed(self, device, dtype)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.weight[0].numel())
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)
        if self.scale is not None:
            bound = 1 / math.sqrt(self.scale[0].numel())
            nn.init.uniform_(self.scale, -bound, bound)

    def plain(self) -> Tuple[Tensor, Optional[Tensor]]:
        if self.folded:
            return self.weight, self.bias
        weight, scale = self.weight, self.scale
        if self._is_transposed:
            weight, scale = weight.transpose(0, 1), None if scale is None else scale.transpose(0, 1)
        kernel = (
            ops.clifford_kernel(weight, self.algebra.signature)
            if scale is None
            else ops.clifford_rotation_kernel(weight, scale)
        )
        kernel = kernel.transpose(0, 1) if self._is_transposed else kernel
        return kernel, None if self.bias is None else self.bias.flatten()

    def extra_repr(self) -> str:
        return f"{self.algebra}, {self.in_channels}, {self.out_channels}, {self._settings_text()}"


class CliffordConv1d(_CliffordConv):
    """A convolution of multivectors, x (N, in, blades, L).

    >>> CliffordConv1d((1, 0, 0), 2, 4, 3)(torch.randn(1, 2, 2, 8)).shape
    torch.Size([1, 4, 2, 6])
    """

    _dimensions = 1


class CliffordConv2d(_CliffordConv):
    """A convolution of multivectors, x (N, in, blades, H, W).

    >>> CliffordConv2d((2, 0, 0), 2, 4, 3, padding=1)(torch.randn(1, 2, 4, 8, 8)).shape
    torch.Size([1, 4, 4, 8, 8])
    """

    _dimensions = 2


class CliffordConv3d(_CliffordConv):
    """A convolution of multivectors, x (N, in, blades, D, H, W).

    >>> CliffordConv3d((3, 0, 0), 1, 1, 2)(torch.randn(1, 1, 8, 3, 3, 3)).shape
    torch.Size([1, 1, 8, 2, 2, 2])
    """

    _dimensions = 3


class CliffordConvTranspose1d(Transposed, _CliffordConv):
    """The transposed convolution of multivectors, x (N, in, blades, L).

    >>> CliffordConvTranspose1d((1, 0, 0), 2, 4, 2, stride=2)(torch.randn(1, 2, 2, 8)).shape
    torch.Size([1, 4, 2, 16])
    """

    _dimensions = 1


class CliffordConvTranspose2d(Transposed, _CliffordConv):
    """The transposed convolution of multivectors, x (N, in, blades, H, W).

    >>> CliffordConvTranspose2d((2, 0, 0), 2, 4, 2, stride=2)(torch.randn(1, 2, 4, 8, 8)).shape
    torch.Size([1, 4, 4, 16, 16])
    """

    _dimensions = 2


class CliffordConvTranspose3d(Transposed, _CliffordConv):
    """The transposed convolution of multivectors, x (N, in, blades, D, H, W).

    >>> CliffordConvTranspose3d((3, 0, 0), 1, 1, 2, stride=2)(torch.randn(1, 1, 8, 2, 2, 2)).shape
    torch.Size([1, 1, 8, 4, 4, 4])
    """

    _dimensions = 3


def _in_float(whitened: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """Whitening needs float precision, even under autocast."""
    given = x.float() if x.dtype in (torch.half, torch.bfloat16) else x
    if x.device.type not in ("cpu", "cuda"):
        return whitened(given).to(x.dtype)
    with torch.autocast(x.device.type, enabled=False):
        return whitened(given).to(x.dtype)


def _over_cholesky(matrix: Tensor, covariance: Tensor, eps: float) -> Tensor:
    """matrix L^-1 with L the Cholesky factor of the covariance: x -> L^-1 x whitens."""
    variance = covariance.diagonal(0, -2, -1).mean(-1).unsqueeze(-1).unsqueeze(-1)
    identity = torch.eye(covariance.shape[-1], dtype=covariance.dtype, device=covariance.device)
    factor = torch.linalg.cholesky(covariance + eps * (1 + variance) * identity)
    return torch.linalg.solve_triangular(factor, matrix.expand_as(factor), upper=False, left=False)


def _statistics(samples: Tensor) -> Tuple[Tensor, Tensor]:
    """Mean and covariance of samples (..., blades, count)."""
    mean = samples.mean(-1, keepdim=True)
    centred = samples - mean
    return mean.squeeze(-1), centred @ centred.transpose(-1, -2) / samples.shape[-1]


class CliffordBatchNorm(nn.Module):
    """Whitens the blades of each channel over batch and space. Input and output are (N, channels, blades, space...).

    >>> CliffordBatchNorm((2, 0, 0), 8)(torch.randn(4, 8, 4, 16, 16)).shape
    torch.Size([4, 8, 4, 16, 16])
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        channels: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        _check_channels("CliffordBatchNorm", channels, channels)
        self.algebra, self.channels, self.eps, self.momentum = Algebra.of(algebra), channels, eps, momentum
        n = 1 << self.algebra.dimension
        unit = torch.eye(n).expand(channels, n, n)
        self.register_parameter("weight", nn.Parameter(unit.clone()) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(channels, n)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(channels, n) if track_running_stats else None)
        self.register_buffer("running_covariance", unit.clone() if track_running_stats else None)
        placed(self, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        return _in_float(self._whitened, x)

    def _whitened(self, x: Tensor) -> Tensor:
        flat = x.flatten(3) if x.dim() > 3 else x.unsqueeze(-1)
        if self.training or self.running_mean is None:
            mean, covariance = _statistics(flat.permute(1, 2, 0, 3).flatten(2))
        else:
            mean, covariance = self.running_mean, self.running_covariance
        if self.training and self.running_mean is not None:
            with torch.no_grad():
                self.running_mean.lerp_(mean.to(self.running_mean), self.momentum)
                self.running_covariance.lerp_(covariance.to(self.running_covariance), self.momentum)
        unit = torch.eye(x.shape[2], dtype=x.dtype, device=x.device) if self.weight is None else self.weight
        y = _over_cholesky(unit, covariance, self.eps) @ (flat - mean.unsqueeze(-1))
        return (y if self.bias is None else y + self.bias.unsqueeze(-1)).view(x.shape)

    def extra_repr(self) -> str:
        return f"{self.algebra}, {self.channels}"


class CliffordGroupNorm(nn.Module):
    """Whitens the blades of each group of channels of each sample, over its channels and space.

    >>> CliffordGroupNorm((2, 0, 0), 1, 8)(torch.randn(4, 8, 4, 16, 16)).shape
    torch.Size([4, 8, 4, 16, 16])
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        _check_channels("CliffordGroupNorm", num_channels, num_channels, num_groups)
        self.algebra, self.num_groups, self.num_channels, self.eps = Algebra.of(algebra), num_groups, num_channels, eps
        n = 1 << self.algebra.dimension
        unit = torch.eye(n).expand(num_channels, n, n)
        self.register_parameter("weight", nn.Parameter(unit.clone()) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_channels, n)) if affine else None)
        placed(self, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        return _in_float(self._whitened, x)

    def _whitened(self, x: Tensor) -> Tensor:
        n, groups, channels = x.shape[2], self.num_groups, self.num_channels // self.num_groups
        grouped = x.reshape(x.shape[0], groups, channels, n, -1)
        mean, covariance = _statistics(grouped.transpose(2, 3).flatten(3))
        unit = (
            torch.eye(n, dtype=x.dtype, device=x.device)
            if self.weight is None
            else self.weight.view(groups, channels, n, n)
        )
        matrix = _over_cholesky(unit, covariance.unsqueeze(2).expand(-1, -1, channels, -1, -1), self.eps)
        y = matrix @ (grouped - mean.unsqueeze(2).unsqueeze(-1))
        if self.bias is not None:
            y = y + self.bias.view(groups, channels, n, 1)
        return y.view(x.shape)

    def extra_repr(self) -> str:
        return f"{self.algebra}, {self.num_groups}, {self.num_channels}"
