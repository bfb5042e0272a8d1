"""The values of Wikibase: time, quantity and coordinate nodes folded into one JSON value each."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pyoxigraph import Literal, NamedNode

from bfsql_rdf.store.source import Source
from bfsql_rdf.terms import JSON_DATATYPE, SKOLEM, literal_value
from bfsql_rdf.wikibase import WIKIBASE, WIKIDATA, is_unknown

UNKNOWN = Literal('{"unknown": true}', datatype=JSON_DATATYPE)
NO_VALUE = Literal('{"no_value": true}', datatype=JSON_DATATYPE)
_PRECISIONS = {
    0: "billion years",
    1: "hundred million years",
    2: "ten million years",
    3: "million years",
    4: "hundred thousand years",
    5: "ten thousand years",
    6: "millennium",
    7: "century",
    8: "decade",
    9: "year",
    10: "month",
    11: "day",
    12: "hour",
    13: "minute",
    14: "second",
}
_CALENDARS = {WIKIDATA + "entity/Q1985727": "Gregorian", WIKIDATA + "entity/Q1985786": "Julian"}
_POINT = re.compile(r"Point\(([-+0-9.eE]+) ([-+0-9.eE]+)\)", re.IGNORECASE)


class Values:
    """Folds the values of one dataset: what a value node says more than the simple value is kept."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._folded = lru_cache(maxsize=100_000)(self._fold)

    def canonical(self, term: Any, nodes: Iterable[Any]) -> list[Any]:
        """The values that stand for a simple value: the folded nodes that agree with it, else itself.

        A value that is not known is spelled as one; `nodes` are the value nodes beside it.
        """
        if type(term) is not Literal:
            return [UNKNOWN] if term.value.startswith(SKOLEM) or is_unknown(term.value) else [term]
        folded = [self._folded(node) for node in nodes]
        key = _key(term)
        return [value for own, value in filter(None, folded) if own == key] or [term]

    def _fold(self, node: NamedNode) -> tuple[Any, Literal] | None:
        said: dict[str, Any] = {
            quad.predicate.value.removeprefix(WIKIBASE): quad.object
            for quad in self._source.match(node, None, None)
            if quad.predicate.value.startswith(WIKIBASE)
        }
        simple: Any = said.get("timeValue") or said.get("quantityAmount")
        body: dict[str, Any]
        if "timeValue" in said:
            body = {"time": simple.value}
            if "timePrecision" in said:
                precision = literal_value(said["timePrecision"])
                body["precision"] = _PRECISIONS.get(precision, precision)
            if "timeCalendarModel" in said:
                calendar = said["timeCalendarModel"].value
                body["calendar"] = _CALENDARS.get(calendar) or {"@id": calendar}
        elif "quantityAmount" in said:
            body = {"amount": literal_value(simple)}
            if "quantityUnit" in said:
                unit = said["quantityUnit"].value
                body["unit"] = "1" if unit == WIKIDATA + "entity/Q199" else {"@id": unit}
            for bound, key in (("quantityLowerBound", "lower"), ("quantityUpperBound", "upper")):
                if bound in said:
                    body[key] = literal_value(said[bound])
        elif "geoLatitude" in said and "geoLongitude" in said:
            body = {"latitude": literal_value(said["geoLatitude"]), "longitude": literal_value(said["geoLongitude"])}
            if "geoPrecision" in said:
                body["precision"] = literal_value(said["geoPrecision"])
            if "geoGlobe" in said:
                body["globe"] = {"@id": said["geoGlobe"].value}
            simple = Literal(f"Point({body['longitude']} {body['latitude']})")
        else:
            return None
        return _key(simple), Literal(json.dumps(body, ensure_ascii=False), datatype=JSON_DATATYPE)


def _key(literal: Literal) -> Any:
    """What a simple value and its value node have in common."""
    point = _POINT.search(literal.value)
    if point is not None:
        try:
            return float(point[1]), float(point[2])
        except ValueError:
            return literal.value
    value = literal_value(literal)
    return float(value) if isinstance(value, int | float) else value
