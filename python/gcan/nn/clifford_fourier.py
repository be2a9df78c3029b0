"""Clifford Fourier transforms, and convolutions by products in their spectrum (Brandstetter et al. 2022). Blades
follow the channels: (N, channels, blades, space...)."""

from __future__ import annotations

from functools import lru_cache
from typing import Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import Algebra, AlgebraLike, Multivector
from gcan.nn.convolution import Device, Size, each, placed

__all__ = [
    "CliffordSpectralConv1d",
    "CliffordSpectralConv2d",
    "CliffordSpectralConv3d",
    "clifford_fourier",
    "inverse_clifford_fourier",
]


@lru_cache(maxsize=None)
def _dual_signs(algebra: Algebra) -> Tuple[float, ...]:
    """For each blade of the first half, the sign of its product with the pseudoscalar I; ValueError unless I I = -1."""
    *_, last = algebra.blades()
    unit = Multivector(torch.ones(1), algebra, [last])
    if (unit * unit).on([0]).values.item() != -1:
        raise ValueError(f"gcan: a Clifford Fourier transform needs a pseudoscalar that squares to -1, which {algebra} has not")
    count = 1 << algebra.dimension
    images = (Multivector(torch.eye(count), algebra) * unit).on(algebra.blades()).values
    return tuple(images.flip(1).diagonal()[: count // 2].tolist())


def _factors(signs: Sequence[float], like: Tensor) -> Tensor:
    return torch.tensor(signs, dtype=like.dtype, device=like.device).view(-1, *(1,) * (like.dim() - 3))


def _complex(x: Tensor, signs: Sequence[float]) -> Tensor:
    """Blade i of the first half is the real part of a number; its dual, the i-th from the end, the imaginary part."""
    half = x.shape[2] // 2
    return torch.complex(x[:, :, :half].contiguous(), x[:, :, half:].flip(2) * _factors(signs, x))


def _blades(z: Tensor, signs: Sequence[float]) -> Tensor:
    return torch.cat((z.real, (z.imag * _factors(signs, z.real)).flip(2)), 2)


def _transform(x: Tensor, signs: Sequence[float]) -> Tensor:
    return _blades(torch.fft.fftn(_complex(x, signs), dim=tuple(range(3, x.dim()))), signs)


def _inverse(spectrum: Tensor, signs: Sequence[float]) -> Tensor:
    return _blades(torch.fft.ifftn(_complex(spectrum, signs), dim=tuple(range(3, spectrum.dim()))), signs)


def _field_signs(name: str, algebra: AlgebraLike, x: Tensor) -> Tuple[float, ...]:
    own = Algebra.of(algebra)
    if x.dim() < 4 or x.shape[2] != 1 << own.dimension:
        raise ValueError(
            f"gcan: {name}() got a tensor of shape {tuple(x.shape)}, expected (*, *, {1 << own.dimension}, space...)"
        )
    return _dual_signs(own)


def clifford_fourier(algebra: AlgebraLike, x: Tensor) -> Tensor:
    """The Fourier transform whose imaginary unit is the pseudoscalar I of the algebra, which must square to -1 as in
    G(0,1,0), G(2,0,0), G(0,2,0) and G(3,0,0): sum_p x(p) exp(-I 2 pi (k_1 p_1 / n_1 + ...)) over the grid of x
    (N, channels, blades, space...).

    >>> x = torch.zeros(1, 1, 4, 8)
    >>> x[..., 0, :] = torch.cos(2 * torch.pi * torch.arange(8) / 8)
    >>> clifford_fourier((2, 0, 0), x)[0, 0, 0].round().abs()  # frequencies 1 and -1
    tensor([0., 4., 0., 0., 0., 0., 0., 4.])
    """
    return _transform(x, _field_signs("clifford_fourier", algebra, x))


def inverse_clifford_fourier(algebra: AlgebraLike, spectrum: Tensor) -> Tensor:
    """The inverse of clifford_fourier().

    >>> x = torch.randn(2, 3, 8, 6, 5)
    >>> torch.allclose(inverse_clifford_fourier((3, 0, 0), clifford_fourier((3, 0, 0), x)), x, atol=1e-5)
    True
    """
    return _inverse(spectrum, _field_signs("inverse_clifford_fourier", algebra, spectrum))


class _CliffordSpectralConv(nn.Module):
    _dimensions = 2
    weight: Optional[Tensor]

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        modes: Size,
        multiply: bool = True,
        released: bool = False,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.algebra, self.in_channels, self.out_channels = Algebra.of(algebra), int(in_channels), int(out_channels)
        self.modes, self.multiply, self.released = each(modes, self._dimensions, "modes", 1), multiply, released
        if min(self.in_channels, self.out_channels) < 1:
            raise ValueError(f"gcan: {name} needs at least one input and one output channel")
        if not multiply and in_channels != out_channels:
            raise ValueError(f"gcan: {name} has no weights, and so needs as many output as input channels")
        self.blades = 1 << self.algebra.dimension
        self._signs = (1.0,) * (self.blades // 2) if released else _dual_signs(self.algebra)
        sizes = (self.out_channels, self.in_channels, self.blades, *(2 * m for m in self.modes))
        self.register_parameter("weight", nn.Parameter(torch.empty(sizes)) if multiply else None)
        self.reset_parameters()
        placed(self, device, dtype)

    def reset_parameters(self) -> None:
        if self.weight is not None:
            nn.init.uniform_(self.weight, 0, 1 / (self.in_channels * self.out_channels))

    def _check(self, x: Tensor) -> None:
        d = self._dimensions
        if x.dim() != d + 3 or tuple(x.shape[1:3]) != (self.in_channels, self.blades):
            raise ValueError(
                f"gcan: {type(self).__name__} got a tensor of shape {tuple(x.shape)}, expected (*, {self.in_channels}, "
                f"{self.blades}{', *' * d})"
            )
        if any(modes > points for modes, points in zip(self.modes, x.shape[3:])):
            raise ValueError(
                f"gcan: {type(self).__name__} with {self.modes} modes got a grid of {tuple(x.shape[3:])} points, expected "
                "at least as many points as modes along each dimension"
            )

    def forward(self, x: Tensor) -> Tensor:
        self._check(x)
        spectrum = _transform(x.float() if x.dtype in (torch.half, torch.bfloat16) else x, self._signs)
        for dim, modes in enumerate(self.modes, 3):
            ends = (spectrum.narrow(dim, 0, modes), spectrum.narrow(dim, spectrum.shape[dim] - modes, modes))
            spectrum = torch.cat(ends, dim)
        if self.weight is not None:
            spectrum = self._multiplied(spectrum, self.weight)
        return _inverse(self._placed(spectrum, x.shape[3:]), self._signs).to(x.dtype)

    def _multiplied(self, spectrum: Tensor, weight: Tensor) -> Tensor:
        # (out * blades, in * blades, frequencies): one matrix per frequency.
        kernel = ops.clifford_kernel(weight.to(spectrum.dtype), self.algebra.signature).flatten(2)
        y = torch.einsum("nqm,pqm->npm", spectrum.flatten(1, 2).flatten(2), kernel)
        return y.reshape(spectrum.shape[0], self.out_channels, self.blades, *spectrum.shape[3:])

    def _placed(self, spectrum: Tensor, space: Sequence[int]) -> Tensor:
        """The kept frequencies in their places, zero elsewhere; where both halves overlap, the negative ones win."""
        for dim, (modes, points) in enumerate(zip(self.modes, space), 3):
            overlap = max(0, 2 * modes - points)
            between = list(spectrum.shape)
            between[dim] = points - 2 * modes + overlap
            parts = (spectrum.narrow(dim, 0, modes - overlap), spectrum.new_zeros(between), spectrum.narrow(dim, modes, modes))
            spectrum = torch.cat(parts, dim)
        return spectrum

    def extra_repr(self) -> str:
        text = f"{self.algebra}, {self.in_channels}, {self.out_channels}, modes={self.modes}"
        text += "" if self.multiply else ", multiply=False"
        return text + (", released=True" if self.released else "")


class CliffordSpectralConv1d(_CliffordSpectralConv):
    """A convolution as wide as the grid, computed in the spectrum: the lowest `modes` frequencies of each sign of the
    Clifford Fourier transform are each multiplied by their own multivector, the others are set to zero. x is
    (N, in, blades, L). `multiply=False` only cuts frequencies; `released=True` pairs blades without their signs, for
    any algebra.

    >>> CliffordSpectralConv1d((0, 1, 0), 2, 4, 3)(torch.randn(1, 2, 2, 16)).shape
    torch.Size([1, 4, 2, 16])
    """

    _dimensions = 1


class CliffordSpectralConv2d(_CliffordSpectralConv):
    """The same in two dimensions, x (N, in, blades, H, W).

    >>> CliffordSpectralConv2d((2, 0, 0), 2, 4, 3)(torch.randn(1, 2, 4, 16, 16)).shape
    torch.Size([1, 4, 4, 16, 16])
    """

    _dimensions = 2


class CliffordSpectralConv3d(_CliffordSpectralConv):
    """The same in three dimensions, x (N, in, blades, D, H, W). The released layer uses the result of the
    frequencies (+, +, -) for (-, +, -) too.

    >>> CliffordSpectralConv3d((3, 0, 0), 1, 2, (2, 1, 2))(torch.randn(1, 1, 8, 6, 5, 4)).shape
    torch.Size([1, 2, 8, 6, 5, 4])
    """

    _dimensions = 3

    def _placed(self, spectrum: Tensor, space: Sequence[int]) -> Tensor:
        if self.released:
            m1, m2, m3 = self.modes
            front = spectrum[:, :, :, :m1, :m2, m3:]
            low = torch.cat((front, front), 3)  # both signs of the first dimension
            high = torch.cat((spectrum[..., :m2, :m3], low), 5)
            spectrum = torch.cat((high, spectrum[..., m2:, :]), 4)
        return super()._placed(spectrum, space)
