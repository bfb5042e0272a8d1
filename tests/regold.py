"""Rewrite the golden files of `queries/`, on purpose: `python -m tests.regold`."""

import json
from pathlib import Path
from typing import Any

import bfsql_rdf

ROOT = Path(__file__).parents[1]
QUERIES = ROOT / "queries"
MANIFEST: dict[str, dict[str, Any]] = json.loads((QUERIES / "manifest.json").read_text(encoding="utf-8"))


def names() -> list[str]:
    """The names of all golden queries; each is in the manifest."""
    found = sorted(path.stem for path in QUERIES.glob("*.json") if path.stem != "manifest")
    return [name for name in found if not name.endswith(".out")]


def open_for(name: str) -> bfsql_rdf.Graph:
    entry = MANIFEST[name]
    return bfsql_rdf.open(
        [ROOT / source for source in entry["sources"]], ROOT / entry["profile"] if "profile" in entry else None
    )


def answer(graph: bfsql_rdf.Graph, name: str) -> tuple[dict[str, Any], list[str]]:
    """The answer of a golden query and its SPARQL texts."""
    query = json.loads((QUERIES / f"{name}.json").read_text(encoding="utf-8"))
    primitive = MANIFEST[name]["primitive"]
    ask = {"bfs": graph.bfs_query, "closure": graph.transitive_closure_query, "scan": graph.scan_query}[primitive]
    return ask(query).to_dict(), graph.explain(primitive, query)["sparql"]


def joined(texts: list[str]) -> str:
    return "".join(f"# request {n} of {len(texts)}\n{text}\n" for n, text in enumerate(texts, 1))


def main() -> None:
    for name in names():
        result, texts = answer(open_for(name), name)
        body = json.dumps(result, ensure_ascii=False, indent=2) + "\n"
        (QUERIES / f"{name}.out.json").write_text(body, encoding="utf-8")
        (QUERIES / f"{name}.rq").write_text(joined(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
