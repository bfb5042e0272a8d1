"""Who is let in, from where, under which name; what every answer bears; what the log keeps."""

import json
import logging
import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from bfsql_rdf import QueryError
from bfsql_rdf.serve.options import ServeOptions, read_tokens
from tests.serve.servers import QUERY, Held, Running, medical, serving, until
from tests.serve.test_http_errors import is_problem

TOKENS = ("first-token", "second-token")
READ = ("/describe_schema", "/prompt", "/metrics", "/openapi.json")
ASKED = (
    "/bfs_query",
    "/transitive_closure_query",
    "/scan_query",
    "/search_entities",
    "/describe_entities",
    "/explain",
)


@pytest.fixture(scope="module")
def locked() -> Any:
    with serving(medical(), tokens=TOKENS, cors=("https://app.example",)) as running:
        yield running


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("token", TOKENS)
def test_each_token_opens(locked: Running, token: str) -> None:
    response = locked.post("/bfs_query", headers=bearer(token))
    assert response.status_code == 200
    assert response.headers["cache-control"] == "private, max-age=60"
    assert response.headers["vary"] == "Accept-Encoding, Authorization, Origin"
    assert locked.client.get("/prompt", headers={"Authorization": f"bearer   {token}"}).status_code == 200


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer wrong", "Bearer first-toke", "Basic first-token", "first-token", "Bearer é"]
)
def test_what_is_no_token_opens_nothing(locked: Running, header: str | None) -> None:
    headers: Any = {} if header is None else {"Authorization": header.encode("latin-1")}
    for path in READ:
        response = locked.client.get(path, headers=headers)
        is_problem(response, 401, "unauthorized")
        challenge = 'Bearer realm="bfsql-rdf"'
        assert response.headers["www-authenticate"] in (challenge, challenge + ', error="invalid_token"')
        assert ("invalid_token" in response.headers["www-authenticate"]) is bool(header)
    for path in ASKED:
        is_problem(locked.post(path, headers=headers), 401, "unauthorized")
    is_problem(locked.client.get("/nix", headers=headers), 401, "unauthorized")


def test_health_is_open_and_the_description_tells(locked: Running) -> None:
    assert locked.client.get("/health").status_code == locked.client.head("/health").status_code == 200
    document = locked.client.get("/openapi.json", headers=bearer(TOKENS[0])).json()
    assert document["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
    assert document["paths"]["/health"]["get"]["security"] == []
    assert "401" in document["paths"]["/bfs_query"]["post"]["responses"]


def test_a_page_of_a_named_origin_may_ask(locked: Running) -> None:
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    preflight = locked.client.options("/bfs_query", headers=asked)
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://app.example"
    assert "POST" in preflight.headers["access-control-allow-methods"]
    for headers, status in ((bearer(TOKENS[0]), 200), ({}, 401)):
        response = locked.post("/bfs_query", headers=headers | {"Origin": "https://app.example"})
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == "https://app.example"
        assert "ETag" in response.headers["access-control-expose-headers"]


def test_a_page_of_another_origin_may_not(locked: Running, server: Running) -> None:
    response = locked.post("/bfs_query", headers=bearer(TOKENS[0]) | {"Origin": "https://other.example"})
    assert "access-control-allow-origin" not in response.headers
    preflight = {"Origin": "https://other.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in locked.client.options("/bfs_query", headers=preflight).headers
    is_problem(server.client.options("/bfs_query", headers=preflight), 405, "method_not_allowed")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8000"])
def test_names_of_this_machine(server: Running, host: str) -> None:
    assert server.client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "[::2]", "", ":1", "a b"]
)
def test_other_names_are_refused(server: Running, host: str) -> None:
    is_problem(server.client.get("/health", headers={"Host": host}), 421, "foreign_host")
    is_problem(server.post("/bfs_query", headers={"Host": host}), 421, "foreign_host")


def test_a_request_without_a_name_is_refused(server: Running) -> None:
    assert server.raw(b"GET /health HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421 ")


def test_names_that_are_allowed() -> None:
    with serving(medical(), allow_hosts=("graph.example",)) as named:
        assert named.client.get("/health", headers={"Host": "Graph.example:443"}).status_code == 200
        is_problem(named.client.get("/health", headers={"Host": "other.example"}), 421, "foreign_host")
    assert ServeOptions(allow_hosts=("*",)).hosts is None
    assert ServeOptions(host="0.0.0.0").hosts is None
    assert "[::1]" in (ServeOptions(host="::1").hosts or ())
    assert "127.0.0.2" in (ServeOptions(host="127.0.0.2").hosts or ())
    names = {"a", "0.0.0.0", "localhost", "127.0.0.1", "[::1]"}
    assert (ServeOptions(host="0.0.0.0", allow_hosts=("a",)).hosts or set()) == names


