"""The questions of the language as tools for a model: what each is for, its schema, and its answer within a budget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from bfsql_rdf.graph import Graph
from bfsql_rdf.models import BfsQuery, ClosureQuery, ScanQuery, SearchQuery, read_query
from bfsql_rdf.serve.budget import fit_list, fit_nodes, fit_subgraph, fits, spelled

LISTED = 25
"""Types and predicates that a description names."""


class DescribeQuery(BaseModel):
    """Ids to describe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ids: list[StrictStr] = Field(min_length=1)


class SchemaQuery(BaseModel):
    """How much of the schema to give."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: StrictInt = Field(default=4000, ge=600)


@dataclass(frozen=True)
class Tool:
    """One tool: `call` takes its arguments and gives compact JSON; it raises BfsqlError."""

    name: str
    title: str
    description: str
    schema: dict[str, Any]
    call: Callable[[dict[str, Any]], str]


def make_tools(graph: Graph, max_tokens: int) -> list[Tool]:
    """The tools of a graph, whose descriptions name its own types, predicates and statuses."""
    kinds, links, told = _graph_words(graph)
    hop = (
        "A statement is a node and takes a hop of its own: what is N relationships away is 2N hops away."
        if graph.profile.view == "nodes"
        else "One relationship is one hop; edges among the outermost nodes take one hop more."
    )

    def bfs(given: dict[str, Any]) -> str:
        return spelled(fit_subgraph(graph.bfs_query(given).to_dict(), max_tokens))

    def closure(given: dict[str, Any]) -> str:
        return spelled(fit_list(graph.transitive_closure_query(given).to_dict(), "entities", max_tokens))

    def scan(given: dict[str, Any]) -> str:
        query = read_query(ScanQuery, given)
        limit = min(query.limit or graph.profile.limits.scan, graph.profile.limits.scan)
        while True:
            body = graph.scan_query(query.model_copy(update={"limit": limit})).to_dict()
            if fits(body, max_tokens) or limit == 1:
                return spelled(body if fits(body, max_tokens) else fit_nodes(body, max_tokens))
            limit = max(limit // 2, 1)

    def search(given: dict[str, Any]) -> str:
        return spelled(fit_list(graph.search_entities(given).to_dict(), "candidates", max_tokens))

    def describe(given: dict[str, Any]) -> str:
        query = read_query(DescribeQuery, given)
        return spelled(fit_nodes(graph.describe_entities(query.ids).to_dict(), max_tokens))

    def schema(given: dict[str, Any]) -> str:
        query = read_query(SchemaQuery, given)
        return graph.describe_schema(max(min(query.max_tokens, max_tokens), 600)).to_json()

    texts: dict[str, tuple[str, str, type[BaseModel], Callable[[dict[str, Any]], str]]] = {
        "bfs_query": (
            "Search outward",
            "The subgraph around some seeds (ids), out to max_hops, links followed in both directions. " + hop + " "
            "Without filters everything comes in full, which is long: node_filter.entity_types and "
            "edge_filter.predicates name what is wanted in full, the rest comes as stubs ({id, entity_type}; {subject, "
            "predicate, object}), an empty list makes all stubs; they never change what is found. truth_status says "
            "which statements are walked (asserted_true alone unless you say so), as_of leaves out later ones, "
            "expand_traits (Symmetric, Inverse) adds the edges that follow. `truncated` says what was left out.\n"
            + told,
            BfsQuery,
            bfs,
        ),
        "search_entities": (
            "Find ids by name",
            "From a name, part of one or an id to the entities it may mean, best first: case, accents and small typos "
            "are forgiven. Ids are needed everywhere else: begin here." + kinds,
            SearchQuery,
            search,
        ),
        "describe_entities": (
            "Everything about some nodes",
            "Full nodes by their ids, texts whole; ids that are not there stand in not_found.",
            DescribeQuery,
            describe,
        ),
        "transitive_closure_query": (
            "Follow one predicate to any depth",
            "Every id that one predicate leads to from `start`, subject to object, over asserted statements; ids only."
            + links,
            ClosureQuery,
            closure,
        ),
        "scan_query": (
            "List what matches",
            "Everything of some node_types, or every statement that matches edge_predicates, truth_status and as_of, "
            "wherever it is; in pages: repeat the query with the answer's `next` as `after`." + kinds,
            ScanQuery,
            scan,
        ),
        "describe_schema": (
            "What the graph holds",
            "Types, predicates with what they join, statuses, positions, traits, prefixes; counted, most used first.",
            SchemaQuery,
            schema,
        ),
    }
    return [
        Tool(name, title, description, model.model_json_schema(), call)
        for name, (title, description, model, call) in texts.items()
    ]


def _graph_words(graph: Graph) -> tuple[str, str, str]:
    """What the descriptions say of this graph: its types, its links, and all with statuses and positions."""
    schema = graph.describe_schema(2000)
    types = [one["name"] for one in schema.entity_types[:LISTED]]
    links = [one["name"] for one in schema.predicates if one["kind"] != "value"][:LISTED]
    kinds = f" Types here: {', '.join(types)}." if types else " No node has a type here."
    lines = f" Links here: {', '.join(links)}." if links else " There are no links here."
    told = (kinds + lines).strip() + f" Statuses: {', '.join(schema.truth_statuses) or 'asserted_true'}."
    for kind, span in (schema.positions or {}).items():
        told += f" Positions ({kind}): {span['first']} to {span['last']}."
    return kinds, lines, told
