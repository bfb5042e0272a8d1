"""The description is true: its examples run, its models are those of the language, and requests made from it hold."""

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import bfsql_rdf
from bfsql_rdf.serve.examples import ALL, ERROR, NAMED, OTHERS
from tests.serve.servers import ROOT, Running, medical, serving

SOURCES = {
    "data/sherlock.ttl": ["data/sherlock.ttl", "ontology/traits/sherlock.ttl"],
    "data/medical.ttl": ["data/medical.ttl", "ontology/traits/medical.ttl"],
}
MANIFEST = json.loads((ROOT / "queries/manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def document(server: Running) -> Any:
    return server.client.get("/openapi.json").json()


def test_every_route_is_described(server: Running, document: Any) -> None:
    assert set(document["paths"]) == {*ALL, "/describe_schema", "/prompt", "/health", "/metrics", "/openapi.json"}
    names = [op["operationId"] for operations in document["paths"].values() for op in operations.values()]
    assert len(names) == len(set(names)) == 11
    assert "null" not in json.dumps(document)


def test_queries_have_the_keys_of_the_language(document: Any) -> None:
    schemas = document["components"]["schemas"]
    for model in (bfsql_rdf.BfsQuery, bfsql_rdf.ClosureQuery, bfsql_rdf.ScanQuery, bfsql_rdf.SearchQuery):
        assert set(schemas[model.__name__]["properties"]) == set(model.model_fields)
        assert schemas[model.__name__]["additionalProperties"] is False
    assert schemas["BfsQuery"]["required"] == ["seeds", "max_hops"]


def test_the_named_examples_are_those_of_the_language() -> None:
    for queries in NAMED.values():
        for name, query in queries.items():
            assert json.loads((ROOT / f"queries/{name}.json").read_text(encoding="utf-8")) == query, name


def test_the_named_examples_have_their_answers() -> None:
    for data, profile in (("data/medical.ttl", "data/medical.toml"), ("data/sherlock.ttl", "data/sherlock.toml")):
        graph = bfsql_rdf.open([ROOT / name for name in SOURCES[data]], ROOT / profile)
        with serving(graph) as server:
            for path, queries in NAMED.items():
                for name, query in queries.items():
                    if MANIFEST[name]["sources"][0] == data:
                        golden = (ROOT / f"queries/{name}.out.json").read_text(encoding="utf-8")
                        assert server.post(path, query).json() == json.loads(golden), name


def test_the_other_examples_have_answers(server: Running) -> None:
    for path, queries in OTHERS.items():
        for query in queries.values():
            assert server.post(path, query).status_code == 200


def test_the_example_of_an_error_is_one(server: Running) -> None:
    assert server.post("/bfs_query", {"seeds": ["PERSON:1"], "max_hops": 1}).json() == ERROR


@pytest.mark.parametrize("tokens", [(), ("a-token",)])
def test_requests_made_from_the_description_hold(tokens: tuple[str, ...]) -> None:
    with serving(medical(max_hops=3), tokens=tokens) as server:
        headers = {"Authorization": f"Bearer {tokens[0]}"} if tokens else {}
        url = f"http://127.0.0.1:{server.port}"
        schema = schemathesis.openapi.from_dict(server.client.get("/openapi.json", headers=headers).json())
        count = 0
        for result in schema.get_all_operations():
            operation: Any = result.ok()  # type: ignore[union-attr]

            @settings(
                max_examples=15 if tokens else 40,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.explicit, Phase.generate],
            )
            @given(case=operation.as_strategy())
            def check(case: Any) -> None:
                case.call_and_validate(
                    base_url=url,
                    headers=headers,
                    timeout=20,
                    checks=[
                        not_a_server_error,
                        status_code_conformance,
                        content_type_conformance,
                        response_schema_conformance,
                    ],
                )

            check()
            count += 1
        assert count == 11
