"""The Model Context Protocol, spoken by the official client over standard input and output and over HTTP."""

import json
import subprocess
import sys
import threading
from typing import Any

import anyio
import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

import bfsql_rdf
from bfsql_rdf.errors import QueryError
from bfsql_rdf.serve.budget import FLOOR
from bfsql_rdf.serve.mcp import AT_ONCE, make_server
from bfsql_rdf.tokens import estimate_tokens
from tests.serve.protocol import COMMAND, run, stdio, told

TOOLS = {
    "bfs_query",
    "transitive_closure_query",
    "scan_query",
    "search_entities",
    "describe_entities",
    "describe_schema",
}


async def session(client: Client) -> None:
    """Tools, prompts and resources listed; each tool called; an error mended from its hint."""
    assert "search_entities" in (client.instructions or "")
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.output_schema is None
        hints = tool.annotations
        assert hints
        assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (True, True, False)
        assert hints.title == tool.title
        for example in tool.input_schema["examples"]:
            jsonschema.validate(example, tool.input_schema)
            answer = await client.call_tool(tool.name, example)
            assert not answer.is_error, (tool.name, example, answer.content)
    found = told(await client.call_tool("search_entities", {"query": "cushings syndrom"}))
    seed = found["candidates"][0]["id"]
    assert seed == "UMLS:C0085084"
    query = {"seeds": [seed], "max_hops": 1, "node_filter": {"entity_types": ["Drug"]}}
    answer = told(await client.call_tool("bfs_query", query))
    assert answer["node_count"] > 5
    assert {len(node) > 2 for node in answer["nodes"] if node["entity_type"] == "Drug"} == {True}
    assert {len(node) for node in answer["nodes"] if node["entity_type"] != "Drug"} == {2}
    assert told(await client.call_tool("describe_entities", {"ids": [seed]}))["nodes"][0]["id"] == seed
    closure = {"start": "GENE:USP8", "predicate": "ASSOCIATED_WITH"}
    assert told(await client.call_tool("transitive_closure_query", closure))["count"] > 1
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
    text = message.content.text  # type: ignore[union-attr]
    assert text.startswith("# Querying this graph")
    resources = {str(one.uri): one.mime_type for one in (await client.list_resources()).resources}
    assert resources == {"bfsql://prompt": "text/markdown", "bfsql://schema": "application/json"}
    [read] = (await client.read_resource("bfsql://prompt")).contents
    assert (read.text, read.mime_type) == (text, "text/markdown")  # type: ignore[union-attr]
    [read] = (await client.read_resource("bfsql://schema")).contents
    assert json.loads(read.text)["entity_types"]  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_session_over_standard_input_and_output(mode: str) -> None:
    run(stdio(), session, mode=mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_session_over_http(mcp_url: str, mode: str) -> None:
    run(mcp_url, session, mode=mode)


def test_an_answer_over_the_budget_says_so() -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool("bfs_query", {"seeds": ["UMLS:C0085084"], "max_hops": 3})
        body = told(answer)
        assert estimate_tokens(answer.content[0].text) <= 700  # type: ignore[union-attr]
        assert body["truncated"]["limit"] == "max_tokens"
        assert body["node_count"] == len(body["nodes"]) + body["truncated"].get("nodes_left_out", 0)

    run(stdio("--max-tokens", "700"), work)


def test_calls_at_a_time(mcp_url: str) -> None:
    async def work(client: Client) -> None:
        answers: list[Any] = []

        async def one(hops: int) -> None:
            answers.append(told(await client.call_tool("bfs_query", {"seeds": ["PERSON:12345"], "max_hops": hops})))

        async with anyio.create_task_group() as group:
            for hops in range(12):
                group.start_soon(one, hops % 3)
        assert sorted(answer["max_hops"] for answer in answers) == [0] * 4 + [1] * 4 + [2] * 4

    run(mcp_url, work)
    run(stdio(), work)


def test_pages_of_scans_at_a_time_go_on_in_any_thread(graph: bfsql_rdf.Graph) -> None:
    query = {"truth_status": ["asserted_true"], "limit": 2}
    whole = graph.scan_query(truth_status=["asserted_true"]).edge_count

    async def work(client: Client) -> None:
        async def one() -> None:
            after: dict[str, str] = {}
            rows = 0
            while True:
                body = told(await client.call_tool("scan_query", query | after))
                rows += body["edge_count"]
                if "next" not in body:
                    break
                after = {"after": body["next"]}
            assert rows == whole

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(one)

    run(make_server(graph), work)


@pytest.mark.parametrize(
    ("name", "arguments", "code", "where"),
    [
        ("nothing", {}, "unknown_tool", None),
        ("bfs_query", {}, "missing_key", "seeds"),
        ("bfs_query", {"seeds": "PERSON:12345", "max_hops": 1}, "bad_value", "seeds"),
        ("bfs_query", {"seeds": ["PERSON:12345"], "max_hops": "1"}, "bad_value", "max_hops"),
        ("bfs_query", {"seeds": ["PERSON:12345"], "max_hops": 1, "as_of": None}, "bad_value", "as_of"),
        ("bfs_query", {"seeds": ["PERSON:12345"], "max_hops": 1, "topology_only": True}, "unknown_key", None),
        ("bfs_query", {"seeds": ["PERSON:nobody"], "max_hops": 1}, "unknown_seeds", None),
        ("transitive_closure_query", {"start": "PERSON:12345", "predicate": "TREETS"}, "unknown_predicate", None),
        ("describe_entities", {"ids": []}, "bad_value", "ids"),
        ("describe_schema", {"max_tokens": "many"}, "bad_value", "max_tokens"),
        ("scan_query", {}, "empty_scan", None),
        ("scan_query", {"node_types": ["Drug"], "after": "mine"}, "bad_cursor", "after"),
        ("search_entities", {"query": "…"}, "bad_value", None),
    ],
)
def test_errors_can_be_mended(
    graph: bfsql_rdf.Graph, name: str, arguments: dict[str, Any], code: str, where: str | None
) -> None:
    async def work(client: Client) -> None:
        answer = await client.call_tool(name, arguments)
        assert answer.is_error
        error = told(answer)["error"]
        assert error["code"] == code
        assert where in (None, error.get("where"))
        assert error.keys() <= {"code", "message", "where", "hint", "details"}

    run(make_server(graph), work)


def test_unknown_prompts_and_resources_are_errors_of_the_protocol(graph: bfsql_rdf.Graph) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="known: bfsql"):
            await client.get_prompt("other")
        with pytest.raises(MCPError, match="known: bfsql://prompt"):
            await client.read_resource("bfsql://other")

    run(make_server(graph), work)


