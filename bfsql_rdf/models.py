"""The queries and results of the language, as pydantic models; one reader for JSON from every face."""

import json
import math
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError

from bfsql_rdf.errors import QueryError

AsOf = StrictInt | StrictFloat | StrictStr
Name = Annotated[StrictStr, Field(min_length=1)]


_STATUS = 'Statuses that count, all that you want; left out: ["asserted_true"] alone.'
_AS_OF = "Only statements positioned at or before this number or date; those without a position are left out."


class _Query(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NodeFilter(_Query):
    """Which nodes come in full; left out: all, an empty list: none."""

    entity_types: list[Name] | None = Field(
        default=None, description="Types whose nodes come in full, subclasses too; [] stubs every node."
    )


class EdgeFilter(_Query):
    """Which edges come in full; left out: all, an empty list: none."""

    predicates: list[Name] | None = Field(
        default=None, description="Predicates whose edges come in full; [] stubs every edge."
    )


class BfsQuery(_Query):
    """A breadth-first search from `seeds` out to `max_hops`."""

    seeds: list[Name] = Field(min_length=1, description="Ids to start from, all at once; names are no ids.")
    max_hops: StrictInt = Field(ge=0, description="How far to walk; 0 gives the seeds alone.")
    truth_status: list[Name] | None = Field(default=None, min_length=1, description=_STATUS)
    as_of: AsOf | None = Field(default=None, description=_AS_OF)
    expand_traits: list[Name] | None = Field(
        default=None,
        description='"Symmetric" and "Inverse": add the edges that follow from those walked, marked derived_via.',
    )
    node_filter: NodeFilter | None = Field(
        default=None, description="Which nodes come in full, the rest as stubs; left out: all in full."
    )
    edge_filter: EdgeFilter | None = Field(
        default=None, description="Which edges come in full, the rest as stubs; left out: all in full."
    )


class ClosureQuery(_Query):
    """Everything reachable from `start` along one predicate."""

    start: Name = Field(description="The id to start from.")
    predicate: Name = Field(description="The one predicate to follow, from subject to object.")


class ScanQuery(_Query):
    """Everything in the graph that matches, in pages of `limit`, from the cursor `after` on."""

    node_types: list[Name] | None = Field(
        default=None, min_length=1, description='Types of the entities to list; "Statement" lists statements.'
    )
    edge_predicates: list[Name] | None = Field(
        default=None, min_length=1, description="Predicates of the statements to list."
    )
    truth_status: list[Name] | None = Field(default=None, min_length=1, description=_STATUS)
    as_of: AsOf | None = Field(default=None, description=_AS_OF)
    limit: StrictInt | None = Field(default=None, ge=1, description="Rows of a page at most.")
    after: StrictStr | None = Field(
        default=None, description="The `next` of the page before, with everything else as it was."
    )


class SearchQuery(_Query):
    """Entities by name: text as a person would write it, types to keep to, how many at most."""

    query: Name = Field(max_length=1000, description="A name, part of one, or an id.")
    entity_types: list[Name] | None = Field(
        default=None, min_length=1, description="Only entities of these types, subclasses too."
    )
    limit: StrictInt = Field(default=10, ge=1, le=100, description="How many candidates at most.")


class Result(BaseModel):
    """An answer; `to_dict` leaves out what there is nothing to say about."""

    model_config = ConfigDict(extra="forbid")

    def to_dict(self) -> dict[str, Any]:
        """The answer as the JSON object of the language."""
        return {key: value for key, value in self if value is not None}

    def to_json(self, indent: int | None = None) -> str:
        """The answer as JSON text, UTF-8 characters as they are."""
        separators = (",", ":") if indent is None else None
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, separators=separators)


class Subgraph(Result):
    """The answer of `bfs_query`."""

    seeds: list[str]
    max_hops: int
    node_count: int
    edge_count: int
    labels: dict[str, str] | None = None
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    unknown_seeds: list[str] | None = None
    truncated: dict[str, Any] | None = None
    warnings: list[dict[str, str]] | None = None


class Closure(Result):
    """The answer of `transitive_closure_query`: sorted ids."""

    start: str
    predicate: str
    count: int
    entities: list[str]


class Scan(Result):
    """One page of the answer of `scan_query`; `next` is the cursor of the page after it."""

    node_count: int
    edge_count: int
    labels: dict[str, str] | None = None
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    next: str | None = None
    warnings: list[dict[str, str]] | None = None


class Descriptions(Result):
    """The answer of `describe_entities`."""

    labels: dict[str, str] | None = None
    nodes: list[dict[str, Any]]
    not_found: list[str] | None = None


