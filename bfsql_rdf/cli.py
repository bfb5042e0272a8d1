"""The command line: JSON in, JSON out, one line for an error."""

import json
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

import bfsql_rdf
from bfsql_rdf.errors import BfsqlError, QueryError
from bfsql_rdf.graph import Graph
from bfsql_rdf.profile import Profile
from bfsql_rdf.store.load import load as load_store

app = typer.Typer(
    name="bfsql-rdf",
    help="BFS-QL over RDF: seeds and hops instead of SPARQL, for language models that explore a graph.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A store folder, RDF files (comma-separated), or an endpoint's URL.")
]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="JSON, @FILE, or - for standard input.")]
ProfileOption = Annotated[Path | None, typer.Option("--profile", help="A profile (TOML) for the data.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Read what only lenient parsing accepts.")]
Indent = Annotated[int | None, typer.Option("--indent", help="Indent the JSON by so many spaces.")]


@app.callback()
def _options(
    ctx: typer.Context,
    json_errors: Annotated[bool, typer.Option("--json-errors", help="Errors as JSON on stderr.")] = False,
) -> None:
    ctx.obj = json_errors


@app.command()
def load(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The store folder; made when missing.")],
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="RDF files, or - for standard input.")],
    replace: Annotated[bool, typer.Option("--replace", help="In place of what is there.")] = False,
    graph: Annotated[str | None, typer.Option("--graph", help="Named graph for default-graph triples.")] = None,
    lenient: Lenient = False,
    base: Annotated[str | None, typer.Option("--base", help="Base IRI of relative IRIs.")] = None,
    format: Annotated[str | None, typer.Option("--format", help="Syntax, where the name does not tell.")] = None,
    profile: ProfileOption = None,
) -> None:
    """Load files into a store folder: whole, or not at all."""
    chosen = Profile.of(profile) if profile else None
    with _progress(files) as report:
        meta = load_store(
            store,
            files,
            chosen,
            replace=replace,
            graph=graph,
            lenient=lenient,
            base=base,
            format=format,
            progress=report,
        )
    figures = meta.figures
    assert figures is not None
    loaded = meta.files[-len(files) :]
    summary = {
        "files": [{"name": f.name, "format": f.format, "triples": f.quads} for f in loaded],
        "statements": figures.styles,
        "plain_links": figures.plain_links,
        "statuses": figures.statuses,
        "entities_by_type": sum(figures.types.values()),
        "predicates": len(figures.predicates),
        "positions": figures.positions,
        "found": {k: v for k, v in figures.found.items() if not (chosen and k in chosen.model_fields_set)},
    }
    _print(
        {k: v for k, v in summary.items() if v} | ({"warnings": figures.warnings} if figures.warnings else {}),
        2,
    )


@app.command()
def index(store: Annotated[Path, typer.Argument(metavar="STORE")], profile: ProfileOption = None) -> None:
    """Build the index of a store anew; a profile given becomes the store's own."""
    meta = load_store(store, [], Profile.of(profile) if profile else None)
    assert meta.figures is not None
    _print({"statements": meta.figures.styles, "statuses": meta.figures.statuses}, 2)


