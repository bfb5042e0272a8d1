"""Each route answers what Python answers; answers are kept, compressed and revalidated as HTTP has it."""

import asyncio
import gzip
import json
from typing import Any

import httpx2
import pyoxigraph
import pytest
from fastapi import FastAPI

import bfsql_rdf
from bfsql_rdf import Graph
from bfsql_rdf.serve.answers import takes_gzip, wanted
from bfsql_rdf.serve.app import create_app
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.service import Service
from tests.serve.servers import QUERY, Running, medical, serving

CLOSURE = {"start": "UMLS:C0085084", "predicate": "SYMPTOM_OF"}
ASKED: dict[str, tuple[Any, Any]] = {
    "/bfs_query": (QUERY, lambda g: g.bfs_query(QUERY).to_dict()),
    "/transitive_closure_query": (CLOSURE, lambda g: g.transitive_closure_query(CLOSURE).to_dict()),
    "/scan_query": ({"node_types": ["Drug"]}, lambda g: g.scan_query(node_types=["Drug"]).to_dict()),
    "/search_entities": ({"query": "cushing"}, lambda g: g.search_entities(query="cushing").to_dict()),
    "/describe_entities": ({"ids": ["PERSON:12345"]}, lambda g: g.describe_entities(["PERSON:12345"]).to_dict()),
    "/explain": ({"primitive": "bfs", "query": QUERY}, lambda g: g.explain("bfs", QUERY)),
}
READ = ("/describe_schema", "/prompt", "/openapi.json", "/health", "/metrics")


@pytest.mark.parametrize("path", ASKED)
def test_a_question_is_answered_as_in_python(server: Running, graph: Graph, path: str) -> None:
    query, ask = ASKED[path]
    response = server.post(path, query)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == ask(graph)


def test_the_schema_and_the_prompt_are_those_of_python(server: Running, graph: Graph) -> None:
    assert server.client.get("/describe_schema").json() == graph.describe_schema().to_dict()
    small = server.client.get("/describe_schema", params={"max_tokens": 700})
    assert small.json() == graph.describe_schema(700).to_dict() != server.client.get("/describe_schema").json()
    prompt = server.client.get("/prompt")
    assert prompt.text == graph.prompt()
    assert prompt.headers["content-type"] == "text/markdown; charset=utf-8"


def test_health_says_what_is_served(server: Running, graph: Graph) -> None:
    body = server.client.get("/health").json()
    assert (body["live"], body["ready"], body["version"]) == (True, True, bfsql_rdf.__version__)
    assert body["generation"] == graph.generation
    schema = graph.describe_schema()
    assert body["counts"]["entities"] == schema.entities
    assert body["counts"]["statements"] == schema.statements == 28
    assert body["counts"]["predicates"] == len(graph.predicates)


@pytest.mark.parametrize("path", READ)
def test_head_is_get_without_a_body(server: Running, path: str) -> None:
    head, got = server.client.head(path), server.client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers.get("etag") == got.headers.get("etag")


def test_no_page_that_needs_the_network(server: Running) -> None:
    assert server.client.get("/docs").status_code == server.client.get("/redoc").status_code == 404


