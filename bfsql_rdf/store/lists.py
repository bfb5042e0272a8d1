"""RDF lists: an array, never a chain of blank nodes."""

import json
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode

from bfsql_rdf.store.source import Source
from bfsql_rdf.terms import FIRST, LIST_DATATYPE, NIL, REST, literal_value

if TYPE_CHECKING:
    from bfsql_rdf.store.build import Builder


def read_list(source: Source, head: Any, builder: "Builder") -> tuple[Literal | None, list[NamedNode]]:
    """The literals of a list as one JSON literal in their order (None when it has resources only), and its resources.

    A list that loops ends where it meets itself; a list inside a list is flattened into it.
    """
    values: list[Any] = []
    resources: list[NamedNode] = []
    seen: set[Any] = set()
    todo = [head]
    while todo:
        cell = todo.pop()
        if cell in seen or cell == NIL:
            continue
        seen.add(cell)
        todo.extend(quad.object for quad in source.match(cell, REST, None))
        for quad in source.match(cell, FIRST, None):
            member = quad.object
            if type(member) is Literal:
                values.append(literal_value(member))
            elif type(member) is NamedNode and source.has(member, FIRST, None):
                todo.append(member)
            elif member != NIL:
                resources.append(builder.node(member))
    spelled = (
        Literal(json.dumps(values, ensure_ascii=False), datatype=LIST_DATATYPE) if values or not resources else None
    )
    return spelled, resources
