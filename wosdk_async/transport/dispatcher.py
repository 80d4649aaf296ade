"""Sending a call: deadline, slot, attempts with retries, and the final error.

:class:`Dispatcher` applies the deadline, and :class:`Attempts` makes the attempts.
"""

from __future__ import annotations

from asyncio import CancelledError
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import attrs

from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NotSentError,
    OverloadedError,
    RefusedError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import CallOptions
from wosdk_async.options.hooks import OnInDoubt, report_in_doubt
from wosdk_async.protocol.matching import RequestIds
from wosdk_async.protocol.responses import read, refusal_error
from wosdk_async.protocol.verdicts import BUSY, OTHER_PATH, REFUSED, SESSION_REFUSED, OwnCodes, verdict_of
from wosdk_async.protocol.wire import COMMANDS, Call, InconclusiveResponse, Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.clock import Deadlines, Scope, TransportClock
from wosdk_async.transport.http.engine import POOL_EXHAUSTED, Engine, Request, SendError
from wosdk_async.transport.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.retry import FAILURES, Failure, Retries, RetryQuota, UnreachableHosts
from wosdk_async.transport.session.manager import Session, SessionManager
from wosdk_async.transport.telemetry.observers import ObservedCall
from wosdk_async.transport.telemetry.statistics import PHASES, Counters, Trace

T = TypeVar("T")

_SEARCH = 3.0  # seconds that a call waits for another host before it retries the same one
_MAX_RENEWALS = 2  # per `send_call`: one for an expired token, one for a Company that has moved


