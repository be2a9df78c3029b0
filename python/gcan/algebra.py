"""Geometric algebra G(p, q, r) on tensors, with gradients, for any signature.

Blades are numbers whose bits are their basis vectors: in G(3,0,1) bit 0 is e0, which squares to 0, bits 1 to 3 are e1
to e3. Null vectors come first, then positive, then negative ones.

>>> import torch
>>> from gcan.algebra import Algebra, Multivector, exp
>>> g3 = Algebra(3)
>>> rotor = exp(g3.vector([0.0, 0.0, -torch.pi / 4], grade=2).permuted(["e23", "e13", "e12"]))
>>> e1 = g3.vector([1.0, 0.0, 0.0], grade=1)
>>> rotor.sandwich(e1).values.round(decimals=3).abs()
tensor([0., 1., 0.])
"""

from __future__ import annotations

from functools import lru_cache
from typing import List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

from gcan._library import ops

__all__ = [
    "Algebra",
    "AlgebraLike",
    "Multivector",
    "commutator",
    "dual",
    "exp",
    "geometric",
    "inner",
    "inverse",
    "left_contraction",
    "log",
    "norm",
    "normalized",
    "outer",
    "regressive",
    "reverse",
    "right_contraction",
    "sandwich",
    "scalar_product",
    "undual",
]

AlgebraLike = Union["Algebra", Sequence[int], str]
Blades = Union[Sequence[int], Sequence[str]]

_PRODUCTS = ("geometric", "outer", "left_contraction", "right_contraction", "inner", "scalar", "commutator", "regressive")


@lru_cache(maxsize=None)
def _blades(signature: Tuple[int, int, int], grade: int) -> Tuple[int, ...]:
    return tuple(ops.blades(list(signature), grade))


class Algebra:
    """G(p, q, r): p basis vectors with square 1, q with -1, r with 0.

    >>> pga = Algebra(3, 0, 1)
    >>> pga.names(pga.points())
    ['e012', 'e013', 'e023']
    >>> Algebra.of("2,0,1") == Algebra(2, 0, 1)
    True
    """

    __slots__ = ("p", "q", "r")

    def __init__(self, p: int, q: int = 0, r: int = 0) -> None:
        self.p, self.q, self.r = int(p), int(q), int(r)
        if min(self.p, self.q, self.r) < 0 or self.dimension > 12:
            raise ValueError(f"gcan: {self} is not an algebra: p, q and r are at least 0 and at most 12 in all")

    @classmethod
    def of(cls, algebra: AlgebraLike) -> "Algebra":
        """An algebra, its signature (3, 0, 1), or text such as "3,0,1"."""
        if isinstance(algebra, Algebra):
            return algebra
        numbers = algebra.split(",") if isinstance(algebra, str) else algebra
        return cls(*(int(number) for number in numbers))

    @property
    def signature(self) -> Tuple[int, int, int]:
        return (self.p, self.q, self.r)

    @property
    def dimension(self) -> int:
        return self.p + self.q + self.r

    def blades(self, grade: Optional[int] = None) -> Tuple[int, ...]:
        """All blades, or those of one grade, by grade and then by their indices."""
        if grade is not None and not 0 <= grade <= self.dimension:
            return ()
        return _blades(self.signature, -1 if grade is None else grade)

    def even_blades(self) -> Tuple[int, ...]:
        return _blades(self.signature, -2)

    def points(self) -> Tuple[int, ...]:
        """The blades of points in a projective algebra, without their weight."""
        if self.r != 1:
            raise ValueError(f"gcan: {self} is not projective: points need r = 1")
        return tuple(blade for blade in self.blades(self.dimension - 1) if blade & 1)

    def default_objects(self) -> Tuple[int, ...]:
        """The blades that layers store by default: points if r = 1, otherwise vectors."""
        return self.points() if self.r == 1 else self.blades(1)

    def name(self, blade: int) -> str:
        return ops.blade_name(list(self.signature), blade)

    def names(self, blades: Sequence[int]) -> List[str]:
        return [self.name(blade) for blade in blades]

    def blade(self, name: Union[str, int]) -> int:
        """The number of a blade by its name, in the order of its indices: "e12", not "e21"."""
        if isinstance(name, int):
            return name
        number, sign = ops.blade_named(list(self.signature), name)
        if sign != 1:
            raise ValueError(f"gcan: the indices of {name} are not in order; it is -{self.name(number)}")
        return int(number)

    def numbers(self, blades: Blades) -> Tuple[int, ...]:
        """Blades by number from names or numbers."""
        return tuple(self.blade(blade) for blade in blades)

    def vector(self, values: Union[Tensor, Sequence[float]], grade: int = 1, dim: int = -1) -> "Multivector":
        """The k-vector with these components.

        >>> Algebra(2).vector([3.0, 4.0]).norm()
        tensor([5.])
        """
        return Multivector(torch.as_tensor(values), self, self.blades(grade), dim)

    def __repr__(self) -> str:
        return f"G({self.p},{self.q},{self.r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algebra) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __reduce__(self) -> Tuple[type, Tuple[int, int, int]]:
        return (Algebra, self.signature)


