"""Answers in every format, and bodies that are not the whole answer."""

import gzip
import json
import tracemalloc
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode, Triple

from bfsql_rdf import EndpointError
from bfsql_rdf.remote.client import Endpoint
from bfsql_rdf.terms import XSD, Term
from tests.remote.server import CSV, JSON, TSV, XML, Asked, Bad, answer, chunk, head

Open = Callable[..., Endpoint]
Failure = Callable[..., EndpointError]
Script = Callable[[Asked], Iterator[bytes] | bytes]
QUERY = "SELECT * {}"
A, P, B = (NamedNode(f"http://e/{name}") for name in "apb")
XML_HEAD = '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head>{}</head><results>'
XML_END = "</results></sparql>"


def results(*rows: str, variables: str = '"a"') -> str:
    return f'{{"head":{{"vars":[{variables}]}},"results":{{"bindings":[{",".join(rows)}]}}}}'


def uri(name: str) -> str:
    return json.dumps({"type": "uri", "value": name})


def said_triple(kind: str, subject: str, predicate: str, object_: str) -> str:
    value = {subject: {"type": "uri", "value": A.value}, predicate: {"type": "uri", "value": P.value}}
    value[object_] = {"type": "uri", "value": B.value}
    return json.dumps({"type": kind, "value": value})


QUOTED = urlsafe_b64encode(b"<<<http://e/a> <http://e/p> <http://e/b>>>").decode().rstrip("=")
TERMS: dict[str, tuple[str, Term]] = {
    "uri": (uri("http://e/a"), A),
    "plain": ('{"type":"literal","value":"x"}', Literal("x")),
    "control": ('{"type":"literal","value":"x\ty"}', Literal("x\ty")),
    "tagged": ('{"type":"literal","value":"x","xml:lang":"en"}', Literal("x", language="en")),
    "directed": (
        '{"type":"literal","value":"x","xml:lang":"en","its:dir":"rtl"}',
        Literal("x", language="en", direction=BaseDirection.RTL),
    ),
    "typed": (
        f'{{"type":"typed-literal","value":"1","datatype":"{XSD}integer"}}',
        Literal("1", datatype=NamedNode(XSD + "integer")),
    ),
    "bnode": ('{"type":"bnode","value":"b0"}', BlankNode("b0")),
    "Virtuoso's bnode": ('{"type":"bnode","value":"nodeID://b1"}', BlankNode("xnodeID_3a__2f__2f_b1")),
    "triple": (said_triple("triple", "subject", "predicate", "object"), Triple(A, P, B)),
    "RDF4J's": (said_triple("triple", "s", "p", "o"), Triple(A, P, B)),
    "Jena's old": (said_triple("triple", "subject", "property", "object"), Triple(A, P, B)),
    "Stardog's": (said_triple("statement", "s", "p", "o"), Triple(A, P, B)),
    "GraphDB's IRI": (uri("urn:rdf4j:triple:" + QUOTED), Triple(A, P, B)),
}


@pytest.mark.parametrize(("term", "found"), TERMS.values(), ids=TERMS.keys())
def test_terms_in_json(bad: Bad, connect: Open, term: str, found: Term) -> None:
    rows = connect(bad.on("/q", answer(results(f'{{"a":{term}}}', "{}")))).select(QUERY)
    assert (rows.variables, rows.rows, rows.truncated) == (("a",), [(found,), (None,)], None)


