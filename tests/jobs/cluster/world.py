"""A service, workers, links that lose messages, and a ledger, all in memory and on virtual time.

The workers obey the protocol as simply as can be: what they do is written here anew, so that a mistake of the
real one does not hide one of the coordinator.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

from benchmarks.jobs_process import running
from benchmarks.simulate.loop import VirtualLoop
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import World as NetworkWorld
from wosdk_async.jobs.cluster.coordinator import Coordinator
from wosdk_async.jobs.cluster.ledger import GrantRecord, Loss
from wosdk_async.jobs.cluster.messages import (
    GrantedRow,
    Order,
    PushedSession,
    Report,
    RowReport,
    Setup,
    Share,
    WorkerLostError,
    from_bytes,
    to_bytes,
)
from wosdk_async.jobs.cluster.options import ClusterOptions

OPTIONS = ClusterOptions(lease=3.0, deadline=1.0, skew=0.5, in_flight=12, rows_per_grant=20)


def virtually(main, seed=0):
    """Run a coroutine on virtual time; the seed decides the order of callbacks."""
    rng = random.Random(seed)
    loop = VirtualLoop(rng, Network(rng, NetworkWorld(), lambda *_, **__: None))
    with running(loop):
        result = loop.run_until_complete(main)
        assert not loop.failures
        return result


class Ledger:
    """Grants in memory, with the rules of a ledger."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.epoch = 0
        self.grants: dict[int, GrantRecord] = {}
        self.open: set[int] = set()
        self.lost: list[tuple[int, ...]] = []
        self.facts: list[RowReport] = []
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

    def record_fact(self, epoch: int, worker: str, report: RowReport) -> None:
        self.facts.append(report)


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


class World:
    """Everything of one test: the service, the ledger, and the workers of a pool."""

    def __init__(self, seed: int = 0, *, options: ClusterOptions = OPTIONS, trouble: float = 0.0) -> None:
        self.rng = random.Random(seed)
        self.options, self.trouble = options, trouble
        self.ledger, self.sessions = Ledger(self), Sessions()
        self.effects: Counter[int] = Counter()
        """How often each row took effect at the service."""
        self.busy = self.most_busy = 0
        self.poison: set[int] = set()
        self.seconds = 0.05
        """Duration of a call, on average."""
        self.accepted = 1
        self.workers: list[FakeWorker] = []
        self.links: list[Link] = []
        self.first_workers = 3

    @property
    def setup(self) -> Setup:
        return Setup(
            job="j", run=4, version="1", operation="create Customer", company="A", marker="m",
            deadline=self.options.deadline, settle=1.0, attempts=3, most_in_flight=50,
        )  # fmt: skip

    def coordinator(self) -> Coordinator:
        clock = asyncio.get_running_loop().time
        return Coordinator(
            self, self.setup, self.ledger, options=self.options, sessions=self.sessions, boottime=clock
        )

    # --- the pool ---------------------------------------------------------------------------

    name = "3 fakes"

    async def open(self, setup, joined, broken) -> None:
        self.joined, self.broken = joined, broken
        for _ in range(self.first_workers):
            self.add_worker()

    async def leftovers(self):
        return []

    async def aclose(self) -> None:
        for worker in self.workers:
            worker.kill()

    def add_worker(self) -> FakeWorker:
        worker = FakeWorker(self, f"w{len(self.workers)}")
        self.workers.append(worker)
        self.links.append(Link(self, worker))
        self.joined(self.links[-1])
        return worker


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
        while self.session < world.accepted:
            self.refused = self.session
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


class Source:
    """Claims of rows."""

    def __init__(self, rows: Any) -> None:
        self.left = [
            SimpleNamespace(row=SimpleNamespace(number=row), record=row, started=0.0) for row in rows
        ]
        self.taken: list[Any] = []
        self.stopped = False

    def at_hand(self) -> Any:
        if not self.left or self.stopped:
            return None
        self.taken.append(self.left.pop(0))
        return self.taken[-1]

    async def __anext__(self) -> Any:
        await asyncio.sleep(0.001)
        claim = self.at_hand()
        if claim is None:
            raise StopAsyncIteration
        return claim
