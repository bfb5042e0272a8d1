"""Imports inside the package go downward only, and the public names are those of `__all__`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bfsql_rdf

PACKAGE = Path(bfsql_rdf.__file__).parent
FLOORS = [
    ["errors", "terms", "tokens"],
    ["positions", "profile", "ids", "models", "wikibase"],
    ["names"],
    ["compiler.text", "compiler"],
    ["styles"],
    ["compiler.hops", "compiler.regions", "compiler.surveys"],
    ["store"],
    ["engine"],
    ["remote"],
    ["graph"],
    ["__init__"],
    ["serve"],
    ["cli_source"],
    ["cli_serve"],
    ["cli"],
]
MODULES = sorted(PACKAGE.rglob("*.py"))


def floor(module: str) -> int:
    """The floor of the room with the longest name that the module is in."""
    rooms = [
        (len(room), number)
        for number, names in enumerate(FLOORS)
        for room in names
        if module == room or module.startswith(room + ".")
    ]
    assert rooms, f"{module} has no floor: give it one in FLOORS"
    return max(rooms)[1]


def name_of(path: Path) -> str:
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below, but for what stands under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from statements(child)


def imports(path: Path) -> Iterator[str]:
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found = [node.module or ""]
        else:
            continue
        for name in found:
            if name == "bfsql_rdf":
                yield "__init__"
            elif name.startswith("bfsql_rdf."):
                yield name.removeprefix("bfsql_rdf.")


def test_the_package_has_modules_that_import_each_other() -> None:
    assert sum(len(list(imports(path))) for path in MODULES) > 50


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_nothing_above_it(path: Path) -> None:
    module = name_of(path)
    for other in imports(path):
        assert floor(other) <= floor(module), f"{module} imports {other}"


def test_the_public_names_are_there_sorted_and_documented() -> None:
    assert bfsql_rdf.__all__ == sorted(bfsql_rdf.__all__)
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    for name in bfsql_rdf.__all__:
        thing = getattr(bfsql_rdf, name)
        assert thing.__doc__, name
        assert thing.__module__.startswith("bfsql_rdf."), name
        assert f"`{name}`" in readme, name


def test_a_star_import_gives_what_all_says() -> None:
    space: dict[str, object] = {}
    exec("from bfsql_rdf import *", space)
    assert set(space) - {"__builtins__"} == set(bfsql_rdf.__all__)
