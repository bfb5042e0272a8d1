"""Wikibase exports in the data: their statements, qualifiers and references as the index wants them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad

from bfsql_rdf.store.layout import ALIAS, INSIDE, PLAIN
from bfsql_rdf.store.source import Source
from bfsql_rdf.store.values import NO_VALUE, UNKNOWN, Values
from bfsql_rdf.terms import OWL, PROV, RDF_TYPE, RDFS, SCHEMA, SKOLEM, SKOS, STRUCTURAL_TYPES, XSD
from bfsql_rdf.wikibase import (
    BEST,
    BEST_RANK,
    DECLARED,
    KEPT,
    PREFIXES,
    RANK,
    RANK_NAMES,
    WIKIBASE,
    WIKIDATA,
    Wikibase,
    is_reference,
)

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder

SAME_AS = NamedNode(OWL + "sameAs")
INVERSE, CONSTRAINT, SYMMETRIC = (WIKIDATA + "entity/" + name for name in ("P1696", "P2302", "Q21510862"))
"""Wikidata's own words for traits: inverse property, property constraint, symmetric constraint."""
_ABOUT = NamedNode(SCHEMA + "about")
_TRUE = Literal("true", datatype=NamedNode(XSD + "boolean"))
_TYPES = ("Item", "Property", "Lexeme", "Mediainfo")
_TWICE = frozenset({SKOS + "prefLabel", SCHEMA + "name", SCHEMA + "caption"})
"""Predicates that say again what rdfs:label says of an entity."""
_MACHINERY = frozenset(
    WIKIBASE + name
    for name in ("Statement", "BestRank", "Reference", "TimeValue", "QuantityValue", "GlobecoordinateValue", "Dump")
)
_HOUSEKEEPING = frozenset({SCHEMA + "version", SCHEMA + "dateModified", "http://creativecommons.org/ns#license"})
_SITES = frozenset(SCHEMA + name for name in ("about", "inLanguage", "isPartOf", "softwareVersion"))


def find_wikibase(source: Source, predicates: list[NamedNode]) -> Wikibase | None:
    """The Wikibase vocabulary of a dataset, or None."""
    declared = {}
    for iri, role in DECLARED.items():
        for quad in source.match(None, NamedNode(iri), None):
            if type(quad.object) is NamedNode and type(quad.subject) is NamedNode:
                declared[quad.object.value] = (role, quad.subject.value)

    def namespace_of(base: str, predicate: str) -> str | None:
        for quad in source.match(None, NamedNode(predicate), None):
            subject: Any = quad.subject
            space = subject.value[: subject.value.rfind("/") + 1]
            return space if space in (base, base + "entity/") else None
        return None

    found = Wikibase.of([node.value for node in predicates], declared, namespace_of)
    if found is not None:
        for name in _TYPES:
            one = next(source.match(None, RDF_TYPE, NamedNode(WIKIBASE + name)), None)
            if one is not None:
                space = one.subject.value[: one.subject.value.rfind("/") + 1]  # type: ignore[union-attr]
                if space not in found.entities:
                    found.entities.append(space)
    return found


