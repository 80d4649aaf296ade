"""A worker, and the orders that a coordinator sends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.parse
import urllib.request
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from typing import Any

import attrs

from tests.jobs.conftest import Local
from tests.jobs.runs import order
from wosdk_async import WoCreateCommand
from wosdk_async.codec import converter, dumps
from wosdk_async.jobs.cluster.leases import boottime
from wosdk_async.jobs.cluster.messages import (
    Grant,
    GrantedRow,
    Order,
    PushedSession,
    Report,
    RowReport,
    Setup,
    Share,
    to_bytes,
)
from wosdk_async.jobs.cluster.worker import Worker

MARKER = "work_order.po_number"
DEADLINE = 5.0


class Clock:
    """The real clock of leases, which a test can set forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return boottime() + self.ahead


def setup_of(local: Local, **changes: Any) -> Setup:
    given: dict[str, Any] = {
        "operation": "WoCreateCommand",
        "company": local.company.name,
        "marker": MARKER,
        "lease": 3600.0,
        "deadline": DEADLINE,
        "settle": 0.5,
        "attempts": 4,
        "max_in_flight": 50,
    }
    return Setup(**given | changes)


async def session_of(local: Local, number: int = 1, **changes: Any) -> PushedSession:
    """Return a session with a new token."""
    form = {
        "grant_type": "client_credentials",
        "client_id": local.variables["WOSDK_CLIENT_ID"],
        "client_secret": local.variables["WOSDK_CLIENT_SECRET"],
    }

    def asked() -> Any:
        body = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(local.variables["WOSDK_TOKEN_URL"], body, timeout=5) as response:
            return json.load(response)["access_token"]

    await local.company.connect()
    token = await to_thread(asked)
    given = {"number": number, "token": token, "base_url": local.company.host, "expires_in": 600.0}
    return PushedSession(**given | changes)


class Ordered:
    """A worker with a session and a share; ``results`` are all that were confirmed or reported."""

    def __init__(self, worker: Worker, local: Local, clock: Callable[[], float]) -> None:
        self.worker, self.local, self.clock = worker, local, clock
        self.share = Share(number=1, rate=None, in_flight=10)
        self.received = 0
        self.results: list[RowReport] = []

    async def say(self, **changes: Any) -> Report:
        """Send one order and take the results of the report."""
        given = {"worker": self.worker.nonce, "received": self.received, "share": self.share}
        report = await self.worker.obey(Order(**given | changes))
        for result in report.results:
            if result.number == self.received + 1:
                self.received += 1
                self.results.append(result)
        return report

    async def all_of(self, count: int) -> dict[int, RowReport]:
        """Return the results when there are so many."""
        while len(self.results) < count:
            await self.say()
        await self.say()
        assert len(self.results) == count
        return {result.row: result for result in self.results}

    def grant(self, epoch: int, bodies: dict[int, str], seconds: float = 60.0) -> Grant:
        rows = tuple(GrantedRow(row, body) for row, body in bodies.items())
        return Grant(epoch=epoch, ends=self.clock() + seconds, rows=rows)

    async def bodies(self, rows: range) -> dict[int, str]:
        """Return commands that create work orders PO-1, PO-2 and so on."""
        made = await order(self.local, "")
        commands = {
            row: WoCreateCommand(work_order=attrs.evolve(made, po_number=f"PO-{row}")) for row in rows
        }
        return {row: dumps(converter.unstructure(command)).decode() for row, command in commands.items()}


@contextlib.asynccontextmanager
async def ordered(
    local: Local, clock: Callable[[], float] = boottime, *, session: bool = True, **setup: Any
) -> AsyncIterator[Ordered]:
    """A worker on the local Company; it has a session, unless the test gives it one."""
    worker = Worker(to_bytes(setup_of(local, **setup)), clock=clock)
    try:
        made = Ordered(worker, local, clock)
        async with asyncio.timeout(15):  # a worker that says nothing fails the test
            if session:
                await made.say(session=await session_of(local), patience=0.0)
            yield made
    finally:
        await worker.aclose()
