"""`search_entities`: from a name to the ids it may mean."""

from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.engine.bfs import superclass_named
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import Candidates, SearchQuery
from bfsql_rdf.store.folding import Folded
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.store.naming import Entity, Naming
from bfsql_rdf.store.search import UNTYPED, Hit, Search

DESCRIPTION_LENGTH = 200


class Finder:
    """Searches one graph; `search` gives its search index when it is first needed."""

    def __init__(self, index: Index, search: Callable[[], Search]) -> None:
        self.index, self.search = index, search

    @cached_property
    def _labels(self) -> Labels:
        return Labels(self.index)

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.index)

    def __call__(self, query: SearchQuery) -> Candidates:
        """The candidates, best first. Raises QueryError for unknown types and for text without a letter or digit."""
        types = None if query.entity_types is None else resolve_types(self.index, query.entity_types)
        meant = _meant(self.index, query.query)
        search, wanted = self.search(), Folded(query.query)
        hits = search.find(query.query, types, query.limit, meant)
        warnings = None if hits else [_nothing(search, query, wanted, types, meant)]
        return Candidates(candidates=[self._candidate(wanted, hit) for hit in hits], warnings=warnings)

    def _candidate(self, wanted: Folded, hit: Hit) -> dict[str, Any]:
        node = NamedNode(self.index.ids.expand(hit.id, "query"))
        entity = self._naming.read(node) or Entity(node)
        matched = _matched(entity, wanted, hit)
        label = self._labels.label(node)
        body: dict[str, Any] = {
            "id": hit.id,
            "entity_type": self.index.entity_type(node),
            "label": label or matched or entity.local or hit.id,
            "score": hit.score,
        }
        if description := self._labels.description(node):
            body["description"] = (
                description if len(description) <= DESCRIPTION_LENGTH else description[:DESCRIPTION_LENGTH] + "…"
            )
        if matched and matched != body["label"]:
            body["matched"] = matched
        if hit.deprecated:
            body["deprecated"] = True
        return body


def resolve_types(index: Index, names: list[str]) -> frozenset[str]:
    """The IRIs of types and all their subclasses; `Thing` stands for nodes without a type."""
    wanted = set()
    for name in names:
        if name == "Statement":
            raise QueryError(
                "statements have no names to search for",
                code="unknown_entity_type",
                where="entity_types",
                hint="scan_query lists them",
            )
        iri = index.types.find(name, "entity_types") or superclass_named(index, name)
        if iri is None and name != UNTYPED:
            iri = index.types.require(name, "entity_types")
        wanted.add(iri or UNTYPED)
    figures = index.figures
    below = {iri for iri in figures.superclasses if not wanted.isdisjoint(figures.ancestors(iri))}
    return frozenset(wanted | below)


def _meant(index: Index, text: str) -> str | None:
    """The id that the text is, written in whichever way."""
    text = text.strip()
    if ":" not in text and index.ids.recognise(text) is None:
        return None
    try:
        return index.ids.compress(index.node(text, "query").value)
    except QueryError:
        return None


def _matched(entity: Entity, wanted: Folded, hit: Hit) -> str | None:
    """The name of an entity that the text comes closest to; None where that is its id."""
    names = entity.labels if hit.by_label else [*entity.labels, *entity.aliases]
    ranked = [(*_closeness(Folded(name), wanted), -place, name) for place, name in enumerate(names)]
    if not ranked:
        return None
    best = max(ranked)
    if not hit.by_label:
        own = [entity.local, hit.id, entity.node.value]
        if max(_closeness(Folded(name), wanted) for name in own) > best[:3]:
            return None
    return str(best[-1])


def _closeness(name: Folded, wanted: Folded) -> tuple[int, int, float]:
    """How well a name matches: by tier, then by how many of the words are in it, then by likeness."""
    if name.written == wanted.written:
        return 3, 0, 0.0
    if name.plain == wanted.plain:
        return 2, 0, 0.0
    if name.plain.startswith(wanted.plain):
        return 1, 0, 0.0
    shared = len({*name.searched.split()} & {*wanted.words})
    return 0, shared, SequenceMatcher(None, name.plain, wanted.plain).ratio()


def _nothing(
    search: Search, query: SearchQuery, wanted: Folded, types: frozenset[str] | None, meant: str | None
) -> dict[str, str]:
    """What to try where nothing was found."""
    if types is not None and search.find(query.query, None, 1, meant):
        message = f"no entity of type {', '.join(query.entity_types or ())} has such a name, but others have"
        return {"code": "other_types", "message": f"{message}: leave entity_types out, or name other types"}
    message = f"no name is like {query.query!r}"
    if len(wanted.runs) > 1:
        known = [run for run in dict.fromkeys(wanted.runs) if search.find(run, types, 1)]
        tried = f"names have {', '.join(map(repr, known))}" if known else "nor like any word of it"
        return {"code": "nothing_found", "message": f"{message}; {tried}: search for fewer words, or for another name"}
    return {"code": "nothing_found", "message": f"{message}: try another name or its start, or scan_query by type"}
