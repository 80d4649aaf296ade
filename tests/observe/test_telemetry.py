"""OpenTelemetry as a program sees it that has set its providers."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import asyncio
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support.service import Answer, Service
from wosdk_async import BusinessRuleError, CallOptions, RetryPolicy, WoPickUpCommand

exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider([reader]))

answers = [
    Answer(503, body={"ErrorCode": "", "ErrorMessage": "busy", "TimeStamp": ""}),
    Answer(400, body={"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no", "TimeStamp": ""}),
]

async def main():
    async with Service(lambda _: answers.pop(0)) as service:
        options = CallOptions(retry=RetryPolicy(wait_initial=0.0))
        async with service.client(options=options, traceparent=TRACEPARENT) as client:
            with trace.get_tracer("mine").start_as_current_span("mine"):
                try:
                    await client.company().run(WoPickUpCommand(work_order_id=7))
                except BusinessRuleError:
                    pass
        return service

service = asyncio.run(main())
first, second, call, mine = exporter.get_finished_spans()
assert mine.name == "mine" and call.parent.span_id == mine.context.span_id
assert call.name == "WoPickUpCommand"
assert {first.parent.span_id, second.parent.span_id} == {call.context.span_id}
assert first.name == "POST" and first.attributes["http.response.status_code"] == 503
assert second.attributes["http.request.resend_count"] == 1
assert second.attributes["error.type"] == "400"
assert call.attributes["error.type"] == "BusinessRuleError"
assert call.attributes["wosdk.error_code"] == "BUSINESS_LOGIC_ERROR"
assert call.attributes["wosdk.attempts"] == 2
names = {
    metric.name: sum(point.count for point in metric.data.data_points)
    for resource in reader.get_metrics_data().resource_metrics
    for scope in resource.scope_metrics
    for metric in scope.metrics
}
assert names == {"wosdk.client.call.duration": 1, "http.client.request.duration": 2}, names
sent = [request.headers.get("traceparent") for request in service.calls]
expected = [f"{span.context.span_id:016x}" for span in (first, second)]
if TRACEPARENT:
    assert [header.split("-")[2] for header in sent] == expected, sent
else:
    assert sent == [None, None]
shown = repr([(span.attributes, span.status.description) for span in (first, second, call)])
assert service.calls[0].headers["authorization"].removeprefix("Bearer ") not in shown
print("ok")
"""


def run(program: str) -> str:
    """In a process of its own: a provider can be set only once."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


def test_spans_and_metrics_of_a_call_and_its_attempts() -> None:
    """One span for the call in the program's own, one for each attempt below it; nothing is sent along."""
    assert run(PROGRAM.replace("TRACEPARENT", "False")) == "ok"


def test_the_trace_is_sent_along_when_asked() -> None:
    """Each attempt carries its own span's id."""
    assert run(PROGRAM.replace("TRACEPARENT", "True")) == "ok"


def test_a_code_that_no_exporter_could_send() -> None:
    """Half a character and a line break, as the service may send them, are escaped."""
    program = PROGRAM.replace("TRACEPARENT", "False").replace("BusinessRuleError", "RefusedError")
    sent, _, shown = program.partition("service = asyncio.run(main())")
    assert '"BUSINESS_LOGIC_ERROR"' in sent
    sent = sent.replace('"BUSINESS_LOGIC_ERROR"', r'"A\n\ud800"')
    shown = shown.replace('"BUSINESS_LOGIC_ERROR"', r'"A\\n\\ud800"')
    assert run(f"{sent}service = asyncio.run(main()){shown}") == "ok"


def test_without_a_provider_nothing_is_observed() -> None:
    """The providers of the API itself do nothing, so they are not asked."""
    program = """
from wosdk_async.transport.telemetry.observers import active_telemetry
print(active_telemetry(traceparent=False))
"""
    assert run(program) == "None"


def test_without_opentelemetry_there_is_no_telemetry() -> None:
    """The extra may be missing."""
    program = """
import sys
sys.modules["opentelemetry"] = None
from wosdk_async.transport.telemetry.observers import active_telemetry
print(active_telemetry(traceparent=False))
"""
    assert run(program) == "None"
