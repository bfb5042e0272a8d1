"""Answers held to a budget of tokens: full to stub, farthest first, then a counted remainder; always said.

Every function takes an answer as its JSON object and gives one that takes at most `most` tokens as compact JSON
(`estimate_tokens`), the same for the same answer, and unchanged where it fits. What was taken away stands, counted,
in `truncated`, with what to ask instead; `node_count`, `edge_count` and `count` stay those of the whole answer. The
floor is `FLOOR` tokens and the ids that the question itself gave.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

from bfsql_rdf.tokens import TOKEN, estimate_tokens, weigh

FLOOR = 600
"""Tokens below which no budget goes: what is left of an answer must still be able to say so."""
SEEDS = (
    "Ask for fewer hops or seeds, or name what matters in node_filter and edge_filter; describe_entities tells stubs"
)
IDS = "`count` is whole; for the rest start nearer to what you look for, or use bfs_query"
NAMES = "Ask with a lower limit, a longer name or entity_types"
PAGE = "This page has fewer rows, none is lost: repeat the query with `next` as `after`"
ROW = "Texts, lists or fields of the row were cut; describe_entities of its id tells more"
FEWER = "Describe fewer ids at a time"

ROW_TOKENS = 80
"""What a row of a scan takes at least, by which a first page is guessed."""

_STUB_EDGE = frozenset({"subject", "predicate", "object", "derived_via"})
_CORE = {"nodes": frozenset({"id", "entity_type"}), "edges": frozenset({"subject", "predicate", "object"})}
_NAMED = ("label", "prefLabel", "name", "title")
_TEXTS = (2_000, 500, 120, 40)
_LIST = 20


def spelled(body: dict[str, Any]) -> str:
    """Compact JSON."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def fits(body: dict[str, Any], most: int) -> bool:
    """Whether an answer takes at most `most` tokens."""
    return estimate_tokens(spelled(body)) <= most


def fit_subgraph(body: dict[str, Any], most: int, labelled: bool = False) -> dict[str, Any]:
    """A subgraph within a budget.

    Nodes come by layer, so what stands last is farthest: its detail goes first, then it goes itself, with the edges
    that lose an end. Where an answer is `labelled`, a node that gives up its detail keeps its label in `labels`.
    """
    if fits(body, most):
        return body
    body, said = _headed(body, most)
    nodes, edges = list(body["nodes"]), list(body["edges"])
    labels = dict(body.get("labels") or {})
    ends = _ends(nodes, edges)
    full = [len(node) > 2 for node in nodes], [bool(edge.keys() - _STUB_EDGE) for edge in edges]
    counts = {"nodes_as_stubs": len(nodes), "edges_as_stubs": len(edges)}
    counts |= {"nodes_left_out": len(nodes), "edges_left_out": len(edges)}
    shell = body | {"nodes": [], "edges": [], "labels": {}, "truncated": _said(body, most, said | counts, SEEDS)}
    room = most * TOKEN - _weight(shell)

    order = [(-place, 1, place) for place in range(len(nodes)) if full[0][place]]
    order += [(-ends[place], 0, -place) for place in range(len(edges)) if full[1][place]]
    weight = sum(map(_part, nodes)) + sum(map(_part, edges)) + sum(_part({one: labels[one]}) for one in labels)
    taken = {"nodes_as_stubs": 0, "edges_as_stubs": 0}
    for _, is_node, signed in sorted(order):
        if weight <= room:
            break
        rows, key, place = (nodes, "nodes_as_stubs", signed) if is_node else (edges, "edges_as_stubs", -signed)
        row = rows[place]
        rows[place] = {name: row[name] for name in row if name in (_CORE["nodes"] if is_node else _STUB_EDGE)}
        weight += _part(rows[place]) - _part(row)
        taken[key] += 1
        label = _label(row) if is_node and labelled and row["id"] not in labels else ""
        if label:
            labels[row["id"]] = label
            weight += _part({row["id"]: label})
    if weight > room:
        kept, keep, labels = _cut(nodes, edges, ends, labels, room)
        taken = {"nodes_as_stubs": sum(full[0][:kept]), "edges_as_stubs": sum(full[1][place] for place in keep)}
        taken |= {"nodes_left_out": len(nodes) - kept, "edges_left_out": len(edges) - len(keep)}
        nodes, edges = nodes[:kept], [edges[place] for place in keep]
    shorter = body | {"labels": labels, "nodes": nodes, "edges": edges}
    shorter["truncated"] = _said(body, most, said | taken, SEEDS)
    return {key: value for key, value in shorter.items() if key != "labels" or labels}


