"""The index, derived from the data: one stream of quads for the index store, and the figures of the whole."""

from collections.abc import Iterator
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler.text import select
from bfsql_rdf.ids import Ids
from bfsql_rdf.positions import position_key
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.evidence import evidence_nodes
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.layout import ALIAS, DISPLAY, FIELDS, KINDS, PLAIN, POSITION, AllTypes
from bfsql_rdf.store.lists import read_list
from bfsql_rdf.store.ontology import read_ontology
from bfsql_rdf.store.source import Source
from bfsql_rdf.store.spine import Spine
from bfsql_rdf.styles import REGISTRY, Style, Vocabulary, custom_style
from bfsql_rdf.terms import (
    FIRST,
    NIL,
    RDF_TYPE,
    REIFIES,
    REST,
    SKOLEM,
    STRUCTURAL_TYPES,
    local_name,
)

_SKIP, _STATEMENT_PART, _TYPE = 1, 2, 3


def dataset_styles(source: Source, profile: Profile) -> list[Style]:
    """The styles to look for in a dataset: the registry's and the profile's own, or those that it names."""
    reifies = [REIFIES.value]
    query = select(
        "?p", f"?p <http://www.w3.org/2000/01/rdf-schema#subPropertyOf>+ {REIFIES} .", distinct=True
    )
    reifies += sorted(row["p"].value for row in source.select(query) if isinstance(row["p"], NamedNode))
    vocabulary = Vocabulary(tuple(dict.fromkeys(reifies)))
    known = {name: make(vocabulary) for name, make in REGISTRY.items()}
    known |= {name: custom_style(name, style.pattern) for name, style in profile.style.items()}
    chosen = profile.styles if profile.styles is not None else list(known)
    return [known[name] for name in chosen if name in known]


