"""The link to the worker of a job that one Dask process holds."""

from __future__ import annotations

import asyncio
from typing import Any

from distributed.protocol.serialize import Serialize

from wosdk_async.jobs.cluster.dask_scheduler import Scheduler
from wosdk_async.jobs.cluster.dask_worker import Sealed
from wosdk_async.jobs.cluster.messages import Order, Report, WorkerLostError, from_bytes, to_bytes
from wosdk_async.shared_tasks import mark_retrieved

__all__ = ["DaskLink"]


class DaskLink:
    """A worker that a Dask process holds; see :class:`WorkerLink`.

    Args:
        address: of the process.
        key: of the held worker there.
        scheduler: the way to it.
    """

    def __init__(self, address: str, key: str, scheduler: Scheduler) -> None:
        self.name, self.key = address, key
        self._scheduler = scheduler
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def is_lost(self) -> bool:
        """Whether it was given up."""
        return self._lost.done()

    def lose(self, why: str) -> None:
        """Let the exchange that waits fail, and every further one."""
        if not self._lost.done():
            self._lost.set_result(why)

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report; see :class:`WorkerLink`."""
        call = asyncio.create_task(self._call(to_bytes(order)))
        call.add_done_callback(mark_retrieved)
        either: set[asyncio.Future[Any]] = {call, self._lost}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._lost.done():
                raise WorkerLostError(self._lost.result())
            return from_bytes(await call, Report)
        finally:
            call.cancel()

    async def _call(self, order: bytes) -> bytes:
        sealed = Serialize(Sealed(order))  # type: ignore[no-untyped-call]
        report = await self._scheduler.call(self.name, "wosdk-exchange", key=self.key, order=sealed)
        if not report:
            self.lose(f"the worker {self.name} gave up the coordinator")
        return report

    async def aclose(self) -> None:
        """Give up the held worker; it ends by itself."""
        self.lose(f"the worker {self.name} was given up")
