"""gcan.algebra against multiplication tables made in another way, by laws, and in derivatives, for many signatures."""

import math
from typing import Callable, Dict, List, Tuple

import pytest
import torch

from gcan import algebra as ga
from gcan.algebra import Algebra, Multivector, exp, log
from gcan.cayley import cayley

SIGNATURES = [(2, 0, 0), (0, 2, 0), (3, 0, 0), (0, 3, 0), (1, 1, 1), (2, 0, 1), (3, 0, 1), (1, 3, 0), (4, 1, 0), (1, 0, 2)]
every_signature = pytest.mark.parametrize("signature", SIGNATURES, ids=lambda s: "".join(map(str, s)))

TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])

# Which grades of the geometric product of an a- and a b-vector are in a product.
GRADES: Dict[str, Callable[[int, int, int], bool]] = {
    "geometric": lambda grade, a, b: True,
    "outer": lambda grade, a, b: grade == a + b,
    "left_contraction": lambda grade, a, b: grade == b - a,
    "right_contraction": lambda grade, a, b: grade == a - b,
    "inner": lambda grade, a, b: grade == abs(a - b),
    "scalar": lambda grade, a, b: grade == 0,
}


def metric_of(signature: Tuple[int, int, int]) -> List[int]:
    p, q, r = signature
    return [0] * r + [1] * p + [-1] * q


def grade(blade: int) -> int:
    return bin(blade).count("1")


def random(algebra: Algebra, blades=None, *batch: int) -> Multivector:
    blades = algebra.blades() if blades is None else blades
    return Multivector(torch.randn(*(batch or (3,)), len(blades), dtype=torch.float64), algebra, blades)


