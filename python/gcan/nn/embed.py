"""Conversion between coordinates and blades."""

from __future__ import annotations

from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import Algebra, AlgebraLike
from gcan.nn.norm import chosen

__all__ = ["Embed", "Extract"]

OBJECTS = ("scalar", "vector", "point", "direction", "line", "plane", "motor")
LAYOUTS = ("meet", "paper", "paper_reversed")


class _Embedding(nn.Module):
    def __init__(
        self, algebra: AlgebraLike, object: str, weight: bool = True, layout: str = "meet", dim: int = 2  # noqa: A002
    ) -> None:
        super().__init__()
        self.algebra, self.object, self.weight, self.layout, self.dim = Algebra.of(algebra), object, weight, layout, dim
        self._numbers = (chosen("object", object, OBJECTS), bool(weight), chosen("layout", layout, LAYOUTS))
        *blades, coordinates = ops.embedded_blades(list(self.algebra.signature), *self._numbers)
        self.blades = tuple(blades)
        self.coordinates = coordinates

    def extra_repr(self) -> str:
        return f"{self.algebra}, {self.object!r}, {' '.join(self.algebra.names(self.blades))}"


class Embed(_Embedding):
    """Coordinates to blades, (N, channels, coordinates, space...) -> (N, channels, blades, space...). The objects are
    scalar, vector, point, direction, line, plane and motor (a quaternion and a translation). `weight=False` omits
    the homogeneous weight of points, which GcaLinear has itself.

    >>> import torch
    >>> Embed((3, 0, 1), "point")(torch.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[-3.,  2., -1.,  1.]]])
    """

    def forward(self, x: Tensor) -> Tensor:
        return ops.embed(x, self.algebra.signature, *self._numbers, self.dim)


class Extract(_Embedding):
    """The inverse of Embed.

    >>> import torch
    >>> x = torch.randn(8, 4, 7)
    >>> x[..., :4] /= x[..., :4].norm(dim=-1, keepdim=True)
    >>> torch.allclose(Extract((3, 0, 1), "motor")(Embed((3, 0, 1), "motor")(x)), x, atol=1e-5)
    True
    """

    def forward(self, x: Tensor) -> Tensor:
        return ops.extract(x, self.algebra.signature, *self._numbers, self.dim)
