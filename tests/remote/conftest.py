"""A misbehaving server for each test, and endpoints that are closed after it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bfsql_rdf import EndpointError
from bfsql_rdf.remote.client import Endpoint
from tests.remote.server import Bad, start

Open = Callable[..., Endpoint]


@pytest.fixture
def bad() -> Iterator[Bad]:
    found = Bad()
    server = start(found)
    yield found
    found.done.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def connect() -> Iterator[Open]:
    opened: list[Endpoint] = []

    def make(url: str, **options: Any) -> Endpoint:
        opened.append(Endpoint(url, **({"backoff": 0.01, "timeout": 20} | options)))
        return opened[-1]

    yield make
    for endpoint in opened:
        endpoint.close()


@pytest.fixture
def failure(connect: Open) -> Callable[..., EndpointError]:
    """The error of a SELECT at a URL."""

    def ask(url: str, query: str = "SELECT * {}", **options: Any) -> EndpointError:
        with pytest.raises(EndpointError) as caught:
            connect(url, **options).select(query)
        return caught.value

    return ask
