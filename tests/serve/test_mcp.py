"""The Model Context Protocol, spoken by the official client over standard input and output and over HTTP."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

import bfsql_rdf
from bfsql_rdf.errors import QueryError
from bfsql_rdf.serve.mcp import make_server, mcp_app
from bfsql_rdf.serve.tools import make_tools
from bfsql_rdf.tokens import estimate_tokens
from tests.regold import ROOT, open_for

TOOLS = {
    "bfs_query",
    "transitive_closure_query",
    "scan_query",
    "search_entities",
    "describe_entities",
    "describe_schema",
}
COMMAND = [
    *("-m", "bfsql_rdf.cli", "mcp", str(ROOT / "data" / "medical.ttl")),
    *("--profile", str(ROOT / "data" / "medical.toml")),
]


@pytest.fixture(scope="module")
def graph() -> bfsql_rdf.Graph:
    return open_for("example-1-author-publications")


@pytest.fixture(scope="module")
def url(graph: bfsql_rdf.Graph) -> Iterator[str]:
    """The graph over streamable HTTP."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(mcp_app(graph), host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    thread.join(10)


def told(result: Any) -> Any:
    """The JSON of a tool's one text."""
    [block] = result.content
    return json.loads(block.text)


async def session(client: Client) -> None:
    """Tools, prompts and resources listed; each tool called; an error mended."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.input_schema["additionalProperties"] is False
    found = told(await client.call_tool("search_entities", {"query": "cushings syndrom"}))
    seed = found["candidates"][0]["id"]
    assert seed == "UMLS:C0085084"
    answer = await client.call_tool("bfs_query", {"seeds": [seed], "max_hops": 1})
    assert answer.structured_content is None
    assert told(answer)["node_count"] > 5
    assert told(await client.call_tool("describe_entities", {"ids": [seed]}))["nodes"][0]["id"] == seed
    assert (
        told(await client.call_tool("transitive_closure_query", {"start": seed, "predicate": "TREATS"}))["count"] == 0
    )
    assert told(await client.call_tool("scan_query", {"node_types": ["Drug"]}))["node_count"] == 5
    assert told(await client.call_tool("describe_schema", {}))["view"] == "edges"
    bad = await client.call_tool("bfs_query", {"seeds": [seed], "hops": 1})
    assert bad.is_error
    error = told(bad)["error"]
    assert (error["code"], error["where"]) == ("unknown_key", "hops")
    assert "max_hops" in error["hint"]
    assert not (await client.call_tool("bfs_query", {"seeds": [seed], "max_hops": 1})).is_error
    [prompt] = (await client.list_prompts()).prompts
    [message] = (await client.get_prompt(prompt.name)).messages
    assert message.content.text.startswith("# Querying this graph")  # type: ignore[union-attr]
    uris = {str(one.uri) for one in (await client.list_resources()).resources}
    assert uris == {"bfsql://prompt", "bfsql://schema"}
    read = await client.read_resource("bfsql://schema")
    assert json.loads(read.contents[0].text)["entity_types"]  # type: ignore[union-attr]


def run(connect: Callable[[], Any], work: Callable[[Client], Any]) -> None:
    async def main() -> None:
        async with Client(connect()) as client:
            await work(client)

    anyio.run(main)


def test_a_session_over_standard_input_and_output() -> None:
    run(lambda: StdioServerParameters(command=sys.executable, args=COMMAND), session)


def test_a_session_over_http(url: str) -> None:
    run(lambda: url, session)


def test_calls_at_a_time(graph: bfsql_rdf.Graph) -> None:
    async def work(client: Client) -> None:
        answers: list[Any] = []

        async def one(hops: int) -> None:
            answers.append(told(await client.call_tool("bfs_query", {"seeds": ["PERSON:12345"], "max_hops": hops})))

        async with anyio.create_task_group() as group:
            for hops in range(12):
                group.start_soon(one, hops % 3)
        assert sorted(answer["max_hops"] for answer in answers) == [0] * 4 + [1] * 4 + [2] * 4

    run(lambda: make_server(graph), work)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("nothing", {}, "unknown_tool"),
        ("bfs_query", {}, "missing_key"),
        ("bfs_query", {"seeds": "PERSON:12345", "max_hops": 1}, "bad_value"),
        ("bfs_query", {"seeds": ["PERSON:nobody"], "max_hops": 1}, "unknown_seeds"),
        ("describe_entities", {"ids": []}, "bad_value"),
        ("describe_schema", {"max_tokens": "many"}, "bad_value"),
        ("scan_query", {}, "empty_scan"),
        ("search_entities", {"query": "…"}, "bad_value"),
    ],
)
def test_errors_can_be_mended(graph: bfsql_rdf.Graph, name: str, arguments: dict[str, Any], code: str) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool(name, arguments)
        assert answer.is_error
        assert told(answer)["error"]["code"] == code

    run(lambda: make_server(graph), work)


def test_another_host_is_refused(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        assert httpx2.post(url, json=body, headers=accept | headers).status_code in (403, 421)


def test_nothing_but_the_protocol_goes_to_standard_output() -> None:
    process = subprocess.run([sys.executable, *COMMAND], input=b"", capture_output=True, timeout=60)
    assert process.stdout == b""
    assert process.returncode == 0
    missing = subprocess.run(
        [sys.executable, "-m", "bfsql_rdf.cli", "mcp", "nowhere.ttl"], input=b"", capture_output=True, timeout=60
    )
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert missing.stderr.count(b"\n") == 1


def test_the_descriptions_are_short_and_name_the_graph(graph: bfsql_rdf.Graph) -> None:
    tools = make_tools(graph)
    words = sum(estimate_tokens(tool.description) for tool in tools)
    assert words < 2_500
    assert "Drug" in next(tool.description for tool in tools if tool.name == "bfs_query")


def test_a_budget_that_says_nothing_is_refused(graph: bfsql_rdf.Graph) -> None:
    with pytest.raises(QueryError):
        make_server(graph, 10)


def test_the_rest_of_the_package_does_without_the_sdk() -> None:
    code = "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = None; import bfsql_rdf, bfsql_rdf.cli"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
    code = (
        "import sys; sys.modules['mcp_types'] = None; sys.argv[1:] = ['mcp', 'x.ttl']; "
        "from bfsql_rdf.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'bfsql-rdf[mcp]'" in done.stderr
