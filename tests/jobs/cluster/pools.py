"""A pool of real workers that is open, what its coordinator would hear of it, and what it would say."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs

from tests.support.preloaded import Preloaded
from wosdk_async.jobs.cluster.messages import (
    NO_SHARE,
    Order,
    Report,
    Setup,
    WorkerLink,
    WorkerPool,
    from_bytes,
    to_bytes,
)

P = TypeVar("P", bound=WorkerPool)

HELLO = Order(worker="", received=0, share=NO_SHARE, patience=0.0)
SETUP = Setup(
    operation="WoCreateCommand",
    company="Company",
    marker=None,
    lease=60.0,
    deadline=2.0,
    settle=1.0,
    attempts=3,
    max_in_flight=4,
)


@attrs.define(eq=False)
class Opened(Generic[P]):
    """A pool that is open, and what it said."""

    pool: P
    links: asyncio.Queue[WorkerLink] = attrs.field(factory=asyncio.Queue)
    broken: asyncio.Queue[str] = attrs.field(factory=asyncio.Queue)


@asynccontextmanager
async def opened(pool: P, setup: Setup = SETUP) -> AsyncIterator[Opened[P]]:
    """Open a pool, and close it behind the block."""
    found = Opened(pool)
    try:
        await pool.open(setup, found.links.put_nowait, found.broken.put_nowait)
        async with asyncio.timeout(60):
            yield found
    finally:
        await pool.aclose()


async def hello(link: WorkerLink, order: Order = HELLO) -> Report:
    """Exchange an order for a report."""
    return from_bytes(await link.exchange(to_bytes(order)), Report)


async def lost(link: WorkerLink) -> str:
    """Wait until a link is lost, and return why."""
    while not link.lost:
        await asyncio.sleep(0.05)
    return link.lost


_WORKER = """
import dask
from distributed.config import initialize_logging

open("/proc/self/comm", "w").write("dask worker")
dask.config.refresh()  # it was read before the fork
initialize_logging(dask.config.config)
from dask.__main__ import main
main()
raise SystemExit
"""


class ForkedWorker(Preloaded):
    """A worker process like that of a ``dask worker`` command, without the second of its imports."""

    def __init__(self, command: Any, **options: Any) -> None:
        modules = ("distributed.cli.dask_worker", "dask.__main__")
        super().__init__(command[command.index("dask") + 1 :], modules=modules, code=_WORKER, **options)


def children(parent: int | None = None) -> list[int]:
    """The worker processes that a process started, and that have not ended."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, stat = each.read_text().rpartition(")")
            state, above = stat.split()[:2]
            is_worker = "(dask worker" in name or b"dask\0worker" in (each.parent / "cmdline").read_bytes()
            if int(above) == (parent or os.getpid()) and state != "Z" and is_worker:
                found.append(int(each.parent.name))
    return found
