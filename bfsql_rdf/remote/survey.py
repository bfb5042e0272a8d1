"""What an endpoint is, found out when it is opened by a few bounded questions, or taken from the profile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pyoxigraph import BlankNode, Literal, NamedNode

from bfsql_rdf.compiler import surveys
from bfsql_rdf.compiler.hops import Dataset, with_prefixes
from bfsql_rdf.compiler.regions import labels_of
from bfsql_rdf.errors import BfsqlError
from bfsql_rdf.ids import Ids
from bfsql_rdf.positions import position_key
from bfsql_rdf.profile import Profile
from bfsql_rdf.remote.region import Known
from bfsql_rdf.store.figures import Figures
from bfsql_rdf.store.findings import claims_of, defaults, styles_of
from bfsql_rdf.store.text import choose_text
from bfsql_rdf.store.wikibase import CONSTRAINT, INVERSE, SYMMETRIC, is_about_entities
from bfsql_rdf.styles import Style, Vocabulary
from bfsql_rdf.terms import (
    ANNOTATED_PROPERTY,
    BFSQL,
    LABELS,
    OWL,
    PREDICATE,
    RDF_TYPE,
    REIFIES,
    STATUSES,
    local_name,
)
from bfsql_rdf.wikibase import DECLARED, RANKS, Wikibase

PREDICATES, TYPES, ONTOLOGY, STATUS_VALUES, POSITIONS = 20_000, 20_000, 50_000, 200, 500
"""How much is asked for at most."""
LABELLED = 1_000
"""Terms whose labels are asked for in one request."""


class Answer(Protocol):
    """Rows of terms under their variables; `truncated` says what cut them short."""

    @property
    def variables(self) -> Sequence[str]: ...

    @property
    def truncated(self) -> Any: ...

    def __iter__(self) -> Any: ...


class Transport(Protocol):
    """The one seam to an endpoint."""

    def select(self, query: str, limit_rows: int | None = None) -> Answer: ...

    def ask(self, query: str) -> bool: ...


@dataclass(frozen=True)
class Survey:
    """What is known of an endpoint; `stating` says that statements which are only quoted state a status there."""

    known: Known
    dataset: Dataset
    stating: bool


class Surveyor:
    """Asks an endpoint what it is. What it does not answer becomes a warning, and the profile's word stands."""

    def __init__(self, transport: Transport, profile: Profile) -> None:
        self._transport, self._profile = transport, profile
        self.figures = Figures()

    def survey(self) -> Survey:
        features = {row[0].value for row in self._rows("features", surveys.features(), required=True)}
        predicates = self._distinct("predicates", surveys.predicates(PREDICATES), PREDICATES)
        wikibase = self._wikibase(features, predicates)
        reifies, star = self._reifies(features)
        vocabulary = Vocabulary(
            reifies or (REIFIES.value,),
            claims=claims_of(wikibase),
            nanopublications="nanopublication" in features or "graph" in features,
            star=star,
        )
        found, prefixes = defaults(predicates, wikibase, vocabulary)
        profile = self._profile.completed(found)
        ids = Ids(self._profile.prefixes, prefixes)
        if wikibase is not None:
            ids.recognise = wikibase.recognise

        def expand(texts: Iterable[str]) -> list[str]:
            return [ids.expand(text, "profile") for text in texts]

        present = features | ({"graph"} if vocabulary.nanopublications else set())
        present = present | {"reifier"} if reifies else present - {"reifier"}
        own = set(profile.style) | set(profile.styles or ())
        there = (present | own) - (set() if reifies else {"reifier"})
        styles = [style for style in styles_of(vocabulary, profile) if style.name in there]
        kinds = [form for kind in expand(profile.types) for form in _forms(wikibase, kind, "direct")]
        dataset = Dataset(
            styles=styles,
            status=ids.expand(profile.status.predicate, "status"),
            position=profile.position.path,
            types=kinds,
            hidden=expand(profile.hidden),
            inside=expand(profile.inside),
            provenance=expand(profile.provenance),
            prefixes=ids.prefixes,
            plain=profile.styles is None or "plain" in profile.styles,
            unasserted=bool(reifies) and self._ask("unasserted reifiers", surveys.any_unasserted(None, star)),
            lists="list" in features,
            bases=sorted({base + "prop/" for base in wikibase.bases}) if wikibase else (),
            restrictions=profile.restrictions and bool(features & {"some", "has", "complement"}),
        )
        self._fill(profile, ids, wikibase, dataset, predicates)
        stable = self._stable_blanks()
        known = Known(profile, ids, self.figures, vocabulary, wikibase, stable)
        self.figures.found, self.figures.wikibase = found, wikibase.to_dict() if wikibase else None
        stating = dataset.unasserted and self._ask("quoted statements", surveys.any_unasserted(dataset.status, star))
        return Survey(known, dataset, stating)

    # Questions

    def _rows(self, what: str, query: str, required: bool = False) -> list[Any]:
        try:
            return list(self._transport.select(query))
        except BfsqlError as error:
            if required:
                raise
            self._warn(what, error)
            return []

    def _ask(self, what: str, query: str) -> bool:
        try:
            return self._transport.ask(query)
        except BfsqlError as error:
            self._warn(what, error)
            return True

    def _distinct(self, what: str, query: str, most: int) -> list[NamedNode]:
        found = [row[0] for row in self._rows(what, query) if type(row[0]) is NamedNode]
        if len(found) > most:
            self.figures.warnings.append(
                {
                    "code": "endpoint_large",
                    "message": f"the endpoint has more than {most:,} {what}: the first are known",
                }
            )
        return sorted(found[:most], key=lambda node: node.value)

    def _warn(self, what: str, error: BfsqlError) -> None:
        message = f"the endpoint did not tell its {what}: {error.message}; the profile may say them"
        self.figures.warnings.append({"code": "endpoint_unknown", "message": message})

    def _reifies(self, features: set[str]) -> tuple[tuple[str, ...] | None, bool]:
        """The predicates of reifiers, None where there are none, and whether SPARQL-star is how to ask for them."""
        below = [row[0] for row in self._rows("sub-properties of rdf:reifies", surveys.sub_properties())]
        known = tuple(dict.fromkeys([REIFIES.value, *(node.value for node in below if type(node) is NamedNode)]))
        if "reifier" in features or len(known) > 1:
            try:
                self._transport.ask(surveys.TRIPLE_TERMS)
            except BfsqlError as error:
                self._warn("reifiers (it cannot be asked for triple terms)", error)
                return None, False
            return known, False
        try:
            return (known, True) if self._transport.ask(surveys.QUOTED_TRIPLES) else (None, False)
        except BfsqlError:
            return None, False  # it speaks of no triples in triples, and has no reifiers either

    def _wikibase(self, features: set[str], predicates: list[NamedNode]) -> Wikibase | None:
        declared: dict[str, tuple[str, str]] = {}
        if "wikibase" in features:
            for property_, role, predicate in self._rows("properties", surveys.declarations(200_000)):
                if type(property_) is NamedNode and type(predicate) is NamedNode:
                    declared[predicate.value] = (DECLARED[role.value], property_.value)

        def namespace_of(base: str, predicate: str) -> str | None:
            for row in self._rows("entities", surveys.one_subject(NamedNode(predicate))):
                iri = getattr(row[0], "value", "")
                space = iri[: iri.rfind("/") + 1]
                return space if space in (base, base + "entity/") else None
            return None

        return Wikibase.of([node.value for node in predicates], declared, namespace_of)

    def _fill(
        self, profile: Profile, ids: Ids, wikibase: Wikibase | None, dataset: Dataset, predicates: list[NamedNode]
    ) -> None:
        figures = self.figures

        def canonical(iri: str) -> str:
            return (wikibase.property_of(iri) if wikibase else None) or ids.canonical(iri)

        spelling = {part for style in dataset.styles for part in style.structure}
        hidden = spelling | {*dataset.types, *dataset.hidden, dataset.status}
        for node in predicates:
            exported = wikibase is not None and bool(dataset.bases) and not is_about_entities(node.value)
            if node.value not in hidden and not exported:
                figures.predicates[canonical(node.value)] = [1, 1, 1, 0]
        for style in dataset.styles:
            if style.name != "wikibase" and (style.name != "reifier" or dataset.unasserted):
                query = with_prefixes(dataset, surveys.stated_predicates(_stating(style), PREDICATES))
                for node in self._distinct(f"predicates of {style.name} statements", query, PREDICATES):
                    if node.value not in dataset.types and node.value not in dataset.hidden:
                        figures.predicates.setdefault(canonical(node.value), [1, 1, 0, 0])
        for node in self._distinct("entity types", surveys.types(dataset.types, TYPES), TYPES):
            figures.types[canonical(node.value)] = 0
        self._statuses(profile, ids, dataset)
        for (value,) in (
            self._rows("positions", with_prefixes(dataset, surveys.positions(dataset.position, POSITIONS)))
            if dataset.styles
            else ()
        ):
            keyed = position_key(value) if type(value) is Literal else None
            if keyed is not None:
                figures.positions.setdefault(keyed[0], [value.value, value.value])
        self._ontology(profile, ids, wikibase, canonical)
        figures.vocab = [ids.expand(text, "vocab") for text in profile.vocab]
        terms = {*figures.predicates, *figures.types, *figures.superclasses, *figures.inverses, *figures.symmetric}
        named = [NamedNode(iri) for iri in sorted(terms)]
        if profile.names == "label" and len(predicates) < PREDICATES:
            for start in range(0, len(named), LABELLED):
                self._labels(labels_of(named[start : start + LABELLED], LABELS, profile.languages), profile)

    def _statuses(self, profile: Profile, ids: Ids, dataset: Dataset) -> None:
        asked = dict.fromkeys([dataset.status, *(style.status for style in dataset.styles if style.status)])
        values = {ids.expand(text) if ":" in text else text: status for text, status in profile.status.values.items()}
        for (value,) in self._rows("truth statuses", surveys.statuses(asked, STATUS_VALUES)) if dataset.styles else ():
            text = getattr(value, "value", str(value))
            status = values.get(text) or RANKS.get(text)
            if status is None:
                ours = text.startswith(BFSQL) and local_name(text) in STATUSES
                status = local_name(text) if ours else text
            self.figures.statuses[status] = 0
        if dataset.styles:
            self.figures.statuses.setdefault("asserted_true", 0)
        if dataset.unasserted:
            self.figures.statuses.setdefault(profile.status.unasserted, 0)

    def _ontology(self, profile: Profile, ids: Ids, wikibase: Wikibase | None, canonical: Any) -> None:
        figures = self.figures
        subclass = [
            form for text in profile.subclass for form in _forms(wikibase, ids.expand(text, "subclass"), "direct")
        ]
        own = {form: trait for trait in (INVERSE, CONSTRAINT) for form in _forms(wikibase, trait, "direct") if wikibase}
        query = surveys.ontology([*subclass, *own], ONTOLOGY)
        for s, p, o in self._rows("traits and superclasses", query):
            if type(s) is not NamedNode or type(o) is not NamedNode:
                continue
            one, other = canonical(s.value), canonical(o.value)
            if p == RDF_TYPE:
                (figures.symmetric if "Symmetric" in o.value else figures.transitive).append(one)
            elif own.get(p.value) == CONSTRAINT:
                figures.symmetric += [one] if other == SYMMETRIC else []
            elif p.value == OWL + "inverseOf" or own.get(p.value) == INVERSE:
                for a, b in ((one, other), (other, one)):
                    if b not in figures.inverses.setdefault(a, []):
                        figures.inverses[a].append(b)
            elif one != other:
                figures.superclasses.setdefault(one, []).append(other)

    def _labels(self, query: str, profile: Profile) -> None:
        texts: dict[str, dict[str, list[Literal]]] = {}
        for s, p, o in self._rows("labels", query):
            if type(s) is NamedNode and type(o) is Literal:
                texts.setdefault(s.value, {}).setdefault(p.value, []).append(o)
        for iri, by_predicate in texts.items():
            first = next(by_predicate[one] for one in LABELS if one in by_predicate)
            label = choose_text(first, profile.languages)
            if label:
                self.figures.labels[iri] = label

    def _stable_blanks(self) -> bool:
        """Whether a blank node bears the same label in every answer; unstable where it cannot be found out."""
        both = [row[0] for row in self._rows("blank nodes", surveys.blanks(0, 2))]
        if len(both) < 2 or both[0] == both[1]:
            return False
        second = [row[0] for row in self._rows("blank nodes", surveys.blanks(1, 1))]
        return bool(second) and type(second[0]) is BlankNode and second[0] == both[1]


def _stating(style: Style) -> str:
    """The shortest pattern that binds the predicates of a style's statements."""
    direct = {"reification": PREDICATE, "axiom": ANNOTATED_PROPERTY}.get(style.name)
    return f"?statement {direct} ?predicate ." if direct else style.pattern


def _forms(wikibase: Wikibase | None, iri: str, role: str) -> list[str]:
    return (wikibase.spellings(iri, role) if wikibase else []) or [iri]
