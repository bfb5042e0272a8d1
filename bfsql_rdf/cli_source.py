"""What every command of the command line that opens a graph takes."""

from pathlib import Path
from typing import Annotated

import typer

import bfsql_rdf
from bfsql_rdf.graph import Graph

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A store folder, RDF files (comma-separated), or an endpoint's URL.")
]
ProfileOption = Annotated[Path | None, typer.Option("--profile", help="A profile (TOML) for the data.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Read what only lenient parsing accepts.")]


def open_source(source: str, profile: Path | None, lenient: bool) -> Graph:
    """The graph that SOURCE names."""
    endpoint = source.startswith(("http://", "https://"))
    names = [source] if endpoint or Path(source).exists() else [name for name in source.split(",") if name]
    return bfsql_rdf.open(names, profile, lenient=lenient)
