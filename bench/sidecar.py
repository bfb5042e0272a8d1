"""Clients at `bfsql-rdf serve`, beside as many at `oxigraph serve` with the SPARQL of `explain`.

`python -m bench.sidecar` takes about five minutes; `--quick` 20,000 statements and two seconds each.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bfsql_rdf
from bench.endpoint import served
from bench.generate import generate
from bench.measure import Table, ratio
from bfsql_rdf.profile import Profile

PROFILE = {"prefixes": {"e": "http://example.org/e/"}}
SEEDS = 200
CLIENTS = (16, 64)


@dataclass(frozen=True)
class Request:
    """One HTTP request as bytes."""

    raw: bytes

    @classmethod
    def post(cls, url: str, kind: str, accept: str, body: bytes) -> "Request":
        parts = urllib.parse.urlsplit(url)
        head = (
            f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: {kind}\r\nAccept: {accept}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return cls(head.encode() + body)


@dataclass
class Outcome:
    """What the clients of one trial saw: ms of each query, errors by what they were, bytes of bodies."""

    times: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    size: int = 0


class Client:
    """A connection that is kept, and opened again where the server has closed it between two requests."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, request: Request) -> tuple[int, int]:
        """Status and length of the body."""
        kept = self._writer is not None
        try:
            return await self._send(request)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            if not kept:
                raise
            return await self._send(request)

    async def _send(self, request: Request) -> tuple[int, int]:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        assert self._reader is not None
        self._writer.write(request.raw)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status, size = int(head.split(" ", 2)[1]), 0
        if "transfer-encoding: chunked" in head:
            while length := int(await self._reader.readuntil(b"\r\n"), 16):
                await self._reader.readexactly(length + 2)
                size += length
            await self._reader.readexactly(2)
        else:
            size = int(head.partition("content-length:")[2].split("\r\n")[0])
            await self._reader.readexactly(size)
        if "connection: close" in head:
            self.close()
        return status, size

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def load(port: int, queries: Sequence[Sequence[Request]], clients: int, seconds: float) -> Outcome:
    """Each client asks one query after the other, each the requests of one query in turn."""
    outcome, end = Outcome(), time.perf_counter() + seconds

    async def one(number: int) -> None:
        client, chosen = Client(port), random.Random(number)
        while time.perf_counter() < end:
            began = time.perf_counter()
            try:
                for request in chosen.choice(queries):
                    status, size = await client.send(request)
                    outcome.size += size
                    if status != 200:
                        outcome.errors[str(status)] = outcome.errors.get(str(status), 0) + 1
            except (OSError, asyncio.IncompleteReadError) as error:
                name = type(error).__name__
                outcome.errors[name] = outcome.errors.get(name, 0) + 1
                client.close()
            outcome.times.append((time.perf_counter() - began) * 1000)
        client.close()

    await asyncio.gather(*(one(number) for number in range(clients)))
    return outcome


def resident(process: int) -> int:
    """MB that a process holds (Linux; 0 elsewhere)."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20
    except OSError:
        return 0


@contextmanager
def sidecar(store: Path) -> Iterator[tuple[int, int]]:
    """Port and process id of `bfsql-rdf serve` over a store folder."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "bfsql_rdf.cli", "serve", str(store), "--port", str(port), "--log", "off"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        if "Serving on" not in process.stderr.readline():
            raise SystemExit(process.stderr.read())
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(60)


def asked(store: Path, port: int, oxigraph: str, hops: int, entities: int) -> list[tuple[list[Request], list[Request]]]:
    """For so many seeds the query to the sidecar, and the requests that `explain` says it is over the data."""
    graph, chosen, made = bfsql_rdf.open(store), random.Random(hops), []
    for _ in range(SEEDS):
        query: dict[str, Any] = {"seeds": [f"e:{chosen.randrange(entities // 100, entities)}"], "max_hops": hops}
        url = f"http://127.0.0.1:{port}/bfs_query"
        ours = Request.post(url, "application/json", "application/json", json.dumps(query).encode())
        accept = "application/sparql-results+json"
        theirs = [
            Request.post(oxigraph, "application/sparql-query", accept, text.encode())
            for text in graph.explain("bfs", query)["sparql"]
        ]
        made.append(([ours], theirs))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m bench.sidecar")
    parser.add_argument("--statements", type=int, default=500_000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--quick", action="store_true", help="20,000 statements, two seconds each")
    options = parser.parse_args()
    statements, seconds = (20_000, 2.0) if options.quick else (options.statements, options.seconds)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        generate(folder / "graph.nt", statements)
        bfsql_rdf.load(folder / "store", [folder / "graph.nt"], Profile.of(PROFILE))
        with served(folder / "oxigraph", folder / "graph.nt") as url:
            run(folder / "store", url, statements // 5, seconds)


def run(store: Path, url: str, entities: int, seconds: float) -> None:
    columns = ["queries/s", "p50 ms", "p95 ms", "p99 ms", "errors", "MB/s", "MB before", "MB after", "ratio"]
    table = Table(f"{seconds:g} s each", columns, label=32, width=10)
    for hops in (1, 2):
        for clients in CLIENTS:
            with sidecar(store) as (port, process):
                both = asked(store, port, url, hops, entities)
                label = f"{hops} hop{'s' * (hops > 1)}, {clients} clients, "
                before = resident(process)
                ours = asyncio.run(load(port, [one for one, _ in both], clients, seconds))
                after = resident(process)
            theirs = asyncio.run(
                load(urllib.parse.urlsplit(url).port or 80, [one for _, one in both], clients, seconds)
            )
            rate = ratio(len(ours.times), len(theirs.times))
            row(table, label + "sidecar", ours, seconds, [before, after, rate])
            row(table, label + "oxigraph", theirs, seconds, ["-", "-", "1"])


def row(table: Table, label: str, outcome: Outcome, seconds: float, rest: list[object]) -> None:
    cuts = statistics.quantiles(outcome.times, n=100) if len(outcome.times) > 1 else [0.0] * 99
    errors = ", ".join(f"{number} {name}" for name, number in sorted(outcome.errors.items())) or "none"
    figures = [len(outcome.times) / seconds, cuts[49], cuts[94], cuts[98], errors, outcome.size / seconds / 2**20]
    table.row(label, *figures, *rest)


if __name__ == "__main__":
    main()
