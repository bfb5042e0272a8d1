"""Wikibase exports: what each flavour says is understood alike, and nothing of their bookkeeping is graph."""

import json
import re
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import RdfFormat

import bfsql_rdf
from bfsql_rdf import Graph

ROOT = Path(__file__).parents[1]
EXPORT = ROOT / "data" / "wikidata-style.ttl"
CURIE = "wd:Q7186"
ALL = ["asserted_true", "retracted"]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return bfsql_rdf.open(EXPORT)


def edges(graph: Graph, *seeds: str, hops: int = 1, **keys: Any) -> set[tuple[str, str, str]]:
    found = graph.bfs_query(seeds=list(seeds), max_hops=hops, edge_filter={"predicates": []}, **keys).edges
    return {(edge["subject"], edge["predicate"], edge["object"]) for edge in found}


def full(graph: Graph, subject: str, predicate: str, object_: str, **keys: Any) -> dict[str, Any]:
    found = graph.bfs_query(seeds=[subject], max_hops=1, **keys).edges
    [edge] = [e for e in found if (e["subject"], e["predicate"], e["object"]) == (subject, predicate, object_)]
    return edge


def described(graph: Graph, one: str) -> dict[str, Any]:
    [node] = graph.describe_entities([one]).nodes
    return node


# Ranks


def test_ranks_are_statuses(graph: Graph) -> None:
    assert graph.statuses == {"asserted_true": 89, "retracted": 2}
    assert (CURIE, "place of death", "wd:Q90") not in edges(graph, CURIE)
    assert (CURIE, "place of death", "wd:Q90") in edges(graph, CURIE, truth_status=["retracted"])
    edge = full(graph, CURIE, "place of death", "wd:Q90", truth_status=["retracted"])
    assert edge["truth_status"] == "retracted"
    assert edge["rank"] == "deprecated"
    assert edge["reason for deprecated rank"] == "wd:Q41755623"
    assert "best_rank" not in edge


def test_the_best_rank_is_told_apart(graph: Graph) -> None:
    warsaw, krakow = (full(graph, "wd:Q36", "capital", city) for city in ("wd:Q270", "wd:Q31487"))
    assert (warsaw["rank"], warsaw.get("best_rank")) == ("preferred", True)
    assert (krakow["rank"], krakow.get("best_rank")) == ("normal", None)
    assert {warsaw["truth_status"], krakow["truth_status"]} == {"asserted_true"}


def test_a_profile_may_read_ranks_otherwise() -> None:
    profile = {"status": {"values": {"wikibase:NormalRank": "hypothetical"}}}
    graph = bfsql_rdf.open(EXPORT, profile)
    assert graph.statuses == {"asserted_true": 3, "hypothetical": 86, "retracted": 2}
    assert edges(graph, "wd:Q36") == {("wd:Q36", "capital", "wd:Q270")}


def test_a_deprecated_value_is_no_field(graph: Graph) -> None:
    newton = described(graph, "wd:Q935")
    assert newton["date of birth"]["time"] == "1643-01-04T00:00:00Z"
    rows = graph.scan_query(edge_predicates=["date of birth"], truth_status=["retracted"]).edges
    assert [row["value"]["time"] for row in rows] == ["1642-12-25T00:00:00Z"]


# Values


def test_time_values_have_precision_and_calendar(graph: Graph) -> None:
    assert described(graph, "wd:Q979")["time of discovery or invention"] == {
        "time": "1898-07-01T00:00:00Z",
        "precision": "month",
        "calendar": "Gregorian",
    }
    assert described(graph, "wd:Q935")["date of birth"]["calendar"] == "Julian"
    edge = full(graph, CURIE, "educated at", "wd:Q209842")
    assert (edge["start time"]["precision"], edge["end time"]["precision"]) == ("month", "year")


def test_quantities_have_amount_unit_and_bounds(graph: Graph) -> None:
    radium = described(graph, "wd:Q1128")
    assert radium["mass"] == {"amount": 226.0254, "unit": "wd:Q483261", "lower": 226.0253, "upper": 226.0255}
    assert radium["atomic number"] == {"amount": 88, "unit": "1"}
    labels = graph.describe_entities(["wd:Q1128"]).labels
    assert labels is not None
    assert labels["wd:Q483261"] == "dalton"


def test_coordinates_have_a_globe(graph: Graph) -> None:
    place = described(graph, "wd:Q270")["coordinate location"]
    assert set(place) == {"latitude", "longitude", "precision", "globe"}
    assert place["globe"] == "wd:Q2"


def test_a_normalized_value_says_nothing_twice(graph: Graph) -> None:
    assert described(graph, "wd:Q270")["area"]["amount"] == 517.24
    assert isinstance(described(graph, CURIE)["VIAF cluster ID"], str)


