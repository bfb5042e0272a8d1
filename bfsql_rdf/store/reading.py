"""Reading a file as quads whose blank nodes are skolemized: the same file gives the same quads every time."""

import hashlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, QuadParser, RdfFormat, Triple, parse

from bfsql_rdf.errors import LoadError
from bfsql_rdf.store.formats import CORRUPT, Format, decompressed, find_format, hextuples, rdflib_quads, trix
from bfsql_rdf.store.legacy import is_legacy, legacy_quads
from bfsql_rdf.terms import SKOLEM, iri_fault

__all__ = ["SKOLEM", "FileInfo", "Reading", "open_reading", "rdflib_quads", "skolemize"]

Progress = Callable[[int, int], None]
_CHUNK = 1 << 20
_STEP = 20_000
_BOM = b"\xef\xbb\xbf"


@dataclass
class FileInfo:
    """What is remembered of a file that was read; `quads` and `prefixes` are complete after the last quad.

    `digest` is the first 12 hex digits of the SHA-256 of the decompressed bytes.
    `star` says that the source is RDF-star, where all blank reifiers of one triple are one statement.
    """

    name: str
    digest: str
    format: str
    star: bool
    quads: int = 0
    prefixes: dict[str, str] = field(default_factory=dict)


@dataclass
class _Scan:
    """What the first pass over the bytes finds."""

    digest: str
    blank: bool
    legacy: bool


