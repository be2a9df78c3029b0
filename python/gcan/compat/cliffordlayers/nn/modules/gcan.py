"""Group action layers: motors in projective geometry, and rotations of vectors of G(3,0,0)."""

from __future__ import annotations

import math
from typing import Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules.utils import _pair

from ...cliffordalgebra import CliffordAlgebra
from ...layout import from_rows, quaternion_rotation, to_rows

__all__ = [
    "CliffordG3Conv2d",
    "CliffordG3ConvTranspose2d",
    "CliffordG3GroupNorm",
    "CliffordG3LinearVSiLU",
    "CliffordG3MeanVSiLU",
    "CliffordG3SumVSiLU",
    "MultiVectorAct",
    "PGAConjugateLinear",
]

MOTOR = (0, 5, 6, 7, 8, 9, 10, 15)
E123 = 14


class PGAConjugateLinear(nn.Module):
    """y_o = sum_i w_oi a_oi x_i ~a_oi with motors a; (batch, features, blades).

    The component e123 of the input is a parameter of its channel. It starts at 0 as released, where neither it nor
    the translations have a gradient; ``corrected=True`` starts it at 1.

    >>> algebra = CliffordAlgebra((0, 1, 1, 1))
    >>> PGAConjugateLinear(2, 3, algebra, (11, 12, 13))(torch.randn(5, 2, 3)).shape
    torch.Size([5, 3, 3])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        algebra: CliffordAlgebra,
        input_blades: Sequence[int],
        action_blades: Sequence[int] = MOTOR,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        if algebra.metric.tolist() != [0, 1, 1, 1]:
            raise ValueError(f"gcan: PGAConjugateLinear got the metric {algebra.metric.tolist()}, expected [0, 1, 1, 1]")
        self.in_features, self.out_features, self.algebra = in_features, out_features, algebra
        self.input_blades, self.action_blades = tuple(input_blades), tuple(action_blades)
        self.n_action_blades, self.corrected = len(self.action_blades), corrected
        self._action = nn.Parameter(torch.empty(out_features, in_features, self.n_action_blades))
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.embed_e0 = nn.Parameter(torch.empty(in_features, 1))
        self.register_buffer("_sandwich", self._plan(), persistent=False)
        self.reset_parameters()

    def _plan(self) -> Tensor:
        """(y, x, i, j): the contribution of e_i x ~e_j to y, for output blades y and for input blades x, then e123."""
        table = self.algebra.cayley.double().cpu()  # [left, result, right]
        inputs, actions = [*self.input_blades, E123], list(self.action_blades)
        signs = self.algebra.reverse(torch.ones(len(table), dtype=torch.float64))[actions]
        left = table[actions][:, :, inputs]  # (i, q, x)
        right = table[:, list(self.input_blades)][:, :, actions] * signs  # (q, y, j)
        plan = torch.einsum("iqx,qyj->yxij", left, right)
        if E123 in self.input_blades:
            plan[:, self.input_blades.index(E123)] = 0
        return plan.to(torch.get_default_dtype())

    def reset_parameters(self) -> None:
        rotates = torch.tensor([blade in (0, 8, 9, 10) for blade in self.action_blades])
        with torch.no_grad():
            self._action.uniform_(-1, 1)
            self._action.mul_(rotates)
            self._action.div_(self._action.norm(dim=-1, keepdim=True))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        nn.init.constant_(self.embed_e0, 1.0 if self.corrected else 0.0)

    @property
    def action(self) -> Tensor:
        """The motors as multivectors (out, in, 16)."""
        return self.algebra.embed(self._action, self.action_blades)

    def forward(self, input: Tensor) -> Tensor:
        blades = len(self.input_blades)
        pairs = (self._action.unsqueeze(-1) * self._action.unsqueeze(-2)).flatten(2)
        blocks = (pairs * self.weight.unsqueeze(-1)) @ self._sandwich.flatten(2).flatten(0, 1).t()
        blocks = blocks.unflatten(2, (blades, blades + 1))  # (out, in, y, x)
        kernel = blocks[..., :blades].transpose(1, 2).flatten(2).flatten(0, 1)
        bias = (blocks[..., blades] * self.embed_e0).sum(1).flatten()
        return F.linear(input.flatten(1), kernel, bias).unflatten(1, (self.out_features, blades))

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}, input_blades={self.input_blades}"


class MultiVectorAct(nn.Module):
    """x sigmoid(f(x)) with f a learnt linear form of the components, their sum, or their mean.

    >>> algebra = CliffordAlgebra((0, 1, 1, 1))
    >>> MultiVectorAct(2, algebra, (11, 12, 13))(torch.randn(5, 2, 3)).shape
    torch.Size([5, 2, 3])
    """

    def __init__(
        self,
        channels: int,
        algebra: CliffordAlgebra,
        input_blades: Sequence[int],
        kernel_blades: Optional[Sequence[int]] = None,
        agg: str = "linear",
    ) -> None:
        super().__init__()
        if agg not in ("linear", "sum", "mean"):
            raise ValueError(f"gcan: MultiVectorAct got agg='{agg}', expected 'linear', 'sum' or 'mean'")
        self.algebra, self.agg = algebra, agg
        self.input_blades = tuple(input_blades)
        self.kernel_blades = self.input_blades if kernel_blades is None else tuple(kernel_blades)
        if agg == "linear":
            self.conv = nn.Conv1d(channels, channels, kernel_size=len(self.kernel_blades), groups=channels)

    def _seen(self, x: Tensor) -> Tensor:
        """The components that the gate sees; those that the input lacks are zero."""
        if self.kernel_blades == self.input_blades:
            return x
        return self.algebra.get(self.algebra.embed(x, self.input_blades), self.kernel_blades)

    def forward(self, input: Tensor) -> Tensor:
        seen = self._seen(input)
        if self.agg == "linear":
            weight = self.conv.weight.squeeze(1)
            gate = torch.addcmul(self.conv.bias, seen[..., 0], weight[:, 0])
            for i in range(1, weight.shape[1]):
                gate = torch.addcmul(gate, seen[..., i], weight[:, i])
            gate = gate.unsqueeze(-1)
        else:
            gate = seen.sum(-1, keepdim=True) if self.agg == "sum" else seen.mean(-1, keepdim=True)
        return input * torch.sigmoid(gate)


class _CliffordG3Conv(nn.Module):
    transposed: bool

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Union[int, Tuple[int, int]] = 1,
        stride: Union[int, Tuple[int, int]] = 1,
        padding: Union[int, Tuple[int, int], str] = 0,
        dilation: Union[int, Tuple[int, int]] = 1,
        groups: int = 1,
        bias: bool = False,
        *,
        corrected: bool = False,
    ) -> None:
        super().__init__()
        if in_channels % groups or out_channels % groups:
            name = type(self).__name__
            raise ValueError(f"gcan: {name} got {in_channels} and {out_channels} channels for {groups} groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = _pair(kernel_size), _pair(stride), _pair(dilation)
        self.padding = padding if isinstance(padding, str) else _pair(padding)
        self.corrected = corrected
        rows, columns = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (rows, columns // groups, *self.kernel_size)
        self.weights = nn.ParameterList([nn.Parameter(torch.empty(shape)) for _ in range(4)])
        if bias:
            self.bias = nn.ParameterList([nn.Parameter(torch.empty(out_channels)) for _ in range(3)])
        else:
            self.register_parameter("bias", None)
        self.scale_param = nn.Parameter(torch.empty(shape))
        self.zero_kernel = nn.Parameter(torch.zeros(shape), requires_grad=False)
        self.weights.append(self.scale_param)
        self.weights.append(self.zero_kernel)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight in list(self.weights)[:5]:
            nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.scale_param[0].numel())
            for bias in self.bias:
                nn.init.uniform_(bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        # The released layers put components before channels, so groups split vectors.
        first = self.groups > 1 and not self.corrected
        blocks = quaternion_rotation(list(self.weights)[:4], self.scale_param)  # (y, x, rows, columns, kernel...)
        target = (0, 2, 1, 3) if first else (1, 3, 0, 2)
        kernel = blocks.movedim((0, 1, 2, 3), target).flatten(2, 3).flatten(0, 1)
        bias = None if self.bias is None else torch.stack(list(self.bias), 0 if first else 1).flatten()
        rows = to_rows(input, first)
        if self.transposed:
            y = F.conv_transpose2d(rows, kernel, bias, self.stride, self.padding, 0, self.groups, self.dilation)
        else:
            y = F.conv2d(rows, kernel, bias, self.stride, self.padding, self.dilation, self.groups)
        return from_rows(y, 3, first)

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}"
        )


class CliffordG3Conv2d(_CliffordG3Conv):
    """A convolution whose entries rotate and scale vectors; (batch, channels, height, width, 3).

    >>> CliffordG3Conv2d(2, 4, kernel_size=3, padding=1)(torch.randn(1, 2, 8, 8, 3)).shape
    torch.Size([1, 4, 8, 8, 3])
    """

    transposed = False


class CliffordG3ConvTranspose2d(_CliffordG3Conv):
    """The transposed convolution, which undoes a stride; (batch, channels, height, width, 3).

    >>> CliffordG3ConvTranspose2d(2, 4, 4, stride=2, padding=1)(torch.randn(1, 2, 8, 8, 3)).shape
    torch.Size([1, 4, 16, 16, 3])
    """

    transposed = True


class CliffordG3LinearVSiLU(nn.Module):
    """x sigmoid(f(x)) with f a learnt linear form of the three components.

    >>> CliffordG3LinearVSiLU(2)(torch.randn(1, 2, 8, 8, 3)).shape
    torch.Size([1, 2, 8, 8, 3])
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(channels, channels, (1, 1, 3), groups=channels)

    def forward(self, input: Tensor) -> Tensor:
        # Sums over three components, many times cheaper than a convolution over them.
        weight = self.conv.weight.view(-1, 1, 1, 3)
        gate = torch.addcmul(self.conv.bias.view(-1, 1, 1), input[..., 0], weight[..., 0])
        gate = torch.addcmul(gate, input[..., 1], weight[..., 1])
        gate = torch.addcmul(gate, input[..., 2], weight[..., 2])
        return input * torch.sigmoid(gate).unsqueeze(-1)


