"""SPARQL results in XML, one row in memory at a time; a document type, and so every entity, is refused."""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from bfsql_rdf.remote.wire import DEPTH, ITEM, Broken, Head, Row, Unfinished, bnode, iri, literal, triple
from bfsql_rdf.terms import Term

_XML = "http://www.w3.org/XML/1998/namespace "
_ITS = "http://www.w3.org/2005/11/its "
_TRIPLES = ("triple", "statement")
_ROLES = {"subject": 0, "s": 0, "predicate": 1, "property": 1, "p": 1, "object": 2, "o": 2}


class _Reader:
    def __init__(self, head: Head) -> None:
        self.head = head
        self.done: list[Row] = []
        self.row: Row = {}
        self.name = ""
        self.found: Term | None = None
        self.parts: list[list[Term | None]] = []
        self.attributes: dict[str, str] = {}
        self.text: list[str] | None = None
        self.root = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if not self.root:
            self.root = name
            if name != "sparql":
                raise Broken(f"it is XML of <{name}>, but no SPARQL results")
        elif name == "head":
            self.head.variables = []
        elif name == "variable" and self.head.variables is not None:
            self.head.variables.append(attributes.get("name", ""))
        elif name == "results":
            self.head.results = True
        elif name == "binding":
            self.name, self.found = attributes.get("name", ""), None
        elif name in _TRIPLES:
            if len(self.parts) >= DEPTH:
                raise Broken("triple terms are nested too deep")
            self.parts.append([None, None, None])
        elif name in ("uri", "literal", "bnode", "boolean"):
            self.attributes, self.text = attributes, []

    def data(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        if name in ("uri", "literal", "bnode", "boolean"):
            self._simple(name, "".join(self.text or ()))
        elif name in _ROLES and self.parts:
            self.parts[-1][_ROLES[name]], self.found = self.found, None
        elif name in _TRIPLES:
            self.found = triple(*self.parts.pop())
        elif name == "binding":
            if self.found is None:
                raise Broken(f"the binding of {self.name!r} has no term that is known")
            self.row[self.name] = self.found
        elif name == "result":
            self.done.append(self.row)
            self.row = {}

    def _simple(self, name: str, text: str) -> None:
        self.text, given = None, self.attributes
        if name == "boolean":
            self.head.boolean = text.strip() in ("true", "1")
            if text.strip() not in ("true", "false", "1", "0"):
                raise Broken("the boolean is none")
        elif name == "literal":
            self.found = literal(text, given.get(_XML + "lang"), given.get(_ITS + "dir"), given.get("datatype"))
        else:
            self.found = iri(text.strip()) if name == "uri" else bnode(text)


def _refuse(*_: Any) -> None:
    raise Broken("it has a document type, which SPARQL results never have")


def xml_rows(pieces: Iterator[bytes], head: Head) -> Iterator[Row]:
    """The rows of `application/sparql-results+xml`. Raises Broken."""
    parser = expat.ParserCreate(namespace_separator=" ")
    reader = _Reader(head)
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler = reader.start
    parser.CharacterDataHandler = reader.data
    parser.EndElementHandler = reader.end
    parser.buffer_text = True
    before = waiting = 0
    piece = tail = b""
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            before += len(piece)
            tail = (tail + piece)[-4096:]
            waiting = 0 if reader.done else waiting + len(piece)
            if waiting > ITEM:
                raise Broken("one row is too large")
            yield from reader.done
            reader.done.clear()
    except Broken as fault:
        if reader.root not in ("", "sparql"):
            fault.rest = piece.decode(errors="replace")
        raise
    except expat.ExpatError as error:
        yield from reader.done
        at = max(parser.ErrorByteIndex - before, 0)
        raise Broken(f"it is no XML: {error}", piece[at:].decode(errors="replace")) from None
    try:
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise Unfinished("the XML is not closed", tail.decode(errors="replace")) from None
    if not head.results and head.boolean is None:
        raise Broken("it is XML, but no SPARQL results")
