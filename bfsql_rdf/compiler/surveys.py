"""The SPARQL of getting to know an endpoint: a few cheap questions, each bounded."""

from collections.abc import Iterable

from pyoxigraph import NamedNode

from bfsql_rdf.compiler.text import iri, literal, select, term, union
from bfsql_rdf.terms import (
    ANNOTATED_SOURCE,
    COMPLEMENT,
    FIRST,
    HAS_ASSERTION,
    HAS_VALUE,
    OWL,
    RDF_TYPE,
    RDFS,
    REIFIES,
    SOME_VALUES,
    SUBJECT,
)
from bfsql_rdf.wikibase import DECLARED, RANK

FEATURES = {
    "reifier": REIFIES.value,
    "reification": SUBJECT.value,
    "wikibase": RANK,
    "axiom": ANNOTATED_SOURCE.value,
    "graph": HAS_ASSERTION,
    "list": FIRST.value,
    "some": SOME_VALUES.value,
    "has": HAS_VALUE.value,
    "complement": COMPLEMENT.value,
}
"""What a dataset has when a predicate is in it."""


def features() -> str:
    """The names of the features that are there."""
    parts = [
        f"{{ SELECT ({literal(name)} AS ?feature) WHERE {{ ?s {iri(predicate)} ?o }} LIMIT 1 }}"
        for name, predicate in FEATURES.items()
    ]
    inside = f"GRAPH ?g {{ ?s {iri(HAS_ASSERTION)} ?o }}"
    graphs = f"{{ SELECT ({literal('nanopublication')} AS ?feature) WHERE {{ {inside} }} LIMIT 1 }}"
    return select("?feature", "\n  UNION\n".join([*parts, graphs]))


def distinct(variable: str, body: str, most: int) -> str:
    """Distinct values of one variable, one more than `most` where there are more."""
    return select(f"?{variable}", body, distinct=True) + f"\nLIMIT {most + 1}"


def predicates(most: int) -> str:
    return distinct("p", "?s ?p ?o .", most)


def stated_predicates(pattern: str, most: int) -> str:
    """The predicates that statements state, which may stand in no triple."""
    return distinct("predicate", pattern, most)


def types(kinds: Iterable[str], most: int) -> str:
    return distinct("type", f"?s {'|'.join(map(iri, kinds))} ?type .", most)


def statuses(status: Iterable[str], most: int) -> str:
    return distinct("status", f"?statement {'|'.join(map(iri, status))} ?status .", most)


def positions(path: str, most: int) -> str:
    return select("?position", f"?statement {path} ?position .") + f"\nLIMIT {most}"


def sub_properties() -> str:
    return select("?p", f"?p {iri(RDFS + 'subPropertyOf')}+ {REIFIES} .", distinct=True)


TRIPLE_TERMS = f"ASK {{ ?st {REIFIES} <<( ?s ?p ?o )>> }}"
"""Can be asked only where SPARQL 1.2 is spoken."""


QUOTED_TRIPLES = "ASK { << ?s ?p ?o >> ?told ?of }"
"""The same where SPARQL-star is spoken."""


def any_unasserted(status: str | None, star: bool = False) -> str:
    """Whether a reifier's triple is only quoted; with `status`, whether one of these states that too."""
    if star:
        told = iri(status) if status else "?told"
        return f"ASK {{ << ?s ?p ?o >> {told} ?of FILTER NOT EXISTS {{ ?s ?p ?o }} }}"
    stated = f" ; {iri(status)} ?status" if status else ""
    return f"ASK {{ ?st {REIFIES} <<( ?s ?p ?o )>>{stated} FILTER NOT EXISTS {{ ?s ?p ?o }} }}"


def ontology(subclass: Iterable[str], most: int) -> str:
    """Traits and superclasses: (?subject ?predicate ?object)."""
    inverse = iri(OWL + "inverseOf")
    branches = [f"?subject {inverse} ?object .\nBIND({inverse} AS ?predicate)"]
    for kind in (iri(OWL + name) for name in ("SymmetricProperty", "TransitiveProperty")):
        branches.append(f"?subject {RDF_TYPE} {kind} .\nBIND({RDF_TYPE} AS ?predicate)\nBIND({kind} AS ?object)")
    branches += [f"?subject {iri(one)} ?object .\nBIND({iri(one)} AS ?predicate)" for one in subclass]
    return select("?subject ?predicate ?object", union(branches)) + f"\nLIMIT {most + 1}"


def declarations(most: int) -> str:
    """What property entities of a Wikibase say of the predicates that are made of them."""
    values = " ".join(map(iri, DECLARED))
    return (
        select("?property ?role ?predicate", f"VALUES ?role {{ {values} }}\n?property ?role ?predicate .")
        + f"\nLIMIT {most}"
    )


def blanks(offset: int, most: int) -> str:
    """Some blank nodes among the first triples, by which one sees whether their labels stay."""
    body = "{ SELECT ?b WHERE { ?b ?p ?o } LIMIT 20000 }\nFILTER(isBLANK(?b))"
    return select("?b", body, distinct=True) + f"\nOFFSET {offset}\nLIMIT {most}"


def one_subject(predicate: NamedNode) -> str:
    return select("?s", f"?s {term(predicate)} ?o .") + "\nLIMIT 1"


def type_counts(kinds: Iterable[str], most: int) -> str:
    """The most used types with how many have each."""
    body = f"?s {'|'.join(map(iri, kinds))} ?type ."
    return select("?type (COUNT(DISTINCT ?s) AS ?n)", body) + f"\nGROUP BY ?type\nORDER BY DESC(?n)\nLIMIT {most}"


def predicate_counts(most: int) -> str:
    """The most used predicates with how many triples each has, and how many of those are values."""
    row = "?p (COUNT(*) AS ?n) (SUM(IF(isLITERAL(?o), 1, 0)) AS ?values)"
    return select(row, "?s ?p ?o .") + f"\nGROUP BY ?p\nORDER BY DESC(?n)\nLIMIT {most}"


def some_links(predicates: Iterable[str], each: int) -> str:
    """A few triples of each of some predicates."""
    parts = [
        "{ SELECT ?subject ?predicate ?object "
        f"WHERE {{ ?subject {one} ?object BIND({one} AS ?predicate) }} LIMIT {each} }}"
        for one in map(iri, predicates)
    ]
    return select("?subject ?predicate ?object", "\n  UNION\n".join(parts))
