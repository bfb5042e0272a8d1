"""Streamable HTTP: who is refused, how it is mounted, and that it needs no session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import bfsql_rdf
from bfsql_rdf.serve.app import create_app
from bfsql_rdf.serve.mcp import mcp_app
from bfsql_rdf.serve.options import ServeOptions
from tests.serve.protocol import run, serving, told
from tests.serve.test_mcp import QUERY, Held, until

BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "graph.example.org"}, 200),
        ({"Host": "graph.example.org:8443"}, 200),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "https://app.example.org"}, 200),
        ({"Origin": "https://graph.example.org"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "https://app.example.org.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_hosts_and_origins(mcp_url: str, headers: dict[str, str], status: int) -> None:
    answer = httpx2.post(mcp_url, json=BODY, headers=ACCEPT | headers)
    assert answer.status_code == status
    assert "mcp-session-id" not in answer.headers


def test_any_host_is_not_any_origin(graph: bfsql_rdf.Graph) -> None:
    with serving(mcp_app(graph, hosts=["*"])) as root:
        for headers, status in (({"Host": "any.example"}, 200), ({"Origin": "http://any.example"}, 403)):
            assert httpx2.post(f"{root}/mcp", json=BODY, headers=ACCEPT | headers).status_code == status


def test_the_sidecar_has_it_behind_its_tokens(graph: bfsql_rdf.Graph) -> None:
    app = create_app(graph, ServeOptions(tokens=("secret",)))

    async def work(client: Client) -> None:
        assert told(await client.call_tool("scan_query", {"node_types": ["Drug"]}))["node_count"] == 5

    with serving(app) as root:
        assert httpx2.post(f"{root}/mcp", json=BODY, headers=ACCEPT).status_code == 401

        async def main() -> None:
            async with (
                httpx2.AsyncClient(headers={"Authorization": "Bearer secret"}) as http,
                Client(streamable_http_client(f"{root}/mcp", http_client=http)) as client,
            ):
                await work(client)

        anyio.run(main)


def test_the_sidecar_bounds_answers_and_counts_calls(graph: bfsql_rdf.Graph) -> None:
    async def work(url: str) -> None:
        async with Client(streamable_http_client(url)) as client:
            cut = told(await client.call_tool("scan_query", {"node_types": ["Drug", "Gene", "Publication"]}))
            assert cut["truncated"]["limit"] == "max_tokens"
            assert (await client.call_tool("scan_query", {})).is_error

    with serving(create_app(graph, ServeOptions(max_tokens=600))) as root:
        anyio.run(work, f"{root}/mcp")
        text = httpx2.get(f"{root}/metrics").text
    for line in (
        'bfsql_tool_calls_total{outcome="answered",tool="scan_query"} 1.0',
        'bfsql_tool_calls_total{outcome="error",tool="scan_query"} 1.0',
        'bfsql_tool_seconds_count{tool="scan_query"} 2.0',
        'bfsql_truncations_total{limit="max_tokens",primitive="scan_query"} 1.0',
    ):
        assert line in text
    with pytest.raises(bfsql_rdf.QueryError, match="at least 600"):
        create_app(graph, ServeOptions(max_tokens=599))


def test_it_is_a_route_of_another_application(graph: bfsql_rdf.Graph) -> None:
    beside = mcp_app(graph)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with beside.router.lifespan_context(beside):
            yield

    async def home(request: Any) -> PlainTextResponse:
        return PlainTextResponse("home")

    app = Starlette(routes=[Route("/", home)], lifespan=lifespan)
    app.router.routes.extend(beside.routes)

    async def work(client: Client) -> None:
        assert told(await client.call_tool("scan_query", {"node_types": ["Drug"]}))["node_count"] == 5

    # Twice, as a server that reloads would start it.
    for _ in range(2):
        with serving(app) as root:
            assert httpx2.get(root).text == "home"
            run(f"{root}/mcp", work)


def test_a_lifespan_that_was_not_entered_is_told(graph: bfsql_rdf.Graph) -> None:
    app = Starlette(routes=mcp_app(graph).routes)

    async def work() -> None:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
            with pytest.raises(RuntimeError, match="lifespan"):
                await client.post("/mcp", json=BODY, headers=ACCEPT)

    anyio.run(work)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_goes_away_ends_the_wait(graph: bfsql_rdf.Graph, mode: str) -> None:
    held = Held(graph)

    async def work(client: Client) -> None:
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("bfs_query", QUERY)
        assert scope.cancelled_caught
        assert (await client.list_tools()).tools
        held.go.set()
        await until(lambda: not held.running)
        assert told(await client.call_tool("bfs_query", QUERY))["node_count"] > 1

    with serving(mcp_app(held)) as root:  # type: ignore[arg-type]
        run(f"{root}/mcp", work, mode=mode)
