"""OpenTelemetry: a span for each call, below it one for each attempt, and the duration of both.

Names follow the semantic conventions for HTTP clients where there are any.
"""

from __future__ import annotations

from typing import Any

from wosdk_async.options.hooks import Attempt
from wosdk_async.protocol.wire import Call
from wosdk_async.text.safe_text import one_line
from wosdk_async.transport.http.engine import RequestHeaders
from wosdk_async.transport.telemetry.observers import CallResult, Observer

__all__ = ["Telemetry", "active_telemetry"]

_API = ("opentelemetry.trace", "opentelemetry.metrics")
"""Modules of the API's own providers, which do nothing."""


def active_telemetry(*, traceparent: bool) -> Telemetry | None:
    """Return the observer; None when OpenTelemetry is not installed, or no provider is set."""
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider())
    if all(type(each).__module__.startswith(_API) for each in providers):
        return None
    return Telemetry(trace, metrics, traceparent)


class Telemetry(Observer):
    """Observer that creates spans and metrics. ``traceparent`` sends the id of the trace to the service."""

    def __init__(self, trace: Any, metrics: Any, traceparent: bool) -> None:
        self._trace = trace
        self._metrics = metrics
        self._traceparent = traceparent
        self._instruments: tuple[Any, Any, Any] | None = None

    def call_started(self, call: Call[Any], company: str) -> Any:
        """Start the span of a call, and return it."""
        attributes = {"wosdk.company": company, "wosdk.operation": call.operation}
        if call.request_id:
            attributes["wosdk.request_id"] = call.request_id
        return self._trace.get_tracer("wosdk_async").start_span(call.operation, attributes=attributes)

    def attempt_started(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:
        """Start the span of an attempt below that of its call. Return it, and the header ``traceparent``."""
        attributes: dict[str, Any] = {"http.request.method": call.method}
        if number > 1:
            attributes["http.request.resend_count"] = number - 1
        span = self._trace.get_tracer("wosdk_async").start_span(
            call.method,
            context=self._trace.set_span_in_context(state),
            kind=self._trace.SpanKind.CLIENT,
            attributes=attributes,
        )
        return span, self._trace_headers(span) if self._traceparent else ()

    def attempt_ended(self, state: Any, attempt: Attempt) -> None:
        """End the span of an attempt, and record its duration."""
        attributes: dict[str, Any] = {"server.address": attempt.host}
        if attempt.port:
            attributes["server.port"] = attempt.port
        if attempt.status is not None:
            attributes["http.response.status_code"] = attempt.status
        failure = attempt.error or (str(attempt.status) if (attempt.status or 0) >= 400 else "")
        failed = self._end(state, attributes, failure)
        _, requests, _ = self._histograms()
        requests.record(attempt.seconds, {"http.request.method": attempt.method, **attributes, **failed})

    def call_ended(self, state: Any, result: CallResult) -> None:
        """End the span of a call, and record its duration."""
        attributes: dict[str, Any] = {"wosdk.attempts": result.attempts}
        if result.code:
            attributes["wosdk.error_code"] = one_line(result.code)  # exporters cannot send half a character
        failed = self._end(state, attributes, result.error)
        calls, _, _ = self._histograms()
        calls.record(result.seconds, {"wosdk.operation": result.operation, **failed})

    def _end(self, span: Any, attributes: dict[str, Any], failure: str) -> dict[str, str]:
        """End a span, and return the attribute that names its failure, if there is one."""
        failed = {"error.type": failure} if failure else {}
        span.set_attributes({**attributes, **failed})
        if failure:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, failure))
        span.end()
        return failed

    def _histograms(self) -> tuple[Any, Any, Any]:
        """Return the histograms of calls and of requests, and their provider: the one that is set now."""
        provider = self._metrics.get_meter_provider()
        # GIL: loops in other threads set the tuple in one step; the histograms of each are the same.
        if self._instruments is None or self._instruments[2] is not provider:
            meter = provider.get_meter("wosdk_async")
            self._instruments = (
                meter.create_histogram("wosdk.client.call.duration", "s", "Calls, with queue and retries"),
                meter.create_histogram("http.client.request.duration", "s", "Requests, each by itself"),
                provider,
            )
        return self._instruments

    def _trace_headers(self, span: Any) -> RequestHeaders:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier, context=self._trace.set_span_in_context(span))
        return tuple(carrier.items())
