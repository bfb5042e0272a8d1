"""What must always hold, on random graphs and texts."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, QuerySolutions, RdfFormat, Store, Triple

import bfsql_rdf
from bfsql_rdf.ids import Ids
from bfsql_rdf.terms import RDF, iri_fault

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


def opened(text: str) -> bfsql_rdf.Graph:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "g.ttl"
        path.write_text(text, encoding="utf-8")
        return bfsql_rdf.open(path)


def graph_of(rows: list[Any]) -> bfsql_rdf.Graph:
    return opened(turtle(rows))


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


@quiet
@given(facts, st.lists(st.integers(0, 6), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_answers_do_not_depend_on_triple_order(rows: list[Any], seeds: list[int], random: Any) -> None:
    head, *lines = turtle(rows).split("\n")
    random.shuffle(lines)
    graphs = [graph_of(rows), graph_of(rows), opened("\n".join([head, *lines]))]
    query: dict[str, Any] = {"seeds": [f"ex:n{n}" for n in seeds], "max_hops": 2}
    if any(status == "retracted" and described for *_, status, described in rows):
        query["truth_status"] = ["asserted_true", "retracted"]
    first, again, shuffled = [graph.bfs_query(query).to_json() for graph in graphs]
    assert first == again == shuffled
    assert first == graphs[0].bfs_query(query).to_json()


@quiet
@given(facts, st.integers(0, 2), st.integers(0, 6))
def test_a_closure_is_the_path_followed_the_long_way(rows: list[Any], predicate: int, start: int) -> None:
    rows = [*rows, (0, predicate, 0, None, False)]
    graph = graph_of(rows)
    walkable = {t for t in expected(rows, {"asserted_true"}) if t[1] == predicate}
    found: set[int] = set()
    layer = {start}
    while layer:
        layer = {o for s, _, o in walkable if s in layer} - found
        found |= layer
    result = graph.transitive_closure_query(start=f"ex:n{start}", predicate=f"p{predicate}")
    assert result.entities == [f"ex:n{n}" for n in sorted(found)]


@quiet
@given(facts, st.sets(st.sampled_from(STATUSES[:3]), min_size=1), st.integers(1, 4))
def test_scan_pages_are_the_walkable_triples_once(rows: list[Any], allowed: set[str], limit: int) -> None:
    graph, found = graph_of(rows), []
    query: dict[str, Any] = {"truth_status": sorted(allowed), "limit": limit}
    while True:
        page = graph.scan_query(query)
        found += [(edge["subject"], edge["predicate"], edge["object"]) for edge in page.edges]
        if page.next is None:
            break
        assert page.edge_count == limit
        query["after"] = page.next
    assert sorted(found) == sorted((f"ex:n{s}", f"p{p}", f"ex:n{o}") for s, p, o in expected(rows, allowed))


@settings(derandomize=True, max_examples=300, deadline=None)
@example("//x", E)
@example("/x", "http://example.org/x/")
@example("", "ex:")
@example("ex:a", "urn:x:")
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


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.text(), st.sampled_from([None, "en", "de-at"]))
def test_any_text_survives_in_statements_and_sparql(text: str, language: str | None) -> None:
    store = Store()
    value = Literal(text, language=language)
    a, p, st_ = NamedNode(E + "a"), NamedNode(E + "p"), NamedNode(E + "st")
    store.add(Quad(a, p, value))
    store.add(Quad(st_, NamedNode(RDF + "reifies"), Triple(a, p, value)))
    store.add(Quad(st_, NamedNode(E + "note"), value))
    graph = bfsql_rdf.open(store, {"text_limit": 100_000, "prefixes": {"ex": E}})
    row = graph.scan_query(edge_predicates=["p"]).edges[0]
    assert (row["value"], row["note"], row["id"]) == (text, text, "ex:st")
    for one in graph.explain("scan", edge_predicates=["p"])["sparql"]:
        rows = graph.store.query(one, use_default_graph_as_union=True)
        assert isinstance(rows, QuerySolutions)
        assert {row["object"] for row in rows} == {value}


def test_scan_pages_in_the_nodes_view_hold_each_statement_once() -> None:
    prefixes = f"@prefix ex: <{E}> . @prefix rdf: <{RDF}> .\n"
    text = "ex:a ex:p ex:b , ex:d . ex:c ex:p ex:d . ex:s2 rdf:reifies <<( ex:a ex:p ex:d )>> .\n"
    text += "ex:st rdf:reifies <<( ex:a ex:p ex:b )>> , <<( ex:c ex:p ex:d )>> ."
    store = Store()
    store.load(input=prefixes + text, format=RdfFormat.TURTLE)
    graph = bfsql_rdf.open(store, {"view": "nodes", "prefixes": {"ex": E}})
    found, query = [], {"edge_predicates": ["p"], "limit": 1}
    while True:
        page = graph.scan_query(query)
        found += [node["id"] for node in page.nodes]
        if page.next is None:
            break
        query = query | {"after": page.next}
    assert sorted(found) == ["ex:s2", "ex:st"]


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
