"""What a server counts, in the Prometheus text format."""

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from bfsql_rdf.serve.gate import Gate

if TYPE_CHECKING:
    from bfsql_rdf.serve.mcp import ToolCall

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
BYTES = (1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 1e8)


class Meters:
    """The counters of one server; labels are few: a known path or `other`, a status, a tool, a limit's name."""

    def __init__(self, gate: Gate, version: str) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "bfsql_http_requests", "Requests answered.", ["route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "bfsql_http_request_seconds",
            "Seconds from a request's head to its answer's end.",
            ["route", "status"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.bytes = Histogram(
            "bfsql_http_answer_bytes", "Bytes of answers' bodies.", ["route"], buckets=BYTES, registry=self.registry
        )
        self.truncations = Counter(
            "bfsql_truncations", "Answers cut by a limit.", ["primitive", "limit"], registry=self.registry
        )
        self.calls = Counter("bfsql_tool_calls", "Calls of tools.", ["tool", "outcome"], registry=self.registry)
        self.call_seconds = Histogram(
            "bfsql_tool_seconds", "Seconds of a tool's call.", ["tool"], buckets=SECONDS, registry=self.registry
        )
        self.call_bytes = Histogram(
            "bfsql_tool_answer_bytes", "Bytes of a tool's answer.", ["tool"], buckets=BYTES, registry=self.registry
        )
        self.in_flight = Gauge("bfsql_http_requests_in_flight", "Requests in any stage.", registry=self.registry)
        running = Gauge("bfsql_queries_running", "Queries at work in threads.", registry=self.registry)
        running.set_function(lambda: gate.running)
        waiting = Gauge("bfsql_queries_waiting", "Queries that wait for a thread.", registry=self.registry)
        waiting.set_function(lambda: gate.waiting)
        places = Gauge("bfsql_queries_max", "Queries that may be at work at once.", registry=self.registry)
        places.set(gate.places)
        Gauge("bfsql_info", "The version.", ["version"], registry=self.registry).labels(version).set(1)

    def called(self, call: "ToolCall") -> None:
        """Count a call of a tool."""
        self.calls.labels(call.tool, "answered" if call.answered else "error").inc()
        self.call_seconds.labels(call.tool).observe(call.seconds)
        self.call_bytes.labels(call.tool).observe(call.size)
        if call.limit:
            self.truncations.labels(call.tool, call.limit).inc()

    def response(self, accept: str) -> Response:
        """All counters, as text or in the OpenMetrics format where that is what `accept` asks for."""
        encode, media_type = choose_encoder(accept)
        return Response(encode(self.registry), headers={"Content-Type": media_type, "Cache-Control": "no-store"})
