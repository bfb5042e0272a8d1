"""The same facts give the same answer in every style, from every source, before and after a reload."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import rdflib
from pyoxigraph import RdfFormat, Store

import bfsql_rdf
from bfsql_rdf import Graph, Profile

PREFIXES = """@prefix ex: <http://example.org/> .
@prefix b: <https://w3id.org/bfsql#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ALL = ["asserted_true", "asserted_false", "hypothetical", "disputed", "retracted"]


class Fact(NamedTuple):
    """A statement: id, triple, status (None: the data gives none), position, further fields as Turtle."""

    id: str
    subject: str
    predicate: str
    object: str
    status: str | None = "asserted_true"
    position: str | None = None
    fields: str = ""


FACTS = [
    Fact("ex:s1", "ex:ann", "ex:knows", "ex:bob", "asserted_true", "10", "ex:confidence 0.9 ; ex:by ex:cat"),
    Fact("ex:s2", "ex:ann", "ex:knows", "ex:bob", "asserted_true", "12", "ex:confidence .9 ; ex:at 1, 2"),
    Fact("ex:s3", "ex:bob", "ex:knows", "ex:cat", "disputed", "20"),
    Fact("ex:s4", "ex:bob", "ex:knows", "ex:dan", None, "30", 'b:extractionMethod "manual"'),
    Fact("ex:s5", "ex:ann", "ex:likes", "ex:dan", "retracted", "5"),
    Fact("ex:s6", "ex:ann", "ex:likes", "ex:dan", None, "6", 'ex:note "silent"'),
    Fact("ex:s7", "ex:ann", "ex:age", "42", "asserted_true", "10"),
    Fact("ex:s8", "ex:ann", "ex:age", "43", "retracted", "11"),
    Fact("ex:s9", "ex:cat", "ex:doubts", "ex:s1", "asserted_true", "40"),
    Fact("ex:s10", "ex:cat", "ex:doubts", "ex:s3", "asserted_true", "41"),
    Fact("ex:s11", "ex:cat", "rdf:type", "ex:Spy", "disputed"),
    Fact("ex:s12", "ex:dan", "rdf:type", "ex:Spy", "asserted_true"),
    Fact("ex:s13", "ex:dan", "ex:knows", "ex:eve", "hypothetical", None, "b:provenance [ ex:by ex:a ]"),
    Fact("ex:s14", "ex:dan", "ex:partOf", "ex:eve", "asserted_true", None, "b:provenance [ ex:doc 8 ]"),
    Fact("ex:s15", "ex:eve", "ex:partOf", "ex:dan", "asserted_true", "3"),
]
PLAIN = """ex:ann a ex:Person ; rdfs:label "Ann"@en, "Anna"@de . ex:cat a ex:City .
ex:bob a ex:Person , ex:Clerk .
ex:Clerk rdfs:subClassOf ex:Person . ex:eve ex:near ex:ann ; ex:tags ("x" "y") .
ex:knows a owl:SymmetricProperty . ex:likes owl:inverseOf ex:likedBy .
"""


def reifier(fact: Fact) -> str:
    triple = f"{fact.subject} {fact.predicate} {fact.object}"
    return f"{triple} . {fact.id} rdf:reifies <<( {triple} )>> ."


def reification(fact: Fact) -> str:
    return (
        f"{fact.id} a rdf:Statement ; rdf:subject {fact.subject} ; rdf:predicate {fact.predicate} ; "
        f"rdf:object {fact.object} ."
    )


def rendered(style: Callable[[Fact], str]) -> str:
    lines = [PREFIXES, PLAIN]
    for fact in FACTS:
        lines.append(style(fact))
        about = [f'b:truthStatus "{fact.status}"'] if fact.status else []
        about += [f"b:position {fact.position}"] if fact.position else []
        about += [fact.fields] if fact.fields else []
        lines += [f"{fact.id} {' ; '.join(about)} ."] if about else []
    return "\n".join(lines)


def plain(facts: list[Fact]) -> str:
    triples = [f"{fact.subject} {fact.predicate} {fact.object} ." for fact in facts]
    return "\n".join([PREFIXES, PLAIN, *triples])


