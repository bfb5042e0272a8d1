"""`bfs_query`: filters resolved, layers walked, nodes and edges shaped."""

from collections import Counter

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.engine.shape import Shaper
from bfsql_rdf.engine.traits import check_traits, mirrors
from bfsql_rdf.engine.walk import Edge, Walk, walk
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import AsOf, BfsQuery, Subgraph
from bfsql_rdf.names import Names
from bfsql_rdf.positions import Cutoff
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.layout import KINDS, PLAIN, RECORDS
from bfsql_rdf.terms import STATUSES

DEFAULT_STATUS = ("asserted_true",)


def resolve_filters(index: Index, truth_status: list[str] | None, as_of: AsOf | None) -> Allowed:
    """The statements that a query's traversal filters allow.

    Raises QueryError for a status that is neither of the language nor in the data, and for a cut-off of a kind
    that no position has.
    """
    known = {*STATUSES, *index.figures.statuses}
    for status in truth_status or ():
        if status not in known:
            raise QueryError(
                f"unknown truth status {status!r}",
                code="unknown_status",
                where="truth_status",
                hint=f"Known: {', '.join([*STATUSES, *sorted(known - set(STATUSES))])}",
            )
    cutoff = None
    if as_of is not None:
        cutoff = Cutoff.of(as_of)
        cutoff.require_kind(index.figures.positions)
    return index.allowed(frozenset(truth_status or DEFAULT_STATUS), cutoff)


def resolve_seeds(index: Index, seeds: list[str]) -> tuple[list[NamedNode], list[str]]:
    """Canonical seeds that are in the graph, and the ids of those that are not; QueryError when none is."""
    found: dict[NamedNode, None] = {}
    unknown: list[str] = []
    for text in seeds:
        node = index.node(text, "seeds")
        if index.known(node):
            found[node] = None
        else:
            unknown.append(index.ids.compress(node.value))
    if not found:
        raise QueryError(
            f"no seed is in this graph: {', '.join(dict.fromkeys(unknown))}",
            code="unknown_seeds",
            where="seeds",
            hint="Ids are exact; call search_entities to find the id of a name",
        )
    return list(found), list(dict.fromkeys(unknown))


class Presentation:
    """Which nodes and edges come in full; names that are not in the graph become warnings."""

    def __init__(self, index: Index, query: BfsQuery) -> None:
        self.index = index
        self.warnings: list[dict[str, str]] = []
        types = query.node_filter.entity_types if query.node_filter else None
        predicates = query.edge_filter.predicates if query.edge_filter else None
        self._types = self._resolve(types, index.types, "node_filter.entity_types", ("Thing", "Statement"))
        self._predicates = self._resolve(predicates, index.predicates, "edge_filter.predicates", ())
        self._matching: dict[str, bool] = {}

    def _resolve(
        self, names: list[str] | None, known: Names, where: str, ours: tuple[str, ...]
    ) -> frozenset[str] | None:
        if names is None:
            return None
        found = set()
        for name in names:
            iri = name if name in ours else _found(known, name, where)
            if iri is None and known is self.index.types:
                iri = _found(superclasses(self.index), name, where)
            if iri is None:
                message = f"{where}: there is no {known.kind} {name!r} in this graph. {known.closest(name)}"
                self.warnings.append({"code": f"unknown_{known.kind.replace(' ', '_')}", "message": message})
            else:
                found.add(iri)
        return frozenset(found)

    @property
    def all_nodes(self) -> bool:
        return self._types is None

    def full_node(self, node: NamedNode, shown: str) -> bool:
        if self._types is None:
            return True
        if not self._types:
            return False
        if shown in ("Thing", "Statement") and shown in self._types:
            return True
        iri = self.index.type_iri(node)
        if iri is None:
            return False
        if self._matches(iri):
            return True
        multi = self.index.figures.multi_typed
        return bool(multi) and any(self._matches(kind.value) for kind in self.index.all_types(node))

    def _matches(self, iri: str) -> bool:
        found = self._matching.get(iri)
        if found is None:
            assert self._types is not None
            found = iri in self._types or not self._types.isdisjoint(self.index.figures.ancestors(iri))
            self._matching[iri] = found
        return found

    def full_edge(self, edge: Edge) -> bool:
        return self._predicates is None or edge[1].value in self._predicates


def _found(known: Names, name: str, where: str) -> str | None:
    """As `known.find`, but an undeclared prefix is an unknown name like any other."""
    try:
        return known.find(name, where)
    except QueryError as error:
        if error.code != "unknown_prefix":
            raise
        return None


def superclass_named(index: Index, name: str) -> str | None:
    """The IRI of a class that has no instance of its own but subclasses that may, by name or id."""
    return superclasses(index).find(name, "entity_types")


def superclasses(index: Index) -> Names:
    """The names of all classes that stand in a subclass relation."""
    supers = {parent for parents in index.figures.superclasses.values() for parent in parents}
    supers.update(index.figures.superclasses)
    figures, by_label = index.figures, index.profile.names == "label"
    return Names("entity type", supers, index.ids, figures.vocab, figures.labels, by_label)


