"""SPARQL results as tables: TSV, which spells terms as Turtle does, and CSV, which does not say what a value is."""

import csv
import re
from collections.abc import Iterator
from itertools import islice

from pyoxigraph import Literal

from bfsql_rdf.remote.wire import ITEM, Broken, Head, Row, Unfinished, bnode, iri, term
from bfsql_rdf.terms import Term, iri_fault

_VARIABLE = re.compile(r"[^\W_]\w*|_\w*")
_WEB_IRI = re.compile(r"(?:https?|urn|mailto|ftp|tag|info|doi):\S+")
COMPLAINTS = re.compile(
    r"The SPARQL operation has been cancelled|!!!!>|SPARQL-QUERY:"
    r"|(?:[a-z]\w*\.){2,}\w*(?:Exception|Error)\b|\s+at \w+\."
)
"""How a line begins that an endpoint appends to a table when it fails."""


def lines(pieces: Iterator[str]) -> Iterator[str]:
    """Lines without their line feed; a last one that has none is Unfinished. A line may have ITEM characters."""
    parts: list[str] = []
    size = 0
    for piece in pieces:
        first, *others = piece.split("\n")
        parts.append(first)
        size += len(first)
        if size > ITEM:
            raise Broken("one row is too large")
        if others:
            yield "".join(parts)
            yield from others[:-1]
            parts, size = [others[-1]], len(others[-1])
    if rest := "".join(parts):
        raise Unfinished("the last line is not closed", rest)


def _variables(cells: list[str]) -> list[str]:
    names = [cell.strip().removeprefix("?").removeprefix("$") for cell in cells]
    if names == [""]:
        return []
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise Broken("the first line names no variables", "\t".join(cells))
    return names


def tsv_rows(pieces: Iterator[str], head: Head) -> Iterator[Row]:
    """The rows of `text/tab-separated-values`. Raises Broken."""
    source = (line.removesuffix("\r") for line in lines(pieces))
    variables = None
    for line in source:
        if variables is None:
            variables = head.variables = _variables(line.split("\t"))
            head.results = True
            continue
        cells = line.split("\t")
        if COMPLAINTS.match(line) or (len(cells) != len(variables) and not (line == "" and not variables)):
            raise Broken(f"a line has {len(cells)} cells for {len(variables)} variables", _on(line, source))
        try:
            yield {name: term(cell) for name, cell in zip(variables, cells, strict=False) if cell.strip()}
        except Broken as fault:
            raise Broken(fault.reason, _on(line, source)) from None
    if variables is None:
        raise Unfinished("it is empty")


def csv_rows(pieces: Iterator[str], head: Head) -> Iterator[Row]:
    """The rows of `text/csv`; what looks like a blank node or a common IRI is taken for one, the rest for text."""
    variables = None
    record: list[str] = []
    try:
        source = (line + "\n" for line in lines(pieces))
        for record in csv.reader(source, strict=True):
            cells = record or [""]
            if variables is None:
                variables = head.variables = _variables(cells)
                head.results = True
                continue
            if COMPLAINTS.match(cells[0]) or (len(cells) != len(variables) and (variables or record)):
                raise Broken(
                    f"a line has {len(cells)} cells for {len(variables)} variables", _on(",".join(cells), source)
                )
            yield {name: _guess(cell) for name, cell in zip(variables, cells, strict=False) if cell}
    except csv.Error as error:
        kind = Unfinished if "unexpected end" in str(error) else Broken
        raise kind(f"it is no CSV: {error}") from None
    if variables is None:
        raise Unfinished("it is empty")


def _on(line: str, others: Iterator[str]) -> str:
    """A line at fault and some that follow it: an endpoint's complaint may have many."""
    said = [line]
    try:
        said += islice(others, 20)
    except Unfinished as end:
        said.append(end.rest)
    return "\n".join(said)


def _guess(cell: str) -> Term:
    if cell.startswith("_:"):
        return bnode(cell[2:])
    return iri(cell) if _WEB_IRI.fullmatch(cell) and not iri_fault(cell) else Literal(cell)
