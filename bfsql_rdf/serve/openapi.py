"""The OpenAPI description: the language's own models, examples and errors."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bfsql_rdf.models import Schema
from bfsql_rdf.serve.examples import ALL, ERROR
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.problems import MEDIA_TYPE
from bfsql_rdf.serve.routes import QUESTIONS, READS, Question

PREFIX = "#/components/"
FAILURES = {
    400: "The query cannot be answered as it is written: `code`, `where` and `hint` say why.",
    401: "No token, or one that is not known.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    415: "The body is not JSON in UTF-8, or compressed.",
    421: "The Host header names another server.",
    500: "The server failed to answer; its log says why.",
    502: "The SPARQL endpoint behind failed.",
    503: "Busy, or a query took too long; try again after Retry-After seconds.",
}
ALWAYS, READING = (421, 500, 502, 503), (400, 408, 413, 415)
_TEXT: dict[str, Any] = {"type": "string"}
_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": True}
_HEALTH = {
    "type": "object",
    "required": ["live", "ready", "version", "generation", "index_version", "counts"],
    "properties": {
        "live": {"type": "boolean"},
        "ready": {"type": "boolean"},
        "version": _TEXT,
        "generation": _TEXT | {"description": "Changes with the data."},
        "index_version": {"type": "integer"},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
_EXPLANATION = {
    "type": "object",
    "required": ["sparql"],
    "properties": {
        "sparql": {"type": "array", "items": _TEXT, "description": "Over the data, one text for each request."},
        "plan": {"type": "array", "items": _TEXT, "description": "What the index is asked."},
    },
}
_NODE = _OBJECT | {
    "required": ["id", "entity_type"],
    "properties": {"id": _TEXT, "entity_type": _TEXT},
    "description": "A stub has no more than these two; a full node has its fields beside them.",
}
_EDGE = _OBJECT | {
    "required": ["subject", "predicate"],
    "properties": {"subject": _TEXT, "predicate": _TEXT, "object": _TEXT, "derived_via": _TEXT},
    "description": "A stub has no more than its triple; a full edge has its statement's fields; a value has `value`.",
}
_CANDIDATE = _OBJECT | {
    "required": ["id", "entity_type", "score"],
    "properties": {"id": _TEXT, "entity_type": _TEXT, "label": _TEXT, "score": {"type": "number"}},
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": _TEXT | {"format": "uri"},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "code": _TEXT | {"description": "A stable word for programs."},
        "where": _TEXT | {"description": "The key or header that is at fault."},
        "hint": _TEXT | {"description": "What to try next."},
        "details": _OBJECT,
    },
}
_MAX_TOKENS = {
    "name": "max_tokens",
    "in": "query",
    "description": "About how long the answer may be, in tokens.",
    "schema": {"type": "integer", "minimum": 600, "maximum": 999_999_999, "default": 4000},
}
_READS: dict[str, tuple[str, dict[str, Any]]] = {
    "/describe_schema": ("application/json", {"$ref": PREFIX + "schemas/Schema"}),
    "/prompt": ("text/markdown", _TEXT),
    "/health": ("application/json", _HEALTH),
    "/metrics": ("text/plain", _TEXT),
    "/openapi.json": ("application/json", _OBJECT),
}


def describe(app: FastAPI, options: ServeOptions) -> None:
    """Let `app.openapi()` give the description, made when it is first asked for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app, options)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _document(app: FastAPI, options: ServeOptions) -> dict[str, Any]:
    document = get_openapi(
        title="BFS-QL over RDF",
        version=app.version,
        description="Seeds and hops instead of SPARQL. Queries are reads: sent again, they answer the same.",
        routes=app.routes,
    )
    paths = {question.path: {"post": _question(question)} for question in QUESTIONS}
    paths |= {path: {"get": _read(path)} for path in READS}
    document["paths"] = paths | document["paths"]
    shared = document.get("components", {})
    ours = _components()
    document["components"] = shared | ours | {"schemas": shared.get("schemas", {}) | ours["schemas"]}
    if options.tokens:
        _lock(document)
    return document


