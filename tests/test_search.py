"""Entities by name: how names match, in which order, and where the search index is kept."""

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bfsql_rdf
from bfsql_rdf import Graph, QueryError, StoreError
from bfsql_rdf.store import search as searching
from bfsql_rdf.store.folder import Folder
from bfsql_rdf.store.folding import Folded, fold, typos

ROOT = Path(__file__).parents[1]
PREFIXES = """@prefix ex: <http://example.org/> .
@prefix b: <https://w3id.org/bfsql#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
"""


@pytest.fixture(scope="module")
def sherlock() -> Graph:
    return bfsql_rdf.open(ROOT / "data/sherlock.ttl", ROOT / "data/sherlock.toml")


@pytest.fixture(scope="module")
def medical() -> Graph:
    return bfsql_rdf.open(ROOT / "data/medical.ttl", ROOT / "data/medical.toml")


def opened(folder: Path, text: str, **profile: Any) -> Graph:
    path = folder / "g.ttl"
    path.write_text(PREFIXES + text, encoding="utf-8")
    return bfsql_rdf.open(path, profile)


def ids(graph: Graph, text: str, **keys: Any) -> list[str]:
    return [one["id"] for one in graph.search_entities(query=text, **keys).candidates]


# Matching


@pytest.mark.parametrize(
    "text",
    [
        "Irene Adler",
        "irene adler",
        "IRENE  ADLER ",
        "Adler, Irene",
        "irene adl",
        "Irène Ädler",
        "Iren Adler",
        "Irene Alder",
        "Irenee Adlre",
        "wiki:Irene_Adler",
        "WIKI:irene_adler",
        "wiki:Irene_A",
        "Irene_Adler",
        "https://example.org/wiki/Irene_Adler",
        "<https://example.org/wiki/Irene_Adler>",
        "https://example.org/wiki/Irene_A",
        "http://example.org/wiki/Irene_Adler",
    ],
)
def test_a_name_or_id_however_written_finds_its_entity_first(sherlock: Graph, text: str) -> None:
    assert ids(sherlock, text)[0] == "wiki:Irene_Adler"


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("Cushing's syndrome", "UMLS:C0085084"),
        ("cushings syndrom", "UMLS:C0085084"),
        ("cushing syndrome", "UMLS:C0085084"),
        ("Cushing Syndrom", "UMLS:C0085084"),
        ("chusings syndrome", "UMLS:C0085084"),
        ("hypercortisolism", "UMLS:C0085084"),
        ("hypercortizolisms", "UMLS:C0085084"),
        ("the diagnosis of cushing", "PUB:PMC2386281"),
        ("ketoconazol", "DRUG:ketoconazole"),
        ("C0020538", "UMLS:C0020538"),
        ("blood high", "UMLS:C0020538"),
        ("cyp11b1", "GENE:CYP11B1"),
    ],
)
def test_names_in_other_words(medical: Graph, text: str, id_: str) -> None:
    assert ids(medical, text)[0] == id_


SCRIPTS = """ex:tokyo rdfs:label "東京都"@ja , "Tokyo"@en . ex:osaka rdfs:label "大阪府"@ja .
ex:cairo rdfs:label "الْقَاهِرَة"@ar . ex:moscow rdfs:label "Москва"@ru . ex:fyodor rdfs:label "Фёдор Достоевский"@ru .
ex:delhi rdfs:label "नई दिल्ली"@hi . ex:seoul rdfs:label "서울특별시"@ko . ex:gas rdfs:label "ガス会社"@ja .
ex:bangkok rdfs:label "กรุงเทพมหานคร"@th . ex:lodz rdfs:label "Łódź"@pl . ex:strasse rdfs:label "Große Straße"@de .
ex:aero rdfs:label "Ærøskøbing"@da . ex:dalat rdfs:label "Đà Lạt"@vi . ex:athens rdfs:label "Αθήνα"@el ."""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("東京", "tokyo"),
        ("京都", "tokyo"),
        ("大", "osaka"),
        ("القاهرة", "cairo"),
        ("القاه", "cairo"),
        ("москва", "moscow"),
        ("моск", "moscow"),
        ("Мосвка", "moscow"),
        ("федор", "fyodor"),
        ("достоевский фёдор", "fyodor"),
        ("दिल्ली", "delhi"),
        ("नई दि", "delhi"),
        ("서울", "seoul"),
        ("ｶﾞｽ", "gas"),
        ("กรุงเทพ", "bangkok"),
        ("lodz", "lodz"),
        ("LÓDŹ", "lodz"),
        ("grosse strasse", "strasse"),
        ("GROẞE", "strasse"),
        ("aeroskobing", "aero"),
        ("da lat", "dalat"),
        ("ΑΘΗΝΑ", "athens"),
    ],
)
def test_names_in_any_script(tmp_path: Path, text: str, name: str) -> None:
    assert ids(opened(tmp_path, SCRIPTS), text)[0] == f"ex:{name}"


