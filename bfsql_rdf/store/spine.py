"""The statement spine of the index: every statement of every style, its triple under its statuses."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler.text import select
from bfsql_rdf.store.layout import status_graph
from bfsql_rdf.styles import Style
from bfsql_rdf.terms import BFSQL, RDF_TYPE, REIFIES, SKOLEM, STATUSES, local_name

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder

Row = tuple[NamedNode, NamedNode, NamedNode, Any, bool]


class Spine:
    """Statements of the data.

    `statements`, `described` and `reported` are sets of hashes, so that they stay small: of statement ids, of
    triples (s, p, o) that a statement states, and of statements that are the subject of another statement.
    `merged` maps blank reifiers of RDF-star to the one that stands for them.
    """

    def __init__(self, builder: "Builder", styles: list[Style], star: frozenset[str]) -> None:
        self.builder, self.styles = builder, styles
        self.statements: set[int] = set()
        self.described: set[int] = set()
        self.reported: set[int] = set()
        self.stated_types: dict[NamedNode, set[str]] = {}
        self.sets: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self.merged: dict[NamedNode, NamedNode] = {}
        self.members: dict[NamedNode, list[NamedNode]] = defaultdict(list)
        self._minted: dict[Triple, NamedNode] = {}
        self._pending: list[tuple[NamedNode, Triple]] = []
        self._unmapped: set[str] = set()
        self._subjects: set[int] = set()
        self._objects: set[int] = set()
        profile = builder.profile
        self._status = NamedNode(builder.ids.expand(profile.status.predicate, "status.predicate"))
        self._values = {self._value_key(text): status for text, status in profile.status.values.items()}
        self._type_predicates = {NamedNode(builder.ids.expand(text, "types")) for text in profile.types}
        reifier = next((style for style in styles if style.name == "reifier"), None)
        self._reifies = [NamedNode(iri) for iri in sorted(reifier.structure)] if reifier else []
        builder.figures.reifies = [node.value for node in self._reifies]
        if reifier and (star or profile.merge_reifiers):
            self._merge(star)

    def _value_key(self, text: str) -> str:
        return self.builder.ids.expand(text, "status.values") if ":" in text else text

    def _merge(self, star: frozenset[str]) -> None:
        groups: dict[tuple[Triple, Any], list[NamedNode]] = defaultdict(list)
        for predicate in self._reifies:
            for quad in self.builder.source.store.quads_for_pattern(None, predicate, None, None):
                if type(quad.object) is Triple and self._mergeable(quad.subject, star):
                    groups[quad.object, quad.graph_name].append(quad.subject)
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
                subject = self.merged.get(triple.subject, triple.subject)  # type: ignore[arg-type, call-overload]
                object_ = self.merged.get(triple.object, triple.object)  # type: ignore[arg-type, call-overload]
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
        """Every statement of every style, canonical: (id, subject, predicate, object, asserted)."""
        builder, source = self.builder, self.builder.source
        for style in self.styles:
            query = select("?statement ?subject ?predicate ?object", style.pattern)
            for row in source.select(query):
                statement, subject, predicate, object_ = (row[i] for i in range(4))
                if statement is None or subject is None or predicate is None or object_ is None:
                    continue
                if type(predicate) is not NamedNode or type(subject) is Literal or type(statement) is Literal:
                    builder.figures.styles.setdefault("malformed", 0)
                    continue
                asserted = not style.unasserted or source.has(subject, predicate, object_)
                self._style = style.name
                yield (
                    builder.node(statement),
                    builder.node(subject),
                    builder.node(predicate),
                    builder.object(object_),
                    asserted,
                )

    def quads(self) -> Iterator[Quad]:
        """The spine: first the statements that state a status, then the silent ones, which heed those."""
        stated: dict[int, tuple[str, ...]] = {}
        silent = False
        has_status = self.builder.source.has(None, self._status, None)
        for statement, subject, predicate, object_, asserted in self.rows():
            key = hash((subject, predicate, object_))
            self.described.add(key)
            self.statements.add(hash(statement))
            self._subjects.add(hash(subject))
            self._objects.add(hash(object_))
            statuses = self._stated(statement) if has_status else ()
            if statuses:
                merged = tuple(sorted({*stated.get(key, ()), *statuses}))
                stated[key] = merged
                yield from self._emit(statement, subject, predicate, object_, statuses, asserted)
            else:
                silent = True
        if silent:
            default = self.builder.profile.status.unasserted
            for statement, subject, predicate, object_, asserted in self.rows():
                if has_status and self._stated(statement):
                    continue
                statuses = stated.get(hash((subject, predicate, object_))) or (
                    ("asserted_true",) if asserted else (default,)
                )
                yield from self._emit(statement, subject, predicate, object_, statuses, asserted)
        self.reported = self.statements & self._subjects
        self.builder.figures.about_statements = len(self.statements & (self._subjects | self._objects))
        for status in sorted(self._unmapped):
            self.builder.figures.warnings.append(
                {
                    "code": "unmapped_status",
                    "message": f"the truth status {status!r} is not one of the language and the profile does not "
                    "map it: it stands as a status of its own and is not walked by default",
                }
            )
        yield from self.pending()

    def _stated(self, statement: NamedNode) -> tuple[str, ...]:
        found = {
            self._status_name(quad.object)
            for form in self._forms(statement)
            for quad in self.builder.source.match(form, self._status, None)
        }
        return tuple(sorted(found))

    def _forms(self, node: NamedNode) -> list[NamedNode]:
        forms = [NamedNode(form) for form in self.builder.ids.data_forms(node.value)]
        return forms + self.members.get(node, [])

    def _status_name(self, value: Any) -> str:
        text: str = value.value if type(value) in (Literal, NamedNode) else str(value)
        if text in self._values:
            return self._values[text]
        if text in STATUSES:
            return text
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
        asserted: bool,
    ) -> Iterator[Quad]:
        figures = self.builder.figures
        for status in statuses:
            figures.statuses[status] = figures.statuses.get(status, 0) + 1
        figures.styles[self._style] = figures.styles.get(self._style, 0) + 1
        figures.unasserted += not asserted
        literal = type(object_) is Literal
        if predicate in self._type_predicates and not literal:
            if statuses == ("asserted_true",):
                self.stated_types.setdefault(subject, set()).add(object_.value)
            self.described.add(hash((subject, RDF_TYPE, object_)))
            kind = "types"
        else:
            kind = "values" if literal else "links"
            counts = figures.predicates.setdefault(predicate.value, [0, 0, 0])
            counts[1 if literal else 0] += 1
        self.sets[kind].add(statuses)
        graph = status_graph(kind, statuses)
        if kind != "types":
            yield Quad(subject, predicate, object_, graph)
        yield Quad(statement, REIFIES, Triple(subject, predicate, object_), graph)

    # Triple terms that stand as a subject or object

    def of_triple(self, triple: Triple) -> NamedNode:
        """The statement that a triple term stands for: its reifier, or an id minted from its terms."""
        known = self._minted.get(triple)
        if known is not None:
            return known
        found = {
            self.merged.get(quad.subject, quad.subject)
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
            self._style = "triple term"
            asserted = self.builder.source.has(triple.subject, triple.predicate, triple.object)
            subject, object_ = self.builder.node(triple.subject), self.builder.object(triple.object)
            self._subjects.add(hash(subject))
            self._objects.update((hash(object_), hash(node)))
            status = "asserted_true" if asserted else self.builder.profile.status.unasserted
            yield from self._emit(
                node, subject, self.builder.node(triple.predicate), object_, (status,), asserted
            )
