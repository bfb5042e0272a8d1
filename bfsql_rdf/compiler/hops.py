"""The SPARQL of hops, scans and closures over the data: what an endpoint is sent."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import NamedNode

from bfsql_rdf.compiler.text import alternatives, iri, literal, select, starts_with, union, values
from bfsql_rdf.styles.base import Style
from bfsql_rdf.terms import (
    COMPLEMENT,
    EQUIVALENT,
    FIRST,
    HAS_VALUE,
    NIL,
    NOT_TYPE,
    ON_PROPERTY,
    RDF_TYPE,
    REST,
    SCHEMA,
    SKOLEM,
    SOME_VALUES,
    SUBCLASS,
    local_name,
)
from bfsql_rdf.wikibase import KEPT, WIKIBASE

ROW = "?style ?statement ?subject ?predicate ?object ?status"
"""A row of a hop: of a plain triple ?style and ?statement are unbound."""
QUOTED = "quoted"
"""The ?style of a reifier whose triple is not asserted."""


@dataclass(frozen=True)
class Dataset:
    """What the compiler must know of a dataset: its styles and where status, position and types stand.

    `bases` are what stands before `direct/P31` in the predicates of a Wikibase export.
    """

    styles: Sequence[Style]
    status: str
    position: str
    types: Sequence[str]
    hidden: Sequence[str]
    inside: Sequence[str]
    provenance: Sequence[str]
    prefixes: Mapping[str, str]
    plain: bool
    unasserted: bool
    lists: bool
    bases: Sequence[str] = ()
    restrictions: bool = False


def hop(dataset: Dataset, frontier: Iterable[NamedNode], dated: bool) -> str:
    """Every statement, of any status, that touches the frontier, and every plain link.

    Rows with the same triple belong together: a plain row beside a statement row is no edge, and a statement
    without a status takes that of the other statements of its triple. `dated` adds ?position.
    """
    row = ROW + (" ?position" if dated else "")
    return with_prefixes(dataset, select(row, _hop_branches(dataset, frontier, dated)))


def hop_count(dataset: Dataset, frontier: Iterable[NamedNode]) -> str:
    """How many triples a hop has, whatever their status."""
    inner = select("?subject ?predicate ?object", _hop_branches(dataset, frontier, False), distinct=True)
    return with_prefixes(dataset, select("(COUNT(*) AS ?total)", f"{{\n{inner}\n}}"))


def _hop_branches(dataset: Dataset, frontier: Iterable[NamedNode], dated: bool) -> str:
    nodes = list(frontier)
    branches = []
    for style in dataset.styles:
        tail = statement_tail(dataset, style, dated)
        branches.append(style.outgoing(values("subject", nodes)) + tail)
        branches.append(style.incoming(values("object", nodes)) + tail)
        if style.named:
            own = statement_tail(dataset, style, dated, whether=True)
            branches.append(f"{values('statement', nodes)}\n{style.pattern}{own}")
    if dataset.plain:
        for variable in ("subject", "object"):
            these = values(variable, nodes)
            branches.append("\n".join([these, plain_pattern(dataset), *_minus_custom(dataset, variable, these)]))
        if dataset.lists:
            branches += _member_branches(dataset, nodes)
    if dataset.restrictions:
        branches += _restriction_branches(nodes)
    return union(branches)


def unasserted_scan(dataset: Dataset, dated: bool) -> list[str]:
    """What no index of an endpoint finds: statements whose triple is only quoted; once for a query."""
    found = []
    for style in dataset.styles:
        if style.scan and dataset.unasserted:
            body = style.scan + "\nFILTER NOT EXISTS { ?subject ?predicate ?object }"
            body += statement_tail(dataset, style, dated, QUOTED)
            found.append(with_prefixes(dataset, select(ROW + (" ?position" if dated else ""), body)))
    return found


def scan(dataset: Dataset, predicates: Sequence[str], dated: bool) -> str:
    """Every statement with one of the predicates (any, when there are none), of any status."""
    row = ROW + (" ?position" if dated else "")
    return with_prefixes(dataset, select(row, scan_branches(dataset, predicates, dated)))


def scan_branches(dataset: Dataset, predicates: Sequence[str], dated: bool) -> str:
    """The statements of each style and the plain triples of a scan, side by side."""
    chosen = f"\nFILTER(?predicate IN ({', '.join(map(iri, predicates))}))" if predicates else ""
    branches = [style.pattern + chosen + statement_tail(dataset, style, dated) for style in dataset.styles]
    if dataset.plain:
        head = values("predicate", [NamedNode(one) for one in predicates]) + "\n" if predicates else ""
        plain = plain_pattern(dataset, literals=bool(predicates))
        branches.append("\n".join([head + plain, *_minus_custom(dataset, "", "")]))
    return union(branches)


def entities(dataset: Dataset, types: Sequence[str]) -> str:
    """Every entity of one of the types."""
    typed = "|".join(map(iri, dataset.types))
    body = f"{values('type', [NamedNode(one) for one in types])}\n?entity {typed} ?type ."
    return select("?entity ?type", body, distinct=True)


def path_closure(start: NamedNode, predicates: Sequence[str]) -> str:
    """Everything reachable along plain links of a predicate, in any of its spellings."""
    path = iri(predicates[0]) if len(predicates) == 1 else f"({alternatives(predicates)})"
    return select("?entity", f"{start} {path}+ ?entity .\nFILTER(!isLITERAL(?entity))", distinct=True)


def plain_pattern(dataset: Dataset, literals: bool = False) -> str:
    """Triples that are links, or with `literals` values too; whether a statement describes one, the rows say."""
    lines = ["?subject ?predicate ?object ."]
    lines.append(
        "FILTER(isIRI(?object) || isLITERAL(?object) || isBLANK(?object))"
        if literals
        else "FILTER(!isLITERAL(?object))"
    )
    if dataset.lists:
        lines.append(f"FILTER NOT EXISTS {{ ?object {FIRST} ?member }}\nFILTER(?object != {NIL})")
    return "\n".join([*lines, *_link_filters(dataset)])


def _member_branches(dataset: Dataset, nodes: list[NamedNode]) -> list[str]:
    """Links to the members of lists, out and in: a list is an array, not a chain of nodes."""
    out = ["?subject ?predicate ?list .", f"?list {REST}*/{FIRST} ?object .", "FILTER(isIRI(?object))"]
    into = [f"?cell {FIRST} ?object .", f"?list {REST}* ?cell .", "?subject ?predicate ?list ."]
    return [
        "\n".join([values("subject", nodes), *out, *_link_filters(dataset)]),
        "\n".join([values("object", nodes), *into, *_link_filters(dataset)]),
    ]


def _restriction_branches(nodes: list[NamedNode]) -> list[str]:
    """Edges that anonymous classes stand for, out and in: `C subClassOf [ onProperty p ; someValuesFrom D ]`."""
    owner = f"?subject {alternatives([SUBCLASS.value, EQUIVALENT.value])} ?class ."
    on, named = f"?class {ON_PROPERTY} ?predicate .", f"FILTER(isIRI(?predicate) && {is_named('object')})"
    found = []
    for construct in (SOME_VALUES, HAS_VALUE):
        filler = f"?class {construct} ?object ."
        marked = f"{named}\nBIND({literal(local_name(construct.value))} AS ?style)"
        found.append("\n".join([values("subject", nodes), owner, on, filler, marked]))
        found.append("\n".join([values("object", nodes), filler, on, owner, marked]))
    typed, other = f"?subject {RDF_TYPE} ?class .", f"?class {COMPLEMENT} ?object ."
    negated = f"FILTER({is_named('object')})\nBIND({NOT_TYPE} AS ?predicate)\nBIND({literal('complementOf')} AS ?style)"
    found.append("\n".join([values("subject", nodes), typed, other, negated]))
    found.append("\n".join([values("object", nodes), other, typed, negated]))
    return found


def is_named(variable: str) -> str:
    """A test whether a variable is an IRI that is not a blank node in disguise."""
    return f'isIRI(?{variable}) && !STRSTARTS(STR(?{variable}), "{SKOLEM}")'


def _not_restrictions(dataset: Dataset) -> list[str]:
    """What keeps a restriction that stands for an edge from being a node; deeper expressions stay as they are."""
    if not dataset.restrictions:
        return []
    fillers = alternatives([SOME_VALUES.value, HAS_VALUE.value, COMPLEMENT.value])
    return [
        f"FILTER NOT EXISTS {{ ?{end} {fillers} ?filler FILTER({is_named('filler')}) }}"
        for end in ("subject", "object")
    ]


def _link_filters(dataset: Dataset) -> list[str]:
    """What keeps the triples that spell statements, types, lists and evidence from being links."""
    structure = sorted({part for style in dataset.styles for part in style.structure})
    chain = [FIRST.value, REST.value] if dataset.lists else []
    left_out = ", ".join(map(iri, [*structure, *chain, *dataset.types, *dataset.hidden]))
    lines = [f"FILTER(?predicate NOT IN ({left_out}))", *_wikibase_filters(dataset), *_not_restrictions(dataset)]
    lines += [f"FILTER NOT EXISTS {{ ?subject {iri(part)} ?part }}" for part in structure]
    if not all(style.named for style in dataset.styles):
        lines.append("FILTER(isIRI(?subject) || isBLANK(?subject))")
    kind = iri(dataset.types[0])
    lines += [f"FILTER NOT EXISTS {{ ?subject {kind} {iri(inside)} }}" for inside in dataset.inside]
    return [*lines, *_not_evidence(dataset, structure)]


def _wikibase_filters(dataset: Dataset) -> list[str]:
    """What keeps the bookkeeping of a Wikibase export from being links; its direct triples are some.

    A direct triple beside a statement with the same value says the same again: the rows show it.
    """
    if not dataset.bases:
        return []
    direct = [base + "direct/P" for base in dataset.bases]
    kept = ", ".join(map(iri, sorted(KEPT)))
    return [
        f"FILTER(!({starts_with('predicate', dataset.bases)}) || {starts_with('predicate', direct)})",
        f"FILTER(!({starts_with('predicate', [WIKIBASE])}) || ?predicate IN ({kept}))",
        f"FILTER(!({starts_with('subject', dataset.bases)}))",
        f"FILTER NOT EXISTS {{ ?subject {iri(SCHEMA + 'about')} ?described }}",
    ]


def _not_evidence(dataset: Dataset, structure: Sequence[str]) -> list[str]:
    """Blank nodes under a statement's provenance, three deep, are inside it; each step is a test of its own.

    Only blank subjects pay for it; tests in one group would be joined the wrong way round.
    """
    if not (dataset.provenance and dataset.styles):
        return []
    provenance = alternatives(dataset.provenance)
    spelled = alternatives(structure) if structure else None
    told = f" FILTER EXISTS {{ ?e0 {spelled} ?part }}" if spelled else ""
    deep = f"EXISTS {{ ?e0 {provenance} ?NODE{told} }}"
    tests = [deep.replace("?NODE", "?subject")]
    for depth in (1, 2):
        above = deep.replace("?NODE", "?e1")
        for step in range(1, depth):
            above = f"EXISTS {{ ?e{step} ?x{step} ?e{step + 1} FILTER {above} }}"
        tests.append(f"EXISTS {{ ?e{depth} ?x{depth} ?subject FILTER {above} }}")
    blank = f'isBLANK(?subject) || STRSTARTS(STR(?subject), "{SKOLEM}")'
    return [f"FILTER(!({blank}) || !(\n  " + "\n  || ".join(tests) + "\n))"]


def _minus_custom(dataset: Dataset, variable: str, frontier: str) -> list[str]:
    """The triples of statements of a style of the dataset's own are their fields; the frontier stands inside again."""
    found = []
    for style in dataset.styles:
        if style.structure:
            continue
        pattern = re.sub(r"[?$](subject|predicate|object)\b", r"?its_\1", style.pattern)
        pattern = re.sub(r"[?$]statement\b", "?subject", pattern)
        lines = [frontier, "?subject ?predicate ?object ."] if variable == "object" else [frontier]
        found.append("MINUS {\n" + "\n".join([line for line in lines if line] + [pattern]) + "\n}")
    return found


