"""The networks of the fluid experiments: (N, history, planes, height, width) to (N, future, planes, height, width)."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint as recomputed

from gcan.algebra import Algebra
from gcan.nn import (
    CliffordConv2d,
    CliffordConvTranspose2d,
    CliffordGroupNorm,
    GcaConv2d,
    GcaConvTranspose2d,
    GcaNorm,
    MSiLU,
    NormMSiLU,
    PlainConv2d,
)

__all__ = ["FluidNetwork", "ResNet2d", "UNet2d"]

FAMILIES = ("plain", "clifford", "rotational", "gca")


class Fields:
    """Which planes of a frame are scalar fields ("s", one plane) and which vector fields ("v", two), and which blades
    they are on: pair by pair, the scalar on e1 and the vector on e2, e3 for group actions, on 1 and e1, e2
    for multivectors."""

    def __init__(self, text: str, family: str, objects: Sequence[int]) -> None:
        parts = [part.strip() for part in text.split(",")]
        if not parts or any(part not in ("s", "v") for part in parts):
            raise ValueError(f'gcan: fields={text!r}, expected s and v with commas between, such as "s,v"')
        scalars, vectors, planes = [], [], 0
        for part in parts:
            (scalars if part == "s" else vectors).append(planes)
            planes += 1 if part == "s" else 2
        self.planes = planes
        self.channels = planes if family == "plain" else max(len(scalars), len(vectors))
        self.blades = 1 if family == "plain" else len(objects)
        self.places = list(range(planes))
        if family != "plain":
            scalar, first, second = (0, 1, 2)  # e1, e2, e3 of the objects, or 1, e1, e2 of all blades
            for i, plane in enumerate(scalars):
                self.places[plane] = i * self.blades + scalar
            for i, plane in enumerate(vectors):
                self.places[plane] = i * self.blades + first
                self.places[plane + 1] = i * self.blades + second
        self._plain = self.channels * self.blades == planes and self.places == sorted(self.places)

    def embed(self, x: Tensor) -> Tensor:
        """(N, frames, planes, H, W) -> (N, frames * channels, blades, H, W)."""
        if not self._plain:
            numbers = [self.planes] * (self.channels * self.blades)
            for plane, place in enumerate(self.places):
                numbers[place] = plane
            padded = torch.cat((x, torch.zeros_like(x[:, :, :1])), 2)
            x = padded.index_select(2, torch.tensor(numbers, device=x.device))
        return x.reshape(x.shape[0], x.shape[1] * self.channels, self.blades, x.shape[3], x.shape[4])

    def extract(self, y: Tensor) -> Tensor:
        planes = y.reshape(y.shape[0], -1, self.channels * self.blades, y.shape[3], y.shape[4])
        if self._plain:
            return planes
        return planes.index_select(2, torch.tensor(self.places, device=y.device))


class Layers:
    """Makes the layers of one family, with a common interface."""

    def __init__(self, family: str, norm: bool, padding: Tuple[str, str], variant: str, activation: str, precision: str) -> None:
        if family not in FAMILIES:
            raise ValueError(f"gcan: family={family!r}, expected one of {', '.join(FAMILIES)}")
        self.family, self.norm, self.padding = family, norm, padding
        self.released, self.aggregation = variant != "paper", activation
        self.bfloat16 = precision == "bfloat16"
        self.algebra = {"gca": Algebra(3), "rotational": Algebra(0, 2)}.get(family, Algebra(2))
        self.objects: Tuple[int, ...] = ()
        if family == "gca":
            self.objects = self.algebra.blades(1)
        elif family != "plain":
            self.objects = self.algebra.blades()

    def conv(self, inputs: int, outputs: int, kernel: int, stride: int = 1, bias: bool = True, transposed: bool = False) -> nn.Module:
        shape = dict(stride=stride, padding=(kernel - 1) // 2, bias=bias, padding_mode=self.padding)
        if self.family == "plain":
            layer: nn.Module = PlainConv2d(inputs, outputs, kernel, transposed=transposed, **shape)
        elif self.family == "gca":
            kind = GcaConvTranspose2d if transposed else GcaConv2d
            layer = kind(self.algebra, inputs, outputs, kernel, objects=self.objects, released=self.released, **shape)
        else:
            kind = CliffordConvTranspose2d if transposed else CliffordConv2d
            layer = kind(self.algebra, inputs, outputs, kernel, rotation=self.family == "rotational", **shape)
        layer.bfloat16 = self.bfloat16
        return layer

    def gate(self, channels: int) -> MSiLU:
        return MSiLU(
            self.algebra, channels, self.objects, self.aggregation, bias=False, released=self.released
        )

    def activation(self, channels: int) -> nn.Module:
        return self.gate(channels) if self.family == "gca" else nn.GELU()

    def norm_activation(self, channels: int, groups: int = 1) -> nn.Module:
        if not self.norm:
            return Gated(self.gate(channels)) if self.family == "gca" else nn.GELU()
        groups = math.gcd(groups, channels)
        if self.family == "gca":
            norm = GcaNorm(self.algebra, channels, self.objects, groups, released=self.released)
            return NormMSiLU(norm, self.gate(channels))
        if self.family == "plain":
            return GroupNormGelu(groups, channels)
        return CliffordNormGelu(self.algebra, groups, channels)


class Gated(nn.Module):
    """A gate without a norm, under the same name as with one."""

    def __init__(self, gate: MSiLU) -> None:
        super().__init__()
        self.gate = gate

    def forward(self, x: Tensor) -> Tensor:
        return self.gate(x)


class GroupNormGelu(nn.GroupNorm):
    def forward(self, x: Tensor) -> Tensor:
        # PyTorch 1.13 requires input and parameters of the same type, even under autocast.
        return F.gelu(super().forward(x.to(self.weight.dtype)).to(x.dtype))


class CliffordNormGelu(CliffordGroupNorm):
    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(super().forward(x))


class Block(nn.Module):
    """x + conv(act(norm(conv(act(norm(x))))))."""

    def __init__(self, layers: Layers, inputs: int, outputs: int, checkpoint: bool) -> None:
        super().__init__()
        self.norm1 = layers.norm_activation(inputs)
        self.conv1 = layers.conv(inputs, outputs, 3)
        self.norm2 = layers.norm_activation(outputs)
        self.conv2 = layers.conv(outputs, outputs, 3)
        self.shortcut: Optional[nn.Module] = None
        if inputs != outputs:
            self.shortcut = layers.conv(inputs, outputs, 1, bias=layers.family != "gca")
        self.checkpoint = checkpoint

    def run(self, x: Tensor) -> Tensor:
        h = self.norm2(self.conv1(self.norm1(x)))
        return self.conv2(h, x if self.shortcut is None else self.shortcut(x))

    def forward(self, x: Tensor) -> Tensor:
        if self.checkpoint and torch.is_grad_enabled() and not torch.jit.is_tracing():
            return recomputed(self.run, x)
        return self.run(x)


class FluidNetwork(nn.Module):
    """Frames to features and back; the keyword arguments are those of a configuration's [model]. Networks define what
    happens in between in run().

    >>> class Copy(FluidNetwork):
    ...     def run(self, x):
    ...         return x[:, -1:]
    >>> x = torch.randn(1, 4, 3, 8, 8)
    >>> torch.equal(Copy("gca")(x), x[:, -1:])
    True
    """

    multiple = 1

    def __init__(
        self,
        family: str = "gca",
        channels: int = 32,
        fields: str = "s,v",
        history: int = 4,
        future: int = 1,
        norm: bool = True,
        padding_y: str = "zeros",
        padding_x: str = "zeros",
        variant: str = "released",
        activation: str = "linear",
        precision: str = "float32",
        recompute: bool = False,
        checkpoint: bool = False,
    ) -> None:
        super().__init__()
        if min(channels, history, future) < 1:
            raise ValueError("gcan: a network needs at least one channel, one frame in and one frame out")
        self.layers_of = Layers(family, norm, (padding_y, padding_x), variant, activation, precision)
        self.family, self.channels, self.history, self.future = family, channels, history, future
        self.fields = Fields(fields, family, self.layers_of.objects)
        self.inputs, self.outputs = history * self.fields.channels, future * self.fields.channels
        self.checkpoint = checkpoint
        del recompute  # saves memory in C++ and does not change values

    def block(self, inputs: int, outputs: int) -> Block:
        return Block(self.layers_of, inputs, outputs, self.checkpoint)

    def run(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        expected = (self.history, self.fields.planes)
        if x.dim() != 5 or tuple(x.shape[1:3]) != expected or x.shape[3] % self.multiple or x.shape[4] % self.multiple:
            raise ValueError(
                f"gcan: {type(self).__name__} got a tensor of shape {tuple(x.shape)}, expected (*, {expected[0]}, "
                f"{expected[1]}, *, *) with a grid of multiples of {self.multiple}"
            )
        return self.fields.extract(self.run(self.fields.embed(x)))


class UNet2d(FluidNetwork):
    """The modern UNet of the paper's fluid experiments; family is "plain", "clifford", "rotational" or "gca".

    >>> UNet2d("plain", channels=4)(torch.randn(1, 4, 3, 16, 16)).shape
    torch.Size([1, 1, 3, 16, 16])
    """

    multiple = 8

    def __init__(self, family: str = "gca", channels: int = 32, **settings: Any) -> None:
        super().__init__(family, channels, **settings)
        layers, bias, c = self.layers_of, family != "gca", channels
        self.conv1 = layers.conv(self.inputs, c, 3, bias=bias)
        self.down = nn.ModuleList(self._way_down(layers, bias))
        self.middle = nn.ModuleList(self.block(8 * c, 8 * c) for _ in range(2))
        self.up = nn.ModuleList(self._way_up(layers, bias))
        self.norm = layers.norm_activation(c, 8 if family == "plain" else 1)
        self.conv2 = layers.conv(c, self.outputs, 3, bias=bias)

    def _way_down(self, layers: Layers, bias: bool) -> List[nn.Module]:
        steps: List[nn.Module] = []
        channels = self.channels
        for level, times in enumerate((1, 2, 2, 2)):
            for _ in range(2):
                wider = self.channels * 2**level
                steps.append(self.block(channels, wider))
                channels = wider
            if level < 3:
                steps.append(layers.conv(channels, channels, 3, stride=2, bias=bias))
        return steps

    def _way_up(self, layers: Layers, bias: bool) -> List[nn.Module]:
        steps: List[nn.Module] = []
        channels = self.channels * 8
        for level, times in reversed(list(enumerate((1, 2, 2, 2)))):
            steps += [self.block(2 * channels, channels) for _ in range(2)]
            narrower = channels // times
            steps.append(self.block(channels + narrower, narrower))
            channels = narrower
            if level > 0:
                steps.append(layers.conv(channels, channels, 4, stride=2, bias=bias, transposed=True))
        return steps

    def run(self, x: Tensor) -> Tensor:
        h = self.conv1(x)
        skips = [h]
        for step in self.down:
            h = step(h)
            skips.append(h)
        for step in self.middle:
            h = step(h)
        for step in self.up:
            if isinstance(step, Block):
                h = torch.cat((h, skips.pop()), 1)
            h = step(h)
        return self.conv2(self.norm(h))


class ResNet2d(FluidNetwork):
    """The residual network of the paper's fluid experiments, of any family.

    >>> ResNet2d("gca", channels=4, blocks=2)(torch.randn(1, 4, 3, 10, 12)).shape
    torch.Size([1, 1, 3, 10, 12])
    """

    def __init__(self, family: str = "gca", channels: int = 64, blocks: int = 8, **settings: Any) -> None:
        super().__init__(family, channels, **settings)
        layers, c = self.layers_of, channels
        plain, gca = family == "plain", family == "gca"
        self._outer = [0 if gca or mode != "zeros" else 9 for mode in layers.padding]
        self.conv_in1 = layers.conv(self.inputs, c, 1, bias=not gca)
        self.act1 = layers.activation(c)
        if plain or gca:
            self.conv_in2 = layers.conv(c, c, 1, bias=plain)
        self.layers = nn.ModuleList(self.block(c, c) for _ in range(blocks))
        if plain or gca:
            self.conv_out1 = layers.conv(c, c, 1, bias=plain)
            self.act2 = layers.activation(c)
        self.conv_out2 = layers.conv(c, self.outputs, 1, bias=plain)

    def run(self, x: Tensor) -> Tensor:
        clifford = self.family in ("clifford", "rotational")
        if clifford:
            h = self.conv_in1(self.act1(x))
        else:
            h = self.conv_in2(self.act1(self.conv_in1(x)))
            if self.family == "plain":
                h = F.gelu(h)
        pads = any(self._outer)
        if pads:
            h = F.pad(h, (0, self._outer[1], 0, self._outer[0]))
        for block in self.layers:
            h = block(h)
        if pads:
            h = h[..., : x.shape[3], : x.shape[4]].contiguous()
        if not clifford:
            h = self.act2(self.conv_out1(h))
        return self.conv_out2(h)
