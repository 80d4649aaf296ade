"""Workers of a simulated job, each in a process of its own, and what outlives a coordinator."""

from __future__ import annotations

import asyncio
import random
from typing import Any
from unittest import mock

import attrs

from benchmarks.cluster_simulated.machines import Machine, MachineLoop
from benchmarks.cluster_simulated.plan import Plan
from benchmarks.cluster_simulated.service import Engine, Service
from benchmarks.cluster_simulated.watch import Watch
from wosdk_async import Client
from wosdk_async.jobs.cluster import worker as worker_module
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.cluster.worker import Worker
from wosdk_async.transport.clock import TransportClock

__all__ = ["Station", "World"]


@attrs.define(eq=False)
class World:
    """What outlives a coordinator."""

    plan: Plan
    loop: MachineLoop
    rng: random.Random
    service: Service
    watch: Watch
    stations: list[Station] = attrs.field(factory=list)
    undelivered: list[UndeliveredReport] = attrs.field(factory=list)
    """Results that workers could not deliver."""
    faultless: bool = False
    """Whether no message is lost any more."""

    def happens(self, chance: float) -> bool:
        """Return whether something happens now that happens so often."""
        return not self.faultless and self.rng.random() < chance

    def machine(self, name: str) -> Machine:
        """Return a new machine. All clocks together stay within the skew."""
        plan = self.plan
        most = 0.4 * plan.skew / (plan.lease + plan.deadline)
        return Machine.drawn(name, self.loop, self.rng, most)

    def station(self, setup: Setup, before: Machine | None = None) -> Station:
        """Return a new process with a worker; with the clock of the one before in its place, if any."""
        machine = self.machine(f"w{len(self.stations) + 1}")
        if before is not None:
            machine.offset, machine.drift = before.offset, before.drift
        self.watch.leases[machine.name] = {}
        station = Station(self, machine, setup.run, machine.run(self._worker, machine, setup))
        self.stations.append(station)
        return station

    def _worker(self, machine: Machine, setup: Setup) -> Worker:
        def client(**options: Any) -> Client:
            fenced = options.pop("engine")

            def engine(limits: Any) -> Any:
                own = Engine(machine, self.service, self.watch, self.rng)
                with mock.patch.object(worker_module, "engine_for", return_value=own):
                    return fenced(limits)

            clock = TransportClock(now=machine.monotonic)
            return Client(**options, engine=engine, clock=clock, telemetry=False)

        return Worker(setup, clock=machine.boottime, client=client)


@attrs.define(eq=False)
class Station:
    """Process with a worker."""

    world: World
    machine: Machine
    run: int
    worker: Worker
    ending: asyncio.Task[None] | None = None

    def end(self) -> asyncio.Task[None]:
        """Let the worker end, because its coordinator is gone; what it could not deliver is kept or lost."""
        if self.ending is None:
            self.ending = self.machine.start(self._end())
        return self.ending

    @property
    def has_ended(self) -> bool:
        """Whether nothing happens here any more."""
        return not self.machine.alive or (self.ending is not None and self.ending.done())

    async def _end(self) -> None:
        world, worker = self.world, self.worker
        reports = await worker.end()
        if not world.happens(world.plan.undelivered_lost):
            world.undelivered += [UndeliveredReport(self.run, worker.nonce, report) for report in reports]
        await worker.aclose()
