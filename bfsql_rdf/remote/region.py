"""The part of an endpoint's graph that one query needs, as a small graph of our own that the engine then walks."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from bfsql_rdf.compiler.hops import QUOTED
from bfsql_rdf.ids import Ids
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.build import Builder
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.findings import Findings
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.layout import ALIAS
from bfsql_rdf.store.source import Source
from bfsql_rdf.styles import Vocabulary
from bfsql_rdf.terms import (
    ANNOTATED_PROPERTY,
    ANNOTATED_SOURCE,
    ANNOTATED_TARGET,
    COMPLEMENT,
    HAS_VALUE,
    OBJECT,
    ON_PROPERTY,
    PREDICATE,
    RDF_TYPE,
    REIFIES,
    SKOLEM,
    SOME_VALUES,
    SUBCLASS,
    SUBJECT,
)
from bfsql_rdf.wikibase import RANK, Wikibase

AT = NamedNode("urn:bfsql:at")
"""Where a region keeps the positions of statements, whatever path they were found by."""
MINTED = "urn:bfsql:triple:"
_UNSAFE = re.compile(r"[^A-Za-z0-9]")
Row = Sequence[Any]


@dataclass(frozen=True)
class Known:
    """What is known of an endpoint's graph: how it is read, its ids, its vocabularies and figures."""

    profile: Profile
    ids: Ids
    figures: Figures
    vocabulary: Vocabulary
    wikibase: Wikibase | None
    stable_blanks: bool


class Region:
    """Rows that an endpoint answered, restated as triples; `index` reads them as any other dataset is read."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._rows: list[tuple[Any, ...]] = []
        self._present: set[NamedNode] = set()
        self._answers = 0
        self._indexed: tuple[tuple[int, int], Index] | None = None
        self.cut: dict[str, Any] | None = None
        """What cut an answer short, None while all are whole."""
        self.blanks = 0
        self._status = NamedNode(known.ids.expand(known.profile.status.predicate, "status"))

    def take_answer(self, answer: Any) -> None:
        """Take an answer; what cut it short is remembered."""
        self.take(answer.variables, answer)
        if answer.truncated:
            self.cut = dict(answer.truncated)

    def take(self, variables: Sequence[str], rows: Iterable[Row]) -> int:
        """Take the rows of one answer, with whatever of a hop's variables they have; how many there were."""
        self._answers += 1
        places = {name: place for place, name in enumerate(variables)}
        order = [places.get(name) for name in _VARIABLES]
        before = len(self._rows)
        for row in rows:
            terms = [None if place is None else self._term(row[place]) for place in order]
            terms[1:3] = [minted(one) if type(one) is Triple else one for one in terms[1:3]]
            self._rows.append(tuple(terms))
        return len(self._rows) - before

    def know(self, nodes: Iterable[NamedNode]) -> None:
        """Nodes that are in the endpoint's graph though nothing else of them was taken."""
        self._present.update(NamedNode(self.known.ids.canonical(node.value)) for node in nodes)

    def replace_statements(self, triples: Iterable[Triple]) -> None:
        """Forget the nameless statements of some triples, which the next answer tells again, under other labels."""
        if not self.known.stable_blanks:
            gone = {(t.subject, t.predicate, t.object) for t in triples}
            self._rows = [row for row in self._rows if row[2:5] not in gone or not _blank(row[1])]
            self._indexed = None

    def _term(self, term: Any) -> Any:
        if type(term) is BlankNode:
            self.blanks += 1
            tag = "e" if self.known.stable_blanks else f"r{self._answers}"
            return NamedNode(f"{SKOLEM}{tag}-{_UNSAFE.sub(lambda found: f'_{ord(found[0]):x}', term.value)}")
        if type(term) is Triple:
            return Triple(self._term(term.subject), term.predicate, self._term(term.object))
        return term

    def index(self) -> Index:
        """The index of what was taken so far, under the names and figures of the whole graph."""
        state = (len(self._rows), len(self._present))
        if self._indexed is None or self._indexed[0] != state:
            self._indexed = state, self._index()
        return self._indexed[1]

    def _index(self) -> Index:
        known = self.known
        data, target = Store(), Store()
        data.bulk_extend(quad for number, row in enumerate(self._rows) for quad in self._restated(row, number))
        own = known.profile.model_dump(exclude_unset=True, exclude_none=True)
        hidden = [*known.profile.hidden, f"<{AT.value}>"]
        parts = {"position": {"path": f"<{AT.value}>"}, "style": {}, "styles": None, "graphs": [], "hidden": hidden}
        profile = Profile.model_validate(own | parts)
        source = Source(data, [], known.ids.prefixes)
        predicates = source.predicates()
        wikibase = known.wikibase.seen(node.value for node in predicates) if known.wikibase else None
        vocabulary = Vocabulary((REIFIES.value,), claims=known.vocabulary.claims)
        builder = Builder(source, profile, known.ids, Findings(predicates, vocabulary, wikibase))
        target.bulk_extend(builder.quads())
        target.extend(Quad(node, ALIAS, node) for node in self._present)
        return Index(target, _joined(known.figures, builder.figures), known.ids, known.profile)

    def _restated(self, row: tuple[Any, ...], number: int) -> Iterable[Quad]:
        style, statement, subject, predicate, object_, status, position = row
        if None in (subject, predicate, object_) or type(predicate) is not NamedNode or type(subject) is Literal:
            return
        if style is None:
            if type(object_) is not Triple or predicate.value not in self.known.vocabulary.reifies:
                yield Quad(subject, predicate, object_)
            return
        yield from _RESTATE.get(style.value, _reification)(statement, subject, predicate, object_, number)
        if statement is None:
            return
        if status is not None:
            yield Quad(statement, NamedNode(RANK) if style.value == "wikibase" else self._status, status)
        if position is not None:
            yield Quad(statement, AT, position)


