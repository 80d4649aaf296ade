"""A pool of real workers that is open, what its coordinator would hear of it, and what it would say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

import attrs

from wosdk_async.jobs.cluster.messages import (
    Grant,
    GrantedRow,
    Order,
    PushedSession,
    Report,
    Setup,
    Share,
)
from wosdk_async.jobs.cluster.pool import WorkerLink, WorkerPool
from wosdk_async.version import VERSION

__all__ = ["HELLO", "SETUP", "Opened", "leave_results", "opened"]

P = TypeVar("P", bound=WorkerPool)

HELLO = Order(worker="", received=0, share=Share(number=0, rate=None, in_flight=0), patience=0.0)
SETUP = Setup(
    job="job",
    run=1,
    version=VERSION,
    operation="WoCreateCommand",
    company="Company",
    marker=None,
    deadline=2.0,
    settle=1.0,
    attempts=3,
    most_in_flight=4,
    folder="/home/someone/orders.csv.job",
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
    await pool.open(setup, found.links.put_nowait, found.broken.put_nowait)
    try:
        yield found
    finally:
        await pool.aclose(2.0)


async def leave_results(link: WorkerLink, *rows: int, session: PushedSession | None = None) -> Report:
    """Grant rows with a lease that has ended: the worker says ``not_sent``, and nobody confirms it."""
    report = await link.exchange(HELLO)
    grant = Grant(epoch=1, ends=report.clock - 1, rows=tuple(GrantedRow(row, "{}") for row in rows))
    share = Share(number=1, rate=None, in_flight=1)
    order = attrs.evolve(
        HELLO, worker=report.worker, grants=(grant,), share=share, session=session, patience=0.1
    )
    while len(report.results) < len(rows):
        report = await link.exchange(order)
    return report
