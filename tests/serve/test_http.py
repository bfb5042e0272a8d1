"""The HTTP sidecar, asked by real clients over loopback."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client import Client

import bfsql_rdf
from bfsql_rdf.errors import EndpointError, StoreError
from bfsql_rdf.serve.app import ServeOptions, create_app
from tests.regold import ROOT, open_for

Serve = Callable[..., str]
MEDICAL = [str(ROOT / "data" / "medical.ttl"), "--profile", str(ROOT / "data" / "medical.toml")]


@pytest.fixture(scope="module")
def graph() -> bfsql_rdf.Graph:
    return open_for("example-1-author-publications")


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """A function that serves a graph on a free port of loopback and gives the URL."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(graph: Any, **options: Any) -> str:
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(graph, ServeOptions(**options)), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [one]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://127.0.0.1:{one.getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def url(serve: Serve, graph: bfsql_rdf.Graph) -> str:
    return serve(graph)


QUERIES: dict[str, dict[str, Any]] = {
    "bfs_query": {"seeds": ["PERSON:12345"], "max_hops": 1},
    "transitive_closure_query": {"start": "UMLS:C0085084", "predicate": "TREATS"},
    "scan_query": {"node_types": ["Drug"]},
    "search_entities": {"query": "cushing"},
}


@pytest.mark.parametrize("name", QUERIES)
def test_each_question_is_a_route(url: str, graph: bfsql_rdf.Graph, name: str) -> None:
    answer = httpx2.post(f"{url}/{name}", json=QUERIES[name])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == getattr(graph, name)(QUERIES[name]).to_dict()


def test_the_other_routes(url: str, graph: bfsql_rdf.Graph) -> None:
    ids = {"ids": ["PERSON:12345", "PERSON:nobody"]}
    assert httpx2.post(f"{url}/describe_entities", json=ids).json()["not_found"] == ["PERSON:nobody"]
    explained = httpx2.post(f"{url}/explain", json={"primitive": "bfs", "query": QUERIES["bfs_query"]}).json()
    assert explained == graph.explain("bfs", QUERIES["bfs_query"])
    assert httpx2.get(f"{url}/describe_schema?max_tokens=900").json() == graph.describe_schema(900).to_dict()
    prompt = httpx2.get(f"{url}/prompt")
    assert prompt.text == graph.prompt()
    assert prompt.headers["content-type"].startswith("text/markdown")
    health = httpx2.get(f"{url}/health").json()
    assert (health["status"], health["working"], health["generation"]) == ("ok", 0, graph.generation)


