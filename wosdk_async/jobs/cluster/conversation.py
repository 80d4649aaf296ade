"""Conversation with one worker: an order, a report, again and again until it is lost or all is said."""

from __future__ import annotations

import asyncio

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.budget import NO_SHARE
from wosdk_async.jobs.cluster.messages import MessageError, Order, Report, WorkerLostError
from wosdk_async.jobs.cluster.pool import WorkerLink
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker
from wosdk_async.jobs.cluster.worker_group import WorkerGroup

__all__ = ["Conversation"]

_PATIENCE = 0.1  # seconds for which a worker with nothing to say may wait: so long a grant may wait, too
_PACE = 0.02  # seconds from one order to the next: results come in batches, not one by one
_EXCHANGE = 5.0  # seconds after which an exchange is repeated
_AGAIN = 0.5  # seconds before an exchange that failed is repeated
_UNREADABLE = 3  # exchanges one after another whose messages cannot be read or sent, before a worker is lost

_HELLO = Order(worker="", received=0, share=NO_SHARE)  # the report to it says who the worker is


class Conversation:
    """What the coordinator and the worker behind one link say to each other.

    Another worker may take the place of the first one, as where the system starts a process again. It gets
    grants of its own. Reports of those before may still come, late: their results are received, and change
    nothing else.

    Args:
        link: the way to the worker.
        group: all workers.
    """

    def __init__(self, link: WorkerLink, group: WorkerGroup) -> None:
        self._link, self._group = link, group
        self._worker: ReachedWorker | None = None
        self._replaced: dict[str, ReachedWorker] = {}
        self._unreadable = 0

    async def hold(self) -> None:
        """Exchange messages until the worker is lost, or all is said.

        An error that concerns all rows ends the run: a worker that refuses to work, or a grant that cannot
        be written. After the latter the conversation goes on, without grants.
        """
        try:
            while not self._is_over():
                await self._exchange()
        except Exception as error:
            ended = isinstance(error, WorkerLostError) and error.ended
            if not isinstance(error, WorkerLostError):
                self._group.failed(error)
            self._group.lose(self._worker, self._link.name, str(error), ended=ended)
        finally:
            await self._link.aclose()

    def _is_over(self) -> bool:
        worker = self._worker  # a last order tells it that its results have arrived
        return self._group.closing and (worker is None or worker.told >= worker.received)

    async def _exchange(self) -> None:
        """Send one order, receive the report, and wait until it is time for the next one."""
        now = self._group.now
        began = now()
        report = await self._report()
        if report is not None:
            await self._receive(report)
        pause = _PACE - (now() - began) if report is not None else _AGAIN
        if pause > 0:
            await asyncio.sleep(pause)

    # --- orders -------------------------------------------------------------------------------

    async def _report(self) -> Report | None:
        """Return the report to an order; None if the exchange has to be repeated.

        Raises:
            WorkerLostError: the worker can no longer be reached, or its messages cannot be read.
        """
        try:
            report = await self._report_to(_HELLO if self._worker is None else self._order(self._worker))
        except MessageError as error:
            self._unreadable += 1
            if self._unreadable == _UNREADABLE:
                text = f"{_UNREADABLE} messages one after another could not be read or sent: {error}"
                raise WorkerLostError(text) from None
            return None
        if report is not None:
            self._unreadable = 0
        return report

    async def _report_to(self, order: Order) -> Report | None:
        try:
            async with asyncio.timeout(_EXCHANGE):
                report = await self._link.exchange(order)
        except (WorkerLostError, ConfigurationError, MessageError):
            raise
        except Exception:  # of any library: whether it arrived, the next report says
            return None
        if self._worker is not None and report.worker == self._worker.nonce:
            self._worker.told = order.received
        return report

    def _order(self, worker: ReachedWorker) -> Order:
        group = self._group
        run, grants = group.granting.run, group.granting.send_with_next_order(worker)
        leases = group.granting.book.of(worker.nonce)
        return Order(
            worker=worker.nonce,
            received=worker.received,
            share=group.budget.share(worker.nonce),
            grants=grants,
            withdrawn=tuple(epoch for epoch in worker.epochs if epoch not in leases),
            session=group.sessions.session_for(worker.session, worker.session_refused),
            stop=run is not None and run.stopped,
            abort=run is not None and run.aborted,
            patience=0.0 if group.closing else _PATIENCE,
        )

    # --- reports ------------------------------------------------------------------------------

    async def _receive(self, report: Report) -> None:
        """Receive a report, and grant rows to the worker that made it, unless it has been replaced.

        Raises:
            WorkerLostError: the worker is lost already, or is reached in another way.
        """
        if (replaced := self._replaced.get(report.worker)) is not None:
            self._group.receive_late(replaced, report)
            return
        worker = self._who_made(report)
        self._group.receive(worker, report)
        try:
            await self._group.granting.grant(worker, self._group.budget.share(worker.nonce))
        except Exception as error:  # it cannot be written; the results of rows under way still arrive
            self._group.failed(error)

    def _who_made(self, report: Report) -> ReachedWorker:
        """Return the worker that made a report: another one may have taken the place of that before."""
        if self._worker is None or self._worker.nonce != report.worker:
            if (before := self._worker) is not None:
                self._replaced[before.nonce] = before
                self._worker = None
                self._group.lose(before, before.name, "another worker took its place", ended=False)
            self._worker = self._group.enter(report.worker, self._link.name)
        return self._worker
