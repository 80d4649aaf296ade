"""The import: a file and a map become work orders of a Company."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from wosdk_async.bulk import Run
from wosdk_async.company import Company
from wosdk_async.jobs.errors import ImportMapError, RowError, require_sendable
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.values import RowContext
from wosdk_async.jobs.reference_index import ReferenceEntry, ReferenceIndex
from wosdk_async.jobs.report import RowOutcome, Summary
from wosdk_async.jobs.sources.csv import CsvFile, Row
from wosdk_async.model import WoActionResponse, WoCreateCommand
from wosdk_async.outcome import Outcome

__all__ = ["ImportJob"]

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R")

CUT_SHORT = 2.0  # seconds that calls under way still get when the caller cannot wait
_BREATH = 200  # rows that are looked at without giving the event loop a turn


class ImportJob:
    """One import, to be run once.

    ::

        job = ImportJob(CsvFile("requests.csv"), ImportMap.load("map.toml"))
        summary = await job.run(company, on_row=print)

    Making it reads the file once from end to end: it counts the rows, collects the names to look up, and
    raises ImportMapError before anything is sent.
    """

    def __init__(self, source: CsvFile, import_map: ImportMap) -> None:
        source.require(import_map.columns)
        self._source = source
        self._map = import_map
        self._directory = ReferenceIndex(import_map.references)
        self._summary = Summary(rows=0)
        self._stops = 0
        self._current: Run[Any, Any] | None = None
        self._task: asyncio.Task[Any] | None = None
        for row in source:
            self._summary.rows += 1
            if row.fault is None:
                self._directory.collect(dict(row.cells))
        self._summary.empty_rows = source.empty_rows

    def __repr__(self) -> str:
        return f"<ImportJob {self._source.path.name} rows={self.rows}>"

    @property
    def rows(self) -> int:
        """The data records of the file, without the empty ones."""
        return self._summary.rows

    def stop(self) -> None:
        """Take no further row. Called again, also give up what is under way: those rows are in doubt."""
        self._stops += 1
        if self._current is not None:
            self._current.stop()
        if self._stops == 2 and self._task is not None:
            self._task.cancel()

    async def run(
        self,
        company: Company,
        *,
        limit: int = 32,
        on_row: Callable[[RowOutcome], None] = lambda _: None,
        on_stage: Callable[[str], None] = lambda _: None,
    ) -> Summary:
        """Look up and make what the rows refer to, then create one work order for each row.

        Args:
            company: where to.
            limit: calls under way at the most.
            on_row: told of every row as it ends, in the order in which they end.
            on_stage: told in words what is being done.

        Raises ImportMapError when a record that all rows need is not there, and any other WosdkError of the
        look-up; until then nothing was created.
        """
        started = time.perf_counter()
        self._task = asyncio.current_task()
        with self._giving_up():
            await self._references(company, limit, on_stage)
        with self._giving_up():
            try:
                await self._rows(company, limit, on_row)
            except ImportMapError as error:  # the file was changed while it was read
                self._directory.warnings.append(error.message)
        summary, directory = self._summary, self._directory
        summary.not_started = summary.rows - summary.created - summary.failed - summary.in_doubt
        summary.references_found, summary.references_created = directory.found, directory.created
        summary.warnings = directory.warnings
        summary.seconds = time.perf_counter() - started
        return summary

    @contextlib.contextmanager
    def _giving_up(self) -> Iterator[None]:
        """Go on after a cancellation that :meth:`stop` asked for: every row is still to be told."""
        try:
            yield
        except asyncio.CancelledError:
            if self._stops < 2 or self._task is None:
                raise
            self._task.uncancel()

    async def _references(self, company: Company, limit: int, on_stage: Callable[[str], None]) -> None:
        directory = self._directory
        await directory.look_up(company, limit)
        for name in self._map.fixed:
            if reason := directory.unfound(name):
                raise ImportMapError(f"{self._map.path}: {reason}")
        if directory.incomplete:
            await self._mark_wanted()
        for spec in self._map.references:
            if missing := directory.missing(spec):
                on_stage(f"creating {len(missing)} {spec.entity.__name__} records for {spec.name}")
                run = self._stoppable(directory.creation(company, spec, limit=limit, grace=CUT_SHORT))
                await self._read(run, functools.partial(directory.made, spec))

    async def _mark_wanted(self) -> None:
        """Mark the missing records of every row that can be created once it has them.

        A record that only bad rows name is not made: nobody would use it.
        """
        for row in self._source:
            if row.fault is None and self._directory.undecided(row.cells):
                with contextlib.suppress(Exception):  # the row itself fails with it, when its turn comes
                    for entry in self._built(row)[1]:
                        entry.wanted = True
            if row.number % _BREATH == 0:
                await asyncio.sleep(0)
            if self._stops:
                return

    async def _rows(self, company: Company, limit: int, on_row: Callable[[RowOutcome], None]) -> None:
        run = self._stoppable(
            company.run_many(self._source, command=self._command, limit=limit, grace=CUT_SHORT)
        )

        def tell(outcome: Outcome[Row, WoActionResponse]) -> None:
            told = RowOutcome.of(outcome)
            self._summary.add(told)
            on_row(told)

        await self._read(run, tell)

    async def _read(self, run: Run[I, R], tell: Callable[[Outcome[I, R]], None]) -> None:
        """Carry out a run and tell every outcome, one for each input whatever happens."""
        try:
            async with run:
                async for outcome in run:
                    tell(outcome)
        except asyncio.CancelledError:
            async for outcome in run:  # what ended meanwhile, and what was not started
                tell(outcome)
            raise

    def _command(self, row: Row) -> WoCreateCommand:
        built, missing = self._built(row)
        if missing:  # it could not be created before, and now it can
            raise RowError("the file has changed since the start")
        return built

    def _built(self, row: Row) -> tuple[WoCreateCommand, list[ReferenceEntry]]:
        """Return the command of a row, and the records that have to be created before it is sent.

        Raises:
            InvalidCallError: the row cannot be created, whatever else is there.
        """
        if row.fault is not None:
            raise RowError(row.fault)
        scope = RowContext(row.cells, self._directory, row.warnings)
        built = cast(WoCreateCommand, self._map.command.build(scope))  # what [command] is compiled for
        if scope.missing:
            require_sendable(built)
        return built, scope.missing

    def _stoppable(self, run: Run[Any, Any]) -> Run[Any, Any]:
        self._current = run
        if self._stops:
            run.stop()
        return run
