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
    stated = f"?statement {reifies} <<( ?subject ?predicate ?object )>> ."
    if len(vocabulary.reifies) > 1:
        members = ", ".join(f"<{predicate}>" for predicate in vocabulary.reifies)
        stated = f"?statement ?reifies <<( ?subject ?predicate ?object )>> .\nFILTER(?reifies IN ({members}))"
    asserted = f"?subject ?predicate ?object .\n{stated}"
    return Style(
        name="reifier",
        pattern=f"?statement {reifies} ?triple .\nFILTER(isTRIPLE(?triple))\n{parts}",
        outgoing=lambda values: f"{values}\n{asserted}",
        incoming=lambda values: f"{values}\n{asserted}",
        structure=frozenset(vocabulary.reifies),
        scan=f"?statement {reifies} ?triple .\n{parts}",
        unasserted=True,
        bound=lambda values: f"{values}\n{stated}",
    )


def _star() -> Style:
    """The same for endpoints that speak SPARQL-star: a statement is the quoted triple that something is said of."""
    quoted = "<< ?subject ?predicate ?object >>"
    bound = f"BIND({quoted} AS ?statement)"
    stated = f"FILTER EXISTS {{ {quoted} ?told ?of }}\n{bound}"
    asserted = f"?subject ?predicate ?object .\n{stated}"
    return Style(
        name="reifier",
        pattern=f"{quoted} ?told ?of .\n{bound}",
        outgoing=lambda values: f"{values}\n{asserted}",
        incoming=lambda values: f"{values}\n{asserted}",
        structure=frozenset({REIFIES.value}),
        scan=f"{quoted} ?told ?of .\n{bound}",
        unasserted=True,
        named=False,
        bound=lambda values: f"{values}\n{stated}",
    )
