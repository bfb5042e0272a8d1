"""`scan_query`: everything that matches, wherever it is, page by page."""

import base64
import hashlib
import json
import traceback
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import islice
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.engine.bfs import resolve_filters, superclass_named
from bfsql_rdf.engine.shape import Shaper
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import Scan, ScanQuery
from bfsql_rdf.store.index import Allowed, Index, Statement
from bfsql_rdf.store.layout import ALL_TYPES, DISPLAY, PLAIN, RECORDS

T = TypeVar("T")
Row = tuple[str, Any]
OPEN_SCANS = 16


class Rows:
    """Rows taken page by page, with a look at whether any are left."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._ahead: list[Row] = []

    def take(self, page: int) -> list[Row]:
        """The next `page` rows, fewer at the end."""
        taken = self._ahead + list(islice(self._rows, page - len(self._ahead)))
        self._ahead = []
        return taken

    def more(self) -> bool:
        """Whether a row follows."""
        self._ahead = list(islice(self._rows, 1))
        return bool(self._ahead)


Kept = OrderedDict[str, Rows]


class Keeper:
    """A thread that makes, reads and drops the rows of open scans: a store's iterators must not leave their thread."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[Kept], Any]] | None] = SimpleQueue()
        self._lock = Lock()
        self._started = False

    def run(self, call: Callable[[Kept], T]) -> T:
        """The result of a call in that thread, with the rows that are kept."""
        with self._lock:
            if not self._started:
                Thread(target=_work, args=(self._tasks,), daemon=True, name="scans").start()
                weakref.finalize(self, self._tasks.put, None)
                self._started = True
        future: Future[T] = Future()
        self._tasks.put((future, call))
        return future.result()


def _work(tasks: "SimpleQueue[tuple[Future[Any], Callable[[Kept], Any]] | None]") -> None:
    kept: Kept = OrderedDict()
    while (task := tasks.get()) is not None:
        future, call = task
        try:
            future.set_result(call(kept))
        except BaseException as error:  # noqa: BLE001 it is raised where it was asked for
            traceback.clear_frames(error.__traceback__)
            future.set_exception(error)
        del task, future, call


