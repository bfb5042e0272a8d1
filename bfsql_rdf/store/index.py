"""The index of an embedded store, read: graphs of allowed statements, types, fields, statements of a triple."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyoxigraph import NamedNode, Quad, Store, Triple

from bfsql_rdf.ids import Ids
from bfsql_rdf.names import Names
from bfsql_rdf.positions import Cutoff
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.layout import (
    ALIAS,
    ALL_TYPES,
    DERIVED,
    DISPLAY,
    INSIDE,
    KINDS,
    PLAIN,
    RECORDS,
    states,
    status_graph,
)
from bfsql_rdf.terms import RESERVED_KEYS
from bfsql_rdf.wikibase import is_reference


@dataclass(frozen=True)
class Statement:
    """One statement: its id, triple and statuses, and the predicate that states it in the index."""

    id: NamedNode
    triple: Triple
    statuses: tuple[str, ...]
    states: NamedNode


@dataclass(frozen=True)
class Allowed:
    """What may be walked.

    `links` and `values` map the graph of described links (values) to the predicate that states them; `crossed` are
    all those predicates; `plain` says whether undescribed links count, `asserted` whether asserted_true does.
    """

    links: dict[NamedNode, NamedNode]
    values: dict[NamedNode, NamedNode]
    crossed: frozenset[NamedNode]
    plain: bool
    asserted: bool
    cutoff: Cutoff | None = None


class Index:
    """The index store with the names of its graph."""

    def __init__(self, store: Store, figures: Figures, ids: Ids, profile: Profile) -> None:
        self.store, self.figures, self.ids, self.profile = store, figures, ids, profile
        self._statuses: dict[Any, tuple[str, ...]] = {}
        self._kinds: dict[str, list[tuple[NamedNode, NamedNode, tuple[str, ...]]]] = {}
        for kind, sets in (
            ("links", figures.link_sets),
            ("values", figures.value_sets),
            ("types", figures.type_sets),
        ):
            self._kinds[kind] = []
            for statuses in map(tuple, sets):
                graph, stated = status_graph(kind, statuses), states(kind, statuses)
                self._kinds[kind].append((graph, stated, statuses))
                self._statuses[graph] = self._statuses[stated] = statuses
        self._stated = [stated for kinds in self._kinds.values() for _, stated, _ in kinds]
        self.internal = frozenset([ALIAS, ALL_TYPES, DISPLAY, INSIDE, *KINDS.values(), *self._stated])
        self.fetch_labels: Callable[[list[NamedNode]], None] = lambda nodes: None
        """Called with nodes whose labels are wanted, before they are looked up; an endpoint's region fetches them."""
        self.opaque = is_reference if figures.wikibase else (lambda iri: False)
        """Whether an IRI of evidence is a mere hash."""
        terms = {*figures.predicates, *figures.inverses, *figures.symmetric, *figures.transitive}
        labels, by_label, ours = figures.labels, profile.names == "label", frozenset({"Thing", "Statement"})
        self.predicates = Names("predicate", terms, ids, figures.vocab, labels, by_label, RESERVED_KEYS)
        self.types = Names("entity type", [*figures.types, *figures.also], ids, figures.vocab, labels, by_label, ours)
        self._types_shown: dict[NamedNode, str] = {}

    def allowed(self, statuses: frozenset[str], cutoff: Cutoff | None = None) -> Allowed:
        """The graphs whose statements have none but these statuses."""

        def graphs(kind: str) -> dict[NamedNode, NamedNode]:
            return {graph: stated for graph, stated, own in self._kinds[kind] if statuses.issuperset(own)}

        asserted = "asserted_true" in statuses
        plain = asserted and cutoff is None and self.figures.plain_links > 0
        links, values = graphs("links"), graphs("values")
        crossed = frozenset([*links.values(), *values.values()])
        return Allowed(links, values, crossed, plain, asserted, cutoff)

    def everything(self) -> Allowed:
        """Statements of any status, no cut-off."""
        return self.allowed(frozenset(self.figures.statuses) | {"asserted_true"})

    def status_of_graph(self, graph: Any) -> tuple[str, ...] | None:
        """The statuses that a graph of statements stands for, None for any other graph."""
        return self._statuses.get(graph)

    # Nodes

    def node(self, text: str, where: str) -> NamedNode:
        """The canonical node of an id that comes in, redirects followed; QueryError for what is no id."""
        node = NamedNode(self.ids.expand(text, where))
        if self.figures.redirects:
            found = next(self.store.quads_for_pattern(None, ALIAS, node, RECORDS), None)
            if found is not None:
                return found.subject  # type: ignore[return-value]
        return node

    def known(self, node: NamedNode) -> bool:
        """Whether the node stands anywhere in the graph."""
        match = self.store.quads_for_pattern
        return (
            next(match(node, None, None, None), None) is not None
            or next(match(None, None, node, None), None) is not None
        )

    def is_statement(self, node: NamedNode) -> bool:
        match = self.store.quads_for_pattern
        return any(next(match(node, stated, None, RECORDS), None) is not None for stated in self._stated)

    def is_inside(self, node: NamedNode) -> bool:
        """Whether a node is a statement, or evidence inside one: what it has are a statement's data."""
        return next(self.store.quads_for_pattern(node, INSIDE, None, RECORDS), None) is not None or self.is_statement(
            node
        )

    def entity_type(self, node: NamedNode) -> str:
        """The name of the type a node is shown with."""
        found = next(self.store.quads_for_pattern(node, DISPLAY, None, RECORDS), None)
        if found is not None:
            return self.type_name(found.object)
        return "Statement" if self.is_statement(node) else "Thing"

    def type_name(self, kind: Any) -> str:
        name = self._types_shown.get(kind)
        if name is None:
            name = self._types_shown[kind] = self.types.show(kind.value)
        return name

    def type_iri(self, node: NamedNode) -> str | None:
        found = next(self.store.quads_for_pattern(node, DISPLAY, None, RECORDS), None)
        return found.object.value if found is not None else None  # type: ignore[union-attr]

    def all_types(self, node: NamedNode) -> list[NamedNode]:
        """Every type of a node that has several; empty for a node with one or none."""
        return [quad.object for quad in self.store.quads_for_pattern(node, ALL_TYPES, None, RECORDS)]  # type: ignore[misc]

    def fields(self, node: NamedNode) -> list[Quad]:
        """The fields that no statement describes."""
        internal = self.internal
        found = self.store.quads_for_pattern(node, None, None, RECORDS)
        return [quad for quad in found if quad.predicate not in internal]

    def record(self, node: NamedNode) -> tuple[str, list[NamedNode], list[Quad], bool]:
        """In one lookup: the type's name, all types of a node with several, its fields, whether it is a statement."""
        shown, types, fields, statement = "", [], [], False
        for quad in self.store.quads_for_pattern(node, None, None, RECORDS):
            predicate = quad.predicate
            if predicate not in self.internal:
                fields.append(quad)
            elif predicate == DISPLAY:
                shown = self.type_name(quad.object)
            elif predicate == ALL_TYPES:
                types.append(quad.object)
            elif predicate in self._statuses:
                statement = True
        return shown or ("Statement" if statement else "Thing"), types, fields, statement  # type: ignore[return-value]

    def data_forms(self, node: NamedNode) -> list[NamedNode]:
        """The spellings of a node in the data."""
        forms: list[Any] = [quad.object for quad in self.store.quads_for_pattern(node, ALIAS, None, RECORDS)]
        if not forms:
            return [node]
        return sorted({node, *forms}, key=lambda form: str(form.value))

    # Statements

    def statements_of(self, triple: Triple, stated: Iterable[NamedNode]) -> list[Statement]:
        """The statements of a triple, among those that these predicates state."""
        match = self.store.quads_for_pattern
        return [
            Statement(quad.subject, triple, self._statuses[predicate], predicate)  # type: ignore[arg-type]
            for predicate in stated
            for quad in match(None, predicate, triple, RECORDS)
        ]

    def statement(self, node: NamedNode) -> list[Statement]:
        """The statements that bear this id, of any status; several when it carries several triples."""
        found = [
            Statement(node, quad.object, self._statuses[quad.predicate], quad.predicate)  # type: ignore[arg-type]
            for quad in self.store.quads_for_pattern(node, None, None, RECORDS)
            if quad.predicate in self._statuses
        ]
        return sorted(found, key=lambda one: (str(one.triple), one.statuses))

    def in_time(self, statement: NamedNode, cutoff: Cutoff | None) -> bool:
        """Whether one of a statement's positions is at or before the cut-off."""
        if cutoff is None:
            return True
        for quad in self.store.quads_for_pattern(statement, KINDS[cutoff.kind], None, RECORDS):
            text = quad.object.value  # type: ignore[union-attr]
            if cutoff.allows(cutoff.kind, text if cutoff.kind == "text" else Decimal(text)):
                return True
        return False

    def supported(self, triple: Triple, stated: Iterable[NamedNode], cutoff: Cutoff) -> bool:
        """Whether one of those statements of the triple is in time."""
        return any(self.in_time(one.id, cutoff) for one in self.statements_of(triple, stated))

    def derived_via(self, edge: tuple[NamedNode, NamedNode, NamedNode]) -> str | None:
        """The construct that an edge was read out of, None for one that the data states itself."""
        if not self.figures.derived:
            return None
        for quad in self.store.quads_for_pattern(*edge, None):
            name = getattr(quad.graph_name, "value", "")
            if name.startswith(DERIVED):
                return str(name[len(DERIVED) :]).replace(",", ", ")
        return None

    def walked_graphs(self, allowed: Allowed) -> tuple[NamedNode, ...]:
        """The graphs a hop walks: described links first, then plain ones."""
        return (*allowed.links, PLAIN) if allowed.plain else tuple(allowed.links)
