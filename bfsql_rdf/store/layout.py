"""How the index is laid out: which graph of the index store holds what.

Named graphs hold what a hop walks, so that a hop is one quad pattern:

- `links/SET` and `values/SET`: the triples, with resource and with literal objects, that statements whose statuses
  are exactly SET state;
- `plain`: links that no statement describes;
- `derived/HOW`: those triples among the others that were read out of an anonymous class (not walked).

The default graph, which Oxigraph indexes three ways instead of six, holds what is looked up by subject or triple:

- `?st states/KIND/SET <<( s p o )>>`: each statement, its triple and statuses ("types" for statements of a type,
  which are no edges);
- a node's fields: values that no statement describes, every triple about a statement, evidence;
- under predicates of our own: the type a node is shown with, all types of a node with several, comparable position
  keys, spellings of the data.
"""

from urllib.parse import quote

from pyoxigraph import DefaultGraph, NamedNode

PLAIN = NamedNode("urn:bfsql:plain")
DERIVED = "urn:bfsql:derived/"
"""What the names of the graphs of derived triples start with; the construct follows."""
RECORDS = DefaultGraph()
"""Everything that is looked up by subject."""

DISPLAY = NamedNode("urn:bfsql:display")
ALL_TYPES = NamedNode("urn:bfsql:types")
INSIDE = NamedNode("urn:bfsql:inside")
"""Marks a node that is evidence inside a statement."""
ALIAS = NamedNode("urn:bfsql:alias")
KINDS = {kind: NamedNode(f"urn:bfsql:position/{kind}") for kind in ("number", "date", "text")}
"""Predicate of a position key, by kind."""


def status_graph(kind: str, statuses: tuple[str, ...]) -> NamedNode:
    """The graph of `kind` ("links", "values", "types") for statements with exactly these statuses."""
    return NamedNode(f"urn:bfsql:{kind}/{_spelled(statuses)}")


def states(kind: str, statuses: tuple[str, ...]) -> NamedNode:
    """The predicate from a statement to its triple, for its kind and statuses."""
    return NamedNode(f"urn:bfsql:states/{kind}/{_spelled(statuses)}")


def _spelled(statuses: tuple[str, ...]) -> str:
    return "+".join(quote(status, safe="") for status in statuses)
