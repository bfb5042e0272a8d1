"""Wikibase's RDF vocabulary: which predicate of an export plays which role for which property, and its ids."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

WIKIBASE: Final = "http://wikiba.se/ontology#"
WIKIDATA: Final = "http://www.wikidata.org/"

_ROLES: Final = {
    None: "claim",
    "direct": "direct",
    "direct-normalized": "normalized",
    "statement": "statement",
    "statement/value": "statement_value",
    "statement/value-normalized": "normalized",
    "qualifier": "qualifier",
    "qualifier/value": "qualifier_value",
    "qualifier/value-normalized": "normalized",
    "reference": "reference",
    "reference/value": "reference_value",
    "reference/value-normalized": "normalized",
    "novalue": "novalue",
}
DECLARED: Final = {
    WIKIBASE + "claim": "claim",
    WIKIBASE + "directClaim": "direct",
    WIKIBASE + "directClaimNormalized": "normalized",
    WIKIBASE + "statementProperty": "statement",
    WIKIBASE + "statementValue": "statement_value",
    WIKIBASE + "statementValueNormalized": "normalized",
    WIKIBASE + "qualifier": "qualifier",
    WIKIBASE + "qualifierValue": "qualifier_value",
    WIKIBASE + "qualifierValueNormalized": "normalized",
    WIKIBASE + "reference": "reference",
    WIKIBASE + "referenceValue": "reference_value",
    WIKIBASE + "referenceValueNormalized": "normalized",
    WIKIBASE + "novalue": "novalue",
}
"""Predicates from a property entity to the predicates that are made of it, and their roles."""

RANK: Final = WIKIBASE + "rank"
RANKS: Final = {
    WIKIBASE + "PreferredRank": "asserted_true",
    WIKIBASE + "NormalRank": "asserted_true",
    WIKIBASE + "DeprecatedRank": "retracted",
}
RANK_NAMES: Final = {rank: rank[len(WIKIBASE) : -len("Rank")].lower() for rank in RANKS}
BEST_RANK: Final = WIKIBASE + "BestRank"
BEST: Final = "urn:bfsql:best_rank"
"""Predicate, inside the index only, that tells the best statements of a property apart."""

KEPT: Final = frozenset(WIKIBASE + name for name in ("lemma", "lexicalCategory", "grammaticalFeature"))
"""Predicates of the ontology that say something about an entity; the rest is bookkeeping."""

PREFIXES: Final = {
    "wd": WIKIDATA + "entity/",
    "wds": WIKIDATA + "entity/statement/",
    "wdt": WIKIDATA + "prop/direct/",
    "p": WIKIDATA + "prop/",
    "ps": WIKIDATA + "prop/statement/",
    "psv": WIKIDATA + "prop/statement/value/",
    "pq": WIKIDATA + "prop/qualifier/",
    "pqv": WIKIDATA + "prop/qualifier/value/",
    "pr": WIKIDATA + "prop/reference/",
    "wdref": WIKIDATA + "reference/",
    "wikibase": WIKIBASE,
}

_PREDICATE = re.compile(
    r"(?P<base>.+/)prop/(?:(?P<role>direct|direct-normalized|statement|qualifier|reference|novalue|"
    r"(?:statement|qualifier|reference)/value(?:-normalized)?)/)?(?P<id>P\d+)"
)
_ENTITY = re.compile(r"[QPLM]\d+(?:-[FS]\d+)?")
_PAGE = re.compile(
    r"https?://(?P<host>[^/]+)/(?:w/)?(?:(?:wiki|entity|index\.php)/)?(?:Special:Entity(?:Data|Page)/)?(?:Item:|Property:|Lexeme:)?"
    r"(?P<id>[QPLM]\d+(?:-[FS]\d+)?)(?:\.[a-z]+)?(?:#(?P<part>[FS]\d+))?"
)
_REFERENCE = re.compile(r".+/reference/[0-9a-f]+")
_GENID = "/.well-known/genid/"


@dataclass
class Wikibase:
    """The Wikibase vocabulary of one dataset.

    `roles` maps a predicate to its role and property; `bases` maps what stands before `prop/` to the namespace of
    the entities; `entities` are those namespaces, the first the one that a bare `Q42` means.
    """

    roles: dict[str, tuple[str, str]] = field(default_factory=dict)
    bases: dict[str, str] = field(default_factory=dict)
    entities: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        predicates: Iterable[str],
        declared: dict[str, tuple[str, str]],
        namespace_of: Callable[[str, str], str | None],
    ) -> "Wikibase | None":
        """The vocabulary of a dataset with these predicates, or None when none of them is Wikibase's.

        `declared` is what property entities say of theirs; `namespace_of(base, predicate)` finds where the
        entities that use a predicate live.
        """
        found = cls(dict(declared))
        bases: dict[str, str | None] = {}
        for iri in predicates:
            match = _PREDICATE.fullmatch(iri)
            if match is None or iri in declared:
                continue
            base = match["base"]
            if bases.get(base) is None:
                bases[base] = namespace_of(base, iri) if match["role"] in (None, "direct") else None
        for iri in predicates:
            match = _PREDICATE.fullmatch(iri)
            if match is not None and iri not in declared:
                base = match["base"]
                entities = WIKIDATA + "entity/" if base == WIKIDATA else bases[base] or base + "entity/"
                found.bases[base] = entities
                found.roles[iri] = (_ROLES[match["role"]], entities + match["id"])
        if not any(role in ("claim", "direct") for role, _ in found.roles.values()):
            return None
        spaces = [iri[: iri.rfind("/") + 1] for _, iri in found.roles.values()]
        found.entities = sorted(dict.fromkeys(spaces), key=lambda space: (-spaces.count(space), space))
        for space in found.entities:
            found.bases.setdefault(space.removesuffix("entity/"), space)
        return found

    def seen(self, predicates: Iterable[str]) -> "Wikibase":
        """This vocabulary with the roles of further predicates of the usual form."""
        roles = dict(self.roles)
        for iri in predicates:
            match = _PREDICATE.fullmatch(iri)
            if match is not None and match["base"] in self.bases:
                roles.setdefault(iri, (_ROLES[match["role"]], self.bases[match["base"]] + match["id"]))
        return Wikibase(roles, self.bases, self.entities)

    def to_dict(self) -> dict[str, Any]:
        """What is needed to read ids: predicates that follow the usual form are left out."""
        odd = {iri: list(role) for iri, role in self.roles.items() if _PREDICATE.fullmatch(iri) is None}
        return {"roles": odd, "bases": self.bases, "entities": self.entities}

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> "Wikibase":
        roles = {iri: (role[0], role[1]) for iri, role in body["roles"].items()}
        return cls(roles, body["bases"], body["entities"])

    def made_of(self, role: str) -> dict[str, list[str]]:
        """The predicates of a role for each property."""
        found: dict[str, list[str]] = {}
        for iri, (own, property_) in sorted(self.roles.items()):
            if own == role:
                found.setdefault(property_, []).append(iri)
        return found

    def property_of(self, iri: str) -> str | None:
        """The property that a predicate of any role is made of."""
        if iri in self.roles:
            return self.roles[iri][1]
        match = _PREDICATE.fullmatch(iri)
        if match is None or match["base"] not in self.bases:
            return None
        return self.bases[match["base"]] + match["id"]

    def spellings(self, property_: str, role: str) -> list[str]:
        """The predicates of a role ("statement", "direct") that a dataset may have for a property."""
        cut = property_.rfind("/") + 1
        found = [iri for iri, own in self.roles.items() if own == (role, property_)]
        found += [
            f"{base}prop/{role}/{property_[cut:]}" for base, space in self.bases.items() if space == property_[:cut]
        ]
        return sorted(set(found))

    def no_value(self, iri: str) -> str | None:
        """The property that a class of things without a value of it is made of."""
        if iri in self.roles:
            role, property_ = self.roles[iri]
            return property_ if role == "novalue" else None
        match = _PREDICATE.fullmatch(iri)
        return self.property_of(iri) if match is not None and match["role"] == "novalue" else None

    def recognise(self, text: str) -> str | None:
        """The IRI of an entity by its bare id, the URL of a page or data file, or a predicate of a property."""
        if _ENTITY.fullmatch(text):
            space = self.entities[0]
            if text[0] == "M":
                space = next((one for one in self.entities if "commons" in one), space)
            return space + text
        if made := self.property_of(text):
            return made
        page = _PAGE.fullmatch(text)
        if page is None:
            return None
        part = f"-{page['part']}" if page["part"] else ""
        host = page["host"].removeprefix("m.").removeprefix("www.")
        for space in self.entities:
            if space.split("/")[2].removeprefix("www.") == host:
                return space + page["id"] + part
        return None

    def is_entity(self, iri: str) -> bool:
        """Whether an IRI is that of an item, property, lexeme, form, sense or media file."""
        cut = iri.rfind("/") + 1
        return iri[:cut] in self.entities and _ENTITY.fullmatch(iri, cut) is not None


def is_reference(iri: str) -> bool:
    """Whether an IRI is that of a reference, whose hash says nothing to a reader."""
    return _REFERENCE.fullmatch(iri) is not None


def is_unknown(iri: str) -> bool:
    """Whether an IRI stands for a value that is not known, as the query service spells blank nodes."""
    return _GENID in iri
