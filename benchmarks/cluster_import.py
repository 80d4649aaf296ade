"""One import on many workers, of which everything is killed or stopped while rows are under way (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import attrs

from benchmarks.cluster_child import DEADLINE, LEASE
from benchmarks.cluster_hooks import environment
from benchmarks.cluster_under_way import stop_at_work
from benchmarks.dask_processes import DaskProcesses
from benchmarks.fault_server import FaultServer
from benchmarks.jobs_files import MARKER, write_map
from wosdk_async.jobs.journal import State

__all__ = ["BrokenImport", "Faults", "Found"]

_CHILD = [sys.executable, "-m", "benchmarks.cluster_child"]
_LONGEST = 500.0  # seconds of one run
_MOST_RUNS = 6  # after the last fault


@attrs.frozen(kw_only=True)
class Faults:
    """How often what happens at random moments.

    Args:
        kills: workers that get SIGKILL.
        stops: workers that get SIGSTOP, and SIGCONT when their leases are over.
        coordinators: coordinators that get SIGKILL; the command is repeated.
        schedulers: Dask schedulers that get SIGKILL; the command is repeated with a new cluster.
    """

    kills: int
    stops: int
    coordinators: int
    schedulers: int

    def numbers(self, *, dask: bool) -> dict[str, int]:
        """Return how often an import meets each kind of fault."""
        numbers = {"kill": self.kills, "stop": self.stops, "coordinator": self.coordinators}
        return numbers | ({"scheduler": self.schedulers} if dask else {})

    def shuffled(self, rng: random.Random, *, dask: bool) -> list[str]:
        """Return the faults in a random order."""
        kinds = [kind for kind, number in self.numbers(dask=dask).items() for _ in range(number)]
        rng.shuffle(kinds)
        return kinds


@attrs.define(kw_only=True)
class Found:
    """What became of one job."""

    faults: Counter[str] = attrs.field(factory=Counter)
    """Faults that met a request of a row under way."""
    states: Counter[State] = attrs.field(factory=Counter)
    there: int = 0
    """Rows in doubt that the service has."""
    runs: int = 0
    requests: int = 0
    excess: float = 0.0
    """Most requests in 10 s beyond 10 times the rate."""
    fullest: int = 0
    """Requests of the fullest 10 s."""
    injected: Counter[str] = attrs.field(factory=Counter)
    broken: list[str] = attrs.field(factory=list)
    seconds: float = 0.0
    """Duration of everything, the comparison included."""
    faults_seconds: float = 0.0
    """Duration up to the last fault."""


@attrs.define(eq=False, kw_only=True)
class BrokenImport:
    """Import in processes of its own, which is begun again after each kill of its coordinator."""

    rng: random.Random
    server: FaultServer
    folder: Path
    rate: float
    marked: bool
    workers: int
    source: Path
    dask: bool
    stack: contextlib.ExitStack
    cluster: DaskProcesses | None = None
    found: Found = attrs.field(factory=Found)
    output: list[str] = attrs.field(factory=list)
    _import_map: Path = attrs.field(init=False)
    _stopped: set[int] = attrs.field(factory=set)
    """Workers that stand still."""
    _waking: set[asyncio.Task[None]] = attrs.field(factory=set)
    _coordinator: asyncio.subprocess.Process | None = None
    _reading: asyncio.Task[None] | None = None

    def __attrs_post_init__(self) -> None:
        self._import_map = write_map(self.folder)

    async def carry_out(self, faults: list[str]) -> None:
        """Run the import until it is finished, through all faults."""
        began = time.monotonic()
        for fault in faults:
            await self._until_rows_go()
            await asyncio.sleep(self.rng.uniform(0.2, 1.8))  # a random moment is the purpose
            await self._apply(fault)
        self.found.faults_seconds = time.monotonic() - began
        for _ in range(_MOST_RUNS):
            await self._until_rows_go()
            if await self._end() == 0 or not self.marked:  # without one rows stay in doubt
                break
        else:
            self.found.broken.append(f"not complete after {_MOST_RUNS} further runs: {self.output[-1]}")
        await asyncio.gather(*self._waking)

    # --- runs ---------------------------------------------------------------------------------

    async def _until_rows_go(self) -> None:
        """See that an import runs, and wait until it sends rows (or ends)."""
        if self._coordinator is None or self._coordinator.returncode is not None:
            await self._begin()
        assert self._reading is not None
        seen = len(self.output)
        while not self._reading.done():
            if any(line.startswith("rows") for line in self.output[seen:]):
                return
            await asyncio.sleep(0.02)

    async def _begin(self) -> None:
        await asyncio.to_thread(self._start_cluster)
        where = ["--dask", self.cluster.address] if self.cluster else ["--processes", str(self.workers)]
        marker = ["--marker", MARKER] if self.marked else []
        arguments = [str(self.source), str(self._import_map), *where, *marker, "--rate", str(self.rate)]
        self.found.runs += 1
        self._coordinator = await asyncio.create_subprocess_exec(
            *_CHILD,
            *arguments,
            env=os.environ | self.server.variables | environment(f"sent:{self.folder}"),
            stdout=asyncio.subprocess.PIPE,
            stderr=(self.folder / "stderr.log").open("ab"),
        )
        self._reading = asyncio.create_task(self._read(self._coordinator))

    def _start_cluster(self) -> None:
        if not self.dask or (self.cluster is not None and self.cluster.scheduler.poll() is None):
            return
        folder = self.folder / f"dask{self.found.runs}"
        folder.mkdir()
        variables = environment(f"sent:{self.folder}")
        self.cluster = self.stack.enter_context(DaskProcesses(folder, variables=variables))
        for _ in range(self.workers):
            self.cluster.add_worker()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self.output.append(line.decode().rstrip())
        await process.wait()

    async def _end(self) -> int:
        """Wait for the end of the run; return its status, and 1 if rows are left that could be sent."""
        assert self._coordinator is not None
        assert self._reading is not None
        await asyncio.wait_for(self._reading, _LONGEST)
        status = await self._coordinator.wait()
        if status:
            self.found.broken.append(f"exit status {status}: {self.output[-1]}")
            return status
        summary = json.loads(self.output[-1].partition(" ")[2])
        if self.marked and summary["complete"] and summary["audit"]["state"] != "clean":
            self.found.broken.append(f"the audit: {summary['audit']}")
        return int(not summary["complete"])

    # --- faults -------------------------------------------------------------------------------

    async def _apply(self, fault: str) -> None:
        """Stop a worker that has a request under way: it meets the fault, or goes on without the rest."""
        worker = await stop_at_work(self.folder, self._workers)
        if worker is None:
            self.found.broken.append(f"{fault}: no row was under way, so it would prove nothing; more rows")
            return
        self.found.faults[fault] += 1
        if fault == "stop":
            self._stopped.add(worker)
            self._waking.add(asyncio.create_task(self._wake(worker)))
            return
        if fault == "kill":
            os.kill(worker, signal.SIGKILL)
            if self.cluster is not None:
                await asyncio.to_thread(self.cluster.replace_worker, worker)
            return
        assert self._coordinator is not None
        killed = self.cluster.scheduler if self.cluster and fault == "scheduler" else self._coordinator
        with contextlib.suppress(ProcessLookupError):
            killed.kill()
        _go_on(worker)
        await (self._scheduler_ended() if fault == "scheduler" else self._coordinator_ended())

    async def _wake(self, process: int) -> None:
        await asyncio.sleep(self.rng.uniform(LEASE, LEASE + DEADLINE + 1.5))
        self._stopped.discard(process)
        _go_on(process)

    async def _coordinator_ended(self) -> None:
        assert self._reading is not None
        await self._reading

    async def _scheduler_ended(self) -> None:
        """Wait for the coordinator, which must end by itself, and say why, unless all was done."""
        assert self.cluster is not None
        assert self._reading is not None
        self.cluster.scheduler.wait()
        await asyncio.wait_for(self._reading, 60)
        if "scheduler" not in self.output[-1] and '"complete": true' not in self.output[-1]:
            self.found.broken.append(f"the end of the scheduler: {self.output[-1]}")

    def _workers(self) -> list[int]:
        """Return the processes of the workers that run, in a random order."""
        if self.cluster is not None:
            running = [each.pid for each in self.cluster.workers if each.poll() is None]
        else:
            assert self._coordinator is not None
            running = _children(self._coordinator.pid)
        running = [process for process in running if process not in self._stopped]
        self.rng.shuffle(running)
        return running


def _go_on(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:  # it has ended
        return []
    return [int(each) for each in text.split()]