def statement_tail(dataset: Dataset, style: Style, dated: bool, name: str = "", whether: bool = False) -> str:
    """Status, position and style of a statement; `whether` finds out if its triple is only quoted."""
    spelled = sorted({part for other in dataset.styles for part in other.structure}) if style.name == "graph" else []
    no_edges = ", ".join(map(iri, [*dataset.types, *dataset.hidden, *spelled]))
    lines = f"\nFILTER(?predicate NOT IN ({no_edges}))"
    lines += f"\nOPTIONAL {{ ?statement {iri(style.status or dataset.status)} ?status }}"
    lines += f"\nOPTIONAL {{ ?statement {dataset.position} ?position }}" if dated else ""
    shown = literal(name or style.name)
    if whether and style.unasserted:
        shown = f"IF(EXISTS {{ ?subject ?predicate ?object }}, {shown}, {literal(QUOTED)})"
    return lines + f"\nBIND({shown} AS ?style)"


def with_prefixes(dataset: Dataset, query: str) -> str:
    """The query with a PREFIX line for each prefix that the profile's own patterns use."""
    own = [dataset.position, *(style.pattern for style in dataset.styles)]
    used = [p for p in dataset.prefixes if any(re.search(rf"(?<![\w<]){re.escape(p)}:", text) for text in own)]
    return "".join(f"PREFIX {p}: {iri(dataset.prefixes[p])}\n" for p in used) + query
