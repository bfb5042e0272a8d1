"""Request bodies: JSON of a bounded size, read by the language's one reader."""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect, Request

from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import Name, read_query
from bfsql_rdf.serve.gate import ClientGone
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.problems import Problem

Q = TypeVar("Q", bound=BaseModel)


class ExplainQuery(BaseModel):
    """A query to explain: `bfs`, `closure` or `scan`, and the query itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    primitive: Name
    query: dict[str, Any]


async def read_body(request: Request, model: type[Q], options: ServeOptions) -> Q:
    """The query that a request bears.

    Raises Problem 413 and 415 for a body that is not to be read, QueryError for what it says.
    """
    _check_headers(request)
    try:
        body = await request.body()
    except ClientDisconnect:
        raise ClientGone from None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise QueryError(f"the query is not JSON: {error}", code="bad_json", where="query") from None
    try:
        query = json.loads(text)
    except (ValueError, RecursionError):
        return read_query(model, text)
    check_sizes(query, options)
    return read_query(model, query)


def _check_headers(request: Request) -> None:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    kind = kind.strip().lower()
    charset = parameters.lower().replace(" ", "").replace('"', "")
    wrong = kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json"))
    if wrong or charset not in ("", "charset=utf-8"):
        raise Problem(
            415,
            "unsupported_media_type",
            f"a query is application/json in UTF-8, not {request.headers.get('content-type', 'untyped')[:100]}",
            where="Content-Type",
            hint="Send Content-Type: application/json",
        )
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Problem(
            415,
            "unsupported_encoding",
            "a compressed body is not read",
            where="Content-Encoding",
            hint="Send the JSON as it is",
            headers={"Accept-Encoding": "identity"},
        )


def check_sizes(query: Any, options: ServeOptions) -> None:
    """QueryError for a list that is too long, or nesting that is too deep."""
    stack = [(query, "", 1)]
    while stack:
        value, path, depth = stack.pop()
        if not isinstance(value, list | dict):
            continue
        if depth > options.max_depth:
            message = f"the query nests more than {options.max_depth} deep"
            raise QueryError(message, code="too_deep", where=path.lstrip(".").split(".")[0] or "query")
        if len(value) > options.max_items:
            raise QueryError(
                f"{len(value):,} entries are more than this server takes",
                code="too_many_items",
                where=path.lstrip(".") or "query",
                hint=f"At most {options.max_items:,} in a list; ask in parts",
            )
        items = value.items() if isinstance(value, dict) else enumerate(value)
        stack.extend((item, f"{path}.{key}", depth + 1) for key, item in items)
