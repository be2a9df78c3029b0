"""The operators torch.ops.gcan: gradients, shapes, types, and what PyTorch does with operators."""

import copy
import functools
import inspect
import io
import pickle
import threading

import pytest
import torch
from torch import nn

import gcan.nn as gnn
from gcan._library import ops
from gcan.algebra import Algebra, Multivector, exp
from gcan.nn.convolution import Convolving

PGA, G3 = (3, 0, 1), (3, 0, 0)
TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


def layers() -> dict:
    """A small layer of each kind and the shape of its input."""
    return {
        "linear": (lambda: gnn.GcaLinear(PGA, 2, 3, bias=True), (4, 2, 3)),
        "linear exact": (lambda: gnn.GcaLinear(G3, 2, 3, inverse="exact"), (4, 2, 3)),
        "linear odd": (lambda: gnn.GcaLinear((2, 1, 0), 2, 2, actions=["e1", "e2", "e3"]), (3, 2, 3)),
        "linear all": (lambda: gnn.GcaLinear((1, 1, 1), 2, 2, objects=Algebra(1, 1, 1).blades()), (3, 2, 8)),
        "conv1d": (lambda: gnn.GcaConv1d(G3, 2, 2, 3, padding=1, padding_mode="reflect"), (2, 2, 3, 5)),
        "conv2d": (lambda: gnn.GcaConv2d(G3, 2, 4, 3, padding=1, bias=True, padding_mode=("zeros", "circular")), (1, 2, 3, 4, 5)),
        "conv2d groups": (lambda: gnn.GcaConv2d(PGA, 2, 4, (1, 3), stride=2, groups=2), (2, 2, 3, 3, 5)),
        "conv2d released": (lambda: gnn.GcaConv2d(G3, 2, 2, 3, padding=1, released=True, bias=True), (1, 2, 3, 4, 4)),
        "conv3d": (lambda: gnn.GcaConv3d(G3, 1, 2, 2, dilation=2), (1, 1, 3, 3, 3, 4)),
        "transpose1d": (lambda: gnn.GcaConvTranspose1d(G3, 2, 2, 4, stride=2, padding=1, padding_mode="circular"), (1, 2, 3, 4)),
        "transpose2d": (lambda: gnn.GcaConvTranspose2d(G3, 2, 2, 4, stride=2, padding=1, bias=True), (1, 2, 3, 3, 3)),
        "transpose2d released": (lambda: gnn.GcaConvTranspose2d(G3, 2, 1, 2, stride=2, released=True), (1, 2, 3, 2, 2)),
        "transpose3d": (lambda: gnn.GcaConvTranspose3d(G3, 1, 1, 2, stride=2, output_padding=1), (1, 1, 3, 2, 2, 2)),
        "msilu": (lambda: gnn.MSiLU((2, 0, 0), 2, objects=Algebra(2).blades()), (3, 2, 4)),
        "msilu space": (lambda: gnn.MSiLU(G3, 2, gates="channel"), (2, 2, 3, 4, 5)),
        "msilu sum": (lambda: gnn.MSiLU(G3, 2, aggregation="sum"), (3, 2, 3)),
        "norm": (lambda: gnn.GcaNorm((2, 0, 0), 4, objects=Algebra(2).blades(), groups=2, bias=True), (2, 4, 4, 3, 3)),
        "norm centred": (lambda: gnn.GcaNorm(G3, 2, divisor="mean_centred_norm", scale="channel"), (2, 2, 3, 4, 4)),
        "norm positions": (lambda: gnn.GcaNorm(G3, 4, space=False), (2, 4, 3, 5)),
        "norm released": (lambda: gnn.GcaNorm(G3, 2, released=True), (2, 2, 3, 4, 4)),
        "norm and gate": (lambda: gnn.NormMSiLU(gnn.GcaNorm(G3, 2), gnn.MSiLU(G3, 2)), (2, 2, 3, 4, 4)),
        "clifford linear": (lambda: gnn.CliffordLinear((2, 0, 0), 2, 3), (4, 2, 4)),
        "clifford conv": (lambda: gnn.CliffordConv2d((1, 1, 0), 2, 2, 3, padding=1), (1, 2, 4, 3, 4)),
        "clifford rotation": (lambda: gnn.CliffordConv2d((0, 2, 0), 2, 2, 3, padding=1, rotation=True), (1, 2, 4, 3, 3)),
        "clifford transpose": (lambda: gnn.CliffordConvTranspose2d((2, 0, 0), 2, 1, 2, stride=2), (1, 2, 4, 2, 2)),
        "clifford group norm": (lambda: gnn.CliffordGroupNorm((2, 0, 0), 2, 4), (2, 4, 4, 3, 3)),
        "embed": (lambda: gnn.Embed(PGA, "line"), (3, 2, 6)),
    }


