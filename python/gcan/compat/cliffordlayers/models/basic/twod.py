"""Networks of Clifford layers for fields in the plane."""

from __future__ import annotations

from typing import Callable, Sequence, Type

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...nn.modules.cliffordconv import CliffordConv2d
from ...nn.modules.cliffordfourier import CliffordSpectralConv2d
from ...nn.modules.groupnorm import CliffordGroupNorm2d
from .custom_layers import CliffordConv2dScalarVectorDecoder, CliffordConv2dScalarVectorEncoder

__all__ = ["CliffordBasicBlock2d", "CliffordFluidNet2d", "CliffordFourierBasicBlock2d"]

Activation = Callable[[Tensor], Tensor]


class CliffordBasicBlock2d(nn.Module):
    """Two convolutions, each after norm and activation, and a shortcut.

    >>> CliffordBasicBlock2d((1, 1), 4, 4)(torch.randn(1, 4, 8, 8, 4)).shape
    torch.Size([1, 4, 8, 8, 4])
    """

    expansion: int = 1

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        activation: Activation = F.gelu,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int = 1,
        rotation: bool = False,
        norm: bool = False,
        num_groups: int = 1,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        how = dict(kernel_size=kernel_size, stride=stride, padding=padding, rotation=rotation, corrected=corrected)
        self.conv1 = CliffordConv2d(g, in_channels, out_channels, **how)
        self.conv2 = CliffordConv2d(g, out_channels, out_channels, **how)
        self.norm1 = CliffordGroupNorm2d(g, num_groups, in_channels, corrected=corrected) if norm else nn.Identity()
        self.norm2 = CliffordGroupNorm2d(g, num_groups, out_channels, corrected=corrected) if norm else nn.Identity()
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv1(self.activation(self.norm1(x)))
        return self.conv2(self.activation(self.norm2(y))) + x


class CliffordFourierBasicBlock2d(nn.Module):
    """A convolution in space plus one in Fourier space, then norm and activation.

    >>> CliffordFourierBasicBlock2d((1, 1), 4, 4, modes1=2, modes2=2)(torch.randn(1, 4, 8, 8, 4)).shape
    torch.Size([1, 4, 8, 8, 4])
    """

    expansion: int = 1

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        activation: Activation = F.gelu,
        kernel_size: int = 1,
        stride: int = 1,
        padding: int = 0,
        rotation: bool = False,
        norm: bool = False,
        num_groups: int = 1,
        modes1: int = 16,
        modes2: int = 16,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        self.fourier = CliffordSpectralConv2d(g, in_channels, out_channels, modes1, modes2, corrected=corrected)
        self.conv = CliffordConv2d(
            g, in_channels, out_channels, kernel_size=kernel_size, stride=stride, padding=padding, rotation=rotation,
            corrected=corrected,
        )  # fmt: skip
        self.norm = CliffordGroupNorm2d(g, num_groups, out_channels, corrected=corrected) if norm else nn.Identity()
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.norm(self.fourier(x) + self.conv(x)))


class CliffordFluidNet2d(nn.Module):
    """Encoder, blocks and decoder for a scalar and a vector field: (batch, channels, height, width, 3).

    Blocks see `padding` more rows and columns of zeros; set it to 0 for periodic fields.

    >>> net = CliffordFluidNet2d((1, 1), CliffordBasicBlock2d, [1, 1], 4, 1, 8, activation=F.gelu, rotation=False)
    >>> net(torch.randn(1, 4, 16, 16, 3)).shape
    torch.Size([1, 1, 16, 16, 3])
    """

    padding = 9

    def __init__(
        self,
        g: Sequence[float],
        block: Type[nn.Module],
        num_blocks: Sequence[int],
        in_channels: int,
        out_channels: int,
        hidden_channels: int,
        activation: Activation,
        rotation: bool,
        norm: bool = False,
        num_groups: int = 1,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.encoder = CliffordConv2dScalarVectorEncoder(g, in_channels, hidden_channels, rotation=rotation, corrected=corrected)
        self.decoder = CliffordConv2dScalarVectorDecoder(g, hidden_channels, out_channels, rotation=rotation, corrected=corrected)
        how = dict(activation=activation, rotation=rotation, norm=norm, num_groups=num_groups)
        if corrected:  # user-defined blocks may not have the flag
            how["corrected"] = True
        self.layers = nn.ModuleList(
            nn.Sequential(*(block(g, hidden_channels, hidden_channels, **how) for _ in range(count)))
            for count in num_blocks
        )

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:4]
        x = self.encoder(self.activation(x))
        x = F.pad(x, (0, 0, 0, self.padding, 0, self.padding))
        for layer in self.layers:
            x = layer(x)
        return self.decoder(x[:, :, :height, :width])
