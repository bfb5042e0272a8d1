"""Faces that serve a graph to others; each needs an extra of its own."""
