"""What a model reads of the tools before it calls one: descriptions and JSON schemas, in the words of one graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from bfsql_rdf.engine.terms import shorten
from bfsql_rdf.graph import Graph
from bfsql_rdf.tokens import estimate_tokens

TITLES = {
    "search_entities": "Find ids by name",
    "bfs_query": "Explore around some ids",
    "describe_entities": "Everything about some ids",
    "describe_schema": "What the graph holds",
    "transitive_closure_query": "Follow one predicate to any depth",
    "scan_query": "List what matches",
}
"""The tools, in the order in which they are of use."""

SEARCH = (
    "From a name to ids. Begin here unless you have an id: every other tool takes ids, none takes names. Give a name, "
    "a part of one or an id as `query`; case, accents and small typos are forgiven. Answers `candidates`, best first: "
    "{id, entity_type, label, score}. Look at entity_type and label before you take the first; narrow with "
    "`entity_types`."
)
BFS = (
    "What surrounds one or more ids: all nodes and edges met when links are followed from `seeds`, in both directions, "
    "out to `max_hops`. {hops}\n"
    "Full or stub: a node in full has all its fields, a stub is {{id, entity_type}}; an edge in full has the data of "
    "its statement (id, truth_status, provenance...), a stub is {{subject, predicate, object}}. Without filters all "
    "comes in full, which is long. node_filter.entity_types and edge_filter.predicates name what you want in full; the "
    "rest comes as stubs; an empty list makes all stubs. Filters never change what is found, only how much is told: "
    "look at the shape first (both lists empty, max_hops {unit}), then ask again with what matters in full.\n"
    'What is walked: without truth_status only ["asserted_true"]; name every status you want. `as_of` leaves out what '
    "is positioned later or has no position. `expand_traits` adds edges that follow from others.\n"
    "Read `warnings` and `unknown_seeds`; `truncated` says what was left out and how to ask for less. Nothing found "
    "under the defaults is not yet an absence: try the other statuses."
)
HOPS = {
    "edges": "One relationship is one hop. Mind the off-by-one: an edge is told when one of its ends is less than "
    "max_hops away, so edges between two of the outermost nodes take one hop more.",
    "nodes": "Here statements are nodes (entity_type Statement) and take a hop of their own. Mind the off-by-one: what "
    "is N relationships away is 2N hops away, so start with max_hops 2; a link that no statement describes is one "
    "hop.",
}
DESCRIBE = (
    "All that is known of the given ids, texts uncut: the fields of entities, and of statements whatever their status. "
    "Links are not listed, bfs_query has them. `not_found` lists ids that are not in the graph: search for the name."
)
SCHEMA = (
    "All types and predicates with counts and what they join, statuses, positions, traits and prefixes; most used "
    "first, within `max_tokens` (4000 unless you say). Call it when the names in these descriptions are not enough; "
    "`more` counts what did not fit."
)
CLOSURE = (
    "Every id that one predicate leads to from `start`, from subject to object, at any depth, over asserted_true "
    "statements; cycles are safe. Good for parts, subclasses, ancestors. Answers ids only, with their `count`; the "
    "way there is not told, and against the direction use bfs_query."
)
SCAN = (
    "List without a starting point. `node_types` alone: every entity of these types, in full. Otherwise every "
    "statement that matches all of edge_predicates, truth_status and as_of, in full, wherever it is (without "
    "truth_status only asserted_true). At least one of the four is needed. Comes in pages: while the answer has "
    "`next`, repeat the same query with it as `after`."
)
ROOM = {"types": 250, "links": 350, "few": 80, "statuses": 80}
"""Tokens that lists of this graph's names may take in a description."""


@dataclass(frozen=True)
class Words:
    """For each tool what it is for, and queries for it that run on the graph."""

    descriptions: dict[str, str]
    examples: dict[str, list[dict[str, Any]]]


def words_of(graph: Graph, known: bool = True) -> Words:
    """The words of one graph; those of any graph where it is not `known`, as when an endpoint cannot tell of it.

    Raises EndpointError.
    """
    types, links, further = _facts(graph) if known else ([], [], [])
    texts = {
        "search_entities": [SEARCH],
        "bfs_query": [BFS.format(hops=HOPS[graph.profile.view], unit=2 if graph.profile.view == "nodes" else 1)],
        "describe_entities": [DESCRIBE],
        "describe_schema": [SCHEMA],
        "transitive_closure_query": [CLOSURE],
        "scan_query": [SCAN],
    }
    few = _listed("Types", types, ROOM["few"])
    texts["search_entities"] += few
    texts["scan_query"] += few
    texts["transitive_closure_query"] += _listed("Predicates", links, ROOM["few"])
    texts["bfs_query"] += _listed("Types", types, ROOM["types"]) + _listed("Predicates", links, ROOM["links"])
    texts["bfs_query"] += further
    return Words({name: "\n".join(lines) for name, lines in texts.items()}, _examples(graph, types) if known else {})


