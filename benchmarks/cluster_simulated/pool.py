"""Pool of simulated workers, and what happens to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from benchmarks.cluster_simulated.links import Link
from benchmarks.cluster_simulated.process import Coordinating
from benchmarks.cluster_simulated.workers import Station, World
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.pool import UndeliveredReport, WorkerLink

__all__ = ["Pool"]

_GRACE = 1.0  # seconds beyond the deadline of a row for which the end of a worker is waited for


class Pool:
    """Pool of one coordinator."""

    def __init__(self, world: World, process: Coordinating) -> None:
        self.name = f"{world.plan.workers} simulated workers"
        self.world, self.process = world, process
        self.links: list[Link] = []
        self.run = 0
        self.closed = False
        self._returned: list[UndeliveredReport] = []

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start the workers."""
        del broken
        self._setup, self._joined, self.run = setup, joined, setup.run
        for _ in range(self.world.plan.workers):
            self._join()

    def _join(self) -> None:
        if not self.closed:
            link = Link(self.world, self.process, self.world.station(self._setup))
            self.links.append(link)
            self._joined(link)

    async def undelivered(self) -> Sequence[UndeliveredReport]:
        """Wait until the workers of earlier runs have ended, if they can; return their results."""
        self.process.counts |= bool(self.world.undelivered)
        self.process.pass_point("undelivered")
        self.process.require_alive()
        earlier = [each for each in self.world.stations if each.run < self.run]
        await self._end(earlier, self.world.plan.deadline + _GRACE)
        self._returned = [each for each in self.world.undelivered if each.run < self.run]
        self.world.watch.returned(self._returned)
        return self._returned

    async def forget_undelivered(self) -> None:
        """Forget what was returned last: the journal has it."""
        self.process.pass_point("forget_undelivered")
        self.process.require_alive()
        self.world.undelivered = [each for each in self.world.undelivered if each not in self._returned]

    async def aclose(self, grace: float) -> None:
        """End the workers; a process that does not end is killed."""
        self.process.require_alive()
        self.closed = True
        own = [link.station for link in self.links]
        await self._end(own, grace)
        if self.world.plan.kind == "processes":
            for station in own:
                if not station.has_ended:
                    station.machine.kill()

    async def _end(self, stations: Sequence[Station], seconds: float) -> None:
        ending = [station.end() for station in stations if not station.has_ended]
        if ending:
            await asyncio.wait(ending, timeout=seconds)

    # --- what happens to them -----------------------------------------------------------------

    def orphan(self) -> None:
        """Let the workers notice that their coordinator was killed, if they can."""
        if self.world.plan.kind == "processes":
            for link in self.links:
                if not link.station.has_ended:
                    link.station.end()

    def die(self, link: Link) -> None:
        """Kill a worker. Another one follows when that was noticed."""
        link.station.machine.kill()
        self._replace(link, ended=self.world.plan.kind == "processes")

    def cut(self, link: Link) -> None:
        """Let a worker not be reached any more, though it goes on, at once or within its lease."""
        world, machine = self.world, link.station.machine
        if world.rng.random() < 0.5:
            machine.freeze()
            world.loop.call_later(world.rng.uniform(0.0, world.plan.lease), machine.wake)
        self._replace(link, ended=False)

    def remake(self, link: Link) -> None:
        """Kill a worker, and let another one take its place behind the same link."""
        before = link.station.machine
        before.kill()
        link.station = self.world.station(self._setup, before)

    def _replace(self, link: Link, *, ended: bool) -> None:
        self.links.remove(link)
        machine, rng = self.process.machine, self.world.rng
        noticed = rng.choice([0.0, rng.uniform(0.0, 1.0)])
        machine.call_later(noticed, lambda: link.lose(ended=ended))
        machine.call_later(noticed + rng.uniform(0.0, 2.0), self._join)
