"""The job of an import: an earlier one is opened, or a new one begun."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.audit import audit_state_of
from wosdk_async.jobs.given_import import Decision, GivenImport, resumed_folder
from wosdk_async.jobs.going_on import is_finished, is_untouched, left_behind, newest_of
from wosdk_async.jobs.inputs import keep_copy
from wosdk_async.jobs.journal import (
    JobFolders,
    JobPlan,
    Journal,
    RowEntry,
    new_job_id,
)
from wosdk_async.jobs.journal.store import explained
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.undo_fates import UndoState, undo_state
from wosdk_async.regular_files import sha256_of
from wosdk_async.transport.session.hosts import is_local

__all__ = ["OpenedJob", "company_identity", "open_job"]


@attrs.define(eq=False, kw_only=True)
class OpenedJob:
    """A job whose journal this process holds."""

    folder: Path
    journal: Journal
    new: bool
    """Whether no run of it has begun before."""
    finished: bool
    """Whether nothing is left to be sent or settled, and no audit has to be made."""
    renewed: bool = False
    """Whether it was just begun for a file that has changed, and took over the rows of an earlier job."""
    earlier: Path | None = None
    """The folder of the job whose rows it took over just now."""
    retried: int = 0
    """Rows that were refused, and that the run plans again before it sends."""
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

    On this machine the port of a sandbox changes from run to run, so only name and id of its Company count.
    """
    locator = company.region.locator_url
    place = "this machine" if is_local(locator) else locator.rstrip("/")
    return f"{company.name.casefold()} ({company.id}) at {place}"


async def open_job(
    source: Source,
    import_map: ImportMap,
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
        marker: the field that carries the key of each row.
        identity: text that identifies the Company.
        options: where the job is, and whether it begins anew.
        journals: the class that makes and opens the journal; a test gives one that is killed.

    Raises:
        ImportMapError: the file or the marker has changed since an unfinished job began.
        JournalError: another process holds the job, or its journal cannot be used.
    """
    given = await asyncio.to_thread(
        GivenImport,
        source=source,
        import_map=import_map,
        marker=marker,
        identity=identity,
        options=options,
    )
    request = _JobRequest(
        given=given,
        journals=journals,
        folders=JobFolders(given.base),
    )
    found = await request.find()
    if found is None and not options.again:
        await given.require_new()
    if found is None or options.again:
        return _opened(await asyncio.to_thread(request.begin), new=True)
    journal = await asyncio.to_thread(journals.open, found)
    try:
        decision = await given.decide(journal)
        job = await request.go_on(journal, decision)
    except BaseException:
        await journal.close()
        raise
    if job is None or job.journal is not journal:
        await journal.close()
    return job or _opened(await asyncio.to_thread(request.begin), new=True, warnings=decision.warnings)


@attrs.frozen(kw_only=True, eq=False)
class _JobRequest:
    """The arguments of :func:`open_job`, and the folders that are there."""

    given: GivenImport
    journals: type[Journal]
    folders: JobFolders
    """It remembers what :meth:`find` saw, so that :meth:`begin` takes no folder of another process."""

    async def find(self) -> Path | None:
        """Return the folder of the job that may go on; None when there is none."""
        if self.given.options.resume:
            return await resumed_folder(self.given)
        found = await asyncio.to_thread(self.folders.find, *self.given.known_by)
        return None if found is None else await newest_of(found)

    def begin(self, earlier: Journal | None = None) -> Journal:
        """Begin a new job, which takes over the states of the rows of ``earlier``."""
        given = self.given
        job = new_job_id()
        keys = given.keys(job)
        plan = JobPlan(
            job=job,
            file=str(given.path),
            size=given.path.stat().st_size,
            sha256=given.sha256,
            company=given.identity,
            operation=given.import_map.operation,
            marker=given.marker,
            map_sha256=sha256_of(given.import_map.path),
            empty_rows=given.source.empty_rows,
            created_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            options=dict(given.options.details),
            columns=list(given.source.columns),
            sheet=given.sheet,
            key=keys.template if keys is not None else None,
        )
        folder, lock = self.folders.new()
        try:
            with explained(folder):
                keep_copy(given.path, self.folders.base, folder)
        except BaseException:
            lock.release()
            raise
        return self.journals.create(folder, plan, _entries(given, keys), earlier=earlier, lock=lock)

    async def go_on(self, journal: Journal, decision: Decision) -> OpenedJob | None:
        """Return the job of a journal, or the one that takes its rows over; None when another one begins."""
        match decision.goes_on:
            case "with the same file":
                undone = await undo_state(journal)
                job = _opened(journal, new=await is_untouched(journal))
                audited = undone is not None or await audit_state_of(journal) not in ("due", "not clean")
                # They are planned again by the run: a command that is refused before it changes nothing.
                retried = await journal.refused_for_now() if self.given.options.retry_refused else 0
                finished = job.finished and audited and not retried
                return attrs.evolve(job, undone=undone, retried=retried, finished=finished)
            case "with a new file":
                return await self._renew(journal, decision.warnings)
        return None

    async def _renew(self, journal: Journal, known: Sequence[str]) -> OpenedJob:
        """Begin a job for a file that has changed; it takes over what became of the rows, by their keys."""
        renewed = await asyncio.to_thread(self.begin, journal)
        try:
            warnings = [*known, *await left_behind(journal, renewed)]
        except BaseException:
            await renewed.close()
            raise
        return attrs.evolve(
            _opened(renewed, new=False), renewed=True, earlier=journal.folder, warnings=warnings
        )


def _opened(journal: Journal, *, new: bool, warnings: Sequence[str] = ()) -> OpenedJob:
    finished = is_finished(journal)
    return OpenedJob(
        folder=journal.folder, journal=journal, new=new, finished=finished, warnings=list(warnings)
    )


def _entries(given: GivenImport, keys: RowKeys | None) -> Iterator[RowEntry]:
    for row in given.source:
        key = keys.key_or_none(row) if keys is not None else None
        yield RowEntry(row=row.number, line=row.line, digest=row.digest, key=key)
    given.require_unchanged()
