"""Limits of a walk: a hub does not outlast the deadline."""

import subprocess
import sys
from pathlib import Path

import bfsql_rdf
from bfsql_rdf.engine.walk import walk


def test_the_deadline_is_kept_in_the_middle_of_a_hub(tmp_path: Path) -> None:
    path = tmp_path / "hub.nt"
    links = (f"<http://e/hub> <http://e/p> <http://e/{number}> .\n" for number in range(20_000))
    path.write_text("".join(links), encoding="utf-8")
    index = bfsql_rdf.open(path, {"limits": {"timeout": 5}})._index
    readings = []

    def clock() -> float:
        readings.append(0)
        return float(len(readings))

    hub = index.node("http://e/hub", "seeds")
    result = walk(index, index.everything(), [hub], 1, lambda node: node.value, clock)
    assert result.truncated == {"limit": "timeout", "hop": 1, "seconds": 5}
    assert result.layers == [[hub]]
    assert len(readings) < 10


def test_the_pages_of_a_scan_may_be_asked_from_any_thread(tmp_path: Path) -> None:
    path = tmp_path / "many.nt"
    links = (f"<http://e/{number}> <http://e/p> <http://e/{number + 1}> .\n" for number in range(500))
    path.write_text("".join(links), encoding="utf-8")
    code = f"""
import threading, gc, bfsql_rdf
graph = bfsql_rdf.open({str(path)!r})
seen, after, failed = [], None, []
def page():
    global after
    try:
        found = graph.scan_query(edge_predicates=["p"], limit=40, **({{"after": after}} if after else {{}}))
        seen.extend(edge["subject"] for edge in found.edges)
        after = found.next
    except BaseException as error:
        failed.append(error)
while True:
    thread = threading.Thread(target=page)
    thread.start()
    thread.join()
    if after is None or failed:
        break
others = [threading.Thread(target=lambda: graph.scan_query(edge_predicates=["p"], limit=7)) for _ in range(40)]
[thread.start() for thread in others]
[thread.join() for thread in others]
del graph
gc.collect()
print(len(seen), len(set(seen)), failed)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "500 500 []", "")
