"""Imports on virtual time, killed before and after commits and requests.

    python -m tests.simulation.killed_imports

The command kills before and after every commit and every request, each in its own run. The exit status is 1
if a promise is broken.

The program is killed at chosen points, one kill for each number in ``kills``. After each kill, the same
import is started again, until the job is finished. The service stays alive, and carries out what it has
received.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from tests.chaos.import_checks import broken_promises
from tests.simulation.import_service import CUSTOMER, LATE, FaultyService, client_of
from tests.simulation.killed_process import (
    KILLED,
    KilledJournal,
    Process,
    carry_out,
    run_now,
    run_simulation,
)
from tests.support import arguments
from tests.support.import_files import MARKER, write_map, write_rows
from wosdk_async.jobs import CsvFile, Import, ImportMap, tune_process
from wosdk_async.jobs.journal import Journal, State, StoredRow

_ROWS = 10
_LIMIT = 4
_MAX_RUNS = 8


@attrs.frozen
class KilledJob:
    """A job that was killed and restarted until it was finished."""

    points: list[list[str]]
    """Points that each run passed."""
    broken: list[str]
    states: Counter[State]


def simulate(kills: Sequence[int], *, marked: bool, seed: int, folder: Path) -> KilledJob:
    """Run an import in ``folder`` with kills at these points, and check the records of the service."""
    return run_simulation(seed, "job", _Scenario(kills, marked, folder).run)


def break_by_kills(*, marked: bool, step: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Kill a new import at every ``step``-th point; yield the point and the broken promises."""
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = simulate((), marked=marked, seed=1, folder=Path(folder))
    for kill in range(1, len(undisturbed.points[0]) + 1, step):
        with tempfile.TemporaryDirectory() as folder:
            yield kill, simulate((kill,), marked=marked, seed=1, folder=Path(folder)).broken


@attrs.define(eq=False)
class _Scenario:
    kills: Sequence[int]
    marked: bool
    folder: Path
    broken: list[str] = attrs.field(factory=list)
    points: list[list[str]] = attrs.field(factory=list)

    async def run(self) -> KilledJob:
        service = FaultyService(asyncio.get_running_loop())
        with contextlib.closing(service.store):
            await self._run_until_finished(service)
            await asyncio.sleep(2 * LATE)  # so that late requests have arrived
            return self._checked(service)

    async def _run_until_finished(self, service: FaultyService) -> None:
        source = write_rows(self.folder / "rows.csv", _ROWS)
        import_map = write_map(self.folder)
        finished = False
        for number in range(_MAX_RUNS):
            process = Process(self.kills[number] if number < len(self.kills) else None)
            before = self._states()
            result = await carry_out(process, self._program(process, service, source, import_map))
            self.points.append(process.points)
            if result is KILLED:
                self._check_kill(before)
                continue
            was_finished, finished = finished, result
            if was_finished:
                if process.creates:
                    self.broken.append("the command on a finished job sent something")
                break
        else:
            self.broken.append(f"not finished after {_MAX_RUNS} runs: {self.points}")

    async def _program(
        self, process: Process, service: FaultyService, source: Path, import_map: Path
    ) -> bool:
        async with client_of(process, service) as client:
            marker = MARKER if self.marked else None
            job = Import(CsvFile(source), ImportMap.load(import_map), marker=marker, concurrency=_LIMIT)
            await job.open(client.company(), journals=KilledJournal)
            await job.run(client.company())
        return self._is_finished()

    def _rows(self) -> list[StoredRow]:
        folder = self.folder / "rows.csv.job"
        if not (folder / "journal.db").exists():
            return []
        journal = Journal.open(folder, read_only=True, synchronous=True)
        try:
            return run_now(journal.rows_in())
        finally:
            journal.abandon()

    def _states(self) -> Counter[State]:
        return Counter(row.state for row in self._rows())

    def _is_finished(self) -> bool:
        states = self._states()
        left = states[State.PLANNED] + states[State.SENDING] + (states[State.IN_DOUBT] if self.marked else 0)
        return not left

    def _check_kill(self, before: Counter[State]) -> None:
        sending = self._states()[State.SENDING] - before[State.SENDING]
        if sending > 2 * _LIMIT:
            self.broken.append(f"{sending} rows are being sent after a kill, with {_LIMIT} calls at a time")

    def _checked(self, service: FaultyService) -> KilledJob:
        rows, there = self._rows(), service.ids("WorkOrder", "PoNumber")
        keys = {row: f"K{row}" for row in range(1, _ROWS + 1)}
        broken = self.broken + broken_promises(rows, keys, there, marked=self.marked)
        customers = service.ids("Customer", "Name")[CUSTOMER]
        if len(customers) != 1:
            broken.append(f"the customer is there {len(customers)} times")
        return KilledJob(self.points, broken, Counter(row.state for row in rows))


def main() -> int:
    """Kill an import at each of its points, with and without a marker; return 1 if a promise is broken."""
    arguments.parser("tests.simulation.killed_imports", __doc__).parse_args()
    tune_process()
    kept = True
    for marked in (True, False):
        found = dict(break_by_kills(marked=marked))
        broken = {kill: names for kill, names in found.items() if names}
        name = "with a marker" if marked else "without a marker"
        print(f"{name}: killed at each of {len(found)} points, {len(broken)} broke a promise", flush=True)
        for kill, names in broken.items():
            print(f"  point {kill}: {'; '.join(names)}")
        kept &= not broken
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
