"""What the formats of SPARQL results have in common: text, terms, and the ways in which an answer is broken."""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Triple

from bfsql_rdf.terms import XSD, Term

ITEM: Final = 16 * 1024 * 1024
"""Characters that one row may have; more is taken for a broken answer."""
DEPTH: Final = 32
"""How deep triple terms may be nested: the store's own code recurses into them."""

_RDF4J_TRIPLE = "urn:rdf4j:triple:"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.)|$)", re.DOTALL)
_TOKENS = re.compile(
    r"""[ ]*(?:
      (?P<open><<\(?) | (?P<close>\)?>>)
    | <(?P<iri>[^<>\s]*)>
    | _:(?P<bnode>[^\s<>"()]+)
    | (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      (?:@(?P<lang>[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)(?:--(?P<dir>ltr|rtl))?|\^\^<(?P<type>[^<>\s]*)>)?
    | (?P<double>[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+)
    | (?P<decimal>[+-]?\d*\.\d+)
    | (?P<integer>[+-]?\d+)
    | (?P<boolean>true|false)(?![^\s>)])
    )""",
    re.VERBOSE,
)
_NUMBERS = {name: NamedNode(XSD + name) for name in ("double", "decimal", "integer", "boolean")}


class Broken(Exception):
    """The answer is no SPARQL results; `rest` is its text from the fault on, as far as it was read."""

    def __init__(self, reason: str, rest: str = "") -> None:
        super().__init__(reason)
        self.reason, self.rest = reason, rest


class Unfinished(Broken):
    """The answer ended before it was whole."""


class Complaint(Broken):
    """The endpoint says in its answer that it failed; `rest` is what it says."""


@dataclass(slots=True)
class Head:
    """What a reader learns beside rows: `variables` may be known only after the rows, `boolean` is that of an ASK."""

    variables: list[str] | None = None
    boolean: bool | None = None
    results: bool = False
    seen: dict[str, None] = field(default_factory=dict)


Row = dict[str, Term]


def text(pieces: Iterator[bytes], charset: str | None) -> Iterator[str]:
    """Bytes as text, piece by piece; UTF-8 where the charset is not given or not known. Raises Broken, Unfinished."""
    name = "utf-8"
    with suppress(LookupError):  # raised also for what is known but is no encoding of text, such as zlib
        "".encode(charset or name)
        name = codecs.lookup(charset or name).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    try:
        for piece in pieces:
            if decoded := decoder.decode(piece):
                yield decoded
    except UnicodeDecodeError:
        raise Broken(f"the text is not {name.upper()}") from None
    try:
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        raise Unfinished("it ends in the middle of a character") from None


def iri(value: str) -> NamedNode | Triple:
    """An IRI; RDF4J and GraphDB write a triple term as one, to clients that they think know none."""
    if value.startswith(_RDF4J_TRIPLE):
        try:
            written = base64.urlsafe_b64decode(value.removeprefix(_RDF4J_TRIPLE) + "==").decode()
        except (binascii.Error, ValueError):
            raise Broken(f"{short(value)} is no triple term") from None
        found = term(written)
        if isinstance(found, Triple):
            return found
    try:
        return NamedNode(value)
    except ValueError as error:
        raise Broken(f"{short(value)} is no IRI: {error}") from None


def bnode(label: str) -> BlankNode:
    """A blank node; a label that RDF does not allow (`nodeID://b1`) is spelt in characters that it does."""
    try:
        return BlankNode(label)
    except ValueError:
        return BlankNode("x" + re.sub(r"[^A-Za-z0-9]", lambda m: f"_{ord(m.group()):x}_", label))


def literal(value: str, lang: str | None, direction: str | None, datatype: str | None) -> Literal:
    """A literal of the parts that an answer gives; empty ones count as missing."""
    try:
        if lang:
            if direction:
                return Literal(value, language=lang, direction=BaseDirection(direction))
            return Literal(value, language=lang)
        return Literal(value, datatype=NamedNode(datatype)) if datatype else Literal(value)
    except ValueError as error:
        of = f"language {short(lang)}" if lang else f"datatype {short(datatype or '')}"
        raise Broken(f"a literal of {of} is none: {error}") from None


def triple(subject: Any, predicate: Any, object_: Any) -> Triple:
    """A triple term; Broken where RDF allows no such term."""
    try:
        return Triple(subject, predicate, object_)
    except (TypeError, ValueError):
        raise Broken("a triple term has a subject or predicate that none may have") from None


def term(written: str) -> Term:
    """The one term that a text spells in Turtle's way, as in TSV results."""
    found, end = _scan(written, 0, 0)
    if written[end:].strip(" "):
        raise Broken(f"{short(written)} is no RDF term")
    return found


def _scan(written: str, at: int, depth: int) -> tuple[Term, int]:
    token = _TOKENS.match(written, at)
    if token is None or depth > DEPTH or token["close"]:
        raise Broken(f"{short(written)} is no RDF term")
    end = token.end()
    if token["open"]:
        parts = []
        for _ in range(3):
            part, end = _scan(written, end, depth + 1)
            parts.append(part)
        close = _TOKENS.match(written, end)
        if close is None or close["close"] is None:
            raise Broken(f"{short(written)} is no RDF term")
        return triple(*parts), close.end()
    if (value := token["iri"]) is not None:
        return iri(_unescaped(value)), end
    if label := token["bnode"]:
        return bnode(label), end
    if quoted := token["quoted"]:
        return literal(_unescaped(quoted[1:-1]), token["lang"], token["dir"], token["type"]), end
    name = str(token.lastgroup)
    return Literal(token[name], datatype=_NUMBERS[name]), end


def _unescaped(value: str) -> str:
    if "\\" not in value:
        return value

    def one(match: re.Match[str]) -> str:
        if code := match[1] or match[2]:
            number = int(code, 16)
            if number < 0x110000 and not 0xD800 <= number < 0xE000:
                return chr(number)
        elif match[3] in _ESCAPES:
            return _ESCAPES[match[3]]
        raise Broken(f"{short(match.group())} is no escape")

    return _ESCAPE.sub(one, value)


def short(value: str) -> str:
    """A value for a message: quoted, at most 80 characters."""
    return repr(value if len(value) <= 80 else value[:77] + "...")