QUERIES: list[dict[str, Any]] = [
    {"seeds": ["ex:ann"], "max_hops": 0},
    {"seeds": ["ex:ann"], "max_hops": 1},
    {"seeds": ["ex:ann", "ex:eve"], "max_hops": 2},
    {"seeds": ["ex:ann"], "max_hops": 4, "truth_status": ALL},
    {"seeds": ["ex:bob"], "max_hops": 3, "truth_status": ["asserted_true", "disputed"]},
    {"seeds": ["ex:ann"], "max_hops": 3, "as_of": 11},
    {"seeds": ["ex:cat"], "max_hops": 2, "as_of": 40, "truth_status": ALL},
    {"seeds": ["ex:s1", "ex:s3"], "max_hops": 2},
    {"seeds": ["ex:bob"], "max_hops": 2, "expand_traits": ["Symmetric", "Inverse"]},
    {"seeds": ["ex:ann"], "max_hops": 2, "expand_traits": ["Inverse"], "truth_status": ["retracted"]},
    {"seeds": ["ex:ann"], "max_hops": 2, "node_filter": {"entity_types": ["Person", "Statement"]}},
    {"seeds": ["ex:ann"], "max_hops": 2, "edge_filter": {"predicates": ["knows"]}},
]
SCANS: list[dict[str, Any]] = [
    {"truth_status": ALL},
    {"truth_status": ["retracted", "hypothetical"]},
    {"node_types": ["Statement"]},
    {"node_types": ["Person", "Spy"]},
    {"edge_predicates": ["age", "knows"], "as_of": 20},
    {"edge_predicates": ["likes"], "truth_status": ["retracted"]},
]
IDS = ["ex:ann", "ex:bob", "ex:cat", "ex:dan", "ex:s1", "ex:s3", "ex:s6", "ex:s8", "ex:s13"]


def answers(graph: Graph) -> list[dict[str, Any]]:
    """Everything that is asked of a graph, in one list."""
    found = [graph.bfs_query(query).to_dict() for query in QUERIES]
    for scan in SCANS:
        page = graph.scan_query(scan).to_dict()
        assert "next" not in page
        found.append(page)
    for predicate in ("partOf", "knows"):
        found.append(graph.transitive_closure_query(start="ex:dan", predicate=predicate).to_dict())
    return [*found, graph.describe_entities(IDS).to_dict()]


def opened(path: Path, text: str, view: str = "edges") -> Graph:
    path.write_text(text, encoding="utf-8")
    return bfsql_rdf.open(path, {"view": view})


@pytest.mark.parametrize("view", ["edges", "nodes"])
def test_reifier_and_reification_answer_exactly_alike(tmp_path: Path, view: str) -> None:
    one = answers(opened(tmp_path / "one.ttl", rendered(reifier), view))
    other = answers(opened(tmp_path / "other.ttl", rendered(reification), view))
    assert any(answer.get("edges") for answer in one)
    for ours, theirs in zip(one, other, strict=True):
        assert ours == theirs


def test_the_facts_are_answered_as_they_were_written(tmp_path: Path) -> None:
    graph = opened(tmp_path / "g.ttl", rendered(reification))
    near = graph.bfs_query(seeds=["ex:ann"], max_hops=1)
    edges = {(edge["predicate"], edge["object"]) for edge in near.edges}
    assert edges == {("knows", "ex:bob"), ("near", "ex:ann")}
    assert near.nodes[0] == {"id": "ex:ann", "entity_type": "Person", "age": 42, "label": "Ann"}
    edge = next(edge for edge in near.edges if edge["predicate"] == "knows")
    assert (edge["confidence"], edge["extraction_method"]) == (0.9, None)
    assert [one["id"] for one in edge["statements"]] == ["ex:s1", "ex:s2"]
    assert [one.get("statements_about") for one in edge["statements"]] == [1, None]
    assert [one["position"] for one in edge["statements"]] == [10, 12]
    assert edge["statements"][1]["at"] == [1, 2]
    types = {node["id"]: node["entity_type"] for node in graph.describe_entities(IDS).nodes}
    assert (types["ex:bob"], types["ex:cat"], types["ex:dan"]) == ("Clerk", "City", "Spy")
    assert graph.transitive_closure_query(start="ex:dan", predicate="partOf").entities == ["ex:dan", "ex:eve"]
    assert graph.transitive_closure_query(start="ex:ann", predicate="knows").entities == ["ex:bob", "ex:dan"]


