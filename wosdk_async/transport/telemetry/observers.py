"""Observers of calls and attempts: the program's hook, the log, OpenTelemetry.

Observers never get tokens, bodies or headers: they can log only the fields of :class:`Attempt` and
:class:`CallResult`. A call without observers has no :class:`ObservedCall`, and therefore no overhead.
"""

from __future__ import annotations

import copy
import logging
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import attrs

from wosdk_async.options.hooks import Attempt, AttemptHook, call_hook
from wosdk_async.protocol.wire import Call, Response
from wosdk_async.text.safe_text import one_line
from wosdk_async.transport.http.engine import Engine, Request, RequestHeaders, SendError
from wosdk_async.version import VERSION

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class CallResult:
    """End of a call: ``error`` is the class of its error, and ``code`` is the service's ErrorCode."""

    company: str
    operation: str
    request_id: str | None
    attempts: int
    seconds: float
    error: str = ""
    code: str = ""


class Observer:
    """Receiver of notifications; the base class ignores them. An observer's errors are logged."""

    def call_started(self, call: Call[Any], company: str) -> Any:
        """Return a state for a new call, before anything has been sent."""

    def attempt_started(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:  # noqa: ARG002
        """Return a state for the next request, and headers to add."""
        return None, ()

    def attempt_ended(self, state: Any, attempt: Attempt) -> None:
        """Handle a response, or its absence. ``state`` is from :meth:`attempt_started`."""

    def call_ended(self, state: Any, result: CallResult) -> None:
        """Handle the end of a call. ``state`` is from :meth:`call_started`."""


@attrs.frozen
class HookObserver(Observer):
    """Observer that passes each attempt to a function of the program."""

    on_attempt: AttemptHook

    def attempt_ended(self, state: Any, attempt: Attempt) -> None:  # noqa: ARG002
        """Call the function."""
        call_hook("on_attempt", self.on_attempt, attempt)


class _LogObserver(Observer):
    def attempt_ended(self, state: Any, attempt: Attempt) -> None:  # noqa: ARG002
        _log.debug("attempt: %s", _fields(attempt))

    def call_ended(self, state: Any, result: CallResult) -> None:  # noqa: ARG002
        _log.debug("call: %s", _fields(result))


LOG_OBSERVER = _LogObserver()


def _fields(record: Attempt | CallResult) -> str:
    shown = attrs.asdict(record, filter=lambda _, value: value not in (None, ""))
    shown["seconds"] = f"{record.seconds:.3f}"
    return one_line(" ".join(f"{name}={value}" for name, value in shown.items()))


class ObservedCall:
    """Observers of one call. Each call has its own instance, so that overlapping calls are not confused."""

    def __init__(self, call: Call[Any], company: str, observers: Iterable[Observer]) -> None:
        self._started = time.monotonic()
        self._set_call(call, company)
        self._observers = [(each, _notify(each.call_started, call, company)) for each in observers]

    def _set_call(self, call: Call[Any], company: str) -> None:
        self._call = call
        self._names: dict[str, Any] = {
            "company": company,
            "operation": call.operation,
            "request_id": call.request_id,
        }
        self._attempts = 0

    def part(self, call: Call[Any]) -> ObservedCall:
        """Return the observers of a request for this call: the call itself, or one of its look-ups."""
        if call is self._call:
            return self
        look_up = copy.copy(self)
        look_up._set_call(call, self._names["company"])
        return look_up

    def end(self, error: BaseException | None) -> None:
        """Notify the observers of the call's end."""
        result = CallResult(
            **self._names,
            attempts=self._attempts,
            seconds=time.monotonic() - self._started,
            error="" if error is None else type(error).__name__,
            code=getattr(error, "code", ""),
        )
        for each, state in self._observers:
            _notify(each.call_ended, state, result)

    async def send(self, engine: Engine, request: Request) -> Any:
        """Send one request through ``engine``, and notify the observers when it starts and ends."""
        self._attempts += 1
        started, number = time.monotonic(), self._attempts
        states, headers = [], request.headers
        for each, state in self._observers:
            own, more = _notify(each.attempt_started, state, self._call, number) or (None, ())
            states.append((each, own))
            headers = headers + more
        status: int | None = None
        error = ""

        def read_and_note(response: Response) -> Any:
            nonlocal status
            status = response.status
            return request.read(response)

        try:
            return await engine.send(attrs.evolve(request, headers=headers, read=read_and_note))
        except SendError as failure:
            error = "NoAnswer" if failure.sent else "NotSent"
            raise
        except BaseException:
            if status is None:
                error = "Cancelled"
            raise
        finally:
            address = urlsplit(request.url)
            attempt = Attempt(
                **self._names,
                number=number,
                method=request.method,
                host=address.hostname or "",
                port=address.port,
                seconds=time.monotonic() - started,
                status=status,
                error=error,
            )
            for each, state in states:
                _notify(each.attempt_ended, state, attempt)


def _notify(method: Callable[..., T], *values: Any) -> T | None:
    """Call a method of an observer, and log its errors so that they cannot change the call's result."""
    try:
        return method(*values)
    except (Exception, CancelledError):
        _log.exception("an observer failed")
        return None


# --- OpenTelemetry: a span per call, a child span per attempt, and their durations ------------------------
# Names follow the semantic conventions for HTTP clients where possible.

_API = ("opentelemetry.trace", "opentelemetry.metrics")
"""Modules of the no-op providers in the OpenTelemetry API."""

_SCOPE = "wosdk_async"
_HTTP_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""Bucket boundaries in seconds, as in the semantic conventions."""
_BUCKETS = (*_HTTP_BUCKETS, 30.0, 60.0, 120.0)
"""These boundaries, and the usual deadlines."""


def active_telemetry(*, traceparent: bool) -> Telemetry | None:
    """Return the OpenTelemetry observer; None if OpenTelemetry is not installed or has no provider."""
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    providers = (trace.get_tracer_provider(), metrics.get_meter_provider())
    if all(type(each).__module__.startswith(_API) for each in providers):
        return None
    return Telemetry(trace, metrics, traceparent)


class Telemetry(Observer):
    """Observer that creates spans and metrics. ``traceparent`` propagates the trace id to the service."""

    def __init__(self, trace: Any, metrics: Any, traceparent: bool) -> None:
        self._trace = trace
        self._metrics = metrics
        self._traceparent = traceparent
        self._instruments: tuple[Any, Any, Any] | None = None

    def call_started(self, call: Call[Any], company: str) -> Any:
        """Start and return the span of a call."""
        attributes = {"wosdk.company": company, "wosdk.operation": call.operation}
        if call.request_id:
            attributes["wosdk.request_id"] = call.request_id
        return self._tracer().start_span(call.operation, attributes=attributes)

    def attempt_started(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:
        """Start an attempt's span as a child of its call's; return it with the ``traceparent`` header."""
        attributes: dict[str, Any] = {"http.request.method": call.method, "wosdk.operation": call.operation}
        if number > 1:
            attributes["http.request.resend_count"] = number - 1
        span = self._tracer().start_span(
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
        error_type = self._end(state, attributes, failure)
        _, requests, _ = self._histograms()
        requests.record(attempt.seconds, {"http.request.method": attempt.method, **attributes, **error_type})

    def call_ended(self, state: Any, result: CallResult) -> None:
        """End the span of a call, and record its duration."""
        attributes: dict[str, Any] = {"wosdk.attempts": result.attempts}
        if result.code:
            attributes["wosdk.error_code"] = one_line(result.code)  # exporters cannot send a lone surrogate
        error_type = self._end(state, attributes, result.error)
        calls, _, _ = self._histograms()
        calls.record(result.seconds, {"wosdk.operation": result.operation, **error_type})

    def _end(self, span: Any, attributes: dict[str, Any], failure: str) -> dict[str, str]:
        error_type = {"error.type": failure} if failure else {}
        span.set_attributes({**attributes, **error_type})
        if failure:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, failure))
        span.end()
        return error_type

    def _tracer(self) -> Any:
        return self._trace.get_tracer(_SCOPE, VERSION)

    def _histograms(self) -> tuple[Any, Any, Any]:
        """Return the call and request histograms, and their current provider."""
        provider = self._metrics.get_meter_provider()
        # GIL: threads set the tuple atomically, and all create the same histograms, so no lock is needed.
        if self._instruments is None or self._instruments[2] is not provider:
            new = partial(
                provider.get_meter(_SCOPE, VERSION).create_histogram,
                unit="s",
                explicit_bucket_boundaries_advisory=_BUCKETS,
            )
            self._instruments = (
                new("wosdk.client.call.duration", description="Calls, including queueing and retries"),
                new("http.client.request.duration", description="Duration of each request"),
                provider,
            )
        return self._instruments

    def _trace_headers(self, span: Any) -> RequestHeaders:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier, context=self._trace.set_span_in_context(span))
        return tuple(carrier.items())
