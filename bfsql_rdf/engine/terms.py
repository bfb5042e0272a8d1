"""Types and predicates of a graph as `describe_schema` tells them, from figures and a sample of links."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pyoxigraph import Literal, NamedNode

from bfsql_rdf.engine.sample import sample_links, sample_values
from bfsql_rdf.engine.values import Values
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.labels import Labels
from bfsql_rdf.store.text import choose_text
from bfsql_rdf.terms import SKOLEM, STRUCTURAL_TYPES, local_name

LINKS = 200
"""Links of one predicate that are looked at."""
VALUES = 20
JOINS = 4
TEXT = 40
"""Characters of an example value."""
LABEL = 80


class Terms:
    """Describes types and predicates one by one, and keeps count of the id prefixes that it meets."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.prefixes: Counter[str] = Counter()
        self.untyped = False
        self._labels = Labels(index)
        self._values = Values(index.profile, index.predicates.show, index.ids.compress)
        self._everything = index.everything()
        self._symmetric, self._transitive = frozenset(index.figures.symmetric), frozenset(index.figures.transitive)
        self._types: dict[NamedNode, str] = {}

    def types(self) -> list[str]:
        """The IRIs of all types, most used first."""
        counts = self.index.figures.types
        return sorted(counts, key=lambda iri: (-counts[iri], iri))

    def predicates(self) -> list[str]:
        """The IRIs of the predicates that link or have values, most used first."""
        counts = self.index.figures.predicates
        used = [iri for iri, n in counts.items() if any(n[:3])]
        return sorted(used, key=lambda iri: (-sum(counts[iri][:3]), iri))

    def statement_fields(self) -> dict[str, int]:
        """How often each predicate is a field of a statement or of its evidence, by name, most used first."""
        index = self.index
        own = [index.profile.extraction_method.predicate, *index.profile.provenance]
        keyed = {index.ids.expand(text, "profile") for text in own}
        counts = {iri: n[3] for iri, n in index.figures.predicates.items() if n[3] and iri not in keyed}
        order = sorted(counts, key=lambda iri: (-counts[iri], iri))
        return {index.predicates.show(iri): counts[iri] for iri in order}

    def entity_type(self, iri: str) -> dict[str, Any]:
        """`{name, id?, label?, count, superclass?}`."""
        name, id_ = self.index.types.show(iri), self.index.ids.compress(iri)
        body: dict[str, Any] = {"name": name}
        if name != id_ and name != local_name(iri):
            body["id"] = id_
        body |= self._words(iri, name)
        body["count"] = self.index.figures.types[iri]
        parents = sorted(
            {
                self.index.types.show(parent)
                for parent in self.index.figures.superclasses.get(iri, ())
                if parent != iri and parent not in STRUCTURAL_TYPES and not parent.startswith(SKOLEM)
            }
        )
        return body | _one_or_more("superclass", parents[:3])

    def bare_predicate(self, iri: str) -> dict[str, Any]:
        """`{name, kind, count, inverse?, symmetric?, transitive?}`."""
        links, stated, plain = self.index.figures.predicates[iri][:3]
        kind = "both" if links and stated + plain else "link" if links else "value"
        return {"name": self.index.predicates.show(iri), "kind": kind, "count": links + stated + plain} | self.traits(
            iri
        )

    def predicate(self, iri: str) -> dict[str, Any]:
        """`{name, kind, count, label?, description?, inverse?, symmetric?, transitive?, joins?, of?, example?}`."""
        body = self.bare_predicate(iri)
        body |= self._words(iri, body["name"])
        if body["kind"] != "value":
            joins, whole = self._joins(iri)
            body["joins"] = joins
            if not whole:
                body["sampled"] = True
        if body["kind"] != "link":
            found = sample_values(self.index, self._everything, iri, VALUES)
            types = Counter(self._meet(subject) for subject, _ in found)
            body["of"] = [name for name, _ in _most(types, 3)]
            if found:
                body["example"] = self._example([value for _, value in found])
        return body

    def traits(self, iri: str) -> dict[str, Any]:
        """`{inverse?, symmetric?, transitive?}` of a predicate."""
        names = sorted(self.index.predicates.show(other) for other in self.index.figures.inverses.get(iri, ()))
        body = _one_or_more("inverse", names)
        if iri in self._symmetric:
            body["symmetric"] = True
        if iri in self._transitive:
            body["transitive"] = True
        return body

    def _joins(self, iri: str) -> tuple[list[list[Any]], bool]:
        edges, whole = sample_links(self.index, self._everything, iri, LINKS)
        pairs = Counter((self._meet(subject), self._meet(object_)) for subject, _, object_ in edges)
        return [[subject, object_, n] for (subject, object_), n in _most(pairs, JOINS)], whole

    def _meet(self, node: NamedNode) -> str:
        """The type of a node, whose prefix and lack of a type are noted."""
        known = self._types.get(node)
        if known is None:
            known = self._types[node] = self.index.entity_type(node)
            prefix, colon, rest = self.index.ids.compress(node.value).partition(":")
            if colon and not rest.startswith("//") and not prefix.startswith(("<", "_")):
                self.prefixes[prefix] += 1
            self.untyped = self.untyped or known == "Thing"
        return known

    def _words(self, iri: str, name: str) -> dict[str, Any]:
        """The label and description of a term whose name says nothing."""
        if not opaque(name):
            return {}
        label, description = self._labels.label(NamedNode(iri)), self._labels.description(NamedNode(iri))
        found = {"label": label, "description": description}
        return {key: shorten(text, LABEL) for key, text in found.items() if text}

    def _example(self, values: list[Literal]) -> Any:
        if any(value.language for value in values):
            return shorten(choose_text(values, self.index.profile.languages) or "", TEXT)
        shown = [self._values.value([value]) for value in values]
        told = [value for value in shown if not isinstance(value, dict) or len(value) > 1] or shown
        first = min(told, key=lambda value: (len(str(value)) > TEXT, str(type(value)), value if _plain(value) else 0))
        if _plain(first) or isinstance(first, dict):
            return first
        return shorten(json.dumps(first) if isinstance(first, list) else first, TEXT)


def opaque(name: str) -> bool:
    """Whether a name is a code (`P69`, `obo:BFO_0000050`) that tells a reader nothing."""
    local = name.rpartition(":")[2]
    digits = sum(character.isdigit() for character in local)
    return len(local) < 2 or digits * 2 >= len(local) - local.count("_")


def shorten(text: str, most: int) -> str:
    """One line of text of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _plain(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _one_or_more(key: str, names: list[str]) -> dict[str, Any]:
    return {key: names[0] if len(names) == 1 else names} if names else {}


def _most(counter: Counter[Any], most: int) -> list[tuple[Any, int]]:
    ranked: Iterable[tuple[Any, int]] = counter.items()
    return sorted(ranked, key=lambda pair: (-pair[1], pair[0]))[:most]
