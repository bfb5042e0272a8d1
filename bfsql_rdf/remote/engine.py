"""The queries of the language over an endpoint: fetch the region that a query needs, then answer as embedded."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, Triple

from bfsql_rdf.compiler import hops, regions
from bfsql_rdf.engine.bfs import DEFAULT_STATUS, Presentation, resolve_filters, run_bfs
from bfsql_rdf.engine.shape import Shaper
from bfsql_rdf.engine.traits import check_traits
from bfsql_rdf.engine.walk import Expander, Walk, walk
from bfsql_rdf.errors import EndpointError
from bfsql_rdf.models import BfsQuery, Descriptions, Subgraph
from bfsql_rdf.profile import Profile
from bfsql_rdf.remote.region import MINTED, Region
from bfsql_rdf.remote.survey import Answer, Survey, Surveyor, Transport
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.terms import LABELS, SKOLEM

BATCH = 10_000
"""Nodes of a frontier in one request, unless the endpoint takes fewer."""
AT_ONCE = 4
"""Requests at a time, where one frontier needs several."""


class Remote:
    """Answers over one endpoint; keeps nothing but what the endpoint is."""

    def __init__(self, transport: Transport, profile: Profile, surveyed: Transport | None = None) -> None:
        self._transport = transport
        self._survey: Survey = Surveyor(surveyed or transport, profile).survey()
        self.dataset, self.known = self._survey.dataset, self._survey.known
        self.index = Region(self.known).index()
        """Names and figures of the whole graph, and none of its nodes."""
        self.batch = BATCH

    # Breadth-first search

    def bfs(self, query: BfsQuery) -> Subgraph:
        """The subgraph around some seeds; as embedded, but for what `warnings` says the endpoint cannot do."""
        region, hops_walked = self._walked(query)
        reached = query.model_copy(update={"max_hops": min(query.max_hops, hops_walked)})
        index = region.index()
        if self._known_seeds(region, index, query.seeds):
            index = region.index()
        index = self._told(region, index, reached)
        result, _, _ = run_bfs(index, reached)
        result.max_hops = query.max_hops
        if region.cut is not None:  # what a walk of a part finds left over is not what is left
            result.truncated = region.cut
        self._blank_warning(result)
        return result

    def _walked(self, query: BfsQuery) -> tuple[Region, int]:
        """A region with every statement and link that the walk meets, and how many hops it is good for."""
        limits = self.known.profile.limits
        region, deadline = Region(self.known), monotonic() + limits.timeout
        dated = query.as_of is not None
        self._precheck(query)
        seeds = [NamedNode(self.known.ids.expand(text, "seeds")) for text in query.seeds]
        if self.known.wikibase is not None:
            self._take(region, regions.redirects(dict.fromkeys(seeds)))
            there = region.index()
            seeds = [there.node(node.value, "seeds") for node in seeds]
        frontier, seen = list(dict.fromkeys(seeds)), set(seeds)
        for hop in range(1, query.max_hops + 1):
            if monotonic() > deadline:
                region.cut = {"limit": "timeout", "hop": hop, "seconds": limits.timeout}
                return region, hop - 1
            if hop == 1 and self._wants_quoted(query.truth_status):
                for text in hops.unasserted_scan(self.dataset, dated):
                    self._take(region, text)
            frontier_of_hop = frontier
            self._each(region, frontier, lambda nodes: hops.hop(self.dataset, nodes, dated), 4 * (limits.max_edges + 1))
            index = region.index()
            expand = Expander(index, resolve_filters(index, query.truth_status, query.as_of))
            fresh: dict[NamedNode, None] = {}
            for node in frontier:
                fresh.update((other, None) for other in expand(node)[0] if other not in seen)
            seen.update(fresh)
            frontier = [node for node in fresh if self._addressable(node)]
            if region.cut is not None:
                region.cut = {"limit": "max_edges", "hop": hop} | region.cut | self._total(frontier_of_hop)
                return region, hop
            if not frontier or len(seen) > limits.max_nodes:
                break
        return region, query.max_hops

    def _total(self, frontier: Sequence[NamedNode]) -> dict[str, Any]:
        """How many links a hop has in all, where the endpoint can say so."""
        nodes = [NamedNode(form) for node in frontier for form in self.known.ids.data_forms(node.value)]
        if len(nodes) > self.batch:
            return {}
        try:
            for (total,) in self._transport.select(hops.hop_count(self.dataset, nodes)):
                return {"edges_total": int(total.value)}
        except EndpointError:
            pass
        return {}

    def _precheck(self, query: BfsQuery) -> None:
        """Refuse what needs no endpoint to be refused, before anything is asked."""
        if query.max_hops > self.known.profile.limits.max_hops:
            run_bfs(self.index, query)
        check_traits(query.expand_traits or ())
        resolve_filters(self.index, query.truth_status, query.as_of)

    def _wants_quoted(self, statuses: Sequence[str] | None) -> bool:
        asked = set(statuses or DEFAULT_STATUS)
        return self._survey.stating or (self.dataset.unasserted and self.known.profile.status.unasserted in asked)

    def _each(
        self,
        region: Region,
        nodes: Sequence[NamedNode],
        text: Callable[[list[NamedNode]], str],
        limit: int | None = None,
    ) -> None:
        """One request for many nodes, several at a time where the endpoint takes fewer in one."""
        left = [NamedNode(form) for node in nodes for form in self.known.ids.data_forms(node.value)]
        while left:
            size = self.batch
            parts = [left[start : start + size] for start in range(0, len(left), size)]
            try:
                for answer in self._answers([text(part) for part in parts], limit):
                    region.take_answer(answer)
                return
            except EndpointError as error:
                if error.code != "query_too_large" or size == 1:
                    raise
                self.batch = max(size // 2, 1)

    def _answers(self, texts: Sequence[str], limit: int | None) -> Iterable[Answer]:
        if len(texts) == 1:
            return [self._transport.select(texts[0], limit)]
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            return list(pool.map(lambda text: self._transport.select(text, limit), texts))

    def _take(self, region: Region, text: str) -> None:
        """Send one request into a region."""
        region.take_answer(self._transport.select(text))

    def _whole(self, region: Region) -> None:
        """EndpointError where an answer was cut short that has no way to say so."""
        if region.cut is not None:
            message = region.cut.get("message") or f"it stopped after {region.cut.get('rows', 'some')} rows"
            raise EndpointError(
                f"the endpoint cut its answer short: {message}",
                code="endpoint_cut",
                where="endpoint",
                hint="Ask for less at a time, or raise the endpoint's limit",
            )

    def _addressable(self, node: NamedNode) -> bool:
        return not node.value.startswith((SKOLEM, "urn:bfsql:"))

    def _known_seeds(self, region: Region, index: Index, texts: Iterable[str]) -> bool:
        """Whether some seeds without an edge are known after all: the endpoint has a triple of them."""
        nodes = [NamedNode(self.known.ids.expand(text, "seeds")) for text in texts]
        unseen = [node for node in nodes if not index.known(node) and self._addressable(node)]
        if unseen:
            region.know(row[0] for row in self._transport.select(regions.exists(unseen)))
        return bool(unseen)

    # What is told in full

    def _told(self, region: Region, index: Index, query: BfsQuery) -> Index:
        """The index of the region once types, fields and statement data of what is shown were fetched."""
        allowed = resolve_filters(index, query.truth_status, query.as_of)
        walked = self._walk(index, allowed, query)
        presentation = Presentation(index, query)
        outer = walked.layers[-1] if len(walked.layers) > query.max_hops else []
        nodes = [node for node in walked.nodes if self._addressable(node)]
        full = nodes
        if not presentation.all_nodes:
            if query.node_filter and query.node_filter.entity_types:
                self._about_nodes(region, nodes, [], outer, query)
                index = region.index()
                presentation = Presentation(index, query)
                full = [node for node in nodes if presentation.full_node(node, index.entity_type(node))]
                nodes = []
            else:
                full = []
        if nodes or full:
            self._about_nodes(region, nodes, full, outer, query)
        index = region.index()
        allowed = resolve_filters(index, query.truth_status, query.as_of)
        triples = [Triple(*edge) for edge in walked.edges if presentation.full_edge(edge)]
        self._about_statements(region, index, allowed, triples, walked, full, query.as_of is not None)
        return self._with_names(region)

    def _walk(self, index: Index, allowed: Allowed, query: BfsQuery) -> Walk:
        seeds = [node for node in (index.node(text, "seeds") for text in query.seeds) if index.known(node)]
        return walk(index, allowed, list(dict.fromkeys(seeds)), query.max_hops, lambda node: node.value)

    def _about_nodes(
        self,
        region: Region,
        nodes: Sequence[NamedNode],
        full: Sequence[NamedNode],
        outer: Sequence[NamedNode],
        query: BfsQuery | None,
    ) -> None:
        dated = query is not None and query.as_of is not None
        outside = set(outer)
        everything = list(dict.fromkeys([*nodes, *full]))
        details = set(full)

        def text(batch: list[NamedNode]) -> str:
            chosen = [node for node in batch if self._canonical(node) in details]
            far = [node for node in batch if self._canonical(node) in outside]
            return regions.about_nodes(self.dataset, batch, chosen, far, dated)

        self._each(region, everything, text)

    def _canonical(self, node: NamedNode) -> NamedNode:
        return NamedNode(self.known.ids.canonical(node.value))

    def _about_statements(
        self,
        region: Region,
        index: Index,
        allowed: Allowed,
        triples: Sequence[Triple],
        walked: Walk,
        full: Sequence[NamedNode],
        dated: bool,
    ) -> None:
        """The data of the statements of full edges, of value statements of full nodes, of statements that are nodes."""
        stated = [*allowed.links.values()]
        wanted = [one.id for triple in triples for one in index.statements_of(triple, stated)]
        anonymous = [triple for triple in triples for one in index.statements_of(triple, stated) if _nameless(one.id)]
        for node in [*full, *walked.nodes]:
            for one in index.statement(node):
                wanted.append(one.id)
                if _nameless(one.id):
                    anonymous.append(one.triple)
        if self.dataset.bases:
            for node in full:
                for graph, how in allowed.values.items():
                    for quad in index.store.quads_for_pattern(node, None, None, graph):
                        triple = Triple(quad.subject, quad.predicate, quad.object)
                        wanted += [one.id for one in index.statements_of(triple, [how])]
        named = list(dict.fromkeys(one for one in wanted if self._addressable(one)))
        nameless = list(dict.fromkeys(anonymous))
        region.replace_statements(nameless)
        for start in range(0, max(len(named), len(nameless)), self.batch):
            part, rest = named[start : start + self.batch], nameless[start : start + self.batch]
            self._take(region, regions.about_statements(self.dataset, part, rest, dated))

    def _with_names(self, region: Region) -> Index:
        """The index of the region, which fetches the labels that an answer wants when it is shaped."""
        index = region.index()
        index.fetch_labels = lambda nodes: self._fetch_labels(index, nodes)
        return index

    def _fetch_labels(self, index: Index, nodes: list[NamedNode]) -> None:
        """Labels into an index: in the wanted languages, and for what has none of those in any."""
        known = Labels(index)
        left = [node for node in nodes if self._addressable(node) and known.label(node) is None]
        for languages in (self.known.profile.languages, None):
            for start in range(0, len(left), self.batch):
                query = regions.labels_of(left[start : start + self.batch], LABELS, languages)
                rows = [row for row in self._transport.select(query) if type(row[2]) is Literal]
                index.store.extend(Quad(*row) for row in rows)
                for _, predicate, _ in rows:
                    index.figures.predicates.setdefault(predicate.value, [0, 0, 0, 0])[2] += 1
            known = Labels(index)
            left = [node for node in left if known.label(node) is None]

    def _blank_warning(self, result: Subgraph) -> None:
        blank = [node["id"] for node in result.nodes if str(node["id"]).startswith("_:")]
        if blank:
            message = (
                f"{len(blank)} blank nodes of the endpoint are shown, whose ids it does not take back: "
                "nothing beyond them is walked"
            )
            result.warnings = [*(result.warnings or []), {"code": "blank_nodes", "message": message}]

    # Descriptions

    def describe(self, ids: Sequence[str]) -> Descriptions:
        """Full nodes, text uncut, statements of any status; and the ids that are not there."""
        nodes = list(dict.fromkeys(NamedNode(self.known.ids.expand(text, "ids")) for text in ids))
        region = Region(self.known)
        self._each(region, nodes, lambda batch: regions.statements_named(self.dataset, batch))
        self._about_nodes(region, nodes, nodes, nodes, None)
        index = region.index()
        allowed = index.allowed(frozenset({"asserted_true"}))
        self._about_statements(region, index, allowed, [], Walk([nodes]), nodes, False)
        self._whole(region)
        index = self._with_names(region)
        unseen = [node for node in nodes if not index.known(node)]
        if unseen:
            region.know(row[0] for row in self._transport.select(regions.exists(unseen)))
            index = self._with_names(region)
        shaper = Shaper(index, index.allowed(frozenset({"asserted_true"})), uncut=True)
        known = [index.node(node.value, "ids") for node in nodes if index.known(node)]
        missing = [index.ids.compress(node.value) for node in nodes if not index.known(node)]
        bodies = [shaper.node(node) for node in known]
        return Descriptions(labels=shaper.labels(bodies), nodes=bodies, not_found=missing or None)


def _nameless(node: NamedNode) -> bool:
    return node.value.startswith((SKOLEM, MINTED))
