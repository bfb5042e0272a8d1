"""The line formats of RDF-star before RDF 1.2, `<< s p o >> p o .`, rewritten to RDF 1.2 lines."""

import re
from collections.abc import Iterable, Iterator

from pyoxigraph import Quad, RdfFormat, parse

from bfsql_rdf.terms import RDF

__all__ = ["Rewriter", "is_legacy", "legacy_quads"]

_BATCH = 5_000
_OPAQUE = re.compile(rb'"(?:[^"\\]|\\.)*"|<[^<>\s"]*>|#.*')
_TOKEN = re.compile(
    r"(?P<open><<\(?)|(?P<close>\)?>>)"
    r"|(?P<term><[^<>\n]*>"
    r"|_:[\w\u00b7:-](?:[\w.\u00b7:-]*[\w\u00b7:-])?"
    r'|"(?:[^"\\\r\n]|\\.)*"(?:\^\^<[^<>\n]*>|@[\w-]+)?)'
    r"|(?P<dot>\.)|(?P<skip>\s+|#.*)"
)


def is_legacy(line: bytes) -> bool:
    """Whether the line quotes a triple in the old way: `<<` without `(`, not in a string or comment."""
    if b"<<" not in line:
        return False
    return any(not bare.startswith(b"(") for bare in _OPAQUE.sub(b" ", line).split(b"<<")[1:])


class Rewriter:
    """Gives every quoted triple of a file one blank reifier per graph, whatever number of times it is quoted.

    `scope` makes the reifiers' labels ones that the file itself cannot hold (its digest).
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self._reifiers: dict[tuple[str, ...], str] = {}

    def lines(self, line: str, number: int) -> list[str]:
        """The RDF 1.2 lines that say what `line` says; SyntaxError with line `number` and the column."""
        tokens = list(self._tokens(line, number))
        if not tokens:
            return []
        graph = _graph(tokens, number)
        done: list[str] = []
        stack: list[tuple[str, list[str]]] = [("", [])]
        for kind, text, column in tokens[:-1]:
            if kind == "open":
                stack.append((text, []))
            elif kind == "term":
                stack[-1][1].append(text)
            elif kind == "dot":
                raise _fault("A dot may only end the line", number, column)
            else:
                opened, terms = stack.pop()
                if opened != text.replace(">>", "<<").replace(")<<", "<<("):
                    raise _fault(f"{text} closes nothing", number, column)
                if len(terms) != 3:
                    raise _fault(f"A quoted triple has three terms, not {len(terms)}", number, column)
                stack[-1][1].append(self._quoted(opened, terms, graph, done))
        kind, _, column = tokens[-1]
        opened, terms = stack[-1]
        if opened:
            raise _fault(f"{opened} is not closed", number, column)
        if kind != "dot":
            raise _fault("Quads must be followed by a dot", number, column)
        return [*done, " ".join([*terms, "."])]

    def _tokens(self, line: str, number: int) -> Iterator[tuple[str, str, int]]:
        at = 0
        while at < len(line):
            found = _TOKEN.match(line, at)
            if found is None:
                raise _fault(f"{line[at : at + 20].strip()!r} is no term of N-Triples", number, at + 1)
            if (kind := str(found.lastgroup)) != "skip":
                yield kind, found.group(), at + 1
            at = found.end()

    def _quoted(self, opened: str, terms: list[str], graph: str, done: list[str]) -> str:
        triple = " ".join(terms)
        if opened == "<<(":
            return f"<<( {triple} )>>"
        key = (*terms, graph)
        reifier = self._reifiers.get(key)
        if reifier is None:
            reifier = self._reifiers[key] = f"_:{self.scope}r{len(self._reifiers)}"
            done.append(f"{reifier} <{RDF}reifies> <<( {triple} )>> {graph} .")
        return reifier


def _graph(tokens: list[tuple[str, str, int]], number: int) -> str:
    """The fourth term of a line, or an empty string."""
    depth = count = 0
    for kind, _, _ in tokens:
        count += depth == 0 and kind in ("open", "term")
        depth += (kind == "open") - (kind == "close")
    if count != 4:
        return ""
    kind, text, column = tokens[-2]
    if kind == "close":
        raise _fault("A graph name must be an IRI or a blank node", number, column)
    return text


def _fault(message: str, line: int, column: int) -> SyntaxError:
    return SyntaxError(message, (None, line, column, None, line, column))


def legacy_quads(lines: Iterable[bytes], format: RdfFormat, scope: str, lenient: bool) -> Iterator[Quad]:
    """The quads of N-Triples or N-Quads lines, some of them old RDF-star; blank nodes keep their labels."""
    rewriter = Rewriter(scope)
    batch: list[bytes] = []
    origin: list[tuple[int, bool]] = []
    for number, line in enumerate(lines, 1):
        if is_legacy(line):
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise _fault("Invalid UTF-8 character encoding", number, error.start + 1) from error
            rewritten = [f"{new}\n".encode() for new in rewriter.lines(text, number)]
            batch += rewritten
            origin += [(number, True)] * len(rewritten)
        else:
            batch.append(line)
            origin.append((number, False))
        if len(batch) >= _BATCH:
            yield from _parsed(batch, origin, format, lenient)
            batch, origin = [], []
    yield from _parsed(batch, origin, format, lenient)


def _parsed(batch: list[bytes], origin: list[tuple[int, bool]], format: RdfFormat, lenient: bool) -> Iterator[Quad]:
    try:
        yield from parse(b"".join(batch), format=format, lenient=lenient)
    except SyntaxError as error:
        number, rewritten = origin[min((error.lineno or 1), len(origin)) - 1]
        column = 1 if rewritten else error.offset or 1
        raise _fault(error.msg, number, column) from error
