"""One graph as it is served: what every route and every further face has at hand."""

import hashlib
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Scope

from bfsql_rdf import __version__
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve.gate import Gate
from bfsql_rdf.serve.meters import Meters
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.store.figures import INDEX_VERSION

GRACE = 5
"""Seconds beyond the profile's timeout that an answer may take to be shaped and written."""


def path_of(scope: Scope) -> str:
    """The path of a request below the place where the app is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


@dataclass
class Service:
    """A graph, how it is served, its threads and its counters.

    `lifespans` are entered when the server starts and left when it stops; `open_paths` need no token.
    """

    graph: Graph
    options: ServeOptions
    gate: Gate
    meters: Meters
    lifespans: list[Callable[[], AbstractAsyncContextManager[Any]]] = field(default_factory=list)
    open_paths: set[str] = field(default_factory=lambda: {"/health"})

    @classmethod
    def of(cls, graph: Graph, options: ServeOptions) -> "Service":
        gate = Gate(options.places, options.queue_seconds, options.max_waiting)
        return cls(graph, options, gate, Meters(gate, __version__))

    def __post_init__(self) -> None:
        profile = self.graph.profile.model_dump_json()
        self._stamp = f"{__version__} {INDEX_VERSION} {self.graph.generation} {profile}"

    @property
    def seconds(self) -> float:
        """How long a query may take before it is given up."""
        return self.graph.profile.limits.timeout + GRACE

    def etag(self, route: str, query: Any) -> str:
        """A word for the answer of a query: another when data, profile, version or query differ.

        Weak, since a compressed answer bears the same.
        """
        text = json.dumps([self._stamp, route, query], sort_keys=True)
        return f'W/"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
