"""A store folder: generations of data and index side by side, one of them current.

STORE/bfsql.json            which generation is current; replaced by one rename
STORE/lock                  held by the one writer
STORE/g000001/data, index   two Oxigraph stores
STORE/g000001/meta.json     files, prefixes, figures
STORE/g000001/profile.toml  the profile the index was built with
STORE/g000001/in-use        held, shared, by each reader
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bfsql_rdf.errors import StoreError

MARK = "bfsql.json"
_FORMAT = "bfsql-rdf store"
_GENERATION = re.compile(r"g\d{6}")


def is_store(path: Path) -> bool:
    """Whether the folder is a store of ours."""
    return (path / MARK).is_file()


class Folder:
    """The generations of one store folder."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def current(self) -> Path | None:
        """The current generation, None for a folder that holds none yet. StoreError for what is not a store."""
        mark = self.path / MARK
        if not self.path.is_dir():
            raise StoreError("there is no such store folder", code="not_a_store", where=str(self.path))
        if not mark.is_file():
            if any(entry.name != "lock" for entry in self.path.iterdir() if not _ours(entry)):
                raise StoreError(
                    "the folder holds other things and is no store",
                    code="not_a_store",
                    where=str(self.path),
                    hint="Name a new folder: bfsql-rdf load STORE FILE... makes it",
                )
            return None
        try:
            body = json.loads(mark.read_text(encoding="utf-8"))
            generation = self.path / body["current"]
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise StoreError(f"{MARK} is damaged: {error}", code="not_a_store", where=str(self.path)) from None
        if body.get("format") != _FORMAT or not generation.is_dir():
            raise StoreError("the store's current generation is not there", code="not_a_store", where=str(self.path))
        return Path(generation)

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """A fresh generation to fill, as the one writer; it is removed unless `publish` made it current.

        Raises StoreError when another writer has the folder or the folder cannot be written.
        """
        made = not self.path.exists()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = open(self.path / "lock", "w")  # noqa: SIM115 held over the whole block
        except OSError as error:
            raise StoreError(
                f"cannot write the store: {error.strerror}", code="unwritable", where=str(self.path)
            ) from None
        fresh: Path | None = None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StoreError(
                    "another process is writing this store",
                    code="store_busy",
                    where=str(self.path),
                    hint="Wait until it is done; readers go on as before",
                ) from None
            current = self.current()
            self.sweep(current)
            number = 1 + max((int(entry.name[1:]) for entry in self._generations()), default=0)
            fresh = self.path / f"g{number:06d}"
            fresh.mkdir()
            yield fresh
            self.sweep(self.current())
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"writing failed and the store is as it was: {getattr(error, 'strerror', None) or error}",
                code="unwritable",
                where=str(self.path),
                hint="Is the disk full, the folder read-only, or a file of the store damaged?",
            ) from None
        finally:
            if fresh is not None and self._current_name() != fresh.name:
                shutil.rmtree(fresh, ignore_errors=True)
            if made and not (self.path / MARK).exists():
                shutil.rmtree(self.path, ignore_errors=True)
            lock.close()

    def publish(self, fresh: Path) -> None:
        """Make a finished generation current: everything on disk first, then one rename."""
        os.sync()
        body = json.dumps({"format": _FORMAT, "version": 1, "current": fresh.name})
        temporary = self.path / (MARK + ".new")
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path / MARK)
        handle = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def sweep(self, current: Path | None) -> None:
        """Remove generations that are neither current nor in use by a reader."""
        for entry in self._generations():
            if current is not None and entry.name == current.name:
                continue
            try:
                with open(entry / "in-use", "a") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(entry, ignore_errors=True)
            except OSError:
                continue

    def _generations(self) -> list[Path]:
        return [entry for entry in self.path.iterdir() if _GENERATION.fullmatch(entry.name) and entry.is_dir()]

    def _current_name(self) -> str | None:
        try:
            name: Any = json.loads((self.path / MARK).read_text(encoding="utf-8")).get("current")
        except (OSError, ValueError):
            return None
        return str(name)


@contextmanager
def damage_told() -> Iterator[None]:
    """Oxigraph's errors on reading its files (OSError, or RuntimeError for corruption) as a StoreError."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        raise StoreError(
            f"the store's files cannot be read: {error}",
            code="damaged_store",
            hint="Load the files again with --replace, or put the folder back from a copy",
        ) from None


def hold(generation: Path) -> int | None:
    """Hold a generation for reading as long as the descriptor is open; None on a read-only medium."""
    try:
        descriptor = os.open(generation / "in-use", os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError:
        return None
    return descriptor


def _ours(entry: Path) -> bool:
    return entry.name in ("lock", MARK + ".new") or bool(_GENERATION.fullmatch(entry.name))
