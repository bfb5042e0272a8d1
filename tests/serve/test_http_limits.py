"""What a server takes at once, from one client and from all: never more, and it says so."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.serve.servers import PATIENCE, QUERY, Held, Running, head_of, medical, read_all, serving, until
from tests.serve.test_http_errors import is_problem


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def inside(server: Running) -> float:
    """How many requests are in any stage."""
    return next(iter(server.service.meters.in_flight.collect())).samples[0].value


CHUNKED = head_of("/bfs_query", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")


def test_queries_beyond_the_places_wait_and_are_answered() -> None:
    graph = medical()
    held = Held(graph)
    with serving(graph, workers_at_once=2) as server, ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(server.post, "/bfs_query", QUERY | {"max_hops": n}) for n in range(6)]
        held.wait(2)
        until(lambda: server.service.gate.waiting == 4)
        assert server.service.gate.running == 2
        text = server.client.get("/metrics").text
        assert "bfsql_queries_running 2.0" in text
        assert "bfsql_queries_waiting 4.0" in text
        assert "bfsql_http_requests_in_flight 7.0" in text
        held.go.set()
        assert [response.result().status_code for response in asked] == [200] * 6
        until(lambda: server.service.gate.running == server.service.gate.waiting == 0)


def test_who_waits_too_long_is_told_to_come_back() -> None:
    graph = medical()
    held = Held(graph)
    with serving(graph, workers_at_once=1, queue_seconds=0.05) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.post, "/bfs_query")
        held.wait()
        response = server.post("/bfs_query", QUERY | {"max_hops": 2})
        is_problem(response, 503, "busy")
        assert response.headers["retry-after"] == "1"
        assert server.client.get("/health").status_code == 200
        held.go.set()
        assert first.result().status_code == 200
        assert server.post("/bfs_query").status_code == 200


def test_a_full_line_refuses_at_once() -> None:
    graph = medical()
    held = Held(graph)
    with serving(graph, workers_at_once=1, max_waiting=1, queue_seconds=60) as server, ThreadPoolExecutor(2) as pool:
        first = pool.submit(server.post, "/bfs_query")
        held.wait()
        second = pool.submit(server.post, "/bfs_query")
        until(lambda: server.service.gate.waiting == 1)
        is_problem(server.post("/bfs_query"), 503, "busy")
        held.go.set()
        assert first.result().status_code == second.result().status_code == 200


def test_requests_in_any_stage_are_bounded_but_for_health() -> None:
    with serving(medical(), max_requests=1) as server, server.connect() as slow:
        slow.sendall(head_of("/bfs_query", 100))
        until(lambda: inside(server) == 1)
        response = server.post("/bfs_query")
        is_problem(response, 503, "busy")
        assert response.headers["retry-after"]
        assert server.client.get("/health").status_code == 200


def test_who_goes_leaves_the_line() -> None:
    graph = medical()
    held = Held(graph)
    body = json.dumps(QUERY).encode()
    with serving(graph, workers_at_once=1, queue_seconds=60) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.post, "/bfs_query")
        held.wait()
        with server.connect() as gone:
            gone.sendall(head_of("/bfs_query", len(body)) + body)
            until(lambda: server.service.gate.waiting == 1)
        until(lambda: server.service.gate.waiting == 0)
        held.go.set()
        assert first.result().status_code == 200
        assert not held.entered.acquire(blocking=False)
        until(lambda: 'status="499"' in server.client.get("/metrics").text)


def test_who_goes_while_its_query_runs_frees_the_place_when_that_ends() -> None:
    graph = medical()
    held = Held(graph)
    body = json.dumps(QUERY).encode()
    with serving(graph, workers_at_once=1) as server:
        with server.connect() as gone:
            gone.sendall(head_of("/bfs_query", len(body)) + body)
            held.wait()
        until(lambda: 'status="499"' in server.client.get("/metrics").text)
        assert server.service.gate.running == 1
        held.go.set()
        until(lambda: server.service.gate.running == 0)
        assert server.post("/bfs_query").status_code == 200


def test_who_goes_in_the_middle_of_a_body_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    with serving(medical()) as server:
        with server.connect() as gone:
            gone.sendall(head_of("/bfs_query", 100) + b"{")
            until(lambda: inside(server) == 1)
        until(lambda: inside(server) == 0)
        assert server.client.get("/health").status_code == 200
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


def test_a_query_beyond_its_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bfsql_rdf.serve.service.GRACE", 0)
    graph = medical(timeout=0.05)
    held = Held(graph)
    with serving(graph, workers_at_once=1) as server:
        response = server.post("/bfs_query")
        body = is_problem(response, 503, "timeout")
        assert "fewer hops" in body["hint"]
        assert server.service.gate.running == 1
        held.go.set()
        until(lambda: server.service.gate.running == 0)


def test_a_body_is_refused_by_what_it_says_of_its_length(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(head_of("/bfs_query", 10**8))
        answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"connection: close" in answer.lower()


def test_a_body_of_the_largest_size_is_read() -> None:
    body = json.dumps(QUERY).encode()
    with serving(medical(), max_body=len(body)) as server:
        headers = {"Content-Type": "application/json"}
        assert server.client.post("/bfs_query", content=body, headers=headers).status_code == 200
        is_problem(server.client.post("/bfs_query", content=body + b" ", headers=headers), 413, "body_too_large")


def test_an_expected_body_is_refused_before_it_is_sent(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(head_of("/bfs_query", 10**8, "Expect: 100-continue"))
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("path", ["/bfs_query", "/describe_schema", "/nix"])
def test_a_hundred_megabytes_in_chunks_are_refused_early(server: Running, path: str) -> None:
    part = chunk(b" " * 65536)
    sent, answer = 0, b""
    with server.connect() as connection:
        connection.sendall(CHUNKED.replace(b"/bfs_query", path.encode()))
        connection.setblocking(False)
        try:
            while sent < 10**8 and not answer:
                try:
                    sent += connection.send(part)
                except BlockingIOError:
                    time.sleep(0)
                try:
                    answer = connection.recv(65536)
                except BlockingIOError:
                    continue
        finally:
            connection.settimeout(PATIENCE)
    assert b"HTTP/1.1 4" in answer
    assert sent < 5 * 10**7
    assert answer.startswith(b"HTTP/1.1 413 ") or path != "/bfs_query"


def test_a_body_that_stops_coming_is_dropped() -> None:
    with serving(medical(), idle_seconds=0.1) as server:
        answer = server.raw(head_of("/bfs_query", 100) + b"{")
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "slow_body"


def test_a_body_that_drips_is_dropped_too() -> None:
    with serving(medical(), idle_seconds=5, body_seconds=0.2) as server, server.connect() as connection:
        connection.sendall(head_of("/bfs_query", 100_000))
        connection.settimeout(0.01)
        answer, until_then = b"", time.monotonic() + PATIENCE
        while not answer and time.monotonic() < until_then:
            connection.sendall(b" ")
            try:
                answer = connection.recv(65536)
            except TimeoutError:
                continue
        assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("start", [b"", b"POST /bfs_q", b"GET /health HTTP/1.1\r\nHost: local"])
def test_a_head_that_does_not_come_ends_the_connection(start: bytes) -> None:
    with serving(medical(), idle_seconds=0.1) as server:
        assert server.raw(start) == b""


def test_a_second_head_that_does_not_come_ends_the_connection() -> None:
    with serving(medical(), idle_seconds=0.1) as server, server.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"GET /hea")
        assert b"HTTP/1.1" not in read_all(connection)


def test_two_hundred_idle_connections_stop_nobody() -> None:
    with serving(medical(), idle_seconds=3) as server:
        idle = [server.connect() for _ in range(200)]
        try:
            for number in range(20):
                assert server.post("/bfs_query", QUERY | {"max_hops": number % 3}).status_code == 200
            assert [connection.recv(1) for connection in idle] == [b""] * 200
        finally:
            for connection in idle:
                connection.close()


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("/bfs_query", {"seeds": ["a:b"] * 11, "max_hops": 1}, "seeds"),
        ("/bfs_query", QUERY | {"node_filter": {"entity_types": ["T"] * 11}}, "node_filter.entity_types"),
        ("/describe_entities", {"ids": ["a:b"] * 11}, "ids"),
        ("/explain", {"primitive": "bfs", "query": {"seeds": ["a:b"] * 11, "max_hops": 1}}, "query.seeds"),
        ("/scan_query", {"node_types": ["T"] * 11}, "node_types"),
    ],
)
def test_lists_are_bounded(path: str, query: Any, where: str) -> None:
    with serving(medical(), max_items=10) as server:
        body = is_problem(server.post(path, query), 400, "too_many_items")
        assert body["where"] == where
        assert "At most 10" in body["hint"]


def test_nesting_is_bounded(server: Running) -> None:
    for depth, code in ((15, "unknown_key"), (30, "too_deep"), (900, "too_deep"), (200_000, "bad_json")):
        text = '{"a":' * depth + "1" + "}" * depth
        headers = {"Content-Type": "application/json"}
        is_problem(server.client.post("/bfs_query", content=text[:1_000_000], headers=headers), 400, code)


def test_a_refusal_reaches_who_has_sent_its_whole_body_first(server: Running) -> None:
    body = b" " * 2_000_000
    with server.connect() as connection:
        connection.sendall(head_of("/bfs_query", len(body)) + body)
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_does_not_take_its_answer_is_given_up() -> None:
    graph = medical()
    graph.prompt = lambda: "x" * 30_000_000  # type: ignore[method-assign]
    with serving(graph, idle_seconds=0.1) as server, socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.connect(("127.0.0.1", server.port))
        silent.sendall(b"GET /prompt HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: len(server.connections) == 1)
        until(lambda: not server.connections)
        assert len(server.client.get("/prompt").content) == 30_000_000


def test_pages_of_a_scan_may_be_answered_by_any_thread() -> None:
    with serving(medical(), workers_at_once=8) as server, ThreadPoolExecutor(8) as pool:

        def pages(status: str) -> list[int]:
            query: dict[str, Any] = {"truth_status": [status], "limit": 2}
            counts = []
            while True:
                body = server.post("/scan_query", query).json()
                counts.append(body["edge_count"])
                if "next" not in body:
                    return counts
                query["after"] = body["next"]

        found = list(pool.map(pages, ["asserted_true"] * 8))
        assert len(found[0]) > 5
        assert all(counts == found[0] for counts in found)
