"""Mirrors of symmetric and inverse predicates, seen at query time and never written."""

from collections.abc import Iterable
from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.engine.walk import Edge
from bfsql_rdf.errors import QueryError
from bfsql_rdf.store.index import Allowed, Index

TRAITS = ("Symmetric", "Inverse")


def check_traits(names: Iterable[str]) -> frozenset[str]:
    """The traits to expand; QueryError for anything but Symmetric and Inverse."""
    for name in names:
        if name == "Transitive":
            raise QueryError(
                "Transitive is not expanded here: a closure has no bound on its depth",
                code="transitive_trait",
                where="expand_traits",
                hint="Call transitive_closure_query with start and predicate",
            )
        if name not in TRAITS:
            raise QueryError(
                f"unknown trait {name!r}",
                code="unknown_trait",
                where="expand_traits",
                hint="Known: Symmetric, Inverse",
            )
    return frozenset(names)


def mirrors(index: Index, allowed: Allowed, edges: Iterable[Edge], traits: frozenset[str]) -> dict[Edge, str]:
    """The mirror of each edge that has one, with what it was derived from.

    None for a triple that is among the edges, or that the graph states with a status that is not allowed.
    """
    present = set(edges)
    reasons: dict[Edge, set[str]] = {}
    symmetric = frozenset(index.figures.symmetric)
    for edge in present:
        if index.derived_via(edge):
            continue  # what holds of some member of a class has no mirror
        subject, predicate, object_ = edge
        name = index.predicates.show(predicate.value)
        if "Symmetric" in traits and predicate.value in symmetric:
            reasons.setdefault((object_, predicate, subject), set()).add(f"Symmetric({name})")
        if "Inverse" in traits:
            for inverse in index.figures.inverses.get(predicate.value, ()):
                mirror = (object_, NamedNode(inverse), subject)
                reasons.setdefault(mirror, set()).add(f"Inverse({name})")
    walkable = set(allowed.links)
    return {
        mirror: ", ".join(sorted(why))
        for mirror, why in reasons.items()
        if mirror not in present and not _denied(index, walkable, mirror)
    }


def _denied(index: Index, walkable: set[Any], mirror: Edge) -> bool:
    """Whether a statement of the triple has a status outside what is allowed."""
    for quad in index.store.quads_for_pattern(*mirror, None):
        graph = quad.graph_name
        if index.status_of_graph(graph) is not None and graph not in walkable:
            return True
    return False
