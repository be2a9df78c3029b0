"""Networks of group action layers in G(3,0,0) for fields in the plane: (batch, channels, height, width, 3)."""

from __future__ import annotations

from typing import List, Sequence, Type

import torch
from torch import Tensor, nn

from ...nn.modules.gcan import (
    CliffordG3Conv2d,
    CliffordG3ConvTranspose2d,
    CliffordG3GroupNorm,
    CliffordG3LinearVSiLU,
    CliffordG3MeanVSiLU,
    CliffordG3SumVSiLU,
)

__all__ = [
    "CliffordG3BasicBlock2d",
    "CliffordG3DownBlock",
    "CliffordG3Downsample",
    "CliffordG3MiddleBlock",
    "CliffordG3ResNet2d",
    "CliffordG3UNet2d",
    "CliffordG3UpBlock",
    "CliffordUpsample",
    "get_activation",
]


def get_activation(activation: str, channels: int) -> nn.Module:
    """The activation with this name: "vlin", "vsum" or "vmean".

    >>> get_activation("vmean", 4)
    CliffordG3MeanVSiLU()
    """
    if activation == "vlin":
        return CliffordG3LinearVSiLU(channels)
    if activation == "vsum":
        return CliffordG3SumVSiLU()
    if activation == "vmean":
        return CliffordG3MeanVSiLU()
    raise NotImplementedError(f"gcan: there is no activation '{activation}', expected 'vlin', 'vsum' or 'vmean'")


class CliffordG3BasicBlock2d(nn.Module):
    """Two convolutions, each after norm and activation (or activation and norm), and a shortcut.

    >>> CliffordG3BasicBlock2d(4, 8)(torch.randn(1, 4, 8, 8, 3)).shape
    torch.Size([1, 8, 8, 8, 3])
    """

    expansion: int = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        padding: int = 1,
        activation: str = "vlin",
        norm: bool = True,
        num_groups: int = 1,
        prenorm: bool = True,
    ) -> None:
        super().__init__()
        self.conv1 = CliffordG3Conv2d(in_channels, out_channels, kernel_size, stride, padding, bias=True)
        self.conv2 = CliffordG3Conv2d(out_channels, out_channels, kernel_size, stride, padding, bias=True)
        self.norm1 = CliffordG3GroupNorm(num_groups, in_channels, 3) if norm else nn.Identity()
        self.norm2 = CliffordG3GroupNorm(num_groups, out_channels, 3) if norm else nn.Identity()
        same = in_channels == out_channels
        self.shortcut = nn.Identity() if same else CliffordG3Conv2d(in_channels, out_channels)
        self.act1 = get_activation(activation, in_channels)
        self.act2 = get_activation(activation, out_channels)
        self.prenorm = prenorm

    def forward(self, x: Tensor) -> Tensor:
        if self.prenorm:
            y = self.conv1(self.act1(self.norm1(x)))
            y = self.conv2(self.act2(self.norm2(y)))
        else:
            y = self.conv1(self.norm1(self.act1(x)))
            y = self.conv2(self.norm2(self.act2(y)))
        return y + self.shortcut(x)


class CliffordG3ResNet2d(nn.Module):
    """Two convolutions in, blocks of one resolution, two convolutions out.

    >>> CliffordG3ResNet2d([1, 1], 4, 1, 8)(torch.randn(1, 4, 16, 16, 3)).shape
    torch.Size([1, 1, 16, 16, 3])
    """

    def __init__(
        self,
        num_blocks: Sequence[int],
        in_channels: int,
        out_channels: int,
        hidden_channels: int,
        activation: str = "vlin",
        block: Type[nn.Module] = CliffordG3BasicBlock2d,
        norm: bool = False,
        num_groups: int = 1,
        prenorm: bool = True,
    ) -> None:
        super().__init__()
        self.conv_in1 = CliffordG3Conv2d(in_channels, hidden_channels)
        self.conv_in2 = CliffordG3Conv2d(hidden_channels, hidden_channels)
        self.conv_out1 = CliffordG3Conv2d(hidden_channels, hidden_channels)
        self.conv_out2 = CliffordG3Conv2d(hidden_channels, out_channels)
        how = dict(activation=activation, norm=norm, num_groups=num_groups, prenorm=prenorm)
        self.layers = nn.ModuleList(
            nn.Sequential(*(block(hidden_channels, hidden_channels, **how) for _ in range(count)))
            for count in num_blocks
        )
        self.act1 = get_activation(activation, hidden_channels)
        self.act2 = get_activation(activation, hidden_channels)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv_in2(self.act1(self.conv_in1(x)))
        for layer in self.layers:
            x = layer(x)
        return self.conv_out2(self.act2(self.conv_out1(x)))


