"""End of an import run: its journal record and the job's files."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.imports.work import JobWork
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.entries import MAX_REASON, RUN_REFUSED
from wosdk_async.jobs.ledger.outcomes import Summary
from wosdk_async.jobs.ledger.overview import end_details
from wosdk_async.jobs.report.outputs import outputs_are_current, write_outputs
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.text.safe_text import shortened

_UNUSABLE = 2  # exit status: invalid file or setting
_UNWRITTEN = 8  # exit status: the rows are done, but job files could not be written


async def end_run(
    job: OpenedJob,
    work: JobWork,
    *,
    ran: bool,
    summary: Summary | None,
    error: BaseException | None,
    stopped_status: int,
) -> None:
    """Record the end of a run, write the job's files unless they are up to date, and close the job.

    If the import was refused before anything was sent, a new ledger is removed instead of closed. ``ran``
    tells whether the run had anything to do. The written files or the write error are set in ``summary``,
    which is None after an error. ``stopped_status`` is the exit status of a run with remaining rows.
    """
    journal = job.journal
    refused = isinstance(error, WosdkError) and not work.sending
    try:
        if refused and await _sent_nothing(job):
            return
        if summary is not None:
            summary.missing = journal.missing
        status = _status(summary, error, stopped_status)
        if ran:
            await _write_end(journal, work, status, error, refused=refused)
        # If the journal lacks outcomes, the next run writes the files.
        if journal.failed is None and job.folder.is_dir() and (ran or not await outputs_are_current(journal)):
            try:
                files = await write_outputs(
                    journal,
                    job.request.source,
                    csv_for_excel=job.request.options.csv_for_excel,
                    words=job.request.report_words,
                )
                if summary is not None:
                    summary.files = files
            except OutputError as output_error:
                if ran and error is None and summary is not None and summary.all_ended:
                    await _write_end(journal, work, _UNWRITTEN, output_error)
                raise
    except (OutputError, JournalError) as output_error:
        if summary is not None:
            summary.files_failed = output_error
    finally:
        await close_job(job, refused=refused)


def _error_details(error: BaseException) -> dict[str, Any]:
    """Return the journal details of a failed run.

    Messages of third-party errors are omitted because they may contain a token.
    """
    if isinstance(error, WosdkError):
        return {"error": shortened(error.message, MAX_REASON), "error_details": end_details(error)}
    why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    return {"error": shortened(f"{type(error).__name__}{why}", MAX_REASON)}


def _status(summary: Summary | None, error: BaseException | None, stopped: int) -> int:
    if isinstance(error, WosdkError):
        return int(ending_of(error).exit_status)
    if error is None or isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return 0 if summary is not None and summary.complete else stopped
    return _UNUSABLE if isinstance(error, OSError) else 1


async def _write_end(
    journal: Journal, work: JobWork, status: int, error: BaseException | None, *, refused: bool = False
) -> None:
    more: dict[str, Any] = {}
    if error is not None and not isinstance(error, asyncio.CancelledError):
        more |= _error_details(error)
    if refused:
        more[RUN_REFUSED] = True
    with contextlib.suppress(JournalError):  # the summary says why the journal failed
        if (stopped := work.stop.reason) is not None:
            more |= {"stopped": stopped.message, "stopped_details": end_details(stopped)}
        await journal.end_run(status, **more)


async def close_job(job: OpenedJob, *, refused: bool) -> None:
    """Close a job's journal; remove a new journal if the import was ``refused`` before anything was sent."""
    job.rows.close()
    if job.journal.is_closed:
        return
    with contextlib.suppress(JournalError):
        if refused and await _sent_nothing(job):
            await job.journal.discard()
    await job.journal.close()


async def _sent_nothing(job: OpenedJob) -> bool:
    """Return whether a job is new and has sent neither rows nor references."""
    journal = job.journal
    if not job.new or journal.failed is not None:
        return False
    if await journal.rows_in(State.SENDING, State.IN_DOUBT, State.DONE, State.FOUND, limit=1):
        return False
    return not await journal.references() and not await journal.last_epoch()
