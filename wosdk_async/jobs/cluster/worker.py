"""Worker of a job: sends the rows of its leases, and reports what became of each.

A worker keeps nothing on a disk and decides nothing about a job. It repeats its results until the coordinator
has confirmed them. :mod:`granted_rows.py <wosdk_async.jobs.cluster.granted_rows>` starts its rows.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Sequence
from itertools import islice

from wosdk_async.client import Client
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.fenced import FencedEngine
from wosdk_async.jobs.cluster.granted_rows import GrantedRows
from wosdk_async.jobs.cluster.messages import MOST_RESULTS, Order, Report, RowReport, Setup
from wosdk_async.jobs.cluster.pushed_sessions import PushedSessions
from wosdk_async.jobs.cluster.row_calls import RowCalls
from wosdk_async.jobs.operation_names import operation_named
from wosdk_async.options import CallOptions, ClientOptions, Limits, RetryPolicy
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.version import VERSION

__all__ = ["Worker"]


class Worker:
    """Sender of rows for a coordinator, which may be in another process or on another machine.

    Args:
        setup: what there is to know about the job.
        clock: the clock of the leases; it has to run on while the machine sleeps.
        client: makes the client.

    Raises:
        ConfigurationError: the coordinator has another version of the package.
    """

    def __init__(
        self, setup: Setup, *, clock: Callable[[], float] = boottime, client: Callable[..., Client] = Client
    ) -> None:
        if setup.version != VERSION:
            raise ConfigurationError(
                f"the job runs with wosdk_async {setup.version}, and this worker has {VERSION}; "
                "install the same version on all machines"
            )
        self.nonce = secrets.token_hex(8)
        self._clock = clock
        self._throttled = 0
        self._changed = asyncio.Event()
        self._sessions = PushedSessions(clock, self._changed.set)
        self._client = client(
            credentials=self._sessions,
            trusted_hosts=setup.trusted_hosts,
            check_request_ids=setup.check_request_ids,
            limits=Limits(connections=setup.most_in_flight),
            in_flight=setup.most_in_flight,
            options=CallOptions(
                deadline=setup.deadline, settle=setup.settle, retry=RetryPolicy(attempts=setup.attempts)
            ),
            engine=self._fenced_engine,
        )
        self._company = self._client.company(setup.company)
        calls = RowCalls(operation_named(setup.operation), self._company, setup.marker)
        self._rows = GrantedRows(
            calls.carry_out,
            clock,
            setup.deadline,
            ready=lambda: self._sessions.number > 0,
            changed=self._changed.set,
        )
        self._kept_share = self._said_refused = 0

    def __repr__(self) -> str:
        rows = self._rows
        return f"<Worker {self.nonce} {len(rows.tasks)} under way, {len(rows.results)} not confirmed>"

    async def exchange(self, order: Order) -> Report:
        """Obey an order and return the report, as soon as there is a result or the patience is over."""
        if order.worker == self.nonce:
            self._obey(order)
            await asyncio.sleep(0)  # the calls go on, however fast orders come
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(order.patience):
                    await self._news()
        return self._report()

    def drain(self) -> None:
        """Start nothing more, and give back what was not started; what is under way still ends."""
        self._stop()
        self._changed.set()

    @property
    def is_drained(self) -> bool:
        """Whether it was asked to drain, no call is under way, and all results are confirmed."""
        return self._rows.ended and not self._rows.tasks and not self._rows.results

    async def end(self) -> Sequence[RowReport]:
        """Start nothing more, let the calls under way end, and return all results that are not confirmed."""
        self._stop()
        await self._calls_ended()
        return tuple(self._rows.results)

    async def aclose(self) -> None:
        """Cancel the calls under way and close the connections."""
        self._stop()
        self._rows.cancel()
        await self._calls_ended()
        await self._client.aclose(grace=0.0)

    def _stop(self) -> None:
        self._rows.ended = True
        self._rows.recall_all()

    async def _calls_ended(self) -> None:
        while self._rows.tasks:
            await asyncio.wait(self._rows.tasks)

    # --- orders -------------------------------------------------------------------------------

    def _obey(self, order: Order) -> None:
        rows = self._rows
        rows.forget_results(order.received)
        if order.share.number > rows.share.number:
            if order.share.in_flight:  # without calls the rate is 0, which a Company cannot have
                self._company.set_rate(order.share.rate)
            rows.share = order.share
        if order.session is not None:
            self._sessions.push(order.session)
        for grant in order.grants:
            rows.accept(grant)
        for epoch in order.withdrawn:
            rows.withdraw(epoch)
        if order.stop or order.abort or rows.ended:
            rows.recall_all()
        if order.abort:
            rows.cancel()
        rows.start()

    # --- reports ------------------------------------------------------------------------------

    async def _news(self) -> None:
        """Wait until there is something to report."""
        while not self._rows.results and self._sessions.refused == self._said_refused:
            self._changed.clear()
            await self._changed.wait()

    def _report(self) -> Report:
        rows = self._rows
        if len(rows.tasks) <= rows.share.in_flight:  # only then does it keep to a lower share
            self._kept_share = rows.share.number
        self._said_refused = self._sessions.refused
        later = {result.epoch for result in islice(rows.results, MOST_RESULTS, None)}
        return Report(
            worker=self.nonce,
            clock=self._clock(),
            results=tuple(islice(rows.results, MOST_RESULTS)),
            epochs=tuple(sorted(rows.epochs | later)),
            share=self._kept_share,
            session=self._sessions.number,
            session_refused=self._said_refused,
            throttled=self._throttled,
            unstarted=rows.unstarted,
            draining=rows.ended,
        )

    def _fenced_engine(self, limits: Limits) -> FencedEngine:
        return FencedEngine(engine_for(ClientOptions(limits=limits)), self._count_throttled)

    def _count_throttled(self) -> None:
        self._throttled += 1
