"""Positions and cut-offs: values of three kinds (number, date, text), each comparable within its kind.

A date becomes seconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar, any year; no zone means UTC.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal as OneOf

from pyoxigraph import Literal

from bfsql_rdf.errors import QueryError
from bfsql_rdf.terms import XSD

Kind = OneOf["number", "date", "text"]
Key = Decimal | str

_DATE = re.compile(
    r"(?P<y>-?\d{4,})(?:-(?P<m>\d\d)(?:-(?P<d>\d\d)(?:[T ](?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d(?:\.\d+)?))?)?)?)?"
    r"(?P<z>Z|[+-]\d\d:\d\d)?"
)
_NUMERIC = frozenset(["decimal", "double", "float", "integer", "int", "long", "short", "byte", "nonNegativeInteger"])
_DATED = frozenset(["date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"])


@dataclass(frozen=True)
class Instant:
    """A date's first instant and the first instant after it, in seconds."""

    start: Decimal
    end: Decimal
    exact: bool


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a proleptic Gregorian date."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def _length(year: int, month: int) -> int:
    return _days(year + month // 12, month % 12 + 1, 1) - _days(year, month, 1)


def read_date(text: str) -> Instant | None:
    """The instant of an ISO 8601 / XSD date, dateTime, gYear or gYearMonth; None for what is not one."""
    match = _DATE.fullmatch(text.strip().removeprefix("+"))
    if not match:
        return None
    year, month, day = int(match["y"]), int(match["m"] or 1), int(match["d"] or 1)
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
        return None
    zone = 0
    if match["z"] and match["z"] != "Z":
        hours, minutes = int(match["z"][1:3]), int(match["z"][4:])
        zone = (hours * 60 + minutes) * (-60 if match["z"][0] == "-" else 60)
    start = Decimal(_days(year, month, day) * 86400 - zone)
    if match["H"]:
        hour, minute, second = int(match["H"]), int(match["M"]), Decimal(match["S"] or 0)
        if hour > 24 or minute > 59 or second >= 61:
            return None
        start += hour * 3600 + minute * 60 + second
        return Instant(start, start, True)
    if match["d"]:
        days = 1
    elif match["m"]:
        days = _length(year, month)
    else:
        days = _days(year + 1, 1, 1) - _days(year, 1, 1)
    return Instant(start, start + days * 86400, False)


def position_key(literal: Literal) -> tuple[Kind, Key] | None:
    """The kind and comparable key of a position in the data; None for what cannot be ordered (NaN)."""
    datatype = literal.datatype.value.removeprefix(XSD)
    if datatype in _NUMERIC:
        try:
            number = Decimal(literal.value)
        except InvalidOperation:
            return "text", literal.value
        return ("number", number) if not number.is_nan() else None
    date = read_date(literal.value) if datatype in _DATED or datatype == "string" else None
    return ("date", date.start) if date else ("text", literal.value)


@dataclass(frozen=True)
class Cutoff:
    """An `as_of` value: `allows(kind, key)` says whether a position counts as at or before it."""

    kind: Kind
    key: Key
    inclusive: bool
    text: str

    @classmethod
    def of(cls, value: int | float | str) -> "Cutoff":
        """The cut-off a query gives: a number, an ISO date (all of the day, month or year), or text."""
        if not isinstance(value, str):
            return cls("number", Decimal(str(value)), True, str(value))
        date = read_date(value)
        if date:
            return cls("date", date.end, date.exact, value)
        return cls("text", value, True, value)

    def allows(self, kind: str, key: Key) -> bool:
        if kind != self.kind or isinstance(key, str) != isinstance(self.key, str):
            return False
        return key <= self.key if self.inclusive else key < self.key  # type: ignore[operator]

    def require_kind(self, kinds: dict[str, list[str]]) -> None:
        """Raise QueryError when no position of the graph is of this kind; `kinds` maps kind to [first, last]."""
        if self.kind in kinds:
            return
        if not kinds:
            raise QueryError(
                "no statement of this graph has a position, so nothing can be walked as of a point",
                code="as_of_kind",
                where="as_of",
                hint="Leave as_of out",
            )
        held = "; ".join(f"{kind}s from {first} to {last}" for kind, (first, last) in sorted(kinds.items()))
        try_this = "give a value of that kind"
        if self.kind == "number" and "date" in kinds:
            try_this = f'a year is written as text: "{self.text}"'
        raise QueryError(
            f"{self.text} is a {self.kind}, and no position of this graph is one",
            code="as_of_kind",
            where="as_of",
            hint=f"Positions here: {held}; {try_this}",
        )
