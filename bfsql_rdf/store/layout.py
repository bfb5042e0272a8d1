"""How the index is laid out: which named graph of the index store holds what.

- `links/SET` and `values/SET`: the triples, with resource and with literal objects, that statements whose statuses
  are exactly SET state, and `?st rdf:reifies <<( s p o )>>` for each such statement;
- `types/SET`: the same reifier quads for statements of a type (they are no edges);
- `plain`: links that no statement describes;
- `fields`: values that no statement describes, every triple about a statement, and evidence;
- `display`: the one type a node is shown with; `position`: comparable keys; `alias`: spellings of the data.
"""

from urllib.parse import quote

from pyoxigraph import NamedNode

PLAIN = NamedNode("urn:bfsql:plain")
FIELDS = NamedNode("urn:bfsql:fields")
DISPLAY = NamedNode("urn:bfsql:display")
POSITION = NamedNode("urn:bfsql:position")
ALIAS = NamedNode("urn:bfsql:alias")

KINDS = {kind: NamedNode(f"urn:bfsql:position/{kind}") for kind in ("number", "date", "text")}
"""Predicate of a position key, by kind."""

AllTypes = NamedNode("urn:bfsql:types")
"""Predicate, in `fields`, of each type of a node that has several."""


def status_graph(kind: str, statuses: tuple[str, ...]) -> NamedNode:
    """The graph of `kind` ("links", "values", "types") for statements with exactly these statuses."""
    return NamedNode(f"urn:bfsql:{kind}/" + "+".join(quote(status, safe="") for status in statuses))