@pytest.mark.parametrize("path", ["/health", "/prompt", "/nix", "/bfs_query"])
def test_every_answer_is_guarded_against_misuse_by_browsers(server: Running, path: str) -> None:
    headers = server.client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_has_a_line_a_request_and_no_secret(form: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "bfsql_rdf.access")
    with serving(medical(), tokens=TOKENS, log=form) as logged:
        logged.post("/bfs_query?token=first-token", headers=bearer(TOKENS[0]))
        logged.client.get("/nix%0aforged?x=first-token", headers=bearer("wrong-token"))
    lines = [record.getMessage() for record in caplog.records if record.name == "bfsql_rdf.access"]
    assert len(lines) == 2
    assert not any("token" in line or "\n" in line for line in lines)
    if form == "json":
        first, second = (json.loads(line) for line in lines)
        assert (first["method"], first["path"], first["status"]) == ("POST", "/bfs_query", 200)
        assert (second["client"], second["path"], second["status"]) == ("127.0.0.1", "/nix%0aforged", 401)
        assert first["bytes"] > 0
        assert first["seconds"] > 0
    else:
        assert lines[0].startswith('127.0.0.1 "POST /bfs_query" 200 ')
        assert '"GET /nix%0aforged" 401 ' in lines[1]


def test_tokens_do_not_show_in_the_options() -> None:
    assert "first-token" not in repr(ServeOptions(tokens=TOKENS))


def test_tokens_of_a_file_and_of_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("# who\none\n\n two \none\n")
    assert read_tokens(file, {}) == ("one", "two")
    assert read_tokens(file, {"BFSQL_TOKENS": "three,one"}) == ("one", "two", "three")
    assert read_tokens(None, {"BFSQL_TOKENS": "three"}) == ("three",)
    assert read_tokens(None, {}) == ()


@pytest.mark.parametrize("text", ["", "# none\n", "with space\n", "é\n"])
def test_a_source_of_tokens_without_a_token_opens_nothing_to_everybody(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(QueryError):
        read_tokens(file, {})
    with pytest.raises(QueryError):
        read_tokens(None, {"BFSQL_TOKENS": text.strip("#\n").replace("none", "")})
    with pytest.raises(QueryError):
        read_tokens(tmp_path / "nix", {})


@pytest.mark.parametrize(
    "options",
    [
        {"max_body": 0},
        {"workers_at_once": 0},
        {"queue_seconds": -1},
        {"queue_seconds": float("nan")},
        {"idle_seconds": 0},
        {"log": "xml"},
        {"tokens": ("",)},
    ],
)
def test_options_that_are_none(options: Any) -> None:
    with pytest.raises(QueryError) as raised:
        ServeOptions(**options)
    assert raised.value.code == "bad_option"


def test_the_page_is_open_and_bears_its_own_policy(locked: Running) -> None:
    page = locked.client.get("/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    script = next(one for one in re.findall(r'src="([^"]+)"', page.text))
    assert locked.client.get("/" + script).status_code == 200
    for path in ("/assets/../prompt", "/assets"):
        connection = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert b" 200 " not in locked.raw(connection.encode()).partition(b"\r\n")[0]
    assert 'route="/assets",status="200"' in locked.client.get("/metrics", headers=bearer(TOKENS[0])).text


def test_models_are_served_beside_to_who_has_a_token(locked: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    is_problem(locked.client.post("/mcp", json=asked, headers=headers), 401, "unauthorized")
    origins: list[dict[str, str]] = [{}, {"Origin": "https://app.example"}]
    for origin in origins:
        response = locked.client.post("/mcp", json=asked, headers=headers | bearer(TOKENS[0]) | origin)
        assert response.status_code == 200, response.text
        event = next(line for line in response.text.splitlines() if line.startswith("data: {"))
        assert "bfs_query" in {tool["name"] for tool in json.loads(event.removeprefix("data: "))["result"]["tools"]}
    named = {"Host": "graph.example"}
    with serving(medical(), host="0.0.0.0") as anywhere, serving(medical(), allow_hosts=("graph.example",)) as one:
        for server in (anywhere, one):
            assert server.client.post("/mcp", json=asked, headers=headers | named).status_code == 200
    monkeypatch.setitem(sys.modules, "bfsql_rdf.serve.mcp", None)
    with serving(medical()) as without:
        is_problem(without.client.post("/mcp", json=asked, headers=headers), 404, "not_found")


def test_a_stopping_server_lets_what_runs_end() -> None:
    graph = medical()
    held = Held(graph)
    with socket.socket() as asking, serving(graph) as server:
        body = json.dumps(QUERY).encode()
        asking.connect(("127.0.0.1", server.port))
        asking.sendall(
            b"POST /bfs_query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        held.wait()
        held.go.set()
        until(lambda: server.service.gate.running == 0)
        assert asking.recv(65536).startswith(b"HTTP/1.1 200 ")
