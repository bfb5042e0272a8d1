"""Load times, peak memory and size on disk, each load in a process of its own."""

import json
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, Store

import bfsql_rdf
from bench.measure import Table, ratio
from bfsql_rdf.store import load as loading

ROOT = Path(__file__).parents[1]


def load_child(how: str, file: str, folder: str) -> None:
    """One load ("raw" or "ours"); prints its parts in seconds, peak memory and size as JSON."""
    parts: dict[str, float] = {}
    start = time.perf_counter()
    if how == "raw":
        store = Store(folder)
        store.bulk_load(path=file, format=RdfFormat.N_TRIPLES)
        store.flush()
        parts["total"] = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        store.optimize()  # not in the total; the walks read this store and ours is optimized too
        parts["optimize"] = time.perf_counter() - start
    else:
        for name in ("read_into", "build_index"):
            setattr(loading, name, _timed(getattr(loading, name), name, parts))
        bfsql_rdf.load(folder, [file])
        parts["total"] = time.perf_counter() - start
        parts["rest"] = parts["total"] - parts["read_into"] - parts["build_index"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    print(json.dumps(parts | {"peak": peak / 1024, "size": size / 2**20}))


def _timed(call: Callable[..., Any], name: str, parts: dict[str, float]) -> Callable[..., Any]:
    def timed(*given: Any, **keys: Any) -> Any:
        start = time.perf_counter()
        result = call(*given, **keys)
        parts[name] = time.perf_counter() - start
        return result

    return timed


def load_once(how: str, file: Path, folder: Path) -> dict[str, float]:
    """A load into a folder that is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "bench", "--load-only", how, str(file.resolve()), str(folder.resolve())]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def loads(folder: Path, files: dict[str, tuple[Path, int]]) -> None:
    """Both ways over each file so many times, in turns; leaves NAME.raw and NAME.store in the folder."""
    columns = ["seconds", "read", "index", "rest", "peak MB", "disk MB"]
    table = Table("load (seconds; parts)", columns)
    for name, (file, runs) in files.items():
        taken: dict[str, list[dict[str, float]]] = {"raw": [], "ours": []}
        for _ in range(runs):
            taken["raw"].append(load_once("raw", file, folder / f"{name}.raw"))
            taken["ours"].append(load_once("ours", file, folder / f"{name}.store"))
        ours, raw = medians(taken["ours"]), medians(taken["raw"])
        memory = int(raw["peak"]), int(raw["size"])
        label = f"{name} ({runs} run{'s' * (runs > 1)})"
        optimized = f"({raw['optimize']:.1f})"
        table.row(f"{label}, raw bulk_load", raw["total"], raw["total"], "-", optimized, *memory)
        parts = ours["read_into"], ours["build_index"], ours["rest"]
        table.row(f"{label}, load", ours["total"], *parts, int(ours["peak"]), int(ours["size"]))
        table.row(
            "  ratio",
            ratio(ours["total"], raw["total"]),
            ratio(ours["read_into"], raw["total"]),
            ratio(ours["build_index"], raw["total"]),
            "-",
            ratio(ours["peak"], raw["peak"]),
            ratio(ours["size"], raw["size"]),
        )
    print("rest: optimize, flush, publish. Raw optimize, in brackets, is not in its seconds,")
    print("but the walks below read the raw store optimized, as ours is.")


def medians(found: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(one[key] for one in found) for key in found[0]}