@lru_cache(maxsize=4096)
def _product_blades(kind: int, signature: Tuple[int, ...], left: Tuple[int, ...], right: Tuple[int, ...]) -> Tuple[int, ...]:
    return tuple(ops.product_blades(kind, list(signature), list(left), list(right)))


class Multivector:
    """Multivectors in a tensor, one of whose dimensions runs over a list of blades; the others are batch dimensions
    and broadcast. `*` is the geometric product, `^` the outer, `|` the inner, `&` the regressive one, `~` the reverse.

    >>> pga = Algebra(3, 0, 1)
    >>> a = Multivector(torch.randn(5, 4), pga, pga.blades(1))
    >>> b = Multivector(torch.randn(4), pga, pga.blades(1))
    >>> (a ^ b).blades == pga.blades(2), (a * b).values.shape
    (True, torch.Size([5, 7]))
    """

    __slots__ = ("values", "algebra", "blades", "dim")

    def __init__(self, values: Tensor, algebra: AlgebraLike, blades: Optional[Blades] = None, dim: int = -1) -> None:
        self.algebra = Algebra.of(algebra)
        self.blades = self.algebra.blades() if blades is None else self.algebra.numbers(blades)
        self.values = values
        self.dim = dim if dim < 0 else dim - values.dim()
        if values.shape[self.dim] != len(self.blades):
            raise ValueError(
                f"gcan: a tensor of shape {tuple(values.shape)} has {values.shape[self.dim]} numbers along dimension "
                f"{dim}, expected {len(self.blades)} blades"
            )

    def __repr__(self) -> str:
        return f"Multivector({self.algebra}, {' '.join(self.algebra.names(self.blades))}, {self.values})"

    def _like(self, values: Tensor, blades: Sequence[int]) -> "Multivector":
        return Multivector(values, self.algebra, blades, self.dim)

    def _check(self, other: "Multivector") -> None:
        if self.algebra != other.algebra or self.dim != other.dim:
            raise ValueError(
                f"gcan: multivectors of {self.algebra} with blades at {self.dim} and of {other.algebra} with blades at "
                f"{other.dim} do not go together"
            )

    def product(self, other: "Multivector", kind: str = "geometric", blades: Optional[Blades] = None) -> "Multivector":
        """A product by name, on all blades that it can have or on the given ones."""
        self._check(other)
        if kind not in _PRODUCTS:
            raise ValueError(f"gcan: there is no product {kind!r}; there are {', '.join(_PRODUCTS)}")
        number = _PRODUCTS.index(kind)
        signature = self.algebra.signature
        result = (
            _product_blades(number, signature, self.blades, other.blades)
            if blades is None
            else self.algebra.numbers(blades)
        )
        values = ops.product(
            self.values, other.values, number, signature, self.blades, other.blades, result, self.dim
        )
        return self._like(values, result)

    def __mul__(self, other: Union["Multivector", Tensor, float]) -> "Multivector":
        if isinstance(other, Multivector):
            return self.product(other)
        return self._like(self.values * other, self.blades)

    def __rmul__(self, other: Union[Tensor, float]) -> "Multivector":
        return self._like(self.values * other, self.blades)

    def __truediv__(self, other: Union[Tensor, float]) -> "Multivector":
        return self._like(self.values / other, self.blades)

    def __neg__(self) -> "Multivector":
        return self._like(-self.values, self.blades)

    def __xor__(self, other: "Multivector") -> "Multivector":
        return self.product(other, "outer")

    def __or__(self, other: "Multivector") -> "Multivector":
        return self.product(other, "inner")

    def __and__(self, other: "Multivector") -> "Multivector":
        return self.product(other, "regressive")

    def __invert__(self) -> "Multivector":
        return reverse(self)

    def __add__(self, other: "Multivector") -> "Multivector":
        self._check(other)
        every = self.algebra.blades()
        both = [blade for blade in every if blade in self.blades or blade in other.blades]
        return self._like(self.on(both).values + other.on(both).values, both)

    def __sub__(self, other: "Multivector") -> "Multivector":
        return self + (-other)

    def on(self, blades: Blades) -> "Multivector":
        """The same multivector on another list of blades: new blades are zero, blades that are not listed are dropped.

        >>> Algebra(2).vector([1.0, 2.0]).on(["1", "e2"]).values
        tensor([0., 2.])
        """
        wanted = self.algebra.numbers(blades)
        if wanted == self.blades:
            return self
        parts = self.values.unbind(self.dim)
        shape = list(self.values.shape)
        del shape[self.dim]
        zero = self.values.new_zeros(shape)
        kept = [parts[self.blades.index(blade)] if blade in self.blades else zero for blade in wanted]
        dim = self.dim if self.dim < 0 else self.dim - self.values.dim()
        return self._like(torch.stack(kept, dim), wanted)

    def permuted(self, names: Sequence[str]) -> "Multivector":
        """The same values as components of these blades, in the canonical order of the algebra."""
        given = self.algebra.numbers(names)
        return self._like(self.values, given).on([blade for blade in self.algebra.blades() if blade in given])

    def grade(self, k: int) -> "Multivector":
        return self.on([blade for blade in self.blades if bin(blade).count("1") == k])

    def coefficient(self, blade: Union[str, int]) -> Tensor:
        """The components on one blade.

        >>> Algebra(2).vector([1.0, 2.0]).coefficient("e2")
        tensor(2.)
        """
        return self.on([self.algebra.blade(blade)]).values.squeeze(self.dim)

    def norm(self) -> Tensor:
        return norm(self)

    def sandwich(self, x: "Multivector", blades: Optional[Blades] = None) -> "Multivector":
        return sandwich(self, x, blades)


