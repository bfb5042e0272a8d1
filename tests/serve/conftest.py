"""A real Chromium, graphs to look at, and a page that fails its test when it complains or looks elsewhere."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

import bfsql_rdf
from bfsql_rdf import Graph
from bfsql_rdf.serve.mcp import mcp_app
from tests.serve import protocol
from tests.serve.servers import Running, medical
from tests.serve.servers import serving as serving_http
from tests.serve.sidecar import Sidecar, serving

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
STATE = "Boolean(window.bfsql && bfsql.state().ready && !bfsql.state().running)"
HOSTILE = "<img src=x onerror=alert(1)>"


class Explorer:
    """The page in a browser tab, with what a test asks of it."""

    def __init__(self, page: Page, sidecar: Sidecar) -> None:
        self.page, self.sidecar = page, sidecar
        self.errors: list[str] = []
        self.refused = 0
        self.hosts: set[str] = set()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", self._asked)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _asked(self, dialog: Dialog) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.text.startswith("Failed to load resource"):
            self.refused += 1
        elif message.type in ("error", "warning"):
            self.errors.append(message.text)

    def open(self, primitive: str = "", query: str = "", fragment: str = "") -> "Explorer":
        """Go to the page, with a query in the link or without."""
        self.page.goto(self.sidecar.url + (f"#{primitive}={quote(query)}" if primitive else fragment))
        return self.settle()

    def settle(self, condition: str = STATE) -> "Explorer":
        """Wait until a condition holds; the policy forbids the evaluation that `wait_for_function` needs."""
        deadline = time.monotonic() + 15
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, f"never came true: {condition}; {self.errors}"
            self.page.wait_for_timeout(15)
        return self

    @property
    def state(self) -> dict[str, Any]:
        """What the page says of itself."""
        found: dict[str, Any] = self.page.evaluate("bfsql.state()")
        return found

    @property
    def drawn(self) -> dict[str, dict[str, Any]]:
        """Everything in the drawing, by id."""
        return {one["id"]: one for one in self.page.evaluate("bfsql.drawn()")}

    def ask(self, text: str) -> "Explorer":
        """Type a query as JSON and run it."""
        self.page.fill("#query-text", text)
        self.page.keyboard.press("Control+Enter")
        return self.settle()

    def click(self, drawn: str) -> "Explorer":
        """Click on what is drawn under an id, and wait for the side panel."""
        where = self.page.evaluate("id => bfsql.where(id)", drawn)
        assert where, f"{drawn} is not drawn"
        self.page.mouse.click(where["x"], where["y"])
        self.page.wait_for_selector("#details-title")
        return self.settle("!document.querySelector('#details-body .loading')")

    @property
    def details(self) -> str:
        """The text of the side panel."""
        return self.page.inner_text("#details-body")


def thousand() -> str:
    """A tree of a thousand nodes with some cross links, a hostile label among them."""
    lines = ["@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    lines.append(f'ex:cites rdfs:label "{HOSTILE}" . ex:Paper rdfs:label "<b>Paper</b>" .')
    for number in range(1000):
        label = HOSTILE if number == 3 else f"Node number {number}"
        lines.append(f'ex:n{number} a ex:{("Person", "Paper", "Lab", "Topic")[number % 4]} ; rdfs:label "{label}" .')
        if number:
            lines.append(f"ex:n{number} ex:linksTo ex:n{number // 3} .")
        if number % 7 == 3:
            lines.append(f"ex:n{number} ex:cites ex:n{number * 17 % 1000} .")
    return "\n".join(lines)


@pytest.fixture(scope="module")  # while it is open its thread has a running event loop
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graph]:
    file = tmp_path_factory.mktemp("thousand") / "thousand.ttl"
    file.write_text(thousand(), encoding="utf-8")
    data, traits = ROOT / "data", ROOT / "ontology" / "traits"
    plain = {"prefixes": {"ex": "http://example.org/"}, "names": "label"}
    return {
        "sherlock": bfsql_rdf.open([data / "sherlock.ttl", traits / "sherlock.ttl"], profile=data / "sherlock.toml"),
        "medical": bfsql_rdf.open([data / "medical.ttl", traits / "medical.ttl"], profile=data / "medical.toml"),
        "wikidata": bfsql_rdf.open(data / "wikidata-style.ttl"),
        "thousand": bfsql_rdf.open(file, profile=plain),
        "small": bfsql_rdf.open(file, profile=plain | {"limits": {"max_nodes": 40}}),
    }


@pytest.fixture(scope="session")
def sidecars(graphs: dict[str, Graph]) -> Iterator[dict[str, Sidecar]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(serving(graph)) for name, graph in graphs.items()}


@pytest.fixture
def explorer(chromium: Browser, sidecars: dict[str, Sidecar], request: pytest.FixtureRequest) -> Iterator[Explorer]:
    """The page over the graph that a test names with `@pytest.mark.parametrize("explorer", [...], indirect=True)`."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    sidecar = sidecars[getattr(request, "param", "medical")]
    found = Explorer(context.new_page(), sidecar)
    yield found
    sidecar.token = None
    sidecar.gate.set()
    context.close()
    assert found.errors == []
    assert found.hosts <= {urlsplit(sidecar.url).netloc}


@pytest.fixture(scope="session")
def mcp_url(graph: Graph) -> Iterator[str]:
    """The graph over streamable HTTP, for a further host and a further origin."""
    app = mcp_app(graph, hosts=["graph.example.org"], origins=["https://app.example.org"])
    with protocol.serving(app) as root:
        yield f"{root}/mcp"


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures go: the folder of BFSQL_SCREENSHOTS, or pytest's own."""
    folder = Path(os.environ.get("BFSQL_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def graph() -> Graph:
    return medical()


@pytest.fixture(scope="session")
def server(graph: Graph) -> Iterator[Running]:
    """One HTTP server for all tests that ask nothing special of it."""
    with serving_http(graph) as running:
        yield running
