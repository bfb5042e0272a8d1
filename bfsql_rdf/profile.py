"""What a dataset says in its own words: prefixes, views, where status and position are found, limits.

A profile is TOML; every key is optional. What is found at load fills the gaps, what a person writes wins.
"""

import hashlib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bfsql_rdf.errors import ProfileError

STYLE_NAMES = ("reifier", "reification", "wikibase", "axiom", "graph", "plain")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatusProfile(_Part):
    """Where the truth status stands, what its values mean, and the status of what is only quoted."""

    predicate: str = "bfsql:truthStatus"
    unasserted: str = "hypothetical"
    values: dict[str, str] = Field(default_factory=dict)


class PositionProfile(_Part):
    """A SPARQL property path from a statement to its position; prefixes of the profile may be used."""

    path: str = "bfsql:position"


class ExtractionProfile(_Part):
    predicate: str = "bfsql:extractionMethod"


class StyleProfile(_Part):
    """A statement style of the dataset's own: a pattern binding ?statement ?subject ?predicate ?object."""

    pattern: str


class Limits(_Part):
    """What one answer may hold (nodes, edges), how far it may go (hops), rows of a scan page, seconds."""

    max_nodes: int = Field(default=5000, ge=1)
    max_edges: int = Field(default=20000, ge=1)
    max_hops: int = Field(default=10, ge=0)
    scan: int = Field(default=1000, ge=1)
    timeout: float = Field(default=30, gt=0)


class Profile(_Part):
    """How one dataset is to be read; see the README for each key."""

    view: Literal["edges", "nodes"] = "edges"
    names: Literal["local", "label"] = "local"
    languages: list[str] = Field(default_factory=lambda: ["en"])
    vocab: list[str] = Field(default_factory=list)
    styles: list[str] | None = None
    graphs: list[str] = Field(default_factory=list)
    types: list[str] = Field(default_factory=lambda: ["rdf:type"])
    subclass: list[str] = Field(default_factory=lambda: ["rdfs:subClassOf"])
    hidden: list[str] = Field(default_factory=list)
    provenance: list[str] = Field(default_factory=lambda: ["bfsql:provenance", "prov:wasDerivedFrom"])
    text_limit: int = Field(default=500, ge=1)
    labels: bool = False
    inside: list[str] = Field(default_factory=list)
    merge_reifiers: bool = False
    restrictions: bool = True
    prefixes: dict[str, str | list[str]] = Field(default_factory=dict)
    status: StatusProfile = StatusProfile()
    position: PositionProfile = PositionProfile()
    extraction_method: ExtractionProfile = ExtractionProfile()
    style: dict[str, StyleProfile] = Field(default_factory=dict)
    limits: Limits = Limits()

    @classmethod
    def of(cls, source: "str | os.PathLike[str] | dict[str, Any] | Profile | None") -> "Profile":
        """A profile from a TOML file, a dict, a Profile, or nothing (all defaults).

        Raises ProfileError that names the file and the key.
        """
        if isinstance(source, Profile):
            return source
        if source is None:
            return cls()
        where = "profile"
        if not isinstance(source, dict):
            where = str(source)
            try:
                source = tomllib.loads(Path(source).read_text(encoding="utf-8"))
            except OSError as error:
                raise ProfileError(
                    f"cannot read the profile: {error.strerror or error}", code="unreadable", where=where
                ) from None
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ProfileError(f"not TOML: {error}", code="bad_profile", where=where) from None
        try:
            profile = cls.model_validate(source)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            hint = f"Known keys: {', '.join(cls.model_fields)}" if first["type"] == "extra_forbidden" else None
            raise ProfileError(f"{key}: {first['msg']}", code="bad_profile", where=where, hint=hint) from None
        for name in profile.styles or ():
            if name not in STYLE_NAMES and name not in profile.style:
                raise ProfileError(
                    f"styles: {name!r} is no statement style",
                    code="bad_profile",
                    where=where,
                    hint=f"Known: {', '.join([*STYLE_NAMES, *profile.style])}",
                )
        for name, style in profile.style.items():
            missing = [v for v in ("statement", "subject", "predicate", "object") if f"?{v}" not in style.pattern]
            if missing:
                raise ProfileError(
                    f"style.{name}.pattern does not bind ?{', ?'.join(missing)}", code="bad_profile", where=where
                )
        return profile

    def to_toml(self) -> str:
        """The profile as TOML, only what a person wrote."""
        return tomli_w.dumps(self.model_dump(exclude_unset=True, exclude_none=True))

    def completed(self, found: dict[str, Any]) -> "Profile":
        """The profile with what was found in the data for the keys that a person left out."""
        fresh = {key: value for key, value in found.items() if key not in self.model_fields_set}
        return Profile.model_validate(self.model_dump(exclude_unset=True, exclude_none=True) | fresh) if fresh else self

    @property
    def digest(self) -> str:
        """Twelve hex digits that change when anything that shapes the index changes (limits do not)."""
        text = self.model_dump_json(exclude={"limits", "text_limit", "labels", "view"}, exclude_unset=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
