"""Layers, one file for each kind."""
