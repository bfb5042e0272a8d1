"""What is retracted, disputed or too late leaks nowhere: no other triple, field, mirror or name."""

from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import Graph

PREFIXES = """@prefix ex: <http://example.org/> .
@prefix b: <https://w3id.org/bfsql#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ALL = ["asserted_true", "asserted_false", "hypothetical", "disputed", "retracted"]
TWINS: dict[str, Any] = {"prefixes": {"ex": ["http://example.org/", "https://example.org/"]}}
STATED = "ex:st rdf:subject ex:a ; rdf:predicate ex:p ; rdf:object ex:b ; b:truthStatus {status} .\n"


@pytest.fixture(params=["edges", "nodes"])
def view(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(folder: Path, text: str, view: str = "edges", suffix: str = "ttl", **profile: Any) -> Graph:
    path = folder / f"g.{suffix}"
    path.write_text(PREFIXES + text, encoding="utf-8")
    return bfsql_rdf.open(path, {"view": view} | profile)


def everything_said(graph: Graph, *predicates: str) -> str:
    """All that the default filters let out about `ex:a`, as one text."""
    traits = ["Symmetric", "Inverse"]
    said = [graph.bfs_query(seeds=["ex:a"], max_hops=n, expand_traits=traits) for n in (1, 3)]
    texts = [str([answer.nodes, answer.edges]) for answer in said]
    for predicate in predicates:
        page = graph.scan_query(edge_predicates=[predicate])
        closure = graph.transitive_closure_query(start="ex:a", predicate=predicate)
        texts += [str([page.nodes, page.edges]), str(closure.entities)]
    page = graph.scan_query(truth_status=["asserted_true"])
    return "\n".join([*texts, str([page.nodes, page.edges]), str(graph.describe_entities(["ex:a"]).nodes)])


LINKS = {
    "its plain triple": STATED + "ex:a ex:p ex:b .",
    "its triple, the status before it": "ex:a ex:p ex:b .\n" + STATED,
    "a silent rdf:Statement": STATED + "ex:s2 rdf:subject ex:a ; rdf:predicate ex:p ; rdf:object ex:b .",
    "a silent reifier": STATED + "ex:a ex:p ex:b ~ ex:s2 {| ex:note 1 |} .",
    "a silent blank annotation": STATED + "ex:a ex:p ex:b {| ex:note 1 |} .",
    "a quotation": STATED + "<< ex:a ex:p ex:b >> ex:note 1 .",
    "its symmetric mirror": STATED + "ex:p a owl:SymmetricProperty . ex:b ex:p ex:a . ex:b ex:p ex:c .",
    "an inverse of it": STATED + "ex:p owl:inverseOf ex:q . ex:b ex:q ex:a .",
    "a list": STATED + "ex:a ex:p ( ex:b ) .",
    "a second status": STATED + 'ex:st b:truthStatus "asserted_true" .',
}


@pytest.mark.parametrize("status", ["retracted", "disputed", "withdrawn by its author"])
@pytest.mark.parametrize("text", LINKS.values(), ids=LINKS.keys())
def test_a_link_not_asserted_does_not_leak_through(tmp_path: Path, view: str, text: str, status: str) -> None:
    graph = opened(tmp_path, text.replace("{status}", f'"{status}"'), view)
    edges = graph.bfs_query(seeds=["ex:a"], max_hops=3, expand_traits=["Symmetric", "Inverse"]).edges
    assert ("ex:a", "p", "ex:b") not in [(e["subject"], e["predicate"], e["object"]) for e in edges]
    assert graph.transitive_closure_query(start="ex:a", predicate="p").entities == []
    page = graph.scan_query(edge_predicates=["p"])
    assert ("ex:a", "ex:b") not in [(edge["subject"], edge.get("object")) for edge in page.edges]
    assert "ex:st" not in [node["id"] for node in page.nodes]
    widened = graph.bfs_query(seeds=["ex:a"], max_hops=2, truth_status=["asserted_true", status]).nodes
    assert "ex:b" in [node["id"] for node in widened]


TWIN_TEXTS = {
    "an alternate subject": "<https://example.org/a> ex:p ex:b .",
    "an alternate object": "ex:a ex:p <https://example.org/b> .",
    "an alternate predicate": "ex:a <https://example.org/p> ex:b .",
}


@pytest.mark.parametrize("text", TWIN_TEXTS.values(), ids=TWIN_TEXTS.keys())
def test_nor_through_another_spelling_of_the_triple(tmp_path: Path, view: str, text: str) -> None:
    graph = opened(tmp_path, STATED.format(status='"retracted"') + text, view, **TWINS)
    assert "ex:b" not in everything_said(graph, "p")


def test_nor_through_other_graphs(tmp_path: Path, view: str) -> None:
    text = """ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:st rdf:reifies <<( ex:a ex:p ex:b )>> }
    ex:g3 { ex:st b:truthStatus "retracted" } ex:a ex:p ex:b ."""
    assert "ex:b" not in everything_said(opened(tmp_path, text, view, "trig"), "p")


VALUES = {
    "its plain triple": ("ex:a ex:v 42 .", "42"),
    "another spelling of the number": ('ex:a ex:v "042"^^xsd:integer .', "42"),
    "another integer type": ('ex:a ex:v "42"^^xsd:long .', "42"),
    "a decimal that is stored shorter": ("ex:a ex:v 0.70 .", "0.7"),
    "text": ('ex:a ex:v "hidden" .', '"hidden"'),
    "tagged text": ('ex:a ex:v "hidden"@EN .', '"hidden"@en'),
    "a silent statement": ("ex:a ex:v 42 ~ ex:s2 .", "42"),
}


@pytest.mark.parametrize(("text", "value"), VALUES.values(), ids=VALUES.keys())
def test_a_retracted_value_is_no_field(tmp_path: Path, view: str, text: str, value: str) -> None:
    about = f'ex:st rdf:subject ex:a ; rdf:predicate ex:v ; rdf:object {value} ; b:truthStatus "retracted" .'
    graph = opened(tmp_path, f"{text} {about} ex:a ex:other 1 .", view)
    for hops in (0, 2):
        answer = graph.bfs_query(seeds=["ex:a"], max_hops=hops)
        assert [*answer.nodes, *answer.edges] == [{"id": "ex:a", "entity_type": "Thing", "other": 1}]
    assert "v" not in graph.describe_entities(["ex:a"]).nodes[0]
    page = graph.scan_query(edge_predicates=["v"])
    assert [*page.nodes, *page.edges] == []
    widened = graph.scan_query(edge_predicates=["v"], truth_status=["retracted"])
    assert widened.nodes or widened.edges


def test_a_retracted_type_is_no_type(tmp_path: Path, view: str) -> None:
    text = 'ex:a a ex:Spy ~ ex:st ; ex:p ex:b . ex:st b:truthStatus "retracted" . ex:b a ex:Spy .'
    graph = opened(tmp_path, text, view)
    assert graph.describe_entities(["ex:a"]).nodes[0]["entity_type"] == "Thing"
    assert [node["id"] for node in graph.scan_query(node_types=["Spy"]).nodes] == ["ex:b"]
    full = graph.bfs_query(seeds=["ex:a"], max_hops=1, node_filter={"entity_types": ["Spy"]})
    assert [node["entity_type"] for node in full.nodes] == ["Thing", "Spy"]
    assert "Spy" not in str(graph.bfs_query(seeds=["ex:a"], max_hops=0).nodes)


def test_a_subject_of_nothing_but_a_retracted_type_is_a_known_id(tmp_path: Path, view: str) -> None:
    text = 'ex:a a ex:Spy ~ ex:st . ex:st b:truthStatus "retracted" .'
    answer = opened(tmp_path, text, view).bfs_query(seeds=["ex:a"], max_hops=1)
    assert answer.nodes == [{"id": "ex:a", "entity_type": "Thing"}]


def test_a_retracted_field_of_a_statement_is_no_field(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ex:b ~ ex:st . ex:st ex:conf 1 ~ ex:m ; ex:by ex:w ~ ex:n ; ex:page 3 .
    ex:m b:truthStatus "retracted" . ex:n b:truthStatus "disputed" ."""
    graph = opened(tmp_path, text, view)
    said = everything_said(graph, "p")
    assert "'page': 3" in said
    assert "conf" not in said
    assert "ex:w" not in said


