"""gcan.compat.cliffordlayers against values, gradients and state dicts of the package it replaces."""

import json
import os
from pathlib import Path
from typing import Any, Dict

import pytest
import torch
from torch.nn import functional as F

h5py = pytest.importorskip("h5py")

from gcan.compat import cliffordlayers  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
WHOLE = Path(os.environ.get("GCAN_REFERENCE_DIR", ROOT.parent / "shared" / "reference")) / "dropin.h5"
# The smallest case of each class, where the whole reference is not there.
REFERENCE = WHOLE if WHOLE.exists() else ROOT / "tests" / "data" / "reference" / "dropin.h5"


def cases() -> list:
    with h5py.File(REFERENCE) as file:
        return list(file)


def tensor(dataset: Any) -> torch.Tensor:
    read = torch.as_tensor(dataset[()])
    return read.double() if read.dtype == torch.float32 else read


def built(case: Any) -> torch.nn.Module:
    arguments: Dict[str, Any] = json.loads(case.attrs["arguments"])
    if "metric" in arguments:
        arguments["algebra"] = cliffordlayers.CliffordAlgebra(arguments.pop("metric"))
    if "block" in arguments:
        arguments["block"] = getattr(cliffordlayers, arguments["block"])
    if arguments.get("activation") == "gelu":
        arguments["activation"] = F.gelu
    module = getattr(cliffordlayers, case.attrs["class"])(**arguments)
    return module.train(bool(case.attrs["training"]))


def plain(name: str, case_name: str) -> str:
    return name[2:] if case_name.startswith("complex_") else name


def close(found: torch.Tensor, expected: torch.Tensor, tolerance: float, what: str) -> None:
    assert found.shape == expected.shape, what
    error = (found.double() - expected.double()).abs().max().item() if found.numel() else 0.0
    assert error <= tolerance * max(1.0, expected.double().abs().max().item()), f"{what}: {error}"


@pytest.fixture(autouse=True)
def double_precision(same_start) -> None:
    torch.set_default_dtype(torch.float64)


@pytest.mark.parametrize("name", cases())
def test_agrees_with_the_released_package(name: str) -> None:
    with h5py.File(REFERENCE) as file:
        case = file[name]
        spectral = any(word in name for word in ("spectral", "fourier", "maxwellnet"))
        tolerance = 1e-5 if spectral else 1e-9
        module = built(case)
        state = {plain(key, name): tensor(value) for key, value in case.get("state", {}).items()}
        assert set(module.state_dict()) == set(state)
        module.load_state_dict(state)
        x = tensor(case["input"])
        slope = tensor(case["grad_output"])
        is_complex = name.startswith("complex_")
        x.requires_grad_()
        y = module(torch.view_as_complex(x) if is_complex else x)
        y = torch.view_as_real(y) if is_complex else y
        close(y, tensor(case["output"]), tolerance, "output")
        y.backward(slope.to(y.dtype))
        close(x.grad, tensor(case["grad_input"]), tolerance, "grad_input")
        gradients = {plain(key, name): tensor(value) for key, value in case.get("grad", {}).items()}
        found = {key: p.grad for key, p in module.named_parameters() if p.grad is not None}
        assert set(gradients) <= set(found) | {key for key in gradients if not gradients[key].any()}
        for key in gradients.keys() & found.keys():
            close(found[key], gradients[key], tolerance, f"gradient of {key}")
        after = module.state_dict()
        for key, value in case.get("buffers_after", {}).items():
            close(after[plain(key, name)], tensor(value), tolerance, f"buffer {key}")
