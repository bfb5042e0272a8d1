"""What must always hold, on random graphs and texts."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

import bfsql_rdf
from bfsql_rdf.ids import Ids
from bfsql_rdf.terms import iri_fault

E = "http://example.org/"
STATUSES = ["asserted_true", "disputed", "retracted", None]
facts = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(0, 6), st.sampled_from(STATUSES), st.booleans()),
    max_size=14,
)
quiet = settings(derandomize=True, max_examples=60, deadline=None)


def turtle(rows: list[Any]) -> str:
    lines = ["@prefix ex: <http://example.org/> . @prefix b: <https://w3id.org/bfsql#> ."]
    lines += [f"ex:n{i} a ex:T{i % 2} ." for i in range(7)]
    for number, (s, p, o, status, described) in enumerate(rows):
        reifier = f" ~ ex:s{number}" if described else ""
        lines.append(f"ex:n{s} ex:p{p} ex:n{o}{reifier} .")
        if described and status:
            lines.append(f'ex:s{number} b:truthStatus "{status}" .')
    return "\n".join(lines)


def expected(rows: list[Any], allowed: set[str]) -> set[tuple[int, int, int]]:
    """The walkable triples, decided the long way."""
    walkable = set()
    for s, p, o, _, _ in rows:
        told = [(status, described) for a, b, c, status, described in rows if (a, b, c) == (s, p, o)]
        statements = [status for status, described in told if described]
        stated = {status for status in statements if status}
        if not statements:
            if "asserted_true" in allowed:
                walkable.add((s, p, o))
        elif any(({status} if status else stated or {"asserted_true"}) <= allowed for status in statements):
            walkable.add((s, p, o))
    return walkable


def graph_of(rows: list[Any]) -> bfsql_rdf.Graph:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "g.ttl"
        path.write_text(turtle(rows), encoding="utf-8")
        return bfsql_rdf.open(path)


@quiet
@given(facts, st.integers(0, 6), st.integers(0, 3), st.sets(st.sampled_from(STATUSES[:3]), min_size=1))
def test_a_search_is_the_walk_done_the_long_way(rows: list[Any], seed: int, hops: int, allowed: set[str]) -> None:
    result = graph_of(rows).bfs_query(seeds=[f"ex:n{seed}"], max_hops=hops, truth_status=sorted(allowed))
    walkable = expected(rows, allowed)
    layer, seen, edges = {seed}, {seed}, set()
    for _ in range(hops):
        touched = {t for t in walkable if t[0] in layer or t[2] in layer}
        edges |= touched
        layer = {end for t in touched for end in (t[0], t[2])} - seen
        seen |= layer
    assert {node["id"] for node in result.nodes} == {f"ex:n{n}" for n in seen}
    assert {(e["subject"], e["predicate"], e["object"]) for e in result.edges} == {
        (f"ex:n{s}", f"p{p}", f"ex:n{o}") for s, p, o in edges
    }


filters = st.one_of(st.none(), st.lists(st.sampled_from(["T0", "T1", "Statement", "nothing"]), max_size=2))


@quiet
@given(facts, filters, st.one_of(st.none(), st.lists(st.sampled_from(["p0", "p1", "zz"]), max_size=2)))
def test_presentation_filters_change_no_node_edge_or_count(
    rows: list[Any], types: list[str] | None, predicates: list[str] | None
) -> None:
    graph = graph_of(rows)
    query: dict[str, Any] = {"seeds": ["ex:n0"], "max_hops": 2}
    full = graph.bfs_query(query)
    if types is not None:
        query["node_filter"] = {"entity_types": types}
    if predicates is not None:
        query["edge_filter"] = {"predicates": predicates}
    other = graph.bfs_query(query)
    assert (full.node_count, full.edge_count) == (other.node_count, other.edge_count)
    assert [node["id"] for node in full.nodes] == [node["id"] for node in other.nodes]
    keys = ("subject", "predicate", "object")
    assert [[edge[k] for k in keys] for edge in full.edges] == [[edge[k] for k in keys] for edge in other.edges]


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.text(min_size=1), st.sampled_from([E, "http://example.org/x/", "ex:", "urn:x:", "https://example.org/"]))
def test_expand_after_compress_is_the_identity(rest: str, start: str) -> None:
    iri = start + rest
    ids = Ids({"ex": [E, "https://example.org/"], "x": E + "x/"}, occurs=lambda one: True)
    if iri_fault(iri) is None:
        canonical = ids.canonical(iri)
        assert ids.expand(ids.compress(canonical)) == canonical
        assert ids.expand(iri if start != "ex:" else f"<{iri}>") == canonical


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.text())
def test_any_text_survives(text: str) -> None:
    store = Store()
    store.add(Quad(NamedNode(E + "a"), NamedNode(E + "note"), Literal(text)))
    graph = bfsql_rdf.open(store, {"text_limit": 100_000})
    node = graph.bfs_query(seeds=[E + "a"], max_hops=0).nodes[0]
    assert node["note"] == text


words = st.sampled_from(
    ["ex:n0", "ex:s0", "_:x-1", "p0", "T0", "Statement", "Thing", "asserted_true", "2008", "", "a b"]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(max_size=6), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=2)),
    max_leaves=6,
)
KEYS = (
    "seeds max_hops truth_status as_of expand_traits node_filter edge_filter start predicate node_types "
    "edge_predicates limit after"
)


@settings(derandomize=True, max_examples=400, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS.split()), st.one_of(values, st.lists(words, max_size=2)), max_size=5),
    st.sampled_from(["bfs_query", "transitive_closure_query", "scan_query"]),
)
def test_whatever_is_asked_gets_an_answer_or_an_error_of_ours(query: dict[str, Any], primitive: str) -> None:
    if primitive == "bfs_query":
        query = {"seeds": ["ex:n0"], "max_hops": 1} | query
    caught: bfsql_rdf.QueryError | None = None
    try:
        getattr(ANY_GRAPH, primitive)(query).to_json()
    except bfsql_rdf.QueryError as error:
        caught = error
    assert caught is None or (caught.code and "\n" not in str(caught))


ANY_GRAPH = graph_of([(0, 0, 1, "disputed", True), (1, 1, 2, None, False), (2, 0, 0, "asserted_true", True)])
