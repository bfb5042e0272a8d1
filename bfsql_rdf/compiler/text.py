"""Terms and patterns as SPARQL text. Every term is a validated pyoxigraph term, so nothing can be injected."""

from collections.abc import Iterable

from pyoxigraph import Literal, NamedNode, Triple

PREFIXED = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "bfsql": "https://w3id.org/bfsql#",
}


def term(node: object) -> str:
    """A pyoxigraph term in SPARQL: its str() is N-Triples, which SPARQL reads, but for a triple term's brackets."""
    return f"<<( {term(node.subject)} {node.predicate} {term(node.object)} )>>" if type(node) is Triple else str(node)


def iri(value: str) -> str:
    """An IRI in SPARQL; ValueError for what is not one."""
    return str(NamedNode(value))


def literal(text: str) -> str:
    """A plain text in SPARQL, escaped."""
    return str(Literal(text))


def values(variable: str, nodes: Iterable[object]) -> str:
    """A VALUES block of one variable."""
    return f"VALUES ?{variable} {{ {' '.join(term(node) for node in nodes)} }}"


def union(branches: Iterable[str]) -> str:
    """Whole branches side by side; each starts at its own VALUES, nothing is shared outside."""
    return "\n  UNION\n".join("  {\n" + _indent(branch, 4) + "\n  }" for branch in branches)


def select(variables: str, body: str, *, distinct: bool = False, datasets: Iterable[str] = ()) -> str:
    """A SELECT; `datasets` become FROM clauses."""
    clauses = "".join(f"FROM {iri(graph)}\n" for graph in datasets)
    return f"SELECT {'DISTINCT ' if distinct else ''}{variables}\n{clauses}WHERE {{\n{body}\n}}"


def alternatives(predicates: Iterable[str]) -> str:
    """A property path of one step over any of the predicates."""
    return "|".join(iri(predicate) for predicate in predicates)


def starts_with(variable: str, starts: Iterable[str]) -> str:
    """A test whether the IRI of a variable starts with one of some texts."""
    return " || ".join(f"STRSTARTS(STR(?{variable}), {literal(start)})" for start in starts)


def _indent(text: str, spaces: int) -> str:
    return "\n".join(" " * spaces + line if line else line for line in text.splitlines())