class _Source:
    """A file, or standard input spooled to a temporary file, that can be opened several times."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._spool: BinaryIO | None = None
        self.disk: BinaryIO | None = None
        if name == "-":
            self._spool = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - see close
            shutil.copyfileobj(sys.stdin.buffer, self._spool, _CHUNK)
        self.plain, self.bom, self.head = False, False, b""

    def look(self) -> None:
        """Take the first bytes; LoadError when they cannot be RDF."""
        stream = self.open()
        self.plain = stream is self.disk
        self.head = stream.read(4096)
        self.bom = self.head.startswith(_BOM)
        if self.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise LoadError("the file is UTF-16", code="not_rdf", where=self.name, hint="Convert it to UTF-8")
        if b"\0" in self.head:
            suffix = Path(self.name).suffix
            damaged = suffix in (".gz", ".bz2", ".xz", ".zst") and self.plain
            what = f"damaged: this is no {suffix} file" if damaged else "a binary file, not RDF"
            raise LoadError(what, code="corrupt_file" if damaged else "not_rdf", where=self.name)

    def open(self, skip_bom: bool = False) -> BinaryIO:
        """The decompressed bytes from the start; `disk` is the file below them."""
        self.close(spool=False)
        if self._spool is not None:
            self._spool.seek(0)
            self.disk = self._spool
        else:
            self.disk = open(self.name, "rb", buffering=1 << 18)  # noqa: SIM115 - see close
        stream = decompressed(self.disk, self.name)
        if skip_bom and self.bom:
            stream.read(len(_BOM))
        return stream

    def close(self, spool: bool = True) -> None:
        """Close what is open; the spool only when no more reading will follow."""
        if self.disk is not None and self.disk is not self._spool:
            self.disk.close()
        if spool and self._spool is not None:
            self._spool.close()

    @property
    def path(self) -> str | None:
        """A path that Oxigraph can read by itself, which is faster."""
        return self.name if self.plain and not self.bom and self._spool is None else None

    def scan(self, lines: bool) -> _Scan:
        """The first pass; blank node labels and old RDF-star are looked for in line formats only."""
        digest, blank, legacy = hashlib.sha256(), not lines, False
        stream = self.open()
        while chunk := stream.read(_CHUNK):
            if lines:
                chunk += stream.readline()
                blank = blank or b"_:" in chunk
                if not legacy and b"<<" in chunk:
                    legacy = any(map(is_legacy, chunk.splitlines()))
            digest.update(chunk)
        return _Scan(digest.hexdigest()[:12], blank or legacy, legacy)


class Reading:
    """One file being read: iterate once over its skolemized quads, in file order."""

    def __init__(
        self,
        source: _Source,
        kind: Format,
        scan: _Scan,
        *,
        lenient: bool,
        graph: NamedNode | None,
        base: str | None,
        progress: Progress | None,
    ) -> None:
        self.info = FileInfo(source.name, scan.digest, kind.name, kind.star or scan.legacy)
        self._source, self._kind, self._scan = source, kind, scan
        self._lenient, self._graph, self._base, self._progress = lenient, graph, base, progress
        self._begun = False

    def __iter__(self) -> Iterator[Quad]:
        if self._begun:
            raise RuntimeError("a Reading is iterated once; open the file again")
        self._begun = True
        quads = self._counted()
        if self._graph is not None:
            quads = _into_graph(quads, self._graph)
        return skolemize(quads, self.info.digest) if self._scan.blank else quads

    def _parser(self, lenient: bool) -> Iterator[Quad]:
        source, format = self._source, self._kind.oxigraph
        if format is None:
            read = trix if self._kind.name == "TriX" else hextuples
            return read(source.open(skip_bom=True))
        if self._scan.legacy:
            return legacy_quads(source.open(skip_bom=True), format, self.info.digest, lenient)
        if source.path is not None and self._progress is None:
            return parse(path=source.path, format=format, base_iri=self._base, lenient=lenient)
        return parse(source.open(skip_bom=True), format=format, base_iri=self._base, lenient=lenient)

    def _take_prefixes(self, parser: Any) -> None:
        """Keep the prefixes declared so far; those of RDF/XML are gone with its last element."""
        if isinstance(parser, QuadParser):
            self.info.prefixes.update(parser.prefixes)

    def _counted(self) -> Iterator[Quad]:
        count = 0
        try:
            parser = self._parser(self._lenient)
            progress, disk = self._progress, self._source.disk
            if progress is None or disk is None:
                for quad in parser:
                    count += 1
                    if count == 1:
                        self._take_prefixes(parser)
                    yield quad
            else:
                for count, quad in enumerate(parser, 1):
                    if count == 1:
                        self._take_prefixes(parser)
                    if not count % _STEP:
                        progress(disk.tell(), count)
                    yield quad
                progress(disk.tell(), count)
            self._take_prefixes(parser)
        except SyntaxError as error:
            raise self._syntax_error(error, count) from error
        except LoadError as error:
            where = error.where or self.info.name
            raise LoadError(error.message, code=error.code, where=where, hint=error.hint) from error
        except (OSError, *CORRUPT) as error:
            raise _unreadable(error, self.info.name) from error
        finally:
            self.info.quads = count
            self._source.close()
        if not count:
            hint = f"It was read as {self._kind.name}; --format names another format"
            raise LoadError("the file holds no triples", code="empty_file", where=self.info.name, hint=hint)

    def _syntax_error(self, error: SyntaxError, count: int) -> LoadError:
        line, column = error.lineno, error.offset
        if line is None and self._kind.oxigraph is not None:
            line, column = self._line_of(self._kind.oxigraph), None
        # The parser's text repeats the place, which `where` has.
        message = error.msg.split(": ", 1)[1] if error.msg.startswith("Parser error at") else error.msg
        hint = None
        if "LoadDocumentCallback" in message:
            message, hint = "The JSON-LD context is remote", "Put the context itself into the file"
        elif not self._lenient and self._kind.oxigraph is not None and self._lenient_reads(count):
            hint = "--lenient reads it"
        elif not count and (line or 1) <= 3:
            hint = f"It was read as {self._kind.name}; --format names another format"
        name = self.info.name
        return LoadError(
            message,
            code="syntax_error",
            where=name if line is None else f"{name}:{line}",
            hint=hint,
            details={"file": name, "line": line, "column": column},
        )

    def _lenient_reads(self, count: int) -> bool:
        """Whether a lenient parser passes the place where the strict one stopped after `count` quads."""
        try:
            for number, _ in enumerate(self._parser(True)):
                if number >= count:
                    break
        except SyntaxError:
            return False
        return True

    def _line_of(self, format: RdfFormat) -> int | None:
        """The line that the parser had come to, where its error names none (RDF/XML and N3)."""
        lines = _ByLine(self._source.open(skip_bom=True))
        try:
            for _ in parse(cast(BinaryIO, lines), format=format, base_iri=self._base, lenient=self._lenient):
                pass
        except SyntaxError:
            return lines.number
        return None


class _ByLine(io.RawIOBase):
    """Hands out a stream by lines, and knows the number of the last one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.number, self._fresh = stream, 0, True

    def read(self, size: int = -1) -> bytes:
        line = self._stream.readline(size)
        self.number += self._fresh and bool(line)
        self._fresh = line.endswith(b"\n")
        return line


