"""What every public name of the package must have: type hints, and an example in its docstring (which the doctests run);
the operators' keys; and the list of cliffordlayers' classes, which the drop-in must have with the same arguments."""

import ast
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator, Tuple

import pytest
import torch

import gcan
from gcan.compat import cliffordlayers

MODULES = ["algebra", "cayley", "compat.cliffordlayers", "data", "models", "nn", "optim", "safetensors", "sim"]


def public() -> Iterator[Tuple[str, Any]]:
    for module in MODULES:
        part = import_module(f"gcan.{module}")
        for name in part.__all__:
            thing = getattr(part, name)
            if inspect.isclass(thing) or inspect.isfunction(thing) or hasattr(thing, "__wrapped__"):
                yield f"{module}.{name}", thing


EVERY = dict(public())


@pytest.mark.parametrize("name", EVERY)
def test_has_an_example(name: str) -> None:
    own = EVERY[name].__dict__.get("__doc__") if inspect.isclass(EVERY[name]) else EVERY[name].__doc__
    assert own and ">>> " in own


@pytest.mark.parametrize("path", sorted(Path(gcan.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_every_function_has_type_hints(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            given = function.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            bare = [a.arg for a in every if a.annotation is None and a.arg not in ("self", "cls")]
            assert not bare and function.returns is not None, f"{path}:{function.lineno}: {function.name} {bare}"


def test_type_hints_are_for_users_too() -> None:
    assert (Path(gcan.__file__).parent / "py.typed").exists()


def test_everything_documented_is_there() -> None:
    for part in ("algebra", "compat", "data", "models", "nn", "optim", "safetensors", "sim"):
        assert part in dir(gcan) and getattr(gcan, part).__name__ == f"gcan.{part}"
    with pytest.raises(AttributeError, match="no attribute 'layers'"):
        gcan.layers  # noqa: B018


# The public classes of cliffordlayers 0.1.1 by module, with their arguments.
RELEASED = {
    "signature": ["CliffordSignature(g)"],
    "cliffordalgebra": ["CliffordAlgebra(metric)"],
    "nn.modules.cliffordlinear": ["CliffordLinear(g, in_channels, out_channels, bias=True)"],
    "nn.modules.cliffordconv": [
        "CliffordConv1d(g, in_channels, out_channels, kernel_size=3, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros')",
        "CliffordConv2d(g, in_channels, out_channels, kernel_size=3, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', rotation=False)",
        "CliffordConv3d(g, in_channels, out_channels, kernel_size=3, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros')",
    ],
    "nn.modules.cliffordfourier": [
        "CliffordSpectralConv2d(g, in_channels, out_channels, modes1, modes2, multiply=True)",
        "CliffordSpectralConv3d(g, in_channels, out_channels, modes1, modes2, modes3, multiply=True)",
    ],
    "nn.modules.batchnorm": [
        f"{kind}BatchNorm{d}d({g}channels, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"
        for kind, g in (("Complex", ""), ("Clifford", "g, "))
        for d in (1, 2, 3)
    ],
    "nn.modules.groupnorm": [
        f"{kind}GroupNorm{d}d({g}num_groups, channels, eps=1e-05, momentum=0.1, affine=True, track_running_stats=False)"
        for kind, g in (("Complex", ""), ("Clifford", "g, "))
        for d in (1, 2, 3)
    ],
    "nn.modules.gcan": [
        "PGAConjugateLinear(in_features, out_features, algebra, input_blades, action_blades=(0, 5, 6, 7, 8, 9, 10, 15))",
        "MultiVectorAct(channels, algebra, input_blades, kernel_blades=None, agg='linear')",
        "CliffordG3Conv2d(in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=False)",
        "CliffordG3ConvTranspose2d(in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=False)",
        "CliffordG3LinearVSiLU(channels)",
        "CliffordG3SumVSiLU()",
        "CliffordG3MeanVSiLU()",
        "CliffordG3GroupNorm(num_groups, num_features, num_blades, scale_norm=False)",
    ],
    "models.basic.custom_layers": [
        "CliffordConv2dScalarVectorEncoder(g, in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros', rotation=False)",
        "CliffordConv2dScalarVectorDecoder(g, in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=False, padding_mode='zeros', rotation=False)",
        "CliffordConv3dMaxwellEncoder(g, in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros')",
        "CliffordConv3dMaxwellDecoder(g, in_channels, out_channels, kernel_size=1, stride=1, padding=0, dilation=1, groups=1, bias=False, padding_mode='zeros')",
    ],
    "models.basic.twod": [
        "CliffordBasicBlock2d(g, in_channels, out_channels, activation=gelu, kernel_size=3, stride=1, padding=1, rotation=False, norm=False, num_groups=1)",
        "CliffordFourierBasicBlock2d(g, in_channels, out_channels, activation=gelu, kernel_size=1, stride=1, padding=0, rotation=False, norm=False, num_groups=1, modes1=16, modes2=16)",
        "CliffordFluidNet2d(g, block, num_blocks, in_channels, out_channels, hidden_channels, activation, rotation, norm=False, num_groups=1)",
    ],
    "models.basic.threed": [
        "CliffordFourierBasicBlock3d(g, in_channels, out_channels, activation=gelu, kernel_size=1, stride=1, padding=0, norm=False, num_groups=1, modes1=8, modes2=8, modes3=8)",
        "CliffordMaxwellNet3d(g, block, num_blocks, in_channels, out_channels, hidden_channels, activation, norm=False, num_groups=1)",
    ],
    "models.gca.twod": [
        "CliffordG3BasicBlock2d(in_channels, out_channels, kernel_size=3, stride=1, padding=1, activation='vlin', norm=True, num_groups=1, prenorm=True)",
        "CliffordG3ResNet2d(num_blocks, in_channels, out_channels, hidden_channels, activation='vlin', block=CliffordG3BasicBlock2d, norm=False, num_groups=1, prenorm=True)",
        "CliffordG3DownBlock(in_channels, out_channels, activation, norm=False, prenorm=True, num_groups=1)",
        "CliffordG3Downsample(n_channels)",
        "CliffordG3MiddleBlock(n_channels, activation, norm=False, prenorm=True, num_groups=1)",
        "CliffordG3UpBlock(in_channels, out_channels, activation, norm=False, prenorm=True, num_groups=1)",
        "CliffordUpsample(n_channels)",
        "CliffordG3UNet2d(in_channels, out_channels, hidden_channels, activation='vlin', norm=False, ch_mults=(1, 2, 2, 2), n_blocks=2, prenorm=True, num_groups=1)",
    ],
}
CLASSES = [(module, text) for module, texts in RELEASED.items() for text in texts]


def shown(default: Any) -> str:
    return getattr(default, "__name__", repr(default))


def arguments(kind: Any) -> str:
    """As the list has them; arguments by name alone are ours."""
    given = [
        p.name if p.default is p.empty else f"{p.name}={shown(p.default)}"
        for p in inspect.signature(kind).parameters.values()
        if p.kind is not p.KEYWORD_ONLY
    ]
    return f"{kind.__name__}({', '.join(given)})"


@pytest.mark.parametrize("module, text", CLASSES, ids=[text.split("(")[0] for _, text in CLASSES])
def test_dropin_has_the_class_where_it_was(module: str, text: str) -> None:
    name = text.split("(")[0]
    kind = getattr(import_module(f"gcan.compat.cliffordlayers.{module}"), name)
    assert arguments(kind) == text
    assert getattr(cliffordlayers, name) is kind and name in cliffordlayers.__all__


def test_dropin_has_no_other_classes() -> None:
    assert sorted(cliffordlayers.__all__) == sorted(text.split("(")[0] for _, text in CLASSES)


def test_dropin_has_the_methods() -> None:
    for method in ("to", "geometric_product", "reverse", "embed", "get", "mag2", "norm", "sandwich"):
        assert callable(getattr(cliffordlayers.CliffordAlgebra, method))
    for kind in (cliffordlayers.CliffordLinear, cliffordlayers.PGAConjugateLinear):
        assert callable(kind.reset_parameters)


OPERATORS = ["action_kernel", "action_linear", "convolution", "msilu", "norm"]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_kernels_have_backward_operators(name: str) -> None:
    from gcan._library import ops

    forward, backward = (str(getattr(ops, f"{name}{end}").default._schema) for end in ("", "_backward"))
    assert f"gcan::{name}(Tensor" in forward and f"gcan::{name}_backward(Tensor" in backward
    for key in ("CPU", "Meta"):
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"gcan::{name}_backward", key)


@pytest.mark.parametrize("key", ["CPU", "Meta", "AutogradCPU", "CUDA", "XLA", "AutogradCUDA"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_have_all_keys(name: str, key: str) -> None:
    from gcan._library import ops  # noqa: F401

    assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(f"gcan::{name}", key)


def test_library_needs_no_python() -> None:
    from gcan._library import path

    whole = path.read_bytes()
    assert b"gcan::action_linear" in whole
    for word in (b"libpython", b"libtorch_python", b"PyObject_", b"Py_Initialize"):
        assert word not in whole
