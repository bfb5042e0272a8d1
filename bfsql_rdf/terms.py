"""The IRIs that the package knows by name, and the shapes of terms it needs everywhere."""

import json
import re
from typing import Any, Final

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
PROV: Final = "http://www.w3.org/ns/prov#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
SCHEMA: Final = "http://schema.org/"
OBO: Final = "http://purl.obolibrary.org/obo/"
BFSQL: Final = "https://w3id.org/bfsql#"
SKOLEM: Final = "https://w3id.org/.well-known/genid/bfsql/"
"""Where skolemized blank nodes live (RDF 1.1 Concepts, section 3.5)."""

RDF_TYPE: Final = NamedNode(RDF + "type")
REIFIES: Final = NamedNode(RDF + "reifies")
SUBJECT: Final = NamedNode(RDF + "subject")
PREDICATE: Final = NamedNode(RDF + "predicate")
OBJECT: Final = NamedNode(RDF + "object")
FIRST: Final = NamedNode(RDF + "first")
REST: Final = NamedNode(RDF + "rest")
NIL: Final = NamedNode(RDF + "nil")
LABEL: Final = NamedNode(RDFS + "label")
ANNOTATED_SOURCE: Final = NamedNode(OWL + "annotatedSource")
ANNOTATED_PROPERTY: Final = NamedNode(OWL + "annotatedProperty")
ANNOTATED_TARGET: Final = NamedNode(OWL + "annotatedTarget")
SUBCLASS: Final = NamedNode(RDFS + "subClassOf")
EQUIVALENT: Final = NamedNode(OWL + "equivalentClass")
ON_PROPERTY: Final = NamedNode(OWL + "onProperty")
SOME_VALUES: Final = NamedNode(OWL + "someValuesFrom")
HAS_VALUE: Final = NamedNode(OWL + "hasValue")
COMPLEMENT: Final = NamedNode(OWL + "complementOf")
NOT_TYPE: Final = NamedNode(BFSQL + "notType")
NANOPUB: Final = "http://www.nanopub.org/nschema#"
NANOPUBLICATION: Final = "urn:bfsql:nanopublication"
"""Predicate, in answers only, from an assertion graph to its nanopublication."""
HAS_ASSERTION: Final = NANOPUB + "hasAssertion"

LABELS: Final = (
    RDFS + "label",
    SKOS + "prefLabel",
    SCHEMA + "name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
"""Predicates of a node's label, the first that is there wins."""

ALIASES: Final = (
    SKOS + "altLabel",
    SKOS + "hiddenLabel",
    SCHEMA + "alternateName",
    "https://schema.org/alternateName",
    "http://xmlns.com/foaf/0.1/nick",
    "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
    "http://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym",
    "http://www.geneontology.org/formats/oboInOwl#hasNarrowSynonym",
    "http://www.geneontology.org/formats/oboInOwl#hasBroadSynonym",
    OBO + "IAO_0000118",
)
"""Predicates of other names of a node."""

DESCRIPTIONS: Final = (
    SCHEMA + "description",
    "https://schema.org/description",
    SKOS + "definition",
    OBO + "IAO_0000115",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
    RDFS + "comment",
)
"""Predicates of a short text about a node, the first that is there wins."""

STATUSES: Final = ("asserted_true", "asserted_false", "hypothetical", "disputed", "retracted")
"""The truth statuses of the language."""

RESERVED_KEYS: Final = frozenset(
    [
        "id",
        "entity_type",
        "entity_types",
        "node_kind",
        "subject",
        "predicate",
        "object",
        "value",
        "subject_id",
        "object_id",
        "object_value",
        "derived_via",
        "truth_status",
        "extraction_method",
        "provenance",
        "statements",
        "statements_about",
    ]
)
"""Keys of the language that no field of the data may take."""

BUILTIN_PREFIXES: Final = {
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
    "prov": PROV,
    "skos": SKOS,
    "bfsql": BFSQL,
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": SCHEMA,
    "obo": OBO,
}

FIXED_PREFIXES: Final = {p: BUILTIN_PREFIXES[p] for p in ("rdf", "rdfs", "owl", "xsd", "prov", "bfsql")}
"""Prefixes that a file cannot give another meaning (a profile can): the profile's defaults are written in them."""

STRUCTURAL_TYPES: Final = frozenset(
    {
        OWL + "NamedIndividual",
        OWL + "Thing",
        RDFS + "Resource",
        "http://wikiba.se/ontology#Item",
        "http://wikiba.se/ontology#Property",
        "http://www.w3.org/ns/lemon/ontolex#LexicalEntry",
        "http://www.w3.org/ns/lemon/ontolex#LexicalSense",
        "http://www.w3.org/ns/lemon/ontolex#Form",
    }
)
"""Types that are shown only where nothing else is known."""

LIST_DATATYPE: Final = NamedNode("urn:bfsql:list")
"""Datatype, inside the index only, of a literal that spells an RDF list of literals as a JSON array."""
JSON_DATATYPE: Final = NamedNode("urn:bfsql:json")
"""Datatype, inside the index only, of a literal that spells a JSON object; {"@id": IRI} in it is an id."""

_BAD_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_INTEGERS = frozenset(
    XSD + t
    for t in [
        "integer",
        "int",
        "long",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "negativeInteger",
        "nonPositiveInteger",
        "unsignedInt",
        "unsignedLong",
        "unsignedShort",
        "unsignedByte",
    ]
)
_NUMBERS = frozenset(XSD + t for t in ("decimal", "double", "float"))

Resource = NamedNode | BlankNode
Term = NamedNode | BlankNode | Literal | Triple


def iri_fault(text: str) -> str | None:
    """Why `text` cannot be an absolute IRI, in words, or None when it can."""
    if bad := _BAD_IRI.search(text):
        return f"the character {bad.group()!r} may not stand in an IRI"
    if ":" not in text:
        return "it has no scheme"
    try:
        NamedNode(text)
    except ValueError as error:
        return str(error)
    return None


def local_name(iri: str) -> str:
    """The part after the last `#`, `/` or `:`; empty when the IRI ends there."""
    cut = max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":"))
    return iri[cut + 1 :]


def literal_value(literal: Literal) -> Any:
    """A literal as a JSON value: int, float, bool, a list for an RDF list, else the lexical form."""
    datatype = literal.datatype.value
    text = literal.value
    if datatype == XSD + "string":
        return text
    if datatype in _INTEGERS:
        try:
            return int(text)
        except ValueError:
            return text
    if datatype in _NUMBERS:
        try:
            number = float(text)
        except ValueError:
            return text
        if number in (float("inf"), float("-inf")) or number != number:
            return text
        return int(text) if datatype == XSD + "decimal" and re.fullmatch(r"[+-]?\d+", text) else number
    if datatype == XSD + "boolean" and text in ("true", "false", "1", "0"):
        return text in ("true", "1")
    if datatype in (LIST_DATATYPE.value, JSON_DATATYPE.value):
        return json.loads(text)
    return text
