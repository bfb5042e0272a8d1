"""An endpoint answers as the embedded store does, in few requests."""

import json
from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import EndpointError, Graph, Profile, QueryError
from bfsql_rdf.remote.backend import EndpointBackend
from tests.regold import MANIFEST, QUERIES, ROOT, names, open_for
from tests.remote.double import Double
from tests.test_golden import PREFIXES, TRICKY

WIKIDATA = ROOT / "data" / "wikidata-style.ttl"


def behind(graph: Graph, profile: Any = None, renames: bool = False) -> tuple[Graph, Double]:
    """The same data behind the double of an endpoint."""
    double = Double(graph.store, renames)
    return Graph(EndpointBackend(double, Profile.of(profile))), double


@pytest.mark.parametrize("name", names())
def test_the_worked_examples_are_answered_alike(name: str) -> None:
    entry, embedded = MANIFEST[name], open_for(name)
    remote, _ = behind(embedded, ROOT / entry["profile"] if "profile" in entry else None)
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    query.pop("limit", None)  # a page of an endpoint counts what it looks at
    method = {"bfs": "bfs_query", "closure": "transitive_closure_query", "scan": "scan_query"}[entry["primitive"]]
    assert getattr(remote, method)(query).to_dict() == getattr(embedded, method)(query).to_dict()


@pytest.mark.parametrize("name", TRICKY)
@pytest.mark.parametrize("renames", [False, True], ids=["stable", "renamed"])
def test_tricky_data_is_answered_alike(tmp_path: Path, name: str, renames: bool) -> None:
    text, profile = TRICKY[name]
    path = tmp_path / "g.trig"
    path.write_text(PREFIXES + text, encoding="utf-8")
    prefixes = {"ex": "http://example.org/", "st": "http://example.org/statement/"}
    own = {"prefixes": prefixes} | profile
    embedded = bfsql_rdf.open(path, own)
    remote, _ = behind(embedded, own, renames)
    statuses = sorted({"asserted_true", *embedded.statuses})
    queries: list[dict[str, Any]] = [{"seeds": ["ex:a"], "max_hops": 1}]
    if "restrictions" not in name:  # nothing is walked beyond a blank node
        queries += [{"seeds": ["ex:a"], "max_hops": 2, "truth_status": statuses, "edge_filter": {"predicates": []}}]
    for query in queries:
        ours, theirs = (graph.bfs_query(query).to_dict() for graph in (remote, embedded))
        for answer in (ours, theirs):
            answer.pop("warnings", None)
        assert without_blanks(ours) == without_blanks(theirs)


def without_blanks(answer: dict[str, Any]) -> Any:
    """An answer with one name for all blank nodes, whose labels are an endpoint's own."""

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            if str(value.get("id")).startswith("_:") and "entity_type" in value:
                return {"id": "_:"}  # nothing can be asked about it
            return {key: named(one) for key, one in value.items()}
        if isinstance(value, list):
            return [named(one) for one in value]
        return "_:" if isinstance(value, str) and value.startswith("_:") else value

    found = named(answer)
    return {**found, "nodes": sorted(map(str, found["nodes"])), "edges": sorted(map(str, found["edges"]))}


@pytest.mark.parametrize("hops", [0, 1, 2, 3])
def test_a_hop_is_one_request(hops: int) -> None:
    embedded = open_for("example-3-shared-connections")
    remote, double = behind(embedded, ROOT / "data" / "medical.toml")
    double.asked.clear()
    seeds = ["PERSON:12345", "UMLS:C0085084", "PUB:PMC2386281"]
    ours = remote.bfs_query(seeds=seeds, max_hops=hops)
    assert len(double.asked) <= 2 * hops + 3
    assert ours.to_dict() == embedded.bfs_query(seeds=seeds, max_hops=hops).to_dict()


def test_stubs_need_no_details() -> None:
    embedded = open_for("example-3-shared-connections")
    remote, double = behind(embedded, ROOT / "data" / "medical.toml")
    stubs: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}
    double.asked.clear()
    remote.bfs_query({"seeds": ["PERSON:12345"], "max_hops": 2} | stubs)
    assert len(double.asked) == 3


def test_descriptions_and_names_are_found() -> None:
    embedded = bfsql_rdf.open(WIKIDATA)
    remote, _ = behind(embedded)
    ids = ["Q7186", "wd:Q270", "https://www.wikidata.org/wiki/Q935", "wd:Q999999999"]
    assert remote.describe_entities(ids).to_dict() == embedded.describe_entities(ids).to_dict()
    [best, *_] = remote.search_entities(query="Marie Curie").candidates
    assert (best["id"], best["entity_type"]) == ("wd:Q7186", "human")
    assert remote.search_entities(query="Q7186").candidates[0]["id"] == "wd:Q7186"
    scanned = remote.search_entities(query="curi")
    assert "wd:Q37463" in {one["id"] for one in scanned.candidates}
    assert scanned.warnings is not None
    assert scanned.warnings[-1]["code"] == "scanned_labels"


