"""Group action layers: sums of w a x a^-1, so that k-vectors map to k-vectors."""

from __future__ import annotations

import math
from typing import Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn

from gcan._library import ops
from gcan.algebra import Algebra, AlgebraLike
from gcan.nn.convolution import Convolving, Device, Foldable, PaddingMode, Size, Transposed, placed

__all__ = [
    "GcaConv1d",
    "GcaConv2d",
    "GcaConv3d",
    "GcaConvTranspose1d",
    "GcaConvTranspose2d",
    "GcaConvTranspose3d",
    "GcaLinear",
]

Blades = Union[Sequence[int], Sequence[str]]

INVERSES = ("reverse", "exact", "normalized", "regularized")
ALL_SAMPLES = 2**63 - 1


class _Action(Foldable):
    """The parameters of a group action layer: `action` (action blades, rows, columns, kernel...), `weight` (rows,
    columns, kernel...), `delta` (in, constants) and `bias` (out, blades), the last two if the layer has them."""

    algebra: Algebra
    bias: Optional[Tensor]
    delta: Optional[Tensor]

    def _make(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        kernel_size: Tuple[int, ...],
        bias: bool,
        actions: Optional[Blades],
        objects: Optional[Blades],
        constants: Optional[Blades],
        inverse: str,
        eps: float,
        delta0: float,
        released: bool,
        groups: int,
        transposed: bool,
    ) -> None:
        self.algebra = Algebra.of(algebra)
        self.in_channels, self.out_channels = int(in_channels), int(out_channels)
        if min(self.in_channels, self.out_channels) < 1:
            raise ValueError(f"gcan: {self._title()} needs at least one input and one output channel")
        if groups < 1 or self.in_channels % groups or self.out_channels % groups:
            raise ValueError(f"gcan: {self._title()} needs numbers of channels that its {groups} groups divide")
        if inverse not in INVERSES:
            raise ValueError(f"gcan: inverse={inverse!r}, expected one of {', '.join(INVERSES)}")
        if not (math.isfinite(eps) and eps >= 0):
            raise ValueError(f"gcan: eps={eps}, expected a finite number that is not negative")
        a = self.algebra
        self.actions = a.even_blades() if actions is None else a.numbers(actions)
        self.objects = a.default_objects() if objects is None else a.numbers(objects)
        self.inverse, self.eps, self.delta0, self.released = inverse, float(eps), float(delta0), released
        if transposed:
            # The number of kernel positions that reach a point varies from point to point, so it cannot become a bias.
            if constants:
                raise ValueError(f"gcan: {self._title()} has constant blades, which a transposed convolution cannot")
            constants = ()
        self.constants = self._default_constants() if constants is None else a.numbers(constants)
        rows, columns = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        sizes = (rows, columns // groups, *kernel_size)
        self.action = nn.Parameter(torch.empty(len(self.actions), *sizes))
        self.weight = nn.Parameter(torch.empty(sizes))
        self.register_parameter(
            "delta", nn.Parameter(torch.empty(in_channels, len(self.constants))) if self.constants else None
        )
        self.register_parameter(
            "bias", nn.Parameter(torch.empty(out_channels, len(self.objects))) if bias else None
        )
        self.register_buffer("_none", torch.empty(0), persistent=False)
        self._plan = (
            *a.signature,
            INVERSES.index(inverse),
            groups,
            int(transposed and not released),
            len(self.actions),
            len(self.objects),
            len(self.constants),
            *self.actions,
            *self.objects,
            *self.constants,
        )
        self.reset_parameters()

    def _default_constants(self) -> Tuple[int, ...]:
        """The homogeneous weight of points, if it is not an object blade and affects one."""
        a = self.algebra
        if a.r != 1:
            return ()
        weight = ((1 << a.dimension) - 1) ^ 1
        if weight in self.objects:
            return ()
        grade = bin(weight).count("1")
        reached = any(bin(blade).count("1") == grade for blade in self.objects) and any(
            blade & 1 for blade in self.actions
        )
        return (weight,) if reached or self.released else ()

    def reset_parameters(self) -> None:
        """Draws new initial values: actions of length 1 without translations, weights as in torch's layers."""
        if self.folded:
            raise RuntimeError(f"gcan: {self._title()} is folded: it has no group actions to draw again")
        with torch.no_grad():
            null = (1 << self.algebra.r) - 1
            for i, blade in enumerate(self.actions):
                if blade & null:
                    self.action[i].zero_()
                else:
                    self.action[i].uniform_(-1, 1)
            length = self.action.square().sum(0, keepdim=True).sqrt()
            self.action.div_(torch.where(length > 0, length, torch.ones_like(length)))
            nn.init.kaiming_uniform_(self.weight, math.sqrt(5.0))
            if self.delta is not None:
                self.delta.fill_(self.delta0)
            if self.bias is not None:
                bound = 1 / math.sqrt(self.weight[0].numel())
                self.bias.uniform_(-bound, bound)

    def _optional(self, name: str) -> Tensor:
        tensor = getattr(self, name)
        return self._none if tensor is None else tensor

    def plain(self) -> Tuple[Tensor, Optional[Tensor]]:
        if self.folded:
            return self.weight, self.bias
        kernel, shift = ops.action_kernel(self.action, self.weight, self._optional("delta"), self._plan, self.eps)
        bias = None if self.bias is None else self.bias.flatten()
        if self.constants:
            bias = shift if bias is None else shift + bias
        return kernel, bias

    def _title(self) -> str:
        return f"{type(self).__name__}({self.algebra}, {self.in_channels} -> {self.out_channels})"

    def extra_repr(self) -> str:
        text = f"{self.algebra}, {self.in_channels}, {self.out_channels}, {' '.join(self.algebra.names(self.objects))}"
        if self.inverse != "reverse":
            text += f", inverse={self.inverse!r}"
        if self.bias is not None and not self.folded:
            text += ", bias=True"
        return text + (", folded" if self.folded else "")


class GcaLinear(_Action):
    """y_o = sum_i w_oi a_oi x_i a_oi^-1: a linear layer whose entries are group actions. x is (..., in, blades).

    `objects` are the blades of the features (points if the algebra is projective, otherwise vectors), `actions` those
    of the actions, all even or all odd, and `constants` blades on which all objects of a channel share one learnt value
    `delta`. `released=True` selects the layer as its authors released it: delta0 = 0 disables translations.

    >>> layer = GcaLinear((3, 0, 1), 128, 64)
    >>> layer(torch.randn(16, 128, 3)).shape
    torch.Size([16, 64, 3])
    """

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        bias: bool = False,
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
        *,
        actions: Optional[Blades] = None,
        objects: Optional[Blades] = None,
        constants: Optional[Blades] = None,
        inverse: str = "reverse",
        eps: float = 1e-4,
        delta0: float = 1.0,
        released: bool = False,
    ) -> None:
        super().__init__()
        self._make(
            algebra, in_channels, out_channels, (), bias, actions, objects, constants,
            "reverse" if released else inverse, eps, 0.0 if released else delta0, released, 1, False,
        )  # fmt: skip
        placed(self, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        if self.folded:
            y = nn.functional.linear(x.flatten(-2), self.weight, self.bias)
            return y.unflatten(-1, (self.out_channels, len(self.objects)))
        # By attribute, never through _parameters: functional_call of PyTorch 1.13 replaces attributes.
        delta, bias, none = self.delta, self.bias, self._none
        return ops.action_linear(
            x, self.action, self.weight, none if delta is None else delta, none if bias is None else bias,
            self._plan, self.eps,
        )[0]  # fmt: skip

    def forward_columns(
        self, x: Tensor, biased: int = ALL_SAMPLES, bias_weight: float = 1.0, groups: int = 1
    ) -> Tensor:
        """The same with the samples last: x is (in * blades / groups, N), the result (out * blades * groups, N).
        Samples from `biased` on are directions, which constant blades and bias do not affect; for the others both are
        multiplied by `bias_weight`. With groups, a sample has the channels of a single group, and the result is what it
        would contribute as each of the groups.

        >>> GcaLinear((3, 0, 1), 4, 2).forward_columns(torch.randn(12, 100)).shape
        torch.Size([6, 100])
        """
        if self.folded:
            return self._plain_columns(x, biased, bias_weight, groups)
        return ops.action_linear(
            x, self.action, self.weight, self._optional("delta"), self._optional("bias"), self._plan, self.eps,
            True, biased, bias_weight, groups,
        )[0]  # fmt: skip

    def _plain_columns(self, x: Tensor, biased: int, bias_weight: float, groups: int) -> Tensor:
        y = self.weight.reshape(-1, self.weight.shape[1] // groups) @ x
        if self.bias is None:
            return y
        bias = nn.functional.pad((self.bias * bias_weight).unsqueeze(1), (0, groups - 1)).reshape(-1, 1)
        if biased >= x.shape[1]:
            return y + bias
        return torch.cat((y[:, :biased] + bias, y[:, biased:]), 1)


class _GcaConv(_Action, Convolving):
    _bias = False

    def __init__(
        self,
        algebra: AlgebraLike,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = False,
        padding_mode: PaddingMode = "zeros",
        device: Device = None,
        dtype: Optional[torch.dtype] = None,
        *,
        actions: Optional[Blades] = None,
        objects: Optional[Blades] = None,
        constants: Optional[Blades] = None,
        inverse: str = "reverse",
        eps: float = 1e-4,
        delta0: float = 1.0,
        released: bool = False,
        output_padding: Size = 0,
    ) -> None:
        super().__init__()
        if released and groups != 1:
            raise ValueError("gcan: released=True does not go with groups: those of the released layer mix blades")
        self._set(kernel_size, stride, padding, dilation, groups, padding_mode, output_padding)
        self._make(
            algebra, in_channels, out_channels, self.kernel_size, bias, actions, objects, constants,
            "regularized" if released else inverse, eps, 0.0 if released else delta0, released, groups,
            self._is_transposed,
        )  # fmt: skip
        placed(self, device, dtype)

    def forward(self, x: Tensor, add: Optional[Tensor] = None) -> Tensor:
        """The convolution of x, plus `add`, a tensor of the result's shape."""
        if self.folded:
            return super().forward(x, add)
        # By attribute and without helpers, as in GcaLinear, because every call counts in networks of small layers.
        delta, bias, none = self.delta, self.bias, self._none
        return ops.action_convolution(
            x, self.action, self.weight, none if delta is None else delta, none if bias is None else bias,
            none if add is None else add, self._plan, self.eps, self.stride, self.padding, self.dilation, self._modes,
            self.groups, self.transposed, self.output_padding, self.bfloat16,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return super().extra_repr() + ", " + self._settings_text()


class GcaConv1d(_GcaConv):
    """A convolution over (N, in, blades, L), every position of whose kernel is a group action with a weight.

    >>> GcaConv1d((2, 0, 0), 4, 8, 3, padding=1)(torch.randn(2, 4, 2, 10)).shape
    torch.Size([2, 8, 2, 10])
    """

    _dimensions = 1


class GcaConv2d(_GcaConv):
    """A convolution over (N, in, blades, H, W), every position of whose kernel is a group action with a weight.

    >>> layer = GcaConv2d((3, 0, 0), 4, 8, 3, padding=1, padding_mode=("zeros", "circular"))
    >>> layer(torch.randn(2, 4, 3, 16, 32)).shape
    torch.Size([2, 8, 3, 16, 32])
    """

    _dimensions = 2


class GcaConv3d(_GcaConv):
    """A convolution over (N, in, blades, D, H, W), every position of whose kernel is a group action with a weight.

    >>> GcaConv3d((3, 0, 0), 2, 2, 3)(torch.randn(1, 2, 3, 4, 5, 6)).shape
    torch.Size([1, 2, 3, 2, 3, 4])
    """

    _dimensions = 3


class GcaConvTranspose1d(Transposed, _GcaConv):
    """The transposed convolution over (N, in, blades, L), which undoes a stride.

    >>> GcaConvTranspose1d((2, 0, 0), 4, 8, 4, stride=2, padding=1)(torch.randn(2, 4, 2, 10)).shape
    torch.Size([2, 8, 2, 20])
    """

    _dimensions = 1


class GcaConvTranspose2d(Transposed, _GcaConv):
    """The transposed convolution over (N, in, blades, H, W), which undoes a stride.

    >>> GcaConvTranspose2d((3, 0, 0), 4, 8, 4, stride=2, padding=1)(torch.randn(2, 4, 3, 8, 8)).shape
    torch.Size([2, 8, 3, 16, 16])
    """

    _dimensions = 2


class GcaConvTranspose3d(Transposed, _GcaConv):
    """The transposed convolution over (N, in, blades, D, H, W), which undoes a stride.

    >>> GcaConvTranspose3d((3, 0, 0), 2, 2, 2, stride=2)(torch.randn(1, 2, 3, 4, 4, 4)).shape
    torch.Size([1, 2, 3, 8, 8, 8])
    """

    _dimensions = 3