class CliffordG3SumVSiLU(nn.Module):
    """x sigmoid(sum of the components).

    >>> CliffordG3SumVSiLU()(torch.zeros(1, 2, 8, 8, 3)).sum()
    tensor(0.)
    """

    def __init__(self) -> None:  # PyTorch 2's own takes any arguments
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input * torch.sigmoid(input.sum(-1, keepdim=True))


class CliffordG3MeanVSiLU(nn.Module):
    """x sigmoid(mean of the components).

    >>> CliffordG3MeanVSiLU()(torch.zeros(1, 2, 8, 8, 3)).sum()
    tensor(0.)
    """

    def __init__(self) -> None:  # PyTorch 2's own takes any arguments
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input * torch.sigmoid(input.mean(-1, keepdim=True))


class CliffordG3GroupNorm(nn.Module):
    """Centres groups of channels over space, and with ``scale_norm`` divides by the mean norm of their vectors.

    Constant input then gives NaN, as released; ``corrected=True`` adds 1e-6 to the divisor.

    >>> CliffordG3GroupNorm(1, 4, 3)(torch.ones(1, 4, 8, 8, 3)).abs().sum().item()
    0.0
    """

    def __init__(
        self, num_groups: int, num_features: int, num_blades: int, scale_norm: bool = False, *, corrected: bool = False
    ) -> None:
        super().__init__()
        if num_features % num_groups:
            raise ValueError(f"gcan: CliffordG3GroupNorm got {num_features} features for {num_groups} groups")
        self.num_groups, self.num_features, self.num_blades = num_groups, num_features, num_blades
        self.scale_norm, self.corrected = scale_norm, corrected
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features, num_blades))

    def forward(self, x: Tensor) -> Tensor:
        grouped = x.unflatten(1, (self.num_groups, -1))
        over = tuple(range(2, grouped.dim() - 1))
        y = grouped - grouped.mean(over, keepdim=True)
        if self.scale_norm:
            divisor = y.norm(dim=-1, keepdim=True).mean(over, keepdim=True)
            y = y / (divisor + 1e-6 if self.corrected else divisor)
        space = (1,) * (x.dim() - 3)
        weight = self.weight.view(-1, *space, 1)
        return torch.addcmul(self.bias.view(-1, *space, self.num_blades), y.flatten(1, 2), weight)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_features}, {self.num_blades}, scale_norm={self.scale_norm}"
