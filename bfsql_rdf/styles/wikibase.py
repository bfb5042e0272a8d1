"""Wikibase exports: `s p:P69 ?st . ?st ps:P69 o ; wikibase:rank ?rank`, qualifiers and references about `?st`."""

from bfsql_rdf.compiler.text import iri, starts_with
from bfsql_rdf.styles.base import Style, Vocabulary
from bfsql_rdf.wikibase import RANK, WIKIBASE


def wikibase(vocabulary: Vocabulary) -> Style:
    """The style; ?predicate is the one from the statement to its value (`ps:`), which says the property.

    Claim and value are paired by their IRIs, which is several times faster than by the declarations of the
    properties; those are asked only where a dataset's IRIs have another form.
    """
    claims = tuple(claim + "P" for claim in vocabulary.claims)
    values = tuple(claim + "statement/P" for claim in vocabulary.claims)
    paired = [
        f"FILTER({starts_with('claim', claims)})",
        f"FILTER({starts_with('predicate', values)})",
        'FILTER(STR(?claim) = REPLACE(STR(?predicate), "/prop/statement/", "/prop/"))',
    ]
    if vocabulary.declared:
        paired = [
            f"?property {iri(WIKIBASE + 'claim')} ?claim .",
            f"?property {iri(WIKIBASE + 'statementProperty')} ?predicate .",
        ]
    told, stated = "?subject ?claim ?statement .", "?statement ?predicate ?object ."
    if vocabulary.declared:
        out, into = [told, *paired, stated], [stated, told, *paired]
    else:
        out, into = [told, paired[0], stated, *paired[1:]], [stated, paired[1], told, paired[0], paired[2]]
    return Style(
        name="wikibase",
        pattern="\n".join(out),
        outgoing=lambda block: "\n".join([block, *out]),
        incoming=lambda block: "\n".join([block, *into]),
        structure=frozenset({RANK}),
        status=RANK,
    )
