"""The HTTP face: the explorer page."""
