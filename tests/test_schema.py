"""`describe_schema`: true counts, within its budget, on any graph."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Store

import bfsql_rdf
from bfsql_rdf import BfsqlError, Graph, QueryError, Schema
from bfsql_rdf.tokens import estimate_tokens

ROOT = Path(__file__).parents[1]
FIELD = Path(__file__).parents[2] / "shared" / "data"
HEAD = """@prefix ex: <http://example.org/> . @prefix b: <https://w3id.org/bfsql#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def shipped(name: str, **changes: Any) -> Graph:
    profile = bfsql_rdf.Profile.of(ROOT / "data" / f"{name}.toml").model_copy(update=changes)
    return bfsql_rdf.open([ROOT / "data" / f"{name}.ttl", ROOT / "ontology" / "traits" / f"{name}.ttl"], profile)


def turtle(folder: Path, text: str, profile: Any = None) -> Graph:
    file = folder / "graph.ttl"
    file.write_text(HEAD + text, encoding="utf-8")
    return bfsql_rdf.open(file, profile)


def wide(folder: Path, kinds: int = 3000) -> Graph:
    """Types and predicates that are used once each, but for the first few."""
    lines = [f"ex:n{i} a ex:Type{i} ; ex:predicate{i} ex:n{(i + 1) % kinds} ." for i in range(kinds)]
    lines += [f"ex:n{i} ex:predicate7 ex:n{i + 2} . ex:m{i} a ex:Type5 ." for i in range(20)]
    return turtle(folder, "\n".join(lines))


