"""Convolutions in the Clifford Fourier space.

A multivector is a few complex numbers, pairs of dual blades: (1, e12) and (e1, e2) in two dimensions, (1, e123),
(e1, e23), (e2, e13) and (e3, e12) in three. Blade i is the real part of the pair whose imaginary part is the
i-th blade from the end. The pairs are products with the pseudoscalar I, some of which have a sign (e2 I = -e13): with
``corrected=True`` the imaginary unit of the transform is I.
"""

from __future__ import annotations

from typing import Sequence, Tuple

import torch
from torch import Tensor, nn

from gcan.cayley import blades, clifford_kernel, product, product_plan

from ...signature import CliffordSignature

__all__ = ["CliffordSpectralConv2d", "CliffordSpectralConv3d"]


class _CliffordSpectralConv(nn.Module):
    dimension: int
    keeps_g: bool  # whether the signature is a buffer, and so in the state dict

    def __init__(
        self, g: Sequence[float], in_channels: int, out_channels: int, modes: Tuple[int, ...], multiply: bool,
        corrected: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        signature = CliffordSignature(g)
        if signature.dim != self.dimension:
            raise ValueError(f"gcan: {type(self).__name__} got signature {tuple(g)}, expected {self.dimension} numbers")
        self.register_buffer("g", signature.g, persistent=self.keeps_g)
        self.dim, self.n_blades = signature.dim, signature.n_blades
        self.in_channels, self.out_channels, self.multiply = in_channels, out_channels, multiply
        self.modes, self.corrected = modes, corrected
        if multiply:
            sizes = (self.n_blades, out_channels, in_channels, *(2 * m for m in modes))
            self.weights = nn.Parameter(torch.rand(sizes) / (in_channels * out_channels))
        self._signs = self._dual_signs(signature.g.tolist()) if corrected else (1.0,) * (self.n_blades // 2)
        self._plan = product_plan(signature.g.tolist(), range(self.n_blades), range(self.n_blades))

    def _dual_signs(self, g: Sequence[float]) -> Tuple[float, ...]:
        """For each blade of the first half, the sign of its product with the pseudoscalar."""
        *_, unit = order = blades(len(g))
        if product(g, unit, unit)[0] != -1:
            raise ValueError(f"gcan: {type(self).__name__} got signature {tuple(g)}, whose pseudoscalar does not square to -1")
        return tuple(product(g, blade, unit)[0] for blade in order[: len(order) // 2])

    def _as_complex(self, x: Tensor) -> Tensor:
        half = self.n_blades // 2
        return torch.complex(x[..., :half], x[..., half:].flip(-1) * x.new_tensor(self._signs))

    def _as_blades(self, z: Tensor) -> Tensor:
        return torch.cat([z.real, (z.imag * z.real.new_tensor(self._signs)).flip(-1)], -1)

    def transform(self, x: Tensor) -> Tensor:
        """The Clifford Fourier transform of (..., space..., blades)."""
        return self._as_blades(torch.fft.fftn(self._as_complex(x), dim=tuple(range(-self.dimension - 1, -1))))

    def inverse(self, x: Tensor) -> Tensor:
        """The inverse of transform()."""
        return self._as_blades(torch.fft.ifftn(self._as_complex(x), dim=tuple(range(-self.dimension - 1, -1))))

    def kept(self, sizes: Sequence[int], device: torch.device) -> Tuple[Tensor, ...]:
        """For each dimension, which frequencies are kept: the first and the last `modes`."""
        found = []
        for size, modes in zip(sizes, self.modes):
            if modes > size:
                raise ValueError(f"gcan: {type(self).__name__} with {modes} modes got a grid of {size} points")
            found.append(torch.cat([torch.arange(modes), torch.arange(size - modes, size)]).to(device))
        return tuple(found)

    def multiplied(self, spectrum: Tensor) -> Tensor:
        """The frequencies (N, in, modes..., blades) times their weights, (N, out, modes..., blades)."""
        kernel = clifford_kernel(self.weights, self._plan, self.n_blades)  # (out, y, in, x, modes...)
        space = "abc"[: self.dimension]
        return torch.einsum(f"ni{space}x,oyix{space}->no{space}y", spectrum, kernel)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.n_blades:
            raise ValueError(f"gcan: {type(self).__name__} got {x.shape[-1]} blades, expected {self.n_blades}")
        sizes = x.shape[2:-1]
        kept = self.kept(sizes, x.device)
        spectrum = self.transform(x)
        for d, index in enumerate(kept):
            spectrum = spectrum.index_select(2 + d, index)
        if self.multiply:
            spectrum = self.multiplied(spectrum)
        return self.inverse(self.placed(spectrum, sizes, kept))

    def placed(self, spectrum: Tensor, sizes: Sequence[int], kept: Tuple[Tensor, ...]) -> Tensor:
        """The kept frequencies in their places, zero elsewhere. Where both halves overlap, the last one wins."""
        for d, index in enumerate(kept):
            modes, size = self.modes[d], sizes[d]
            overlap = max(0, 2 * modes - size)
            first = spectrum.narrow(2 + d, 0, modes - overlap)
            last = spectrum.narrow(2 + d, modes, modes)
            between = list(spectrum.shape)
            between[2 + d] = size - 2 * modes + overlap
            spectrum = torch.cat([first, spectrum.new_zeros(between), last], 2 + d)
        return spectrum

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, modes={self.modes}, multiply={self.multiply}"


class CliffordSpectralConv2d(_CliffordSpectralConv):
    """(batch, channels, height, width, 4).

    >>> CliffordSpectralConv2d((1, 1), 2, 3, 4, 4)(torch.randn(1, 2, 16, 16, 4)).shape
    torch.Size([1, 3, 16, 16, 4])
    """

    dimension = 2
    keeps_g = True

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        modes1: int,
        modes2: int,
        multiply: bool = True,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(g, in_channels, out_channels, (modes1, modes2), multiply, corrected)
        self.modes1, self.modes2 = modes1, modes2


class CliffordSpectralConv3d(_CliffordSpectralConv):
    """(batch, channels, depth, height, width, 8).

    The released layer takes the frequencies (last, first, last) from (first, first, last) of what it computed;
    ``corrected=True`` takes the right ones.

    >>> CliffordSpectralConv3d((1, 1, 1), 1, 2, 2, 2, 2)(torch.randn(1, 1, 8, 8, 8, 8)).shape
    torch.Size([1, 2, 8, 8, 8, 8])
    """

    dimension = 3
    keeps_g = False

    def __init__(
        self,
        g: Sequence[float],
        in_channels: int,
        out_channels: int,
        modes1: int,
        modes2: int,
        modes3: int,
        multiply: bool = True,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__(g, in_channels, out_channels, (modes1, modes2, modes3), multiply, corrected)
        self.modes1, self.modes2, self.modes3 = modes1, modes2, modes3

    def placed(self, spectrum: Tensor, sizes: Sequence[int], kept: Tuple[Tensor, ...]) -> Tensor:
        if not self.corrected:
            m1, m2, m3 = self.modes
            spectrum = spectrum.clone()
            spectrum[:, :, m1:, :m2, m3:] = spectrum[:, :, :m1, :m2, m3:].clone()
        return super().placed(spectrum, sizes, kept)
