"""What the data's ontology says: superclasses and the traits of predicates."""

from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Quad

from bfsql_rdf.terms import OWL, RDF_TYPE, SKOLEM

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder


def read_ontology(builder: "Builder") -> None:
    """Fill the superclasses and traits of the builder's figures."""
    source, figures = builder.source, builder.figures
    for text in builder.profile.subclass:
        for quad in source.match(None, NamedNode(builder.ids.expand(text, "subclass")), None):
            if _named(quad.subject) and _named(quad.object) and quad.subject != quad.object and _told(builder, quad):
                parents = figures.superclasses.setdefault(builder.node(quad.subject).value, [])
                parents.append(builder.node(quad.object).value)
    inverses: dict[str, set[str]] = {}
    for quad in source.match(None, NamedNode(OWL + "inverseOf"), None):
        if _named(quad.subject) and _named(quad.object) and _told(builder, quad):
            one, other = builder.node(quad.subject).value, builder.node(quad.object).value
            inverses.setdefault(one, set()).add(other)
            inverses.setdefault(other, set()).add(one)
    figures.inverses = {iri: sorted(others) for iri, others in sorted(inverses.items())}
    for attribute, name in (("symmetric", "SymmetricProperty"), ("transitive", "TransitiveProperty")):
        found = source.match(None, RDF_TYPE, NamedNode(OWL + name))
        setattr(
            figures,
            attribute,
            sorted({builder.node(q.subject).value for q in found if _named(q.subject) and _told(builder, q)}),
        )


def _told(builder: "Builder", quad: Quad) -> bool:
    """Whether the triple may be believed: what is retracted or disputed relates no terms."""
    terms = builder.node(quad.subject), builder.node(quad.predicate), builder.object(quad.object)
    return builder.spine.believed(*terms)


def _named(term: object) -> bool:
    return type(term) is NamedNode and not term.value.startswith(SKOLEM)
