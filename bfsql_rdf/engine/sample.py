"""A look at a few links and values of a graph, without a pass over the whole of it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.engine.walk import Edge
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.layout import RECORDS

WINDOW = 3
"""How many times as many links are read as are kept, so that one hub does not fill a sample."""
OF_ONE_OBJECT = 5


def sample_links(index: Index, allowed: Allowed, predicate: str, most: int) -> tuple[list[Edge], bool]:
    """Up to `most` different links of a predicate, spread over their objects, and whether those are all."""
    quads = _quads(index, index.walked_graphs(allowed), NamedNode(predicate))
    window: list[Edge] = list(dict.fromkeys((q.subject, q.predicate, q.object) for q in islice(quads, WINDOW * most)))
    whole = next(quads, None) is None
    if len(window) <= most:
        return window, whole
    seen: Counter[NamedNode] = Counter()
    spread: list[Edge] = []
    rest: list[Edge] = []
    for edge in window:
        seen[edge[2]] += 1
        (spread if seen[edge[2]] <= OF_ONE_OBJECT else rest).append(edge)
    step = max(len(spread) // most, 1)
    kept = [*spread[::step], *rest][:most]
    return kept, False


def sample_values(index: Index, allowed: Allowed, predicate: str, most: int) -> list[tuple[NamedNode, Literal]]:
    """Up to `most` values of a predicate with their subjects; what statements and their evidence have is left out."""
    inner = index.figures.predicates[predicate][3]
    graphs = [*allowed.values, RECORDS] if allowed.asserted else list(allowed.values)
    found = islice(_quads(index, graphs, NamedNode(predicate)), WINDOW * most)
    return [
        (quad.subject, quad.object)
        for quad in islice((q for q in found if not inner or not index.is_inside(q.subject)), most)
        if type(quad.object) is Literal
    ]


def _quads(index: Index, graphs: Iterable[Any], predicate: NamedNode) -> Iterator[Any]:
    for graph in graphs:
        yield from index.store.quads_for_pattern(None, predicate, None, graph)


def neighbours(index: Index, allowed: Allowed, node: NamedNode, most: int) -> set[NamedNode] | None:
    """The nodes linked with a node in either direction, or None when more than `most` links are at it."""
    match = index.store.quads_for_pattern
    found: set[NamedNode] = set()
    for graph in index.walked_graphs(allowed):
        for subject, object_ in ((node, None), (None, node)):
            quads: list[Quad] = list(islice(match(subject, None, object_, graph), most + 1))
            if len(quads) > most:
                return None
            found.update(quad.object if subject else quad.subject for quad in quads)  # type: ignore[misc]
    return found - {node}


def affordable(index: Index, allowed: Allowed, seed: NamedNode, hops: int, most: int) -> bool:
    """Whether a walk meets at most `most` nodes and no hub: what `walk` reads before its limits can cut it."""
    seen, layer = {seed}, {seed}
    for _ in range(hops):
        fresh: set[NamedNode] = set()
        for node in layer:
            found = _steps(index, allowed, node, most)
            if found is None:
                return False
            fresh |= found - seen
            if len(seen) + len(fresh) > most:
                return False
        seen |= fresh
        layer = fresh
    return True


def _steps(index: Index, allowed: Allowed, node: NamedNode, most: int) -> set[NamedNode] | None:
    """The nodes a hop away in the view of the index, or None when more than `most` links are at the node."""
    found: set[Any] = {
        end
        for one in index.statement(node)
        if one.states in allowed.crossed
        for end in (one.triple.subject, one.triple.object)
        if type(end) is NamedNode
    }
    stating = allowed.links | allowed.values if index.profile.view == "nodes" else {}
    for graph in dict.fromkeys((*index.walked_graphs(allowed), *stating)):
        for subject, object_ in ((node, None), (None, node)):
            quads = list(islice(index.store.quads_for_pattern(subject, None, object_, graph), most + 1))
            if len(quads) > most:
                return None
            for quad in quads:
                if graph in stating:
                    triple = Triple(quad.subject, quad.predicate, quad.object)
                    found.update(one.id for one in index.statements_of(triple, (stating[graph],)))
                else:
                    found.add(quad.object if subject else quad.subject)
    return found


def reach(index: Index, allowed: Allowed, start: NamedNode, predicate: str, most: int) -> tuple[int, int] | None:
    """How many nodes a closure has and how deep it goes; None for more than `most` or on a cycle to the start."""
    match, name = index.store.quads_for_pattern, NamedNode(predicate)
    graphs = index.walked_graphs(allowed)
    seen: set[NamedNode] = set()
    layer, depth = [start], 0
    while layer:
        fresh: dict[NamedNode, None] = {}
        for node in layer:
            for graph in graphs:
                for quad in islice(match(node, name, None, graph), most + 1):
                    if quad.object not in seen:
                        fresh[quad.object] = None  # type: ignore[index]
        if start in fresh or len(seen) + len(fresh) > most:
            return None
        seen.update(fresh)
        layer = list(fresh)
        depth += bool(fresh)
    return len(seen), depth