def some(algebra: Algebra) -> List[int]:
    """Some blades in some order."""
    blades = algebra.blades()
    return [blades[i] for i in torch.randperm(len(blades))[: max(2, len(blades) * 2 // 3)].tolist()]


def whole(x: Multivector) -> torch.Tensor:
    return x.on(x.algebra.blades()).values


def table_product(a: torch.Tensor, b: torch.Tensor, signature: Tuple[int, int, int], kind: str = "geometric") -> torch.Tensor:
    """On all blades, by a dense table."""
    table = cayley(metric_of(signature))
    grades = [grade(blade) for blade in Algebra(*signature).blades()]
    keep = torch.tensor([[[GRADES[kind](j, i, k) for k in grades] for j in grades] for i in grades])
    return torch.einsum("...i,ijk,...k->...j", a, table * keep, b)


def versor(algebra: Algebra, odd: bool = False) -> Multivector:
    """A product of two or three vectors that are far from null ones, the same three times scaled."""
    factors: List[Multivector] = []
    while len(factors) < 2 + odd:
        v = random(algebra, algebra.blades(1), 1)
        if v.norm().item() > 0.5:
            factors.append(v)
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result * torch.tensor([[1.0], [0.5], [3.0]], dtype=torch.float64)


@every_signature
@pytest.mark.parametrize("kind", GRADES)
def test_products_are_those_of_the_table(signature: tuple, kind: str) -> None:
    algebra = Algebra(*signature)
    a, b = random(algebra, some(algebra)), random(algebra, some(algebra))
    expected = table_product(whole(a), whole(b), signature, kind)
    torch.testing.assert_close(whole(a.product(b, kind)), expected)
    wanted = some(algebra)
    places = [algebra.blades().index(blade) for blade in wanted]
    torch.testing.assert_close(a.product(b, kind, wanted).values, expected[..., places])


@every_signature
def test_commutators_and_regressive_products_are_made_of_others(signature: tuple) -> None:
    algebra = Algebra(*signature)
    a, b = random(algebra), random(algebra)
    torch.testing.assert_close(whole(ga.commutator(a, b)), whole((a * b - b * a) / 2))
    # The metric's signs are in the duals, but not in the regressive product.
    joined = ga.undual(ga.dual(a) ^ ga.dual(b)) * (-1.0) ** algebra.q
    torch.testing.assert_close(whole(a & b), whole(joined))


def test_functions_and_signs_are_the_products() -> None:
    algebra = Algebra(3, 0, 1)
    a, b = random(algebra), random(algebra)
    pairs = [
        (ga.geometric(a, b), a * b, "geometric"),
        (ga.outer(a, b), a ^ b, "outer"),
        (ga.inner(a, b), a | b, "inner"),
        (ga.regressive(a, b), a & b, "regressive"),
        (ga.left_contraction(a, b), None, "left_contraction"),
        (ga.right_contraction(a, b), None, "right_contraction"),
        (ga.scalar_product(a, b), None, "scalar"),
        (ga.commutator(a, b), None, "commutator"),
    ]
    for function, sign, kind in pairs:
        expected = a.product(b, kind)
        for found in (function, sign):
            if found is not None:
                assert found.blades == expected.blades and torch.equal(found.values, expected.values)


@every_signature
def test_laws_of_products(signature: tuple) -> None:
    algebra = Algebra(*signature)
    a, b, c = random(algebra), random(algebra), random(algebra)
    torch.testing.assert_close(whole((a * b) * c), whole(a * (b * c)))
    torch.testing.assert_close(whole((a ^ b) ^ c), whole(a ^ (b ^ c)))
    torch.testing.assert_close(whole(~(a * b)), whole(~b * ~a))
    torch.testing.assert_close(whole(a * (b + c)), whole(a * b + a * c))
    torch.testing.assert_close(whole(a * (b - c) * 2.0), whole(a * b * 2.0 - 2.0 * (a * c)))


@every_signature
def test_duals_invert_and_make_pseudoscalars(signature: tuple) -> None:
    algebra = Algebra(*signature)
    x = random(algebra, some(algebra))
    torch.testing.assert_close(whole(ga.undual(ga.dual(x))), whole(x))
    torch.testing.assert_close(whole(ga.dual(ga.undual(x))), whole(x))
    # x ^ dual(x) = <x ~x> I, with null vectors counted as 1.
    squares = [
        math.prod(square or 1 for i, square in enumerate(metric_of(signature)) if blade >> i & 1) for blade in x.blades
    ]
    expected = (x.values.square() * torch.tensor(squares, dtype=torch.float64)).sum(-1)
    top = (1 << algebra.dimension) - 1
    torch.testing.assert_close((x ^ ga.dual(x)).coefficient(top), expected)


@every_signature
@pytest.mark.parametrize("odd", [False, True])
def test_versors_invert_normalise_and_act(signature: tuple, odd: bool) -> None:
    algebra = Algebra(*signature)
    v = versor(algebra, odd)
    one = torch.zeros(3, 1 << algebra.dimension, dtype=torch.float64)
    one[:, 0] = 1
    torch.testing.assert_close(whole(v * ga.inverse(v)), one, atol=1e-9, rtol=1e-9)
    unit = ga.normalized(v)
    torch.testing.assert_close(unit.norm(), torch.ones(3, 1, dtype=torch.float64))
    torch.testing.assert_close(unit.values, unit.values[:1].expand_as(unit.values))  # whatever its size
    x = random(algebra)
    by_table = table_product(table_product(whole(v), whole(x), signature), whole(ga.inverse(v)), signature)
    signs = torch.tensor([(-1.0) ** (odd * grade(blade)) for blade in algebra.blades()], dtype=torch.float64)
    torch.testing.assert_close(whole(v.sandwich(x)), by_table * signs, atol=1e-8, rtol=1e-8)
    other = versor(algebra)
    torch.testing.assert_close(whole((other * v).sandwich(x)), whole(other.sandwich(v.sandwich(x))), atol=1e-7, rtol=1e-7)


@every_signature
def test_exponentials_are_the_series_and_logarithms_undo_them(signature: tuple) -> None:
    algebra = Algebra(*signature)
    b = random(algebra, algebra.blades(2))
    b = b * (torch.tensor([[0.0], [0.4], [1.2]], dtype=torch.float64) / b.values.norm(dim=-1, keepdim=True))
    series = term = torch.eye(1 << algebra.dimension, dtype=torch.float64)[0].expand(3, -1)
    for k in range(1, 30):
        term = table_product(term, whole(b), signature) / k
        series = series + term
    torch.testing.assert_close(whole(exp(b)), series)
    torch.testing.assert_close(log(exp(b) * 1.7).on(b.blades).values, b.values, atol=1e-9, rtol=1e-9)


def functions(algebra: Algebra) -> dict:
    """Functions of multivectors near one with all blades of a kind, and what they are given."""
    bivectors, vectors = algebra.blades(2), algebra.blades(1)
    made = lambda blades: lambda values: Multivector(values, algebra, blades)  # noqa: E731
    rotor = lambda values: exp(made(bivectors)(values))  # noqa: E731
    found = {
        kind: (lambda a, b, kind=kind: made(algebra.blades())(a).product(made(algebra.blades())(b), kind), algebra.blades(), algebra.blades())
        for kind in ga._PRODUCTS
    }
    for name in ("reverse", "dual", "undual", "norm"):
        found[name] = (lambda a, f=getattr(ga, name): f(made(algebra.blades())(a)), algebra.blades())
    for name in ("inverse", "normalized"):
        found[name] = (lambda a, f=getattr(ga, name): f(rotor(a) * 1.3), bivectors)
    found["exp"] = (rotor, bivectors)
    found["log"] = (lambda a, b: log(rotor(a) * rotor(b)), bivectors, bivectors)
    found["sandwich"] = (lambda a, b: ga.sandwich(rotor(a), made(vectors)(b)), bivectors, vectors)
    found["on"] = (lambda a: made(vectors)(a).on([0, *reversed(vectors)]), vectors)
    return found


@pytest.mark.parametrize("signature", [(3, 0, 0), (1, 1, 1), (3, 0, 1), (4, 1, 0)], ids=lambda s: "".join(map(str, s)))
@pytest.mark.parametrize("name", functions(Algebra(2)))
def test_gradients_are_those_of_differences(signature: tuple, name: str) -> None:
    algebra = Algebra(*signature)
    function, *blades = functions(algebra)[name]
    inputs = tuple((0.3 * torch.randn(2, len(some), dtype=torch.float64)).requires_grad_() for some in blades)

    def values(*given: torch.Tensor) -> torch.Tensor:
        found = function(*given)
        return found.values if isinstance(found, Multivector) else found

    assert torch.autograd.gradcheck(values, inputs, atol=1e-6, fast_mode=True)
    assert torch.autograd.gradgradcheck(values, inputs, atol=1e-5, fast_mode=True)


@pytest.mark.parametrize("signature", [(3, 0, 1), (4, 1, 0)])
def test_single_precision_agrees_with_double(signature: tuple) -> None:
    algebra = Algebra(*signature)
    b, x = random(algebra, algebra.blades(2), 50) * 0.3, random(algebra, algebra.blades(1), 50)
    bs, xs = (Multivector(y.values.float(), algebra, y.blades) for y in (b, x))
    for own, its in ((exp(bs), exp(b)), (exp(bs).sandwich(xs), exp(b).sandwich(x)), (log(exp(bs)), b)):
        assert own.values.dtype == torch.float32
        torch.testing.assert_close(own.values.double(), its.values, atol=2e-5, rtol=1e-4)


def test_blades_stand_anywhere_and_batches_broadcast() -> None:
    algebra = Algebra(3)
    rotors = random(algebra, algebra.even_blades(), 4, 1)
    points = random(algebra, algebra.blades(1), 2, 1, 5)
    last = rotors.sandwich(points)
    assert last.values.shape == (2, 4, 5, 3)
    first = Multivector(rotors.values.movedim(-1, 0).unsqueeze(0), algebra, rotors.blades, 1).sandwich(
        Multivector(points.values.movedim(-1, 1), algebra, points.blades, 1)
    )
    torch.testing.assert_close(first.values.movedim(1, -1), last.values)
    none = Multivector(torch.zeros(0, 3), algebra, algebra.blades(1))
    assert (none * none).values.shape == (0, 4)


def motions(values: torch.Tensor, points: torch.Tensor, algebra: Algebra) -> torch.Tensor:
    motor = exp(Multivector(values, algebra, algebra.blades(2)))
    return torch.cat((motor.sandwich(Multivector(points, algebra, algebra.blades(1))).values, log(motor).values), -1)


@pytest.mark.parametrize("signature", [(3, 0, 1), (4, 1, 0)])
def test_traces_hold_for_other_numbers(signature: tuple) -> None:
    algebra = Algebra(*signature)
    sizes = [(3, len(algebra.blades(k))) for k in (2, 1)]
    traced = torch.jit.trace(lambda b, x: motions(b, x, algebra), tuple(0.01 * torch.randn(size) for size in sizes))
    given = tuple(0.4 * torch.randn(size) for size in sizes)
    torch.testing.assert_close(traced(*given), motions(*given, algebra))


@pytest.mark.skipif(TORCH < (2, 4), reason="torch.compile is newer")
@pytest.mark.parametrize("signature", [(3, 0, 1), (4, 1, 0)])
def test_compiles(signature: tuple) -> None:
    torch._dynamo.reset()
    algebra = Algebra(*signature)
    b = (0.3 * torch.randn(3, len(algebra.blades(2)))).requires_grad_()
    x = torch.randn(3, len(algebra.blades(1)))
    y, expected = torch.compile(motions, backend="aot_eager")(b, x, algebra), motions(b, x, algebra)
    torch.testing.assert_close(y, expected)
    own, its = (torch.autograd.grad(out.square().sum(), b)[0] for out in (y, expected))
    torch.testing.assert_close(own, its, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: Algebra(9, 9), "at most 12"),
        (lambda: Algebra(3).vector(torch.zeros(4)), "expected 3 blades"),
        (lambda: Algebra(3).blade("e21"), "it is -e12"),
        (lambda: Algebra(3).blade("e9"), "e9"),
        (lambda: Algebra(3).points(), "points need r = 1"),
        (lambda: Algebra(3).vector(torch.zeros(3)) * Algebra(2).vector(torch.zeros(2)), "do not go together"),
        (lambda: Algebra(3).vector(torch.zeros(3)).product(Algebra(3).vector(torch.zeros(3)), "cross"), "no product 'cross'"),
        (lambda: exp(Algebra(3).vector(torch.zeros(3))), "expected bivectors"),
        (lambda: log(Algebra(3).vector([1.0], grade=3)), "even"),
        (lambda: ga.sandwich(random(Algebra(2)), random(Algebra(2))), "even grades only or odd"),
        (lambda: Multivector(torch.zeros(2), (2, 0, 0), [1, 1]) * Algebra(2).vector(torch.zeros(2)), "not all different"),
    ],
)
def test_errors_say_what_was_expected(call, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=text):
        call()
