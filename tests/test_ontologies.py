"""Ontologies and nanopublications as graphs: axioms, class restrictions, labels as names, assertion graphs."""

from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import Graph

HEAD = """@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix b: <https://w3id.org/bfsql#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix obo: <http://purl.obolibrary.org/obo/> . @prefix schema: <http://schema.org/> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix np: <http://www.nanopub.org/nschema#> .
@prefix dcterms: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def opened(tmp_path: Path, text: str, profile: Any = None, name: str = "g.trig") -> Graph:
    path = tmp_path / name
    path.write_text(HEAD + text, encoding="utf-8")
    return bfsql_rdf.open(path, profile)


def edges(graph: Graph, seed: str, **keys: Any) -> set[tuple[str, ...]]:
    found = graph.bfs_query(seeds=[seed], max_hops=1, edge_filter={"predicates": []}, **keys).edges
    return {tuple(edge.values()) for edge in found}


SOME = "[ a owl:Restriction ; owl:onProperty ex:partOf ; owl:someValuesFrom ex:Body ]"


def test_a_restriction_is_an_edge_and_no_node(tmp_path: Path) -> None:
    graph = opened(tmp_path, f"ex:Heart a owl:Class ; rdfs:subClassOf ex:Organ , {SOME} .")
    assert edges(graph, "ex:Heart") == {
        ("ex:Heart", "subClassOf", "ex:Organ"),
        ("ex:Heart", "partOf", "ex:Body", "someValuesFrom"),
    }
    assert edges(graph, "ex:Body") == {("ex:Heart", "partOf", "ex:Body", "someValuesFrom")}
    assert "Restriction" not in graph.entity_types
    with pytest.raises(bfsql_rdf.QueryError):
        graph.bfs_query(seeds=["owl:Restriction"], max_hops=1)


def test_a_full_edge_says_that_it_is_derived(tmp_path: Path) -> None:
    graph = opened(tmp_path, f"ex:Heart rdfs:subClassOf {SOME} .")
    [edge] = graph.bfs_query(seeds=["ex:Heart"], max_hops=1).edges
    assert edge == {"subject": "ex:Heart", "predicate": "partOf", "object": "ex:Body", "derived_via": "someValuesFrom"}


def test_what_is_stated_itself_is_not_derived(tmp_path: Path) -> None:
    graph = opened(tmp_path, f"ex:Heart rdfs:subClassOf {SOME} ; ex:partOf ex:Body .")
    assert edges(graph, "ex:Heart") == {("ex:Heart", "partOf", "ex:Body")}


def test_restrictions_can_be_left_as_they_are(tmp_path: Path) -> None:
    graph = opened(tmp_path, f"ex:Heart rdfs:subClassOf {SOME} .", {"restrictions": False})
    [(subject, predicate, node)] = edges(graph, "ex:Heart")
    assert (subject, predicate) == ("ex:Heart", "subClassOf")
    assert "ex:Body" in {o for _, _, o in edges(graph, node)}
    assert node.startswith("_:")


def test_a_definition_is_its_parts(tmp_path: Path) -> None:
    text = f"ex:Heart owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( ex:Organ {SOME} ) ] . ex:h a ex:Heart ."
    graph = opened(tmp_path, text)
    assert edges(graph, "ex:Heart") == {
        ("ex:Heart", "subClassOf", "ex:Organ", "intersectionOf"),
        ("ex:Heart", "partOf", "ex:Body", "someValuesFrom"),
    }
    assert [node["id"] for node in graph.scan_query(node_types=["Organ"]).nodes] == ["ex:h"]


def test_what_no_edge_can_say_stays_a_node(tmp_path: Path) -> None:
    union = "[ owl:unionOf ( ex:Organ ex:Tissue ) ]"
    only = "[ owl:onProperty ex:partOf ; owl:allValuesFrom ex:Body ]"
    some_union = f"[ owl:onProperty ex:partOf ; owl:someValuesFrom {union} ]"
    both = f"[ owl:intersectionOf ( ex:Organ {only} ) ]"
    graph = opened(tmp_path, f"ex:Heart rdfs:subClassOf {union} , {only} , {some_union} , {both} .")
    found = edges(graph, "ex:Heart")
    assert len(found) == 5
    assert ("ex:Heart", "subClassOf", "ex:Organ", "intersectionOf") in found
    assert sum(edge[2].startswith("_:") for edge in found) == 4
    reach = graph.bfs_query(seeds=["ex:Heart"], max_hops=4)
    assert {"ex:Organ", "ex:Tissue", "ex:Body"} <= {node["id"] for node in reach.nodes}


@pytest.mark.parametrize(
    "text",
    [
        "ex:A owl:equivalentClass _:a . _:a owl:intersectionOf ( _:a ex:B ) .",
        "ex:A owl:equivalentClass _:a . _:a owl:intersectionOf ( _:b ex:B ) . _:b owl:intersectionOf ( _:a ex:C ) .",
        "ex:A rdfs:subClassOf " + "[ owl:intersectionOf ( ex:B " * 400 + "ex:Z" + " ) ]" * 400 + " .",
    ],
    ids=["itself", "each other", "deep"],
)
def test_classes_inside_one_another_come_to_an_end(tmp_path: Path, text: str) -> None:
    assert ("ex:A", "subClassOf", "ex:B", "intersectionOf") in edges(opened(tmp_path, text), "ex:A")


def test_a_retracted_definition_relates_no_classes(tmp_path: Path) -> None:
    text = (
        "ex:x a ex:K . ex:K owl:equivalentClass _:i . _:i owl:intersectionOf ( ex:L ex:M ) . [] a owl:Axiom ; "
        "owl:annotatedSource ex:K ; owl:annotatedProperty owl:equivalentClass ; owl:annotatedTarget _:i ; "
        "b:truthStatus 'retracted' . ex:L rdfs:subClassOf ex:O . ex:y a ex:L ."
    )
    graph = opened(tmp_path, text)
    assert edges(graph, "ex:K") == set()
    assert [node["id"] for node in graph.scan_query(node_types=["L"]).nodes] == ["ex:y"]


def test_an_expression_with_two_uses_stays_a_node(tmp_path: Path) -> None:
    graph = opened(
        tmp_path,
        "ex:Heart rdfs:subClassOf _:r . ex:o ex:uses _:r . _:r owl:onProperty ex:partOf ; owl:someValuesFrom ex:Body .",
    )
    [(_, _, node)] = edges(graph, "ex:o")
    assert "ex:Body" in {edge[2] for edge in edges(graph, node)}


def test_negation_is_no_type(tmp_path: Path) -> None:
    graph = opened(tmp_path, "ex:x a owl:NamedIndividual , [ a owl:Class ; owl:complementOf ex:Kinase ] .")
    assert edges(graph, "ex:x") == {("ex:x", "notType", "ex:Kinase", "complementOf")}
    assert graph.bfs_query(seeds=["ex:x"], max_hops=0).nodes[0]["entity_type"] == "NamedIndividual"
    assert graph.entity_types == {"NamedIndividual": 1}


def test_a_derived_edge_has_no_mirror(tmp_path: Path) -> None:
    graph = opened(
        tmp_path, f"ex:Heart rdfs:subClassOf {SOME} . ex:partOf owl:inverseOf ex:hasPart . ex:a ex:partOf ex:b ."
    )
    assert not any("hasPart" in edge for edge in edges(graph, "ex:Heart", expand_traits=["Inverse"]))
    assert ("ex:b", "hasPart", "ex:a", "Inverse(partOf)") in edges(graph, "ex:a", expand_traits=["Inverse"])


def test_an_axiom_annotates_its_edge(tmp_path: Path) -> None:
    text = (
        "ex:a ex:p ex:b . [] a owl:Axiom ; owl:annotatedSource ex:a ; owl:annotatedProperty ex:p ; "
        "owl:annotatedTarget ex:b ; rdfs:comment 'why' ; b:truthStatus 'disputed' ."
    )
    graph = opened(tmp_path, text)
    assert edges(graph, "ex:a") == set()
    [edge] = graph.bfs_query(seeds=["ex:a"], max_hops=1, truth_status=["disputed"]).edges
    assert (edge["comment"], edge["truth_status"]) == ("why", "disputed")
    assert "Axiom" not in graph.entity_types


def test_an_axiom_about_a_restriction_annotates_the_derived_edge(tmp_path: Path) -> None:
    text = (
        f"ex:Heart rdfs:subClassOf {SOME} . [] a owl:Axiom ; owl:annotatedSource ex:Heart ; "
        f"owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget {SOME} ; rdfs:comment 'seen' ."
    )
    graph = opened(tmp_path, text)
    [edge] = graph.bfs_query(seeds=["ex:Heart"], max_hops=1).edges
    assert (edge["predicate"], edge["comment"], edge["derived_via"]) == ("partOf", "seen", "someValuesFrom")


def test_an_axiom_about_a_definition_annotates_the_value(tmp_path: Path) -> None:
    text = (
        "ex:a obo:IAO_0000115 'a thing' . [] a owl:Axiom ; owl:annotatedSource ex:a ; "
        "owl:annotatedProperty obo:IAO_0000115 ; owl:annotatedTarget 'a thing' ; ex:source 'PMID:1' . "
        "obo:IAO_0000115 rdfs:label 'definition' ."
    )
    graph = opened(tmp_path, text)
    assert graph.describe_entities(["ex:a"]).nodes[0]["definition"] == "a thing"
    [row] = graph.scan_query(edge_predicates=["definition"]).edges
    assert row["source"] == "PMID:1"


def test_obo_terms_go_by_their_labels(tmp_path: Path) -> None:
    text = (
        "obo:BFO_0000050 a owl:ObjectProperty ; rdfs:label 'part of' . obo:X_1 rdfs:label 'heart' ; "
        "obo:BFO_0000050 obo:X_2 . obo:X_2 rdfs:label 'body' . "
        "obo:X_3 owl:deprecated true ; rdfs:label 'obsolete limb' ."
    )
    graph = opened(tmp_path, text)
    result = graph.bfs_query(seeds=["obo:X_1"], max_hops=1, node_filter={"entity_types": []})
    assert [edge["predicate"] for edge in result.edges] == ["part of"]
    assert result.labels == {"obo:X_1": "heart", "obo:X_2": "body"}
    for name in ("part of", "BFO_0000050", "obo:BFO_0000050"):
        assert graph.transitive_closure_query(start="obo:X_1", predicate=name).entities == ["obo:X_2"]
    assert graph.describe_entities(["obo:X_3"]).nodes[0]["deprecated"] is True
    assert opened(tmp_path, text, {"names": "local"}).predicates.keys() & {"BFO_0000050"}


@pytest.mark.parametrize("predicate", ["skos:prefLabel", "schema:name", "rdfs:label", "dcterms:title"])
def test_labels_of_every_vocabulary_name_the_stubs(tmp_path: Path, predicate: str) -> None:
    graph = opened(tmp_path, f"ex:a ex:p ex:b . ex:b {predicate} 'Bee'@en , 'Biene'@de .", {"labels": True})
    assert graph.bfs_query(seeds=["ex:a"], max_hops=1, node_filter={"entity_types": []}).labels == {"ex:b": "Bee"}


NANOPUB = """
ex:head { ex:np a np:Nanopublication ; np:hasAssertion ex:assertion ; np:hasProvenance ex:provenance ;
  np:hasPublicationInfo ex:info . }
