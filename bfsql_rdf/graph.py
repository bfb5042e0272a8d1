"""The facade: the questions of the language, asked of one graph."""

import os
import secrets
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

import rdflib
from pyoxigraph import Store

from bfsql_rdf.engine.embedded import Embedded
from bfsql_rdf.engine.examples import Example
from bfsql_rdf.errors import QueryError, StoreError
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Descriptions,
    Scan,
    ScanQuery,
    Schema,
    SearchQuery,
    Subgraph,
    read_query,
)
from bfsql_rdf.profile import Profile
from bfsql_rdf.remote.backend import EndpointBackend
from bfsql_rdf.remote.client import Endpoint
from bfsql_rdf.remote.connection import Connection
from bfsql_rdf.store.folder import damage_told, is_store
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.load import open_files, open_folder, open_quads
from bfsql_rdf.store.reading import FileInfo, rdflib_quads, skolemize

Path_ = str | os.PathLike[str]
OpenSource = Path_ | Sequence[Path_] | rdflib.Graph | Store


class Backend(Protocol):
    """What answers: an embedded store, or an endpoint."""

    @property
    def index(self) -> Index: ...

    def bfs(self, query: BfsQuery) -> Subgraph: ...

    def closure(self, query: ClosureQuery) -> Closure: ...

    def scan(self, query: ScanQuery) -> Scan: ...

    def search(self, query: SearchQuery) -> Candidates: ...

    def describe(self, ids: Sequence[str]) -> Descriptions: ...

    def schema(self, max_tokens: int) -> Schema: ...

    def prompt(self) -> str: ...

    def examples(self) -> list[Example]: ...

    def explain(self, query: BfsQuery | ClosureQuery | ScanQuery) -> dict[str, Any]: ...


class Graph:
    """A graph that answers BFS-QL. Made by `bfsql_rdf.open`; safe to use from several threads."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._index = backend.index
        self._opening = secrets.token_hex(4)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connections to an endpoint; a graph that is no longer used does so by itself."""
        if isinstance(self._backend, EndpointBackend):
            self._backend.close()

    @property
    def profile(self) -> Profile:
        """The profile the graph is read with."""
        return self._index.profile

    @property
    def prefixes(self) -> dict[str, str]:
        """Each known prefix with its canonical IRI."""
        return self._index.ids.prefixes

    @property
    def generation(self) -> str:
        """A word that changes with the data; empty where that is not known, as of an endpoint.

        For data from another library it is new at every opening.
        """
        if not isinstance(self._backend, Embedded):
            return ""
        meta = self._backend.opened.meta
        own = any(file.format in ("rdflib", "store") for file in meta.files)
        return f"{meta.generation}-{self._opening}" if own else meta.generation

    @property
    def statuses(self) -> dict[str, int]:
        """How many statements have each truth status."""
        return dict(self._index.figures.statuses)

    @property
    def entity_types(self) -> dict[str, int]:
        """How many nodes are shown with each entity type, by name."""
        return {self._index.types.show(iri): n for iri, n in self._index.figures.types.items()}

    @property
    def predicates(self) -> dict[str, tuple[int, int, int]]:
        """For each predicate, by name: how many links, stated values and plain values it has."""
        figures = self._index.figures.predicates
        return {self._index.predicates.show(iri): (n[0], n[1], n[2]) for iri, n in figures.items()}

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What was odd about the data when it was indexed: `{code, message}` each."""
        return list(self._index.figures.warnings)

    def bfs_query(self, query: Any = None, /, **keys: Any) -> Subgraph:
        """The subgraph around some seeds; the query as a dict, JSON text, a BfsQuery, or keywords.

        Raises QueryError, with the key that is at fault and what to try.
        """
        with damage_told():
            return self._backend.bfs(read_query(BfsQuery, _query(query, keys)))

    def transitive_closure_query(self, query: Any = None, /, **keys: Any) -> Closure:
        """Every id reachable from `start` along `predicate`."""
        with damage_told():
            return self._backend.closure(read_query(ClosureQuery, _query(query, keys)))

    def scan_query(self, query: Any = None, /, **keys: Any) -> Scan:
        """One page of everything that matches `node_types`, `edge_predicates`, `truth_status`, `as_of`."""
        with damage_told():
            return self._backend.scan(read_query(ScanQuery, _query(query, keys)))

    def search_entities(self, query: Any = None, /, **keys: Any) -> Candidates:
        """The entities that a name may mean, best first: `query`, and optionally `entity_types` and `limit`.

        The first search of a graph in memory builds its search index.
        """
        with damage_told():
            return self._backend.search(read_query(SearchQuery, _query(query, keys)))

    def describe_entities(self, ids: Sequence[str]) -> Descriptions:
        """Full nodes, text uncut, statements of any status; and the ids that are not in the graph."""
        if isinstance(ids, str) or not ids or not all(isinstance(one, str) and one for one in ids):
            raise QueryError("ids is a list of one or more ids", code="bad_value", where="ids")
        with damage_told():
            return self._backend.describe(ids)

    def describe_schema(self, max_tokens: int = 4000) -> Schema:
        """Types, predicates, statuses, positions, prefixes and sizes, most used first, in at most `max_tokens`."""
        with damage_told():
            return self._backend.schema(max_tokens)

    def prompt(self) -> str:
        """Markdown that teaches a language model BFS-QL for this graph, with queries that were run on it."""
        with damage_told():
            return self._backend.prompt()

    def examples(self) -> list[Example]:
        """The queries of the prompt, run on this graph: `primitive`, `query`, `asks`, `gave`; none for an endpoint."""
        with damage_told():
            return self._backend.examples()

    def explain(self, primitive: str, query: Any = None, /, **keys: Any) -> dict[str, Any]:
        """The SPARQL of a query ("bfs", "closure" or "scan"): `{sparql: [text], plan: [text]}`.

        The query is run; `sparql` is over the data, one text for each request with its real frontier; `plan` is
        what the index is asked.
        """
        model = _PRIMITIVES.get(primitive)
        if model is not None:
            with damage_told():
                return self._backend.explain(read_query(model, _query(query, keys)))
        raise QueryError(
            f"there is no query {primitive!r}",
            code="bad_value",
            where="primitive",
            hint="bfs, closure or scan",
        )

    @property
    def store(self) -> Store:
        """The user's triples, blank nodes skolemized, as a pyoxigraph Store; StoreError for an endpoint."""
        if not isinstance(self._backend, Embedded):
            raise StoreError("the triples of an endpoint are not here", code="no_store", where="source")
        return self._backend.opened.source.store


