import bz2
import gzip
import io
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rdflib
import zstandard
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, Triple, parse
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from bfsql_rdf.errors import LoadError
from bfsql_rdf.store.reading import SKOLEM, FileInfo, open_reading, rdflib_quads, skolemize
from bfsql_rdf.terms import REIFIES

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
FILES = (
    sorted(p for p in SHARED.rglob("*") if p.is_file() and p.suffix not in {".md", ".toml", ".py"})
    if SHARED.is_dir()
    else []
)
needs_shared = pytest.mark.skipif(not FILES, reason="the files of ../shared/data are not here")
OLD_STAR = re.compile(r"rdfstar/.*\.(nt|nq)$")
BASE = "http://example.org/base/"
LINE = "<http://x/s> <http://x/p> <http://x/o> .\n"
QUAD = Quad(NamedNode("http://x/s"), NamedNode("http://x/p"), NamedNode("http://x/o"), DefaultGraph())


def read(path: Path | str, **options: object) -> tuple[list[Quad], FileInfo]:
    reading = open_reading(path, **options)  # type: ignore[arg-type]
    return list(reading), reading.info


def fails(path: Path | str, **options: object) -> LoadError:
    with pytest.raises(LoadError) as caught:
        read(path, **options)
    return caught.value


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def expected_counts() -> dict[str, str]:
    """What MANIFEST.md says of each file: a count, or a parse error."""
    text = (SHARED / "MANIFEST.md").read_text()
    return dict(re.findall(r"^- `(\S+)` .*\*\*(.*?)(?: |\*\*)", text, re.M))


@needs_shared
@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_shared_file_reads_twice_the_same_or_names_the_line(path: Path) -> None:
    name = str(path.relative_to(SHARED))
    said = expected_counts()[name].replace(",", "")
    if said == "PARSE" and not OLD_STAR.search(name):
        error = fails(path, base=BASE)
        assert error.code == "syntax_error"
        assert re.search(r":\d+$", str(error.where))
        return
    quads, info = read(path, base=BASE)
    assert read(path, base=BASE) == (quads, info)
    assert info.quads == len(quads)
    assert not any(type(t) is BlankNode for q in quads for t in (q.subject, q.object, q.graph_name))
    if said == "PARSE":
        assert info.star
    elif "prov_attr" not in name:  # the store folds 54 of its literals together
        assert len(set(quads)) == int(said)


@needs_shared
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("cg_ntriples-star-bnode-1.nt", 3),
        ("cg_ntriples-star-nested-1.nt", 5),
        ("cg_ntriples-star-nested-2.nt", 5),
        ("cg_trig-star-eval-annotation-2.nq", 8),
        ("morphkgc_RMLSTARTC003a.nq", 5),
        ("morphkgc_RMLSTARTC004a.nq", 5),
        ("morphkgc_RMLSTARTC008b.nq", 7),
    ],
)
def test_old_rdf_star_lines_say_each_quoted_triple_once(name: str, count: int) -> None:
    quads, info = read(SHARED / "rdfstar" / name)
    assert (len(quads), info.star) == (count, True)
    reified = [q for q in quads if q.predicate == REIFIES]
    assert len({(q.object, q.graph_name) for q in reified}) == len(reified) == len({q.subject for q in reified})


@needs_shared
def test_shared_files_with_odd_tags_or_percent_signs_read_leniently() -> None:
    for name, count in (("wikidata/Q513.munged.ttl", 2154), ("wild/neo_badUri.ttl", 2)):
        assert fails(SHARED / name).hint == "--lenient reads it"
        assert len(set(read(SHARED / name, lenient=True)[0])) == count