def test_a_value_that_is_not_known_or_not_there_is_said_and_is_no_node(graph: Graph) -> None:
    newton = described(graph, "wd:Q935")
    assert newton["cause of death"] == {"unknown": True}
    assert newton["spouse"] == {"no_value": True}
    assert full(graph, "wd:Q36", "capital", "wd:Q31487")["start time"] == {"unknown": True}
    assert full(graph, CURIE, "award received", "wd:Q44585")["together with"] == {"no_value": True}
    everything = graph.bfs_query(seeds=["wd:Q935"], max_hops=3, truth_status=ALL)
    assert not [node["id"] for node in everything.nodes if node["id"].startswith("_:")]


# Qualifiers and references


def test_qualifiers_are_fields_under_the_name_of_the_property(graph: Graph) -> None:
    edge = full(graph, CURIE, "award received", "wd:Q38104")
    assert edge["together with"] == ["wd:Q37463", "wd:Q41269"]
    assert edge["point in time"]["time"] == "1903-01-01T00:00:00Z"
    assert edge["subject named as"] == "Marie Curie, née Skłodowska"


def test_references_are_provenance_without_their_hashes(graph: Graph) -> None:
    edge = full(graph, CURIE, "place of death", "wd:Q2364887")
    [reference] = edge["provenance"]
    assert set(reference) == {"stated in", "reference URL", "retrieved"}
    assert reference["retrieved"]["time"] == "2022-03-08T00:00:00Z"
    rows = graph.scan_query(edge_predicates=["date of birth"]).edges
    [curie] = [row for row in rows if row["subject"] == CURIE]
    assert len(curie["provenance"]) == 2
    alone = graph.bfs_query(seeds=["wdref:82d4f15179641d8a79aed99cffb41fc9ce57ce1c"], max_hops=2)
    assert (alone.node_count, alone.edge_count) == (1, 0)


def test_positions_are_when_a_reference_was_retrieved(graph: Graph) -> None:
    assert graph.bfs_query(seeds=[CURIE], max_hops=1, as_of="2016").edge_count == 4
    assert graph.bfs_query(seeds=[CURIE], max_hops=1, as_of="2016-06").edge_count == 3


def test_a_qualifier_may_be_the_position() -> None:
    graph = bfsql_rdf.open(EXPORT, {"position": {"path": "pq:P585"}})
    awards = {edge for edge in edges(graph, CURIE, as_of="1905") if edge[1] == "award received"}
    assert awards == {(CURIE, "award received", "wd:Q38104")}


# Names and ids


@pytest.mark.parametrize(
    "one",
    [
        "Q7186",
        "wd:Q7186",
        "http://www.wikidata.org/entity/Q7186",
        "https://www.wikidata.org/entity/Q7186",
        "<http://www.wikidata.org/entity/Q7186>",
        "https://www.wikidata.org/wiki/Q7186",
        "https://m.wikidata.org/wiki/Q7186",
        "https://www.wikidata.org/wiki/Special:EntityData/Q7186",
        "https://www.wikidata.org/wiki/Special:EntityData/Q7186.ttl",
        "https://www.wikidata.org/wiki/Special:EntityPage/Q7186",
        "Q42000001",
    ],
)
def test_an_entity_is_known_by_all_its_ids(graph: Graph, one: str) -> None:
    assert graph.bfs_query(seeds=[one], max_hops=0).seeds == [CURIE]
    assert graph.describe_entities([one]).nodes[0]["label"] == "Marie Curie"


@pytest.mark.parametrize("one", ["Q99999999", "https://en.wikipedia.org/wiki/Q7186", "wds:Q7186", "X7186", "Q"])
def test_what_is_no_entity_is_not_taken_for_one(graph: Graph, one: str) -> None:
    with pytest.raises(bfsql_rdf.QueryError):
        graph.bfs_query(seeds=[one], max_hops=0)


@pytest.mark.parametrize(
    "name",
    [
        "place of birth",
        "P19",
        "wdt:P19",
        "wd:P19",
        "p:P19",
        "ps:P19",
        "http://www.wikidata.org/entity/P19",
        "http://www.wikidata.org/prop/direct/P19",
        "https://www.wikidata.org/wiki/Property:P19",
    ],
)
def test_a_predicate_is_known_by_all_its_names(graph: Graph, name: str) -> None:
    found = graph.scan_query(edge_predicates=[name]).edges
    assert (CURIE, "place of birth", "wd:Q270") in {(e["subject"], e["predicate"], e["object"]) for e in found}


