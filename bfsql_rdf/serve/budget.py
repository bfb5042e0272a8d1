"""Answers held to a budget of tokens: full to stub, farthest first, then a counted remainder; always said."""

import json
from collections.abc import Callable
from typing import Any

from bfsql_rdf.tokens import estimate_tokens

FLOOR = 300
"""Tokens below which no budget goes: what is left of an answer must still be able to say so."""


def spelled(body: dict[str, Any]) -> str:
    """Compact JSON."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def fits(body: dict[str, Any], most: int) -> bool:
    return estimate_tokens(spelled(body)) <= most


def fit_subgraph(body: dict[str, Any], most: int) -> dict[str, Any]:
    """A subgraph in at most `most` tokens.

    Nodes come by layer, so what stands last is farthest: its detail goes first, then it goes itself. The counts stay
    those of the whole answer; `truncated` says what was left out and how to ask for it.
    """
    if fits(body, most):
        return body
    places = {node["id"]: place for place, node in enumerate(body["nodes"])}
    far = len(places)
    ranks = [("nodes", place, place) for place, node in enumerate(body["nodes"]) if len(node) > 2]
    ranks += [
        ("edges", place, max(places.get(edge["subject"], far), places.get(edge["object"], far)))
        for place, edge in enumerate(body["edges"])
        if edge.keys() - _STUB_EDGE
    ]
    ranks.sort(key=lambda rank: (-rank[2], rank[0] == "nodes", -rank[1]))

    def stubbed(count: int) -> dict[str, Any]:
        nodes, edges = list(body["nodes"]), list(body["edges"])
        for kind, place, _ in ranks[:count]:
            if kind == "nodes":
                nodes[place] = {key: nodes[place][key] for key in ("id", "entity_type")}
            else:
                edges[place] = {key: value for key, value in edges[place].items() if key in _STUB_EDGE}
        chosen = [kind for kind, _, _ in ranks[:count]]
        said = {"nodes_as_stubs": chosen.count("nodes"), "edges_as_stubs": chosen.count("edges")}
        return _said(body | {"nodes": nodes, "edges": edges}, most, said)

    found = _least(len(ranks), stubbed, most)
    return found if found is not None else _cut(stubbed(len(ranks)), most)


_STUB_EDGE = frozenset({"subject", "predicate", "object", "derived_via"})


def _cut(body: dict[str, Any], most: int) -> dict[str, Any]:
    """The first nodes of a subgraph of stubs, and the edges among them; labels only of what is left."""
    nodes, edges, said = body["nodes"], body["edges"], body["truncated"]

    def cut(count: int) -> dict[str, Any]:
        kept = nodes[: len(nodes) - count]
        present = {node["id"] for node in kept}
        among = [edge for edge in edges if edge["subject"] in present and edge["object"] in present]
        left = {"nodes_left_out": count, "edges_left_out": len(edges) - len(among)}
        labels = {one: text for one, text in (body.get("labels") or {}).items() if one in present}
        shorter = body | {"nodes": kept, "edges": among, "truncated": said | left}
        return {key: value for key, value in (shorter | {"labels": labels}).items() if key != "labels" or labels}

    found = _least(len(nodes), cut, most)
    if found is not None:
        return found
    return {key: value for key, value in cut(len(nodes)).items() if key not in ("warnings", "unknown_seeds", "labels")}


def _least(many: int, at: Callable[[int], dict[str, Any]], most: int) -> dict[str, Any] | None:
    """The body of the smallest count that fits, by bisection; None where none does."""
    if not fits(at(many), most):
        return None
    low, high = 0, many
    while low < high:
        middle = (low + high) // 2
        if fits(at(middle), most):
            high = middle
        else:
            low = middle + 1
    return at(low)


def _said(body: dict[str, Any], most: int, what: dict[str, int]) -> dict[str, Any]:
    hint = "Ask for fewer hops or seeds, or name the types and predicates that matter in node_filter and edge_filter"
    said = {"limit": "max_tokens", "max_tokens": most, **{key: n for key, n in what.items() if n}, "hint": hint}
    before = body.get("truncated")
    return body | {"truncated": {**said, **({"also": before} if before else {})}}


def fit_list(body: dict[str, Any], key: str, most: int) -> dict[str, Any]:
    """An answer with one long list in at most `most` tokens: its beginning, and how many were left out."""
    if fits(body, most):
        return body
    items = body[key]

    def cut(count: int) -> dict[str, Any]:
        said = {"limit": "max_tokens", "max_tokens": most, f"{key}_left_out": count}
        return body | {key: items[: len(items) - count], "truncated": said}

    found = _least(len(items), cut, most)
    return found if found is not None else cut(len(items))


def fit_nodes(body: dict[str, Any], most: int) -> dict[str, Any]:
    """Descriptions in at most `most` tokens: long texts are cut shorter and shorter, then nodes left out at the end."""
    if fits(body, most):
        return body
    for length in (500, 120, 40):
        shorter = body | {"nodes": [_shortened(node, length) for node in body["nodes"]]}
        said = shorter | {"truncated": {"limit": "max_tokens", "max_tokens": most, "texts_cut_at": length}}
        if fits(said, most):
            return said
    stubs = [{key: node[key] for key in ("id", "entity_type")} for node in body["nodes"]]
    left = {key: value for key, value in body.items() if key != "labels"}
    fields = {"limit": "max_tokens", "max_tokens": most, "hint": "Describe fewer ids at a time"}
    if fits(left | {"nodes": stubs, "truncated": fields}, most):
        return left | {"nodes": stubs, "truncated": fields}
    return fit_list(left | {"nodes": stubs}, "nodes", most)


def _shortened(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= length else value[:length] + "…"
    if isinstance(value, list):
        kept = [_shortened(one, length) for one in value[:20]]
        return [*kept, f"… {len(value) - 20} more"] if len(value) > 20 else kept
    if isinstance(value, dict):
        return {key: one if key == "id" else _shortened(one, length) for key, one in value.items()}
    return value
