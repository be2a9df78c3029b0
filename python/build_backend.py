"""The build backend that pip calls: scikit-build-core if it is installed (Debian 13), otherwise the same steps by hand
(Debian 12), which pack CMake's install component `python` as a wheel. Both build libgcan_torch against the installed
PyTorch, with additional CMake options from CMAKE_ARGS. GCAN_TORCH_LIBRARY=<file> uses an existing library and compiles
nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

ROOT = Path(__file__).resolve().parents[1]
GIVEN = os.environ.get("GCAN_TORCH_LIBRARY")

try:
    from scikit_build_core import build as scikit
except ImportError:
    scikit = None

Settings = Optional[Dict[str, Any]]


def _use_installed_torch() -> None:
    """Debian's PyTorch uses the system's LibTorch, which CMake finds on its own; a wheel contains its own LibTorch."""
    try:
        import torch
    except ImportError:
        return
    if (Path(torch.utils.cmake_prefix_path) / "Torch").exists():
        before = os.environ.get("CMAKE_PREFIX_PATH")
        os.environ["CMAKE_PREFIX_PATH"] = os.pathsep.join(filter(None, [torch.utils.cmake_prefix_path, before]))


def _project() -> Dict[str, Any]:
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)


def _install(folder: Path) -> None:
    """Installs the package and its library into a folder."""
    if GIVEN:
        if not Path(GIVEN).is_file():
            raise SystemExit(f"gcan: GCAN_TORCH_LIBRARY names {GIVEN}, which is no file")
        shutil.copytree(ROOT / "python" / "gcan", folder / "gcan", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        shutil.copy2(GIVEN, folder / "gcan" / "libgcan_torch.so")
        return
    settings = _project()["tool"]["scikit-build"]
    build = ROOT / settings["build-dir"]
    options = [f"-D{name}={value}" for name, value in settings["cmake"]["define"].items()]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run = lambda *words: subprocess.run(["cmake", *map(str, words)], check=True)  # noqa: E731
    run("-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", *options, *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    run("--build", build, "--target", *settings["build"]["targets"], "--parallel")
    run("--install", build, "--prefix", folder, "--component", "python", "--strip")


def _metadata(project: Dict[str, Any]) -> str:
    lines = ["Metadata-Version: 2.1"]
    lines += [f"{key}: {project[value]}" for key, value in (("Name", "name"), ("Version", "version"), ("Summary", "description"))]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names)]
    return "\n".join(lines) + "\n"


def _wheel_by_hand(wheel_directory: str) -> str:
    from wheel.wheelfile import WheelFile

    project = _project()["project"]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    stem = f"{project['name']}-{project['version']}"
    name = f"{stem}-py3-none-{platform}.whl"
    with tempfile.TemporaryDirectory() as folder:
        _install(Path(folder))
        with WheelFile(str(Path(wheel_directory) / name), "w") as wheel:
            wheel.write_files(folder)
            wheel.writestr(f"{stem}.dist-info/METADATA", _metadata(project))
            wheel.writestr(
                f"{stem}.dist-info/WHEEL",
                f"Wheel-Version: 1.0\nGenerator: gcan\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n",
            )
    return name


def get_requires_for_build_wheel(config_settings: Settings = None) -> List[str]:
    return [] if scikit is None or GIVEN else scikit.get_requires_for_build_wheel(config_settings)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None) -> str:
    _use_installed_torch()
    if scikit is None or GIVEN:
        return _wheel_by_hand(wheel_directory)
    return scikit.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    if scikit is None:
        raise SystemExit("gcan: a source archive needs scikit-build-core; install from a checkout instead")
    return scikit.build_sdist(sdist_directory, config_settings)
