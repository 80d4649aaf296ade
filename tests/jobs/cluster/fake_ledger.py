"""What a coordinator writes down and logs in with, in memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from wosdk_async.jobs.cluster.ledger import GrantRecord, Loss
from wosdk_async.jobs.cluster.messages import PushedSession, RowReport

if TYPE_CHECKING:
    from tests.jobs.cluster.world import World


class Ledger:
    """Grants in memory, with the rules of a ledger."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.epoch = 0
        self.grants: dict[int, GrantRecord] = {}
        self.open: set[int] = set()
        self.lost: list[tuple[int, ...]] = []
        self.late: list[RowReport] = []
        self.known: dict[int, Loss] = {}
        self.error: Exception | None = None
        self.beside: dict[int, int] = {}
        """Epoch -> how many grants of the same worker were open when it was granted."""
        self.disk = asyncio.Event()
        self.disk.set()

    async def last_epoch(self) -> int:
        return self.epoch

    async def grant(self, record: GrantRecord) -> None:
        assert record.epoch > self.epoch
        self.epoch = record.epoch
        await asyncio.sleep(self._world.rng.random() * 0.02)  # the disk
        await self.disk.wait()
        if self.error is not None:
            raise self.error
        open_now = [self.grants[epoch].worker for epoch in self.open]
        self.beside[record.epoch] = open_now.count(record.worker)
        self.grants[record.epoch] = record
        self.open.add(record.epoch)

    def end_grant(self, epoch: int, *, lost: Any = (), alone: bool = False) -> None:
        self.open.discard(epoch)
        if lost:
            self.lost.append(tuple(lost))
        for row in lost:
            before = self.known.get(row, Loss())
            self.known[row] = Loss(before.leases + 1, before.alone or alone)

    async def losses(self, rows: Any) -> dict[int, Loss]:
        await self.disk.wait()
        if self.error is not None:
            raise self.error
        return {row: self.known[row] for row in rows if row in self.known}

    def keep_late_report(self, epoch: int, worker: str, report: RowReport) -> None:
        self.late.append(report)


class Sessions:
    """Numbered sessions; the service refuses those below ``world.accepted``."""

    def __init__(self) -> None:
        self.number, self.log_ins, self.asked = 1, 0, 0
        self.error: Exception | None = None

    def current(self) -> PushedSession:
        return PushedSession(
            number=self.number, token=f"t0ken-{self.number}", base_url="https://a.example", expires_in=60.0
        )

    async def renew(self, after: int) -> PushedSession:
        self.asked += 1
        await asyncio.sleep(0.3)
        if self.error is not None:
            raise self.error
        if self.number <= after:
            self.number += 1
            self.log_ins += 1
        return self.current()
