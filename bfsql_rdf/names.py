"""Names of predicates and types: the local name where it is free, the CURIE where it is taken."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from bfsql_rdf.errors import QueryError
from bfsql_rdf.ids import Ids
from bfsql_rdf.terms import local_name


class Names:
    """The shown name of each term of one kind ("predicate" or "entity type"), and the way back.

    Of terms that share a name the one whose namespace stands first in `vocab` keeps it; `labels` are accepted too, and
    with `by_label` they are the names in place of local names; `reserved` names are never given away.
    """

    def __init__(
        self,
        kind: str,
        iris: Iterable[str],
        ids: Ids,
        vocab: list[str],
        labels: Mapping[str, str] | None = None,
        by_label: bool = False,
        reserved: frozenset[str] = frozenset(),
    ) -> None:
        self.kind, self._ids = kind, ids
        ranks = {namespace: rank for rank, namespace in enumerate(vocab)}
        terms = sorted(set(iris), key=lambda iri: (ranks.get(iri[: len(iri) - len(local_name(iri))], len(ranks)), iri))
        self._labels = {iri: labels[iri] for iri in terms if iri in labels} if labels else {}
        self._names: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        self._by_local: dict[str, list[str]] = defaultdict(list)
        self._reserved = reserved
        clashing = {name for name, times in Counter(self._labels.values()).items() if times > 1}
        for iri in terms:
            self._by_local[local_name(iri)].append(iri)
            name = (self._labels.get(iri) if by_label else None) or local_name(iri)
            if not name or name in self._by_name or name in reserved or (by_label and name in clashing):
                name = ids.compress(iri)
            self._names[iri] = name
            self._by_name[name] = iri

    def show(self, iri: str) -> str:
        """The name of a term; the CURIE for one that is not in the graph."""
        return self._names.get(iri) or self._ids.compress(iri)

    def __contains__(self, iri: str) -> bool:
        return iri in self._names

    def find(self, text: str, where: str) -> str | None:
        """The IRI that a shown name, local name, label, CURIE or IRI means, or None.

        Raises QueryError (`ambiguous_name`) with the candidates.
        """
        if text in self._by_name:
            return self._by_name[text]
        candidates = list(self._by_local.get(text, ())) or [iri for iri, label in self._labels.items() if label == text]
        if len(candidates) > 1:
            raise QueryError(
                f"{text!r} is the name of several {self.kind}s",
                code="ambiguous_name",
                where=where,
                hint=f"Say which: {', '.join(self._ids.compress(iri) for iri in candidates)}",
            )
        if candidates:
            return candidates[0]
        if ":" in text:
            iri = self._ids.expand(text, where)
            return iri if iri in self._names else None
        return None

    def require(self, text: str, where: str) -> str:
        """As `find`, but an unknown name is a QueryError with the closest names."""
        found = self.find(text, where)
        if found is None:
            raise QueryError(
                f"there is no {self.kind} {text!r} in this graph",
                code=f"unknown_{self.kind.replace(' ', '_')}",
                where=where,
                hint=self.closest(text),
            )
        return found

    def closest(self, text: str) -> str:
        """A sentence with the names nearest to `text`, or with the first few where none is near."""
        lowered = {name.lower(): name for name in self._by_name}
        near = difflib.get_close_matches(text.lower(), lowered, n=5, cutoff=0.5)
        if near:
            return f"Closest: {', '.join(lowered[name] for name in near)}"
        some = sorted(self._by_name)[:20]
        more = f" and {len(self._by_name) - 20} more" if len(self._by_name) > 20 else ""
        return f"Known: {', '.join(some)}{more}" if some else f"This graph has no {self.kind}s"
