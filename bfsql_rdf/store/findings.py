"""What a dataset is found to be before it is indexed: its vocabularies, and what a profile would say of it."""

from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import NamedNode

from bfsql_rdf.compiler.text import iri, select
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.source import Source
from bfsql_rdf.store.wikibase import find_wikibase, found_in
from bfsql_rdf.styles import REGISTRY, Style, Vocabulary, custom_style
from bfsql_rdf.terms import HAS_ASSERTION, NANOPUB, OBO, RDFS, REIFIES
from bfsql_rdf.wikibase import Wikibase


@dataclass
class Findings:
    """Predicates in order, vocabularies, and the profile keys and prefixes that follow from them."""

    predicates: list[NamedNode]
    vocabulary: Vocabulary
    wikibase: Wikibase | None = None
    profile: dict[str, Any] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)


def study(source: Source) -> Findings:
    """Look at the predicates of a dataset, and at what they tell."""
    predicates = source.predicates()
    reifies = [REIFIES.value]
    query = select("?p", f"?p {iri(RDFS + 'subPropertyOf')}+ {REIFIES} .", distinct=True)
    reifies += sorted(row["p"].value for row in source.select(query) if isinstance(row["p"], NamedNode))
    wikibase = find_wikibase(source, predicates)
    nanopublications = NamedNode(HAS_ASSERTION) in predicates
    vocabulary = Vocabulary(
        tuple(dict.fromkeys(reifies)),
        claims=claims_of(wikibase),
        declared=wikibase is not None and bool(wikibase.to_dict()["roles"]),
        nanopublications=nanopublications,
    )
    found = Findings(predicates, vocabulary, wikibase)
    found.profile, found.prefixes = defaults(predicates, wikibase, vocabulary)
    return found


def defaults(
    predicates: list[NamedNode], wikibase: Wikibase | None, vocabulary: Vocabulary
) -> tuple[dict[str, Any], dict[str, str]]:
    """The profile keys and the prefixes that follow from a dataset's vocabularies."""
    profile: dict[str, Any] = {}
    prefixes: dict[str, str] = {}
    if wikibase is not None:
        profile, prefixes = found_in(wikibase, len(predicates))
    if any(predicate.value.startswith(OBO) for predicate in predicates):
        profile |= {"names": "label", "labels": True}
    if vocabulary.nanopublications:
        profile |= {
            "hidden": [f"<{NANOPUB}hasProvenance>", f"<{NANOPUB}hasPublicationInfo>"],
            "position": {
                "path": f"^<{HAS_ASSERTION}>/(<http://purl.org/dc/terms/created>|"
                "<http://purl.org/dc/terms/issued>|<http://www.w3.org/ns/prov#generatedAtTime>)"
            },
        }
    return profile, prefixes


def claims_of(wikibase: Wikibase | None) -> tuple[str, ...]:
    """What stands before `P31` in the claim predicates of a Wikibase export."""
    roles = wikibase.roles.items() if wikibase else ()
    return tuple(sorted({one[: one.rfind("/") + 1] for one, (role, _) in roles if role == "claim"}))


def recorded(figures: Figures, found: Findings) -> None:
    """Keep what was found, for readers of the index."""
    figures.found, figures.prefixes = found.profile, found.prefixes
    figures.wikibase = found.wikibase.to_dict() if found.wikibase else None
    figures.reifies = list(found.vocabulary.reifies)
    figures.claims = list(found.vocabulary.claims)
    figures.nanopublications = found.vocabulary.nanopublications


def recalled(figures: Figures) -> Vocabulary:
    """The vocabulary that was found when the index was built."""
    return Vocabulary(
        tuple(figures.reifies),
        claims=tuple(figures.claims),
        declared=bool(figures.wikibase and figures.wikibase["roles"]),
        nanopublications=figures.nanopublications,
    )


def styles_of(vocabulary: Vocabulary, profile: Profile) -> list[Style]:
    """The styles to look for: those that the profile names, or the registry's that may be there and its own."""
    known = {name: make(vocabulary) for name, make in REGISTRY.items()}
    known |= {name: custom_style(name, style.pattern) for name, style in profile.style.items()}
    chosen = profile.styles
    if chosen is None:
        chosen = [name for name in known if name != "graph" or vocabulary.nanopublications]
    return [known[name] for name in chosen if name in known and (name != "wikibase" or vocabulary.claims)]
