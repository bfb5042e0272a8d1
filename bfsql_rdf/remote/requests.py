"""The three forms in which the SPARQL 1.1 Protocol lets a query be sent."""

import re
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

import httpx2

from bfsql_rdf.remote.connection import Connection

Form = Literal["post", "direct", "get", "plain"]

_SAYS_SO = re.compile(
    r"content[- ]?type|media[- ]?type|form[- ]?urlencoded|sparql-query"
    r"|(?:no|missing|without|empty|required)\b.{0,20}\bquery\b(?! (?:form|pattern))"
    r"|query\b.{0,30}\b(?:is |was )?(?:missing|required|not (?:given|found|present))",
    re.IGNORECASE,
)


def request_of(connection: Connection, query: str, accept: str, form: Form, url: str | None) -> httpx2.Request:
    """The request of a query in one form; `url` is where a redirect led, `plain` a GET of just that."""
    pairs = [("default-graph-uri", graph) for graph in connection.default_graphs]
    headers = {"Accept": accept}
    if form == "plain" or (form == "get" and url):
        return httpx2.Request("GET", url or connection.url, headers=headers)
    if form == "get":
        return httpx2.Request("GET", _with(connection.url, [("query", query), *pairs]), headers=headers)
    if form == "direct":
        headers["Content-Type"] = "application/sparql-query; charset=utf-8"
        target = url or _with(connection.url, pairs)
        return httpx2.Request("POST", target, headers=headers, content=query.encode())
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    body = urlencode([("query", query), *pairs], quote_via=quote).encode()
    return httpx2.Request("POST", url or connection.url, headers=headers, content=body)


def plain(target: str, accept: str, form: Form, url: str | None) -> httpx2.Request:
    """A GET of a file on the endpoint's server."""
    return httpx2.Request("GET", url or target, headers={"Accept": accept})


def same_server(here: str, there: str) -> bool:
    """Whether what goes to one URL may go to the other: one scheme, host and port, or https of the same host."""
    a, b = urlsplit(here), urlsplit(there)
    ports = {"http": 80, "https": 443}
    if "@" in b.netloc or a.hostname != b.hostname or b.scheme not in ports:
        return False
    upgrade = (a.scheme, b.scheme) == ("http", "https")
    return upgrade or (a.scheme, a.port or ports[a.scheme]) == (b.scheme, b.port or ports[b.scheme])


def fallback(form: Form, status: int, said: str) -> Form | None:
    """The form to try next, where an endpoint answers that it does not take this one."""
    if form == "post" and (status == 415 or (status == 400 and _SAYS_SO.search(said))):
        return "direct"
    if form in ("post", "direct") and status in (405, 501):
        return "get"
    return "get" if form == "direct" and status == 415 else None


def _with(url: str, pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return url
    return url + ("&" if "?" in url else "?") + urlencode(pairs, quote_via=quote)
