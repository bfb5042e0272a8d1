"""The statement spine of the index: every statement of every style, its triple under its statuses."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler.text import select
from bfsql_rdf.errors import QueryError
from bfsql_rdf.store.layout import ALIAS, states, status_graph
from bfsql_rdf.store.wikibase import CONSTRAINT, INVERSE
from bfsql_rdf.styles import Style
from bfsql_rdf.terms import BFSQL, FIRST, LABELS, OWL, RDF_TYPE, REST, SKOLEM, STATUSES, local_name
from bfsql_rdf.wikibase import RANKS

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder

Row = tuple[NamedNode, NamedNode, NamedNode, Any, Style, tuple[Any, Any, Any]]


class Spine:
    """Statements of the data.

    `statements`, `described` and `subjects` are sets of hashes, so that they stay small: of statement ids, of
    triples (s, p, o) that a statement states, and of the subjects of those triples.
    `merged` maps blank reifiers of RDF-star to the one that stands for them; `told` has the asserted links of a
    Wikibase export that relate classes and properties.
    """

    def __init__(self, builder: "Builder", styles: list[Style], star: frozenset[str]) -> None:
        self.builder, self.styles = builder, styles
        self.statements: set[int] = set()
        self.described: set[int] = set()
        self.stated_types: dict[NamedNode, set[str]] = {}
        self.sets: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._known_places: dict[tuple[str, tuple[str, ...]], tuple[NamedNode, NamedNode]] = {}
        self.merged: dict[NamedNode, NamedNode] = {}
        self.members: dict[NamedNode, list[NamedNode]] = defaultdict(list)
        self._minted: dict[Triple, NamedNode] = {}
        self._pending: list[tuple[NamedNode, Triple]] = []
        self._unmapped: set[str] = set()
        self._malformed = 0
        self.subjects: set[int] = set()
        self._believed: set[int] = set()
        self._objects: set[int] = set()
        profile = builder.profile
        self.status = NamedNode(builder.ids.expand(profile.status.predicate, "status.predicate"))
        self._values = {self._value_key(text): status for text, status in profile.status.values.items()}
        self._type_predicates, self._hidden = builder.type_iris, builder.hidden
        subclass = {NamedNode(builder.ids.expand(text, "subclass")) for text in profile.subclass}
        self.told: dict[str, list[tuple[NamedNode, NamedNode]]] = defaultdict(list)
        self._heard = {node.value for node in subclass} | {INVERSE, CONSTRAINT} if builder.exports else set()
        self._telling = {*map(NamedNode, (*LABELS, OWL + "inverseOf")), RDF_TYPE} | subclass
        reifier = next((style for style in styles if style.name == "reifier"), None)
        self._reifies = [NamedNode(iri) for iri in sorted(reifier.structure)] if reifier else []
        if reifier and (star or profile.merge_reifiers):
            self._merge(star)

    def _value_key(self, text: str) -> str:
        try:
            return self.builder.ids.expand(text, "status.values")
        except QueryError:
            return text  # a literal value, not an id

    def _merge(self, star: frozenset[str]) -> None:
        groups: dict[tuple[Triple, Any], list[NamedNode]] = defaultdict(list)
        for predicate in self._reifies:
            for quad in self.builder.source.store.quads_for_pattern(None, predicate, None, None):
                if type(quad.object) is Triple and self._mergeable(quad.subject, star):
                    groups[quad.object, quad.graph_name].append(quad.subject)  # type: ignore[arg-type]
        for members in groups.values():
            members.sort(key=lambda node: (len(node.value), node.value))
            for member in members[1:]:
                self.merged.setdefault(member, members[0])
        self._resolve_nested(groups)
        for member in self.merged:
            while self.merged[member] in self.merged:
                self.merged[member] = self.merged[self.merged[member]]
            self.members[self.merged[member]].append(member)

    def _resolve_nested(self, groups: dict[tuple[Triple, Any], list[NamedNode]]) -> None:
        """Merge triples that differ only in which of some merged reifiers they speak of, until none is left."""
        changed = True
        while changed:
            changed = False
            by_triple: dict[Any, NamedNode] = {}
            for (triple, graph), members in groups.items():
                one = self.merged.get(members[0], members[0])
                subject = self.merged.get(triple.subject, triple.subject)  # type: ignore[arg-type]
                object_ = self.merged.get(triple.object, triple.object)  # type: ignore[arg-type]
                other = by_triple.setdefault((subject, triple.predicate, object_, graph), one)
                if other != one:
                    for member in members:
                        self.merged[member] = other
                    self.merged[one] = other
                    changed = True

    def _mergeable(self, node: Any, star: frozenset[str]) -> bool:
        if type(node) is not NamedNode or not node.value.startswith(SKOLEM):
            return False
        return self.builder.profile.merge_reifiers or node.value[len(SKOLEM) :].split("-")[0] in star

    # Statements

    def rows(self) -> Iterator[Row]:
        """Every statement of every style, canonical: (id, subject, predicate, object, style, its terms in the data).

        A list as object gives a row for each member: it is an array, and the statement is of each; an anonymous
        class one for each edge that it stands for.
        """
        builder = self.builder
        mixed = any(builder.source.has(None, predicate, None) for predicate in self._reifies)
        for style in self.styles:
            raw = self._raw_rows(style)
            for statement, subject, predicate, object_ in raw:
                if self.merged and statement in self.merged:
                    continue
                if type(predicate) is not NamedNode or Literal in (type(subject), type(statement)):
                    self._malformed += 1
                    continue
                if mixed and style.name != "reifier" and self._reified(statement, subject, predicate, object_):
                    continue
                who, what = builder.node(statement), builder.node(subject)
                for how, member in builder.stated(what, predicate, object_):
                    yield who, what, how, member, style, (subject, predicate, object_)

    def _raw_rows(self, style: Style) -> Iterator[tuple[Any, Any, Any, Any]]:
        """The rows of a style; by pattern lookups where those are faster than its SPARQL."""
        if style.name == "reifier":
            return self._reifier_rows()
        if style.name == "wikibase" and self.builder.exports:
            return self.builder.exports.rows()
        rows = self._style_rows(style)
        if style.name != "graph":
            return rows
        spelled = {part for other in self.styles for part in other.structure} | {FIRST.value, REST.value}
        return (row for row in rows if row[2].value not in spelled and row[0] != row[1])

    def _reified(self, statement: Any, *triple: Any) -> bool:
        """Whether a statement of another style is a reifier of the same triple too, and so the same statement."""
        return any(self.builder.source.has(statement, predicate, Triple(*triple)) for predicate in self._reifies)

    def _style_rows(self, style: Style) -> Iterator[tuple[Any, Any, Any, Any]]:
        query = select("?statement ?subject ?predicate ?object", style.pattern)
        for row in self.builder.source.select(query):
            found = row[0], row[1], row[2], row[3]
            if None not in found:
                yield found

    def _reifier_rows(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """The rows of the reifier style by pattern lookups, which spare its SPARQL the taking apart of terms."""
        for predicate in self._reifies:
            for quad in self.builder.source.match(None, predicate, None):
                triple = quad.object
                if type(triple) is Triple:
                    yield quad.subject, triple.subject, triple.predicate, triple.object

    def quads(self) -> Iterator[Quad]:
        """The spine: first the statements that state a status, then the silent ones, which heed those."""
        own = self._own_statuses()
        of_triple: dict[int, tuple[str, ...]] = {}
        silent = False
        for statement, subject, predicate, object_, style, _ in self.rows():
            key = hash((subject, predicate, object_))
            self.described.add(key)
            self.statements.add(hash(statement))
            self.subjects.add(hash(subject))
            self._objects.add(hash(object_))
            statuses = own.get(hash(statement))
            if statuses:
                before = of_triple.get(key)
                of_triple[key] = self._joined(before, statuses) if before else statuses
                yield from self._emit(statement, subject, predicate, object_, statuses, style.name)
            else:
                silent = True
        if silent:
            for statement, subject, predicate, object_, style, raw in self.rows():
                if hash(statement) not in own:
                    statuses = of_triple.get(hash((subject, predicate, object_))) or self._default(style, *raw)
                    yield from self._emit(statement, subject, predicate, object_, statuses, style.name)
        self._warn()
        yield from self.pending()

    def about_statements(self) -> int:
        """How many statements are the subject or object of another."""
        return len(self.statements & (self.subjects | self._objects))

    def believed(self, subject: NamedNode, predicate: NamedNode, object_: Any) -> bool:
        """Whether a triple of the data that names or relates terms may be taken at its word."""
        key = hash((subject, predicate, object_))
        return key not in self.described or key in self._believed

    def _default(self, style: Style, subject: Any, predicate: Any, object_: Any) -> tuple[str, ...]:
        """The status of a silent statement: what is only quoted has a status of its own."""
        if not style.unasserted or self.asserted(subject, predicate, object_):
            return ("asserted_true",)
        return (self.builder.profile.status.unasserted,)

    def asserted(self, subject: NamedNode, predicate: NamedNode, object_: Any) -> bool:
        """Whether the data has a canonical triple, in whatever spelling."""
        forms = self.builder.raw_forms
        objects = [object_] if type(object_) is Literal else forms(object_)
        source = self.builder.source
        return any(source.has(s, p, o) for s in forms(subject) for p in forms(predicate) for o in objects)

    def _own_statuses(self) -> dict[int, tuple[str, ...]]:
        """What each statement itself states, by the hash of its id."""
        found: dict[int, tuple[str, ...]] = {}
        names: dict[Any, tuple[str, ...]] = {}
        own = [NamedNode(style.status) for style in self.styles if style.status]
        for predicate in dict.fromkeys([self.status, *own]):
            for quad in self.builder.source.match(None, predicate, None):
                status = names.get(quad.object)
                if status is None:
                    status = names[quad.object] = (self._status_name(quad.object),)
                key = hash(self.builder.node(quad.subject))
                before = found.get(key)
                found[key] = self._joined(before, status) if before else status
        return found

    def _joined(self, one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
        return one if one == other else tuple(sorted({*one, *other}))

    def _warn(self) -> None:
        warnings = self.builder.figures.warnings
        for status in sorted(self._unmapped):
            warnings.append(
                {
                    "code": "unmapped_status",
                    "message": f"the truth status {status!r} is not one of the language and the profile does not "
                    "map it: it stands as a status of its own and is not walked by default",
                }
            )
        if self._malformed:
            warnings.append(
                {
                    "code": "malformed_statements",
                    "message": f"{self._malformed} statements have a predicate that is no IRI, or a literal as "
                    "subject: they are neither edges nor nodes",
                }
            )

    def _status_name(self, value: Any) -> str:
        text: str = value.value if type(value) in (Literal, NamedNode) else str(value)
        if text in self._values:
            return self._values[text]
        if text in STATUSES:
            return text
        if text in RANKS:
            return RANKS[text]
        if text.startswith(BFSQL) and local_name(text) in STATUSES:
            return local_name(text)
        name = self.builder.ids.compress(text) if type(value) is NamedNode else text
        self._unmapped.add(name)
        return name

    def _emit(
        self,
        statement: NamedNode,
        subject: NamedNode,
        predicate: NamedNode,
        object_: Any,
        statuses: tuple[str, ...],
        style: str,
    ) -> Iterator[Quad]:
        figures = self.builder.figures
        for status in statuses:
            figures.statuses[status] = figures.statuses.get(status, 0) + 1
        figures.styles[style] = figures.styles.get(style, 0) + 1
        literal = type(object_) is Literal
        if statuses == ("asserted_true",) and predicate in self._telling:
            self._believed.add(hash((subject, predicate, object_)))
        if statuses == ("asserted_true",) and predicate.value in self._heard and not literal:
            self.told[predicate.value].append((subject, object_))
        if predicate in self._hidden:
            kind = "types"
        elif predicate.value in self._type_predicates and not literal:
            if statuses == ("asserted_true",):
                self.stated_types.setdefault(subject, set()).add(object_.value)
            self.described.discard(hash((subject, predicate, object_)))
            self.described.add(hash((subject, RDF_TYPE, object_)))
            kind = "types"
        else:
            kind = "values" if literal else "links"
            counts = figures.predicates.setdefault(predicate.value, [0, 0, 0, 0])
            counts[1 if literal else 0] += 1
        graph, stated = self._places(kind, statuses)
        if kind != "types":
            yield Quad(subject, predicate, object_, graph)
        else:  # no edge, yet what stands in it is known
            yield Quad(subject, ALIAS, subject)
            if not literal:
                yield Quad(object_, ALIAS, object_)
        yield Quad(statement, stated, Triple(subject, predicate, object_))

    def _places(self, kind: str, statuses: tuple[str, ...]) -> tuple[NamedNode, NamedNode]:
        found = self._known_places.get((kind, statuses))
        if found is None:
            found = status_graph(kind, statuses), states(kind, statuses)
            self._known_places[kind, statuses] = found
            self.sets[kind].add(statuses)
        return found

    # Triple terms that stand as a subject or object

    def of_triple(self, triple: Triple) -> NamedNode:
        """The statement that a triple term stands for: its reifier, or an id minted from its terms."""
        known = self._minted.get(triple)
        if known is not None:
            return known
        found = {
            self.builder.node(quad.subject)
            for predicate in self._reifies
            for quad in self.builder.source.match(None, predicate, triple)
        }
        if found:
            node = min(found, key=lambda one: (len(one.value), one.value))
        else:
            digest = hashlib.sha256(str(triple).encode()).hexdigest()[:16]
            node = NamedNode(f"urn:bfsql:triple:{digest}")
            self._pending.append((node, triple))
            self.statements.add(hash(node))
        self._minted[triple] = node
        return node

    def pending(self) -> Iterator[Quad]:
        """The spine of statements minted for bare triple terms since the last call."""
        while self._pending:
            node, triple = self._pending.pop()
            subject, object_ = self.builder.node(triple.subject), self.builder.object(triple.object)
            self.subjects.add(hash(subject))
            self._objects.update((hash(object_), hash(node)))
            predicate = self.builder.node(triple.predicate)
            asserted = self.asserted(subject, predicate, object_)
            status = "asserted_true" if asserted else self.builder.profile.status.unasserted
            yield from self._emit(node, subject, predicate, object_, (status,), "triple term")