class Scanner:
    """Scans over one index. The next page of a scan goes on where the last one stopped.

    A page costs in proportion to itself while the scan is among the last `OPEN_SCANS`; a cursor from another
    process is found again by passing over the rows before it.
    """

    def __init__(self, index: Index, generation: str) -> None:
        self.index, self.generation = index, generation
        self._keeper = Keeper()

    def __call__(self, query: ScanQuery) -> Scan:
        """One page. Raises QueryError for an empty query, unknown names and foreign cursors."""
        bound, offset, page = self.place(query)
        index = self.index
        allowed = resolve_filters(index, query.truth_status, query.as_of)
        types, statements = self.types(query)
        predicates = [index.predicates.require(name, "edge_predicates") for name in query.edge_predicates or ()]

        def one_page(kept: Kept) -> tuple[list[Row], bool]:
            rows = kept.pop(f"{bound}:{offset}", None)
            if rows is None:
                rows = Rows(islice(self._rows(query, allowed, types, statements, predicates), offset, None))
            taken = rows.take(page)
            more = rows.more()
            if more:
                kept[f"{bound}:{offset + len(taken)}"] = rows
                while len(kept) > OPEN_SCANS:
                    kept.popitem(last=False)
            return taken, more

        taken, more = self._keeper.run(one_page)
        cursor = self.cursor(bound, offset + len(taken)) if more else None
        return self._shape(taken, allowed, cursor, self._warnings(predicates))

    def place(self, query: ScanQuery) -> tuple[str, int, int]:
        """What a cursor of the query is bound to, where its page begins, and how many rows it has."""
        given = query.model_dump(exclude_none=True, exclude={"limit", "after"})
        if not given:
            raise QueryError(
                "a scan needs at least one filter",
                code="empty_scan",
                where="query",
                hint="Give node_types, edge_predicates, truth_status or as_of",
            )
        most = self.index.profile.limits.scan
        bound = self._bound(given)
        return bound, self._offset(query.after, bound), min(query.limit or most, most)

    def whole(self, query: ScanQuery, types: list[str] | None, predicates: list[str], cursor: str | None) -> Scan:
        """Everything of this index that a query matches, as one page with a cursor that was made elsewhere."""
        allowed = resolve_filters(self.index, query.truth_status, query.as_of)
        rows = list(self._rows(query, allowed, types, self.types(query)[1], predicates))
        return self._shape(rows, allowed, cursor, self._warnings(predicates))

    def _warnings(self, predicates: list[str]) -> list[dict[str, str]]:
        """Predicates asked for that only statements and their evidence have."""
        counts = self.index.figures.predicates
        return [
            {
                "code": "field_of_statements",
                "message": f"{self.index.predicates.show(iri)} is a field of statements and their evidence, no edge: "
                "it comes with each statement in full",
            }
            for iri in predicates
            if iri in counts and not any(counts[iri][:3])
        ]

    def types(self, query: ScanQuery) -> tuple[list[str] | None, bool]:
        """The types asked for with their subclasses, and whether statements are among them."""
        if query.node_types is None:
            return None, False
        index, wanted = self.index, set()
        names = [name for name in query.node_types if name != "Statement"]
        for name in names:
            if name == "Thing":
                raise QueryError(
                    "Thing is the absence of a type and cannot be scanned",
                    code="unknown_entity_type",
                    where="node_types",
                    hint="Name a type of the graph",
                )
            iri = index.types.find(name, "node_types") or superclass_named(index, name)
            wanted.add(iri or index.types.require(name, "node_types"))
        found = [
            iri
            for iri in {*index.figures.types, *index.figures.superclasses, *wanted}
            if iri in wanted or not wanted.isdisjoint(index.figures.ancestors(iri))
        ]
        return sorted(found), len(names) < len(query.node_types)

    # Rows

    def _rows(
        self,
        query: ScanQuery,
        allowed: Allowed,
        types: list[str] | None,
        statements: bool,
        predicates: list[str],
    ) -> Iterator[Row]:
        if types:
            yield from self._entities(types)
        others = query.edge_predicates or query.truth_status or query.as_of is not None
        if types is None or statements or others:
            described_only = statements and not predicates
            yield from self._statements(allowed, predicates, described_only)

    def _entities(self, types: list[str]) -> Iterator[Row]:
        match = self.index.store.quads_for_pattern
        wanted = set(types)
        for iri in types:
            for quad in match(None, DISPLAY, NamedNode(iri), RECORDS):
                yield "node", quad.subject
        if self.index.figures.multi_typed:
            for iri in types:
                for quad in match(None, ALL_TYPES, NamedNode(iri), RECORDS):
                    node = quad.subject
                    shown = self.index.type_iri(node)  # type: ignore[arg-type]
                    named = [kind.value for kind in self.index.all_types(node)]  # type: ignore[arg-type]
                    if shown not in wanted and iri == min(set(named) & wanted):
                        yield "node", node

    def _statements(self, allowed: Allowed, predicates: list[str], described_only: bool) -> Iterator[Row]:
        nodes_view = self.index.profile.view == "nodes"
        wanted: list[Any] = [NamedNode(iri) for iri in sorted(set(predicates))] or [None]
        match = self.index.store.quads_for_pattern
        for kind, graphs in (("edge", allowed.links), ("value", allowed.values)):
            for rank, (graph, stated) in enumerate(graphs.items()):
                for predicate in wanted:
                    for quad in match(None, predicate, None, graph):
                        triple = Triple(quad.subject, quad.predicate, quad.object)
                        if nodes_view:
                            for one in self.index.statements_of(triple, (stated,)):
                                if self._first(one, allowed, wanted):
                                    yield "node", one.id
                            continue
                        earlier = list(graphs)[:rank]
                        if allowed.cutoff is not None:
                            if not self.index.supported(triple, (stated,), allowed.cutoff):
                                continue
                            if earlier and self.index.supported(triple, [graphs[g] for g in earlier], allowed.cutoff):
                                continue
                        elif any(next(match(*_spo(triple), g), None) for g in earlier):
                            continue
                        yield kind, triple
        if described_only:
            return
        for predicate in wanted:
            if allowed.plain:
                for quad in match(None, predicate, None, PLAIN):
                    triple = Triple(quad.subject, quad.predicate, quad.object)
                    if nodes_view or not any(next(match(*_spo(triple), g), None) for g in allowed.links):
                        yield "edge", triple
            if predicate is not None and allowed.asserted:
                counts = self.index.figures.predicates.get(predicate.value)
                if not counts or not counts[2]:
                    continue
                for quad in match(None, predicate, None, RECORDS):
                    if not counts[3] or not self.index.is_inside(quad.subject):  # type: ignore[arg-type]
                        yield "value", Triple(quad.subject, quad.predicate, quad.object)

    def _first(self, one: Statement, allowed: Allowed, wanted: list[Any]) -> bool:
        """Whether this is the first allowed triple of a statement that may have several."""
        if not self.index.in_time(one.id, allowed.cutoff):
            return False
        found = [
            other
            for other in self.index.statement(one.id)
            if other.states in allowed.crossed and (wanted == [None] or other.triple.predicate in wanted)
        ]
        return found[0] == one

    def _shape(self, rows: list[Row], allowed: Allowed, cursor: str | None, warnings: list[dict[str, str]]) -> Scan:
        shaper = Shaper(self.index, allowed)
        nodes = [shaper.node(node) for node in dict.fromkeys(node for kind, node in rows if kind == "node")]
        edges = [shaper.edge(_spo(triple)) for kind, triple in rows if kind == "edge"]
        edges += [shaper.value_edge(triple) for kind, triple in rows if kind == "value"]
        nodes.sort(key=lambda node: (node["entity_type"] == "Statement", node["id"]))
        edges.sort(
            key=lambda edge: (
                edge["subject"],
                edge["predicate"],
                "object" not in edge,
                str(edge.get("object", edge.get("value"))),
            )
        )
        return Scan(
            node_count=len(nodes),
            edge_count=len(edges),
            labels=shaper.labels(nodes),
            nodes=nodes,
            edges=edges,
            next=cursor,
            warnings=warnings or None,
        )

    # Cursors

    def _bound(self, given: dict[str, Any]) -> str:
        text = json.dumps([given, self.generation], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @staticmethod
    def cursor(bound: str, offset: int) -> str:
        """Where the next page begins, as an opaque text."""
        return base64.urlsafe_b64encode(f"{bound}:{offset}".encode()).decode().rstrip("=")

    @staticmethod
    def _offset(after: str | None, bound: str) -> int:
        if after is None:
            return 0
        try:
            text = base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)).decode("ascii")
            own, _, offset = text.partition(":")
            number = int(offset)
        except ValueError:
            own, number = "", -1
        if own != bound or number < 0:
            raise QueryError(
                "this cursor belongs to another query, or to the data as it was before a load",
                code="bad_cursor",
                where="after",
                hint="Send the same query as for the page before, or start again without `after`",
            )
        return number


def _spo(triple: Triple) -> tuple[Any, Any, Any]:
    return triple.subject, triple.predicate, triple.object
