"""Evidence that is part of a statement: blank nodes under a provenance predicate, and types the profile lists."""

from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode

from bfsql_rdf.store.wikibase import references
from bfsql_rdf.terms import SKOLEM

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder

DEPTH = 3


def evidence_nodes(builder: "Builder") -> set[int]:
    """Hashes of the nodes that are not walked as graph because they are evidence inside a statement."""
    source, statements = builder.source, builder.spine.statements
    inside: set[int] = set()
    for text in builder.profile.inside:
        kind = NamedNode(builder.ids.expand(text, "inside"))
        for predicate in builder.profile.types:
            typed = source.match(None, NamedNode(builder.ids.expand(predicate, "types")), kind)
            inside.update(hash(builder.node(quad.subject)) for quad in typed)
    frontier: set[Any] = set()
    for text in builder.profile.provenance:
        for quad in source.match(None, NamedNode(builder.ids.expand(text, "provenance")), None):
            if hash(builder.node(quad.subject)) in statements and _blank(quad.object):
                frontier.add(quad.object)
    for _ in range(DEPTH):
        fresh = []
        for node in frontier:
            number = hash(builder.node(node))
            if number not in inside and number not in statements:
                inside.add(number)
                fresh.append(node)
        frontier = {quad.object for node in fresh for quad in source.match(node, None, None) if _blank(quad.object)}
    if builder.exports:
        inside.update(hash(builder.node(node)) for node in references(builder.exports))
    return inside - statements


def _blank(term: Any) -> bool:
    return type(term) is NamedNode and term.value.startswith(SKOLEM)
