"""Imports on many workers, of which everything is killed or stopped at random moments (Linux)."""

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
from benchmarks.cluster_hooks import environment, sent
from benchmarks.cluster_rates import highest_excess
from benchmarks.dask_processes import DaskProcesses
from benchmarks.fault_server import FaultServer
from benchmarks.jobs_checks import broken_promises, missing_in_files, stored_rows
from benchmarks.jobs_files import MARKER, write_map, write_rows
from wosdk_async.jobs.journal import State

__all__ = ["Faults", "Found", "break_workers"]

_CHILD = [sys.executable, "-m", "benchmarks.cluster_child"]
_LONGEST = 500.0  # seconds of one job
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

    def shuffled(self, rng: random.Random, *, dask: bool) -> list[str]:
        """Return the faults in a random order."""
        kinds = ["kill"] * self.kills + ["stop"] * self.stops + ["coordinator"] * self.coordinators
        kinds += ["scheduler"] * self.schedulers * dask
        rng.shuffle(kinds)
        return kinds


@attrs.define(kw_only=True)
class Found:
    """What became of one job."""

    faults: Counter[str] = attrs.field(factory=Counter)
    states: Counter[State] = attrs.field(factory=Counter)
    there: int = 0
    """Rows in doubt that the service has."""
    runs: int = 0
    requests: int = 0
    excess: float = 0.0
    """Most requests in 10 s beyond 10 times the rate."""
    injected: Counter[str] = attrs.field(factory=Counter)
    broken: list[str] = attrs.field(factory=list)
    seconds: float = 0.0


async def break_workers(
    faults: Faults, *, dask: bool, marked: bool, seed: int, folder: Path, rows: int, workers: int, rate: float
) -> Found:
    """Import so many rows through all faults, and compare the journal with the store."""
    started = time.monotonic()
    with FaultServer(folder / "sandbox.db") as server, contextlib.ExitStack() as stack:
        server.load(_service(seed))
        job = _Job(
            rng=random.Random(f"{seed} {dask} {marked}"),
            server=server,
            folder=folder,
            rate=rate,
            marked=marked,
            workers=workers,
            source=write_rows(folder / "rows.csv", rows, prefix="J", customers=5),
            stack=stack,
            dask=dask,
        )
        async with asyncio.timeout(_LONGEST + 60):
            await job.carry_out(faults.shuffled(job.rng, dask=dask))
        server.load({})
        server.wait_for_late(30)
        await job.compare(rows)
    found = job.found
    found.injected = server.injected
    requests = sent(folder)
    found.requests, found.excess = len(requests), highest_excess(requests, rate)
    found.seconds = time.monotonic() - started
    return found


def _service(seed: int) -> dict[str, Any]:
    """Return faults of a service whose commits take less than half a second."""
    create = {"operation": "WoCreateCommand"}
    return {
        "seed": seed,
        "rule": [
            {"fault": "latency", "operation": "command", "lognormal": {"p50": 0.01, "p99": 0.1}},
            {"fault": "reset", **create, "rate": 0.005, "carried_out": True},
            {"fault": "reset", **create, "rate": 0.005},
            {"fault": "late_commit", **create, "rate": 0.002, "after": 0.4, "hold": 0.05},
            {"fault": "status", **create, "rate": 0.001, "status": 429, "retry_after": 1},
        ],
    }


@attrs.define(eq=False, kw_only=True)
class _Job:
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
    _waking: set[asyncio.Task[None]] = attrs.field(factory=set)
    _coordinator: asyncio.subprocess.Process | None = None
    _reading: asyncio.Task[None] | None = None

    def __attrs_post_init__(self) -> None:
        self._import_map = write_map(self.folder)

    async def carry_out(self, faults: list[str]) -> None:
        """Run the import until it is finished, through all faults."""
        for fault in faults:
            await self._until_rows_go()
            await asyncio.sleep(self.rng.uniform(0.2, 1.8))  # a random moment is the purpose
            await self._apply(fault)
            self.found.faults[fault] += 1
        for _ in range(_MOST_RUNS):
            await self._until_rows_go()
            if await self._end() == 0 or not self.marked:
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
        await {
            "kill": self._kill_worker,
            "stop": self._stop_worker,
            "coordinator": self._kill_coordinator,
            "scheduler": self._kill_scheduler,
        }[fault]()

    async def _kill_worker(self) -> None:
        if process := self._worker():
            os.kill(process, signal.SIGKILL)
            if self.cluster is not None:
                await asyncio.to_thread(self.cluster.replace_worker, process)

    async def _stop_worker(self) -> None:
        if process := self._worker():
            os.kill(process, signal.SIGSTOP)
            self._waking.add(asyncio.create_task(self._wake(process)))

    async def _wake(self, process: int) -> None:
        await asyncio.sleep(self.rng.uniform(LEASE, LEASE + DEADLINE + 1.5))
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)

    async def _kill_coordinator(self) -> None:
        assert self._coordinator is not None
        assert self._reading is not None
        with contextlib.suppress(ProcessLookupError):
            self._coordinator.kill()
        await self._reading

    async def _kill_scheduler(self) -> None:
        """Kill the scheduler; the coordinator must end by itself, and say why, unless all was done."""
        assert self.cluster is not None
        assert self._reading is not None
        self.cluster.scheduler.kill()
        self.cluster.scheduler.wait()
        await asyncio.wait_for(self._reading, 60)
        if "scheduler" not in self.output[-1] and '"complete": true' not in self.output[-1]:
            self.found.broken.append(f"the end of the scheduler: {self.output[-1]}")

    def _worker(self) -> int | None:
        """Return the process of some worker that runs."""
        if self.cluster is not None:
            running = [each.pid for each in self.cluster.workers if each.poll() is None]
        else:
            assert self._coordinator is not None
            running = _children(self._coordinator.pid)
        return self.rng.choice(running) if running else None

    # --- what it came to ----------------------------------------------------------------------

    async def compare(self, rows: int) -> None:
        """Compare the journal with the store."""
        there = defaultdict(list)
        for order in self.server.orders():
            there[order["PoNumber"]].append(order["Id"])
        folder = Path(f"{self.source}.job")
        stored = await stored_rows(folder)
        keys = {row: f"J{row}" for row in range(1, rows + 1)}
        found = self.found
        found.broken += broken_promises(stored, keys, there, marked=self.marked)
        found.broken += missing_in_files(folder, stored)
        found.broken += [f"{name} is left" for name in os.listdir(folder) if name.startswith("left-")]
        found.states.update(row.state for row in stored)
        found.there = sum(row.state == State.IN_DOUBT and bool(there[keys[row.row]]) for row in stored)


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:  # it has ended
        return []
    return [int(each) for each in text.split()]
