"""Anonymous classes of OWL as edges: `C subClassOf [ onProperty p ; someValuesFrom D ]` is `C p D`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.store.source import Source
from bfsql_rdf.terms import (
    ANNOTATED_TARGET,
    COMPLEMENT,
    EQUIVALENT,
    FIRST,
    HAS_VALUE,
    NOT_TYPE,
    ON_PROPERTY,
    OWL,
    RDF_TYPE,
    RDFS,
    REST,
    SKOLEM,
    SOME_VALUES,
    SUBCLASS,
)

DISJOINT = NamedNode(OWL + "disjointWith")
_BOTH = NamedNode(OWL + "intersectionOf")
READ = frozenset({SUBCLASS, EQUIVALENT, RDF_TYPE})
"""Predicates whose anonymous objects are read."""
MOST_PARTS = 100
"""Anonymous classes inside one another that are read; what is deeper stays nodes."""


@dataclass(frozen=True)
class Derived:
    """One edge that an anonymous class stands for: its predicate, object, and the construct it comes from."""

    predicate: NamedNode
    object: NamedNode
    via: str


@dataclass
class Expressions:
    """The anonymous classes of a dataset that can be written as edges; `consumed` are hashes of their nodes."""

    source: Source
    read: frozenset[NamedNode] = READ
    consumed: set[int] = field(default_factory=set)
    _read: dict[Any, tuple[Derived, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not any(self.source.has(None, construct, None) for construct in (SOME_VALUES, HAS_VALUE, _BOTH, COMPLEMENT)):
            return
        for predicate in sorted(self.read, key=str):
            for quad in self._anonymous(predicate):
                self.edges(predicate, quad)

    def _anonymous(self, predicate: NamedNode) -> Iterator[Any]:
        if predicate != RDF_TYPE:
            for quad in self.source.match(None, predicate, None):
                if _blank(quad.object):
                    yield quad.object
            return
        for construct in (COMPLEMENT, ON_PROPERTY):  # few, where the instances are many
            for quad in self.source.match(None, construct, None):
                if _blank(quad.subject) and self.source.has(None, RDF_TYPE, quad.subject):
                    yield quad.subject

    @property
    def any(self) -> bool:
        """Whether an anonymous class stands for an edge."""
        return any(self._read.values())

    def edges(self, predicate: NamedNode, node: Any) -> tuple[Derived, ...]:
        """The edges that `predicate` to this node stands for; empty for what no edges can say."""
        if predicate not in self.read or not _blank(node):
            return ()
        key = (predicate == RDF_TYPE, node)
        found = self._read.get(key)
        if found is None:
            parts: list[Any] = []
            found = self._read[key] = tuple(self._of(predicate == RDF_TYPE, node, parts) or ())
            if found and self._only_read(node):
                self.consumed.update(map(hash, parts))
        return found

    def _only_read(self, node: Any) -> bool:
        """Whether nothing else in the data speaks of an anonymous class, so that it need not be shown."""
        return all(
            quad.predicate in READ or quad.predicate == ANNOTATED_TARGET for quad in self.source.match(None, None, node)
        )

    def _of(self, instance: bool, node: Any, parts: list[Any]) -> list[Derived] | None:
        """What a class expression says, None when no edges can say it; `parts` gathers its nodes."""
        if node in parts or len(parts) > MOST_PARTS:
            return None
        parts.append(node)
        one = self._one
        if (on := one(node, ON_PROPERTY)) is not None:
            if _blank(on):
                return None
            if (some := one(node, SOME_VALUES)) is not None and not _blank(some) and not _is_datatype(some):
                return [Derived(on, some, "someValuesFrom")]
            value = one(node, HAS_VALUE)
            return [Derived(on, value, "hasValue")] if type(value) is NamedNode and not _blank(value) else None
        if (other := one(node, COMPLEMENT)) is not None:
            return None if _blank(other) else [Derived(NOT_TYPE if instance else DISJOINT, other, "complementOf")]
        if (cell := one(node, _BOTH)) is None or instance:
            return None
        found: list[Derived] = []
        for member in self._members(cell):
            if not _blank(member):
                found.append(Derived(SUBCLASS, member, "intersectionOf"))
                continue
            before = len(parts)
            part = self._of(instance, member, parts)
            if part is None:
                del parts[before:]
                found.append(Derived(SUBCLASS, member, "intersectionOf"))
            else:
                found += part
        return found

    def _members(self, cell: Any) -> Iterator[Any]:
        seen = set()
        while cell is not None and cell not in seen:
            seen.add(cell)
            member = self._one(cell, FIRST)
            if type(member) is NamedNode:
                yield member
            cell = self._one(cell, REST)

    def _one(self, subject: Any, predicate: NamedNode) -> Any:
        quad = next(self.source.match(subject, predicate, None), None)
        return None if quad is None or type(quad.object) is not NamedNode else quad.object


def _blank(term: Any) -> bool:
    return type(term) is NamedNode and term.value.startswith(SKOLEM)


def _is_datatype(term: NamedNode) -> bool:
    return term.value.startswith("http://www.w3.org/2001/XMLSchema#") or term.value == RDFS + "Literal"
