"""What the index knows of the graph as a whole; kept as JSON beside it."""

from dataclasses import asdict, dataclass, field
from typing import Any

INDEX_VERSION = 3
"""Raised whenever the index is built differently; an index of another version is rebuilt."""


@dataclass
class Figures:
    """Counts, names and traits of one index.

    `predicates` maps an IRI to `[links, stated values, plain values, fields of statements]`; `types` maps a type
    to how many nodes are shown with it, `also` to how many more have it among several; `statuses`
    and `styles` map to counts; `link_sets`, `value_sets` and `type_sets` are the status sets that occur among
    links, values and stated types; `positions` maps a kind to its first and last
    position as text; `superclasses` maps a type to its direct superclasses; `reifies`, `claims`, `wikibase`
    and `nanopublications` are the vocabularies found, `found` and `prefixes` what follows from them for the
    profile; `redirects` counts other names of entities, `derived` edges read out of anonymous classes.
    """

    version: int = INDEX_VERSION
    profile: str = ""
    predicates: dict[str, list[int]] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    also: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    styles: dict[str, int] = field(default_factory=dict)
    link_sets: list[list[str]] = field(default_factory=list)
    value_sets: list[list[str]] = field(default_factory=list)
    type_sets: list[list[str]] = field(default_factory=list)
    plain_links: int = 0
    unasserted: int = 0
    about_statements: int = 0
    multi_typed: int = 0
    lists: int = 0
    positions: dict[str, list[str]] = field(default_factory=dict)
    superclasses: dict[str, list[str]] = field(default_factory=dict)
    inverses: dict[str, list[str]] = field(default_factory=dict)
    symmetric: list[str] = field(default_factory=list)
    transitive: list[str] = field(default_factory=list)
    vocab: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    reifies: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    nanopublications: bool = False
    wikibase: dict[str, Any] | None = None
    redirects: int = 0
    derived: int = 0
    found: dict[str, Any] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)
    warnings: list[dict[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Figures":
        return cls(**data)

    def ancestors(self, iri: str) -> frozenset[str]:
        """Every superclass of a type, at any height, itself left out unless it stands on a cycle."""
        seen: set[str] = set()
        todo = list(self.superclasses.get(iri, ()))
        while todo:
            parent = todo.pop()
            if parent not in seen:
                seen.add(parent)
                todo.extend(self.superclasses.get(parent, ()))
        return frozenset(seen)

    def most_specific(self, types: set[str], structural: frozenset[str]) -> str:
        """The type to show of several: none of the others is below it, ties by IRI, structural ones last."""
        pool = {t for t in types if t not in structural} or types
        if len(pool) == 1:
            return next(iter(pool))
        above: set[str] = set()
        for one in sorted(pool):
            up = self.ancestors(one)
            above |= {t for t in pool if t in up and one not in self.ancestors(t)}
        return min(pool - above or pool)
