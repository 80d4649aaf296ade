"""Stage of an import before its rows: what they refer to is looked up, and created if it is missing."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import attrs

from wosdk_async.company import Company, is_closed
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.building import RowBuilder
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.reading import PlannedRows
from wosdk_async.jobs.reference_creation import ReferenceCreation
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.stop import ABORT_GRACE, CLOSED, Stop
from wosdk_async.protocol.writes import UNDECIDED

__all__ = ["ReferenceStage"]

_ROUNDS = 3  # times that records are created, before those in doubt are left to the next run


Settled = Callable[[Callable[[], Awaitable[bool]], str], Awaitable[bool]]
"""Function that looks until nothing is missing, or the rest is absent for certain: ``Settling.wait``."""


@attrs.define(eq=False)
class ReferenceStage:
    """Completes the index of a job: each record that rows refer to gets its id, or the reason why not."""

    company: Company
    rows: PlannedRows
    builder: RowBuilder
    index: ReferenceIndex
    limit: int
    stop: Stop

    async def complete(self, settled: Settled, on_stage: Callable[[str], None]) -> None:
        """Look up the records of all names, and create those that are missing and that a row can use.

        Args:
            settled: decides what earlier runs, or calls of this one, left in doubt.
            on_stage: called with a text that says what is being done.

        Raises:
            ImportMapError: a record that all rows need does not exist.
            WosdkError: the lookup failed; nothing was created.
        """
        company, index, limit = self.company, self.index, self.limit
        import_map, journal = self.builder.import_map, self.rows.journal
        await index.look_up(company, limit)
        doubts = [each for each in await journal.references() if each.state in UNDECIDED]

        def missing() -> bool:
            return any(not index.is_known(each.reference, each.name) for each in doubts)

        async def look() -> bool:
            await index.look_up(company, limit)
            return missing()

        if missing():
            await settled(look, f"records in doubt: {len(doubts)}")
        for name in import_map.fixed:
            if reason := index.unfound(name):
                raise ImportMapError(f"{import_map.path}: {reason}")
        if index.incomplete:
            await self._mark_wanted()
        for spec in import_map.references:
            creation = ReferenceCreation(index, spec, company, journal, limit)
            try:
                await self._create(creation, settled, on_stage)
            finally:
                creation.leave_the_rest()

    async def _create(
        self, creation: ReferenceCreation, settled: Settled, on_stage: Callable[[str], None]
    ) -> None:
        """Create the missing records of one reference; those in doubt are looked up and created again."""
        index, spec, company = creation.index, creation.spec, creation.company
        for rounds_left in reversed(range(_ROUNDS)):
            if not (missing := index.missing(spec)):
                break
            noun = "record" if len(missing) == 1 else "records"
            on_stage(f"creating {len(missing)} {spec.entity.__name__} {noun} for {spec.name}")
            await self.stop.consume(creation.run(ABORT_GRACE), creation.add)
            if is_closed(company):
                self.stop.start_no_more(CLOSED)
            if self.stop.reason or not index.in_doubt(spec):
                break
            with contextlib.suppress(WosdkError):
                await creation.look_up()  # most are there: only the response was lost
            with contextlib.suppress(WosdkError):  # then they stay in doubt
                doubts = len(index.in_doubt(spec))
                if doubts and await settled(creation.look_up, f"records in doubt: {doubts}") and rounds_left:
                    creation.plan_again()

    async def _mark_wanted(self) -> None:
        """Mark the missing records of every row that can be created once it has them.

        A record that only bad rows name would never be used, so it is not created.
        """
        async for page in self.rows.pages():
            for row, _ in page:
                if row.fault is None and self.index.undecided(row.cells):
                    with contextlib.suppress(Exception):  # the row itself fails with it, when its turn comes
                        for record in self.builder.build(row)[1]:
                            record.wanted = True