HEXTUPLES = (
    '["http://x/s","http://x/p","http://x/o","globalId","",""]\n'
    '["_:a","http://x/p","+07","http://www.w3.org/2001/XMLSchema#integer","","http://x/g"]\n'
    '["_:a","http://x/p","hey","http://www.w3.org/1999/02/22-rdf-syntax-ns#langString","en","_:g"]\n'
)
TRIX = """<TriX xmlns="http://www.w3.org/2004/03/trix/trix-1/">
<graph><triple><uri>http://x/s</uri><uri>http://x/p</uri><uri>http://x/o</uri></triple></graph>
<graph><uri>http://x/g</uri>
<triple><id>b</id><uri>http://x/p</uri><plainLiteral xml:lang="en">hey</plainLiteral></triple></graph>
</TriX>"""
RDFXML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">
<rdf:Description rdf:about="http://x/s"><x:p rdf:resource="http://x/o"/></rdf:Description></rdf:RDF>"""
TURTLE = "@prefix x: <http://x/> .\nx:s x:p x:o ."
TRIG = "@prefix x: <http://x/> .\nx:s x:p x:o . x:g { x:s x:p x:o }"
JSONLD = '{"@id": "http://x/s", "http://x/p": {"@id": "http://x/o"}}'
SAMPLES = [
    ("a.ttl", TURTLE, "Turtle", False, 1),
    ("a.star.ttl", TURTLE, "Turtle", False, 1),
    ("a.ttls", TURTLE, "Turtle", True, 1),
    ("a.ttls.ttl", TURTLE, "Turtle", True, 1),
    ("a.trig", TRIG, "TriG", False, 2),
    ("a.trigs", TRIG, "TriG", True, 2),
    ("a.nt", LINE, "N-Triples", False, 1),
    ("a.nq", LINE, "N-Quads", False, 1),
    ("a.n3", TURTLE, "N3", False, 1),
    ("a.rdf", RDFXML, "RDF/XML", False, 1),
    ("a.owl", RDFXML, "RDF/XML", False, 1),
    ("a.xml", RDFXML, "RDF/XML", False, 1),
    ("a.XML", TRIX, "TriX", False, 2),
    ("a.trix", TRIX, "TriX", False, 2),
    ("a.hext", HEXTUPLES, "HexTuples", False, 3),
    ("a.jsonld", JSONLD, "JSON-LD", False, 1),
    ("a.json", JSONLD, "JSON-LD", False, 1),
    ("turtle", TURTLE, "TriG", False, 1),
    ("prefix", "# note\n\nPREFIX x: <http://x/>\nx:s x:p x:o .", "TriG", False, 1),
    ("lines", LINE, "N-Quads", False, 1),
    (
        "old",
        "<<<http://x/s><http://x/p><http://x/o>>><http://x/p> 'x' .\n".replace("'", '"'),
        "N-Quads",
        True,
        2,
    ),
    ("xml", RDFXML, "RDF/XML", False, 1),
    ("trix", TRIX, "TriX", False, 2),
    ("json.txt", JSONLD, "JSON-LD", False, 1),
    ("hext.txt", HEXTUPLES, "HexTuples", False, 3),
    ("anonymous", "[ <http://x/p> 1 ] .", "TriG", False, 1),
]


@pytest.mark.parametrize(("name", "text", "format", "star", "count"), SAMPLES, ids=[s[0] for s in SAMPLES])
def test_format_comes_from_the_name_or_the_content(
    tmp_path: Path, name: str, text: str, format: str, star: bool, count: int
) -> None:
    quads, info = read(write(tmp_path / name, text))
    assert (info.format, info.star, info.quads, len(quads)) == (format, star, count, count)
    if name not in ("old", "anonymous"):
        assert quads[0] == QUAD


@pytest.mark.parametrize("format", ["turtle", "TTL", "ttls", "Turtle-star"])
def test_format_option_wins_over_the_name(tmp_path: Path, format: str) -> None:
    _, info = read(write(tmp_path / "a.nt", TURTLE), format=format)
    assert (info.format, info.star) == ("Turtle", "s" in format)


def test_hextuples_keep_the_lexical_form_and_number_blank_nodes(tmp_path: Path) -> None:
    quads, info = read(write(tmp_path / "a.hext", HEXTUPLES))
    stem = SKOLEM + info.digest
    assert [q.subject for q in quads[1:]] == [NamedNode(f"{stem}-1")] * 2
    assert quads[1].object.value == "+07"  # type: ignore[union-attr]
    assert quads[2].object == Literal("hey", language="en")
    assert [q.graph_name for q in quads[1:]] == [NamedNode("http://x/g"), NamedNode(f"{stem}-2")]


@pytest.mark.parametrize("line", ["[1, 2]", "{}", "no", '["http://x/s", "p", "o", "globalId", "", ""]'])
def test_bad_hextuples_name_the_line(tmp_path: Path, line: str) -> None:
    assert str(fails(write(tmp_path / "a.hext", HEXTUPLES + line)).where).endswith("a.hext:4")


@pytest.mark.parametrize("text", [TRIX[:200], TRIX.replace("<uri>http://x/g</uri>", "<what/>")])
def test_bad_trix_names_the_line(tmp_path: Path, text: str) -> None:
    assert re.search(r"a\.trix:\d$", str(fails(write(tmp_path / "a.trix", text)).where))


def zstd(text: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(text)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", zstd)],
)
def test_compressed_files_are_the_plain_file(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    text = "".join(f'_:b{n} <http://x/p{n * n}> "{n * 7919 % 10007}" .\n' for n in range(9000)).encode()
    plain, info = read(write(tmp_path / "a.nt", text))
    packed = write(tmp_path / f"a.nt{suffix}", compress(text[:50_003]) + compress(text[50_003:]))
    quads, packed_info = read(packed)
    assert quads == plain
    assert packed_info.digest == info.digest
    assert packed_info.format == "N-Triples"
    for damage in (compress(text)[:-200], b"\0\1\2" + compress(text)):
        error = fails(write(packed, damage))
        assert (error.code, error.where) == ("corrupt_file", str(packed))


def test_missing_zstandard_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    error = fails(write(tmp_path / "a.nt.zst", zstd(LINE.encode())))
    assert error.code == "missing_extra"
    assert "pip install 'bfsql-rdf[zstd]'" in str(error)


def test_standard_input_is_spooled_and_sniffed(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (TURTLE.encode(), gzip.compress(TURTLE.encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        quads, info = read("-")
        assert quads == [QUAD]
        assert (info.name, info.format, info.prefixes) == ("-", "TriG", {"x": "http://x/"})


def test_standard_input_has_no_base(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"<s> <http://x/p> <o> ."
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert fails("-").where == "-:1"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert read("-", base="http://x/")[0] == [QUAD]


def test_base_is_the_uri_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a b.ttl", "<> <http://x/p> 1 .")
    assert read("a b.ttl")[0][0].subject == NamedNode((tmp_path / "a b.ttl").as_uri())


def test_graph_takes_the_default_graph_only(tmp_path: Path) -> None:
    quads, _ = read(write(tmp_path / "a.trig", TRIG.replace("x:g", "x:named")), graph="http://x/all")
    assert [q.graph_name.value for q in quads] == ["http://x/all", "http://x/named"]  # type: ignore[union-attr]


@pytest.mark.parametrize("option", ["graph", "base"])
@pytest.mark.parametrize("iri", ["no iri", "", "x", "http://x/<", "http://["])
def test_bad_iri_options_are_errors(tmp_path: Path, option: str, iri: str) -> None:
    error = fails(write(tmp_path / "a.ttl", TURTLE), **{option: iri})
    assert (error.code, error.where) == ("invalid_iri", option)


@pytest.mark.parametrize("text", ["", " \n", "# only a remark\n", "@prefix x: <http://x/> ."])
@pytest.mark.parametrize("name", ["a.ttl", "a"])
def test_a_file_without_triples_is_an_error_at_the_end(tmp_path: Path, name: str, text: str) -> None:
    reading = open_reading(write(tmp_path / name, text))
    with pytest.raises(LoadError) as caught:
        list(reading)
    assert caught.value.code == "empty_file"


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path / "none.ttl", tmp_path):
        error = fails(path)
        assert (error.code, error.where) == ("unreadable", str(path))


@pytest.mark.parametrize("name", ["a.ttl", "a", "a.nt", "a.rdf"])
def test_a_picture_is_no_rdf(tmp_path: Path, name: str) -> None:
    error = fails(write(tmp_path / name, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"))
    assert error.code == "not_rdf"
    assert fails(write(tmp_path / name, TURTLE.encode("utf-16"))).hint == "Convert it to UTF-8"


@pytest.mark.parametrize("name", ["a.ttl", "a.nt", "a.trig", "a.rdf", "a.json", "a.trix", "a.hext", "a.n3"])
def test_prose_under_the_name_of_a_format_names_the_line(tmp_path: Path, name: str) -> None:
    error = fails(write(tmp_path / name, "Dear reader, this is prose.\nSo is this.\n"))
    assert error.code == "syntax_error"
    assert re.fullmatch(r".*:[12]", str(error.where))
    assert "--format" in str(error.hint)


@pytest.mark.parametrize("text", ["Dear reader: this is prose.\n", "a,b\n1,2\n", "<html><p>x</html>"])
def test_unknown_content_lists_the_formats(tmp_path: Path, text: str) -> None:
    error = fails(write(tmp_path / "a.txt", text))
    assert error.code == "unknown_format"
    assert "--format" in str(error)
    assert "HexTuples" in str(error)
    assert fails(write(tmp_path / "a.html", "x")).code == "unknown_format"
    assert fails(write(tmp_path / "a.ttl", TURTLE), format="docx").code == "unknown_format"


def test_syntax_error_has_file_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ttl", TURTLE + "\nx:s y:p x:o .")
    error = fails(path)
    assert error.message == "The prefix y: has not been declared"
    assert error.where == f"{path}:3"
    assert error.hint is None
    assert error.details == {"file": str(path), "line": 3, "column": 5}


def test_xml_errors_get_the_line_that_was_reached(tmp_path: Path) -> None:
    text = RDFXML.replace("</rdf:RDF>", "\n<rdf:li/></x>\n\n\n</rdf:RDF>")
    assert str(fails(write(tmp_path / "a.rdf", text)).where).endswith(":4")


def test_lenient_hint_only_where_it_helps(tmp_path: Path) -> None:
    odd = LINE * 3 + '<http://x/s> <http://x/p> "x"@zh-classicals .\n'
    path = write(tmp_path / "a.nt", odd)
    assert fails(path).hint == "--lenient reads it"
    assert len(read(path, lenient=True)[0]) == 4
    write(path, LINE + f"<< {LINE.strip(' .')[:-3]} >> <http://x/q> " + '"x"@zh-classicals .\n')
    assert (fails(path).hint, fails(path).where) == ("--lenient reads it", f"{path}:2")
    assert fails(write(path, LINE + "what is this")).hint is None


def test_remote_context_is_explained(tmp_path: Path) -> None:
    error = fails(write(tmp_path / "a.jsonld", '{"@context": "http://schema.org/", "name": "x"}'))
    assert "remote" in error.message


def test_bom_is_skipped(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.ttl", "\ufeff" + TURTLE))[0] == [QUAD]
    assert read(write(tmp_path / "a.nt", "\ufeff" + LINE))[0] == [QUAD]


def test_quads_and_prefixes_are_known_after_the_last_quad(tmp_path: Path) -> None:
    reading = open_reading(write(tmp_path / "a.ttl", TURTLE + "\n@prefix : <http://y/> . :a :b :c ."))
    assert reading.info.quads == 0
    assert len(list(reading)) == reading.info.quads == 2
    assert reading.info.prefixes == {"x": "http://x/", "": "http://y/"}
    with pytest.raises(RuntimeError):
        iter(reading)


def test_progress_reports_bytes_on_disk(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    path = write(tmp_path / "a.nt.gz", gzip.compress((LINE * 50_000).encode()))
    read(path, progress=lambda size, quads: calls.append((size, quads)))
    assert [quads for _, quads in calls] == [20_000, 40_000, 50_000]
    assert calls[-1][0] == path.stat().st_size


def test_a_store_takes_a_reading_and_gets_its_error(tmp_path: Path) -> None:
    store = Store()
    store.bulk_extend(open_reading(write(tmp_path / "a.ttl", TURTLE)))
    assert list(store) == [QUAD]
    with pytest.raises(LoadError):
        store.bulk_extend(open_reading(write(tmp_path / "b.ttl", TURTLE + "x")))


def test_skolem_numbers_follow_first_occurrence_everywhere() -> None:
    text = b"""_:g { _:a <http://x/p> <<( _:b <http://x/p> <<( _:c <http://x/p> _:a )>> )>> . }
    <http://x/s> <http://x/p> _:c , 1 ."""
    quads = list(skolemize(parse(text, format=RdfFormat.TRIG), "abc"))
    a, b, c, g = (NamedNode(f"{SKOLEM}abc-{n}") for n in range(1, 5))
    p = NamedNode("http://x/p")
    assert quads[0] == Quad(a, p, Triple(b, p, Triple(c, p, a)), g)
    assert quads[1].object == c


def test_blank_nodes_are_stable_over_processes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.trix", TRIX.replace("<uri>http://x/g</uri>", "<id>c</id>"))
    code = "import sys; from bfsql_rdf.store.reading import *; print(*open_reading(sys.argv[1]), sep='\\n')"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "_:" not in outputs.pop()


T = "<http://x/s> <http://x/p> <http://x/o>"


@pytest.mark.parametrize(
    ("line", "message", "column"),
    [
        (f"<< {T} >> <http://x/q> 1 .", "no term", 59),
        (f"<< {T} <http://x/q> 1 .", "no term", None),
        (f"<< {T} <http://x/q> <http://x/z> .", "not closed", None),
        (f"<< {T} >> <http://x/q> <http://x/z>", "dot", None),
        ("<< <http://x/s> >> <http://x/q> <http://x/z> .", "three terms", None),
        (f"<< {T} )>> <http://x/q> <http://x/z> .", "closes nothing", None),
        (f">> << {T} >> <http://x/q> <http://x/z> .", "closes nothing", None),
        (f"<< {T} >> . <http://x/z> .", "dot", None),
        (f"<< {T} >> <http://x/z> .", "", None),
        ('<< "s" <http://x/p> <http://x/o> >> <http://x/q> <http://x/z> .', "", None),
        (f"<http://x/a> << {T} >> <http://x/z> .", "", None),
        (f"<http://x/a> <http://x/b> <http://x/c> << {T} >> .", "", None),
        ("<< .", "", None),
    ],
)
def test_bad_old_rdf_star_names_the_line(tmp_path: Path, line: str, message: str, column: int | None) -> None:
    path = write(tmp_path / "a.nq", LINE + f"# << x >>\n\n<< {T} >> {T[13:]} .\n{line}\n{LINE}")
    error = fails(path)
    assert error.where == f"{path}:5"
    assert message in error.message
    if column:
        assert error.details["column"] == column


def test_old_rdf_star_is_told_from_strings_and_triple_terms(tmp_path: Path) -> None:
    text = f'<http://x/s> <http://x/p> "a << b \\" << c" . # << d\n<http://x/s> <http://x/p> <<( {T} )>> .\n'
    quads, info = read(write(tmp_path / "a.nt", text))
    assert (info.star, len(quads)) == (False, 2)
    text += f'<<{T}>> <http://x/q> "\\u0041 << \\" >> ."@en--ltr.\n'
    quads, info = read(write(tmp_path / "a.nt", text))
    assert (info.star, len(quads)) == (True, 4)
    assert quads[3].object.value == 'A << " >> .'  # type: ignore[union-attr]


def test_old_rdf_star_shares_reifiers_over_batches_but_not_graphs(tmp_path: Path) -> None:
    said = f"<< _:b <http://x/p> << {T} >> >> <http://x/q>"
    lines = [f'{said} "{n}" <http://x/g{n % 2}> .\n_:b <http://x/n> "{n}" .\n' for n in range(6000)]
    quads, info = read(write(tmp_path / "a.nq", "".join(lines)))
    assert info.quads == 12_004
    assert len([q for q in quads if q.predicate == REIFIES]) == 4
    assert len({q.subject for q in quads if q.predicate.value == "http://x/q"}) == 2
    assert len({q.subject for q in quads if q.predicate.value == "http://x/n"}) == 1


def test_rdflib_graphs_and_datasets_become_quads() -> None:
    graph = rdflib.Graph()
    graph.parse(data=TURTLE + '\nx:s x:p _:b , "a"@en , 1 .', format="turtle")
    quads = list(rdflib_quads(graph))
    assert QUAD in quads
    assert len([q for q in quads if type(q.object) is BlankNode]) == 1
    dataset = rdflib.Dataset()
    s, p, o = (rdflib.URIRef(f"http://x/{n}") for n in "spo")
    dataset.graph(DATASET_DEFAULT_GRAPH_ID).add((s, p, o))
    dataset.graph(rdflib.URIRef("http://x/g")).add((s, p, rdflib.BNode("not a label")))
    found = {q.graph_name: q for q in rdflib_quads(dataset)}
    assert found[DefaultGraph()] == QUAD
    assert type(found[NamedNode("http://x/g")].object) is BlankNode


def test_rdflib_terms_that_are_not_rdf_are_errors() -> None:
    graph = rdflib.Graph()
    graph.add((rdflib.URIRef("no iri"), rdflib.URIRef("http://x/p"), rdflib.Literal(1)))
    with pytest.raises(LoadError) as caught:
        list(rdflib_quads(graph))
    assert caught.value.code == "invalid_term"