def test_two_terms_of_one_label_are_no_clash_when_one_is_a_type(graph: Graph) -> None:
    assert graph.entity_types["country"] == 2
    assert ("wd:Q270", "country", "wd:Q36") in edges(graph, "wd:Q270")


def test_languages_fall_back_from_english_to_mul_to_any(graph: Graph) -> None:
    assert described(graph, "wd:Q7504")["label"] == "Irène Joliot-Curie"
    assert described(graph, "wd:Q2364887")["label"] == "Sancellemoz"
    polish = bfsql_rdf.open(EXPORT, {"languages": ["pl"]})
    assert described(polish, "wd:Q270")["label"] == "Warszawa"


def test_a_label_stands_once(graph: Graph) -> None:
    node = described(graph, CURIE)
    assert not {"prefLabel", "name", "skos:prefLabel", "schema:name"} & set(node)
    assert node["entity_type"] == "human"
    assert "entity_types" not in node


def test_the_labels_of_stubs_stand_at_the_top() -> None:
    graph = bfsql_rdf.open(EXPORT)
    result = graph.bfs_query(
        seeds=[CURIE], max_hops=1, node_filter={"entity_types": []}, edge_filter={"predicates": []}
    )
    assert all(set(node) == {"id", "entity_type"} for node in result.nodes)
    assert result.labels is not None
    assert {node["id"] for node in result.nodes} == set(result.labels)
    assert result.labels["wd:Q37463"] == "Pierre Curie"
    bare = bfsql_rdf.open(EXPORT, {"labels": False})
    assert bare.bfs_query(seeds=[CURIE], max_hops=1).labels is None


# Types, classes and traits


def test_types_come_from_instance_of_and_subclasses_count(graph: Graph) -> None:
    assert graph.entity_types["human"] == 4
    assert (CURIE, "instance of", "wd:Q5") not in edges(graph, CURIE)
    assert graph.transitive_closure_query(start="wd:Q169470", predicate="subclass of").count == 3
    found = graph.scan_query(node_types=["chemical element"]).nodes
    assert {node["id"] for node in found} == {"wd:Q979", "wd:Q1128"}


def test_traits_are_read_from_wikidatas_own_words(graph: Graph) -> None:
    mirrored = graph.bfs_query(seeds=["wd:Q37463"], max_hops=1, expand_traits=["Symmetric"]).edges
    assert [e for e in mirrored if "derived_via" in e] == [
        {"subject": "wd:Q37463", "predicate": "spouse", "object": CURIE, "derived_via": "Symmetric(spouse)"}
    ]
    inverse = graph.bfs_query(seeds=["wd:Q36"], max_hops=1, expand_traits=["Inverse"]).edges
    assert {(e["subject"], e["predicate"]) for e in inverse if "derived_via" in e} == {
        ("wd:Q270", "capital of"),
        ("wd:Q31487", "capital of"),
    }


def test_no_bookkeeping_is_graph(graph: Graph) -> None:
    types = set(graph.entity_types)
    assert not types & {"Dataset", "Article", "ObjectProperty", "DatatypeProperty", "Restriction", "TimeValue"}
    for name in ("about", "sameAs", "wikiGroup", "claim", "directClaim", "propertyType", "version", "isPartOf"):
        assert name not in graph.predicates
    rows, after = [], None
    while True:
        page = graph.scan_query(truth_status=ALL, **({"after": after} if after else {}))
        rows += page.edges
        after = page.next
        if after is None:
            break
    text = json.dumps(rows)
    assert "/value/" not in text
    assert "EntityData" not in text
    assert len(
        {(row["subject"], row["predicate"], json.dumps(row.get("object", row.get("value")))) for row in rows}
    ) == len(rows)


# Flavours


def rewritten(tmp_path: Path, name: str, keep: Any) -> Path:
    """The export as N-Triples, each triple passed through `keep` (a line or None)."""
    lines = []
    for quad in pyoxigraph.parse(path=str(EXPORT), format=RdfFormat.TURTLE):
        line = keep(f"{quad.subject} {quad.predicate} {quad.object} .")
        if line is not None:
            lines.append(line)
    path = tmp_path / f"{name}.nt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


DECLARATIONS = re.compile(
    r"<http://wikiba.se/ontology#(claim|directClaim\w*|statement\w+|qualifier\w*|reference\w*|novalue)>"
)


def munged(line: str) -> str | None:
    """As the query service loads it: no types of items and statements, no declarations, no data sets."""
    if DECLARATIONS.search(line) or "Special:EntityData" in line.split()[0]:
        return None
    return None if re.search(r"#type> <http://wikiba.se/ontology#(Item|Statement|Reference|\w+Value)>", line) else line


