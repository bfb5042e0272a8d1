"""The questions of the language as tools for a model: each answers compact JSON within a budget of tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from bfsql_rdf.graph import Graph
from bfsql_rdf.models import BfsQuery, ClosureQuery, ScanQuery, SearchQuery, read_query
from bfsql_rdf.serve import budget
from bfsql_rdf.serve.words import TITLES, schema_of, words_of


class DescribeQuery(BaseModel):
    """Ids to describe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ids: list[StrictStr] = Field(min_length=1, description="One or more ids.")


class SchemaQuery(BaseModel):
    """How much of the schema to give."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: StrictInt = Field(
        default=4000, ge=600, description="About how long the answer may be; never longer than the server allows."
    )


MODELS: dict[str, type[BaseModel]] = {
    "search_entities": SearchQuery,
    "bfs_query": BfsQuery,
    "describe_entities": DescribeQuery,
    "describe_schema": SchemaQuery,
    "transitive_closure_query": ClosureQuery,
    "scan_query": ScanQuery,
}


@dataclass(frozen=True)
class Tool:
    """One tool as a model is told of it."""

    name: str
    title: str
    description: str
    schema: dict[str, Any]


def make_tools(graph: Graph, known: bool = True) -> list[Tool]:
    """The tools of a graph, in its own words with examples that run on it; as `words_of`."""
    words = words_of(graph, known)
    return [
        Tool(name, title, words.descriptions[name], schema_of(MODELS[name], words.examples.get(name, [])))
        for name, title in TITLES.items()
    ]


def make_calls(graph: Graph, max_tokens: int) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
    """For each tool what answers its arguments, in at most `max_tokens` of compact JSON; raises BfsqlError."""

    def bfs(given: dict[str, Any]) -> dict[str, Any]:
        return budget.fit_subgraph(graph.bfs_query(given).to_dict(), max_tokens, graph.profile.labels)

    def closure(given: dict[str, Any]) -> dict[str, Any]:
        return budget.fit_list(graph.transitive_closure_query(given).to_dict(), "entities", max_tokens)

    def scan(given: dict[str, Any]) -> dict[str, Any]:
        query = read_query(ScanQuery, given)
        most = graph.profile.limits.scan

        def page(rows: int) -> dict[str, Any]:
            return graph.scan_query(query.model_copy(update={"limit": rows})).to_dict()

        return budget.fit_page(page, min(query.limit or most, most), max_tokens)

    def search(given: dict[str, Any]) -> dict[str, Any]:
        return budget.fit_list(graph.search_entities(given).to_dict(), "candidates", max_tokens, budget.NAMES)

    def describe(given: dict[str, Any]) -> dict[str, Any]:
        query = read_query(DescribeQuery, given)
        return budget.fit_rows(graph.describe_entities(query.ids).to_dict(), max_tokens)

    def schema(given: dict[str, Any]) -> dict[str, Any]:
        query = read_query(SchemaQuery, given)
        return graph.describe_schema(min(query.max_tokens, max_tokens)).to_dict()

    return {
        "search_entities": search,
        "bfs_query": bfs,
        "describe_entities": describe,
        "describe_schema": schema,
        "transitive_closure_query": closure,
        "scan_query": scan,
    }