_PRIMITIVES: dict[str, Any] = {"bfs": BfsQuery, "closure": ClosureQuery, "scan": ScanQuery}


def _query(query: Any, keys: dict[str, Any]) -> Any:
    if query is None:
        return keys
    if keys:
        raise QueryError("give a query or keywords, not both", code="bad_query", where="query")
    return query


SURVEY_SECONDS = 10
"""How long an endpoint may take for one of the questions by which it is got to know."""


def _endpoint(url: str, profile: Profile, options: dict[str, Any]) -> EndpointBackend:
    whole = Connection.of(url, **({"timeout": profile.limits.timeout} | options))
    quick = whole.model_copy(update={"timeout": min(whole.timeout, SURVEY_SECONDS), "retries": min(whole.retries, 1)})
    endpoint = Endpoint(whole)
    try:
        with Endpoint(quick) as surveyed:
            backend = EndpointBackend(endpoint, profile, surveyed)
    except BaseException:
        endpoint.close()
        raise
    backend.close = weakref.finalize(backend, endpoint.close)
    return backend


def open(
    source: OpenSource, profile: Any = None, *, lenient: bool = False, connection: dict[str, Any] | None = None
) -> Graph:
    """Open a graph: a file or a list of files (read into memory), a store folder, the URL of a SPARQL endpoint, an
    rdflib Graph or Dataset, a pyoxigraph Store.

    `profile` is a path to TOML, a dict, or a Profile; `connection` has options of an endpoint (`user`, `password`,
    `token`, `headers`, `timeout`, `retries`, `concurrency`, `method`, `default_graphs`, `verify`). Raises LoadError,
    StoreError, EndpointError or ProfileError.
    """
    chosen = None if profile is None else Profile.of(profile)
    if isinstance(source, Store):
        info = FileInfo(name="store", digest="store", format="store", star=False)
        return Graph(Embedded(open_quads(skolemize(source, info.digest), info, chosen or Profile())))
    if isinstance(source, rdflib.Graph):
        prefixes = {prefix: str(iri) for prefix, iri in source.namespaces()}
        info = FileInfo(name="rdflib", digest="rdflib", format="rdflib", star=False, prefixes=prefixes)
        quads = skolemize(rdflib_quads(source), info.digest)
        return Graph(Embedded(open_quads(quads, info, chosen or Profile())))
    names = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not names:
        raise StoreError("no source was given", code="no_source", where="source")
    if len(names) == 1 and str(names[0]).startswith(("http://", "https://")):
        return Graph(_endpoint(str(names[0]), chosen or Profile(), connection or {}))
    if connection:
        raise StoreError("connection options are for endpoints", code="bad_source", where=str(names[0]))
    if len(names) == 1 and Path(names[0]).is_dir():
        return Graph(Embedded(open_folder(names[0], chosen)))
    for name in names:
        if is_store(Path(name)):
            raise StoreError(
                "a store folder is opened alone",
                code="not_a_file",
                where=str(name),
                hint="Load the files into it",
            )
    return Graph(Embedded(open_files(names, chosen or Profile(), lenient=lenient)))
