"""Where a SPARQL endpoint is and how to speak with it."""

import base64
import re
from typing import Any, Literal, Self
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx2
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from bfsql_rdf.errors import ProfileError
from bfsql_rdf.terms import iri_fault

Method = Literal["auto", "post", "direct", "get"]

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_BAD_HEADER_VALUE = re.compile(r"[^\t\x20-\x7e]")


class Connection(BaseModel):
    """A SPARQL endpoint: its URL, who asks, how long, how often and how many at a time.

    Times are seconds: `timeout` is the whole of a query with its retries, `connect_timeout` one connection, `backoff`
    the first wait of a retry (then doubled). `verify` is a file or folder of CA certificates in place of the system's.
    A user and password in the URL are moved to `user` and `password`; no secret is in its repr.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: str
    user: str | None = None
    password: SecretStr | None = None
    token: SecretStr | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    connect_timeout: float = Field(default=10, gt=0, allow_inf_nan=False)
    timeout: float = Field(default=30, gt=0, le=86400, allow_inf_nan=False)
    retries: int = Field(default=3, ge=0, le=20)
    backoff: float = Field(default=0.5, ge=0, le=60, allow_inf_nan=False)
    concurrency: int = Field(default=4, ge=1, le=1000)
    method: Method = "auto"
    default_graphs: tuple[str, ...] = ()
    verify: str | None = None

    @classmethod
    def of(cls, source: "str | dict[str, Any] | Connection", **options: Any) -> "Connection":
        """A connection from a URL and options; ProfileError that names the option, never its value."""
        if isinstance(source, Connection):
            source = {name: getattr(source, name) for name in source.model_fields_set}
        given = ({"url": source} if isinstance(source, str) else dict(source)) | options
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            key = ".".join(str(part) for part in first["loc"][:1]) or "url"
            hint = f"Known options: {', '.join(cls.model_fields)}" if first["type"] == "extra_forbidden" else None
            raise ProfileError(
                first["msg"].removeprefix("Value error, "), code="bad_endpoint", where=key, hint=hint
            ) from None

    @model_validator(mode="before")
    @classmethod
    def _without_userinfo(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("url"), str):
            return data
        try:
            parts = urlsplit(data["url"].strip())
        except ValueError:
            return data
        userinfo, at, host = parts.netloc.rpartition("@")
        if not at:
            return data | {"url": data["url"].strip()}
        user, _, password = userinfo.partition(":")
        moved = {"user": unquote(user), "password": unquote(password)}
        given = {name: value for name, value in data.items() if value is not None}
        return moved | given | {"url": urlunsplit(parts._replace(netloc=host))}

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        """The texts of the parsers' own errors quote the URL, so none of them is passed on."""
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            httpx2.URL(url)
        except (ValueError, httpx2.InvalidURL):
            known = False
        if not known or re.search(r"[\x00-\x20]", url):
            raise ValueError("not the http(s) URL of an endpoint")
        return url.partition("#")[0]

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name) or _BAD_HEADER_VALUE.search(value):
                raise ValueError(f"{name!r} is no header that can be sent")
        return headers

    @field_validator("default_graphs")
    @classmethod
    def _are_iris(cls, graphs: tuple[str, ...]) -> tuple[str, ...]:
        for graph in graphs:
            if fault := iri_fault(graph):
                raise ValueError(f"{graph!r}: {fault}")
        return graphs

    @model_validator(mode="after")
    def _one_auth(self) -> Self:
        if self.token is not None and self.user is not None:
            raise ValueError("give a user and password or a token, not both")
        if self.token is not None and not re.fullmatch(r"[\x21-\x7e]+", self.token.get_secret_value()):
            raise ValueError("the token has characters that a header cannot carry")
        return self

    @property
    def shown(self) -> str:
        """The URL for messages: no user, no password, no query (keys are often there)."""
        return shown(self.url)

    @property
    def authorization(self) -> str | None:
        """The Authorization header."""
        if self.token is not None:
            return f"Bearer {self.token.get_secret_value()}"
        if self.user is None:
            return None
        password = self.password.get_secret_value() if self.password else ""
        return "Basic " + base64.b64encode(f"{self.user}:{password}".encode()).decode()

    @property
    def secrets(self) -> list[str]:
        """What no message may repeat."""
        kept = [secret.get_secret_value() for secret in (self.password, self.token) if secret]
        if self.authorization:
            kept.append(self.authorization.partition(" ")[2])
        queries = [value for _, _, value in (part.partition("=") for part in urlsplit(self.url).query.split("&"))]
        kept += [value for value in [*self.headers.values(), *map(unquote, queries)] if len(value) > 7]
        return sorted((text for text in kept if len(text) > 3), key=len, reverse=True)


def shown(url: str) -> str:
    """A URL for messages, without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
