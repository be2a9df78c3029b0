"""pip install, with a library that is built: the wheel holds the package and runs by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("GCAN_TORCH_LIBRARY", "")


def pip(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", *words, str(ROOT)]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    made = pip("--target", str(folder))
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def test_the_package_runs_from_where_pip_put_it(installed: Path, tmp_path: Path) -> None:
    code = (
        "import gcan, gcan._library, torch\n"
        "print(gcan.__file__, gcan._library.path, tuple(gcan.nn.GcaLinear((3, 0, 1), 2, 4)(torch.randn(5, 2, 3)).shape))\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "GCAN_TORCH_LIBRARY"}
    environment["PYTHONPATH"] = str(installed)
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    package = installed / "gcan"
    assert done.stdout.split(maxsplit=2) == [str(package / "__init__.py"), str(package / "libgcan_torch.so"), "(5, 4, 3)\n"]


def test_the_wheel_has_every_module_and_what_it_needs(installed: Path) -> None:
    source = ROOT / "python" / "gcan"
    for path in source.rglob("*"):
        if path.suffix == ".py" or path.name == "py.typed":
            assert (installed / "gcan" / path.relative_to(source)).read_bytes() == path.read_bytes()
    (metadata,) = installed.glob("gcan-*.dist-info/METADATA")
    assert "Requires-Dist: torch>=1.13\n" in metadata.read_text()


def test_a_library_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere.so")
    made = pip("--target", str(tmp_path / "site"), GCAN_TORCH_LIBRARY=missing)
    assert made.returncode != 0 and f"GCAN_TORCH_LIBRARY names {missing}, which is no file" in made.stdout + made.stderr
