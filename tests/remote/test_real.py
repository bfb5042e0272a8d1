"""Real servers: Oxigraph and rdflib-endpoint, each in its own process."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from pyoxigraph import BaseDirection, Literal, NamedNode, Triple

from bfsql_rdf import EndpointError
from bfsql_rdf.remote import client
from bfsql_rdf.remote.client import Endpoint
from tests.remote.server import CSV, JSON, TSV, XML, free_port

Open = Callable[..., Endpoint]
PLAIN = """@prefix ex: <http://example.org/> .
ex:a ex:p ex:b ; ex:n 1, 2.5, true ; ex:label "x"@en, "ä\\t\\"\\\\\\n", "" . ex:b ex:when "2001-01-01"^^ex:date .
"""
STAR = "<< ex:a ex:p ex:b >> ex:note 'sure' . ex:t ex:q <<( ex:a ex:p 'v'@en--ltr )>> .\n"
ROWS = "SELECT ?s ?p ?o ?none { ?s ?p ?o FILTER(isIRI(?s) && !isTriple(?o)) }"
SAME = "SELECT ?s ?p ?o ?none { ?s ?p ?o FILTER(isIRI(?s)) }"


def serve(command: list[str], url: str) -> Iterator[str]:
    """A server in a process of its own, once it answers."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 30
            while True:
                try:
                    httpx2.get(url, timeout=5, trust_env=False)
                    break
                except httpx2.TransportError:
                    assert process.poll() is None, "the server ended"
                    assert time.monotonic() < until, "the server does not answer"
                    time.sleep(0.05)
            yield url
        finally:
            process.kill()


@pytest.fixture(scope="module")
def oxigraph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("oxigraph")
    (folder / "data.ttl").write_text(PLAIN + STAR, encoding="utf-8")
    (folder / "big.nt").write_text(
        "".join(f"<http://b/{n}> <http://b/p> <http://b/o> <http://b/g> .\n" for n in range(200)), encoding="utf-8"
    )
    (folder / "big.nt").rename(folder / "big.nq")
    command = str(Path(sys.executable).with_name("oxigraph"))
    for name in ("data.ttl", "big.nq"):
        load = [command, "load", "--location", str(folder / "db"), "--file", str(folder / name)]
        subprocess.run(load, check=True, capture_output=True)
    port = free_port()
    options = ["--location", str(folder / "db"), "--bind", f"127.0.0.1:{port}", "--timeout-s", "1"]
    yield from serve([command, "serve", *options], f"http://127.0.0.1:{port}/query")


@pytest.fixture(scope="module")
def rdflib_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("rdflib") / "data.ttl"
    path.write_text(PLAIN, encoding="utf-8")
    port = free_port()
    command = [str(Path(sys.executable).with_name("rdflib-endpoint")), "serve", str(path), "--port", str(port)]
    yield from serve([*command, "--host", "127.0.0.1"], f"http://127.0.0.1:{port}/")


def test_both_give_the_same_rows(oxigraph: str, rdflib_endpoint: str, connect: Open) -> None:
    here, there = connect(oxigraph).select(ROWS), connect(rdflib_endpoint).select(SAME)
    assert here.variables == there.variables == ("s", "p", "o", "none")
    assert Counter(here.rows) == Counter(there.rows)
    assert len(here) == 8
    for url in (oxigraph, rdflib_endpoint):
        assert connect(url).ask("ASK { ?s ?p 1 }") is True
        assert connect(url).ask("ASK { ?s ?p 99 }") is False


@pytest.mark.parametrize("accept", [JSON, XML, TSV])
@pytest.mark.parametrize("method", ["post", "direct", "get"])
def test_oxigraph_gives_triple_terms_in_every_format(
    oxigraph: str, connect: Open, monkeypatch: pytest.MonkeyPatch, accept: str, method: str
) -> None:
    monkeypatch.setattr(client, "ACCEPT", accept)
    rows = connect(oxigraph, method=method).select("SELECT ?o { ?s ?p ?o FILTER(isTriple(?o)) } ORDER BY ?o")
    assert rows.media_type == accept
    a, p, b = (NamedNode(f"http://example.org/{name}") for name in "apb")
    directed = Literal("v", language="en", direction=BaseDirection.LTR)
    assert {row[0] for row in rows} == {Triple(a, p, b), Triple(a, p, directed)}
    assert len(connect(oxigraph).select(ROWS)) == 8


@pytest.mark.parametrize("accept", [JSON, XML, TSV, CSV])
def test_oxigraph_running_out_of_time_is_an_error(
    oxigraph: str, connect: Open, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    monkeypatch.setattr(client, "ACCEPT", accept)
    g = "GRAPH ?g { ?a ?b ?c . ?d ?e ?f . ?h ?i ?j . ?k ?l ?m FILTER(?a = ?m) }"
    with pytest.raises(EndpointError) as caught:
        connect(oxigraph).select(f"SELECT ?a {{ {g} }}")
    assert caught.value.code == "endpoint_timeout"
    assert "The SPARQL operation has been cancelled" in caught.value.message
    assert caught.value.details["status"] == 200


def test_default_graphs_and_limits(oxigraph: str, connect: Open) -> None:
    endpoint = connect(oxigraph, default_graphs=["http://b/g"])
    rows = endpoint.select("SELECT * { ?s ?p ?o }", limit_rows=20)
    assert (len(rows), rows.truncated) == (20, {"by": "limit_rows", "limit": 20})
    assert len(endpoint.select("SELECT * { ?s ?p ?o }")) == 200


def test_both_refuse_what_is_no_query(oxigraph: str, rdflib_endpoint: str, connect: Open) -> None:
    for url in (oxigraph, rdflib_endpoint):
        with pytest.raises(EndpointError) as caught:
            connect(url).select("SELECT * { ?s ?p")
        assert caught.value.code == "query_refused"
        assert caught.value.details["words"]


def test_both_describe_themselves(oxigraph: str, rdflib_endpoint: str, connect: Open) -> None:
    for url in (oxigraph, rdflib_endpoint):
        media_type, data = connect(url).fetch_description()
        assert media_type in ("text/turtle", "application/n-triples", "application/rdf+xml", "application/xml")
        assert b"sparql-service-description" in data