def open_reading(
    name: str | os.PathLike[str],
    *,
    lenient: bool = False,
    graph: str | None = None,
    base: str | None = None,
    format: str | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Open an RDF file ("-": standard input) and make the first pass over it.

    `graph` takes the quads of the default graph. `base` resolves relative IRIs (default: the file's own URI).
    `progress` gets the bytes read so far of the file as it lies on disk, and the quads so far.
    """
    name = os.fspath(name)
    for label, iri in (("graph", graph), ("base", base)):
        if iri is not None and (fault := iri_fault(iri)):
            raise LoadError(f"the {label} {iri!r} is no absolute IRI: {fault}", code="invalid_iri", where=label)
    source: _Source | None = None
    try:
        source = _Source(name)
        source.look()
        kind = find_format(name, source.head, format)
        scan = source.scan(lines=kind.name in ("N-Triples", "N-Quads"))
        source.close(spool=False)
    except (OSError, *CORRUPT, LoadError) as error:
        if source is not None:
            source.close()
        if isinstance(error, LoadError):
            raise
        raise _unreadable(error, name) from error
    if base is None and name != "-":
        base = Path(name).absolute().as_uri()
    node = None if graph is None else NamedNode(graph)
    return Reading(source, kind, scan, lenient=lenient, graph=node, base=base, progress=progress)


def _unreadable(error: Exception, name: str) -> LoadError:
    if isinstance(error, OSError) and error.errno is not None:
        return LoadError(os.strerror(error.errno), code="unreadable", where=name)
    message = f"the compressed file is damaged or cut off: {error}"
    return LoadError(message, code="corrupt_file", where=name)


def _into_graph(quads: Iterable[Quad], graph: NamedNode) -> Iterator[Quad]:
    for quad in quads:
        if type(quad.graph_name) is DefaultGraph:
            yield Quad(quad.subject, quad.predicate, quad.object, graph)
        else:
            yield quad


def skolemize(quads: Iterable[Quad], digest: str) -> Iterator[Quad]:
    """The quads with IRIs for blank nodes, `SKOLEM + digest-n`, numbered from 1 in order of first occurrence.

    Triple terms and graph names are covered; a quad without blank nodes is passed on as it is.
    """
    names: dict[str, NamedNode] = {}
    stem = f"{SKOLEM}{digest}-"

    def name(node: BlankNode) -> NamedNode:
        label = node.value
        iri = names.get(label)
        if iri is None:
            iri = names[label] = NamedNode(f"{stem}{len(names) + 1}")
        return iri

    def inside(triple: Triple) -> Triple:
        subject, value = triple.subject, triple.object
        new_subject = name(subject) if type(subject) is BlankNode else subject
        new_value: NamedNode | BlankNode | Literal | Triple = value
        if type(value) is BlankNode:
            new_value = name(value)
        elif type(value) is Triple:
            new_value = inside(value)
        if new_subject is subject and new_value is value:
            return triple
        return Triple(new_subject, triple.predicate, new_value)

    for quad in quads:
        subject, value, graph = quad.subject, quad.object, quad.graph_name
        kind = type(value)
        if type(subject) is BlankNode or kind is BlankNode or kind is Triple or type(graph) is BlankNode:
            new_subject = name(subject) if type(subject) is BlankNode else subject
            if type(value) is BlankNode:
                value = name(value)
            elif type(value) is Triple:
                value = inside(value)
            yield Quad(new_subject, quad.predicate, value, name(graph) if type(graph) is BlankNode else graph)
        else:
            yield quad
