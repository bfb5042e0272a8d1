"""A client of the SPARQL 1.1 Protocol: one endpoint, many threads, answers that are whole or an error."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Self, TypeVar

import httpx2

from bfsql_rdf.errors import EndpointError, ProfileError
from bfsql_rdf.remote import faults
from bfsql_rdf.remote.answers import ACCEPT, ACCEPT_ASK, Body, Rows, media_type, read_boolean, read_rows
from bfsql_rdf.remote.connection import Connection, shown
from bfsql_rdf.remote.requests import Form, fallback, plain, request_of, same_server
from bfsql_rdf.remote.transport import Transport, timeouts
from bfsql_rdf.remote.wire import Broken

Found = TypeVar("Found")
Make = Callable[[Form, str | None], httpx2.Request]

_REDIRECTS: Final = 5
_REDIRECT_STATUSES = (301, 302, 303, 307, 308)
_RETRIED = (429, 502, 503, 504)
_DESCRIPTION: Final = 1024 * 1024
_RDF = "text/turtle, application/n-triples;q=0.9, application/rdf+xml;q=0.8, application/ld+json;q=0.7, text/n3;q=0.5"


class _Again(Exception):
    """A failure that another try may mend, after `wait` seconds where the endpoint names them."""

    def __init__(self, error: EndpointError, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.wait = error, wait


def user_agent() -> str:
    """How the package names itself to servers."""
    try:
        number = version("bfsql-rdf")
    except PackageNotFoundError:
        number = "0"
    return f"bfsql-rdf/{number} (+https://w3id.org/bfsql)"


class Endpoint:
    """A SPARQL endpoint that is asked over HTTP; safe to share between threads, to be closed after use.

    Takes a URL and the options of Connection, or a Connection. Raises ProfileError for options that cannot be used.
    """

    def __init__(self, url: str | Connection, **options: Any) -> None:
        self.connection = Connection.of(url, **options)
        try:
            transport = Transport(self.connection.url, self.connection.verify, self.connection.concurrency)
        except OSError as error:
            raise ProfileError(
                f"no certificates can be read: {error.strerror or error}", code="bad_endpoint", where="verify"
            ) from None
        except ValueError as error:
            raise ProfileError(str(error), code="bad_endpoint", where="url") from None
        headers = {"User-Agent": user_agent(), "Accept-Encoding": "gzip"}
        if self.connection.authorization:
            headers["Authorization"] = self.connection.authorization
        self._client = httpx2.Client(transport=transport, headers=httpx2.Headers(headers), trust_env=False)
        self._client.headers.update(self.connection.headers)
        self._turns = threading.BoundedSemaphore(self.connection.concurrency)
        self._closed = threading.Event()
        self._form: Form = "post" if self.connection.method == "auto" else self.connection.method

    def __repr__(self) -> str:
        return f"Endpoint({self.connection.shown!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; queries that wait for another try end with an error."""
        self._closed.set()
        self._client.close()

    def select(self, query: str, limit_rows: int | None = None, limit_bytes: int | None = None) -> Rows:
        """The rows of a SELECT; with limits, the answer is read no further, and `truncated` says so.

        Raises EndpointError for everything else that is not the whole answer.
        """
        make = partial(request_of, self.connection, query, ACCEPT)
        return self._run(make, lambda body: read_rows(body, limit_rows), limit_bytes)

    def ask(self, query: str) -> bool:
        """The answer of an ASK. Raises EndpointError."""
        return self._run(partial(request_of, self.connection, query, ACCEPT_ASK), read_boolean)

    def fetch_description(self, path: str = "") -> tuple[str, bytes]:
        """The media type and bytes of the service description, or of another file of the same server.

        `path` is a reference against the endpoint's URL (`/.well-known/void`). Raises EndpointError, also for an HTML
        page and for more than 1 MB.
        """
        return self._run(partial(plain, self._file(path), _RDF), _bytes, _DESCRIPTION, "plain")

    def get_text(self, path: str = "") -> str:
        """The text of the service description, or of another file of the same server; as fetch_description."""
        make = partial(plain, self._file(path), "*/*")
        return self._run(make, lambda body: _bytes(body)[1].decode(errors="replace"), _DESCRIPTION, "plain")

    def _file(self, path: str) -> str:
        try:
            target = str(httpx2.URL(self.connection.url).join(path)) if path else self.connection.url
        except httpx2.InvalidURL as error:
            raise faults.of_exception(self.connection, error) from None
        if not same_server(self.connection.url, target):
            raise faults.fault(self.connection, "endpoint_redirect", f"{shown(target)} is on another server")
        return target

    def _run(
        self,
        make: Make,
        read: Callable[[Body], Found],
        limit: int | None = None,
        form: Form | None = None,
    ) -> Found:
        deadline = time.monotonic() + self.connection.timeout
        tries = 0
        while True:
            tries += 1
            try:
                with self._turn(deadline):
                    return self._once(make, read, limit, deadline, form)
            except _Again as again:
                wait, error = again.wait, again.error
            if wait is None:
                wait = self.connection.backoff * 2 ** (tries - 1) * random.uniform(0.5, 1)
            if tries > self.connection.retries or time.monotonic() + wait >= deadline:
                raise self._given_up(error, tries, wait)
            self._closed.wait(wait)

    def _given_up(self, error: EndpointError, tries: int, wait: float) -> EndpointError:
        error.details["tries"] = tries
        late = f", the next only in {wait:.0f} s" if tries <= self.connection.retries and wait >= 1 else ""
        if tries > 1 or late:
            error.message += f" ({tries} {'try' if tries == 1 else 'tries'}{late})"
        return type(error)(error.message, code=error.code, where=error.where, hint=error.hint, details=error.details)

    @contextmanager
    def _turn(self, deadline: float) -> Iterator[None]:
        if not self._turns.acquire(timeout=max(deadline - time.monotonic(), 0)):
            raise faults.of_exception(self.connection, httpx2.PoolTimeout(""))
        try:
            if self._closed.is_set():
                raise faults.fault(self.connection, "endpoint_unreachable", "the client is closed", hint="Open another")
            if time.monotonic() >= deadline:
                raise faults.of_exception(self.connection, httpx2.PoolTimeout(""))
            yield
        finally:
            self._turns.release()

    def _once(
        self,
        make: Make,
        read: Callable[[Body], Found],
        limit: int | None,
        deadline: float,
        form: Form | None,
    ) -> Found:
        response = self._answer(make, deadline, form or self._form)
        body = Body(response, deadline, limit)
        try:
            return read(body)
        except Broken as error:
            more = body.rest(4096) if 0 < len(error.rest) <= 4096 else b""
            rest = error.rest + more.decode(errors="replace")
            raise faults.of_broken(self.connection, error, rest, body.rows, response.status_code) from None
        except faults.HTTP_ERRORS as error:
            got = f"{faults.counted(body.rows)} in {body.size} bytes came"
            raise faults.of_exception(self.connection, error, got, response.status_code) from None
        finally:
            response.close()

    def _answer(self, make: Make, deadline: float, form: Form) -> httpx2.Response:
        """The response of status 200, after redirects and in the form of request that the endpoint takes."""
        url, redirects = None, 0
        while True:
            response = self._send(make(form, url), deadline)
            status = response.status_code
            if status == 200:
                if form != "plain":
                    self._form = form
                return response
            try:
                if status in _REDIRECT_STATUSES:
                    redirects += 1
                    url = self._target(response, redirects)
                    form = "plain" if status == 303 else form
                    continue
                said = faults.words(Body(response, deadline).rest(16 * 1024), self.connection.secrets)
            finally:
                response.close()
            other = fallback(form, status, said) if self.connection.method == "auto" else None
            if other is None:
                error = faults.of_status(self.connection, status, said)
                if status == 504 or (status in _RETRIED and error.code == "endpoint_busy"):
                    raise _Again(error, _retry_after(response))
                raise error
            form, url = other, None

    def _send(self, request: httpx2.Request, deadline: float) -> httpx2.Response:
        request = self._client.build_request(
            request.method,
            request.url,
            content=request.content,
            headers=request.headers,
            extensions={"timeout": timeouts(deadline, self.connection.connect_timeout)},
        )
        try:
            return self._client.send(request, stream=True)
        except faults.HTTP_ERRORS as error:
            found = faults.of_exception(self.connection, error)
            if found.code == "endpoint_unreachable" and not faults.is_certain(error):
                raise _Again(found) from None
            raise found from None

    def _target(self, response: httpx2.Response, redirects: int) -> str:
        """The URL that a redirect names, when the query and its secrets may go there."""
        location = response.headers.get("location", "")
        try:
            here = response.request.url
            there = here.join(location)
            target = shown(str(there))
        except (httpx2.InvalidURL, ValueError):
            location = ""
        reason = None
        if not location:
            reason = "the endpoint redirects to nowhere"
        elif redirects > _REDIRECTS:
            reason = f"more than {_REDIRECTS} redirects, the last to {target}"
        elif not same_server(str(here), str(there)):
            reason = f"the endpoint redirects to another server, {target}"
        if reason:
            raise faults.fault(self.connection, "endpoint_redirect", reason, status=response.status_code)
        return str(there)


def _retry_after(response: httpx2.Response) -> float | None:
    """The seconds of Retry-After, also where it is a date."""
    text = response.headers.get("retry-after", "").strip()
    if text.isdecimal() and text.isascii():
        return float(text[:9])
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0)
    except (ValueError, TypeError, OverflowError):
        return None


def _bytes(body: Body) -> tuple[str, bytes]:
    found = b"".join(body.pieces)
    essence = media_type(body.response)[0]
    if body.full:
        raise Broken(f"it is longer than {_DESCRIPTION} bytes")
    if essence in ("text/html", "application/xhtml+xml") or found.lstrip()[:14].lower().startswith(b"<!doctype html"):
        raise Broken("it is an HTML page", found[:16384].decode(errors="replace"))
    return essence, found
