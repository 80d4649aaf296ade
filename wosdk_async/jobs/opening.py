"""The job of an import: an earlier one is opened, or a new one begun."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.audit import audit_state_of
from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.going_on import (
    NO_KEYS,
    goes_on,
    is_finished,
    is_untouched,
    left_behind,
    resumed_folder,
)
from wosdk_async.jobs.inputs import keep_copy
from wosdk_async.jobs.job_places import jobs_of_rejects
from wosdk_async.jobs.journal import (
    JobFolders,
    JobPlan,
    Journal,
    RowEntry,
    State,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import ADDRESS
from wosdk_async.jobs.journal.store import explained
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import References
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.repeated_rows import require_no_repeats
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.undo_fates import UndoState, undo_state
from wosdk_async.transport.session.hosts import is_local

__all__ = ["OpenedJob", "company_identity", "job_base", "open_job"]


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
        identity: text that identifies the Company.
        options: where the job is, and whether it begins anew.
        journals: the class that makes and opens the journal; a test gives one that is killed.

    Raises:
        ImportMapError: the file or the marker has changed since an unfinished job began.
        JournalError: another process holds the job, or its journal cannot be used.
    """
    request = _JobRequest(
        source=source,
        import_map=import_map,
        references=references,
        marker=marker,
        identity=identity,
        options=options,
        journals=journals,
        sha256=await asyncio.to_thread(_sha256, source.path),
        folders=JobFolders(job_base(source, options)),
    )
    found = await asyncio.to_thread(request.find)
    if found is None or options.again:
        return _opened(await asyncio.to_thread(request.begin), new=True)
    journal = await asyncio.to_thread(journals.open, found)
    warnings: list[str] = []
    try:
        job = await request.go_on(journal)
        if job is None:
            warnings = await require_no_repeats(journal, source, marker, options)
    except BaseException:
        await journal.close()
        raise
    if job is None or job.journal is not journal:
        await journal.close()
    return job or _opened(await asyncio.to_thread(request.begin), new=True, warnings=warnings)


@attrs.frozen(kw_only=True, eq=False)
class _JobRequest:
    """What an import asks for; the arguments of :func:`open_job`, and the hash of the file."""

    source: Source
    import_map: ImportMap
    references: References
    marker: str | None
    identity: str
    options: ImportOptions
    journals: type[Journal]
    sha256: str
    folders: JobFolders
    """It remembers what :meth:`find` saw, so that :meth:`begin` takes no folder of another process."""

    @property
    def path(self) -> Path:
        return self.source.path.absolute()

    def find(self) -> Path | None:
        """Return the folder of the job that may go on; None when there is none."""
        identity, operation = self.identity, self.import_map.operation
        if self.options.resume:
            return resumed_folder(self.folders.base, self.path, self.sha256, identity, operation)
        address = self.options.details.get(ADDRESS)
        return self.folders.find(identity, operation, self.path, self.sha256, address)

    def begin(self, earlier: Journal | None = None) -> Journal:
        """Begin a new job, which takes over the states of the rows of ``earlier``."""
        plan = JobPlan(
            job=new_job_id(),
            file=str(self.path),
            size=self.path.stat().st_size,
            sha256=self.sha256,
            company=self.identity,
            operation=self.import_map.operation,
            marker=self.marker,
            map_sha256=_sha256(self.import_map.path),
            empty_rows=self.source.empty_rows,
            created_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            options=dict(self.options.details),
        )
        keys = RowKeys.of(self.import_map, self.marker, plan.job) if self.marker else None
        entries = _entries(self.source, keys, self.references)
        folder, lock = self.folders.new()
        try:
            with explained(folder):
                keep_copy(self.path, self.folders.base, folder)
        except BaseException:
            lock.release()
            raise
        return self.journals.create(folder, plan, entries, earlier=earlier, lock=lock)

    async def go_on(self, journal: Journal) -> OpenedJob | None:
        """Return the job of a journal, or the one that takes its rows over; None when another one begins."""
        undone = await undo_state(journal)
        if undone is not None and (self.options.retry_refused or not is_finished(journal)):
            raise ImportMapError(
                f"the job in {journal.folder} was {undone}. It does not go on; give the command of the "
                "import with --again to begin a new job"
            )
        if self.options.retry_refused:
            await self._require_rejects_unsent(journal)
        match await goes_on(journal, self.source.path, self.sha256, self.marker, self.options):
            case "with the same file":
                job = _opened(journal, new=await is_untouched(journal))
                audited = undone is not None or await audit_state_of(journal) not in ("due", "not clean")
                # They are planned again by the run: a command that is refused before it changes nothing.
                retried = await journal.refused_for_now() if self.options.retry_refused else 0
                finished = job.finished and audited and not retried
                return attrs.evolve(job, undone=undone, retried=retried, finished=finished)
            case "with a new file":
                return await self._renew(journal)
        return None

    async def _require_rejects_unsent(self, journal: Journal) -> None:
        """Raise ImportMapError when a job of the rejects has sent rows, and no key prevents doubles."""
        if self.marker and RowKeys.of(self.import_map, self.marker, journal.plan.job).node is not None:
            return
        for folder in jobs_of_rejects(journal.folder):
            async with Journal.open(folder, snapshot=True) as rejects:
                counts = rejects.counts()
            if counts[State.DONE] + counts[State.SENDING] + counts[State.IN_DOUBT]:
                raise ImportMapError(
                    f"the rejects of the job in {journal.folder} were imported by the job in {folder}: "
                    "--retry refused would send them once more. Correct and import the rejects of that job"
                )

    async def _renew(self, journal: Journal) -> OpenedJob:
        """Begin a job for a file that has changed; it takes over what became of the rows, by their keys."""
        if self.marker is None or RowKeys.of(self.import_map, self.marker, journal.plan.job).node is None:
            raise ImportMapError(NO_KEYS)
        earlier = EarlierLeases.of_job(journal)
        await earlier.collect()  # undelivered results are found there only
        renewed = await asyncio.to_thread(self.begin, journal)
        try:
            warnings = [*earlier.warnings, *await left_behind(journal, renewed)]
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
