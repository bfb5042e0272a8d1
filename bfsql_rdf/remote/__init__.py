"""Graphs behind SPARQL endpoints: nothing is stored here, every query is sent."""
