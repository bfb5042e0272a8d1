"""The command: where it says that it serves, how it stops, what it says when it cannot start."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.serve.servers import PATIENCE, QUERY, ROOT, until

MEDICAL = ["data/medical.ttl", "--profile", "data/medical.toml"]
SLOW = """
import os
import bfsql_rdf
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.run import serve
graph = bfsql_rdf.open("data/medical.ttl", profile="data/medical.toml")
answer = graph.bfs_query
def slow(query):
    os.write(1, b"entered\\n")
    os.read(0, 1)
    return answer(query)
graph.bfs_query = slow
serve(graph, ServeOptions(port=0, workers_at_once=2))
"""
STUCK = (
    SLOW.replace("os.read(0, 1)", "__import__('threading').Event().wait()")
    .replace("serve(graph", "import bfsql_rdf.serve.service as s; s.GRACE = -29; serve(graph")
    .replace("workers_at_once=2", "queue_seconds=0")
)


@contextmanager
def started(*command: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A server process that is ready, its address, and the lines it said before."""
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    before: list[str] = []
    try:
        for line in process.stderr:
            if found := re.match(r"Serving on (http://\S+)$", line):
                yield process, found[1], before
                break
            before.append(line)
        else:
            raise AssertionError("".join(before))
    finally:
        process.kill()
        process.communicate()


def command(*arguments: str) -> list[str]:
    return ["-m", "bfsql_rdf.cli", "serve", *arguments]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_serves_and_stops_with_status_0(how: int) -> None:
    with started(*command(*MEDICAL, "--port", "0", "--log", "json")) as (process, address, before):
        assert before == []
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        assert httpx2.post(address + "/bfs_query", json=QUERY).json()["node_count"] == 5
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))):
            process.send_signal(how)
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert out == ""
        assert [json.loads(line)["path"] for line in err.splitlines()] == ["/bfs_query"]


def test_what_runs_when_it_is_stopped_is_finished() -> None:
    with started("-c", SLOW) as (process, address, _), ThreadPoolExecutor(4) as pool:
        assert process.stdin is not None
        assert process.stdout is not None
        body = QUERY | {"max_hops": 2}
        asked = [pool.submit(httpx2.post, address + "/bfs_query", json=body, timeout=PATIENCE) for _ in range(2)]
        for _ in asked:
            assert process.stdout.readline() == "entered\n"
        process.send_signal(signal.SIGTERM)
        port = int(address.rpartition(":")[2])

        def refused() -> bool:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            except ConnectionRefusedError:
                return True
            return False

        until(refused)
        assert process.poll() is None
        process.stdin.write("\n\n")
        process.stdin.flush()
        for response in asked:
            assert response.result().status_code == 200
            assert response.result().json()["max_hops"] == 2
        assert process.wait(PATIENCE) == 0


def test_what_does_not_end_in_its_time_does_not_keep_the_process() -> None:
    with started("-c", STUCK) as (process, address, _), ThreadPoolExecutor(1) as pool:
        assert process.stdout is not None
        assert process.stderr is not None
        asked = pool.submit(httpx2.post, address + "/bfs_query", json=QUERY, timeout=PATIENCE)
        assert process.stdout.readline() == "entered\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert asked.result().json()["code"] == "timeout"
        assert "given up" in process.stderr.read()


def test_tokens_from_the_environment_and_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("of-the-file\n")
    arguments = command(*MEDICAL, "--port", "0", "--host", "0.0.0.0", "--token-file", str(file))
    with started(*arguments, BFSQL_TOKENS="of-the-environment") as (_, address, before):
        assert before == []
        at = address.replace("0.0.0.0", "127.0.0.1")
        for token, status in (("of-the-file", 200), ("of-the-environment", 200), ("other", 401)):
            response = httpx2.get(at + "/prompt", headers={"Authorization": f"Bearer {token}"})
            assert response.status_code == status


def test_an_open_door_is_warned_of() -> None:
    with started(*command(*MEDICAL, "--port", "0", "--host", "0.0.0.0")) as (_, _, before):
        assert len(before) == 1
        assert before[0].startswith("bfsql-rdf: warning: 0.0.0.0 is reached from other machines")


def run(*arguments: str, code: str | None = None) -> Any:
    start = ["-c", code] if code else ["-m", "bfsql_rdf.cli"]
    done = subprocess.run(
        [sys.executable, *start, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == ""
    return done


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", *MEDICAL, "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert re.fullmatch(r"bfsql-rdf: 127\.0\.0\.1:\d+: cannot listen: .*--port\n", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--token-file", "/nix"], "unreadable"),
        (["--log", "xml"], "bad_option"),
        (["--max-body", "0"], "bad_option"),
        (["--port", "70000"], "usage"),
        (["--host", "no.such.host.invalid"], "cannot_bind"),
    ],
)
def test_options_that_cannot_be_used(arguments: list[str], code: str) -> None:
    done = run("--json-errors", "serve", *MEDICAL, *arguments)
    assert done.returncode == 2
    assert json.loads(done.stderr)["error"]["code"] == code


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra_it_says_how_to_install_it(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom bfsql_rdf.cli import main\nmain()"
    done = run("serve", *MEDICAL, code=code)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'bfsql-rdf[serve]'" in done.stderr
    assert missing in done.stderr


def test_the_package_and_its_command_line_need_no_server() -> None:
    code = "import sys, bfsql_rdf.cli; print({'fastapi', 'uvicorn', 'starlette', 'prometheus_client'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
