"""Programs of a walk: each is a process of its own, which may be killed at one of its points."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.simulation.import_service import ProcessEngine
from tests.simulation.killed_process import KilledJournal, Process
from tests.simulation.walks.ledgers import ledger_rows
from tests.simulation.walks.service import Contact, WalkService
from wosdk_async import CallOptions, Client, Company, Region
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.imports.job_settling import decide, settle_job
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.undo.reversal import Undo
from wosdk_async.transport.clock import TransportClock

_DEADLINE, _SETTLE = 8.0, 20.0  # so that a row whose request was lost is in doubt for the import, too
_ROOT = "https://sandbox.sim"
_LIMIT = 3
_LONG = 3600.0  # seconds after which a program hangs

KILLED = object()
"""Result of a program that was killed."""


@attrs.define(eq=False)
class Programs:
    """Starts programs, one at a time."""

    service: WalkService
    zombies: list[asyncio.Task[Any]] = attrs.field(factory=list)

    async def carry_out(self, program: Callable[[Company], Awaitable[Any]], kill: int | None) -> Any:
        """Return the result of a program, or :data:`KILLED`; what it raises is raised."""
        process = Process(kill)
        KilledJournal.process = process
        task = asyncio.ensure_future(self._connected(process, program))
        dead = asyncio.ensure_future(process.dead.wait())
        await asyncio.wait([task, dead], return_when=asyncio.FIRST_COMPLETED, timeout=_LONG)
        if process.dead.is_set() or not task.done():
            hangs = not process.dead.is_set()
            process.dead.set()
            task.cancel()  # it ends in the background, and does nothing that anyone sees
            self.zombies.append(task)
            if hangs:
                raise TimeoutError(f"the program hangs after {len(process.points)} points")
            return KILLED
        dead.cancel()
        return task.result()

    async def _connected(self, process: Process, program: Callable[[Company], Awaitable[Any]]) -> Any:
        clock = TransportClock(now=asyncio.get_running_loop().time)
        client = Client(
            region=Region("simulated", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
            credentials=self.service.credentials,
            company="AcmeFacilities",
            trusted_hosts=("sandbox.sim",),
            options=CallOptions(deadline=_DEADLINE, settle=_SETTLE),
            clock=clock,
            telemetry=False,
            engine=lambda _: ProcessEngine(process, self.service),
        )
        async with client:
            return await program(client.company())

    async def imported(self, path: Path, map_path: Path, kill: int | None, **options: Any) -> Any:
        """Import a file; return the summary, or :data:`KILLED`."""

        async def program(company: Company) -> Any:
            job = Import(CsvFile(path), ImportMap.load(map_path), limit=_LIMIT, **options)
            await job.open(company, journals=KilledJournal)
            return await job.run(company)

        return await self.carry_out(program, kill)

    async def undone(self, folder: Path, which: str, references: bool, kill: int | None) -> Any:
        """Undo the ``last`` run that sent rows, the ``first`` one, or ``all``."""

        async def program(company: Company) -> Any:
            journal = KilledJournal.open(folder)
            try:
                run = {"last": await journal.last_sending_run(), "first": 1, "all": None}[which]
                undo = Undo(company=company, journal=journal, of_run=run, references=references)
                return await undo.run()
            finally:
                await journal.close()

        return await self.carry_out(program, kill)

    async def settled(self, folder: Path, kill: int | None) -> Any:
        """Look up the rows in doubt."""

        async def program(company: Company) -> Any:
            journal = KilledJournal.open(folder)
            try:
                return await settle_job(journal, company)
            finally:
                await journal.close()

        return await self.carry_out(program, kill)

    async def decided(self, folder: Path, before: int, kill: int | None) -> Any:
        """Decide all rows in doubt, as an honest person does who looks at the records.

        Args:
            folder: the ledger.
            before: id of the last record that was there when the ledger began.
            kill: the point at which the program is killed.
        """

        async def program(_: Company) -> Any:
            rows = ledger_rows(folder)
            known = {row.id for row in rows if row.state is State.DONE}
            there = [each for each in self.service.contacts() if each.id > before and not each.removed]
            lost = [each for each in there if each.id not in known]
            journal = KilledJournal.open(folder)
            try:
                for row in rows:
                    if row.state in (State.IN_DOUBT, State.SENDING):
                        mine = _records_of(row.name, lost)
                        if mine:
                            lost.remove(mine[-1])
                        await decide(journal, row.row, mine[-1].id if mine else None, "somebody")
            finally:
                await journal.close()

        return await self.carry_out(program, kill)


def _records_of(name: str, records: Sequence[Contact]) -> list[Contact]:
    """Return the records of a row in doubt, the best last; a reject may have had another key or note."""
    cells, key = set(name.split(", ")), _plain(name)
    found = [each for each in records if each.tag in cells or _plain(each.code) == key]
    return sorted(found, key=lambda each: (each.note in cells, each.id))


def _plain(key: str) -> str:
    return key.removeprefix("N").rstrip("x")
