"""The index of an embedded store, read: graphs of allowed statements, types, fields, statements of a triple."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyoxigraph import NamedNode, Quad, Store, Triple

from bfsql_rdf.ids import Ids
from bfsql_rdf.names import Names
from bfsql_rdf.positions import Cutoff
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.layout import ALIAS, DISPLAY, FIELDS, KINDS, PLAIN, POSITION, AllTypes, status_graph
from bfsql_rdf.terms import BFSQL, RDF_TYPE, REIFIES, RESERVED_KEYS

STATEMENT = BFSQL + "Statement"
_KIND_OF = {node: kind for kind, node in KINDS.items()}


@dataclass(frozen=True)
class Statement:
    """One statement: its id, triple and statuses."""

    id: NamedNode
    triple: Triple
    statuses: tuple[str, ...]


@dataclass(frozen=True)
class Allowed:
    """What may be walked: graphs of described links and values, whether plain links count, and the cut-off."""

    links: tuple[NamedNode, ...]
    values: tuple[NamedNode, ...]
    types: tuple[NamedNode, ...]
    plain: bool
    asserted: bool
    cutoff: Cutoff | None = None


class Index:
    """The index store with the names of its graph."""

    def __init__(self, store: Store, figures: Figures, ids: Ids, profile: Profile) -> None:
        self.store, self.figures, self.ids, self.profile = store, figures, ids, profile
        self._statuses: dict[NamedNode, tuple[str, ...]] = {}
        self._kinds: dict[str, list[tuple[NamedNode, tuple[str, ...]]]] = {}
        for kind, sets in (
            ("links", figures.link_sets),
            ("values", figures.value_sets),
            ("types", figures.type_sets),
        ):
            graphs = [(status_graph(kind, tuple(one)), tuple(one)) for one in sets]
            self._kinds[kind] = graphs
            self._statuses.update(graphs)
        terms = {*figures.predicates, *figures.inverses, *figures.symmetric, *figures.transitive}
        labels = figures.labels if profile.names == "label" else None
        self.predicates = Names("predicate", terms, ids, figures.vocab, labels, RESERVED_KEYS)
        self.types = Names(
            "entity type", figures.types, ids, figures.vocab, labels, frozenset({"Thing", "Statement"})
        )
        self._types_shown: dict[NamedNode, str] = {}

    def allowed(self, statuses: frozenset[str], cutoff: Cutoff | None = None) -> Allowed:
        """The graphs whose statements have none but these statuses."""

        def graphs(kind: str) -> tuple[NamedNode, ...]:
            return tuple(graph for graph, own in self._kinds[kind] if statuses.issuperset(own))

        asserted = "asserted_true" in statuses
        plain = asserted and cutoff is None and self.figures.plain_links > 0
        return Allowed(graphs("links"), graphs("values"), graphs("types"), plain, asserted, cutoff)

    def everything(self) -> Allowed:
        """Statements of any status, no cut-off."""
        return self.allowed(frozenset(self.figures.statuses) | {"asserted_true"})

    def status_of_graph(self, graph: Any) -> tuple[str, ...] | None:
        """The statuses a graph stands for, None for a graph that holds no statements."""
        return self._statuses.get(graph)

    # Nodes

    def known(self, node: NamedNode) -> bool:
        """Whether the node stands anywhere in the graph."""
        match = self.store.quads_for_pattern
        return (
            next(match(node, None, None, None), None) is not None
            or next(match(None, None, node, None), None) is not None
        )

    def is_statement(self, node: NamedNode) -> bool:
        return next(self.store.quads_for_pattern(node, REIFIES, None, None), None) is not None

    def entity_type(self, node: NamedNode) -> str:
        """The name of the type a node is shown with."""
        found = next(self.store.quads_for_pattern(node, RDF_TYPE, None, DISPLAY), None)
        if found is not None:
            return self.type_name(found.object)
        return "Statement" if self.is_statement(node) else "Thing"

    def type_name(self, kind: Any) -> str:
        name = self._types_shown.get(kind)
        if name is None:
            name = self._types_shown[kind] = self.types.show(kind.value)
        return name

    def type_iri(self, node: NamedNode) -> str | None:
        found = next(self.store.quads_for_pattern(node, RDF_TYPE, None, DISPLAY), None)
        return found.object.value if found is not None else None  # type: ignore[union-attr]

    def all_types(self, node: NamedNode) -> list[NamedNode]:
        """Every type of a node that has several; empty for a node with one or none."""
        return [quad.object for quad in self.store.quads_for_pattern(node, AllTypes, None, FIELDS)]  # type: ignore[misc]

    def fields(self, node: NamedNode) -> Iterator[Quad]:
        """The fields that no statement describes."""
        return self.store.quads_for_pattern(node, None, None, FIELDS)

    def data_forms(self, node: NamedNode) -> list[NamedNode]:
        """The spellings of a node in the data."""
        forms = [quad.object for quad in self.store.quads_for_pattern(node, AllTypes, None, ALIAS)]
        if not forms:
            return [node]
        return sorted({node, *forms}, key=lambda form: form.value)  # type: ignore[union-attr, type-var, return-value]

    # Statements

    def statements_of(self, triple: Triple, graphs: tuple[NamedNode, ...]) -> list[Statement]:
        """The statements that state a triple, in those graphs."""
        match = self.store.quads_for_pattern
        return [
            Statement(quad.subject, triple, self._statuses[graph])  # type: ignore[arg-type]
            for graph in graphs
            for quad in match(None, REIFIES, triple, graph)
        ]

    def statement(self, node: NamedNode) -> list[Statement]:
        """The statements that bear this id, of any status; several when it carries several triples."""
        found = [
            Statement(node, quad.object, self._statuses[quad.graph_name])  # type: ignore[arg-type, index]
            for quad in self.store.quads_for_pattern(node, REIFIES, None, None)
        ]
        return sorted(found, key=lambda one: (str(one.triple), one.statuses))

    def in_time(self, statement: NamedNode, cutoff: Cutoff | None) -> bool:
        """Whether one of a statement's positions is at or before the cut-off."""
        if cutoff is None:
            return True
        for quad in self.store.quads_for_pattern(statement, None, None, POSITION):
            kind = _KIND_OF[quad.predicate]
            text = quad.object.value  # type: ignore[union-attr]
            if cutoff.allows(kind, text if kind == "text" else Decimal(text)):
                return True
        return False

    def supported(self, triple: Triple, graphs: tuple[NamedNode, ...], cutoff: Cutoff) -> bool:
        """Whether a statement of the triple in those graphs is in time."""
        return any(self.in_time(one.id, cutoff) for one in self.statements_of(triple, graphs))

    def walked_graphs(self, allowed: Allowed) -> tuple[NamedNode, ...]:
        """The graphs a hop walks: described links first, then plain ones."""
        return (*allowed.links, PLAIN) if allowed.plain else allowed.links
