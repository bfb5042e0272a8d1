"""An endpoint as a backend: closures, scans, names and the schema beside the search of `engine`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import local
from time import monotonic
from typing import Any

from pyoxigraph import Literal, NamedNode, Triple

from bfsql_rdf.compiler import hops, regions, surveys
from bfsql_rdf.engine.examples import Example
from bfsql_rdf.engine.prompt import make_prompt
from bfsql_rdf.engine.scan import Scanner
from bfsql_rdf.engine.schema import Describer
from bfsql_rdf.engine.search import Finder
from bfsql_rdf.errors import BfsqlError, EndpointError, QueryError
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Scan,
    ScanQuery,
    Schema,
    SearchQuery,
)
from bfsql_rdf.profile import Profile
from bfsql_rdf.remote.engine import Remote
from bfsql_rdf.remote.region import Region
from bfsql_rdf.remote.survey import Transport
from bfsql_rdf.store.folding import Folded
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.layout import RECORDS
from bfsql_rdf.store.search import LazySearch
from bfsql_rdf.terms import ALIASES, LABELS, RDF_TYPE

CLOSURE_NODES = 100_000
"""How many nodes a closure follows hop by hop before it is given up."""
FOUND, SAMPLED, COUNTED = 200, 20, 200


class EndpointBackend(Remote):
    """All questions of the language, over one endpoint; safe to use from several threads."""

    def __init__(self, transport: Transport, profile: Profile, surveyed: Transport | None = None) -> None:
        """`surveyed` is the same endpoint, with less patience, for the questions that get to know it."""
        self._recorder = Recorder(transport)
        super().__init__(self._recorder, profile, surveyed)
        self.close: Callable[[], Any] = lambda: None
        self._schemas: dict[int, Schema] = {}

    # Closures

    def closure(self, query: ClosureQuery) -> Closure:
        """As embedded; one property path where the endpoint has no statements, else a request for each hop."""
        predicate = self.index.predicates.require(query.predicate, "predicate")
        start = NamedNode(self.known.ids.expand(query.start, "start"))
        if not any(True for _ in self._transport.select(regions.exists([start]))):
            raise QueryError(
                f"{self.index.ids.compress(start.value)} is not in this graph",
                code="unknown_start",
                where="start",
                hint="Ids are exact; call search_entities to find the id of a name",
            )
        if self.dataset.styles:
            found = self._closed(start, predicate)
        else:
            rows = self._transport.select(hops.path_closure(start, self._spelled(predicate)))
            found = {NamedNode(self.known.ids.canonical(row[0].value)) for row in rows if type(row[0]) is NamedNode}
        entities = sorted(self.index.ids.compress(node.value) for node in found)
        return Closure(
            start=self.index.ids.compress(start.value),
            predicate=self.index.predicates.show(predicate),
            count=len(entities),
            entities=entities,
        )

    def _closed(self, start: NamedNode, predicate: str) -> set[NamedNode]:
        found: set[NamedNode] = set()
        name, spelled = NamedNode(predicate), self._spelled(predicate)
        quoted = hops.unasserted_scan(self.dataset, False) if self._wants_quoted(None) else []
        frontier, deadline = [start], monotonic() + self.known.profile.limits.timeout
        while frontier:
            if monotonic() > deadline:
                raise EndpointError(
                    f"the closure was not done after {self.known.profile.limits.timeout:g} seconds",
                    code="endpoint_timeout",
                    where="start",
                    hint="Start lower, or load the data into a store folder",
                )
            region = Region(self.known)
            for text in quoted:
                self._take(region, text)
            self._each(region, frontier, lambda batch: regions.closure_hop(self.dataset, batch, spelled))
            self._whole(region)
            index = region.index()
            graphs = index.walked_graphs(index.allowed(frozenset({"asserted_true"})))
            match = index.store.quads_for_pattern
            fresh: set[Any] = {
                quad.object for node in frontier for graph in graphs for quad in match(node, name, None, graph)
            }
            fresh -= found
            found |= fresh
            if len(found) > CLOSURE_NODES:
                raise QueryError(
                    f"the closure has more than {CLOSURE_NODES:,} nodes",
                    code="closure_too_large",
                    where="start",
                    hint="Start lower, or load the data into a store folder",
                )
            frontier = sorted((node for node in fresh if self._addressable(node)), key=str)
        return found

    def _spelled(self, predicate: str) -> list[str]:
        vocabulary = self.known.wikibase
        forms = (
            [form for role in ("statement", "direct") for form in vocabulary.spellings(predicate, role)]
            if vocabulary
            else []
        )
        return forms or self.known.ids.data_forms(predicate)

    # Scans

    def scan(self, query: ScanQuery) -> Scan:
        """One page: so many entities or triples of the endpoint, of which those are answered that the filters allow.

        An offset counts entities where it is even and triples where it is odd.
        """
        scanner = Scanner(self.index, "endpoint")
        bound, offset, page = scanner.place(query)
        types, statements = scanner.types(query)
        predicates = [self.index.predicates.require(name, "edge_predicates") for name in query.edge_predicates or ()]
        others = query.edge_predicates or query.truth_status or query.as_of is not None or statements
        region, start, following = Region(self.known), offset // 2, None
        asked = query.model_copy(update={"limit": None, "after": None})
        if types and not offset % 2:
            rows = list(self._transport.select(regions.entities_page(self.dataset, types, start, page + 1)))
            nodes = [row[0] for row in rows[:page] if type(row[0]) is NamedNode]
            if nodes:
                self._about_nodes(region, nodes, nodes, nodes, None)
            following = 2 * (start + page) if len(rows) > page else 1 if others else None
            asked = ScanQuery(node_types=query.node_types)
        else:
            triples, more = self._triples(predicates, start, page)
            self._take_triples(region, triples, query.as_of is not None)
            following = 2 * (start + page) + 1 if more else None
            types = None if types is None else []
        self._whole(region)
        index = self._with_names(region)
        cursor = None if following is None else scanner.cursor(bound, following)
        return Scanner(index, "endpoint").whole(asked, types, predicates, cursor)

    def _triples(self, predicates: Sequence[str], offset: int, most: int) -> tuple[list[tuple[Triple, bool]], bool]:
        spelled = [form for one in predicates for form in self._spelled(one)]
        rows = list(self._transport.select(regions.scan_page(self.dataset, spelled, offset, most + 1)))
        found = [
            (Triple(s, p, o), int(stated.value) > 0)
            for s, p, o, stated in rows[:most]
            if type(s) is NamedNode and type(p) is NamedNode
        ]
        return found, len(rows) > most

    def _take_triples(self, region: Region, triples: list[tuple[Triple, bool]], dated: bool) -> None:
        stated = [triple for triple, told in triples if told]
        plain = [triple for triple, told in triples if not told]
        region.take(["subject", "predicate", "object"], [(t.subject, t.predicate, t.object) for t in plain])
        for start in range(0, len(stated), self.batch):
            part = stated[start : start + self.batch]
            self._take(region, regions.statements_of(self.dataset, part, dated))
        if stated:
            self._about_all(region, dated)

    def _about_all(self, region: Region, dated: bool) -> None:
        """The data of every statement in a region."""
        index = region.index()
        match, known = index.store.quads_for_pattern, index.everything()
        found = {quad.subject: quad.object for stated in known.crossed for quad in match(None, stated, None, RECORDS)}
        named = sorted((one for one in found if self._addressable(one)), key=str)  # type: ignore[arg-type]
        nameless = [triple for one, triple in found.items() if one not in set(named)]
        region.replace_statements(nameless)  # type: ignore[arg-type]
        for start in range(0, max(len(named), len(nameless)), self.batch):
            part, rest = named[start : start + self.batch], nameless[start : start + self.batch]
            self._take(region, regions.about_statements(self.dataset, part, rest, dated))  # type: ignore[arg-type]

    # Names

    def search(self, query: SearchQuery) -> Candidates:
        """Candidates by id and exact label; where there are none, by a look at every label, which it says."""
        region, text = Region(self.known), query.query.strip()
        texts: list[Literal] = []
        for spelled in dict.fromkeys([text, text.lower(), text.capitalize(), text.title(), text.upper()]):
            texts.append(Literal(spelled))
            texts += [Literal(spelled, language=tag) for tag in [*self.known.profile.languages, "mul"]]
        names = [*LABELS, *ALIASES]
        rows = list(self._transport.select(regions.named_exactly(self.dataset, texts, names, FOUND)))
        found = [row[0] for row in rows if type(row[0]) is NamedNode] + self._by_id(text)
        warnings = []
        words = Folded(text).words
        if not found and words:
            message = "the endpoint has no such label or id: every label was looked at for the text"
            try:
                rows = list(self._transport.select(regions.named_like(self.dataset, words, LABELS, FOUND)))
                found = [row[0] for row in rows if type(row[0]) is NamedNode]
            except BfsqlError as error:
                message = f"the endpoint has no such label or id, and looking at every label failed: {error.message}"
            warnings.append({"code": "scanned_labels", "message": message})
        if found:
            self._about_nodes(region, found, found, [], None)
        index = self._with_names(region)
        answer = Finder(index, LazySearch(index))(query)
        told = [*(answer.warnings or []), *warnings]
        return answer.model_copy(update={"warnings": told or None})

    def _by_id(self, text: str) -> list[NamedNode]:
        try:
            node = NamedNode(self.known.ids.expand(text, "query"))
        except QueryError:
            return []
        return [row[0] for row in self._transport.select(regions.exists([node]))]

    # Schema

    def schema(self, max_tokens: int) -> Schema:
        """Types and predicates as the endpoint counts them, with a sample of what they join."""
        found = self._schemas.get(max_tokens)
        if found is None:
            found = self._schemas[max_tokens] = Describer(self._counted())(max_tokens)
        return found.model_copy(deep=True)

    def _counted(self) -> Index:
        figures = replace(self.known.figures, warnings=list(self.known.figures.warnings))
        types, predicates = dict(figures.types), {iri: [0, 0, 0, 0] for iri in figures.predicates}
        telling = [one for one in self.dataset.types if not self.dataset.bases or one != RDF_TYPE.value]
        query = surveys.type_counts(telling or self.dataset.types, COUNTED)
        for kind, number in self._asked("counts of types", query, figures):
            if type(kind) is NamedNode:
                types[kind.value] = int(number.value)
        for p, number, valued in self._asked("counts of predicates", surveys.predicate_counts(COUNTED), figures):
            if type(p) is NamedNode and (iri := self._property(p.value)) in predicates:
                predicates[iri][0] += int(number.value) - int(valued.value)
                predicates[iri][2] += int(valued.value)
        region = Region(replace(self.known, figures=replace(figures, types=types, predicates=predicates)))
        most = sorted(predicates, key=lambda iri: -sum(predicates[iri]))[:COUNTED]
        spelled = [form for iri in most[:50] for form in self._spelled(iri)]
        rows = self._asked("sample of links", surveys.some_links(spelled, SAMPLED), figures) if spelled else []
        region.take(["subject", "predicate", "object"], rows)
        ends = {one for row in rows for one in (row[0], row[2]) if type(one) is NamedNode}
        if ends:
            self._about_nodes(region, sorted(ends, key=str), [], [], None)
        index = self._with_names(region)
        index.figures.types, index.figures.predicates = types, predicates
        return index

    def _property(self, iri: str) -> str:
        made = self.known.wikibase.property_of(iri) if self.known.wikibase else None
        return made or self.known.ids.canonical(iri)

    def _asked(self, what: str, query: str, figures: Any) -> list[Any]:
        try:
            return list(self._transport.select(query))
        except BfsqlError as error:
            message = f"the endpoint did not tell its {what}: {error.message}"
            figures.warnings.append({"code": "endpoint_unknown", "message": message})
            return []

    def prompt(self) -> str:
        """Markdown that teaches a language model to query this graph; without examples, which would be run."""
        return make_prompt(self.index, self.schema(4000), None)

    def examples(self) -> list[Example]:
        """None: they would have to be asked for."""
        return []

    # Explanations

    def explain(self, query: BfsQuery | ClosureQuery | ScanQuery) -> dict[str, Any]:
        """Run a query and give the text of each request that was sent for it."""
        ask: Callable[[Any], Any] = self.bfs if isinstance(query, BfsQuery) else self.closure
        if isinstance(query, ScanQuery):
            ask = self.scan
        with self._recorder as texts:
            ask(query)
        return {"sparql": list(texts)}


class Recorder:
    """A transport that can tell what was sent through it by one thread."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._own = local()

    def __enter__(self) -> list[str]:
        self._own.texts = []
        return self._own.texts  # type: ignore[no-any-return]

    def __exit__(self, *exception: object) -> None:
        self._own.texts = None

    def _note(self, query: str) -> None:
        texts = getattr(self._own, "texts", None)
        if texts is not None:
            texts.append(query)

    def select(self, query: str, limit_rows: int | None = None) -> Any:
        self._note(query)
        return self._transport.select(query, limit_rows)

    def ask(self, query: str) -> bool:
        self._note(query)
        return self._transport.ask(query)
