"""The SPARQL of what an answer tells in full: raw triples about nodes and statements, each request one text."""

import re
from collections.abc import Iterable, Sequence

from pyoxigraph import NamedNode, Triple

from bfsql_rdf.compiler.hops import ROW, Dataset, is_named, plain_pattern, scan_branches, statement_tail, with_prefixes
from bfsql_rdf.compiler.text import alternatives, iri, literal, select, starts_with, term, union, values
from bfsql_rdf.terms import FIRST, HAS_ASSERTION, OWL, RDF_TYPE, REST, SCHEMA
from bfsql_rdf.terms import NANOPUBLICATION as OF
from bfsql_rdf.wikibase import RANK

_RAW = "?subject ?predicate ?object ."
_UNKNOWN = 'isBLANK(?object) || CONTAINS(STR(?object), "/.well-known/genid/")'
EVIDENCE_DEPTH = 3


def about_nodes(
    dataset: Dataset,
    nodes: Iterable[NamedNode],
    full: Iterable[NamedNode],
    outer: Iterable[NamedNode],
    dated: bool,
) -> str:
    """Types of all nodes, literals of those in full, and of the outer ones, which no hop asked for, what they state."""
    all_, full, outer = values("subject", nodes), list(full), list(outer)
    branches = [
        "\n".join(
            [
                all_,
                f"?subject {iri(kind)} ?object .",
                f"FILTER({is_named('object')})",
                f"BIND({iri(kind)} AS ?predicate)",
            ]
        )
        for kind in dataset.types
    ]
    if full:
        these = values("subject", full)
        branches.append("\n".join([these, _RAW, "FILTER(isLITERAL(?object))"]))
        for kind in dataset.inside:  # what such nodes have are fields, links too
            typed = f"?subject {alternatives(dataset.types)} {iri(kind)} ."
            branches.append("\n".join([these, typed, _RAW]))
        if dataset.lists:
            cells = f"?owner ?leads ?head .\n?head {REST}* ?subject .\n{_RAW}"
            chain = f"FILTER(?predicate IN ({FIRST}, {REST}))"
            branches.append("\n".join([values("owner", full), cells, chain]))
            branches.append("\n".join([these, _RAW, f"?object {FIRST} ?member ."]))
    if full and dataset.bases:
        branches += _without_value(dataset, full)
    for style in dataset.styles if outer else ():
        tail = statement_tail(dataset, style, dated)
        if style.named:
            own = statement_tail(dataset, style, dated, whether=True)
            branches.append("\n".join([values("statement", outer), style.pattern]) + own)
        told = [node for node in full if node in set(outer)]
        if told:
            valued = "isLITERAL(?object)" + (f" || {_UNKNOWN}" if style.name == "wikibase" else "")
            branches.append("\n".join([style.outgoing(values("subject", told)), f"FILTER({valued})"]) + tail)
    return with_prefixes(dataset, select(ROW + (" ?position" if dated else ""), union(branches)))


def statements_of(dataset: Dataset, triples: Iterable[Triple], dated: bool) -> str:
    """The statements of some triples."""
    block = _triples(triples)
    branches = [style.anchored(block) + statement_tail(dataset, style, dated, whether=True) for style in dataset.styles]
    return with_prefixes(dataset, select(ROW + (" ?position" if dated else ""), union(branches)))


def _triples(triples: Iterable[Triple]) -> str:
    rows = " ".join(f"( {term(t.subject)} {term(t.predicate)} {term(t.object)} )" for t in triples)
    return f"VALUES ( ?subject ?predicate ?object ) {{ {rows} }}"


