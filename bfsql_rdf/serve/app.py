"""The HTTP sidecar: a graph's questions as routes of JSON."""

import hashlib
import hmac
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bfsql_rdf.errors import BfsqlError, QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Descriptions,
    Scan,
    ScanQuery,
    Schema,
    SearchQuery,
    Subgraph,
    read_query,
)
from bfsql_rdf.serve.explorer import routes as explorer_routes
from bfsql_rdf.serve.gate import Busy, Gate
from bfsql_rdf.serve.problems import Problem, of_error, problem
from bfsql_rdf.serve.tools import DescribeQuery

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
RETRY_AFTER = {"Retry-After": "2"}


@dataclass(frozen=True)
class ServeOptions:
    """How to serve: queries at a time, seconds that others wait, bytes of a body, entries of a list, who may ask."""

    places: int = 4
    queue_seconds: float = 10
    max_body: int = 1_000_000
    max_list: int = 1_000
    tokens: frozenset[str] = frozenset()
    origins: tuple[str, ...] = ()
    hosts: frozenset[str] = field(default=LOOPBACK)


class ExplainQuery(BaseModel):
    """A query to explain: its primitive ("bfs", "closure", "scan") and itself."""

    primitive: str
    query: dict[str, Any]


def create_app(graph: Graph, options: ServeOptions | None = None) -> FastAPI:
    """The application; serve it with uvicorn."""
    own = options or ServeOptions()
    beside = _tools(graph, own)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if beside is not None:
                await stack.enter_async_context(beside.router.lifespan_context(beside))
            yield

    name, own_version = "bfsql-rdf", version("bfsql-rdf")
    app = FastAPI(title=name, version=own_version, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.router.routes.extend([*explorer_routes(), *(beside.routes if beside is not None else ())])
    app.add_middleware(GZipMiddleware, minimum_size=2_000)
    gate = app.state.gate = Gate(own.places, own.queue_seconds)
    state = graph.generation

    async def answered(request: Request, key: str, call: Callable[[], Any]) -> Response:
        """A cached or fresh answer of the graph, as JSON text built once."""
        tag = '"' + hashlib.sha256(f"{state}{key}".encode()).hexdigest()[:24] + '"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"} if state else {}
        if state and tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        result = await gate.run(call)
        if isinstance(result, str):
            return PlainTextResponse(result, headers=headers, media_type="text/markdown")
        text = result.to_json() if hasattr(result, "to_json") else None
        return Response(text, headers=headers, media_type="application/json") if text else JSONResponse(result)

    def asked(path: str, model: type[BaseModel], answer: type[BaseModel] | None, ask: Callable[[Any], Any]) -> None:
        async def route(request: Request) -> Response:
            body = await _body(request, own.max_body)
            query = read_query(model, body)
            _bounded(query.model_dump(exclude_none=True), own.max_list)
            return await answered(request, f"{path}{query.model_dump_json()}", partial(ask, query))

        schema = {"content": {"application/json": {"schema": model.model_json_schema()}}, "required": True}
        responses: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (400, 413, 415, 503)}
        if answer is not None:
            responses[200] = {"model": answer}
        app.add_api_route(
            path, route, methods=["POST"], responses=responses, openapi_extra={"requestBody": schema}, name=path[1:]
        )

    asked("/bfs_query", BfsQuery, Subgraph, graph.bfs_query)
    asked("/transitive_closure_query", ClosureQuery, Closure, graph.transitive_closure_query)
    asked("/scan_query", ScanQuery, Scan, graph.scan_query)
    asked("/search_entities", SearchQuery, Candidates, graph.search_entities)
    asked("/describe_entities", DescribeQuery, Descriptions, lambda query: graph.describe_entities(query.ids))
    asked("/explain", ExplainQuery, None, lambda query: graph.explain(query.primitive, query.query))

    @app.get("/describe_schema", responses={200: {"model": Schema}})
    async def describe_schema(request: Request) -> Response:
        text = request.query_params.get("max_tokens", "4000")
        if not text.isascii() or not text.isdigit():
            raise QueryError("max_tokens is a whole number", code="bad_value", where="max_tokens")
        return await answered(request, f"/describe_schema{text}", partial(graph.describe_schema, int(text)))

    @app.get("/prompt", response_class=PlainTextResponse)
    async def prompt(request: Request) -> Response:
        return await answered(request, "/prompt", graph.prompt)

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Live while it answers; what it serves and how much is at work."""
        return {
            "status": "ok",
            "version": version("bfsql-rdf"),
            "generation": state,
            "statements": sum(graph.statuses.values()),
            "working": gate.working,
            "waiting": gate.waiting,
        }

    _guard(app, own)
    return app


def _tools(graph: Graph, own: ServeOptions) -> Starlette | None:
    """The Model Context Protocol at /mcp, where its package is there; a graph that is no whole one has none."""
    try:
        from bfsql_rdf.serve.mcp import mcp_app
    except ImportError:
        return None
    if not isinstance(graph, Graph):
        return None
    return mcp_app(graph, hosts=sorted(own.hosts - LOOPBACK), origins=own.origins)


def _guard(app: FastAPI, own: ServeOptions) -> None:
    """Who may ask, and how every failure is told."""

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Any]) -> Response:
        host = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
        if "*" not in own.hosts and host not in own.hosts and request.headers.get("host") not in own.hosts:
            return problem(421, f"this server does not answer for the host {host!r}", "wrong_host")
        path = request.url.path
        if own.tokens and path not in ("/", "/health") and not path.startswith("/assets/"):
            given = request.headers.get("authorization", "").removeprefix("Bearer ").encode()
            matching = [hmac.compare_digest(given, token.encode()) for token in own.tokens]
            if not any(matching):
                hint = {"WWW-Authenticate": "Bearer"}
                return problem(401, "give a token: Authorization: Bearer ...", "unauthorized", headers=hint)
        try:
            response: Response = await call_next(request)
        except Exception as error:  # noqa: BLE001 the last resort: the caller gets no internals, the log the kind
            sys.stderr.write(f"bfsql-rdf: {request.url.path}: {type(error).__name__}: {error}\n")
            return problem(500, "the server failed at this request", "internal")
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        return response

    if own.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(own.origins), allow_methods=["GET", "POST"], allow_headers=["*"]
        )

    @app.exception_handler(BfsqlError)
    async def told(request: Request, error: BfsqlError) -> Response:
        return of_error(error)

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> Response:
        return problem(503, "all places are taken: try again soon", "busy", headers=RETRY_AFTER)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        return problem(error.status_code, str(error.detail), f"http_{error.status_code}", headers=headers)


async def _body(request: Request, most: int) -> bytes:
    """The body, bounded while it comes in."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise HTTPException(415, "a query is application/json")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise HTTPException(413, f"a body has at most {most:,} bytes", headers={"Connection": "close"})
        parts.append(part)
    return b"".join(parts)


def _bounded(query: dict[str, Any], most: int) -> None:
    for key, value in query.items():
        if isinstance(value, list) and len(value) > most:
            raise QueryError(f"{key} has at most {most:,} entries here", code="bad_value", where=key)
        if isinstance(value, dict):
            _bounded(value, most)