class Exports:
    """What a Wikibase export is to the index: read by property, told apart by the roles of its predicates."""

    def __init__(self, source: Source, vocabulary: Wikibase) -> None:
        self.source, self.vocabulary = source, vocabulary
        self.roles = vocabulary.roles
        self.values = Values(source)
        self._made = {role: vocabulary.made_of(role) for role in {role for role, _ in self.roles.values()}}
        self._no_value = lru_cache(maxsize=10_000)(vocabulary.no_value)
        self._without_value: set[int] = set()
        self.redirects = dict(self._find_redirects())
        self.is_bookkeeping = lru_cache(maxsize=100_000)(self._is_bookkeeping)

    def _nodes(self, role: str, property_: str) -> list[NamedNode]:
        return [NamedNode(iri) for iri in self._made.get(role, {}).get(property_, ())]

    def _find_redirects(self) -> Iterator[tuple[NamedNode, NamedNode]]:
        entity = self.vocabulary.is_entity
        found = {
            quad.subject: quad.object
            for quad in self.source.match(None, SAME_AS, None)
            if type(quad.object) is NamedNode and entity(quad.subject.value) and entity(quad.object.value)  # type: ignore[union-attr]
        }
        for start in found:
            end: Any = start
            seen = set()
            while end in found and end not in seen:
                seen.add(end)
                end = found[end]
            if end not in found:
                yield start, end  # type: ignore[misc]

    # Statements

    def rows(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Every statement: (id, subject, property, value); a value that is not known or not there is a value too."""
        match = self.source.match
        for property_, claims in self._made.get("claim", {}).items():
            name = NamedNode(property_)
            stated, nodes = self._nodes("statement", property_), self._nodes("statement_value", property_)
            for claim in claims:
                for quad in match(None, NamedNode(claim), None):
                    statement: Any = quad.object
                    if type(statement) is not NamedNode:
                        continue
                    mains = [other.object for one in stated for other in match(statement, one, None)]
                    deep = [other.object for one in nodes for other in match(statement, one, None)]
                    for main in mains:
                        for value in self.values.canonical(main, deep):
                            yield statement, quad.subject, name, value
                    if mains:
                        continue
                    kinds = [other.object for other in match(statement, RDF_TYPE, None)]
                    if any(type(kind) is NamedNode and self._no_value(kind.value) == property_ for kind in kinds):
                        yield statement, quad.subject, name, NO_VALUE
                    else:
                        self._without_value.add(hash(statement))

    def warnings(self) -> list[dict[str, str]]:
        """What is odd about the export."""
        if not self._without_value:
            return []
        message = (
            f"{len(self._without_value)} statements of the export have a rank but no value in it: "
            "they are neither edges nor fields"
        )
        return [{"code": "statements_without_value", "message": message}]

    def truthy_types(self, predicate: str) -> Iterator[tuple[NamedNode, NamedNode]]:
        """The types that direct triples alone give, no statement: (entity, type)."""
        for direct in self._nodes("direct", predicate):
            for quad in self.source.match(None, direct, None):
                kind = quad.object
                if type(kind) is NamedNode and not self._stated(quad.subject, predicate, kind, kind):
                    yield quad.subject, kind  # type: ignore[misc]

    def pairs(self, predicate: str) -> Iterator[tuple[NamedNode, NamedNode]]:
        """(subject, object) of every direct triple of a property: an export has those of what it believes only."""
        for direct in self._nodes("direct", predicate):
            for quad in self.source.match(None, direct, None):
                if type(quad.object) is NamedNode and type(quad.subject) is NamedNode:
                    yield quad.subject, quad.object

    def _claimed(self, subject: Any, property_: str) -> bool:
        return any(self.source.has(subject, claim, None) for claim in self._nodes("claim", property_))

    def told_types(self, types: set[str]) -> set[str]:
        """The types that say something: what everything in a Wikibase is, only where there is no other."""
        told = {iri for iri in types if not self._no_value(iri)}
        return told - STRUCTURAL_TYPES or told

    def _stated(self, subject: Any, property_: str, term: Any, value: Any) -> bool:
        """Whether a statement says what a direct triple says; one value that is not known is like another."""
        statements = [
            quad.object for claim in self._nodes("claim", property_) for quad in self.source.match(subject, claim, None)
        ]
        wanted = None if value == UNKNOWN else term
        return any(
            self.source.has(statement, stated, wanted)
            for statement in statements
            if type(statement) is NamedNode
            for stated in self._nodes("statement", property_)
        )

    # Triples

    def quads(self, builder: "Builder", predicate: NamedNode) -> Iterator[Quad]:
        """The index's quads for the triples of a predicate that is made of a property."""
        role, property_ = self.roles[predicate.value]
        if role == "direct":
            yield from self._direct(builder, predicate, property_)
        elif role in ("qualifier", "reference"):
            yield from self._inner(builder, predicate, role, property_)

    def _direct(self, builder: "Builder", predicate: NamedNode, property_: str) -> Iterator[Quad]:
        name = NamedNode(property_)
        if property_ in builder.type_iris:
            return
        counts = [0, 0]
        for quad in self.source.match(None, predicate, None):
            subject = builder.node(quad.subject)
            for value in self.values.canonical(quad.object, ()):
                if self._stated(quad.subject, property_, quad.object, value):
                    continue
                literal = type(value) is Literal
                target = value if literal else builder.node(value)
                if hash((subject, name, target)) in builder.spine.described:
                    continue
                counts[literal] += 1
                yield Quad(subject, name, target, None if literal else PLAIN)
        if any(counts):
            own = builder.counts(name)
            own[0] += counts[0]
            own[2] += counts[1]
            builder.figures.plain_links += counts[0]

    def _inner(self, builder: "Builder", predicate: NamedNode, role: str, property_: str) -> Iterator[Quad]:
        name, nodes = NamedNode(property_), self._nodes(role + "_value", property_)
        for quad in self.source.match(None, predicate, None):
            subject = builder.node(quad.subject)
            if role == "reference":
                yield Quad(subject, INSIDE, subject)
            deep = [other.object for one in nodes for other in self.source.match(quad.subject, one, None)]
            for value in self.values.canonical(quad.object, deep):
                builder.counts(name)[3] += 1
                yield Quad(subject, name, value if type(value) is Literal else builder.node(value))

    def typed(self, builder: "Builder", subject: NamedNode, kind: Any, stating: bool) -> Iterator[Quad] | None:
        """The quads for an rdf:type that is Wikibase's own way of speaking; None for a type like any other."""
        iri: str = kind.value
        if stating:
            return self._typed_statement(builder, subject, iri)
        if property_ := self._no_value(iri):
            return self._typed_no_value(builder, subject, property_)
        return iter(()) if iri in _MACHINERY or self.is_bookkeeping(subject) else None

    def _typed_statement(self, builder: "Builder", statement: NamedNode, iri: str) -> Iterator[Quad]:
        if iri == BEST_RANK:
            builder.counts(NamedNode(BEST))[3] += 1
            yield Quad(statement, NamedNode(BEST), _TRUE)
        elif property_ := self._no_value(iri):
            own = self._nodes("claim", property_)
            if not any(self.source.has(None, claim, form) for form in builder.raw_forms(statement) for claim in own):
                builder.counts(NamedNode(property_))[3] += 1
                yield Quad(statement, NamedNode(property_), NO_VALUE)

    def _typed_no_value(self, builder: "Builder", subject: NamedNode, property_: str) -> Iterator[Quad]:
        if is_reference(subject.value):
            builder.counts(NamedNode(property_))[3] += 1
            yield Quad(subject, NamedNode(property_), NO_VALUE)
        elif not any(self._claimed(form, property_) for form in builder.raw_forms(subject)):
            builder.counts(NamedNode(property_))[2] += 1
            yield Quad(subject, NamedNode(property_), NO_VALUE)

    def rank(self, builder: "Builder") -> Iterator[Quad]:
        """The rank of each statement as a field of it, and the spellings of redirected entities."""
        name = NamedNode(RANK)
        for quad in self.source.match(None, name, None):
            if type(quad.object) is NamedNode:
                builder.counts(name)[3] += 1
                text = RANK_NAMES.get(quad.object.value) or quad.object.value
                yield Quad(builder.node(quad.subject), name, Literal(text))
        for start, end in self.redirects.items():
            yield Quad(end, ALIAS, start)

    # Bookkeeping

    def left_out(self, subject: Any, predicate: str) -> bool:
        """Whether a triple is no knowledge about an entity: site links, data sets, declarations, doublets."""
        if self.vocabulary.is_entity(subject.value):
            if predicate.startswith(WIKIBASE):
                return predicate not in KEPT
            if predicate in _TWICE:
                return self.source.has(subject, NamedNode(RDFS + "label"), None)
            return predicate in _HOUSEKEEPING or (predicate == SAME_AS.value and subject in self.redirects)
        return self.is_bookkeeping(subject)

    def _is_bookkeeping(self, subject: Any) -> bool:
        iri: str = subject.value
        if iri in self.roles or iri == WIKIBASE + "Dump" or is_reference(iri):
            return True
        if self.vocabulary.is_entity(iri):
            return False
        if iri.startswith(SKOLEM):
            return any(
                quad.object.value in self.roles
                for quad in self.source.match(subject, NamedNode(OWL + "onProperty"), None)
                if type(quad.object) is NamedNode
            )
        for quad in self.source.match(subject, _ABOUT, None):
            if type(quad.object) is NamedNode and self.vocabulary.is_entity(quad.object.value):
                return True
        return any(
            self.source.has(subject, NamedNode(WIKIBASE + name), None)
            for name in ("wikiGroup", "timeValue", "quantityAmount", "geoLatitude")
        )


def is_about_entities(predicate: str) -> bool:
    """Whether a predicate of an export speaks of entities, as far as its IRI can tell."""
    if predicate.startswith(WIKIBASE):
        return predicate in KEPT
    return predicate not in _TWICE | _HOUSEKEEPING | _SITES


def references(exports: Exports) -> Iterator[NamedNode]:
    """The reference nodes that statements are derived from."""
    for quad in exports.source.match(None, NamedNode(PROV + "wasDerivedFrom"), None):
        if type(quad.object) is NamedNode and is_reference(quad.object.value):
            yield quad.object


def found_in(vocabulary: Wikibase, predicates: int) -> tuple[dict[str, Any], dict[str, str]]:
    """What a profile says of a Wikibase export unless a person says otherwise, and its prefixes."""
    found: dict[str, Any] = {}
    roles = [role for role, _ in vocabulary.roles.values()]
    if "claim" in roles or 2 * roles.count("direct") > predicates:
        found |= {"names": "label", "labels": True}
    if WIKIDATA not in vocabulary.bases:
        return found, {}
    if found:
        wd = WIKIDATA + "entity/"
        found |= {
            "types": ["rdf:type", f"<{wd}P31>"],
            "subclass": ["rdfs:subClassOf", f"<{wd}P279>"],
            "position": {"path": f"<{PROV}wasDerivedFrom>/<{WIKIDATA}prop/reference/P813>"},
        }
    return found, PREFIXES
