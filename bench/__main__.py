"""`python -m bench`: the whole benchmark; `--quick` runs it on a graph of 20,000 statements."""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rdflib
from pyoxigraph import QuerySolutions, RdfFormat, Store

import bfsql_rdf
from bench.baselines import hand_closure, hand_walk, rdflib_walk
from bench.generate import CHAIN, E, V, generate

PROFILE = {"limits": {"max_nodes": 10**7, "max_edges": 10**7, "timeout": 600}}
STUBS: dict[str, Any] = {"node_filter": {"entity_types": []}, "edge_filter": {"predicates": []}}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--statements", type=int, default=500_000)
    parser.add_argument("--quick", action="store_true", help="20,000 statements")
    parser.add_argument("--keep", type=Path, help="a folder to keep the graphs in")
    parser.add_argument("--load-only", nargs=3, metavar=("HOW", "FILE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load_only:
        load_only(*options.load_only)
        return
    statements = 20_000 if options.quick else options.statements
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run(folder, statements)


def load_only(how: str, file: str, folder: str) -> None:
    """One load in a process of its own, so that its peak memory is its own."""
    start = time.perf_counter()
    if how == "raw":
        Store(folder).bulk_load(path=file, format=RdfFormat.N_TRIPLES)
    else:
        bfsql_rdf.load(folder, [file])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(time.perf_counter() - start, peak)


def run(folder: Path, statements: int) -> None:
    large, small = folder / "large.nt", folder / "small.nt"
    generate(large, statements)
    generate(small, statements // 10)
    print(f"graphs of {statements:,} and {statements // 10:,} statements; medians; ratio = ours / theirs\n")
    loads(folder, large)
    bfsql_rdf.load(folder / "small.store", [small])
    raw = Store.read_only(str(folder / "large.raw"))
    graph = bfsql_rdf.open(folder / "large.store", PROFILE)
    print(f"\n{'BFS':34}{'nodes':>8}{'edges':>8}{'ours ms':>10}{'walk ms':>10}{'ratio':>7}  same counts")
    walks("disk", graph, lambda s, h, f: hand_walk(raw, s, h, f), statements)
    memory, held = bfsql_rdf.open(large, PROFILE), Store()
    held.bulk_load(path=str(large), format=RdfFormat.N_TRIPLES)
    walks("memory", memory, lambda s, h, f: hand_walk(held, s, h, f), statements)
    rdf_graph(folder, statements // 10)
    small_graph = bfsql_rdf.open(folder / "small.store", PROFILE)
    same_answer(small_graph, graph)
    closure_and_scan(graph, raw)
    print(f"\npeak memory of this whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB")


def loads(folder: Path, file: Path) -> None:
    """Load with index over raw `bulk_load`, each in a process of its own."""
    found = {}
    for how, name in (("raw", "large.raw"), ("ours", "large.store")):
        command = [sys.executable, "-m", "bench", "--load-only", how, str(file), str(folder / name)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, peak = done.stdout.split()
        size = sum(path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()) // 2**20
        found[how] = float(seconds)
        label = {"raw": "raw bulk_load", "ours": "load with index"}[how]
        print(f"{label:34}{float(seconds):8.1f} s{int(peak):8,} MB peak{size:8,} MB on disk")
    print(f"{'ratio':34}{found['ours'] / found['raw']:8.2f}")


def median(call: Callable[[], Any], budget: float = 6.0) -> tuple[float, Any]:
    """The median in ms of up to seven calls, fewer when they are long; and the last result."""
    times: list[float] = []
    while len(times) < 3 or (len(times) < 7 and sum(times) < budget):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000, result


def walks(where: str, graph: bfsql_rdf.Graph, theirs: Callable[[str, int, bool], Any], statements: int) -> None:
    entities = max(statements // 5, 10)
    for name, seed in (("small", f"{E}{entities - 1}"), ("middling", f"{E}{entities // 50}"), ("hub", f"{E}0")):
        for hops in (1, 2):
            for full in (True, False):
                query = {"seeds": [seed], "max_hops": hops} | ({} if full else STUBS)
                ours, result = median(lambda query=query: graph.bfs_query(query))  # type: ignore[misc]
                walk, (nodes, edges) = median(lambda s=seed, h=hops, f=full: theirs(s, h, f))  # type: ignore[misc]
                same = (len(nodes), len(edges)) == (result.node_count, result.edge_count)
                label = f"{where}, {name} seed, {hops} hop{'s' * (hops > 1)}, {'full' if full else 'stubs'}"
                print(
                    f"{label:34}{result.node_count:8,}{result.edge_count:8,}{ours:10.1f}{walk:10.1f}"
                    f"{ours / walk:7.2f}  {'yes' if same else f'NO: {len(nodes)}, {len(edges)}'}",
                    flush=True,
                )


def rdf_graph(folder: Path, statements: int) -> None:
    """rdflib on the small graph, which it holds as rdf:Statement."""
    file = folder / "small.statements.nt"
    generate(file, statements, style="reification")
    graph = bfsql_rdf.open(file, PROFILE)
    theirs = rdflib.Graph()
    theirs.parse(file, format="nt")
    print(
        f"\n{'BFS against rdflib, small graph':34}{'nodes':>8}{'edges':>8}{'ours ms':>10}{'rdflib ms':>10}{'ratio':>7}"
    )
    walks("rdflib", graph, lambda s, h, f: rdflib_walk(theirs, s, h, f), statements)


def same_answer(small: bfsql_rdf.Graph, large: bfsql_rdf.Graph) -> None:
    query = {"seeds": [f"{E}village0"], "max_hops": 2}
    on_small, one = median(lambda: small.bfs_query(query))
    on_large, other = median(lambda: large.bfs_query(query))
    print(f"\nthe same 2-hop answer ({one.node_count} nodes, equal: {one == other}) on the small and the large graph:")
    print(f"{on_small:.2f} ms and {on_large:.2f} ms, ratio {on_large / on_small:.2f}")
    texts = small.explain("bfs", query)["sparql"]

    def asked(graph: bfsql_rdf.Graph) -> int:
        rows = 0
        for text in texts:
            found = graph.store.query(text, use_default_graph_as_union=True)
            assert isinstance(found, QuerySolutions)
            rows += sum(1 for _ in found)
        return rows

    in_small, few = median(lambda: asked(small))
    in_large, many = median(lambda: asked(large))
    print(f"its SPARQL over the data ({few} and {many} rows): {in_small:.2f} and {in_large:.2f} ms,")
    print(f"ratio {in_large / in_small:.2f}")


def closure_and_scan(graph: bfsql_rdf.Graph, raw: Store) -> None:
    query = {"start": f"{E}chain0", "predicate": "partOf"}
    ours, result = median(lambda: graph.transitive_closure_query(query))
    walk, found = median(lambda: hand_closure(raw, f"{E}chain0", f"{V}partOf"))
    print(f"\nclosure of a chain of {CHAIN:,} ({result.count}, {len(found)}): {ours:.1f} ms, by lookups {walk:.1f} ms,")
    print(f"ratio {ours / walk:.2f}")
    pages, times, after = 0, [], None
    rows = 0
    while pages < 20:
        start = time.perf_counter()
        page = graph.scan_query({"edge_predicates": ["p1"], "limit": 500} | ({"after": after} if after else {}))
        times.append((time.perf_counter() - start) * 1000)
        rows, pages, after = rows + page.edge_count, pages + 1, page.next
        if after is None:
            break
    print(f"scan in pages of 500: first {times[0]:.1f} ms, last of {pages} {times[-1]:.1f} ms, {rows} rows in all,")
    print(f"{rows / sum(times) * 1000:,.0f} rows/s")


if __name__ == "__main__":
    main()
