"""A stop ends what an import waits for: workers that do not come, an audit."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.jobs.conftest import Local
from tests.jobs.local_workers import LocalPool
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import killed_while_sending
from wosdk_async import Company
from wosdk_async.jobs import Import, Summary

SOON = 10  # seconds, also on a busy machine; without a stop each of these waits has no end


class Silent(LocalPool):
    """A pool that never opens."""

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self.reached = asyncio.Event()

    async def open(self, *_: Any) -> None:
        self.reached.set()
        await asyncio.Event().wait()


async def stopped(ready: Import, local: Local, when: asyncio.Event) -> Summary:
    """Stop an import once, as Ctrl-C does, and return its summary."""
    running = asyncio.ensure_future(ready.run(local.company))
    async with asyncio.timeout(SOON):
        await when.wait()
        ready.stop()
        return await running


async def test_a_stop_waits_for_no_silent_cluster(local: Local) -> None:
    source = local.write(rows(1, 2, 3))
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    pool = Silent(local.company)
    summary = await stopped(local.job(source, MAP, marker=MARKER, workers=pool), local, pool.reached)
    assert (str(summary.stopped), summary.complete, summary.created) == ("a stop was requested", False, 0)
    summary = await local.run(source, MAP, marker=MARKER, workers=LocalPool(local.company))
    assert (summary.created, summary.complete) == (3, True)


async def test_a_stop_ends_an_audit(local: Local) -> None:
    """Its look-ups change nothing; the next run makes it again."""
    source, server = local.write(rows(1, 2, 3)), local.server

    def hold(text: str) -> None:
        if text.startswith("audit: looking up"):
            server.creation, server.held = "query/WorkOrder", asyncio.Event()

    ready = local.job(source, MAP, marker=MARKER, workers=LocalPool(local.company), on_stage=hold)
    summary = await stopped(ready, local, server.arrived)
    assert (summary.created, summary.audit_state, summary.complete) == (3, "due", False)
    server.held.set()
    server.held = None
    summary = await local.run(source, MAP, marker=MARKER)
    assert (summary.audit_state, summary.complete) == ("clean", True)
