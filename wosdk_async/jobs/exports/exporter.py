"""Export of an entity's records into one file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports import ExportError, ExportOptions, ExportSummary
from wosdk_async.jobs.exports.export_job import (
    ExportedTable,
    ExportJob,
    OnRows,
    OnStage,
    known_entity,
    require_parent,
)
from wosdk_async.jobs.exports.table_writers import writing_table
from wosdk_async.jobs.exports.work_folder import (
    IdRange,
    RangeFile,
    RangeFileWriter,
    WorkFolder,
    checked_id,
    gaps,
    range_files_in,
    split,
    work_folder_of,
)
from wosdk_async.model import Record
from wosdk_async.query.fields import fields
from wosdk_async.query.paging import Cursor, id_of, prefetch
from wosdk_async.query.plan import Condition
from wosdk_async.query.properties import Path as PropertyPath
from wosdk_async.resources.changes import CHANGED_AT, require_change_time
from wosdk_async.text.remedies import Remedy

_RANGES = 8  # id ranges per concurrent reader: several, because some ranges have fewer records than others
_FILE_ROWS = 20_000  # rows per file, after which a new file begins; a kill loses the unfinished files


class Export(ExportJob):
    """Export to one file. Create a new ``Export`` for each run.

    ::

        summary = await Export(WorkOrder, "orders.parquet", company=acme)

    Until the output is complete, rows are stored beside it in ``orders.parquet.export/``, so the same export
    resumes after a stop or kill.

    Args:
        entity: record class, or its name.
        output: output file; its suffix gives the format: .parquet, .csv, .jsonl or .xlsx.
        where: conditions, combined with AND.
        select: property paths (default: single values, and references by id).
        since: only export work orders that changed at or after this time (with a zone).
        company: the Company for ``await export``; can also be passed to :meth:`run`.
        on_progress: called with the number of rows read, including those of earlier runs.
        on_stage: called with a description of the current step.
        options: export options; other keywords override individual options.

    Raises:
        InvalidCallError: a name or value is unknown.
        UnsupportedError: the entity cannot be queried, or has no modification time.
        ExportError: the output format is unknown, or a package is missing.
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
        on_progress: OnRows = lambda _: None,
        on_stage: OnStage = lambda _: None,
        options: ExportOptions | None = None,
        **changes: Any,
    ) -> None:
        self.options = attrs.evolve(options or ExportOptions(), **changes)
        self.output = Path(output)
        if self.output.is_dir():
            raise ExportError(f"{output} is a directory", remedies=(Remedy.INCREMENTAL,))
        record_class = known_entity(entity)
        conditions = list(where)
        if since is not None:
            require_change_time(record_class)
            if not isinstance(since, datetime) or since.tzinfo is None:
                raise InvalidCallError(f"since is {since!r:.80}; pass a datetime with a zone")
            conditions.append(fields(record_class)[CHANGED_AT] >= since)
        table = ExportedTable.of(record_class, self.output, self.options, where=conditions, select=select)
        if self.output.is_symlink():  # replace the file that the link points to, not the link
            self.output = Path(os.path.realpath(output))
        super().__init__(table, company, work_folder_of(self.output), on_progress, on_stage)

    def __repr__(self) -> str:
        return f"<Export {self._table.query.name} to {self.output.name}>"

    @property
    def is_kept(self) -> bool:
        """Whether the rows read so far are stored, so that the same export can resume."""
        return self.rows > 0 and work_folder_of(self.output).exists()

    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read the remaining rows, and write the file.

        Raises:
            ExportError: the output exists, or a different export to it was stopped.
            OutputError: a file is not writable.
            JournalError: another process is running the same export.
            WosdkError: a page could not be read. The same export can resume.
        """
        self._company = self._required(company)
        started = time.monotonic()
        # A run that was killed right after publishing leaves both the output and its work folder.
        begun = work_folder_of(self.output).exists()
        self._require_place(may_exist=begun or self.options.force)
        await self._company.connect()
        folder = WorkFolder(self.output, self._table.plan(self._company), again=self.options.again)
        try:
            with sender_of(self._company).redaction:
                earlier = await self._complete(folder)
            rows = folder.rows
            await self._in_thread(folder.publish)
            size = self.output.stat().st_size
            return self._summary(started, path=self.output, rows=rows, earlier=earlier, bytes=size)
        finally:
            if not folder.begun:  # nothing to resume
                folder.remove()
            folder.close()

    def _require_place(self, *, may_exist: bool) -> None:
        if self.output.exists() and not self.output.is_file():
            raise ExportError(f"{self.output} is not a regular file and would be replaced; name a file")
        require_parent(self.output)
        if self.output.exists() and not may_exist:
            raise ExportError(f"{self.output} already exists", conflict=True, remedies=(Remedy.OVERWRITE,))

    async def _complete(self, folder: WorkFolder) -> int:
        """Read the missing rows and write the output; return how many rows earlier runs had read."""
        if folder.is_complete:
            return folder.rows
        self._require_place(may_exist=self.options.force)
        schema, limited = self._table.form.schema, self.options.limit is not None
        files = await self._in_thread(folder.intact_files, schema, limited)
        self.rows = earlier = sum(file.rows for file in files)
        if earlier:
            self._on_stage(f"resuming: {earlier} rows already read")
        self._on_progress(earlier)
        await self._read_rest(folder, files)
        self._on_stage(f"writing {self.output}")
        await self._write(folder)
        return earlier

    # --- reading ------------------------------------------------------------------------------

    async def _read_rest(self, folder: WorkFolder, files: Sequence[RangeFile]) -> None:
        ranges, rows_before = iter(await self._ranges(folder, files)), self.rows

        async def read() -> None:
            for ids in ranges:
                cursor = self._table.cursor(self._company, ids, rows_before=rows_before)
                await self._read(folder.path, ids, cursor, thread)

        # A thread writes, so that the event loop does not wait for the disk. The loop itself decodes pages
        # and makes batches, because both were slower in a thread.
        with ThreadPoolExecutor(1, "wosdk-export") as thread, contextlib.suppress(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                readers = [group.create_task(read()) for _ in range(self.options.parallel)]
        # Cancelled readers last, so that an error is raised instead of a cancellation.
        for reader in sorted(readers, key=asyncio.Task.cancelled):
            reader.result()

    async def _read(self, folder: Path, ids: IdRange, cursor: Cursor, thread: ThreadPoolExecutor) -> None:
        """Read a range. Store the rows read so far even on an error or cancellation."""
        run = partial(self._in_thread, thread=thread)
        schema = self._table.form.schema
        file, counted = RangeFileWriter(folder, schema, ids.above), 0
        try:
            async with aclosing(prefetch([cursor])) as pages:
                async for page in pages:
                    if file.rows >= _FILE_ROWS and ids.until is not None:
                        await run(file.finish, file.last)
                        file, counted = RangeFileWriter(folder, schema, file.last), 0
                    batch = self._table.builder.batch(page)
                    # An unbounded range is read by offset, and its ids may have any type, so no id is stored.
                    last = None if ids.until is None else checked_id(id_of(page[-1]))
                    await run(file.write, batch, last)
                    self._count(file.rows - counted)
                    counted = file.rows
            await run(file.finish, ids.until)
        except BaseException:
            try:
                await run(_finish_or_discard, file, ids)
            finally:
                if file.finished:  # a page that was written after the cancellation is not counted yet
                    self._count(file.rows - counted)
            raise

    async def _ranges(self, folder: WorkFolder, files: Sequence[RangeFile]) -> list[IdRange]:
        if not self._table.query.by_key:  # read by offset, as a single range, which cannot resume
            if files:
                return []
            await self._in_thread(folder.start, None)
            return [IdRange(None, None)]
        if folder.highest is None:
            await self._in_thread(folder.start, await self._table.highest(self._company))
        if folder.highest is None:  # no records
            return []
        missing = gaps(files, folder.highest)
        if self.options.limit is not None:
            return missing if self.rows < self.options.limit else []
        size = max(4 * self.options.page, folder.highest // (self.options.parallel * _RANGES) + 1)
        return [each for gap in missing for each in split(gap, size)]

    # --- writing ------------------------------------------------------------------------------

    async def _write(self, folder: WorkFolder) -> None:
        """Combine the range files into the output, in a thread that stops soon after a cancellation."""
        stopping = threading.Event()

        def assemble() -> None:
            with writing_table(folder.draft, self._table.form) as write:
                for batch in chain.from_iterable(file.batches() for file in range_files_in(folder.path)):
                    if stopping.is_set():
                        raise InterruptedError
                    write(batch)

        await self._in_thread(assemble, on_cancel=stopping.set)


def _finish_or_discard(file: RangeFileWriter, ids: IdRange) -> None:
    """If the file has rows and a bounded range, finish it, so that the export can resume; else discard it."""
    with contextlib.suppress(OSError):  # a full disk, for example; the caller raises the first error
        if file.rows and ids.until is not None and not (file.finished or file.torn):
            file.finish(file.last)
    # The file may be finished, because file.finish() continues in its thread if its caller is cancelled.
    if not file.finished:
        file.discard()