@app.command()
def bfs(
    source: Source,
    query: Query,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """The subgraph around some seeds."""
    _answer(source, query, profile, lenient, indent, lambda g, q: g.bfs_query(q).to_dict())


@app.command()
def closure(
    source: Source,
    query: Query,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """Everything reachable along one predicate."""
    _answer(source, query, profile, lenient, indent, lambda g, q: g.transitive_closure_query(q).to_dict())


@app.command()
def scan(
    source: Source,
    query: Query,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """Everything that matches, page by page."""
    _answer(source, query, profile, lenient, indent, lambda g, q: g.scan_query(q).to_dict())


@app.command()
def search(
    source: Source,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A name, or part of one.")],
    types: Annotated[list[str] | None, typer.Option("--type", help="Only entities of this type; repeatable.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many candidates at most.")] = 10,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """Entities by name, with the ids that the other queries take."""
    query = {"query": text, "limit": limit} | ({"entity_types": types} if types else {})
    _print(_open(source, profile, lenient).search_entities(query).to_dict(), indent)


@app.command()
def describe(
    source: Source,
    ids: Annotated[list[str], typer.Argument(metavar="ID...")],
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """Everything about some nodes, text uncut."""
    _print(_open(source, profile, lenient).describe_entities(ids).to_dict(), indent)


@app.command()
def schema(
    source: Source,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="About how long the answer may be.")] = 4000,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """What the graph holds: types, predicates, statuses, positions, sizes."""
    _print(_open(source, profile, lenient).describe_schema(max_tokens).to_dict(), indent)


@app.command()
def prompt(source: Source, profile: ProfileOption = None, lenient: Lenient = False) -> None:
    """Markdown that teaches a language model to query this graph."""
    sys.stdout.write(_open(source, profile, lenient).prompt() + "\n")


@app.command()
def explain(
    source: Source,
    primitive: Annotated[str, typer.Argument(metavar="bfs|closure|scan")],
    query: Query,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """The SPARQL that a query is."""
    _answer(source, query, profile, lenient, indent, lambda g, q: g.explain(primitive, q))


@app.command()
def serve(
    source: Source,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    host: Annotated[str, typer.Option("--host", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port; 0 takes a free one.")] = 8000,
    token_file: Annotated[Path | None, typer.Option("--token-file", help="Bearer tokens, one a line.")] = None,
    cors: Annotated[list[str] | None, typer.Option("--cors", help="An origin whose pages may ask.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option("--allow-host", help="A further Host to answer for.")] = None,
) -> None:
    """Serve the graph over HTTP."""
    try:
        from bfsql_rdf.serve.run import run_http
    except ImportError as error:
        raise QueryError(
            f"the HTTP server needs a further package: {error}",
            code="missing_extra",
            where="serve",
            hint="pip install 'bfsql-rdf[serve]'",
        ) from None
    run_http(_open(source, profile, lenient), host, port, token_file, cors or [], allow_host or [])


@app.command()
def mcp(
    source: Source,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="Tokens of one answer at most, estimated.")] = 20_000,
) -> None:
    """Serve the graph to a language model: the Model Context Protocol over standard input and output."""
    try:
        from bfsql_rdf.serve.mcp import run_stdio
    except ImportError as error:
        raise QueryError(
            f"the Model Context Protocol needs a further package: {error}",
            code="missing_extra",
            where="mcp",
            hint="pip install 'bfsql-rdf[mcp]'",
        ) from None
    run_stdio(_open(source, profile, lenient), max_tokens)


def _answer(
    source: str,
    query: str,
    profile: Path | None,
    lenient: bool,
    indent: int | None,
    ask: Callable[[Graph, str], dict[str, Any]],
) -> None:
    text = _query_text(query)
    _print(ask(_open(source, profile, lenient), text), indent)


def _query_text(query: str) -> str:
    if query == "-":
        try:
            return sys.stdin.buffer.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise QueryError(
                f"the query is not UTF-8 text: {error}", code="unreadable", where="standard input"
            ) from None
    if not query.startswith("@"):
        return query
    try:
        return Path(query[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise QueryError(f"cannot read the query: {reason}", code="unreadable", where=query[1:]) from None


def _open(source: str, profile: Path | None, lenient: bool) -> Graph:
    endpoint = source.startswith(("http://", "https://"))
    names = [source] if endpoint or Path(source).exists() else [name for name in source.split(",") if name]
    return bfsql_rdf.open(names, profile, lenient=lenient)


def _print(body: Any, indent: int | None) -> None:
    separators = (",", ":") if indent is None else None
    sys.stdout.write(json.dumps(body, ensure_ascii=False, indent=indent, separators=separators) + "\n")


@contextmanager
def _progress(files: list[str]) -> Any:
    """A progress callback on a terminal, None in a pipe."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[quads]:,} statements, {task.fields[rate]:,}/s"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(name: str, size: int, quads: int) -> None:
            if name not in tasks:
                total = Path(name).stat().st_size if name in files and Path(name).is_file() else None
                tasks[name] = bar.add_task(name, total=total, quads=0, rate=0)
            elapsed = bar.tasks[tasks[name]].elapsed or 1
            bar.update(tasks[name], completed=size, quads=quads, rate=int(quads / elapsed))

        yield report


_UsageError: Any = typer.BadParameter.__base__
"""The class of a wrong command line, under its public subclass whichever library typer has it from."""


def _complain(error: BfsqlError, as_json: bool) -> int:
    text = json.dumps({"error": error.to_dict()}, ensure_ascii=False) if as_json else f"bfsql-rdf: {error}"
    sys.stderr.write(text + "\n")
    return error.status


def main() -> None:
    """Run the command line: exit status 0, 2 for a bad query or input, 1 for anything else."""
    json_errors = "--json-errors" in sys.argv
    sys.argv = [sys.argv[0], *(["--json-errors"] if json_errors else [])] + [
        argument for argument in sys.argv[1:] if argument != "--json-errors"
    ]
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        code = app(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except BfsqlError as error:
        sys.exit(_complain(error, json_errors))
    except _UsageError as error:
        path = error.ctx.command_path if error.ctx else "bfsql-rdf"
        usage = QueryError(error.format_message().rstrip("."), code="usage", where=path, hint=f"See {path} --help")
        sys.exit(_complain(usage, json_errors))
    except typer.Abort:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 the last resort: a user gets one line, never a traceback
        sys.stderr.write(f"bfsql-rdf: {type(error).__name__}: {' '.join(str(error).split())}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