def _without_value(dataset: Dataset, nodes: list[NamedNode]) -> list[str]:
    """The triples of a Wikibase's statements that say that there is no value."""
    starts = [base + "novalue/P" for base in dataset.bases]
    claimed = f"FILTER({starts_with('claim', [base + 'P' for base in dataset.bases])})"
    found = "\n".join(
        [
            values("owner", nodes),
            "?owner ?claim ?st .",
            claimed,
            f"?st {RDF_TYPE} ?kind .",
            f"FILTER({starts_with('kind', starts)})",
        ]
    )
    told = ("?owner", "?claim", "?st"), ("?st", str(RDF_TYPE), "?kind"), ("?st", iri(RANK), "?rank")
    branches = []
    for subject, predicate, object_ in told:
        ranked = f"?st {iri(RANK)} ?rank ." if object_ == "?rank" else ""
        bound = f"BIND({subject} AS ?subject)\nBIND({predicate} AS ?predicate)\nBIND({object_} AS ?object)"
        branches.append("\n".join(line for line in (found, ranked, bound) if line))
    return branches


def about_statements(dataset: Dataset, named: Iterable[NamedNode], anonymous: Iterable[Triple], dated: bool) -> str:
    """Every triple about statements and their evidence; statements that no query can name are found by their triple."""
    branches: list[str] = []
    named, anonymous = list(named), list(anonymous)
    if named:
        branches += _about(dataset, values("st", named))
        for style in dataset.styles:  # what other statements say of these
            tail = statement_tail(dataset, style, dated)
            branches.append(style.outgoing(values("subject", named)) + tail)
            branches.append(style.incoming(values("object", named)) + tail)
    if anonymous:
        block = _triples(anonymous)
        for style in dataset.styles:
            branches.append(style.anchored(block) + statement_tail(dataset, style, dated, whether=True))
            branches += _about(dataset, _renamed(style.anchored(block)))
    return with_prefixes(dataset, select(ROW + (" ?position" if dated else ""), union(branches)))


def statements_named(dataset: Dataset, nodes: Iterable[NamedNode]) -> str:
    """The triples that some ids state, if they are statements."""
    these = values("statement", nodes)
    branches = [
        f"{these}\n{style.pattern}" + statement_tail(dataset, style, False, whether=True)
        for style in dataset.styles
        if style.named
    ]
    return with_prefixes(dataset, select(ROW, union(branches or ["FILTER(false)"])))


def exists(nodes: Iterable[NamedNode]) -> str:
    """Those of some nodes that stand in a triple."""
    tests = ["EXISTS { ?node ?p ?o }", "EXISTS { ?s ?q ?node }"]
    return select("?node", f"{values('node', nodes)}\nFILTER({' || '.join(tests)})")


def _about(dataset: Dataset, anchor: str) -> list[str]:
    """Branches for what hangs off ?st, which the anchor binds: its triples, its evidence, the nodes of its values."""
    found = [f"{anchor}\n?st ?predicate ?object .\nBIND(?st AS ?subject)"]
    if any(style.name == "graph" for style in dataset.styles):
        owner = f"?object {iri(HAS_ASSERTION)} ?st .\nBIND(?st AS ?subject)\nBIND({iri(OF)} AS ?predicate)"
        found.append(f"{anchor}\n{owner}")
    steps = [alternatives(dataset.provenance)] if dataset.provenance else []
    for step in steps:
        found.append("\n".join([anchor, f"?st {step} ?subject .", _RAW]))
        for depth in range(2, EVIDENCE_DEPTH + 1):
            path = [f"?st {step} ?e1 ."] + [f"?e{n} ?x{n} ?e{n + 1} ." for n in range(1, depth - 1)]
            path += [f"?e{depth - 1} ?x{depth - 1} ?subject .", "FILTER(isBLANK(?subject))", _RAW]
            found.append("\n".join([anchor, *path]))
    for kind in dataset.inside:
        typed = f"?subject {alternatives(dataset.types)} {iri(kind)} ."
        found.append("\n".join([anchor, "?st ?leads ?subject .", typed, _RAW]))
    if dataset.bases:
        deep = [f"{base}{role}/value/P" for base in dataset.bases for role in ("statement", "qualifier")]
        found.append("\n".join([anchor, "?st ?leads ?subject .", f"FILTER({starts_with('leads', deep)})", _RAW]))
        told = [f"{base}reference/value/P" for base in dataset.bases]
        for step in steps:
            lead = f"?st {step} ?reference .\n?reference ?leads ?subject .\nFILTER({starts_with('leads', told)})"
            found.append("\n".join([anchor, lead, _RAW]))
    return found


