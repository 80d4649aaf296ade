"""Incremental export: each run adds a part with changed work orders to a folder.

Each part has a watermark that references the previous part.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
import time
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

import attrs
import orjson

from wosdk_async import __version__
from wosdk_async.company import Company, sender_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports import (
    ExportError,
    ExportOptions,
    ExportPlan,
    ExportSummary,
    differences,
    locked_folder,
    writing_output,
)
from wosdk_async.jobs.exports.export_job import (
    ExportedTable,
    ExportJob,
    OnRows,
    OnStage,
    known_entity,
    require_parent,
)
from wosdk_async.jobs.exports.table_writers import writing_table
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.model import Record
from wosdk_async.query.builder import Query, selection
from wosdk_async.query.properties import Path as PropertyPath
from wosdk_async.regular_files import create_file, read_regular, sync_file, sync_folder
from wosdk_async.resources.changes import CHANGED_AT, ChangeFeed, require_change_time, require_overlap
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
        require_change_time(self._entity)
        require_overlap(overlap)
        for name in ("limit", "again", "force"):
            if getattr(self.options, name):
                raise ExportError(
                    f"remove {name}=, which applies only to exports to one file; an incremental export "
                    "always adds a part with all changes"
                )
        chosen = selection(self._entity, select)
        if chosen and "*" not in chosen:
            chosen = [*chosen, CHANGED_AT, "ConcurrencyId"]  # needed to tell the versions of a record apart
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
        lock = locked_folder(self.folder, _require_parts)
        try:
            await self._in_thread(_remove_incomplete, self.folder)
            with sender_of(company).redaction:
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
                    "watermark": str(feed.watermark),
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
            async with aclosing(self._pages(feed)) as pages:
                async for page in pages:
                    self._count(len(page))
                    await self._in_thread(write, self._table.builder.batch(page))
        return path.stat().st_size if self.rows else 0

    async def _pages(self, feed: ChangeFeed[Any]) -> AsyncGenerator[list[Any], None]:
        page: list[Any] = []
        async with aclosing(aiter(feed)) as records:
            async for record in records:
                page.append(record)
                if len(page) == self.options.page:
                    yield page
                    page = []
        if page:
            yield page


# --- folder of the parts --------------------------------------------------------------------------

WATERMARK = "watermark.json"  # in each part
_PART = re.compile(r"part-([0-9]{6,18})")
_INCOMPLETE = re.compile(r"\.part-[0-9]{6,18}")
_CONTENT = re.compile(r"rows\.[a-z]+|watermark\.json|sheets-.*")  # names of the files in a part
_MAX_WATERMARK = 1 << 24  # bytes of a watermark file, which includes the plan
_REMEDY = "restore it from a backup, or start over in another folder"


def _require_parts(folder: Path) -> None:
    """Raise ExportError if the folder has other files but no parts, or files that a run would overwrite."""
    found = list(folder.iterdir())
    if found and not (folder / LOCK).is_file() and not any(map(_is_part, found)):
        raise ExportError(
            f"{folder} contains other files ({found[0].name}) but no export parts; name another folder"
        )
    for path in found:
        if _INCOMPLETE.fullmatch(path.name) and not _is_from_run(path):
            raise ExportError(f"{path} is not from an export and would be overwritten by a part; move it")


def _remove_incomplete(folder: Path) -> None:
    """Remove incomplete parts of killed runs; call :func:`_require_parts` first."""
    for path in folder.iterdir():
        if _INCOMPLETE.fullmatch(path.name):
            shutil.rmtree(path)


def _is_part(path: Path) -> bool:
    return _PART.fullmatch(path.name) is not None


def _is_from_run(path: Path) -> bool:
    if path.is_symlink() or not path.is_dir():
        return False
    return all(_CONTENT.fullmatch(each.name) for each in path.iterdir())


def _number(part: Path) -> int:
    return int(part.name.removeprefix("part-"))


@attrs.frozen
class PartChain:
    """Chain of parts, each referencing the rows and watermark file of the previous part."""

    folder: Path
    last: Path | None = None
    about: Mapping[str, Any] = attrs.field(factory=dict)
    """Content of the last part's watermark file."""
    before: Mapping[str, Any] = attrs.field(factory=lambda: {"rows": 0, "sha256": None})
    """Total rows of all parts and digest of the last watermark file; the next part stores them."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the parts of a folder. Raises ExportError if a part is missing, replaced or incomplete."""
        chain = cls(folder)
        for part in sorted(filter(_is_part, folder.iterdir()), key=_number):
            chain = chain._with(part)
        return chain

    @property
    def next_number(self) -> int:
        """Number of the next part."""
        return 1 if self.last is None else _number(self.last) + 1

    def _with(self, part: Path) -> Self:
        try:
            content = read_regular(part / WATERMARK, _MAX_WATERMARK)[0]
            about = orjson.loads(content)
            rows, before = about["rows"], about.get("before")  # version 0.2 stored no "before" and no "bytes"
            rows_before = self.before["rows"]
            is_next = _number(part) == self.next_number if before is None else before == self.before
            missing = None if before is None else before["rows"] - rows_before
            file, size = part / f"rows.{about['plan']['format']}", about.get("bytes")
            now = {"rows": rows_before + rows, "sha256": hashlib.sha256(content).hexdigest()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise _unreadable(part, error) from None
        if not is_next:
            raise self._broken(part, missing)
        actual_size = file.stat().st_size if file.is_file() else None
        if actual_size is None:
            raise ExportError(f"{file} is missing (rows: {rows:,}); {_REMEDY}")
        if size not in (None, actual_size):
            raise ExportError(f"{file} has {actual_size:,} bytes instead of {size:,}; {_REMEDY}")
        return attrs.evolve(self, last=part, about=about, before=now)

    def _broken(self, part: Path, rows: int | None) -> ExportError:
        first, last = self.next_number, _number(part) - 1
        if first > last:
            return ExportError(
                f"{part} does not follow the previous part: one of them was edited or renamed, or comes from "
                f"another export; {_REMEDY}"
            )
        names = f"part-{first:06d}" + (f" to part-{last:06d} are" if last > first else " is")
        counted = "" if rows is None else f" (rows: {rows:,})"
        return ExportError(f"{self.folder}: {names} missing{counted}; {_REMEDY}")

    def watermark(self, plan: ExportPlan) -> Watermark | None:
        """Return the last part's watermark. Raises ExportError if the part is from a different export."""
        if self.last is None:
            return None
        try:
            watermark = Watermark.parse(self.about["watermark"])
            differing = differences(plan, self.about["plan"])
        except (ValueError, TypeError, KeyError, AttributeError, InvalidCallError) as error:
            raise _unreadable(self.last, error) from None
        if differing:
            raise ExportError(
                f"{self.folder}: this export differs from the existing parts ({'; '.join(differing)}); run "
                "the command that made them, or name another folder"
            )
        return watermark


def _unreadable(part: Path, error: Exception) -> ExportError:
    return ExportError(f"{part / WATERMARK} cannot be read ({error}); {_REMEDY}")
