"""rdf:Statement reification: `?st rdf:subject s ; rdf:predicate p ; rdf:object o`, with or without rdf:type."""

from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.terms import OBJECT, PREDICATE, SUBJECT

_BODY = f"?statement {SUBJECT} ?subject .\n?statement {PREDICATE} ?predicate .\n?statement {OBJECT} ?object ."
_FROM_OBJECT = f"?statement {OBJECT} ?object .\n?statement {SUBJECT} ?subject .\n?statement {PREDICATE} ?predicate ."


def reification(vocabulary: Vocabulary) -> Style:
    """The style; the vocabulary has no say in it."""
    return Style(
        name="reification",
        pattern=_BODY,
        outgoing=lambda values: f"{values}\n{_BODY}",
        incoming=lambda values: f"{values}\n{_FROM_OBJECT}",
        structure=frozenset({SUBJECT.value, PREDICATE.value, OBJECT.value}),
    )
