"""The worked examples: answers and SPARQL are as kept, and the SPARQL, executed, gives the answer."""

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import NamedNode, QuerySolutions, Triple

import bfsql_rdf
from bfsql_rdf import Graph
from bfsql_rdf.positions import Cutoff, position_key
from bfsql_rdf.terms import SKOLEM
from bfsql_rdf.wikibase import RANKS
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
        spo = triple(graph, row)
        if graph._index.figures.wikibase and spo[2].startswith(SKOLEM):
            continue  # a value that is not known is no node
        if row.get("statement") is None:
            plain.add(spo)
            continue
        statement = row["statement"]
        stated[spo].add(statement)
        if row.get("status") is not None:
            status = row["status"].value
            statuses[statement].add(RANKS.get(status) or status.rpartition("#")[2])
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


def triple(graph: Graph, row: dict[str, Any]) -> tuple[str, str, str]:
    """The triple of a row in canonical IRIs; a literal keeps its spelling."""
    s, p, o = (spelled_term(graph, row[key]) for key in ("subject", "predicate", "object"))
    return s, p, o


def spelled_term(graph: Graph, term: Any) -> str:
    """A term as the answers know it: a bare triple term under the id that is minted from its terms."""
    if isinstance(term, Triple):
        return "urn:bfsql:triple:" + hashlib.sha256(str(term).encode()).hexdigest()[:16]
    ids = graph._index.ids
    return ids.recognise(term.value) or ids.canonical(term.value) if isinstance(term, NamedNode) else str(term)


