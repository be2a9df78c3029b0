"""Convolutions whose weights are multivectors."""

from __future__ import annotations

import math
from typing import Callable, List, Sequence, Tuple, Union

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules.utils import _ntuple

from gcan.cayley import clifford_kernel, product_plan

from ...layout import from_rows, quaternion_rotation, to_rows
from ...signature import CliffordSignature

__all__ = ["CliffordConv1d", "CliffordConv2d", "CliffordConv3d"]

Size = Union[int, Tuple[int, ...]]


class _CliffordConvNd(nn.Module):
    """What the convolutions share. Subclasses define the dimension and the input and output blades."""

    dimension: int
    convolution: Callable[..., Tensor]

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size,
        padding: Union[Size, str],
        dilation: Size,
        groups: int,
        bias: bool,
        padding_mode: str,
        rotation: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        signature = CliffordSignature(g)
        if signature.dim != self.dimension:
            raise NotImplementedError(f"gcan: {name} got signature {tuple(g)}, expected {self.dimension} numbers")
        if rotation and signature.g.tolist() != [-1, -1]:
            raise NotImplementedError(f"gcan: {name} with rotation=True needs the signature (-1, -1)")
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"gcan: {name} got {in_channels} and {out_channels} channels for {groups} groups")
        expand = _ntuple(self.dimension)
        self.register_buffer("g", signature.g)
        self.dim, self.n_blades = signature.dim, signature.n_blades
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = expand(kernel_size), expand(stride), expand(dilation)
        self.padding = padding if isinstance(padding, str) else expand(padding)
        self.padding_mode, self.rotation, self.corrected = padding_mode, rotation, corrected

        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = nn.ParameterList([nn.Parameter(torch.empty(shape)) for _ in range(self.n_blades)])
        if bias:
            self.bias = nn.Parameter(torch.empty(self.n_blades, out_channels))
        else:
            self.register_parameter("bias", None)
        if rotation:
            self.scale_param = nn.Parameter(torch.empty(shape))
            self.zero_kernel = nn.Parameter(torch.zeros(shape), requires_grad=False)
            self.weight.append(self.scale_param)
            self.weight.append(self.zero_kernel)
        self._plan = product_plan(signature.g.tolist(), self.input_blades(), self.output_blades())
        self.reset_parameters()

    def input_blades(self) -> Sequence[int]:
        return range(2**self.dimension)

    def output_blades(self) -> Sequence[int]:
        return range(2**self.dimension)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_channels * self.n_blades // self.groups * math.prod(self.kernel_size))
        for weight in list(self.weight)[: self.n_blades]:
            nn.init.uniform_(weight, -bound, bound)
        if self.rotation:
            nn.init.kaiming_uniform_(self.scale_param, a=math.sqrt(5))
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def kernel(self) -> Tensor:
        """(out, output blades, in, input blades, kernel...)."""
        if self.rotation:
            return self._rotation_kernel()
        return clifford_kernel(torch.stack(list(self.weight)), self._plan, len(self.output_blades()))

    def _rotation_kernel(self) -> Tensor:
        w: List[Tensor] = list(self.weight)
        scalar = torch.stack([w[0], -w[1], -w[2], -w[3]]).unsqueeze(0)
        rotation = quaternion_rotation(w[:4], w[4])
        zeros = w[5].expand(3, 1, *w[5].shape)
        blocks = torch.cat([scalar, torch.cat([zeros, rotation], dim=1)])  # (y, x, out, in, kernel...)
        blocks = blocks[list(self.output_blades())][:, list(self.input_blades())]
        return blocks.movedim((0, 1, 2, 3), (1, 3, 0, 2))

    def forward(self, x: Tensor) -> Tensor:
        inputs, outputs = len(self.input_blades()), len(self.output_blades())
        if x.shape[-1] != inputs:
            raise ValueError(f"gcan: {type(self).__name__} got {x.shape[-1]} blades, expected {inputs}")
        # The released layers put blades before channels, so groups split multivectors.
        first = self.groups > 1 and not self.corrected
        kernel = self.kernel()
        if first:
            kernel = kernel.transpose(0, 1).transpose(2, 3)
        kernel = kernel.flatten(2, 3).flatten(0, 1)
        bias = self.bias
        if bias is not None:
            bias = (bias if first else bias.t()).reshape(-1)
        rows, padding = to_rows(x, first), self.padding
        if self.padding_mode != "zeros" and not isinstance(padding, str):
            around = [size for size in reversed(padding) for _ in range(2)]
            rows, padding = F.pad(rows, around, mode=self.padding_mode), 0
        y = type(self).convolution(rows, kernel, bias, self.stride, padding, self.dilation, self.groups)
        return from_rows(y, outputs, first)

    def extra_repr(self) -> str:
        return (
            f"{self.g.tolist()}, {self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, groups={self.groups}, "
            f"bias={self.bias is not None}"
        )


class CliffordConv1d(_CliffordConvNd):
    """(batch, channels, length, 2). ``corrected``: groups of whole multivectors.

    >>> CliffordConv1d((-1,), 2, 3, padding=1)(torch.randn(1, 2, 8, 2)).shape
    torch.Size([1, 3, 8, 2])
    """

    dimension = 1
    convolution = F.conv1d

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 3,
        stride: Size = 1,
        padding: Union[Size, str] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
            corrected=corrected,
        )  # fmt: skip


class CliffordConv2d(_CliffordConvNd):
    """(batch, channels, height, width, 4). ``corrected``: groups of whole multivectors.

    >>> CliffordConv2d((1, 1), 2, 3, padding=1)(torch.randn(1, 2, 8, 8, 4)).shape
    torch.Size([1, 3, 8, 8, 4])
    """

    dimension = 2
    convolution = F.conv2d

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 3,
        stride: Size = 1,
        padding: Union[Size, str] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        rotation: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
            rotation, corrected=corrected,
        )  # fmt: skip


class CliffordConv3d(_CliffordConvNd):
    """(batch, channels, depth, height, width, 8). ``corrected``: groups of whole multivectors.

    >>> CliffordConv3d((1, 1, 1), 1, 2, padding=1)(torch.randn(1, 1, 4, 4, 4, 8)).shape
    torch.Size([1, 2, 4, 4, 4, 8])
    """

    dimension = 3
    convolution = F.conv3d

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 3,
        stride: Size = 1,
        padding: Union[Size, str] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
            corrected=corrected,
        )  # fmt: skip
