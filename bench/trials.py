"""What a sidecar does under ill use, one line each: `python -m bench.trials`, about a minute.

Idle connections by the thousand, a body of 100 MB, a bomb at `/sparql` while others ask, a wrong token, foreign hosts
and origins, and SIGTERM under load.
"""

import asyncio
import json
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import bfsql_rdf
from bench.generate import generate
from bench.sidecar import PROFILE, Client, Request, load, resident
from bfsql_rdf.profile import Profile

QUERY = json.dumps({"seeds": ["e:village1"], "max_hops": 1}).encode()
BOMBS = {
    "alternation of paths": "SELECT (COUNT(*) AS ?n) { ?a (<e:p>|<e:q>|!<e:r>)* ?b }",
    "cross product, ordered": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c ?f ?i",
}


@contextmanager
def serving(store: Path, *options: str) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "bfsql_rdf.cli", "serve", str(store), "--port", str(port), "--log", "off"]
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        if "Serving on" not in process.stderr.readline():
            raise SystemExit(process.stderr.read())
        yield port, process
    finally:
        process.terminate()
        process.wait(90)


def question(port: int) -> Request:
    return Request.post(f"http://127.0.0.1:{port}/bfs_query", "application/json", "application/json", QUERY)


def status(port: int, method: str, path: str, headers: Sequence[str], body: bytes = b"") -> str:
    """The status line's number of one request on a connection of its own; `closed` where none came."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
        lines = [f"{method} {path} HTTP/1.1", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode() + body)
        head = connection.recv(4096)
        return head.split(b" ", 2)[1].decode() if head else "closed"


def asked(port: int, seconds: float, clients: int = 4) -> str:
    """How others fare meanwhile."""
    outcome = asyncio.run(load(port, [[question(port)]], clients, seconds))
    worst, middle = max(outcome.times), statistics.median(outcome.times)
    told = f"{len(outcome.times):,} queries of {clients} clients, p50 {middle:.1f} ms, worst {worst:.0f} ms"
    return f"{told}, errors {dict(outcome.errors) or 'none'}"


def idle(store: Path) -> None:
    with serving(store) as (port, process):
        before = resident(process.pid)
        held = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(1000)]
        print(f"1,000 idle connections: {asked(port, 5)}; {before} MB before, {resident(process.pid)} with them")
        dropped, end = 0, time.perf_counter() + 20
        for connection in held:
            connection.settimeout(max(0.01, end - time.perf_counter()))
            try:
                dropped += not connection.recv(1)
            except OSError:
                dropped += isinstance(sys.exc_info()[1], ConnectionError)
            connection.close()
        print(f"  of them dropped by the server: {dropped:,}")


def large_body(store: Path) -> None:
    with serving(store) as (port, process):
        before, sent, answer = resident(process.pid), 0, b""
        with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
            head = "POST /bfs_query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            connection.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
            try:
                for _ in range(1600):
                    connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                    sent += 65536
            except OSError:
                pass
            try:
                answer = connection.recv(4096)
            except OSError:
                answer = b""
        after = resident(process.pid)
        said = answer.split(b"\r\n")[0].decode() or "closed"
        print(
            f"a body of 100 MB in chunks: {sent / 2**20:.1f} MB sent, then {said!r}; {before} MB before, {after} after"
        )


def bombs(store: Path) -> None:
    with serving(store) as (port, process):
        for name, text in BOMBS.items():

            async def one(text: str = text) -> tuple[int, float]:
                kind = "application/sparql-query"
                request = Request.post(f"http://127.0.0.1:{port}/sparql", kind, "*/*", text.encode())
                began = time.perf_counter()
                status, _ = await Client(port).send(request)
                return status, time.perf_counter() - began

            async def both(ask: object = one) -> tuple[list[tuple[int, float]], float, float, int]:
                at_work = [asyncio.create_task(ask()) for _ in range(2)]  # type: ignore[operator]
                outcome = await load(port, [[question(port)]], 4, 3)
                worst = max(outcome.times)
                return await asyncio.gather(*at_work), statistics.median(outcome.times), worst, len(outcome.times)

            ends, middle, worst, number = asyncio.run(both())
            told = ", ".join(f"{code} after {seconds:.1f} s" for code, seconds in ends)
            print(f"two bombs, {name}: {told}; meanwhile {number:,} queries, p50 {middle:.1f} ms, worst {worst:.0f} ms")
        print(f"  memory of the server afterwards: {resident(process.pid)} MB")


def strangers(store: Path) -> None:
    tokens = store.parent / "tokens"
    tokens.write_text("right\n")
    kind = "Content-Type: application/json"
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    both = "Accept: application/json, text/event-stream"
    with serving(store, "--token-file", str(tokens)) as (port, _):
        for token in ("right", "wrong", "rightx", ""):
            headers = ["Host: localhost", kind, f"Authorization: Bearer {token}"]
            print(f"token {token!r}: {status(port, 'POST', '/bfs_query', headers, QUERY)}")
    with serving(store) as (port, _):
        for host in ("localhost", "rebound.example", f"127.0.0.1.rebound.example:{port}"):
            at = [f"Host: {host}"]
            seen = [status(port, "GET", "/", at), status(port, "POST", "/bfs_query", [*at, kind], QUERY)]
            seen.append(status(port, "POST", "/mcp", [*at, kind, both], call))
            print(f"Host {host}: / {seen[0]}, /bfs_query {seen[1]}, /mcp {seen[2]}")
        foreign = ["Host: localhost", "Origin: https://rebound.example", kind, both]
        print(f"a foreign Origin: /mcp {status(port, 'POST', '/mcp', foreign, call)}")


def stopped(store: Path) -> None:
    with serving(store) as (port, process):

        async def client() -> Counter[str]:
            seen: Counter[str] = Counter()
            one = Client(port)
            while True:
                try:
                    seen[str((await one.send(question(port)))[0])] += 1
                except ConnectionRefusedError:
                    return seen
                except (OSError, asyncio.IncompleteReadError) as error:
                    seen[type(error).__name__] += 1
                    return seen

        async def main() -> tuple[Counter[str], float]:
            clients = [asyncio.create_task(client()) for _ in range(64)]
            await asyncio.sleep(3)
            began = time.perf_counter()
            process.send_signal(signal.SIGTERM)
            seen = sum(await asyncio.gather(*clients), Counter[str]())
            await asyncio.to_thread(process.wait, 60)
            return seen, time.perf_counter() - began

        seen, seconds = asyncio.run(main())
        print(f"SIGTERM under 64 clients: exit {process.returncode} after {seconds:.1f} s; clients saw {dict(seen)}")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        generate(folder / "graph.nt", 20_000)
        profile = Profile.of({**PROFILE, "limits": {"timeout": 5}})
        bfsql_rdf.load(folder / "store", [folder / "graph.nt"], profile)
        for trial in (idle, large_body, bombs, strangers, stopped):
            trial(folder / "store")


if __name__ == "__main__":
    main()
