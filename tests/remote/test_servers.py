"""Real servers on loopback answer as the embedded store does."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import Graph
from tests.regold import MANIFEST, QUERIES, ROOT, open_for
from tests.remote.test_backend import without_blanks

BIN = Path(sys.executable).parent
METHODS = {"bfs": "bfs_query", "closure": "transitive_closure_query", "scan": "scan_query"}
READY = 20  # seconds


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def served(command: list[str], url: str, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """A server that answers at its URL; it is to be ended by who asked for it."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=os.environ | (environment or {}))
    deadline = time.monotonic() + READY
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url + "?query=ASK%7B%7D", timeout=2).read()
            return process
        except urllib.error.HTTPError:
            return process
        except OSError:
            time.sleep(0.05)
    process.kill()
    raise AssertionError(f"{command[0]} did not come up")


@pytest.fixture(scope="module")
def oxigraph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that serves some files by `oxigraph serve` and gives the URL."""
    yield from serving(shutil.which("oxigraph", path=str(BIN)) or "oxigraph", tmp_path_factory)


def serving(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that serves some files by a version of Oxigraph's server."""
    running: list[subprocess.Popen[bytes]] = []

    def serve(*files: str) -> str:
        folder = tmp_path_factory.mktemp("oxigraph")
        loaded = [part for file in files for part in ("--file", str(ROOT / file))]
        subprocess.run([program, "load", "--location", str(folder), *loaded], check=True, capture_output=True)
        port = free_port()
        where = ["--location", str(folder), "--bind", f"127.0.0.1:{port}", "--union-default-graph"]
        url = f"http://127.0.0.1:{port}/query"
        running.append(served([program, "serve-read-only", *where], url))
        return url

    yield serve
    for process in running:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def graphs(oxigraph: Any) -> Any:
    """The graph of a worked example, behind a server, each set of files served once."""
    known: dict[tuple[str, ...], str] = {}

    def behind(name: str) -> Graph:
        entry = MANIFEST[name]
        files = tuple(entry["sources"])
        if files not in known:
            known[files] = oxigraph(*files)
        return bfsql_rdf.open(known[files], ROOT / entry["profile"] if "profile" in entry else None)

    return behind


@pytest.mark.parametrize("name", MANIFEST)
def test_the_worked_examples_over_oxigraph(graphs: Any, name: str) -> None:
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    query.pop("limit", None)
    method = METHODS[MANIFEST[name]["primitive"]]
    ours, theirs = (getattr(graph, method)(query).to_dict() for graph in (graphs(name), open_for(name)))
    if "nodes" in ours:
        ours, theirs = without_blanks(ours), without_blanks(theirs)
    assert ours == theirs


def test_finding_ones_way_over_oxigraph(graphs: Any) -> None:
    remote, embedded = graphs("wikidata-as-of"), open_for("wikidata-as-of")
    ids = ["Q7186", "wd:Q935", "wd:Q42000000"]
    assert remote.describe_entities(ids).to_dict() == embedded.describe_entities(ids).to_dict()
    assert remote.search_entities(query="Pierre Curie").candidates[0]["id"] == "wd:Q37463"
    assert {"human", "city"} <= {one["name"] for one in remote.describe_schema().entity_types}
    assert remote.prompt().startswith("# Querying this graph")


