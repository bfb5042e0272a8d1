"""Whatever the budget, an answer keeps it, is valid, and says what it left out."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfsql_rdf.serve.budget import FLOOR, fit_list, fit_rows, fit_subgraph, fits, spelled
from tests.regold import open_for

WHOLE = open_for("example-3-shared-connections").bfs_query(seeds=["UMLS:C0085084"], max_hops=3).to_dict()
DESCRIBED = (
    open_for("example-3-shared-connections").describe_entities([node["id"] for node in WHOLE["nodes"]]).to_dict()
)
STUB_KEYS = {"subject", "predicate", "object", "derived_via"}


@settings(max_examples=60, deadline=None)
@given(st.integers(FLOOR, 8_000))
def test_a_subgraph_keeps_its_budget(most: int) -> None:
    body = fit_subgraph(WHOLE, most)
    assert fits(body, most)
    assert json.loads(spelled(body)) == body
    assert (body["node_count"], body["edge_count"]) == (WHOLE["node_count"], WHOLE["edge_count"])
    kept = [node["id"] for node in body["nodes"]]
    assert kept == [node["id"] for node in WHOLE["nodes"]][: len(kept)]
    for node, whole in zip(body["nodes"], WHOLE["nodes"], strict=False):
        assert node in (whole, {"id": whole["id"], "entity_type": whole["entity_type"]})
    stubs = [len(node) == 2 for node in body["nodes"]]
    full = [place for place, node in enumerate(WHOLE["nodes"]) if len(node) > 2]
    cut = [place for place in full if place < len(stubs) and stubs[place]]
    assert cut == full[len(full) - len(cut) :] or len(kept) < len(WHOLE["nodes"])
    if body != WHOLE:
        assert body["truncated"]["limit"] == "max_tokens"
        left = WHOLE["node_count"] - len(kept)
        assert body["truncated"].get("nodes_left_out", 0) == left
        assert body["truncated"].get("edges_left_out", 0) == len(WHOLE["edges"]) - len(body["edges"])


def test_a_larger_budget_tells_no_less() -> None:
    sizes = [len(spelled(fit_subgraph(WHOLE, most))) for most in (FLOOR, 600, 1_200, 2_400, 5_000, 50_000)]
    assert sizes == sorted(sizes)
    assert fit_subgraph(WHOLE, 50_000) is WHOLE


@settings(max_examples=30, deadline=None)
@given(st.integers(FLOOR, 5_000), st.integers(0, 2_000))
def test_a_list_keeps_its_budget(most: int, many: int) -> None:
    whole: dict[str, Any] = {"count": many, "entities": [f"ex:entity-{n}" for n in range(many)]}
    body = fit_list(whole, "entities", most)
    assert fits(body, most)
    assert body["count"] == many
    left = body.get("truncated", {}).get("entities_left_out", 0)
    assert len(body["entities"]) + left == many


@pytest.mark.parametrize("most", [FLOOR, 500, 900, 2_000, 20_000])
def test_descriptions_keep_their_budget(most: int) -> None:
    body = fit_rows(DESCRIBED, most)
    assert fits(body, most)
    assert body == DESCRIBED or body["truncated"]["limit"] == "max_tokens"
