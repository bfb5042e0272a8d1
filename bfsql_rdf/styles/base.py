"""What a statement style is."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Vocabulary:
    """What styles must know of a dataset.

    `reifies` is rdf:reifies and its declared sub-properties; `claims` are the namespaces before `P31` in Wikibase's
    claim predicates; `declared` says that property entities name predicates of another form; `nanopublications`
    that the data has some; `star` that quoted triples are asked for as in SPARQL-star.
    """

    reifies: tuple[str, ...]
    claims: tuple[str, ...] = ()
    declared: bool = False
    nanopublications: bool = False
    star: bool = False


@dataclass(frozen=True)
class Style:
    """One statement style.

    `pattern` binds ?statement ?subject ?predicate ?object over the whole dataset. `outgoing` and `incoming` take a
    VALUES block for ?subject (?object) and give a whole branch that starts there, `anchored` takes one for all three
    terms of a triple. `scan`, where there is one,
    finds what the branches cannot (unasserted reifiers). `structure` are the predicates that spell the statement
    and so are none of its fields. `unasserted` says that what is only quoted has a status of its own; `status` is
    the predicate of a status that the style itself has. `named` says that a statement can be asked for by its id;
    without, it is its own triple. `bound` is `anchored` where that is not as `outgoing`.
    """

    name: str
    pattern: str
    outgoing: Callable[[str], str]
    incoming: Callable[[str], str]
    structure: frozenset[str] = field(default_factory=frozenset)
    scan: str | None = None
    unasserted: bool = False
    status: str | None = None
    named: bool = True
    bound: Callable[[str], str] | None = None

    def anchored(self, block: str) -> str:
        """The branch of a VALUES block for ?subject, ?predicate and ?object."""
        return (self.bound or self.outgoing)(block)
