"""Models and metrics for other tools: TorchScript and ONNX files compute what gcan computes, event files hold the
metrics."""

import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Dict

import numpy
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))
from onnx_model import OnnxModel, every, fields, only  # noqa: E402

import gcan  # noqa: E402
from gcan.safetensors import load_file  # noqa: E402

PROGRAM = os.environ.get("GCAN_NETWORK_VALUES", "")
GCAN = os.environ.get("GCAN_PROGRAM", "")


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    if not PROGRAM:
        pytest.skip("GCAN_NETWORK_VALUES does not name the program")
    folder = tmp_path_factory.mktemp("exported")
    subprocess.run([PROGRAM, str(folder), "onnx"], check=True)
    for values in folder.glob("*.values.safetensors"):
        name = values.name.split(".")[0]
        numpy.save(folder / f"{name}.input.npy", load_file(values)["input"].numpy())
    run_with_onnxruntime(folder)
    return folder


def run_with_onnxruntime(folder: Path) -> None:
    """Where it is installed: Debian 12 has none."""
    if importlib.util.find_spec("onnxruntime") is not None:
        subprocess.run([sys.executable, str(Path(__file__).with_name("onnxruntime_run.py")), str(folder)], check=True)


def close_in_onnxruntime(folder: Path, name: str, expected: torch.Tensor) -> None:
    if importlib.util.find_spec("onnxruntime") is not None:
        close(torch.from_numpy(numpy.load(folder / f"{name}.all.npy")), expected)
        close(torch.from_numpy(numpy.load(folder / f"{name}.first.npy")), expected[:1])


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.shape == expected.shape
    assert float((found - expected).abs().max()) <= 1e-5 * float(expected.abs().max())


@pytest.mark.parametrize("name", gcan.models.names())
def test_onnx_files_compute_the_same_for_any_number_of_samples(name: str, exported: Path) -> None:
    tensors = load_file(exported / f"{name}.values.safetensors")
    data = (exported / f"{name}.onnx").read_bytes()
    model = OnnxModel(data)
    assert model.inputs == ["x"] and model.outputs == ["y"] and model.operators == 13
    names = [only(node, 3) for node in model.nodes]
    assert all(names) and len(set(names)) == len(names)  # onnxruntime refuses some models without
    close(model(tensors["input"]), tensors["output"])
    close(model(tensors["input"][:1]), tensors["output"][:1])
    try:
        import onnx
    except ImportError:
        onnx = None
    if onnx is not None:
        onnx.checker.check_model(onnx.load_model_from_string(data), full_check=True)
    close_in_onnxruntime(exported, name, tensors["output"])


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    if not GCAN:
        pytest.skip("GCAN_PROGRAM does not name the program")
    folder = tmp_path_factory.mktemp("run")
    data = folder / "flow.h5"
    small = ["--cells", "16", "--length", "4", "--steps", "24"]
    subprocess.run([GCAN, "simulate", "navier-stokes", *small, "--train", "2", "--valid", "1", "--test", "1", "--out", data], check=True)
    (folder / "net.toml").write_text(
        f'[model]\nname = "gca-resnet"\nchannels = 4\nblocks = 1\n[data]\nkind = "fluid"\nfile = "{data}"\n'
        "[train]\nsteps = 2\nbatch = 1\n"
    )
    subprocess.run([GCAN, "train", folder / "net.toml", "--out", folder / "run"], check=True)
    return folder / "run"


FRAMES = (4, 3, 16, 16)  # of a sample: history, planes, height, width

VARIANTS = [(units, fold) for units in ("data", "network") for fold in (True, False)]


@pytest.fixture(scope="module")
def torchscripts(run: Path, tmp_path_factory) -> Path:
    """A folder with a TorchScript file of each variant, and what a Python without gcan computes with it."""
    folder = tmp_path_factory.mktemp("torchscript")
    for units, fold in VARIANTS:
        more = ["--units", units, *(["--fold"] if fold else []), "--out", folder / f"{units}-{fold}.pt"]
        subprocess.run([GCAN, "export-model", run, *more], check=True)
    torch.save(torch.randn(3, *FRAMES), folder / "x")
    code = (
        "import pathlib, sys, torch\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "for file in folder.glob('*.pt'):\n"
        "    torch.save(torch.jit.load(str(file))(torch.load(folder / 'x')), file.with_suffix('.y'))\n"
        "assert not any(name.startswith('gcan') for name in sys.modules)\n"
    )
    without = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "GCAN_TORCH_LIBRARY")}
    subprocess.run([sys.executable, "-c", code, folder], env=without, check=True)
    return folder


