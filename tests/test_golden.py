"""The worked examples: each query's answer and SPARQL are as kept, and the SPARQL, executed, gives the answer."""

import json
from collections import defaultdict
from typing import Any

import pytest
from pyoxigraph import NamedNode, QuerySolutions, Triple

from bfsql_rdf import Graph
from bfsql_rdf.positions import Cutoff, position_key
from tests.regold import MANIFEST, QUERIES, answer, joined, names, open_for

NAMES = names()


def test_there_are_golden_queries() -> None:
    assert len(NAMES) >= 16
    assert set(NAMES) == set(MANIFEST)


@pytest.mark.parametrize("name", NAMES)
def test_answer_and_sparql_are_as_kept(name: str) -> None:
    result, texts = answer(open_for(name), name)
    assert result == json.loads((QUERIES / f"{name}.out.json").read_text(encoding="utf-8"))
    assert joined(texts) == (QUERIES / f"{name}.rq").read_text(encoding="utf-8")


def rows_of(graph: Graph, texts: list[str]) -> list[dict[str, Any]]:
    rows = []
    for text in texts:
        found = graph.store.query(text, use_default_graph_as_union=True)
        assert isinstance(found, QuerySolutions)
        variables = [variable.value for variable in found.variables]
        rows += [dict(zip(variables, row, strict=True)) for row in found]
    return rows


def decided(graph: Graph, rows: list[dict[str, Any]], query: dict[str, Any]) -> tuple[set[Any], set[str]]:
    """Edges and statement ids that rows of the data allow: what a client of an endpoint does with them."""
    ids = graph._index.ids
    allowed = set(query.get("truth_status", ["asserted_true"]))
    cutoff = Cutoff.of(query["as_of"]) if "as_of" in query else None
    statuses: dict[Any, set[str]] = defaultdict(set)
    positions: dict[Any, list[Any]] = defaultdict(list)
    stated: dict[Any, set[Any]] = defaultdict(set)
    plain = set()
    for row in rows:
        spo = tuple(
            ids.canonical(row[k].value) if isinstance(row[k], NamedNode) else str(row[k])
            for k in ("subject", "predicate", "object")
        )
        if row.get("statement") is None:
            plain.add(spo)
            continue
        statement = row["statement"]
        stated[spo].add(statement)
        if row.get("status") is not None:
            statuses[statement].add(row["status"].value.rpartition("#")[2])
        if row.get("position") is not None:
            positions[statement].append(position_key(row["position"]))
    edges, walked = set(), set()
    for spo, statements in stated.items():
        others = set().union(*(statuses[one] for one in statements))
        for one in statements:
            own = statuses[one] or others or {"asserted_true" if asserted(graph, one) else "hypothetical"}
            in_time = cutoff is None or any(key and cutoff.allows(*key) for key in positions[one])
            if own <= allowed and in_time:
                walked.add(ids.compress(one.value))
                edges.add(spo)
    if cutoff is None and "asserted_true" in allowed:
        edges |= plain - set(stated)
    return edges, walked


def asserted(graph: Graph, statement: Any) -> bool:
    """Whether the triple of a reifier is asserted; an rdf:Statement needs no assertion."""
    reifies = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies")
    triples = [q.object for q in graph.store.quads_for_pattern(statement, reifies, None, None)]
    return not triples or all(
        next(graph.store.quads_for_pattern(t.subject, t.predicate, t.object, None), None) is not None
        for t in triples
        if isinstance(t, Triple)
    )


@pytest.mark.parametrize("name", [name for name in NAMES if MANIFEST[name]["primitive"] == "bfs"])
def test_sparql_over_the_data_gives_the_walk(name: str) -> None:
    graph = open_for(name)
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    result, texts = answer(graph, name)
    edges, statements = decided(graph, rows_of(graph, texts), query)
    shown = graph._index.predicates.show
    compress = graph._index.ids.compress
    spelled = {(compress(s), shown(p), compress(o)) for s, p, o in edges if not o.startswith('"')}
    ours = {(e["subject"], e["predicate"], e["object"]) for e in result["edges"] if "derived_via" not in e}
    if graph.profile.view == "edges":
        assert spelled == ours
    else:
        reached = {node["id"] for node in result["nodes"] if node["entity_type"] == "Statement"}
        assert reached - {*result["seeds"]} <= statements | {s for _, _, s in spelled}
        assert statements <= reached


@pytest.mark.parametrize("name", NAMES)
def test_every_text_and_plan_runs(name: str) -> None:
    graph = open_for(name)
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    explained = graph.explain(MANIFEST[name]["primitive"], query)
    assert explained["sparql"]
    assert explained["plan"]
    rows_of(graph, explained["sparql"])
    for text in explained["plan"]:
        assert list(graph._index.store.query(text)) is not None  # type: ignore[arg-type]
