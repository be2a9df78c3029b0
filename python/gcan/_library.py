"""Loads libgcan_torch, which registers the operators torch.ops.gcan."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

import torch

__all__ = ["ops", "path"]


def _candidates() -> List[Path]:
    given = os.environ.get("GCAN_TORCH_LIBRARY")
    if given:
        return [Path(given)]
    here = Path(__file__).resolve().parent
    # Beside an installed package; in a build folder if the package is used from the source tree.
    source = here.parents[1] / "build"
    return [here / "libgcan_torch.so", *sorted(source.glob("*/lib/libgcan_torch.so"))]


def _load() -> Path:
    tried = _candidates()
    for candidate in tried:
        if candidate.exists():
            try:
                torch.ops.load_library(str(candidate))
            except OSError as problem:
                raise ImportError(
                    f"gcan: {candidate} cannot be loaded with PyTorch {torch.__version__}: {problem}. "
                    "It must be built against the same LibTorch."
                ) from problem
            return candidate
    raise ImportError(
        "gcan: libgcan_torch.so is missing; looked at "
        + ", ".join(str(candidate) for candidate in tried)
        + ". Build it with 'ninja -C build/release gcan_operators', or set GCAN_TORCH_LIBRARY to the file."
    )


# oneDNN under Debian's PyTorch, 1.13 and 2.6, ends the program at its first larger bfloat16 product on CPUs with AMX tiles:
# gcan/cli/frame/environment.cpp.
if torch.__version__.startswith("1.") or torch.__version__.endswith("+debian"):
    os.environ.setdefault("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16")

path = _load()
ops = torch.ops.gcan
