"""Breadth-first layers over the allowed statements."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.layout import PLAIN, RECORDS

Edge = tuple[NamedNode, NamedNode, NamedNode]


@dataclass
class Walk:
    """What was walked: layers of nodes, edges (with the layer they were first seen from), what was cut."""

    layers: list[list[NamedNode]]
    edges: dict[Edge, int] = field(default_factory=dict)
    truncated: dict[str, Any] | None = None

    @property
    def nodes(self) -> list[NamedNode]:
        return [node for layer in self.layers for node in layer]


class Overdue(Exception):
    """Raised in the middle of a hub when the deadline has passed."""


class Expander:
    """The neighbours and edges of one node, in the `edges` or in the `nodes` view.

    `overdue` is asked every thousand links; Overdue is raised when it says so.
    """

    def __init__(self, index: Index, allowed: Allowed, overdue: Callable[[], bool] = lambda: False) -> None:
        self.index, self.allowed = index, allowed
        self._overdue, self._links = overdue, 0
        self._match = index.store.quads_for_pattern
        self._graphs = index.walked_graphs(allowed)
        self._nodes_view = index.profile.view == "nodes"

    def __call__(self, node: NamedNode) -> tuple[list[NamedNode], list[Edge]]:
        """Neighbours (repeats possible) and edges of `node`; a statement is crossed to its own subject and object."""
        neighbours: list[NamedNode] = []
        edges: list[Edge] = []
        for graph in self._graphs:
            for quad in self._match(node, None, None, graph):
                self._follow(node, quad, graph, neighbours, edges)
            for quad in self._match(None, None, node, graph):
                self._follow(node, quad, graph, neighbours, edges)
        if self._nodes_view:
            for graph, stated in self.allowed.values.items():
                for quad in self._match(node, None, None, graph):
                    neighbours.extend(self._statements(quad, stated))
        for stated in self.allowed.crossed:
            for quad in self._match(node, stated, None, RECORDS):
                self._cross(node, quad.object, neighbours, edges)
        return neighbours, edges

    def _statements(self, quad: Any, stated: NamedNode) -> Iterable[NamedNode]:
        triple = Triple(quad.subject, quad.predicate, quad.object)
        for one in self.index.statements_of(triple, (stated,)):
            if self.index.in_time(one.id, self.allowed.cutoff):
                yield one.id

    def _follow(
        self, node: NamedNode, quad: Any, graph: NamedNode, neighbours: list[NamedNode], edges: list[Edge]
    ) -> None:
        self._links += 1
        if not self._links % 1000 and self._overdue():
            raise Overdue
        subject, object_ = quad.subject, quad.object
        if graph is not PLAIN:
            stated = self.allowed.links[graph]
            if self._nodes_view:
                neighbours.extend(self._statements(quad, stated))
                return
            if self.allowed.cutoff is not None:
                triple = Triple(subject, quad.predicate, object_)
                if not self.index.supported(triple, (stated,), self.allowed.cutoff):
                    return
        edges.append((subject, quad.predicate, object_))
        neighbours.append(object_ if subject == node else subject)

    def _cross(self, node: NamedNode, triple: Any, neighbours: list[NamedNode], edges: list[Edge]) -> None:
        if not self.index.in_time(node, self.allowed.cutoff):
            return
        neighbours.append(triple.subject)
        if type(triple.object) is NamedNode:
            neighbours.append(triple.object)
            if not self._nodes_view:
                edges.append((triple.subject, triple.predicate, triple.object))


def walk(
    index: Index,
    allowed: Allowed,
    seeds: list[NamedNode],
    max_hops: int,
    name: Callable[[NamedNode], str],
    clock: Callable[[], float] = time.monotonic,
) -> Walk:
    """Whole layers out from the seeds, until `max_hops`, a limit of the profile, or the deadline."""
    limits = index.profile.limits
    deadline = clock() + limits.timeout
    expand = Expander(index, allowed, lambda: clock() > deadline)
    result = Walk([sorted(seeds, key=name)])
    seen = set(seeds)
    for hop in range(1, max_hops + 1):
        fresh: dict[NamedNode, None] = {}
        edges: dict[Edge, None] = {}
        for node in result.layers[-1]:
            try:
                if clock() > deadline:
                    raise Overdue
                neighbours, found = expand(node)
            except Overdue:
                result.truncated = {"limit": "timeout", "hop": hop, "seconds": limits.timeout}
                return result
            edges.update((edge, None) for edge in found if edge not in result.edges)
            fresh.update((other, None) for other in neighbours if other not in seen)
        room_nodes = limits.max_nodes - len(seen)
        room_edges = limits.max_edges - len(result.edges)
        if len(fresh) > room_nodes or len(edges) > room_edges:
            _cut(result, hop, fresh, edges, room_nodes, room_edges, seen, name)
            return result
        result.edges.update(dict.fromkeys(edges, hop))
        if not fresh:
            break
        seen.update(fresh)
        result.layers.append(sorted(fresh, key=name))
    return result


def _cut(
    result: Walk,
    hop: int,
    fresh: dict[NamedNode, None],
    edges: dict[Edge, None],
    room_nodes: int,
    room_edges: int,
    seen: set[NamedNode],
    name: Callable[[NamedNode], str],
) -> None:
    """Keep the first nodes of the layer by id, and the first edges among what is kept."""
    kept = sorted(fresh, key=name)[: max(room_nodes, 0)]
    present = seen | set(kept)
    among = [edge for edge in edges if edge[0] in present and edge[2] in present]
    among.sort(key=lambda edge: tuple(name(term) for term in edge))
    among = among[: max(room_edges, 0)]
    if len(edges) > room_edges:
        ends = {end for edge in among for end in (edge[0], edge[2])}
        touched = {end for edge in edges for end in (edge[0], edge[2])}
        kept = [node for node in kept if node in ends or node not in touched]
    result.edges.update(dict.fromkeys(among, hop))
    if kept:
        result.layers.append(kept)
    result.truncated = {
        "limit": "max_nodes" if len(fresh) > room_nodes else "max_edges",
        "hop": hop,
        "nodes_left": len(fresh) - len(kept),
        "edges_left": len(edges) - len(among),
    }
