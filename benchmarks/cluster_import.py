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
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import attrs

from benchmarks.cluster_child import DEADLINE, LEASE
from benchmarks.cluster_notes import environment, highest_excess, sent, stop_at_work
from benchmarks.dask_processes import DaskProcesses
from benchmarks.fault_server import FaultServer
from benchmarks.jobs_checks import broken_promises, missing_in_files, stored_rows
from benchmarks.jobs_files import MARKER, write_map, write_rows
from wosdk_async.jobs.journal import State

__all__ = ["Faults", "Found", "break_workers"]

_CHILD = [sys.executable, "-m", "benchmarks.cluster_child"]
_LONGEST = 560.0  # seconds of one job
_WAITS = 4  # responses that ask to wait, about so many in a job
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
    runs: int = 0
    requests: int = 0
    excess: float = 0.0
    """Most requests in 10 s beyond 10 times the rate."""
    fullest: int = 0
    """Requests of the fullest 10 s."""
    injected: dict[str, int] = attrs.field(factory=dict)
    broken: list[str] = attrs.field(factory=list)
    seconds: float = 0.0
    """Duration of everything, the comparison included."""
    faults_seconds: float = 0.0
    """Duration up to the last fault."""


@attrs.define(eq=False, kw_only=True)
class _BrokenImport:
    """Import in processes of its own, which is begun again after each kill of its coordinator."""

    rng: random.Random
    server: FaultServer
    folder: Path
    rate: float
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
            if await self._end() == 0:
                break
        else:
            self.found.broken.append(f"not complete after {_MOST_RUNS} further runs: {self.output[-1]}")
        await asyncio.gather(*self._waking)

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
        arguments: list[str | Path] = [
            self.source,
            self._import_map,
            *where,
            "--marker",
            MARKER,
            "--rate",
            str(self.rate),
        ]
        self.found.runs += 1
        self._coordinator = await asyncio.create_subprocess_exec(
            *_CHILD,
            *arguments,
            env=os.environ | self.server.variables | environment(self.folder),
            stdout=asyncio.subprocess.PIPE,
            stderr=(self.folder / "stderr.log").open("ab"),
        )
        self._reading = asyncio.create_task(self._read(self._coordinator))

    def _start_cluster(self) -> None:
        if not self.dask or (self.cluster is not None and self.cluster.scheduler.poll() is None):
            return
        folder = self.folder / f"dask{self.found.runs}"
        folder.mkdir()
        variables = environment(self.folder)
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
        if summary["complete"] and summary["audit"]["state"] != "clean":
            self.found.broken.append(f"the audit: {summary['audit']}")
        return int(not summary["complete"])

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


async def break_workers(
    faults: Faults, *, dask: bool, seed: int, folder: Path, rows: int, workers: int, rate: float
) -> Found:
    """Import so many rows through all faults, and compare the journal with the store."""
    started = time.monotonic()
    with FaultServer(folder / "sandbox.db") as server, contextlib.ExitStack() as stack:
        server.load(_service(seed, rows))
        job = _BrokenImport(
            rng=random.Random(f"{seed} {dask}"),
            server=server,
            folder=folder,
            rate=rate,
            workers=workers,
            source=write_rows(folder / "rows.csv", rows, prefix="J", customers=5),
            stack=stack,
            dask=dask,
        )
        async with asyncio.timeout(_LONGEST):
            await job.carry_out(faults.shuffled(job.rng, dask=dask))
        server.load({})
        server.wait_for_late(30)
        await _compare(job, rows)
    found = job.found
    found.injected = dict(server.injected)
    requests = sent(folder)
    found.requests, (found.fullest, found.excess) = len(requests), highest_excess(requests, rate)
    found.seconds = time.monotonic() - started
    return found


def _service(seed: int, rows: int) -> dict[str, Any]:
    """Return faults of a service whose commits take less than half a second.

    It asks to wait a few times only, however many rows there are: each time halves the rate for a while.
    """
    create = {"operation": "WoCreateCommand"}
    return {
        "seed": seed,
        "rule": [
            {"fault": "latency", "operation": "command", "lognormal": {"p50": 0.01, "p99": 0.1}},
            {"fault": "reset", **create, "rate": 0.005, "carried_out": True},
            {"fault": "reset", **create, "rate": 0.005},
            {"fault": "late_commit", **create, "rate": 0.002, "after": 0.4, "hold": 0.05},
            {"fault": "status", **create, "rate": min(_WAITS / rows, 1.0), "status": 429, "retry_after": 1},
        ],
    }


async def _compare(job: _BrokenImport, rows: int) -> None:
    """Compare the journal with the store."""
    there = defaultdict(list)
    for order in job.server.orders():
        there[order["PoNumber"]].append(order["Id"])
    folder = Path(f"{job.source}.job")
    stored = await stored_rows(folder)
    keys = {row: f"J{row}" for row in range(1, rows + 1)}
    job.found.broken += broken_promises(stored, keys, there, marked=True)
    job.found.broken += missing_in_files(folder, stored)
    job.found.states.update(row.state for row in stored)
