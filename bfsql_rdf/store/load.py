"""Loading: files to data, data to index; in memory, or as the next generation of a store folder."""

import hashlib
import json
import os
import traceback
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from bfsql_rdf.errors import ProfileError, QueryError, StoreError
from bfsql_rdf.ids import Ids
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.build import Builder
from bfsql_rdf.store.figures import INDEX_VERSION, Figures
from bfsql_rdf.store.findings import study
from bfsql_rdf.store.folder import Folder, damage_told, hold
from bfsql_rdf.store.index import Index
from bfsql_rdf.store.reading import FileInfo, open_reading
from bfsql_rdf.store.search import LazySearch, Search, build_search
from bfsql_rdf.store.source import Source
from bfsql_rdf.wikibase import Wikibase

Progress = Callable[[str, int, int], None]
"""Called with what is read (a file name, or "index"), bytes and quads so far."""


@dataclass
class Meta:
    """What is kept of a generation beside its data: the files it was loaded from and what was found in it."""

    files: list[FileInfo] = field(default_factory=list)
    figures: Figures | None = None
    base_vocab: list[str] = field(default_factory=list)

    @property
    def prefixes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for file in self.files:
            for prefix, iri in file.prefixes.items():
                found.setdefault(prefix, iri)
        return found

    @property
    def star(self) -> frozenset[str]:
        return frozenset(file.digest for file in self.files if file.star)

    @property
    def generation(self) -> str:
        """A word that changes with the data."""
        text = ",".join(f"{file.digest}{file.quads}" for file in self.files)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def to_json(self) -> str:
        figures = self.figures.to_dict() if self.figures else None
        return json.dumps({"files": [asdict(file) for file in self.files], "figures": figures})

    @classmethod
    def from_json(cls, text: str) -> "Meta":
        body = json.loads(text)
        if not isinstance(body, dict):
            raise ValueError("it is no JSON object")
        figures = body.get("figures")
        known = isinstance(figures, dict) and figures.get("version") == INDEX_VERSION
        return cls(
            files=[FileInfo(**file) for file in body["files"]],
            figures=Figures.from_dict(figures) if known and figures else None,
            base_vocab=figures.get("vocab", []) if isinstance(figures, dict) else [],
        )


@dataclass(eq=False)
class Opened:
    """Data and index of one source, ready for queries; `held` keeps a generation from being swept.

    `search` gives the search index, which is opened, or built in memory, when it is first called.
    """

    source: Source
    index: Index
    meta: Meta
    search: Callable[[], Search]
    held: int | None = None

    def __post_init__(self) -> None:
        if self.held is not None:
            weakref.finalize(self, os.close, self.held)


def read_into(
    store: Store,
    names: Sequence[str | os.PathLike[str]],
    *,
    lenient: bool = False,
    graph: str | None = None,
    base: str | None = None,
    format: str | None = None,
    progress: Progress | None = None,
) -> list[FileInfo]:
    """Read files into a data store; raises LoadError, after which the store is not to be used."""
    infos = []
    for name in names:
        report = (lambda size, quads, n=str(name): progress(n, size, quads)) if progress else None
        reading = open_reading(name, lenient=lenient, graph=graph, base=base, format=format, progress=report)
        store.bulk_extend(reading)
        infos.append(reading.info)
    return infos


def build_index(data: Store, target: Store, profile: Profile, meta: Meta, progress: Progress | None = None) -> Index:
    """Build the index of `data` in `target`; fills `meta.figures`."""
    try:
        ids = Ids(profile.prefixes, meta.prefixes)
        source = Source(data, [ids.expand(graph, "graphs") for graph in profile.graphs], ids.prefixes)
        findings = study(source)
        ids = _ids(profile, meta, findings.prefixes, findings.wikibase)
        source.prefixes = ids.prefixes
        builder = Builder(source, profile.completed(findings.profile), ids, findings, meta.star)
        builder.figures.profile, builder.figures.vocab = profile.digest, list(meta.base_vocab)
        target.bulk_extend(_counted(builder.quads(), progress) if progress else builder.quads())
    except QueryError as error:  # only the profile's own ids are read here
        raise ProfileError(error.message, code="bad_profile", where=error.where, hint=error.hint) from None
    meta.figures = builder.figures
    return open_index(target, meta, profile)


def _ids(profile: Profile, meta: Meta, found: dict[str, str], wikibase: Wikibase | None) -> Ids:
    """Ids over the prefixes of the profile, the files, and what was found, in this order."""
    declared = meta.prefixes
    ids = Ids(profile.prefixes, declared | {prefix: iri for prefix, iri in found.items() if prefix not in declared})
    if wikibase is not None:
        ids.recognise = wikibase.recognise
    return ids


def _counted(quads: Iterable[Quad], progress: Progress) -> Iterable[Quad]:
    for number, quad in enumerate(quads, 1):
        if number % 20_000 == 0:
            progress("index", 0, number)
        yield quad


def open_index(store: Store, meta: Meta, profile: Profile) -> Index:
    """The index in a store that was built before."""
    assert meta.figures is not None
    figures = meta.figures
    wikibase = Wikibase.from_dict(figures.wikibase) if figures.wikibase else None
    ids = _ids(profile, meta, figures.prefixes, wikibase)
    index = Index(store, figures, ids, profile.completed(figures.found))
    ids.occurs = lambda iri: index.known(NamedNode(iri))
    return index


