"""Every command and snippet of the README runs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bfsql_rdf
from bfsql_rdf import Profile
from bfsql_rdf import __all__ as public

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.S | re.M)
    assert found
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("data", "ontology", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def test_commands_run(checkout: Path) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("bfsql-rdf")]
    assert len(commands) > 5
    for command in commands:
        arguments = shlex.split(command)[1:]
        if arguments[0] == "serve":  # it does not end by itself; tests/serve runs it
            continue
        done = subprocess.run(
            [sys.executable, "-m", "bfsql_rdf.cli", *arguments], cwd=checkout, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout.startswith("# " if arguments[0] == "prompt" else "{"), command


def test_python_snippets_run(checkout: Path) -> None:
    for block in blocks("python"):
        done = subprocess.run([sys.executable, "-c", block], cwd=checkout, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert 'a year is written as text: "2008"' in done.stdout


STYLES = re.findall(r"^```turtle\n(.*?)^```\n\n```json\n(.*?)^```", README, flags=re.S | re.M)


def test_there_is_a_block_for_each_style() -> None:
    assert len(STYLES) == len(blocks("turtle")) == len(blocks("json")) == 5


@pytest.mark.parametrize(("text", "edge"), STYLES)
def test_the_edge_of_each_style_is_as_shown(tmp_path: Path, text: str, edge: str) -> None:
    path = tmp_path / "style.trig"
    path.write_text(text, encoding="utf-8")
    shown = json.loads(edge)
    graph = bfsql_rdf.open(path)
    found = graph.bfs_query(seeds=[shown["subject"]], max_hops=1, truth_status=[shown["truth_status"]]).edges
    assert shown in found


def test_profile_is_a_profile() -> None:
    for block in blocks("toml"):
        body = tomllib.loads(block)
        Profile.of(body)
        assert set(Profile.model_fields) == {*body}


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make ([a-z]+)", README)):
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_public_names_are_documented() -> None:
    for name in public:
        assert f"`{name}`" in README, name
