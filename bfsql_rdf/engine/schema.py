"""`describe_schema`: what a graph holds, most used first, within a budget of tokens."""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any

from bfsql_rdf.engine.bfs import DEFAULT_STATUS
from bfsql_rdf.engine.terms import Terms, shorten
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import Schema
from bfsql_rdf.store.index import Index
from bfsql_rdf.tokens import estimate_tokens

LEAST_TOKENS = 600
"""Room for the sizes and the kinds of positions, and a little of each list."""
REST = 60
"""Tokens kept for what is written last."""
HOPS = {
    "edges": "One relationship is one hop; the data of a statement ride on its edge.",
    "nodes": "A statement is a node and takes a hop of its own: subject to statement is one hop, statement to object "
    "the next, so what is N relationships away is 2N hops away. A link that no statement describes is one hop.",
}
AS_OF = {
    "number": "a JSON number",
    "date": 'text: "2008", "2008-06", "2008-06-15" (all of that year, month or day) or "2008-06-15T12:00:00Z"',
    "text": "text, compared character by character",
}
KEPT = 8
"""Schemas of one graph that are kept, by budget."""


class Describer:
    """The schema of one graph, worked out once for each budget; safe to use from several threads."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: OrderedDict[int, Schema] = OrderedDict()
        self._lock = Lock()

    def __call__(self, max_tokens: int) -> Schema:
        """As `describe_schema`; the caller may change what it gets."""
        with self._lock:
            found = self._known.pop(max_tokens, None) or describe_schema(self._index, max_tokens)
            self._known[max_tokens] = found
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found.model_copy(deep=True)


def describe_schema(index: Index, max_tokens: int = 4000) -> Schema:
    """The schema of a graph in at most `max_tokens` (estimated on its compact JSON); `more` counts what is left out.

    Raises QueryError for a budget that is no integer or too small for the sizes alone.
    """
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < LEAST_TOKENS:
        raise QueryError(
            f"max_tokens is a whole number of at least {LEAST_TOKENS}",
            code="bad_value",
            where="max_tokens",
            hint="Leave it out for 4000",
        )
    return _Writer(index, max_tokens).write()


class _Writer:
    """Fills one schema; each list takes what fits its share and counts the rest."""

    def __init__(self, index: Index, max_tokens: int) -> None:
        self.index, self.terms = index, Terms(index)
        self.total = max_tokens
        self.more: dict[str, int] = {}

    def write(self) -> Schema:
        figures, total = self.index.figures, self.total
        schema = Schema(
            view=self.index.profile.view,
            hops=HOPS[self.index.profile.view],
            entities=sum(figures.types.values()),
            links=sum(n[0] for n in figures.predicates.values()),
            statements=sum(figures.styles.values()),
            plain_links=figures.plain_links,
            truth_statuses=self._some("truth_statuses", _ranked(figures.statuses), total // 12),
            default_truth_status=list(DEFAULT_STATUS),
            positions=self._positions() or None,
            styles=self._some("styles", _ranked(figures.styles), total // 16),
            entity_types=[],
            predicates=[],
        )
        warnings = [one | {"message": shorten(one["message"], 200)} for one in figures.warnings]
        schema.warnings = self._list("warnings", warnings, total // 12) or None
        schema.statement_fields = self._some("statement_fields", self.terms.statement_fields(), total // 10) or None
        reserve = total // 12 + REST
        self._terms(schema, total - _cost(schema.to_dict()) - reserve)
        prefixes = {prefix: self.index.ids.prefixes[prefix] for prefix in _ranked(self._prefixes())}
        left = total - _cost(schema.to_dict()) - REST
        schema.prefixes = self._some("prefixes", prefixes, left) or None
        schema.untyped = "A node without a type is shown as Thing." if self.terms.untyped else None
        schema.more = {key: n for key, n in self.more.items() if n} or None
        return schema

    def _terms(self, schema: Schema, room: int) -> None:
        """Types in a third of the room, predicates in the rest, and further types in what that leaves."""
        terms = self.terms
        types, predicates = terms.types(), terms.predicates()
        first, cost = _fill(types, terms.entity_type, room // 3)
        left = room - cost
        told, cost = _fill(predicates, terms.predicate, left * 3 // 4)
        left -= cost
        named, cost = _fill(predicates[len(told) :], terms.bare_predicate, left)
        further, _ = _fill(types[len(first) :], terms.entity_type, left - cost)
        schema.entity_types, schema.predicates = first + further, told + named
        self.more["entity_types"] = len(types) - len(schema.entity_types)
        self.more["predicates"] = len(predicates) - len(schema.predicates)

    def _positions(self) -> dict[str, dict[str, Any]]:
        found = self.index.figures.positions
        return {
            kind: {"first": _position(kind, first), "last": _position(kind, last), "as_of": AS_OF[kind]}
            for kind, (first, last) in found.items()
        }

    def _prefixes(self) -> dict[str, int]:
        known = self.index.ids.prefixes
        return {prefix: n for prefix, n in self.terms.prefixes.items() if prefix in known}

    def _some(self, key: str, items: Mapping[str, Any], room: int) -> dict[str, Any]:
        names, _ = _fill(items, lambda name: {name: items[name]}, room)
        self.more[key] = len(items) - len(names)
        return {name: value for one in names for name, value in one.items()}

    def _list(self, key: str, items: list[dict[str, str]], room: int) -> list[dict[str, str]]:
        kept, _ = _fill(items, lambda one: one, room)
        self.more[key] = len(items) - len(kept)
        return kept


def _fill(items: Iterable[Any], body: Callable[[Any], dict[str, Any]], room: int) -> tuple[list[dict[str, Any]], int]:
    """The first bodies that fit, and what they cost."""
    kept: list[dict[str, Any]] = []
    spent = 0
    for item in items:
        if spent >= room:
            break
        one = body(item)
        cost = _cost(one)
        if spent + cost > room:
            break
        kept.append(one)
        spent += cost
    return kept, spent


def _cost(body: Any) -> int:
    return estimate_tokens(json.dumps(body, ensure_ascii=False, separators=(",", ":")) + ",")


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts, key=lambda name: (-counts[name], name))}


def _position(kind: str, text: str) -> Any:
    if kind != "number":
        return shorten(text, 60)
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
