"""A server process: uvicorn with patience that ends, and a stop that lets running queries finish."""

import asyncio
import json
import logging
import math
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from bfsql_rdf.errors import StoreError
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve.app import create_app
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.problems import MEDIA_TYPE, Problem
from bfsql_rdf.serve.service import Service

KEEP_ALIVE = 5
"""Seconds for which a connection is kept without a further request."""
FILES = 65_536
"""Open files wanted: each idle connection is one."""


class Protocol(H11Protocol):
    """HTTP/1.1 that drops a connection whose request head does not come, or whose answer is not taken, in time."""

    idle_seconds = ServeOptions.idle_seconds

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._stalled is None:
            self._watch_reader(0)

    def _watch(self) -> None:
        """Time runs from a connection's start, or from the first byte of a further request, to the end of a head."""
        waiting = self.cycle is None or self.cycle.response_complete
        if waiting and self._late is None:
            self._late = self.loop.call_later(self.idle_seconds, self._too_late)
        elif not waiting and self._late is not None:
            self._late.cancel()
            self._late = None

    def _watch_reader(self, before: int) -> None:
        """Give up a client that takes nothing of its answer: a plain close would wait for it."""
        left = self.transport.get_write_buffer_size()
        self._stalled = None
        if left and left == before:
            self.transport.abort()
        elif left:
            self._stalled = self.loop.call_later(self.idle_seconds, self._watch_reader, left)

    def _too_late(self) -> None:
        self._late = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP gets a problem too, where an answer can still be sent."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        problem = Problem(400, "bad_request", "this is no HTTP request that can be read")
        body = json.dumps(problem.to_dict()).encode()
        headers = [
            ("Content-Type", MEDIA_TYPE),
            ("Content-Length", str(len(body))),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        ]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class Server(uvicorn.Server):
    """uvicorn that tells when it is ready, and that a signal stops with exit status 0."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def make_server(app: FastAPI, ready: Callable[[], None] = lambda: None) -> Server:
    """A server for an app of `create_app`, to be run with sockets of `bind`.

    Connections are not limited in number (`limit_concurrency` counts idle ones too, and would refuse everybody
    else): an idle one ends after seconds, requests and queries are limited by the app.
    """
    service: Service = app.state.service
    patient = type("Protocol", (Protocol,), {"idle_seconds": service.options.idle_seconds})
    config = uvicorn.Config(
        app,
        http=patient,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(service.seconds + service.options.queue_seconds),
    )
    return Server(config, ready)


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one. StoreError where it cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(
            f"cannot listen: {reason}", code="cannot_bind", where=f"{host}:{port}", hint="Choose another --port"
        ) from None


def serve(graph: Graph, options: ServeOptions) -> None:
    """Serve a graph until SIGTERM or SIGINT; running queries are finished, within their own time.

    Says on standard error where it serves, once it does. StoreError where it cannot listen.
    """
    app = create_app(graph, options)
    listening = bind(options.host, options.port)
    host = f"[{options.host}]" if ":" in options.host else options.host
    port = listening.getsockname()[1]
    _log_to_stderr(options)
    _raise_file_limit()
    if not options.loopback and not options.tokens:
        _say(f"bfsql-rdf: warning: {host} is reached from other machines and no token is asked for (--token-file)")
    make_server(app, lambda: _say(f"Serving on http://{host}:{port}")).run(sockets=[listening])
    if app.state.service.gate.running:
        _say("bfsql-rdf: warning: queries that did not end in time were given up")
        os._exit(0)  # their threads cannot be stopped, and would keep the process


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _log_to_stderr(options: ServeOptions) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name, level in (
        ("bfsql_rdf.serve", logging.INFO),
        ("bfsql_rdf.access", logging.CRITICAL if options.log == "off" else logging.INFO),
        ("uvicorn.error", logging.ERROR),
    ):
        log = logging.getLogger(name)
        log.handlers, log.propagate = [handler], False
        log.setLevel(level)


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
