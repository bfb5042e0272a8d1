"""What the data's ontology says: superclasses and the traits of predicates."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Quad

from bfsql_rdf.store.wikibase import CONSTRAINT, INVERSE, SYMMETRIC
from bfsql_rdf.terms import EQUIVALENT, OWL, RDF_TYPE, SKOLEM, SUBCLASS

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder


def read_ontology(builder: "Builder") -> None:
    """Fill the superclasses and traits of the builder's figures."""
    figures = builder.figures
    for one, parent in _superclasses(builder):
        parents = figures.superclasses.setdefault(one, [])
        if one != parent and parent not in parents:
            parents.append(parent)
    inverses: dict[str, set[str]] = {}
    for one, other in _inverses(builder):
        inverses.setdefault(one, set()).add(other)
        inverses.setdefault(other, set()).add(one)
    figures.inverses = {iri: sorted(others) for iri, others in sorted(inverses.items())}
    symmetric = set(_of_type(builder, "SymmetricProperty"))
    symmetric.update(one for one, constraint in _exported(builder, CONSTRAINT) if constraint == SYMMETRIC)
    figures.symmetric = sorted(symmetric)
    figures.transitive = sorted(set(_of_type(builder, "TransitiveProperty")))


def _superclasses(builder: "Builder") -> Iterator[tuple[str, str]]:
    for text in builder.profile.subclass:
        predicate = NamedNode(builder.ids.expand(text, "subclass"))
        for quad in builder.source.match(None, predicate, None):
            if _named(quad.subject) and _named(quad.object) and _told(builder, quad):
                yield builder.node(quad.subject).value, builder.node(quad.object).value
        yield from _exported(builder, predicate.value)
    for predicate in (SUBCLASS, EQUIVALENT) if builder.expressions.any else ():
        for quad in builder.source.match(None, predicate, None):
            for edge in builder.expressions.edges(predicate, quad.object) if _named(quad.subject) else ():
                if edge.predicate == SUBCLASS and _named(edge.object):
                    one, parent = builder.node(quad.subject), builder.node(edge.object)
                    if builder.spine.believed(one, builder.node(SUBCLASS), parent):
                        yield one.value, parent.value


def _inverses(builder: "Builder") -> Iterator[tuple[str, str]]:
    for quad in builder.source.match(None, NamedNode(OWL + "inverseOf"), None):
        if _named(quad.subject) and _named(quad.object) and _told(builder, quad):
            yield builder.node(quad.subject).value, builder.node(quad.object).value
    yield from _exported(builder, INVERSE)


def _exported(builder: "Builder", predicate: str) -> Iterator[tuple[str, str]]:
    """What a Wikibase export says of classes and properties in its own words."""
    if builder.exports:
        for one, other in [*builder.spine.told[predicate], *builder.exports.pairs(predicate)]:
            yield builder.node(one).value, builder.node(other).value


def _of_type(builder: "Builder", name: str) -> Iterator[str]:
    for quad in builder.source.match(None, RDF_TYPE, NamedNode(OWL + name)):
        if _named(quad.subject) and _told(builder, quad):
            yield builder.node(quad.subject).value


def _told(builder: "Builder", quad: Quad) -> bool:
    """Whether the triple may be believed: what is retracted or disputed relates no terms."""
    terms = builder.node(quad.subject), builder.node(quad.predicate), builder.object(quad.object)
    return builder.spine.believed(*terms)


def _named(term: object) -> bool:
    return type(term) is NamedNode and not term.value.startswith(SKOLEM)