class Candidates(Result):
    """The answer of `search_entities`: what the text may mean, best first."""

    candidates: list[dict[str, Any]]
    warnings: list[dict[str, str]] | None = None


class Schema(Result):
    """The answer of `describe_schema`: what the graph holds, most used first.

    `entities` counts nodes with a type, `links` statements and plain triples between nodes, `plain_links` those that
    no statement describes; `truth_statuses` counts statements; `more` counts what was left out of each list.
    """

    view: str
    hops: str
    entities: int
    links: int
    statements: int
    plain_links: int
    styles: dict[str, int]
    truth_statuses: dict[str, int]
    default_truth_status: list[str]
    positions: dict[str, dict[str, Any]] | None = None
    prefixes: dict[str, str] | None = None
    entity_types: list[dict[str, Any]]
    untyped: str | None = None
    predicates: list[dict[str, Any]]
    statement_fields: dict[str, int] | None = None
    warnings: list[dict[str, str]] | None = None
    more: dict[str, int] | None = None


Q = TypeVar("Q", bound=BaseModel)
_TODAY = {
    "node_types": "node_filter: {entity_types: [...]}",
    "entity_types": "node_filter: {entity_types: [...]}",
    "predicates": "edge_filter: {predicates: [...]}",
    "edge_predicates": "edge_filter: {predicates: [...]}",
    "topology_only": "node_filter: {entity_types: []} and edge_filter: {predicates: []}",
}


def read_query(model: type[Q], query: Any) -> Q:
    """A query model from a dict or JSON text.

    Raises QueryError that names the key, why it is wrong and what is allowed.
    """
    if isinstance(query, model):
        return query
    if isinstance(query, str | bytes):
        try:
            query = json.loads(query)
        except (ValueError, RecursionError) as error:
            raise QueryError(f"the query is not JSON: {error}", code="bad_json", where="query") from None
    if not isinstance(query, dict):
        raise QueryError(
            f"a query is a JSON object, not {_kind(query)}",
            code="bad_query",
            where="query",
            hint=f"Its keys: {', '.join(model.model_fields)}",
        )
    _refuse_null(query)
    if isinstance(query.get("as_of"), bool):
        raise QueryError("a cut-off is a number or text, not a boolean", code="bad_value", where="as_of")
    if isinstance(query.get("as_of"), float) and not math.isfinite(query["as_of"]):
        raise QueryError("a cut-off is a finite number", code="bad_value", where="as_of")
    try:
        return model.model_validate(query)
    except ValidationError as error:
        raise _explain(model, error) from None


def _refuse_null(query: dict[str, Any], path: str = "") -> None:
    for key, value in query.items():
        if value is None:
            raise QueryError("null is no value here", code="bad_value", where=f"{path}{key}", hint="Leave the key out")
        if isinstance(value, dict):
            _refuse_null(value, f"{path}{key}.")


def _explain(model: type[BaseModel], error: ValidationError) -> QueryError:
    first = min(error.errors(include_url=False), key=lambda e: (e["type"] != "extra_forbidden", len(e["loc"])))
    if not first["loc"]:
        return QueryError("a key is not Unicode text", code="bad_value", where="query")
    path = ".".join(str(part) for part in first["loc"] if part not in ("int", "float", "str"))
    key = str(first["loc"][-1])
    if first["type"] == "extra_forbidden":
        hint = f"Known keys: {', '.join(_keys(model, first['loc'][:-1]))}"
        if model is BfsQuery and len(first["loc"]) == 1 and key in _TODAY:
            hint = f"Write it as {_TODAY[key]}"
        return QueryError(f"unknown key {key!r}", code="unknown_key", where=path, hint=hint)
    if first["type"] == "missing":
        return QueryError(
            f"the key {key!r} is required",
            code="missing_key",
            where=path,
            hint=f"Keys: {', '.join(_keys(model, first['loc'][:-1]))}",
        )
    message = first["msg"].replace("Input should be", "the value must be")
    if first["loc"][0] == "as_of":
        message = "the value must be a number or text"
    return QueryError(f"{message}, not {_shown(first['input'])}", code="bad_value", where=path)


def _keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    for part, nested in (("node_filter", NodeFilter), ("edge_filter", EdgeFilter)):
        if part in path:
            return list(nested.model_fields)
    return list(model.model_fields)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | int | float) else _kind(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _kind(value: Any) -> str:
    names: dict[type, Literal["an array", "an object", "text", "null", "a boolean"]] = {
        list: "an array",
        dict: "an object",
        str: "text",
        type(None): "null",
        bool: "a boolean",
    }
    return names.get(type(value), "a number")
