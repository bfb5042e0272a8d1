"""Entities by name: a full-text index beside the index store, built from it and read without it."""

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from urllib.parse import unquote

import tantivy
from tantivy import Document, Occur, Order, Query, Schema, SchemaBuilder, Searcher

from bfsql_rdf.errors import QueryError, StoreError
from bfsql_rdf.store.folding import Folded, fold, parted, typos, unspaced
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.naming import Entity, Naming, degrees

SEARCH_VERSION = 1
"""Raised whenever the search index is built differently; one of another version is not read."""

UNTYPED = "Thing"
"""Stands for the type of nodes without one."""

TIERS = ("written", "exact", "prefix", "words", "near", "far")
"""How a name may match, best first: as written; but for punctuation; its start; its words; with one typo, with two."""

_FLOORS = {"written": 0.9, "exact": 0.8, "prefix": 0.6, "words": 0.4, "near": 0.2, "far": 0.0, "": 1.0}
_FILES = "files.json"
_HEAP = 128_000_000
_END = 65536


@dataclass(frozen=True)
class Hit:
    """An entity that was found: how it matched, and whether one of its labels did."""

    id: str
    tier: str
    score: float
    degree: int
    deprecated: bool
    by_label: bool


def _schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("order", fast=True, tokenizer_name="raw", index_option="basic")
    for name in ("written", "label", "name", "type"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("label_words", "name_words"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    return builder.build()


_SCHEMA = _schema()


@contextmanager
def _told(action: str, code: str, where: Path | None = None) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        place = None if where is None else str(where)
        raise StoreError(f"the search index cannot be {action}: {error}", code=code, where=place) from None


# Building


def build_search(index: Index, path: Path | None) -> "Search":
    """The search index of a graph, in memory, or in a new folder beside an index store on disk.

    One number for each node is held in memory. Raises StoreError where it cannot be written.
    """
    with _told("written", "unwritable", path):
        if path is not None:
            path.mkdir()
        built = tantivy.Index(_SCHEMA, None if path is None else str(path))
        writer = built.writer(_HEAP, 1)
        for document in _documents(index, ordered=path is not None):
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        if path is not None:
            files = {file.name: _fingerprint(file) for file in path.iterdir() if not file.name.startswith(".")}
            (path / _FILES).write_text(json.dumps({"version": SEARCH_VERSION, "files": files}), encoding="utf-8")
        built.reload()
        return Search(built.searcher())


def _documents(index: Index, ordered: bool) -> Iterator[Document]:
    compress, links = index.ids.compress, degrees(index)
    for entity in Naming(index).entities(links, ordered):
        yield _document(entity, compress(entity.node.value))


def _document(entity: Entity, id_: str) -> Document:
    """What is searched of an entity, and the key that sorts it: deprecated last, then by degree, then by id."""
    labels = [Folded(name) for name in dict.fromkeys(entity.labels)]
    local = entity.local
    others = [Folded(name) for name in dict.fromkeys([*entity.aliases, local, parted(local)])]
    named = [*labels, *others]
    reference = fold(unquote(id_.partition(":")[2]))
    return Document(
        order=f"{int(entity.deprecated)}{0xFFFFFFFF - min(entity.degree, 0xFFFFFFFF):08x}{id_}",
        written=list({fold(id_), reference, *[one.written for one in named]} - {""}),
        label=list({one.plain for one in labels} - {""}),
        name=list({one.plain for one in others} - {""}),
        type=entity.types or [UNTYPED],
        label_words=[one.searched for one in labels],
        name_words=[one.searched for one in others],
    )


# Opening


def open_search(path: Path) -> "Search":
    """The search index in a folder, which stays as it is.

    Raises StoreError (`damaged_store`) where it is missing, damaged or of another version.
    """
    with _told("read", "damaged_store", path):
        saved = json.loads((path / _FILES).read_text(encoding="utf-8"))
        if not isinstance(saved, dict) or saved.get("version") != SEARCH_VERSION:
            raise ValueError("it is of another version")
        for name, fingerprint in saved["files"].items():
            if _fingerprint(path / name) != fingerprint:
                raise ValueError(f"{name} is damaged")
        # Opening takes a lock, which writes a file: in a folder of ours, where the medium may be read-only.
        with TemporaryDirectory(prefix="bfsql-search-") as temporary:
            for name in saved["files"]:
                os.symlink((path / name).resolve(), Path(temporary) / name)
            opened = tantivy.Index.open(temporary)
            opened.config_reader("manual")
            return Search(opened.searcher())


def _fingerprint(path: Path) -> list[int]:
    """The size of a file and the checksum of both its ends: all of it would be slow to read."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        number = zlib.crc32(file.read(_END))
        file.seek(max(size - _END, 0))
        return [size, zlib.crc32(file.read(_END), number)]


class LazySearch:
    """The search index of a graph: opened, or else built in memory, when it is first asked for."""

    def __init__(self, index: Index, path: Path | None = None) -> None:
        self._index, self._path = index, path
        self._search: Search | None = None
        self._lock = Lock()

    def __call__(self) -> "Search":
        with self._lock:
            if self._search is None:
                self._search = self._made()
            return self._search

    def _made(self) -> "Search":
        if self._path is not None:
            try:
                return open_search(self._path)
            except StoreError:
                pass
        return build_search(self._index, None)


# Searching


class Search:
    """Finds entities by name. Safe to use from several threads."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher

    def find(self, text: str, types: frozenset[str] | None, limit: int, id_: str | None = None) -> list[Hit]:
        """At most `limit` entities of these types whose names match, best first; `id_` is what the text may mean.

        Raises QueryError (`bad_value`) for text without a letter or digit.
        """
        wanted = Folded(text)
        if not wanted.words:
            raise QueryError(
                "there is no letter or digit in it", code="bad_value", where="query", hint="Give a name, or part of one"
            )
        only = None if types is None else _any([_term("type", iri) for iri in sorted(types)])
        found: dict[str, tuple[str, str, bool]] = {}
        with _told("read", "damaged_store"):
            for tier, by_label, by_any in _queries(wanted, id_):
                labelled = self._first(by_label, only, limit)
                others = self._first(by_any, only, limit)
                rows = sorted((key[:9], key not in labelled, key[9:]) for key in {*labelled, *others})
                for head, other, name in rows:
                    found.setdefault(name, (tier, head, not other))
                if len(found) >= limit:
                    break
        return _hits(found, limit)

    def _first(self, query: Query, only: Query | None, limit: int) -> set[str]:
        """The sorting keys of the first so many entities."""
        query = query if only is None else _all([query, only])
        found = self._searcher.search(query, limit, count=False, order_by_field="order", order=Order.Asc)
        return {str(key) for key, _ in found.hits}


def _hits(found: dict[str, tuple[str, str, bool]], limit: int) -> list[Hit]:
    """Hits with scores that fall wherever the tier, the degree or the kind of name does."""
    hits: list[Hit] = []
    last: tuple[str, str, bool] | None = None
    score = 2.0
    for id_, rank in list(found.items())[:limit]:
        tier, head, by_label = rank
        degree, deprecated = 0xFFFFFFFF - int(head[1:], 16), head[0] == "1"
        if rank != last:
            ceiling = [*_FLOORS.values()][[*_FLOORS].index(tier) - 1]
            share = 0.1 + 0.4 * log2(1 + degree) / 32 + 0.5 * (not deprecated)
            fresh = _FLOORS[tier] + (ceiling - _FLOORS[tier]) * share
            score = round(min(fresh, score - 1e-6), 6)
        last = rank
        hits.append(Hit(id_, tier, score, degree, deprecated, by_label))
    return hits


def _queries(wanted: Folded, id_: str | None) -> Iterator[tuple[str, Query, Query]]:
    """Tier by tier, the query among labels and the one among all names."""
    label, name = _term("label", wanted.plain), _term("name", wanted.plain)
    written = _term("written", wanted.written)
    id_ = id_ and fold(id_)
    meant = [_term("written", id_)] if id_ else []
    yield "written", _all([written, label]), _any([written, *meant])
    yield "exact", label, _any([label, name])
    label, name = _starts("label", wanted.plain), _starts("name", wanted.plain)
    ids = [_starts("written", id_)] if id_ else []
    yield "prefix", label, _any([label, name, *ids])
    most = max(typos(run) for run in wanted.runs)
    for tier, edits in (("words", 0), ("near", 1), ("far", 2)):
        if edits <= most:
            of_labels, of_all = (
                _all([_word(run, edits, fields, place == len(wanted.runs)) for place, run in enumerate(wanted.runs, 1)])
                for fields in (("label_words",), ("label_words", "name_words"))
            )
            yield tier, of_labels, of_all


def _word(run: str, edits: int, fields: Sequence[str], last: bool) -> Query:
    """A word of a name, the last one perhaps begun only; of a script without spaces, a part of one."""
    found: list[Query] = []
    forgiven = min(edits, typos(run))
    for field in fields:
        if unspaced(run):
            if len(run) == 1:
                found.append(_term(field, run))
            elif forgiven:
                chars = [(Occur.Should, _term(field, char)) for char in dict.fromkeys(run)]
                found.append(Query.boolean_query(chars, minimum_number_should_match=max(len(chars) - forgiven, 1)))
            else:
                found.append(Query.phrase_query(_SCHEMA, field, list(run)))
        else:
            found.append(Query.fuzzy_term_query(_SCHEMA, field, run, forgiven) if forgiven else _term(field, run))
            if last:
                found.append(_starts(field, run))
    return _any(found)


def _term(field: str, text: str) -> Query:
    return Query.term_query(_SCHEMA, field, text, "basic")


def _starts(field: str, text: str) -> Query:
    return Query.fuzzy_term_query(_SCHEMA, field, text, 0, True, True)


def _any(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, one) for one in queries])


def _all(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Must, one) for one in queries])