class Builder:
    """Builds the index of one dataset: iterate `quads()`, then read `figures`."""

    def __init__(
        self, source: Source, profile: Profile, ids: Ids, star: frozenset[str] = frozenset()
    ) -> None:
        self.source, self.profile, self.ids = source, profile, ids
        self.figures = Figures(profile=profile.digest)
        self._iri = lambda text: NamedNode(ids.expand(text, "profile"))
        self._types = [self._iri(text) for text in profile.types]
        self._same = not ids.alternates
        self.spine = Spine(self, dataset_styles(source, profile), star)

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

    # The stream

    def quads(self) -> Iterator[Quad]:
        """Every quad of the index, in no order that matters; duplicates may occur."""
        read_ontology(self)
        yield from self.spine.quads()
        yield from self._positions()
        yield from self._display_of_stated()
        yield from self._plain()
        yield from self.spine.pending()
        self._finish()

    def _positions(self) -> Iterator[Quad]:
        path = self.profile.position.path
        query = select("?statement ?position", f"?statement {path} ?position .")
        extremes: dict[str, tuple[Any, Any, str, str]] = {}
        for row in self.source.select(query):
            statement, value = row["statement"], row["position"]
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
            yield Quad(statement, KINDS[kind], Literal(str(key)), POSITION)
        self.figures.positions = {kind: [e[2], e[3]] for kind, e in sorted(extremes.items())}

    def _display_of_stated(self) -> Iterator[Quad]:
        for node in self.spine.stated_types:
            yield from self._display(node)

    def _types_of(self, node: NamedNode) -> set[str]:
        types = set(self.spine.stated_types.get(node, ()))
        for form in self.ids.data_forms(node.value):
            for predicate in self._types:
                for quad in self.source.match(NamedNode(form), predicate, None):
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
        yield Quad(node, RDF_TYPE, NamedNode(shown), DISPLAY)
        if len(types) > 1:
            self.figures.multi_typed += 1
            for one in types:
                yield Quad(node, AllTypes, NamedNode(one), FIELDS)

    def _roles(self) -> dict[NamedNode, int]:
        roles = {self._iri(text): _SKIP for text in self.profile.hidden}
        roles |= dict.fromkeys(self._types, _TYPE)
        for style in self.spine.styles:
            for predicate in style.structure:
                roles[NamedNode(predicate)] = _STATEMENT_PART
        return roles

    def _plain(self) -> Iterator[Quad]:
        spine, figures, roles = self.spine, self.figures, self._roles()
        self._inside = evidence_nodes(self)
        cells = {hash(q.subject) for q in self.source.match(None, FIRST, None)}
        heads = cells | {hash(NIL)} if cells else cells
        predicates: dict[NamedNode, list[int]] = {}
        keys: dict[NamedNode, NamedNode] = {}
        described, statements, reported = spine.described, spine.statements, spine.reported
        last: Any = None
        subject: Any = None
        own = False
        for quad in self.source.match(None, None, None):
            predicate, object_ = quad.predicate, quad.object
            role = roles.get(predicate)
            raw = quad.subject
            if raw != last:
                last, subject = raw, self.node(raw)
                number = hash(subject)
                own = number in statements or number in self._inside
                if subject is not raw and subject != raw:
                    yield Quad(subject, AllTypes, raw, ALIAS)
            if role is not None:
                if role == _SKIP:
                    continue
                if role == _STATEMENT_PART and (hash(subject) in statements or type(object_) is Triple):
                    continue
                if role == _TYPE and type(object_) is not Literal:
                    if hash(subject) not in statements and subject not in spine.stated_types:
                        yield from self._display_once(subject, quad)
                    continue
            if cells:
                if hash(raw) in cells and predicate in (FIRST, REST):
                    continue
                if hash(object_) in heads and object_ != raw:
                    yield from self._list(subject, predicate, object_, own)
                    continue
            name = keys.get(predicate)
            if name is None:
                name = keys[predicate] = self.node(predicate)
                predicates[name] = figures.predicates.setdefault(name.value, [0, 0, 0])
            literal = type(object_) is Literal
            target = object_ if literal else self.node(object_)
            if not own or number in reported:
                if hash((subject, name, target)) in described:
                    continue
            if literal or own:
                predicates[name][2] += 1
                yield Quad(subject, name, target, FIELDS)
            else:
                predicates[name][0] += 1
                figures.plain_links += 1
                yield Quad(subject, name, target, PLAIN)

    def _display_once(self, subject: NamedNode, quad: Quad) -> Iterator[Quad]:
        first = None
        for predicate in self._types:
            for other in self.source.match(quad.subject, predicate, None):
                if type(other.object) is not Literal:
                    key = (other.object.value if type(other.object) is NamedNode else "", predicate.value)
                    first = key if first is None or key < first else first
        mine = (quad.object.value if type(quad.object) is NamedNode else "", quad.predicate.value)
        if mine == first:
            yield from self._display(subject)

    def _list(self, subject: NamedNode, predicate: NamedNode, head: Any, own: bool) -> Iterator[Quad]:
        name = self.node(predicate)
        counts = self.figures.predicates.setdefault(name.value, [0, 0, 0])
        values, resources = read_list(self.source, head, self)
        if values is not None:
            counts[2] += 1
            yield Quad(subject, name, values, FIELDS)
        for resource in resources:
            if hash((subject, name, resource)) in self.spine.described:
                continue
            counts[2 if own else 0] += 1
            self.figures.plain_links += not own
            yield Quad(subject, name, resource, FIELDS if own else PLAIN)

    def _finish(self) -> None:
        figures = self.figures
        order = sorted(figures.predicates, key=lambda iri: (-sum(figures.predicates[iri]), iri))
        order += sorted(figures.types, key=lambda iri: (-figures.types[iri], iri))
        found = dict.fromkeys(iri[: len(iri) - len(local_name(iri))] for iri in order)
        chosen = [self.ids.expand(text, "vocab") for text in self.profile.vocab]
        figures.vocab = list(dict.fromkeys([*chosen, *found]))
        figures.link_sets = sorted(map(list, self.spine.sets["links"]))
        figures.value_sets = sorted(map(list, self.spine.sets["values"]))
        figures.type_sets = sorted(map(list, self.spine.sets["types"]))
