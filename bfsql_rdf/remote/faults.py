"""Every way in which an endpoint fails, as one EndpointError that says what the endpoint said."""

import html
import json
import re
import socket
import ssl
from contextlib import suppress
from typing import Any, Final

import httpx2

from bfsql_rdf.errors import EndpointError
from bfsql_rdf.remote.connection import Connection
from bfsql_rdf.remote.json_rows import words_in
from bfsql_rdf.remote.wire import Broken, Complaint, Unfinished

HTTP_ERRORS: Final = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.CookieConflict, httpx2.StreamError)
"""What httpx2 raises, all of it."""
WORDS: Final = 300
"""Characters of the endpoint's own words in an error."""

FAULTS: Final[dict[type[Exception], tuple[str, str]]] = {
    httpx2.ConnectTimeout: ("endpoint_unreachable", "no connection in time"),
    httpx2.PoolTimeout: ("endpoint_busy", "all connections to the endpoint were busy"),
    httpx2.TimeoutException: ("endpoint_timeout", "no whole answer in time"),
    httpx2.NetworkError: ("endpoint_unreachable", "no connection"),
    httpx2.ProxyError: ("endpoint_unreachable", "the proxy refused the connection"),
    httpx2.UnsupportedProtocol: ("endpoint_unreachable", "not an http(s) URL"),
    httpx2.LocalProtocolError: ("endpoint_error", "the request cannot be sent"),
    httpx2.ProtocolError: ("endpoint_answer", "the answer is no HTTP"),
    httpx2.DecodingError: ("endpoint_answer", "the answer cannot be unpacked"),
    httpx2.TooManyRedirects: ("endpoint_redirect", "too many redirects"),
    httpx2.HTTPError: ("endpoint_error", "the request failed"),
    httpx2.InvalidURL: ("endpoint_unreachable", "not a URL"),
    httpx2.CookieConflict: ("endpoint_answer", "the cookies contradict each other"),
    httpx2.StreamError: ("endpoint_answer", "the answer was read twice or after its end"),
}
HINTS: Final = {
    "endpoint_unreachable": "Check the URL, the network and that the endpoint runs",
    "endpoint_refused": "Check user and password, or the token",
    "endpoint_error": "Try again later, or ask for less",
    "endpoint_timeout": "Ask for less (fewer hops, a filter), or give a longer timeout",
    "endpoint_busy": "Wait, lower the concurrency, or allow more retries",
    "endpoint_answer": "Check that the URL is that of a SPARQL endpoint, and that no proxy changes its answers",
    "endpoint_redirect": "Give the URL that the endpoint names, if you trust it",
    "query_refused": "The endpoint does not know something that the query uses",
    "query_too_large": "Ask for less at once, or let the method be post",
}
_STATUSES = {
    400: "query_refused",
    401: "endpoint_refused",
    403: "endpoint_refused",
    407: "endpoint_refused",
    408: "endpoint_timeout",
    413: "query_too_large",
    414: "query_too_large",
    429: "endpoint_busy",
    502: "endpoint_busy",
    503: "endpoint_busy",
    504: "endpoint_timeout",
}
_TIME = re.compile(
    r"time[ds]?[ -]?out|TimeoutException|S1T00|S1TAT|estimated execution time|time limit"
    r"|(?:operation|query|request|evaluation)\b.{0,30}\b(?:cancell?ed|aborted|interrupted)",
    re.IGNORECASE | re.DOTALL,
)
_FAILURE = re.compile(
    r"The SPARQL operation has been cancelled|!!!!>|SPARQL-QUERY:|(?:[a-z]\w*\.){2,}\w*(?:Exception|Error)\b"
    r"|Query (?:cancelled|timed out|evaluation)|\"exception\"\s*:|An error has occurred",
)
_UNSHOWN = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*(?:>|$)")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")


def words(said: bytes | str, secrets: list[str] | None = None) -> str:
    """What an endpoint said, in one line of at most WORDS characters: no tags, no control characters, no secrets."""
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    if text.lstrip()[:1] == "{":
        with suppress(ValueError, RecursionError):
            text = words_in(json.loads(text, strict=False))
    elif text.lstrip("\ufeff \t\r\n")[:1] == "<" and not text.lstrip().startswith("<http"):
        text = html.unescape(_TAG.sub(" ", _UNSHOWN.sub(" ", text)))
    for secret in secrets or ():
        text = text.replace(secret, "***")
    text = _CONTROL.sub(" ", text).strip()
    return text if len(text) <= WORDS else text[: WORDS - 3] + "..."


