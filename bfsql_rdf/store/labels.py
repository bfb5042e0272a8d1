"""What nodes are called: labels, other names and short descriptions, whatever vocabulary a dataset writes them in."""

from collections.abc import Sequence
from typing import Any

from pyoxigraph import Literal, NamedNode

from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.layout import RECORDS
from bfsql_rdf.store.text import choose_text
from bfsql_rdf.terms import ALIASES, DESCRIPTIONS, LABELS, local_name

_LABEL_NAMES = ("label", "preflabel", "name", "title", "fullname", "displayname", "caption")
_ALIAS_NAMES = ("altlabel", "alias", "aliases", "alternatename", "synonym", "synonyms", "nickname", "aka")
_DESCRIPTION_NAMES = ("description", "definition", "summary", "abstract", "comment")


def label_predicates(figures: Figures) -> list[NamedNode]:
    """The predicates of the data that carry labels: the well-known ones, then those whose local name says so."""
    return _chosen(figures, LABELS, _LABEL_NAMES)


def alias_predicates(figures: Figures) -> list[NamedNode]:
    """The predicates of the data that carry other names."""
    return _chosen(figures, ALIASES, _ALIAS_NAMES)


def description_predicates(figures: Figures) -> list[NamedNode]:
    """The predicates of the data that carry a short text about a node."""
    return _chosen(figures, DESCRIPTIONS, _DESCRIPTION_NAMES)


def _chosen(figures: Figures, known: Sequence[str], names: Sequence[str]) -> list[NamedNode]:
    present = {iri for iri, counts in figures.predicates.items() if counts[1] or counts[2]}
    found = [iri for iri in known if iri in present]
    for name in names:
        found += sorted(iri for iri in present if local_name(iri).lower() == name and iri not in known)
    return [NamedNode(iri) for iri in found]


class Labels:
    """Looks up what a node of one index is called, in the profile's languages; stated names only as asserted."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._labels = label_predicates(index.figures)
        self._descriptions = description_predicates(index.figures)
        self._graphs: list[Any] = [*index.allowed(frozenset({"asserted_true"})).values, RECORDS]

    def label(self, node: NamedNode) -> str | None:
        """The label of a node, or None."""
        return self._first(node, self._labels)

    def description(self, node: NamedNode) -> str | None:
        """A short text about a node, or None."""
        return self._first(node, self._descriptions)

    def _first(self, node: NamedNode, predicates: Sequence[NamedNode]) -> str | None:
        match = self._index.store.quads_for_pattern
        for predicate in predicates:
            found = [quad.object for graph in self._graphs for quad in match(node, predicate, None, graph)]
            literals = [one for one in found if type(one) is Literal]
            if literals:
                return choose_text(literals, self._index.profile.languages)
        return None
