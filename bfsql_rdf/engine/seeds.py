"""What of a graph is worth showing: nodes of a middling degree with a type and a name, and a link of one of them."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.engine.bfs import DEFAULT_STATUS
from bfsql_rdf.engine.sample import neighbours, sample_links
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.terms import OWL, RDF, RDFS, SKOLEM

PREDICATES, LINKS, TRIES = 10, 30, 8
"""Predicates that are looked at, links of each, and how often something is tried before it is given up."""
DEGREE = 25
"""Links at a node that is still easy to read."""


class Seeds:
    """Chooses nodes of one graph for examples; the same data give the same nodes."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.allowed = index.allowed(frozenset(DEFAULT_STATUS))
        self.everything = index.everything()
        self.unit = 2 if index.profile.view == "nodes" and self.everything.links else 1
        """Hops that a relationship takes."""
        self._labels = Labels(index)

    @cached_property
    def nodes(self) -> list[NamedNode]:
        """Linked nodes of a middling degree: typed and named ones first."""
        found: dict[NamedNode, None] = {}
        for iri in self.linking()[:PREDICATES]:
            for subject, _, object_ in sample_links(self.index, self.allowed, iri, LINKS)[0]:
                found |= {subject: None, object_: None}
        ranked = [(self._rank(node, near), node) for node, near in self.near(found, self.allowed)]
        return [node for _, node in sorted(ranked, key=lambda pair: pair[0])]

    def hop(self) -> tuple[str, str, str, str | None] | None:
        """Subject, predicate and object of a link, and the id of a statement of it where that is a node."""
        for node in self.nodes[:TRIES]:
            for graph in self.index.walked_graphs(self.allowed):
                for quad in islice(self.index.store.quads_for_pattern(node, None, None, graph), 1):
                    triple = Triple(quad.subject, quad.predicate, quad.object)
                    stated = self.allowed.links.get(graph)
                    found = self.index.statements_of(triple, (stated,)) if stated and self.unit == 2 else []
                    if found or self.unit == 1:
                        object_ = self.id(quad.object)  # type: ignore[arg-type]
                        statement = min(self.id(one.id) for one in found) if found else None
                        return self.id(node), self.index.predicates.show(quad.predicate.value), object_, statement
        return None

    def linking(self) -> list[str]:
        """The predicates that link, most used first."""
        counts = self.index.figures.predicates
        return sorted((iri for iri, n in counts.items() if n[0]), key=lambda iri: (-counts[iri][0], iri))

    def valued(self) -> list[str]:
        """The predicates that have values, most used first."""
        counts = self.index.figures.predicates
        return sorted((iri for iri, n in counts.items() if n[1] or n[2]), key=lambda iri: (-sum(counts[iri][1:3]), iri))

    def near(self, nodes: Iterable[NamedNode], allowed: Allowed) -> Iterator[tuple[NamedNode, set[NamedNode]]]:
        """Of these nodes the entities with few links, and what they are linked with."""
        for node in nodes:
            near = neighbours(self.index, allowed, node, DEGREE)
            if near and not self.index.is_inside(node):
                yield node, near

    def _rank(self, node: NamedNode, near: set[NamedNode]) -> tuple[Any, ...]:
        kind = self.index.type_iri(node)
        vague = kind is None or kind.startswith((OWL, RDF, RDFS))
        named = self._labels.label(node) is not None
        return vague, node.value.startswith(SKOLEM), not named, len(near) < 2, abs(len(near) - 5), node.value

    def id(self, node: NamedNode) -> str:
        """The id of a node."""
        return self.index.ids.compress(node.value)

    def called(self, node: NamedNode) -> str:
        """The label of a node, else its id."""
        label = self._labels.label(node)
        return " ".join(label.split())[:60] if label else self.id(node)
