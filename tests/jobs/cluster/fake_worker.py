"""A worker that obeys the protocol as simply as can be, and a link that loses messages.

What it does is written here anew, so that a mistake of the real worker does not hide one of the coordinator.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from wosdk_async.jobs.cluster.messages import (
    GrantedRow,
    Order,
    Report,
    RowReport,
    Share,
    WorkerLostError,
    from_bytes,
    to_bytes,
)

if TYPE_CHECKING:
    from tests.jobs.cluster.world import World


class FakeWorker:
    """A worker that obeys the protocol, on a clock of its own."""

    def __init__(self, world: World, nonce: str) -> None:
        self.world, self.nonce = world, nonce
        self.offset = world.rng.uniform(-1e5, 1e5)
        self.highest = self.number = self.session = self.refused = self.throttled = 0
        self.share = self.kept = Share(number=0, rate=None, in_flight=0)
        self.queue: list[tuple[int, float, GrantedRow]] = []
        self.under_way: dict[asyncio.Task[None], int] = {}
        self.results: list[RowReport] = []
        self.orders: list[Order] = []
        self.dead = False
        self.awake = asyncio.Event()
        self.awake.set()
        self.said = asyncio.Event()

    def clock(self) -> float:
        return asyncio.get_running_loop().time() + self.offset

    def kill(self) -> None:
        self.dead = True
        for task in self.under_way:
            task.cancel()

    def obey(self, order: Order) -> None:
        self.orders.append(order)
        if self.dead or order.worker != self.nonce:
            return
        self.results = [each for each in self.results if each.number > order.received]
        if order.share.number > self.share.number:
            self.share = order.share
        if order.session is not None:
            self.session = order.session.number
        for grant in order.grants:
            if grant.epoch > self.highest:
                self.highest = grant.epoch
                self.queue += [(grant.epoch, grant.ends, row) for row in grant.rows]
        for epoch, _, row in [each for each in self.queue if order.stop or each[0] in order.withdrawn]:
            self.queue = [each for each in self.queue if each[2] is not row]
            self.report(epoch, row.row, "not_sent")
        if order.abort:
            for task in list(self.under_way):
                task.cancel()
        self.start()

    def start(self) -> None:
        if len(self.under_way) <= self.share.in_flight:
            self.kept = self.share
        while self.queue and len(self.under_way) < self.share.in_flight and self.session:
            epoch, ends, row = self.queue.pop(0)
            task = asyncio.get_running_loop().create_task(self.send(epoch, ends, row.row))
            self.under_way[task] = epoch
            task.add_done_callback(self.ended)

    def ended(self, task: asyncio.Task[None]) -> None:
        del self.under_way[task]
        if not self.dead:
            self.start()

    async def send(self, epoch: int, ends: float, row: int) -> None:
        """Send a row: within its deadline, and with no first byte after the lease."""
        world, result = self.world, "not_sent"
        try:
            await self.awake.wait()
            if self.clock() + world.options.deadline <= ends:
                await asyncio.sleep(world.rng.random() * 0.01)
                await self.awake.wait()
                if self.clock() < ends:
                    result = await self.call(row)
        except asyncio.CancelledError:
            result = "in_doubt" if world.effects[row] else "not_sent"
        await asyncio.shield(self.awake.wait())
        self.report(epoch, row, result)

    async def call(self, row: int) -> str:
        world = self.world
        if row in world.poison:
            self.kill()
            return "not_sent"
        given_up_at = self.clock() + world.options.deadline
        while self.session < world.accepted:
            self.refused = self.session
            if self.clock() >= given_up_at:
                return "not_sent"
            await asyncio.sleep(0.05)
        world.busy += 1
        world.most_busy = max(world.busy, world.most_busy)
        try:
            world.effects[row] += 1
            await asyncio.sleep(min(world.rng.expovariate(1 / world.seconds), world.options.deadline / 2))
        finally:
            world.busy -= 1
        return "in_doubt" if world.rng.random() < world.trouble / 10 else "done"

    def report(self, epoch: int, row: int, result: Any) -> None:
        if not self.dead:
            self.number += 1
            self.results.append(
                RowReport(
                    number=self.number, epoch=epoch, row=row, result=result, id=row, seconds=0.5,
                    error="InDoubtError" if result == "in_doubt" else "", reason="so",
                )
            )  # fmt: skip
            self.said.set()

    def reply(self) -> Report:
        epochs = {*(each[0] for each in self.queue), *self.under_way.values()}
        return Report(
            worker=self.nonce, clock=self.clock(), results=tuple(self.results[:50]),
            epochs=tuple(sorted(epochs)), share=self.kept.number, session=self.session,
            session_refused=self.refused, throttled=self.throttled, unstarted=len(self.queue),
        )  # fmt: skip


class Link:
    """A link that may lose, delay and repeat messages."""

    def __init__(self, world: World, worker: FakeWorker) -> None:
        self.world, self.worker = world, worker
        self.name = worker.nonce
        self.cut: str | None = None
        self.closed = False
        self.before = to_bytes(Report(worker=worker.nonce, clock=worker.clock()))

    async def exchange(self, order: Order) -> Report:
        world, rng = self.world, self.world.rng
        for grant in order.grants:
            assert grant.epoch in world.ledger.grants  # it is on the disk before it leaves
        order = from_bytes(to_bytes(order), Order)
        await asyncio.sleep(rng.random() * 0.005)
        if rng.random() < world.trouble:
            raise OSError("the order is lost")
        self.require()
        if rng.random() < world.trouble:
            again = asyncio.get_running_loop().call_later
            again(rng.uniform(0, 6), self.worker.obey, order)
        await self.worker.awake.wait()
        self.worker.said.clear()
        self.worker.obey(order)
        if not self.worker.results:
            try:
                async with asyncio.timeout(order.patience):
                    await self.worker.said.wait()
            except TimeoutError:
                pass
        report = to_bytes(self.worker.reply())
        await asyncio.sleep(rng.random() * (2.0 if rng.random() < world.trouble else 0.005))
        await self.worker.awake.wait()
        self.require()
        if rng.random() < world.trouble:
            raise OSError("the report is lost")
        if rng.random() < world.trouble:
            report = self.before  # it comes once more, and the newest not at all
        self.before = report
        return from_bytes(report, Report)

    def require(self) -> None:
        if self.worker.dead or self.cut:
            raise WorkerLostError(self.cut or "killed", ended=self.worker.dead)

    async def aclose(self) -> None:
        self.closed = True
