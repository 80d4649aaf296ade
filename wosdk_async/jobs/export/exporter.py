"""The export: the records of an entity in one file, once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.export.errors import ExportError, in_thread
from wosdk_async.jobs.export.exported_rows import ExportedRows, known_entity
from wosdk_async.jobs.export.options import ExportOptions
from wosdk_async.jobs.export.parts import IdRange, Part, gaps, split
from wosdk_async.jobs.export.plan import ExportPlan, described_columns
from wosdk_async.jobs.export.reading import PartReader, read_ranges
from wosdk_async.jobs.export.summary import ExportSummary
from wosdk_async.jobs.export.table_writers import (
    TableFile,
    format_named,
    require_csv,
    require_packages,
    writing_table,
)
from wosdk_async.jobs.export.work_folder import WorkFolder, work_folder_of
from wosdk_async.jobs.opening import company_identity
from wosdk_async.model import Record
from wosdk_async.query.conditions import Condition
from wosdk_async.query.fields import fields
from wosdk_async.query.properties import Path as PropertyPath
from wosdk_async.resources.changes import MOVED, require_moves

__all__ = ["Export"]

T = TypeVar("T")

_RANGES = 8  # for each call at once: ids are not spread evenly, and a reader that is done takes the next


class Export:
    """One export into a file, to be run once.

    ::

        summary = await Export(WorkOrder, "orders.parquet", company=acme)

    What was read is kept beside the output, in ``orders.parquet.export/``, until the output is complete. So
    the same export goes on where it was stopped or killed.

    Args:
        entity: the class of the records, or its name.
        output: the file. Its suffix is that of the format: .parquet, .csv, .jsonl or .xlsx.
        where: conditions, all of which must hold.
        select: property paths; without any the service sends single values, and references by their id.
        since: work orders that moved at this time or later; it needs a zone.
        company: the Company for ``await export``; :meth:`run` takes it, too.
        on_progress: called with the number of rows read, of earlier runs too.
        on_stage: called with a text that says what is being done.
        options: how the export is carried out; further keywords change single options.

    Raises:
        InvalidCallError: a name or value is not known.
        UnsupportedError: the entity cannot be queried, or has no time of its last change.
        ExportError: the format of the output is not known, or a package is missing.
    """

    def __init__(
        self,
        entity: type[Record] | str,
        output: str | Path,
        *,
        where: Iterable[Condition] = (),
        select: Iterable[str | PropertyPath] = (),
        since: datetime | None = None,
        company: Company | None = None,
        on_progress: Callable[[int], None] = lambda _: None,
        on_stage: Callable[[str], None] = lambda _: None,
        options: ExportOptions | None = None,
        **changes: Any,
    ) -> None:
        self.options = attrs.evolve(options or ExportOptions(), **changes)
        _require_no_folder(Path(output))
        self.format = format_named(Path(output), self.options.format)
        require_csv(self.format, self.options.csv_for_excel)
        self.output = _real(Path(output))
        self._rows = ExportedRows.of(entity, [*where, *_since(entity, since)], select, self.options.limit)
        self._builder = self._rows.builder()
        require_packages(self.format)
        self._company_given = company
        self._on_progress, self._on_stage = on_progress, on_stage
        self._read = 0
        self._stopping = False

    def __repr__(self) -> str:
        return f"<Export {self._rows.plan.name} to {self.output.name}>"

    def __await__(self) -> Generator[Any, None, ExportSummary]:
        return self.run().__await__()

    @property
    def rows(self) -> int:
        """Rows that were read, by earlier runs too."""
        return self._read

    @property
    def is_kept(self) -> bool:
        """Whether something that was read is kept, so that the same export goes on."""
        return self._read > 0 and work_folder_of(self.output).exists()

    def watch(self, on_progress: Callable[[int], None], on_stage: Callable[[str], None]) -> None:
        """Replace the functions that are called meanwhile."""
        self._on_progress, self._on_stage = on_progress, on_stage

    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read what is left to be read, and write the file.

        Raises:
            ExportError: the output exists, or an export of something else to it was stopped.
            OutputError: a file cannot be written.
            JournalError: another process works on the same export.
            WosdkError: a page could not be read. What was read is kept, and the same export goes on.
        """
        self._company = self._required(company)
        self._stopping = False
        started = time.monotonic()
        self._require_place()
        await self._company.connect()
        plan = self._plan()
        folder = WorkFolder(self.output, plan, again=self.options.again)
        try:
            earlier = await self._complete(folder, plan)
            return await self._finish(folder, earlier, started)
        finally:
            if not folder.begun:  # it holds nothing to go on with
                folder.remove()
            folder.close()

    async def _complete(self, folder: WorkFolder, plan: ExportPlan) -> int:
        """Read and write all that is missing; return the number of rows that were there."""
        if folder.is_complete:
            return folder.rows
        if self.output.exists() and not self.options.force:
            raise _exists(self.output)
        parts = await self._in_thread(lambda: folder.whole_parts(self._builder.schema))
        self._read = earlier = sum(part.rows for part in parts)
        if earlier:
            self._on_stage(f"{earlier} rows were read before; going on")
        self._on_progress(self._read)
        await self._read_rest(folder, plan, parts)
        self._on_stage(f"writing {self.output}")
        await self._write(folder)
        return earlier

    def _required(self, company: Company | None) -> Company:
        found = company or self._company_given
        if found is None:
            raise InvalidCallError(
                "the export has no Company; write export.run(company) or Export(..., company=...)"
            )
        return found

    def _require_place(self) -> None:
        """Raise ExportError when the output cannot be where it is to be; nothing has been sent."""
        if self.output.exists() and not self.output.is_file():
            raise ExportError(
                f"{self.output}: is not a regular file, and would be replaced by one; name a file"
            )
        if not self.output.parent.is_dir():
            raise ExportError(f"{self.output}: there is no directory {self.output.parent}; make it first")
        begun = work_folder_of(self.output).exists()  # its output may be at its place already
        if self.output.exists() and not begun and not self.options.force:
            raise _exists(self.output)

    def _plan(self) -> ExportPlan:
        return ExportPlan(
            entity=self._rows.plan.name,
            company=company_identity(self._company),
            expression=self._rows.plan.expression(),
            columns=described_columns(self._rows.columns),
            format=self.format,
            limit=self.options.limit,
            csv_for_excel=self.options.csv_for_excel,
        )

    # --- reading ------------------------------------------------------------------------------

    async def _read_rest(self, folder: WorkFolder, plan: ExportPlan, parts: Sequence[Part]) -> None:
        ranges = await self._ranges(folder, plan, parts)
        before = self._read
        with ThreadPoolExecutor(1, "wosdk-export") as thread:
            reader = PartReader(
                folder,
                self._builder,
                lambda ids: self._rows.cursor(
                    self._company, ids, self.options.page, decode=self._builder.rows, rows_before=before
                ),
                self._count,
                thread,
            )
            await read_ranges(reader, ranges, self.options.parallel)

    async def _ranges(self, folder: WorkFolder, plan: ExportPlan, parts: Sequence[Part]) -> list[IdRange]:
        """Return the ranges that are left to be read, in order."""
        if not self._rows.plan.by_key:
            return await self._whole(folder, plan, parts)
        if folder.highest is None:
            highest = await self._rows.highest(self._company)
            await self._in_thread(lambda: folder.start(plan, highest))
        if folder.highest is None:  # there are no records
            return []
        left = gaps(parts, folder.highest)
        if self.options.limit is not None:
            return left if self._read < self.options.limit else []
        size = max(4 * self.options.page, folder.highest // (self.options.parallel * _RANGES) + 1)
        return [each for gap in left for each in split(gap, size)]

    async def _whole(self, folder: WorkFolder, plan: ExportPlan, parts: Sequence[Part]) -> list[IdRange]:
        """Return the one range of an entity whose records are not told apart by ``Id``."""
        if parts:
            return []
        await self._in_thread(lambda: folder.start(plan, None))
        return [IdRange(None, None)]

    def _count(self, rows: int) -> None:
        self._read += rows
        self._on_progress(self._read)

    # --- writing ------------------------------------------------------------------------------

    async def _write(self, folder: WorkFolder) -> None:
        """Write the parts into the output; a thread does it, and stops soon after a cancellation."""

        def stop() -> None:
            self._stopping = True

        await in_thread(folder.path, lambda: self._assemble(folder), on_cancel=stop)

    def _assemble(self, folder: WorkFolder) -> None:
        with writing_table(self._table_file(folder.draft)) as writer:
            for part in folder.parts():
                for batch in part.batches():
                    if self._stopping:
                        raise InterruptedError
                    writer.write(batch)

    def _table_file(self, path: Path) -> TableFile:
        return TableFile(
            path=path,
            format=self.format,
            schema=self._builder.schema,
            json_columns=self._rows.json_columns,
            title=self._rows.plan.name,
            csv_for_excel=self.options.csv_for_excel,
        )

    async def _finish(self, folder: WorkFolder, earlier: int, started: float) -> ExportSummary:
        rows = folder.rows
        await self._in_thread(folder.publish)
        return ExportSummary(
            path=self.output,
            format=self.format,
            rows=rows,
            earlier=earlier,
            bytes=self.output.stat().st_size,
            columns=len(self._rows.columns),
            seconds=time.monotonic() - started,
        )

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await in_thread(work_folder_of(self.output), function)


def _real(output: Path) -> Path:
    """Return what a link names: the output is to be there, and the link to stay."""
    return Path(os.path.realpath(output)) if output.is_symlink() else output


def _require_no_folder(output: Path) -> None:
    if output.is_dir():
        raise ExportError(
            f"{output}: is a directory; name a file, or add --since last (IncrementalExport) if it has the "
            "parts of an export of changes"
        )


def _exists(output: Path) -> ExportError:
    return ExportError(
        f"{output} exists already; name another file, or add --force (force=True) to replace it"
    )


def _since(entity: type[Record] | str, since: datetime | None) -> list[Condition]:
    """Return the condition on the time of the last change."""
    if since is None:
        return []
    known = known_entity(entity)
    require_moves(known)
    if not isinstance(since, datetime) or since.tzinfo is None:
        raise InvalidCallError(f"since is {since!r:.80}; it takes a datetime with a zone")
    condition: Condition = fields(known)[MOVED] >= since
    return [condition]
