"""The index, derived from the data: one stream of quads for the index store, and the figures of the whole."""

import re
from collections.abc import Iterator
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler.text import select
from bfsql_rdf.ids import Ids
from bfsql_rdf.positions import position_key
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.evidence import evidence_nodes
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.layout import ALIAS, ALL_TYPES, DISPLAY, INSIDE, KINDS, PLAIN
from bfsql_rdf.store.lists import read_list
from bfsql_rdf.store.ontology import read_ontology
from bfsql_rdf.store.source import Source
from bfsql_rdf.store.spine import Spine
from bfsql_rdf.styles import REGISTRY, Style, Vocabulary, custom_style
from bfsql_rdf.terms import (
    FIRST,
    LABEL,
    NIL,
    RDF,
    RDF_TYPE,
    REIFIES,
    REST,
    SKOLEM,
    STRUCTURAL_TYPES,
    local_name,
)

_STATEMENT_TYPES = frozenset({NamedNode(RDF + "Statement")})
_ONE_PREDICATE = re.compile(r"<[^<>]*>|[^\s/|()*+?^!<>]+")
"""A property path that is one predicate, which a pattern lookup answers faster than SPARQL."""


def dataset_styles(source: Source, profile: Profile) -> list[Style]:
    """The styles to look for in a dataset: the registry's and the profile's own, or those that it names."""
    reifies = [REIFIES.value]
    query = select("?p", f"?p <http://www.w3.org/2000/01/rdf-schema#subPropertyOf>+ {REIFIES} .", distinct=True)
    reifies += sorted(row["p"].value for row in source.select(query) if isinstance(row["p"], NamedNode))
    vocabulary = Vocabulary(tuple(dict.fromkeys(reifies)))
    known = {name: make(vocabulary) for name, make in REGISTRY.items()}
    known |= {name: custom_style(name, style.pattern) for name, style in profile.style.items()}
    chosen = profile.styles if profile.styles is not None else list(known)
    return [known[name] for name in chosen if name in known]


