"""The commands that serve a graph to others."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bfsql_rdf.cli_source import Lenient, ProfileOption, Source, open_source
from bfsql_rdf.errors import QueryError


def serve(
    source: Source,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 8000,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    token_file: Annotated[Path | None, typer.Option("--token-file", help="Bearer tokens, one a line.")] = None,
    cors: Annotated[list[str] | None, typer.Option("--cors", help="Origin of a web page; repeatable.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option("--allow-host", help="Name it goes by; repeatable.")] = None,
    workers_at_once: Annotated[int | None, typer.Option("--workers-at-once", help="Queries at work.")] = None,
    queue_seconds: Annotated[float, typer.Option("--queue-seconds", help="How long others wait.")] = 10,
    max_waiting: Annotated[int, typer.Option("--max-waiting", help="How many others wait.")] = 100,
    max_requests: Annotated[int, typer.Option("--max-requests", help="Requests in any stage.")] = 1000,
    max_body: Annotated[int, typer.Option("--max-body", help="Bytes of a body.")] = 1_000_000,
    max_items: Annotated[int, typer.Option("--max-items", help="Entries of a list in a query.")] = 1000,
    idle_seconds: Annotated[float, typer.Option("--idle-seconds", help="How long a client may pause.")] = 10,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="Tokens of an answer at /mcp, estimated.")] = 20_000,
    log: Annotated[str, typer.Option("--log", help="Access log: text, json or off.")] = "text",
) -> None:
    """Serve over HTTP, until SIGTERM or Ctrl-C; tokens also from BFSQL_TOKENS."""
    try:
        from bfsql_rdf.serve.options import ServeOptions, read_tokens
        from bfsql_rdf.serve.run import serve as run
    except ModuleNotFoundError as error:
        raise QueryError(
            f"serving needs {error.name}, which is not installed",
            code="missing_extra",
            hint="Install it: pip install 'bfsql-rdf[serve]'",
        ) from None
    options = ServeOptions(
        host=host,
        port=port,
        tokens=read_tokens(token_file, os.environ),
        cors=tuple(cors or ()),
        allow_hosts=tuple(allow_host or ()),
        workers_at_once=workers_at_once,
        queue_seconds=queue_seconds,
        max_waiting=max_waiting,
        max_requests=max_requests,
        max_body=max_body,
        max_items=max_items,
        idle_seconds=idle_seconds,
        max_tokens=max_tokens,
        log=log,  # type: ignore[arg-type]
    )
    run(open_source(source, profile, lenient), options)


def mcp(
    source: Source,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="Tokens of one answer at most, estimated.")] = 20_000,
) -> None:
    """Serve the graph to a language model: the Model Context Protocol over standard input and output."""
    try:
        from bfsql_rdf.serve.mcp import run_stdio
    except ImportError as error:
        raise QueryError(
            f"the Model Context Protocol needs a further package: {error}",
            code="missing_extra",
            where="mcp",
            hint="pip install 'bfsql-rdf[mcp]'",
        ) from None
    run_stdio(open_source(source, profile, lenient), max_tokens)
