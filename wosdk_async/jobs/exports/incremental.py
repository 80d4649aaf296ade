"""Incremental export: each run adds a part with changed work orders to a folder."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import attrs
import orjson

from wosdk_async import __version__
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports.errors import ExportError, locked_folder, writing_output
from wosdk_async.jobs.exports.export_job import ExportJob, OnRows, OnStage, require_parent
from wosdk_async.jobs.exports.exported_table import ExportedTable, known_entity
from wosdk_async.jobs.exports.part_folder import (
    WATERMARK,
    PartChain,
    readable_text,
    remove_incomplete,
    require_parts,
)
from wosdk_async.jobs.exports.plan import ExportOptions, ExportSummary
from wosdk_async.jobs.exports.table_writers import writing_table
from wosdk_async.model import Record
from wosdk_async.query.builder import Query, selection
from wosdk_async.query.properties import Path as PropertyPath
from wosdk_async.regular_files import create_file, sync_file, sync_folder
from wosdk_async.resources.changes import MOVED, ChangeFeed, require_moves, require_overlap
from wosdk_async.resources.watermark import Watermark, watermark_since
from wosdk_async.transport.telemetry.statistics import Trace


class IncrementalExport(ExportJob):
    """Incremental export. Each run adds a part to a folder.

    ::

        summary = await IncrementalExport(WorkOrder, "orders", company=acme)

    The first run exports all records. Later runs export the records that changed since the last part, and
    add no part if no record changed. A changed record appears in several parts; the version with the highest
    ``ConcurrencyId`` is the latest.

    Args:
        entity: WorkOrder, the only entity with a modification time.
        folder: folder of the parts; created if missing.
        select: property paths, the same in each run.
        overlap: how far each run looks back for unfinished transactions, at most a day.
        company: the Company for ``await export``; can also be passed to :meth:`run`.
        on_progress: called with the number of rows read.
        on_stage: called with a description of the current step.
        options: see :class:`Export`; other keywords override individual options.

    Raises:
        InvalidCallError: a name is unknown, or the overlap is too long.
        UnsupportedError: the entity has no modification time.
        ExportError: an option does not apply to incremental exports, or a package is missing.
    """

    def __init__(
        self,
        entity: type[Record] | str,
        folder: str | Path,
        *,
        select: Iterable[str | PropertyPath] = (),
        overlap: timedelta = timedelta(minutes=5),
        company: Company | None = None,
        on_progress: OnRows = lambda _: None,
        on_stage: OnStage = lambda _: None,
        options: ExportOptions | None = None,
        **changes: Any,
    ) -> None:
        self.options = attrs.evolve(options or ExportOptions(), **changes)
        self.folder = Path(folder)
        self._entity = known_entity(entity)
        require_moves(self._entity)
        require_overlap(overlap)
        for name in ("limit", "again", "force"):
            if getattr(self.options, name):
                raise ExportError(
                    f"remove {name}=, which applies only to exports to one file; an incremental export "
                    "always adds a part with all changes"
                )
        chosen = selection(self._entity, select)
        if chosen and "*" not in chosen:
            chosen = [*chosen, MOVED, "ConcurrencyId"]  # needed to tell the versions of a record apart
        table = ExportedTable.of(self._entity, self.folder, self.options, select=chosen, default="parquet")
        super().__init__(table, company, self.folder, on_progress, on_stage)
        self._overlap = overlap
        self._begun = False

    def __repr__(self) -> str:
        return f"<IncrementalExport {self._table.query.name} to {self.folder.name}>"

    async def run(self, company: Company | None = None) -> ExportSummary:
        """Add a part with the records that changed since the last part.

        Raises:
            ExportError: the folder has other files, or parts of another export.
            OutputError: a file is not writable.
            JournalError: another process is using the folder.
            WosdkError: a page could not be read; no part was added.
        """
        company = self._required(company)
        if self._begun:
            raise InvalidCallError(
                "this export has already run; create another IncrementalExport for the next part"
            )
        self._begun = True
        started = time.monotonic()
        if self.folder.exists() and not self.folder.is_dir():
            raise ExportError(f"{self.folder} is a file; name a directory for the parts")
        require_parent(self.folder)
        await company.connect()
        lock = locked_folder(self.folder, require_parts)
        try:
            await self._in_thread(remove_incomplete, self.folder)
            return await self._add_part(company, started)
        finally:
            lock.release()

    async def _add_part(self, company: Company, started: float) -> ExportSummary:
        parts = await self._in_thread(PartChain.read, self.folder)
        plan, path = self._table.plan(company), self.folder / f"part-{parts.next_number:06d}"
        feed = self._feed(company, parts.watermark(plan))
        draft = self.folder / f".{path.name}"
        try:
            size = await self._write_rows(feed, draft)
            if self.rows:
                about = {
                    "plan": plan,
                    "rows": self.rows,
                    "bytes": size,
                    "before": parts.before,
                    "version": __version__,
                    "watermark": readable_text(feed.watermark),
                }
                await self._in_thread(self._publish, draft, path, about)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return self._summary(
            started,
            path=path if self.rows else None,
            rows=self.rows,
            bytes=size,
            clock_behind=feed.clock_behind.total_seconds(),
        )

    def _publish(self, draft: Path, path: Path, about: dict[str, Any]) -> None:
        """Publish the rows and the watermark atomically."""
        with create_file(draft / WATERMARK) as file:
            file.write(orjson.dumps(about, option=orjson.OPT_INDENT_2))
        for each in draft.iterdir():
            sync_file(each)
        sync_folder(draft)
        draft.replace(path)
        sync_folder(self.folder)

    def _feed(self, company: Company, since: Watermark | None) -> ChangeFeed[Any]:
        """Return the change feed, which yields records as dicts."""

        def query(trace: Trace | None) -> Query[Any]:
            return Query(self._table.query.name, (company if trace is None else company.traced(trace)).send)

        return ChangeFeed(
            self._entity,
            query,
            watermark_since(company.name, since),
            properties=self._table.query.properties,
            overlap=self._overlap,
            sleep=asyncio.sleep,
        )

    async def _write_rows(self, feed: ChangeFeed[Any], draft: Path) -> int:
        """Write the rows. Return the file size, or 0 if there are no rows."""
        await self._in_thread(draft.mkdir)
        path = draft / f"rows.{self.format}"
        with writing_output(draft), writing_table(path, self._table.form) as write:
            async with aclosing(self._batches(feed)) as batches:
                async for batch in batches:
                    await self._in_thread(write, batch)
        return path.stat().st_size if self.rows else 0

    async def _batches(self, feed: ChangeFeed[Any]) -> AsyncGenerator[Any, None]:
        page: list[Any] = []
        async with aclosing(aiter(feed)) as records:
            async for record in records:
                page.append(record)
                if len(page) == self.options.page:
                    yield self._batch(page)
                    page = []
        if page:
            yield self._batch(page)

    def _batch(self, page: list[Any]) -> Any:
        self._count(len(page))
        return self._table.builder.batch(page)