def test_the_openapi_describes_the_queries(url: str) -> None:
    paths = httpx2.get(f"{url}/openapi.json").json()["paths"]
    body = paths["/bfs_query"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["required"] == ["seeds", "max_hops"]
    assert {"200", "400", "413", "415", "503"} <= set(paths["/bfs_query"]["post"]["responses"])


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("POST", "/bfs_query", b"{", 400, "bad_json"),
        ("POST", "/bfs_query", b"[]", 400, "bad_query"),
        ("POST", "/bfs_query", b'{"seeds": ["PERSON:12345"]}', 400, "missing_key"),
        ("POST", "/bfs_query", b'{"seeds": ["PERSON:nobody"], "max_hops": 1}', 400, "unknown_seeds"),
        ("POST", "/bfs_query", b'{"seeds": ["x"], "max_hops": 1, "topology_only": true}', 400, "unknown_key"),
        ("POST", "/describe_entities", b'{"ids": []}', 400, "bad_value"),
        ("POST", "/explain", b'{"primitive": "all", "query": {}}', 400, "bad_value"),
        ("GET", "/describe_schema?max_tokens=few", b"", 400, "bad_value"),
        ("GET", "/describe_schema?max_tokens=1", b"", 400, "bad_value"),
        ("GET", "/nowhere", b"", 404, "http_404"),
        ("GET", "/bfs_query", b"", 405, "http_405"),
        ("POST", "/bfs_query", b" " * 1_000_001, 413, "http_413"),
    ],
)
def test_errors_are_problems(url: str, method: str, path: str, content: bytes, status: int, code: str) -> None:
    answer = httpx2.request(method, url + path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["title"]
    assert body["detail"]


def test_an_error_is_the_same_in_python_on_the_command_line_and_over_http(url: str, graph: bfsql_rdf.Graph) -> None:
    query = {"seeds": ["PERSON:12345"], "max_hops": 1, "truth_status": ["sure"]}
    with pytest.raises(bfsql_rdf.QueryError) as caught:
        graph.bfs_query(query)
    told = caught.value.to_dict()
    over_http = httpx2.post(f"{url}/bfs_query", json=query).json()
    command = [
        sys.executable,
        "-m",
        "bfsql_rdf.cli",
        "--json-errors",
        "bfs",
        MEDICAL[0],
        json.dumps(query),
        *MEDICAL[1:],
    ]
    printed = json.loads(subprocess.run(command, capture_output=True, text=True).stderr)["error"]
    assert printed == told
    assert (over_http["code"], over_http["detail"], over_http["where"], over_http["hint"]) == (
        told["code"],
        told["message"],
        told["where"],
        told["hint"],
    )


def test_what_is_not_json_is_refused(url: str) -> None:
    answer = httpx2.post(f"{url}/bfs_query", content=b"<x/>", headers={"Content-Type": "application/xml"})
    assert (answer.status_code, answer.json()["code"]) == (415, "http_415")


def test_a_chunked_body_is_cut_off_early(url: str) -> None:
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(2_000):
            sent += 65_536
            yield b" " * 65_536

    try:
        answer = httpx2.post(f"{url}/bfs_query", content=body(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
    except httpx2.TransportError:
        pass  # the server hung up while more was being sent
    assert sent < 100_000_000


def test_an_answer_that_is_known_is_not_sent_again(url: str) -> None:
    first = httpx2.post(f"{url}/bfs_query", json=QUERIES["bfs_query"])
    again = httpx2.post(f"{url}/bfs_query", json=QUERIES["bfs_query"], headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = QUERIES["bfs_query"] | {"max_hops": 2}
    assert httpx2.post(f"{url}/bfs_query", json=other).headers["etag"] != first.headers["etag"]


def test_long_lists_and_wrong_hosts_and_tokens_are_refused(serve: Serve, graph: bfsql_rdf.Graph) -> None:
    base = serve(graph, tokens=frozenset({"secret", "other"}), max_list=3, origins=("https://app.example",))
    query = QUERIES["bfs_query"]
    assert httpx2.post(f"{base}/bfs_query", json=query).status_code == 401
    wrong = httpx2.post(f"{base}/bfs_query", json=query, headers={"Authorization": "Bearer secre"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, "Bearer")
    good = {"Authorization": "Bearer secret"}
    assert httpx2.post(f"{base}/bfs_query", json=query, headers=good).status_code == 200
    assert httpx2.get(f"{base}/health").status_code == 200
    many = query | {"seeds": ["PERSON:12345"] * 4}
    assert httpx2.post(f"{base}/bfs_query", json=many, headers=good).json()["where"] == "seeds"
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example"):
        assert httpx2.get(f"{base}/health", headers={"Host": host}).status_code == 421
    cross = httpx2.get(f"{base}/health", headers={"Origin": "https://app.example"})
    assert cross.headers["access-control-allow-origin"] == "https://app.example"


class Slow:
    """A graph whose answers come when they are let out, and whose failures are what they are told to be."""

    generation, statuses = "", dict[str, int]()

    def __init__(self) -> None:
        self.out, self.entered, self.failure = threading.Event(), threading.Semaphore(0), Exception

    def bfs_query(self, query: Any) -> Any:
        self.entered.release()
        self.out.wait(20)
        return {"done": True}

    def scan_query(self, query: Any) -> Any:
        raise self.failure("inside words", code="told")  # type: ignore[call-arg]

    def __getattr__(self, name: str) -> Any:
        return None


def test_only_so_many_are_at_work_and_the_rest_is_told(serve: Serve) -> None:
    slow = Slow()
    base = serve(slow, places=2, queue_seconds=0.3)
    answers: list[int] = []

    def ask() -> None:
        answers.append(httpx2.post(f"{base}/bfs_query", json=QUERIES["bfs_query"], timeout=30).status_code)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert slow.entered.acquire(timeout=10)
    busy = httpx2.post(f"{base}/bfs_query", json=QUERIES["bfs_query"])
    assert (busy.status_code, busy.json()["code"]) == (503, "busy")
    assert int(busy.headers["retry-after"]) > 0
    assert httpx2.get(f"{base}/health").json()["working"] == 2
    slow.out.set()
    for thread in threads:
        thread.join(20)
    assert answers == [200, 200]
    assert httpx2.post(f"{base}/bfs_query", json=QUERIES["bfs_query"]).status_code == 200


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [(EndpointError, 502, True), (StoreError, 500, True), (RuntimeError, 500, False)],
)
def test_failures_behind_have_a_status_of_their_own(serve: Serve, failure: Any, status: int, words: bool) -> None:
    slow = Slow()
    slow.failure = failure
    answer = httpx2.post(f"{serve(slow)}/scan_query", json={"node_types": ["T"]})
    assert answer.status_code == status
    assert ("inside words" in answer.text) is words


def started(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bfsql_rdf.cli", "serve", *MEDICAL, "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    while line.startswith("bfsql-rdf: warning"):
        line = process.stderr.readline()
    assert line.startswith("Serving on http://"), line
    return process, line.split()[-1]


@contextmanager
def ending(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends a server whatever becomes of the test."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()


def test_the_command_serves_and_stops(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("secret\n", encoding="utf-8")
    process, base = started("--token-file", str(tokens))
    with process, ending(process):
        headers = {"Authorization": "Bearer secret"}
        assert httpx2.post(f"{base}/bfs_query", json=QUERIES["bfs_query"], headers=headers).status_code == 200
        assert httpx2.post(f"{base}/bfs_query", json=QUERIES["bfs_query"]).status_code == 401
        page = httpx2.get(f"{base}/")
        assert (page.status_code, "<title>" in page.text) == (200, True)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(20) in (0, -signal.SIGTERM)


def test_idle_connections_do_not_stop_service(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(200)]
    try:
        assert httpx2.get(f"{url}/health").status_code == 200
    finally:
        for one in idle:
            one.close()


def test_an_address_that_is_taken_is_told(url: str) -> None:
    port = url.rpartition(":")[2]
    command = [sys.executable, "-m", "bfsql_rdf.cli", "serve", *MEDICAL, "--port", port]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_tools_of_a_model_are_served_beside(url: str) -> None:
    async def main() -> None:
        async with Client(f"{url}/mcp") as client:
            assert "bfs_query" in {tool.name for tool in (await client.list_tools()).tools}
            answer = await client.call_tool("bfs_query", QUERIES["bfs_query"])
            assert json.loads(answer.content[0].text)["node_count"] == 5  # type: ignore[union-attr]

    anyio.run(main)