def geometric(a: Multivector, b: Multivector) -> Multivector:
    """The geometric product.

    >>> g2 = Algebra(2)
    >>> geometric(g2.vector([1.0, 0.0]), g2.vector([0.0, 1.0])).coefficient("e12")
    tensor(1.)
    """
    return a.product(b)


def outer(a: Multivector, b: Multivector) -> Multivector:
    """The outer product, also `a ^ b`.

    >>> g2 = Algebra(2)
    >>> outer(g2.vector([1.0, 2.0]), g2.vector([1.0, 2.0])).values
    tensor([0.])
    """
    return a.product(b, "outer")


def inner(a: Multivector, b: Multivector) -> Multivector:
    """The inner product, also `a | b`.

    >>> inner(Algebra(2).vector([1.0, 2.0]), Algebra(2).vector([3.0, 4.0])).values
    tensor([11.])
    """
    return a.product(b, "inner")


def left_contraction(a: Multivector, b: Multivector) -> Multivector:
    """a onto b.

    >>> g2 = Algebra(2)
    >>> left_contraction(g2.vector([1.0, 0.0]), g2.vector([1.0], grade=2)).values
    tensor([0., 1.])
    """
    return a.product(b, "left_contraction")


def right_contraction(a: Multivector, b: Multivector) -> Multivector:
    """a by b.

    >>> g2 = Algebra(2)
    >>> right_contraction(g2.vector([1.0], grade=2), g2.vector([0.0, 1.0])).values
    tensor([1., 0.])
    """
    return a.product(b, "right_contraction")


def scalar_product(a: Multivector, b: Multivector) -> Multivector:
    """The scalar part of the geometric product.

    >>> scalar_product(Algebra(2).vector([1.0, 2.0]), Algebra(2).vector([1.0, 1.0])).values
    tensor([3.])
    """
    return a.product(b, "scalar")


def commutator(a: Multivector, b: Multivector) -> Multivector:
    """(a b - b a) / 2.

    >>> g3 = Algebra(3)
    >>> commutator(g3.vector([1.0, 0.0, 0.0], grade=2), g3.vector([1.0, 0.0, 0.0])).coefficient("e2")
    tensor(-1.)
    """
    return a.product(b, "commutator")


def regressive(a: Multivector, b: Multivector) -> Multivector:
    """undual(dual(a) ^ dual(b)), as if no vector squared to -1; also `a & b`: the join of points in projective geometry.

    >>> pga = Algebra(2, 0, 1)
    >>> regressive(pga.vector(torch.ones(3), grade=2), pga.vector(torch.ones(3), grade=2)).values
    tensor([0., 0., 0.])
    """
    return a.product(b, "regressive")