@pytest.mark.parametrize(
    "term",
    [
        uri("http://e/a b"),
        uri("no scheme"),
        '{"type":"quad","value":"x"}',
        '{"value":"x"}',
        '{"type":"uri","value":1}',
        '{"type":"literal","value":"x","xml:lang":"e_n"}',
        '{"type":"literal","value":"x","xml:lang":"en","its:dir":"up"}',
        '{"type":"literal","value":"x","datatype":"no iri"}',
        '{"type":"literal","value":"\\ud800"}',
        '{"type":"triple","value":{"subject":null}}',
        uri("urn:rdf4j:triple:%%%"),
        '"x"',
        '{"type":"triple","value":{"object":' * 400 + "1" + "}}" * 400,
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_a_term_that_is_none_fails_the_whole_answer(bad: Bad, failure: Failure, term: str) -> None:
    error = failure(bad.on("/q", answer(results('{"a":' + uri("http://e/a") + "}", '{"a":' + term + "}"))))
    assert error.code == "endpoint_answer"
    assert "the answer cannot be read after 1 row, " in error.message
    assert len(str(error)) < 800


XML_TERMS = """<result><binding name="b"><literal xml:lang="en">x &amp; y</literal></binding>
<binding name="a"><triple><subject><uri>http://e/a</uri></subject><predicate><uri>http://e/p</uri></predicate>
<object><literal xml:lang="en" its:dir="ltr" xmlns:its="http://www.w3.org/2005/11/its">v</literal></object></triple>
</binding></result><result/>
<result><binding name="a"><statement><s><bnode>n</bnode></s><p><uri>http://e/p</uri></p><o><uri>http://e/b</uri></o>
</statement></binding><binding name="b"><literal datatype="http://e/p"/></binding></result>"""
TSV_TEXT = (
    '?a\t?b\n<<( <http://e/a> <http://e/p> "v"@en--ltr )>>\t"x & y"@en\n\t\n<< _:n <http://e/p> <http://e/b> >>\t'
    '""^^<http://e/p>\n'
)
DIRECTED = Literal("v", language="en", direction=BaseDirection.LTR)
SAME = [
    (Triple(A, P, DIRECTED), Literal("x & y", language="en")),
    (None, None),
    (Triple(BlankNode("n"), P, B), Literal("", datatype=P)),
]
XML_TEXT = XML_HEAD.format('<variable name="a"/><variable name="b"/>') + XML_TERMS + XML_END


@pytest.mark.parametrize("content_type", [XML, "text/xml; charset=utf-8", JSON, None, "text/html", "text/plain"])
def test_xml_under_any_name(bad: Bad, connect: Open, content_type: str | None) -> None:
    assert connect(bad.on("/q", answer(XML_TEXT, content_type))).select(QUERY).rows == SAME


@pytest.mark.parametrize("content_type", [TSV, TSV + "; charset=utf-8", None, "text/plain", "text/csv"])
def test_tsv_under_any_name(bad: Bad, connect: Open, content_type: str | None) -> None:
    for text in (TSV_TEXT, TSV_TEXT.replace("\n", "\r\n")):
        assert connect(bad.on("/q", answer(text, content_type))).select(QUERY).rows == SAME


@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", None, XML, TSV, CSV, "application/octet-stream", "a;b=;;"]
)
def test_json_under_any_name(bad: Bad, connect: Open, content_type: str | None) -> None:
    rows = connect(bad.on("/q", answer("\ufeff\n " + results("{}"), content_type))).select(QUERY)
    assert rows.rows == [(None,)]


def test_tsv_terms(bad: Bad, connect: Open) -> None:
    text = "?a\n1\n-2.5\n1e3\ntrue\n'x\\ty\\u00e4\\U0001F600\\\\'\n<http://e/a>\n\n_:b.1\n"
    number = [("1", "integer"), ("-2.5", "decimal"), ("1e3", "double"), ("true", "boolean")]
    expected: list[Term | None] = [Literal(value, datatype=NamedNode(XSD + name)) for value, name in number]
    expected += [Literal("x\tyä😀\\"), A, None, BlankNode("b.1")]
    assert [row[0] for row in connect(bad.on("/q", answer(text, TSV))).select(QUERY)] == expected


def test_csv_is_guessed_and_says_so(bad: Bad, connect: Open) -> None:
    text = 'a,b\r\nhttp://e/a,"x ""y"",\nz"\r\n_:n,\r\n1,urn:x y\r\n'
    rows = connect(bad.on("/q", answer(text, CSV))).select(QUERY)
    assert rows.media_type == CSV
    assert rows.rows == [(A, Literal('x "y",\nz')), (BlankNode("n"), None), (Literal("1"), Literal("urn:x y"))]


def test_the_head_may_come_last_or_not_at_all(bad: Bad, connect: Open) -> None:
    rows = '"results":{"distinct":false,"bindings":[{"b":' + uri("http://e/a") + "},{}]}"
    late = connect(bad.on("/q", answer("{" + rows + ',"head":{"link":[],"vars":["a","b"]}}'))).select(QUERY)
    assert (late.variables, late.rows) == (("a", "b"), [(None, A), (None, None)])
    never = connect(bad.on("/q", answer("{" + rows + ',"meta":{"t":1e3},"time":12}'))).select(QUERY)
    assert (never.variables, never.rows) == (("b",), [(A,), (None,)])


def test_every_split_of_a_body_reads_the_same(bad: Bad, connect: Open) -> None:
    text = results('{"a":{"type":"literal","value":"ä\\u00e4\\ud83d\\ude00"}}', "{}") + "\n"
    for content_type, body in ((JSON, text), (XML, XML_TEXT), (TSV, TSV_TEXT)):
        data = body.encode()
        whole = connect(bad.on("/q", answer(data, content_type))).select(QUERY)
        for size in (1, 2, 3, 7, 50):
            pieces = [chunk(data[at : at + size]) for at in range(0, len(data), size)]
            split = head(content_type) + b"".join(pieces) + b"0\r\n\r\n"
            assert connect(bad.on("/q", split)).select(QUERY).rows == whole.rows


def test_packed_answers(bad: Bad, connect: Open, failure: Failure) -> None:
    text = results(*['{"a":' + uri("http://e/a") + "}"] * 5000).encode()
    whole = gzip.compress(text[:1000]) + gzip.compress(text[1000:])
    endpoint = connect(bad.on("/q", answer(whole, Content_Encoding="gzip")))
    assert len(endpoint.select(QUERY)) == 5000
    assert bad.asked[0].headers["accept-encoding"] == "gzip"
    for packed in (whole[:-20], whole[:-4], whole[:100] + b"\0\0\0" + whole[103:], text):
        assert failure(bad.on("/q", answer(packed, Content_Encoding="gzip"))).code == "endpoint_answer"
    assert failure(bad.on("/q", answer(text, Content_Encoding="br"))).code == "endpoint_answer"
    table = gzip.compress(b"?a\n" + b"1\n2\n3\n" * 9999)[:-8]
    assert "packed body is cut" in failure(bad.on("/q", answer(table, TSV, Content_Encoding="gzip"))).message


def test_a_bomb_of_zeros_stays_small(bad: Bad, connect: Open) -> None:
    packed = gzip.compress(results('{"a":{"type":"literal","value":"' + "0" * 200_000_000 + '"}}').encode(), 1)
    endpoint = connect(bad.on("/q", answer(packed, Content_Encoding="gzip")))
    tracemalloc.start()
    rows = endpoint.select(QUERY, limit_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(rows), rows.truncated) == (0, {"by": "limit_bytes", "limit": 1_000_000})
    assert peak < 20_000_000


ROW = '{"a":' + uri("http://e/a") + "}"
WHOLE = results(ROW, ROW)
XML_CUT = XML_TEXT.removesuffix(XML_END)
CUT: dict[str, bytes] = {
    "length": answer(WHOLE, length=len(WHOLE) + 10, Connection="close"),
    "chunks": head(Connection="close") + chunk(WHOLE.encode()),
    "a chunk": head(Connection="close") + chunk(WHOLE.encode())[:-20],
    "nothing": answer(""),
    "JSON": answer(WHOLE[:-40]),
    "JSON's end": answer(WHOLE[:-1]),
    "XML": answer(XML_CUT, XML),
    "XML in a tag": answer(XML_TEXT[:-30], XML),
    "XML's end": answer(XML_TEXT[:-3], XML),
    "TSV": answer(TSV_TEXT[:-5], TSV),
    "TSV's end": answer(TSV_TEXT[:-1], TSV),
    "CSV": answer('a\n1\n"2', CSV),
    "CSV's quote": answer('a\n1\n"2\n', CSV),
    "CSV's end": answer("a\n1", CSV),
    "an empty table": answer("", TSV),
    "a character": answer(results('{"a":{"type":"literal","value":"ä').encode()[:-1]),
    "a table of unknown length": b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/csv\r\n\r\na\n1\n",
}


@pytest.mark.parametrize("said", CUT.values(), ids=CUT.keys())
def test_a_cut_answer_is_none(bad: Bad, failure: Failure, said: bytes) -> None:
    error = failure(bad.on("/q", said))
    assert (error.code, bad.count("/q")) == ("endpoint_answer", 1)


LOGIN = "<!DOCTYPE html><html><head><title>Sign in</title><script>var a='<b>'</script></head><body>Who are you?"
TRACE = "SPARQL-QUERY: queryStr=SELECT *\njava.util.concurrent.ExecutionException: java.lang.{}\n\tat java.base/x"
MEMORY, TIMEOUT = TRACE.format("OutOfMemoryError"), TRACE.format("TimeoutException")
CANCELLED = "The SPARQL operation has been cancelled"
QLEVER = "\n\n!!!!>># An error has occurred while exporting the query result. The error message was:\nout of room"
SAID: dict[str, tuple[bytes, str, str]] = {
    "a login page": (answer(LOGIN, "text/html"), "endpoint_answer", "it is an HTML page (HTTP 200): Sign in Who are"),
    "HTML as JSON": (answer(LOGIN), "endpoint_answer", "Sign in Who are you?"),
    "HTML as TSV": (answer(LOGIN, TSV), "endpoint_answer", "Sign in Who are you?"),
    "words": (answer("Virtuoso SP030\0: no", "text/plain"), "endpoint_answer", "Virtuoso SP030 : no"),
    "words as CSV": (answer("Error: it is off\n", CSV), "endpoint_answer", "Error: it is off"),
    "words as JSON": (answer("Oops"), "endpoint_answer", "Oops"),
    "an error": (answer('{"error":{"message":"no heap","code":1}}'), "endpoint_error", "no heap"),
    "an exception": (answer('{"exception":"no heap","status":"ERROR"}'), "endpoint_error", "no heap"),
    "a message": (answer('{"message":"query timed out"}'), "endpoint_timeout", "query timed out"),
    "other JSON": (answer('{"took":1}'), "endpoint_answer", "no SPARQL results"),
    "a JSON array": (answer("[1]"), "endpoint_answer", "[1]"),
    "an exception after rows": (answer(WHOLE[:-1] + ',"exception":"no heap"}'), "endpoint_error", "no heap"),
    "Blazegraph in the middle": (answer(WHOLE[:-3] + MEMORY), "endpoint_error", "SPARQL-QUERY: queryStr=SELECT *"),
    "Blazegraph at the end": (answer(WHOLE + "\n" + MEMORY), "endpoint_error", "OutOfMemoryError"),
    "Blazegraph's time": (answer(WHOLE[:-30] + TIMEOUT), "endpoint_timeout", "TimeoutException"),
    "Blazegraph's XML": (answer(XML_TEXT + "\n" + MEMORY, XML), "endpoint_error", "OutOfMemoryError"),
    "Blazegraph in XML": (answer(XML_CUT + MEMORY, XML), "endpoint_error", "OutOfMemoryError"),
    "Blazegraph's TSV": (answer(TSV_TEXT + MEMORY + "\n", TSV), "endpoint_error", "OutOfMemoryError"),
    "QLever's JSON": (answer(WHOLE[:-3] + QLEVER), "endpoint_error", "out of room"),
    "QLever's TSV": (answer("?a\n1\n" + QLEVER + "\n", TSV), "endpoint_error", "out of room"),
    "Oxigraph's JSON": (answer(WHOLE[:-3] + CANCELLED), "endpoint_timeout", CANCELLED),
    "Oxigraph's XML": (answer(XML_CUT + CANCELLED, XML), "endpoint_timeout", CANCELLED),
    "Oxigraph's TSV": (answer(TSV_TEXT + CANCELLED, TSV), "endpoint_timeout", CANCELLED),
    "Oxigraph's CSV": (answer("a\n1\n" + CANCELLED, CSV), "endpoint_timeout", CANCELLED),
    "Oxigraph's CSV line": (answer("a\n1\n" + CANCELLED + "\n", CSV), "endpoint_timeout", CANCELLED),
    "text after the end": (answer(WHOLE + "{}"), "endpoint_answer", "after the end"),
    "a number too long": (answer('{"n":' + "1" * 10_000 + "}"), "endpoint_answer", "no JSON"),
    "not UTF-8": (answer(WHOLE.encode("utf-16")[2:]), "endpoint_answer", ""),
    "an unknown variable": (answer(results('{"z":' + uri("http://e/a") + "}")), "endpoint_answer", "binds z"),
    "a variable twice": (answer(results(variables='"a","a"')), "endpoint_answer", "twice"),
    "a boolean": (answer('{"head":{},"boolean":true}'), "endpoint_answer", "a boolean"),
    "cells": (answer("?a\t?b\n1\n", TSV), "endpoint_answer", "1 cells for 2 variables"),
    "a bare word": (answer("?a\nword\n", TSV), "endpoint_answer", "'word' is no RDF term"),
    "other XML": (
        answer("<ows:Report xmlns:ows='u:x'>no heap</ows:Report>", XML),
        "endpoint_answer",
        "<Report>, but no SPARQL results (HTTP 200): no heap",
    ),
    "a document type": (answer("<!DOCTYPE a [<!ENTITY b 'c'>]>" + XML_TEXT, XML), "endpoint_answer", "document type"),
    "an outer entity": (
        answer("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><sparql>&b;</sparql>", XML),
        "endpoint_answer",
        "document type",
    ),
}


@pytest.mark.parametrize(("said", "code", "message"), SAID.values(), ids=SAID.keys())
def test_what_is_said_under_200_is_heard(bad: Bad, failure: Failure, said: bytes, code: str, message: str) -> None:
    error = failure(bad.on("/q", said))
    assert (error.code, error.details["status"], bad.count("/q")) == (code, 200, 1)
    assert message in error.message
    assert not any(ord(char) < 32 for char in str(error))
    assert len(error.details.get("words", "")) <= 300


def test_a_billion_laughs_are_not_laughed(bad: Bad, failure: Failure) -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 30))
    text = f'<?xml version="1.0"?><!DOCTYPE s [<!ENTITY l0 "ha">{entities}]><sparql>&l29;</sparql>'
    assert "document type" in failure(bad.on("/q", answer(text, XML))).message


