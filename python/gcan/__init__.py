"""Geometric Clifford algebra networks for PyTorch.

`gcan.nn` contains the layers, `gcan.models` the networks, new and trained, `gcan.optim` Adam and AdamW, `gcan.algebra`
geometric algebra on tensors, `gcan.sim` the simulators, `gcan.data` datasets over their files, and
`gcan.compat.cliffordlayers` replaces the package cliffordlayers. Parts are loaded when they are first used; all but `data` and `compat` need libgcan_torch.
"""

from importlib import import_module
from types import ModuleType
from typing import List

__version__ = "0.2.0"

_PARTS = ("algebra", "compat", "data", "models", "nn", "optim", "safetensors", "sim")

__all__ = ["__version__", *_PARTS]


def __getattr__(name: str) -> ModuleType:
    if name in _PARTS:
        return import_module(f"gcan.{name}")
    raise AttributeError(f"module 'gcan' has no attribute {name!r}")


def __dir__() -> List[str]:
    return sorted(__all__)
