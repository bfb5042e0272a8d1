"""Bad input: exit status 2 and one line that says where, why and what to try; nothing injected."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import BfsqlError, EndpointError, Graph, LoadError, ProfileError, QueryError, StoreError

DATA = """
@prefix ex: <http://example.org/> . @prefix o: <http://other.example/> . @prefix b: <https://w3id.org/bfsql#> .
ex:a ex:knows ex:b ~ ex:s . ex:s b:position "2008-05-01" . ex:a ex:near ex:c . ex:c o:near ex:d . ex:a a ex:T .
ex:x ex:at ex:y . ex:x o:at ex:y . ex:x ex:id 1 ; o:id 2 .
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("errors") / "data.ttl"
    path.write_text(DATA, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def graph(file: Path) -> Graph:
    return bfsql_rdf.open(file)


def bfs(**keys: Any) -> dict[str, Any]:
    return {"seeds": ["ex:a"], "max_hops": 1} | keys


QUERIES: dict[str, tuple[str, Any, str, str]] = {
    "unknown key": ("bfs", bfs(depth=2), "unknown_key", "max_hops"),
    "flat node_types": ("bfs", bfs(node_types=["T"]), "unknown_key", "node_filter"),
    "flat predicates": ("bfs", bfs(predicates=["p"]), "unknown_key", "edge_filter"),
    "flat topology_only": ("bfs", bfs(topology_only=True), "unknown_key", "node_filter"),
    "unknown nested key": ("bfs", bfs(node_filter={"types": []}), "unknown_key", "entity_types"),
    "wrong type": ("bfs", bfs(seeds="ex:a"), "bad_value", "seeds"),
    "text hops": ("bfs", bfs(max_hops="1"), "bad_value", "max_hops"),
    "true hops": ("bfs", bfs(max_hops=True), "bad_value", "max_hops"),
    "negative hops": ("bfs", bfs(max_hops=-1), "bad_value", "greater than or equal to 0"),
    "too many hops": ("bfs", bfs(max_hops=11), "too_many_hops", "10"),
    "no hops": ("bfs", {"seeds": ["ex:a"]}, "missing_key", "max_hops"),
    "empty seeds": ("bfs", bfs(seeds=[]), "bad_value", "seeds"),
    "empty seed": ("bfs", bfs(seeds=[""]), "bad_value", "seeds"),
    "unknown seeds": ("bfs", bfs(seeds=["ex:nobody"]), "unknown_seeds", "search_entities"),
    "unknown prefix": ("bfs", bfs(seeds=["zz:a"]), "unknown_prefix", "ex:"),
    "bare name": ("bfs", bfs(seeds=["Holmes"]), "bad_id", "ex:"),
    "IRI with >": ("bfs", bfs(seeds=["http://example.org/a> ?p ?o . <x"]), "bad_iri", "'>'"),
    "IRI with a space": ("bfs", bfs(seeds=["http://example.org/a b"]), "bad_iri", "' '"),
    "IRI with a newline": ("bfs", bfs(seeds=["ex:a\nb"]), "bad_iri", "\\n"),
    "injected CURIE": ("bfs", bfs(seeds=["ex:a> } DROP ALL #"]), "bad_iri", "'>'"),
    "unknown status": ("bfs", bfs(truth_status=["true"]), "unknown_status", "asserted_true"),
    "no status": ("bfs", bfs(truth_status=[]), "bad_value", "truth_status"),
    "null": ("bfs", bfs(as_of=None), "bad_value", "as_of"),
    "null seeds": ("bfs", bfs(seeds=None), "bad_value", "seeds"),
    "null filter": ("bfs", bfs(node_filter=None), "bad_value", "node_filter"),
    "null types": ("bfs", bfs(node_filter={"entity_types": None}), "bad_value", "entity_types"),
    "null predicates": ("bfs", bfs(edge_filter={"predicates": None}), "bad_value", "predicates"),
    "no query": ("bfs", "null", "bad_query", "null"),
    "Transitive": ("bfs", bfs(expand_traits=["Transitive"]), "transitive_trait", "transitive_closure_query"),
    "unknown trait": ("bfs", bfs(expand_traits=["Reflexive"]), "unknown_trait", "Symmetric"),
    "a number for a year": ("bfs", bfs(as_of=2008), "as_of_kind", '"2008"'),
    "text for a date": ("bfs", bfs(as_of="soon"), "as_of_kind", "2008-05-01"),
    "boolean as_of": ("bfs", bfs(as_of=True), "bad_value", "as_of"),
    "endless as_of": ("bfs", '{"seeds": ["ex:a"], "max_hops": 1, "as_of": NaN}', "bad_value", "as_of"),
    "not JSON": ("bfs", "{seeds}", "bad_json", "JSON"),
    "no object": ("bfs", [1], "bad_query", "seeds"),
    "closure: unknown predicate": ("closure", {"start": "ex:a", "predicate": "knowz"}, "unknown_predicate", "knows"),
    "closure: unknown start": ("closure", {"start": "ex:zz", "predicate": "knows"}, "unknown_start", "ex:zz"),
    "closure: filters": ("closure", {"start": "ex:a", "predicate": "knows", "max_hops": 1}, "unknown_key", "start"),
    "scan: nothing": ("scan", {}, "empty_scan", "node_types"),
    "scan: null types": ("scan", {"node_types": None, "as_of": "2008"}, "bad_value", "node_types"),
    "scan: null predicates": ("scan", {"edge_predicates": None, "as_of": "1"}, "bad_value", "edge_pred"),
    "scan: null limit": ("scan", {"node_types": ["T"], "limit": None}, "bad_value", "limit"),
    "scan: no rows": ("scan", {"node_types": ["T"], "limit": 0}, "bad_value", "limit"),
    "scan: flat hops": ("scan", {"node_types": ["T"], "max_hops": 1}, "unknown_key", "node_types"),
    "scan: ambiguous predicate": ("scan", {"edge_predicates": ["id"]}, "ambiguous_name", "ex:id, o:id"),
    "closure: ambiguous": ("closure", {"start": "ex:a", "predicate": "id"}, "ambiguous_name", "ex:id, o:id"),
    "closure: unknown prefix": ("closure", {"start": "zz:a", "predicate": "knows"}, "unknown_prefix", "ex:"),
    "closure: injection": ("closure", {"start": "ex:a", "predicate": "ex:p> ?x . ?s <y"}, "bad_iri", "'>'"),
    "scan: unknown predicate": ("scan", {"edge_predicates": ["kmows"]}, "unknown_predicate", "knows"),
    "scan: unknown type": ("scan", {"node_types": ["TT"]}, "unknown_entity_type", "T"),
    "scan: bad cursor": ("scan", {"node_types": ["T"], "after": "%%%"}, "bad_cursor", "after"),
    "scan: foreign cursor": ("scan", {"node_types": ["T"], "after": "YWJjOjE"}, "bad_cursor", "after"),
}


def ask(graph: Graph, primitive: str, query: Any) -> Any:
    calls = {"bfs": graph.bfs_query, "closure": graph.transitive_closure_query, "scan": graph.scan_query}
    return calls[primitive](query)


@pytest.mark.parametrize("name", QUERIES)
def test_bad_queries_say_where_why_and_what_to_try(graph: Graph, name: str) -> None:
    primitive, query, code, word = QUERIES[name]
    with pytest.raises(QueryError) as caught:
        ask(graph, primitive, query)
    assert caught.value.code == code
    assert caught.value.where
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.to_dict()["code"] == code


def test_names_that_clash_show_the_curie_and_take_it(graph: Graph) -> None:
    edges = graph.bfs_query(seeds=["ex:x"], max_hops=1).edges
    assert sorted(edge["predicate"] for edge in edges) == ["at", "o:at"]
    assert graph.scan_query(edge_predicates=["o:at"]).edge_count == 1


def test_an_ambiguous_name_lists_the_candidates(file: Path) -> None:
    text = DATA + 'ex:at <http://www.w3.org/2000/01/rdf-schema#label> "x" . ex:a ex:id 1 . ex:a o:id 2 .'
    path = file.parent / "clash.ttl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QueryError, match="ex:id, o:id"):
        bfsql_rdf.open(path).scan_query(edge_predicates=["id"])


def test_unknown_names_of_a_presentation_filter_are_warnings(graph: Graph) -> None:
    result = graph.bfs_query(bfs(node_filter={"entity_types": ["Tt"]}, edge_filter={"predicates": ["knowss"]}))
    assert result.warnings is not None
    assert [warning["code"] for warning in result.warnings] == ["unknown_entity_type", "unknown_predicate"]
    assert "knows" in result.warnings[1]["message"]


def test_one_unknown_seed_is_said(graph: Graph) -> None:
    assert graph.bfs_query(bfs(seeds=["ex:a", "ex:nobody"])).unknown_seeds == ["ex:nobody"]


def sources(folder: Path) -> dict[str, tuple[str, type[BfsqlError], str]]:
    (folder / "empty.ttl").write_bytes(b"")
    (folder / "broken.ttl").write_text("@prefix ex: <http://e/> .\nex:a ex:b\n", encoding="utf-8")
    (folder / "prose.ttl").write_text("Dear reader, this is a letter.\n", encoding="utf-8")
    (folder / "image.ttl").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (folder / "what.xyz").write_text("hello\n", encoding="utf-8")
    (folder / "things").mkdir(exist_ok=True)
    (folder / "things" / "a.txt").write_text("x", encoding="utf-8")
    return {
        "missing": ("missing.ttl", LoadError, "unreadable"),
        "empty": ("empty.ttl", LoadError, "empty_file"),
        "broken": ("broken.ttl", LoadError, "syntax_error"),
        "prose": ("prose.ttl", LoadError, "syntax_error"),
        "image": ("image.ttl", LoadError, "not_rdf"),
        "unknown": ("what.xyz", LoadError, "unknown_format"),
        "folder": ("things", StoreError, "not_a_store"),
        "endpoint": ("http://127.0.0.1:1/sparql", EndpointError, "endpoint_unreachable"),
    }


@pytest.mark.parametrize("name", ["missing", "empty", "broken", "prose", "image", "unknown", "folder", "endpoint"])
def test_bad_sources(tmp_path: Path, name: str) -> None:
    source, error, code = sources(tmp_path)[name]
    path = source if "://" in source else str(tmp_path / source)
    with pytest.raises(error) as caught:
        bfsql_rdf.open(path)
    assert caught.value.code == code
    assert path in str(caught.value)


def test_bad_profiles(file: Path) -> None:
    for profile, word in (
        ({"veiw": "edges"}, "veiw"),
        ({"limits": {"max_nodes": 0}}, "limits.max_nodes"),
        ({"styles": ["quads"]}, "reifier"),
        ({"prefixes": {"ex": "no iri"}}, "no iri"),
        ({"position": {"path": "prov:a/(("}}, "position.path"),
        ({"status": {"predicate": "nowhere:status"}}, "nowhere"),
        ({"style": {"mine": {"pattern": "?statement ex:s ?subject"}}}, r"\?predicate"),
        ({"style": {"mine": {"pattern": "?statement ?subject ?predicate ?object"}}}, "not SPARQL"),
    ):
        with pytest.raises(ProfileError, match=word):
            bfsql_rdf.open(file, profile)


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bfsql_rdf.cli", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True)


@pytest.mark.parametrize("name", QUERIES)
def test_the_command_line_gives_one_line_and_status_2(file: Path, name: str) -> None:
    primitive, query, code, _ = QUERIES[name]
    text = query if isinstance(query, str) else json.dumps(query)
    done = run(primitive, str(file), text)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    told = run("--json-errors", primitive, str(file), "-", stdin=text)
    assert (told.returncode, told.stdout) == (2, "")
    assert json.loads(told.stderr)["error"]["code"] == code
    assert json.loads(told.stderr)["error"]["where"]


USAGE = {
    "no command that there is": ["walk"],
    "no query": ["bfs", "FILE"],
    "an unknown option": ["bfs", "FILE", "{}", "--deep"],
    "an option of the wrong type": ["bfs", "FILE", "{}", "--indent", "wide"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_a_wrong_command_line_gives_one_line_and_status_2(file: Path, arguments: list[str]) -> None:
    given = [str(file) if one == "FILE" else one for one in arguments]
    done = run(*given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    told = run("--json-errors", *given)
    assert (told.returncode, told.stdout) == (2, "")
    assert json.loads(told.stderr)["error"]["code"]


def test_bytes_on_standard_input_that_are_no_text_give_one_line_and_status_2(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-m", "bfsql_rdf.cli", "bfs", str(file), "-"],
        input=b'{"seeds": ["ex:\xff"], "max_hops": 1}',
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_the_command_line_on_a_bad_profile(file: Path) -> None:
    profile = file.parent / "bad.toml"
    for text in ('veiw = "edges"', "view = [", 'view = "trees"', 'styles = ["quads"]'):
        profile.write_text(text, encoding="utf-8")
        done = run("bfs", str(file), json.dumps(bfs()), "--profile", str(profile))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert str(profile) in done.stderr


INJECTIONS = [
    "ex:a> } ; DROP ALL #",
    "ex:a . ?s ?p ?o } #",
    "http://example.org/a> ?p ?o } UNION { ?s ?p <http://example.org/b",
    "<http://example.org/a> ; <http://example.org/p>",
    'ex:a"',
    "ex:a\\u003E",
    "ex:a}",
    "ex:a{",
    "ex:a|ex:b",
    "ex:a`",
    "ex:a^ex:b",
    "_:a> } #",
    "ex:a\t.",
    "ex:a\r\n} DELETE WHERE { ?s ?p ?o } #",
    "ex:a)/*+!?",
    "knows>|!<x",
    "knows } INSERT DATA { <http://e/a> <http://e/b> <http://e/c>",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_injected_ids_and_names_do_nothing(graph: Graph, text: str) -> None:
    before, size = graph.bfs_query(bfs()).to_json(), len(graph.store)
    asked: list[tuple[str, Any]] = [
        ("bfs", bfs(seeds=[text])),
        ("closure", {"start": text, "predicate": "knows"}),
        ("closure", {"start": "ex:a", "predicate": text}),
        ("scan", {"edge_predicates": [text]}),
        ("scan", {"node_types": [text]}),
        ("scan", {"truth_status": [text]}),
        ("bfs", bfs(as_of=text)),
    ]
    for primitive, query in asked:
        with pytest.raises(QueryError):
            ask(graph, primitive, query)
        with pytest.raises(QueryError):
            graph.explain(primitive, query)
    caught: BfsqlError | None = None
    try:
        found = graph.describe_entities([text])
    except QueryError as error:
        caught = error
    assert caught or found.nodes == []
    assert graph.bfs_query(bfs()).to_json() == before
    assert len(graph.store) == size


def test_the_command_line_on_bad_sources(tmp_path: Path) -> None:
    for source, _, code in sources(tmp_path).values():
        path = source if "://" in source else str(tmp_path / source)
        done = run("bfs", path, json.dumps(bfs()))
        assert done.returncode == (1 if "://" in source else 2), (code, done.stderr)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1, done.stderr
    assert run("bfs", str(tmp_path / "missing.ttl"), "@nowhere.json").returncode == 2
    assert run("bfs").returncode == 2
