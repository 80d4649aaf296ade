"""Sending of a call: deadline, slot, attempts with retries, and the error if they fail."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NotSentError,
    OverloadedError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import CallOptions
from wosdk_async.options.hooks import OnInDoubt, call_hook
from wosdk_async.protocol.wire import Call
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.attempts import AttemptContext, Attempts
from wosdk_async.transport.clock import Scope
from wosdk_async.transport.http.engine import POOL_EXHAUSTED
from wosdk_async.transport.limiter.limiter import TenantQueue
from wosdk_async.transport.retry import FAILURES, Retries, RetryQuota
from wosdk_async.transport.session.manager import SessionManager
from wosdk_async.transport.telemetry.observers import ObservedCall
from wosdk_async.transport.telemetry.statistics import PHASES, Counters, Trace

__all__ = ["Dispatcher", "report_in_doubt"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


@attrs.frozen(kw_only=True, eq=False)
class Dispatcher(AttemptContext):
    """Sender of the calls of one client within one event loop."""

    quota: RetryQuota
    counters: Counters
    max_queued: int | None = None
    on_in_doubt: OnInDoubt | None = None
    # Used only by the thread of its loop. GIL: but any thread may drop the last reference to a manager, which
    # removes its key atomically.
    _queues: WeakKeyDictionary[SessionManager, TenantQueue] = attrs.field(
        factory=WeakKeyDictionary, init=False
    )

    async def send(
        self,
        call: Call[T],
        sessions: SessionManager,
        options: CallOptions,
        trace: Trace | None = None,
        observed: ObservedCall | None = None,
    ) -> T:
        """Send ``call`` and return its result, or raise an error that names the call."""
        now = started = self.clock.now()
        if trace is not None:
            trace.begin(call.request_id, now)
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
                started = self.clock.now()
            # Made only now: very many calls may wait in the queue.
            attempts = Attempts(self, call, sessions, queue, trace, now, scope.until, options.retry, observed)
            try:
                result: T = await attempts.send_call(started)
                self.quota.succeeded(False)
            except FAILURES as failure:
                retries = Retries(options.retry, self.clock, self.quota, scope.until)
                result = await retries.run(call, attempts.send_call, attempts.trace, failure)
            self.counters.done += 1
            return result
        except (WosdkError, CancelledError) as error:
            trace = attempts.trace if attempts else trace or Trace(call.request_id, [now])
            if isinstance(error, WosdkError):
                self._complete(error, call, sessions, trace)
            elif scope.end():
                notes = getattr(error, "__notes__", ())
                raise self._too_late(call, sessions, trace, seconds, POOL_EXHAUSTED in notes) from None
            else:
                self.counters.outcomes["cancelled"] += 1
                if trace.sent and not call.repeat_safe:
                    report_in_doubt(self.on_in_doubt, call, sessions.company)
            raise
        finally:
            scope.end()
            queue.calls -= 1
            self.counters.end()

    def queue_of(self, sessions: SessionManager) -> TenantQueue | None:
        """Return the queue of a Company at this limiter; None if it has made no call here."""
        return self._queues.get(sessions)

    def _use_queue(self, sessions: SessionManager) -> TenantQueue:
        """Return the queue of a Company at this limiter, and make it the one in use."""
        # GIL: loops in other threads set theirs atomically, and every call uses what it has read.
        queue = self.queue_of(sessions)
        if queue is None:
            queue = self._queues[sessions] = self.limiter.new_queue(sessions.rate)
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
                f"{queue.calls - 1} calls are in flight or queued, of {queue.limit} in flight and at most "
                f"{self.max_queued} queued (max_queued). Nothing was sent: retry later, or raise max_queued"
            )

    def _complete(self, error: WosdkError, call: Call[Any], sessions: SessionManager, trace: Trace) -> None:
        """Count ``error`` and add the details of the call to it."""
        trace.start_phase(trace.phase, self.clock.now())
        name = type(error).__name__
        self.counters.outcomes[name] += 1
        sessions.last_error = self.clock.now(), name  # GIL: loops in other threads set it atomically, too
        if isinstance(error, ThrottledError) and not error.attempts:
            # With what the caller cannot know: the service's own text may be a bare "Busy".
            attempts = "1 attempt" if trace.attempts == 1 else f"{trace.attempts} attempts"
            status = f" (HTTP {error.status})" if error.status >= 400 else ""
            took = sum(trace.times.values())
            error.args = (f"throttled: {attempts} in {took:.3g} s{status}: {error.message}",)
        error.add(
            company=sessions.company,
            operation=call.operation,
            request_id=call.request_id,
            attempts=trace.attempts,
            waits=trace.waits,
            times=trace.times,
        )

    def _too_late(
        self, call: Call[Any], sessions: SessionManager, trace: Trace, seconds: float, pool_exhausted: bool
    ) -> WosdkError:
        """Count a call whose time is up, and return its error."""
        limit = "before the client was closed" if self.deadlines.ended else f"within {seconds:.4g} s"
        doing = PHASES[trace.phase]
        if trace.phase == "session" and sessions.login_waits_for:
            doing += f": {sessions.login_waits_for}"
        error: WosdkError = DeadlineError(f"no result {limit} ({doing})", phase=trace.phase)
        if trace.sent and not call.repeat_safe:
            error = InDoubtError(f"it may have been carried out: no response {limit} ({doing})")
        elif pool_exhausted and not trace.sent:
            error = NotSentError(f"nothing was sent {limit}: {POOL_EXHAUSTED}", remedies=(Remedy.POOL,))
        self._complete(error, call, sessions, trace)
        return error


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
            call_hook("on_in_doubt", hook, call, call.request_id)
        except (Exception, CancelledError):
            _log.exception("on_in_doubt failed: operation=%s request_id=%s", call.operation, call.request_id)
