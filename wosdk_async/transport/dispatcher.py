"""Way of a call: deadline, slot, attempts with retries, and the error if they fail."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import DeadlineError, InDoubtError, OverloadedError, ThrottledError, WosdkError
from wosdk_async.hooks import OnInDoubt
from wosdk_async.options import CallOptions
from wosdk_async.protocol.responses import RequestIds
from wosdk_async.protocol.wire import Call
from wosdk_async.transport.attempts import AttemptContext, Attempts
from wosdk_async.transport.clock import Deadlines, Scope, TransportClock
from wosdk_async.transport.http.engine import Engine
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.retry import FAILURES, Retries, RetryQuota
from wosdk_async.transport.session.manager import SessionManager
from wosdk_async.transport.telemetry.observers import ObservedCall
from wosdk_async.transport.telemetry.statistics import PHASES, Counters, Trace

__all__ = ["Dispatcher", "report_in_doubt"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


@attrs.frozen(kw_only=True, eq=False)
class Dispatcher:
    """Sender of the calls of one client within one event loop."""

    engine: Engine
    limiter: ConcurrencyLimiter
    clock: TransportClock
    deadlines: Deadlines
    quota: RetryQuota
    counters: Counters
    max_queued: int | None = None
    on_in_doubt: OnInDoubt | None = None
    request_ids: RequestIds | None = None
    _context: AttemptContext = attrs.field(init=False)
    # Used by the thread of its loop alone. GIL: but any thread may drop a manager last, which takes its key
    # out in one step.
    _queues: WeakKeyDictionary[SessionManager, TenantQueue] = attrs.field(
        factory=WeakKeyDictionary, init=False
    )

    @_context.default
    def _make_context(self) -> AttemptContext:
        return AttemptContext(self.engine, self.limiter, self.clock, self.request_ids)

    async def send(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None = None,
        observed: ObservedCall | None = None,
    ) -> T:
        """Send ``call`` and return its result, or raise an error that names the call."""
        now = self.clock.now()
        if trace is not None:
            trace.begin(call.request_id, self.clock, now)
        seconds = options.seconds(call)
        queue = sessions.queue
        if queue is None or queue.limiter is not self.limiter:
            queue = self._use_queue(sessions)
        scope = Scope(self.deadlines, now + seconds)
        attempts: Attempts | None = None
        queue.calls += 1
        self.counters.running += 1
        try:
            if seconds <= 0 or self.max_queued is not None:
                self._require_admission(queue, seconds)
            if not self.limiter.take(queue):
                granted = self.limiter.enqueue(queue)
                try:
                    await granted
                except CancelledError:
                    self.limiter.leave(queue, granted)
                    raise
            # Made only now: very many calls may wait in the queue.
            attempts = Attempts(self._context, call, sessions, queue, trace, now, options.retry, observed)
            try:
                result: T = await attempts.send_call(True)
                self.quota.succeeded(False)
            except FAILURES as failure:
                retries = Retries(options.retry, self.clock, self.quota, scope.until)
                result = await retries.run(call, attempts.send_call, attempts.trace, failure)
            self.counters.done += 1
            return result
        except WosdkError as error:
            self._complete(
                error, call, sessions, attempts.trace if attempts else self._traced(trace, call, now)
            )
            raise
        except CancelledError:
            trace = attempts.trace if attempts else self._traced(trace, call, now)
            if scope.end():
                raise self._too_late(call, sessions, trace, seconds) from None
            self._cancelled(call, sessions, trace)
            raise
        finally:
            scope.end()
            queue.calls -= 1
            self.counters.end()

    def _traced(self, trace: Trace | None, call: Call[Any], began: float) -> Trace:
        """Return the trace of a call that has made no attempt."""
        return trace or Trace(call.request_id, [began], self.clock.now)

    def queue_of(self, sessions: SessionManager) -> TenantQueue | None:
        """Return the queue of a Company at this limiter; None if it has made no call here."""
        return self._queues.get(sessions)

    def _use_queue(self, sessions: SessionManager) -> TenantQueue:
        """Return the queue of a Company at this limiter, and make it the one in use."""
        # GIL: loops in other threads set theirs, in one step each, and every call uses what it has read.
        queue = self.queue_of(sessions)
        if queue is None:
            queue = self._queues[sessions] = self.limiter.new_queue()
            if sessions.rate != self.limiter.rate:
                self.limiter.set_rate(queue, sessions.rate)
        sessions.queue = queue
        return queue

    def keep_rate(self, sessions: SessionManager) -> None:
        """Keep to the rate that a Company has now."""
        if (queue := self.queue_of(sessions)) is not None:
            self.limiter.set_rate(queue, sessions.rate)

    def _require_admission(self, queue: TenantQueue, seconds: float) -> None:
        """Refuse a call without time, and one above ``max_queued``."""
        if seconds <= 0:
            raise DeadlineError(f"not sent: its deadline is {seconds:g} s", phase="queue")
        if self.max_queued is not None and queue.calls > queue.limit + self.max_queued:
            raise OverloadedError(
                f"{queue.calls - 1} calls are in flight or wait, and {queue.limit} may be in flight with "
                f"{self.max_queued} waiting (max_queued); nothing was sent: try later, or raise the bound"
            )

    def _complete(self, error: WosdkError, call: Call[Any], sessions: SessionManager, trace: Trace) -> None:
        """Count ``error`` and add the details of the call to it."""
        trace.start_phase(trace.phase, self.clock.now())
        self.counters.failed(type(error).__name__)
        if isinstance(error, ThrottledError) and not error.attempts:
            error.args = (_throttled_text(error, trace),)
        error.add(
            company=sessions.company,
            operation=call.operation,
            request_id=call.request_id,
            attempts=trace.attempts,
            waits=trace.waits,
            times=trace.times,
        )

    def _cancelled(self, call: Call[Any], sessions: SessionManager, trace: Trace) -> None:
        """Count a call that its caller cancelled, and report it if it may have taken effect."""
        self.counters.failed("cancelled")
        if trace.sent and not call.repeat_safe:
            report_in_doubt(self.on_in_doubt, call, sessions.company)

    def _too_late(
        self, call: Call[Any], sessions: SessionManager, trace: Trace, seconds: float
    ) -> WosdkError:
        """Count a call whose time is up, and return its error."""
        limit = "before the client was closed" if self.deadlines.ended else f"within {seconds:.4g} s"
        doing = PHASES[trace.phase]
        if trace.phase == "session" and sessions.trouble:
            doing += f": {sessions.trouble}"
        error: WosdkError = DeadlineError(f"not done {limit} ({doing})", phase=trace.phase)
        if trace.sent and not call.repeat_safe:
            error = InDoubtError(f"it may have been carried out: no response {limit} ({doing})")
        self._complete(error, call, sessions, trace)
        return error


def _throttled_text(error: ThrottledError, trace: Trace) -> str:
    """Return the message with what the caller cannot know: the service's own text may be a bare "Busy"."""
    times = "once" if trace.attempts == 1 else f"{trace.attempts} times"
    how = f"with HTTP {error.status}" if error.status >= 400 else "to carry out the call now"
    return f"the service refused {times} in {sum(trace.times.values()):.3g} s {how}: {error.message}"


def report_in_doubt(hook: OnInDoubt | None, call: Call[Any], company: str) -> None:
    """Log that ``call`` was cancelled while it may have taken effect, and call the client's hook."""
    _log.warning(
        "cancelled, and it may have been carried out: operation=%s company=%s request_id=%s",
        call.operation,
        company,
        call.request_id,
    )
    if hook is not None:
        try:
            hook(call, call.request_id)
        except Exception:
            _log.exception("on_in_doubt failed: operation=%s request_id=%s", call.operation, call.request_id)
