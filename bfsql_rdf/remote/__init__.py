"""Queries over the SPARQL 1.1 Protocol, with answers that are whole or an error."""

from bfsql_rdf.remote.answers import Rows
from bfsql_rdf.remote.client import Endpoint
from bfsql_rdf.remote.connection import Connection

__all__ = ["Connection", "Endpoint", "Rows"]
