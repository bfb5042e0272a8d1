"""SPARQL text, and nothing but SPARQL text: the one place where it is written and escaped."""
