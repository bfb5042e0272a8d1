"""The outermost layer: what is measured, logged and said of every exchange, and how slowly a client may talk."""

import asyncio
import json
import logging
import re
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bfsql_rdf.serve.gate import ClientGone
from bfsql_rdf.serve.problems import Problem
from bfsql_rdf.serve.service import Service, path_of

LINGER, LINGER_BYTES = 1.0, 8_000_000
"""How long, and how much, of a refused body is read and dropped, so that its sender gets to see the refusal."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer bears unless it says otherwise."""
ADDRESS = re.compile(r"[0-9A-Za-z.:%-]{1,64}")
"""What an address looks like; a proxy's word for it may be anything."""
logger = logging.getLogger("bfsql_rdf.access")


class Edge:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, service: Service, routes: frozenset[str]) -> None:
        self.app, self.service, self.routes = app, service, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(self.service, scope, receive, send)
        meters = self.service.meters
        started = perf_counter()
        meters.in_flight.inc()
        try:
            await self._handle(scope, exchange)
        finally:
            seconds = perf_counter() - started
            meters.in_flight.dec()
            route, status = self._route(path_of(scope)), str(exchange.status or 499)
            meters.requests.labels(route, status).inc()
            meters.seconds.labels(route, status).observe(seconds)
            meters.bytes.labels(route).observe(exchange.sent)
            self._log(scope, exchange, seconds)

    async def _handle(self, scope: Scope, exchange: "Exchange") -> None:
        hosts = self.service.options.hosts
        try:
            if hosts is not None and (refused := foreign_host(scope, hosts)):
                await refused.response()(scope, exchange.receive, exchange.send)
            else:
                await self.app(scope, exchange.receive, exchange.send)
        except ClientGone:
            pass

    def _route(self, path: str) -> str:
        """A path as a label: one of the routes, or what a further face is mounted at."""
        if path in self.routes:
            return path
        first = "/" + path.strip("/").partition("/")[0]
        return first if first in self.routes else "other"

    def _log(self, scope: Scope, exchange: "Exchange", seconds: float) -> None:
        """One line; no query string and no header, where tokens might stand, and the path as it was sent."""
        client = scope["client"][0] if scope.get("client") else "-"
        client = client if ADDRESS.fullmatch(client) else "-"
        path = scope.get("raw_path", b"").decode("ascii", "backslashreplace")[:200]
        status = exchange.status or 499
        if self.service.options.log == "json":
            line = {
                "client": client,
                "method": scope["method"],
                "path": path,
                "status": status,
                "bytes": exchange.sent,
                "seconds": round(seconds, 6),
            }
            logger.info(json.dumps(line))
        else:
            logger.info('%s "%s %s" %d %d %.1fms', client, scope["method"], path, status, exchange.sent, seconds * 1000)


class Exchange:
    """One request and its answer: `receive` is bounded in bytes and time, `send` adds headers and counts."""

    def __init__(self, service: Service, scope: Scope, receive: Receive, send: Send) -> None:
        self._options, self._receive, self._send = service.options, receive, send
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        self._length = int(length) if length.isascii() and length.isdigit() else 0
        self._open = self._length > 0 or "transfer-encoding" in headers
        self._bodied = scope["method"] != "HEAD"
        self._taken = 0
        self._until = asyncio.get_running_loop().time() + service.options.body_seconds
        self._closing = False
        self.status: int | None = None
        self.sent = 0

    async def receive(self) -> Message:
        """The next part of the body; Problem 413 for too much of it, 408 for too slow a sender."""
        if not self._open:
            return await self._receive()
        if self._length > self._options.max_body:
            raise self._too_large()
        patience = min(self._options.idle_seconds, self._until - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(max(patience, 0)):
                message = await self._receive()
        except TimeoutError:
            raise Problem(408, "slow_body", "the body did not come in time", hint="Send it without pauses") from None
        self._open = message["type"] == "http.request" and message.get("more_body", False)
        self._taken += len(message.get("body", b""))
        if self._taken > self._options.max_body:
            raise self._too_large()
        return message

    def _too_large(self) -> Problem:
        return Problem(
            413,
            "body_too_large",
            f"a body has at most {self._options.max_body:,} bytes",
            hint="Ask in parts, or start the server with a larger --max-body",
        )

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on.

        A refusal of a body that is still coming is sent whole, then the body is dropped for a while before the
        connection is closed: closed at once, the sender might see no more than a reset connection.
        """
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            self._closing = self._open and message["status"] >= 400
            if self._closing:
                headers["Connection"] = "close"
        elif message["type"] == "http.response.body":
            self.sent += len(message.get("body", b"")) if self._bodied else 0
            if self._closing and not message.get("more_body", False):
                await self._send({**message, "more_body": True})
                await self._drop()
                message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def _drop(self) -> None:
        try:
            async with asyncio.timeout(LINGER):
                more, dropped = True, 0
                while more and dropped < LINGER_BYTES:
                    message = await self._receive()
                    more = message["type"] == "http.request" and message.get("more_body", False)
                    dropped += len(message.get("body", b""))
        except TimeoutError:
            return


def foreign_host(scope: Scope, hosts: frozenset[str]) -> Problem | None:
    """Problem 421 for a Host header that names none of `hosts`."""
    given = Headers(scope=scope).get("host", "").lower()
    name = given.rpartition(":")[0] if given.rpartition(":")[2].isdigit() and ":" in given else given
    if name in hosts:
        return None
    return Problem(
        421,
        "foreign_host",
        f"this server does not answer for {given[:100] or 'a request without a name'}",
        where="Host",
        hint="Start it with --allow-host NAME for every name that it is reached by",
    )