def _of_one(name: str, x: Multivector, result: Sequence[int]) -> Multivector:
    values = getattr(ops, name)(x.values, x.algebra.signature, x.blades, list(result), x.dim)
    return x._like(values, result)


def reverse(x: Multivector) -> Multivector:
    """~x: the products of vectors in reverse order.

    >>> (~Algebra(2).vector([1.0], grade=2)).values
    tensor([-1.])
    """
    return _of_one("reverse", x, x.blades)


def dual(x: Multivector) -> Multivector:
    """The Hodge dual, one-to-one for r > 0 too.

    >>> dual(Algebra(3).vector([1.0, 0.0, 0.0])).coefficient("e23")
    tensor(1.)
    """
    full = (1 << x.algebra.dimension) - 1
    images = {full ^ blade for blade in x.blades}
    return _of_one("dual", x, [blade for blade in x.algebra.blades() if blade in images])


def undual(x: Multivector) -> Multivector:
    """The inverse of dual().

    >>> pga = Algebra(3, 0, 1)
    >>> x = pga.vector(torch.randn(6), grade=2)
    >>> torch.allclose(undual(dual(x)).values, x.values)
    True
    """
    full = (1 << x.algebra.dimension) - 1
    images = {full ^ blade for blade in x.blades}
    return _of_one("undual", x, [blade for blade in x.algebra.blades() if blade in images])


def norm(x: Multivector) -> Tensor:
    """sqrt(|<x ~x>|), of size 1 along the blades; the gradient at 0 is defined as 0.

    >>> norm(Algebra(3).vector([2.0, 3.0, 6.0]))
    tensor([7.])
    """
    return ops.versor_norm(x.values, x.algebra.signature, x.blades, x.dim)


def _closure(x: Multivector) -> Tuple[int, ...]:
    """All blades of the even or of the odd grades, because x is a versor."""
    odd = bin(x.blades[0]).count("1") % 2 if x.blades else 0
    return tuple(blade for blade in x.algebra.blades() if bin(blade).count("1") % 2 == odd)


def inverse(versor: Multivector) -> Multivector:
    """Of even or odd products of vectors, scaled or not.

    >>> v = Algebra(3).vector(torch.tensor([1.0, 2.0, 2.0]))
    >>> (v * inverse(v)).coefficient("1")
    tensor(1.)
    """
    return _of_one("inverse", versor, versor.blades if versor.algebra.r == 0 else _closure(versor))


def normalized(versor: Multivector) -> Multivector:
    """The versor of size 1.

    >>> normalized(Algebra(3).vector([0.0, 3.0, 4.0])).values
    tensor([0.0000, 0.6000, 0.8000])
    """
    return _of_one("normalized", versor, versor.blades if versor.algebra.r == 0 else _closure(versor))


def sandwich(versor: Multivector, x: Multivector, blades: Optional[Blades] = None) -> Multivector:
    """The action of an even or odd versor, v x v^-1 with the sign of reflections, on all blades of the grades of x or
    on given ones.

    >>> g2 = Algebra(2)
    >>> sandwich(g2.vector([1.0, 0.0]), g2.vector([3.0, 4.0])).values
    tensor([-3.,  4.])
    """
    versor._check(x)
    if blades is None:
        grades = {bin(blade).count("1") for blade in x.blades}
        result = tuple(blade for blade in x.algebra.blades() if bin(blade).count("1") in grades)
    else:
        result = x.algebra.numbers(blades)
    values = ops.sandwich(
        versor.values, x.values, x.algebra.signature, versor.blades, x.blades, result, x.dim
    )
    return x._like(values, result)


def exp(bivector: Multivector) -> Multivector:
    """The even versor exp(b) of a bivector.

    >>> g2 = Algebra(2)
    >>> exp(g2.vector([torch.pi / 2], grade=2)).coefficient("e12")
    tensor(1.)
    """
    return _of_one("exp", bivector, bivector.algebra.even_blades())


def log(versor: Multivector) -> Multivector:
    """The bivector of the smallest angles whose exp() is the even versor, up to the versor's size. Up to three dimensions
    and in G(2,0,1) and G(3,0,1) there is a closed form; other versors are taken one by one, on the CPU.

    >>> g3 = Algebra(3)
    >>> b = g3.vector([0.3, 0.1, -0.2], grade=2)
    >>> torch.allclose(log(exp(b)).values, b.values)
    True
    """
    return _of_one("log", versor, versor.algebra.blades(2))