def by_name(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found = {one["name"]: one for one in entries}
    assert len(found) == len(entries)
    return found


def size(schema: Schema) -> int:
    return estimate_tokens(schema.to_json())


def test_sherlock() -> None:
    schema = shipped("sherlock").describe_schema()
    assert schema.view == "nodes"
    assert "2N hops" in schema.hops
    assert list(schema.truth_statuses) == ["asserted_true", "retracted", "asserted_false", "disputed", "hypothetical"]
    assert schema.default_truth_status == ["asserted_true"]
    assert schema.positions == {"number": {"first": 3, "last": 640, "as_of": "a JSON number"}}
    assert schema.prefixes is not None
    assert schema.prefixes["wiki"] == "https://example.org/wiki/"
    assert "skos" not in schema.prefixes
    types = by_name(schema.entity_types)
    assert schema.entity_types[0] == {"name": "Location", "count": 12}
    assert types["Residence"] == {"name": "Residence", "count": 1, "superclass": "Location"}
    predicates = by_name(schema.predicates)
    assert predicates["PartOf"]["transitive"]
    assert predicates["AcquaintedWith"]["symmetric"]
    assert predicates["DisguisedAs"]["inverse"] == "HasTrueIdentity"
    assert predicates["Doubts"]["joins"] == [["Character", "Statement", 2]]
    assert predicates["occupation"]["kind"] == "value"
    assert predicates["occupation"]["of"] == ["Character"]
    assert predicates["birth_year"]["example"] == 1858
    assert schema.statement_fields is not None
    assert schema.statement_fields["position"] == 36
    assert schema.more is None
    assert size(schema) < 1000


def test_medical() -> None:
    schema = shipped("medical").describe_schema()
    assert schema.view == "edges"
    assert schema.styles == {"reifier": 28}
    assert schema.positions is not None
    assert schema.positions["date"]["first"] == "2004-06-01"
    assert '"2008"' in schema.positions["date"]["as_of"]
    assert by_name(schema.predicates)["AUTHORED"]["joins"] == [["Person", "Publication", 5]]
    assert by_name(schema.predicates)["authors"]["example"] == '["Stewart PM"]'
    counts = [one["count"] for one in schema.predicates]
    assert counts == sorted(counts, reverse=True)
    assert json.loads(schema.to_json()) == schema.to_dict()


@pytest.mark.parametrize("name", ["sherlock", "medical"])
def test_counts_are_those_of_a_scan(name: str) -> None:
    graph = shipped(name, view="edges")
    schema = graph.describe_schema()
    statuses = list(schema.truth_statuses)
    for one in schema.entity_types:
        if not any(other.get("superclass") == one["name"] for other in schema.entity_types):
            assert graph.scan_query(node_types=[one["name"]]).node_count == one["count"], one
    for one in schema.predicates:
        scan = graph.scan_query(edge_predicates=[one["name"]], truth_status=statuses)
        rows = sum(len(edge.get("statements", ["one"])) for edge in scan.edges)
        assert rows == one["count"], one
        if "joins" in one and len(one["joins"]) < 4:
            assert sum(join[2] for join in one["joins"]) == len(scan.edges), one
    nodes = shipped(name, view="nodes")
    assert nodes.scan_query(node_types=["Statement"], truth_status=statuses).node_count == schema.statements


def test_thousands_of_types_and_predicates_stay_within_the_budget(tmp_path: Path) -> None:
    graph = wide(tmp_path)
    for budget in (600, 1000, 4000, 20_000):
        schema = graph.describe_schema(budget)
        assert budget * 0.7 < size(schema) <= budget
        assert schema.more is not None
        assert len(schema.entity_types) + schema.more["entity_types"] == 3000
        assert len(schema.predicates) + schema.more["predicates"] == 3000
        assert schema.entity_types[0] == {"name": "Type5", "count": 21}
        assert schema.predicates[0]["name"] == "predicate7"
        assert schema.predicates[0]["count"] == 21
    assert graph.describe_schema(400_000).more is None


def test_the_budget_holds_for_every_list(tmp_path: Path) -> None:
    lines = [
        f'ex:s{i} rdf:reifies <<( ex:a{i} ex:linkedWithSomethingElse{i} ex:b{i} )>> ; b:truthStatus "odd status {i}" ;'
        f' b:position "text {i}", {i}, "2008-06-{i % 28 + 1:02}" ; ex:fieldNumber{i} {i} .'
        for i in range(300)
    ]
    lines += [f"@prefix p{i}: <http://example.org/p{i}/> . p{i}:x ex:p p{i}:y ." for i in range(300)]
    graph = turtle(tmp_path, "\n".join(lines))
    for budget in (600, 1000, 4000):
        schema = graph.describe_schema(budget)
        assert size(schema) <= budget
        assert schema.positions is not None
        assert list(schema.positions) == ["date", "number", "text"]
        assert schema.more is not None
        assert len(schema.truth_statuses) + schema.more["truth_statuses"] == 300
        assert schema.more["statement_fields"] > 0
        assert schema.more["warnings"] > 0


def test_a_budget_that_is_none_is_an_error() -> None:
    graph = shipped("medical")
    for wrong in (0, 10, "4000", True, 1.5):
        with pytest.raises(QueryError) as error:
            graph.describe_schema(wrong)  # type: ignore[arg-type]
        assert error.value.where == "max_tokens"


def test_many_links_are_sampled_over_more_than_one_hub(tmp_path: Path) -> None:
    lines = [f"ex:hub ex:of ex:x{i} . ex:x{i} ex:to ex:hub ." for i in range(2000)]
    lines += [f"ex:x{i} ex:to ex:other{i} . ex:x{i} a ex:X . ex:other{i} a ex:Other ." for i in range(300)]
    predicates = by_name(turtle(tmp_path, "\n".join(lines)).describe_schema().predicates)
    assert predicates["to"]["sampled"]
    assert predicates["to"]["count"] == 2300
    assert predicates["of"]["sampled"]
    assert sum(join[2] for join in predicates["to"]["joins"]) == 200


def test_names_that_say_nothing_come_with_a_label(tmp_path: Path) -> None:
    schema = turtle(
        tmp_path,
        """ex:P69 rdfs:label "educated at"@en, "besuchte"@de ; rdfs:comment "a school" .
        ex:Q5 rdfs:label "human"@en . ex:x a ex:Q5 ; ex:P69 ex:y ; ex:knows ex:y . ex:knows rdfs:label "kennt"@de .""",
    ).describe_schema()
    predicates = by_name(schema.predicates)
    assert predicates["P69"]["label"] == "educated at"
    assert predicates["P69"]["description"] == "a school"
    assert "label" not in predicates["knows"]
    assert schema.entity_types == [{"name": "Q5", "label": "human", "count": 1}]


def test_names_by_label_come_with_an_id(tmp_path: Path) -> None:
    text = 'ex:C1 rdfs:label "cell"@en . ex:x a ex:C1 .'
    schema = turtle(tmp_path, text, {"names": "label"}).describe_schema()
    assert schema.entity_types == [{"name": "cell", "id": "ex:C1", "count": 1}]


def test_no_types(tmp_path: Path) -> None:
    schema = turtle(tmp_path, "ex:a ex:p ex:b .").describe_schema()
    assert schema.entity_types == []
    assert schema.untyped is not None
    assert schema.predicates == [{"name": "p", "kind": "link", "count": 1, "joins": [["Thing", "Thing", 1]]}]
    assert schema.prefixes == {"ex": "http://example.org/"}


def test_only_literals(tmp_path: Path) -> None:
    schema = turtle(tmp_path, 'ex:a ex:p "x" ; ex:q 3 .').describe_schema()
    assert schema.links == 0
    assert by_name(schema.predicates)["q"] == {"name": "q", "kind": "value", "count": 1, "of": ["Thing"], "example": 3}


def test_links_and_values_under_one_predicate(tmp_path: Path) -> None:
    schema = turtle(tmp_path, f'ex:a ex:p ex:b, "{"long " * 50}" .').describe_schema()
    assert schema.predicates[0]["kind"] == "both"
    assert schema.predicates[0]["joins"] == [["Thing", "Thing", 1]]
    assert len(schema.predicates[0]["example"]) == 40


def test_an_empty_graph() -> None:
    schema = bfsql_rdf.open(Store()).describe_schema()
    assert (schema.entities, schema.links, schema.statements) == (0, 0, 0)
    assert schema.predicates == schema.entity_types == []


def test_it_is_worked_out_once_and_the_copy_is_the_callers() -> None:
    graph = shipped("medical")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: graph.describe_schema(), range(16)))
    assert all(one == found[0] for one in found)
    found[0].predicates.clear()
    assert graph.describe_schema().predicates
    for budget in range(700, 720):
        assert size(graph.describe_schema(budget)) <= budget
    assert shipped("medical").describe_schema() == found[1]


def test_tokens_are_more_for_other_scripts() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcd" * 10) == 10
    assert estimate_tokens("語" * 9) == 6


FILES = sorted(path for path in FIELD.glob("*/*") if path.suffix not in (".toml", ".py", ".md"))


@pytest.mark.skipif(not FIELD.is_dir(), reason="the collection of field files is not beside the checkout")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_field_files(path: Path) -> None:
    profile = FIELD / "medlit" / "profile.toml" if path.parent.name == "medlit" else None
    try:
        graph = bfsql_rdf.open(path, profile)
    except BfsqlError:
        pytest.skip("not a file that is read")
    for budget in (600, 4000):
        assert size(graph.describe_schema(budget)) <= budget
