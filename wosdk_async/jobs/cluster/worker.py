"""Worker of a job: an actor that sends leased rows from inside a Dask worker.

A worker stores nothing and makes no decisions about the job. It has no Company credentials, only the session
pushed by the coordinator.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import partial
from typing import Any

import attrs

from wosdk_async.calls.outcome import InDoubt, NotStarted
from wosdk_async.calls.run_many import cancelled_outcome, failed_outcome
from wosdk_async.client import Client
from wosdk_async.codec import converter, loads
from wosdk_async.errors import DeadlineError, WosdkError
from wosdk_async.jobs.cluster.leases import NOT_SENT, LeasedRow, LeasedRows, LeaseEndedError, boottime
from wosdk_async.jobs.cluster.messages import Order, PushedSession, Report, Setup, from_bytes, to_bytes
from wosdk_async.jobs.errors import RowError, reason_of
from wosdk_async.jobs.journal.entries import MAX_REASON
from wosdk_async.jobs.mapping.record_operations import operation_named
from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy
from wosdk_async.text.safe_text import Secrets, shortened
from wosdk_async.transport.http.engine import Request, WatchedEngine
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.transport.session.manager import TokenGrant
from wosdk_async.transport.telemetry.statistics import Trace

_CHECK = 0.25  # seconds between lease checks
_MAX_WAITS = 1000  # reported waits per row
_MAX_STARTS = 25  # rows to start per event loop iteration
_BEFORE_SENDING = ("queue", "session")  # phases of a call in which nothing has been sent

_current: ContextVar[LeasedRow | None] = ContextVar("leased_row", default=None)
"""Row of the running task."""


@attrs.frozen
class Sealed:
    """Bytes of an order, hidden from Dask's message log because an order may contain the token."""

    data: bytes = attrs.field(repr=False)


class Worker:
    """Sender of rows for a coordinator.

    It is created in a thread of a Dask worker, and used in the event loop of that worker.
    """

    def __init__(self, setup: bytes, *, clock: Callable[[], float] = boottime) -> None:
        self._setup, self._clock = from_bytes(setup, Setup), clock
        self.nonce = secrets.token_hex(8)
        self._rows = LeasedRows(self.nonce, self._setup.deadline, clock)
        self._tasks: dict[LeasedRow, asyncio.Task[None]] = {}
        self._reported_refused = 0
        self._heard = clock()
        self._ended = False
        self._changed = asyncio.Event()
        self._sessions = _PushedSessions(clock, self._changed.set)
        self._watch: asyncio.Task[None] | None = None  # set by _open(), which runs in the event loop

    async def exchange(self, order: Sealed) -> bytes:
        """Process an order and return the report, both as JSON."""
        return to_bytes(await self.obey(from_bytes(order.data, Order)))

    async def obey(self, order: Order) -> Report:
        """Process an order; return the report once there is a result, or after the order's ``patience``.

        Raises LeaseEndedError if the worker has shut down after a whole lease without an order.
        """
        if self._ended:
            raise LeaseEndedError(
                "the worker shut down because it heard nothing from the coordinator for a whole lease"
            )
        if self._watch is None:
            self._open()
        if self._rows.obey(order):
            self._heard = self._clock()
            # A share without calls has a rate of 0, which a Company does not accept.
            if self._rows.share.in_flight:
                self._company.set_rate(self._rows.share.rate)
            if order.session is not None:
                self._sessions.push(order.session)
            if order.abort:
                self._cancel(self._rows.started.values())
            elif order.stop:
                self._cancel(row for row in self._rows.started.values() if not row.begun)
            self._start()
            await asyncio.sleep(0)  # let calls run, however fast orders arrive
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(order.patience):
                    await self._wait_for_result()
        self._reported_refused = self._sessions.refused
        return self._rows.report(session=self._sessions.number, session_refused=self._reported_refused)

    async def aclose(self) -> None:
        """Cancel the calls in flight and close the connections."""
        self._ended = True
        if self._watch is None:
            return
        self._watch.cancel()
        self._rows.return_unstarted()
        self._cancel(self._rows.started.values())
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._client.aclose(grace=0.0)

    def _open(self) -> None:
        setup = self._setup
        self._client = Client(
            credentials=self._sessions,
            trusted_hosts=setup.trusted_hosts,
            check_request_ids=setup.check_request_ids,
            limits=Limits(connections=setup.max_in_flight),
            in_flight=setup.max_in_flight,
            options=CallOptions(
                deadline=setup.deadline, settle=setup.settle, retry=RetryPolicy(attempts=setup.attempts)
            ),
            engine=lambda limits: FencedEngine(engine_for(ClientOptions(limits=limits))),
        )
        self._company = self._client.company(setup.company)
        self._operation = operation_named(setup.operation)
        self._watch = asyncio.create_task(self._watch_leases())

    async def _watch_leases(self) -> None:
        """Cancel calls whose leases have expired; shut down when the coordinator is gone."""
        while self._clock() - self._heard < self._setup.lease:
            self._cancel(self._rows.overdue())
            await asyncio.sleep(min(_CHECK, self._setup.lease / 10))
        self._closing = asyncio.create_task(self.aclose())

    async def _wait_for_result(self) -> None:
        """Wait until there is a result, or a call needs another session."""
        while not self._rows.results and self._sessions.refused == self._reported_refused:
            self._changed.clear()
            await self._changed.wait()

    def _start(self) -> None:
        if self._ended or not self._sessions.number:
            return
        # Start further rows in the next loop iteration, so that no exchange waits for hundreds of rows.
        for _ in range(_MAX_STARTS):
            if (row := self._rows.next_row()) is None:
                break
            task = self._tasks[row] = asyncio.create_task(self._carry_out(row))
            task.add_done_callback(partial(self._row_ended, row))
        else:
            asyncio.get_running_loop().call_soon(self._start)
        if self._rows.results:
            self._changed.set()

    def _cancel(self, rows: Iterable[LeasedRow]) -> None:
        for row in list(rows):
            task = self._tasks[row]
            if not task.cancelling():
                task.cancel()

    def _row_ended(self, row: LeasedRow, task: asyncio.Task[None]) -> None:
        del self._tasks[row]
        if task.cancelled():  # cancelled before its first step; _carry_out() catches later cancellations
            self._rows.end(row, NOT_SENT)
        self._start()

    async def _carry_out(self, row: LeasedRow) -> None:
        trace, loop = Trace(), asyncio.get_running_loop()
        started = loop.time()
        _current.set(row)
        try:
            fields = await self._send(row, trace)
        except (LeaseEndedError, asyncio.CancelledError) as end:
            outcome = cancelled_outcome(0, row, trace, str(end) or "the worker was stopped")
            fields = _error("in_doubt", outcome.error) if isinstance(outcome, InDoubt) else _not_sent(row)
        except Exception as error:
            fields = _failed(row, trace, error, late=not self._clock() < row.ends)
        waits = tuple(trace.waits[-_MAX_WAITS:])
        call = {"attempts": trace.attempts, "waits": waits, "seconds": loop.time() - started}
        self._rows.end(row, {**fields, **call})

    async def _send(self, row: LeasedRow, trace: Trace) -> dict[str, Any]:
        operation = self._operation
        try:
            record = converter.structure(loads(row.granted.body.encode()), operation.kind)
        except Exception as error:  # name only the type, because some messages quote the row
            raise RowError(f"the worker cannot read the record ({type(error).__name__})") from None
        effect = operation.effect(
            await operation.send(self._company.traced(trace), record, self._setup.marker)
        )
        record_facts = {"id": effect.id, "record": effect.number, "version": effect.version}
        return {"result": "done", "entity": effect.entity, **record_facts, "found": trace.found}


