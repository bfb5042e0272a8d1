"""Which nodes are entities with names, and what those are."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode

from bfsql_rdf.store.index import Index
from bfsql_rdf.store.labels import alias_predicates, label_predicates
from bfsql_rdf.store.layout import ALL_TYPES, DISPLAY, INSIDE, PLAIN, RECORDS
from bfsql_rdf.terms import LIST_DATATYPE, OWL, SKOLEM, literal_value, local_name

_DEPRECATED = NamedNode(OWL + "deprecated")


@dataclass
class Entity:
    """A node with its names: `labels` and `aliases` as in the data, `types` as IRIs."""

    node: NamedNode
    labels: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    deprecated: bool = False

    @property
    def local(self) -> str:
        """The local name, readable; empty for a blank node."""
        return "" if self.node.value.startswith(SKOLEM) else unquote(local_name(self.node.value))


class Naming:
    """Reads the names of one index; stated names only as asserted."""

    def __init__(self, index: Index) -> None:
        self._index = index
        labels, aliases = label_predicates(index.figures), alias_predicates(index.figures)
        self._kinds: dict[NamedNode, bool | None] = {_DEPRECATED: None}
        self._kinds |= dict.fromkeys(aliases, False) | dict.fromkeys(labels, True)
        counts = index.figures.predicates
        stated = [one for one in self._kinds if one.value in counts and counts[one.value][1]]
        graphs = index.allowed(frozenset({"asserted_true"})).values if stated else {}
        self._stated = [(predicate, graph) for predicate in stated for graph in graphs]
        self._inside = frozenset([INSIDE, *(one for one in index.internal if index.status_of_graph(one) is not None)])

    def read(self, node: NamedNode) -> Entity | None:
        """The names of a node, None for statements, what is inside them, and blank nodes without a label."""
        found = Entity(node)
        shown: list[str] = []
        match = self._index.store.quads_for_pattern
        for quad in match(node, None, None, RECORDS):
            predicate, value = quad.predicate, quad.object
            if predicate in self._kinds:
                self._take(found, predicate, value)
            elif predicate == DISPLAY:
                shown.append(value.value)  # type: ignore[union-attr]
            elif predicate == ALL_TYPES:
                found.types.append(value.value)  # type: ignore[union-attr]
            elif predicate in self._inside:
                return None
        for predicate, graph in self._stated:
            for quad in match(node, predicate, None, graph):
                self._take(found, predicate, quad.object)
        if not found.labels and node.value.startswith(SKOLEM):
            return None
        found.types = list(dict.fromkeys(shown + found.types))
        return found

    def _take(self, found: Entity, predicate: NamedNode, value: Any) -> None:
        if type(value) is not Literal:
            return
        kind = self._kinds[predicate]
        if kind is None:
            found.deprecated = found.deprecated or literal_value(value) is True
            return
        texts = json.loads(value.value) if value.datatype == LIST_DATATYPE else [value.value]
        (found.labels if kind else found.aliases).extend(str(text) for text in texts)

    def nodes(self) -> Iterator[NamedNode]:
        """Every node that may have a name or be in a link; many come several times."""
        match = self._index.store.quads_for_pattern
        for quad in match(None, DISPLAY, None, RECORDS):
            yield quad.subject  # type: ignore[misc]
        for predicate, kind in self._kinds.items():
            if kind is not None:
                for quad in match(None, predicate, None, RECORDS):
                    yield quad.subject  # type: ignore[misc]
        for predicate, graph in self._stated:
            for quad in match(None, predicate, None, graph):
                yield quad.subject  # type: ignore[misc]
        for graph in link_graphs(self._index):
            for quad in match(None, None, None, graph):
                yield quad.subject  # type: ignore[misc]
                yield quad.object  # type: ignore[misc]


def degrees(index: Index) -> dict[int, int]:
    """How many links each node has, by the hash of the node."""
    found: dict[int, int] = {}
    for graph in link_graphs(index):
        for quad in index.store.quads_for_pattern(None, None, None, graph):
            for end in (hash(quad.subject), hash(quad.object)):
                found[end] = found.get(end, 0) + 1
    return found


def link_graphs(index: Index) -> list[NamedNode]:
    """The graphs of links, whatever their status."""
    return [*index.everything().links, PLAIN]
