"""Real servers on 127.0.0.1, a way to hold a query where it is, and sockets to speak to both."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

import bfsql_rdf
from bfsql_rdf import Graph, Subgraph
from bfsql_rdf.serve.app import create_app
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.run import bind, make_server
from bfsql_rdf.serve.service import Service

ROOT = Path(__file__).parents[2]
PATIENCE = 20.0
QUERY = {"seeds": ["PERSON:12345"], "max_hops": 1}


def medical(**limits: Any) -> Graph:
    profile = bfsql_rdf.Profile.of(ROOT / "data/medical.toml")
    profile = profile.model_copy(update={"limits": profile.limits.model_copy(update=limits)})
    return bfsql_rdf.open([ROOT / "data/medical.ttl", ROOT / "ontology/traits/medical.ttl"], profile)


@dataclass
class Running:
    """A server, its insides, and a client of it."""

    port: int
    service: Service
    client: httpx2.Client
    connections: Any

    def post(self, path: str, query: Any = QUERY, **more: Any) -> httpx2.Response:
        return self.client.post(path, json=query, **more)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def raw(self, data: bytes) -> bytes:
        """What comes back for these bytes until the server closes the connection."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def head_of(path: str, length: int, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {length}"]
    return "\r\n".join([*lines, *more, "", ""]).encode()


@contextmanager
def serving(graph: Graph, **options: Any) -> Iterator[Running]:
    app = create_app(graph, ServeOptions(**options))
    ready = threading.Event()
    server = make_server(app, ready.set)
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            yield Running(port, app.state.service, client, server.server_state.connections)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


class Held:
    """Holds every `bfs_query` of a graph until it is let go."""

    def __init__(self, graph: Graph) -> None:
        self.entered, self.go = threading.Semaphore(0), threading.Event()
        self._answer = graph.bfs_query
        graph.bfs_query = self  # type: ignore[method-assign,assignment]

    def __call__(self, query: Any) -> Subgraph:
        self.entered.release()
        assert self.go.wait(PATIENCE)
        return self._answer(query)

    def wait(self, count: int = 1) -> None:
        for _ in range(count):
            assert self.entered.acquire(timeout=PATIENCE)
