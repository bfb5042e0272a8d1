"""The package's own shape: imports go downward, the vocabulary in code is the vocabulary on paper."""

import ast
from pathlib import Path

from pyoxigraph import RdfFormat, parse

from bfsql_rdf.terms import BFSQL, LABEL, STATUSES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "bfsql_rdf"
ROOMS = [
    ["errors", "terms"],
    ["positions", "profile", "ids", "models"],
    ["names"],
    ["compiler.text"],
    ["styles"],
    ["compiler.hops"],
    ["store"],
    ["engine"],
    ["graph"],
    ["cli", "__init__"],
]


def floor(module: str) -> int:
    for number, room in enumerate(ROOMS):
        if any(module == name or module.startswith(name + ".") for name in room):
            return number
    return 0 if module in ("", "compiler") else len(ROOMS)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:  # what stands under `if TYPE_CHECKING` is no import
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bfsql_rdf."):
            found.add(node.module.removeprefix("bfsql_rdf."))
    return found


def test_imports_go_downward_only() -> None:
    seen = 0
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for other in imports(path):
            seen += 1
            assert floor(other) <= floor(module), f"{module} imports {other}"
    assert seen > 50


def test_modules_stay_small() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def test_the_vocabulary_is_defined_and_explained() -> None:
    quads = list(parse(path=str(ROOT / "ontology" / "bfsql.ttl"), format=RdfFormat.TURTLE))
    labelled = {str(q.subject) for q in quads if q.predicate == LABEL}
    commented = {str(q.subject) for q in quads if q.predicate.value.endswith("#comment")}
    for name in (*STATUSES, "truthStatus", "position", "extractionMethod", "provenance"):
        assert f"<{BFSQL}{name}>" in labelled & commented, name


def test_the_package_reads_no_file_of_the_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "ontology/" not in text
        assert "queries/" not in text