_VARIABLES = ("style", "statement", "subject", "predicate", "object", "status", "position")
Restate = Callable[[Any, Any, Any, Any, int], list[Quad]]


def _reified(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
    return [Quad(statement, REIFIES, Triple(subject, predicate, object_)), Quad(subject, predicate, object_)]


def _quoted(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
    return [Quad(statement, REIFIES, Triple(subject, predicate, object_))]


def _reification(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
    return [Quad(statement, SUBJECT, subject), Quad(statement, PREDICATE, predicate), Quad(statement, OBJECT, object_)]


def _axiom(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
    said = ((ANNOTATED_SOURCE, subject), (ANNOTATED_PROPERTY, predicate), (ANNOTATED_TARGET, object_))
    return [Quad(statement, how, what) for how, what in said]


def _wikibase(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
    claim = NamedNode(predicate.value.replace("/prop/statement/", "/prop/"))
    return [Quad(subject, claim, statement), Quad(statement, predicate, object_)]


def _restriction(filler: NamedNode) -> Restate:
    def restate(statement: Any, subject: Any, predicate: Any, object_: Any, number: int) -> list[Quad]:
        node = NamedNode(f"{SKOLEM}class-{number}")
        if filler == COMPLEMENT:
            return [Quad(subject, RDF_TYPE, node), Quad(node, COMPLEMENT, object_)]
        return [Quad(subject, SUBCLASS, node), Quad(node, ON_PROPERTY, predicate), Quad(node, filler, object_)]

    return restate


_RESTATE: dict[str, Restate] = {
    "reifier": _reified,
    QUOTED: _quoted,
    "axiom": _axiom,
    "wikibase": _wikibase,
    "graph": _reified,
    "someValuesFrom": _restriction(SOME_VALUES),
    "hasValue": _restriction(HAS_VALUE),
    "complementOf": _restriction(COMPLEMENT),
}
"""How the triples of each style are written again; what is not here, a style of the profile's own too, is reified."""


def minted(triple: Triple) -> NamedNode:
    """The statement that a quoted triple is, under the id that a store would give it."""
    return NamedNode(MINTED + hashlib.sha256(str(triple).encode()).hexdigest()[:16])


def _joined(whole: Figures, region: Figures) -> Figures:
    """The figures of a region, with the names, statuses and traits of the whole graph where those are known."""
    return replace(
        region,
        predicates={iri: [0, 0, 0, 0] for iri in whole.predicates} | region.predicates,
        types=dict.fromkeys(whole.types, 0) | region.types,
        statuses=dict.fromkeys(whole.statuses, 0) | region.statuses,
        positions=whole.positions or region.positions,
        superclasses=whole.superclasses or region.superclasses,
        inverses=whole.inverses,
        symmetric=whole.symmetric,
        transitive=whole.transitive,
        vocab=whole.vocab or region.vocab,
        labels=region.labels | whole.labels,
        found=whole.found,
        wikibase=whole.wikibase,
        warnings=whole.warnings,
    )


def _blank(term: Any) -> bool:
    return type(term) is NamedNode and term.value.startswith(SKOLEM)