every_layer = pytest.mark.parametrize("name", layers())


def made(name: str, dtype: torch.dtype = torch.float32):
    make, shape = layers()[name]
    layer = make().to(dtype)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return layer, torch.randn(shape, dtype=dtype)


def swapped(layer: nn.Module, parameters, x: torch.Tensor) -> torch.Tensor:
    """The layer with other parameters, as functional_call does it, on every version of PyTorch."""
    values = dict(zip(dict(layer.named_parameters()), parameters))
    if TORCH >= (2, 0):
        return torch.func.functional_call(layer, values, (x,))
    return torch.nn.utils.stateless.functional_call(layer, values, (x,))


@every_layer
def test_gradients_are_those_of_differences(name: str) -> None:
    layer, x = made(name, torch.float64)
    parameters = [parameter.detach().requires_grad_() for parameter in layer.parameters()]
    assert torch.autograd.gradcheck(
        lambda x, *given: swapped(layer, given, x), (x.requires_grad_(), *parameters), atol=1e-6, fast_mode=True
    )


@every_layer
def test_second_derivatives(name: str) -> None:
    layer, x = made(name, torch.float64)
    parameters = [parameter.detach().requires_grad_() for parameter in layer.parameters()]
    assert torch.autograd.gradgradcheck(
        lambda x, *given: swapped(layer, given, x), (x.requires_grad_(), *parameters), atol=1e-6, fast_mode=True
    )


