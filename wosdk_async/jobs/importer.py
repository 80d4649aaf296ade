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
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.rows import Row, RowOutcome, Summary
from wosdk_async.jobs.sources.source import Source, require_columns
from wosdk_async.model import WoActionResponse, WoCreateCommand
from wosdk_async.outcome import Outcome

__all__ = ["ImportJob"]

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R")

ABORT_GRACE = 2.0  # seconds that calls under way still get when the import is aborted
_CHUNK = 200  # rows that are checked before the event loop gets a turn


class ImportJob:
    """One import, to be run once.

    ::

        job = ImportJob(open_source("requests.csv"), ImportMap.load("map.toml"))
        summary = await job.run(company, on_row=print)

    The constructor reads the file once, to count the rows and to collect the names to look up, and raises
    ImportMapError when the file cannot be used: nothing was sent by then.
    """

    def __init__(self, source: Source, import_map: ImportMap) -> None:
        require_columns(source, import_map.columns)
        self._source = source
        self._map = import_map
        self._index = ReferenceIndex(import_map.references)
        self._summary = Summary(rows=0)
        self._stops = 0
        self._current: Run[Any, Any] | None = None
        self._task: asyncio.Task[Any] | None = None
        for row in source:
            self._summary.rows += 1
            if row.fault is None:
                self._index.collect(row.cells)
        self._summary.empty_rows = source.empty_rows

    def __repr__(self) -> str:
        return f"<ImportJob {self._source.path.name} rows={self.rows}>"

    @property
    def rows(self) -> int:
        """The number of rows in the file, without the empty ones."""
        return self._summary.rows

    def stop(self) -> None:
        """Start no further row. Called again, abort the calls under way: their rows are in doubt."""
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
        """Look up and create what the rows refer to, then create one work order for each row.

        Args:
            company: the Company in which the work orders are created.
            limit: the highest number of calls at a time.
            on_row: called with the outcome of every row, in the order in which the rows end.
            on_stage: called with a text that says what is being done.

        Returns:
            The counts of the import.

        Raises:
            ImportMapError: a record that all rows need does not exist.
            WosdkError: the lookup of the references failed. In both cases nothing was created.
        """
        started = time.perf_counter()
        self._task = asyncio.current_task()
        with self._keep_reporting():
            await self._create_references(company, limit, on_stage)
        with self._keep_reporting():
            try:
                await self._create_rows(company, limit, on_row)
            except ImportMapError as error:  # the file was changed while it was read
                self._index.warnings.append(error.message)
        summary, index = self._summary, self._index
        summary.not_started = summary.rows - summary.created - summary.failed - summary.in_doubt
        summary.references_found, summary.references_created = index.found, index.created
        summary.warnings = index.warnings
        summary.seconds = time.perf_counter() - started
        return summary

    @contextlib.contextmanager
    def _keep_reporting(self) -> Iterator[None]:
        """Suppress a cancellation that :meth:`stop` asked for: every row still needs its outcome."""
        try:
            yield
        except asyncio.CancelledError:
            if self._stops < 2 or self._task is None:
                raise
            self._task.uncancel()

    async def _create_references(self, company: Company, limit: int, on_stage: Callable[[str], None]) -> None:
        index = self._index
        await index.look_up(company, limit)
        for name in self._map.fixed:
            if reason := index.unfound(name):
                raise ImportMapError(f"{self._map.path}: {reason}")
        if index.incomplete:
            await self._mark_wanted()
        for spec in self._map.references:
            if missing := index.missing(spec):
                on_stage(f"creating {len(missing)} {spec.entity.__name__} records for {spec.name}")
                run = self._stoppable(index.creation(company, spec, limit=limit, grace=ABORT_GRACE))
                await self._consume(run, functools.partial(index.add_created, spec))

    async def _mark_wanted(self) -> None:
        """Mark the missing records of every row that can be created once it has them.

        A record that only bad rows name would never be used, so it is not created.
        """
        for row in self._source:
            if row.fault is None and self._index.undecided(row.cells):
                with contextlib.suppress(Exception):  # the row itself fails with it, when its turn comes
                    for record in self._build(row)[1]:
                        record.wanted = True
            if row.number % _CHUNK == 0:
                await asyncio.sleep(0)
            if self._stops:
                return

    async def _create_rows(self, company: Company, limit: int, on_row: Callable[[RowOutcome], None]) -> None:
        run = self._stoppable(
            company.run_many(self._source, command=self._command, limit=limit, grace=ABORT_GRACE)
        )

        def report(outcome: Outcome[Row, WoActionResponse]) -> None:
            reported = RowOutcome.of(outcome)
            self._summary.add(reported)
            on_row(reported)

        await self._consume(run, report)

    async def _consume(self, run: Run[I, R], report: Callable[[Outcome[I, R]], None]) -> None:
        """Carry out a run and report every outcome, one for each input also when it is cancelled."""
        try:
            async with run:
                async for outcome in run:
                    report(outcome)
        except asyncio.CancelledError:
            async for outcome in run:  # what ended meanwhile, and what was not started
                report(outcome)
            raise

    def _command(self, row: Row) -> WoCreateCommand:
        command, missing = self._build(row)
        if missing:  # it could not be created before, and now it can
            raise RowError("the file has changed since the start")
        return command

    def _build(self, row: Row) -> tuple[WoCreateCommand, list[MissingRecord]]:
        """Return the command of a row, and the records that have to be created before it is sent.

        Raises:
            InvalidCallError: the row cannot be created, whichever records exist.
        """
        if row.fault is not None:
            raise RowError(row.fault)
        context = RowContext(row.cells, self._index, row.warnings)
        command = cast(WoCreateCommand, self._map.command.build(context))  # [command] is compiled for it
        if context.missing:
            require_sendable(command)
        return command, context.missing

    def _stoppable(self, run: Run[Any, Any]) -> Run[Any, Any]:
        self._current = run
        if self._stops:
            run.stop()
        return run