def test_plain_triples_have_the_same_shape_but_for_statement_data(tmp_path: Path) -> None:
    asserted = [f for f in FACTS if f.status in ("asserted_true", None) and not f.object.startswith("ex:s")]
    asserted = [f for f in asserted if f.id != "ex:s6"]
    bare = opened(tmp_path / "plain.ttl", plain(asserted))
    told = opened(tmp_path / "told.ttl", rendered(reification))
    for query in QUERIES:
        if {"as_of", "truth_status"} & query.keys() or query["seeds"][0].startswith("ex:s"):
            continue
        ours = bare.bfs_query(query | {"edge_filter": {"predicates": []}}).to_dict()
        theirs = told.bfs_query(query | {"edge_filter": {"predicates": []}}).to_dict()
        assert ours == theirs
    for predicate in ("partOf", "knows"):
        query = {"start": "ex:ann", "predicate": predicate}
        assert bare.transitive_closure_query(query) == told.transitive_closure_query(query)
    assert bare.scan_query(node_types=["Person", "Spy"]) == told.scan_query(node_types=["Person", "Spy"])
    entities = [one for one in IDS if not one.startswith("ex:s")]
    assert bare.describe_entities(entities) == told.describe_entities(entities)


@pytest.mark.parametrize("view", ["edges", "nodes"])
@pytest.mark.parametrize("style", [reifier, reification])
def test_memory_folder_and_reloaded_folder_answer_alike(
    tmp_path: Path, style: Callable[[Fact], str], view: str
) -> None:
    file, folder = tmp_path / "g.ttl", tmp_path / "store"
    expected = answers(opened(file, rendered(style), view))
    bfsql_rdf.load(folder, [file], Profile(view=view))  # type: ignore[arg-type]
    assert answers(bfsql_rdf.open(folder)) == expected
    bfsql_rdf.load(folder, [file])
    assert answers(bfsql_rdf.open(folder)) == expected
    bfsql_rdf.load(folder, [file], replace=True)
    assert answers(bfsql_rdf.open(folder)) == expected
    bfsql_rdf.load(folder, [])
    assert answers(bfsql_rdf.open(folder)) == expected


def test_facts_split_over_files_answer_alike(tmp_path: Path) -> None:
    text = rendered(reifier)
    expected = answers(opened(tmp_path / "whole.ttl", text))
    body = text.removeprefix(PREFIXES).splitlines()
    halves = [tmp_path / "half1.ttl", tmp_path / "half2.ttl"]
    cut = body.index(reifier(FACTS[7]))
    for path, lines in zip(halves, (body[:cut], body[cut:]), strict=True):
        path.write_text(PREFIXES + "\n".join(lines), encoding="utf-8")
    assert answers(bfsql_rdf.open(halves)) == expected
    for half in halves:
        bfsql_rdf.load(tmp_path / "store", [half])
    assert answers(bfsql_rdf.open(tmp_path / "store")) == expected


def test_a_pyoxigraph_store_answers_alike(tmp_path: Path) -> None:
    expected = answers(opened(tmp_path / "g.ttl", rendered(reifier)))
    held = Store()
    held.load(path=str(tmp_path / "g.ttl"), format=RdfFormat.TURTLE)
    size = len(held)
    names = {"ex": "http://example.org/", "b": "https://w3id.org/bfsql#"}
    assert answers(bfsql_rdf.open(held, {"prefixes": names})) == expected
    assert len(held) == size


def test_an_rdflib_graph_answers_alike(tmp_path: Path) -> None:
    expected = answers(opened(tmp_path / "g.ttl", rendered(reification)))
    parsed = rdflib.Graph().parse(tmp_path / "g.ttl")
    size = len(parsed)
    assert answers(bfsql_rdf.open(parsed)) == expected
    assert len(parsed) == size