@every_layer
def test_float_agrees_with_double(name: str) -> None:
    layer, x = made(name, torch.float64)
    single = copy.deepcopy(layer).float()
    xs = x.float().requires_grad_()
    x.requires_grad_()
    y, ys = layer(x), single(xs)
    slope = torch.randn_like(y)
    y.backward(slope)
    ys.backward(slope.float())
    torch.testing.assert_close(ys.double(), y, atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(xs.grad.double(), x.grad, atol=2e-4, rtol=1e-3)
    for own, its in zip(single.parameters(), layer.parameters()):
        torch.testing.assert_close(own.grad.double(), its.grad, atol=5e-4, rtol=1e-3)


@every_layer
def test_shapes_without_numbers(name: str) -> None:
    """On the device "meta" there are no numbers: what is left are the shapes."""
    layer, x = made(name)
    expected = layer(x).shape
    if name in ("embed", "clifford group norm"):
        return
    assert layer.to("meta")(x.to("meta")).shape == expected


@every_layer
def test_copies_and_pickles(name: str) -> None:
    layer, x = made(name)
    again = pickle.loads(pickle.dumps(layer))
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    fresh = layers()[name][0]()
    fresh.load_state_dict(torch.load(file))
    for other in (copy.deepcopy(layer), again, fresh):
        assert torch.equal(other(x), layer(x))


@every_layer
def test_traces(name: str) -> None:
    layer, x = made(name)
    layer.eval()
    traced = torch.jit.trace(layer, x, check_trace=False)
    other = torch.randn_like(x)
    torch.testing.assert_close(traced(other), layer(other))


def test_traced_programs_are_saved_and_loaded(tmp_path) -> None:
    net = nn.Sequential(gnn.GcaLinear(PGA, 1, 8), gnn.MSiLU(PGA, 8), gnn.GcaLinear(PGA, 8, 1))
    x = torch.randn(5, 1, 3)
    torch.jit.trace(net, x).save(str(tmp_path / "net.pt"))
    torch.testing.assert_close(torch.jit.load(str(tmp_path / "net.pt"))(x), net(x))


@pytest.mark.parametrize(
    "name",
    ["linear", "conv2d", "transpose1d", "transpose2d", "transpose3d", "norm", "msilu space", "norm and gate", "clifford transpose", "clifford group norm"],
)
def test_bfloat16_under_autocast(name: str) -> None:
    layer, x = made(name)
    y = layer(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        reduced = layer(x)
        assert layer(x.bfloat16()).dtype == torch.bfloat16
    if name in ("linear", "conv2d"):
        assert reduced.dtype == torch.bfloat16
    torch.testing.assert_close(reduced.float(), y, atol=0.1, rtol=0.1)
    reduced.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in layer.parameters())


def test_threads_share_layers() -> None:
    layer, x = made("conv2d")
    expected = layer(x)
    wrong = []

    def work() -> None:
        for _ in range(20):
            y = layer(x)
            y.sum().backward()
            if not torch.equal(y, expected):
                wrong.append(1)
            gnn.GcaLinear(PGA, 2, 2 + torch.randint(8, ()).item())(torch.randn(3, 2, 3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_folding_keeps_values() -> None:
    for name in layers():
        layer, x = made(name)
        y = layer(x)
        if gnn.fold(layer):
            torch.testing.assert_close(layer(x), y, atol=1e-5, rtol=1e-4)
            assert "action" not in dict(layer.named_parameters())


def test_columns_are_rows() -> None:
    layer = gnn.GcaLinear(PGA, 4, 2, bias=True)
    x = torch.randn(7, 4, 3)
    columns = layer.forward_columns(x.reshape(7, 12).t().contiguous())
    torch.testing.assert_close(columns.t().reshape(7, 2, 3), layer(x))
    # Directions get neither constants nor bias.
    part = layer.forward_columns(x.reshape(7, 12).t().contiguous(), 3)
    torch.testing.assert_close(part[:, :3], columns[:, :3])
    zero = layer.forward_columns(torch.zeros(12, 1))
    torch.testing.assert_close(part[:, 3:] + zero, columns[:, 3:])
    for double in (False, True):
        own = copy.deepcopy(layer).double() if double else layer
        given = torch.randn(6, 5, dtype=own.weight.dtype, requires_grad=True)
        split = own.forward_columns(given, 4, 3.0, 2)
        grads = torch.autograd.grad(split.square().sum(), (given, *own.parameters()))
        own_folded = copy.deepcopy(own)
        own_folded.fold()
        again = own_folded.forward_columns(given, 4, 3.0, 2)
        torch.testing.assert_close(again, split)
        torch.testing.assert_close(torch.autograd.grad(again.square().sum(), given)[0], grads[0], atol=1e-4, rtol=1e-4)


CONVOLUTIONS = [name for name in layers() if name.startswith(("conv", "transpose", "clifford conv", "clifford transpose"))]


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_add_a_tensor(name: str, wanted: bool) -> None:
    """And compute, in one call, what the operators of the kernel and of the convolution do."""
    layer, x = made(name, torch.float64)
    x.requires_grad_(wanted)
    add = torch.randn_like(layer(x)).requires_grad_(wanted)
    inputs = [x, add, *layer.parameters()] if wanted else list(layer.parameters())
    results = []
    for y in (layer(x, add), Convolving.forward(layer, x) + add):
        gradients = torch.autograd.grad(y.sin().sum(), inputs)
        results.append((y, *gradients))
    for own, its in zip(*results):
        torch.testing.assert_close(own, its, rtol=1e-11, atol=1e-11)
    with torch.no_grad():
        torch.testing.assert_close(layer(x, add), results[0][0], rtol=1e-11, atol=1e-11)


def test_a_tensor_to_add_of_another_shape_is_refused() -> None:
    layer, x = made("conv2d")
    with pytest.raises(RuntimeError, match=r"shape \(1, 4, 3, 1, 1\) to add, which is not its result's"):
        layer(x, torch.zeros(1, 4, 3, 1, 1))


def test_equivariance() -> None:
    """A layer with one shared action commutes with no rotation in general, but maps vectors to vectors: a k-vector's
    image under the layer of a rotated action is the rotated image."""
    g3 = Algebra(3)
    rotor = exp(g3.vector(torch.randn(3, dtype=torch.float64), grade=2))
    layer = gnn.GcaLinear(G3, 2, 2).double()
    turned = copy.deepcopy(layer)
    with torch.no_grad():
        action = Multivector(layer.action.movedim(0, -1), g3, layer.actions)
        turned.action.copy_((rotor * action * ~rotor).on(layer.actions).values.movedim(-1, 0))
    x = torch.randn(5, 2, 3, dtype=torch.float64)
    moved = rotor.sandwich(Multivector(x, g3, g3.blades(1)), g3.blades(1)).values
    image = rotor.sandwich(Multivector(layer(x), g3, g3.blades(1)), g3.blades(1)).values
    torch.testing.assert_close(turned(moved), image)


@pytest.mark.parametrize("family", ["Gca", "Clifford"])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_arguments_have_the_order_of_torch(family: str, kind: str, dimensions: int) -> None:
    name = f"{kind}{dimensions}d"
    theirs = list(inspect.signature(getattr(torch.nn, name)).parameters)
    ours = list(inspect.signature(getattr(gnn, family + name)).parameters)
    assert ours[0] == "algebra" and ours[1 : 1 + len(theirs)] == theirs


@pytest.mark.parametrize("family, theirs", [("Gca", "Linear"), ("Clifford", "Linear"), ("Clifford", "GroupNorm")])
def test_other_arguments_have_the_order_of_torch(family: str, theirs: str) -> None:
    names = {"in_features": "in_channels", "out_features": "out_channels"}
    expected = [names.get(word, word) for word in inspect.signature(getattr(torch.nn, theirs)).parameters]
    assert list(inspect.signature(getattr(gnn, family + theirs)).parameters)[1 : 1 + len(expected)] == expected


@every_layer
def test_layers_start_where_and_as_they_are_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = made(name)
    if name in ("norm and gate", "embed"):  # made of layers, and without numbers
        return
    kind = type(layer)
    for how in ({"dtype": torch.float64}, {"device": "meta"}):
        # The same call as in layers(), with one more argument.
        monkeypatch.setattr(gnn, kind.__name__, functools.partial(kind, **how))
        told = layers()[name][0]()
        tensors = list(told.parameters())
        assert len(tensors) == len(list(layer.parameters()))
        if "dtype" in how:
            assert all(tensor.dtype == torch.float64 for tensor in tensors) and told(x.double()).dtype == torch.float64
        else:
            assert all(tensor.is_meta for tensor in tensors)


def test_transposed_layers_take_arguments_as_torch() -> None:
    x = torch.randn(1, 2, 3, 5, 6)
    like = torch.nn.ConvTranspose2d(6, 12, 3, 2, 1, 1)(x.flatten(1, 2))
    layer = gnn.GcaConvTranspose2d((3, 0, 0), 2, 4, 3, 2, 1, 1)
    assert layer.bias is None and layer(x).flatten(1, 2).shape == like.shape
    clifford = gnn.CliffordConvTranspose2d((2, 0, 0), 2, 4, 3, 2, 1, 1)
    assert clifford.bias is not None and clifford(torch.randn(1, 2, 4, 5, 6)).shape[3:] == like.shape[2:]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: gnn.GcaLinear(PGA, 2, 3)(torch.zeros(5, 2, 4)), r"\(5, 2, 4\), expected \(\*, 2, 3\)"),
        (lambda: gnn.GcaLinear(PGA, 0, 3), "at least one"),
        (lambda: gnn.GcaLinear(PGA, 2, 3, inverse="transposed"), "expected one of reverse"),
        (lambda: gnn.GcaLinear(PGA, 2, 3).double()(torch.zeros(5, 2, 3)), "convert one of them"),
        (lambda: gnn.GcaConv2d(G3, 2, 2, 3)(torch.zeros(1, 3, 3, 8, 8)), "expected 2 dimensions of space and 6 numbers"),
        (lambda: gnn.GcaConv2d(G3, 2, 2, 3, padding_mode="mirror"), "expected one of zeros"),
        (lambda: gnn.GcaConvTranspose2d(G3, 2, 2, 3, stride=2, padding_mode="circular"), "circular only where"),
        (lambda: gnn.MSiLU(G3, 4)(torch.zeros(1, 3, 3)), r"expected \(\*, 4, 3\)"),
        (lambda: gnn.GcaNorm(G3, 4, groups=3), "divides"),
        (lambda: ops.action_kernel(torch.zeros(1), torch.zeros(1, 1), torch.zeros(0), [1, 2], 0.0), "do not fit"),
    ],
)
def test_errors_say_what_was_expected(call, text: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=text):
        call()