def test_a_dump_in_n_triples_gives_the_same(tmp_path: Path, graph: Graph) -> None:
    dump = bfsql_rdf.open(rewritten(tmp_path, "dump", lambda line: line))
    for seed in (CURIE, "wd:Q935", "wd:Q270"):
        ours, theirs = (g.bfs_query(seeds=[seed], max_hops=2, truth_status=ALL).to_dict() for g in (dump, graph))
        assert ours == theirs


def test_a_munged_export_gives_the_same(tmp_path: Path, graph: Graph) -> None:
    other = bfsql_rdf.open(rewritten(tmp_path, "munged", munged))
    assert other.statuses == graph.statuses
    for seed in (CURIE, "wd:Q935", "wd:Q270"):
        assert edges(other, seed, hops=2) == edges(graph, seed, hops=2)
        assert described(other, seed) == described(graph, seed)


def test_a_wikibase_of_ones_own_is_found_from_its_data(tmp_path: Path, graph: Graph) -> None:
    path = rewritten(tmp_path, "own", lambda line: line.replace("//www.wikidata.org/", "//wikibase.example/"))
    own = bfsql_rdf.open(path, {"prefixes": {"wd": "http://wikibase.example/entity/"}})
    assert own.statuses == graph.statuses
    found = edges(own, "Q7186") - {(CURIE, "instance of", "wd:Q5")}
    assert found == edges(graph, CURIE)
    assert own.bfs_query(seeds=["https://wikibase.example/wiki/Q7186"], max_hops=0).seeds == [CURIE]


def test_declared_predicates_of_another_form_are_understood(tmp_path: Path, graph: Graph) -> None:
    def renamed(line: str) -> str:
        return re.sub(r"//www.wikidata.org/prop/((?:[a-z-]+/)*)P(\d+)", r"//www.wikidata.org/made/\1of-\2", line)

    own = bfsql_rdf.open(rewritten(tmp_path, "declared", renamed))
    assert own.statuses == graph.statuses
    assert edges(own, CURIE) - {(CURIE, "instance of", "wd:Q5")} == edges(graph, CURIE)
    texts = own.explain("bfs", seeds=[CURIE], max_hops=1)["sparql"]
    assert "statementProperty" in texts[0]


def test_direct_triples_alone_are_plain_edges(tmp_path: Path, graph: Graph) -> None:
    def truthy(line: str) -> str | None:
        parts = line.split()
        kept = "/prop/direct/" in parts[1] or parts[1].endswith(("#label>", "/description>"))
        return line if kept else None

    own = bfsql_rdf.open(rewritten(tmp_path, "truthy", truthy))
    assert own.statuses == {}
    best = {edge for edge in edges(graph, CURIE) if edge != ("wd:Q36", "capital", "wd:Q31487")}
    assert edges(own, CURIE) == best
    assert described(own, "wd:Q935")["cause of death"] == {"unknown": True}
    assert own.entity_types["human"] == 4
    assert own.transitive_closure_query(start="wd:Q169470", predicate="P279").count == 3


def test_a_direct_triple_that_no_statement_repeats_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "part.ttl"
    path.write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> . "
        "@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> . "
        "@prefix wds: <http://www.wikidata.org/entity/statement/> . @prefix wikibase: <http://wikiba.se/ontology#> . "
        "wd:Q1 wdt:P361 wd:Q2 , wd:Q3 ; p:P361 wds:Q1-a , wds:Q1-b . wds:Q1-a ps:P361 wd:Q2 ; "
        "wikibase:rank wikibase:DeprecatedRank . wds:Q1-b wikibase:rank wikibase:NormalRank .",
        encoding="utf-8",
    )
    graph = bfsql_rdf.open(path)
    assert edges(graph, "Q1") == {("wd:Q1", "P361", "wd:Q3")}
    assert [warning["code"] for warning in graph.warnings] == ["statements_without_value"]


def test_a_store_folder_answers_as_the_file(tmp_path: Path, graph: Graph) -> None:
    bfsql_rdf.load(tmp_path / "store", [EXPORT])
    store = bfsql_rdf.open(tmp_path / "store")
    query = {"seeds": ["Q7186"], "max_hops": 2, "truth_status": ALL}
    assert store.bfs_query(query).to_dict() == graph.bfs_query(query).to_dict()
    assert store.bfs_query(seeds=["Q42000001"], max_hops=0).seeds == [CURIE]


def test_the_nodes_view_has_statements_as_nodes() -> None:
    graph = bfsql_rdf.open(EXPORT, {"view": "nodes"})
    result = graph.bfs_query(seeds=[CURIE], max_hops=1)
    births = [node for node in result.nodes if node.get("predicate") == "date of birth"]
    assert births[0]["object_value"]["precision"] == "day"
    assert len(births[0]["provenance"]) == 2
