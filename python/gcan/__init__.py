"""Geometric Clifford algebra networks for PyTorch.

`gcan.compat.cliffordlayers` replaces the package of that name; `gcan.data` reads the files of `gcan simulate`.

>>> from gcan.compat.cliffordlayers import CliffordG3Conv2d
>>> layer = CliffordG3Conv2d(4, 8, kernel_size=3, padding=1)
"""

__version__ = "0.1.0"
