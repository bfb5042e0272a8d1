"""The Model Context Protocol: the questions of the language as tools, the prompt and the schema beside them."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from bfsql_rdf.errors import BfsqlError, QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve import budget
from bfsql_rdf.serve.tools import Tool, make_tools

PROMPT, SCHEMA = "bfsql://prompt", "bfsql://schema"
INSTRUCTIONS = (
    "A graph to be explored by seeds and hops. Begin with search_entities where you have a name, or with "
    "describe_schema where you do not know what the graph holds; then bfs_query. Stubs first, details after."
)
AT_ONCE = 4


def make_server(graph: Graph, max_tokens: int = 20_000) -> Server[Any]:
    """A server of one graph, each answer of at most `max_tokens` (estimated); serve it over stdio or HTTP.

    Raises QueryError for a budget too small to say anything.
    """
    if max_tokens < budget.FLOOR:
        raise QueryError(f"max_tokens is at least {budget.FLOOR}", code="bad_value", where="max_tokens")
    tools = {tool.name: tool for tool in make_tools(graph, max_tokens)}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def in_thread(call: Callable[[], Any]) -> Any:
        return await anyio.to_thread.run_sync(call, limiter=limiter, abandon_on_cancel=True)

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in tools.values()])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            known = ", ".join(tools)
            return _failed(QueryError(f"there is no tool {params.name!r}", code="unknown_tool", hint=f"Known: {known}"))
        try:
            text = await in_thread(partial(tool.call, params.arguments or {}))
        except BfsqlError as error:
            return _failed(error)
        except Exception as error:  # noqa: BLE001 the last resort: a model gets one line, the log the kind
            sys.stderr.write(f"bfsql-rdf: {params.name}: {type(error).__name__}: {error}\n")
            return _failed(QueryError("the server failed at this call", code="internal"))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
        told = "How to query this graph: its types, predicates, statuses, and examples that run on it."
        return types.ListPromptsResult(prompts=[types.Prompt(name="bfsql", title="BFS-QL", description=told)])

    async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        content = types.TextContent(type="text", text=await in_thread(graph.prompt))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=PROMPT, name="prompt", title="How to query this graph", mime_type="text/markdown"),
                types.Resource(uri=SCHEMA, name="schema", title="What it holds", mime_type="application/json"),
            ]
        )

    async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == PROMPT:
            text, kind = await in_thread(graph.prompt), "text/markdown"
        elif uri == SCHEMA:
            text, kind = (await in_thread(graph.describe_schema)).to_json(), "application/json"
        else:
            raise ValueError(f"there is no resource {uri}; known: {PROMPT}, {SCHEMA}")
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])

    return Server(
        "bfsql-rdf",
        version=version("bfsql-rdf"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.description, input_schema=tool.schema, annotations=hints
    )


def _failed(error: BfsqlError) -> types.CallToolResult:
    text = budget.spelled({"error": error.to_dict()})
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def run_stdio(graph: Graph, max_tokens: int) -> None:
    """Serve a graph over standard input and output until the input ends."""
    server = make_server(graph, max_tokens)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def mcp_app(
    graph: Graph, max_tokens: int = 20_000, hosts: Sequence[str] | None = None, origins: Sequence[str] = ()
) -> Starlette:
    """Streamable HTTP at `/mcp`, stateless, for an ASGI server; `hosts` are further values of Host that are taken.

    Requests with another Host or Origin than loopback's are refused, so that no page of elsewhere reaches it, but for
    pages of `origins`; the host `*` takes them all.
    """
    names = ["127.0.0.1", "localhost", "[::1]", *(hosts or ())]
    names = [form for name in dict.fromkeys(names) for form in (name, f"{name}:*")]
    own = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    everywhere = "*" in names or "*" in origins
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=not everywhere, allowed_hosts=names, allowed_origins=[*own, *origins]
    )
    server = make_server(graph, max_tokens)
    return server.streamable_http_app(stateless_http=True, json_response=True, transport_security=security)
