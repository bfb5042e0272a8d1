"""The Model Context Protocol: the questions of the language as tools, the prompt and the schema beside them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from threading import Lock
from time import perf_counter
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bfsql_rdf.errors import BfsqlError, QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve import budget
from bfsql_rdf.serve.tools import Tool, make_calls, make_tools

PROMPT, SCHEMA = "bfsql://prompt", "bfsql://schema"
PROMPT_NAME = "bfsql"
INSTRUCTIONS = (
    "One graph of things and the statements about them, read-only. Begin with search_entities when you have a name, or "
    "with describe_schema when you do not know what the graph holds. Then bfs_query from the ids you found: stubs "
    "first, details of what matters after. An error says which key to change."
)
AT_ONCE = 4
"""Calls that are worked on at a time; others wait."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class ToolCall:
    """What one call of a tool came to: seconds with the time in line, bytes of the answer, the limit that cut it."""

    tool: str
    answered: bool
    seconds: float
    size: int
    limit: str | None


Observe = Callable[[ToolCall], None]
_log = logging.getLogger(__name__)
T = TypeVar("T")


def make_server(graph: Graph, max_tokens: int = 20_000, observe: Observe | None = None) -> Server[Any]:
    """A server of one graph, each answer of at most `max_tokens` (estimated); serve it over stdio or HTTP.

    `observe` is told of each call of a tool. Raises QueryError for a budget too small to say anything.
    """
    if max_tokens < budget.FLOOR:
        raise QueryError(f"max_tokens is at least {budget.FLOOR}", code="bad_value", where="max_tokens")
    face = _Face(graph, max_tokens, observe or (lambda call: None))
    return Server(
        "bfsql-rdf",
        version=version("bfsql-rdf"),
        title="BFS-QL over RDF",
        instructions=INSTRUCTIONS,
        # Without it the transport would list the tools at each call, to look for headers that no schema here asks for.
        get_tool_input_schema=lambda name: None,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_prompts=face.list_prompts,
        on_get_prompt=face.get_prompt,
        on_list_resources=face.list_resources,
        on_read_resource=face.read_resource,
    )


class _Face:
    """What the protocol asks of one graph, answered in threads so that the event loop stays free."""

    def __init__(self, graph: Graph, max_tokens: int, observe: Observe) -> None:
        self._graph, self._observe = graph, observe
        self._calls = make_calls(graph, max_tokens)
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="bfsql-mcp")
        self._lock = Lock()
        self._known: list[Tool] | None = None

    async def _asked(self, what: str, call: Callable[[], T]) -> T:
        """What a call gives, or its BfsqlError; one that was not foreseen is logged and told without internals.

        Whoever is cancelled stops waiting, and a call that had not begun never does. A thread keeps its place until
        its call ends, so that cancelled calls do not add up.
        """
        return await asyncio.wrap_future(self._workers.submit(_safely, what, call))

    def _tools(self) -> list[Tool]:
        with self._lock:
            if self._known is None:
                try:
                    self._known = make_tools(self._graph)
                except BfsqlError as error:
                    _log.warning("tools/list: %s", _line(error))
                    return make_tools(self._graph, known=False)
            return self._known

    async def list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        tools = await self._needed("tools/list", self._tools)
        return types.ListToolsResult(tools=[_described(tool) for tool in tools])

    async def call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = self._calls.get(params.name)
        if call is None:
            hint = f"Known: {', '.join(self._calls)}"
            return _failed(QueryError(f"there is no tool {params.name!r}", code="unknown_tool", hint=hint))
        began, limit = perf_counter(), None

        def told() -> tuple[str, str | None]:
            body = call(params.arguments or {})
            return budget.spelled(body), (body.get("truncated") or {}).get("limit")

        try:
            text, limit = await self._asked(params.name, told)
            result = types.CallToolResult(content=[types.TextContent(type="text", text=text)])
        except BfsqlError as error:
            result = _failed(error)
        size = sum(len(part.text.encode()) for part in result.content if isinstance(part, types.TextContent))
        self._observe(ToolCall(params.name, not result.is_error, perf_counter() - began, size, limit))
        return result

    async def list_prompts(self, context: Any, params: Any) -> types.ListPromptsResult:
        told = "How to query this graph: its types, predicates, statuses, and examples that run on it."
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT_NAME, title="BFS-QL", description=told)])

    async def get_prompt(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT_NAME:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}; known: {PROMPT_NAME}")
        content = types.TextContent(type="text", text=await self._needed("prompts/get", self._graph.prompt))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=PROMPT, name="prompt", title="How to query this graph", mime_type="text/markdown"),
                types.Resource(uri=SCHEMA, name="schema", title="What it holds", mime_type="application/json"),
            ]
        )

    async def read_resource(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == PROMPT:
            text, kind = await self._needed(uri, self._graph.prompt), "text/markdown"
        elif uri == SCHEMA:
            text, kind = (await self._needed(uri, self._graph.describe_schema)).to_json(), "application/json"
        else:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri}; known: {PROMPT}, {SCHEMA}")
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])

    async def _needed(self, what: str, call: Callable[[], T]) -> T:
        """As `_asked`, where the protocol has no place for an error but its own."""
        try:
            return await self._asked(what, call)
        except BfsqlError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None


