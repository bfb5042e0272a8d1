"""`python -m bench`: the whole benchmark; `--quick` runs it on a graph of 20,000 statements."""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rdflib
from pyoxigraph import QuerySolutions, RdfFormat, Store

import bfsql_rdf
from bench.baselines import Answer, hand_closure, hand_walk, rdflib_walk
from bench.generate import CHAIN, E, V, generate
from bench.loads import load_child, loads
from bench.measure import Table, measure, ratio

PROFILE = {"limits": {"max_nodes": 10**7, "max_edges": 10**7, "timeout": 600}}
STUBS: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--statements", type=int, default=500_000)
    parser.add_argument("--quick", action="store_true", help="20,000 statements, fewer calls")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="a folder to keep the graphs in")
    parser.add_argument("--load-only", nargs=3, metavar=("HOW", "FILE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load_only:
        load_child(*options.load_only)
        return
    statements, runs = (20_000, 3) if options.quick else (options.statements, 5)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run(folder, statements, runs)


def run(folder: Path, statements: int, runs: int) -> None:
    began = time.perf_counter()
    large, small = folder / "large.nt", folder / "small.nt"
    generate(large, statements)
    generate(small, statements // 10)
    calls = "1 to 12" if runs < 5 else f"{runs} or more"
    print(f"graphs of {statements:,} and {statements // 10:,} statements; medians of {calls} calls;")
    print("ratio = ours / theirs; `first` is the first call of ours, with cold caches")
    loads(folder, {"large": (large, 1), "small": (small, runs)})
    raw = Store.read_only(str(folder / "large.raw"))
    graph = bfsql_rdf.open(folder / "large.store", PROFILE)
    walks("BFS on disk", "walk ms", graph, lambda *query: hand_walk(raw, *query), statements, runs)
    same_answer(bfsql_rdf.open(folder / "small.store", PROFILE), graph, runs)
    closure(graph, raw, runs)
    scan(graph, runs)
    memory, held = bfsql_rdf.open(large, PROFILE), Store()
    held.bulk_load(path=str(large), format=RdfFormat.N_TRIPLES)
    walks("BFS in memory", "walk ms", memory, lambda *query: hand_walk(held, *query), statements, runs)
    against_rdflib(folder, statements // 10, runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"\nthis whole run: {time.perf_counter() - began:.0f} s, {peak:,} MB at its peak")


def walks(
    title: str,
    column: str,
    graph: bfsql_rdf.Graph,
    theirs: Callable[[str, int, bool], Answer],
    statements: int,
    runs: int,
) -> None:
    """1 and 2 hops from three seeds, full and stubbed; both sides must find as many nodes and edges."""
    table = Table(title, ["nodes", "edges", "first ms", "ours ms", column, "ratio", "same count"])
    entities = max(statements // 5, 10)
    seeds = {"small": entities - 1, "middling": max(entities // 100, 2), "hub": max(entities // 20_000, 1)}
    cases = [(name, f"{E}{number}", hops) for name, number in seeds.items() for hops in (1, 2)]
    if "disk" in title:  # two hops from the greatest hub, 85,921 edges of the large graph, take minutes
        cases.append(("greatest", f"{E}0", 1))
    for name, seed, hops in cases:
        for full in (True, False):
            query = {"seeds": [seed], "max_hops": hops} | ({} if full else STUBS)
            ours, answer = measure(lambda query=query: graph.bfs_query(query), runs)  # type: ignore[misc]
            other, found = measure(lambda s=seed, h=hops, f=full: theirs(s, h, f), runs)  # type: ignore[misc]
            counts = answer.node_count, answer.edge_count
            nodes, edges = len(found[0]), len(found[1])
            table.row(
                f"{name} seed, {hops} hop{'s' * (hops > 1)}, {'full' if full else 'stubs'}",
                *counts,
                ours.first,
                ours.median,
                other.median,
                ratio(ours.median, other.median),
                "yes" if counts == (nodes, edges) else f"NO: {nodes}, {edges}",
            )


def against_rdflib(folder: Path, statements: int, runs: int) -> None:
    """rdflib, which reads no triple terms, on the small graph as rdf:Statement; ours reads the same file."""
    file = folder / "small.statements.nt"
    generate(file, statements, style="reification")
    graph = bfsql_rdf.open(file, PROFILE)
    theirs = rdflib.Graph()
    theirs.parse(file, format="nt")
    title = "BFS in memory, small graph"
    walks(title, "rdflib ms", graph, lambda *query: rdflib_walk(theirs, *query), statements, runs)


def same_answer(small: bfsql_rdf.Graph, large: bfsql_rdf.Graph, runs: int) -> None:
    """The village, whose 2-hop answer is the same on both graphs."""
    query = {"seeds": [f"{E}village0"], "max_hops": 2}
    on_small, one = measure(lambda: small.bfs_query(query), runs)
    on_large, other = measure(lambda: large.bfs_query(query), runs)
    table = Table("the same 2-hop answer", ["rows", "small ms", "large ms", "ratio"])
    times = on_small.median, on_large.median
    table.row("bfs_query, full", one.edge_count, *times, ratio(times[1], times[0]))
    texts = small.explain("bfs", query)["sparql"]

    def asked(graph: bfsql_rdf.Graph) -> int:
        rows = 0
        for text in texts:
            found = graph.store.query(text, use_default_graph_as_union=True)
            assert isinstance(found, QuerySolutions)
            rows += sum(1 for _ in found)
        return rows

    in_small, few = measure(lambda: asked(small), runs)
    in_large, many = measure(lambda: asked(large), runs)
    times = in_small.median, in_large.median
    rows: object = few if few == many else f"NO: {few}, {many}"
    table.row("its SPARQL over the data", rows, *times, ratio(times[1], times[0]))
    print(f"the answers are equal: {one == other}")


def closure(graph: bfsql_rdf.Graph, raw: Store, runs: int) -> None:
    query = {"start": f"{E}chain0", "predicate": "partOf"}
    ours, result = measure(lambda: graph.transitive_closure_query(query), runs)
    walk, found = measure(lambda: hand_closure(raw, f"{E}chain0", f"{V}partOf"), runs)
    same = "yes" if result.count == len(found) else f"NO: {len(found)}"
    table = Table("closure", ["entities", "ours ms", "lookups ms", "ratio", "same count"])
    label = f"chain of at most {CHAIN:,}, on disk"
    table.row(label, result.count, ours.median, walk.median, ratio(ours.median, walk.median), same)


def scan(graph: bfsql_rdf.Graph, runs: int) -> None:
    """One predicate page by page, as a reader would; every run walks to the end."""
    limit = 500
    first: list[float] = []
    tenth: list[float] = []
    whole: list[float] = []
    for _ in range(runs):
        times: list[float] = []
        rows, after = 0, None
        while not times or after is not None:
            start = time.perf_counter()
            query = {"edge_predicates": ["p1"], "limit": limit} | ({"after": after} if after else {})
            page = graph.scan_query(query)
            times.append((time.perf_counter() - start) * 1000)
            rows, after = rows + page.edge_count, page.next
        first.append(times[0])
        tenth.append(times[min(9, len(times) - 1)])
        whole.append(sum(times))
    middle = [sorted(one)[runs // 2] for one in (first, tenth, whole)]
    number = f"page {min(10, len(times))} ms"
    table = Table("scan", ["rows", "pages", "page 1 ms", number, "all ms", "rows/s"])
    speed = int(rows / middle[2] * 1000)
    table.row(f"one predicate, pages of {limit}, disk", rows, len(times), *middle, speed)


if __name__ == "__main__":
    main()
