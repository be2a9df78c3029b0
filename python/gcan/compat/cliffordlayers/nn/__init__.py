"""Layers of Clifford algebras."""
