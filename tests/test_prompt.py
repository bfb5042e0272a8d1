"""`prompt`: text for this graph, with queries that find something on it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import NamedNode, Store

import bfsql_rdf
from bfsql_rdf import BfsqlError, Graph
from bfsql_rdf.engine.sample import affordable
from bfsql_rdf.tokens import estimate_tokens
from tests.test_schema import FIELD, FILES, ROOT, shipped, turtle, wide

DATED = """
ex:s{i} rdf:reifies <<( ex:a ex:knows ex:b{i} )>> ; b:position "20{i:02}-05-06"^^xsd:date .
ex:a ex:knows ex:b{i} . ex:b{i} a ex:Person .
"""


def examples(text: str) -> list[tuple[str, dict[str, Any], str]]:
    found = re.findall(r"^`(\w+)`: [^\n]+\n\n```json\n(.*?)\n```\n\nGave ([^\n]+)\.$", text, flags=re.S | re.M)
    assert len(found) == text.count("```json")
    return [(name, json.loads(query), gave) for name, query, gave in found]


def check(graph: Graph) -> list[str]:
    """The primitives of the examples, each run and held to what the prompt says of it."""
    text = graph.prompt()
    found = examples(text)
    for name, query, gave in found:
        answer = getattr(graph, name)(query).to_dict()
        assert "truncated" not in answer
        assert "warnings" not in answer
        if name == "transitive_closure_query":
            assert answer["count"] > 1
            assert gave == f"{answer['count']} ids"
            continue
        assert answer["nodes"] or answer["edges"]
        counts = {"node": answer["node_count"], "edge": answer["edge_count"]}
        for kind, n in counts.items():
            told = re.search(rf"(\d+) {kind}s?\b", gave)
            assert int(told[1]) == n if told else n == 0, (query, gave)
    return [name for name, _, _ in found]


def test_sherlock() -> None:
    graph = shipped("sherlock")
    names = check(graph)
    assert len(names) == 7
    assert set(names) == {"bfs_query", "transitive_closure_query", "scan_query"}
    text = graph.prompt()
    assert "the nodes view" in text
    assert "off-by-one" in text
    assert "2N hops away" in text
    assert "Gave 1 node, no further page" in text
    keys = {key for _, query, _ in examples(text) for key in query}
    assert {"as_of", "expand_traits", "truth_status", "node_filter", "edge_filter"} <= keys
    for word in ("search_entities", "describe_entities", "describe_schema", "unknown_seeds", "warnings", "derived_via"):
        assert word in text
    assert 1300 < estimate_tokens(text) < 2500


def test_the_off_by_one_is_said_on_an_example_that_holds() -> None:
    text = shipped("sherlock").prompt()
    said = re.search(
        r"from `(\S+)`, `max_hops` 1 gets as far as the statement `(\S+)`, and only `max_hops` 2 to `(\S+)`", text
    )
    assert said
    graph = shipped("sherlock")
    near, far = ({n["id"] for n in graph.bfs_query(seeds=[said[1]], max_hops=hops).nodes} for hops in (1, 2))
    assert said[2] in near
    assert said[3] not in near
    assert said[3] in far


def test_medical_in_both_views() -> None:
    for view in ("edges", "nodes"):
        graph = shipped("medical", view=view)
        assert len(check(graph)) >= 5
        assert f"the {view} view" in graph.prompt()
        assert "off-by-one" in graph.prompt()
    text = shipped("medical").prompt()
    assert "symmetric COLLEAGUE_OF, INTERACTS_WITH" in text
    assert 'dates from "2004-06-01" to "2015-03-02"' in text


def test_it_is_the_same_each_time_and_from_a_store(tmp_path: Path) -> None:
    files = [ROOT / "data" / "medical.ttl", ROOT / "ontology" / "traits" / "medical.ttl"]
    bfsql_rdf.load(tmp_path / "store", files, bfsql_rdf.Profile.of(ROOT / "data" / "medical.toml"))
    stored = [bfsql_rdf.open(tmp_path / "store").prompt() for _ in range(2)]
    assert stored[0] == stored[1]
    code = f"import bfsql_rdf; print(bfsql_rdf.open({str(tmp_path / 'store')!r}).prompt())"
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
        assert done.stdout == stored[0] + "\n"
    assert shipped("medical").prompt() == shipped("medical").prompt()


def test_a_wide_graph_has_a_short_prompt(tmp_path: Path) -> None:
    graph = wide(tmp_path)
    check(graph)
    text = graph.prompt()
    assert "more." in text
    assert "call `describe_schema`" in text
    assert estimate_tokens(text) < 2500


def test_dates_make_a_cut_off(tmp_path: Path) -> None:
    graph = turtle(tmp_path, "".join(DATED.format(i=i) for i in range(10, 16)))
    check(graph)
    cut = [query["as_of"] for _, query, _ in examples(graph.prompt()) if "as_of" in query]
    assert cut == ["2012-05-06"]


def test_instants_of_one_day_make_a_cut_off(tmp_path: Path) -> None:
    lines = [f"ex:a ex:knows ex:b{i} {{| b:position '2012-05-06T10:00:0{i}.25Z'^^xsd:dateTime |}} ." for i in range(4)]
    graph = turtle(tmp_path, "\n".join(lines))
    check(graph)
    assert '"as_of": "2012-05-06T10:00:01.25Z"' in graph.prompt()


def test_a_closure_is_of_a_predicate_that_ends(tmp_path: Path) -> None:
    ring = "".join(f"ex:n{i} ex:knows ex:n{(i + 1) % 9} . " for i in range(9))
    chain = "".join(f"ex:p{i} ex:partOf ex:p{i + 1} . " for i in range(4))
    graph = turtle(tmp_path, ring + chain)
    assert "transitive_closure_query" in check(graph)
    assert '{"start": "ex:p0", "predicate": "partOf"}' in graph.prompt()


@pytest.mark.parametrize("view", ["edges", "nodes"])
@pytest.mark.parametrize(
    "text",
    [
        "ex:a a ex:A .",
        'ex:a ex:p "x" .',
        "ex:a ex:p ex:b .",
        "ex:a ex:p ex:a .",
        "ex:a ex:p [ ex:q [] ] .",
        "ex:a ex:p <<( ex:s ex:p ex:o )>> .",
        'ex:s rdf:reifies <<( ex:a ex:p ex:b )>> ; b:truthStatus "odd\\n``` status" .',
        'ex:s rdf:reifies <<( ex:a ex:p "v" )>> .',
        "ex:p owl:inverseOf ex:q . ex:r a owl:SymmetricProperty .",
        "ex:a ex:p (ex:b ex:c) ; ex:q (1 2) .",
        'ex:a a ex:`A` ; rdfs:label "a\\n# head ```json" .'.replace("`", ""),
    ],
)
def test_small_graphs(tmp_path: Path, text: str, view: str) -> None:
    graph = turtle(tmp_path, text, {"view": view})
    check(graph)
    assert f"the {view} view" in graph.prompt()
    assert "describe_schema" in graph.prompt()


def test_an_empty_graph_has_no_examples() -> None:
    text = bfsql_rdf.open(Store()).prompt()
    assert "nothing to show" in text
    assert "No node has a type" in text


def test_small_limits_are_kept(tmp_path: Path) -> None:
    profile = {"limits": {"max_nodes": 3, "max_edges": 3, "max_hops": 1, "scan": 2}}
    lines = [f"ex:n{i} a ex:N ; ex:p ex:n{j} ." for i in range(8) for j in range(8) if i != j]
    graph = turtle(tmp_path, "\n".join([*lines, "ex:x a ex:X ; ex:p ex:y ."]), profile)
    check(graph)
    assert "`max_hops` is at most 1." in graph.prompt()


def test_a_hub_is_no_example(tmp_path: Path) -> None:
    lines = [f"ex:hub ex:p ex:n{i} . ex:n{i} a ex:N . ex:n{i} ex:q ex:m{i % 7} ." for i in range(3000)]
    graph = turtle(tmp_path, "\n".join(lines))
    check(graph)
    assert '"seeds": ["ex:hub"]' not in graph.prompt()


@pytest.mark.parametrize("view", ["edges", "nodes"])
def test_a_walk_over_a_hub_is_not_tried(tmp_path: Path, view: str) -> None:
    lines = [f"ex:hub ex:p ex:n{i} ." for i in range(400)]
    lines += ["ex:s rdf:reifies <<( ex:a ex:q ex:b )>> . ex:a ex:q ex:b . ex:b ex:r ex:hub ."]
    index = turtle(tmp_path, "\n".join(lines), {"view": view})._index
    allowed = index.allowed(frozenset({"asserted_true"}))
    reached = {hops: affordable(index, allowed, NamedNode("http://example.org/a"), hops, 100) for hops in range(1, 5)}
    assert reached == {hops: hops <= (3 if view == "nodes" else 2) for hops in range(1, 5)}


@pytest.mark.skipif(not FIELD.is_dir(), reason="the collection of field files is not beside the checkout")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_field_files(path: Path) -> None:
    profile = FIELD / "medlit" / "profile.toml" if path.parent.name == "medlit" else None
    for view in ("edges", "nodes"):
        body = bfsql_rdf.Profile.of(profile).model_copy(update={"view": view})
        try:
            graph = bfsql_rdf.open(path, body)
        except BfsqlError:
            pytest.skip("not a file that is read")
        assert check(graph)
        assert estimate_tokens(graph.prompt()) < 2500