def million(asked: Asked) -> Iterator[bytes]:
    rows = ",".join([ROW] * 1000).encode()
    yield head() + chunk(results(ROW)[:-3].encode())
    for _ in range(1000):
        yield chunk(b"," + rows)
    yield chunk(b"]}}") + b"0\r\n\r\n"


def test_a_million_rows_are_read_no_further_than_wanted(bad: Bad, connect: Open) -> None:
    endpoint = connect(bad.on("/q", million))
    tracemalloc.start()
    rows = endpoint.select(QUERY, limit_rows=500)
    few = endpoint.select(QUERY, limit_bytes=300_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(rows), rows.truncated) == (500, {"by": "limit_rows", "limit": 500})
    assert few.truncated == {"by": "limit_bytes", "limit": 300_000}
    assert few.size == 300_000
    assert 5000 < len(few) < 8000
    assert peak < 10_000_000
    assert len(endpoint.select(QUERY, limit_rows=1)) == 1


@pytest.mark.parametrize(
    ("content_type", "body"), [(JSON, WHOLE), (XML, XML_TEXT), (TSV, TSV_TEXT), (CSV, "a\n1\n2\n")]
)
def test_limits_at_every_byte(bad: Bad, connect: Open, content_type: str, body: str) -> None:
    endpoint = connect(bad.on("/q", answer(body, content_type)))
    whole = endpoint.select(QUERY, limit_bytes=len(body.encode()), limit_rows=3)
    assert whole.truncated is None
    for limit in range(0, len(body.encode()), 5):
        part = endpoint.select(QUERY, limit_bytes=limit)
        assert part.truncated == {"by": "limit_bytes", "limit": limit}
        assert part.rows == whole.rows[: len(part)]
    for number in range(len(whole)):
        part = endpoint.select(QUERY, limit_rows=number)
        assert (len(part), part.truncated) == (number, {"by": "limit_rows", "limit": number})


