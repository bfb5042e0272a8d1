"""The language's examples, as the OpenAPI description shows them; a test holds them to the worked ones."""

from typing import Any

_PUBLICATIONS = {
    "seeds": ["PERSON:12345"],
    "max_hops": 1,
    "node_filter": {"entity_types": ["Publication"]},
    "edge_filter": {"predicates": ["AUTHORED"]},
}

NAMED: dict[str, dict[str, dict[str, Any]]] = {
    "/bfs_query": {
        "example-1-author-publications": _PUBLICATIONS,
        "example-2-disease-drugs": {
            "seeds": ["UMLS:C0085084"],
            "max_hops": 2,
            "node_filter": {"entity_types": ["Drug"]},
        },
        "example-4-disputed-claims": {
            "seeds": ["wiki:Sherlock_Holmes"],
            "max_hops": 2,
            "truth_status": ["asserted_true", "disputed", "hypothetical", "retracted"],
        },
        "as-of-date": {"seeds": ["UMLS:C0085084"], "max_hops": 1, "as_of": "2008-06"},
    },
    "/transitive_closure_query": {
        "example-5-transitive-closure": {"start": "wiki:Baker_Street", "predicate": "PartOf"},
    },
    "/scan_query": {
        "example-7-unsettled-statements": {"truth_status": ["disputed", "hypothetical"]},
        "scan-page": {"edge_predicates": ["Possesses"], "limit": 2},
    },
}
"""By route and by the file's name without its ending."""

OTHERS: dict[str, dict[str, dict[str, Any]]] = {
    "/search_entities": {"a-name": {"query": "cushings syndrom", "entity_types": ["Disease"]}},
    "/describe_entities": {"two": {"ids": ["UMLS:C0085084", "PERSON:12345"]}},
    "/explain": {"example-1-author-publications": {"primitive": "bfs", "query": _PUBLICATIONS}},
}

ALL = NAMED | OTHERS

ERROR = {
    "type": "https://w3id.org/bfsql/problems/unknown_seeds",
    "title": "Unknown seeds",
    "status": 400,
    "detail": "no seed is in this graph: PERSON:1",
    "code": "unknown_seeds",
    "where": "seeds",
    "hint": "Ids are exact; call search_entities to find the id of a name",
}
