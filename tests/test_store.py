"""A store folder: a load lands whole or not at all, readers keep theirs, the index heals itself."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bfsql_rdf
from bfsql_rdf import LoadError, Profile, StoreError
from bfsql_rdf.store.folder import Folder

PREFIX = "@prefix ex: <http://example.org/> .\n"
QUERY = {"seeds": ["http://example.org/a"], "max_hops": 2}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "one.ttl").write_text(PREFIX + "ex:a ex:p ex:b .", encoding="utf-8")
    (tmp_path / "two.ttl").write_text(PREFIX + "ex:b ex:p ex:c .", encoding="utf-8")
    (tmp_path / "bad.ttl").write_text(PREFIX + "ex:c ex:p\n;;; .", encoding="utf-8")
    bfsql_rdf.load(tmp_path / "store", [tmp_path / "one.ttl"])
    return tmp_path / "store"


def nodes(store: Path) -> list[str]:
    return [node["id"] for node in bfsql_rdf.open(store).bfs_query(QUERY).nodes]


def test_loads_add_or_replace(store: Path) -> None:
    assert nodes(store) == ["ex:a", "ex:b"]
    bfsql_rdf.load(store, [store.parent / "two.ttl"])
    assert nodes(store) == ["ex:a", "ex:b", "ex:c"]
    bfsql_rdf.load(store, [store.parent / "one.ttl"], replace=True)
    assert nodes(store) == ["ex:a", "ex:b"]


def test_an_error_in_the_third_file_leaves_the_store_as_it_was(store: Path) -> None:
    files = [store.parent / name for name in ("one.ttl", "two.ttl", "bad.ttl")]
    with pytest.raises(LoadError, match=r"bad\.ttl:3"):
        bfsql_rdf.load(store, files)
    assert nodes(store) == ["ex:a", "ex:b"]
    assert len([path for path in store.iterdir() if path.name.startswith("g")]) == 1
    with pytest.raises(LoadError):
        bfsql_rdf.load(store.parent / "fresh", files)
    assert not (store.parent / "fresh").exists()


def test_a_reader_keeps_its_generation(store: Path) -> None:
    reader = bfsql_rdf.open(store)
    bfsql_rdf.load(store, [store.parent / "two.ttl"], replace=True)
    bfsql_rdf.load(store, [store.parent / "two.ttl"], replace=True)
    assert [node["id"] for node in reader.bfs_query(QUERY).nodes] == ["ex:a", "ex:b"]


def test_one_writer_at_a_time(store: Path) -> None:
    with Folder(store).writing(), pytest.raises(StoreError, match="another process"):
        bfsql_rdf.load(store, [store.parent / "two.ttl"])
    assert nodes(store) == ["ex:a", "ex:b"]


def test_an_index_that_is_missing_or_old_is_built_anew(store: Path) -> None:
    current = Folder(store).current()
    assert current is not None
    for entry in (current / "index").iterdir():
        entry.unlink()
    assert nodes(store) == ["ex:a", "ex:b"]
    current = Folder(store).current()
    assert current is not None
    meta = json.loads((current / "meta.json").read_text())
    meta["figures"]["version"] = 0
    (current / "meta.json").write_text(json.dumps(meta))
    assert nodes(store) == ["ex:a", "ex:b"]
    assert Folder(store).current() != current


def test_another_profile_never_rewrites_the_stores_own(store: Path) -> None:
    current = Folder(store).current()
    other = bfsql_rdf.open(store, {"languages": ["de"]})
    assert other.bfs_query(QUERY).node_count == 2
    assert Folder(store).current() == current
    assert nodes(store) == ["ex:a", "ex:b"]


def test_a_profile_given_to_index_becomes_the_stores_own(store: Path) -> None:
    bfsql_rdf.load(store, [], Profile.of({"prefixes": {"e": "http://example.org/"}}))
    assert nodes(store) == ["e:a", "e:b"]


@pytest.mark.parametrize("damage", ["{", '{"format": "other", "current": "g000001"}', '{"format": 1}'])
def test_a_damaged_mark_is_an_error(store: Path, damage: str) -> None:
    (store / "bfsql.json").write_text(damage)
    with pytest.raises(StoreError):
        bfsql_rdf.open(store)


def test_kill_at_any_moment_leaves_the_store_answering(store: Path) -> None:
    lines = (
        f"<http://example.org/n{i}> <http://example.org/p> <http://example.org/n{i + 1}> .\n" for i in range(60_000)
    )
    (store.parent / "big.nt").write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "bfsql_rdf.cli", "load", str(store), str(store.parent / "big.nt")]
    for wait in (0.2, 0.5, 0.8, 1.2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=wait)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        assert nodes(store)[:2] == ["ex:a", "ex:b"]
    bfsql_rdf.load(store, [store.parent / "two.ttl"], replace=True)
    assert len([path for path in store.iterdir() if path.name.startswith("g")]) == 1


@pytest.mark.parametrize("damage", ["[]", "{", '{"files": [{"x": 1}]}', "{}"])
def test_a_damaged_meta_is_an_error(store: Path, damage: str) -> None:
    current = Folder(store).current()
    assert current is not None
    (current / "meta.json").write_text(damage)
    with pytest.raises(StoreError, match=r"meta\.json"):
        bfsql_rdf.open(store)


def test_damaged_data_is_an_error_of_ours(store: Path) -> None:
    current = Folder(store).current()
    assert current is not None
    for name in ("data", "index"):
        (current / name / "CURRENT").unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        bfsql_rdf.open(store)
    with pytest.raises(StoreError, match="cannot be read"):
        bfsql_rdf.load(store, [store.parent / "two.ttl"])
    bfsql_rdf.load(store, [store.parent / "two.ttl"], replace=True)
    assert bfsql_rdf.open(store).bfs_query(seeds=["ex:b"], max_hops=1).node_count == 2


def corrupt(folder: Path) -> None:
    for path in folder.glob("*.sst"):
        content = bytearray(path.read_bytes())
        content[: len(content) // 2] = b"\0" * (len(content) // 2)
        path.write_bytes(bytes(content))


def test_a_corrupt_index_is_built_anew_and_corrupt_data_is_an_error_of_ours(store: Path) -> None:
    current = Folder(store).current()
    assert current is not None
    corrupt(current / "index")
    assert nodes(store) == ["ex:a", "ex:b"]
    current = Folder(store).current()
    assert current is not None
    for name in ("data", "index"):
        corrupt(current / name)
    with pytest.raises(StoreError):
        nodes(store)
    assert Folder(store).current() == current
