"""Clifford Fourier transforms and spectral layers by laws, and networks of them against C++."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest
import torch

import gcan
from gcan.algebra import Algebra, Multivector
from gcan.nn import clifford_fourier, inverse_clifford_fourier
from gcan.safetensors import load_file

PROGRAM = os.environ.get("GCAN_NETWORK_VALUES", "")
UNITS = [(0, 1, 0), (2, 0, 0), (0, 2, 0), (3, 0, 0)]  # algebras whose pseudoscalar squares to -1
KINDS = {1: gcan.nn.CliffordSpectralConv1d, 2: gcan.nn.CliffordSpectralConv2d, 3: gcan.nn.CliffordSpectralConv3d}


def field(signature: tuple, *space: int) -> torch.Tensor:
    return torch.randn(2, 3, 1 << sum(signature), *space, dtype=torch.float64)


@pytest.mark.parametrize("signature", UNITS)
def test_transform_inverts(signature: tuple) -> None:
    x = field(signature, 6, 5)
    torch.testing.assert_close(inverse_clifford_fourier(signature, clifford_fourier(signature, x)), x)


@pytest.mark.parametrize("signature", UNITS)
def test_a_shift_becomes_a_phase(signature: tuple) -> None:
    algebra = Algebra(*signature)
    x = field(signature, 8)
    angle = -2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8  # exp(-I angle), to be multiplied from the right
    phase = Multivector(torch.stack((angle.cos(), angle.sin()), 0), algebra, [0, algebra.blades()[-1]], dim=0)
    shifted = clifford_fourier(signature, x.roll(1, 3))
    product = Multivector(clifford_fourier(signature, x), algebra, dim=2) * phase
    torch.testing.assert_close(shifted, product.on(algebra.blades()).values)


@pytest.mark.parametrize("signature", UNITS)
def test_a_derivative_becomes_a_multiplication(signature: tuple) -> None:
    algebra = Algebra(*signature)
    at = 2 * torch.pi * torch.arange(8, dtype=torch.float64) / 8
    wave, slope = torch.zeros(2, 1, 1, 1 << algebra.dimension, 8, dtype=torch.float64)
    wave[..., 0, :], slope[..., 0, :] = at.sin(), at.cos()
    k = torch.fft.fftfreq(8, 1 / 8, dtype=torch.float64)
    unit = Multivector(k.unsqueeze(0), algebra, [algebra.blades()[-1]], dim=0)
    product = Multivector(clifford_fourier(signature, wave), algebra, dim=2) * unit
    torch.testing.assert_close(clifford_fourier(signature, slope), product.on(algebra.blades()).values)


@pytest.mark.parametrize("dimensions, signature", [(1, (0, 1, 0)), (2, (2, 0, 0)), (2, (0, 2, 0)), (3, (3, 0, 0))])
def test_unit_weights_only_cut_and_cutting_twice_is_cutting(dimensions: int, signature: tuple) -> None:
    space = (7, 6, 5)[:dimensions]
    cut = KINDS[dimensions](signature, 3, 3, 2, multiply=False)
    one = KINDS[dimensions](signature, 3, 3, 2).double()
    with torch.no_grad():
        one.weight.zero_()
        one.weight[range(3), range(3), 0] = 1
    x = field(signature, *space)
    torch.testing.assert_close(one(x), cut(x))
    torch.testing.assert_close(cut(cut(x)), cut(x))
    # Where all frequencies are kept, nothing is cut.
    every = KINDS[dimensions](signature, 3, 3, [(n + 1) // 2 for n in space], multiply=False)
    torch.testing.assert_close(every(x), x)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("released", [False, True])
def test_layers_agree_with_those_of_the_dropin(dimensions: int, released: bool) -> None:
    """Two layouts of one layer: blades last and first in the weights there."""
    from gcan.compat import cliffordlayers

    kind = getattr(cliffordlayers, f"CliffordSpectralConv{dimensions}d")
    its = kind((1.0,) * dimensions, 2, 3, *(2, 1, 2)[:dimensions], corrected=not released)
    own = KINDS[dimensions]((dimensions, 0, 0), 2, 3, (2, 1, 2)[:dimensions], released=released)
    with torch.no_grad():
        own.weight.copy_(its.weights.movedim(0, 2))
    x = torch.randn(2, 2, 1 << dimensions, *(6, 5, 4)[:dimensions])
    torch.testing.assert_close(own(x), its(x.movedim(2, -1)).movedim(-1, 2))


def test_layers_have_gradients() -> None:
    layer = gcan.nn.CliffordSpectralConv2d((2, 0, 0), 1, 2, (2, 1)).double()
    x = torch.randn(1, 1, 4, 5, 4, dtype=torch.float64, requires_grad=True)
    functional_call = torch.func.functional_call if hasattr(torch, "func") else torch.nn.utils.stateless.functional_call
    assert torch.autograd.gradcheck(lambda x, w: functional_call(layer, {"weight": w}, (x,)), (x, layer.weight))


def test_reduced_types_are_transformed_in_float() -> None:
    layer = gcan.nn.CliffordSpectralConv2d((2, 0, 0), 2, 2, 3)
    x = torch.randn(1, 2, 4, 8, 8)
    reduced = layer(x.bfloat16())
    assert reduced.dtype == torch.bfloat16
    torch.testing.assert_close(reduced.float(), layer(x), atol=0.05, rtol=0.05)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: clifford_fourier((1, 1, 0), torch.zeros(1, 1, 4, 8)), "which G\\(1,1,0\\) has not"),
        (lambda: clifford_fourier((2, 0, 0), torch.zeros(1, 1, 3, 8)), "expected \\(\\*, \\*, 4, space...\\)"),
        (lambda: gcan.nn.CliffordSpectralConv2d((3, 0, 1), 1, 1, 2), "squares to -1"),
        (lambda: gcan.nn.CliffordSpectralConv2d((2, 0, 0), 1, 2, 2, multiply=False), "as many output"),
        (lambda: gcan.nn.CliffordSpectralConv2d((2, 0, 0), 1, 1, 0), "modes=0"),
        (lambda: gcan.nn.CliffordSpectralConv2d((2, 0, 0), 1, 1, 9)(torch.zeros(1, 1, 4, 8, 8)), "as many points as modes"),
        (lambda: gcan.models.CliffordFourierNet2d()(torch.zeros(1, 4, 6, 8, 8)), "expected \\(\\*, 4, 3, \\*, \\*\\)"),
        (lambda: gcan.models.CliffordMaxwellNet3d(blocks=0), "one block"),
    ],
)
def test_errors_say_what_was_expected(call, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.skipif(not PROGRAM, reason="GCAN_NETWORK_VALUES does not name the program")
def test_networks_agree_with_cpp(tmp_path: Path) -> None:
    subprocess.run([PROGRAM, str(tmp_path), "fourier"], check=True)
    files = sorted(tmp_path.glob("*.safetensors"))
    assert len(files) == 4
    for path in files:
        data = path.read_bytes()
        metadata = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]
        tensors = load_file(path)
        net = getattr(gcan.models, metadata["class"])(**json.loads(metadata["options"])).double()
        state = {name[6:]: tensor for name, tensor in tensors.items() if name.startswith("state.")}
        net.load_state_dict(state)
        x = tensors["input"].requires_grad_()
        y = net(x)
        torch.testing.assert_close(y, tensors["output"], atol=1e-10, rtol=1e-9)
        y.square().sum().backward()
        torch.testing.assert_close(x.grad, tensors["input_grad"], atol=1e-9, rtol=1e-8)
        for name, parameter in net.named_parameters():
            torch.testing.assert_close(parameter.grad, tensors[f"grad.{name}"], atol=1e-9, rtol=1e-8)