def _failed(row: LeasedRow, trace: Trace, error: Exception, *, late: bool) -> dict[str, Any]:
    """Return a failed call's result fields; ``late`` tells whether the row's lease has expired."""
    outcome = failed_outcome(0, row, error, trace)
    if isinstance(outcome, InDoubt):
        return _error("in_doubt", outcome.error)
    if isinstance(outcome, NotStarted):
        return _not_sent(row)
    if isinstance(error, DeadlineError) and not trace.sent and (late or error.phase in _BEFORE_SENDING):
        # The worker's share, session or suspended process caused the delay, so the row is retried.
        return _not_sent(row)
    return _error("failed", error)


def _not_sent(row: LeasedRow) -> dict[str, Any]:
    row.begun = False  # not in doubt, because the responses show that no request had an effect
    return dict(NOT_SENT)


def _error(result: str, error: Exception) -> dict[str, Any]:
    fields: dict[str, Any] = {"result": result, "error": type(error).__name__}
    fields["reason"] = shortened(reason_of(error), MAX_REASON)
    if isinstance(error, WosdkError):
        fields |= {"code": error.code, "status": error.status, "request_id": error.request_id}
    return fields


class FencedEngine(WatchedEngine):
    """Engine that sends requests only while the running task's lease is valid."""

    async def send(self, request: Request) -> Any:
        """Send one request."""
        row = _current.get()

        def begin() -> None:
            if row is None:  # outside a row's task, where a worker has nothing to send
                raise LeaseEndedError("the request has no lease")
            row.begin()
            request.on_sending()

        return await self._engine.send(attrs.evolve(request, on_sending=begin))


class _PushedSessions:
    """Provider of the coordinator's sessions, which never grants the same session twice.

    If the newest session was already granted or has expired, :attr:`refused` becomes its number,
    ``on_refused`` is called, and the call waits for another session.
    """

    def __init__(self, clock: Callable[[], float], on_refused: Callable[[], None]) -> None:
        self._clock, self._on_refused = clock, on_refused
        self._newest: PushedSession | None = None
        self._ends = 0.0
        self.number = self.refused = self._granted = 0
        self._pushed = asyncio.Event()

    def push(self, session: PushedSession) -> None:
        if session.number > self.number:
            self._newest, self._ends = session, self._clock() + session.expires_in
            self.number, self.refused = session.number, 0
            self._pushed.set()

    async def grant(self, company: str, replaced: Secrets) -> TokenGrant:
        """Return the newest session; if it was already granted or has expired, wait for another."""
        del company, replaced  # unused: a worker has one Company, and the transport hides its own tokens
        while (grant := self._take()) is None:
            self.refused = self.number
            self._pushed.clear()
            self._on_refused()
            await self._pushed.wait()
        return grant

    def _take(self) -> TokenGrant | None:
        session = self._newest
        if session is None or session.number == self._granted:
            return None
        self._granted = session.number
        expires_in = self._ends - self._clock()
        if expires_in <= 0:
            return None
        return TokenGrant(
            token=session.token,
            expires_in=expires_in,
            base_url=session.base_url,
            locator_url=session.base_url,  # required by TokenGrant, but workers do not use the locator
        )
