"""gcan.models against the networks in C++: values, gradients and names of parameters; and run folders."""

import copy
import inspect
import json
import os
import pickle
import struct
import subprocess
from pathlib import Path
from typing import Tuple

import pytest
import torch

import gcan
from gcan.models import registry
from gcan.models.registry import _read_toml
from gcan.safetensors import load_file, save_file

PROGRAM = os.environ.get("GCAN_NETWORK_VALUES", "")
GCAN = os.environ.get("GCAN_PROGRAM", "")


@pytest.fixture(scope="module")
def values(tmp_path_factory) -> Path:
    if not PROGRAM:
        pytest.skip("GCAN_NETWORK_VALUES does not name the program")
    folder = tmp_path_factory.mktemp("networks")
    subprocess.run([PROGRAM, str(folder)], check=True)
    return folder


def metadata(path: Path) -> dict:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length])["__metadata__"]


def options_of(path: Path, folder: Path) -> dict:
    (folder / "options.toml").write_text(metadata(path)["options"])
    return _read_toml(folder / "options.toml")


OTHERS = ["gca-mlp", "gca-gnn", "gca-mlp-velocity", "gca-gnn-velocity", "edgeconv", "gca-unet", "gca-resnet"]


@pytest.mark.parametrize("file", [*gcan.models.names(), *(f"{name}-other" for name in OTHERS)])
def test_networks_agree_with_cpp(file: str, values: Path, tmp_path: Path) -> None:
    path = values / f"{file}.safetensors"
    tensors = load_file(path)
    net = gcan.models.make(metadata(path)["name"], **options_of(path, tmp_path)).double()
    state = {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("state.")}
    assert set(net.state_dict()) == set(state)
    net.load_state_dict(state)
    y = net(tensors["input"])
    torch.testing.assert_close(y, tensors["output"], atol=1e-9, rtol=1e-8)
    y.square().sum().backward()
    for name, parameter in net.named_parameters():
        expected = tensors.get(f"grad.{name}")
        if expected is not None:
            scale = max(1.0, float(expected.abs().max()))
            grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            assert grad.numel() == 0 or float((grad - expected).abs().max()) < 1e-8 * scale, name


def test_every_network_of_the_program_is_there(values: Path) -> None:
    assert {path.stem for path in values.glob("*.safetensors") if not path.stem.endswith("-other")} == set(gcan.models.names())


@pytest.mark.parametrize("name", ["gca-unet", "gca-mlp"])
def test_folded_networks_keep_their_values(name: str) -> None:
    net = gcan.models.make(name, channels=4).eval()
    x = torch.randn(1, 4, 3, 16, 16) if name == "gca-unet" else torch.randn(2, 1, 4, 32, 3)
    with torch.no_grad():
        y = net(x)
        assert gcan.nn.fold(net) > 0
        torch.testing.assert_close(net(x), y, atol=1e-4, rtol=1e-3)


TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


# What is compiled or traced sums in another order.
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def small(name: str) -> Tuple[torch.nn.Module, torch.Tensor]:
    """A network of few numbers in evaluation mode, and an input of two samples."""
    kind, standard = registry._NETWORKS[name]
    fluid = issubclass(kind, gcan.models.FluidNetwork)
    few = {"width": 24, "channels": 4, "layers": 2, "blocks": 2}
    options = {key: value for key, value in few.items() if key in inspect.signature(kind).parameters}
    net = gcan.models.make(name, **options, **({} if fluid else {"points": 6})).eval()
    return net, torch.randn(2, 4, 3, 16, 16) if fluid else torch.randn(2, 2 if standard.get("velocities") else 1, 4, 6, 3)


every_network = pytest.mark.parametrize("name", gcan.models.names())


@every_network
def test_networks_are_copied_pickled_and_called_with_other_parameters(name: str) -> None:
    net, x = small(name)
    y = net(x)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        torch.testing.assert_close(other(x), y, atol=0, rtol=0)
    halves = {key: value / 2 for key, value in net.named_parameters()}
    functional_call = torch.func.functional_call if TORCH >= (2, 0) else torch.nn.utils.stateless.functional_call
    swapped = functional_call(net, halves, (x,))
    net.load_state_dict({**net.state_dict(), **halves})
    torch.testing.assert_close(net(x), swapped)
    assert not torch.equal(swapped, y)


@every_network
def test_networks_trace(name: str) -> None:
    net, x = small(name)
    with torch.no_grad():
        traced = torch.jit.trace(net, x, check_trace=False)
        other = torch.randn_like(x)
        torch.testing.assert_close(traced(other), net(other), **CLOSE)


