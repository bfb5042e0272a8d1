"""The layer inside CORS: tokens, how many requests at once, and the last resort."""

import hashlib
import hmac
import logging

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bfsql_rdf.serve.gate import ClientGone
from bfsql_rdf.serve.problems import Problem
from bfsql_rdf.serve.service import Service, path_of

logger = logging.getLogger("bfsql_rdf.serve")


class Guard:
    """ASGI middleware that lets in who may come in, and turns what nobody foresaw into a plain 500."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service
        self._tokens = [_digest(token) for token in service.options.tokens]
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def noticed(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        self._inside += 1
        try:
            if (refused := self._refused(scope)) is not None:
                raise refused
            await self.app(scope, receive, noticed)
        except ClientGone:
            raise
        except Problem as problem:
            if started:
                raise
            await problem.response()(scope, receive, send)
        except Exception:  # the last resort: the log has the traceback, the client learns that it is not to blame
            logger.exception("%s %s failed", scope["method"], scope["path"].encode("unicode_escape").decode())
            if started:
                raise
            failure = Problem(500, "internal_error", "the server failed to answer; its log says why")
            await failure.response()(scope, receive, send)
        finally:
            self._inside -= 1

    def _refused(self, scope: Scope) -> Problem | None:
        path, open_paths = path_of(scope), self.service.open_paths
        if path in open_paths or any(path.startswith(one) for one in open_paths if one.endswith("/") and one != "/"):
            return None
        if self._inside > self.service.options.max_requests:
            return Problem(
                503, "busy", "too many requests at once", hint="Try again later", headers={"Retry-After": "5"}
            )
        return self._unknown(Headers(scope=scope).get("authorization", "")) if self._tokens else None

    def _unknown(self, header: str) -> Problem | None:
        """Problem 401 unless the header bears one of the tokens; all are compared, each in constant time."""
        scheme, _, token = header.strip().partition(" ")
        given = _digest(token.strip())
        known = [hmac.compare_digest(given, one) for one in self._tokens]
        bearer = scheme.lower() == "bearer"
        if bearer and any(known):
            return None
        challenge = 'Bearer realm="bfsql-rdf"' + (', error="invalid_token"' if header else "")
        return Problem(
            401,
            "unauthorized",
            "this token is not known" if bearer else "a token is needed",
            where="Authorization",
            hint="Send Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": challenge},
        )


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