def test_virtuoso_says_when_it_stops_early(bad: Bad, connect: Open) -> None:
    said: dict[str, Any] = {
        "X_SQL_State": "S1TAT",
        "X_SQL_Message": "Returning incomplete  results",
        "X_Exec_Milliseconds": "1",
    }
    rows = connect(bad.on("/q", answer(WHOLE, **said))).select(QUERY)
    assert rows.truncated == {"by": "endpoint", "message": "S1TAT: Returning incomplete results (1 ms)"}
    assert len(rows) == 2
    rows = connect(bad.on("/q", answer(WHOLE, X_SPARQL_MaxRows="2"))).select(QUERY)
    assert rows.truncated == {"by": "endpoint", "message": "the endpoint gives at most 2 rows"}
    assert connect(bad.on("/q", answer(WHOLE, X_SPARQL_MaxRows="3"))).select(QUERY).truncated is None
    endpoint = connect(bad.on("/ask", answer('{"boolean":false}', **said)))
    with pytest.raises(EndpointError) as caught:
        endpoint.ask("ASK {}")
    assert caught.value.code == "endpoint_timeout"


ASKED = [
    ('{"head":{},"boolean":true}', JSON, True),
    ('{"boolean":false}', "application/json", False),
    (XML_HEAD.format("").replace("<results>", "<boolean>true</boolean></sparql>"), XML, True),
    ("false", "text/boolean", False),
    ("true\n", "text/plain", True),
]


@pytest.mark.parametrize(("body", "content_type", "found"), ASKED)
def test_ask(bad: Bad, connect: Open, body: str, content_type: str, found: bool) -> None:
    assert connect(bad.on("/q", answer(body, content_type))).ask("ASK {}") is found


@pytest.mark.parametrize("body", [WHOLE, results(), "{}", "maybe"])
def test_ask_wants_a_boolean(bad: Bad, connect: Open, body: str) -> None:
    endpoint = connect(bad.on("/q", answer(body)))
    with pytest.raises(EndpointError) as caught:
        endpoint.ask("ASK {}")
    assert caught.value.code == "endpoint_answer"
