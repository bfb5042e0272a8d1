"""Answering: breadth-first layers, closures, scans, and the shaping of rows into the JSON of the language."""
