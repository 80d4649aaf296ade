"""Imports in real processes, killed at random moments and repeated until they are finished."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from tests.chaos.fault_server import FaultServer
from tests.chaos.import_checks import broken_promises, missing_in_files, stored_rows
from tests.support.import_files import MARKER, write_map, write_rows
from wosdk_async.jobs.journal import State

SETTLE = 2.5  # seconds; every commit is late by less
_LATE = 0.6
_CLI = [sys.executable, "-c", "from wosdk_async.cli import main; main()", "import"]
_CHILD = [sys.executable, "-m", "tests.chaos.import_child"]
_FIRST = ("start", "references", "references", "first row")  # only the first run creates records
_MOMENTS = ("start", "first row", "rows", "rows", "settling", "settling", "files", "files", "command")
_KILLS_OF_A_JOB = 5
_LONGEST = 180.0  # seconds that a run may take


@attrs.frozen(kw_only=True)
class Killing:
    """Result of the kills in one mode."""

    jobs: int
    kills: Counter[str]
    """Kills by what the import was doing at the time."""
    states: Counter[State]
    there: int
    """Rows in doubt whose records exist."""
    most_sending: int
    """Maximum number of rows that one kill left in state SENDING."""
    injected: Counter[str]
    broken: list[str]
    seconds: float


def _faults(seed: int) -> dict[str, Any]:
    create = {"operation": "WoCreateCommand"}
    return {
        "seed": seed,
        "rule": [
            {"fault": "latency", "operation": "command", "lognormal": {"p50": 0.04, "p99": 0.2}},
            {"fault": "reset", **create, "rate": 0.02, "carried_out": True},
            {"fault": "reset", **create, "rate": 0.01},
            {"fault": "status", **create, "rate": 0.02, "status": 502, "body": "html", "carried_out": True},
            {"fault": "late_commit", **create, "rate": 0.01, "after": _LATE, "hold": 0.05},
            {"fault": "half_reply", **create, "rate": 0.01},
            {"fault": "reset", "operation": "create", "rate": 0.2, "carried_out": True},
            {"fault": "reset", "operation": "query", "rate": 0.02},
        ],
    }


async def kill_imports(
    kills: int, *, marked: bool, seed: int, folder: Path, rows: int = 200, limit: int = 16
) -> Killing:
    """Kill imports of ``rows`` rows ``kills`` times, and compare their journals with the store."""
    started = time.monotonic()
    with FaultServer(folder / "sandbox.db") as server:
        server.load(_faults(seed))
        killer = _Killer(random.Random(f"{seed} {marked}"), server, folder, marked, rows, limit)
        while killer.kills.total() < kills:
            await killer.kill_job(kills - killer.kills.total())
        server.load({})
        server.wait_for_late(30)
        await killer.compare()
    return Killing(
        jobs=killer.jobs,
        kills=killer.kills,
        states=killer.states,
        there=killer.there,
        most_sending=killer.most_sending,
        injected=server.injected,
        broken=killer.broken,
        seconds=time.monotonic() - started,
    )


@attrs.define(eq=False)
class _Killer:
    rng: random.Random
    server: FaultServer
    folder: Path
    marked: bool
    rows: int
    limit: int
    jobs: int = 0
    kills: Counter[str] = attrs.field(factory=Counter)
    states: Counter[State] = attrs.field(factory=Counter)
    there: int = 0
    most_sending: int = 0
    broken: list[str] = attrs.field(factory=list)

    async def kill_job(self, most: int) -> None:
        """Begin a job, kill it up to ``most`` times, and finish it."""
        self.jobs += 1
        source = write_rows(
            self.folder / f"rows{self.jobs}.csv", self.rows, prefix=self._prefix(self.jobs), customers=5
        )
        import_map = write_map(self.folder)
        moments = [self.rng.choice(_FIRST), *self.rng.choices(_MOMENTS, k=_KILLS_OF_A_JOB - 1)][:most]
        for moment in [*moments, "never", "never"]:
            before = await self._sending(source)
            if await self._run(source, import_map, moment):
                self.kills[moment] += 1
                left = await self._sending(source)
                self.most_sending = max(self.most_sending, left)
                if left - before > 2 * self.limit:
                    self.broken.append(
                        f"job {self.jobs}: a kill ({moment}) left {left - before} rows in sending"
                    )

    def _prefix(self, job: int) -> str:
        return f"J{job}-"

    def _job_folder(self, job: int) -> Path:
        return self.folder / f"rows{job}.csv.job"

    async def _sending(self, source: Path) -> int:
        return len(await stored_rows(Path(f"{source}.job"), State.SENDING))

    async def _run(self, source: Path, import_map: Path, moment: str) -> bool:
        by_command = moment == "command"
        marker = ["--marker", MARKER] if self.marked else []
        if by_command:
            arguments = [*_CLI, str(source), "--map", str(import_map), *marker]
            arguments += ["--concurrency", str(self.limit), "--yes"]
        else:
            arguments = [*_CHILD, str(source), str(import_map), *marker]
            arguments += ["--settle", str(SETTLE), "--limit", str(self.limit)]
        process = await asyncio.create_subprocess_exec(
            *arguments,
            env={**os.environ, **self.server.variables},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output: list[str] = []
        reading = asyncio.create_task(_read(process, output))
        killing = asyncio.create_task(self._kill_at(process, moment, output))
        await asyncio.wait([reading, killing], timeout=_LONGEST, return_when=asyncio.FIRST_COMPLETED)
        if not (reading.done() or killing.done()):  # a second kill would take the exit status from asyncio
            process.kill()
        errors = (await process.stderr.read()).decode() if process.stderr is not None else ""
        status = await process.wait()
        killing.cancel()
        await asyncio.wait([reading, killing])
        if status not in (0, 1, -signal.SIGKILL) or (moment == "never" and status):
            self.broken.append(
                f"job {self.jobs}: exit status {status} ({moment}): {output[-1:]} {errors[-1500:]}"
            )
        return status == -signal.SIGKILL

    async def _kill_at(self, process: asyncio.subprocess.Process, moment: str, output: list[str]) -> None:
        random = self.rng.random
        if moment == "never":
            await asyncio.Event().wait()
        elif moment == "start":
            await asyncio.sleep(0.3 + random() * 1.0)  # the moment is random on purpose, here and below
        elif moment == "command":
            await asyncio.sleep(0.5 + random() * 2.5)
        else:
            delay, happened = self._event(moment, output)
            while not happened():
                await asyncio.sleep(0.002)
            await asyncio.sleep(delay * random())
        if process.returncode is None:
            process.kill()

    def _event(self, moment: str, output: list[str]) -> tuple[float, Callable[[], bool]]:
        """Return the longest delay before the kill, and a function that says whether the moment has come."""
        if moment == "files":
            part = self._job_folder(self.jobs) / "results.csv.part"
            return 0.05, part.exists
        delay, text, number = {
            "references": (0.1, "stage creating", 1),
            "first row": (0.02, "row", 1),
            "rows": (0.05, "row", self.rng.randint(2, self.rows // 2)),
            "settling": (SETTLE, "stage rows in doubt", 1),
        }[moment]
        return delay, lambda: sum(line.startswith(text) for line in output) >= number

    async def compare(self) -> None:
        there = self.server.orders()
        for job in range(1, self.jobs + 1):
            folder, prefix = self._job_folder(job), self._prefix(job)
            rows = await stored_rows(folder)
            keys = {row: f"{prefix}{row}" for row in range(1, self.rows + 1)}
            problems = broken_promises(rows, keys, there, marked=self.marked) + missing_in_files(folder, rows)
            self.broken += [f"job {job}: {problem}" for problem in problems]
            self.states.update(row.state for row in rows)
            self.there += sum(row.state == State.IN_DOUBT and bool(there[keys[row.row]]) for row in rows)


async def _read(process: asyncio.subprocess.Process, output: list[str]) -> None:
    assert process.stdout is not None
    while line := await process.stdout.readline():
        output.append(line.decode().rstrip())
