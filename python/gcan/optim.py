"""Adam and AdamW, with the arguments and the state of torch.optim's, in one call per group of parameters.

>>> import torch, gcan
>>> net = gcan.nn.GcaLinear((3, 0, 1), 4, 4)
>>> optimizer = gcan.optim.Adam(net.parameters(), lr=1e-3)
>>> net(torch.randn(8, 4, 3)).square().mean().backward()
>>> optimizer.step()
>>> optimizer.zero_grad()
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.optim import Optimizer

from gcan._library import ops

__all__ = ["Adam", "AdamW"]

Parameters = Union[Iterable[Tensor], Iterable[Dict[str, Any]]]
Group = Dict[str, Any]


class Adam(Optimizer):
    """Adam as torch.optim.Adam computes it; a step of many small parameters takes a fraction of the time. On the CPU,
    float and double parameters are updated by gcan's kernel in one pass over memory, all others by tensor operations.

    The arguments are torch's. `amsgrad`, `capturable` and `differentiable` are not supported; `foreach` and `fused`
    have no effect. State dicts of torch.optim.Adam can be loaded, and the reverse.

    >>> weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    >>> optimizer = Adam([weight], lr=0.1)
    >>> for _ in range(200):
    ...     optimizer.zero_grad()
    ...     weight.square().sum().backward()
    ...     optimizer.step()
    >>> weight.abs().max() < 1e-2
    tensor(True)
    """

    _decoupled = False

    def __init__(
        self,
        params: Parameters,
        lr: Union[float, Tensor] = 1e-3,
        betas: Tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        foreach: Optional[bool] = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: Optional[bool] = None,
    ) -> None:
        defaults = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, foreach=foreach,
            maximize=maximize, capturable=capturable, differentiable=differentiable, fused=fused,
        )  # fmt: skip
        super().__init__(params, defaults)

    def add_param_group(self, param_group: Group) -> None:
        self._check({**self.defaults, **param_group})
        super().add_param_group(param_group)

    def _check(self, group: Group) -> None:
        kind = type(self).__name__
        for name in ("amsgrad", "capturable", "differentiable"):
            if group.get(name):
                raise ValueError(f"gcan: {kind} does not support {name}=True; torch.optim.{kind} does")
        decoupled = group.get("decoupled_weight_decay", self._decoupled)
        if decoupled != self._decoupled:
            raise ValueError(f"gcan: {kind} got decoupled_weight_decay={decoupled}, expected {self._decoupled}")
        for name in ("lr", "eps", "weight_decay"):
            if not float(group[name]) >= 0:
                raise ValueError(f"gcan: {kind} got {name}={group[name]}, expected 0 or more")
        if len(group["betas"]) != 2 or not all(0 <= float(beta) < 1 for beta in group["betas"]):
            raise ValueError(f"gcan: {kind} got betas={group['betas']}, expected two numbers from 0 to below 1")

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        for group in state_dict["param_groups"]:
            self._check({**self.defaults, **group})
        super().load_state_dict(state_dict)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        # States written by old versions of PyTorch.
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
        for values in self.state.values():
            if not torch.is_tensor(values["step"]):
                values["step"] = torch.tensor(float(values["step"]))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """As in PyTorch 2, where set_to_none is the default: the next backward pass assigns gradients instead of
        adding to zeros."""
        super().zero_grad(set_to_none)

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], Any]] = None) -> Any:
        """Updates all parameters that have gradients. A closure computes the loss once more and is called first."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            self._update(group)
        return loss

    def _update(self, group: Group) -> None:
        parameters, gradients, means, squares, steps = [], [], [], [], []
        for parameter in group["params"]:
            gradient = parameter.grad
            if gradient is None:
                continue
            state = self.state[parameter]
            if not state:
                state["step"] = torch.tensor(0.0, dtype=torch.float32)
                state["exp_avg"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
                state["exp_avg_sq"] = torch.zeros_like(parameter, memory_format=torch.preserve_format)
            parameters.append(parameter)
            gradients.append(gradient)
            means.append(state["exp_avg"])
            squares.append(state["exp_avg_sq"])
            steps.append(state["step"])
        if parameters:
            ops.adam_step(
                parameters, gradients, means, squares, steps, float(group["lr"]), *map(float, group["betas"]),
                float(group["eps"]), float(group["weight_decay"]), self._decoupled, bool(group["maximize"]),
            )  # fmt: skip


class AdamW(Adam):
    """Adam with decoupled weight decay, as torch.optim.AdamW computes it; see Adam.

    >>> weight = torch.nn.Parameter(torch.ones(3))
    >>> optimizer = AdamW([weight], lr=0.1, weight_decay=0.5)
    >>> weight.grad = torch.zeros(3)
    >>> optimizer.step()
    >>> weight.data                                             # (1 - 0.1 * 0.5) * 1
    tensor([0.9500, 0.9500, 0.9500])
    """

    _decoupled = True

    def __init__(
        self,
        params: Parameters,
        lr: Union[float, Tensor] = 1e-3,
        betas: Tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)