def test_the_command_line_takes_the_url_of_an_endpoint(oxigraph: Any) -> None:
    url = oxigraph("data/medical.ttl")
    command = [sys.executable, "-m", "bfsql_rdf.cli", "bfs", url, '{"seeds": ["PERSON:12345"], "max_hops": 1}']
    done = subprocess.run([*command, "--profile", str(ROOT / "data/medical.toml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["node_count"] == 5
    command[4] = url + "/nothing"
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "404" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def rdflib_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`rdflib-endpoint serve` on the Sherlock data, which needs no triple terms."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    files = [str(ROOT / "data" / "sherlock.ttl"), str(ROOT / "ontology" / "traits" / "sherlock.ttl")]
    program = shutil.which("rdflib-endpoint", path=str(BIN)) or "rdflib-endpoint"
    process = served([program, "serve", "--host", "127.0.0.1", "--port", str(port), *files], url)
    yield url
    process.terminate()
    process.wait(10)


SHERLOCK = [name for name, entry in MANIFEST.items() if "data/sherlock.ttl" in entry["sources"]]


@pytest.mark.parametrize("name", SHERLOCK)
def test_the_worked_examples_over_rdflib(rdflib_endpoint: str, name: str) -> None:
    remote = bfsql_rdf.open(rdflib_endpoint, ROOT / "data" / "sherlock.toml")
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    query.pop("limit", None)
    method = METHODS[MANIFEST[name]["primitive"]]
    ours, theirs = (getattr(graph, method)(query).to_dict() for graph in (remote, open_for(name)))
    if "nodes" in ours:
        ours, theirs = without_blanks(ours), without_blanks(theirs)
    assert ours == theirs


COMUNICA = Path(__file__).parent / "node_modules" / ".bin" / "comunica-sparql-file-http"
WITHOUT_WIKIDATA = [name for name, entry in MANIFEST.items() if "profile" in entry]


@pytest.fixture(scope="module")
def comunica(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that serves some files by Comunica and gives the URL."""
    if not COMUNICA.exists():
        pytest.skip("Comunica is not installed: npm install --prefix tests/remote")
    running: dict[tuple[str, ...], tuple[str, subprocess.Popen[bytes]]] = {}

    def serve(*files: str) -> str:
        if files not in running:
            port = free_port()
            url = f"http://127.0.0.1:{port}/sparql"
            sources = [f"file@{ROOT / file}" for file in files]
            running[files] = url, served([str(COMUNICA), "-p", str(port), *sources], url)
        return running[files][0]

    yield serve
    for _, process in running.values():
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("name", WITHOUT_WIKIDATA)
def test_the_worked_examples_over_comunica(comunica: Any, name: str) -> None:
    entry = MANIFEST[name]
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    query.pop("limit", None)
    method = METHODS[entry["primitive"]]
    with bfsql_rdf.open(comunica(*entry["sources"]), ROOT / entry["profile"]) as remote:
        ours, theirs = (getattr(graph, method)(query).to_dict() for graph in (remote, open_for(name)))
    if "nodes" in ours:
        ours, theirs = without_blanks(ours), without_blanks(theirs)
    assert ours == theirs


STAR = Path(__file__).parent / "star" / "bin" / "oxigraph"
QUOTED = """@prefix ex: <http://example.org/> . @prefix b: <https://w3id.org/bfsql#> .
ex:a ex:p ex:b . << ex:a ex:p ex:b >> b:truthStatus "retracted" .
ex:a ex:q ex:c . << ex:a ex:q ex:c >> ex:note "seen" ; b:provenance ex:paper ; b:position 7 .
<< ex:a ex:r ex:d >> ex:note "only quoted" . ex:d ex:s ex:a . ex:paper ex:title "A paper" .
ex:a ex:v 5 . << ex:a ex:v 5 >> ex:note "value" . ex:a a ex:T .
"""


@pytest.fixture(scope="module")
def sparql_star(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that serves some files by a server of SPARQL-star, as before RDF 1.2."""
    if not STAR.exists():
        pytest.skip("no SPARQL-star server: pip install --target tests/remote/star 'oxigraph<0.5'")
    yield from serving(str(STAR), tmp_path_factory)


def without_ids(answer: dict[str, Any]) -> Any:
    """An answer without the ids of statements: a quoted triple is a statement of its own in SPARQL-star."""
    edges = [{key: value for key, value in edge.items() if key != "id"} for edge in answer["edges"]]
    return without_blanks(answer | {"edges": edges})


def test_quoted_triples_over_sparql_star(sparql_star: Any, tmp_path: Path) -> None:
    path = tmp_path / "quoted.ttl"
    path.write_text(QUOTED, encoding="utf-8")
    profile = {"prefixes": {"ex": "http://example.org/"}, "merge_reifiers": True}
    embedded = bfsql_rdf.open(path, profile)
    with bfsql_rdf.open(sparql_star(str(path)), profile) as remote:
        assert remote.statuses.keys() == embedded.statuses.keys()
        queries: list[dict[str, Any]] = [
            {"seeds": ["ex:a"], "max_hops": 1},
            {"seeds": ["ex:a"], "max_hops": 2, "truth_status": ["asserted_true", "retracted", "hypothetical"]},
            {"seeds": ["ex:a"], "max_hops": 1, "as_of": 8},
            {"seeds": ["ex:paper"], "max_hops": 2},
        ]
        for query in queries:
            ours, theirs = (graph.bfs_query(query).to_dict() for graph in (remote, embedded))
            assert without_ids(ours) == without_ids(theirs), query
        assert "<< ?subject ?predicate ?object >>" in remote.explain("bfs", queries[0])["sparql"][0]
