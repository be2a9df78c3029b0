"""The paper's networks and baselines, and trained networks from run folders of `gcan train`.

>>> import torch, gcan
>>> net = gcan.models.make("gca-unet", channels=4)
>>> net(torch.randn(1, 4, 3, 16, 32)).shape
torch.Size([1, 1, 3, 16, 32])
"""

from gcan.models.fluid import FluidNetwork, ResNet2d, UNet2d
from gcan.models.fourier import CliffordFourierNet2d, CliffordMaxwellNet3d
from gcan.models.registry import Normalised, load, make, names
from gcan.models.tetris import EdgeConv, Emlp, GcaGnn, GcaMlp, Gnn, Mlp, MotorMlp

__all__ = [
    "CliffordFourierNet2d",
    "CliffordMaxwellNet3d",
    "EdgeConv",
    "Emlp",
    "FluidNetwork",
    "GcaGnn",
    "GcaMlp",
    "Gnn",
    "Mlp",
    "MotorMlp",
    "Normalised",
    "ResNet2d",
    "UNet2d",
    "load",
    "make",
    "names",
]
