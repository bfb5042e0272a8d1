"""The text that teaches a language model BFS-QL for one graph, with example queries that were run on it."""

import json
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any

from bfsql_rdf.engine.examples import Example, Examples
from bfsql_rdf.engine.terms import shorten
from bfsql_rdf.models import Schema
from bfsql_rdf.store.index import Index
from bfsql_rdf.tokens import estimate_tokens

TYPES, FIELDS, LINKS, TRAITS = 200, 200, 450, 60
"""Tokens that the lists of types, of values, of links and of traits may take."""

CALLS = """\
A query is one JSON object, an answer another. Ids, types and predicates are spelled as this graph spells them.

- `search_entities` `{"query", "entity_types"?, "limit"?}`: from a name to ids; `[{id, entity_type, label, score}]`, \
best first. Begin here unless an answer already gave you the id.
- `describe_entities` `{"ids"}`: all that is known of a few nodes, texts whole; `not_found` lists ids that are unknown.
- `describe_schema` `{"max_tokens"?}`: all types and predicates with counts; more than the lists below.
- `bfs_query` `{"seeds", "max_hops", "truth_status"?, "as_of"?, "expand_traits"?, "node_filter"?: {"entity_types"}, \
"edge_filter"?: {"predicates"}}`: the neighbourhood of one or more ids. Links are followed in both directions.
- `transitive_closure_query` `{"start", "predicate"}`: the ids that one predicate leads to, subject to object, at any \
depth, over asserted_true statements; ids only.
- `scan_query` `{"node_types"?, "edge_predicates"?, "truth_status"?, "as_of"?, "limit"?, "after"?}`, at least one of \
the first four: everything of the kind, wherever it is. `node_types` alone lists entities; otherwise statements are \
listed. If the answer has `next`, repeat the query with it as `after`.
"""

FILTERS = """\
## Full or stub

The two filters of `bfs_query` change how much is told, never what is found: a node that does not match comes as the \
stub `{id, entity_type}`, an edge as `{subject, predicate, object}`. Without a filter everything comes in full, which \
is long; an empty list makes everything a stub. A type also matches its subclasses. To save room, ask for stubs first, \
then for the types and predicates that matter. An edge in full has the `id`, `truth_status`, `extraction_method`, \
fields and `provenance` of its statement; where several statements say the same triple, each stands in `statements`.
"""

ANSWERS = """\
## Reading an answer

- `truncated`: a limit was met at that hop and the rest is missing. Ask for fewer hops, fewer seeds, or scan.
- `warnings`: read them; a name in a filter was unknown, or what you look for has a status or position that was not \
walked.
- `unknown_seeds`: these ids are not in the graph; search for the name.
- An error says which key is wrong and what to write.
- Nothing found: before you say that there is nothing, search for the name and try the other statuses.
"""


class Prompter:
    """The prompt of one graph, made once; safe to use from several threads."""

    def __init__(self, index: Index, schema: Callable[[int], Schema]) -> None:
        self._index, self._schema = index, schema
        self._lock = Lock()
        self._text: str | None = None
        self._found: tuple[Examples, list[Example]] | None = None

    def __call__(self) -> str:
        """As `make_prompt`."""
        with self._lock:
            if self._text is None:
                self._text = make_prompt(self._index, self._schema(4000), self._examples())
            return self._text

    def examples(self) -> list[Example]:
        """The queries that the prompt shows."""
        with self._lock:
            return list(self._examples()[1])

    def _examples(self) -> tuple[Examples, list[Example]]:
        if self._found is None:
            found = Examples(self._index)
            self._found = found, found.all()
        return self._found


def make_prompt(index: Index, schema: Schema, examples: tuple[Examples, list[Example]] | None) -> str:
    """Markdown for a model that is to query this graph; the same graph gives the same text.

    Without `examples`, which an endpoint would have to be asked for, none are given.
    """
    parts = [
        "# Querying this graph with BFS-QL\n",
        CALLS,
        _graph(schema),
        _hops(index, schema, examples[0].seeds.hop() if examples else None),
        FILTERS,
        _walked(index, schema),
        _ids(index, schema),
        ANSWERS + _values(index),
        _examples(examples[1]) if examples else "",
    ]
    return "\n".join(part for part in parts if part)