def _ends(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> list[int]:
    """For each edge the place of its far end among the nodes; their number for one that lies further out."""
    places = {node["id"]: place for place, node in enumerate(nodes)}
    return [max(places.get(edge[end], len(nodes)) for end in ("subject", "object")) for edge in edges]


def _cut(
    nodes: list[dict[str, Any]],
    edges: list[dict[str, Any]],
    ends: list[int],
    labels: dict[str, str],
    room: int,
) -> tuple[int, list[int], dict[str, str]]:
    """How many of the stubs of nodes there is room for, the places of the edges that stay, labels of what is left."""
    places = {node["id"]: place for place, node in enumerate(nodes)}
    last = len(nodes) - 1
    needs = []
    for end, edge in zip(ends, edges, strict=True):
        # An edge that leaves the nodes stays with its inner end; one that lies outside goes first.
        inner = [places[edge[key]] for key in ("subject", "object") if edge[key] in places]
        needs.append(end if end <= last else max(inner, default=last))
    costs = [_part(node) for node in nodes]
    bearer = dict(places)
    for need, edge in zip(needs, edges, strict=True):
        costs[need] += _part(edge)
        for key in ("subject", "object"):
            bearer[edge[key]] = min(bearer.get(edge[key], need), need)
    for one in labels.keys() & bearer.keys():
        costs[bearer[one]] += _part({one: labels[one]})
    kept = bisect_left(list(accumulate(costs)), room + 1)
    told = {one: label for one, label in labels.items() if bearer.get(one, kept) < kept}
    return kept, [place for place, need in enumerate(needs) if need < kept], told


def fit_list(body: dict[str, Any], key: str, most: int, hint: str = IDS) -> dict[str, Any]:
    """An answer with one long list, within a budget: long texts cut, then its beginning and how many were left out."""
    if fits(body, most):
        return body
    body, said = _headed(body, most)
    items = [_shorter(item, 200, 0)[0] if isinstance(item, dict) else item for item in body[key]]
    said |= {"texts_cut_at": 200} if items != body[key] else {}
    shell = body | {key: [], "truncated": _said(body, most, said | {f"{key}_left_out": len(items)}, hint)}
    kept = _first(items, most * TOKEN - _weight(shell))
    said[f"{key}_left_out"] = len(items) - kept
    return body | {key: items[:kept], "truncated": _said(body, most, said, hint)}


def fit_rows(body: dict[str, Any], most: int, hint: str = FEWER) -> dict[str, Any]:
    """Descriptions, or a page of few rows, within a budget.

    Texts are cut shorter and shorter, then long lists; then fields are left out, those of the last rows first; then
    rows. Ids are never cut.
    """
    if fits(body, most):
        return body
    body, said = _headed(body, most)
    keys: list[str] = [key for key in ("nodes", "edges") if key in body]
    for texts in _TEXTS:
        for lists in (0, _LIST) if texts == _TEXTS[-1] else (0,):
            cut, items = body, 0
            for key in keys:
                rows = [_shorter(row, texts, lists) for row in cut[key]]
                cut = cut | {key: [row for row, _ in rows]}
                items += sum(count for _, count in rows)
            taken = {"texts_cut_at": texts, "list_items_left_out": items}
            whole = cut | {"truncated": _said(body, most, said | taken, hint)}
            if fits(whole, most):
                return whole
    return _fields(cut, keys, most, said | taken, hint)


def _fields(body: dict[str, Any], keys: list[str], most: int, said: dict[str, int], hint: str) -> dict[str, Any]:
    """Rows with the fields that there is room for, those of the first rows before others."""
    numbers = {"fields_left_out": sum(len(row) for key in keys for row in body[key])}
    numbers |= {f"{key}_left_out": len(body[key]) for key in keys}
    labels = body.get("labels") or {}
    if labels:
        told = _first([{one: label} for one, label in labels.items()], most * TOKEN // 6)
        body = body | {"labels": dict(list(labels.items())[:told])}
        said = said | {"labels_left_out": len(labels) - told}
    shell = body | {key: [] for key in keys} | {"truncated": _said(body, most, said | numbers, hint)}
    room = most * TOKEN - _weight(shell)
    kept: dict[str, list[dict[str, Any]]] = {}
    for key in keys:
        core = _CORE[key]
        stubs = [{name: row[name] for name in row if name in core} for row in body[key]]
        first = _first(stubs, room)
        kept[key] = stubs[:first]
        numbers[f"{key}_left_out"] = len(stubs) - first
        room -= sum(map(_part, kept[key]))
    numbers["fields_left_out"] = 0
    for key in keys:
        for stub, row in zip(kept[key], body[key], strict=False):
            for name, value in row.items():
                cost = _part({name: value})
                if name in stub:
                    continue
                if cost <= room:
                    stub[name], room = value, room - cost
                else:
                    numbers["fields_left_out"] += 1
    return body | kept | {"truncated": _said(body, most, said | numbers, hint)}


def fit_page(ask: Callable[[int], dict[str, Any]], asked: int, most: int) -> dict[str, Any]:
    """A page of a scan within a budget: asked for again with fewer rows, so that its `next` loses none.

    `ask` gives the page of at most so many rows; a single row that is too long loses texts, lists, then fields.
    """
    rows = max(min(asked, most // ROW_TOKENS), 1)
    body = _paged(ask(rows), rows, asked, most)
    while not fits(body, most) and rows > 1:
        got = min(rows, max(len(body["nodes"]) + len(body["edges"]), 1))
        rows = max(min(got * most * 9 // (estimate_tokens(spelled(body)) * 10), got - 1), 1)
        body = _paged(ask(rows), rows, asked, most)
    return body if fits(body, most) else fit_rows(body, most, ROW)


def _paged(body: dict[str, Any], rows: int, asked: int, most: int) -> dict[str, Any]:
    if rows == asked or "next" not in body:
        return body
    return body | {"truncated": _said(body, most, {"rows_a_page": rows}, PAGE)}


def fit_error(error: dict[str, Any], most: int = FLOOR) -> dict[str, Any]:
    """`{"error": {code, message, where, hint}}` within a budget; `details` only where there is room for them."""
    if not fits({"error": error}, most):
        error = {key: value for key, value in error.items() if key != "details"}
    for length in (1_000, 400, 200, 100):
        if fits({"error": error}, most):
            break
        error = {key: value if key == "code" else _shorter(value, length, _LIST)[0] for key, value in error.items()}
    return {"error": error}


def _headed(body: dict[str, Any], most: int) -> tuple[dict[str, Any], dict[str, int]]:
    """What stands beside the lists of an answer held to a share of the budget, and what was left out for it."""
    left = {}
    for key in ("seeds", "unknown_seeds", "not_found", "warnings"):
        whole = body.get(key) or []
        items = [_shorter(item, 300, _LIST)[0] if isinstance(item, dict) else item for item in whole]
        kept = _first(items, most * TOKEN // 12)
        if kept < len(items):
            left[f"{key}_left_out"] = len(items) - kept
        if items != whole or kept < len(items):
            body = body | {key: items[:kept]}
    return body, left


def _said(body: dict[str, Any], most: int, what: dict[str, int], hint: str) -> dict[str, Any]:
    before = body.get("truncated")
    counted = {key: number for key, number in what.items() if number}
    return {"limit": "max_tokens", "max_tokens": most, **counted, "hint": hint, **({"also": before} if before else {})}


def _shorter(value: Any, text: int, items: int) -> tuple[Any, int]:
    """A value with texts of at most `text` characters and lists of `items` (0: any), and how many items that cost."""
    if isinstance(value, str):
        return (value if len(value) <= text else value[:text] + "…"), 0
    if isinstance(value, list):
        found = [_shorter(one, text, items) for one in (value[:items] if items else value)]
        lost = len(value) - len(found)
        return [one for one, _ in found], lost + sum(count for _, count in found)
    if isinstance(value, dict):
        pairs = {key: (one, 0) if key in _IDS else _shorter(one, text, items) for key, one in value.items()}
        return {key: one for key, (one, _) in pairs.items()}, sum(count for _, count in pairs.values())
    return value, 0


_IDS = frozenset(
    {"id", "entity_type", "subject", "predicate", "object", "subject_id", "object_id", "truth_status", "derived_via"}
)


def _label(node: dict[str, Any]) -> str:
    found = next((node[key] for key in _NAMED if isinstance(node.get(key), str)), "")
    return found if len(found) <= 100 else found[:100] + "…"


def _first(items: Iterable[Any], room: int) -> int:
    """How many of the first items fit."""
    return bisect_left(list(accumulate(map(_part, items))), room + 1)


def _part(item: Any) -> int:
    """The weight of an item of a list, or of the pairs of an object, with commas."""
    return _weight(item) + weigh(",")


def _weight(body: Any) -> int:
    return weigh(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
