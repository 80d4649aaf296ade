"""The chain a call goes down: deadline, retry, slot, session, engine."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import DeadlineError, InDoubtError, OverloadedError, WosdkError
from wosdk_async.protocol.responses import RequestIds
from wosdk_async.protocol.wire import Call
from wosdk_async.transport.attempts import Attempts
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.deadline import Deadlines, Scope
from wosdk_async.transport.http.engine import Engine
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.options import check_kind, names_checked, option
from wosdk_async.transport.retry import FAILURES, Retries, RetryPolicy, RetryQuota
from wosdk_async.transport.session.manager import SessionManager
from wosdk_async.transport.telemetry.stats import Counters
from wosdk_async.transport.telemetry.trace import PHASES, Trace

__all__ = ["CallOptions", "Dispatcher", "OnInDoubt", "report_in_doubt"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")

OnInDoubt = Callable[[Call[Any], str | None], None]
"""Told of a call, and of its RequestId, that may have been carried out though its caller was cancelled."""


@names_checked
@attrs.frozen(kw_only=True)
class CallOptions:
    """What a call may take: seconds for the whole of it (queue, session, attempts, waits) and its retries.

    ``deadline`` None means 60 s, and 120 s for what is not safe to repeat: a short deadline makes doubt. With
    0 nothing is sent. ``settle`` is how long after it was given up a create may still appear: a call with a
    marker is looked up for so many seconds, within its deadline, before it is sent again. Raises
    ConfigurationError for any other value.
    """

    deadline: float | None = option(None, "seconds, 0 or more", none=True)
    retry: RetryPolicy = attrs.field(default=RetryPolicy())
    settle: float = option(30.0, "seconds, 0 or more")

    @retry.validator
    def _check_retry(self, _: object, value: object) -> None:
        check_kind("CallOptions.retry", value, RetryPolicy, "a RetryPolicy(...)")

    def seconds(self, call: Call[Any]) -> float:
        """The deadline that holds for ``call``."""
        if self.deadline is not None:
            return self.deadline
        return 60.0 if call.repeat_safe else 120.0


@attrs.frozen(kw_only=True, eq=False)
class Dispatcher:
    """Sends calls for the Companies of one client, within one event loop."""

    engine: Engine
    limiter: ConcurrencyLimiter
    clock: Clock
    deadlines: Deadlines
    quota: RetryQuota
    counters: Counters
    max_queued: int | None = None
    on_in_doubt: OnInDoubt | None = None
    request_ids: RequestIds | None = None
    attempts: Attempts = attrs.field(init=False)
    _queues: WeakKeyDictionary[SessionManager, TenantQueue] = attrs.field(
        factory=WeakKeyDictionary, init=False
    )

    @attempts.default
    def _attempts(self) -> Attempts:
        return Attempts(self.engine, self.limiter, self.clock, self.request_ids)

    async def send(
        self, call: Call[T], sessions: SessionManager, options: CallOptions, trace: Trace | None = None
    ) -> T:
        """The value of ``call``. Raises a WosdkError that names Company, operation and RequestId."""
        now = self.clock.now()
        if trace is not None:
            trace.begin(call.request_id, self.clock, now)
        seconds = options.seconds(call)
        queue = sessions.queue
        if queue is None or queue.limiter is not self.limiter:
            queue = self.queue_of(sessions)
        scope = Scope(self.deadlines, now + seconds)
        queue.calls += 1
        self.counters.under_way += 1
        try:
            if seconds <= 0:
                raise DeadlineError(f"not sent: its deadline is {seconds:g} s", phase="queue")
            if self.max_queued is not None:
                self._shed(queue, self.max_queued)
            if not self.limiter.take(queue):
                granted = self.limiter.enqueue(queue)
                try:
                    await granted
                except CancelledError:
                    self.limiter.leave(queue, granted)
                    raise
            # Not before it has left the queue, where very many may wait.
            trace = trace or self._traced(call, now)
            try:
                value: T = await self.attempts.once(call, sessions, queue, trace, True)
                self.quota.succeeded(False)
            except FAILURES as failure:
                retries = Retries(options.retry, self.clock, self.quota, scope.until)
                again = partial(self.attempts.once, call, sessions, queue, trace)
                value = await retries.run(call, again, trace, failure)
            self.counters.done += 1
            return value
        except WosdkError as error:
            trace = trace or self._traced(call, now)
            self._complete(error, call, sessions, trace)
            raise
        except CancelledError:
            trace = trace or self._traced(call, now)
            if scope.end():
                limit = "before the client was closed" if self.deadlines.ended else f"within {seconds:.4g} s"
                late = _too_late(call, limit, trace)
                self._complete(late, call, sessions, trace)
                raise late from None
            self.counters.failed("cancelled")
            if trace.sent and not call.repeat_safe:
                report_in_doubt(self.on_in_doubt, call, sessions.company)
            raise
        finally:
            scope.end()
            queue.calls -= 1
            self.counters.end()

    def _traced(self, call: Call[Any], begun: float) -> Trace:
        return Trace(call.request_id, [begun], self.clock.now)

    def queue_of(self, sessions: SessionManager) -> TenantQueue:
        """The place of a Company at the limiter of this loop."""
        queue = sessions.queue
        if queue is None or queue.limiter is not self.limiter:
            queue = sessions.queue = self._queues.get(sessions) or self.limiter.new_queue()
            self._queues[sessions] = queue
        return queue

    @staticmethod
    def _shed(queue: TenantQueue, most: int) -> None:
        """Turn a call away that would have to wait behind too many others."""
        if queue.calls > queue.limit + most:
            raise OverloadedError(
                f"{queue.calls - 1} calls are under way or wait, and {queue.limit} may be in flight with "
                f"{most} waiting (max_queued); nothing was sent: try later, or raise the bound"
            )

    def _complete(self, error: WosdkError, call: Call[Any], sessions: SessionManager, trace: Trace) -> None:
        """Count ``error`` and add what is known of the call."""
        trace.start_phase(trace.phase, self.clock.now())
        self.counters.failed(type(error).__name__)
        error.add(
            company=sessions.company,
            operation=call.operation,
            request_id=call.request_id,
            attempts=trace.attempts,
            waits=trace.waits,
            times=trace.times,
        )


def _too_late(call: Call[Any], limit: str, trace: Trace) -> WosdkError:
    doing = PHASES[trace.phase]
    if trace.sent and not call.repeat_safe:
        return InDoubtError(f"it may have been carried out: no answer {limit} ({doing})")
    return DeadlineError(f"not done {limit} ({doing})", phase=trace.phase)


def report_in_doubt(hook: OnInDoubt | None, call: Call[Any], company: str) -> None:
    """Log that nobody will hear how ``call`` ended, and tell the client's hook."""
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
