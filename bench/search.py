"""`python -m bench.search`: building the search index of a million names, and asking it."""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bfsql_rdf
from bench.generate import RDF, RDFS, E, V
from bench.loads import ROOT
from bench.measure import Table
from bfsql_rdf.store import load as loading
from bfsql_rdf.store import search as searching

SKOS = "http://www.w3.org/2004/02/skos/core#"
_ONSETS = ("", *"bdfghjklmnprstvwz", "br", "dr", "fl", "gr", "kl", "sch", "st", "tr")
_RIMES = (*"aeiouöé", "ai", "an", "ar", "el", "en", "er", "ia", "in", "is", "ol", "on", "or", "ul", "un")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--load-only", nargs=2, metavar=("FILE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load_only:
        load_child(*options.load_only)
        return
    with tempfile.TemporaryDirectory() as temporary:
        file, folder = Path(temporary) / "names.nt", Path(temporary) / "store"
        names = generate(file, options.entities)
        command = [sys.executable, "-m", "bench.search", "--load-only", str(file), str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        body = json.loads(done.stdout)
        table = Table(f"{options.entities:,} entities", ["s", "MB on disk", "peak MB"])
        table.row("the rest of the load", body["load"], body["size"], body["peak"])
        table.row("the search index", body["search"], body["search_size"], body["search_peak"])
        print(f"the search index takes {body['search'] / body['load']:.2f} of the rest of the load")
        ask(bfsql_rdf.open(folder), names, options.calls)


def words(rng: random.Random, number: int) -> list[str]:
    """Words of two to four syllables, each once."""
    found: dict[str, None] = {}
    while len(found) < number:
        syllables = (rng.choice(_ONSETS) + rng.choice(_RIMES) for _ in range(rng.randint(2, 4)))
        found["".join(syllables).capitalize()] = None
    return list(found)


def generate(path: Path, entities: int, seed: int = 7) -> list[str]:
    """Write typed, labelled, linked entities, one in ten with an alias; some of their names are returned."""
    rng = random.Random(seed)
    vocabulary = words(rng, max(entities // 20, 20))

    def name() -> str:
        return " ".join(vocabulary[int(len(vocabulary) * rng.random() ** 2)] for _ in range(rng.randint(1, 3)))

    kept = []
    with open(path, "w", encoding="utf-8") as file:
        for number in range(entities):
            node, label = f"<{E}{number}>", name()
            file.write(f"{node} <{RDF}type> <{V}T{number % 20}> .\n")
            file.write(f'{node} <{RDFS}label> "{label}"@en .\n')
            if number % 10 == 0:
                file.write(f'{node} <{SKOS}altLabel> "{name()}"@en .\n')
            file.write(f"{node} <{V}p{number % 30}> <{E}{int(entities * rng.random() ** 3)}> .\n")
            if number % max(entities // 1000, 1) == 0:
                kept.append(label)
    return kept


def load_child(file: str, folder: str) -> None:
    """The load in a process of its own; prints seconds, peak memory and sizes as JSON."""
    body: dict[str, float] = {}
    build = searching.build_search

    def timed(*given: Any) -> Any:
        body["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        start = time.perf_counter()
        made = build(*given)
        body["search"] = time.perf_counter() - start
        body["search_peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return made

    setattr(loading, "build_search", timed)  # noqa: B010 mypy has no way to assign to a name of a module
    start = time.perf_counter()
    bfsql_rdf.load(folder, [file])
    body["load"] = time.perf_counter() - start - body["search"]
    sizes = {path: path.stat().st_size / 2**20 for path in Path(folder).rglob("*") if path.is_file()}
    body["search_size"] = sum(size for path, size in sizes.items() if path.parent.name == "search")
    body["size"] = sum(sizes.values()) - body["search_size"]
    print(json.dumps(body))


def mistyped(text: str, rng: random.Random) -> str:
    """The text with two neighbouring letters swapped in its longest word."""
    longest = max(text.split(), key=len)
    place = rng.randrange(1, len(longest) - 1)
    swapped = longest[:place] + longest[place + 1] + longest[place] + longest[place + 2 :]
    return text.replace(longest, swapped)


def queries(names: list[str]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rng = random.Random(1)
    yield "exact name", [{"query": name} for name in names]
    yield "id", [{"query": f"{E}{number}"} for number in range(len(names))]
    yield "prefix of 2 letters", [{"query": name[:2]} for name in names]
    yield "prefix of 5 letters", [{"query": name[:5]} for name in names]
    yield "one word", [{"query": rng.choice(name.split())} for name in names]
    yield "words in another order", [{"query": " ".join(reversed(name.split()))} for name in names]
    yield "a typo", [{"query": mistyped(name, rng)} for name in names]
    yield "nothing like it", [{"query": name[::-1] + "xq"} for name in names]
    yield "one word, of one type", [{"query": name.split()[0], "entity_types": ["T3"]} for name in names]
    yield "a typo, of one type", [{"query": mistyped(name, rng), "entity_types": ["T3"]} for name in names]


def ask(graph: bfsql_rdf.Graph, names: list[str], calls: int) -> None:
    """Ten candidates for each query; every call another name."""
    start = time.perf_counter()
    graph.search_entities(query=names[0])
    print(f"opening and the first search: {(time.perf_counter() - start) * 1000:.1f} ms")
    table = Table("search", ["found", "median ms", "p95 ms", "worst ms"])
    for title, asked in queries(names):
        times, found = [], 0
        for query in asked[:calls]:
            start = time.perf_counter()
            found += len(graph.search_entities(query).candidates)
            times.append((time.perf_counter() - start) * 1000)
        times.sort()
        table.row(title, found / len(times), statistics.median(times), times[len(times) * 95 // 100], times[-1])


if __name__ == "__main__":
    main()
