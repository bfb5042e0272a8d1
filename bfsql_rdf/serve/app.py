"""The HTTP application: `create_app` for a server of one's own, or to mount in another application."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from bfsql_rdf import __version__
from bfsql_rdf.errors import BfsqlError
from bfsql_rdf.graph import Graph
from bfsql_rdf.serve.edge import Edge
from bfsql_rdf.serve.guard import Guard
from bfsql_rdf.serve.mounts import mount_faces
from bfsql_rdf.serve.openapi import describe
from bfsql_rdf.serve.options import ServeOptions
from bfsql_rdf.serve.problems import Problem, plain_problem
from bfsql_rdf.serve.routes import add_routes
from bfsql_rdf.serve.service import Service

EXPOSED = ("ETag", "Retry-After", "WWW-Authenticate")


def create_app(graph: Graph, options: ServeOptions | None = None) -> FastAPI:
    """A graph as an ASGI application; `app.state.service` has its threads and counters."""
    service = Service.of(graph, options or ServeOptions())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(service.gate.close)
            for enter in service.lifespans:
                await stack.enter_async_context(enter())
            yield

    app = FastAPI(
        title="bfsql-rdf",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.service = service
    add_routes(app, service)
    mount_faces(app, service)
    describe(app, service.options)
    _add_errors(app)
    paths = (getattr(route, "path", "") for route in app.routes)
    routes = frozenset("/" + path.split("/")[1] for path in paths if path)
    app.add_middleware(Guard, service=service)
    if service.options.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=service.options.cors,
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "Content-Type", "If-None-Match"],
            expose_headers=EXPOSED,
        )
    app.add_middleware(Edge, service=service, routes=routes)
    return app


def _add_errors(app: FastAPI) -> None:
    async def known(request: Request, error: Any) -> Response:
        return Problem.of(error).response()

    async def problem(request: Request, error: Any) -> Response:
        response: Response = error.response()
        return response

    async def plain(request: Request, error: Any) -> Response:
        headers = dict(error.headers or {})
        if "Allow" in headers:
            headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))
        return plain_problem(error.status_code, headers).response()

    async def invalid(request: Request, error: Any) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Problem(400, "bad_value", first["msg"], where=where).response()

    app.add_exception_handler(BfsqlError, known)
    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(RequestValidationError, invalid)
