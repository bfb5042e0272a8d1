"""What can be chosen about a server, and where its tokens come from."""

import ipaddress
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bfsql_rdf.errors import QueryError

TOKENS_VARIABLE = "BFSQL_TOKENS"
Log = Literal["text", "json", "off"]


@dataclass(frozen=True)
class ServeOptions:
    """Address, access and bounds of a server; every bound holds for one request, or for all of them at once.

    `workers_at_once`: queries at work (None: cores + 2); `queue_seconds`, `max_waiting`: how long and how many more
    wait; `max_requests`: requests in any stage; `max_body`: bytes of a body; `max_items`: entries of a list in it;
    `max_depth`: how deep it nests; `idle_seconds`: how long a client may send nothing while it has something to send;
    `body_seconds`: how long a whole body may take; `max_tokens`: of an answer at `/mcp`, estimated. Raises QueryError
    for a bound that is none.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    tokens: tuple[str, ...] = field(default=(), repr=False)
    cors: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    workers_at_once: int | None = None
    queue_seconds: float = 10
    max_waiting: int = 100
    max_requests: int = 1000
    max_body: int = 1_000_000
    max_items: int = 1000
    max_depth: int = 20
    idle_seconds: float = 10
    body_seconds: float = 60
    max_tokens: int = 20_000
    log: Log = "text"

    def __post_init__(self) -> None:
        for name in ("max_requests", "max_body", "max_items", "max_depth", "idle_seconds", "body_seconds"):
            _require(name, getattr(self, name), above=0)
        for name in ("queue_seconds", "max_waiting", "port"):
            _require(name, getattr(self, name), above=-1)
        if self.workers_at_once is not None:
            _require("workers_at_once", self.workers_at_once, above=0)
        if self.log not in ("text", "json", "off"):
            raise QueryError(f"there is no log {self.log!r}", code="bad_option", where="log", hint="text, json or off")
        if not all(self.tokens):
            raise QueryError("a token is not empty", code="bad_option", where="tokens")

    @property
    def places(self) -> int:
        """How many queries may be at work at once."""
        return self.workers_at_once or (os.cpu_count() or 1) + 2

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names that a Host header may bear, None for any.

        A page of another site whose name is made to point at 127.0.0.1 (DNS rebinding) bears that site's name.
        """
        if "*" in self.allow_hosts or not (self.loopback or self.allow_hosts):
            return None
        own = {"localhost", "127.0.0.1", "[::1]", f"[{self.host}]" if ":" in self.host else self.host}
        return frozenset(own | {name.lower() for name in self.allow_hosts})


def _require(name: str, value: float, above: int) -> None:
    if not math.isfinite(value) or value <= above:
        raise QueryError(f"{value} is too little", code="bad_option", where=name, hint=f"More than {above}")


def read_tokens(file: Path | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Bearer tokens from a file, one a line, and from the environment; empty where neither is given.

    Raises QueryError for a file that cannot be read and for a source that holds no token or an unusable one.
    """
    found: list[str] = []
    sources: list[tuple[str, list[str]]] = []
    if file is not None:
        try:
            sources.append((str(file), file.read_text(encoding="utf-8").splitlines()))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise QueryError(f"cannot read the tokens: {reason}", code="unreadable", where=str(file)) from None
    if TOKENS_VARIABLE in environ:
        sources.append((TOKENS_VARIABLE, environ[TOKENS_VARIABLE].replace(",", "\n").splitlines()))
    for where, lines in sources:
        tokens = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        if not tokens:
            raise QueryError("there is no token", code="no_token", where=where, hint="One a line, or leave it out")
        if not all(token.isascii() and token.isprintable() and " " not in token for token in tokens):
            raise QueryError("a token is printable ASCII without spaces", code="bad_token", where=where)
        found += tokens
    return tuple(dict.fromkeys(found))
