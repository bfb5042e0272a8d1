"""Cut-offs in the middle of the positions around a node, as `as_of` is written."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.models import AsOf
from bfsql_rdf.store.index import Allowed, Index
from bfsql_rdf.store.layout import KINDS, RECORDS

LINKS = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = -62135596800, 253402300799
"""The seconds of the years 1 to 9999."""


def cutoffs(index: Index, allowed: Allowed, node: NamedNode) -> Iterator[tuple[AsOf, AsOf]]:
    """The middle and the last position of its link statements, for each kind with several; coarse before exact."""
    match = index.store.quads_for_pattern
    statements = [
        one.id
        for graph, stated in allowed.links.items()
        for subject, object_ in ((node, None), (None, node))
        for quad in islice(match(subject, None, object_, graph), LINKS)
        for one in index.statements_of(Triple(quad.subject, quad.predicate, quad.object), (stated,))
    ]
    for kind in index.figures.positions:
        texts = {
            quad.object.value  # type: ignore[union-attr]
            for one in statements
            for quad in match(one, KINDS[kind], None, RECORDS)
        }
        keys = sorted(texts) if kind == "text" else sorted(map(Decimal, texts))
        if len(keys) > 1:
            middle, last = keys[(len(keys) - 1) // 2], keys[-1]
            yield from zip(_written(kind, middle), _written(kind, last), strict=False)


def _written(kind: str, key: Decimal | str) -> Iterator[AsOf]:
    if isinstance(key, str):
        yield key
    elif kind == "number":
        yield int(key) if key == int(key) else float(key)
    elif FIRST <= key <= LAST:
        whole = math.floor(key)
        moment = EPOCH + timedelta(seconds=whole)
        yield moment.strftime("%Y-%m-%d").rjust(10, "0")
        fraction = f"{key - whole:f}".lstrip("0") if key != whole else ""
        yield moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + fraction + "Z"
