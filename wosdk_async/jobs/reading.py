"""Reading of the planned rows of a job: the file and its journal, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from itertools import islice

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.source import Source

__all__ = ["PlannedRows"]

_PAGE = 200  # rows that are read, and looked up, together


@attrs.frozen
class PlannedRows:
    """Rows of a file that the journal still plans to send."""

    source: Source
    journal: Journal

    async def pages(self) -> AsyncIterator[list[tuple[Row, str | None]]]:
        """Yield the planned rows with their keys, a page at a time.

        Raises:
            ImportMapError: the file has changed since the job began; no row of the page in question is given.
        """
        rows, last = iter(self.source), 0
        while page := list(islice(rows, _PAGE)):
            last = page[-1].number
            states = await self.journal.page(page[0].number, page[-1].number)
            if len(states) != len(page):
                raise self._changed(page[min(len(states), len(page) - 1)])
            planned = []
            for row, (_, state, known, key) in zip(page, states, strict=True):
                if state == State.PLANNED:
                    if row.digest != known:
                        raise self._changed(row)
                    planned.append((row, key))
            yield planned
        if last < self.journal.plan.rows:
            raise ImportMapError(
                f"{self.source.path}: the file has changed since the job began: it has {last} rows now, not "
                f"{self.journal.plan.rows}; no further row was sent"
            )

    async def numbered(self, numbers: Collection[int]) -> AsyncIterator[Row]:
        """Yield rows of the file by their numbers, planned or not."""
        for row in self.source:
            if row.number in numbers:
                yield row
            if row.number % _PAGE == 0:
                await asyncio.sleep(0)

    def _changed(self, row: Row) -> ImportMapError:
        return ImportMapError(
            f"{self.source.path}, line {row.line}: the file has changed since the job began; no further row "
            "was sent"
        )
