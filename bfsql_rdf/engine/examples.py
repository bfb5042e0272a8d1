"""Queries that a prompt shows: made from the graph at hand, run, and kept when they find something."""

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.engine.bfs import DEFAULT_STATUS, run_bfs
from bfsql_rdf.engine.closure import run_closure
from bfsql_rdf.engine.cutoffs import cutoffs
from bfsql_rdf.engine.sample import neighbours, reach, sample_links, sample_values
from bfsql_rdf.engine.scan import Scanner
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import BfsQuery, ClosureQuery, Scan, ScanQuery, Subgraph
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.terms import OWL, RDF, RDFS, SKOLEM

LIMITS = {"max_nodes": 300, "max_edges": 900}
"""What an example may hold; a query that finds more makes no example."""
STUBS: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}
PREDICATES, LINKS, TRIES = 10, 30, 8
DEGREE, FAR, CLOSURE = 25, 120, 60
PAGE = 5


@dataclass(frozen=True)
class Example:
    """A query with what it asks and what it gave."""

    primitive: str
    query: dict[str, Any]
    asks: str
    gave: str


class Examples:
    """Finds the examples of one graph; which ones depends on its data alone."""

    def __init__(self, index: Index) -> None:
        limits = index.profile.limits
        small = {key: min(most, getattr(limits, key)) for key, most in LIMITS.items()}
        self.index = copy.copy(index)
        self.index.profile = index.profile.model_copy(update={"limits": limits.model_copy(update=small)})
        self.allowed = index.allowed(frozenset(DEFAULT_STATUS))
        self.everything = index.everything()
        self.unit = 2 if index.profile.view == "nodes" and self.everything.links else 1
        self._labels = Labels(index)
        self._scan = Scanner(self.index, "examples")

    def all(self) -> list[Example]:
        """The examples that found something, in the order of the language."""
        makers = (
            self.around,
            self.filtered,
            self.closure,
            self.scan,
            self.as_of,
            self.traits,
            self.statuses,
        )
        found = [one for one in (make() for make in makers) if one is not None]
        if len(found) < 3:
            found += [one for one in (self.alone(), self.scan_values()) if one is not None]
        return found

    # What to ask about

    @cached_property
    def seeds(self) -> list[NamedNode]:
        """Linked nodes of a middling degree: typed and named ones first."""
        found: dict[NamedNode, None] = {}
        for iri in self._linking()[:PREDICATES]:
            for subject, _, object_ in sample_links(self.index, self.allowed, iri, LINKS)[0]:
                found |= {subject: None, object_: None}
        ranked = [(self._rank(node, near), node) for node, near in self._near(found, self.allowed)]
        return [node for _, node in sorted(ranked, key=lambda pair: pair[0])]

    def hop(self) -> tuple[str, str, str, str | None] | None:
        """Subject, predicate and object of a link, and the id of a statement of it where that is a node."""
        for node in self.seeds[:TRIES]:
            for graph in self.index.walked_graphs(self.allowed):
                for quad in islice(self.index.store.quads_for_pattern(node, None, None, graph), 1):
                    triple = Triple(quad.subject, quad.predicate, quad.object)
                    stated = self.allowed.links.get(graph)  # type: ignore[call-overload]
                    found = self.index.statements_of(triple, (stated,)) if stated and self.unit == 2 else []
                    if found or self.unit == 1:
                        object_ = self._id(quad.object)  # type: ignore[arg-type]
                        statement = min(self._id(one.id) for one in found) if found else None
                        return self._id(node), self.index.predicates.show(quad.predicate.value), object_, statement
        return None

    def _linking(self) -> list[str]:
        counts = self.index.figures.predicates
        return sorted((iri for iri, n in counts.items() if n[0]), key=lambda iri: (-counts[iri][0], iri))

    def _near(self, nodes: Any, allowed: Allowed) -> Iterator[tuple[NamedNode, set[NamedNode]]]:
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

    def _id(self, node: NamedNode) -> str:
        return self.index.ids.compress(node.value)

    def _called(self, node: NamedNode) -> str:
        label = self._labels.label(node)
        return " ".join(label.split())[:60] if label else self._id(node)

    # Running

    def _bfs(self, query: dict[str, Any]) -> Subgraph | None:
        try:
            result = run_bfs(self.index, BfsQuery.model_validate(query))[0]
        except QueryError:
            return None
        return None if result.truncated else result

    def _scanned(self, query: dict[str, Any]) -> Scan | None:
        try:
            result = self._scan(ScanQuery.model_validate(query))
        except QueryError:
            return None
        return result if result.nodes or result.edges else None

    # Neighbourhoods

    def around(self) -> Example | None:
        """Everything linked with one entity, as stubs."""
        for node in self.seeds[:TRIES]:
            query = {"seeds": [self._id(node)], "max_hops": self.unit} | STUBS
            result = self._bfs(query)
            if result and result.node_count > 1:
                asks = f"What is directly linked with {self._called(node)}? All as stubs: the shape alone."
                return Example("bfs_query", query, asks, _counted(result))
        return None

    def filtered(self) -> Example | None:
        """Two relationships out, one type and one predicate in full."""
        for node in self.seeds[: TRIES * 4]:
            near = neighbours(self.index, self.allowed, node, DEGREE) or set()
            around = [neighbours(self.index, self.allowed, other, FAR) for other in sorted(near, key=str)]
            if any(one is None for one in around) or len(near.union(*(one or () for one in around))) > FAR:
                continue
            query: dict[str, Any] = {"seeds": [self._id(node)], "max_hops": 2 * self.unit} | STUBS
            shape = self._bfs(query)
            if shape is None or len(shape.edges) < 2:
                continue
            types = Counter(n["entity_type"] for n in shape.nodes[1:] if n["entity_type"] != "Statement")
            predicates = Counter(edge["predicate"] for edge in shape.edges)
            kind = min(types, key=lambda name: (name == "Thing", -types[name], name), default="Thing")
            predicate = min(predicates, key=lambda name: (-predicates[name], name))
            query |= {"node_filter": {"entity_types": [kind]}, "edge_filter": {"predicates": [predicate]}}
            result = self._bfs(query)
            if result:
                asks = f"What is within two relationships of {self._called(node)}, "
                asks += f"{kind} nodes and {predicate} edges in full?"
                full = sum(n["entity_type"] == kind for n in result.nodes)
                rows = sum(edge["predicate"] == predicate for edge in result.edges)
                gave = f"{_counted(result)}, of these {full} {kind} nodes and {rows} {predicate} edges in full"
                return Example("bfs_query", query, asks, gave)
        return None

    def closure(self) -> Example | None:
        """One predicate to any depth, where that is more than a step and ends."""
        declared = self.index.figures.transitive
        order = sorted(self._linking(), key=lambda iri: iri not in declared)
        for iri in order[: PREDICATES * 2]:
            best: tuple[int, str, NamedNode] | None = None
            for subject, _, _ in sample_links(self.index, self.allowed, iri, LINKS)[0]:
                found = reach(self.index, self.allowed, subject, iri, CLOSURE)
                if found and found[0] > 1 and found[1] > 1:
                    best = max(best or (0, "", subject), (found[0], subject.value, subject), key=lambda one: one[:2])
            if best is None:
                continue
            query = {"start": self._id(best[2]), "predicate": self.index.predicates.show(iri)}
            try:
                result = run_closure(self.index, ClosureQuery.model_validate(query))[0]
            except QueryError:
                continue
            if result.count > 1:
                asks = f"What is reached from {self._called(best[2])} along {query['predicate']}, at any depth?"
                return Example("transitive_closure_query", query, asks, f"{result.count} ids")
        return None

    def alone(self) -> Example | None:
        """One entity in full."""
        counts = self.index.figures.predicates
        for iri in sorted((iri for iri, n in counts.items() if n[1] or n[2]), key=lambda iri: (-counts[iri][2], iri)):
            for node, _ in sample_values(self.index, self.allowed, iri, TRIES):
                query = {"seeds": [self._id(node)], "max_hops": 0}
                result = self._bfs(query)
                if result:
                    fields = len(result.nodes[0]) - 2
                    asks = f"What is known of {self._called(node)} itself?"
                    return Example("bfs_query", query, asks, f"1 node with {fields} fields")
        return None

    # Scans

    def scan(self) -> Example | None:
        """A rare status where there is one, else a type."""
        return self.scan_status() or self.scan_type()

    def scan_status(self) -> Example | None:
        """All statements of the rarest status that is not walked by default."""
        counts = {s: n for s, n in self.index.figures.statuses.items() if s not in DEFAULT_STATUS}
        for status in sorted(counts, key=lambda status: (counts[status], status))[:TRIES]:
            query = {"truth_status": [status], "limit": PAGE}
            result = self._scanned(query)
            if result:
                asks = f"Which statements are {status}, wherever they are? First page."
                return Example("scan_query", query, asks, _page(result))
        return None

    def scan_type(self) -> Example | None:
        """The entities of one type."""
        counts = self.index.figures.types
        order = sorted(counts, key=lambda iri: (iri.startswith((OWL, RDF, RDFS)), abs(counts[iri] - 10), iri))
        for iri in order[:TRIES]:
            query = {"node_types": [self.index.types.show(iri)], "limit": PAGE}
            result = self._scanned(query)
            if result:
                asks = f"Which {query['node_types'][0]} nodes are there? First page."
                return Example("scan_query", query, asks, _page(result))
        return None

    def scan_values(self) -> Example | None:
        """The values of one predicate."""
        counts = self.index.figures.predicates
        for iri in sorted((iri for iri, n in counts.items() if n[1] or n[2]), key=lambda iri: (-sum(counts[iri]), iri)):
            query = {"edge_predicates": [self.index.predicates.show(iri)], "limit": PAGE}
            result = self._scanned(query)
            if result:
                return Example("scan_query", query, "Which nodes have such a value, and which? First page.", _page(result))
        return None

    # Traversal filters

    def as_of(self) -> Example | None:
        """What was known at some point, where that is less than all."""
        for node in self.seeds[: TRIES * 4] if self.index.figures.positions else ():
            query: dict[str, Any] = {"seeds": [self._id(node)], "max_hops": self.unit}
            for cutoff in cutoffs(self.index, self.allowed, node):
                early, all_ = self._bfs(query | {"as_of": cutoff}), self._bfs(query)
                if early and all_ and 1 < early.node_count and early.edge_count < all_.edge_count:
                    asks = f"What was linked with {self._called(node)} as of {cutoff}?"
                    gave = f"{_counted(early)}; without `as_of` {_counted(all_)}"
                    return Example("bfs_query", query | {"as_of": cutoff}, asks, gave)
        return None

    def traits(self) -> Example | None:
        """Edges that follow from a symmetric or inverse predicate."""
        figures = self.index.figures
        for iri in self._linking():
            trait = "Inverse" if figures.inverses.get(iri) else "Symmetric" if iri in figures.symmetric else None
            if trait is None:
                continue
            ends = [end for edge in sample_links(self.index, self.allowed, iri, LINKS)[0] for end in (edge[2], edge[0])]
            for node, _ in islice(self._near(dict.fromkeys(ends), self.allowed), TRIES):
                query = {"seeds": [self._id(node)], "max_hops": 1, "expand_traits": [trait]} | STUBS
                result = self._bfs(query)
                derived = [edge for edge in result.edges if "derived_via" in edge] if result else []
                if result and derived:
                    asks = f"What is linked with {self._called(node)}, edges that follow from {trait} predicates included?"
                    gave = f"{_counted(result)}, {len(derived)} of them derived (`{derived[0]['derived_via']}`)"
                    return Example("bfs_query", query, asks, gave)
        return None

    def statuses(self) -> Example | None:
        """A neighbourhood that is larger when another status may be walked."""
        for graph in self.everything.links:
            own = self.index.status_of_graph(graph) or ()
            if graph in self.allowed.links:
                continue
            quads = islice(self.index.store.quads_for_pattern(None, None, None, graph), LINKS)
            ends = dict.fromkeys(end for quad in quads for end in (quad.subject, quad.object))
            for node, _ in islice(self._near(ends, self.everything), TRIES):
                wide = sorted({*DEFAULT_STATUS, *own})
                query: dict[str, Any] = {"seeds": [self._id(node)], "max_hops": self.unit}
                more, less = self._bfs(query | {"truth_status": wide} | STUBS), self._bfs(query | STUBS)
                if more and less and more.node_count > 1 and more.edge_count > less.edge_count:
                    query |= {"truth_status": wide} | STUBS
                    asks = f"What is linked with {self._called(node)} when {', '.join(own)} may be walked too?"
                    return Example("bfs_query", query, asks, f"{_counted(more)}; by default {_counted(less)}")
        return None


def _counted(result: Subgraph) -> str:
    return f"{_some(result.node_count, 'node')}, {_some(result.edge_count, 'edge')}"


def _page(result: Scan) -> str:
    parts = [_some(result.node_count, "node")] if result.nodes else []
    parts += [_some(result.edge_count, "edge")] if result.edges else []
    return " and ".join(parts) + (", and `next` for the page after" if result.next else ", no further page")


def _some(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"