def _opened(data: Store, index: Index, meta: Meta, held: int | None = None, search: Path | None = None) -> Opened:
    graphs = [index.ids.expand(graph, "graphs") for graph in index.profile.graphs]
    return Opened(Source(data, graphs, index.ids.prefixes), index, meta, LazySearch(index, search), held)


def open_files(
    names: Sequence[str | os.PathLike[str]],
    profile: Profile,
    *,
    lenient: bool = False,
    progress: Progress | None = None,
) -> Opened:
    """Files read into memory."""
    data = Store()
    meta = Meta(read_into(data, names, lenient=lenient, progress=progress))
    return _opened(data, build_index(data, Store(), profile, meta), meta)


def open_quads(quads: Iterable[Quad], info: FileInfo, profile: Profile) -> Opened:
    """Skolemized quads taken into memory."""
    data = Store()
    data.bulk_extend(quads)
    info.quads = len(data)
    meta = Meta([info])
    return _opened(data, build_index(data, Store(), profile, meta), meta)


def load(
    path: str | os.PathLike[str],
    names: Sequence[str | os.PathLike[str]],
    profile: Profile | None = None,
    *,
    replace: bool = False,
    lenient: bool = False,
    graph: str | None = None,
    base: str | None = None,
    format: str | None = None,
    progress: Progress | None = None,
) -> Meta:
    """Load files into a store folder, whole or not at all; without files the index is built anew.

    `replace` puts them in the place of what was there; otherwise they are added. A profile given is saved with
    the store, otherwise the saved one stays. Raises LoadError or StoreError, after either of which the store
    answers as before.
    """
    folder = Folder(path)
    if not names:
        folder.current()
    with folder.writing() as fresh:
        current = folder.current()
        meta = Meta()
        if current is not None:
            saved = _read_meta(current)
            meta.base_vocab = saved.base_vocab
            profile = profile or Profile.of(current / "profile.toml")
            if not replace:
                meta.files = saved.files
                _data(current).backup(str(fresh / "data"))
        elif not names:
            raise StoreError("the store is empty", code="not_a_store", where=str(path))
        profile = profile or Profile()
        _fill(
            fresh,
            profile,
            meta,
            lambda data: read_into(
                data, names, lenient=lenient, graph=graph, base=base, format=format, progress=progress
            ),
            progress,
        )
        (fresh / "meta.json").write_text(meta.to_json(), encoding="utf-8")
        (fresh / "profile.toml").write_text(profile.to_toml(), encoding="utf-8")
        folder.publish(fresh)
    return meta


def _fill(
    fresh: Path,
    profile: Profile,
    meta: Meta,
    read: Callable[[Store], list[FileInfo]],
    progress: Progress | None,
) -> None:
    """Data and both indexes of a generation; both stores are closed on the way out, whatever happens."""
    data: Store | None = None
    target: Store | None = None
    index: Index | None = None
    try:
        data = Store(str(fresh / "data"))
        meta.files = meta.files + read(data)
        data.flush()
        target = Store(str(fresh / "index"))
        index = build_index(data, target, profile, meta, progress)
        for store in (data, target):
            store.optimize()
            store.flush()
        build_search(index, fresh / "search")
    except BaseException as error:
        # Frames of a traceback would keep the stores open, and RocksDB writing, while the folder is removed.
        traceback.clear_frames(error.__traceback__)
        raise
    finally:
        data = target = store = index = None  # type: ignore[assignment]


def _read_meta(generation: Path) -> Meta:
    try:
        return Meta.from_json((generation / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"meta.json of the current generation is damaged: {error}",
            code="not_a_store",
            where=str(generation),
        ) from None


def open_folder(path: str | os.PathLike[str], profile: Profile | None = None) -> Opened:
    """A store folder opened for reading.

    An index that is missing or of another version is built anew into the store; with a profile other than the
    store's own an index of its own is built in memory, and the store's stays.
    """
    folder = Folder(path)
    generation, held = _hold_current(folder)
    meta = _read_meta(generation)
    own = Profile.of(generation / "profile.toml")
    wanted = profile or own
    if meta.figures is not None and meta.figures.profile == wanted.digest:
        index = _readable(generation / "index")
        if index is not None:
            opened = open_index(index, meta, wanted)
            return _opened(_data(generation), opened, meta, held, generation / "search")
    if wanted.digest == own.digest:
        try:
            load(path, [], own)
        except StoreError as error:
            if error.code not in ("unwritable", "store_busy"):
                raise
        else:
            if held is not None:
                os.close(held)
            return open_folder(path, profile)
    data = _data(generation)
    meta.figures = None
    return _opened(data, build_index(data, Store(), wanted, meta), meta, held)


def _data(generation: Path) -> Store:
    """The data store of a generation; StoreError where it cannot be read."""
    with damage_told():
        return Store.read_only(str(generation / "data"))


def _readable(path: Path) -> Store | None:
    """The index store, None where it is missing, damaged or empty (RocksDB says so with either error)."""
    try:
        store = Store.read_only(str(path))
        return store if next(store.quads_for_pattern(None, None, None, None), None) is not None else None
    except (OSError, RuntimeError):
        return None


def _hold_current(folder: Folder) -> tuple[Path, int | None]:
    while True:
        generation = folder.current()
        if generation is None:
            raise StoreError("the store is empty", code="not_a_store", where=str(folder.path))
        held = hold(generation)
        if folder.current() == generation:
            return generation, held
        if held is not None:
            os.close(held)
