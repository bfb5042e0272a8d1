"""How a query is sent: forms, retries, redirects, secrets, deadlines."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpcore2
import httpx2
import pytest

from bfsql_rdf import BfsqlError, EndpointError, ProfileError
from bfsql_rdf.remote import faults, transport
from bfsql_rdf.remote.client import Endpoint
from bfsql_rdf.remote.connection import Connection
from tests.remote.server import TSV, Asked, Bad, answer, chunk, free_port, head

Open = Callable[..., Endpoint]
Failure = Callable[..., EndpointError]
ONE = '{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"1"}}]}}'
GOOD = answer(ONE)
QUERY = "SELECT * { ?s ?p 'ä+&=%' }"


def test_a_query_is_sent_unchanged_and_with_manners(bad: Bad, connect: Open) -> None:
    endpoint = connect(bad.on("/q", GOOD), headers={"X-Who": "me"}, default_graphs=("http://e/g?a=1&b",))
    assert endpoint.select(QUERY).rows == endpoint.select(QUERY).rows
    asked = bad.asked[0]
    assert asked.form == {"query": [QUERY], "default-graph-uri": ["http://e/g?a=1&b"]}
    assert asked.method == "POST"
    assert asked.headers["user-agent"].startswith("bfsql-rdf/0.1")
    assert asked.headers["user-agent"].endswith("(+https://w3id.org/bfsql)")
    assert asked.headers["accept"].startswith("application/sparql-results+json,")
    assert asked.headers["x-who"] == "me"
    assert bad.connections == 1


@pytest.mark.parametrize("method", ["get", "direct"])
def test_other_forms(bad: Bad, connect: Open, method: str) -> None:
    connect(bad.on("/q", GOOD) + "?x=1", method=method, default_graphs=("urn:g",)).select(QUERY)
    asked = bad.asked[0]
    assert asked.target.startswith("/q?x=1&")
    assert "default-graph-uri=urn%3Ag" in asked.target
    if method == "get":
        assert (asked.method, asked.body, asked.form["query"]) == ("GET", b"", [QUERY])
    else:
        assert asked.body.decode() == QUERY
        assert asked.headers["content-type"] == "application/sparql-query; charset=utf-8"


def only(form: str, status: str, said: str = "") -> Callable[[Asked], bytes]:
    """An endpoint that takes one form of request."""

    def script(asked: Asked) -> bytes:
        direct = asked.headers.get("content-type", "").startswith("application/sparql-query")
        found = "get" if asked.method == "GET" else "direct" if direct else "post"
        return GOOD if found == form else answer(said, "text/plain", status)

    return script


@pytest.mark.parametrize(
    ("form", "status", "said", "tries"),
    [
        ("direct", "415 Unsupported Media Type", "", 2),
        ("direct", "400 Bad Request", "Content-Type must be application/sparql-query", 2),
        ("direct", "400 Bad Request", "Missing parameter: query", 2),
        ("get", "405 Method Not Allowed", "", 2),
        ("get", "501 Not Implemented", "", 2),
        ("get", "415 Unsupported Media Type", "", 3),
    ],
)
def test_the_form_is_found_and_remembered(
    bad: Bad, connect: Open, form: str, status: str, said: str, tries: int
) -> None:
    endpoint = connect(bad.on("/q", only(form, status, said)))
    assert len(endpoint.select(QUERY)) == 1
    assert bad.count("/q") == tries
    endpoint.select(QUERY)
    assert bad.count("/q") == tries + 1


def test_a_form_that_is_asked_for_is_the_only_one(bad: Bad, failure: Failure) -> None:
    error = failure(bad.on("/q", only("get", "405 Method Not Allowed")), method="post")
    assert error.code == "endpoint_error"
    assert bad.count("/q") == 1


def test_a_parser_message_is_passed_on_and_not_tried_in_another_form(bad: Bad, failure: Failure) -> None:
    said = "Parse error: <http://e/x> Expected '}' at line 1\x07, \n column 6"
    error = failure(bad.on("/q", answer(said, "text/plain", "400 Bad Request")))
    assert (error.code, bad.count("/q")) == ("query_refused", 1)
    assert error.details == {
        "status": 400,
        "words": "Parse error: <http://e/x> Expected '}' at line 1 , column 6",
    }
    assert "(HTTP 400): Parse error" in str(error)


STATUSES = [
    ("401 Unauthorized", "endpoint_refused"),
    ("403 Forbidden", "endpoint_refused"),
    ("404 Not Found", "endpoint_error"),
    ("413 Content Too Large", "query_too_large"),
    ("414 URI Too Long", "query_too_large"),
    ("418 I'm a teapot", "endpoint_error"),
    ("500 Internal Server Error", "endpoint_error"),
    ("206 Partial Content", "endpoint_answer"),
    ("202 Accepted", "endpoint_answer"),
    ("304 Not Modified", "endpoint_answer"),
]


@pytest.mark.parametrize(("status", "code"), STATUSES)
def test_statuses(bad: Bad, failure: Failure, status: str, code: str) -> None:
    page = "<html><head><title>Oh &amp; no</title><style>p{}</style></head><body><p>Why<script>x()</script>"
    body = "" if status.startswith("304") else page
    error = failure(bad.on("/q", answer(body, "text/html", status)))
    assert (error.code, bad.count("/q")) == (code, 1)
    assert error.details["status"] == int(status[:3])
    assert error.details.get("words") == ("Oh & no Why" if body else None)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("500 Internal Server Error", "java.util.concurrent.TimeoutException\n\tat java.util"),
        ("500 Internal Server Error", "Virtuoso 42000 Error The estimated execution time 9000 (sec) exceeds the limit"),
        ("503 Service Unavailable", "Query timed out"),
        ("408 Request Timeout", ""),
    ],
)
def test_a_time_out_that_the_endpoint_states_is_not_tried_again(
    bad: Bad, failure: Failure, status: str, said: str
) -> None:
    error = failure(bad.on("/q", answer(said, "text/plain", status)))
    assert (error.code, bad.count("/q")) == ("endpoint_timeout", 1)


def test_429_waits_as_long_as_it_is_told(bad: Bad, connect: Open) -> None:
    wait = answer("slowly", "text/plain", "429 Too Many Requests", Retry_After="1")
    endpoint = connect(bad.on("/q", lambda asked: wait if asked.number == 1 else GOOD))
    began = time.monotonic()
    assert len(endpoint.select(QUERY)) == 1
    assert time.monotonic() - began >= 0.99
    assert bad.count("/q") == 2


def test_retry_after_may_be_a_date(bad: Bad, connect: Open) -> None:
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=5), usegmt=True)
    wait = answer("", None, "503 Service Unavailable", Retry_After=past)
    assert len(connect(bad.on("/q", lambda asked: wait if asked.number == 1 else GOOD)).select(QUERY)) == 1


@pytest.mark.parametrize("dated", [False, True])
def test_a_wait_beyond_the_deadline_is_not_begun(bad: Bad, failure: Failure, dated: bool) -> None:
    after = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True) if dated else "3600"
    error = failure(bad.on("/q", answer("later", "text/plain", "503 Service Unavailable", Retry_After=after)))
    assert (error.code, bad.count("/q")) == ("endpoint_busy", 1)
    assert "(1 try, the next only in 3" in error.message


@pytest.mark.parametrize("status", ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout", "429 Slow"])
def test_busy_twice_and_then_not(bad: Bad, connect: Open, status: str) -> None:
    busy = answer("busy", "text/plain", status, Retry_After="soon")
    assert len(connect(bad.on("/q", lambda asked: busy if asked.number < 3 else GOOD)).select(QUERY)) == 1
    assert bad.count("/q") == 3


def test_busy_for_ever(bad: Bad, failure: Failure) -> None:
    error = failure(bad.on("/q", answer("no room", "text/plain", "503 Service Unavailable")), retries=2)
    assert (error.code, bad.count("/q")) == ("endpoint_busy", 3)
    assert str(error).startswith(bad.url + "/q: the endpoint is busy (HTTP 503): no room (3 tries). ")
    assert error.details == {"status": 503, "words": "no room", "tries": 3}


def test_a_connection_closed_before_an_answer_is_tried_again(bad: Bad, connect: Open, failure: Failure) -> None:
    assert len(connect(bad.on("/q", lambda asked: [] if asked.number < 3 else [GOOD])).select(QUERY)) == 1
    error = failure(bad.on("/never", lambda _: []), retries=1)
    assert (error.code, bad.count("/never")) == ("endpoint_unreachable", 2)


def test_nobody_listens(failure: Failure) -> None:
    error = failure(f"http://127.0.0.1:{free_port()}/q", retries=1)
    assert error.code == "endpoint_unreachable"
    assert "refused" in error.message
    assert "(2 tries)" in error.message


def test_a_name_that_does_not_resolve(failure: Failure) -> None:
    error = failure("http://nobody.invalid/q", retries=0)
    assert error.code == "endpoint_unreachable"
    assert "nobody.invalid" in error.message


def test_a_name_that_resolves_too_slowly(failure: Failure, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: over.wait(10) and [])
    began = time.monotonic()
    assert failure("http://slow.invalid/q", connect_timeout=0.2, retries=0).code == "endpoint_unreachable"
    over.set()
    assert time.monotonic() - began < 5


def test_tls_to_a_plain_port(bad: Bad, failure: Failure) -> None:
    error = failure(bad.on("/q", GOOD).replace("http:", "https:"))
    assert error.code == "endpoint_unreachable"
    assert error.message.startswith("TLS failed")
    assert "tries" not in error.details or error.details["tries"] == 1


HANGS: dict[str, Callable[[Bad], Iterator[bytes]]] = {
    "before the head": lambda bad: held(bad, b""),
    "in the head": lambda bad: dripping(bad, b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 500),
    "in the body": lambda bad: held(bad, head() + chunk(ONE[:40].encode())),
    "in a chunk's size": lambda bad: dripping(bad, b"0" * 500, head()),
    "drop by drop": lambda bad: dripping(bad, b" " * 500, answer("", length=5000)),
}


def held(bad: Bad, data: bytes) -> Iterator[bytes]:
    yield data
    bad.done.wait(10)


def dripping(bad: Bad, data: bytes, before: bytes = b"") -> Iterator[bytes]:
    yield before
    for byte in data:
        if bad.done.wait(0.05):
            return
        yield bytes([byte])


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS.keys())
def test_the_deadline_holds(bad: Bad, failure: Failure, hang: Callable[[Bad], Iterator[bytes]]) -> None:
    began = time.monotonic()
    error = failure(bad.on("/q", lambda _: hang(bad)), timeout=0.6)
    assert error.code == "endpoint_timeout"
    assert "within 0.6 s" in error.message
    assert 0.5 < time.monotonic() - began < 4
    assert bad.count("/q") == 1


def test_redirects_on_the_same_server(bad: Bad, connect: Open) -> None:
    def script(asked: Asked) -> bytes:
        return answer("", None, "307 Temporary Redirect", Location="/there?x=1")

    bad.on("/there", GOOD)
    assert len(connect(bad.on("/q", script)).select(QUERY)) == 1
    assert (bad.asked[1].method, bad.asked[1].form["query"]) == ("POST", [QUERY])
    bad.on("/see", answer("", None, "303 See Other", Location="/there"))
    assert len(connect(bad.url + "/see").select(QUERY)) == 1
    assert bad.asked[-1].method == "GET"


def test_redirects_elsewhere_are_refused_and_named(bad: Bad, failure: Failure) -> None:
    for location in ["http://other.invalid/sparql?key=1", f"http://127.0.0.1:{bad.port + 1}/q", "ftp://127.0.0.1/q"]:
        url = bad.on("/q", answer("", None, "301 Moved Permanently", Location=location))
        error = failure(url, token="tok-secret")
        assert error.code == "endpoint_redirect"
        assert location.partition("?")[0] in error.message
        assert "key=1" not in str(error)
    assert bad.count("/q") == 3
    error = failure(bad.on("/u", answer("", None, "302 Found", Location=bad.url.replace("//", "//u:p@") + "/q")))
    assert error.code == "endpoint_redirect"
    assert "u:p" not in str(error)
    assert failure(bad.on("/n", answer("", None, "302 Found"))).code == "endpoint_redirect"


def test_a_loop_of_redirects_ends(bad: Bad, failure: Failure) -> None:
    error = failure(bad.on("/q", answer("", None, "308 Permanent Redirect", Location="/q")))
    assert (error.code, bad.count("/q")) == ("endpoint_redirect", 6)
    assert "more than 5 redirects" in error.message


def test_secrets_are_sent_and_never_shown(bad: Bad, connect: Open, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")

    def script(asked: Asked) -> bytes:
        return answer(f"no {asked.headers['authorization']} s3cr:et@", "text/plain", "403 Forbidden")

    url = bad.on("/q", script).replace("//", "//us%20er:s3cr%3Aet%40@")
    endpoint = connect(url + "?key=abcdefgh1")
    with pytest.raises(EndpointError) as caught:
        endpoint.select(QUERY)
    assert bad.asked[0].headers["authorization"] == "Basic dXMgZXI6czNjcjpldEA="
    shown = f"{caught.value!r} {caught.value.to_dict()} {endpoint!r} {endpoint.connection!r}"
    assert caught.value.where == bad.url + "/q"
    assert "*** ***" in shown
    for secret in ("s3cr", "dXMg"):
        assert secret not in shown
        assert secret not in caplog.text
    assert "abcdefgh1" not in str(caught.value)


def test_a_token(bad: Bad, connect: Open) -> None:
    connect(bad.on("/q", GOOD), token="t0ken").select(QUERY)
    assert bad.asked[0].headers["authorization"] == "Bearer t0ken"


@pytest.mark.parametrize(
    ("url", "options", "where"),
    [
        ("ftp://u:pass-word@h/", {}, "url"),
        ("http://u:pass-word@h:notaport/", {}, "url"),
        ("http://u:pass-word/x@h/", {}, "url"),
        ("http:///q", {}, "url"),
        ("http://h/ q", {}, "url"),
        ("http://h/", {"user": "u", "token": "pass-word"}, "url"),
        ("http://h/", {"token": "pass-word\r\nX: y"}, "url"),
        ("http://h/", {"headers": {"X": "pass-word\r\ny"}}, "headers"),
        ("http://h/", {"timeout": 0}, "timeout"),
        ("http://h/", {"retry": 1}, "retry"),
        ("http://h/", {"method": "put"}, "method"),
        ("http://h/", {"default_graphs": ["a b"]}, "default_graphs"),
        ("http://h/", {"verify": "/no/such/file"}, "verify"),
    ],
)
def test_options_that_cannot_be_used(url: str, options: dict[str, Any], where: str) -> None:
    with pytest.raises(ProfileError) as caught:
        Endpoint(url, **options)
    assert (caught.value.code, caught.value.where) == ("bad_endpoint", where)
    assert "pass-word" not in str(caught.value)


def test_a_connection_may_be_given_whole() -> None:
    connection = Connection.of("http://u:p@h/q", retries=1)
    assert Connection.of(connection, retries=2).authorization == connection.authorization
    assert (connection.user, connection.url) == ("u", "http://h/q")


def test_no_more_requests_at_a_time_than_agreed(bad: Bad, connect: Open) -> None:
    lock, now, most = threading.Lock(), [0], [0]
    both = threading.Barrier(2)

    def script(_: Asked) -> bytes:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        both.wait(10)
        with lock:
            now[0] -= 1
        return GOOD

    endpoint = connect(bad.on("/q", script), concurrency=2)
    threads = [threading.Thread(target=endpoint.select, args=(QUERY,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(15)
    assert (bad.count("/q"), most[0]) == (8, 2)
    assert bad.connections == 2


def test_waiting_for_a_turn_ends_with_the_deadline(bad: Bad, connect: Open) -> None:
    endpoint = connect(bad.on("/q", GOOD), concurrency=1, timeout=0.2)
    with endpoint._turns, pytest.raises(EndpointError) as caught:
        endpoint.select(QUERY)
    assert (caught.value.code, bad.count("/q")) == ("endpoint_busy", 0)
    assert len(endpoint.select(QUERY)) == 1


def test_a_closed_client_says_so(bad: Bad) -> None:
    with Endpoint(bad.on("/q", GOOD)) as endpoint:
        endpoint.select(QUERY)
    with pytest.raises(EndpointError, match="closed"):
        endpoint.select(QUERY)


def exceptions(module: Any) -> list[type[Exception]]:
    found = (getattr(module, name) for name in sorted(dir(module)))
    return [x for x in found if isinstance(x, type) and issubclass(x, Exception)]


@pytest.mark.parametrize("kind", exceptions(httpx2), ids=lambda kind: kind.__name__)
def test_no_exception_of_httpx2_is_missed(kind: type[Exception]) -> None:
    assert issubclass(kind, faults.HTTP_ERRORS)
    error = kind.__new__(kind)
    Exception.__init__(error, "why")
    for got in ("", "3 rows came"):
        found = faults.of_exception(Connection(url="http://h/q"), error, got)
        assert isinstance(found, BfsqlError)
        assert found.code in faults.HINTS


def test_no_exception_of_httpcore2_is_missed() -> None:
    missed = [x for x in exceptions(httpcore2) if not issubclass(x, transport._CORE_ERRORS)]
    assert [x.__name__ for x in missed] == ["ConnectionNotAvailable"]
    for kind in exceptions(httpcore2):
        if kind not in missed:
            with pytest.raises(getattr(httpx2, kind.__name__)), transport._as_httpx2():
                raise kind("why")


@pytest.mark.parametrize(("name", "value"), [("http_proxy", "http://u:p@proxy.invalid:3128"), ("no_proxy", "*")])
def test_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    for other in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv("http_proxy", "http://u:p@proxy.invalid:3128")
    monkeypatch.setenv(name, value)
    proxy = transport.proxy_for("http://example.org/q")
    assert (proxy is None) == (name == "no_proxy")
    if proxy:
        assert (proxy.auth, proxy.url.host, proxy.url.port) == ((b"u", b"p"), b"proxy.invalid", 3128)
    assert transport.proxy_for("http://127.0.0.1/q") is None


def test_the_description(bad: Bad, connect: Open) -> None:
    endpoint = connect(bad.on("/q", answer("<a:b> <a:c> <a:d> .", "text/turtle;charset=utf-8")))
    assert endpoint.fetch_description() == ("text/turtle", b"<a:b> <a:c> <a:d> .")
    assert "text/turtle" in bad.asked[0].headers["accept"]
    assert bad.asked[0].method == "GET"
    bad.on("/.well-known/void", answer("ä", "text/plain"))
    assert endpoint.get_text("/.well-known/void") == "ä"
    for path, body, kind in [
        ("/page", "<!doctype html><title>Hi</title>", "text/html"),
        ("/large", "x" * 2_000_000, "text/turtle"),
    ]:
        bad.on(path, answer(body, kind))
        with pytest.raises(EndpointError) as caught:
            endpoint.fetch_description(path)
        assert caught.value.code == "endpoint_answer"
    with pytest.raises(EndpointError) as caught:
        endpoint.fetch_description("http://other.invalid/x")
    assert caught.value.code == "endpoint_redirect"
    assert TSV not in bad.asked[0].headers["accept"]
