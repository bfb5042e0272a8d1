"""Queries that a prompt shows: made from the graph at hand, run, and kept when they find something."""

import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.engine.bfs import DEFAULT_STATUS, resolve_filters, run_bfs
from bfsql_rdf.engine.closure import run_closure
from bfsql_rdf.engine.cutoffs import cutoffs
from bfsql_rdf.engine.sample import affordable, reach, sample_links, sample_values
from bfsql_rdf.engine.scan import Scanner
from bfsql_rdf.engine.seeds import LINKS, PREDICATES, TRIES, Seeds
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import BfsQuery, ClosureQuery, Scan, ScanQuery, Subgraph
from bfsql_rdf.store.index import Index
from bfsql_rdf.terms import OWL, RDF, RDFS, local_name

LIMITS = {"max_nodes": 300, "max_edges": 900}
"""What an example may hold; a query that finds more makes no example."""
STUBS: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}
FAR, CLOSURE = 120, 40
"""Nodes within two relationships, and ids of a closure, that are still easy to read."""
PAGE = 5
_LADDER = re.compile(
    r"(part|sub|super|broader|narrower|parent|child|ancestor|contain|within|located|derive|based|(is_?a$)|type_?of)",
    re.I,
)
"""Local names of predicates that are often transitive."""


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
        self.seeds = Seeds(index)
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

    # Running

    def _bfs(self, query: dict[str, Any]) -> Subgraph | None:
        """The answer, unless a limit would cut it or the walk would cost more than the answer."""
        index, (seed,) = self.index, query["seeds"]
        allowed = resolve_filters(index, query.get("truth_status"), None)
        most = index.profile.limits.max_nodes
        if not affordable(index, allowed, NamedNode(index.ids.expand(seed)), query["max_hops"], most):
            return None
        try:
            result = run_bfs(index, BfsQuery.model_validate(query))[0]
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
        for node in self.seeds.nodes[:TRIES]:
            query = {"seeds": [self.seeds.id(node)], "max_hops": self.seeds.unit} | STUBS
            result = self._bfs(query)
            if result and result.node_count > 1:
                asks = f"What is directly linked with {self.seeds.called(node)}? All as stubs: the shape alone."
                return Example("bfs_query", query, asks, _counted(result))
        return None

    def filtered(self) -> Example | None:
        """Two relationships out, one type and one predicate in full."""
        for node in self.seeds.nodes[: TRIES * 4]:
            query: dict[str, Any] = {"seeds": [self.seeds.id(node)], "max_hops": 2 * self.seeds.unit} | STUBS
            shape = self._bfs(query)
            if shape is None or len(shape.edges) < 2 or shape.node_count > FAR:
                continue
            types = Counter(n["entity_type"] for n in shape.nodes[1:] if n["entity_type"] != "Statement")
            predicates = Counter(edge["predicate"] for edge in shape.edges)
            kind = min(types, key=lambda name: (name == "Thing", -types[name], name), default="Thing")
            predicate = min(predicates, key=lambda name: (-predicates[name], name))
            query |= {"node_filter": {"entity_types": [kind]}, "edge_filter": {"predicates": [predicate]}}
            result = self._bfs(query)
            if result:
                asks = f"What is within two relationships of {self.seeds.called(node)}, "
                asks += f"{kind} nodes and {predicate} edges in full?"
                full = sum(n["entity_type"] == kind for n in result.nodes)
                rows = sum(edge["predicate"] == predicate for edge in result.edges)
                gave = f"{_counted(result)}, of these {full} {kind} nodes and {rows} {predicate} edges in full"
                return Example("bfs_query", query, asks, gave)
        return None

    def closure(self) -> Example | None:
        """One predicate to any depth, where that is more than a step and ends."""
        figures = self.index.figures
        order = [iri for iri in self.seeds.linking() if iri not in figures.symmetric]
        order.sort(key=lambda iri: (iri not in figures.transitive, not _LADDER.search(local_name(iri))))
        for iri in order[: PREDICATES * 2]:
            best: tuple[int, str, NamedNode] | None = None
            for subject, _, _ in sample_links(self.index, self.seeds.allowed, iri, LINKS)[0]:
                found = reach(self.index, self.seeds.allowed, subject, iri, CLOSURE)
                if found and found[0] > 1 and found[1] > 1:
                    best = max(best or (0, "", subject), (found[0], subject.value, subject), key=lambda one: one[:2])
            if best is None:
                continue
            query = {"start": self.seeds.id(best[2]), "predicate": self.index.predicates.show(iri)}
            try:
                result = run_closure(self.index, ClosureQuery.model_validate(query))[0]
            except QueryError:
                continue
            if result.count > 1:
                asks = f"What is reached from {self.seeds.called(best[2])} along {query['predicate']}, at any depth?"
                return Example("transitive_closure_query", query, asks, f"{result.count} ids")
        return None

    def alone(self) -> Example | None:
        """One entity in full."""
        for node in self._known():
            query = {"seeds": [self.seeds.id(node)], "max_hops": 0}
            result = self._bfs(query)
            if result:
                asks = f"What is known of {self.seeds.called(node)} itself?"
                return Example("bfs_query", query, asks, f"1 node with {_some(len(result.nodes[0]) - 2, 'field')}")
        return None

    def _known(self) -> Iterator[NamedNode]:
        yield from self.seeds.nodes[:1]
        for iri in self.seeds.valued():
            for node, _ in sample_values(self.index, self.seeds.allowed, iri, TRIES):
                yield node
        for iri in self.seeds.linking():
            for node, _, _ in sample_links(self.index, self.seeds.allowed, iri, TRIES)[0]:
                yield node

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
            name = self.index.types.show(iri)
            query = {"node_types": [name], "limit": PAGE}
            result = self._scanned(query)
            if result:
                asks = f"Which {name} nodes are there? First page."
                return Example("scan_query", query, asks, _page(result))
        return None

    def scan_values(self) -> Example | None:
        """The values of one predicate."""
        for iri in self.seeds.valued():
            query = {"edge_predicates": [self.index.predicates.show(iri)], "limit": PAGE}
            result = self._scanned(query)
            if result:
                return Example(
                    "scan_query", query, "Which nodes have such a value, and which? First page.", _page(result)
                )
        return None

    # Traversal filters

    def as_of(self) -> Example | None:
        """What was known at some point, where that is less than all."""
        for node in self.seeds.nodes[: TRIES * 4] if self.index.figures.positions else ():
            query: dict[str, Any] = {"seeds": [self.seeds.id(node)], "max_hops": self.seeds.unit}
            for middle, last in cutoffs(self.index, self.seeds.allowed, node):
                early, late = self._bfs(query | {"as_of": middle}), self._bfs(query | {"as_of": last})
                if early and late and early.node_count > 1 and early.edge_count < late.edge_count:
                    asks = f"What was linked with {self.seeds.called(node)} as of {middle}?"
                    gave = f"{_counted(early)}; as of {last} {_counted(late)}"
                    return Example("bfs_query", query | {"as_of": middle}, asks, gave)
        return None

    def traits(self) -> Example | None:
        """Edges that follow from a symmetric or inverse predicate."""
        figures = self.index.figures
        for iri in self.seeds.linking():
            trait = "Inverse" if figures.inverses.get(iri) else "Symmetric" if iri in figures.symmetric else None
            if trait is None:
                continue
            ends = [
                end
                for edge in sample_links(self.index, self.seeds.allowed, iri, LINKS)[0]
                for end in (edge[2], edge[0])
            ]
            for node, _ in islice(self.seeds.near(dict.fromkeys(ends), self.seeds.allowed), TRIES):
                query = {"seeds": [self.seeds.id(node)], "max_hops": 1, "expand_traits": [trait]} | STUBS
                result = self._bfs(query)
                derived = [edge for edge in result.edges if "derived_via" in edge] if result else []
                if result and derived:
                    asks = f"What is linked with {self.seeds.called(node)}, with what follows from {trait} predicates?"
                    gave = f"{_counted(result)}, {len(derived)} of them derived (`{derived[0]['derived_via']}`)"
                    return Example("bfs_query", query, asks, gave)
        return None

    def statuses(self) -> Example | None:
        """A neighbourhood that is larger when another status may be walked."""
        for graph in self.seeds.everything.links:
            own = self.index.status_of_graph(graph) or ()
            if graph in self.seeds.allowed.links:
                continue
            quads = islice(self.index.store.quads_for_pattern(None, None, None, graph), LINKS)
            ends: dict[Any, None] = dict.fromkeys(end for quad in quads for end in (quad.subject, quad.object))
            for node, _ in islice(self.seeds.near(ends, self.seeds.everything), TRIES):
                wide = list(dict.fromkeys([*DEFAULT_STATUS, *own]))
                query: dict[str, Any] = {"seeds": [self.seeds.id(node)], "max_hops": self.seeds.unit}
                more, less = self._bfs(query | {"truth_status": wide} | STUBS), self._bfs(query | STUBS)
                if more and less and more.node_count > 1 and more.edge_count > less.edge_count:
                    query |= {"truth_status": wide} | STUBS
                    asks = f"What is linked with {self.seeds.called(node)} when {', '.join(own)} may be walked too?"
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
