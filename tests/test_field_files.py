"""Real files from the field, where they are at hand."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import RdfFormat, parse

import bfsql_rdf

FIELD = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not FIELD.is_dir(), reason="the collection of field files is not beside the checkout")
WIDE = {"limits": {"max_nodes": 10**6, "max_edges": 10**6}}
CLAIM = re.compile(r".*/prop/P\d+")
STUBS: dict[str, Any] = {"edge_filter": {"predicates": []}}


def keys(edges: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {(edge["subject"], edge["predicate"], edge["object"]) for edge in edges}


def test_medlit_in_three_forms() -> None:
    profile = FIELD / "medlit" / "profile.toml"
    forms = ("star.ttl", "reified.ttl", "plain.nt")
    star, reified, plain = (bfsql_rdf.open(FIELD / "medlit" / f"medlit-mar21.{form}.gz", profile) for form in forms)
    seed = "ent:DBPedia:Adrenal_gland"
    for hops in (1, 2):
        query = {"seeds": [seed], "max_hops": hops, "truth_status": ["asserted_true", "hypothetical"]}
        one, other = star.bfs_query(query), reified.bfs_query(query)
        assert one.to_dict() == other.to_dict()
        bare = plain.bfs_query({"seeds": [seed], "max_hops": hops, "truth_status": ["asserted_true"]})
        assert keys(bare.edges) == keys(one.edges)
    closed = star.bfs_query(seeds=[seed], max_hops=2)
    assert closed.edge_count < one.edge_count


def test_soda_hall_is_mirrored_where_one_direction_is_asserted() -> None:
    graph = bfsql_rdf.open([FIELD / "traits" / "brick_soda_hall.ttl", FIELD / "traits" / "Brick-1.4.ttl.gz"])
    plain = graph.bfs_query({"seeds": ["soda_hall:ahu_A1"], "max_hops": 1})
    mirrored = graph.bfs_query(seeds=["soda_hall:ahu_A1"], max_hops=1, expand_traits=["Inverse", "Symmetric"])
    derived = [edge for edge in mirrored.edges if "derived_via" in edge]
    assert plain.node_count == mirrored.node_count
    assert len(derived) == plain.edge_count == 110
    assert "Inverse(hasPoint)" in {edge["derived_via"] for edge in derived}


def test_unesco_is_not_doubled_where_both_directions_are_asserted(tmp_path: Path) -> None:
    traits = tmp_path / "traits.ttl"
    traits.write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "skos:related a owl:SymmetricProperty . skos:broader owl:inverseOf skos:narrower ."
    )
    graph = bfsql_rdf.open([FIELD / "traits" / "unesco-thesaurus.ttl.gz", traits], WIDE)
    query = {"seeds": ["http://vocabularies.unesco.org/thesaurus/concept10"], "max_hops": 2} | STUBS
    expanded = graph.bfs_query(query | {"expand_traits": ["Symmetric", "Inverse"]})
    assert expanded == graph.bfs_query(query)
    assert expanded.edge_count > 5000


def test_repeated_quotations_of_rdf_star_are_one_statement() -> None:
    graph = bfsql_rdf.open(FIELD / "rdfstar" / "neosemantics_movies.ttls.ttl")
    assert graph.statuses == {"asserted_true": 181}
    scan = graph.scan_query(node_types=["Statement"])
    assert scan.edge_count == 181
    assert not any("statements" in edge for edge in scan.edges)


def test_the_w3c_files_with_reifiers_and_triple_terms() -> None:
    folder = FIELD / "rdfstar"
    several = bfsql_rdf.open(folder / "rdf12pg_12-one-reifier-many-propositions.ttl")
    assert several.statuses == {"hypothetical": 2}
    sub_property = bfsql_rdf.open(folder / "rdf12pg_15-mixed-rdf12.ttl")
    assert sub_property.statuses == {"hypothetical": 2}
    nested = bfsql_rdf.open(folder / "rdf12pg_09-nested-triple-terms.ttl")
    assert nested.statuses == {"hypothetical": 3}
    starbench = bfsql_rdf.open(folder / "starbench-bkr-2.5mb.ttl.gz")
    assert starbench.statuses == {"hypothetical": 286}


@pytest.mark.parametrize("path", sorted(FIELD.glob("reification/*")), ids=lambda path: path.name)
def test_each_reification_file_is_walked(path: Path) -> None:
    graph = bfsql_rdf.open(path)
    statuses = sorted({"asserted_true", *graph.statuses})
    scan = graph.scan_query(truth_status=statuses, limit=1)
    seed = (scan.edges or scan.nodes)[0]["subject"]
    assert graph.bfs_query(seeds=[seed], max_hops=1, truth_status=statuses).node_count >= 1
    for text in graph.explain("bfs", seeds=[seed], max_hops=1, truth_status=statuses)["sparql"]:
        assert list(graph.store.query(text, use_default_graph_as_union=True)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sorted(FIELD.glob("wikidata/*")), ids=lambda path: path.name)
def test_no_statement_of_a_wikibase_export_is_lost(path: Path) -> None:
    graph = bfsql_rdf.open(path, lenient=True)
    format = RdfFormat.N_TRIPLES if path.suffix == ".nt" else RdfFormat.TURTLE
    quads = list(parse(path=str(path), format=format, lenient=True))
    claims = {(quad.subject, quad.object) for quad in quads if CLAIM.fullmatch(quad.predicate.value)}
    deprecated = {quad.subject for quad in quads if str(quad.object).endswith("#DeprecatedRank>")}
    told = " ".join(warning["message"] for warning in graph.warnings)
    without = int(told.split()[0]) if told else 0
    assert sum(graph.statuses.values()) + without == len(claims)
    assert graph.statuses.get("retracted", 0) == len(deprecated & {statement for _, statement in claims})


def test_the_wikidata_files_hang_together() -> None:
    paths = sorted(FIELD.glob("wikidata/*"))
    graph = bfsql_rdf.open(paths, lenient=True)
    one = bfsql_rdf.open(FIELD / "wikidata" / "Q42.ttl")
    ours, alone = (g.bfs_query({"seeds": ["Q42"], "max_hops": 1} | STUBS) for g in (graph, one))
    assert keys(ours.edges) > keys(alone.edges)
    adams = one.describe_entities(["https://www.wikidata.org/wiki/Q42"]).nodes[0]
    assert (adams["label"], adams["entity_type"]) == ("Douglas Adams", "human")
    assert adams["date of birth"] == {"time": "1952-03-11T00:00:00Z", "precision": "day", "calendar": "Gregorian"}
    for seed in ("Q42", "Q1", "L1883", "M6580719", "http://acme.test/Q8"):
        query = {"seeds": [seed], "max_hops": 2, "truth_status": ["asserted_true", "retracted"]}
        full, stubs = graph.bfs_query(query), graph.bfs_query(query | STUBS)
        assert [node["id"] for node in full.nodes] == [node["id"] for node in stubs.nodes]
        assert not any(node["id"].startswith(("_:", "wdref:", "wdv:", "v:", "ref:")) for node in full.nodes)
        assert not any("/value/" in node["id"] for node in full.nodes)