def test_a_retracted_field_of_evidence_is_no_field(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ex:b ~ ex:st . ex:st b:provenance _:e . _:e ex:doc "secret" ; ex:page 3 .
    ex:m rdf:subject _:e ; rdf:predicate ex:doc ; rdf:object "secret" ; b:truthStatus "retracted" ."""
    said = everything_said(opened(tmp_path, text, view), "p")
    assert "'page': 3" in said
    assert "secret" not in said


def test_fields_of_statements_are_no_rows_of_a_scan(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ex:b ~ ex:st . ex:st ex:conf 1 ; ex:by ex:w ; b:provenance [ ex:doc "d" ] ;
    b:position 1 ;    b:truthStatus "retracted" ."""
    graph = opened(tmp_path, text, view)
    for predicate in ("conf", "by", "doc"):
        page = graph.scan_query(edge_predicates=[predicate])
        assert [*page.nodes, *page.edges] == [], predicate


def test_a_retracted_label_is_no_name(tmp_path: Path) -> None:
    text = """ex:a ex:p ex:b . ex:p rdfs:label "secret" ~ ex:st .
    ex:a a ex:T . ex:T rdfs:label "hidden" ~ ex:s2 .
    ex:st b:truthStatus "retracted" . ex:s2 b:truthStatus "disputed" ."""
    said = everything_said(opened(tmp_path, text, names="label"), "p")
    assert "secret" not in said
    assert "hidden" not in said


def test_a_retracted_label_is_no_label_of_a_stub(tmp_path: Path) -> None:
    text = 'ex:a ex:p ex:b ; rdfs:label "secret" ~ ex:st . ex:st b:truthStatus "retracted" .'
    graph = opened(tmp_path, text, labels=True)
    answer = graph.bfs_query(seeds=["ex:a"], max_hops=1, node_filter={"entity_types": []})
    assert not answer.labels


TRAITS = {
    "symmetric": "ex:p a owl:SymmetricProperty ~ ex:st .",
    "inverse": "ex:p owl:inverseOf ex:q ~ ex:st .",
}


@pytest.mark.parametrize("text", TRAITS.values(), ids=TRAITS.keys())
def test_a_retracted_trait_gives_no_mirror(tmp_path: Path, text: str) -> None:
    graph = opened(tmp_path, text + 'ex:st b:truthStatus "retracted" . ex:a ex:p ex:b .')
    answer = graph.bfs_query(seeds=["ex:a"], max_hops=1, expand_traits=["Symmetric", "Inverse"])
    assert [edge["subject"] for edge in answer.edges] == ["ex:a"]


def test_a_retracted_subclass_has_no_instances_for_the_class(tmp_path: Path) -> None:
    text = """ex:Sub rdfs:subClassOf ex:Top ~ ex:st . ex:st b:truthStatus "retracted" .
    ex:a a ex:Sub . ex:b a ex:Top ."""
    assert [node["id"] for node in opened(tmp_path, text).scan_query(node_types=["Top"]).nodes] == ["ex:b"]


def test_a_retracted_list_is_neither_field_nor_edges(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ( ex:b ) ~ ex:st ; ex:q ( 1 2 ) ~ ex:s2 ; ex:other 1 .
    ex:st b:truthStatus "retracted" . ex:s2 b:truthStatus "retracted" ."""
    answer = opened(tmp_path, text, view).bfs_query(seeds=["ex:a"], max_hops=2)
    assert [*answer.nodes, *answer.edges] == [{"id": "ex:a", "entity_type": "Thing", "other": 1}]


def test_an_annotated_list_is_an_array(tmp_path: Path) -> None:
    text = "ex:a ex:p ( ex:b ex:c ) {| ex:conf 1 |} ; ex:q ( 1 2 ) {| ex:conf 2 |} ."
    answer = opened(tmp_path, text).bfs_query(seeds=["ex:a"], max_hops=3)
    assert [node["id"] for node in answer.nodes] == ["ex:a", "ex:b", "ex:c"]
    assert [edge["object"] for edge in answer.edges] == ["ex:b", "ex:c"]
    assert answer.nodes[0]["q"] == [1, 2]


def test_hidden_predicates_are_neither_edges_nor_fields_when_described(tmp_path: Path, view: str) -> None:
    text = "ex:a ex:hid ex:b ~ ex:s1 ; ex:hid 4 ~ ex:s2 ; ex:hid ex:c , 5 ; ex:p ex:d ."
    answer = opened(tmp_path, text, view, hidden=["ex:hid"]).bfs_query(seeds=["ex:a"], max_hops=2)
    assert [node["id"] for node in answer.nodes] == ["ex:a", "ex:d"]
    assert "hid" not in str([answer.nodes, answer.edges])


def test_what_is_crossed_does_not_depend_on_other_statements(tmp_path: Path, view: str) -> None:
    text = "ex:a ex:p ex:st . ex:x ex:q ex:y ~ ex:st ."
    query: dict[str, Any] = {"seeds": ["ex:a"], "max_hops": 3}
    alone = opened(tmp_path, text, view).bfs_query(query)
    unrelated = " ex:u ex:v ex:w ~ ex:s8 . ex:k ex:doubts ex:s8 ~ ex:s9 ."
    assert opened(tmp_path, text + unrelated, view).bfs_query(query).to_dict() == alone.to_dict()


@pytest.mark.parametrize("status", ["retracted", "disputed", "asserted_false", "hypothetical"])
@pytest.mark.parametrize("trait", TRAITS)
def test_a_mirror_that_is_denied_is_not_derived(tmp_path: Path, view: str, trait: str, status: str) -> None:
    predicate = {"symmetric": "ex:p", "inverse": "ex:q"}[trait]
    denied = f"ex:m rdf:subject ex:b ; rdf:predicate {predicate} ; rdf:object ex:a ."
    denied += f' ex:m b:truthStatus "{status}" .'
    text = TRAITS[trait].replace(" ~ ex:st", "") + " ex:a ex:p ex:b ~ ex:s1 . "
    query: dict[str, Any] = {"seeds": ["ex:a"], "max_hops": 2, "expand_traits": ["Symmetric", "Inverse"]}
    derived = [edge for edge in opened(tmp_path, text, view).bfs_query(query).edges if "derived_via" in edge]
    assert [(edge["subject"], edge["object"]) for edge in derived] == [("ex:b", "ex:a")]
    graph = opened(tmp_path, text + denied, view)
    assert not [edge for edge in graph.bfs_query(query).edges if "derived_via" in edge]


def test_a_statement_not_allowed_is_reached_but_not_crossed(tmp_path: Path, view: str) -> None:
    text = 'ex:a ex:p ex:st . ex:x ex:q ex:y ~ ex:st . ex:st b:truthStatus "retracted" .'
    graph = opened(tmp_path, text, view)
    answer = graph.bfs_query(seeds=["ex:a"], max_hops=4)
    assert [node["id"] for node in answer.nodes] == ["ex:a", "ex:st"]
    assert [edge["predicate"] for edge in answer.edges] == ["p"]
    crossed = graph.bfs_query(seeds=["ex:a"], max_hops=4, truth_status=["asserted_true", "retracted"])
    assert {"ex:x", "ex:y"} <= {node["id"] for node in crossed.nodes}


def test_a_bare_triple_term_is_crossed_when_its_status_is_allowed(tmp_path: Path, view: str) -> None:
    graph = opened(tmp_path, "ex:a ex:says <<( ex:x ex:q ex:y )>> .", view)
    closed = graph.bfs_query(seeds=["ex:a"], max_hops=3)
    assert [node["entity_type"] for node in closed.nodes] == ["Thing", "Statement"]
    widened = graph.bfs_query(seeds=["ex:a"], max_hops=3, truth_status=["asserted_true", "hypothetical"])
    assert {"ex:x", "ex:y"} <= {node["id"] for node in widened.nodes}
    assert "q" in {edge["predicate"] for edge in widened.edges}


def test_as_of_leaves_out_what_is_undated_and_late_but_no_label(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ex:b ~ ex:s1 ; ex:p ex:c ~ ex:s2 ; ex:p ex:d ~ ex:s3 ; ex:p ex:e ; ex:p ex:f ~ ex:s4 .
    ex:s1 b:position 3 , 9 . ex:s2 b:position 4 . ex:s4 b:position "3" . ex:p a owl:SymmetricProperty .
    ex:a rdfs:label "A" ; ex:born 1900 ~ ex:s5 ; ex:died 1950 ~ ex:s6 .
    ex:s5 b:position 1 . ex:s6 b:position 5 ."""
    graph = opened(tmp_path, text, view)
    answer = graph.bfs_query(seeds=["ex:a"], max_hops=3, as_of=3, expand_traits=["Symmetric"])
    edges = {(edge["subject"], edge["object"]) for edge in answer.edges}
    assert edges == {("ex:a", "ex:b"), ("ex:b", "ex:a")}
    seed = answer.nodes[0]
    assert seed["label"] == "A"
    assert "died" not in seed
    assert ("born" in seed) == (view == "edges")
    assert ("ex:s5" in {node["id"] for node in answer.nodes}) == (view == "nodes")
    page = graph.scan_query(edge_predicates=["p", "died"], as_of=3)
    assert [node["id"] for node in page.nodes] == (["ex:s1"] if view == "nodes" else [])
    assert [edge["object"] for edge in page.edges] == ([] if view == "nodes" else ["ex:b"])


def test_status_and_position_come_from_the_same_statement(tmp_path: Path, view: str) -> None:
    text = """ex:a ex:p ex:b ~ ex:s1 ~ ex:s2 . ex:s1 b:truthStatus "disputed" ; b:position 1 .
    ex:s2 b:truthStatus "asserted_true" ; b:position 9 ."""
    graph = opened(tmp_path, text, view)
    assert graph.bfs_query(seeds=["ex:a"], max_hops=1, as_of=5).edges == []
    edge = graph.bfs_query(seeds=["ex:a"], max_hops=2, as_of=9).edges[0]
    assert (edge["id"], edge["truth_status"]) == ("ex:s2", "asserted_true")


def test_positions_of_every_numeric_type_are_numbers(tmp_path: Path) -> None:
    for kind in ("positiveInteger", "unsignedInt", "nonNegativeInteger", "long", "decimal", "double"):
        text = f'ex:a ex:p ex:b ~ ex:st . ex:st b:position "10"^^xsd:{kind} .'
        graph = opened(tmp_path, text)
        assert graph.bfs_query(seeds=["ex:a"], max_hops=1, as_of=10).edge_count == 1, kind
        assert graph.bfs_query(seeds=["ex:a"], max_hops=1, as_of=9).edge_count == 0, kind
