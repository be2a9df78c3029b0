"""Layers of geometric Clifford algebra networks. Features are (N, channels, blades, space...).

>>> import torch, gcan
>>> net = torch.nn.Sequential(
...     gcan.nn.GcaLinear((3, 0, 1), 1, 16), gcan.nn.MSiLU((3, 0, 1), 16), gcan.nn.GcaLinear((3, 0, 1), 16, 1)
... )
>>> net(torch.randn(64, 1, 3)).shape
torch.Size([64, 1, 3])
"""

from gcan.nn.action import (
    GcaConv1d,
    GcaConv2d,
    GcaConv3d,
    GcaConvTranspose1d,
    GcaConvTranspose2d,
    GcaConvTranspose3d,
    GcaLinear,
)
from gcan.nn.clifford import (
    CliffordBatchNorm,
    CliffordConv1d,
    CliffordConv2d,
    CliffordConv3d,
    CliffordConvTranspose1d,
    CliffordConvTranspose2d,
    CliffordConvTranspose3d,
    CliffordGroupNorm,
    CliffordLinear,
)
from gcan.nn.clifford_fourier import (
    CliffordSpectralConv1d,
    CliffordSpectralConv2d,
    CliffordSpectralConv3d,
    clifford_fourier,
    inverse_clifford_fourier,
)
from gcan.nn.convolution import Foldable, PlainConv2d, fold
from gcan.nn.embed import Embed, Extract
from gcan.nn.norm import GcaNorm, MSiLU, NormMSiLU

__all__ = [
    "CliffordBatchNorm",
    "CliffordConv1d",
    "CliffordConv2d",
    "CliffordConv3d",
    "CliffordConvTranspose1d",
    "CliffordConvTranspose2d",
    "CliffordConvTranspose3d",
    "CliffordGroupNorm",
    "CliffordLinear",
    "CliffordSpectralConv1d",
    "CliffordSpectralConv2d",
    "CliffordSpectralConv3d",
    "Embed",
    "Extract",
    "Foldable",
    "GcaConv1d",
    "GcaConv2d",
    "GcaConv3d",
    "GcaConvTranspose1d",
    "GcaConvTranspose2d",
    "GcaConvTranspose3d",
    "GcaLinear",
    "GcaNorm",
    "MSiLU",
    "NormMSiLU",
    "PlainConv2d",
    "clifford_fourier",
    "fold",
    "inverse_clifford_fourier",
]
