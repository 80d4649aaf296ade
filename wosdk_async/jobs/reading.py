"""Reading of the planned rows of a job: the file and its journal, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from itertools import islice

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import Source

__all__ = ["PlannedRows"]

_PAGE = 200  # rows that are read, and looked up, together


@attrs.frozen
class PlannedRows:
    """Rows of a file that the ledger still plans to send; each has its number in the ledger."""

    source: Source
    journal: Journal
    identities: Identities
    keyed: bool = attrs.field(kw_only=True)
    """Whether the marker carries keys."""

    async def pages(self) -> AsyncIterator[list[tuple[Row, str | None]]]:
        """Yield the planned rows with their keys, a page at a time.

        Raises:
            ImportMapError: the file has changed since it was read first; no row of that page is given.
        """
        rows, last, digest = iter(self.source), 0, self.identities.digest
        while page := list(islice(rows, _PAGE)):
            first, last = page[0].number, page[-1].number
            planned = []
            for place, number, state, known, key in await self.journal.page(first, last):
                if state == State.PLANNED:
                    row = page[place - first] if place - first < len(page) else None
                    if row is None or digest(row) != known:
                        raise self._changed(row or page[-1])
                    row.number = number
                    planned.append((row, key if self.keyed else None))
            yield planned
        if last != self.journal.plan.rows:
            raise ImportMapError(
                f"{self.source.path}: the file has changed since it was read first: it has {last} rows now, "
                f"not {self.journal.plan.rows}; no further row was sent"
            )

    async def numbered(self, numbers: Collection[int]) -> AsyncIterator[Row]:
        """Yield rows of the file by their numbers in the ledger, planned or not."""
        found = await self.journal.rows_numbered(numbers)
        places = {stored.place: stored for stored in found.values() if stored.place is not None}
        for row in self.source:
            if (stored := places.get(row.number)) is not None:
                row.number = stored.row
                yield row
            elif row.number % _PAGE == 0:
                await asyncio.sleep(0)

    def _changed(self, row: Row) -> ImportMapError:
        return ImportMapError(
            f"{self.source.path}, line {row.line}: the file has changed since it was read first; no further "
            "row was sent"
        )
