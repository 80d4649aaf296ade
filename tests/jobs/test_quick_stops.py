"""A stop ends what an import waits for: workers that do not come, a cluster that is silent, an audit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.jobs.conftest import Local
from tests.jobs.local_workers import LocalPool
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import carried_out, killed_while_sending
from wosdk_async import Company
from wosdk_async.jobs import Import
from wosdk_async.jobs.cluster.messages import Setup, WorkerLink

SOON = 10  # seconds, also on a busy machine; without a stop each of these waits has no end


class Silent(LocalPool):
    """A pool that does not respond any more from its ``open`` or from one of the others on."""

    def __init__(self, company: Company, when: str) -> None:
        super().__init__(company)
        self.when, self.reached, self.left_by = when, asyncio.Event(), ""

    async def _wait(self, at: str) -> None:
        if at == self.when:
            self.reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.left_by = at

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        await self._wait("open")
        await super().open(setup, joined, broken)


async def stopped(ready: Import, local: Local, when: asyncio.Event) -> Any:
    """Stop an import once, as Ctrl-C does, and return its summary."""
    running = asyncio.ensure_future(carried_out(ready, local))
    async with asyncio.timeout(SOON):
        await when.wait()
        ready.stop()
        return (await running)[0]


async def test_a_stop_waits_for_no_silent_cluster(local: Local) -> None:
    source = local.write(rows(1, 2, 3))
    local.company = local.company.with_options(settle=0)
    await killed_while_sending(local.job(source, MAP, marker=MARKER), local, [1])
    pool = Silent(local.company, "open")
    summary = await stopped(local.job(source, MAP, marker=MARKER, workers=pool), local, pool.reached)
    assert pool.left_by == "open"
    assert (str(summary.stopped), summary.complete, summary.created) == ("a stop was requested", False, 0)
    summary, _ = await carried_out(
        local.job(source, MAP, marker=MARKER, workers=LocalPool(local.company)), local
    )
    assert (summary.created, summary.complete) == (3, True)


async def test_a_stop_ends_an_audit(local: Local) -> None:
    """Its look-ups change nothing; the next run makes it again."""
    source, server = local.write(rows(1, 2, 3)), local.server
    ready = local.job(source, MAP, marker=MARKER, workers=LocalPool(local.company))

    def hold(text: str) -> None:
        if text.startswith("audit: looking up"):
            server.creation, server.held = "query/WorkOrder", asyncio.Event()

    running = asyncio.ensure_future(ready.run(local.company, on_stage=hold))
    async with asyncio.timeout(SOON):
        await server.arrived.wait()
        ready.stop()
        summary = await running
    assert (summary.created, summary.audit_state, summary.complete) == (3, "due", False)
    server.held.set()
    server.held = None
    summary, _ = await carried_out(local.job(source, MAP, marker=MARKER), local)
    assert (summary.audit_state, summary.complete) == ("clean", True)
