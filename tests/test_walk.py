"""Limits of a walk: a hub does not outlast the deadline."""

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
