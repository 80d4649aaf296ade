"""What one exchange of messages with a worker costs the coordinator, whatever rows are in it."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.dask_processes import DaskProcesses
from wosdk_async.jobs.cluster.dask import DaskCluster
from wosdk_async.jobs.cluster.messages import Order, Setup, Share
from wosdk_async.jobs.cluster.pool import WorkerLink, WorkerPool
from wosdk_async.jobs.cluster.processes import Processes
from wosdk_async.version import VERSION

__all__ = ["exchange_costs"]

_TIMES = 2_000
_WARMING = 200


def exchange_costs() -> dict[str, float]:
    """Return the CPU microseconds of one exchange with one worker, by the name of each way to it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        costs = {"a process": asyncio.run(_cost(Processes(1), folder))}
        with _cluster(folder) as address:
            costs["a Dask worker"] = asyncio.run(_cost(DaskCluster(address), folder))
            direct = DaskCluster(address, direct=True)
            costs["a Dask worker, direct=True"] = asyncio.run(_cost(direct, folder))
    return costs


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    with DaskProcesses(folder) as cluster:
        cluster.add_worker()
        yield cluster.address


async def _cost(pool: WorkerPool, folder: Path) -> float:
    joined: asyncio.Queue[WorkerLink] = asyncio.Queue()
    try:
        await pool.open(_setup(folder), joined.put_nowait, print)
        link = await joined.get()
        hello = Order(worker="", received=0, share=Share(number=0, rate=None, in_flight=0))
        nonce = (await link.exchange(hello)).worker
        order = Order(worker=nonce, received=0, share=hello.share, patience=0.0)
        for _ in range(_WARMING):
            await link.exchange(order)
        began = time.process_time()
        for _ in range(_TIMES):
            await link.exchange(order)
        return (time.process_time() - began) / _TIMES * 1e6
    finally:
        await pool.aclose(1.0)


def _setup(folder: Path) -> Setup:
    return Setup(
        job="exchanges",
        run=1,
        version=VERSION,
        operation="WoCreateCommand",
        company="Bench",
        marker=None,
        deadline=1.0,
        settle=1.0,
        attempts=1,
        most_in_flight=8,
        folder=str(folder),
    )
