"""Gates and normalisation of k-vectors."""

from __future__ import annotations

import math
from typing import List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import Algebra, AlgebraLike
from gcan.nn.convolution import Device, placed

__all__ = ["GcaNorm", "MSiLU", "NormMSiLU"]

Blades = Union[Sequence[int], Sequence[str]]

AGGREGATIONS = ("linear", "sum", "mean")
GATES = ("grade", "channel")
DIVISORS = ("one", "mean_norm", "mean_centred_norm")
SCALES = ("none", "grade", "channel")


def chosen(name: str, value: str, allowed: Sequence[str]) -> int:
    if value not in allowed:
        raise ValueError(f"gcan: {name}={value!r}, expected one of {', '.join(allowed)}")
    return allowed.index(value)


def grade_parts(blades: Sequence[int]) -> Tuple[int, ...]:
    """For each blade, the index of its grade, in the order in which the grades appear."""
    seen: List[int] = []
    for blade in blades:
        grade = bin(blade).count("1")
        if grade not in seen:
            seen.append(grade)
    return tuple(seen.index(bin(blade).count("1")) for blade in blades)


class MSiLU(nn.Module):
    """Scales each k-vector by sigmoid(f), where f is a linear form of all components, or their sum or mean, with one
    gate per grade or per channel. Input and output are (N, channels, blades, space...).

    >>> MSiLU((3, 0, 1), 16)(torch.randn(8, 16, 3)).shape
    torch.Size([8, 16, 3])
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        channels: int,
        objects: Optional[Blades] = None,
        aggregation: str = "linear",
        gates: str = "grade",
        bias: bool = True,
        released: bool = False,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        if channels < 1:
            raise ValueError(f"gcan: MSiLU got {channels} channels, expected at least 1")
        self.algebra, self.channels = Algebra.of(algebra), int(channels)
        self.objects = self.algebra.default_objects() if objects is None else self.algebra.numbers(objects)
        if released:
            gates, bias = "channel", True
        self.aggregation, self.gates = aggregation, gates
        chosen("aggregation", aggregation, AGGREGATIONS)
        per_grade = chosen("gates", gates, GATES) == 0
        self.parts = grade_parts(self.objects) if per_grade else (0,) * len(self.objects)
        sizes = (self.channels, max(self.parts) + 1, len(self.objects))
        if aggregation == "linear":
            self.weight = nn.Parameter(torch.empty(sizes))
            self.register_parameter("bias", nn.Parameter(torch.empty(sizes[:2])) if bias else None)
            self.reset_parameters()
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        placed(self, device, dtype)

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(len(self.objects))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forms(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        """The linear forms of the gates, (channels, gates, blades), and their constants (channels, gates), learnt or not."""
        weight, bias = self.weight, self.bias
        if weight is None:
            value = 1.0 if self.aggregation == "sum" else 1 / len(self.objects)
            weight = x.new_full((self.channels, max(self.parts) + 1, len(self.objects)), value)
        if bias is None:
            bias = weight.new_zeros(weight.shape[:2])
        return weight, bias

    def forward(self, x: Tensor) -> Tensor:
        return ops.msilu(x, *self.forms(x), self.parts)

    def extra_repr(self) -> str:
        names = " ".join(self.algebra.names(self.objects))
        return f"{self.algebra}, {self.channels}, {names}, aggregation={self.aggregation!r}, gates={self.gates!r}"


class GcaNorm(nn.Module):
    """Centres the multivectors of a group of channels and divides each grade by its mean norm. Input and
    output are (N, channels, blades, space...). `divisor` is "mean_norm" (the paper), "mean_centred_norm" or "one" (the
    released layers), `scale` a learnt factor per "grade", per "channel" or "none".

    >>> GcaNorm((3, 0, 0), 4)(torch.randn(2, 4, 3, 16, 16)).mean((1, 3, 4)).abs().max() < 1e-5
    tensor(True)
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        channels: int,
        objects: Optional[Blades] = None,
        groups: int = 1,
        space: bool = True,
        divisor: str = "mean_norm",
        scale: str = "grade",
        bias: bool = False,
        eps: float = 1e-5,
        released: bool = False,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        if channels < 1 or groups < 1 or channels % groups:
            raise ValueError(f"gcan: GcaNorm got {groups} groups for {channels} channels, expected a number that divides them")
        if not eps >= 0:
            raise ValueError(f"gcan: GcaNorm got eps={eps}, expected 0 or more")
        if released:
            divisor, scale, bias, eps = "one", "channel", True, 0.0
        self.algebra, self.channels, self.groups, self.space = Algebra.of(algebra), int(channels), int(groups), space
        self.objects = self.algebra.default_objects() if objects is None else self.algebra.numbers(objects)
        self.divisor, self.scale, self.eps = divisor, scale, float(eps)
        self.parts = grade_parts(self.objects)
        self._divisor, self._scale = chosen("divisor", divisor, DIVISORS), chosen("scale", scale, SCALES)
        count = max(self.parts) + 1 if scale == "grade" else channels
        self.register_parameter("weight", None if scale == "none" else nn.Parameter(torch.ones(count)))
        self.register_parameter("bias", nn.Parameter(torch.zeros(channels, len(self.objects))) if bias else None)
        self.register_buffer("_none", torch.empty(0), persistent=False)
        placed(self, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        return self.before_gate(x, self._none, self._none, self.parts)

    def before_gate(self, x: Tensor, gate_weight: Tensor, gate_bias: Tensor, gate_parts: Sequence[int]) -> Tensor:
        weight, bias = self.weight, self.bias
        return ops.norm(
            x,
            self._none if weight is None else weight,
            self._none if bias is None else bias,
            gate_weight,
            gate_bias,
            self.parts,
            gate_parts,
            self._scale,
            self.groups,
            self.space,
            self._divisor,
            self.eps,
        )[0]

    def extra_repr(self) -> str:
        names = " ".join(self.algebra.names(self.objects))
        return f"{self.algebra}, {self.channels}, {names}, groups={self.groups}, divisor={self.divisor!r}, scale={self.scale!r}"


class NormMSiLU(nn.Module):
    """GcaNorm, then MSiLU, in one pass that keeps one activation instead of two.

    >>> norm, gate = GcaNorm((3, 0, 0), 4), MSiLU((3, 0, 0), 4)
    >>> x = torch.randn(2, 4, 3, 8, 8)
    >>> torch.allclose(NormMSiLU(norm, gate)(x), gate(norm(x)), atol=1e-5)
    True
    """

    def __init__(self, norm: GcaNorm, gate: MSiLU) -> None:
        super().__init__()
        if norm.algebra != gate.algebra or norm.channels != gate.channels or norm.objects != gate.objects:
            raise ValueError("gcan: NormMSiLU got a norm and a gate for different features, expected the same for both")
        self.norm, self.gate = norm, gate

    def forward(self, x: Tensor) -> Tensor:
        return self.norm.before_gate(x, *self.gate.forms(x), self.gate.parts)
