"""A double of an endpoint: a store in process that answers as one, and keeps what it was asked."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyoxigraph import BlankNode, NamedNode, QuerySolutions, Store

from bfsql_rdf.errors import EndpointError
from bfsql_rdf.terms import SKOLEM


class Rows:
    """The rows of one answer."""

    def __init__(self, variables: Sequence[str], rows: list[tuple[Any, ...]], truncated: Any = None) -> None:
        self.variables, self.truncated = variables, truncated
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows)


class Double:
    """Answers SELECT and ASK over a store.

    `renames` gives blank nodes other labels in each answer; `longest` refuses longer queries; `most` rows are
    answered, and that the rest was left out is said.
    """

    def __init__(self, store: Store, renames: bool = False) -> None:
        self.store, self.renames = store, renames
        self.longest: int | None = None
        self.most: int | None = None
        self.asked: list[str] = []
        self.rows: list[int] = []

    def select(self, query: str, limit_rows: int | None = None) -> Rows:
        self.asked.append(query)
        if self.longest is not None and len(query) > self.longest:
            raise EndpointError("the query is too long", code="query_too_large", where="double")
        limit_rows = min(filter(None, (limit_rows, self.most)), default=None)
        found = self.store.query(query, use_default_graph_as_union=True)
        assert isinstance(found, QuerySolutions)
        rows = [tuple(self._term(term) for term in row) for row in found]
        cut = limit_rows is not None and len(rows) > limit_rows
        truncated = {"by": "limit", "rows": limit_rows} if cut else None
        rows = rows[:limit_rows] if cut else rows
        self.rows.append(len(rows))
        return Rows([one.value for one in found.variables], rows, truncated)

    def ask(self, query: str) -> bool:
        self.asked.append(query)
        return bool(self.store.query(query, use_default_graph_as_union=True))

    def _term(self, term: Any) -> Any:
        if self.renames and type(term) is NamedNode and term.value.startswith(SKOLEM):
            return BlankNode(f"{term.value[len(SKOLEM) :].replace('-', '')}x{len(self.asked)}")
        return BlankNode(term.value + f"x{len(self.asked)}") if self.renames and type(term) is BlankNode else term
