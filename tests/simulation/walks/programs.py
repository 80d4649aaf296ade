"""Programs of a walk, each in its own process, which may be killed at one of its points."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.simulation.import_service import client_of
from tests.simulation.killed_process import KilledJournal, Process, carry_out
from tests.simulation.walks.ledgers import ledger_rows
from tests.simulation.walks.service import Contact, WalkService
from wosdk_async import Company
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.imports.verification import decide, settle_job
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.undo import Undo

_LIMIT = 3


@attrs.define(eq=False)
class Programs:
    service: WalkService

    async def carry_out(self, program: Callable[[Company], Awaitable[Any]], kill: int | None) -> Any:
        """Return the result of a program, or :data:`KILLED`; raise the program's errors."""
        process = Process(kill)

        async def connected() -> Any:
            async with client_of(process, self.service) as client:
                return await program(client.company())

        return await carry_out(process, connected())

    async def imported(self, path: Path, map_path: Path, kill: int | None, **options: Any) -> Any:
        async def program(company: Company) -> Any:
            job = Import(CsvFile(path), ImportMap.load(map_path), concurrency=_LIMIT, **options)
            await job.open(company, journals=KilledJournal)
            return await job.run(company)

        return await self.carry_out(program, kill)

    async def undone(self, folder: Path, which: str, references: bool, kill: int | None) -> Any:
        """Undo the ``last`` run that sent rows, the ``first`` one, or ``all``."""

        async def program(company: Company) -> Any:
            async with KilledJournal.open(folder) as journal:
                run = {"last": await journal.last_sending_run(), "first": 1, "all": None}[which]
                undo = Undo(company=company, journal=journal, of_run=run, references=references)
                return await undo.run()

        return await self.carry_out(program, kill)

    async def settled(self, folder: Path, kill: int | None) -> Any:
        async def program(company: Company) -> Any:
            async with KilledJournal.open(folder) as journal:
                return await settle_job(journal, company)

        return await self.carry_out(program, kill)

    async def decided(self, folder: Path, before: int, kill: int | None) -> Any:
        """Decide all rows in doubt, like a person who looks at the records.

        Args:
            folder: folder of the ledger.
            before: id of the last record that existed when the ledger began.
            kill: point at which the program is killed.
        """

        async def program(_: Company) -> Any:
            rows = ledger_rows(folder)
            known = {row.id for row in rows if row.state is State.DONE}
            there = [each for each in self.service.contacts() if each.id > before and not each.removed]
            lost = [each for each in there if each.id not in known]
            async with KilledJournal.open(folder) as journal:
                for row in rows:
                    if row.state in (State.IN_DOUBT, State.SENDING):
                        mine = _records_of(row.name, lost)
                        if mine:
                            lost.remove(mine[-1])
                        await decide(journal, row.row, mine[-1].id if mine else None, "somebody")

        return await self.carry_out(program, kill)


def _records_of(name: str, records: Sequence[Contact]) -> list[Contact]:
    """Return the records of a row in doubt, best match last. A reject may have had another key or note."""
    cells, key = set(name.split(", ")), _plain(name)
    found = [each for each in records if each.tag in cells or _plain(each.code) == key]
    return sorted(found, key=lambda each: (each.note in cells, each.id))


def _plain(key: str) -> str:
    return key.removeprefix("N").rstrip("x")
