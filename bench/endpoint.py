"""Requests and time of searches over `oxigraph serve`, beside the embedded store: `python -m bench.endpoint`."""

import argparse
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import bfsql_rdf
from bench.generate import generate
from bench.measure import Table, measure, ratio
from bfsql_rdf.graph import Graph
from bfsql_rdf.profile import Profile
from bfsql_rdf.remote.backend import EndpointBackend
from bfsql_rdf.remote.client import Endpoint

PROFILE = {"prefixes": {"e": "http://example.org/e/"}, "limits": {"timeout": 600}}
STUBS: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}


class Counting:
    """An endpoint that counts what is sent to it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint, self.sent = endpoint, 0

    def select(self, query: str, limit_rows: int | None = None) -> Any:
        self.sent += 1
        return self._endpoint.select(query, limit_rows)

    def ask(self, query: str) -> bool:
        self.sent += 1
        return self._endpoint.ask(query)


@contextmanager
def served(folder: Path, file: Path) -> Iterator[str]:
    """The URL of an `oxigraph serve` with a file loaded."""
    program = shutil.which("oxigraph", path=str(Path(sys.executable).parent)) or "oxigraph"
    for command in (["load", "--file", str(file)], ["optimize"]):
        subprocess.run([program, command[0], "--location", str(folder), *command[1:]], check=True, capture_output=True)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    quiet = subprocess.DEVNULL
    where = ["--location", str(folder), "--bind", f"127.0.0.1:{port}", "--union-default-graph"]
    process = subprocess.Popen([program, "serve-read-only", *where], stdout=quiet, stderr=quiet)
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).read()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/query"
    finally:
        process.terminate()
        process.wait(10)


def main() -> None:
    parser = argparse.ArgumentParser(description="Searches over an endpoint, beside the embedded store.")
    parser.add_argument("--statements", type=int, default=500_000)
    parser.add_argument("--quick", action="store_true", help="20,000 statements")
    options = parser.parse_args()
    statements = 20_000 if options.quick else options.statements
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        file = folder / "graph.nt"
        generate(file, statements)
        bfsql_rdf.load(folder / "store", [file], Profile.of(PROFILE))
        embedded = bfsql_rdf.open(folder / "store")
        with served(folder / "oxigraph", file) as url, Endpoint(url, timeout=600) as endpoint:
            compare(embedded, Counting(endpoint), statements)


def compare(embedded: Graph, endpoint: Counting, statements: int) -> None:
    began = time.perf_counter()
    remote = Graph(EndpointBackend(endpoint, Profile.of(PROFILE)))
    print(f"{statements:,} statements; opened in {time.perf_counter() - began:.2f} s by {endpoint.sent} requests")
    entities = statements // 5
    table = Table("search", ["nodes", "edges", "requests", "endpoint ms", "embedded ms", "ratio", "same"])
    seeds = {
        "village": "e:village1",
        "small": f"e:{entities - 1}",
        "middling": f"e:{max(entities // 100, 2)}",
        "hub": f"e:{max(entities // 20_000, 1)}",
    }
    for name, seed in seeds.items():
        for hops in (1, 2, 3) if name == "village" else (1, 2):
            for shown, filters in (("stubs", STUBS), ("full", {})):
                query: dict[str, Any] = {"seeds": [seed], "max_hops": hops} | filters
                before = endpoint.sent
                ours = remote.bfs_query(query)
                sent = endpoint.sent - before
                far, _ = measure(partial(remote.bfs_query, query), 3)
                near, theirs = measure(partial(embedded.bfs_query, query), 3)
                same = "yes" if ours.to_dict() == theirs.to_dict() else "NO"
                cells = [ours.node_count, ours.edge_count, sent, far.median, near.median]
                table.row(f"{name}, {hops} hops, {shown}", *cells, ratio(far.median, near.median), same)


if __name__ == "__main__":
    main()
