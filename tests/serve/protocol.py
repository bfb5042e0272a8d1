"""What the tests of the Model Context Protocol share: servers to speak to, and the official client."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.regold import ROOT

COMMAND = [
    *("-m", "bfsql_rdf.cli", "mcp", str(ROOT / "data" / "medical.ttl")),
    *("--profile", str(ROOT / "data" / "medical.toml")),
]


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """An ASGI application behind a real server in a thread."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def stdio(*further: str) -> StdioServerParameters:
    """The command line as a server."""
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, *further], cwd=ROOT)


def run(server: Any, work: Callable[[Client], Any], **options: Any) -> None:
    """Some work with the official client, connected to a server, an address or a command."""

    async def main() -> None:
        with anyio.fail_after(50):
            async with Client(server, **options) as client:
                await work(client)

    anyio.run(main)


def told(result: Any) -> Any:
    """The JSON of a tool's one text."""
    [block] = result.content
    assert result.structured_content is None
    return json.loads(block.text)
