"""Nodes and edges as the JSON of the language: stubs, full nodes, full edges, statement nodes."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from pyoxigraph import NamedNode, Quad, Triple

from bfsql_rdf.engine.values import Values
from bfsql_rdf.engine.walk import Edge
from bfsql_rdf.store.index import Allowed, Index, Statement
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.terms import SKOLEM

EVIDENCE_DEPTH = 3


class Shaper:
    """Shapes what was walked under one set of allowed statements."""

    def __init__(self, index: Index, allowed: Allowed, uncut: bool = False) -> None:
        self.index, self.allowed, self.uncut = index, allowed, uncut
        profile, ids = index.profile, index.ids
        self._mentioned: dict[str, str] = {}
        self.id = self._mention if profile.labels else ids.compress
        self.predicate = index.predicates.show
        self._values = Values(profile, self.predicate, self.id)
        self._provenance = {NamedNode(ids.expand(text, "provenance")) for text in profile.provenance}
        self._method = NamedNode(ids.expand(profile.extraction_method.predicate, "extraction_method"))
        status = NamedNode(ids.expand(profile.status.predicate, "status"))
        self._statement_keys = {self._method: "", status: ""} | dict.fromkeys(self._provenance, "")
        self._about = index.figures.about_statements > 0
        self._nodes_view = profile.view == "nodes"

    def _mention(self, iri: str) -> str:
        short = self.index.ids.compress(iri)
        self._mentioned[short] = iri
        return short

    def labels(self, nodes: list[dict[str, Any]]) -> dict[str, str] | None:
        """The labels of what was shaped by its id alone; None where the profile wants none."""
        if not self.index.profile.labels:
            return None
        told = {node["id"] for node in nodes if len(node) > 2}
        wanted = {short: NamedNode(iri) for short, iri in self._mentioned.items() if short not in told}
        self.index.fetch_labels(list(wanted.values()))
        known = Labels(self.index)
        found = {short: known.label(node) for short, node in sorted(wanted.items())}
        return {short: label for short, label in found.items() if label} or None

    # Nodes

    def stub(self, node: NamedNode) -> dict[str, Any]:
        """`{id, entity_type}`."""
        return {"id": self.id(node.value), "entity_type": self.index.entity_type(node)}

    def node(self, node: NamedNode) -> dict[str, Any]:
        """A full node: an entity with its fields, or a statement with its triple and data."""
        shown, types, fields, statement = self.index.record(node)
        body: dict[str, Any] = {"id": self.id(node.value), "entity_type": shown}
        if statement:
            return body | self._statement_node(node, self.index.statement(node))
        if types:
            body["entity_types"] = sorted(map(self.index.type_name, types))
        quads = fields if self._nodes_view or not self.allowed.values else chain(fields, self._stated_values(node))
        return body | self._values.fields(quads, {}, self.uncut)

    def _quads(self, node: NamedNode) -> Iterable[Quad]:
        """The fields of a node: those no statement describes, and allowed value statements."""
        if self._nodes_view or not self.allowed.values:
            return self.index.fields(node)
        return chain(self.index.fields(node), self._stated_values(node))

    def _stated_values(self, node: NamedNode) -> Iterable[Quad]:
        cutoff = self.allowed.cutoff
        for graph, stated in self.allowed.values.items():
            for quad in self.index.store.quads_for_pattern(node, None, None, graph):
                triple = Triple(quad.subject, quad.predicate, quad.object)
                if cutoff is None or self.index.supported(triple, (stated,), cutoff):
                    yield quad

    def _statement_node(self, node: NamedNode, statements: list[Statement]) -> dict[str, Any]:
        body: dict[str, Any] = {"node_kind": "statement"}
        if len(statements) == 1:
            body |= self._triple(statements[0])
        else:
            body["statements"] = [self._triple(one) for one in statements]
        return body | self._statement_data(node)

    def _triple(self, statement: Statement) -> dict[str, Any]:
        triple = statement.triple
        body: dict[str, Any] = {
            "predicate": self.predicate(triple.predicate.value),
            "subject_id": self.id(triple.subject.value),  # type: ignore[union-attr]
        }
        if type(triple.object) is NamedNode:
            body["object_id"] = self.id(triple.object.value)
        else:
            body["object_value"] = self._values.value([triple.object], self.uncut)
        return body | {"truth_status": _status(statement.statuses)}

    def _statement_data(self, node: NamedNode) -> dict[str, Any]:
        """Everything about a statement but its triple: method, fields, evidence, what speaks of it."""
        quads = list(self._quads(node) if self._about else self.index.fields(node))
        methods = [quad.object for quad in quads if quad.predicate == self._method]
        body = {"extraction_method": self._values.value(methods, self.uncut) if methods else None}
        body |= self._values.fields(quads, self._statement_keys, self.uncut)
        evidence = [quad.object for quad in quads if quad.predicate in self._provenance]
        if evidence:
            found = [self._evidence(one, (node,)) for one in evidence]
            body["provenance"] = sorted(found, key=lambda item: sorted((k, str(v)) for k, v in item.items()))
        if self._about:
            speaking = self._speaking_of(node)
            if speaking:
                body["statements_about"] = speaking
        return body

    def _evidence(self, term: Any, path: tuple[Any, ...]) -> dict[str, Any]:
        if type(term) is not NamedNode:
            return {"value": self._values.value([term], self.uncut)}
        blank = term.value.startswith(SKOLEM) or self.index.opaque(term.value)
        body: dict[str, Any] = {} if blank else {"id": self.id(term.value)}
        quads = self.index.fields(term)
        nested: dict[str, list[Any]] = {}
        flat = []
        for quad in quads:
            inner = quad.object
            deeper = type(inner) is NamedNode and inner.value.startswith(SKOLEM) and inner not in path
            if blank and deeper and len(path) < EVIDENCE_DEPTH:
                name = self.predicate(quad.predicate.value)
                nested.setdefault(name, []).append(self._evidence(inner, (*path, term)))
            else:
                flat.append(quad)
        body |= self._values.fields(flat, {}, self.uncut)
        body |= {name: one[0] if len(one) == 1 else one for name, one in sorted(nested.items())}
        return body or {"id": self.id(term.value)}

    def _speaking_of(self, node: NamedNode) -> int:
        """How many other walkable statements have this one as subject or object."""
        found: set[NamedNode] = set()
        match = self.index.store.quads_for_pattern
        for graph, stated in (self.allowed.links | self.allowed.values).items():
            for quad in chain(match(node, None, None, graph), match(None, None, node, graph)):
                triple = Triple(quad.subject, quad.predicate, quad.object)
                found.update(
                    one.id
                    for one in self.index.statements_of(triple, (stated,))
                    if self.index.in_time(one.id, self.allowed.cutoff)
                )
        return len(found - {node})

    # Edges

    def stub_edge(self, edge: Edge) -> dict[str, Any]:
        """`{subject, predicate, object}`, and `derived_via` where the edge was read out of an anonymous class."""
        body = {
            "subject": self.id(edge[0].value),
            "predicate": self.predicate(edge[1].value),
            "object": self.id(edge[2].value),
        }
        via = self.index.derived_via(edge)
        return body | {"derived_via": via} if via else body

    def edge(self, edge: Edge) -> dict[str, Any]:
        """A full edge: its triple and the data of the allowed statements that state it."""
        return self.stub_edge(edge) | self._support(Triple(*edge), self.allowed.links.values())

    def value_edge(self, triple: Triple) -> dict[str, Any]:
        """A full value statement as an edge with `value` in place of `object`."""
        body = {
            "subject": self.id(triple.subject.value),  # type: ignore[union-attr]
            "predicate": self.predicate(triple.predicate.value),
            "value": self._values.value([triple.object], self.uncut),
        }
        return body | self._support(triple, self.allowed.values.values())

    def _support(self, triple: Triple, stated: Iterable[NamedNode]) -> dict[str, Any]:
        cutoff = self.allowed.cutoff
        found = self.index.statements_of(triple, stated)
        statements = [one for one in found if self.index.in_time(one.id, cutoff)]
        if not statements:
            return {}
        bodies = sorted(
            (
                {"id": self.index.ids.compress(one.id.value), "truth_status": _status(one.statuses)}
                | self._statement_data(one.id)
                for one in statements
            ),
            key=lambda body: str(body["id"]),
        )
        if len(bodies) == 1:
            return bodies[0]
        kept_apart = {"id", "provenance", "statements_about"}
        shared = {
            key: value
            for key, value in bodies[0].items()
            if key not in kept_apart and all(key in body and body[key] == value for body in bodies[1:])
        }
        rest = [{key: value for key, value in body.items() if key not in shared} for body in bodies]
        return shared | {"statements": rest}


def _status(statuses: tuple[str, ...]) -> str | list[str]:
    return statuses[0] if len(statuses) == 1 else list(statuses)
