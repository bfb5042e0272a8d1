"""The errors of the package; each says where, why and what to try.

BfsqlError
├── QueryError        the query (or another input of a call) cannot be answered as written
├── ProfileError      a profile that cannot be used
├── LoadError         a file that cannot be read; nothing was loaded
├── EndpointError     a SPARQL endpoint that cannot be reached, refuses, fails, or answers badly
└── StoreError        a store folder that is not one, is busy, or cannot be written
"""

from typing import Any

__all__ = ["BfsqlError", "EndpointError", "LoadError", "ProfileError", "QueryError", "StoreError"]


class BfsqlError(Exception):
    """Base of every error that the package raises on purpose.

    `code` is a stable word for programs (`unknown_predicate`), `where` the key, file or line that is at fault,
    `hint` what to try next, `details` further data (candidates, line numbers) that JSON can carry.
    """

    status = 1

    def __init__(
        self,
        message: str,
        *,
        code: str,
        where: str | None = None,
        hint: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        self.message, self.code, self.where, self.hint = message, code, where, hint
        self.details = details or {}
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return " ".join(f"{text}. {self.hint}".split()) if self.hint else " ".join(text.split())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.code, self.where, self.hint, self.details)

    def to_dict(self) -> dict[str, Any]:
        """The one error body of every face: `{code, message, where?, hint?, details?}`."""
        body = {"code": self.code, "message": self.message, "where": self.where, "hint": self.hint}
        return {k: v for k, v in body.items() if v} | ({"details": self.details} if self.details else {})


def _rebuild(
    cls: type[BfsqlError],
    message: str,
    code: str,
    where: str | None,
    hint: str | None,
    details: dict[str, Any],
) -> BfsqlError:
    return cls(message, code=code, where=where, hint=hint, details=details)


class QueryError(BfsqlError):
    """The query, or another input of a call, cannot be answered as it is written."""

    status = 2


class ProfileError(BfsqlError):
    """A profile has an unknown key, a wrong type, or a value that cannot be used."""

    status = 2


class LoadError(BfsqlError):
    """A file could not be read as RDF; what was loaded before is untouched."""

    status = 2


class StoreError(BfsqlError):
    """A store folder is not one, is in use by another writer, or could not be written."""

    status = 2


class EndpointError(BfsqlError):
    """A SPARQL endpoint could not be reached, refused, failed, or did not answer with whole SPARQL results.

    `where` is the endpoint's URL without user, password and query; `details` may hold `status` (HTTP) and `words`
    (what the endpoint said). Codes: endpoint_unreachable, endpoint_refused (401, 403), endpoint_error (other 4xx, 5xx),
    endpoint_timeout, endpoint_busy (retries used up), endpoint_answer (no results, cut, broken), endpoint_redirect,
    query_refused (400), query_too_large (413, 414).
    """
