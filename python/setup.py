"""pip install ./python: builds libgcan_torch with CMake against the installed PyTorch and puts it into the package.

GCAN_TORCH_LIBRARY=<file> takes a library that is built already. pyproject.toml holds all else.
"""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
NAME = "libgcan_torch.so"


def built_library() -> Path:
    given = os.environ.get("GCAN_TORCH_LIBRARY")
    if given:
        if not Path(given).is_file():
            raise SystemExit(f"gcan: GCAN_TORCH_LIBRARY names {given}, which is no file")
        return Path(given)
    source, build = HERE.parent, HERE.parent / "build" / "python"
    if not (source / "CMakeLists.txt").exists():
        raise SystemExit("gcan: install from a checkout of gcan, or set GCAN_TORCH_LIBRARY to a built libgcan_torch.so")
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DGCAN_BUILD_TESTS=OFF", "-DGCAN_BUILD_PROGRAM=OFF", "-DGCAN_BUILD_EXAMPLES=OFF"]
    try:
        import torch

        # Debian's PyTorch uses the system's LibTorch, which CMake finds by itself; a wheel brings its own.
        if (Path(torch.utils.cmake_prefix_path) / "Torch").exists():
            options.append(f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}")
    except ImportError:
        pass
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", str(source), "-B", str(build), *generator, *options], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "gcan_operators", "--parallel"], check=True)
    return build / "lib" / NAME


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return  # the package then finds the library in a build folder
        target = Path(self.build_lib) / "gcan"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built_library(), target / NAME)


class WithLibrary(Distribution):
    def has_ext_modules(self) -> bool:
        return True  # the wheel is for this machine's kind only


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=WithLibrary)