def _values(index: Index) -> str:
    """What else stands in the answers of some graphs."""
    lines = []
    if index.profile.labels:
        lines.append("- `labels`, at the top, names the ids that come without their label.")
    if index.figures.wikibase:
        lines.append(
            '- `{"unknown": true}`: there is a value, nobody knows which; `{"no_value": true}`: there is none. '
            "`best_rank` marks the best of several statements."
        )
    if index.figures.derived:
        lines.append("- An edge with `derived_via` holds for members of a class, as its definition says.")
    return "".join(line + "\n" for line in lines)


def _graph(schema: Schema) -> str:
    more = schema.more or {}
    lines = [f"## What it holds\n\n{_number(schema.entities)} typed entities, {_number(schema.links)} links, "]
    lines[0] += f"{_number(schema.statements)} statements with an id."
    types = [f"`{one['name']}` {_number(one['count'])}{_said(one)}" for one in schema.entity_types]
    lines.append(_listed("Types", types, TYPES, more.get("entity_types", 0)) or "No node has a type: all are `Thing`.")
    if types and schema.untyped:
        lines[-1] += " " + schema.untyped
    links = [_link(one) for one in schema.predicates if one["kind"] != "value"]
    values = [_value(one) for one in schema.predicates if one["kind"] != "link"]
    shown = _within(links, LINKS)
    if shown:
        rest = len(links) - len(shown)
        lines.append("Links, most used first, with the types they join:\n\n" + "\n".join(f"- {one}" for one in shown))
        if rest or more.get("predicates"):
            lines.append("Further predicates: call `describe_schema`.")
    else:
        lines.append("No node is linked with another.")
    title = "Values, which are fields of full nodes"
    if schema.view == "nodes" and schema.statements:
        title += " (those that a statement makes are `Statement` nodes)"
    lines.append(_listed(title, values, FIELDS, 0))
    fields = [f"`{name}`" for name in schema.statement_fields or ()]
    lines.append(_listed("Fields of statements and their evidence", fields, FIELDS // 2, 0))
    return "\n\n".join(line for line in lines if line) + "\n"


def _link(one: dict[str, Any]) -> str:
    joins = ", ".join(f"{subject} → {object_}" for subject, object_, _ in one.get("joins", ()))
    traits = [trait for trait in ("symmetric", "transitive") if one.get(trait)]
    traits += [f"inverse of {_names(one['inverse'])}"] if "inverse" in one else []
    body = f"`{one['name']}` {_number(one['count'])}{_said(one)}" + (f": {joins}" if joins else "")
    return body + (f" ({', '.join(traits)})" if traits else "")


def _value(one: dict[str, Any]) -> str:
    if "example" not in one:
        return f"`{one['name']}`{_said(one)}"
    return f"`{one['name']}`{_said(one)} ({json.dumps(one['example'], ensure_ascii=False)})"


def _said(one: dict[str, Any]) -> str:
    return f" “{one['label']}”" if "label" in one else ""


def _hops(index: Index, schema: Schema, hop: tuple[str, str, str, str | None] | None) -> str:
    lines = [f"## Hops: the {schema.view} view"]
    if schema.view == "nodes":
        lines.append(
            "Mind the off-by-one: statements are nodes here (`entity_type` `Statement`, with `subject_id`, "
            "`predicate`, `object_id` or `object_value`) and each takes a hop of its own. What is N relationships away "
            "is 2N hops away; only a link that no statement describes is a single hop. `edges` repeats the statements "
            "as triples, so that an edge may name a node one hop further out."
        )
        if hop and hop[3]:
            lines.append(
                f"Example: from `{hop[0]}`, `max_hops` 1 gets as far as the statement `{hop[3]}`, and only "
                f"`max_hops` 2 to `{hop[2]}`, its object ({hop[1]})."
            )
    else:
        lines.append(
            "One relationship is one hop, and what is known of a statement rides on its edge. Mind the off-by-one: an "
            "edge is in the answer when one of its ends is less than `max_hops` away, so edges between two of the "
            "outermost nodes are missing; one hop more shows them."
        )
        if hop:
            lines.append(
                f"Example: from `{hop[0]}`, `max_hops` 1 gives its edge {hop[1]} and the node `{hop[2]}`; what "
                f"`{hop[2]}` is linked with takes `max_hops` 2, and the edges among those `max_hops` 3."
            )
        if index.figures.about_statements:
            lines.append("A statement that others speak of is a node too, of type `Statement`.")
    most = index.profile.limits.max_hops
    lines.append(
        f"Start with one relationship; from hubs, more than two may be cut off by a limit. `max_hops` is at most "
        f"{most}."
    )
    return "\n\n".join(lines) + "\n"


def _walked(index: Index, schema: Schema) -> str:
    lines = ["## What is walked\n"]
    statuses = ", ".join(f"`{name}` {_number(n)}" for name, n in list(schema.truth_statuses.items())[:12])
    lines.append(
        '- `truth_status`: without it only `["asserted_true"]` is walked, and every other statement is as if it were '
        "not there. Name all you want, for example "
        f"`{json.dumps(_statuses(schema), ensure_ascii=False)}`. "
        + (f"Statements here: {statuses}." if statuses else "Nothing here has another status.")
        + (" Links that no statement describes count as asserted_true." if schema.plain_links and statuses else "")
    )
    if schema.positions:
        kinds = [
            f"{kind}s from {json.dumps(one['first'], ensure_ascii=False)} to "
            f"{json.dumps(one['last'], ensure_ascii=False)}, written as {one['as_of']}"
            for kind, one in schema.positions.items()
        ]
        lines.append(
            f"- `as_of`: only statements positioned at or before it; without it all. Positions: {'; '.join(kinds)}. "
            "A link without a position is left out under `as_of`; a value that no statement describes stays."
        )
    else:
        lines.append("- `as_of`: no statement here has a position, so leave it out.")
    figures, show = index.figures, index.predicates.show
    symmetric = [show(iri) for iri in figures.symmetric]
    inverse = sorted({" / ".join(sorted((show(iri), show(o)))) for iri, os in figures.inverses.items() for o in os})
    if symmetric or inverse:
        both = ("symmetric", symmetric), ("inverse", inverse)
        have = [f"{kind} {', '.join(_within(names, TRAITS))}" for kind, names in both if names]
        lines.append(
            '- `expand_traits`: `["Symmetric", "Inverse"]` adds the edges that follow from those walked, each marked '
            f"`derived_via`; none is added by itself. Here: {'; '.join(have)}."
        )
    else:
        lines.append("- `expand_traits`: no predicate here is symmetric or has an inverse, so it adds nothing.")
    return "\n".join(lines) + "\n"


def _statuses(schema: Schema) -> list[str]:
    others = [name for name in schema.truth_statuses if name not in schema.default_truth_status]
    return [*schema.default_truth_status, *(others or ["disputed"])[:2]]


def _ids(index: Index, schema: Schema) -> str:
    text = "## Ids\n\nIds are exact and case-sensitive: use them as answers give them. "
    if schema.prefixes:
        known = [f"`{prefix}:` <{iri}>" for prefix, iri in schema.prefixes.items()]
        text += "An id is `prefix:name` where a prefix fits, else the full IRI; both are taken. "
        text += f"Prefixes: {', '.join(_within(known, 200))}."
    else:
        text += "Ids here are full IRIs."
    return text + " Nodes without a name of their own have ids that begin with `_:`.\n"


def _examples(found: list[Example]) -> str:
    if not found:
        return "## Examples\n\nNone: this graph holds nothing to show."
    parts = ["## Examples\n\nEach was run on this graph."]
    for one in found:
        query = json.dumps(one.query, ensure_ascii=False).replace("`", "\\u0060")
        asks, gave = (shorten(text, 300) for text in (one.asks, one.gave))
        parts.append(f"`{one.primitive}`: {asks}\n\n```json\n{query}\n```\n\nGave {gave}.")
    return "\n\n".join(parts)


def _listed(title: str, items: list[str], room: int, more: int) -> str:
    shown = _within(items, room)
    rest = len(items) - len(shown) + more
    return f"{title}: {', '.join(shown)}{f' and {_number(rest)} more' if rest else ''}." if shown else ""


def _within(items: Iterable[str], room: int) -> list[str]:
    """The first items that fit into so many tokens."""
    kept = []
    for item in items:
        line = shorten(item, 300)
        room -= estimate_tokens(line + ", ")
        if room < 0:
            break
        kept.append(line)
    return kept


def _names(names: str | list[str]) -> str:
    return names if isinstance(names, str) else ", ".join(names)


def _number(n: int) -> str:
    return f"{n:,}"