@pytest.mark.parametrize("units, fold", VARIANTS)
def test_torchscript_runs_without_gcan(run: Path, torchscripts: Path, units: str, fold: bool) -> None:
    file = torchscripts / f"{units}-{fold}.pt"
    with torch.no_grad():
        expected = gcan.models.load(run, units=units)(torch.load(torchscripts / "x"))
        close(torch.load(file.with_suffix(".y")), expected)
    rows = table_beside(file)
    assert rows["size"] == f"{file.stat().st_size / 1e6:.3f} MB" and rows["format"].startswith("TorchScript")
    assert float(rows["largest difference from the network in gcan, by the size of its output"]) <= 1e-5
    times = [float(value[:-3]) for name, value in rows.items() if name.startswith("one sample")]
    assert len(times) == 2 and min(times) > 0


def table_beside(file: Path) -> Dict[str, str]:
    text = (file.parent / f"{file.name}.md").read_text()
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE))


OTHERS = sorted((Path(__file__).resolve().parents[1] / "data" / "exported").glob("*.pt"))


@pytest.mark.parametrize("file", OTHERS, ids=[file.stem for file in OTHERS])
def test_torchscript_of_other_versions_computes_what_it_did(file: Path) -> None:
    """Networks that `gcan export-model` wrote with LibTorch 1.13 and 2.6, and values computed there."""
    values = load_file(file.with_suffix(".safetensors"))
    with torch.no_grad():
        close(torch.jit.load(str(file))(values["input"]), values["output"])


def test_there_are_files_of_the_oldest_and_the_newest_version() -> None:
    assert [file.stem for file in OTHERS] == ["libtorch-1.13", "libtorch-2.6"]


def test_onnx_of_a_run(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    subprocess.run([GCAN, "export-model", run, "--format", "onnx", "--fold", "--out", file], check=True)
    x = torch.randn(2, *FRAMES)
    with torch.no_grad():
        expected = gcan.models.load(run, units="data")(x)
        close(OnnxModel(file.read_bytes())(x), expected)
    numpy.save(tmp_path / "model.input.npy", x.numpy())
    run_with_onnxruntime(tmp_path)
    close_in_onnxruntime(tmp_path, "model", expected)
    assert table_beside(file)["format"] == "ONNX, operator set 13"


@pytest.mark.parametrize(
    "arguments, text",
    [
        ([], "missing argument RUN"),
        (["RUN", "--format", "keras"], "use torchscript or onnx"),
        (["RUN", "--units", "feet"], "--units expects data or network"),
        (["RUN", "--grid", "64"], "such as 96x192"),
        (["/nowhere"], "not a run folder"),
        (["RUN", "--out", "/nowhere/model.pt"], "/nowhere"),
    ],
)
def test_errors_are_one_sentence(run: Path, arguments: list, text: str) -> None:
    given = [str(run) if argument == "RUN" else argument for argument in arguments]
    result = subprocess.run([GCAN, "export-model", *given], capture_output=True, text=True)
    assert result.returncode != 0 and text in result.stderr


def crc32c(data: bytes) -> int:
    """Bit by bit, unlike the writer's table."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def records(data: bytes) -> list:
    masked = lambda part: ((crc32c(part) >> 15 | crc32c(part) << 17) + 0xA282EAD8) & 0xFFFFFFFF  # noqa: E731
    found = []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert struct.unpack("<I", data[8:12])[0] == masked(data[:8])
        body = data[12 : 12 + length]
        assert struct.unpack("<I", data[12 + length : 16 + length])[0] == masked(body)
        found.append(body)
        data = data[16 + length :]
    return found


def test_event_files_hold_the_metrics(run: Path) -> None:
    assert crc32c(b"123456789") == 0xE3069283
    subprocess.run([GCAN, "tensorboard", run], check=True)
    (file,) = (run / "tensorboard").glob("events.out.tfevents.*")
    first, *events = records(file.read_bytes())
    assert only(first, 3) == b"brain.Event:2"
    found = {}
    for event in events:
        step = only(event, 2)
        assert struct.unpack("<d", only(event, 1))[0] > 1e9
        for value in every(only(event, 5), 1):
            found[only(value, 1).decode(), step] = struct.unpack("<f", only(value, 2))[0]
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    for line in lines:
        name = "loss" if line["kind"] == "train" else "error"
        assert found[f"{line['kind']}/{name}", line["step"]] == pytest.approx(line[name], rel=1e-6)
    try:
        from tensorboard.backend.event_processing import event_file_loader
    except ImportError:
        return
    assert len(list(event_file_loader.EventFileLoader(str(file)).Load())) == len(events) + 1


def test_event_files_need_a_run(tmp_path: Path) -> None:
    if not GCAN:
        pytest.skip("GCAN_PROGRAM does not name the program")
    result = subprocess.run([GCAN, "tensorboard", tmp_path], capture_output=True, text=True)
    assert result.returncode != 0 and "it has no metrics.jsonl" in result.stderr
    assert list(fields(b"")) == []