def _question(question: Question) -> dict[str, Any]:
    result = question.result.__name__ if question.result else "Explanation"
    content = {
        "schema": _ref("schemas", question.query.__name__),
        "examples": {name: {"value": query} for name, query in ALL[question.path].items()},
    }
    return {
        "operationId": question.path[1:],
        "summary": question.summary,
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": _answers("application/json", _ref("schemas", result), (*ALWAYS, *READING)),
    }


def _read(path: str) -> dict[str, Any]:
    operation: dict[str, Any] = {"operationId": path[1:].removesuffix(".json"), "summary": READS[path][1]}
    if path == "/describe_schema":
        operation["parameters"] = [_MAX_TOKENS]
    media_type, schema = _READS[path]
    failures = (*ALWAYS, 400) if path == "/describe_schema" else ALWAYS
    operation["responses"] = _answers(media_type, schema, failures)
    if path in ("/health", "/metrics"):
        del operation["responses"]["304"]
        del operation["responses"]["200"]["headers"]
    return operation


def _lock(document: dict[str, Any]) -> None:
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"token": []}]
    for path, operations in document["paths"].items():
        for operation in operations.values():
            if path == "/health":
                operation["security"] = []
            else:
                operation["responses"]["401"] = _ref("responses", "401")


def _answers(media_type: str, schema: dict[str, Any], failures: tuple[int, ...]) -> dict[str, Any]:
    tag = {"ETag": {"schema": _TEXT, "description": "Send it back as If-None-Match."}}
    return {
        "200": {"description": "The answer.", "headers": tag, "content": {media_type: {"schema": schema}}},
        "304": {"description": "The answer is the one that If-None-Match names."},
    } | {str(status): _ref("responses", str(status)) for status in sorted(failures)}


def _components() -> dict[str, Any]:
    models: list[type[BaseModel]] = [question.query for question in QUESTIONS]
    models += [question.result for question in QUESTIONS if question.result]
    models.append(Schema)
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=PREFIX + "schemas/{model}")
    schemas: dict[str, Any] = {name: _without_null(schema) for name, schema in found["$defs"].items()}
    for answer in ("Subgraph", "Scan", "Descriptions"):
        properties = schemas[answer]["properties"]
        properties["nodes"]["items"] = _ref("schemas", "Node")
        if "edges" in properties:
            properties["edges"]["items"] = _ref("schemas", "Edge")
    schemas["Candidates"]["properties"]["candidates"]["items"] = _ref("schemas", "Candidate")
    schemas |= {"Node": _NODE, "Edge": _EDGE, "Candidate": _CANDIDATE, "Explanation": _EXPLANATION, "Problem": _PROBLEM}
    example = {"schema": _ref("schemas", "Problem"), "example": ERROR}
    responses = {
        str(status): {
            "description": text,
            "content": {MEDIA_TYPE: example if status == 400 else {"schema": _ref("schemas", "Problem")}},
        }
        for status, text in FAILURES.items()
    }
    for status, header in ((401, "WWW-Authenticate"), (503, "Retry-After")):
        responses[str(status)]["headers"] = {header: {"schema": _TEXT}}
    return {"schemas": schemas, "responses": responses}


def _without_null(schema: Any) -> Any:
    """A schema without `null`: a query's key is left out instead, and an answer has no key without a value."""
    if isinstance(schema, list):
        return [_without_null(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if not (key == "default" and value is None)}
    options = [one for one in kept.get("anyOf", []) if one != {"type": "null"}]
    if len(options) == 1:
        del kept["anyOf"]
        kept |= options[0]
    elif options:
        kept["anyOf"] = options
    return {key: _without_null(value) for key, value in kept.items()}


def _ref(kind: str, name: str) -> dict[str, Any]:
    return {"$ref": f"{PREFIX}{kind}/{name}"}
