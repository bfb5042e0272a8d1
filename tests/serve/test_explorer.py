"""The explorer in a real browser: ask, draw, look closer, and nothing that should not happen."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.serve.conftest import HOSTILE, Explorer

CUSHING = "UMLS:C0085084"
over = pytest.mark.parametrize


def query(**keys: Any) -> str:
    return json.dumps(keys)


def test_search_choose_run_and_the_drawing_has_the_nodes(explorer: Explorer, screenshots: Path) -> None:
    page = explorer.open().page
    assert "Where to begin" in page.inner_text("#empty")
    page.fill("#search", "cushing")
    option = page.wait_for_selector("#candidates [role=option]")
    assert option is not None
    assert "Cushing's syndrome" in option.inner_text()
    assert "Disease" in option.inner_text()
    assert CUSHING in option.inner_text()
    option.click()
    assert "Cushing's syndrome" in page.inner_text("#seeds")
    assert json.loads(page.input_value("#query-text")) == {"seeds": [CUSHING], "max_hops": 1}
    page.click("#run")
    explorer.settle()
    answer = explorer.sidecar.graph.bfs_query(seeds=[CUSHING], max_hops=1)
    assert explorer.state["drawn"] == {"nodes": answer.node_count, "edges": answer.edge_count}
    assert set(explorer.drawn) >= {node["id"] for node in answer.nodes}
    assert "seed" in explorer.drawn[CUSHING]["classes"]
    assert f"{answer.node_count} nodes, {answer.edge_count} edges" in page.inner_text("#figures")
    page.screenshot(path=screenshots / "light.png")


def test_a_click_shows_everything_about_a_node(explorer: Explorer) -> None:
    stubs = query(seeds=[CUSHING], max_hops=1, node_filter={"entity_types": []})
    explorer.open("bfs", stubs).click("DRUG:ketoconazole")
    assert "stub" in explorer.drawn["DRUG:ketoconazole"]["classes"]
    assert "Ketoconazole" in explorer.details
    assert "drug_class\tazole" in explorer.details
    assert "a stub in the answer" in explorer.details
    explorer.page.click("#details-body .connections .link >> nth=0")
    explorer.settle("!document.querySelector('#details-body .loading')")
    assert explorer.state["selected"]["node"] != "DRUG:ketoconazole"
    explorer.page.keyboard.press("Escape")
    assert explorer.page.is_hidden("#details")


def test_a_click_shows_an_edge_with_its_statements_and_provenance(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=1))
    edge = next(key for key, one in explorer.drawn.items() if key.startswith("edge") and "ketoconazole" in key)
    explorer.click(edge)
    assert "stmt:ketoconazole-treats-cushing-review" in explorer.details
    assert "2008-05-21" in explorer.details
    assert explorer.page.locator("#details-body .evidence .evidence").count() == 2


def test_expanding_merges_one_more_hop_and_can_be_undone(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).click("DRUG:mifepristone")
    before = explorer.state["drawn"]["nodes"]
    where = explorer.page.evaluate("bfsql.where('UMLS:C0011860')")
    explorer.page.click("#expand")
    explorer.settle().settle("!document.querySelector('#details-body .loading')")
    assert explorer.state["drawn"]["nodes"] > before
    assert "GENE:NR3C1" in explorer.drawn
    assert explorer.page.evaluate("bfsql.where('UMLS:C0011860')") == pytest.approx(where, abs=2)
    assert "1 expansion" in explorer.page.inner_text("#figures")
    explorer.page.click("#unmerge")
    assert explorer.state["drawn"]["nodes"] == before


def test_starting_from_a_node_replaces_the_seeds(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).click("DRUG:mifepristone")
    explorer.page.click("#start-here")
    explorer.settle()
    assert explorer.state["query"] == {"seeds": ["DRUG:mifepristone"], "max_hops": 1}
    assert "seed" in explorer.drawn["DRUG:mifepristone"]["classes"]


def test_an_error_stands_beside_the_query_with_code_place_and_hint(explorer: Explorer, screenshots: Path) -> None:
    explorer.open().ask(query(seeds=[CUSHING], max_hops=1, as_of=2008))
    box = explorer.page.inner_text("#problem")
    assert "as_of_kind" in box
    assert "as_of" in box
    assert 'a year is written as text: "2008"' in box
    assert "wrong" in (explorer.page.get_attribute("[data-key=as_of]", "class") or "")
    explorer.page.click("#problem .link")
    marked = "(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.querySelector('#query-text'))"
    assert explorer.page.evaluate(marked) == '"as_of"'
    explorer.page.screenshot(path=screenshots / "error.png")
    explorer.ask(query(seeds=[CUSHING], max_hops=1, as_of="2008"))
    assert explorer.page.is_hidden("#problem")
    explorer.ask(query(seeds=[CUSHING], max_hops=-1))
    assert "still the answer to the query before" in explorer.page.inner_text("#notices")
    assert explorer.refused == 2


def test_broken_json_says_where_and_is_not_sent(explorer: Explorer) -> None:
    explorer.open()
    asked = explorer.sidecar.calls.count("bfs_query")
    explorer.ask('{"seeds": ["a:b"],\n "max_hops": }')
    assert "line 2, column 14" in explorer.page.inner_text("#query-note")
    assert explorer.page.get_attribute("#query-text", "aria-invalid") == "true"
    assert explorer.page.is_disabled("#hops")
    assert explorer.sidecar.calls.count("bfs_query") == asked
    assert explorer.state["drawn"]["nodes"] == 0
    explorer.page.fill("#query-text", '{"seeds": ["a:b"], "max_hops": 1, "node_types": ["Drug"]}')
    explorer.settle("document.querySelector('#query-note').textContent.includes('node_types')")


def test_the_form_writes_the_query_and_reads_it_back(explorer: Explorer) -> None:
    page = explorer.open().page
    page.fill("#seed-id", CUSHING)
    page.keyboard.press("Enter")
    page.fill("#hops", "2")
    page.check("#statuses input[value=disputed]")
    page.check("#traits input[value=Inverse]")
    page.check("#node-filter input[value=these]", force=True)
    page.check("#node-filter input[data-name=Drug]")
    page.check("#edge-filter input[value=none]", force=True)
    page.check("#as-of-on")
    page.fill("#as-of-exact", "2012")
    page.keyboard.press("Tab")
    written = json.loads(page.input_value("#query-text"))
    assert written == {
        "seeds": [CUSHING],
        "max_hops": 2,
        "truth_status": ["asserted_true", "disputed"],
        "as_of": "2012",
        "expand_traits": ["Inverse"],
        "node_filter": {"entity_types": ["Drug"]},
        "edge_filter": {"predicates": []},
    }
    page.fill("#query-text", query(seeds=[CUSHING, "DRUG:mifepristone"], max_hops=3, node_filter={"entity_types": []}))
    explorer.settle("document.querySelector('#hops').value === '3'")
    assert page.locator("#seeds .chip").count() == 2
    assert page.is_checked("#node-filter input[value=none]")
    assert not page.is_checked("#as-of-on")
    assert not page.is_checked("#statuses input[value=disputed]")
    page.click("#seeds .chip button >> nth=1")
    assert json.loads(page.input_value("#query-text"))["seeds"] == [CUSHING]


def test_the_slider_moves_through_the_dates_of_the_graph(explorer: Explorer) -> None:
    page = explorer.open("bfs", query(seeds=[CUSHING], max_hops=1, as_of="2012-01-01")).page
    page.focus("#as-of-slider")
    page.keyboard.press("Home")
    assert explorer.state["query"]["as_of"] == "2004-06-01"
    assert page.input_value("#as-of-exact") == "2004-06-01"
    page.keyboard.press("ArrowRight")
    assert explorer.state["query"]["as_of"] == "2004-06-02"


@over("explorer", ["sherlock"], indirect=True)
def test_statements_are_diamonds_and_their_status_is_seen(explorer: Explorer) -> None:
    statuses = ["asserted_true", "disputed", "retracted"]
    explorer.open("bfs", query(seeds=["wiki:Sherlock_Holmes"], max_hops=2, truth_status=statuses))
    answer = explorer.sidecar.graph.bfs_query(seeds=["wiki:Sherlock_Holmes"], max_hops=2, truth_status=statuses)
    assert explorer.state["drawn"]["nodes"] == answer.node_count
    loves = explorer.drawn["stmt:holmes-loves-irene"]
    assert loves["label"] == "Loves · disputed"
    assert {"statement", "disputed"} <= set(loves["classes"])
    plain = explorer.page.evaluate("bfsql.colour('stmt:holmes-possesses-portrait')")
    assert explorer.page.evaluate("bfsql.colour('stmt:holmes-loves-irene')") != plain
    assert "disputed" in explorer.page.inner_text("#legend")
    assert explorer.page.input_value("#as-of-slider") is not None
    explorer.page.check("#collapse")
    assert explorer.state["drawn"]["nodes"] < answer.node_count
    assert "Possesses" in {one.get("label") for one in explorer.drawn.values()}


@over("explorer", ["sherlock"], indirect=True)
def test_stubs_of_statements_are_joined_to_what_they_are_about(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=["wiki:Irene_Adler"], max_hops=1, node_filter={"entity_types": []}))
    touching = {one["target"] for one in explorer.drawn.values() if one.get("source") == "wiki:Irene_Adler"}
    assert "stmt:irene-married-norton" in touching
    assert "stub" in explorer.drawn["stmt:irene-married-norton"]["classes"]
    assert "outside" in explorer.drawn["wiki:Godfrey_Norton"]["classes"]


def test_a_status_is_seen_on_an_edge(explorer: Explorer) -> None:
    statuses = ["asserted_true", "disputed", "hypothetical", "retracted"]
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=3, truth_status=statuses))
    for status in statuses[1:]:
        marked = [one for one in explorer.drawn.values() if status in one["classes"]]
        assert [one["label"].endswith(f" · {status}") for one in marked] == [True]
        assert status in explorer.page.inner_text("#legend")


def test_a_type_can_be_dimmed_and_the_drawing_saved(explorer: Explorer) -> None:
    page = explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).page
    page.click("#legend .key:has-text('Drug')")
    assert page.get_attribute("#legend .key:has-text('Drug')", "aria-pressed") == "false"
    assert "dim" in explorer.drawn["DRUG:mifepristone"]["classes"]
    with page.expect_download() as download:
        page.click("#save-png")
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_derived_edges_are_dashed_and_say_why(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=1, expand_traits=["Inverse"]))
    derived = [one for one in explorer.drawn.values() if one.get("derived")]
    assert derived
    assert all("derived" in one["classes"] for one in derived)
    explorer.click(derived[0]["id"])
    assert "derived: Inverse(" in explorer.details


@over("explorer", ["wikidata"], indirect=True)
def test_the_labels_of_an_answer_name_its_stubs(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=["Q7186"], max_hops=1, node_filter={"entity_types": []}))
    labels = explorer.sidecar.graph.bfs_query(seeds=["Q7186"], max_hops=1, node_filter={"entity_types": []}).labels
    assert labels
    for node, label in labels.items():
        assert explorer.drawn.get(node, {"label": label})["label"] == label
    assert explorer.drawn["wd:Q1128"]["label"] == "radium"


@over("explorer", ["small"], indirect=True)
def test_what_was_cut_and_why_is_said(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=["ex:n0"], max_hops=5, node_filter={"entity_types": ["Zork"]}))
    said = explorer.page.inner_text("#notices")
    assert "This is part of the answer." in said
    assert "max_nodes" in said
    assert re.search(r"at hop \d", said)
    assert re.search(r"\d+ nodes? and \d+ edges? left out", said)
    assert "Zork" in said


def test_unknown_seeds_and_an_empty_answer_are_said(explorer: Explorer) -> None:
    explorer.open("bfs", query(seeds=[CUSHING, "UMLS:nothing"], max_hops=1))
    assert "Not in this graph: UMLS:nothing" in explorer.page.inner_text("#notices")
    assert explorer.page.is_hidden("#empty")
    explorer.open("scan", query(edge_predicates=["AUTHORED"], truth_status=["retracted"]))
    explorer.page.reload()
    explorer.settle()
    assert "Nothing matches" in explorer.page.inner_text("#empty")


def test_a_link_holds_the_query_and_back_and_forward_work(explorer: Explorer) -> None:
    first = query(seeds=[CUSHING], max_hops=1)
    explorer.open("bfs", first)
    small = explorer.state["nodes"]
    explorer.ask(query(seeds=[CUSHING], max_hops=2))
    large = explorer.state["nodes"]
    assert large > small
    assert '"max_hops":2' in unquote(explorer.page.url)
    explorer.page.go_back()
    explorer.settle(f"bfsql.state().nodes === {small} && !bfsql.state().running")
    assert json.loads(explorer.page.input_value("#query-text")) == json.loads(first)
    explorer.page.go_forward()
    explorer.settle(f"bfsql.state().nodes === {large} && !bfsql.state().running")
    explorer.page.reload()
    explorer.settle()
    assert explorer.state["nodes"] == large
    explorer.open(fragment="#bfs=%7Bbroken")
    explorer.page.reload()
    explorer.settle()
    assert "bad_link" in explorer.page.inner_text("#problem")


def test_closures_and_scans_are_asked_and_paged(explorer: Explorer) -> None:
    explorer.open("closure", query(start=CUSHING, predicate="ASSOCIATED_WITH"))
    assert explorer.page.input_value("#start") == CUSHING
    count = explorer.sidecar.graph.transitive_closure_query(start=CUSHING, predicate="ASSOCIATED_WITH").count
    assert explorer.state["nodes"] == count + 1
    explorer.page.check("input[name=primitive][value=scan]", force=True)
    explorer.page.check("#edge-predicates input[data-name=label]")
    explorer.page.fill("#limit", "12")
    explorer.page.press("#limit", "Control+Enter")
    explorer.settle()
    assert explorer.state["query"] == {"edge_predicates": ["label"], "limit": 12}
    assert explorer.state["edges"] == 12
    assert sum(one.get("kind") == "value" for one in explorer.drawn.values()) == 12
    explorer.page.click("#next-page")
    explorer.settle()
    assert "after" in explorer.state["query"]
    labels = explorer.sidecar.graph.scan_query(edge_predicates=["label"]).edge_count
    assert explorer.state["edges"] == labels - 12
    assert explorer.page.is_hidden("#next-page")


def test_the_answer_and_its_sparql_can_be_copied(explorer: Explorer) -> None:
    page = explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).page
    page.click("#tab-answer")
    answer = explorer.sidecar.graph.bfs_query(seeds=[CUSHING], max_hops=1)
    assert json.loads(page.inner_text("#answer-body pre")) == answer.to_dict()
    size = len(answer.to_json().encode())
    assert f"{size / 1000:.1f} kB" in page.inner_text("#answer-size")
    page.click("#answer-body button:text-is('Copy compact')")
    page.wait_for_selector("#answer-body button:text-is('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == answer.to_json()
    page.click("#tab-sparql")
    page.wait_for_selector("#sparql-body pre")
    assert "SELECT" in page.inner_text("#sparql-body pre >> nth=0")
    page.click("#sparql-body button:text-is('Copy') >> nth=0")
    page.wait_for_selector("#sparql-body button:text-is('Copied')")


def test_the_list_has_the_same_nodes_and_edges(explorer: Explorer) -> None:
    page = explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).page
    page.click("#tab-list")
    assert page.locator("#nodes-table tbody tr").count() == explorer.state["nodes"]
    assert page.locator("#edges-table tbody tr").count() == explorer.state["edges"]
    page.click("#sort-nodes-0")
    names = page.locator("#nodes-table tbody tr td:first-child").all_inner_texts()
    assert names == sorted(names, key=str.lower)
    page.fill("#list-filter", "mifepristone")
    explorer.settle("document.querySelectorAll('#nodes-table tbody tr').length === 1")
    page.click("#edges-table tbody .link >> nth=0")
    assert "Mifepristone" in explorer.details


def test_a_slow_query_can_be_cancelled(explorer: Explorer) -> None:
    page = explorer.open().page
    explorer.sidecar.gate.clear()
    page.fill("#query-text", query(seeds=[CUSHING], max_hops=1))
    page.click("#run")
    assert page.is_visible("#progress")
    assert page.get_attribute(".result", "aria-busy") == "true"
    page.click("#cancel")
    assert page.is_hidden("#progress")
    assert explorer.state["nodes"] == 0
    explorer.sidecar.gate.set()
    page.click("#run")
    explorer.settle()
    assert explorer.state["nodes"] > 1


def test_a_token_is_asked_for_once_and_kept_for_the_tab(explorer: Explorer) -> None:
    explorer.sidecar.token = "open sesame"
    page = explorer.page
    page.goto(explorer.sidecar.url)
    page.fill("#token", "open sesame")
    page.keyboard.press("Enter")
    explorer.settle()
    assert page.is_hidden("#token-dialog")
    explorer.ask(query(seeds=[CUSHING], max_hops=1))
    assert explorer.state["nodes"] > 1
    page.reload()
    explorer.settle()
    assert page.is_hidden("#token-dialog")


def test_dark_follows_the_system_and_the_switch_is_kept(explorer: Explorer, screenshots: Path) -> None:
    page = explorer.page
    page.emulate_media(color_scheme="dark")
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=2, expand_traits=["Inverse"]))
    assert page.get_attribute("html", "data-theme") == "dark"
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    explorer.click("DRUG:ketoconazole")
    page.screenshot(path=screenshots / "dark.png")
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "light"
    assert page.evaluate(ground) != dark
    page.reload()
    explorer.settle()
    assert page.get_attribute("html", "data-theme") == "light"


@over("explorer", ["thousand"], indirect=True)
def test_a_thousand_nodes_are_laid_out_within_seconds(explorer: Explorer, screenshots: Path) -> None:
    explorer.open("bfs", query(seeds=["ex:n0"], max_hops=10))
    state = explorer.state
    assert state["drawn"]["nodes"] == 1000
    assert state["layoutMs"] < 6000
    explorer.page.screenshot(path=screenshots / "thousand.png")
    explorer.page.select_option("#layout-style", "rings")
    explorer.settle()
    assert explorer.state["layoutMs"] < 6000
    explorer.page.click("#tab-list")
    assert "Nodes (1,000)" in explorer.page.inner_text("#lists")


def test_the_drawing_stops_at_three_thousand_and_says_so(explorer: Explorer) -> None:
    nodes = [{"id": f"DRUG:{number}", "entity_type": "Drug"} for number in range(3200)]
    edges = [{"subject": "DRUG:0", "predicate": "TREATS", "object": node["id"]} for node in nodes[1:]]
    body = {"seeds": ["DRUG:0"], "max_hops": 1, "node_count": 3200, "edge_count": 3199, "nodes": nodes, "edges": edges}
    body |= {"truncated": {"limit": "timeout", "hop": 2, "seconds": 30}}
    explorer.page.route("**/bfs_query", lambda route: route.fulfill(json=body))
    explorer.open("bfs", query(seeds=["DRUG:0"], max_hops=1))
    assert explorer.state["drawn"] == {"nodes": 3000, "edges": 2999}
    said = explorer.page.inner_text("#notices")
    assert "The drawing stops at 3,000 nodes. 200 nodes more are in the list view" in said
    assert "cut at hop 2 by the server's time limit (timeout), 30 s" in said
    explorer.page.click("#tab-list")
    assert "Nodes (3,200)" in explorer.page.inner_text("#lists")


def test_an_answer_that_is_no_json_and_a_dead_server_are_told(explorer: Explorer) -> None:
    explorer.open()
    broken = "<html>502 Bad Gateway</html>"
    explorer.page.route("**/bfs_query", lambda route: route.fulfill(status=502, content_type="text/html", body=broken))
    explorer.ask(query(seeds=[CUSHING], max_hops=1))
    assert "http_502" in explorer.page.inner_text("#problem")
    assert broken in explorer.page.inner_text("#problem")
    explorer.page.unroute("**/bfs_query")
    explorer.page.route("**/bfs_query", lambda route: route.abort())
    explorer.ask(query(seeds=[CUSHING], max_hops=2))
    assert "unreachable" in explorer.page.inner_text("#problem")


@over("explorer", ["thousand"], indirect=True)
def test_text_of_the_graph_is_never_markup(explorer: Explorer) -> None:
    page = explorer.open("bfs", query(seeds=["ex:n3"], max_hops=1)).page
    assert explorer.drawn["ex:n3"]["label"] == HOSTILE
    explorer.click("ex:n3")
    assert HOSTILE in page.inner_text("#details-title")
    page.click("#tab-list")
    assert HOSTILE in page.inner_text("#lists")
    page.click("#tab-answer")
    page.fill("#search", "img onerror")
    page.wait_for_selector("#candidates [role=option]")
    assert HOSTILE in page.inner_text("#candidates")
    page.keyboard.press("Enter")
    explorer.ask(query(seeds=[f"ex:{HOSTILE}"], max_hops=1))
    assert explorer.state["problem"]
    assert page.locator("img").count() == 0
    assert page.locator("b").count() == 0


def test_everything_can_be_done_from_the_keyboard(explorer: Explorer) -> None:
    page = explorer.open().page
    page.keyboard.press("/")
    page.keyboard.type("cushing")
    page.wait_for_selector("#candidates [role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.get_attribute("#search", "aria-activedescendant") == "candidate-0"
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    explorer.settle()
    page.focus("#tab-graph")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-list", "aria-selected") == "true"
    page.keyboard.press("ArrowLeft")
    page.focus("#canvas")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    explorer.settle("document.querySelector('#announcer').textContent.includes('edge')")
    page.keyboard.press("Enter")
    explorer.settle("!document.querySelector('#details-body .loading')")
    assert explorer.state["selected"]["node"] != CUSHING
    page.focus("#expand")
    page.keyboard.press("Enter")
    explorer.settle()
    assert "expansion" in page.inner_text("#figures")
    page.keyboard.press("Escape")
    assert page.is_hidden("#details")


NAMELESS = """
[...document.querySelectorAll('button, input, select, textarea, [role=tab], [tabindex="0"]')].filter((one) => {
  if (!one.checkVisibility()) return false;
  const labelled = one.getAttribute('aria-label') || one.getAttribute('aria-labelledby');
  return !(labelled || one.labels?.length || one.textContent.trim());
}).map((one) => one.outerHTML)
"""
FAINT = """
(() => {
  const light = (colour) => {
    const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => linear(Number(c) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent|color\\(/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  for (const one of document.querySelectorAll('body *')) {
    const words = [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!words || !one.checkVisibility() || one.closest(':disabled, [aria-pressed=false]')) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${one.tagName}.${one.className} ${ratio.toFixed(2)} ${one.textContent.slice(0, 40)}`);
  }
  return found;
})()
"""


@over("theme", ["light", "dark"])
def test_every_control_has_a_name_and_every_text_contrast(explorer: Explorer, theme: str) -> None:
    page = explorer.page
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    statuses = ["asserted_true", "disputed", "hypothetical", "retracted"]
    explorer.open("bfs", query(seeds=[CUSHING, "UMLS:none"], max_hops=2, as_of="2014", truth_status=statuses))
    explorer.click(CUSHING)
    for tab in ("graph", "list", "answer", "sparql"):
        page.click(f"#tab-{tab}")
        explorer.settle("!document.querySelector('.pane:not([hidden]) .loading')")
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(FAINT) == []
    explorer.ask(query(seeds=[CUSHING], max_hops=-1))
    assert page.evaluate(FAINT) == []
    ids = "[...document.querySelectorAll('[id]')].map((one) => one.id)"
    assert page.evaluate(f"{ids}.length === new Set({ids}).size")


def test_the_page_fits_nine_hundred_pixels(explorer: Explorer) -> None:
    explorer.page.set_viewport_size({"width": 900, "height": 700})
    explorer.open("bfs", query(seeds=[CUSHING], max_hops=1)).click(CUSHING)
    assert explorer.page.evaluate("document.documentElement.scrollWidth") <= 900
    panel = explorer.page.locator("#details").bounding_box()
    assert panel is not None
    assert panel["x"] + panel["width"] <= 900
