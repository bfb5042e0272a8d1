"""`explain`: the SPARQL that a query is, over the data with its real frontiers, and over the index as it runs."""

from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.compiler import hops
from bfsql_rdf.compiler.text import iri, select, union, values
from bfsql_rdf.engine.bfs import resolve_filters, run_bfs
from bfsql_rdf.engine.closure import closure_plan, run_closure
from bfsql_rdf.engine.scan import Scanner
from bfsql_rdf.models import BfsQuery, ClosureQuery, ScanQuery
from bfsql_rdf.store.findings import recalled, styles_of
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.layout import DISPLAY
from bfsql_rdf.store.load import Opened
from bfsql_rdf.terms import OWL
from bfsql_rdf.wikibase import Wikibase


def describe_dataset(opened: Opened) -> hops.Dataset:
    """What the compiler must know of the data, from the profile and the figures."""
    index, profile = opened.index, opened.index.profile
    figures = index.figures

    def expand(texts: list[str]) -> list[str]:
        return [index.ids.expand(text, "profile") for text in texts]

    kinds = [form for kind in expand(profile.types) for form in _spellings(index, kind, "statement", "direct")]
    redirects = [OWL + "sameAs"] if figures.redirects else []
    return hops.Dataset(
        styles=[style for style in styles_of(recalled(figures), profile) if style.name in figures.styles],
        status=index.ids.expand(profile.status.predicate, "status"),
        position=profile.position.path,
        types=kinds,
        hidden=expand(profile.hidden) + redirects,
        inside=expand(profile.inside),
        provenance=[iri for iri in expand(profile.provenance) if iri in figures.predicates],
        prefixes=index.ids.prefixes,
        plain=figures.plain_links > 0 or any(counts[2] for counts in figures.predicates.values()),
        unasserted=figures.unasserted > 0,
        lists=figures.lists > 0,
        bases=sorted(base + "prop/" for base in (figures.wikibase or {"bases": ()})["bases"]),
        restrictions=profile.restrictions and figures.derived > 0,
    )


def explain_bfs(opened: Opened, query: BfsQuery) -> dict[str, Any]:
    """Run a search and give the text of each of its hops."""
    index = opened.index
    _, walked, allowed = run_bfs(index, query)
    dataset, dated = describe_dataset(opened), query.as_of is not None
    frontiers = walked.layers[: query.max_hops]
    sparql = hops.unasserted_scan(dataset, dated) if frontiers else []
    sparql += [hops.hop(dataset, _forms(index, layer), dated) for layer in frontiers]
    graphs = index.walked_graphs(allowed)
    plan = [hop_plan(layer, graphs) for layer in frontiers] if graphs else []
    return {"sparql": sparql, "plan": plan}


def hop_plan(frontier: list[NamedNode], graphs: tuple[NamedNode, ...]) -> str:
    """One hop over the index: the frontier's links in the graphs of allowed statements."""
    branches = [f"{values(variable, frontier)}\n?subject ?predicate ?object ." for variable in ("subject", "object")]
    row = "?subject ?predicate ?object"
    return select(row, union(branches), distinct=True, datasets=[graph.value for graph in graphs])


def explain_closure(opened: Opened, query: ClosureQuery) -> dict[str, Any]:
    """One property path where no statement describes the predicate's links, else a text for each hop."""
    index = opened.index
    _, start, predicate = run_closure(index, query)
    graphs = index.walked_graphs(index.allowed(frozenset({"asserted_true"})))
    dataset = describe_dataset(opened)
    described = any(
        next(index.store.quads_for_pattern(None, NamedNode(predicate), None, graph), None)
        for graph in index.everything().links
    )
    if not described:
        sparql = [hops.path_closure(start, _spellings(index, predicate, "direct"))]
    else:
        layers = _closure_layers(index, start, NamedNode(predicate), graphs)
        sparql = hops.unasserted_scan(dataset, False)
        sparql += [hops.hop(dataset, _forms(index, layer), False) for layer in layers]
    plan = [closure_plan(start, predicate, graphs)] if graphs else []
    return {"sparql": sparql, "plan": plan}


def _spellings(index: Index, predicate: str, *roles: str) -> list[str]:
    """The predicates of the data that are shown as one: of a property of Wikibase several, else itself."""
    if index.figures.wikibase is None:
        return [predicate]
    vocabulary = Wikibase.from_dict(index.figures.wikibase)
    return [form for role in roles for form in vocabulary.spellings(predicate, role)] or [predicate]


def _closure_layers(
    index: Index, start: NamedNode, predicate: NamedNode, graphs: tuple[NamedNode, ...]
) -> list[list[NamedNode]]:
    layers, seen = [[start]], {start}
    while True:
        fresh = {
            quad.object
            for node in layers[-1]
            for graph in graphs
            for quad in index.store.quads_for_pattern(node, predicate, None, graph)
        } - seen
        if not fresh:
            return layers
        seen |= fresh  # type: ignore[arg-type]
        layers.append(sorted(fresh, key=str))  # type: ignore[arg-type]


def explain_scan(opened: Opened, query: ScanQuery) -> dict[str, Any]:
    """The statements, and the entities where types are asked for."""
    index = opened.index
    scanner = Scanner(index, opened.meta.generation)
    scanner(query)
    dataset = describe_dataset(opened)
    allowed = resolve_filters(index, query.truth_status, query.as_of)
    predicates = [index.predicates.require(name, "edge_predicates") for name in query.edge_predicates or ()]
    types, statements = scanner.types(query)
    sparql, plan = [], []
    if types:
        sparql.append(hops.entities(dataset, types))
        body = f"{values('type', [NamedNode(one) for one in types])}\n?entity {DISPLAY} ?type ."
        plan.append(select("?entity", body, distinct=True))
    if types is None or statements or predicates or query.truth_status or query.as_of is not None:
        spelled = [form for one in predicates for form in _spellings(index, one, "statement", "direct")]
        sparql.append(hops.scan(dataset, spelled, query.as_of is not None))
        plan += _scan_plan(index, allowed, predicates)
    return {"sparql": sparql, "plan": plan}


def _scan_plan(index: Index, allowed: Allowed, predicates: list[str]) -> list[str]:
    graphs = [graph.value for graph in (*index.walked_graphs(allowed), *allowed.values)]
    chosen = f"\nFILTER(?predicate IN ({', '.join(map(iri, predicates))}))" if predicates else ""
    body = f"?subject ?predicate ?object .{chosen}"
    return [select("?subject ?predicate ?object", body, datasets=graphs)] if graphs else []


def _forms(index: Index, nodes: list[NamedNode]) -> list[NamedNode]:
    return [form for node in nodes for form in index.data_forms(node)]
