"""OpenTelemetry as a program sees it that has set its providers."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.support.preloaded import python

PROGRAM = """
import asyncio, json, sys
from unittest.mock import patch
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support.service import Answer, Service, error
from wosdk_async import CallOptions, RefusedError, RetryPolicy, WoPickUpCommand
from wosdk_async.transport.telemetry.observers import active_telemetry

# The providers of the API itself do nothing, so they are not asked; and the extra may be missing.
assert active_telemetry(traceparent=False) is None
with patch.dict(sys.modules, {"opentelemetry": None}):
    assert active_telemetry(traceparent=False) is None

exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider([reader]))

async def call(code, traceparent):
    answers = [error(503, "", "busy"), error(400, code, "no")]
    async with Service(lambda _: answers.pop(0)) as service:
        options = CallOptions(retry=RetryPolicy(wait_initial=0.0))
        async with service.client(options=options, traceparent=traceparent) as client:
            with trace.get_tracer("mine").start_as_current_span("mine"):
                try:
                    await client.company().run(WoPickUpCommand(work_order_id=7))
                except RefusedError:
                    pass
        return service

def check(code, shown_as, error, traceparent):
    exporter.clear()
    service = asyncio.run(call(code, traceparent))
    first, second, call_span, mine = exporter.get_finished_spans()
    assert mine.name == "mine" and call_span.parent.span_id == mine.context.span_id
    assert call_span.name == "WoPickUpCommand"
    assert {first.parent.span_id, second.parent.span_id} == {call_span.context.span_id}
    assert first.name == "POST" and first.attributes["http.response.status_code"] == 503
    assert second.attributes["http.request.resend_count"] == 1
    assert second.attributes["error.type"] == "400"
    assert call_span.attributes["error.type"] == error
    assert call_span.attributes["wosdk.error_code"] == shown_as
    assert call_span.attributes["wosdk.attempts"] == 2
    names = {
        metric.name: sum(point.count for point in metric.data.data_points)
        for resource in reader.get_metrics_data().resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert names == {"wosdk.client.call.duration": 1, "http.client.request.duration": 2}, names
    sent = [request.headers.get("traceparent") for request in service.calls]
    expected = [f"{span.context.span_id:016x}" for span in (first, second)]
    if traceparent:
        assert [header.split("-")[2] for header in sent] == expected, sent
    else:
        assert sent == [None, None]
    shown = repr([(span.attributes, span.status.description) for span in (first, second, call_span)])
    assert service.calls[0].headers["authorization"].removeprefix("Bearer ") not in shown

check(*json.loads(sys.argv[1]))
print("ok")
"""

MARKED = """
import asyncio
from collections import Counter
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support.payload import create_command
from wosdk_async import Client
from wosdk_async.sandbox import LocalCompany
from wosdk_async.version import VERSION

exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider([reader]))

async def make(acme, *keys, **options):
    calls = (acme.run(create_command(key), marker="work_order.po_number", **options) for key in keys)
    await asyncio.gather(*calls, return_exceptions=True)

async def main():
    with LocalCompany() as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            await make(acme, "A", "B", look_first=True)
            local.faults.add("reset", operation="WoCreateCommand", carried_out=True)
            await make(acme, "C")
            local.faults.add("status", status=403, operation="query")
            await make(acme, "D", look_first=True)

asyncio.run(main())
spans = exporter.get_finished_spans()
calls = {span.context.span_id: span for span in spans if span.parent is None}
shown = [(span.name, span.attributes.get("error.type")) for span in calls.values()]
name = "WoCreateCommand"
assert Counter(shown) == {(name, None): 3, (name, "RefusedError"): 1}, shown
parts = Counter()
for span in spans:
    if span.parent is not None:
        assert calls[span.parent.span_id].name == name
        parts[span.attributes["wosdk.operation"]] += 1
assert parts == {name: 3, "query WorkOrder": 3}, parts
(resource,) = reader.get_metrics_data().resource_metrics
(scope,) = resource.scope_metrics
assert scope.scope.version == spans[0].instrumentation_scope.version == VERSION
found = {metric.name: metric.data.data_points for metric in scope.metrics}
counts = {tuple(point.attributes.items()): point.count for point in found["wosdk.client.call.duration"]}
operation = ("wosdk.operation", name)
assert counts == {(operation,): 3, (operation, ("error.type", "RefusedError")): 1}, counts
assert sum(point.count for point in found["http.client.request.duration"]) == 6
for points in found.values():
    assert {(point.explicit_bounds[0], point.explicit_bounds[-1]) for point in points} == {(0.005, 120.0)}
print("ok")
"""
RULE = "BUSINESS_LOGIC_ERROR"


@pytest.mark.parametrize(
    "case",
    [
        (RULE, RULE, "BusinessRuleError", False),  # nothing is sent along
        (RULE, RULE, "BusinessRuleError", True),  # each attempt carries its own span's id
        ("A\n\ud800", r"A\n\ud800", "RefusedError", False),  # no exporter could send this code
    ],
)
def test_spans_and_metrics_of_calls_and_their_attempts(case: tuple[str, str, str, bool]) -> None:
    """One span for the call in the program's own, one for each attempt below it.

    In a process of its own: a provider can be set only once, and an old one warns of instruments made twice.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    assert python(PROGRAM, json.dumps(case), text=True, **pipes).communicate() == ("ok\n", "")


def test_a_marked_call_is_one_span_and_one_measurement_with_its_final_outcome() -> None:
    """Look-ups that succeed, recover a lost response, or fail; a shared one belongs to one of its calls."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    out, err = python(MARKED, text=True, **pipes).communicate()
    assert (out, err.partition(":")[0]) == ("ok\n", "the response was lost, but its record was found"), err