def _safely(what: str, call: Callable[[], T]) -> T:
    try:
        return call()
    except BfsqlError:
        raise
    except BaseException as error:  # noqa: BLE001 the last resort; a panic of the store is no Exception
        _log.error("%s: %s", what, _line(error))
        _log.debug("%s", what, exc_info=error)
        raise QueryError("the server failed at this call", code="internal", hint="Try a simpler query") from None


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.description, input_schema=tool.schema, annotations=hints
    )


def _failed(error: BfsqlError) -> types.CallToolResult:
    text = budget.spelled(budget.fit_error(error.to_dict()))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def run_stdio(graph: Graph, max_tokens: int) -> None:
    """Serve a graph over standard input and output until the input ends."""
    server = make_server(graph, max_tokens)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def mcp_app(
    graph: Graph,
    max_tokens: int = 20_000,
    hosts: Sequence[str] | None = None,
    origins: Sequence[str] | None = None,
    path: str = "/mcp",
    observe: Observe | None = None,
) -> Starlette:
    """Streamable HTTP at `path`, stateless: an application of its own, or a route of another.

    As its own: `uvicorn.run(mcp_app(graph))`. Inside a Starlette or FastAPI application its route is added and its
    lifespan entered, which a mount would not do:

        beside = mcp_app(graph)

        @asynccontextmanager
        async def lifespan(app):
            async with beside.router.lifespan_context(beside):
                yield

        app = FastAPI(lifespan=lifespan)
        app.router.routes.extend(beside.routes)

    Requests for a Host or from an Origin other than loopback's are refused, so that no page of elsewhere reaches it;
    `hosts` ("graph.example.org", with or without a port; "*" for any) and `origins` ("https://app.example.org") are
    taken besides. Nothing here asks for a token: that is for the application around it. `observe` is told of each call
    of a tool.
    """
    names = [name for host in (*LOOPBACK, *(hosts or ())) if host != "*" for name in _ports(host)]
    own = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=names, allowed_origins=[*own, *(origins or ())]
    )
    transport = _Transport(make_server(graph, max_tokens, observe), security, any_host="*" in (hosts or ()))
    return Starlette(routes=[Route(path, endpoint=transport)], lifespan=lambda app: transport.running())


def _ports(host: str) -> list[str]:
    """A value of Host with its port, or without one and with any."""
    return [host] if host.rpartition(":")[2].isdigit() else [host.removesuffix(":*"), f"{host.removesuffix(':*')}:*"]


class _Transport:
    """The SDK's handler of requests, which runs once only, made anew each time the application starts."""

    def __init__(self, server: Server[Any], security: TransportSecuritySettings, any_host: bool) -> None:
        self._server, self._security, self._any_host = server, security, any_host
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        # As events, not as one JSON body: only so a client that goes away ends the wait for its answer.
        manager = StreamableHTTPSessionManager(self._server, stateless=True, security_settings=self._security)
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._manager is None:
            raise RuntimeError("the lifespan of mcp_app was not entered: see its docstring")
        if self._any_host:
            # The SDK checks Host and Origin or neither; Origin is what keeps pages of elsewhere out.
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope = {**scope, "headers": [(b"host", b"localhost"), *others]}
        await self._manager.handle_request(scope, receive, send)
