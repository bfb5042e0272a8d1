"""Ids: every id in or out is canonical, a CURIE where a prefix covers it, otherwise the full IRI."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from curies import Converter, Record

from bfsql_rdf.errors import ProfileError, QueryError
from bfsql_rdf.terms import BUILTIN_PREFIXES, FIXED_PREFIXES, SKOLEM, iri_fault

_SCHEMES = frozenset(
    [
        "urn",
        "mailto",
        "tag",
        "did",
        "doi",
        "info",
        "data",
        "file",
        "geo",
        "tel",
        "news",
        "isbn",
        "ni",
        "ark",
        "jar",
        "cid",
        "mid",
    ]
)
_PREFIX = re.compile(r"(?!_$)[^\s:/<>\"{}|^`\\]*")


class Ids:
    """Canonical ids over one set of prefixes.

    `prefixes` maps a prefix to its IRI, or to a list whose first IRI is canonical and whose rest are alternate
    forms; `found` are prefixes of the loaded files, taken where the profile says nothing else.
    `occurs` tells whether an IRI stands in the data: it decides about `x:y` with an undeclared `x`; `recognise`
    knows further ways to write an id that comes in, and gives its IRI or None.
    """

    def __init__(
        self,
        prefixes: Mapping[str, str | list[str]] | None = None,
        found: Mapping[str, str] | None = None,
        occurs: Callable[[str], bool] = lambda iri: False,
    ) -> None:
        self.occurs = occurs
        self.recognise: Callable[[str], str | None] = lambda text: None
        self._forms: dict[str, list[str]] = {}
        self.alternates: dict[str, str] = {}
        taken: set[str] = set()
        for prefix, value in (prefixes or {}).items():
            forms = [value] if isinstance(value, str) else list(value)
            self._declare(prefix, forms, taken)
        self._others: dict[str, str] = {}
        for source in (found or {}, BUILTIN_PREFIXES):
            for prefix, iri in source.items():
                usable = prefix and _PREFIX.fullmatch(prefix) and not iri_fault(iri)
                if not usable or prefix in self._forms or prefix in self._others:
                    continue
                if FIXED_PREFIXES.get(prefix, iri) != iri:
                    continue
                if iri in taken:
                    self._others[prefix] = self.alternates.get(iri, iri)
                else:
                    self._forms[prefix] = [iri]
                    taken.add(iri)
        self._converter = Converter(
            [
                Record(prefix=prefix, uri_prefix=forms[0], uri_prefix_synonyms=forms[1:])
                for prefix, forms in self._forms.items()
            ]
        )
        self._starts = tuple(sorted(self.alternates, key=len, reverse=True))
        self.compress = lru_cache(maxsize=200_000)(self._compress)

    def _declare(self, prefix: str, forms: list[str], taken: set[str]) -> None:
        if not forms or not _PREFIX.fullmatch(prefix):
            raise ProfileError(
                f"prefixes.{prefix}: a prefix has no ':' or space in it, and at least one IRI",
                code="bad_profile",
            )
        for form in forms:
            if fault := iri_fault(form):
                raise ProfileError(f"prefixes.{prefix}: {form!r} is no IRI: {fault}", code="bad_profile")
            if form in taken:
                raise ProfileError(f"prefixes.{prefix}: {form} is declared twice", code="bad_profile")
            taken.add(form)
        self._forms[prefix] = forms
        self.alternates.update(dict.fromkeys(forms[1:], forms[0]))

    @property
    def prefixes(self) -> dict[str, str]:
        """Each prefix with its canonical IRI."""
        return {prefix: forms[0] for prefix, forms in self._forms.items()} | self._others

    def canonical(self, iri: str) -> str:
        """The canonical spelling of an IRI of the data: alternate forms under their first form."""
        if self._starts and iri.startswith(self._starts):
            for start in self._starts:
                if iri.startswith(start):
                    if self._converter.parse_uri(iri) is None:
                        return iri
                    longest = max((f for fs in self._forms.values() for f in fs if iri.startswith(f)), key=len)
                    return self.alternates.get(longest, longest) + iri[len(longest) :]
        return iri

    def data_forms(self, iri: str) -> list[str]:
        """The canonical IRI and the alternate spellings that the profile declares for it."""
        forms = [iri]
        for alternate, canonical in self.alternates.items():
            if iri.startswith(canonical):
                forms.append(alternate + iri[len(canonical) :])
        return forms

    def _compress(self, iri: str) -> str:
        if iri.startswith(SKOLEM):
            return "_:" + iri[len(SKOLEM) :]
        found = self._converter.parse_uri(iri)
        if found is not None and not found.identifier.startswith("//"):
            return f"{found.prefix}:{found.identifier}"
        head, colon, rest = iri.partition(":")
        known = head in self._forms or head in self._others
        return f"<{iri}>" if colon and known and not rest.startswith("//") else iri

    def expand(self, text: str, where: str = "id") -> str:
        """The canonical IRI of a CURIE, `<IRI>`, full IRI or `_:id`.

        Raises QueryError (`bad_iri`, `unknown_prefix`) that names the known prefixes.
        """
        iri = self.expand_exactly(text, where)
        return self.recognise(iri) or iri

    def expand_exactly(self, text: str, where: str = "id") -> str:
        """As `expand`, but a predicate that is made of a property stays itself."""
        if text.startswith("<") and text.endswith(">"):
            return self.canonical(self._checked(text[1:-1], text, where))
        if text.startswith("_:"):
            return self._checked(SKOLEM + text[2:], text, where)
        head, colon, rest = text.partition(":")
        if colon and not rest.startswith("//") and (head in self._forms or head in self._others):
            start = self._forms[head][0] if head in self._forms else self._others[head]
            return self.canonical(self._checked(start + rest, text, where))
        if not colon:
            if known := self.recognise(text):
                return known
            raise QueryError(
                f"{text!r} is neither a CURIE nor an IRI",
                code="bad_id",
                where=where,
                hint=f"Give prefix:name or a full IRI; known prefixes: {self.known()}",
            )
        iri = self._checked(text, text, where)
        if rest.startswith("//") or head.lower() in _SCHEMES or self.occurs(iri):
            return self.canonical(iri)
        raise QueryError(
            f"the prefix {head!r} of {text!r} is not known",
            code="unknown_prefix",
            where=where,
            hint=f"Known prefixes: {self.known()}; or give the full IRI",
        )

    def known(self) -> str:
        """The known prefixes, for a message."""
        return ", ".join(f"{prefix}:" for prefix in self._forms)

    @staticmethod
    def _checked(iri: str, text: str, where: str) -> str:
        if fault := iri_fault(iri):
            raise QueryError(
                f"{text!r} is not an IRI: {fault}",
                code="bad_iri",
                where=where,
                hint="Write the id as it came in an answer",
            )
        return iri
