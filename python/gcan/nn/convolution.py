"""What all convolutions share: arguments in the form that the operators expect, padding per dimension, and folding."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import AlgebraLike

__all__ = ["Foldable", "PlainConv2d", "fold"]

Size = Union[int, Sequence[int]]
Device = Union[str, torch.device, None]
PaddingMode = Union[str, Sequence[str]]

MODES = ("zeros", "circular", "reflect")


def each(value: Size, dimensions: int, what: str, least: int) -> Tuple[int, ...]:
    """One number per dimension, from a single number or a sequence."""
    numbers = (int(value),) * dimensions if isinstance(value, int) else tuple(int(number) for number in value)
    if len(numbers) != dimensions or min(numbers) < least:
        raise ValueError(f"gcan: {what}={value!r}, expected {dimensions} whole numbers of at least {least}, or one")
    return numbers


def placed(module: nn.Module, device: Device, dtype: Optional[torch.dtype]) -> None:
    """Moves a new module to the device and type that its constructor was given."""
    if device is not None or dtype is not None:
        module.to(device=device, dtype=dtype)


def padding_modes(mode: PaddingMode, dimensions: int) -> Tuple[int, ...]:
    """The operators' codes for padding modes, from a single name or one per dimension."""
    names = (mode,) * dimensions if isinstance(mode, str) else tuple(mode)
    if len(names) != dimensions or any(name not in MODES for name in names):
        raise ValueError(f"gcan: padding_mode={mode!r}, expected one of {', '.join(MODES)}, or one for each dimension")
    return tuple(MODES.index(name) for name in names)


class Foldable(nn.Module):
    """A layer that computes with a plain kernel built from its parameters, and can be turned into the plain layer. Your
    own layers that define plain() are folded too.

    >>> class Doubled(Foldable):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.halves = nn.Parameter(torch.ones(2, 3))
    ...     def plain(self):
    ...         return (self.weight, self.bias) if self.folded else (2 * self.halves, None)
    ...     def forward(self, x):
    ...         return nn.functional.linear(x, *self.plain())
    >>> layer = Doubled()
    >>> fold(layer), layer.weight.sum().item(), layer(torch.ones(1, 3)).tolist()
    (1, 12.0, [[6.0, 6.0]])
    """

    folded: bool = False

    def plain(self) -> Tuple[Tensor, Optional[Tensor]]:
        """The kernel and bias of the plain layer on (N, channels * blades, space...)."""
        raise NotImplementedError

    def fold(self) -> None:
        """Replaces the parameters with the plain kernel and bias, in place."""
        if self.folded:
            return
        with torch.no_grad():
            kernel, bias = self.plain()
        for name in list(self._parameters):
            del self._parameters[name]
        self.weight = nn.Parameter(kernel.detach().clone())
        self.register_parameter("bias", None if bias is None else nn.Parameter(bias.detach().clone()))
        self.folded = True


def fold(module: nn.Module) -> int:
    """Folds every layer inside a module, in place. The result is a plain network for inference that computes the same
    values. Returns the number of folded layers.

    >>> import gcan
    >>> layer = gcan.nn.GcaLinear((3, 0, 0), 2, 4)
    >>> x = torch.randn(5, 2, 3)
    >>> before = layer(x)
    >>> fold(layer), torch.allclose(layer(x), before, atol=1e-6)
    (1, True)
    """
    layers = [part for part in module.modules() if isinstance(part, Foldable) and not part.folded]
    for layer in layers:
        layer.fold()
    return len(layers)


class Convolving(Foldable):
    """The settings of a convolution, and the call of the operator with the kernel and bias of plain()."""

    _dimensions = 2
    _is_transposed = False

    def _set(
        self,
        kernel_size: Size,
        stride: Size,
        padding: Size,
        dilation: Size,
        groups: int,
        padding_mode: PaddingMode,
        output_padding: Size = 0,
    ) -> None:
        dimensions, transposed = self._dimensions, self._is_transposed
        self.kernel_size = each(kernel_size, dimensions, "kernel_size", 1)
        self.stride = each(stride, dimensions, "stride", 1)
        self.padding = each(padding, dimensions, "padding", 0)
        self.dilation = each(dilation, dimensions, "dilation", 1)
        self.output_padding = each(output_padding, dimensions, "output_padding", 0)
        self.groups = int(groups)
        self.padding_mode = padding_mode
        self.transposed = transposed
        if any(self.output_padding) and not transposed:
            raise ValueError("gcan: output_padding is for transposed convolutions")
        self._modes = padding_modes(padding_mode, dimensions)
        self.bfloat16 = False
        if transposed:
            self._check_circular()

    def _check_circular(self) -> None:
        for i, mode in enumerate(self._modes):
            step = (self.kernel_size[i] - 1) * self.dilation[i] + 1 - 2 * self.padding[i]
            if mode and (mode != 1 or self.output_padding[i] or step != self.stride[i]):
                raise ValueError(
                    "gcan: a transposed convolution can be circular only where the kernel less twice the padding is "
                    "the stride, and cannot reflect"
                )

    def forward(self, x: Tensor, add: Optional[Tensor] = None) -> Tensor:
        """The convolution of x, plus `add`, a tensor of the result's shape."""
        kernel, bias = self.plain()
        y = ops.convolution(
            x,
            kernel,
            kernel.new_empty(0) if bias is None else bias,
            self.stride,
            self.padding,
            self.dilation,
            self._modes,
            self.groups,
            self.transposed,
            self.output_padding,
            self.bfloat16,
        )
        return y if add is None else y + add

    def _settings_text(self) -> str:
        text = f"kernel_size={self.kernel_size}"
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1)):
            if any(value != usual for value in getattr(self, name)):
                text += f", {name}={getattr(self, name)}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if any(self._modes):
            text += f", padding_mode={self.padding_mode!r}"
        return text


class Transposed(Convolving):
    """Turns a convolution into a transposed one, with its arguments in torch's order."""

    _is_transposed = True
    _bias: bool  # the default

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: Optional[bool] = None,
        dilation: Size = 1,
        padding_mode: PaddingMode = "zeros",
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
        **options: Any,
    ) -> None:
        super().__init__(
            algebra, in_channels, out_channels, kernel_size, stride, padding, dilation, groups,
            self._bias if bias is None else bias, padding_mode, device, dtype, output_padding=output_padding, **options,
        )  # fmt: skip


class PlainConv2d(Convolving):
    """torch.nn.Conv2d, or ConvTranspose2d, by gcan's kernels, with padding modes per dimension. x is (N, channels, H, W)
    or (N, channels, blades, H, W).

    >>> PlainConv2d(3, 8, 3, padding=1, padding_mode=("zeros", "circular"))(torch.randn(1, 3, 8, 16)).shape
    torch.Size([1, 8, 8, 16])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        transposed: bool = False,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
    ) -> None:
        super().__init__()
        self._is_transposed = transposed
        self._set(kernel_size, stride, padding, 1, 1, padding_mode)
        kind = nn.ConvTranspose2d if transposed else nn.Conv2d
        like = kind(in_channels, out_channels, self.kernel_size, bias=bias, device=device, dtype=dtype)
        self.weight = like.weight
        self.register_parameter("bias", like.bias)

    def plain(self) -> Tuple[Tensor, Optional[Tensor]]:
        return self.weight, self.bias

    def fold(self) -> None:
        self.folded = True