def test_order_and_signs_tell_words_of_other_scripts_apart(tmp_path: Path) -> None:
    graph = opened(tmp_path, SCRIPTS)
    assert ids(graph, "都東京") == []
    assert ids(graph, "かす") == []


@pytest.mark.parametrize("text", ['"Irene Adler"', "(irene adler)", "irene* adler", "+irene AND? -adler", "[irene TO"])
def test_what_looks_like_syntax_is_text(sherlock: Graph, text: str) -> None:
    found = ids(sherlock, text)
    assert found[:1] == (["wiki:Irene_Adler"] if "TO" not in text and "AND" not in text else [])


@pytest.mark.parametrize("text", ["", "  ", "?!", '""', "*", "\u0000", "\u200b", "´"])
def test_text_without_a_letter_or_digit_is_refused(sherlock: Graph, text: str) -> None:
    with pytest.raises(QueryError) as caught:
        sherlock.search_entities(query=text)
    assert (caught.value.code, caught.value.where) == ("bad_value", "query")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(), st.text(alphabet="irene adler'\"*:<>東京ß\ud800"), st.text(min_size=250)))
def test_any_text_is_answered_or_refused(sherlock: Graph, text: str) -> None:
    try:
        scores = [one["score"] for one in sherlock.search_entities(query=text).candidates]
    except QueryError:
        return
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@given(text=st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert Folded(Folded(text).plain).words == Folded(text).words or len(text) > 100


def test_long_words_forgive_more() -> None:
    forgiven = {"gen": 0, "gene": 1, "genes": 1, "genome": 2, "2008": 0, "c0085084": 0, "a" * 61: 0}
    assert {word: typos(word) for word in forgiven} == forgiven


# Order

TIERS = """ex:a rdfs:label "Gamma ray" . ex:b rdfs:label "gamma-ray" ; ex:p ex:x1 , ex:x2 .
ex:c rdfs:label "Gamma ray burst" ; ex:p ex:x1 . ex:d rdfs:label "Ray of gamma" ; ex:p ex:x1 , ex:x2 , ex:x3 .
ex:e rdfs:label "Gama rays" ; ex:p ex:x1 , ex:x2 , ex:x3 , ex:x4 . ex:f rdfs:label "Gramma raymond" .
ex:g rdfs:label "Long gamma rays" ; ex:p ex:x1 , ex:x2 , ex:x3 , ex:x4 , ex:x5 ."""


def test_tiers_come_before_degrees(tmp_path: Path) -> None:
    graph = opened(tmp_path, TIERS)
    expected = ["ex:a", "ex:b", "ex:c", "ex:g", "ex:d", "ex:e", "ex:f"]
    answer = graph.search_entities(query="gamma ray").candidates
    assert [one["id"] for one in answer] == expected
    scores = [one["score"] for one in answer]
    assert scores == sorted(set(scores), reverse=True)
    for limit in range(1, 8):
        assert graph.search_entities(query="gamma ray", limit=limit).candidates == answer[:limit]


def test_within_a_tier_degree_then_labels_then_ids_and_deprecated_last(tmp_path: Path) -> None:
    text = """ex:z rdfs:label "Mercury" ; ex:p ex:x1 , ex:x2 . ex:y rdfs:label "mercury" ; ex:p ex:x1 .
    ex:c skos:altLabel "Mercury" ; rdfs:label "Hermes" ; ex:p ex:x2 . ex:d rdfs:label "Mercury" ; ex:p ex:x3 .
    ex:a rdfs:label "Mercury" ; owl:deprecated true ; ex:p ex:x1 , ex:x2 , ex:x3 . ex:Mercury ex:p ex:x3 ."""
    answer = opened(tmp_path, text).search_entities(query="mercury").candidates
    assert [one["id"] for one in answer] == ["ex:z", "ex:d", "ex:y", "ex:Mercury", "ex:c", "ex:a"]
    assert answer[4]["matched"] == "Mercury"
    assert answer[5]["deprecated"] is True
    assert answer[3] == {"id": "ex:Mercury", "entity_type": "Thing", "label": "Mercury", "score": answer[3]["score"]}
    assert answer[1]["score"] == answer[2]["score"] > answer[3]["score"] == answer[4]["score"] > answer[5]["score"]


def test_an_entity_comes_once_with_its_best_name(tmp_path: Path) -> None:
    text = """ex:a rdfs:label "The Moon"@en , "Mond"@de ; skos:altLabel "Moon"@en , "Luna"@en ;
    schema:description "Of the Earth."@en , "Der Erde."@de . ex:b rdfs:label "b" ; schema:description "%s" ."""
    graph = opened(tmp_path, text.replace("%s", "x" * 300))
    (found,) = graph.search_entities(query="moon").candidates
    assert (found["label"], found["matched"], found["description"]) == ("The Moon", "Moon", "Of the Earth.")
    assert [
        graph.search_entities(query=text).candidates[0].get("matched") for text in ("mond", "the moon", "ex:a")
    ] == [
        "Mond",
        None,
        None,
    ]
    assert graph.search_entities(query="b").candidates[0]["description"] == "x" * 200 + "…"


def test_the_label_is_in_the_languages_of_the_profile(tmp_path: Path) -> None:
    graph = opened(tmp_path, 'ex:a rdfs:label "Moon"@en , "Mond"@de .', languages=["de"])
    (found,) = graph.search_entities(query="moon").candidates
    assert (found["label"], found["matched"]) == ("Mond", "Moon")


# Who is found


def test_entities_without_a_label_are_found_by_their_local_name(tmp_path: Path) -> None:
    text = "ex:BakerStreet ex:partOf ex:Greater_London , ex:Caf%C3%A9 . ex:lone a ex:Road . ex:value ex:size 3 ."
    graph = opened(tmp_path, text)
    for name, id_ in (("baker street", "BakerStreet"), ("greater london", "Greater_London"), ("cafe", "Caf%C3%A9")):
        assert ids(graph, name) == [f"ex:{id_}"]
    assert ids(graph, "lone") == ["ex:lone"]
    assert graph.search_entities(query="cafe").candidates[0]["label"] == "Café"


def test_predicates_and_classes_that_are_nodes_are_found(tmp_path: Path) -> None:
    text = 'ex:Dog rdfs:subClassOf ex:Animal . ex:barks rdfs:label "barks at" . ex:rex a ex:Dog ; ex:barks ex:tom .'
    graph = opened(tmp_path, text)
    assert [ids(graph, name) for name in ("dog", "animal", "barks at")] == [["ex:Dog"], ["ex:Animal"], ["ex:barks"]]


def test_statements_evidence_and_unnamed_blank_nodes_are_not_found(tmp_path: Path) -> None:
    text = """ex:a ex:p ex:c ~ ex:stated . ex:stated rdfs:label "statement" ; b:provenance ex:evidence .
    ex:evidence rdfs:label "evidence" . ex:c ex:q [ ex:r ex:d ] , [ rdfs:label "blank" ] . ex:a ex:says ex:stated ."""
    graph = opened(tmp_path, text, inside=["ex:Evidence"])
    for name in ("statement", "stated", "genid", "f3"):
        assert ids(graph, name) == []
    (found,) = graph.search_entities(query="blank").candidates
    assert found["id"].startswith("_:")
    assert ids(graph, found["id"]) == [found["id"]]


@pytest.mark.parametrize("status", ["retracted", "disputed", "hypothetical", "asserted_false", "withdrawn"])
@pytest.mark.parametrize("predicate", ["rdfs:label", "skos:altLabel", "owl:deprecated"])
def test_a_name_that_is_not_asserted_is_no_name(tmp_path: Path, status: str, predicate: str) -> None:
    value = "true" if "owl" in predicate else '"secret"'
    text = f"""ex:a ex:p ex:b ; {predicate} {value} ~ ex:st . ex:st b:truthStatus "{status}" .
    ex:s2 rdf:subject ex:b ; rdf:predicate {predicate} ; rdf:object {value} ; b:truthStatus "{status}" ."""
    graph = opened(tmp_path, text)
    assert "secret" not in str(graph.search_entities(query="secret").candidates)
    assert "deprecated" not in str(graph.search_entities(query="a").candidates)
    asserted = opened(tmp_path, text.replace(status, "asserted_true"))
    if "owl" not in predicate:
        assert ids(asserted, "secret") == ["ex:a", "ex:b"]
    else:
        assert asserted.search_entities(query="a").candidates[0]["deprecated"] is True


# Types

ANIMALS = """ex:Dog rdfs:subClassOf ex:Mammal . ex:Mammal rdfs:subClassOf ex:Animal . ex:Cat rdfs:subClassOf ex:Mammal .
ex:rex a ex:Dog ; rdfs:label "Max" . ex:tom a ex:Cat , ex:Star ; rdfs:label "Max" . ex:Star rdfs:subClassOf ex:Role .
ex:max a ex:Ship ; rdfs:label "Max" .
ex:nothing rdfs:label "Max" ."""


def test_types_keep_to_subclasses(tmp_path: Path) -> None:
    graph = opened(tmp_path, ANIMALS)
    expected = {"Animal": ["ex:rex", "ex:tom"], "ex:Dog": ["ex:rex"], "Role": ["ex:tom"], "Thing": ["ex:nothing"]}
    assert {name: ids(graph, "max", entity_types=[name]) for name in expected} == expected
    assert ids(graph, "max", entity_types=["Ship", "Dog"]) == ["ex:max", "ex:rex"]


@pytest.mark.parametrize(("name", "hint"), [("Dogg", "Closest: Dog"), ("no:such", "prefix"), ("Statement", "scan")])
def test_an_unknown_type_is_refused(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(QueryError, match=hint) as caught:
        opened(tmp_path, ANIMALS).search_entities(query="max", entity_types=[name])
    assert caught.value.where == "entity_types"


def test_the_limit_is_met_under_a_filter(tmp_path: Path) -> None:
    rare = "".join(f'ex:n{i} a ex:{"Rare" if i % 50 == 0 else "Common"} ; rdfs:label "Name" .\n' for i in range(500))
    graph = opened(tmp_path, rare)
    assert len(ids(graph, "name", entity_types=["Rare"], limit=10)) == 10
    assert len(ids(graph, "nmae", limit=100)) == 100


def test_no_hit_says_what_to_try(sherlock: Graph) -> None:
    answer = sherlock.search_entities(query="irene zzzzz")
    assert answer.candidates == []
    assert answer.warnings is not None
    assert "names have 'irene'" in answer.warnings[0]["message"]
    other = sherlock.search_entities(query="irene adler", entity_types=["Residence"]).warnings
    assert other is not None
    assert "entity_types" in other[0]["message"]


@pytest.mark.parametrize(
    "query",
    [
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 101},
        {"query": "a", "entity_types": []},
        {"query": 3},
        {"text": "a"},
        {"query": "a" * 1001},
    ],
)
def test_a_query_that_is_none_is_refused(sherlock: Graph, query: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        sherlock.search_entities(query)


# Where it is kept


@pytest.fixture
def store(tmp_path: Path) -> Path:
    bfsql_rdf.load(tmp_path / "store", [ROOT / "data/sherlock.ttl"], bfsql_rdf.Profile.of(ROOT / "data/sherlock.toml"))
    return tmp_path / "store"


def kept(store: Path) -> Path:
    current = Folder(store).current()
    assert current is not None
    return current / "search"


QUERIES = [
    "irene",
    "holmes",
    "baker street",
    "kong of bohemia",
    "wiki:London",
    "bank",
    "scuffle",
    "st",
    "a",
    "monica st",
]


def answers(graph: Graph) -> list[dict[str, Any]]:
    return [graph.search_entities(query=query, limit=50).to_dict() for query in QUERIES]


def refuse(*_: Any) -> Any:
    raise AssertionError("the search index was built again")


def test_a_folder_answers_as_memory_does(store: Path, sherlock: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(sherlock)
    monkeypatch.setattr(searching, "build_search", refuse)
    assert answers(bfsql_rdf.open(store)) == expected


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted([folder, *folder.rglob("*")])
        if path.name != "in-use"
    }


def test_readers_change_nothing(store: Path) -> None:
    before = snapshot(kept(store))
    graph = bfsql_rdf.open(store)
    answers(graph)
    other = bfsql_rdf.open(store, {"languages": ["de"]})
    assert other.search_entities(query="irene adler").candidates
    assert snapshot(kept(store)) == before


def test_a_folder_that_cannot_be_written_is_read(store: Path, sherlock: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in kept(store).glob(".tantivy*"):
        path.unlink()
        path.mkdir()  # no lock can be taken here, whoever runs this
    os.chmod(kept(store), 0o555)
    expected = answers(sherlock)
    monkeypatch.setattr(searching, "build_search", refuse)
    assert answers(bfsql_rdf.open(store)) == expected
    os.chmod(kept(store), 0o755)


@pytest.mark.parametrize(
    "damage", ["missing", "empty", "cut", "zeros", "version", "no list", "list", "no meta", "a file"]
)
def test_a_damaged_search_index_is_built_in_memory(store: Path, sherlock: Graph, damage: str) -> None:
    folder = kept(store)
    if damage in ("missing", "a file"):
        shutil.rmtree(folder)
    if damage == "a file":
        folder.write_text("")
    for path in folder.glob("*"):
        content = path.read_bytes()
        if damage == "empty":
            path.unlink()
        elif damage == "cut":
            path.write_bytes(content[: len(content) // 2])
        elif damage == "zeros" and path.suffix != ".json":
            path.write_bytes(b"\0" * (len(content) // 2) + content[len(content) // 2 :])
        elif damage == "version" and path.name == "files.json":
            path.write_text(path.read_text().replace('"version": 1', '"version": 0'))
        elif damage in ("no list", "list") and path.name == "files.json":
            path.write_text({"no list": "{}", "list": "[]"}[damage])
        elif damage == "no meta" and path.name == "meta.json":
            path.unlink()
    with pytest.raises(StoreError):
        searching.open_search(folder)
    assert answers(bfsql_rdf.open(store)) == answers(sherlock)


def test_a_search_index_that_cannot_be_written_leaves_the_store(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("no space left")

    monkeypatch.setattr(searching, "_documents", fail)
    with pytest.raises(StoreError, match="no space left"):
        bfsql_rdf.load(store, [ROOT / "data/medical.ttl"])
    assert ids(bfsql_rdf.open(store), "irene adler")[0] == "wiki:Irene_Adler"
    assert not [path for path in store.iterdir() if path.name == "g000002"]


def test_threads_build_one_search_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = opened(tmp_path, TIERS)
    built: list[Any] = []
    found: list[list[str]] = []
    build = searching.build_search

    def counted(*given: Any) -> Any:
        built.append(given)
        return build(*given)

    monkeypatch.setattr(searching, "build_search", counted)
    threads = [threading.Thread(target=lambda: found.append(ids(graph, "gamma ray"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert found == [found[0]] * 8


def test_the_order_of_the_triples_does_not_matter(tmp_path: Path) -> None:
    lines = [f'ex:n{i} rdfs:label "Same name" ; ex:p ex:m{i % 7} .' for i in range(60)]
    (tmp_path / "other").mkdir()
    graphs = [opened(tmp_path, "\n".join(lines)), opened(tmp_path / "other", "\n".join(reversed(lines)))]
    assert (
        ids(graphs[0], "same", limit=40)
        == ids(graphs[1], "same", limit=40)
        == sorted(f"ex:n{i}" for i in range(60))[:40]
    )
