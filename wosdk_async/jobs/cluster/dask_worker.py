"""The part of a Dask cluster that runs in Dask's worker processes: one actor of each job."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.messages import Order, RowReport, Setup, from_bytes, to_bytes
from wosdk_async.jobs.cluster.pool import LeftReport
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.version import VERSION

__all__ = ["JobActor", "Sealed", "forget", "left_results", "version"]

KEPT = 3600.0  # seconds for which results are kept that nobody took
MOST_KEPT = 16  # actors that have ended; the oldest ones are forgotten

_held: list[JobActor] = []
"""The actors of this process. Dask forgets an actor when its client is gone; calls under way go on here."""


@attrs.frozen
class Sealed:
    """An order that is not shown: it may hold a token, and Dask logs at level debug what actors get."""

    data: bytes = attrs.field(repr=False)


class JobActor:
    """Worker of one run of a job. It ends by itself when it gets no order for ``setup.orphan`` seconds."""

    def __init__(self, setup: bytes) -> None:
        self.setup = from_bytes(setup, Setup)
        self._worker: Worker | None = None
        self._left: asyncio.Task[Sequence[RowReport]] | None = None

    def __repr__(self) -> str:
        return f"<JobActor {self.setup.job} run {self.setup.run}>"

    async def start(self) -> str:
        """Make the worker on the loop of this process; return why it refuses the job, or an empty text."""
        try:
            self._worker = Worker(self.setup)
        except ConfigurationError as error:
            return error.message
        self._heard = time.monotonic()
        self._watching = asyncio.create_task(self._watch())
        _held.append(self)
        return ""

    async def exchange(self, order: Sealed) -> bytes:
        """Carry out an order and return the report; empty when the worker has ended."""
        if self._worker is None or self._left is not None:
            return b""
        self._heard = time.monotonic()
        return to_bytes(await self._worker.exchange(from_bytes(order.data, Order)))

    async def end(self) -> Sequence[LeftReport]:
        """Start nothing more, let the calls under way end, and return the results that nobody took."""
        if self._left is None:
            self._left = asyncio.create_task(self._end())
        run, worker = self.setup.run, self._worker.nonce if self._worker is not None else ""
        return [LeftReport(run, worker, report) for report in await asyncio.shield(self._left)]

    async def _end(self) -> Sequence[RowReport]:
        if self._worker is None:
            return ()
        left = await self._worker.end()
        await self._worker.aclose()
        return left

    async def _watch(self) -> None:
        """End when the coordinator is gone, and forget the results after an hour."""
        while (patience := self._heard + self.setup.orphan - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(patience)
        await self.end()
        ended = [each for each in _held if each.has_ended]
        for each in ended[:-MOST_KEPT]:
            each.drop()
        await asyncio.sleep(KEPT)
        self.drop()

    @property
    def has_ended(self) -> bool:
        """Whether it sends nothing any more."""
        return self._left is not None and self._left.done()

    def drop(self) -> None:
        """Forget it."""
        if self in _held:
            _held.remove(self)
        if self._watching is not asyncio.current_task():
            self._watching.cancel()


def version() -> str:
    """Return the version of the package in this process."""
    return VERSION


async def left_results(job: str, before: int) -> list[LeftReport]:
    """End the actors of earlier runs of a job, and return the results that nobody took."""
    earlier = [each for each in _held if each.setup.job == job and each.setup.run < before]
    return [report for left in await asyncio.gather(*(each.end() for each in earlier)) for report in left]


async def forget(job: str, run: int) -> None:
    """Forget the actors of earlier runs of a job, and end those of this run: they keep what is left."""
    for each in [each for each in _held if each.setup.job == job]:
        if each.setup.run < run or (each.setup.run == run and not await each.end()):
            each.drop()