def _renamed(pattern: str) -> str:
    """A statement pattern with ?st for ?statement and names of its own for the rest."""
    pattern = re.sub(r"[?$](subject|predicate|object)\b", r"?its_\1", pattern)
    return re.sub(r"[?$]statement\b", "?st", pattern)


def closure_hop(dataset: Dataset, nodes: Iterable[NamedNode], predicates: Sequence[str]) -> str:
    """What some predicates lead to from some nodes: every statement of them, and every plain link."""
    these = values("subject", nodes)
    chosen = f"\nFILTER(?predicate IN ({', '.join(map(iri, predicates))}))"
    branches = [style.outgoing(these) + chosen + statement_tail(dataset, style, False) for style in dataset.styles]
    if dataset.plain:
        branches.append(f"{these}\n{plain_pattern(dataset)}{chosen}")
    return with_prefixes(dataset, select(ROW, union(branches)))


def scan_page(dataset: Dataset, predicates: Sequence[str], offset: int, most: int) -> str:
    """Distinct triples of a scan; ?stated counts the statements of each."""
    inner = scan_branches(dataset, predicates, False)
    body = f"SELECT ?subject ?predicate ?object (COUNT(?style) AS ?stated)\nWHERE {{\n{inner}\n}}"
    tail = f"GROUP BY ?subject ?predicate ?object\nOFFSET {offset}\nLIMIT {most}"
    return with_prefixes(dataset, f"{body}\n{tail}")


def entities_page(dataset: Dataset, types: Sequence[str], offset: int, most: int) -> str:
    """Entities of some types, so many after so many."""
    typed = alternatives(dataset.types)
    body = f"{values('type', [NamedNode(one) for one in types])}\n?entity {typed} ?type ."
    return select("?entity", body, distinct=True) + f"\nOFFSET {offset}\nLIMIT {most}"


def named_exactly(dataset: Dataset, texts: Iterable[object], predicates: Sequence[str], most: int) -> str:
    """Nodes with one of some labels, spelled exactly."""
    wanted = f"FILTER(?predicate IN ({', '.join(map(iri, predicates))})){_no_pages(dataset)}"
    body = f"{values('text', texts)}\n?subject ?predicate ?text .\n{wanted}"
    return select("?subject", body, distinct=True) + f"\nLIMIT {most}"


def named_like(dataset: Dataset, words: Iterable[str], predicates: Sequence[str], most: int) -> str:
    """Nodes with a label that has some words in it: every label is looked at."""
    branches = [f"?subject {iri(predicate)} ?text ." for predicate in predicates]
    wanted = " && ".join(f"CONTAINS(LCASE(STR(?text)), {literal(word)})" for word in words)
    return (
        select("?subject", f"{union(branches)}\nFILTER({wanted}){_no_pages(dataset)}", distinct=True)
        + f"\nLIMIT {most}"
    )


def _no_pages(dataset: Dataset) -> str:
    """What keeps the pages about entities of a Wikibase from bearing their names."""
    return f"\nFILTER NOT EXISTS {{ ?subject {iri(SCHEMA + 'about')} ?described }}" if dataset.bases else ""


def labels_of(nodes: Iterable[NamedNode], predicates: Sequence[str], languages: Sequence[str] | None) -> str:
    """The labels of some nodes, in the wanted languages or in all."""
    lines = [values("subject", nodes), _RAW, f"FILTER(?predicate IN ({', '.join(map(iri, predicates))}))"]
    if languages is not None:
        tags = ", ".join(literal(tag) for tag in [*languages, "mul", ""])
        lines.append(f"FILTER(LANG(?object) IN ({tags}))")
    return select("?subject ?predicate ?object", "\n".join(lines))


def redirects(nodes: Iterable[NamedNode]) -> str:
    """Where some entities of a Wikibase are redirected to."""
    body = f"{values('subject', nodes)}\n?subject {iri(OWL + 'sameAs')} ?object ."
    return select("?subject ?predicate ?object", f"{body}\nBIND({iri(OWL + 'sameAs')} AS ?predicate)")
