"""Networks of Clifford layers for electromagnetic fields in space."""

from __future__ import annotations

from typing import Sequence, Type

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...nn.modules.cliffordconv import CliffordConv3d
from ...nn.modules.cliffordfourier import CliffordSpectralConv3d
from ...nn.modules.groupnorm import CliffordGroupNorm3d
from .custom_layers import CliffordConv3dMaxwellDecoder, CliffordConv3dMaxwellEncoder
from .twod import Activation

__all__ = ["CliffordFourierBasicBlock3d", "CliffordMaxwellNet3d"]


class CliffordFourierBasicBlock3d(nn.Module):
    """A convolution in space plus one in Fourier space, then norm and activation.

    >>> block = CliffordFourierBasicBlock3d((1, 1, 1), 1, 1, modes1=2, modes2=2, modes3=2)
    >>> block(torch.randn(1, 1, 8, 8, 8, 8)).shape
    torch.Size([1, 1, 8, 8, 8, 8])
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
        norm: bool = False,
        num_groups: int = 1,
        modes1: int = 8,
        modes2: int = 8,
        modes3: int = 8,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        self.fourier = CliffordSpectralConv3d(g, in_channels, out_channels, modes1, modes2, modes3, corrected=corrected)
        self.conv = CliffordConv3d(
            g, in_channels, out_channels, kernel_size=kernel_size, stride=stride, padding=padding,
            corrected=corrected,
        )  # fmt: skip
        self.norm = CliffordGroupNorm3d(g, num_groups, out_channels, corrected=corrected) if norm else nn.Identity()
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.norm(self.fourier(x) + self.conv(x)))


class CliffordMaxwellNet3d(nn.Module):
    """Encoder, blocks and decoder for electric and magnetic fields: (batch, channels, depth, height, width, 6).

    Blocks see `padding` more layers of zeros; set it to 0 for periodic fields.

    >>> net = CliffordMaxwellNet3d((1, 1, 1), CliffordFourierBasicBlock3d, [1], 1, 1, 1, activation=F.gelu)
    >>> net(torch.randn(1, 1, 14, 14, 14, 6)).shape
    torch.Size([1, 1, 14, 14, 14, 6])
    """

    padding = 2

    def __init__(
        self,
        g: Sequence[float],
        block: Type[nn.Module],
        num_blocks: Sequence[int],
        in_channels: int,
        out_channels: int,
        hidden_channels: int,
        activation: Activation,
        norm: bool = False,
        num_groups: int = 1,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.encoder = CliffordConv3dMaxwellEncoder(g, in_channels, hidden_channels, corrected=corrected)
        self.decoder = CliffordConv3dMaxwellDecoder(g, hidden_channels, out_channels, corrected=corrected)
        how = dict(activation=activation, norm=norm, num_groups=num_groups)
        if corrected:  # user-defined blocks may not have the flag
            how["corrected"] = True
        self.layers = nn.ModuleList(
            nn.Sequential(*(block(g, hidden_channels, hidden_channels, **how) for _ in range(count)))
            for count in num_blocks
        )

    def forward(self, x: Tensor) -> Tensor:
        depth, height, width = x.shape[2:5]
        x = self.encoder(self.activation(x))
        x = F.pad(x, (0, 0, 0, self.padding, 0, self.padding, 0, self.padding))
        for layer in self.layers:
            x = layer(x)
        return self.decoder(x[:, :, :depth, :height, :width])
