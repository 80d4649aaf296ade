"""Which job an import belongs to: a new one, one that was stopped, or one that has ended."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.inputs import keep_copy
from wosdk_async.jobs.journal import (
    JobFolders,
    JobPlan,
    Journal,
    RowEntry,
    State,
    new_job_id,
    plan_of,
)
from wosdk_async.jobs.journal.folder import ADDRESS
from wosdk_async.jobs.journal.store import explained
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import References
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.undo_fates import UndoState, undo_state
from wosdk_async.transport.session.hosts import is_local

__all__ = ["OpenedJob", "company_identity", "job_base", "open_job"]

_SHOWN = 10  # keys in a warning


@attrs.define(eq=False, kw_only=True)
class OpenedJob:
    """A job whose journal this process holds."""

    folder: Path
    journal: Journal
    new: bool
    """Whether it began just now."""
    finished: bool
    """Whether nothing is left to be sent or settled."""
    undone: UndoState | None = None
    """How far an undo took it back; None without one."""
    warnings: list[str] = attrs.field(factory=list)
    """What the user should know of an earlier job that goes on here."""

    @property
    def plan(self) -> JobPlan:
        """What the job is about."""
        return self.journal.plan


def company_identity(company: Company) -> str:
    """Return a text that stays the same for one Company of one region, whichever host serves it.

    On this machine the port of a sandbox changes from run to run, so that only its Company tells.
    """
    locator = company.region.locator_url
    place = "this machine" if is_local(locator) else locator.rstrip("/")
    return f"{company.name.casefold()} ({company.id}) at {place}"


def job_base(source: Source, options: ImportOptions) -> Path:
    """Return the folder of the first job of a file; further ones stand beside it, with numbers."""
    path = source.path.absolute()
    return options.folder or path.with_name(f"{path.name}.job")


async def open_job(
    source: Source,
    import_map: ImportMap,
    references: References,
    *,
    marker: str | None,
    identity: str,
    options: ImportOptions,
    journals: type[Journal] = Journal,
) -> OpenedJob:
    """Open the job that the arguments mean, and lock it.

    Args:
        source: the file.
        import_map: the map.
        references: the records that keys may refer to.
        marker: the field that carries the key of each row.
        identity: text that tells the Company from others.
        options: where the job is, and whether it begins anew.
        journals: the class that makes and opens the journal; a test gives one that is killed.

    Raises:
        ImportMapError: the file or the marker has changed since an unfinished job began.
        JournalError: another process holds the job, or its journal cannot be used.
    """
    sha256 = await asyncio.to_thread(_sha256, source.path)
    path = source.path.absolute()
    folders = JobFolders(job_base(source, options))
    operation = import_map.operation

    def begin(earlier: Journal | None = None) -> Journal:
        plan = JobPlan(
            job=new_job_id(),
            file=str(path),
            size=path.stat().st_size,
            sha256=sha256,
            company=identity,
            operation=operation,
            marker=marker,
            map_sha256=_sha256(import_map.path),
            empty_rows=source.empty_rows,
            created_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            options=dict(options.details),
        )
        keys = RowKeys.of(import_map, marker, plan.job) if marker else None
        folder, lock = folders.new()
        with explained(folder):
            keep_copy(path, folders.base, folder)
        return journals.create(folder, plan, _entries(source, keys, references), earlier=earlier, lock=lock)

    found: Path | None
    if options.resume:
        found = await asyncio.to_thread(_resumed, folders.base, path, sha256, identity, operation)
    else:
        address = options.details.get(ADDRESS)
        found = await asyncio.to_thread(folders.find, identity, operation, path, sha256, address)
    if found is None or options.again:
        return _opened(await asyncio.to_thread(begin), new=True)
    journal = await asyncio.to_thread(journals.open, found)
    try:
        undone = await undo_state(journal)
        if undone is not None and (options.retry_refused or not is_finished(journal)):
            raise ImportMapError(
                f"the job in {journal.folder} was {undone}. It does not go on; give the command of the "
                "import with --again to begin a new job"
            )
        if options.retry_refused:
            await journal.plan_again()
        goes_on = _goes_on(journal, source, sha256, marker, options)
    except BaseException:
        await journal.close()
        raise
    if goes_on == "with the same file":
        return attrs.evolve(_opened(journal, new=_is_untouched(journal)), undone=undone)
    if goes_on == "with a new file":
        try:
            if marker is None or RowKeys.of(import_map, marker, journal.plan.job).node is None:
                raise ImportMapError(
                    "--continue tells rows by their keys, and the rows of this job have none of their own; "
                    "map a column to the marker, or begin a new job with --again"
                )
            renewed = await asyncio.to_thread(begin, journal)
            warnings = await _left_behind(journal, renewed)
            return attrs.evolve(_opened(renewed, new=False), warnings=warnings)
        finally:
            await journal.close()
    await journal.close()
    return _opened(await asyncio.to_thread(begin), new=True)


async def _left_behind(earlier: Journal, renewed: Journal) -> list[str]:
    """Return a warning for the rows in doubt that the new file does not have any more."""
    lines, after = [], 0
    while page := await earlier.rows_in(State.SENDING, State.IN_DOUBT, after=after):
        after = page[-1].row
        kept = await renewed.rows_with([row.key for row in page if row.key])
        lines += [f"{row.key!r} (line {row.line})" for row in page if row.key not in kept]
    if not lines:
        return []
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    shown = ", ".join(lines[:_SHOWN]) + more
    return [f"in doubt in {earlier.folder}, and not in the new file: {shown}; look for them yourself"]


def _resumed(folder: Path, path: Path, sha256: str, identity: str, operation: str) -> Path:
    """Return the folder of the job that goes on. Raise ImportMapError when the arguments mean another."""
    plan = plan_of(folder)
    if plan.sha256 != sha256:
        raise ImportMapError(_CHANGED.format(path=path, folder=folder, begun=plan.created_at))
    for what, began, given in (("Company", plan.company, identity), ("operation", plan.operation, operation)):
        if began != given:
            raise ImportMapError(
                f"the job in {folder} is of {what} {began!r}, not of {given!r}; name that one"
            )
    return folder


def _opened(journal: Journal, *, new: bool) -> OpenedJob:
    return OpenedJob(folder=journal.folder, journal=journal, new=new, finished=is_finished(journal))


GoesOn = Literal["with the same file", "with a new file", "not"]


def _goes_on(
    journal: Journal, source: Source, sha256: str, marker: str | None, options: ImportOptions
) -> GoesOn:
    """Return whether a job that was found goes on, or a new one begins."""
    plan, finished = journal.plan, is_finished(journal)
    if plan.sha256 == sha256:
        if not finished:
            _require_same_marker(plan, marker, journal.folder)
        return "with the same file"
    if finished or _is_untouched(journal):
        return "not"
    if not options.carry_over:
        raise ImportMapError(_CHANGED.format(path=source.path, folder=journal.folder, begun=plan.created_at))
    _require_same_marker(plan, marker, journal.folder)
    return "with a new file"


_CHANGED = (
    "{path} has changed since the job in {folder} began ({begun}), which is not finished: add --continue to "
    "go on with the new file, where rows are told by their keys, or --again to begin a new job"
)


def is_finished(journal: Journal) -> bool:
    """Return whether nothing is left to do; with a marker rows in doubt can still be settled."""
    counts = journal.counts()
    left = counts[State.PLANNED] + counts[State.SENDING]
    return not left and not (journal.plan.marker and counts[State.IN_DOUBT])


def _is_untouched(journal: Journal) -> bool:
    """Return whether nothing was ever sent, as when the user said no."""
    counts = journal.counts()
    return counts[State.PLANNED] + counts[State.REFUSED] == journal.plan.rows


def _require_same_marker(plan: JobPlan, marker: str | None, folder: Path) -> None:
    if plan.marker != marker:
        began = f"--marker {plan.marker}" if plan.marker else "no marker"
        raise ImportMapError(
            f"the job in {folder} began with {began}; give the same, or --again for a new job"
        )


def _entries(source: Source, keys: RowKeys | None, references: References) -> Iterator[RowEntry]:
    for row in source:
        key = None
        if keys is not None and row.fault is None:
            try:
                key = keys.key(row, references)
            except RowError:
                key = None  # the row is refused with the reason when its turn comes
        yield RowEntry(row=row.number, line=row.line, digest=row.digest, key=key)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
