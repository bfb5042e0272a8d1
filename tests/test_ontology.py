"""`ontology/bfsql.ttl` defines the terms that the code uses, and no status that it does not know."""

from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat, Store

from bfsql_rdf.profile import Profile
from bfsql_rdf.terms import BFSQL, NOT_TYPE, RDF, RDF_TYPE, RDFS, STATUSES

ROOT = Path(__file__).parents[1]
PROPERTIES = ("truthStatus", "position", "extractionMethod", "provenance")
DERIVED = ("notType",)


def ontology() -> Store:
    store = Store()
    store.load(path=str(ROOT / "ontology" / "bfsql.ttl"), format=RdfFormat.TURTLE)
    return store


def of_type(store: Store, kind: str) -> set[str]:
    quads = store.quads_for_pattern(None, RDF_TYPE, NamedNode(kind), None)
    return {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}


def test_the_statuses_are_those_of_the_code() -> None:
    assert of_type(ontology(), BFSQL + "TruthStatus") == {BFSQL + status for status in STATUSES}


def test_the_properties_are_defined() -> None:
    assert of_type(ontology(), RDF + "Property") == {BFSQL + name for name in (*PROPERTIES, *DERIVED)}


def test_each_term_has_a_label_and_a_comment() -> None:
    store = ontology()
    for name in (*STATUSES, *PROPERTIES, *DERIVED, "TruthStatus"):
        for predicate in ("label", "comment"):
            found = store.quads_for_pattern(NamedNode(BFSQL + name), NamedNode(RDFS + predicate), None, None)
            assert len(list(found)) == 1, (name, predicate)


def test_negation_is_spelled_as_in_the_code() -> None:
    assert {BFSQL + name for name in DERIVED} == {NOT_TYPE.value}


def test_a_profile_speaks_the_vocabulary_by_default() -> None:
    profile = Profile()
    named = {
        profile.status.predicate,
        profile.position.path,
        profile.extraction_method.predicate,
        profile.provenance[0],
    }
    assert named == {f"bfsql:{name}" for name in PROPERTIES}