def run_bfs(index: Index, query: BfsQuery) -> tuple[Subgraph, Walk, Allowed]:
    """The answer, what was walked and what was allowed."""
    limits = index.profile.limits
    if query.max_hops > limits.max_hops:
        raise QueryError(
            f"{query.max_hops} hops are more than this server walks",
            code="too_many_hops",
            where="max_hops",
            hint=f"At most {limits.max_hops}; one predicate to any depth is transitive_closure_query",
        )
    traits = check_traits(query.expand_traits or ())
    allowed = resolve_filters(index, query.truth_status, query.as_of)
    presentation = Presentation(index, query)
    seeds, unknown = resolve_seeds(index, query.seeds)
    shaper = Shaper(index, allowed)

    def name(node: NamedNode) -> str:
        return shaper.id(node.value)

    walked = walk(index, allowed, seeds, query.max_hops, name)
    if index.profile.view == "nodes" and query.max_hops:
        project_edges(index, allowed, walked)
    nodes = []
    for node in walked.nodes:
        if presentation.all_nodes:
            nodes.append(shaper.node(node))
            continue
        stub = shaper.stub(node)
        full = presentation.full_node(node, stub["entity_type"])
        nodes.append(shaper.node(node) if full else stub)
    edges = [shaper.edge(edge) if presentation.full_edge(edge) else shaper.stub_edge(edge) for edge in walked.edges]
    for mirror, why in (mirrors(index, allowed, walked.edges, traits) if traits else {}).items():
        edges.append(shaper.stub_edge(mirror) | {"derived_via": why})
    edges.sort(key=lambda edge: (edge["subject"], edge["predicate"], edge["object"]))
    warnings = presentation.warnings
    if query.max_hops and not walked.edges and len(walked.layers) == 1 and not walked.truncated:
        warnings = [*warnings, *nothing_walked(index, seeds, allowed)]
    result = Subgraph(
        seeds=[name(seed) for seed in seeds],
        max_hops=query.max_hops,
        node_count=len(nodes),
        edge_count=len(edges),
        nodes=nodes,
        edges=edges,
        labels=shaper.labels(nodes),
        unknown_seeds=unknown or None,
        truncated=walked.truncated,
        warnings=warnings or None,
    )
    return result, walked, allowed


def project_edges(index: Index, allowed: Allowed, walked: Walk) -> None:
    """In the `nodes` view: the edges of the allowed link statements among the answer's nodes."""
    walkable = set(allowed.links.values())
    found: list[Edge] = []
    for node in walked.nodes:
        for one in index.statement(node):
            triple = one.triple
            if one.states in walkable:
                edge = (triple.subject, triple.predicate, triple.object)
                if edge not in walked.edges and index.in_time(node, allowed.cutoff):
                    found.append(edge)  # type: ignore[arg-type]
    room = index.profile.limits.max_edges - len(walked.edges)
    unique = list(dict.fromkeys(found))
    if len(unique) > room:
        unique = sorted(unique, key=str)[:room]
        walked.truncated = walked.truncated or {
            "limit": "max_edges",
            "hop": len(walked.layers) - 1,
            "nodes_left": 0,
            "edges_left": len(dict.fromkeys(found)) - room,
        }
    walked.edges.update(dict.fromkeys(unique, 0))


def nothing_walked(index: Index, seeds: list[NamedNode], allowed: Allowed) -> list[dict[str, str]]:
    """What other statuses and positions hold at the seeds, when nothing could be walked from them."""
    statuses: Counter[str] = Counter()
    late: Counter[str] = Counter()
    undated = 0
    match = index.store.quads_for_pattern
    for seed in seeds:
        for subject, object_ in ((seed, None), (None, seed)):
            for quad in match(subject, None, object_, None):
                own = index.status_of_graph(quad.graph_name)
                if quad.graph_name == PLAIN:
                    undated += allowed.cutoff is not None
                if own is None:
                    continue
                triple = Triple(quad.subject, quad.predicate, quad.object)
                stated = allowed.links.get(quad.graph_name)  # type: ignore[arg-type]
                if stated is None:
                    statuses["+".join(own)] += 1
                elif allowed.cutoff is not None:
                    for one in index.statements_of(triple, (stated,)):
                        held = match(one.id, KINDS[allowed.cutoff.kind], None, RECORDS)
                        late["later" if next(held, None) else "undated"] += 1
    late["undated"] += undated
    parts = [f"{n} with truth_status {status!r}" for status, n in sorted(statuses.items())]
    if late["later"]:
        parts.append(f"{late['later']} positioned after the cut-off")
    if late["undated"]:
        parts.append(f"{late['undated']} without such a position")
    if not parts:
        return [{"code": "no_statements", "message": "no statement of any status touches the seeds"}]
    message = f"nothing here may be walked under these filters; at the seeds stand {', '.join(parts)}"
    return [{"code": "nothing_allowed", "message": message}]
