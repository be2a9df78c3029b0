"""The networks by their names in `gcan list`, and trained networks."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

from gcan.models import tetris
from gcan.models.fluid import ResNet2d, UNet2d
from gcan.safetensors import load_file

__all__ = ["Normalised", "load", "make", "names"]

PathLike = Union[str, os.PathLike]

Entry = Tuple[Callable[..., nn.Module], Dict[str, Any]]

_NETWORKS: Dict[str, Entry] = {
    "mlp": (tetris.Mlp, {"width": 384}),
    "motor-mlp": (tetris.MotorMlp, {}),
    "so3-mlp": (tetris.Emlp, {"mirrors": False}),
    "o3-mlp": (tetris.Emlp, {"mirrors": True}),
    "gca-mlp": (tetris.GcaMlp, {}),
    "edgeconv": (tetris.EdgeConv, {}),
    "gnn-s": (tetris.Gnn, {"width": 136}),
    "gnn-s-d": (tetris.Gnn, {"width": 136, "distances": True}),
    "gnn-l": (tetris.Gnn, {"width": 192}),
    "gnn-l-d": (tetris.Gnn, {"width": 192, "distances": True}),
    "gca-gnn": (tetris.GcaGnn, {"channels": 64}),
    "gca-gnn-45": (tetris.GcaGnn, {"channels": 45}),
    "mlp-velocity": (tetris.Mlp, {"width": 248, "velocities": True}),
    "gca-mlp-velocity": (tetris.GcaMlp, {"velocities": True}),
    "gnn-velocity": (tetris.Gnn, {"width": 192, "velocities": True}),
    "gca-gnn-velocity": (tetris.GcaGnn, {"velocities": True}),
    "resnet": (ResNet2d, {"family": "plain", "channels": 144}),
    "cresnet": (ResNet2d, {"family": "clifford"}),
    "cresnet-rot": (ResNet2d, {"family": "rotational"}),
    "gca-resnet": (ResNet2d, {"family": "gca"}),
    "unet": (UNet2d, {"family": "plain", "channels": 72}),
    "cunet": (UNet2d, {"family": "clifford"}),
    "cunet-rot": (UNet2d, {"family": "rotational"}),
    "gca-unet": (UNet2d, {"family": "gca"}),
}


def names() -> List[str]:
    """The names that make() accepts.

    >>> "gca-unet" in names()
    True
    """
    return list(_NETWORKS)


def make(name: str, **options: Any) -> nn.Module:
    """Makes a network by name, with the options of a configuration's [model] (`gcan list NAME` shows them).

    >>> make("gca-mlp", channels=8)(torch.randn(1, 1, 4, 32, 3)).shape
    torch.Size([1, 1, 4, 32, 3])
    """
    if name not in _NETWORKS:
        near = difflib.get_close_matches(name, _NETWORKS, 1)
        raise ValueError(f"gcan: there is no network {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    kind, standard = _NETWORKS[name]
    try:
        return kind(**{**standard, **options})
    except TypeError as problem:
        raise ValueError(f"gcan: the network {name!r} does not take these options: {problem}") from None


class Normalised(nn.Module):
    """A fluid network on frames in the units of the data: (x - mean) / scale before it, and the inverse after it.

    >>> net = Normalised(nn.Identity(), torch.ones(3, 1, 1), torch.full((3, 1, 1), 2.0))
    >>> x = torch.randn(1, 1, 3, 4, 4)
    >>> torch.allclose(net(x), x, atol=1e-6)
    True
    """

    def __init__(self, network: nn.Module, mean: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)

    def forward(self, x: Tensor) -> Tensor:
        return self.network((x - self.mean) / self.scale) * self.scale + self.mean


def _read_toml(path: Path) -> Dict[str, Any]:
    try:
        import tomllib
    except ModuleNotFoundError:  # before Python 3.11
        import tomli as tomllib  # type: ignore[no-redef]
    try:
        return tomllib.loads(path.read_text())
    except ValueError as problem:
        raise ValueError(f"gcan: {path} is damaged: {problem}") from None


def load(folder: PathLike, checkpoint: str = "best", units: str = "network") -> nn.Module:
    """The network of a run folder of `gcan train` with a checkpoint's weights (their average if the run kept one), in
    evaluation mode. `checkpoint` is "best" or "last". With units="data", a fluid network takes and returns frames in
    the units of its data file; otherwise they are normalised, as in training.

    `.config` is the configuration, `.step` the step of the weights.

    >>> import tempfile
    >>> from gcan.safetensors import save_file
    >>> with tempfile.TemporaryDirectory() as folder:  # what `gcan train` leaves
    ...     (Path(folder) / "checkpoints" / "best").mkdir(parents=True)
    ...     _ = (Path(folder) / "config.toml").write_text('[model]\\nname = "gca-mlp"\\nchannels = 8\\n')
    ...     save_file(make("gca-mlp", channels=8).state_dict(), folder + "/checkpoints/best/weights.safetensors")
    ...     net = load(folder)
    >>> net(torch.randn(1, 1, 4, 32, 3)).shape, net.config["model"]["channels"]
    (torch.Size([1, 1, 4, 32, 3]), 8)
    """
    root = Path(folder)
    if checkpoint not in ("best", "last"):
        raise ValueError(f"gcan: there is no checkpoint {checkpoint!r}; use last or best")
    if units not in ("network", "data"):
        raise ValueError(f"gcan: units={units!r}, expected network or data")
    if not (root / "config.toml").exists():
        raise ValueError(f"gcan: {root} is not a run folder: it has no config.toml; 'gcan train' makes one")
    config = _read_toml(root / "config.toml")
    model = dict(config["model"])
    network = make(model.pop("name"), **model)
    place = root / "checkpoints" / checkpoint
    if not (place / "weights.safetensors").exists():
        raise ValueError(f"gcan: the run in {root} has no checkpoint {checkpoint!r} yet")
    state = load_file(place / "weights.safetensors")
    if (place / "ema.safetensors").exists():
        state.update(load_file(place / "ema.safetensors"))
    missing, unexpected = network.load_state_dict(state, strict=False)
    if missing or unexpected:
        wrong = ", ".join([*missing, *unexpected][:4])
        raise ValueError(f"gcan: the weights in {place} do not fit the network {config['model']['name']!r}: {wrong}")
    network.eval()
    network.config = config  # type: ignore[assignment]
    network.step = _step(place)  # type: ignore[assignment]
    if units == "network":
        return network
    constants = load_file(root / "data.safetensors") if (root / "data.safetensors").exists() else {}
    if not constants:
        return network
    return Normalised(network, constants["mean"], constants["scale"]).eval()


def _step(place: Path) -> Optional[int]:
    state = place / "state.json"
    return json.loads(state.read_text()).get("step") if state.exists() else None
