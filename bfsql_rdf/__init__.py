"""BFS-QL over RDF: seeds and hops instead of SPARQL, for language models that explore a graph."""

from bfsql_rdf.errors import BfsqlError, EndpointError, LoadError, ProfileError, QueryError, StoreError
from bfsql_rdf.graph import Graph, open
from bfsql_rdf.models import (
    BfsQuery,
    Candidates,
    Closure,
    ClosureQuery,
    Descriptions,
    EdgeFilter,
    NodeFilter,
    Scan,
    ScanQuery,
    Schema,
    SearchQuery,
    Subgraph,
)
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.load import load

__all__ = [
    "BfsQuery",
    "BfsqlError",
    "Candidates",
    "Closure",
    "ClosureQuery",
    "Descriptions",
    "EdgeFilter",
    "EndpointError",
    "Graph",
    "LoadError",
    "NodeFilter",
    "Profile",
    "ProfileError",
    "QueryError",
    "Scan",
    "ScanQuery",
    "Schema",
    "SearchQuery",
    "StoreError",
    "Subgraph",
    "load",
    "open",
]
__version__ = "0.1.0"
