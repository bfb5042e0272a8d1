"""The routes of the language."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel

from bfsql_rdf import __version__
from bfsql_rdf.errors import QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Descriptions,
    Result,
    Scan,
    ScanQuery,
    SearchQuery,
    Subgraph,
)
from bfsql_rdf.serve.answers import answer
from bfsql_rdf.serve.bodies import ExplainQuery, read_body
from bfsql_rdf.serve.service import Service
from bfsql_rdf.serve.tools import DescribeQuery
from bfsql_rdf.store.figures import INDEX_VERSION


@dataclass(frozen=True)
class Question:
    """A route that is asked by POST: what it takes, what it gives, what it is for."""

    path: str
    query: type[BaseModel]
    result: type[Result] | None
    summary: str
    ask: Callable[[Graph, Any], Result | str]


def _explain(graph: Graph, query: ExplainQuery) -> str:
    return json.dumps(graph.explain(query.primitive, query.query), ensure_ascii=False, separators=(",", ":"))


QUESTIONS = (
    Question("/bfs_query", BfsQuery, Subgraph, "The subgraph around some seeds", lambda g, q: g.bfs_query(q)),
    Question(
        "/transitive_closure_query",
        ClosureQuery,
        Closure,
        "Everything reachable along one predicate",
        lambda g, q: g.transitive_closure_query(q),
    ),
    Question("/scan_query", ScanQuery, Scan, "Everything that matches, page by page", lambda g, q: g.scan_query(q)),
    Question("/search_entities", SearchQuery, Candidates, "Entities by name", lambda g, q: g.search_entities(q)),
    Question(
        "/describe_entities",
        DescribeQuery,
        Descriptions,
        "Full nodes, text uncut",
        lambda g, q: g.describe_entities(q.ids),
    ),
    Question("/explain", ExplainQuery, None, "The SPARQL that a query is", _explain),
)


Endpoint = Callable[[Request], Awaitable[Response]]


def _posted(service: Service, question: Question) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        query = await read_body(request, question.query, service.options)
        key = query.model_dump(mode="json", exclude_none=True)
        return await answer(service, request, key, lambda: question.ask(service.graph, query))

    return endpoint


def _got(service: Service, handler: Callable[[Service, Request], Awaitable[Response]]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(service, request)

    return endpoint


async def _schema(service: Service, request: Request) -> Response:
    for name in request.query_params:
        if name != "max_tokens":
            raise QueryError(f"unknown key {name!r}", code="unknown_key", where=name, hint="Known keys: max_tokens")
    text = request.query_params.get("max_tokens", "4000")
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise QueryError(
            f"max_tokens is a whole number, not {text[:60]!r}",
            code="bad_value",
            where="max_tokens",
            hint="Leave it out for 4000",
        )
    return await answer(service, request, int(text), lambda: service.graph.describe_schema(int(text)))


async def _prompt(service: Service, request: Request) -> Response:
    return await answer(service, request, None, service.graph.prompt, "text/markdown; charset=utf-8")


async def _document(service: Service, request: Request) -> Response:
    def text() -> str:
        return json.dumps(request.app.openapi(), ensure_ascii=False, separators=(",", ":"))

    return await answer(service, request, None, text)


async def _metrics(service: Service, request: Request) -> Response:
    return service.meters.response(request.headers.get("accept", ""))


async def _health(service: Service, request: Request) -> Response:
    graph = service.graph
    body = {
        "live": True,
        "ready": True,
        "version": __version__,
        "generation": graph.generation,
        "index_version": INDEX_VERSION,
        "counts": {
            "entities": sum(graph.entity_types.values()),
            "statements": sum(graph.statuses.values()),
            "predicates": len(graph.predicates),
        },
    }
    return Response(json.dumps(body), media_type="application/json")


READS: dict[str, tuple[Callable[[Service, Request], Awaitable[Response]], str]] = {
    "/describe_schema": (_schema, "What the graph holds"),
    "/prompt": (_prompt, "Markdown that teaches a language model to query this graph"),
    "/health": (_health, "Whether the server is ready, and what it serves"),
    "/metrics": (_metrics, "Counters in the Prometheus text format"),
    "/openapi.json": (_document, "This description"),
}
"""The routes that are asked by GET or HEAD, and what each is for."""


def add_routes(app: FastAPI, service: Service) -> None:
    """Add the routes of the language and of the server itself; `openapi.describe` describes them."""
    for question in QUESTIONS:
        app.add_api_route(question.path, _posted(service, question), methods=["POST"], include_in_schema=False)
    for path, (handler, _) in READS.items():
        app.add_api_route(path, _got(service, handler), methods=["GET", "HEAD"], include_in_schema=False)
