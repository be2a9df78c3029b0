"""Geometric Clifford algebra networks for PyTorch."""
