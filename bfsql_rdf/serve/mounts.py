"""Where further faces join the server: each a function of the app and the service, in `FACES`.

A face adds its routes to the app; what must run beside them (a session manager) it appends to `service.lifespans`, a
path that needs no token to `service.open_paths` (one that ends in `/` is a prefix), and queries of its own go through
`service.gate`. Where a face needs a package that is not installed, it is left out.
"""

from collections.abc import Callable

from fastapi import FastAPI

from bfsql_rdf.serve.explorer import routes as explorer_routes
from bfsql_rdf.serve.service import Service

Face = Callable[[FastAPI, Service], None]


def explorer(app: FastAPI, service: Service) -> None:
    """The page at `/`; it holds no data, and asks for a token by itself."""
    app.router.routes.extend(explorer_routes())
    service.open_paths |= {"/", "/assets/"}


def model_context(app: FastAPI, service: Service) -> None:
    """The Model Context Protocol at `/mcp`."""
    try:
        from bfsql_rdf.serve.mcp import mcp_app
    except ModuleNotFoundError:
        return
    own = service.options
    beside = mcp_app(
        service.graph,
        own.max_tokens,
        hosts=["*"] if own.hosts is None else sorted(own.hosts),
        origins=own.cors,
        observe=service.meters.called,
    )
    app.router.routes.extend(beside.routes)
    service.lifespans.append(lambda: beside.router.lifespan_context(beside))


FACES: tuple[Face, ...] = (explorer, model_context)


def mount_faces(app: FastAPI, service: Service) -> None:
    """Mount every face, in order."""
    for face in FACES:
        face(app, service)
