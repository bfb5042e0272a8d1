"""RDF 1.2 reifiers, which is how RDF-star loads: `?st rdf:reifies <<( s p o )>>`."""

from bfsql_rdf.compiler.text import alternatives
from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.terms import REIFIES


def reifier(vocabulary: Vocabulary) -> Style:
    """The style; a triple term has no index into it, so branches walk asserted triples and `scan` finds the rest."""
    if vocabulary.star:
        return _star()
    reifies = alternatives(vocabulary.reifies)
    parts = (
        "BIND(SUBJECT(?triple) AS ?subject)\nBIND(PREDICATE(?triple) AS ?predicate)\nBIND(OBJECT(?triple) AS ?object)"
    )
    # The bound triple term must be one pattern beside the asserted triple: BIND(TRIPLE(...)) would scan.
    asserted = f"?subject ?predicate ?object .\n?statement {reifies} <<( ?subject ?predicate ?object )>> ."
    if len(vocabulary.reifies) > 1:
        members = " ".join(f"<{predicate}>" for predicate in vocabulary.reifies)
        asserted = (
            "?subject ?predicate ?object .\n?statement ?reifies <<( ?subject ?predicate ?object )>> .\n"
            f"FILTER(?reifies IN ({', '.join(members.split())}))"
        )
    return Style(
        name="reifier",
        pattern=f"?statement {reifies} ?triple .\nFILTER(isTRIPLE(?triple))\n{parts}",
        outgoing=lambda values: f"{values}\n{asserted}",
        incoming=lambda values: f"{values}\n{asserted}",
        structure=frozenset(vocabulary.reifies),
        scan=f"?statement {reifies} ?triple .\n{parts}",
        unasserted=True,
    )


def _star() -> Style:
    """The same for endpoints that speak SPARQL-star: a statement is the quoted triple that something is said of."""
    quoted = "<< ?subject ?predicate ?object >>"
    bound = f"BIND({quoted} AS ?statement)"
    asserted = f"?subject ?predicate ?object .\nFILTER EXISTS {{ {quoted} ?told ?of }}\n{bound}"
    return Style(
        name="reifier",
        pattern=f"{quoted} ?told ?of .\n{bound}",
        outgoing=lambda values: f"{values}\n{asserted}",
        incoming=lambda values: f"{values}\n{asserted}",
        structure=frozenset({REIFIES.value}),
        scan=f"{quoted} ?told ?of .\n{bound}",
        unasserted=True,
        named=False,
    )
