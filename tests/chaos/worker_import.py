"""One import on many workers; its processes are killed or stopped while they send rows (Linux)."""

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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from tests.chaos.dask_processes import DaskProcesses
from tests.chaos.fault_server import FaultServer
from tests.chaos.import_checks import broken_promises, missing_in_files, stored_rows
from tests.chaos.worker_notes import environment, highest_excess, sent, stop_at_work
from tests.support.import_files import MARKER, write_map, write_rows
from wosdk_async.jobs.journal import State

_NOTED = "from tests.chaos import import_child, worker_notes; worker_notes.install(); import_child.main()"
_LEASE, _DEADLINE, _SETTLE = 3.0, 2.0, 1.0  # seconds
_LONGEST = 560.0  # seconds of one job
_WAITS = 4  # approximate number of responses per job that ask the client to wait
_MAX_RUNS = 6  # after the last fault


@attrs.frozen(kw_only=True)
class Effort:
    """Size of an import, and the number of faults of each kind.

    ``kill`` is SIGKILL for a worker. ``stop`` is SIGSTOP, followed by SIGCONT once the worker's leases are
    over. ``coordinator``, and ``scheduler`` of a Dask cluster, are SIGKILL for that process, after which the
    command is repeated.
    """

    rows: int
    workers: int
    rate: float
    faults: Mapping[str, int]
    cost_rows: int


@attrs.define(kw_only=True)
class Found:
    faults: Counter[str] = attrs.field(factory=Counter)
    """Faults that hit a worker while it was sending a row."""
    states: Counter[State] = attrs.field(factory=Counter)
    runs: int = 0
    requests: int = 0
    excess: float = 0.0
    """Maximum number of requests in 10 s, minus 10 times the rate."""
    fullest: int = 0
    """Maximum number of requests in 10 s."""
    injected: dict[str, int] = attrs.field(factory=dict)
    broken: list[str] = attrs.field(factory=list)
    seconds: float = 0.0
    """Total duration, including the comparison."""
    faults_seconds: float = 0.0
    """Duration until the last fault."""


def write_import(folder: Path, rows: int) -> list[str]:
    """Write the files of an import, and return the arguments of its process."""
    source = write_rows(folder / "rows.csv", rows, prefix="J", customers=5)
    times = ["--lease", str(_LEASE), "--deadline", str(_DEADLINE), "--settle", str(_SETTLE)]
    return [str(source), str(write_map(folder)), *times, "--marker", MARKER, "--every", "100"]


