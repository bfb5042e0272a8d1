"""Statement styles: each is one small file that says, in SPARQL, what a statement of that style looks like."""

from bfsql_rdf.styles.axiom import axiom
from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.styles.custom import custom_style
from bfsql_rdf.styles.graph import graph
from bfsql_rdf.styles.reification import reification
from bfsql_rdf.styles.reifier import reifier
from bfsql_rdf.styles.wikibase import wikibase

__all__ = ["REGISTRY", "Style", "Vocabulary", "custom_style"]

REGISTRY = {"reifier": reifier, "reification": reification, "wikibase": wikibase, "axiom": axiom, "graph": graph}
"""Name to a function that makes the style for a dataset's vocabulary; `plain` is what no style describes."""