@attrs.frozen(kw_only=True, eq=False)
class Dispatcher:
    """Dispatcher of one client's calls within one event loop."""

    engine: Engine
    limiter: ConcurrencyLimiter
    clock: TransportClock
    deadlines: Deadlines
    quota: RetryQuota
    counters: Counters
    unreachable: UnreachableHosts
    max_queued: int | None = None
    on_in_doubt: OnInDoubt | None = None
    request_ids: RequestIds | None = None
    # Only the loop's own thread uses this dict. GIL: any thread may drop the last reference to a manager,
    # which removes its key atomically.
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
        counted: bool = True,  # positional: Python calls functions with keyword-only arguments more slowly
    ) -> T:
        """Send ``call`` and return its result, or raise an error that names the call.

        A request of a :class:`~wosdk_async.transport.loop_state.Hold` is not ``counted``: the hold counts.
        """
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
            # Created only now, because thousands of calls may be queued.
            attempts = Attempts(self, call, sessions, queue, trace, now, scope.until, options.retry, observed)
            try:
                result: T = await attempts.send_call(started)
                if self.quota.left < self.quota.capacity:  # usually false, which saves the function call
                    self.quota.succeeded(False)
            except FAILURES as failure:
                retries = Retries(
                    options.retry, self.clock, self.quota, scope.until, on_wait=attempts.note_wait
                )
                result = await retries.run(call, attempts.send_call, attempts.trace, failure)
            if counted:
                self.counters.done += 1
            return result
        except (Exception, CancelledError) as error:
            trace = attempts.trace if attempts else trace or Trace(call.request_id, [now])
            if isinstance(error, CancelledError):
                if scope.end():
                    no_pool = POOL_EXHAUSTED in getattr(error, "__notes__", ())
                    raise self._timeout_error(call, sessions, trace, options, counted, no_pool) from None
                if trace.sent and not call.repeat_safe:
                    report_in_doubt(self.on_in_doubt, call, sessions.company)
            self._complete(error, call, sessions, trace, options, counted)
            raise
        finally:
            scope.end()
            queue.calls -= 1
            self.counters.end()

    def count(self, error: BaseException | None, sessions: SessionManager) -> None:
        """Count a call of the program that ended, with its final ``error`` if it failed."""
        if error is None:
            self.counters.done += 1
        elif isinstance(error, CancelledError):
            self.counters.outcomes["cancelled"] += 1
        else:
            name = type(error).__name__
            self.counters.outcomes[name] += 1
            # GIL: other threads also set this attribute atomically.
            sessions.last_error = self.clock.now(), name

    def queue_of(self, sessions: SessionManager) -> TenantQueue | None:
        """Return the queue of a Company in this limiter; None before its first call."""
        return self._queues.get(sessions)

    def _use_queue(self, sessions: SessionManager) -> TenantQueue:
        """Return the queue of a Company in this limiter, and make it the current queue."""
        # GIL: loops in other threads set ``sessions.queue`` to their own queues. Setting it is atomic, and
        # each call uses the queue that this function returned.
        queue = self.queue_of(sessions)
        if queue is None:
            queue = self._queues[sessions] = self.limiter.new_queue(sessions.rate)
        sessions.queue = queue
        return queue

    def apply_rate(self, sessions: SessionManager) -> None:
        """Apply the Company's current rate limit."""
        if (queue := self.queue_of(sessions)) is not None:
            self.limiter.set_rate(queue, sessions.rate)

    def _require_admission(self, queue: TenantQueue, seconds: float) -> None:
        """Refuse a call that has no time left or would exceed ``max_queued``."""
        if seconds <= 0:
            raise DeadlineError("not sent: the deadline had passed before the call began", phase="queue")
        if self.max_queued is not None and queue.calls > queue.limit + self.max_queued:
            raise OverloadedError(
                f"{queue.calls - 1} calls are already in flight or queued (maximum: {queue.limit} in flight,"
                f" max_queued={self.max_queued}). Nothing was sent: retry later, or raise max_queued"
            )

    def _complete(
        self,
        error: BaseException,
        call: Call[Any],
        sessions: SessionManager,
        trace: Trace,
        options: CallOptions,
        counted: bool,
    ) -> None:
        """Count ``error`` if the call is ``counted``, and add the call's details to it."""
        if counted:
            self.count(error, sessions)
        if not isinstance(error, WosdkError):
            return
        trace.start_phase(trace.phase, self.clock.now())
        if isinstance(error, ThrottledError) and not error.attempts:
            # The service may reply with a bare "Busy", so the message gets the context that it lacks.
            attempts = "1 attempt" if trace.attempts == 1 else f"{trace.attempts} attempts"
            status = f" (HTTP {error.status})" if error.status >= 400 else ""
            took = sum(trace.times.values())
            error.args = (f"throttled: {attempts} in {took:.3g} s{status}: {error.message}",)
        if isinstance(error, InDoubtError):
            error.add(settle=options.settle)
        error.add(
            company=sessions.company,
            operation=call.operation,
            request_id=call.request_id,
            attempts=trace.attempts,
            waits=trace.waits,
            times=trace.times,
        )

    def _timeout_error(
        self,
        call: Call[Any],
        sessions: SessionManager,
        trace: Trace,
        options: CallOptions,
        counted: bool,
        pool_exhausted: bool,
    ) -> WosdkError:
        """Count a timed-out call if it is ``counted``, and return its error."""
        seconds = options.seconds(call)
        limit = "before the client was closed" if self.deadlines.ended else f"within {seconds:.4g} s"
        doing = PHASES[trace.phase]
        if trace.phase == "session" and sessions.login_waits_for:
            doing += f": {sessions.login_waits_for}"
        error: WosdkError = DeadlineError(f"no result {limit} ({doing})", phase=trace.phase)
        if trace.sent and not call.repeat_safe:
            text = f"the call may have been carried out: no response {limit} ({doing})"
            error = InDoubtError(text)
        elif pool_exhausted and not trace.sent:
            error = NotSentError(f"the call was not sent {limit}: {POOL_EXHAUSTED}", remedies=(Remedy.POOL,))
        self._complete(error, call, sessions, trace, options, counted)
        return error


