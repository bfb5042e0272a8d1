"""The index, derived from the data: one stream of quads for the index store, and the figures of the whole."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler.text import select
from bfsql_rdf.ids import Ids
from bfsql_rdf.positions import position_key
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.expressions import Expressions
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.findings import Findings, recorded, styles_of
from bfsql_rdf.store.layout import ALIAS, ALL_TYPES, DERIVED, DISPLAY, KINDS
from bfsql_rdf.store.lists import read_list
from bfsql_rdf.store.ontology import read_ontology
from bfsql_rdf.store.plain import Plain
from bfsql_rdf.store.source import Source
from bfsql_rdf.store.spine import Spine
from bfsql_rdf.store.text import choose_text
from bfsql_rdf.store.wikibase import Exports
from bfsql_rdf.terms import (
    FIRST,
    HAS_ASSERTION,
    LABELS,
    NANOPUBLICATION,
    NIL,
    RDF_TYPE,
    SKOLEM,
    STRUCTURAL_TYPES,
    local_name,
)

_ONE_PREDICATE = re.compile(r"<[^<>]*>|[^\s/|()*+?^!<>]+")
"""A property path that is one predicate, which a pattern lookup answers faster than SPARQL."""


class Builder:
    """Builds the index of one dataset: iterate `quads()`, then read `figures`."""

    def __init__(
        self, source: Source, profile: Profile, ids: Ids, findings: Findings, star: frozenset[str] = frozenset()
    ) -> None:
        self.source, self.profile, self.ids, self.findings = source, profile, ids, findings
        self.figures = Figures()
        recorded(self.figures, findings)
        self.exports = Exports(source, findings.wikibase) if findings.wikibase else None
        self.expressions = Expressions(source) if profile.restrictions else Expressions(source, read=frozenset())
        self.types = [self._iri(text) for text in profile.types]
        self.type_iris = frozenset(node.value for node in self.types)
        self.hidden = frozenset(self._iri(text) for text in profile.hidden)
        self._redirects = self.exports.redirects if self.exports else {}
        self._redirected: dict[NamedNode, list[NamedNode]] = {}
        for start, end in self._redirects.items():
            self._redirected.setdefault(end, []).append(start)
        self.same = not ids.alternates and not self._redirects
        self.figures.redirects = len(self._redirects)
        self.cells: set[int] = set()
        self._derived: dict[tuple[NamedNode, NamedNode, NamedNode], set[str]] = {}
        self.spine = Spine(self, styles_of(findings.vocabulary, profile), star)

    def _iri(self, text: str) -> NamedNode:
        return NamedNode(self.ids.expand(text, "profile"))

    # Canonical terms

    def node(self, term: Any) -> NamedNode:
        """The canonical node of a resource of the data; a triple term is its statement."""
        if type(term) is Triple:
            return self.spine.of_triple(term)
        merged = self.spine.merged.get(term) if self.spine.merged else None
        if merged is not None:
            return merged
        if self.same:
            return term  # type: ignore[no-any-return]
        term = self._redirects.get(term, term)
        canonical = self.ids.canonical(term.value)
        if canonical == term.value:
            return term  # type: ignore[no-any-return]
        return NamedNode(canonical)

    def predicate(self, term: Any) -> NamedNode:
        """The canonical predicate of a statement: a predicate that is made of a property is that property."""
        made = self.exports.roles.get(term.value) if self.exports else None
        return NamedNode(made[1]) if made else self.node(term)

    def object(self, term: Any) -> Any:
        """The canonical object: literals stay as stored."""
        return term if type(term) is Literal else self.node(term)

    def stated(self, subject: NamedNode, predicate: Any, object_: Any) -> list[tuple[NamedNode, Any]]:
        """The canonical predicates and objects of a statement: one, the members of a list, or the edges of a class."""
        name = self.predicate(predicate)
        if self.is_list(object_):
            values, resources = read_list(self.source, object_, self)
            return [(name, member) for member in [*resources, *([values] if values is not None else [])]]
        derived = self.expressions.edges(predicate, object_)
        if not derived:
            return [(name, self.object(object_))]
        found = []
        for edge in derived:
            what, target = self.node(edge.predicate), self.node(edge.object)
            if not self.spine.asserted(subject, what, target):
                self._derived.setdefault((subject, what, target), set()).add(edge.via)
            found.append((what, target))
        return found

    def is_list(self, term: Any) -> bool:
        """Whether a term is the head of an RDF list."""
        return bool(self.cells) and (term == NIL or hash(term) in self.cells)

    def raw_forms(self, node: NamedNode) -> list[NamedNode]:
        """The spellings that a canonical node may have in the data, merged reifiers among them."""
        if self.same and not self.spine.merged:
            return [node]
        forms = [NamedNode(form) for form in self.ids.data_forms(node.value)]
        forms += self._redirected.get(node, ())
        return forms + self.spine.members.get(node, [])

    # The stream

    def quads(self) -> Iterator[Quad]:
        """Every quad of the index, in no order that matters; duplicates may occur."""
        self.cells = {hash(q.subject) for q in self.source.match(None, FIRST, None)}
        self.figures.lists = len(self.cells)
        yield from self.spine.quads()
        if self.exports:
            self.figures.warnings += self.exports.warnings()
        yield from self._truthy_types()
        read_ontology(self)
        yield from self._positions()
        yield from self._nanopublications()
        yield from self._display_of_stated()
        yield from Plain(self).quads()
        yield from self.spine.pending()
        for triple, via in self._derived.items():
            yield Quad(*triple, NamedNode(DERIVED + ", ".join(sorted(via)).replace(" ", "")))
        self.figures.derived = len(self._derived)
        self._finish()

    def _truthy_types(self) -> Iterator[Quad]:
        """The types of an export that has direct triples and no statements."""
        for predicate in self.types if self.exports else ():
            for entity, kind in self.exports.truthy_types(predicate.value):  # type: ignore[union-attr]
                entity, kind = self.node(entity), self.node(kind)
                self.spine.stated_types.setdefault(entity, set()).add(kind.value)
                yield Quad(kind, ALIAS, kind)

    def _nanopublications(self) -> Iterator[Quad]:
        """Which nanopublication an assertion belongs to, as a field of it."""
        if "graph" in (style.name for style in self.spine.styles):
            name = NamedNode(NANOPUBLICATION)
            for quad in self.source.match(None, NamedNode(HAS_ASSERTION), None):
                self.counts(name)[3] += 1
                yield Quad(self.node(quad.object), name, self.node(quad.subject))

    def _positions(self) -> Iterator[Quad]:
        extremes: dict[str, tuple[Any, Any, str, str]] = {}
        key_of = lru_cache(maxsize=100_000)(position_key)  # one day is the date of many statements
        for statement, value in self._position_rows():
            if type(value) is not Literal or type(statement) is Literal:
                continue
            statement = self.node(statement)
            keyed = key_of(value) if hash(statement) in self.spine.statements else None
            if keyed is None:
                continue
            kind, key = keyed
            low, high, first, last = extremes.get(kind, (key, key, value.value, value.value))
            if key < low:
                low, first = key, value.value
            if key > high:
                high, last = key, value.value
            extremes[kind] = (low, high, first, last)
            yield Quad(statement, KINDS[kind], Literal(str(key)))
        self.figures.positions = {kind: [e[2], e[3]] for kind, e in sorted(extremes.items())}

    def _position_rows(self) -> Iterator[tuple[Any, Any]]:
        path = self.profile.position.path
        if _ONE_PREDICATE.fullmatch(path):
            predicate = NamedNode(self.ids.expand_exactly(path, "position.path"))
            for quad in self.source.match(None, predicate, None):
                yield quad.subject, quad.object
        else:
            query = select("?statement ?position", f"?statement {path} ?position .")
            for row in self.source.select(query):
                yield row[0], row[1]

    def _display_of_stated(self) -> Iterator[Quad]:
        for node in self.spine.stated_types:
            yield from self.display(node)

    def _types_of(self, node: NamedNode) -> set[str]:
        types = set(self.spine.stated_types.get(node, ()))
        for form in self.raw_forms(node):
            for predicate in self.types:
                for quad in self.source.match(form, predicate, None):
                    if type(quad.object) is NamedNode and not quad.object.value.startswith(SKOLEM):
                        kind = self.node(quad.object)
                        if hash((node, RDF_TYPE, kind)) not in self.spine.described:
                            types.add(kind.value)
        return self.exports.told_types(types) if self.exports else types

    def display(self, node: NamedNode) -> Iterator[Quad]:
        types = self._types_of(node)
        if not types:
            return
        shown = self.figures.most_specific(types, STRUCTURAL_TYPES)
        self.figures.types[shown] = self.figures.types.get(shown, 0) + 1
        yield Quad(node, DISPLAY, NamedNode(shown))
        if len(types) > 1:
            self.figures.multi_typed += 1
            for one in types:
                self.figures.also[one] = self.figures.also.get(one, 0) + (one != shown)
                yield Quad(node, ALL_TYPES, NamedNode(one))

    def counts(self, name: NamedNode) -> list[int]:
        return self.figures.predicates.setdefault(name.value, [0, 0, 0, 0])

    def _label(self, node: NamedNode) -> str | None:
        """The label of a term in the first of the profile's languages that is there."""
        for predicate in self._label_predicates:
            found = [
                quad.object
                for form in self.raw_forms(node)
                for quad in self.source.match(form, predicate, None)
                if self.spine.believed(node, predicate, quad.object)
            ]
            literals = [one for one in found if type(one) is Literal]
            if literals:
                return choose_text(literals, self.profile.languages)
        return None

    def _finish(self) -> None:
        figures = self.figures
        order = sorted(figures.predicates, key=lambda iri: (-sum(figures.predicates[iri]), iri))
        order += sorted(figures.types, key=lambda iri: (-figures.types[iri], iri))
        found = dict.fromkeys(iri[: len(iri) - len(local_name(iri))] for iri in order)
        chosen = [self.ids.expand(text, "vocab") for text in self.profile.vocab]
        figures.vocab = list(dict.fromkeys([*chosen, *figures.vocab, *found]))
        self._label_predicates = [NamedNode(iri) for iri in LABELS if iri in figures.predicates]
        named = {*order, *figures.also, *figures.inverses, *figures.symmetric, *figures.superclasses}
        for iri in sorted(named):
            label = self._label(NamedNode(iri))
            if label:
                figures.labels[iri] = label
        figures.about_statements = self.spine.about_statements()
        figures.link_sets = sorted(map(list, self.spine.sets["links"]))
        figures.value_sets = sorted(map(list, self.spine.sets["values"]))
        figures.type_sets = sorted(map(list, self.spine.sets["types"]))