def counted(rows: int) -> str:
    """A number of rows in words."""
    return f"{rows} row" if rows == 1 else f"{rows} rows"


def says_timeout(said: str) -> bool:
    return bool(_TIME.search(said))


def fault(
    connection: Connection,
    code: str,
    message: str,
    *,
    status: int | None = None,
    said: str = "",
    hint: str | None = None,
    **details: Any,
) -> EndpointError:
    """An EndpointError of this package's words, the HTTP status and the endpoint's words."""
    told = f"{message} (HTTP {status})" if status else message
    details = {"status": status, "words": said, **details}
    return EndpointError(
        f"{told}: {said}" if said else told,
        code=code,
        where=connection.shown,
        hint=hint or HINTS[code],
        details={key: value for key, value in details.items() if value},
    )


def of_exception(connection: Connection, error: Exception, got: str = "", status: int | None = None) -> EndpointError:
    """The error for an exception of httpx2; `got` says what of an answer had come, empty before its first byte."""
    code, message = next(FAULTS[kind] for kind in type(error).__mro__ if kind in FAULTS)
    said = words(str(error), connection.secrets)
    hint = None
    cause = _cause(error, ssl.SSLError)
    if isinstance(error, httpx2.ConnectTimeout):
        message = f"no connection within {min(connection.connect_timeout, connection.timeout):g} s"
    elif code == "endpoint_timeout":
        message, said = f"no whole answer within {connection.timeout:g} s" if got else _no_answer(connection), ""
    elif cause is not None:
        certificate = isinstance(cause, ssl.SSLCertVerificationError)
        message = "the TLS certificate is not trusted" if certificate else "TLS failed"
        hint = "Give the file of its authority as verify" if certificate else "Check that the URL is https rightly"
    elif isinstance(error, httpx2.RemoteProtocolError) and "without sending a response" in str(error) and not got:
        code, message, said = "endpoint_unreachable", "the endpoint closed the connection without an answer", ""
    elif got and isinstance(error, httpx2.NetworkError | httpx2.ProtocolError):
        code, message = "endpoint_answer", "the answer was cut"
    return fault(connection, code, f"{message}, {got}" if got else message, status=status, said=said, hint=hint)


def _no_answer(connection: Connection) -> str:
    return f"no answer within {connection.timeout:g} s"


def _cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


def is_certain(error: Exception) -> bool:
    """Whether a connection fails for a reason that another try does not change."""
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol) or _cause(error, ssl.SSLError):
        return True
    name = _cause(error, socket.gaierror)
    return isinstance(name, socket.gaierror) and name.errno == socket.EAI_NONAME


def of_status(connection: Connection, status: int, said: str) -> EndpointError:
    """The error for a status that is not 200."""
    code = _STATUSES.get(status, "endpoint_error")
    if (code in ("endpoint_error", "endpoint_busy") or status == 429) and says_timeout(said):
        code = "endpoint_timeout"
    messages = {
        "query_refused": "the endpoint refused the query",
        "endpoint_refused": "the endpoint refused access",
        "query_too_large": "the query is too large for the endpoint",
        "endpoint_busy": "the endpoint is busy",
        "endpoint_timeout": "the endpoint ran out of time",
    }
    hint = None
    if status in (404, 410):
        hint = "Check the path of the URL"
    elif status < 400:
        code, hint = "endpoint_answer", None
    return fault(connection, code, messages.get(code, "the endpoint failed"), status=status, said=said, hint=hint)


def of_broken(connection: Connection, error: Broken, rest: str, rows: int, status: int) -> EndpointError:
    """The error for a body of status 200 that is no SPARQL results; `rest` is its text from the fault on."""
    failure = _FAILURE.search(rest)
    after = f" after {counted(rows)}" if rows else ""
    if isinstance(error, Complaint) or failure:
        said = words(rest[failure.start() :] if failure else rest, connection.secrets)
        code = "endpoint_timeout" if says_timeout(said) else "endpoint_error"
        message = "the endpoint ran out of time" if code == "endpoint_timeout" else "the endpoint failed"
        return fault(connection, code, f"{message}{after}", status=status, said=said, rows=rows)
    said = "" if isinstance(error, Unfinished) else words(rest, connection.secrets)
    message = "the answer is not whole" if isinstance(error, Unfinished) else "the answer cannot be read"
    reason = words(error.reason, connection.secrets)
    return fault(connection, "endpoint_answer", f"{message}{after}, {reason}", status=status, said=said, rows=rows)