@attrs.define(eq=False)
class _BrokenImport:
    """Import in its own processes, restarted after each kill of its coordinator."""

    effort: Effort
    dask: bool
    rng: random.Random
    folder: Path
    server: FaultServer
    stack: contextlib.ExitStack
    arguments: list[str]
    found: Found = attrs.field(factory=Found)
    _cluster: DaskProcesses | None = None
    _output: list[str] = attrs.field(factory=list)
    _stopped: set[int] = attrs.field(factory=set)
    """Workers that are stopped."""
    _waking: set[asyncio.Task[None]] = attrs.field(factory=set)
    _coordinator: asyncio.subprocess.Process = attrs.field(init=False)
    _reading: asyncio.Task[None] = attrs.field(init=False)

    async def carry_out(self) -> None:
        """Run the import until it is finished, with all faults in random order."""
        began = time.monotonic()
        numbers = self.effort.faults.items()
        kinds = [kind for kind, number in numbers for _ in range(number) if self.dask or kind != "scheduler"]
        self.rng.shuffle(kinds)
        await self._begin()
        for fault in kinds:
            await self._until_rows_go()
            await asyncio.sleep(self.rng.uniform(0.2, 1.8))  # the moment is random on purpose
            await self._apply(fault)
        self.found.faults_seconds = time.monotonic() - began
        for _ in range(_MAX_RUNS):
            await self._until_rows_go()
            if await self._is_finished():
                break
        else:
            self.found.broken.append(f"not complete after {_MAX_RUNS} further runs: {self._output[-1]}")
        await asyncio.gather(*self._waking)

    async def _until_rows_go(self) -> None:
        """If no import runs, start one; wait until the import sends rows or ends."""
        if self._reading.done():
            await self._begin()
        seen = len(self._output)
        while not self._reading.done():
            if any(line.startswith("row ") for line in self._output[seen:]):
                return
            await asyncio.sleep(0.02)

    async def _begin(self) -> None:
        if self.dask and (self._cluster is None or self._cluster.scheduler.poll() is not None):
            await asyncio.to_thread(self._start_cluster)
        where = ["--processes", str(self.effort.workers)]
        if self._cluster is not None:
            where = ["--dask", self._cluster.address]
        command = [sys.executable, "-c", _NOTED, *self.arguments, *where]
        self.found.runs += 1
        self._coordinator = await asyncio.create_subprocess_exec(
            *(*command, "--rate", str(self.effort.rate), "--limit", "24"),
            env=os.environ | self.server.variables | environment(self.folder),
            stdout=asyncio.subprocess.PIPE,
            stderr=(self.folder / "stderr.log").open("ab"),
        )
        self._reading = asyncio.create_task(self._read(self._coordinator))

    def _start_cluster(self) -> None:
        folder = self.folder / f"dask{self.found.runs}"
        folder.mkdir()
        cluster = DaskProcesses(folder, variables=environment(self.folder))
        self._cluster = self.stack.enter_context(cluster)
        for _ in range(self.effort.workers):
            cluster.add_worker()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self._output.append(line.decode().rstrip())
        await process.wait()

    async def _is_finished(self) -> bool:
        """Wait for the end of the run; return whether no rows remain to be sent."""
        await self._reading
        if status := self._coordinator.returncode:
            self.found.broken.append(f"exit status {status}: {self._output[-1]}")
            return False
        summary = json.loads(self._output[-1].partition(" ")[2])
        if summary["complete"] and summary["audit"]["state"] != "clean":
            self.found.broken.append(f"the audit: {summary['audit']}")
        return bool(summary["complete"])

    async def _apply(self, fault: str) -> None:
        """Apply the fault to a worker that is sending a row; resume the worker if it is not the target."""
        worker = await stop_at_work(self.folder, self._workers)
        if worker is None:
            self.found.broken.append(f"{fault}: no row was under way, so it would prove nothing; more rows")
            return
        self.found.faults[fault] += 1
        if fault == "stop":
            self._stopped.add(worker)
            self._waking.add(asyncio.create_task(self._wake(worker)))
        elif fault == "kill":
            os.kill(worker, signal.SIGKILL)
            if self._cluster is not None:
                await asyncio.to_thread(self._cluster.replace_worker, worker)
        elif self._cluster is not None and fault == "scheduler":
            self._cluster.scheduler.kill()
            self._cluster.scheduler.wait()
            _resume(worker)
            async with asyncio.timeout(60):  # the coordinator must end by itself, and report the cause
                await self._reading
            if "scheduler" not in self._output[-1] and '"complete": true' not in self._output[-1]:
                self.found.broken.append(f"the end of the scheduler: {self._output[-1]}")
        else:
            with contextlib.suppress(ProcessLookupError):
                self._coordinator.kill()
            _resume(worker)
            await self._reading

    async def _wake(self, process: int) -> None:
        await asyncio.sleep(self.rng.uniform(_LEASE, _LEASE + _DEADLINE + 1.5))
        self._stopped.discard(process)
        _resume(process)

    def _workers(self) -> list[int]:
        """Return the process ids of the running workers, in random order."""
        if self._cluster is not None:
            running = [each.pid for each in self._cluster.workers if each.poll() is None]
        else:
            running = _children(self._coordinator.pid)
        running = [process for process in running if process not in self._stopped]
        self.rng.shuffle(running)
        return running

    async def compare(self) -> None:
        folder = self.folder / "rows.csv.job"
        stored = await stored_rows(folder)
        keys = {row: f"J{row}" for row in range(1, self.effort.rows + 1)}
        self.found.broken += broken_promises(stored, keys, self.server.orders(), marked=True)
        self.found.broken += missing_in_files(folder, stored)
        self.found.states.update(row.state for row in stored)


def _resume(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:  # the process has ended
        return []
    return [int(each) for each in text.split()]


async def break_workers(effort: Effort, *, dask: bool, seed: int, folder: Path) -> Found:
    """Import ``effort.rows`` rows through all faults, and compare the journal with the store."""
    started = time.monotonic()
    with FaultServer(folder / "sandbox.db") as server, contextlib.ExitStack() as stack:
        server.load(_service(seed, effort.rows))
        rng, arguments = random.Random(f"{seed} {dask}"), write_import(folder, effort.rows)
        job = _BrokenImport(effort, dask, rng, folder, server, stack, arguments)
        async with asyncio.timeout(_LONGEST):
            await job.carry_out()
        server.load({})
        server.wait_for_late(30)
        await job.compare()
    found, requests = job.found, sent(folder)
    found.injected = dict(server.injected)
    found.requests, (found.fullest, found.excess) = len(requests), highest_excess(requests, effort.rate)
    found.seconds = time.monotonic() - started
    return found


def _service(seed: int, rows: int) -> dict[str, Any]:
    """Return the faults of a service whose commits take less than half a second.

    Only a few responses ask the client to wait, regardless of the number of rows, because each halves the
    rate for a while.
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
