"""Fields: literals and ids under the names of their predicates, one value or a sorted list."""

from collections.abc import Callable, Iterable
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from bfsql_rdf.profile import Profile
from bfsql_rdf.terms import LIST_DATATYPE, literal_value


class Values:
    """Turns the quads about one subject into JSON fields."""

    def __init__(self, profile: Profile, name: Callable[[str], str], id_of: Callable[[str], str]) -> None:
        self._languages = profile.languages
        self._limit = profile.text_limit
        self._name, self._id = name, id_of

    def fields(self, quads: Iterable[Quad], keys: dict[NamedNode, str], uncut: bool = False) -> dict[str, Any]:
        """Fields sorted by name. `keys` maps predicates that have a key of their own to it ("" leaves one out)."""
        grouped: dict[NamedNode, list[Any]] = {}
        for quad in quads:
            grouped.setdefault(quad.predicate, []).append(quad.object)
        found = []
        for predicate, objects in grouped.items():
            key = keys.get(predicate)
            if key is None:
                key = self._name(predicate.value)
            if key:
                found.append((key, self.value(objects, uncut)))
        found.sort(key=lambda pair: pair[0])
        return dict(found)

    def value(self, objects: list[Any], uncut: bool = False) -> Any:
        """One JSON value for the objects of one predicate."""
        if len(objects) == 1:
            return self._one(objects[0], uncut)
        if any(type(o) is Literal and o.language for o in objects):
            objects = self._chosen(objects)
        spelled: dict[str, Any] = {}
        for one in objects:
            value = self._one(one, uncut)
            for item in value if isinstance(value, list) else [value]:
                spelled.setdefault(f"{type(item).__name__}:{item}", item)
        items = sorted(spelled.values(), key=_order)
        return items[0] if len(items) == 1 else items

    def _one(self, term: Any, uncut: bool) -> Any:
        if type(term) is not Literal:
            return self._id(term.value)
        value = literal_value(term)
        if isinstance(value, dict):
            return {key: self._id(one["@id"]) if isinstance(one, dict) else one for key, one in value.items()}
        if isinstance(value, str) and not uncut and len(value) > self._limit:
            return value[: self._limit] + "…"
        if isinstance(value, list) and not uncut and term.datatype == LIST_DATATYPE:
            return [v[: self._limit] + "…" if isinstance(v, str) and len(v) > self._limit else v for v in value]
        return value

    def _chosen(self, objects: list[Any]) -> list[Any]:
        """Of text in several languages, that of the first wanted language which is there."""
        text: dict[str, list[Any]] = {}
        rest = []
        for one in objects:
            if type(one) is Literal and (one.language or one.datatype.value.endswith("#string")):
                text.setdefault((one.language or "").lower(), []).append(one)
            else:
                rest.append(one)
        for wanted in [language.lower() for language in self._languages]:
            if wanted in text:
                return rest + text[wanted]
            regional = sorted(tag for tag in text if tag.startswith(wanted + "-"))
            if regional:
                return rest + text[regional[0]]
        for wanted in ("mul", ""):
            if wanted in text:
                return rest + text[wanted]
        return rest + text[min(text)]


def _order(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 0, value
    return (1, value) if isinstance(value, int | float) else (2, str(value))
