"""Convolutions between fields and multivectors."""

from __future__ import annotations

from typing import Sequence, Union

import torch

from ...nn.modules.cliffordconv import CliffordConv2d, CliffordConv3d, Size

__all__ = [
    "CliffordConv2dScalarVectorDecoder",
    "CliffordConv2dScalarVectorEncoder",
    "CliffordConv3dMaxwellDecoder",
    "CliffordConv3dMaxwellEncoder",
]


class _Conv2d(CliffordConv2d):
    """A convolution with a different default kernel size than its base."""

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 1,
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
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, rotation,
            corrected=corrected,
        )  # fmt: skip


class CliffordConv2dScalarVectorEncoder(_Conv2d):
    """Fields (scalar, vector) to multivectors: (..., 3) to (..., 4).

    >>> CliffordConv2dScalarVectorEncoder((1, 1), 2, 4)(torch.randn(1, 2, 8, 8, 3)).shape
    torch.Size([1, 4, 8, 8, 4])
    """

    def input_blades(self) -> Sequence[int]:
        return range(3)


class CliffordConv2dScalarVectorDecoder(_Conv2d):
    """Multivectors to fields (scalar, vector): (..., 4) to (..., 3). There is no bias.

    >>> CliffordConv2dScalarVectorDecoder((1, 1), 4, 1)(torch.randn(1, 4, 8, 8, 4)).shape
    torch.Size([1, 1, 8, 8, 3])
    """

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 1,
        stride: Size = 1,
        padding: Union[Size, str] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = False,
        padding_mode: str = "zeros",
        rotation: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        if bias:
            raise ValueError("gcan: CliffordConv2dScalarVectorDecoder has no bias; leave bias=False")
        super().__init__(
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, rotation,
            corrected=corrected,
        )  # fmt: skip

    def output_blades(self) -> Sequence[int]:
        return range(3)


class CliffordConv3dMaxwellEncoder(CliffordConv3d):
    """Electric and magnetic field, a vector and a bivector, to multivectors: (..., 6) to (..., 8).

    >>> CliffordConv3dMaxwellEncoder((1, 1, 1), 1, 2)(torch.randn(1, 1, 4, 4, 4, 6)).shape
    torch.Size([1, 2, 4, 4, 4, 8])
    """

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 1,
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

    def input_blades(self) -> Sequence[int]:
        return range(1, 7)


class CliffordConv3dMaxwellDecoder(CliffordConv3d):
    """Multivectors to electric and magnetic field: (..., 8) to (..., 6). There is no bias.

    >>> CliffordConv3dMaxwellDecoder((1, 1, 1), 2, 1)(torch.randn(1, 2, 4, 4, 4, 8)).shape
    torch.Size([1, 1, 4, 4, 4, 6])
    """

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        kernel_size: Size = 1,
        stride: Size = 1,
        padding: Union[Size, str] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = False,
        padding_mode: str = "zeros",
        *,
        corrected: bool = False,
    ) -> None:
        if bias:
            raise ValueError("gcan: CliffordConv3dMaxwellDecoder has no bias; leave bias=False")
        super().__init__(
            g, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode,
            corrected=corrected,
        )  # fmt: skip

    def output_blades(self) -> Sequence[int]:
        return range(1, 7)
