"""What the product is measured against: a hand-written walk over raw Oxigraph, and rdflib in memory."""

from typing import Any

import rdflib
from pyoxigraph import DefaultGraph, Literal, NamedNode, Store, Triple

from bench.generate import RDF, B

REIFIES = NamedNode(RDF + "reifies")
STATUS = NamedNode(B + "truthStatus")
TYPE = NamedNode(RDF + "type")
GRAPH = DefaultGraph()  # naming the graph spares each lookup a second index
PARTS = {RDF + "subject", RDF + "predicate", RDF + "object"}

Answer = tuple[dict[Any, Any], dict[Any, Any]]


def hand_walk(store: Store, seed: str, hops: int, full: bool) -> Answer:
    """A walk by `quads_for_pattern` over data as it was loaded: the same nodes, edges and fields as the product."""
    match = store.quads_for_pattern
    layer, seen, edges = [NamedNode(seed)], {NamedNode(seed)}, {}
    for _ in range(hops):
        following = []
        for node in layer:
            for subject, object_ in ((node, None), (None, node)):
                for quad in match(subject, None, object_, GRAPH):
                    if type(quad.object) is not NamedNode or quad.predicate == TYPE:
                        continue
                    edge = (quad.subject, quad.predicate, quad.object)
                    if edge in edges:
                        continue
                    statements = [q.subject for q in match(None, REIFIES, Triple(*edge), GRAPH)]
                    allowed = [
                        one
                        for one in statements
                        if all(q.object.value == "asserted_true" for q in match(one, STATUS, None, GRAPH))  # type: ignore[union-attr]
                    ]
                    if statements and not allowed:
                        continue
                    edges[edge] = allowed
                    other = quad.object if quad.subject == node else quad.subject
                    if other not in seen:
                        seen.add(other)  # type: ignore[arg-type]
                        following.append(other)
        layer = following  # type: ignore[assignment]
    if not full:
        return {node: [q.object for q in match(node, TYPE, None, GRAPH)] for node in seen}, edges
    nodes = {
        node: [(q.predicate, q.object) for q in match(node, None, None, GRAPH) if type(q.object) is Literal]
        + [q.object for q in match(node, TYPE, None, GRAPH)]
        for node in seen
    }
    detailed = {
        edge: [(q.predicate, q.object) for one in allowed for q in match(one, None, None, GRAPH)]
        for edge, allowed in edges.items()
    }
    return nodes, detailed


def rdflib_walk(graph: rdflib.Graph, seed: str, hops: int, full: bool) -> Answer:
    """The same over rdflib, whose statements are rdf:Statement reifications."""
    subject_, predicate_, object__ = (rdflib.URIRef(RDF + part) for part in ("subject", "predicate", "object"))
    status = rdflib.URIRef(STATUS.value)
    layer, seen, edges = [rdflib.URIRef(seed)], {rdflib.URIRef(seed)}, {}
    for _ in range(hops):
        following = []
        for node in layer:
            found = [*graph.triples((node, None, None)), *graph.triples((None, None, node))]
            for s, p, o in found:
                if isinstance(o, rdflib.Literal) or str(p) == TYPE.value or str(p) in PARTS or (s, p, o) in edges:
                    continue
                about = set(graph.subjects(subject_, s)) & set(graph.subjects(object__, o))
                statements = [one for one in about if (one, predicate_, p) in graph]
                allowed = [
                    one for one in statements if all(str(v) == "asserted_true" for v in graph.objects(one, status))
                ]
                if statements and not allowed:
                    continue
                edges[s, p, o] = allowed
                other = o if s == node else s
                if other not in seen:
                    seen.add(other)  # type: ignore[arg-type]
                    following.append(other)
        layer = following  # type: ignore[assignment]
    nodes = {
        node: list(graph.predicate_objects(node)) if full else [graph.value(node, rdflib.RDF.type)] for node in seen
    }
    detailed = {
        edge: [list(graph.predicate_objects(one)) for one in allowed] if full else [] for edge, allowed in edges.items()
    }
    return nodes, detailed


def hand_closure(store: Store, start: str, predicate: str) -> set[Any]:
    """Reachability by one lookup for each node."""
    link, seen, todo = NamedNode(predicate), set(), [NamedNode(start)]
    while todo:
        for quad in store.quads_for_pattern(todo.pop(), link, None, GRAPH):
            if quad.object not in seen:
                seen.add(quad.object)
                todo.append(quad.object)  # type: ignore[arg-type]
    return seen