def spelled_in(graph: Graph, triples: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """The links among the triples, in ids and names of the answers."""
    compress, show = graph._index.ids.compress, graph._index.predicates.show
    return {(compress(s), show(p), compress(o)) for s, p, o in triples if not o.startswith('"')}


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


@pytest.mark.parametrize("name", [name for name in NAMES if MANIFEST[name]["primitive"] == "bfs"])
def test_plain_rows_are_the_plain_edges_of_the_answer(name: str) -> None:
    graph = open_for(name)
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    result, texts = answer(graph, name)
    rows = rows_of(graph, texts)
    described = spelled_in(graph, {triple(graph, row) for row in rows if row.get("statement") is not None})
    bare = spelled_in(graph, {triple(graph, row) for row in rows if row.get("statement") is None}) - described
    reached = [node["id"] for node in result["nodes"] if node["entity_type"] == "Statement"]
    # The statements of the last layer are in no row.
    for node in graph.describe_entities(reached).nodes if reached else []:
        described.add((node["subject_id"], node["predicate"], node.get("object_id", "")))
    ours = {(e["subject"], e["predicate"], e["object"]) for e in result["edges"] if "derived_via" not in e}
    assert ours - described == (bare if "as_of" not in query else set())


@pytest.mark.parametrize("name", [name for name in NAMES if MANIFEST[name]["primitive"] == "closure"])
def test_sparql_over_the_data_gives_the_closure(name: str) -> None:
    graph = open_for(name)
    result, texts = answer(graph, name)
    rows = rows_of(graph, texts)
    if all("entity" in row for row in rows):
        found = {graph._index.ids.compress(row["entity"].value) for row in rows}
    else:
        edges = spelled_in(graph, decided(graph, rows, {})[0])
        found, layer = set(), {result["start"]}
        while layer:
            layer = {o for s, p, o in edges if s in layer and p == result["predicate"]} - found
            found |= layer
    assert found == set(result["entities"])


@pytest.mark.parametrize("name", [name for name in NAMES if MANIFEST[name]["primitive"] == "scan"])
def test_sparql_over_the_data_gives_the_scan(name: str) -> None:
    graph = open_for(name)
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    result, texts = answer(graph, name)
    rows = rows_of(graph, texts)
    entities = {graph._index.ids.compress(row["entity"].value) for row in rows if "entity" in row}
    edges, statements = decided(graph, [row for row in rows if "entity" not in row], query)
    nodes = {node["id"] for node in result["nodes"]}
    if graph.profile.view == "edges":
        assert statements == {edge["id"] for edge in result["edges"]}
        return
    if "next" in result:
        assert nodes < entities | statements
    else:
        assert nodes == entities | statements
    assert bool(edges) == bool(statements)


PREFIXES = """@prefix ex: <http://example.org/> . @prefix b: <https://w3id.org/bfsql#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
JOB = "?statement a ex:Job ; ex:employee ?subject ; ex:employer ?object . BIND(ex:worksFor AS ?predicate)"
WIKIBASE = "".join(
    f"@prefix {prefix}: <http://example.org/{path}> . "
    for prefix, path in {
        "st": "statement/",
        "ref": "reference/",
        "wdt": "prop/direct/",
        "p": "prop/",
        "ps": "prop/statement/",
        "pq": "prop/qualifier/",
        "pr": "prop/reference/",
    }.items()
)
WIKIBASE += (
    "@prefix wikibase: <http://wikiba.se/ontology#> . @prefix schema: <http://schema.org/> . "
    "@prefix prov: <http://www.w3.org/ns/prov#> . "
)
TRICKY: dict[str, tuple[str, dict[str, Any]]] = {
    "links and values": ("ex:a ex:p ex:b ~ ex:s1 ; ex:v 4 ~ ex:s2 ; ex:w 5 . ex:d ex:p ex:a .", {}),
    "two styles": (
        "ex:a ex:p ex:b ~ ex:s1 . ex:s2 rdf:subject ex:c ; rdf:predicate ex:q ; rdf:object ex:a .",
        {},
    ),
    "retracted": ('ex:a ex:p ex:b ~ ex:s1 , ex:c . ex:s1 b:truthStatus "retracted" .', {}),
    "silent beside retracted": ('ex:a ex:p ex:b ~ ex:s1 ~ ex:s2 . ex:s1 b:truthStatus "retracted" .', {}),
    "only quoted": ("<< ex:a ex:p ex:b ~ ex:s1 >> ex:note 1 . ex:a ex:q ex:c .", {}),
    "evidence": ("ex:x ex:p ex:y ~ ex:s1 . ex:s1 b:provenance [ ex:speaker ex:a ] . ex:a ex:q ex:c .", {}),
    "evidence of listed types": (
        "ex:x ex:p ex:y ~ ex:s1 . ex:s1 ex:by ex:e . ex:e a ex:Ev ; ex:says ex:a . ex:a ex:q ex:e .",
        {"inside": ["ex:Ev"]},
    ),
    "fields of statements": ("ex:x ex:p ex:y ~ ex:s1 . ex:s1 ex:by ex:a . ex:a ex:q ex:c .", {}),
    "a style of one's own": (
        "ex:j a ex:Job ; ex:employee ex:a ; ex:employer ex:b . ex:a ex:q ex:c .",
        {"style": {"job": {"pattern": JOB}}},
    ),
    "lists": ("ex:a ex:p ( ex:b ex:c ) ; ex:q ( 1 2 ) . ex:d ex:r ( ex:a ) .", {}),
    "another spelling": (
        "<https://example.org/a> ex:p ex:b . ex:a ex:q <https://example.org/c> ~ ex:s1 .",
        {"prefixes": {"ex": ["http://example.org/", "https://example.org/"]}},
    ),
    "a sub-property of rdf:reifies": (
        "ex:tells rdfs:subPropertyOf rdf:reifies . ex:s1 ex:tells <<( ex:a ex:p ex:b )>> . ex:a ex:p ex:b .",
        {"hidden": ["rdfs:subPropertyOf"]},
    ),
    "hidden": ("ex:a ex:p ex:b ; ex:hid ex:c .", {"hidden": ["ex:hid"]}),
    "types": ("ex:a a ex:T , ex:U ; ex:p ex:b . ex:b a ex:T .", {}),
    "axiom annotations": (
        "ex:a ex:p ex:b . [] a owl:Axiom ; owl:annotatedSource ex:a ; owl:annotatedProperty ex:p ; "
        "owl:annotatedTarget ex:b ; rdfs:comment 'why' . ex:c ex:p ex:a .",
        {},
    ),
    "restrictions": (
        "ex:a rdfs:subClassOf ex:c , [ a owl:Restriction ; owl:onProperty ex:p ; owl:someValuesFrom ex:b ] , "
        "[ a owl:Restriction ; owl:onProperty ex:p ; owl:allValuesFrom ex:b ] . "
        "ex:d owl:equivalentClass [ a owl:Restriction ; owl:onProperty ex:q ; owl:hasValue ex:a ] .",
        {},
    ),
    "restrictions as they are": (
        "ex:a rdfs:subClassOf [ a owl:Restriction ; owl:onProperty ex:p ; owl:someValuesFrom ex:b ] .",
        {"restrictions": False},
    ),
    "negation": ("ex:a a [ owl:complementOf ex:T ] ; ex:p ex:b .", {}),
    "assertion graphs": (
        "ex:h { ex:n <http://www.nanopub.org/nschema#hasAssertion> ex:g . } ex:g { ex:a ex:p ex:b . "
        "ex:s rdf:subject ex:a ; rdf:predicate ex:q ; rdf:object ex:c . } ex:i { ex:g ex:by ex:d . ex:d ex:q ex:a . }",
        {},
    ),
    "Wikibase": (
        WIKIBASE + "ex:a a wikibase:Item ; wdt:P2 ex:b , ex:e ; p:P2 st:1 , st:2 , st:3 ; wdt:P3 ex:c . "
        "st:1 a wikibase:Statement ; wikibase:rank wikibase:NormalRank ; ps:P2 ex:b ; pq:P3 ex:x . "
        "st:2 a wikibase:Statement ; wikibase:rank wikibase:DeprecatedRank ; ps:P2 ex:d ; "
        "prov:wasDerivedFrom ref:0a . ref:0a pr:P3 ex:a . st:3 wikibase:rank wikibase:NormalRank ; ps:P2 [] . "
        "ex:f p:P2 st:4 . st:4 wikibase:rank wikibase:PreferredRank ; ps:P2 ex:a . "
        "ex:g a wikibase:Item ; wdt:P2 ex:a .",
        {},
    ),
    "a bare triple term": ("ex:a ex:says <<( ex:x ex:q ex:y )>> ; ex:p ex:b .", {}),
}


@pytest.mark.parametrize(("text", "profile"), TRICKY.values(), ids=TRICKY.keys())
def test_sparql_over_tricky_data_gives_the_edges(tmp_path: Path, text: str, profile: dict[str, Any]) -> None:
    path = tmp_path / "g.trig"
    path.write_text(PREFIXES + text, encoding="utf-8")
    graph = bfsql_rdf.open(path, profile)
    query: dict[str, Any] = {"seeds": ["ex:a"], "max_hops": 1}
    found, _ = decided(graph, rows_of(graph, graph.explain("bfs", query)["sparql"]), query)
    near = {edge for edge in spelled_in(graph, found) if "ex:a" in (edge[0], edge[2])}
    assert near == spelled_in(graph, found)
    ours = {(e["subject"], e["predicate"], e["object"]) for e in graph.bfs_query(query).edges}
    assert near == ours


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
