"""What a file is: its compression, its RDF format, and the formats that Oxigraph does not parse."""

import bz2
import gzip
import io
import json
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast
from xml.sax import SAXParseException

import rdflib
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat
from rdflib.exceptions import ParserError
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.store import Store

from bfsql_rdf.errors import LoadError
from bfsql_rdf.store.legacy import is_legacy
from bfsql_rdf.terms import Resource

__all__ = ["CORRUPT", "FORMATS", "Format", "decompressed", "find_format", "hextuples", "rdflib_quads", "trix"]

CORRUPT = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
"""What the decompressors raise for a damaged file (bz2: OSError; zstandard is told to raise EOFError)."""

_HEXTUPLES, _TRIX = "HexTuples", "TriX"
FORMATS: dict[str, RdfFormat | None] = {
    "Turtle": RdfFormat.TURTLE,
    "TriG": RdfFormat.TRIG,
    "N-Triples": RdfFormat.N_TRIPLES,
    "N-Quads": RdfFormat.N_QUADS,
    "RDF/XML": RdfFormat.RDF_XML,
    "JSON-LD": RdfFormat.JSON_LD,
    "N3": RdfFormat.N3,
    _TRIX: None,
    _HEXTUPLES: None,
}
_WORDS = {
    "ttl": "Turtle",
    "ttls": "Turtle",
    "turtle": "Turtle",
    "turtlestar": "Turtle",
    "trig": "TriG",
    "trigs": "TriG",
    "trigstar": "TriG",
    "nt": "N-Triples",
    "ntriples": "N-Triples",
    "nq": "N-Quads",
    "nquads": "N-Quads",
    "rdf": "XML",
    "owl": "XML",
    "xml": "XML",
    "rdfxml": "RDF/XML",
    "jsonld": "JSON-LD",
    "json": "JSON-LD",
    "n3": "N3",
    "trix": _TRIX,
    "hext": _HEXTUPLES,
    "hextuples": _HEXTUPLES,
}
_STAR_WORDS = frozenset({"ttls", "turtlestar", "trigs", "trigstar"})
_TERM = rb'(?:<[a-zA-Z][\w+.-]*:[^<>\s]*>|_:[^\s<>"]++|"(?:[^"\\]|\\.)*+"(?:\^\^<[^<>\s]*>|@[\w-]+)?)'
_LINE = re.compile(rb"\s*(?:%s\s*){3,4}\.\s*(?:#.*)?" % _TERM)
_DIRECTIVE = re.compile(rb"^\s*(?:@prefix|@base|@version|prefix|base|version)\s+\S*[:<\"]", re.I | re.M)


@dataclass(frozen=True)
class Format:
    """A format by name; `star` where its spelling says RDF-star (`.ttls`, `.trigs`)."""

    name: str
    star: bool = False

    @property
    def oxigraph(self) -> RdfFormat | None:
        return FORMATS[self.name]


def find_format(name: str, head: bytes, chosen: str | None = None) -> Format:
    """The format that was `chosen`, else that of the file name, else what the first bytes look like."""
    if chosen is not None:
        word = re.sub(r"[^a-z0-9]", "", chosen.lower())
        if word not in _WORDS:
            raise _unknown(f"unknown format {chosen!r}", name, "Known are")
        return _format(word, head)
    words = re.sub(r"\.(gz|bz2|xz|zst)$", "", name.lower().rsplit("/", 1)[-1]).split(".")[1:]
    if words[-1:] in (["html"], ["htm"], ["xhtml"]):
        raise _unknown("RDF inside HTML is not read", name, "Known are")
    if words and words[-1] in _WORDS:
        return Format(_format(words[-1], head).name, any(word in _STAR_WORDS for word in words[-2:]))
    return Format(_sniff(name, head))


def _format(word: str, head: bytes) -> Format:
    kind = _WORDS[word]
    if kind == "XML":
        kind = _TRIX if b"/trix/trix-1" in head or b"<TriX" in head else "RDF/XML"
    return Format(kind, word in _STAR_WORDS)


def _sniff(name: str, head: bytes) -> str:
    """TriG and N-Quads stand in for Turtle and N-Triples, which they contain."""
    text = re.sub(rb"^(?:\s*(?:#.*)?(?:\r?\n|\r|$))+", b"", head.removeprefix(b"\xef\xbb\xbf")).lstrip()
    if not text:
        return "TriG"
    if re.match(rb"<(?:!doctype\s+html|html)\b", text, re.I):
        raise _unknown("RDF inside HTML is not read", name, "Known are")
    if re.match(rb"<\?xml|<!doctype|<!--|<rdf:|<trix\b", text, re.I):
        return _format("xml", head).name
    if re.match(rb'\[\s*"', text):
        return _HEXTUPLES
    if re.match(rb'\{\s*["}]|\[\s*[{\]]', text):
        return "JSON-LD"
    lines = [line for line in re.split(rb"[\r\n]+", text) if line.strip() and not line.lstrip().startswith(b"#")]
    whole = lines[:-1] or lines
    if all(_LINE.fullmatch(line) or (is_legacy(line) and line.rstrip().endswith(b".")) for line in whole):
        return "N-Quads"
    if _DIRECTIVE.search(text) or re.match(rb"<[^<>\s]*>\s|<<|_:|\[\s|\{\s", text):
        return "TriG"
    raise _unknown("the format cannot be told from the name or the content", name, "Name it with --format:")