@every_network
def test_networks_train_under_autocast(name: str) -> None:
    net, x = small(name)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = net(x)
    assert y.isfinite().all()
    y.float().square().sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in net.parameters())
    assert any(p.grad is not None and p.grad.any() for p in net.parameters())


# One of each class and of each family of layers: a UNet of multivectors has ten times the operations of a ResNet, of the
# same kinds, and takes a minute.
COMPILED = ["mlp", "motor-mlp", "so3-mlp", "gca-mlp", "edgeconv", "gnn-s-d", "gca-gnn", "gca-mlp-velocity", "resnet", "cresnet", "cresnet-rot", "gca-resnet", "gca-unet"]


def test_every_class_and_family_is_compiled() -> None:
    of = lambda names: {(kind, standard.get("family")) for kind, standard in map(registry._NETWORKS.get, names)}  # noqa: E731
    classes = lambda names: {kind for kind, _ in of(names)}  # noqa: E731
    families = lambda names: {family for _, family in of(names)}  # noqa: E731
    every = gcan.models.names()
    assert classes(COMPILED) == classes(every) and families(COMPILED) == families(every)


@pytest.mark.skipif(TORCH < (2, 4), reason="torch.compile is newer")
@pytest.mark.parametrize("name", COMPILED)
def test_networks_compile(name: str) -> None:
    torch._dynamo.reset()
    net, x = small(name)
    compiled = torch.compile(net, backend="aot_eager")
    torch.testing.assert_close(compiled(x), net(x), **CLOSE)


@pytest.mark.skipif(TORCH < (2, 4), reason="torch.compile is newer")
def test_networks_compile_with_the_usual_backend() -> None:
    torch._dynamo.reset()
    net, x = small("gca-resnet")
    compiled = torch.compile(net)
    y, expected = compiled(x), net(x)
    torch.testing.assert_close(y, expected, **CLOSE)
    own, its = (torch.autograd.grad(out.square().sum(), tuple(net.parameters())) for out in (y, expected))
    for a, b in zip(own, its):
        torch.testing.assert_close(a, b, atol=1e-3, rtol=1e-3)


@pytest.mark.skipif(not GCAN, reason="GCAN_PROGRAM does not name the program")
def test_a_trained_run_is_loaded_and_evaluates_as_in_cpp(tmp_path: Path) -> None:
    data, run = tmp_path / "tetris.h5", tmp_path / "run"
    subprocess.run([GCAN, "simulate", "tetris", "--train", "64", "--valid", "32", "--test", "32", "--out", data], check=True)
    config = tmp_path / "net.toml"
    config.write_text(
        f'[model]\nname = "gca-mlp"\nchannels = 8\n[data]\nkind = "tetris"\nfile = "{data}"\n'
        "[train]\nsteps = 20\nbatch = 16\n"
    )
    subprocess.run([GCAN, "train", config, "--out", run], check=True)
    net = gcan.models.load(run)
    assert not net.training and net.config["model"]["channels"] == 8 and net.step is not None
    found = gcan.data.TetrisDataset(data, "test")
    with torch.no_grad():
        past = torch.stack([found[i][0] for i in range(len(found))])
        future = torch.stack([found[i][1] for i in range(len(found))])
        error = float((net(past) - future).square().sum(-1).mean((0, 1, 3)).sum())
    written = json.loads((run / "result.json").read_text())["test"]["best"]
    assert error == pytest.approx(written["error"], rel=1e-5) and net.step == written["step"]
    last = gcan.models.load(run, "last")
    assert last.step == 20


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda folder: gcan.models.load(folder), "it has no config.toml"),
        (lambda folder: gcan.models.load(folder, "first"), "use last or best"),
        (lambda folder: gcan.models.make("gca-mpl"), "did you mean 'gca-mlp'"),
        (lambda folder: gcan.models.make("gca-mlp", width=3), "does not take these options"),
        (lambda folder: gcan.models.make("gca-mlp")(torch.zeros(1, 1, 4, 31, 3)), "expected"),
        (lambda folder: gcan.models.make("gca-unet", channels=4)(torch.zeros(1, 4, 3, 12, 16)), "multiples of 8"),
        (lambda folder: gcan.models.make("unet", fields="s,w"), "expected s and v"),
    ],
)
def test_errors_say_what_was_expected(call, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        call(tmp_path)


def test_damaged_safetensors_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_file({"a": torch.randn(3, 4), "b": torch.arange(5)}, path)
    whole = path.read_bytes()
    for cut in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="no safetensors file"):
            load_file(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(ValueError, match="belong to no tensor"):
        load_file(path)
