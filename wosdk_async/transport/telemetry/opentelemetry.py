"""OpenTelemetry: a span for each call with one for each attempt below it, and how long both take.

Nothing here is loaded unless ``opentelemetry-api`` is installed (extra ``otel``), and nothing is recorded
until the program sets a provider. Names follow the semantic conventions for HTTP clients where there are any.
"""

from __future__ import annotations

from typing import Any

from wosdk_async.protocol.wire import Call
from wosdk_async.safe_text import one_line
from wosdk_async.transport.http.engine import RequestHeaders
from wosdk_async.transport.telemetry.hooks import Attempt, CallResult

__all__ = ["Telemetry", "telemetry"]


_IDLE = ("opentelemetry.trace", "opentelemetry.metrics")  # the modules of the API's own providers
_TRACER, _METER = "_TRACER_PROVIDER", "_METER_PROVIDER"  # names in the API; "?" stands for one not there


def telemetry(*, traceparent: bool) -> Telemetry | None:
    """The observer; None when OpenTelemetry is not installed."""
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    return Telemetry(trace, metrics, traceparent)


class Telemetry:
    """Tells the providers that are set when a call begins; ``traceparent`` sends the trace's id along."""

    def __init__(self, trace: Any, metrics: Any, traceparent: bool) -> None:
        self._trace = trace
        self._metrics = metrics
        self._traceparent = traceparent
        self._instruments: tuple[Any, Any, Any] | None = None
        self._asked = False
        self._tracing = vars(trace)
        self._metering = vars(getattr(metrics, "_internal", metrics))

    @property
    def active(self) -> bool:
        """Whether somebody listens: the providers that the API brings along do nothing."""
        # Asked for each call: the getters look into the environment until there is a provider, which costs
        # more than all that a call does on its way out. Where the API keeps them elsewhere they are asked.
        tracing, metering = self._tracing, self._metering
        if self._asked and tracing.get(_TRACER, "?") is None and metering.get(_METER, "?") is None:
            return False
        self._asked = True
        found = (self._trace.get_tracer_provider(), self._metrics.get_meter_provider())
        return any(not type(each).__module__.startswith(_IDLE) for each in found)

    def call_begins(self, call: Call[Any], company: str) -> Any:
        attributes = {"wosdk.company": company, "wosdk.operation": call.operation}
        if call.request_id:
            attributes["wosdk.request_id"] = call.request_id
        return self._trace.get_tracer("wosdk_async").start_span(call.operation, attributes=attributes)

    def attempt_begins(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:
        attributes: dict[str, Any] = {"http.request.method": call.method}
        if number > 1:
            attributes["http.request.resend_count"] = number - 1
        span = self._trace.get_tracer("wosdk_async").start_span(
            call.method,
            context=self._trace.set_span_in_context(state),
            kind=self._trace.SpanKind.CLIENT,
            attributes=attributes,
        )
        return span, self._injected(span) if self._traceparent else ()

    def attempt_ends(self, state: Any, attempt: Attempt) -> None:
        attributes: dict[str, Any] = {"server.address": attempt.host}
        if attempt.port:
            attributes["server.port"] = attempt.port
        if attempt.status is not None:
            attributes["http.response.status_code"] = attempt.status
        failure = attempt.error or (str(attempt.status) if (attempt.status or 0) >= 400 else "")
        self._end(state, attributes, failure)
        _, requests, _ = self._meters()
        requests.record(
            attempt.seconds, {"http.request.method": attempt.method, **attributes, **_failed(failure)}
        )

    def call_ends(self, state: Any, ended: CallResult) -> None:
        attributes: dict[str, Any] = {"wosdk.attempts": ended.attempts}
        if ended.code:
            attributes["wosdk.error_code"] = one_line(ended.code)  # exporters cannot send half a character
        self._end(state, attributes, ended.error)
        calls, _, _ = self._meters()
        calls.record(ended.seconds, {"wosdk.operation": ended.operation, **_failed(ended.error)})

    def _end(self, span: Any, attributes: dict[str, Any], failure: str) -> None:
        span.set_attributes({**attributes, **_failed(failure)})
        if failure:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, failure))
        span.end()

    def _meters(self) -> tuple[Any, Any, Any]:
        """Both histograms, of the provider that is set now."""
        provider = self._metrics.get_meter_provider()
        if self._instruments is None or self._instruments[2] is not provider:
            meter = provider.get_meter("wosdk_async")
            self._instruments = (
                meter.create_histogram("wosdk.client.call.duration", "s", "Calls, with queue and retries"),
                meter.create_histogram("http.client.request.duration", "s", "Requests, each by itself"),
                provider,
            )
        return self._instruments

    def _injected(self, span: Any) -> RequestHeaders:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier, context=self._trace.set_span_in_context(span))
        return tuple(carrier.items())


def _failed(failure: str) -> dict[str, str]:
    return {"error.type": failure} if failure else {}