def _unknown(message: str, name: str, lead: str) -> LoadError:
    words = ", ".join(f"{kind} ({_example(kind)})" for kind in FORMATS)
    hint = f"{lead} {words}" + ("" if "--format" in lead else "; --format names one")
    return LoadError(message, code="unknown_format", where=name, hint=hint, details={"formats": list(FORMATS)})


def _example(kind: str) -> str:
    return "rdf" if kind == "RDF/XML" else next(word for word, known in _WORDS.items() if known == kind)


class _Chunks(io.RawIOBase):
    """A raw stream over an iterator of byte strings."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _zstd(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Like zstandard's own reader, but a cut file is an error and several frames are one stream."""
    try:
        import zstandard
    except ImportError as error:
        hint = "Install it: pip install 'bfsql-rdf[zstd]'"
        raise LoadError(
            "reading .zst needs the zstandard package", code="missing_extra", where=name, hint=hint
        ) from error
    rest, frame = b"", None
    try:
        while chunk := rest or file.read(16_384):
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(chunk)
            rest = frame.unused_data
            if frame.eof:
                frame = None
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error
    if frame is not None:
        raise EOFError("the last frame is cut off")


def decompressed(file: BinaryIO, name: str) -> BinaryIO:
    """The content of an open file, decompressed where its first bytes say gzip, bzip2, xz or zstd."""
    magic = file.read(6)
    file.seek(0)
    stream: object
    if magic.startswith(b"\x1f\x8b"):
        stream = gzip.GzipFile(fileobj=file)
    elif magic.startswith(b"BZh"):
        stream = bz2.BZ2File(file)
    elif magic == b"\xfd7zXZ\0":
        stream = lzma.LZMAFile(file)  # noqa: SIM115 - the caller closes the file below
    elif magic.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(_Chunks(_zstd(file, name)), 1 << 18)
    else:
        return file
    return io.BufferedReader(cast(io.RawIOBase, stream), 1 << 18)


def hextuples(lines: Iterable[bytes]) -> Iterator[Quad]:
    """HexTuples: a JSON array of six strings a line (rdflib's own parser uses what rdflib deprecates)."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            subject, predicate, value, kind, language, graph = json.loads(line)
            value_term: Resource | Literal
            if kind in ("globalId", "localId"):
                value_term = _resource(value)
            elif language:
                value_term = Literal(value, language=language)
            else:
                value_term = Literal(value, datatype=NamedNode(kind))
            name = _resource(graph) if graph else DefaultGraph()
            yield Quad(_resource(subject), NamedNode(predicate), value_term, name)
        except (ValueError, TypeError, AttributeError) as error:
            message = f"Not a line of HexTuples: {error}"
            raise SyntaxError(message, (None, number, 1, None, number, 1)) from error


def _resource(text: str) -> Resource:
    return BlankNode(text.removeprefix("_:")) if text.startswith("_") else NamedNode(text)


class _Recorder(Store):
    """A store that only notes what is added, in order."""

    context_aware = True

    def __init__(self) -> None:
        super().__init__()
        self.added: list[tuple[Any, Any, Any, Any]] = []

    def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
        unnamed = re.fullmatch(r"N[0-9a-f]{32}", context.identifier)
        self.added.append((*triple, None if unnamed else context.identifier))


def trix(file: BinaryIO) -> Iterator[Quad]:
    """TriX by rdflib's parser; an unnamed graph is the default graph."""
    recorder = _Recorder()
    try:
        rdflib.Graph(store=recorder).parse(file=file, format="trix")
    except SAXParseException as error:
        line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
        raise SyntaxError(error.getMessage(), (None, line, column, None, line, column)) from error
    except ParserError as error:
        found = re.match(r".*?:(\d+):(\d+): (.*)", str(error), re.S)
        line, column, message = (int(found[1]), int(found[2]) + 1, found[3]) if found else (1, 1, str(error))
        raise SyntaxError(message, (None, line, column, None, line, column)) from error
    except (AssertionError, AttributeError, TypeError, ValueError) as error:
        raise SyntaxError(f"Not TriX: {error}") from error
    return _converted(recorder.added)


def rdflib_quads(graph: rdflib.Graph) -> Iterator[Quad]:
    """An rdflib Graph or Dataset as quads; blank nodes stay blank nodes."""
    if isinstance(graph, rdflib.Dataset):
        return _converted(graph.quads((None, None, None, None)))
    return _converted((*triple, None) for triple in graph)


def _converted(quads: Iterable[tuple[Any, Any, Any, Any]]) -> Iterator[Quad]:
    fresh: dict[str, BlankNode] = {}

    def term(node: Any) -> Any:
        if isinstance(node, rdflib.URIRef):
            return NamedNode(str(node))
        if isinstance(node, rdflib.BNode):
            try:
                return BlankNode(str(node))
            except ValueError:
                return fresh.setdefault(str(node), BlankNode())
        if isinstance(node, rdflib.Literal):
            if node.language:
                return Literal(str(node), language=node.language)
            return Literal(str(node), datatype=NamedNode(str(node.datatype)) if node.datatype else None)
        raise ValueError(f"a {type(node).__name__} is no term of RDF")

    for row in quads:
        subject, predicate, value, name = row
        try:
            graph_name = DefaultGraph() if name in (None, DATASET_DEFAULT_GRAPH_ID) else term(name)
            quad = Quad(term(subject), term(predicate), term(value), graph_name)
        except (ValueError, TypeError) as error:
            message = f"not a quad of RDF: {' '.join(str(part) for part in row[:3])} ({error})"
            raise LoadError(message, code="invalid_term") from error
        yield quad
