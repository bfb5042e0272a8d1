"""SPARQL results in JSON, one row in memory at a time."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bfsql_rdf.remote.wire import DEPTH, ITEM, Broken, Complaint, Head, Row, Unfinished, bnode, iri, literal, triple
from bfsql_rdf.terms import Term

_SPACE = re.compile(r"[ \t\r\n]*")
_TAIL = 24
"""Characters at the end of a text within which a fault may come of its being cut."""
_COMPLAINTS = ("exception", "error", "errors", "errorMessage", "message", "detail")
_ROLES = (("subject", "s"), ("predicate", "property", "p"), ("object", "o"))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant)


class _Text:
    """A text that is read as it is needed."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self.pieces, self.text, self.at = pieces, "", 0

    @property
    def rest(self) -> str:
        return self.text[self.at :]

    def more(self) -> bool:
        piece = next(self.pieces, None)
        if piece is None:
            return False
        self.text, self.at = self.text[self.at :] + piece, 0
        return True

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def take(self, *wanted: str) -> str:
        found = self.peek()
        if not found:
            raise Unfinished("the JSON is not closed")
        if found not in wanted:
            raise Broken(f"the JSON has {found!r} where {' or '.join(wanted)} must be", self.rest)
        self.at += 1
        return found

    def value(self) -> Any:
        """The JSON value that comes next, at most ITEM characters."""
        if not self.peek():
            raise Unfinished("the JSON is not closed")
        while True:
            ended = False
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
                whole = self.text[end - 1] in '}]"el' or len(self.text) - end > _TAIL
            except json.JSONDecodeError as error:
                if not error.msg.startswith("Unterminated") and error.pos < len(self.text) - _TAIL:
                    raise Broken(f"it is no JSON: {error.msg}", self.text[error.pos :]) from None
                value, end, whole = None, -1, False
            except (ValueError, RecursionError):
                raise Broken("it is no JSON that can be read: a number too long, or values nested too deep") from None
            if not whole:
                ended = not self._double()
            if whole or (ended and end >= 0):
                self.at = end
                return value
            if ended:
                raise Unfinished("the JSON ends in the middle", self.rest)

    def _double(self) -> bool:
        """Twice the text, so that a long value is not tried again at every piece; False when there is no more."""
        size = len(self.text) - self.at
        if size > ITEM:
            raise Broken("one row is too large")
        grown = False
        while len(self.text) - self.at < 2 * size and self.more():
            grown = True
        return grown

    def members(self) -> Iterator[str]:
        """The keys of an object, each before its value."""
        self.take("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() not in ('"', ""):
                raise Broken("the JSON has no key where one must be", self.rest)
            key = self.value()
            self.take(":")
            yield str(key)
            if self.take(",", "}") == "}":
                return

    def items(self) -> Iterator[Any]:
        """The values of an array."""
        self.take("[")
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            yield self.value()
            if self.take(",", "]") == "]":
                return


def json_rows(pieces: Iterator[str], head: Head) -> Iterator[Row]:
    """The rows of `application/sparql-results+json`, whatever the order of its keys. Raises Broken."""
    text = _Text(pieces)
    complaints: dict[str, Any] = {}
    for key in text.members():
        if key == "head":
            head.variables = _variables(text.value())
        elif key == "results" and text.peek() == "{":
            for part in text.members():
                if part == "bindings":
                    head.results = True
                    for row in text.items():
                        yield _row(row)
                else:
                    text.value()
        elif key == "boolean" and isinstance(value := text.value(), bool):
            head.boolean = value
        elif key != "boolean":
            value = text.value()
            if key in _COMPLAINTS and value:
                complaints[key] = value
    answered = head.results or head.boolean is not None
    if "exception" in complaints or "error" in complaints or (complaints and not answered):
        raise Complaint("the endpoint answers with an error", words_in(complaints))
    if text.peek():
        raise Broken("text comes after the end of the results", text.rest)
    if not answered:
        raise Broken("it is JSON, but no SPARQL results")


def words_in(value: Any) -> str:
    """What a JSON error object says."""
    for key in _COMPLAINTS:
        if isinstance(value, dict) and value.get(key):
            return words_in(value[key])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _variables(head: Any) -> list[str] | None:
    names = head.get("vars") if isinstance(head, dict) else None
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Broken("head.vars is no list of names")
    return names


def _row(bindings: Any) -> Row:
    if not isinstance(bindings, dict):
        raise Broken("a row is no object")
    return {name: _term(value, 0) for name, value in bindings.items() if value is not None}


def _term(value: Any, depth: int) -> Term:
    if not isinstance(value, dict) or depth > DEPTH:
        raise Broken("a term is no object" if depth <= DEPTH else "triple terms are nested too deep")
    kind, inner = value.get("type"), value.get("value")
    if kind in ("triple", "statement") and isinstance(inner, dict):
        found = (next((inner[name] for name in names if name in inner), None) for names in _ROLES)
        return triple(*(_term(part, depth + 1) for part in found))
    if not isinstance(inner, str):
        raise Broken(f"a term of type {kind!r} has no text")
    if kind in ("literal", "typed-literal"):
        parts = [value.get("xml:lang") or value.get("lang"), value.get("its:dir"), value.get("datatype")]
        if all(part is None or isinstance(part, str) for part in parts):
            return literal(inner, *parts)
    if kind in ("uri", "iri"):
        return iri(inner)
    if kind == "bnode":
        return bnode(inner)
    raise Broken(f"{kind!r} is no type of term")