@attrs.define(eq=False, repr=False)
class Attempts:
    """Attempts of one call, created when the call gets its first slot.

    If the caller passes no trace, one is created only when the call waits for a session or an attempt fails.
    """

    _context: Dispatcher
    _call: Call[Any]
    _sessions: SessionManager
    _queue: TenantQueue
    _trace: Trace | None
    _began: float
    _until: float
    _own_codes: OwnCodes
    _observed: ObservedCall | None
    # The current attempt:
    _host: str = attrs.field(init=False)
    _number: int = attrs.field(init=False)
    _path: str = attrs.field(init=False)
    _started: float = attrs.field(init=False)
    _sent_at: float | None = attrs.field(init=False)
    """Time at which the first byte was sent; None if nothing was sent."""
    _reply: tuple[Response, float] | None = attrs.field(init=False)
    """Response and its arrival time; None if no response arrived."""

    async def send_call(self, started: float | None = None) -> Any:
        """Send the call and return the result.

        If the caller holds a slot, ``started`` is the time at which it was granted.

        The call is retried at once if the service rejects the session or does not know the path. It is also
        retried at once at the Company's new host, if it is safe to repeat or was never sent. After any other
        failure, :class:`Retries` decides.
        """
        call, sessions, context = self._call, self._sessions, self._context
        clock, limiter = context.clock, context.limiter
        send = context.engine.send if self._observed is None else partial(self._observed.send, context.engine)
        path = sessions.paths.get(call.operation, call.path) if sessions.paths else call.path
        paths_tried, renewals_left = 1, _MAX_RENEWALS
        while True:
            if started is None or (session := sessions.current(started)) is None:
                session = await self._wait_for_session(started is not None)
                started = clock.now()
            grant = session.grant
            host = grant.locator_url if call.to_locator else grant.base_url
            self._host, self._path, self._started, self._number = host, path, started, limiter.granted
            started = self._sent_at = self._reply = None
            try:
                headers = grant.headers + call.headers if call.headers else grant.headers
                url, on_sending, read = f"{host}/{path}", self._mark_sent, self._read
                result = await send(
                    Request(call.method, url, headers, call.body, on_sending, call.repeat_safe, read)
                )
            except RefusedError as refusal:
                limiter.release(self._queue)
                trace = self._note_attempt()
                trace.sent = False
                if verdict_of(refusal) is SESSION_REFUSED:
                    if not renewals_left:
                        refusal.args = (f"still refused after {_MAX_RENEWALS} renewals: {refusal.message}",)
                        raise
                    renewals_left -= 1
                    trace.start_phase("session", clock.now())
                    await sessions.renew(session.generation, self._until)
                else:
                    if call.other_paths and verdict_of(refusal) is REFUSED:
                        sessions.paths[call.operation] = path  # a rule refused the call, so the path exists
                    path = _next_path(call, refusal, paths_tried, path)
                    paths_tried += 1
            except BaseException as failure:
                limiter.release(self._queue)
                self._note_failure(failure)
                if not _host_may_have_changed(failure) or not await self._find_other_host(session):
                    raise
                if isinstance(failure, InconclusiveResponse) and not call.repeat_safe:
                    raise
                self.trace.attempts -= 1  # the policy counts only attempts at the current host
            else:
                limiter.release(self._queue)
                if self._trace is not None:
                    self._note_attempt()
                if call.other_paths:  # GIL: loops in other threads also set this key atomically
                    sessions.paths[call.operation] = path
                return result

    def note_wait(self, failure: Failure, wait: float) -> None:  # noqa: ARG002 - see Retries.on_wait
        """Warn about a host that cannot be reached, before another attempt."""
        self._context.unreachable.warn_unreachable(
            failure, self._host, self._until - self._context.clock.now()
        )

    @property
    def trace(self) -> Trace:
        """Trace of the call up to its last completed attempt."""
        if self._trace is None:
            self._trace = Trace(self._call.request_id, [self._began])
        return self._trace

    def _mark_sent(self) -> None:
        self._sent_at = self._context.clock.now()

    def _note_attempt(self) -> Trace:
        trace = self.trace
        trace.add_attempt(self._started, self._sent_at, self._reply)
        return trace

    def _read(self, response: Response) -> Any:
        """Read a response and return the result.

        The engine calls this before any other request can use the connection.
        """
        context, queue = self._context, self._queue
        now = context.clock.now()
        self._reply = response, now
        if response.status in BUSY:
            queue.algorithm.throttled(self._number, context.limiter.granted)
        else:
            queue.algorithm.responded(self._number, now - self._started, queue.held)
        # GIL: loops in other threads set ``responded_at`` and ``secrets`` atomically.
        sessions = self._sessions
        if response.status < 500:  # a 5xx may come from a proxy in front of the service
            sessions.responded_at = now
        call, ids = self._call, context.request_ids
        try:
            return read(call, response, sessions.secrets, ids, self._host, self._own_codes, sessions.origin)
        except InconclusiveResponse as page:
            unproven = self._path == call.path and _is_unproven(call) and call.operation not in sessions.paths
            if not (page.plain and page.status == 404 and unproven):
                raise
        raise refusal_error("COMMAND_NOT_FOUND", "HTTP 404: the host has no such path", 404)

    def _note_failure(self, failure: BaseException) -> None:
        trace = self._note_attempt()
        if isinstance(failure, SendError):
            failure.hide(self._sessions.secrets)
            if not failure.sent:  # the engine may have called on_sending although no byte was sent
                trace.sent = False
        if not isinstance(failure, InconclusiveResponse):
            self._queue.algorithm.failed(self._context.clock.now() - self._started)

    async def _find_other_host(self, session: Session) -> bool:
        """Look up the Company's host again. Return whether it differs from the host of the last attempt."""
        self.trace.start_phase("session", self._context.clock.now())
        try:
            with self._context.deadlines.within(_SEARCH):
                grant = (await self._sessions.look_for_host(session, self._until)).grant
        except Exception:  # also an error of a credentials provider: the current session may still work
            return False
        return (grant.locator_url if self._call.to_locator else grant.base_url) != self._host

    async def _wait_for_session(self, has_slot: bool) -> Session:
        """Wait for a slot and then for a session, and return the session with the slot held.

        The slot comes first because token and host may change while the call is queued. Without a session,
        the slot is released and the call queues again after the renewal.
        """
        limiter, now = self._context.limiter, self._context.clock.now
        queue, sessions, trace = self._queue, self._sessions, self.trace
        while True:
            if not has_slot:
                trace.start_phase("queue", now())
                await limiter.acquire(queue)
            has_slot = False
            session = sessions.current()
            if session is not None:
                return session
            limiter.release(queue)
            trace.start_phase("session", now())
            await sessions.renew(0, self._until)


def _host_may_have_changed(failure: BaseException) -> bool:
    if isinstance(failure, SendError):
        return failure.host_gone
    # facts 6: a host that is no longer the Company's sends a 503. Not shown; assumed: as a gateway's page.
    return isinstance(failure, InconclusiveResponse) and failure.status == 503


def _is_unproven(call: Call[Any]) -> bool:
    """Return whether the call's path is a short one that only one source documents.

    All sources document the full name (facts 5). Not shown; assumed: a 404 page for the short path proves
    that the call was not carried out, if the host has never accepted that path. A 404 page for a full name
    proves nothing, and a create must not be sent twice.
    """
    return bool(call.other_paths) and call.path != COMMANDS + call.operation


def _next_path(call: Call[Any], refusal: RefusedError, paths_tried: int, last_path: str) -> str:
    """Return the next path to try; raise ``refusal`` if no path remains or another path would not help."""
    # facts 12 row 4: the sources give different paths for some commands
    paths = (call.path, *call.other_paths)
    if paths_tried >= len(paths) or verdict_of(refusal) is not OTHER_PATH:
        raise refusal
    return paths[(paths.index(last_path) + 1) % len(paths)]
