"""One server for all tests that ask nothing special of it."""

from collections.abc import Iterator

import pytest

from bfsql_rdf import Graph
from tests.serve.servers import Running, medical, serving


@pytest.fixture(scope="session")
def graph() -> Graph:
    return medical()


@pytest.fixture(scope="session")
def server(graph: Graph) -> Iterator[Running]:
    with serving(graph) as running:
        yield running
