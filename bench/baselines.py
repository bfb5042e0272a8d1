"""What the product is measured against: a hand-written walk over raw Oxigraph, and rdflib in memory."""

from typing import Any

import rdflib
from pyoxigraph import DefaultGraph, Literal, NamedNode, Store, Triple

from bench.generate import RDF, B

REIFIES = NamedNode(RDF + "reifies")
STATUS = NamedNode(B + "truthStatus")
TYPE = NamedNode(RDF + "type")
GRAPH = DefaultGraph()  # naming the graph spares each lookup a second index
ASSERTED = {"asserted_true"}
NO_LINKS = {RDF + "type", RDF + "subject", RDF + "predicate", RDF + "object"}

Answer = tuple[dict[Any, Any], dict[Any, Any]]


def hand_walk(store: Store, seed: str, hops: int, full: bool) -> Answer:
    """A walk by `quads_for_pattern` over raw data: the same nodes, edges and fields as the product.

    Each node's triples and each statement's are read once, and serve the walk, the status and the fields.
    """
    match = store.quads_for_pattern
    start = NamedNode(seed)
    layer: list[Any] = [start]
    seen: set[Any] = {start}
    edges: dict[Any, Any] = {}
    nodes: dict[Any, Any] = {}

    def allowed(edge: tuple[Any, Any, Any]) -> list[Any] | None:
        """The allowed statements of a triple, None when it has some but none allowed."""
        found, silent = [], True
        for reifier in match(None, REIFIES, Triple(*edge), GRAPH):
            silent = False
            read = list(match(reifier.subject, None if full else STATUS, None, GRAPH))
            stated = [q.object for q in read if q.predicate == STATUS]
            if all(one.value == "asserted_true" for one in stated):  # type: ignore[union-attr]
                fields = [(q.predicate, q.object) for q in read if q.predicate != REIFIES]
                found.append((reifier.subject, fields))
        return found if found or silent else None

    for hop in range(hops + 1):
        following = []
        for node in layer:
            if hop == hops:
                own = match(node, None if full else TYPE, None, GRAPH)
                read = [(q.predicate, q.object) for q in own]
                nodes[node] = [one for one in read if type(one[1]) is Literal or one[0] == TYPE]
                continue
            fields, links = [], []
            for quad in match(node, None, None, GRAPH):
                predicate, object_ = quad.predicate, quad.object
                if predicate == TYPE or type(object_) is Literal:
                    if full or predicate == TYPE:
                        fields.append((predicate, object_))
                else:
                    links.append((object_, (node, predicate, object_)))
            nodes[node] = fields
            for quad in match(None, None, node, GRAPH):
                if quad.predicate != TYPE:
                    links.append((quad.subject, (quad.subject, quad.predicate, node)))
            for other, edge in links:
                if edge in edges:
                    continue
                statements = allowed(edge)
                if statements is None:
                    continue
                edges[edge] = statements
                if other not in seen:
                    seen.add(other)
                    following.append(other)
        layer = following
    return nodes, edges


def rdflib_walk(graph: rdflib.Graph, seed: str, hops: int, full: bool) -> Answer:
    """The same over rdflib, whose statements are rdf:Statement reifications."""
    subject_, predicate_, object__ = rdflib.RDF.subject, rdflib.RDF.predicate, rdflib.RDF.object
    status = rdflib.URIRef(STATUS.value)
    layer, seen, edges = [rdflib.URIRef(seed)], {rdflib.URIRef(seed)}, {}
    for _ in range(hops):
        following = []
        for node in layer:
            found = [*graph.triples((node, None, None)), *graph.triples((None, None, node))]
            for s, p, o in found:
                if isinstance(o, rdflib.Literal) or str(p) in NO_LINKS or (s, p, o) in edges:
                    continue
                statements = [
                    one
                    for one in graph.subjects(subject_, s)
                    if (one, object__, o) in graph and (one, predicate_, p) in graph
                ]
                allowed = [one for one in statements if set(map(str, graph.objects(one, status))) <= ASSERTED]
                if statements and not allowed:
                    continue
                edges[s, p, o] = allowed
                other = o if s == node else s
                if other not in seen:
                    seen.add(other)  # type: ignore[arg-type]
                    following.append(other)
        layer = following  # type: ignore[assignment]
    if not full:
        return {node: graph.value(node, rdflib.RDF.type) for node in seen}, edges
    nodes = {node: list(graph.predicate_objects(node)) for node in seen}
    about = graph.predicate_objects
    return nodes, {edge: [list(about(one)) for one in allowed] for edge, allowed in edges.items()}


def hand_closure(store: Store, start: str, predicate: str) -> set[Any]:
    """Reachability by one lookup for each node."""
    link, seen, todo = NamedNode(predicate), set(), [NamedNode(start)]
    while todo:
        for quad in store.quads_for_pattern(todo.pop(), link, None, GRAPH):
            if quad.object not in seen:
                seen.add(quad.object)
                todo.append(quad.object)  # type: ignore[arg-type]
    return seen