def test_parameters_that_are_not_finite_are_named() -> None:
    layer = gnn.GcaLinear(PGA, 2, 3)
    layer.weight.data[0, 0] = float("nan")
    with pytest.raises(RuntimeError, match="not finite"):
        layer(torch.zeros(5, 2, 3))


@pytest.mark.skipif(TORCH < (2, 4), reason="torch.library.opcheck is newer")
@pytest.mark.parametrize("name", ["linear", "conv2d", "transpose2d", "msilu space", "norm", "norm and gate"])
def test_opcheck(name: str) -> None:
    layer, x = made(name)
    seen = []

    class Calls(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "gcan":
                seen.append((func, args, kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Calls():
        layer(x.requires_grad_()).sum().backward()
    assert seen
    for func, args, kwargs in seen:
        args = tuple(a.detach().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in args)
        torch.library.opcheck(func, args, kwargs)


@pytest.mark.skipif(TORCH < (2, 4), reason="torch.compile is newer")
@every_layer
def test_compiles(name: str) -> None:
    # Compiled programs are kept by code object, at most 8 of each: those of the other layers must go.
    torch._dynamo.reset()
    layer, x = made(name)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    # The second number of samples makes PyTorch compile again, for any number.
    for samples in (1, 2, 3):
        given = torch.cat([x] * samples).requires_grad_()
        y, expected = compiled(given), layer(given)
        torch.testing.assert_close(y, expected, atol=1e-5, rtol=1e-4)
        inputs = (given, *layer.parameters())
        slopes = zip(*(torch.autograd.grad(out.square().sum(), inputs) for out in (y, expected)))
        for own, its in slopes:
            torch.testing.assert_close(own, its, atol=1e-4, rtol=1e-3)
