"""HTTP on sockets that keep one deadline: however slowly an answer drips, the query ends when its time is over.

Every timeout that passes through here is a moment of `time.monotonic()`, not a number of seconds.
"""

import ipaddress
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

_PIECE = 16 * 1024
_CORE_ERRORS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
)


def timeouts(deadline: float, connect_timeout: float) -> dict[str, float]:
    """The `timeout` extension of a request that must be over at `deadline`; only `pool` is in seconds."""
    now = time.monotonic()
    return {
        "connect": min(now + connect_timeout, deadline),
        "read": deadline,
        "write": deadline,
        "pool": max(deadline - now, 0.001),
    }


def _left(moment: float | None, late: type[Exception]) -> float | None:
    if moment is None:
        return None
    left = moment - time.monotonic()
    if left <= 0:
        raise late("the time is over")
    return left


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._inner.write(buffer[start : start + _PIECE], _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        addresses = _addresses(host, port, timeout)
        last: Exception = httpcore2.ConnectError(f"the name {host} has no address")
        for number, address in enumerate(addresses):
            left = _left(timeout, httpcore2.ConnectTimeout)
            share = None if left is None else left / (len(addresses) - number)
            try:
                return _Stream(self._inner.connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                last = error
        raise last


def _addresses(host: str, port: int, moment: float | None) -> list[str]:
    """The addresses of a host; the system's look-up knows no timeout, so it runs beside."""
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    found: list[list[str] | OSError | UnicodeError] = []

    def look() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.append(list(dict.fromkeys(str(answer[4][0]) for answer in answers)))
        except (OSError, UnicodeError) as error:
            found.append(error)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(_left(moment, httpcore2.ConnectTimeout))
    if not found:
        raise httpcore2.ConnectTimeout(f"the name {host} was not resolved in time")
    if isinstance(found[0], Exception):
        raise httpcore2.ConnectError(f"the name {host} cannot be resolved ({found[0]})") from found[0]
    return found[0]


@contextmanager
def _as_httpx2() -> Iterator[None]:
    try:
        yield
    except _CORE_ERRORS as error:
        raise getattr(httpx2, type(error).__name__)(str(error)) from error


class _Answer(httpx2.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx2():
            yield from self._stream

    def close(self) -> None:
        if close := getattr(self._stream, "close", None):
            close()


class Transport(httpx2.BaseTransport):
    """A pool of HTTP/1.1 connections to one endpoint, through the proxy that the environment names for it.

    `verify` is a file or folder of CA certificates; without it the system's are used. OSError when it cannot be read.
    """

    def __init__(self, url: str, verify: str | None, connections: int) -> None:
        context = httpcore2.default_ssl_context() if verify is None else certificates(verify)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context,
            proxy=proxy_for(url),
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=30,
            network_backend=_Backend(),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        assert isinstance(request.stream, httpx2.SyncByteStream)
        url = request.url
        inner = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx2():
            answer = self._pool.handle_request(inner)
        assert isinstance(answer.stream, Iterable)
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=_Answer(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        self._pool.close()


def certificates(path: str) -> ssl.SSLContext:
    """A TLS context that trusts what a PEM file or a hashed folder holds; OSError (ssl.SSLError too) when it cannot."""
    if os.path.isdir(path):
        return ssl.create_default_context(capath=path)
    return ssl.create_default_context(cafile=path)


def proxy_for(url: str) -> httpcore2.Proxy | None:
    """The proxy of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; none for this computer. ValueError for SOCKS."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found:
        return None
    proxy = urlsplit(found if "://" in found else f"http://{found}")
    if proxy.scheme not in ("http", "https"):
        raise ValueError(f"a {proxy.scheme} proxy is not supported")
    auth = (unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    plain = urlunsplit((proxy.scheme, proxy.netloc.rpartition("@")[2], "/", "", ""))
    return httpcore2.Proxy(plain, auth=auth)
