"""Errors over HTTP: problem details (RFC 9457) with the code, place and hint that every face gives."""

from typing import Any

from pydantic import BaseModel
from starlette.responses import JSONResponse

from bfsql_rdf.errors import BfsqlError

TITLES = {
    400: "Bad query",
    401: "No token, or a wrong one",
    404: "Not found",
    405: "Method not allowed",
    413: "Too large",
    415: "Not JSON",
    421: "Wrong host",
    500: "Server error",
    502: "The endpoint failed",
    503: "Busy",
}


class Problem(BaseModel):
    """An error: `code` is stable, `where` is the key or input at fault, `hint` what to try."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    where: str | None = None
    hint: str | None = None


def problem(status: int, detail: str, code: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """The response of an error."""
    body = Problem(title=TITLES.get(status, "Error"), status=status, detail=detail, code=code, **more)
    return JSONResponse(
        body.model_dump(exclude_none=True), status, headers=headers, media_type="application/problem+json"
    )


def of_error(error: BfsqlError) -> JSONResponse:
    """A bad query is 400, an endpoint behind that failed 502, a store 500."""
    names = {one.__name__ for one in type(error).__mro__}
    status = 400 if "QueryError" in names else 502 if "EndpointError" in names else 500
    return problem(status, error.message, error.code, where=error.where, hint=error.hint)