class CliffordG3DownBlock(nn.Module):
    """A block of the downward path.

    >>> CliffordG3DownBlock(4, 8, "vlin")(torch.randn(1, 4, 8, 8, 3)).shape
    torch.Size([1, 8, 8, 8, 3])
    """

    def __init__(
        self, in_channels: int, out_channels: int, activation: str, norm: bool = False, prenorm: bool = True,
        num_groups: int = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.block = CliffordG3BasicBlock2d(
            in_channels, out_channels, activation=activation, norm=norm, prenorm=prenorm, num_groups=num_groups
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.block(x)


class CliffordG3Downsample(nn.Module):
    """Halves the rows and columns.

    >>> CliffordG3Downsample(4)(torch.randn(1, 4, 8, 8, 3)).shape
    torch.Size([1, 4, 4, 4, 3])
    """

    def __init__(self, n_channels: int) -> None:
        super().__init__()
        self.n_channels = n_channels
        self.conv = CliffordG3Conv2d(n_channels, n_channels, kernel_size=3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class CliffordG3MiddleBlock(nn.Module):
    """Two blocks at the lowest resolution.

    >>> CliffordG3MiddleBlock(4, "vlin")(torch.randn(1, 4, 8, 8, 3)).shape
    torch.Size([1, 4, 8, 8, 3])
    """

    def __init__(
        self, n_channels: int, activation: str, norm: bool = False, prenorm: bool = True, num_groups: int = 1
    ) -> None:
        super().__init__()
        how = dict(activation=activation, norm=norm, prenorm=prenorm, num_groups=num_groups)
        self.res1 = CliffordG3BasicBlock2d(n_channels, n_channels, **how)
        self.res2 = CliffordG3BasicBlock2d(n_channels, n_channels, **how)

    def forward(self, x: Tensor) -> Tensor:
        return self.res2(self.res1(x))


class CliffordG3UpBlock(nn.Module):
    """A block of the upward path; its input is the features from below and those of the downward path.

    >>> CliffordG3UpBlock(4, 8, "vlin")(torch.randn(1, 12, 8, 8, 3)).shape
    torch.Size([1, 8, 8, 8, 3])
    """

    def __init__(
        self, in_channels: int, out_channels: int, activation: str, norm: bool = False, prenorm: bool = True,
        num_groups: int = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.res = CliffordG3BasicBlock2d(
            in_channels + out_channels,
            out_channels,
            activation=activation,
            norm=norm,
            prenorm=prenorm,
            num_groups=num_groups,
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.res(x)


class CliffordUpsample(nn.Module):
    """Doubles the rows and columns.

    >>> CliffordUpsample(4)(torch.randn(1, 4, 8, 8, 3)).shape
    torch.Size([1, 4, 16, 16, 3])
    """

    def __init__(self, n_channels: int) -> None:
        super().__init__()
        self.conv = CliffordG3ConvTranspose2d(n_channels, n_channels, 4, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x)


class CliffordG3UNet2d(nn.Module):
    """A U-Net; each of `ch_mults` is the factor of the channels at one resolution.

    The middle block and the blocks that reduce channels normalise in one group whatever `num_groups` is, as
    released.

    >>> CliffordG3UNet2d(4, 1, 4, ch_mults=(1, 2), n_blocks=1)(torch.randn(1, 4, 16, 16, 3)).shape
    torch.Size([1, 1, 16, 16, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        hidden_channels: int,
        activation: str = "vlin",
        norm: bool = False,
        ch_mults: Sequence[int] = (1, 2, 2, 2),
        n_blocks: int = 2,
        prenorm: bool = True,
        num_groups: int = 1,
    ) -> None:
        super().__init__()
        self.out_channels = out_channels
        how = dict(activation=activation, norm=norm, prenorm=prenorm)
        self.conv1 = CliffordG3Conv2d(in_channels, hidden_channels, kernel_size=3, padding=1)
        down: List[nn.Module] = []
        channels = hidden_channels
        for level, factor in enumerate(ch_mults):
            wide = channels * factor
            for _ in range(n_blocks):
                down.append(CliffordG3DownBlock(channels, wide, num_groups=num_groups, **how))
                channels = wide
            if level + 1 < len(ch_mults):
                down.append(CliffordG3Downsample(channels))
        self.down = nn.ModuleList(down)
        self.middle = CliffordG3MiddleBlock(channels, **how)
        up: List[nn.Module] = []
        for level in reversed(range(len(ch_mults))):
            up += [CliffordG3UpBlock(channels, channels, num_groups=num_groups, **how) for _ in range(n_blocks)]
            narrow = channels // ch_mults[level]
            up.append(CliffordG3UpBlock(channels, narrow, **how))
            channels = narrow
            if level > 0:
                up.append(CliffordUpsample(channels))
        self.up = nn.ModuleList(up)
        self.activation = get_activation(activation, channels)
        self.norm = CliffordG3GroupNorm(num_groups, channels, 3) if norm else nn.Identity()
        self.conv2 = CliffordG3Conv2d(channels, out_channels, kernel_size=3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv1(x)
        seen = [x]
        for layer in self.down:
            x = layer(x)
            seen.append(x)
        x = self.middle(x)
        for layer in self.up:
            if not isinstance(layer, CliffordUpsample):
                x = torch.cat([x, seen.pop()], dim=1)
            x = layer(x)
        return self.conv2(self.activation(self.norm(x)))
