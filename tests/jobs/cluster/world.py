"""A service, workers behind links that lose messages, and a ledger, all in memory and on virtual time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from benchmarks.jobs_process import running
from benchmarks.simulate.loop import VirtualLoop
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import World as NetworkWorld
from tests.jobs.cluster.fake_ledger import Ledger, Sessions
from tests.jobs.cluster.fake_worker import FakeWorker, Link
from wosdk_async.jobs.cluster.coordinator import Coordinator
from wosdk_async.jobs.cluster.messages import (
    Setup,
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
        self.marker: str | None = "m"

    @property
    def setup(self) -> Setup:
        return Setup(
            job="j", run=4, version="1", operation="create Customer", company="A", marker=self.marker,
            deadline=self.options.deadline, settle=1.0, attempts=3, most_in_flight=50,
        )  # fmt: skip

    def coordinator(self, on_event: Callable[[str], None] = lambda _: None) -> Coordinator:
        clock = asyncio.get_running_loop().time
        return Coordinator(
            self, self.setup, self.ledger, options=self.options, sessions=self.sessions, on_event=on_event,
            boottime=clock,
        )  # fmt: skip

    # --- the pool ---------------------------------------------------------------------------

    name = "3 fakes"

    async def open(self, setup, joined, broken) -> None:
        self.joined, self.broken = joined, broken
        for _ in range(self.first_workers):
            self.add_worker()

    async def undelivered(self):
        return []

    async def forget_undelivered(self) -> None:
        pass

    async def aclose(self, grace: float) -> None:
        for worker in self.workers:
            worker.kill()

    def add_worker(self) -> FakeWorker:
        worker = FakeWorker(self, f"w{len(self.workers)}")
        self.workers.append(worker)
        self.links.append(Link(self, worker))
        self.joined(self.links[-1])
        return worker


class Source:
    """Claims of rows."""

    def __init__(self, rows: Any) -> None:
        self.remaining = [
            SimpleNamespace(row=SimpleNamespace(number=row), record=row, started=0.0) for row in rows
        ]
        self.fetched: list[Any] = []
        self.stopped = False

    def at_hand(self) -> Any:
        if not self.remaining or self.stopped:
            return None
        self.fetched.append(self.remaining.pop(0))
        return self.fetched[-1]

    async def __anext__(self) -> Any:
        await asyncio.sleep(0.001)
        claim = self.at_hand()
        if claim is None:
            raise StopAsyncIteration
        return claim
