"""Reading the data store as one graph: a triple that stands in several named graphs counts once."""

from collections.abc import Iterator
from typing import Any

from pyoxigraph import DefaultGraph, NamedNode, Quad, QuerySolutions, Store

from bfsql_rdf.errors import ProfileError


class Source:
    """The triples of the graphs that a profile names, or of all graphs, each once."""

    def __init__(self, store: Store, graphs: list[str], prefixes: dict[str, str]) -> None:
        self.store = store
        self.prefixes = prefixes
        self.chosen = frozenset(NamedNode(graph) for graph in graphs)
        self.named = next(iter(store.named_graphs()), None) is not None

    def match(self, subject: Any, predicate: Any, object_: Any) -> Iterator[Quad]:
        """The quads that match, one for a triple; an unbound pattern streams the whole dataset."""
        found = self.store.quads_for_pattern(subject, predicate, object_, None)
        if not self.named and not self.chosen:
            return found
        return self._once(found)

    def _once(self, quads: Iterator[Quad]) -> Iterator[Quad]:
        for quad in quads:
            if self.chosen and quad.graph_name not in self.chosen:
                continue
            if isinstance(quad.graph_name, DefaultGraph):
                yield quad
                continue
            others = self.store.quads_for_pattern(quad.subject, quad.predicate, quad.object, None)
            names = [
                ("" if isinstance(other.graph_name, DefaultGraph) else other.graph_name.value)
                for other in others
                if not self.chosen or other.graph_name in self.chosen
            ]
            if quad.graph_name.value == min(names):
                yield quad

    def has(self, subject: Any, predicate: Any, object_: Any) -> bool:
        """Whether any triple matches."""
        return next(self.match(subject, predicate, object_), None) is not None

    def select(self, query: str) -> QuerySolutions:
        """The solutions of a SELECT over those graphs as one."""
        options: dict[str, Any] = {"prefixes": self.prefixes}
        if self.chosen:
            options["default_graph"] = list(self.chosen)
        else:
            options["use_default_graph_as_union"] = True
        try:
            result = self.store.query(query, **options)
        except (SyntaxError, ValueError) as error:
            raise ProfileError(
                f"a pattern or path of the profile is not SPARQL: {error}",
                code="bad_profile",
                where="profile",
                hint="Look at style.NAME.pattern and position.path, and whether their prefixes are declared",
            ) from None
        assert isinstance(result, QuerySolutions)
        return result

    def predicates(self) -> list[NamedNode]:
        """Every predicate, in order; the engine finds them without taking terms apart."""
        query = "SELECT DISTINCT ?p WHERE { ?s ?p ?o }"
        return sorted((row[0] for row in self.select(query)), key=lambda node: node.value)
