"""Named graphs as statements: `GRAPH ?st { s p o }` with metadata about `?st`, nanopublications first of all."""

from bfsql_rdf.compiler.text import iri
from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.terms import HAS_ASSERTION


def graph(vocabulary: Vocabulary) -> Style:
    """The style: the assertion graphs where there are nanopublications, else every graph that something is said of."""
    inside = "GRAPH ?statement { ?subject ?predicate ?object }"
    if vocabulary.nanopublications:
        named = f"GRAPH ?head {{ ?nanopublication {iri(HAS_ASSERTION)} ?statement }}"
    else:
        named = "FILTER EXISTS { ?statement ?told ?of }"
    return Style(
        name="graph",
        pattern=f"{inside}\n{named}",
        outgoing=lambda values: f"{values}\n{inside}\n{named}",
        incoming=lambda values: f"{values}\n{inside}\n{named}",
    )
