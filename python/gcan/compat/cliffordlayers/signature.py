"""The signature of a Clifford algebra."""

from __future__ import annotations

from typing import Sequence, Union

import torch
from torch import Tensor

__all__ = ["CliffordSignature"]


class CliffordSignature:
    """The squares of the basis vectors, and the properties that follow from them.

    >>> signature = CliffordSignature((1, 1))
    >>> signature.dim, signature.n_blades
    (2, 4)
    """

    def __init__(self, g: Union[Sequence[float], Tensor]) -> None:
        self.g = torch.as_tensor(g, dtype=torch.get_default_dtype())
        if self.g.dim() != 1 or not 1 <= self.g.numel() <= 3:
            raise NotImplementedError("gcan: a Clifford signature is a list of 1 to 3 numbers, for example (1, 1)")
        self.dim = self.g.numel()
        self.n_blades = 2**self.dim