@pytest.mark.parametrize("path", [*ASKED, *READ[:3]])
def test_an_answer_that_the_client_has_is_not_sent_again(server: Running, path: str) -> None:
    method, body = ("POST", ASKED[path][0]) if path in ASKED else ("GET", None)
    first = server.client.request(method, path, json=body)
    assert first.headers["cache-control"] == "public, max-age=60"
    assert first.headers["vary"] == "Accept-Encoding"
    tag = first.headers["etag"]
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}'):
        again = server.client.request(method, path, json=body, headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    for given in ('"other"', "*", "nonsense", ""):
        again = server.client.request(method, path, json=body, headers={"If-None-Match": given})
        assert again.content == first.content


def test_a_tag_is_of_query_data_and_profile(server: Running) -> None:
    tag = server.post("/bfs_query").headers["etag"]
    assert server.client.post("/bfs_query", content=json.dumps(QUERY, indent=4), headers=JSON).headers["etag"] == tag
    assert server.post("/bfs_query", QUERY | {"max_hops": 2}).headers["etag"] != tag
    assert Service.of(medical(), ServeOptions()).etag("/bfs_query", QUERY) == tag
    assert Service.of(medical(max_nodes=2), ServeOptions()).etag("/bfs_query", QUERY) != tag


JSON = {"Content-Type": "application/json"}


def test_data_of_another_library_have_a_new_generation_at_each_opening() -> None:
    store = pyoxigraph.Store()
    assert bfsql_rdf.open(store).generation != bfsql_rdf.open(store).generation


def test_a_bad_query_is_an_error_whatever_tag_it_bears(server: Running) -> None:
    assert server.post("/bfs_query", {"seeds": []}, headers={"If-None-Match": "*"}).status_code == 400


def test_an_answer_that_the_clock_has_cut_is_not_kept() -> None:
    with serving(medical(timeout=1e-9)) as hurried:
        for number in (1, 2):
            response = hurried.post("/bfs_query")
            assert response.json()["truncated"]["limit"] == "timeout"
            assert response.headers["cache-control"] == "no-store"
            assert "etag" not in response.headers
            counted = f'bfsql_truncations_total{{limit="timeout",primitive="bfs_query"}} {number}.0'
            assert counted in hurried.client.get("/metrics").text


def test_a_large_answer_is_compressed_for_who_takes_it(server: Running) -> None:
    def asked(accept: str) -> Any:
        return server.client.request("GET", "/prompt", headers={"Accept-Encoding": accept})

    plain, zipped = asked("identity"), asked("gzip")
    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert int(zipped.headers["content-length"]) < len(plain.content) / 2
    assert zipped.text == plain.text
    raw = server.raw(b"GET /prompt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
    assert gzip.decompress(raw.partition(b"\r\n\r\n")[2]).decode() == plain.text
    small = server.post("/search_entities", {"query": "zzzzzzzzzz"}, headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in small.headers


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("", False),
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*", True),
        ("*;q=0, gzip", True),
        ("br", False),
    ],
)
def test_accepted_encodings(header: str, taken: bool) -> None:
    assert takes_gzip(header) is taken


def test_wanted_tags_are_compared_weakly() -> None:
    assert wanted('"a", W/"b"') == {'W/"a"', 'W/"b"'}
    assert wanted("*") == set()


def test_metrics_count_requests_by_known_routes_only() -> None:
    with serving(medical()) as own:
        own.post("/bfs_query")
        own.post("/bfs_query", {"seeds": []})
        for path in ("/nix", "/a/b", "/bfs_query/x"):
            own.client.get(path)
        response = own.client.get("/metrics")
        assert response.headers["content-type"].startswith("text/plain; version=")
        text = response.text
        assert 'bfsql_http_requests_total{route="/bfs_query",status="200"} 1.0' in text
        assert 'bfsql_http_requests_total{route="/bfs_query",status="400"} 1.0' in text
        assert 'bfsql_http_requests_total{route="other",status="404"} 2.0' in text
        assert "nix" not in text
        assert 'bfsql_http_request_seconds_bucket{le="+Inf",route="/bfs_query",status="200"} 1.0' in text
        assert 'bfsql_http_answer_bytes_sum{route="/bfs_query"}' in text
        assert "bfsql_http_requests_in_flight 1.0" in text
        assert "bfsql_queries_running 0.0" in text
        assert "bfsql_queries_waiting 0.0" in text
        other = own.client.get("/metrics", headers={"Accept": "application/openmetrics-text"})
        assert other.text.endswith("# EOF\n")


def test_unicode_arrives_whole(server: Running) -> None:
    response = server.post("/bfs_query", QUERY | {"node_filter": {"entity_types": ["Käse 🧀"]}})
    assert "Käse 🧀" in response.json()["warnings"][0]["message"]
    assert "Käse 🧀".encode() in response.content


def test_it_can_be_mounted_in_an_application_of_ones_own(graph: Graph) -> None:
    host = FastAPI()
    host.mount("/graph", create_app(graph, ServeOptions(tokens=("a",), allow_hosts=("own.example",))))

    async def ask() -> None:
        transport = httpx2.ASGITransport(app=host)
        async with httpx2.AsyncClient(transport=transport, base_url="http://own.example") as client:
            assert (await client.get("/graph/health")).status_code == 200
            assert (await client.get("/graph/prompt")).status_code == 401
            headers = {"Authorization": "Bearer a"}
            assert (await client.post("/graph/bfs_query", json=QUERY, headers=headers)).json()["node_count"] == 5
            assert 'route="/bfs_query"' in (await client.get("/graph/metrics", headers=headers)).text

    asyncio.run(ask())
