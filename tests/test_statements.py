"""The same facts in every style give the same answer, and what is retracted never leaks."""

from pathlib import Path
from typing import Any

import pytest
import rdflib
from pyoxigraph import RdfFormat, Store

import bfsql_rdf
from bfsql_rdf import Graph

PREFIXES = """
@prefix ex: <http://example.org/> . @prefix b: <https://w3id.org/bfsql#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
PROFILE = {"prefixes": {"ex": "http://example.org/"}}
ALL = ["asserted_true", "asserted_false", "hypothetical", "disputed", "retracted"]
FACTS = [
    ("s1", "ex:a", "ex:knows", "ex:b", "asserted_true", 10),
    ("s2", "ex:b", "ex:knows", "ex:c", "disputed", 20),
    ("s3", "ex:c", "ex:knows", "ex:d", "asserted_true", 30),
    ("s4", "ex:a", "ex:likes", "ex:d", "retracted", 5),
    ("s5", "ex:a", "ex:age", "42", "asserted_true", 10),
    ("s6", "ex:b", "ex:age", "43", "retracted", 10),
    ("s7", "ex:d", "ex:doubts", "ex:s1", "asserted_true", 40),
    ("s8", "ex:a", "ex:knows", "ex:b", "asserted_true", 12),
]
COMMON = 'ex:a a ex:Person ; rdfs:label "A" . ex:b a ex:Person . ex:c a ex:City . ex:e ex:near ex:a .\n'


def rendered(style: str) -> str:
    text = PREFIXES + COMMON
    for name, s, p, o, status, position in FACTS:
        if style == "plain":
            text += f"{s} {p} {o} .\n"
            continue
        if style == "reifier":
            text += f"{s} {p} {o} . ex:{name} rdf:reifies <<( {s} {p} {o} )>> .\n"
        else:
            text += f"ex:{name} rdf:subject {s} ; rdf:predicate {p} ; rdf:object {o} .\n"
        text += f'ex:{name} b:truthStatus "{status}" ; b:position {position} ; ex:by ex:a .\n'
    return text


def graph_of(tmp_path: Path, text: str, profile: dict[str, Any] | None = None, name: str = "g.ttl") -> Graph:
    path = tmp_path / name
    path.write_text(text if "@prefix" in text else PREFIXES + text, encoding="utf-8")
    return bfsql_rdf.open(path, PROFILE | (profile or {}))


QUERIES: list[dict[str, Any]] = [
    {"seeds": ["ex:a"], "max_hops": 0},
    {"seeds": ["ex:a"], "max_hops": 1},
    {"seeds": ["ex:a"], "max_hops": 3, "truth_status": ALL},
    {"seeds": ["ex:a", "ex:d"], "max_hops": 2, "truth_status": ["asserted_true", "disputed"]},
    {"seeds": ["ex:a"], "max_hops": 2, "as_of": 11},
    {"seeds": ["ex:s1"], "max_hops": 2},
    {"seeds": ["ex:d"], "max_hops": 2, "node_filter": {"entity_types": ["Person"]}},
]


@pytest.mark.parametrize("view", ["edges", "nodes"])
def test_reifier_and_reification_answer_alike(tmp_path: Path, view: str) -> None:
    one = graph_of(tmp_path, rendered("reifier"), {"view": view}, "one.ttl")
    other = graph_of(tmp_path, rendered("reification"), {"view": view}, "other.ttl")
    for query in QUERIES:
        assert one.bfs_query(query).to_dict() == other.bfs_query(query).to_dict(), query
    for scan in ({"truth_status": ALL}, {"edge_predicates": ["age"]}, {"node_types": ["Statement"]}):
        assert one.scan_query(scan).to_dict() == other.scan_query(scan).to_dict()
    ids = ["ex:a", "ex:s1", "ex:s4", "ex:b"]
    assert one.describe_entities(ids).to_dict() == other.describe_entities(ids).to_dict()
    closure = {"start": "ex:a", "predicate": "knows"}
    assert one.transitive_closure_query(closure) == other.transitive_closure_query(closure)
    assert one.transitive_closure_query(closure).entities == ["ex:b"]


def test_plain_has_the_same_shape_but_no_statements(tmp_path: Path) -> None:
    plain = graph_of(tmp_path, rendered("plain"), name="plain.ttl")
    told = graph_of(tmp_path, rendered("reifier"), name="told.ttl")
    query = {"seeds": ["ex:a"], "max_hops": 3, "truth_status": ALL, "edge_filter": {"predicates": []}}
    ours, theirs = plain.bfs_query(query), told.bfs_query(query)
    assert ours.edges == theirs.edges
    assert {node["id"] for node in ours.nodes} == {node["id"] for node in theirs.nodes}


def test_memory_folder_reload_rdflib_and_store_answer_alike(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, rendered("reification"))
    folder = tmp_path / "store"
    bfsql_rdf.load(folder, [tmp_path / "g.ttl"], bfsql_rdf.Profile.of(PROFILE))
    bfsql_rdf.load(folder, [tmp_path / "g.ttl"])
    held = Store()
    held.load(path=str(tmp_path / "g.ttl"), format=RdfFormat.TURTLE)
    parsed = rdflib.Graph().parse(tmp_path / "g.ttl")
    others = [bfsql_rdf.open(folder), bfsql_rdf.open(held, PROFILE), bfsql_rdf.open(parsed, PROFILE)]
    for query in QUERIES:
        for other in others:
            assert other.bfs_query(query).to_dict() == graph.bfs_query(query).to_dict()


def test_blank_statements_keep_their_ids(tmp_path: Path) -> None:
    text = "ex:a ex:p ex:b {| ex:note 1 |} ."
    first = graph_of(tmp_path, text).bfs_query(seeds=["ex:a"], max_hops=1).to_dict()
    again = graph_of(tmp_path, text, name="again.ttl")
    assert again.bfs_query(seeds=["ex:a"], max_hops=1).to_dict() == first
    statement = first["edges"][0]["id"]
    assert statement.startswith("_:")
    assert again.describe_entities([statement]).nodes[0]["note"] == 1


RETRACTED = 'ex:st b:truthStatus "retracted" ; b:position 1 .\n'
LEAKS = {
    "its plain triple": "ex:a ex:p ex:b ~ ex:st . " + RETRACTED,
    "a silent second statement": "ex:a ex:p ex:b ~ ex:st ~ ex:silent . ex:silent ex:note 1 . " + RETRACTED,
    "a silent statement of another style": (
        "ex:a ex:p ex:b ~ ex:st . ex:silent rdf:subject ex:a ; rdf:predicate ex:p ; rdf:object ex:b . " + RETRACTED
    ),
    "a second status": 'ex:a ex:p ex:b ~ ex:st . ex:st b:truthStatus "asserted_true" . ' + RETRACTED,
    "a list": "ex:a ex:p ex:b ~ ex:st ; ex:p (ex:b) . " + RETRACTED,
    "another graph": "ex:a ex:p ex:b . ex:st rdf:reifies <<( ex:a ex:p ex:b )>> . " + RETRACTED,
}


@pytest.mark.parametrize("text", LEAKS.values(), ids=LEAKS.keys())
@pytest.mark.parametrize("view", ["edges", "nodes"])
def test_retracted_statements_do_not_leak(tmp_path: Path, text: str, view: str) -> None:
    traits = " ex:p a owl:SymmetricProperty ; owl:inverseOf ex:q ."
    graph = graph_of(tmp_path, text + traits, {"view": view})
    result = graph.bfs_query(seeds=["ex:a"], max_hops=2, expand_traits=["Symmetric", "Inverse"])
    assert [node["id"] for node in result.nodes] == ["ex:a"]
    assert result.edges == []
    assert "retracted" in str(result.warnings)
    assert graph.transitive_closure_query(start="ex:a", predicate="p").entities == []
    scan = graph.scan_query(edge_predicates=["p"])
    assert (scan.nodes, scan.edges) == ([], [])
    widened = graph.bfs_query(seeds=["ex:a"], max_hops=2, truth_status=ALL)
    assert "ex:b" in {node["id"] for node in widened.nodes}


def test_no_mirror_against_what_the_graph_says(tmp_path: Path) -> None:
    text = 'ex:p a owl:SymmetricProperty . ex:a ex:p ex:b . ex:b ex:p ex:a ~ ex:st . ex:st b:truthStatus "retracted" .'
    result = graph_of(tmp_path, text).bfs_query(seeds=["ex:a"], max_hops=1, expand_traits=["Symmetric"])
    assert [(e["subject"], e["object"]) for e in result.edges if e["predicate"] == "p"] == [("ex:a", "ex:b")]


def test_retracted_values_and_types_are_no_fields(tmp_path: Path) -> None:
    text = """ex:a ex:born 1900 ~ ex:v ; ex:name "A" . ex:v b:truthStatus "retracted" .
    ex:a a ex:Spy ~ ex:t . ex:t b:truthStatus "disputed" . ex:a a ex:Person .
    ex:a ex:p ex:b ~ ex:st . ex:st ex:conf 1 ~ ex:m . ex:m b:truthStatus "retracted" ."""
    graph = graph_of(tmp_path, text)
    result = graph.bfs_query(seeds=["ex:a"], max_hops=1)
    assert result.nodes[0] == {"id": "ex:a", "entity_type": "Person", "name": "A"}
    assert "conf" not in result.edges[0]
    told = graph.bfs_query(seeds=["ex:a"], max_hops=0, truth_status=["asserted_true", "retracted"])
    assert told.nodes[0]["born"] == 1900
    assert graph.describe_entities(["ex:a"]).nodes[0] == result.nodes[0]


def test_undated_links_are_left_out_as_of_and_labels_stay(tmp_path: Path) -> None:
    text = 'ex:a ex:p ex:b ~ ex:st ; ex:q ex:c ; rdfs:label "A" . ex:st b:position 3 . ex:a ex:r ex:d ~ ex:undated .'
    result = graph_of(tmp_path, text).bfs_query(seeds=["ex:a"], max_hops=1, as_of=3)
    assert [edge["predicate"] for edge in result.edges] == ["p"]
    assert result.nodes[0]["label"] == "A"


@pytest.mark.parametrize(
    ("cutoff", "found"),
    [
        ("2008", ["p", "q", "r"]),
        ("2008-06", ["p", "q"]),
        ("2008-06-30T00:00:00Z", ["p", "q"]),
        ("2007", []),
        ("2008-05-01", ["p"]),
    ],
)
def test_dates_of_all_kinds_compare(tmp_path: Path, cutoff: str, found: list[str]) -> None:
    text = """@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    ex:a ex:p ex:b ~ ex:s1 ; ex:q ex:c ~ ex:s2 ; ex:r ex:d ~ ex:s3 . ex:s1 b:position "2008"^^xsd:gYear .
    ex:s2 b:position "2008-06-30" . ex:s3 b:position "2008-07-01T00:30:00+00:10"^^xsd:dateTime ."""
    result = graph_of(tmp_path, PREFIXES + text).bfs_query(seeds=["ex:a"], max_hops=1, as_of=cutoff)
    assert [edge["predicate"] for edge in result.edges] == found


def test_several_triples_of_one_reifier(tmp_path: Path) -> None:
    text = "ex:st rdf:reifies <<( ex:a ex:p ex:b )>> , <<( ex:c ex:q ex:d )>> . ex:a ex:p ex:b . ex:c ex:q ex:d ."
    node = graph_of(tmp_path, text).describe_entities(["ex:st"]).nodes[0]
    assert [one["predicate"] for one in node["statements"]] == ["p", "q"]


def test_merged_edges_say_what_all_agree_on(tmp_path: Path) -> None:
    text = "ex:a ex:p ex:b ~ ex:s1 ~ ex:s2 . ex:s1 ex:conf 1 ; ex:same 2 . ex:s2 ex:conf 3 ; ex:same 2 ."
    edge = graph_of(tmp_path, text).bfs_query(seeds=["ex:a"], max_hops=1).edges[0]
    assert edge["same"] == 2
    assert edge["statements"] == [{"id": "ex:s1", "conf": 1}, {"id": "ex:s2", "conf": 3}]


def test_alternate_forms_are_one_node(tmp_path: Path) -> None:
    profile = {"prefixes": {"ex": ["http://example.org/", "https://example.org/"]}}
    text = "<https://example.org/a> ex:p ex:b . ex:a ex:q <https://example.org/c> ."
    result = graph_of(tmp_path, text, profile).bfs_query(seeds=["https://example.org/a"], max_hops=1)
    assert [node["id"] for node in result.nodes] == ["ex:a", "ex:b", "ex:c"]


def test_limits_cut_and_say_so(tmp_path: Path) -> None:
    text = "".join(f"ex:hub ex:p ex:n{i:03} .\n" for i in range(50))
    graph = graph_of(tmp_path, text, {"limits": {"max_nodes": 11}})
    result = graph.bfs_query(seeds=["ex:hub"], max_hops=2)
    assert result.truncated == {"limit": "max_nodes", "hop": 1, "nodes_left": 40, "edges_left": 40}
    assert result.node_count == 11
    assert [edge["object"] for edge in result.edges] == [f"ex:n{i:03}" for i in range(10)]
    edges = graph_of(tmp_path, text, {"limits": {"max_edges": 5}}).bfs_query(seeds=["ex:hub"], max_hops=1)
    assert (edges.node_count, edges.edge_count) == (6, 5)


def test_scan_pages_hold_everything_once(tmp_path: Path) -> None:
    text = "".join(f"ex:hub ex:p ex:n{i:03} .\n" for i in range(25))
    graph, found, query = graph_of(tmp_path, text), [], {"edge_predicates": ["p"], "limit": 7}
    while True:
        page = graph.scan_query(query)
        found += [edge["object"] for edge in page.edges]
        if page.next is None:
            break
        fresh = graph_of(tmp_path, text).scan_query(query | {"after": page.next})
        query = query | {"after": page.next}
        assert fresh == graph.scan_query(query)
    assert sorted(found) == [f"ex:n{i:03}" for i in range(25)]


def test_a_style_of_ones_own(tmp_path: Path) -> None:
    profile = {
        "style": {
            "job": {
                "pattern": "?statement a ex:Job ; ex:employee ?subject ; ex:employer ?object . "
                "BIND(ex:worksFor AS ?predicate)"
            }
        },
        "position": {"path": "ex:from/ex:year"},
    }
    text = "ex:j a ex:Job ; ex:employee ex:a ; ex:employer ex:b ; ex:from ex:f . ex:f ex:year 1999 ."
    graph = graph_of(tmp_path, text, profile)
    edge = graph.bfs_query(seeds=["ex:a"], max_hops=1, as_of=1999).edges[0]
    assert (edge["predicate"], edge["object"], edge["id"]) == ("worksFor", "ex:b", "ex:j")
    assert graph.bfs_query(seeds=["ex:a"], max_hops=1, as_of=1998).edges == []


def test_labels_as_names(tmp_path: Path) -> None:
    text = 'ex:P1 rdfs:label "part of"@en , "Teil von"@de . ex:a ex:P1 ex:b . ex:a a ex:C . ex:C rdfs:label "Case" .'
    graph = graph_of(tmp_path, text, {"names": "label"})
    result = graph.bfs_query(seeds=["ex:a"], max_hops=1)
    assert result.edges[0]["predicate"] == "part of"
    assert result.nodes[0]["entity_type"] == "Case"
    for name in ("part of", "P1", "ex:P1", "http://example.org/P1"):
        assert graph.transitive_closure_query(start="ex:a", predicate=name).entities == ["ex:b"]
    german = graph_of(tmp_path, text, {"languages": ["de"]})
    assert german.transitive_closure_query(start="ex:a", predicate="Teil von").predicate == "P1"


def test_languages_fall_back_in_order(tmp_path: Path) -> None:
    text = 'ex:a rdfs:label "x"@fr , "y"@en-gb . ex:b rdfs:label "m"@mul , "f"@fr . ex:c rdfs:label "p" , "f"@fr .'
    nodes = graph_of(tmp_path, text).describe_entities(["ex:a", "ex:b", "ex:c"]).nodes
    assert [node["label"] for node in nodes] == ["y", "m", "p"]


def test_a_long_scan_in_small_pages_goes_on_to_its_end(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "".join(f"ex:hub ex:p ex:n{i} .\n" for i in range(3000)))
    query: dict[str, Any] = {"edge_predicates": ["p"], "limit": 1}
    found = set()
    while True:
        page = graph.scan_query(query)
        found.add(page.edges[0]["object"])
        if page.next is None:
            break
        query["after"] = page.next
    assert len(found) == 3000


def test_lists_are_arrays(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, 'ex:a ex:authors ("Z" "A") ; ex:has (ex:b ex:c) .')
    result = graph.bfs_query(seeds=["ex:a"], max_hops=1)
    assert result.nodes[0]["authors"] == ["Z", "A"]
    assert [edge["object"] for edge in result.edges] == ["ex:b", "ex:c"]


def test_the_type_of_a_statement_is_a_field_of_it(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "ex:a ex:p ex:b ~ ex:st . ex:st a ex:Claim , rdf:Statement .")
    node = graph.describe_entities(["ex:st"]).nodes[0]
    assert (node["entity_type"], node["type"]) == ("Statement", "ex:Claim")


def test_a_node_typed_under_two_spellings_counts_once(tmp_path: Path) -> None:
    profile = {"prefixes": {"ex": ["http://example.org/", "https://example.org/"]}}
    graph = graph_of(tmp_path, "ex:a a ex:T . <https://example.org/a> a ex:T .", profile)
    assert graph.entity_types == {"T": 1}


def test_one_id_in_two_styles_is_one_statement_and_quoted_is_not_asserted(tmp_path: Path) -> None:
    spelled = "ex:st rdf:subject ex:a ; rdf:predicate ex:p ; rdf:object ex:b ; rdf:reifies <<( ex:a ex:p ex:b )>> ."
    graph = graph_of(tmp_path, spelled)
    assert graph.statuses == {"hypothetical": 1}
    assert graph.bfs_query(seeds=["ex:a"], max_hops=1).edges == []
    assert graph_of(tmp_path, spelled + " ex:a ex:p ex:b .").statuses == {"asserted_true": 1}


def test_zero_hops_have_no_edges_in_either_view(tmp_path: Path) -> None:
    for view in ("edges", "nodes"):
        graph = graph_of(tmp_path, "ex:a ex:p ex:b ~ ex:st .", {"view": view})
        assert graph.bfs_query(seeds=["ex:st"], max_hops=0).edge_count == 0


def test_an_undeclared_prefix_in_a_presentation_filter_is_a_warning(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "ex:a ex:p ex:b .")
    query = {"node_filter": {"entity_types": ["zz:T"]}, "edge_filter": {"predicates": ["zz:p"]}}
    warnings = graph.bfs_query({"seeds": ["ex:a"], "max_hops": 1} | query).warnings
    assert [warning["code"] for warning in warnings or []] == ["unknown_entity_type", "unknown_predicate"]


def test_scanning_for_a_field_of_statements_says_what_it_is(tmp_path: Path) -> None:
    scan = graph_of(tmp_path, "ex:a ex:p ex:b ~ ex:st . ex:st ex:conf 1 .").scan_query(edge_predicates=["conf"])
    assert (scan.edges, [warning["code"] for warning in scan.warnings or []]) == ([], ["field_of_statements"])


def test_a_field_of_the_data_takes_no_key_of_ours(tmp_path: Path) -> None:
    node = graph_of(tmp_path, "ex:a ex:statements_about 7 ; ex:id 8 .").describe_entities(["ex:a"]).nodes[0]
    assert (node["ex:statements_about"], node["ex:id"], node["id"]) == (7, 8, "ex:a")
