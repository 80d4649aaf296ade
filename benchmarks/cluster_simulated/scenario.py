"""What happens in a run: the program is begun again and again, and its workers meet the events of a plan."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import attrs

from benchmarks.cluster_simulated.ending import check_job, stored_rows
from benchmarks.cluster_simulated.machines import Machine
from benchmarks.cluster_simulated.plan import Event
from benchmarks.cluster_simulated.pool import Pool
from benchmarks.cluster_simulated.process import Coordinating
from benchmarks.cluster_simulated.service import Engine
from benchmarks.cluster_simulated.workers import World
from benchmarks.jobs_files import MARKER, write_map, write_rows
from benchmarks.jobs_process import KilledJournal
from wosdk_async import CallOptions, Client, Region
from wosdk_async.errors import WosdkError
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.journal import State
from wosdk_async.transport.clock import TransportClock

__all__ = ["Scenario"]

_MOST_RUNS = 30  # with a deadline of half a second and a third of all calls failing, many never begin
_HOST = "sandbox.sim"
_ROOT = f"https://{_HOST}"


@attrs.define(eq=False)
class Scenario:
    """The program, which is begun again until the job is finished, and what happens to it."""

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
                kills[number] if number < len(kills) else None,
                machine=world.machine(f"c{number + 1}"),
                counts=not world.plan.at_work,
            )
            watch.note("run", number + 1)
            program = process.machine.start(self._program(process, source, import_map))
            dead = asyncio.create_task(process.dead.wait())
            await asyncio.wait([program, dead], return_when=asyncio.FIRST_COMPLETED)
            if killed := process.dead.is_set():
                self.facts["coordinators killed"] += 1
                watch.note("killed at", process.points[-1])
                self._orphan()
                await asyncio.sleep(min(world.rng.choice([0.0, 0.5, world.plan.lease]), world.plan.pause))
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
                if self.world.rng.random() < self.world.plan.orphans_stop and link.station.machine.awake:
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
                stopped = summary.stopped
                world.watch.note("ended", summary.done, "done;", stopped or "")
            except WosdkError as error:
                await job.close()
                stopped = error.message
                world.watch.note("ended", type(error).__name__, stopped)
        self._pool = self._job = None
        # Whoever reads why it stopped gives the same command again, also when only the audit is missing.
        return self._is_finished() and not stopped

    def _is_finished(self) -> bool:
        states = self.states = Counter(row.state for row in stored_rows(self.folder / "rows.csv.job"))
        left = states[State.PLANNED] + states[State.SENDING]
        return bool(states) and not left and not (self.world.plan.marked and states[State.IN_DOUBT])

    def _require_no_task(self, machine: Machine) -> None:
        if machine.alive and (left := machine.tasks()):
            self.world.watch.broken("task-left", f"{machine.name}: {[each.get_name() for each in left]}")

    # --- what happens ---------------------------------------------------------------------------

    async def _chaos(self) -> None:
        if self.world.plan.at_work:
            await self.world.watch.at_work.wait()
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
