"""Running the HTTP sidecar: socket, tokens, and a stop that lets running queries finish."""

import socket
import sys
from pathlib import Path

import uvicorn

from bfsql_rdf.errors import QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve.app import LOOPBACK, ServeOptions, create_app

IDLE_SECONDS, STOP_SECONDS, CONNECTIONS, BACKLOG = 15, 60, 2_000, 2_048


def run_http(graph: Graph, host: str, port: int, token_file: Path | None, origins: list[str], hosts: list[str]) -> None:
    """Serve a graph until SIGTERM or SIGINT; running queries are finished first.

    Raises QueryError for tokens that cannot be read and an address that is taken.
    """
    tokens = _tokens(token_file)
    local = host in ("127.0.0.1", "localhost", "::1")
    if not local and not tokens:
        sys.stderr.write("bfsql-rdf: warning: without --token-file everyone who reaches this address may ask\n")
    options = ServeOptions(
        tokens=tokens,
        origins=tuple(origins),
        hosts=frozenset([*LOOPBACK, *hosts]) if local or hosts else frozenset("*"),
    )
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)  # who connects from here on is answered
    except OSError as error:
        listening.close()
        raise QueryError(
            f"cannot listen at {host}:{port}: {error.strerror or error}",
            code="cannot_listen",
            where="port",
            hint="Take another --port, or 0 for a free one",
        ) from None
    config = uvicorn.Config(
        create_app(graph, options),
        log_level="warning",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        limit_concurrency=CONNECTIONS,
        server_header=False,
    )
    name = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"Serving on http://{name}:{listening.getsockname()[1]}\n")
    sys.stderr.flush()
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def _tokens(file: Path | None) -> frozenset[str]:
    if file is None:
        return frozenset()
    try:
        tokens = frozenset(file.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(
            f"cannot read the tokens: {getattr(error, 'strerror', None) or error}", code="unreadable", where=str(file)
        ) from None
    if not tokens:
        raise QueryError("there is no token in the file", code="unreadable", where=str(file))
    return tokens
