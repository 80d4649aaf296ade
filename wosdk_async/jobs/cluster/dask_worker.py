"""The part of a Dask cluster that runs in Dask's worker processes: each of them holds one worker of a job.

A held worker is an object of ours on the loop of its process, and unknown to Dask. Handlers that are added to
Dask's own reach it, with bytes in and bytes out: nothing is pickled for the coordinator, and Dask neither
runs anything again nor moves it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.messages import Order, RowReport, Setup, from_bytes, to_bytes
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.version import VERSION

__all__ = ["AllUndelivered", "HeldWorker", "Sealed", "UndeliveredByWorker", "start", "version"]

KEPT = 3600.0  # seconds for which undelivered results are kept
MOST_KEPT = 16  # held workers that have ended; the oldest ones are forgotten

_held: dict[str, HeldWorker] = {}
"""The workers that this process holds, by their keys; calls under way go on without their coordinator."""


@attrs.frozen
class Sealed:
    """An order that is not shown: it may hold a token, and Dask logs at level debug what arrives."""

    data: bytes = attrs.field(repr=False)


@attrs.frozen
class UndeliveredByWorker:
    """What a held worker of an earlier run could not deliver; nothing is added to it any more."""

    key: str
    reports: tuple[UndeliveredReport, ...]


@attrs.frozen
class AllUndelivered:
    """What the workers that one process holds could not deliver."""

    workers: tuple[UndeliveredByWorker, ...] = ()


class HeldWorker:
    """A worker of one run of a job. It ends by itself when it gets no order for ``setup.orphan`` seconds."""

    def __init__(self, key: str, setup: Setup) -> None:
        self.key, self.setup = key, setup
        self._worker = Worker(setup)
        self._ending: asyncio.Task[Sequence[RowReport]] | None = None
        self._heard = time.monotonic()
        self._watching = asyncio.create_task(self._watch())

    def __repr__(self) -> str:
        return f"<HeldWorker {self.setup.job} run {self.setup.run}>"

    async def exchange(self, order: bytes) -> bytes:
        """Carry out an order and return the report; empty when the worker has ended."""
        if self._ending is not None:
            return b""
        self._heard = time.monotonic()
        return to_bytes(await self._worker.exchange(from_bytes(order, Order)))

    async def end(self) -> UndeliveredByWorker:
        """Start nothing more, let the calls under way end, and return the undelivered results."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        run, worker = self.setup.run, self._worker.nonce
        reports = await asyncio.shield(self._ending)
        return UndeliveredByWorker(
            self.key, tuple(UndeliveredReport(run, worker, report) for report in reports)
        )

    async def _end(self) -> Sequence[RowReport]:
        reports = await self._worker.end()
        await self._worker.aclose()
        return reports

    async def _watch(self) -> None:
        """End when the coordinator is gone, and forget the results after an hour."""
        while (patience := self._heard + self.setup.orphan - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(patience)
        await self.end()
        ended = [each for each in _held.values() if each.has_ended]
        for each in ended[:-MOST_KEPT]:
            each.drop()
        await asyncio.sleep(KEPT)
        self.drop()

    @property
    def has_ended(self) -> bool:
        """Whether it sends nothing any more."""
        return self._ending is not None and self._ending.done()

    def drop(self) -> None:
        """Forget it."""
        _held.pop(self.key, None)
        if self._watching is not asyncio.current_task():
            self._watching.cancel()


# --- run by name -----------------------------------------------------------------------------


def version() -> bytes:
    """Return the version of the package in this process."""
    return VERSION.encode()


async def start(key: str, setup: bytes, dask_worker: Any) -> bytes:
    """Hold a worker, and add the handlers; return why it refuses the job, or nothing.

    ``dask_worker`` is given by Dask: the server of this process.
    """
    try:
        _held[key] = HeldWorker(key, from_bytes(setup, Setup))
    except ConfigurationError as error:
        return error.message.encode()
    dask_worker.handlers.update(_HANDLERS)
    return b""


# --- handlers ---------------------------------------------------------------------------------


async def _exchange(key: str, order: Sealed) -> bytes:
    """Deliver an order to a held worker; empty when it is not there any more."""
    return await _held[key].exchange(order.data) if key in _held else b""


async def _undelivered(job: str, before: int) -> bytes:
    """End the held workers of earlier runs of a job, and return the undelivered results."""
    earlier = [each for each in _held.values() if each.setup.job == job and each.setup.run < before]
    return to_bytes(AllUndelivered(tuple(await asyncio.gather(*(each.end() for each in earlier)))))


async def _forget(keys: Sequence[str]) -> bytes:
    """Forget held workers whose results the journal has."""
    for key in keys:
        if key in _held:
            _held[key].drop()
    return b""


async def _end(key: str) -> bytes:
    """End a held worker; it keeps its undelivered results, and is forgotten if there are none."""
    if key in _held and not (await _held[key].end()).reports:
        _held[key].drop()
    return b""


_HANDLERS = {
    "wosdk-exchange": _exchange,
    "wosdk-undelivered": _undelivered,
    "wosdk-forget": _forget,
    "wosdk-end": _end,
}
