"""The benchmark: ratios against raw Oxigraph, a hand-written walk and rdflib, measured side by side in one run."""
