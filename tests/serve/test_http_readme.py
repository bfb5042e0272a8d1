"""The README's server and its requests run; the unit and the Dockerfile name options that there are."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bfsql_rdf.serve.options import ServeOptions
from tests.serve.servers import PATIENCE, ROOT
from tests.serve.test_http_process import started
from tests.test_readme import README, blocks

LINES = [line for block in blocks("sh") for line in block.splitlines()]
REQUESTS = [line for line in LINES if line.startswith("curl ")]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the README's command serves, on a free port."""
    (command,) = [line for line in LINES if line.startswith("bfsql-rdf serve ")]
    arguments = shlex.split(command.replace("--port 8000", "--port 0"))[1:]
    with started("-m", "bfsql_rdf.cli", *arguments) as (_, found, _):
        yield found


def test_there_is_a_request_for_every_route() -> None:
    paths = {re.search(r":8000(/\w+)", line)[1] for line in REQUESTS}  # type: ignore[index]
    assert len(paths) == len(REQUESTS) == 11


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl is installed")
@pytest.mark.parametrize("line", REQUESTS)
def test_requests_are_answered(address: str, line: str) -> None:
    command = shlex.split(line.replace("http://127.0.0.1:8000", address))
    done = subprocess.run([*command, "--fail"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    if "/prompt" in line:
        assert done.stdout.startswith("# ")
    elif "/metrics" in line:
        assert "bfsql_http_requests_total" in done.stdout
    else:
        assert json.loads(done.stdout)


def test_the_bounds_are_those_of_the_words() -> None:
    options = ServeOptions()
    assert options.places == (os.cpu_count() or 1) + 2
    assert (options.max_items, options.max_body, options.max_waiting, options.queue_seconds) == (1000, 10**6, 100, 10)


def known_options() -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "bfsql_rdf.cli", "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "200"},
    )
    return set(re.findall(r"--[a-z][a-z-]+", done.stdout))


def test_options_that_are_named_exist() -> None:
    known = known_options()
    section = README[README.index("## Beside your application: HTTP") : README.index("## For a language model")]
    (unit,) = blocks("ini")
    told = re.sub(r"docker run .*?bfsql-rdf`|caddy [^`]*|curl [^\n]*", "", section.replace(unit, ""), flags=re.S)
    started_by = re.search(r"ExecStart=.*", unit)
    assert started_by
    assert set(re.findall(r"--[a-z][a-z-]+", told + started_by[0])) <= known


def test_the_container_serves_and_is_not_root() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    command = json.loads(re.findall(r"^CMD (.*)", text, flags=re.M)[-1])
    assert command[:2] == ["serve", "/data"]
    assert {part for part in command if part.startswith("--")} <= known_options()
    assert re.search(r"^USER bfsql$", text, flags=re.M)
    assert "/health" in text
    for copied in re.findall(r"^COPY (.*) \./", text, flags=re.M):
        assert all((Path(ROOT) / name).exists() for name in copied.split())
