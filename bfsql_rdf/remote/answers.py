"""An answer's body as rows of terms: unpacked, recognised, and read no further than its limits."""

import re
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

import httpx2

from bfsql_rdf.remote.json_rows import json_rows
from bfsql_rdf.remote.table_rows import csv_rows, tsv_rows
from bfsql_rdf.remote.wire import Broken, Complaint, Head, Row, Unfinished, text
from bfsql_rdf.remote.xml_rows import xml_rows
from bfsql_rdf.terms import Term

ACCEPT: Final = (
    "application/sparql-results+json, application/x-sparqlstar-results+json;q=0.95, "
    "application/sparql-results+xml;q=0.8, application/json;q=0.5, text/tab-separated-values;q=0.3, text/csv;q=0.1"
)
ACCEPT_ASK: Final = "application/sparql-results+json, application/sparql-results+xml;q=0.8, text/boolean;q=0.5"

_PIECE = 64 * 1024
_KINDS = {
    "application/sparql-results+json": "json",
    "application/x-sparqlstar-results+json": "json",
    "application/json": "json",
    "text/json": "json",
    "application/javascript": "json",
    "text/javascript": "json",
    "application/sparql-results+xml": "xml",
    "application/x-sparqlstar-results+xml": "xml",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/tab-separated-values": "tsv",
    "application/x-sparqlstar-results+tsv": "tsv",
    "text/x-tab-separated-values-star": "tsv",
    "text/csv": "csv",
    "text/boolean": "boolean",
}
_HTML = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(r"\s*<(?:\?xml|!--|!doctype|(?:\w+:)?sparql\b|\w)", re.IGNORECASE)
_TSV = re.compile(r"\?\w+(?:\t\?\w+)*\r?\n")
_BOOLEAN = re.compile(r"\s*(true|false)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a SELECT: tuples of pyoxigraph terms in the order of `variables`, None where unbound.

    `truncated` is None for a whole answer; else `by` is limit_rows, limit_bytes or endpoint, with `limit` (the number)
    or `message` (the endpoint's words). `media_type` is that of the answer: in `text/csv` the kinds of terms are
    guessed. `size` is in bytes, unpacked.
    """

    variables: tuple[str, ...]
    rows: list[tuple[Term | None, ...]] = field(repr=False)
    truncated: dict[str, Any] | None = None
    media_type: str = ""
    size: int = 0

    def __iter__(self) -> Iterator[tuple[Term | None, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class Body:
    """The unpacked bytes of a response, at most `limit` of them and none after `deadline`.

    `full` says that the limit was hit, `size` how much was given, `rows` (kept by the reader) how many rows it was.
    """

    def __init__(self, response: httpx2.Response, deadline: float, limit: int | None = None) -> None:
        self.response, self.deadline, self.limit = response, deadline, limit
        self.size, self.rows, self.full = 0, 0, False
        self.pieces = self._limited()

    def _limited(self) -> Iterator[bytes]:
        for piece in self._unpacked():
            if time.monotonic() > self.deadline:
                raise httpx2.ReadTimeout("the time is over")
            if self.limit is not None and self.size + len(piece) > self.limit:
                self.full = True
                piece = piece[: self.limit - self.size]
                self.size += len(piece)
                yield piece
                return
            self.size += len(piece)
            yield piece

    def _unpacked(self) -> Iterator[bytes]:
        """httpx2 does not say that a packed body ends too early, so it is unpacked here."""
        encoding = self.response.headers.get("content-encoding", "").strip().lower()
        if encoding in ("", "identity"):
            yield from self.response.iter_raw()
        elif encoding in ("gzip", "x-gzip", "deflate"):
            yield from _unzipped(self.response.iter_raw(), zlib.MAX_WBITS | 32)
        else:
            raise Broken(f"it is packed as {encoding}, which was not asked for")

    @property
    def end_is_known(self) -> bool:
        """Whether the protocol itself tells a whole body from a cut one."""
        headers = self.response.headers
        return "content-length" in headers or "transfer-encoding" in headers

    def rest(self, most: int) -> bytes:
        """What is still to come, at most so many bytes, for the words in it; a failure ends it silently."""
        found = b""
        try:
            for piece in self.pieces:
                found += piece
                if len(found) >= most:
                    break
        except (httpx2.HTTPError, httpx2.StreamError, Broken):
            pass
        return found[:most]


def _unzipped(packed: Iterator[bytes], bits: int) -> Iterator[bytes]:
    unpack = zlib.decompressobj(bits)
    begun = False
    for piece in packed:
        while piece:
            if unpack.eof:
                unpack = zlib.decompressobj(bits)
            begun = True
            try:
                yield unpack.decompress(piece, _PIECE)
            except zlib.error as error:
                raise Broken(f"it cannot be unpacked: {error}") from None
            piece = unpack.unconsumed_tail or (unpack.unused_data if unpack.eof else b"")
    while begun and not unpack.eof:
        if not (last := unpack.decompress(unpack.unconsumed_tail, _PIECE)):
            raise Unfinished("the packed body is cut")
        yield last


def media_type(response: httpx2.Response) -> tuple[str, str | None]:
    """The media type and the charset of a response, lower case; empty and None where it does not say."""
    essence, *parameters = response.headers.get("content-type", "").lower().split(";")
    charset = next((p.partition("=")[2].strip(" \"'") for p in parameters if p.strip().startswith("charset=")), None)
    return essence.strip(), charset or None


def kind_of(essence: str, start: str) -> str:
    """json, xml, tsv, csv or boolean: by the media type, unless the first characters say otherwise. Raises Broken."""
    declared = _KINDS.get(essence, "")
    if _HTML.match(start):
        raise Broken("it is an HTML page", start)
    first = start.lstrip()[:1]
    if declared in ("json", "xml") or not declared:
        if first == "{":
            return "json"
        if _XML.match(start):
            return "xml"
    if declared in ("tsv", "csv") and first == "{":
        return "json"
    if declared in ("tsv", "csv") and start.lstrip().startswith("<?xml"):
        return "xml"
    if _BOOLEAN.fullmatch(start):
        return "boolean" if declared != "csv" and declared != "tsv" else declared
    if declared in ("", "csv") and _TSV.match(start):
        return "tsv"
    if declared in ("tsv", "csv"):
        return declared
    if not start.strip():
        raise Unfinished("it is empty")
    raise Broken(f"it is no SPARQL results ({essence or 'no media type'})", start)


def _read(body: Body, head: Head) -> tuple[str, Iterator[Row]]:
    """The media type of a body, and a reader of its rows."""
    essence, charset = media_type(body.response)
    first = b""
    for piece in body.pieces:
        first += piece
        if len(first.lstrip()) >= 256 or len(first) > _PIECE:
            break
    start = first.decode("utf-16" if first[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="replace")
    kind = kind_of(essence, start)
    if kind == "boolean":
        head.boolean = start.strip().lower() == "true"
        return essence, iter(())
    if kind in ("tsv", "csv") and not body.end_is_known:
        raise Broken("it is a table sent without its length, so a cut one would look whole")
    pieces = chain([first], body.pieces)
    if kind == "xml":
        return essence, xml_rows(pieces, head)
    readers = {"json": json_rows, "tsv": tsv_rows, "csv": csv_rows}
    return essence, readers[kind](text(pieces, charset), head)


def read_rows(body: Body, limit_rows: int | None) -> Rows:
    """The rows of a SELECT's answer, all or as many as the limits allow. Raises Broken."""
    head = Head()
    found: list[tuple[Term | None, ...]] = []
    early: list[Row] = []
    truncated: dict[str, Any] | None = None
    essence, order = "", None
    try:
        essence, rows = _read(body, head)
        for row in rows:
            if limit_rows is not None and body.rows >= limit_rows:
                truncated = {"by": "limit_rows", "limit": limit_rows}
                break
            if order is None and head.variables is not None:
                order = _order(head.variables)
            if order is None:
                early.append(row)
                head.seen.update(dict.fromkeys(row))
            else:
                found.append(_tuple(row, order))
            body.rows += 1
    except Unfinished:
        if not body.full:
            raise
    if body.full and truncated is None:
        truncated = {"by": "limit_bytes", "limit": body.limit}
    if truncated is None and not head.results:
        raise Broken("it is a boolean, not the rows of a SELECT")
    order = _order(head.variables if head.variables is not None else list(head.seen))
    found = [_tuple(row, order) for row in early] + found
    truncated = truncated or cut_by_endpoint(body.response, len(found))
    return Rows(tuple(order), found, truncated, essence, body.size)


def _order(variables: list[str]) -> dict[str, None]:
    if len(set(variables)) != len(variables):
        raise Broken("a variable is named twice")
    return dict.fromkeys(variables)


def _tuple(row: Row, order: dict[str, None]) -> tuple[Term | None, ...]:
    if not row.keys() <= order.keys():
        unknown = ", ".join(sorted(row.keys() - order.keys()))
        raise Broken(f"a row binds {unknown}, which the head does not name")
    return tuple(row.get(name) for name in order)


def read_boolean(body: Body) -> bool:
    """The answer of an ASK. Raises Broken."""
    head = Head()
    for _ in _read(body, head)[1]:
        raise Broken("it is rows, not the boolean of an ASK")
    if head.boolean is None:
        raise Broken("it is rows, not the boolean of an ASK")
    if cut := cut_by_endpoint(body.response, 0):
        raise Complaint("the endpoint did not search to the end", f"timeout: {cut['message']}")
    return head.boolean


def cut_by_endpoint(response: httpx2.Response, rows: int) -> dict[str, Any] | None:
    """What Virtuoso says in headers about an answer that is not all there is."""
    headers = response.headers
    message = " ".join(headers.get("x-sql-message", "").split())
    if state := headers.get("x-sql-state"):
        spent = headers.get("x-exec-milliseconds")
        said = message or ("the time that the endpoint gives a query was over" if state == "S1TAT" else "incomplete")
        return {"by": "endpoint", "message": f"{state}: {said}" + (f" ({spent} ms)" if spent else "")}
    if most := headers.get("x-sparql-maxrows"):
        if most.strip().isdecimal() and rows < int(most):
            return None
        return {"by": "endpoint", "message": f"the endpoint gives at most {most.strip()} rows"}
    return None
