"""Opening an import's ledger, and comparing it with the file."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.inputs import keep_copy
from wosdk_async.jobs.journal import JobFolders, JobPlan, Journal, new_job_id
from wosdk_async.jobs.journal.folder import limit_readers
from wosdk_async.jobs.journal.store import explained
from wosdk_async.jobs.ledger.admission import admit
from wosdk_async.jobs.ledger.comparison import is_as_admitted
from wosdk_async.jobs.ledger.facts import decide_import, first_warnings, ledger_warnings
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.nearby import find_ledger
from wosdk_async.jobs.ledger.other_ledgers import runs_beside
from wosdk_async.jobs.ledger.overview import audit_state_of
from wosdk_async.jobs.ledger.refusals import ImportRefusedError
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import Plan, Refusal
from wosdk_async.shared_tasks import open_in_thread


@attrs.define(eq=False, kw_only=True)
class OpenedJob:
    """A locked ledger with the plan for the file's rows."""

    request: ImportRequest
    journal: Journal
    rows: FileRows
    plan: Plan
    new: bool
    """Whether this run created the ledger."""
    is_idle: bool = False
    """Whether there is nothing to send, look up or audit, and the last run had the same file and map."""
    beside: Mapping[Path, tuple[int, int]]
    """For each job in the directory: number of imports and of rows, counted before the file was compared."""

    @property
    def folder(self) -> Path:
        """The job folder."""
        return self.journal.folder

    @property
    def about(self) -> JobPlan:
        """The ledger's stored plan."""
        return self.journal.plan

    async def compare_again(self) -> None:
        """Compare the file again if other jobs in the directory have started runs since the first comparison.

        Other jobs may start while the user is asked to confirm the import.

        Raises:
            ImportRefusedError: other jobs sent rows of the file.
            JournalError: other jobs have started, and may have sent rows that this job is to resend.
        """
        request, own = self.request, self.folder
        if self.is_idle or await asyncio.to_thread(runs_beside, request, own) == self.beside:
            return
        if request.options.again:  # the user agreed to send the rows that had been found then
            raise JournalError(
                f"{self.folder}: another import has started in this directory since the file was read; "
                "nothing was sent. Run the command again"
            )
        self.plan = await _decided(self.journal, request, self.rows, self.about.company, new=self.new)

    async def admit(self) -> None:
        """Write the plan into the ledger. Raise JournalError if the write fails; then no row may be sent."""
        request, journal, rows = self.request, self.journal, self.rows
        last, now = self.about, request.plan(self.about.job, self.about.company, rows)
        about = attrs.evolve(now, created_at=last.created_at, options=last.options, after=last.after)
        # Rejects are rows of the original file, so the ledger keeps that file's key, sheet and columns.
        if rows.is_rejects:
            about = attrs.evolve(about, key=last.key, sheet=last.sheet)
            about = attrs.evolve(about, columns=last.columns, header=last.header)
        keys = request.keys(self.about.job)
        change = functools.partial(
            admit,
            plan=self.plan,
            job=self.about.job,
            run=journal.run,
            default_keys=keys is not None and not keys.are_own,
            learns=rows.is_rejects or self.about.key != rows.key,
        )
        await journal.admit(change, about)
        rows.close()


async def open_job(
    request: ImportRequest, rows: FileRows, company: str, *, journals: type[Journal] = Journal
) -> OpenedJob:
    """Open and lock an import's ledger, or create a new ledger.

    Raises:
        ImportRefusedError: the import is refused; nothing was sent.
        JournalError: another process has locked the ledger, or the ledger is unusable.
    """
    folders = JobFolders(request.base)
    ledgers = await asyncio.to_thread(folders.ledgers)
    existing = await asyncio.to_thread(find_ledger, request, rows, company, ledgers)
    beside = await asyncio.to_thread(runs_beside, request, existing or request.base)
    if existing is None:
        return await _begin(request, rows, company, folders, journals, beside)
    journal = await open_in_thread(functools.partial(journals.open, existing), close=journals.abandon)
    try:
        await asyncio.to_thread(limit_readers, existing, request.path)
        plan = await _decided(journal, request, rows, company, new=False)
        # Keep the old ledger locked until the new one is locked, so that no other process sends these rows.
        if plan.begins:
            after = journal.plan.job
            opened = await _begin(request, rows, company, folders, journals, beside, after=after)
            opened.plan = attrs.evolve(opened.plan, leaves_done=plan.leaves_done, resembling=plan.resembling)
            try:
                await journal.close()
            except BaseException:
                opened.journal.discard()
                raise
            return opened
        last, now = journal.plan, (request.sha256, request.sheet, rows.key, rows.is_rejects)
        maps = [run.details["map"] for run in await journal.runs() if "map" in run.details]
        is_idle = (
            plan.is_idle
            and (last.sha256, last.sheet, last.key, last.rejects) == now
            and maps[-1:] == [request.import_map.fingerprint]  # another map may read other columns
            and await journal.read(is_as_admitted)  # other rules may read other rows
            and await audit_state_of(journal) not in ("due", "not clean")
        )
        if is_idle:
            rows.warnings.clear()  # these warn about rows to send, and there are none
        rows.warnings += await journal.read(lambda db: ledger_warnings(db, request, plan, journal.folder))
        return OpenedJob(
            request=request,
            journal=journal,
            rows=rows,
            plan=plan,
            new=False,
            is_idle=is_idle,
            beside=beside,
        )
    except BaseException:
        await journal.close()
        raise


async def _begin(
    request: ImportRequest,
    rows: FileRows,
    company: str,
    folders: JobFolders,
    journals: type[Journal],
    beside: Mapping[Path, tuple[int, int]],
    *,
    after: str | None = None,
) -> OpenedJob:
    """Create an empty ledger; :meth:`OpenedJob.admit` adds the file's rows."""

    def create() -> Journal:
        folder, lock = folders.new()
        try:
            limit_readers(folder, request.path)
            with explained(folder):
                keep_copy(request.path, folders.base, folder)
            about = attrs.evolve(request.plan(new_job_id(), company), after=after)
            return journals.create(folder, about, lock=lock)
        except BaseException:
            lock.release()
            raise

    journal = await open_in_thread(create, close=journals.discard)
    try:
        plan = await _decided(journal, request, rows, company, new=True)
    except BaseException:
        journal.discard()
        raise
    rows.warnings += first_warnings(request, rows)
    return OpenedJob(request=request, journal=journal, rows=rows, plan=plan, new=True, beside=beside)


async def _decided(
    journal: Journal, request: ImportRequest, rows: FileRows, company: str, *, new: bool
) -> Plan:
    """Compare the file with the ledger and return the plan, or raise ImportRefusedError."""
    decide = functools.partial(
        decide_import,
        request=request,
        rows=rows,
        company=company,
        folder=None if new else journal.folder,
        after=journal.plan.after,
    )
    plan, _ = await journal.read(decide)
    if isinstance(plan, Refusal):
        raise ImportRefusedError(plan)
    return plan