class Builder:
    """Builds the index of one dataset: iterate `quads()`, then read `figures`."""

    def __init__(self, source: Source, profile: Profile, ids: Ids, star: frozenset[str] = frozenset()) -> None:
        self.source, self.profile, self.ids = source, profile, ids
        self.figures = Figures(profile=profile.digest)
        self._unmarked: set[int] = set()
        self._types = [self._iri(text) for text in profile.types]
        self._same = not ids.alternates
        self.spine = Spine(self, dataset_styles(source, profile), star)

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
        if self._same:
            return term  # type: ignore[no-any-return]
        canonical = self.ids.canonical(term.value)
        if canonical == term.value:
            return term  # type: ignore[no-any-return]
        return NamedNode(canonical)

    def object(self, term: Any) -> Any:
        """The canonical object: literals stay as stored."""
        return term if type(term) is Literal else self.node(term)

    def objects(self, term: Any) -> list[Any]:
        """The canonical objects of a statement: one, or the members of a list."""
        if not self._is_list(term):
            return [self.object(term)]
        values, resources = read_list(self.source, term, self)
        return [*resources, values] if values is not None else list(resources)

    def _is_list(self, term: Any) -> bool:
        return bool(self._cells) and (term == NIL or hash(term) in self._cells)

    def raw_forms(self, node: NamedNode) -> list[NamedNode]:
        """The spellings that a canonical node may have in the data, merged reifiers among them."""
        if self._same and not self.spine.merged:
            return [node]
        forms = [NamedNode(form) for form in self.ids.data_forms(node.value)]
        return forms + self.spine.members.get(node, [])

    # The stream

    def quads(self) -> Iterator[Quad]:
        """Every quad of the index, in no order that matters; duplicates may occur."""
        self._cells = {hash(q.subject) for q in self.source.match(None, FIRST, None)}
        self.figures.lists = len(self._cells)
        yield from self.spine.quads()
        read_ontology(self)
        yield from self._positions()
        yield from self._display_of_stated()
        yield from self._plain()
        yield from self.spine.pending()
        self._finish()

    def _positions(self) -> Iterator[Quad]:
        extremes: dict[str, tuple[Any, Any, str, str]] = {}
        for statement, value in self._position_rows():
            if type(value) is not Literal or type(statement) is Literal:
                continue
            statement = self.node(statement)
            keyed = position_key(value) if hash(statement) in self.spine.statements else None
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
            for quad in self.source.match(None, self._iri(path), None):
                yield quad.subject, quad.object
        else:
            query = select("?statement ?position", f"?statement {path} ?position .")
            for row in self.source.select(query):
                yield row[0], row[1]

    def _display_of_stated(self) -> Iterator[Quad]:
        for node in self.spine.stated_types:
            yield from self._display(node)

    def _types_of(self, node: NamedNode) -> set[str]:
        types = set(self.spine.stated_types.get(node, ()))
        for form in self.raw_forms(node):
            for predicate in self._types:
                for quad in self.source.match(form, predicate, None):
                    if type(quad.object) is NamedNode:
                        kind = self.node(quad.object)
                        if hash((node, RDF_TYPE, kind)) not in self.spine.described:
                            types.add(kind.value)
        return types

    def _display(self, node: NamedNode) -> Iterator[Quad]:
        types = self._types_of(node)
        blank = frozenset(t for t in types if t.startswith(SKOLEM))
        if not types:
            return
        shown = self.figures.most_specific(types, STRUCTURAL_TYPES | blank)
        self.figures.types[shown] = self.figures.types.get(shown, 0) + 1
        yield Quad(node, DISPLAY, NamedNode(shown))
        if len(types) > 1:
            self.figures.multi_typed += 1
            for one in types:
                yield Quad(node, ALL_TYPES, NamedNode(one))

    def _plain(self) -> Iterator[Quad]:
        """What no statement describes: fields, plain links, types; one predicate after the other."""
        self._inside = evidence_nodes(self)
        self._unmarked = set(self._inside)
        self._asserted: set[int] = set()
        structure = {part for style in self.spine.styles for part in style.structure}
        hidden = {self._iri(text) for text in self.profile.hidden}
        for predicate in self.source.predicates():
            if predicate in self._types:
                yield from self._typed(predicate)
            elif predicate not in hidden and predicate != REIFIES:
                yield from self._triples(predicate, predicate.value in structure, predicate == self.spine.status)
        self.figures.unasserted = len(self.spine.described) - len(self._asserted)

    def _typed(self, predicate: NamedNode) -> Iterator[Quad]:
        statements, stated = self.spine.statements, self.spine.stated_types
        described = self.spine.described
        name = self.node(predicate)
        for quad in self.source.match(None, predicate, None):
            subject = self.node(quad.subject)
            if type(quad.object) is Literal:
                self._counts(name)[3 if hash(subject) in statements else 2] += 1
                yield Quad(subject, name, quad.object)
                continue
            if hash(subject) in statements:
                if quad.object not in _STATEMENT_TYPES and hash((subject, RDF_TYPE, quad.object)) not in described:
                    self._counts(name)[3] += 1
                    yield Quad(subject, name, self.node(quad.object))
                continue
            if self.spine.described:
                key = hash((subject, RDF_TYPE, self.node(quad.object)))
                if key in self.spine.described:
                    self._asserted.add(key)
            if subject not in stated:
                yield from self._display_once(subject, quad)

    def _triples(self, predicate: NamedNode, structural: bool, status: bool) -> Iterator[Quad]:
        """The triples of one predicate; those that spell statements, or their status, are passed over."""
        spine, cells, inside = self.spine, self._cells, self._inside
        described, statements, reported = spine.described, spine.statements, spine.subjects
        name = self.node(predicate)
        chain = predicate in (FIRST, REST)
        links = fields = inner = 0
        as_is = name == predicate and not self.source.named
        simple = as_is and self._same and not (statements or inside or cells or spine.merged)
        for quad in self.source.match(None, predicate, None):
            if simple:
                object_ = quad.object
                if type(object_) is Literal:
                    fields += 1
                    yield quad
                    continue
                if type(object_) is NamedNode:
                    links += 1
                    yield Quad(quad.subject, name, object_, PLAIN)
                    continue
            raw, object_ = quad.subject, quad.object
            subject = self.node(raw)
            number = hash(subject)
            stating = number in statements
            if subject is not raw and subject != raw:
                yield Quad(subject, ALIAS, raw)
            if (structural and (stating or type(object_) is Triple)) or (status and stating):
                continue
            own = stating or number in inside
            if number in self._unmarked:
                self._unmarked.discard(number)
                yield Quad(subject, INSIDE, subject)
            if cells:
                if chain and hash(raw) in cells:
                    continue
                if self._is_list(object_):
                    yield from self._list(subject, name, object_, own)
                    continue
            literal = type(object_) is Literal
            target = object_ if literal else self.node(object_)
            if described and (not own or number in reported):
                key = hash((subject, name, target))
                if key in described:
                    self._asserted.add(key)
                    continue
            if literal or own:
                fields += not own
                inner += own
                yield quad if as_is and subject is raw and target is object_ else Quad(subject, name, target)
            else:
                links += 1
                yield Quad(subject, name, target, PLAIN)
        if links or fields or inner:
            counts = self._counts(name)
            counts[0] += links
            counts[2] += fields
            counts[3] += inner
            self.figures.plain_links += links

    def _display_once(self, subject: NamedNode, quad: Quad) -> Iterator[Quad]:
        """The display type, at the first of a node's type triples by type and predicate."""
        found = [
            (form, other.object, predicate)
            for form in self.raw_forms(subject)
            for predicate in self._types
            for other in self.source.match(form, predicate, None)
            if type(other.object) is not Literal
        ]
        plainly = self._same and not self.spine.merged and not self.spine.described
        if len(found) == 1 and plainly and type(quad.object) is NamedNode:
            shown = quad.object
            self.figures.types[shown.value] = self.figures.types.get(shown.value, 0) + 1
            yield Quad(subject, DISPLAY, shown)
        elif (quad.subject, quad.object, quad.predicate) == min(found, key=str):
            yield from self._display(subject)

    def _list(self, subject: NamedNode, name: NamedNode, head: Any, own: bool) -> Iterator[Quad]:
        counts = self._counts(name)
        values, resources = read_list(self.source, head, self)
        members: list[Any] = list(resources) + ([values] if values is not None else [])
        for member in members:
            key = hash((subject, name, member))
            if key in self.spine.described:
                self._asserted.add(key)
            elif type(member) is Literal:
                counts[3 if own else 2] += 1
                yield Quad(subject, name, member)
            else:
                counts[3 if own else 0] += 1
                self.figures.plain_links += not own
                yield Quad(subject, name, member, None if own else PLAIN)

    def _counts(self, name: NamedNode) -> list[int]:
        return self.figures.predicates.setdefault(name.value, [0, 0, 0, 0])

    def _label(self, node: NamedNode) -> str | None:
        """The label of a term in the first of the profile's languages that is there."""
        found = [
            q.object
            for form in self.raw_forms(node)
            for q in self.source.match(form, LABEL, None)
            if self.spine.believed(node, LABEL, q.object)
        ]
        texts = {(one.language or "").lower(): one.value for one in found if type(one) is Literal}
        wanted = [language.lower() for language in self.profile.languages]
        regional = [tag for want in wanted for tag in sorted(texts) if tag.startswith(want + "-")]
        chosen = next((tag for tag in [*wanted, *regional, "mul", "", *sorted(texts)] if tag in texts), None)
        return texts[chosen] if chosen is not None else None

    def _finish(self) -> None:
        figures = self.figures
        order = sorted(figures.predicates, key=lambda iri: (-sum(figures.predicates[iri]), iri))
        order += sorted(figures.types, key=lambda iri: (-figures.types[iri], iri))
        found = dict.fromkeys(iri[: len(iri) - len(local_name(iri))] for iri in order)
        chosen = [self.ids.expand(text, "vocab") for text in self.profile.vocab]
        figures.vocab = list(dict.fromkeys([*chosen, *figures.vocab, *found]))
        named = {*order, *figures.inverses, *figures.symmetric, *figures.superclasses}
        for iri in sorted(named):
            label = self._label(NamedNode(iri))
            if label:
                figures.labels[iri] = label
        figures.about_statements = self.spine.about_statements()
        figures.link_sets = sorted(map(list, self.spine.sets["links"]))
        figures.value_sets = sorted(map(list, self.spine.sets["values"]))
        figures.type_sets = sorted(map(list, self.spine.sets["types"]))
