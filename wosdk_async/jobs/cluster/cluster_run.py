"""A run over the workers: fetches claims, and gives exactly one outcome for each."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import anyio

from wosdk_async import errors
from wosdk_async.codec import converter, dumps
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.desk import Changes
from wosdk_async.jobs.cluster.leases import MOST_LOSSES, LeaseLostError, RowToSend
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.safe_text import Secrets

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.coordinator import Coordinator

__all__ = ["ClaimSource", "ClusterRun"]

_TURN = 25  # claims that are fetched before the event loop gets a turn
_GRACE = 0.5  # seconds for the last reports of a run that was aborted
_SILENT = "nothing was heard of its worker until its lease was over"
_ABORTED = "the run was aborted before its worker reported it"

RowEnd = Outcome[Any, Effect]
_ERRORS = {"RowError": RowError, **{name: getattr(errors, name) for name in errors.__all__}}


class ClaimSource(Protocol):
    """Claims with ``row.number``, ``record`` and ``started``, such as those of ``jobs/claims.py``."""

    async def __anext__(self) -> Any:
        """Return the next claim; a call that is cancelled loses none."""

    def at_hand(self) -> Any | None:
        """Return the next claim, or None when it has to be waited for."""


class ClusterRun:
    """A run with the shape of :class:`wosdk_async.bulk.Run`; a coordinator makes it.

    After :meth:`stop` no row is started. When the block ends by an exception or a cancellation, calls under
    way are cancelled. Rows of which nothing is reported within half a second are in doubt, and their leases
    stay open: the next run of the job waits for them. The outcomes can still be read after the block. No
    claim is fetched while ``ahead`` rows wait for a worker, or have outcomes that are not read.
    """

    def __init__(self, claims: ClaimSource, coordinator: Coordinator, *, ahead: int) -> None:
        self._claims, self._coordinator, self._ahead = claims, coordinator, ahead
        self._desk = coordinator.desk
        self._rows = self._count = 0
        """Rows that have no outcome, and all rows."""
        self._unread: deque[RowEnd] = deque()
        self._changed = asyncio.Event()
        self._fetching: asyncio.Task[None] | None = None
        self._reading = False
        self._error: BaseException | None = None

    async def __aenter__(self) -> Self:
        self._coordinator.begin(self)
        self._fetching = asyncio.create_task(self._fetch())
        self._fetching.add_done_callback(lambda _: self._changed.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is not None or (self._reading and not (self._ended() and not self._unread)):
            self.stop()
        self._reading = False  # nobody reads now, so nothing waits for a reader
        with anyio.CancelScope(shield=True):  # a cancelled scope around the block must not cut the grace
            self._desk.aborted = error is not None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if error is None else _GRACE):
                    while not self._ended():
                        await self._next_change()
            assert self._fetching is not None  # noqa: S101 - within the block
            self._fetching.cancel()
            await asyncio.wait([self._fetching])
            if self._rows:
                self._coordinator.give_up()
        if error is None:
            self._raise_error()

    def stop(self) -> None:
        """Start no further row; calls under way go on."""
        self.apply(Changes(not_started=self._desk.stop()))

    def fail(self, error: BaseException) -> None:
        """Stop, and raise an error that concerns all rows after the outcomes."""
        self._error = self._error or error
        self.stop()

    def __aiter__(self) -> AsyncIterator[RowEnd]:
        self._reading = True
        return self._outcomes()

    async def _outcomes(self) -> AsyncIterator[RowEnd]:
        while self._unread or not self._ended():
            while self._unread:
                yield self._unread.popleft()
            self._changed.set()  # there is room for further rows
            if not self._ended():
                await self._next_change()
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _ended(self) -> bool:
        """Return whether no outcome will follow."""
        return self._fetching is not None and self._fetching.done() and not self._rows

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def apply(self, changes: Changes, secrets: Secrets | None = None, *, aborted: bool = False) -> None:
        """Take the outcomes of rows that ended, were lost, or were not started."""
        now = asyncio.get_running_loop().time()
        for row, report in changes.ended:
            # The duration is the worker's: what else was between the two is not the service's.
            row.claim.started = now - report.seconds
            self._end(_reported(row, report, secrets))
        for row, lease in changes.lost:
            why = _ABORTED if aborted else _SILENT
            error = LeaseLostError(f"it may have been carried out: {why} (grant {lease.epoch})")
            self._end(InDoubt(row.index, row.claim, error))
        for row in changes.not_started:
            self._end(NotStarted(row.index, row.claim))
        self._changed.set()

    def _end(self, outcome: RowEnd) -> None:
        self._rows -= 1
        self._unread.append(outcome)

    async def _fetch(self) -> None:
        try:
            while True:
                while self._is_full():
                    await self._next_change()
                await self._fetch_some()
                self._changed.set()
                await asyncio.sleep(0)
        except StopAsyncIteration:
            pass
        except Exception as error:
            self.fail(error)

    def _is_full(self) -> bool:
        unread = len(self._unread) if self._reading else 0
        return len(self._desk.waiting) + unread >= self._ahead and not self._desk.stopped

    async def _fetch_some(self) -> None:
        """Fetch a claim, with those that are at hand. Raise StopAsyncIteration when there is none left."""
        claims = [await anext(self._claims)]
        self._rows += 1
        while len(claims) < _TURN and (claim := self._claims.at_hand()) is not None:
            claims.append(claim)
            self._rows += 1
        try:
            losses = await self._coordinator.journal.losses([claim.row.number for claim in claims])
        except BaseException:
            for claim in claims:
                self._end(NotStarted(0, claim))
            raise
        for claim in claims:
            self._put(self._count, claim, losses.get(claim.row.number, 0))
            self._count += 1

    def _put(self, index: int, claim: Any, losses: int) -> None:
        if self._desk.stopped:
            self._end(NotStarted(index, claim))
        elif losses >= MOST_LOSSES:
            text = f"its worker was lost {losses} times while it had this row, so it is not sent again"
            self._end(Failed(index, claim, RowError(text)))
        else:
            try:
                body = dumps(converter.unstructure(claim.record)).decode()
            except Exception as error:  # of one row: the others can be sent
                self._end(Failed(index, claim, error))
            else:
                row = RowToSend(index, claim.row.number, claim, body, losses)
                self._desk.put(row, self._coordinator.now())


def _reported(row: RowToSend, report: RowReport, secrets: Secrets | None) -> RowEnd:
    """Return the outcome of a row, without ``secrets``: a worker does not know all of them."""
    index, claim = row.index, row.claim
    if report.result == "done":
        effect = Effect(report.entity, report.id, report.record, report.version)
        return Done(index, claim, effect, found=report.found, attempts=report.attempts, waits=report.waits)
    kind = InDoubtError if report.result == "in_doubt" else _ERRORS.get(report.error, WosdkError)
    facts = {name: getattr(report, name) for name in ("status", "code", "request_id", "attempts", "waits")}
    error = kind(report.reason or report.error or report.result, **facts)
    if secrets is not None:
        error.hide(secrets)
    return InDoubt(index, claim, error) if isinstance(error, InDoubtError) else Failed(index, claim, error)
