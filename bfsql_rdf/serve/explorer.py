"""The explorer: one page and its assets, served beside the JSON routes, with a policy that lets nothing else in."""

import hashlib
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

__all__ = ["CONTENT_SECURITY_POLICY", "routes"]

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "LICENSE": "text/plain; charset=utf-8",
}
_PLACEHOLDER = "{assets}"


def routes() -> list[BaseRoute]:
    """The page at `/` and its files under `/assets/`, to be mounted beside the JSON routes."""
    return [
        Route("/", _page, methods=["GET"], name="explorer"),
        Route("/assets/{version}/{path:path}", _asset, methods=["GET"], name="explorer_asset"),
    ]


@cache
def _assets() -> dict[str, bytes]:
    """Every file that the page may ask for, by its path below `page/`."""
    root = resources.files("bfsql_rdf.serve").joinpath("page")
    found = {}
    for folder, prefix in ((root, ""), (root.joinpath("vendor"), "vendor/")):
        for file in folder.iterdir():
            if file.is_file() and file.name.rpartition(".")[2] in _TYPES:
                found[prefix + file.name] = file.read_bytes()
    return found


@cache
def _version() -> str:
    """A digest of all assets, part of their addresses, so that they may be kept for ever."""
    digest = hashlib.sha256()
    for path, content in sorted(_assets().items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


@cache
def _index() -> tuple[bytes, str]:
    """The page and its entity tag; addresses are relative, so it works wherever it is mounted."""
    text = resources.files("bfsql_rdf.serve").joinpath("page", "index.html").read_text(encoding="utf-8")
    body = text.replace(_PLACEHOLDER, f"assets/{_version()}").encode()
    return body, f'"{hashlib.sha256(body).hexdigest()[:16]}"'


def _page(request: Request) -> Response:
    body, tag = _index()
    headers = _HEADERS | {"Cache-Control": "no-cache", "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="text/html; charset=utf-8")


def _asset(request: Request) -> Response:
    path = request.path_params["path"]
    content = _assets().get(path)
    if content is None or request.path_params["version"] != _version():
        return Response("There is no such file.", 404, headers=_HEADERS, media_type="text/plain")
    headers = _HEADERS | {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(content, headers=headers, media_type=_TYPES[path.rpartition(".")[2]])