class Held:
    """A graph whose walks wait until they are let go."""

    def __init__(self, graph: bfsql_rdf.Graph) -> None:
        self._graph = graph
        self.go, self.lock = threading.Event(), threading.Lock()
        self.begun = self.running = self.most = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def bfs_query(self, query: Any) -> Any:
        with self.lock:
            self.begun += 1
            self.running += 1
            self.most = max(self.most, self.running)
        assert self.go.wait(20)
        with self.lock:
            self.running -= 1
        return self._graph.bfs_query(query)


QUERY = {"seeds": ["PERSON:12345"], "max_hops": 1}
PINGS = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


async def until(what: Any) -> None:
    while not what():
        await anyio.sleep(0.005)


@PINGS
def test_others_are_answered_while_a_query_runs(graph: bfsql_rdf.Graph) -> None:
    held = Held(graph)

    async def work(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "bfs_query", QUERY)
            await until(lambda: held.running)
            await client.send_ping()
            assert (await client.list_tools()).tools
            assert not (await client.call_tool("describe_entities", {"ids": ["PERSON:12345"]})).is_error
            held.go.set()

    run(make_server(held), work, mode="legacy")  # type: ignore[arg-type]


@PINGS
def test_a_cancelled_call_is_not_waited_for_and_keeps_its_place(graph: bfsql_rdf.Graph) -> None:
    held = Held(graph)

    async def work(client: Client) -> None:
        for _ in range(3 * AT_ONCE):
            with anyio.move_on_after(0.05) as scope:
                await client.call_tool("bfs_query", QUERY)
            assert scope.cancelled_caught
        assert held.begun == AT_ONCE
        await client.send_ping()
        held.go.set()
        assert told(await client.call_tool("bfs_query", QUERY))["node_count"] > 1
        # Those that were cancelled while they waited for a place never began.
        assert held.begun == AT_ONCE + 1
        assert held.most == AT_ONCE

    run(make_server(held), work, mode="legacy")  # type: ignore[arg-type]


def test_what_was_not_foreseen_is_one_line_without_internals(
    graph: bfsql_rdf.Graph, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Held):
        def bfs_query(self, query: Any) -> Any:
            raise KeyError("a secret")

        def prompt(self) -> str:
            raise KeyError("a secret")

    async def work(client: Client) -> None:
        answer = await client.call_tool("bfs_query", QUERY)
        assert answer.is_error
        assert told(answer)["error"]["code"] == "internal"
        assert "secret" not in answer.content[0].text  # type: ignore[union-attr]
        with pytest.raises(MCPError) as raised:
            await client.get_prompt("bfsql")
        assert "secret" not in str(raised.value)

    run(make_server(Broken(graph)), work)  # type: ignore[arg-type]
    assert "bfs_query: KeyError: 'a secret'" in caplog.text
    assert "Traceback" not in caplog.text


def test_nothing_but_the_protocol_goes_to_standard_output() -> None:
    process = subprocess.run([sys.executable, *COMMAND], input=b"", capture_output=True, timeout=60)
    assert (process.returncode, process.stdout, process.stderr) == (0, b"", b"")
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    lines = "not JSON\n" + json.dumps(hello) + "\n"
    process = subprocess.run([sys.executable, *COMMAND], input=lines.encode(), capture_output=True, timeout=60)
    assert process.returncode == 0
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert b"Traceback" not in process.stderr


@pytest.mark.parametrize("further", [["nowhere.ttl"], ["data/medical.ttl", "--max-tokens", "10"]])
def test_a_bad_command_line_is_one_line(further: list[str]) -> None:
    command = [sys.executable, "-m", "bfsql_rdf.cli", "mcp", *further]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_budget_that_says_nothing_is_refused(graph: bfsql_rdf.Graph) -> None:
    with pytest.raises(QueryError):
        make_server(graph, FLOOR - 1)


def test_the_rest_of_the_package_does_without_the_sdk() -> None:
    code = (
        "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = sys.modules['starlette'] = None; "
        "import bfsql_rdf, bfsql_rdf.cli, bfsql_rdf.serve.budget, bfsql_rdf.serve.tools"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
    code = (
        "import sys; sys.modules['mcp_types'] = None; sys.argv[1:] = ['mcp', 'x.ttl']; "
        "from bfsql_rdf.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'bfsql-rdf[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1
