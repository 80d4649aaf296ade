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
from wosdk_async.jobs.cluster.pool import LeftReport
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.version import VERSION

__all__ = ["AllLeft", "HeldWorker", "LeftByWorker", "Sealed", "start", "version"]

KEPT = 3600.0  # seconds for which results are kept that nobody took
MOST_KEPT = 16  # held workers that have ended; the oldest ones are forgotten

_held: dict[str, HeldWorker] = {}
"""The workers that this process holds, by their keys; calls under way go on without their coordinator."""


@attrs.frozen
class Sealed:
    """An order that is not shown: it may hold a token, and Dask logs at level debug what arrives."""

    data: bytes = attrs.field(repr=False)


@attrs.frozen
class LeftByWorker:
    """What a held worker of an earlier run could not deliver; nothing is added to it any more."""

    key: str
    reports: tuple[LeftReport, ...]


@attrs.frozen
class AllLeft:
    """What the workers that one process holds could not deliver."""

    workers: tuple[LeftByWorker, ...] = ()


class HeldWorker:
    """A worker of one run of a job. It ends by itself when it gets no order for ``setup.orphan`` seconds."""

    def __init__(self, key: str, setup: Setup) -> None:
        self.key, self.setup = key, setup
        self._worker = Worker(setup)
        self._left: asyncio.Task[Sequence[RowReport]] | None = None
        self._heard = time.monotonic()
        self._watching = asyncio.create_task(self._watch())

    def __repr__(self) -> str:
        return f"<HeldWorker {self.setup.job} run {self.setup.run}>"

    async def exchange(self, order: bytes) -> bytes:
        """Carry out an order and return the report; empty when the worker has ended."""
        if self._left is not None:
            return b""
        self._heard = time.monotonic()
        return to_bytes(await self._worker.exchange(from_bytes(order, Order)))

    async def end(self) -> LeftByWorker:
        """Start nothing more, let the calls under way end, and return the results that nobody took."""
        if self._left is None:
            self._left = asyncio.create_task(self._end())
        run, worker = self.setup.run, self._worker.nonce
        reports = await asyncio.shield(self._left)
        return LeftByWorker(self.key, tuple(LeftReport(run, worker, report) for report in reports))

    async def _end(self) -> Sequence[RowReport]:
        left = await self._worker.end()
        await self._worker.aclose()
        return left

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
        return self._left is not None and self._left.done()

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


async def _left(job: str, before: int) -> bytes:
    """End the held workers of earlier runs of a job, and return the results that nobody took."""
    earlier = [each for each in _held.values() if each.setup.job == job and each.setup.run < before]
    return to_bytes(AllLeft(tuple(await asyncio.gather(*(each.end() for each in earlier)))))


async def _forget(keys: Sequence[str]) -> bytes:
    """Forget held workers whose results were taken."""
    for key in keys:
        if key in _held:
            _held[key].drop()
    return b""


async def _end(key: str) -> bytes:
    """End a held worker; it keeps what is left, and is forgotten if that is nothing."""
    if key in _held and not (await _held[key].end()).reports:
        _held[key].drop()
    return b""


_HANDLERS = {
    "wosdk-exchange": _exchange,
    "wosdk-left": _left,
    "wosdk-forget": _forget,
    "wosdk-end": _end,
}
