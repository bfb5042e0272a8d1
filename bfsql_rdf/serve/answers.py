"""Answers: built once in a thread, compressed where that is welcome, not sent again to who has them."""

import gzip
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bfsql_rdf.models import Result
from bfsql_rdf.serve.service import Service, path_of

SMALL = 1024
"""Bytes below which compression is not worth a client's while."""
FRESH = 60
"""Seconds for which an answer may be used without asking; a restarted server may hold newer data."""


async def answer(
    service: Service,
    request: Request,
    query: Any,
    work: Callable[[], Result | str],
    media_type: str = "application/json",
) -> Response:
    """The response of `work`, which is called in a thread unless the client has its answer already.

    `query` is what the answer depends on beside graph and path, as JSON data. An answer that was cut by the clock
    is not to be kept: the next may be longer.
    """
    etag = service.etag(path_of(request.scope), query)
    headers = {"ETag": etag, "Cache-Control": cache_control(service), "Vary": vary(service)}
    if not service.graph.generation:
        headers = {"Cache-Control": "no-store", "Vary": headers["Vary"]}
    elif etag in wanted(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    squeeze = takes_gzip(request.headers.get("accept-encoding", ""))

    def build() -> tuple[bytes, bool, str | None]:
        result = work()
        text = result if isinstance(result, str) else result.to_json()
        truncated = getattr(result, "truncated", None)
        body = text.encode()
        small = not squeeze or len(body) < SMALL
        return body if small else gzip.compress(body, 5, mtime=0), not small, truncated and truncated["limit"]

    body, squeezed, limit = await service.gate.run(build, request.receive, service.seconds)
    if limit:
        service.meters.truncations.labels(path_of(request.scope).strip("/"), limit).inc()
    if limit == "timeout":
        headers = {"Cache-Control": "no-store", "Vary": headers["Vary"]}
    if squeezed:
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers | {"Content-Type": media_type})


def cache_control(service: Service) -> str:
    """How long an answer may be kept, and by whom."""
    return f"{'private' if service.options.tokens else 'public'}, max-age={FRESH}"


def vary(service: Service) -> str:
    """The request headers that an answer depends on."""
    return "Accept-Encoding, Authorization" if service.options.tokens else "Accept-Encoding"


def wanted(header: str) -> set[str]:
    """The tags of an If-None-Match header, all as weak ones; `*` is none, since it names no answer."""
    tags = (tag.strip() for tag in header.split(","))
    return {tag if tag.startswith("W/") else f"W/{tag}" for tag in tags if tag.endswith('"')}


def takes_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header asks for gzip."""
    found = {}
    for part in header.lower().split(","):
        name, _, quality = part.partition(";")
        found[name.strip()] = quality.strip().removeprefix("q=").strip()
    quality = found.get("gzip", found.get("*", "0"))
    return not quality or quality.strip("0.") != ""
