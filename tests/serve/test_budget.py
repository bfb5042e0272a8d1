"""Whatever the budget, an answer keeps it, is valid, and says what it left out."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bfsql_rdf
from bfsql_rdf.models import ScanQuery
from bfsql_rdf.serve import budget
from bfsql_rdf.serve.budget import FLOOR, fit_error, fit_list, fit_page, fit_rows, fit_subgraph, fits, spelled
from bfsql_rdf.serve.tools import make_calls
from bfsql_rdf.tokens import estimate_tokens, weigh
from tests.regold import ROOT, open_for

GRAPH = open_for("example-3-shared-connections")
WHOLE = GRAPH.bfs_query(seeds=["UMLS:C0085084"], max_hops=3).to_dict()
LABELLED = bfsql_rdf.open(ROOT / "data" / "wikidata-style.ttl").bfs_query(seeds=["Q7186"], max_hops=3).to_dict()
STATEMENTS = open_for("example-8-true-identity").bfs_query(seeds=["wiki:Sherlock_Holmes"], max_hops=3).to_dict()
STUB_EDGE = {"subject", "predicate", "object", "derived_via"}
BUDGETS = st.integers(FLOOR, 9_000)

texts = st.builds(str.__mul__, st.sampled_from(["a", "é ", "漢", '"\\n', "😀x"]), st.integers(0, 2_500))
values = st.one_of(
    st.none() | st.booleans() | st.integers(),
    texts,
    st.builds(lambda item, many: [item] * many, texts | st.integers(), st.integers(0, 40)),
    st.builds(lambda text: [{"id": "ex:e", "quote": text, "parts": [text, {"deep": [text]}]}], texts),
)
fields = st.dictionaries(st.sampled_from([f"f{n}" for n in range(9)] + ["label", "é"]), values, max_size=4)
shapes = st.lists(fields, min_size=1, max_size=6)


@st.composite
def subgraphs(draw: st.DrawFn) -> dict[str, Any]:
    """Answers of any shape: stubs and full, edges that leave the nodes, labels, warnings, many seeds."""
    many, drawn, links = draw(st.integers(1, 60)), draw(shapes), draw(shapes)
    ids = [f"ex:{n}-{'é' * draw(st.integers(0, 3)) * 15}" for n in range(many)]
    nodes = [{"id": one, "entity_type": "T"} | drawn[n * n % 7 % len(drawn)] for n, one in enumerate(ids)]
    every = [*ids, "ex:outside", "ex:further"]
    step, ends = draw(st.integers(1, 9)), st.sampled_from(every)
    edges = [
        {"subject": every[n * step % len(every)], "predicate": f"p{n}", "object": every[n * n % len(every)]}
        | links[n * n % 7 % len(links)]
        for n in range(draw(st.integers(0, 80)))
    ]
    body: dict[str, Any] = {"seeds": ids * draw(st.sampled_from([1, 30])), "max_hops": 2}
    body |= {"node_count": len(nodes), "edge_count": len(edges), "nodes": nodes, "edges": edges}
    if draw(st.booleans()):
        body["labels"] = {one: draw(st.text(max_size=60)) for one in draw(st.lists(ends, min_size=1, max_size=30))}
    if draw(st.booleans()):
        body["warnings"] = [{"code": "odd", "message": draw(texts)} for _ in range(draw(st.integers(1, 20)))]
        body["unknown_seeds"] = [f"ex:unknown-{n}" for n in range(draw(st.integers(1, 300)))]
        body["truncated"] = {"limit": "max_nodes", "hop": 1, "nodes_left": 5, "edges_left": 7}
    return body


def check_subgraph(whole: dict[str, Any], most: int, labelled: bool = False) -> None:
    before = spelled(whole)
    body = fit_subgraph(whole, most, labelled)
    assert spelled(whole) == before
    assert fits(body, most)
    assert json.loads(spelled(body)) == body
    assert spelled(fit_subgraph(whole, most, labelled)) == spelled(body)
    if body == whole:
        return
    assert (body["node_count"], body["edge_count"]) == (whole["node_count"], whole["edge_count"])
    said = body["truncated"]
    assert said["limit"] == "max_tokens"
    assert said["hint"]
    assert said.get("also") == whole.get("truncated")

    kept = len(body["nodes"])
    assert said.get("nodes_left_out", 0) == len(whole["nodes"]) - kept
    stubs = [{"id": node["id"], "entity_type": node["entity_type"]} for node in whole["nodes"]]
    for node, full, stub in zip(body["nodes"], whole["nodes"], stubs, strict=False):
        assert node in (full, stub)
    stubbed = [place for place in range(kept) if body["nodes"][place] != whole["nodes"][place]]
    assert said.get("nodes_as_stubs", 0) == len(stubbed)
    full = [place for place in range(kept) if len(whole["nodes"][place]) > 2]
    assert stubbed == full[len(full) - len(stubbed) :]

    left = iter(whole["edges"])
    for edge in body["edges"]:
        original = next(one for one in left if all(one.get(key) == edge.get(key) for key in STUB_EDGE))
        assert edge in (original, {key: value for key, value in original.items() if key in STUB_EDGE})
    assert said.get("edges_left_out", 0) == len(whole["edges"]) - len(body["edges"])
    lost = {node["id"] for node in whole["nodes"][kept:]}
    assert not any(edge["subject"] in lost or edge["object"] in lost for edge in body["edges"])
    if kept < len(whole["nodes"]):
        assert all(len(node) == 2 for node in body["nodes"])
        assert all(edge.keys() <= STUB_EDGE for edge in body["edges"])
    elif len(body["edges"]) < len(whole["edges"]):
        pytest.fail("edges went although no node did")
    for one, label in body.get("labels", {}).items():
        assert whole.get("labels", {}).get(one, label) == label


@settings(max_examples=60, deadline=None)
@given(BUDGETS, st.sampled_from([WHOLE, LABELLED, STATEMENTS]), st.booleans())
def test_a_subgraph_keeps_its_budget(most: int, whole: dict[str, Any], labelled: bool) -> None:
    check_subgraph(whole, most, labelled)


@settings(max_examples=120, deadline=None)
@given(BUDGETS, subgraphs(), st.booleans())
def test_a_subgraph_of_any_shape_keeps_its_budget(most: int, whole: dict[str, Any], labelled: bool) -> None:
    check_subgraph(whole, most, labelled)


def test_a_larger_budget_tells_no_less() -> None:
    for whole in (WHOLE, LABELLED, STATEMENTS):
        sizes = [len(spelled(fit_subgraph(whole, most))) for most in (FLOOR, 900, 1_200, 2_400, 5_000)]
        assert sizes == sorted(sizes)
        assert fit_subgraph(whole, 100_000) is whole


def test_a_node_without_its_detail_keeps_its_label() -> None:
    body = fit_subgraph(LABELLED, 1_800, True)
    stubs = {node["id"] for node in body["nodes"] if len(node) == 2}
    named = {node["id"]: node["label"] for node in LABELLED["nodes"] if isinstance(node.get("label"), str)}
    assert stubs & named.keys()
    assert all(body["labels"][one] == named[one] for one in stubs & named.keys())
    assert "labels" not in fit_subgraph({**WHOLE}, 1_800)


@settings(max_examples=60, deadline=None)
@given(BUDGETS, st.integers(0, 2_000))
def test_a_list_keeps_its_budget(most: int, many: int) -> None:
    whole: dict[str, Any] = {"count": many, "entities": [f"ex:entity-{n}" for n in range(many)]}
    body = fit_list(whole, "entities", most)
    assert fits(body, most)
    assert body["count"] == many
    assert body["entities"] == whole["entities"][: len(body["entities"])]
    left = body.get("truncated", {}).get("entities_left_out", 0)
    assert len(body["entities"]) + left == many


def test_long_labels_of_candidates_are_cut() -> None:
    whole = {"candidates": [{"id": f"ex:{n}", "entity_type": "T", "label": "x" * 5_000, "score": 1} for n in range(9)]}
    body = fit_list(whole, "candidates", 1_000, budget.NAMES)
    assert fits(body, 1_000)
    assert len(body["candidates"]) == 9
    assert body["truncated"]["texts_cut_at"] == 200


@settings(max_examples=120, deadline=None)
@given(BUDGETS, subgraphs(), st.integers(0, 500))
def test_descriptions_keep_their_budget(most: int, drawn: dict[str, Any], missing: int) -> None:
    whole: dict[str, Any] = {key: drawn[key] for key in ("labels", "nodes") if key in drawn}
    whole |= {"not_found": [f"ex:missing-{n}" for n in range(missing)]} if missing else {}
    body = fit_rows(whole, most)
    assert fits(body, most)
    assert json.loads(spelled(body)) == body
    assert spelled(fit_rows(whole, most)) == spelled(body)
    for node, full in zip(body["nodes"], whole["nodes"], strict=False):
        assert (node["id"], node["entity_type"]) == (full["id"], full["entity_type"])
        assert node.keys() <= full.keys()
    if body != whole:
        said = body["truncated"]
        assert said["limit"] == "max_tokens"
        assert said.get("nodes_left_out", 0) == len(whole["nodes"]) - len(body["nodes"])
        kept = whole["nodes"][: len(body["nodes"])]
        assert said.get("fields_left_out", 0) == sum(map(len, kept)) - sum(map(len, body["nodes"]))


def test_descriptions_lose_texts_then_fields_then_nodes() -> None:
    nodes = [{"id": f"ex:{n}", "entity_type": "T", "a": "x" * 300, "b": 7, "c": "z"} for n in range(80)]
    told = [fit_rows({"nodes": nodes}, most).get("truncated", {}) for most in (20_000, 4_000, 1_500, FLOOR)]
    assert not told[0]
    assert told[1]["texts_cut_at"] == 120
    assert "fields_left_out" not in told[1]
    assert "fields_left_out" in told[2]
    assert "nodes_left_out" not in told[2]
    assert "nodes_left_out" in told[3]
    one = {"nodes": [{"id": "ex:a", "entity_type": "T", "long": "x" * 90_000, "list": list(range(9_000))}]}
    body = fit_rows(one, 800)
    assert body["nodes"][0]["long"].startswith("xxx")
    assert body["nodes"][0]["list"] == list(range(20))
    assert body["truncated"]["list_items_left_out"] == 8_980


def row(edge: dict[str, Any]) -> tuple[str, str, str]:
    return edge["subject"], edge["predicate"], str(edge.get("object", edge.get("value")))


def pages(graph: bfsql_rdf.Graph, query: dict[str, Any], most: int) -> list[dict[str, Any]]:
    call = make_calls(graph, most)["scan_query"]
    found: list[dict[str, Any]] = []
    after: dict[str, Any] = {}
    while True:
        found.append(call(query | after))
        assert estimate_tokens(spelled(found[-1])) <= most
        if "next" not in found[-1]:
            return found
        after = {"after": found[-1]["next"]}


@pytest.mark.parametrize("most", [FLOOR, 900, 2_000, 20_000])
@pytest.mark.parametrize("limit", [{}, {"limit": 7}])
def test_pages_of_a_scan_lose_no_row(most: int, limit: dict[str, Any]) -> None:
    query = {"truth_status": ["asserted_true", "disputed", "retracted"], "node_types": ["Drug", "Disease"]}
    whole = GRAPH.scan_query(query).to_dict()
    found = pages(GRAPH, query | limit, most)
    nodes = [node for page in found for node in page["nodes"]]
    edges = [row(edge) for page in found for edge in page["edges"]]
    assert sorted(node["id"] for node in nodes) == sorted(node["id"] for node in whole["nodes"])
    assert sorted(edges) == sorted(map(row, whole["edges"]))
    for page in found[:-1]:
        rows = len(page["nodes"]) + len(page["edges"])
        said = page.get("truncated", {})
        assert rows == limit.get("limit") or said["rows_a_page"] == rows
    assert most > 900 or len(found) > 1


def test_a_row_that_is_too_long_is_a_page_of_its_own(tmp_path: Any) -> None:
    path = tmp_path / "long.ttl"
    prefix = "@prefix ex: <http://example.org/> .\n"
    path.write_text(prefix + "".join(f'ex:n{n} a ex:T ; ex:text "{"wide " * 900}" .\n' for n in range(4)))
    graph = bfsql_rdf.open(path, {"text_limit": 100_000})
    found = pages(graph, {"node_types": ["T"]}, FLOOR)
    assert [len(page["nodes"]) for page in found] == [1] * 4
    assert all(page["truncated"]["texts_cut_at"] for page in found)
    assert len({page["nodes"][0]["id"] for page in found}) == 4
    # The cursor is the scan's own: it serves a query without a budget as well.
    rest = graph.scan_query(ScanQuery(node_types=["T"], after=found[0]["next"]))
    assert rest.node_count == 3


def test_a_page_is_asked_for_again_only_while_it_is_too_long() -> None:
    asked: list[int] = []

    def ask(rows: int) -> dict[str, Any]:
        asked.append(rows)
        nodes = [{"id": f"ex:{n}", "entity_type": "T", "text": "x" * 2_000} for n in range(rows)]
        return {"node_count": rows, "edge_count": 0, "nodes": nodes, "edges": [], "next": "c"}

    body = fit_page(ask, 1_000, 4_000)
    assert fits(body, 4_000)
    assert asked[0] == 50
    assert len(asked) <= 3
    assert 6 <= len(body["nodes"]) <= 8
    assert body["truncated"]["rows_a_page"] == len(body["nodes"])


@pytest.mark.parametrize("most", [FLOOR, 700, 1_000, 4_000])
def test_every_tool_keeps_the_least_budgets(most: int) -> None:
    for graph in (GRAPH, bfsql_rdf.open(ROOT / "data" / "wikidata-style.ttl")):
        calls = make_calls(graph, most)
        schema = graph.describe_schema()
        seed = graph.scan_query(node_types=[schema.entity_types[0]["name"]]).nodes[0]["id"]
        link = next(one["name"] for one in schema.predicates if one["kind"] == "link")
        queries: dict[str, dict[str, Any]] = {
            "bfs_query": {"seeds": [seed], "max_hops": 4},
            "transitive_closure_query": {"start": seed, "predicate": link},
            "scan_query": {"truth_status": ["asserted_true"]},
            "search_entities": {"query": "a", "limit": 100},
            "describe_entities": {"ids": [seed, "http://example.org/nowhere"]},
            "describe_schema": {"max_tokens": 8_000},
        }
        for name, query in queries.items():
            body = calls[name](query)
            assert body
            assert estimate_tokens(spelled(body)) <= most, name


@given(values.map(str), texts, st.lists(texts, max_size=30))
@settings(max_examples=40, deadline=None)
def test_an_error_is_short(message: str, hint: str, details: list[str]) -> None:
    error = {"code": "odd", "message": message, "where": "key", "hint": hint, "details": {"candidates": details}}
    body = fit_error(error)
    assert fits(body, FLOOR)
    assert body["error"]["code"] == "odd"
    assert fit_error({"code": "odd", "message": "short"}) == {"error": {"code": "odd", "message": "short"}}


@given(st.text())
def test_weights_add_up_to_the_estimate(text: str) -> None:
    assert estimate_tokens(text) == -(-sum(map(weigh, text)) // 12)
    plain = sum(character.isascii() for character in text)
    assert abs(estimate_tokens(text) - (plain / 4 + (len(text) - plain) / 1.5)) <= 1
