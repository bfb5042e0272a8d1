"""The benchmark: ratios against raw Oxigraph, a hand-written walk and rdflib, side by side in one run."""
