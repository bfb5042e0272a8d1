"""Where further faces join the server: each a module of this package with a `mount(app, service)`.

A face adds its routes to the app before they are counted as labels; what must run beside them (a session manager) it
appends to `service.lifespans`, a path that needs no token to `service.open_paths`, and its queries go through
`service.gate`.
"""

from collections.abc import Callable

from fastapi import FastAPI

from bfsql_rdf.serve.service import Service

Face = Callable[[FastAPI, Service], None]
FACES: tuple[Face, ...] = ()


def mount_faces(app: FastAPI, service: Service) -> None:
    """Mount every face, in order."""
    for face in FACES:
        face(app, service)
