"""A server that answers as badly as a test asks, on 127.0.0.1, and remembers what it was asked."""

import socket
import socketserver
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

JSON = "application/sparql-results+json"
XML = "application/sparql-results+xml"
TSV = "text/tab-separated-values"
CSV = "text/csv"


@dataclass
class Asked:
    """One request: `number` counts those of its path from 1."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    number: int = 0

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def form(self) -> dict[str, list[str]]:
        return parse_qs(self.body.decode() or urlsplit(self.target).query)


Script = Callable[[Asked], Iterable[bytes] | bytes]


@dataclass
class Bad:
    """The server: `scripts` by path give raw bytes; after the last one the connection is closed."""

    scripts: dict[str, Script] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    done: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def on(self, path: str, script: Script | bytes) -> str:
        """The URL of a path that answers so."""
        self.scripts[path] = (lambda _: script) if isinstance(script, bytes) else script
        return self.url + path

    def count(self, path: str) -> int:
        return sum(asked.path == path for asked in self.asked)


def answer(
    body: bytes | str,
    content_type: str | None = JSON,
    status: str = "200 OK",
    length: int | None = None,
    **headers: str,
) -> bytes:
    """A whole HTTP answer; `length` lies about its length, headers have _ for -."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data) if length is None else length}"]
    lines += [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def head(content_type: str = JSON, **headers: str) -> bytes:
    """The head of a chunked answer."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(
        ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", f"Content-Type: {content_type}", *lines, "", ""]
    ).encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with suppress(OSError):  # a client that has read enough resets the connection
            self.talk()

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def talk(self) -> None:
        bad: Bad = self.server.bad  # type: ignore[attr-defined]
        with bad.lock:
            bad.connections += 1
        while line := self.rfile.readline():
            parts = line.decode("latin-1").split()
            if len(parts) != 3:
                return
            headers = {}
            while (text := self.rfile.readline().decode("latin-1").strip()) != "":
                name, _, value = text.partition(":")
                headers[name.lower()] = value.strip()
            asked = Asked(parts[0], parts[1], headers, self.rfile.read(int(headers.get("content-length", 0))))
            with bad.lock:
                asked.number = bad.count(asked.path) + 1
                bad.asked.append(asked)
            said = bad.scripts[asked.path](asked)
            for piece in [said] if isinstance(said, bytes) else said:
                self.wfile.write(piece)
            if not isinstance(said, bytes) or b"connection: close" in said.lower():
                return


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True


def start(bad: Bad) -> _Server:
    """Start the server in a thread; the caller shuts it down."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.bad = bad  # type: ignore[attr-defined]
    bad.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
