"""A small server for the explorer's tests: `routes()` beside the JSON routes, over one Graph."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bfsql_rdf import Graph, QueryError
from bfsql_rdf.serve.explorer import routes

CALLS: dict[str, Callable[[Graph, Any], Any]] = {
    "bfs_query": lambda graph, body: graph.bfs_query(body).to_dict(),
    "transitive_closure_query": lambda graph, body: graph.transitive_closure_query(body).to_dict(),
    "scan_query": lambda graph, body: graph.scan_query(body).to_dict(),
    "search_entities": lambda graph, body: graph.search_entities(body).to_dict(),
    "describe_entities": lambda graph, body: graph.describe_entities(body["ids"]).to_dict(),
    "explain": lambda graph, body: graph.explain(body["primitive"], body["query"]),
}


class Sidecar:
    """What a test may turn: a token that is asked for, and a gate that holds queries back."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.url = ""
        self.token: str | None = None
        # One thread answers: the iterator of a scan belongs to the thread that began it.
        self.pool = ThreadPoolExecutor(1)
        self.gate = threading.Event()
        self.gate.set()
        self.calls: list[str] = []

    def app(self) -> Starlette:
        """The application."""
        json_routes: list[BaseRoute] = [Route(f"/{name}", self._post(name), methods=["POST"]) for name in CALLS]
        schema = Route("/describe_schema", self._schema, methods=["GET"])
        return Starlette(routes=[*routes(), *json_routes, schema])

    def _post(self, name: str) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            body = json.loads(await request.body())
            if name == "bfs_query":
                await run_in_threadpool(self.gate.wait, 20)
            return await asyncio.get_running_loop().run_in_executor(self.pool, self._answer, request, name, body)

        return answer

    def _answer(self, request: Request, name: str, body: Any) -> Response:
        self.calls.append(name)
        if (refused := self._refused(request)) is not None:
            return refused
        try:
            return _json(CALLS[name](self.graph, body))
        except QueryError as error:
            problem = {
                "title": "The query cannot be answered",
                "status": 400,
                "detail": error.message,
            } | error.to_dict()
            return _json(problem, 400, "application/problem+json")

    def _schema(self, request: Request) -> Response:
        refused = self._refused(request)
        return refused if refused is not None else _json(self.graph.describe_schema().to_dict())

    def _refused(self, request: Request) -> Response | None:
        if self.token is None or request.headers.get("authorization") == f"Bearer {self.token}":
            return None
        problem = {
            "title": "A token is needed",
            "status": 401,
            "code": "unauthorized",
            "detail": "a bearer token is needed",
        }
        return _json(problem, 401, "application/problem+json")


def _json(body: Any, status: int = 200, kind: str = "application/json") -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, media_type=kind)


@contextmanager
def serving(graph: Graph) -> Iterator[Sidecar]:
    """The server in a thread, on a free port of 127.0.0.1."""
    sidecar = Sidecar(graph)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(sidecar.app(), log_level="warning", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.started, "the server did not start"
        sidecar.url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        yield sidecar
        sidecar.gate.set()
        server.should_exit = True
        thread.join(10)
        sidecar.pool.shutdown()
