"""Which nodes are entities with names, and what those are."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any
from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions

from bfsql_rdf.compiler.text import select, term
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.labels import alias_predicates, label_predicates
from bfsql_rdf.store.layout import ALL_TYPES, DISPLAY, INSIDE, PLAIN, RECORDS
from bfsql_rdf.terms import LIST_DATATYPE, OWL, SKOLEM, literal_value, local_name

_DEPRECATED = NamedNode(OWL + "deprecated")
_SUBJECT = attrgetter("subject")


@dataclass(slots=True)
class Entity:
    """A node with its names: `labels` and `aliases` as in the data, `types` as IRIs, `degree` in links."""

    node: NamedNode
    labels: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    deprecated: bool = False
    degree: int = 0

    @property
    def local(self) -> str:
        """The local name, readable; empty for a blank node."""
        return "" if self.node.value.startswith(SKOLEM) else unquote(local_name(self.node.value))


class Naming:
    """Reads the names of one index; stated names only as asserted."""

    def __init__(self, index: Index) -> None:
        self._match = index.store.quads_for_pattern
        labels, aliases = label_predicates(index.figures), alias_predicates(index.figures)
        self._kinds: dict[Any, bool | None] = {_DEPRECATED: None}
        self._kinds |= dict.fromkeys(aliases, False) | dict.fromkeys(labels, True)
        counts = index.figures.predicates
        stated = [one for one in self._kinds if one.value in counts and counts[one.value][1]]
        graphs = index.allowed(frozenset({"asserted_true"})).values if stated else {}
        self._stated = [(predicate, graph) for predicate in stated for graph in graphs]
        self._links = _link_graphs(index)
        self._inside = frozenset([INSIDE, *(one for one in index.internal if index.status_of_graph(one) is not None)])

    def read(self, node: NamedNode) -> Entity | None:
        """The names of a node, None for statements, what is inside them, and blank nodes without a label."""
        return self._entity(node, self._match(node, None, None, RECORDS))

    def _entity(self, node: NamedNode, records: Iterable[Quad]) -> Entity | None:
        found = Entity(node)
        shown: list[str] = []
        entity = True
        for quad in records:
            predicate = quad.predicate
            if predicate in self._kinds:
                self._take(found, predicate, quad.object)
            elif predicate == DISPLAY:
                shown.append(quad.object.value)  # type: ignore[union-attr]
            elif predicate == ALL_TYPES:
                found.types.append(quad.object.value)  # type: ignore[union-attr]
            elif predicate in self._inside:
                entity = False
        for predicate, graph in self._stated if entity else ():
            for quad in self._match(node, predicate, None, graph):
                self._take(found, predicate, quad.object)
        if not entity or (not found.labels and node.value.startswith(SKOLEM)):
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

    def entities(self, degrees: dict[int, int], ordered: bool) -> Iterator[Entity]:
        """Every entity once, with its degree; `degrees` is used up.

        `ordered` says that the store is on disk, where the records of a node stand together and one pass over all of
        them is faster than a lookup for each node.
        """
        left = len(degrees)
        for node, records in self._recorded(ordered):
            number = hash(node)
            degree = degrees.get(number, 0)
            if degree < 0:
                continue
            entity = self._entity(node, records)
            named = entity is not None and (entity.labels or entity.aliases or entity.types)
            if degree or named:
                left -= degree > 0
                degrees[number] = -1
            if entity is not None and (degree or named):
                entity.degree = degree
                yield entity
        for node in self._ends() if left else ():
            degree = degrees.get(hash(node), -1)
            if degree > 0:
                degrees[hash(node)] = -1
                entity = self.read(node)
                if entity is not None:
                    entity.degree = degree
                    yield entity

    def _recorded(self, ordered: bool) -> Iterator[tuple[NamedNode, Iterable[Quad]]]:
        """Nodes with their records, names and types among them; many come several times unless `ordered`."""
        if ordered:
            yield from groupby(self._match(None, None, None, RECORDS), _SUBJECT)
        scans: list[tuple[NamedNode, Any]] = (
            [] if ordered else [(predicate, RECORDS) for predicate in (DISPLAY, *self._kinds)]
        )
        for predicate, graph in [*scans, *self._stated]:
            for quad in self._match(None, predicate, None, graph):
                yield quad.subject, self._match(quad.subject, None, None, RECORDS)  # type: ignore[misc]

    def _ends(self) -> Iterator[NamedNode]:
        for graph in self._links:
            for quad in self._match(None, None, None, graph):
                yield quad.subject  # type: ignore[misc]
                yield quad.object  # type: ignore[misc]


def degrees(index: Index) -> dict[int, int]:
    """How many links each node has, whatever their status, by the hash of the node."""
    found: dict[int, int] = {}
    for graph in _link_graphs(index):
        rows = index.store.query(select("?subject ?object", f"GRAPH {term(graph)} {{ ?subject ?predicate ?object }}"))
        assert isinstance(rows, QuerySolutions)
        for subject, object_ in rows:
            for number in (hash(subject), hash(object_)):
                found[number] = found.get(number, 0) + 1
    return found


def _link_graphs(index: Index) -> list[NamedNode]:
    return [*index.everything().links, PLAIN]
