"""Run of one plan, from the first start of the job until it is finished."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import attrs

from benchmarks.cluster_simulated.ending import check_job, stored_rows
from benchmarks.cluster_simulated.machines import Machine, MachineLoop, boottime_here
from benchmarks.cluster_simulated.plan import Event, Plan
from benchmarks.cluster_simulated.pool import Pool
from benchmarks.cluster_simulated.process import Coordinating
from benchmarks.cluster_simulated.service import Engine, Service
from benchmarks.cluster_simulated.watch import Watch
from benchmarks.cluster_simulated.watched import watched
from benchmarks.cluster_simulated.workers import World
from benchmarks.jobs_files import MARKER, write_map, write_rows
from benchmarks.jobs_process import Killed, KilledJournal, running, without_threads
from benchmarks.simulate.loop import StuckError
from benchmarks.simulate.runs import replayable
from wosdk_async import CallOptions, Client, Region
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.cluster import job_workers
from wosdk_async.jobs.cluster import worker as worker_module
from wosdk_async.jobs.journal import State
from wosdk_async.transport.clock import TransportClock

__all__ = ["Result", "run"]

_MOST_RUNS = 10
_MEMORY = "/dev/shm"  # what a killed process wrote is there, on any disk
_HOST = "sandbox.sim"
_ROOT = f"https://{_HOST}"


@attrs.frozen
class Result:
    """Result of a run. ``digest`` is a hash of all events in their order."""

    violations: list[tuple[str, str]]
    states: Counter[State]
    events: list[str]
    digest: str
    seconds: float
    facts: Counter[str]
    """How often something happened that the run is for."""

    @property
    def names(self) -> list[str]:
        """Names of the violations, each once."""
        return sorted({name for name, _ in self.violations})


def run(plan: Plan) -> Result:
    """Run a plan in a folder of its own."""
    rng = random.Random(f"run {plan.seed}")
    loop = MachineLoop.of(rng)
    with (
        tempfile.TemporaryDirectory(dir=_MEMORY if Path(_MEMORY).is_dir() else None) as folder,
        _deterministic(plan.seed, rng),
        running(loop),
    ):
        watch = Watch(plan, Path(folder) / "rows.csv.job", loop.time)
        try:
            with watched(watch):
                return _run(plan, loop, rng, watch, Path(folder))
        finally:
            watch.close()
            loop.exorcise()


def _run(plan: Plan, loop: MachineLoop, rng: random.Random, watch: Watch, folder: Path) -> Result:
    service = Service(plan, loop, rng)
    world = World(plan, loop, rng, service, watch)
    scenario = _Scenario(world, folder)
    with contextlib.closing(service.store):
        try:
            loop.run_until_complete(scenario.run())
        except StuckError as error:
            watch.broken("hang", str(error))
        for failure in loop.failures:
            if not isinstance(failure.get("exception"), Killed):
                watch.broken("loop-error", f"{failure}")
    seconds = loop.time() - 1000.0
    return Result(watch.violations, scenario.states, watch.events, watch.digest, seconds, scenario.facts)


@contextlib.contextmanager
def _deterministic(seed: int, rng: random.Random) -> Iterator[None]:
    def token(size: int | None = None) -> str:
        return rng.randbytes(size or 8).hex()

    with (
        replayable(seed),
        without_threads(),
        mock.patch.object(worker_module.secrets, "token_hex", token),
        mock.patch.object(job_workers, "boottime", boottime_here),
        mock.patch.object(os, "fsync", return_value=None),
    ):
        yield
    if not seed % 10:
        gc.collect()


@attrs.define(eq=False)
class _Scenario:
    world: World
    folder: Path
    facts: Counter[str] = attrs.field(factory=Counter)
    states: Counter[State] = attrs.field(factory=Counter)
    _pool: Pool | None = None
    _job: Import | None = None

    async def run(self) -> None:
        """Run the program again and again, while things happen to its workers."""
        world = self.world
        world.watch.before_sending = self._meet_poison
        chaos = asyncio.create_task(self._chaos())
        await self._run_until_finished()
        chaos.cancel()
        world.faultless = world.service.faultless = True
        for station in world.stations:
            station.machine.wake()
            if not station.has_ended:
                await asyncio.wait([station.end()])
        await asyncio.sleep(world.plan.settle + 1.0)  # what was on its way has arrived
        for station in world.stations:
            self._require_no_task(station.machine)
        world.watch.check_rate()
        check_job(world, self.folder / "rows.csv.job", self.facts)

    async def _run_until_finished(self) -> None:
        world, watch = self.world, self.world.watch
        source = write_rows(self.folder / "rows.csv", world.plan.rows)
        import_map = write_map(self.folder)
        finished = False
        for number in range(_MOST_RUNS):
            kills = world.plan.kills
            process = Coordinating(
                kills[number] if number < len(kills) else None, machine=world.machine(f"c{number + 1}")
            )
            watch.note("run", number + 1)
            program = process.machine.start(self._program(process, source, import_map))
            dead = asyncio.create_task(process.dead.wait())
            await asyncio.wait([program, dead], return_when=asyncio.FIRST_COMPLETED)
            if killed := process.dead.is_set():
                self.facts["coordinators killed"] += 1
                watch.note("killed at", process.points[-1])
                self._orphan()
                await asyncio.sleep(world.rng.choice([0.0, 0.5, world.plan.lease]))
            watch.run_ended(killed=killed)
            if killed:
                continue
            dead.cancel()
            if program.cancelled() or program.exception() is not None:
                watch.broken("raw-error", repr(program))
                continue
            was_finished, finished = finished, program.result()
            self._require_no_task(process.machine)
            if was_finished:
                if watch.creates[process.machine.name]:
                    watch.broken("sent-when-finished", "the command on a finished job sent something")
                return
        watch.broken("not-finished", f"after {_MOST_RUNS} runs")

    def _orphan(self) -> None:
        """Let workers notice the kill, some of them when they go on after a while."""
        if self._pool is not None:
            for link in self._pool.links:
                if self.world.rng.random() < 0.4 and link.station.machine.awake:
                    self._freeze(link.station.machine, self.world.rng.uniform(0.0, self.world.plan.lease))
            self._pool.orphan()

    async def _program(self, process: Coordinating, source: Path, import_map: Path) -> bool:
        KilledJournal.process = process
        world, plan = self.world, self.world.plan
        client = Client(
            region=Region("simulated", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
            credentials=world.service.credentials,
            company="AcmeFacilities",
            trusted_hosts=(_HOST,),
            options=CallOptions(deadline=plan.deadline, settle=plan.settle),
            clock=TransportClock(now=asyncio.get_running_loop().time),
            telemetry=False,
            rate=plan.rate,
            engine=lambda _: Engine(process.machine, world.service, world.watch, world.rng),
        )
        pool = self._pool = Pool(world, process)
        async with client:
            job = self._job = Import(
                CsvFile(source),
                ImportMap.load(import_map),
                marker=MARKER if plan.marked else None,
                limit=plan.limit,
                lease=plan.lease,
                skew=plan.skew,
                workers=pool,
                on_stage=lambda text: world.watch.note("stage:", text),
            )
            try:
                await job.open(client.company(), journals=KilledJournal)
                summary = await job.run(client.company())
                world.watch.note("ended", summary.done, "done;", summary.stopped or "")
            except WosdkError as error:  # a person would give the same command again
                await job.close()
                world.watch.note("ended", type(error).__name__, error.message)
        self._pool = self._job = None
        return self._is_finished()

    def _is_finished(self) -> bool:
        states = self.states = Counter(row.state for row in stored_rows(self.folder / "rows.csv.job"))
        left = states[State.PLANNED] + states[State.SENDING]
        return bool(states) and not left and not (self.world.plan.marked and states[State.IN_DOUBT])

    def _require_no_task(self, machine: Machine) -> None:
        if machine.alive and (left := machine.tasks()):
            self.world.watch.broken("task-left", f"{machine.name}: {[each.get_name() for each in left]}")

    # --- what happens ---------------------------------------------------------------------------

    async def _chaos(self) -> None:
        began, loop = self.world.loop.time(), self.world.loop
        for event in self.world.plan.events:
            await asyncio.sleep(began + event.at - loop.time())
            self._happen(event)
        await asyncio.sleep(began + self.world.plan.trouble - loop.time())
        self.world.faultless = self.world.service.faultless = True

    def _happen(self, event: Event) -> None:
        world, pool = self.world, self._pool
        world.watch.note("event:", event.what, event.place, f"{event.seconds:.3f}")
        if event.what == "revoke":
            world.service.revoke()
        if pool is None or pool.closed or not pool.process.machine.alive:
            return
        self.facts[event.what] += 1
        if event.what == "freeze the coordinator":
            self._freeze(pool.process.machine, event.seconds)
        elif event.what == "stop" and self._job is not None:
            pool.process.machine.run(self._job.stop)
        elif pool.links:
            link = pool.links[event.place % len(pool.links)]
            if not link.station.machine.alive:
                return
            if event.what == "freeze":
                self._freeze(link.station.machine, event.seconds)
            elif event.what == "suspend":
                link.station.machine.suspend()
                self.world.loop.call_later(event.seconds, link.station.machine.wake)
            elif event.what == "die":
                pool.die(link)
            elif event.what == "cut":
                pool.cut(link)
            elif event.what == "remake":
                pool.remake(link)

    def _freeze(self, machine: Machine, seconds: float) -> None:
        machine.freeze()
        self.world.loop.call_later(seconds, machine.wake)

    def _meet_poison(self, machine: Machine, row: int) -> None:
        if row != self.world.plan.poison:
            return
        self.facts["poisoned"] += 1
        self.world.watch.note(machine.name, "dies of row", row)
        machine.kill()
        if self._pool is not None:
            for link in list(self._pool.links):
                if link.station.machine is machine:
                    self._pool.die(link)
