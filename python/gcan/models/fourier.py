"""Clifford Fourier neural operators (Brandstetter et al. 2022): networks whose blocks see the whole grid at once,
through products in the Clifford Fourier spectrum."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from gcan.algebra import Algebra
from gcan.nn import (
    CliffordConv2d,
    CliffordConv3d,
    CliffordGroupNorm,
    CliffordSpectralConv2d,
    CliffordSpectralConv3d,
)
from gcan.nn.convolution import Size

__all__ = ["CliffordFourierNet2d", "CliffordMaxwellNet3d"]


class _Block(nn.Module):
    """gelu(norm(fourier(x) + conv(x))) with a 1 x 1 convolution."""

    def __init__(self, dimensions: int, channels: int, modes: Size, norm: bool, groups: int, released: bool) -> None:
        super().__init__()
        algebra = Algebra(dimensions)
        spectral, conv = _KINDS[dimensions]
        self.fourier = spectral(algebra, channels, channels, modes, released=released)
        self.conv = conv(algebra, channels, channels, 1)
        self.norm: Optional[nn.Module] = CliffordGroupNorm(algebra, groups, channels) if norm else None

    def forward(self, x: Tensor) -> Tensor:
        h = self.fourier(x) + self.conv(x)
        return F.gelu(h if self.norm is None else self.norm(h))


_KINDS = {2: (CliffordSpectralConv2d, CliffordConv2d), 3: (CliffordSpectralConv3d, CliffordConv3d)}


class _CliffordFourierNet(nn.Module):
    _dimensions = 2
    _first, _fields = 0, 3  # the blades of the fields: the first one, and how many

    def __init__(
        self,
        channels: int,
        blocks: int,
        modes: Size,
        history: int,
        future: int,
        norm: bool,
        groups: int,
        padding: int,
        released: bool,
    ) -> None:
        super().__init__()
        if min(channels, blocks, history, future) < 1 or padding < 0:
            raise ValueError(
                f"gcan: {type(self).__name__} needs at least one channel, one frame in, one frame out and one block, and a "
                "padding of at least 0"
            )
        self.channels, self.history, self.future, self.padding = channels, history, future, padding
        algebra = Algebra(self._dimensions)
        _, conv = _KINDS[self._dimensions]
        self.encoder = conv(algebra, history, channels, 1)
        self.layers = nn.ModuleList(
            _Block(self._dimensions, channels, modes, norm, groups, released) for _ in range(blocks)
        )
        self.decoder = conv(algebra, channels, future, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        d = self._dimensions
        if x.dim() != d + 3 or tuple(x.shape[1:3]) != (self.history, self._fields):
            raise ValueError(
                f"gcan: {type(self).__name__} got a tensor of shape {tuple(x.shape)}, expected (*, {self.history}, "
                f"{self._fields}{', *' * d})"
            )
        behind = (1 << d) - self._fields - self._first
        h = self.encoder(F.pad(F.gelu(x), (0,) * (2 * d) + (self._first, behind)))
        if self.padding > 0:
            h = F.pad(h, (0, self.padding) * d)
        for block in self.layers:
            h = block(h)
        for dim in range(3, x.dim()):
            h = h.narrow(dim, 0, x.shape[dim])
        return self.decoder(h.contiguous()).narrow(2, self._first, self._fields).contiguous()


class CliffordFourierNet2d(_CliffordFourierNet):
    """A scalar and a vector field in the plane, as multivectors of G(2,0,0) on 1, e1, e2:
    (N, history, 3, H, W) to (N, future, 3, H, W). Blocks keep the lowest `modes` frequencies and append
    `padding` zeros to each dimension; use 0 for periodic fields.

    >>> CliffordFourierNet2d(channels=4, blocks=1, modes=4)(torch.randn(1, 4, 3, 16, 16)).shape
    torch.Size([1, 1, 3, 16, 16])
    """

    def __init__(
        self,
        channels: int = 32,
        blocks: int = 4,
        modes: Size = 16,
        history: int = 4,
        future: int = 1,
        norm: bool = False,
        groups: int = 1,
        padding: int = 9,
        released: bool = False,
    ) -> None:
        super().__init__(channels, blocks, modes, history, future, norm, groups, padding, released)


class CliffordMaxwellNet3d(_CliffordFourierNet):
    """An electromagnetic field as a multivector of G(3,0,0), E on e1, e2, e3 and the bivector of the magnetic field on
    e12, e13, e23: (N, history, 6, D, H, W) to (N, future, 6, D, H, W).

    >>> CliffordMaxwellNet3d(channels=2, blocks=1, modes=2)(torch.randn(1, 2, 6, 6, 5, 4)).shape
    torch.Size([1, 1, 6, 6, 5, 4])
    """

    _dimensions = 3
    _first, _fields = 1, 6

    def __init__(
        self,
        channels: int = 32,
        blocks: int = 4,
        modes: Size = 8,
        history: int = 2,
        future: int = 1,
        norm: bool = False,
        groups: int = 1,
        padding: int = 2,
        released: bool = False,
    ) -> None:
        super().__init__(channels, blocks, modes, history, future, norm, groups, padding, released)
