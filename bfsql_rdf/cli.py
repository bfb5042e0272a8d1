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

from bfsql_rdf.cli_serve import mcp, serve
from bfsql_rdf.cli_source import Lenient, ProfileOption, Source, open_source
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

Query = Annotated[str, typer.Argument(metavar="QUERY", help="JSON, @FILE, or - for standard input.")]
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
    _print(open_source(source, profile, lenient).search_entities(query).to_dict(), indent)


@app.command()
def describe(
    source: Source,
    ids: Annotated[list[str], typer.Argument(metavar="ID...")],
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """Everything about some nodes, text uncut."""
    _print(open_source(source, profile, lenient).describe_entities(ids).to_dict(), indent)


@app.command()
def schema(
    source: Source,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="About how long the answer may be.")] = 4000,
    profile: ProfileOption = None,
    lenient: Lenient = False,
    indent: Indent = None,
) -> None:
    """What the graph holds: types, predicates, statuses, positions, sizes."""
    _print(open_source(source, profile, lenient).describe_schema(max_tokens).to_dict(), indent)


@app.command()
def prompt(source: Source, profile: ProfileOption = None, lenient: Lenient = False) -> None:
    """Markdown that teaches a language model to query this graph."""
    sys.stdout.write(open_source(source, profile, lenient).prompt() + "\n")


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


app.command()(serve)
app.command()(mcp)


def _answer(
    source: str,
    query: str,
    profile: Path | None,
    lenient: bool,
    indent: int | None,
    ask: Callable[[Graph, str], dict[str, Any]],
) -> None:
    text = _query_text(query)
    _print(ask(open_source(source, profile, lenient), text), indent)


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
