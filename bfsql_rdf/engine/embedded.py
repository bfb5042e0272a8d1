"""The questions of the language, asked of an embedded store."""

from collections.abc import Sequence
from typing import Any

from bfsql_rdf.engine.bfs import run_bfs
from bfsql_rdf.engine.closure import run_closure
from bfsql_rdf.engine.examples import Example
from bfsql_rdf.engine.explain import explain_bfs, explain_closure, explain_scan
from bfsql_rdf.engine.prompt import Prompter
from bfsql_rdf.engine.scan import Scanner
from bfsql_rdf.engine.schema import Describer
from bfsql_rdf.engine.search import Finder
from bfsql_rdf.engine.shape import Shaper
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Descriptions,
    Scan,
    ScanQuery,
    Schema,
    SearchQuery,
    Subgraph,
)
from bfsql_rdf.store.load import Opened


class Embedded:
    """Answers from data and index of one opened source; safe to use from several threads."""

    def __init__(self, opened: Opened) -> None:
        self.opened, self.index = opened, opened.index
        self._scanner = Scanner(opened.index, opened.meta.generation)
        self._finder = Finder(opened.index, opened.search)
        self._describer = Describer(opened.index)
        self._prompter = Prompter(opened.index, self._describer)

    def bfs(self, query: BfsQuery) -> Subgraph:
        return run_bfs(self.index, query)[0]

    def closure(self, query: ClosureQuery) -> Closure:
        return run_closure(self.index, query)[0]

    def scan(self, query: ScanQuery) -> Scan:
        return self._scanner(query)

    def search(self, query: SearchQuery) -> Candidates:
        return self._finder(query)

    def describe(self, ids: Sequence[str]) -> Descriptions:
        """Full nodes, text uncut, statements of any status; and the ids that are not in the graph."""
        index = self.index
        nodes = dict.fromkeys(index.node(text, "ids") for text in ids)
        shaper = Shaper(index, index.allowed(frozenset({"asserted_true"})), uncut=True)
        known = {node: index.known(node) for node in nodes}
        found = [node for node in nodes if known[node]]
        missing = [index.ids.compress(node.value) for node in nodes if not known[node]]
        bodies = [shaper.node(node) for node in found]
        return Descriptions(labels=shaper.labels(bodies), nodes=bodies, not_found=missing or None)

    def schema(self, max_tokens: int) -> Schema:
        return self._describer(max_tokens)

    def prompt(self) -> str:
        return self._prompter()

    def examples(self) -> list[Example]:
        return self._prompter.examples()

    def explain(self, query: BfsQuery | ClosureQuery | ScanQuery) -> dict[str, Any]:
        """`{sparql: [text], plan: [text]}` of a query, which is run."""
        if isinstance(query, BfsQuery):
            return explain_bfs(self.opened, query)
        if isinstance(query, ClosureQuery):
            return explain_closure(self.opened, query)
        return explain_scan(self.opened, query)
