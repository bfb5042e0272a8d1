"""The explorer's files as they are served, and as they stand in the package."""

import hashlib
import re
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import rdflib

import bfsql_rdf
from bfsql_rdf.serve.explorer import CONTENT_SECURITY_POLICY
from tests.serve.sidecar import serving

PAGE = Path(bfsql_rdf.__file__).parent / "serve" / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(bfsql_rdf.open(rdflib.Graph())) as sidecar:
        yield sidecar.url


def get(url: str, **headers: str) -> tuple[HTTPResponse | HTTPError, str]:
    try:
        with urlopen(Request(url, headers=headers), timeout=10) as response:
            return response, response.read().decode()
    except HTTPError as error:
        with error:
            return error, error.read().decode()


def test_the_page_is_checked_again_and_its_files_are_kept_for_ever(url: str) -> None:
    page, text = get(url)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-cache"
    again, _ = get(url, **{"If-None-Match": page.headers["ETag"]})
    assert again.status == 304
    links = re.findall(r'(?:src|href)="(assets/[^"]+)"', text)
    assert len(links) >= 3
    for link in links:
        asset, _ = get(url + link)
        assert asset.status == 200
        assert "immutable" in asset.headers["Cache-Control"]
        assert asset.headers["X-Content-Type-Options"] == "nosniff"
    kinds = {Path(link).suffix: get(url + link)[0].headers["Content-Type"] for link in links}
    assert kinds[".js"] == "text/javascript; charset=utf-8"
    assert kinds[".css"] == "text/css; charset=utf-8"
    assert kinds[".svg"] == "image/svg+xml"


def test_the_policy_lets_nothing_in_but_the_page_itself(url: str) -> None:
    page, text = get(url)
    assert page.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "http" not in CONTENT_SECURITY_POLICY
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|style=", text)


@pytest.mark.parametrize(
    "path", ["assets/0/main.js", "assets/main.js", "assets/x/../../explorer.py", "assets/0/index.html"]
)
def test_nothing_else_is_served(url: str, path: str) -> None:
    assert get(url + path)[0].status == 404


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_small_and_makes_no_markup(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 400
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://", text
    )
    for name in re.findall(r'from "(\./[^"]+)"', text):
        assert (script.parent / name).is_file(), name


def test_the_drawing_library_is_the_one_that_the_readme_names() -> None:
    readme = (PAGE / "vendor" / "README.md").read_text(encoding="utf-8")
    library = (PAGE / "vendor" / "cytoscape.esm.min.mjs").read_bytes()
    assert hashlib.sha256(library).hexdigest() in readme
    assert re.search(r'"3\.\d+\.\d+"', library.decode())
    assert "Permission is hereby granted" in (PAGE / "vendor" / "cytoscape.LICENSE").read_text(encoding="utf-8")