def _facts(graph: Graph) -> tuple[list[str], list[str], list[str]]:
    """Names of types and of links, most used first, and lines on statuses, positions and traits."""
    schema = graph.describe_schema(4_000)
    links = [one for one in schema.predicates if one["kind"] != "value"]
    lines = _listed("Statuses", [f"{name} {n:,}" for name, n in schema.truth_statuses.items()], ROOM["statuses"])
    for kind, span in (schema.positions or {}).items():
        first, last = (shorten(str(span[end]), 40) for end in ("first", "last"))
        lines.append(f"Positions ({kind}): {first} to {last}; as_of is written as {span['as_of']}.")
    if not schema.positions:
        lines.append("Nothing here has a position: leave as_of out.")
    traits = [one["name"] for one in links if one.get("symmetric") or "inverse" in one]
    lines += _listed("Symmetric or with an inverse", traits, ROOM["few"])
    return [one["name"] for one in schema.entity_types], [one["name"] for one in links], lines


def _examples(graph: Graph, types: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Queries that were run on the graph, by tool."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in graph.examples():
        found.setdefault(one.primitive, []).append(one.query)
    for query in found.get("bfs_query", [])[:1]:
        found["describe_entities"] = [{"ids": query["seeds"]}]
        found["search_entities"] = [{"query": _name(graph, query["seeds"][0])}]
    if types and "scan_query" not in found:
        found["scan_query"] = [{"node_types": types[:1], "limit": 5}]
    found["describe_schema"] = [{}, {"max_tokens": 1_000}]
    short = {
        name: [query for query in queries if estimate_tokens(str(query)) < 120][:3] for name, queries in found.items()
    }
    return {name: queries for name, queries in short.items() if queries}


def _name(graph: Graph, one: str) -> str:
    """What an entity is called, so far as its own fields tell; else the end of its id."""
    nodes = graph.describe_entities([one]).nodes
    for key in ("label", "prefLabel", "name", "title"):
        for text in (node.get(key) for node in nodes):
            if isinstance(text, str) and text.strip():
                return shorten(text, 60)
    tail = one.rstrip(">/").replace("#", "/").replace(":", "/").rpartition("/")[2]
    return tail.replace("_", " ") or one


def _listed(title: str, names: Iterable[str], room: int) -> list[str]:
    """One line with the names that fit; none without names."""
    kept: list[str] = []
    all_names = list(names)
    for name in all_names:
        text = shorten(name, 80)
        room -= estimate_tokens(text + ", ")
        if room < 0:
            break
        kept.append(text)
    rest = len(all_names) - len(kept)
    more = f" and {rest:,} more (describe_schema)" if rest else ""
    return [f"{title} here: {', '.join(kept)}{more}."] if kept else []


def schema_of(model: type[BaseModel], examples: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON schema of a query in one piece: no references, no titles, and no null, which the language refuses."""
    whole = model.model_json_schema()
    schema: dict[str, Any] = _plain(whole, whole.get("$defs", {}))
    schema.pop("description", None)
    return schema | ({"examples": examples} if examples else {})


def _plain(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_plain(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _plain(definitions[part["$ref"].rpartition("/")[2]], definitions)
    plain: dict[str, Any] = {}
    for key, value in part.items():
        if key in ("$defs", "title") or (key == "default" and value is None):
            continue
        if key == "properties":
            plain[key] = {name: _plain(one, definitions) for name, one in value.items()}
        elif key == "anyOf":
            choices = [_plain(one, definitions) for one in value if one.get("type") != "null"]
            numbers = [one for one in choices if one != {"type": "integer"} or {"type": "number"} not in choices]
            plain |= numbers[0] if len(numbers) == 1 else {key: numbers}
        else:
            plain[key] = _plain(value, definitions)
    # What a key is for is said where it stands, not where its type is defined.
    return plain | ({"description": part["description"]} if "description" in part else {})
