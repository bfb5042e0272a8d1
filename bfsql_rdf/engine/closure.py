"""`transitive_closure_query`: one property path over what is asserted."""

from pyoxigraph import NamedNode, QuerySolutions

from bfsql_rdf.compiler.text import iri, select
from bfsql_rdf.errors import QueryError
from bfsql_rdf.models import Closure, ClosureQuery
from bfsql_rdf.store.index import Index


def closure_plan(start: NamedNode, predicate: str, graphs: tuple[NamedNode, ...]) -> str:
    """The path over the index's graphs of asserted links."""
    body = f"  {start} {iri(predicate)}+ ?entity .\n  FILTER(isIRI(?entity))"
    return select("?entity", body, distinct=True, datasets=[graph.value for graph in graphs])


def run_closure(index: Index, query: ClosureQuery) -> tuple[Closure, NamedNode, str]:
    """The answer, and the start and predicate it was found for.

    Raises QueryError for a start or a predicate that is not in the graph.
    """
    predicate = index.predicates.require(query.predicate, "predicate")
    start = index.node(query.start, "start")
    if not index.known(start):
        raise QueryError(
            f"{index.ids.compress(start.value)} is not in this graph",
            code="unknown_start",
            where="start",
            hint="Ids are exact; call search_entities to find the id of a name",
        )
    graphs = index.walked_graphs(index.allowed(frozenset({"asserted_true"})))
    entities: list[str] = []
    if graphs:
        found = index.store.query(closure_plan(start, predicate, graphs))
        assert isinstance(found, QuerySolutions)
        entities = sorted(index.ids.compress(row[0].value) for row in found)
    result = Closure(
        start=index.ids.compress(start.value),
        predicate=index.predicates.show(predicate),
        count=len(entities),
        entities=entities,
    )
    return result, start, predicate
