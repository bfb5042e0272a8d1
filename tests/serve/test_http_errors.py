"""Every error is a problem of RFC 9457, and says what Python and the command line say."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import bfsql_rdf
from bfsql_rdf import Graph, QueryError, StoreError, cli
from bfsql_rdf.errors import EndpointError
from bfsql_rdf.serve.problems import Problem
from tests.serve.servers import QUERY, Running, head_of, medical, serving
from tests.test_errors import DATA, QUERIES

PATHS = {"bfs": "/bfs_query", "closure": "/transitive_closure_query", "scan": "/scan_query"}
SAID = ("code", "message", "where", "hint")


def said(body: dict[str, Any]) -> dict[str, Any]:
    """The parts of an error that every face shares; a problem calls its message `detail`."""
    return {key: body[name] for key in SAID if (name := {"message": "detail"}.get(key, key)) in body}


def is_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    body: dict[str, Any] = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"https://w3id.org/bfsql/problems/{code}"
    assert body["title"]
    assert body["detail"]
    return body


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("errors") / "data.ttl"
    path.write_text(DATA, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def small(file: Path) -> Any:
    with serving(bfsql_rdf.open(file)) as running:
        yield running


@pytest.mark.parametrize("name", QUERIES)
def test_every_face_says_the_same(
    small: Running, file: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    primitive, query, code, _ = QUERIES[name]
    if primitive not in PATHS:
        pytest.skip("no query of the language")
    text = query if isinstance(query, str) else json.dumps(query)
    response = small.client.post(PATHS[primitive], content=text, headers={"Content-Type": "application/json"})
    over_http = said(is_problem(response, 400, code))

    graph = small.service.graph
    ask = {"bfs": graph.bfs_query, "closure": graph.transitive_closure_query, "scan": graph.scan_query}[primitive]
    with pytest.raises(QueryError) as raised:
        ask(text)
    in_python = {key: value for key, value in raised.value.to_dict().items() if key in SAID}

    monkeypatch.setattr(sys, "argv", ["bfsql-rdf", "--json-errors", primitive, str(file), text])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    on_the_line = {k: v for k, v in json.loads(capsys.readouterr().err)["error"].items() if k in SAID}
    assert over_http == in_python == on_the_line


@pytest.mark.parametrize(
    ("path", "query", "code", "where"),
    [
        ("/describe_entities", {}, "missing_key", "ids"),
        ("/describe_entities", {"ids": []}, "bad_value", "ids"),
        ("/describe_entities", {"ids": "PERSON:12345"}, "bad_value", "ids"),
        ("/describe_entities", {"ids": ["Holmes"]}, "bad_id", "ids"),
        ("/explain", {"primitive": "nothing", "query": QUERY}, "bad_value", "primitive"),
        ("/explain", {"primitive": "bfs", "query": [1]}, "bad_value", "query"),
        ("/explain", {"primitive": "bfs", "query": {"seeds": ["a:b"]}}, "missing_key", "max_hops"),
        ("/search_entities", {"query": "a", "limit": 1000}, "bad_value", "limit"),
        ("/bfs_query", {"\ud800": 1}, "bad_value", "query"),
        ("/bfs_query", QUERY | {"node_filter": {"\ud800": []}}, "bad_value", "node_filter"),
        ("/bfs_query", QUERY | {"seeds": ["\ud800"]}, "bad_value", "seeds.0"),
    ],
)
def test_bad_queries(server: Running, path: str, query: Any, code: str, where: str) -> None:
    response = server.client.post(path, content=json.dumps(query), headers={"Content-Type": "application/json"})
    body = is_problem(response, 400, code)
    assert body["where"].encode("unicode_escape").decode() == where


@pytest.mark.parametrize(
    ("params", "where"),
    [
        ({"max_tokens": "many"}, "max_tokens"),
        ({"max_tokens": "1"}, "max_tokens"),
        ({"max_tokens": "-5"}, "max_tokens"),
        ({"max_tokens": ""}, "max_tokens"),
        ({"max_tokens": "9" * 5000}, "max_tokens"),
        ({"tokens": "700"}, "tokens"),
    ],
)
def test_bad_parameters(server: Running, params: dict[str, str], where: str) -> None:
    response = server.client.get("/describe_schema", params=params)
    assert response.status_code == 400
    assert response.json()["where"] == where


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\xef\xbb\xbf{}", '{"seeds": []}'.encode("utf-16"), b"[" * 9])
def test_what_is_no_json_in_utf_8(server: Running, content: bytes) -> None:
    response = server.client.post("/bfs_query", content=content, headers={"Content-Type": "application/json"})
    is_problem(response, 400, "bad_json")


def test_unknown_paths(server: Running) -> None:
    for path in ("/nix", "/bfs_query/", "/bfs_query/x", "/%00", "/..%2f"):
        is_problem(server.client.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/bfs_query", "POST"),
        ("PUT", "/explain", "POST"),
        ("POST", "/prompt", "GET, HEAD"),
        ("OPTIONS", "/bfs_query", "POST"),
        ("DELETE", "/health", "GET, HEAD"),
    ],
)
def test_other_methods(server: Running, method: str, path: str, allow: str) -> None:
    response = server.client.request(method, path)
    is_problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == allow


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
    ],
)
def test_other_media_types(server: Running, headers: dict[str, str]) -> None:
    response = server.client.post("/bfs_query", content=json.dumps(QUERY), headers=headers)
    assert is_problem(response, 415, "unsupported_media_type")["where"] == "Content-Type"


@pytest.mark.parametrize(
    "kind", ["application/json;charset=UTF-8", 'Application/JSON; charset="utf-8"', "application/ld+json"]
)
def test_media_types_that_are_read(server: Running, kind: str) -> None:
    response = server.client.post("/bfs_query", content=json.dumps(QUERY), headers={"Content-Type": kind})
    assert response.status_code == 200


def test_compressed_bodies(server: Running) -> None:
    response = server.post("/bfs_query", headers={"Content-Encoding": "gzip"})
    is_problem(response, 415, "unsupported_encoding")
    assert response.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000,
        b"POST /bfs_query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /bfs_query HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\nhello",
    ],
)
def test_what_is_no_http(server: Running, data: bytes) -> None:
    head, _, body = server.raw(data).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == "bad_request"


def test_bad_chunks_end_the_connection(server: Running) -> None:
    start = head_of("/bfs_query", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    assert b" 400 " in server.raw(start + b"zz\r\nhello\r\n").partition(b"\r\n")[0] + b" "


def failing(error: Exception) -> Graph:
    graph = medical()

    def fail(query: Any) -> Any:
        raise error

    graph.bfs_query = fail  # type: ignore[method-assign,assignment]
    return graph


def test_what_nobody_foresaw_shows_nothing_of_the_inside(caplog: pytest.LogCaptureFixture) -> None:
    with serving(failing(ZeroDivisionError("secret /path"))) as broken:
        response = broken.post("/bfs_query")
        is_problem(response, 500, "internal_error")
        assert "secret" not in response.text
        assert "Zero" not in response.text
        assert broken.client.get("/health").status_code == 200
    assert "secret /path" in caplog.text


def test_errors_of_the_store() -> None:
    damaged = StoreError("cannot read /secret/path", code="damaged_store", where="/secret", hint="Load it again")
    with serving(failing(damaged)) as broken:
        response = broken.post("/bfs_query")
        assert is_problem(response, 500, "damaged_store")["hint"] == "Load it again"
        assert "secret" not in response.text
    with serving(failing(StoreError("busy", code="store_busy", where="/secret"))) as busy:
        response = busy.post("/bfs_query")
        is_problem(response, 503, "store_busy")
        assert response.headers["retry-after"] == "10"
        assert "secret" not in response.text


def test_errors_of_an_endpoint_behind() -> None:
    for code, status in (("endpoint_error", 502), ("endpoint_timeout", 502), ("endpoint_busy", 503)):
        error = EndpointError("it failed", code=code, where="http://inside.example/", details={"words": "secret"})
        with serving(failing(error)) as behind:
            response = behind.post("/bfs_query")
            is_problem(response, status, code)
            assert "secret" not in response.text
            assert "inside" not in response.text
            assert ("retry-after" in response.headers) is (status == 503)


def test_details_of_an_error_stay() -> None:
    error = QueryError("no", code="no", details={"candidates": ["a"]})
    assert Problem.of(error).to_dict()["details"] == {"candidates": ["a"]}