def test_a_scan_goes_page_by_page_to_the_end() -> None:
    embedded = open_for("scan-locations")
    remote, _ = behind(embedded, ROOT / "data" / "sherlock.toml")
    query: dict[str, Any] = {"node_types": ["Location"], "edge_predicates": ["PartOf"]}
    found, after = [], None
    for _ in range(20):
        page = remote.scan_query(query | {"limit": 2} | ({"after": after} if after else {}))
        found += [node["id"] for node in page.nodes]
        after = page.next
        if after is None:
            break
    assert sorted(found) == sorted(node["id"] for node in embedded.scan_query(query).nodes)
    with pytest.raises(QueryError, match="cursor"):
        remote.scan_query({"node_types": ["Location"], "after": "bm9uc2Vuc2U"})


def test_the_schema_counts_what_the_endpoint_counts() -> None:
    embedded = open_for("example-1-author-publications")
    remote, _ = behind(embedded, ROOT / "data" / "medical.toml")
    ours, theirs = remote.describe_schema(), embedded.describe_schema()
    assert {one["name"] for one in theirs.predicates} <= {one["name"] for one in ours.predicates}
    assert {one["name"]: one["count"] for one in theirs.entity_types}.items() <= {
        one["name"]: one["count"] for one in ours.entity_types
    }.items()
    assert "bfs_query" in remote.prompt()


def test_explain_is_what_was_sent() -> None:
    remote, double = behind(open_for("example-1-author-publications"), ROOT / "data" / "medical.toml")
    double.asked.clear()
    texts = remote.explain("bfs", seeds=["PERSON:12345"], max_hops=1)["sparql"]
    assert texts == double.asked


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"seeds": ["PERSON:nobody"], "max_hops": 1}, "unknown_seeds"),
        ({"seeds": ["PERSON:12345"], "max_hops": 99}, "too_many_hops"),
        ({"seeds": ["PERSON:12345"], "max_hops": 1, "truth_status": ["sure"]}, "unknown_status"),
        ({"seeds": ["PERSON:12345"], "max_hops": 1, "as_of": 5}, "as_of_kind"),
        ({"seeds": ["PERSON:12345"], "max_hops": 1, "expand_traits": ["Transitive"]}, "transitive_trait"),
    ],
)
def test_bad_queries_are_refused_as_embedded(query: dict[str, Any], code: str) -> None:
    remote, _ = behind(open_for("example-1-author-publications"), ROOT / "data" / "medical.toml")
    with pytest.raises(QueryError) as caught:
        remote.bfs_query(query)
    assert caught.value.code == code


def test_a_frontier_is_halved_until_the_endpoint_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "star.nt"
    links = [
        f"<http://e/hub> <http://e/p> <http://e/{n}> .\n<http://e/{n}> <http://e/q> <http://e/b{n}> .\n"
        for n in range(99)
    ]
    path.write_text("".join(links), encoding="utf-8")
    embedded = bfsql_rdf.open(path)
    remote, double = behind(embedded)
    double.longest = 3_000
    query = {"seeds": ["http://e/hub"], "max_hops": 2}
    assert remote.bfs_query(query).to_dict() == embedded.bfs_query(query).to_dict()
    assert any(len(text) > 3_000 for text in double.asked)


@pytest.mark.parametrize("most", [1, 5, 20])
def test_an_answer_that_the_endpoint_cut_is_never_taken_for_the_whole(most: int) -> None:
    embedded = open_for("example-3-shared-connections")
    remote, double = behind(embedded, ROOT / "data" / "medical.toml")
    double.most = most
    result = remote.bfs_query(seeds=["UMLS:C0085084"], max_hops=2)
    whole = embedded.bfs_query(seeds=["UMLS:C0085084"], max_hops=2)
    assert result.to_dict() == whole.to_dict() or result.truncated is not None
    double.most = 1
    with pytest.raises(EndpointError, match="cut its answer"):
        remote.describe_entities(["UMLS:C0085084", "PERSON:12345"])


def test_the_total_of_a_hub_is_counted_and_not_fetched(tmp_path: Path) -> None:
    path = tmp_path / "hub.nt"
    path.write_text("".join(f"<http://e/hub> <http://e/p> <http://e/{n}> .\n" for n in range(900)), encoding="utf-8")
    profile = {"limits": {"max_nodes": 20, "max_edges": 30}}
    remote, double = behind(bfsql_rdf.open(path, profile), profile)
    result = remote.bfs_query(seeds=["http://e/hub"], max_hops=2)
    assert result.truncated is not None
    assert (result.truncated["hop"], result.truncated["edges_total"]) == (1, 900)
    assert result.edge_count <= 30
    assert max(double.rows) <= 4 * 31


def test_a_hub_is_cut_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "hub.nt"
    path.write_text("".join(f"<http://e/hub> <http://e/p> <http://e/{n}> .\n" for n in range(500)), encoding="utf-8")
    profile = {"limits": {"max_nodes": 20, "max_edges": 30}}
    embedded = bfsql_rdf.open(path, profile)
    remote, double = behind(embedded, profile)
    double.asked.clear()
    result = remote.bfs_query(seeds=["http://e/hub"], max_hops=2)
    assert result.truncated is not None
    assert result.truncated["hop"] == 1
    assert result.node_count <= 20
    assert len(double.asked) <= 7
