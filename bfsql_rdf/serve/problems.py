"""Errors as `application/problem+json` (RFC 9457), and which status each has."""

import json
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from bfsql_rdf.errors import BfsqlError, EndpointError, StoreError

TYPE = "https://w3id.org/bfsql/problems/"
MEDIA_TYPE = "application/problem+json"
LASTING = frozenset({"damaged_store", "not_a_store"})
"""What is wrong with a store that trying again does not mend."""


class Problem(Exception):
    """An answer that is an error: its status, and the code, text, place and hint of its body."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.status, self.code, self.detail, self.where, self.hint = status, code, detail, where, hint
        self.details, self.headers = details, headers or {}
        super().__init__(code)

    @classmethod
    def of(cls, error: BfsqlError) -> "Problem":
        """A BfsqlError with the same code, message, where and hint; where a store or an endpoint is stays here."""
        if isinstance(error, EndpointError):
            later = {"Retry-After": "10"} if error.code == "endpoint_busy" else {}
            return cls(503 if later else 502, error.code, error.message, hint=error.hint, headers=later)
        if not isinstance(error, StoreError):
            status = 400 if error.status == 2 else 500
            return cls(status, error.code, error.message, where=error.where, hint=error.hint, details=error.details)
        if error.code in LASTING:
            return cls(500, error.code, "the store cannot be read", hint=error.hint)
        return cls(503, error.code, "the store cannot answer now", hint=error.hint, headers={"Retry-After": "10"})

    def to_dict(self) -> dict[str, Any]:
        """The body: `{type, title, status, detail, code, where?, hint?, details?}`."""
        title = self.code.replace("_", " ").capitalize()
        body = {"type": TYPE + self.code, "title": title, "status": self.status, "detail": self.detail}
        more = {"code": self.code, "where": self.where, "hint": self.hint, "details": self.details}
        return body | {key: value for key, value in more.items() if value}

    def response(self) -> Response:
        """The body as a response; text that is not Unicode (half a surrogate pair) leaves as it came, escaped."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))
        headers = {"Cache-Control": "no-store", "Content-Type": MEDIA_TYPE} | self.headers
        return Response(text.encode("utf-8", "backslashreplace"), self.status, headers)


def plain_problem(status: int, headers: dict[str, str] | None = None) -> Problem:
    """What HTTP itself says about a request, such as 404 and 405."""
    phrase = HTTPStatus(status).phrase
    hint = {404: "GET /openapi.json lists what is there", 405: "The Allow header says how to ask"}.get(status)
    code = phrase.lower().replace(" ", "_").replace("-", "_")
    return Problem(status, code, HTTPStatus(status).description or phrase, hint=hint, headers=headers)