ex:assertion { ex:gene ex:causes ex:disease . ex:gene a ex:Gene . ex:gene ex:score 0.7 . }
ex:provenance { ex:assertion prov:wasDerivedFrom ex:paper . ex:paper dcterms:title "A paper" . }
ex:info { ex:np dcterms:created "2015-08-25T14:48:12+02:00"^^xsd:dateTime ; dcterms:creator ex:person . }
"""


def test_an_assertion_graph_is_a_statement_with_its_provenance(tmp_path: Path) -> None:
    graph = opened(tmp_path, NANOPUB)
    assert graph.statuses == {"asserted_true": 3}
    [edge] = graph.bfs_query(seeds=["ex:gene"], max_hops=1).edges
    assert (edge["predicate"], edge["object"], edge["id"]) == ("causes", "ex:disease", "ex:assertion")
    assert edge["nanopublication"] == "ex:np"
    assert edge["provenance"] == [{"id": "ex:paper", "title": "A paper"}]
    assert graph.entity_types["Gene"] == 1
    assert graph.describe_entities(["ex:gene"]).nodes[0]["score"] == 0.7


def test_a_nanopublication_dates_its_assertion(tmp_path: Path) -> None:
    graph = opened(tmp_path, NANOPUB)
    assert edges(graph, "ex:gene", as_of="2015") == {("ex:gene", "causes", "ex:disease")}
    assert edges(graph, "ex:gene", as_of="2014") == set()


def test_a_nanopublication_is_walked_to_what_it_asserts(tmp_path: Path) -> None:
    graph = opened(tmp_path, NANOPUB)
    reached = {node["id"]: node for node in graph.bfs_query(seeds=["ex:np"], max_hops=2).nodes}
    assert reached["ex:assertion"]["entity_type"] == "Statement"
    assert {"ex:gene", "ex:disease", "ex:person"} <= set(reached)
    assert "ex:provenance" not in reached


def test_other_graphs_are_statements_only_when_asked_for(tmp_path: Path) -> None:
    text = "ex:g { ex:a ex:p ex:b . } ex:g b:truthStatus 'disputed' . ex:h { ex:a ex:p ex:c . }"
    assert edges(opened(tmp_path, text), "ex:a") == {("ex:a", "p", "ex:b"), ("ex:a", "p", "ex:c")}
    graph = opened(tmp_path, text, {"styles": ["graph", "plain"]})
    assert edges(graph, "ex:a") == {("ex:a", "p", "ex:c")}
    assert edges(graph, "ex:a", truth_status=["disputed"]) == {("ex:a", "p", "ex:b")}
    assert edges(opened(tmp_path, NANOPUB, {"styles": ["plain"]}), "ex:gene") == {("ex:gene", "causes", "ex:disease")}


def test_the_prefixes_of_rdf_xml_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "g.rdf"
    path.write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:v="http://example.org/v#">'
        '<rdf:Description rdf:about="http://example.org/v#a"><v:p rdf:resource="http://example.org/v#b"/>'
        "</rdf:Description></rdf:RDF>",
        encoding="utf-8",
    )
    assert bfsql_rdf.open(path).bfs_query(seeds=["v:a"], max_hops=1).edges[0]["object"] == "v:b"
