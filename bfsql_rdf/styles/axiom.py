"""Axiom annotations of OWL 2: `?st owl:annotatedSource s ; owl:annotatedProperty p ; owl:annotatedTarget o`."""

from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.terms import ANNOTATED_PROPERTY, ANNOTATED_SOURCE, ANNOTATED_TARGET

_SOURCE = f"?statement {ANNOTATED_SOURCE} ?subject ."
_PROPERTY = f"?statement {ANNOTATED_PROPERTY} ?predicate ."
_TARGET = f"?statement {ANNOTATED_TARGET} ?object ."


def axiom(vocabulary: Vocabulary) -> Style:
    """The style; the vocabulary has no say in it."""
    return Style(
        name="axiom",
        pattern="\n".join([_SOURCE, _PROPERTY, _TARGET]),
        outgoing=lambda values: "\n".join([values, _SOURCE, _PROPERTY, _TARGET]),
        incoming=lambda values: "\n".join([values, _TARGET, _SOURCE, _PROPERTY]),
        structure=frozenset({ANNOTATED_SOURCE.value, ANNOTATED_PROPERTY.value, ANNOTATED_TARGET.value}),
    )
