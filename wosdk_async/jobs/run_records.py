"""What the journal keeps of each run of an import: how it was given, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.journal import JobPlan, JobRun
from wosdk_async.jobs.journal.entries import MAX_REASON
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, read_plan
from wosdk_async.jobs.request import ImportRequest
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.text.safe_text import shortened

__all__ = ["as_last_given", "details_of", "had_workers", "plan_as_last_given", "reason_kept", "status_of"]

_GIVEN, _ENGINE, _REFUSED = "given", "engine", "refused"
_UNUSABLE = 2  # exit status: a file or a setting cannot be used


def details_of(request: ImportRequest, company: Company) -> dict[str, Any]:
    """Return what the journal keeps of a run that begins: each run has its own file, map and options."""
    options, workers = request.options, request.workers
    found: dict[str, Any] = {
        "options": options.changed(),
        _GIVEN: dict(options.details),
        "file": str(request.path),
        "sha256": request.sha256,
        "map": request.import_map.fingerprint,  # a statement of the admission reads it by this name
        "limit": options.limit,
        "rate": company.rate,
    }
    return found if workers is None else {**found, _ENGINE: workers.name, "lease": options.lease}


def status_of(error: BaseException, stopped: int) -> int:
    """Return the exit status of ``wosdk import`` for an exception; ``stopped`` is that of a cancelled run."""
    if isinstance(error, WosdkError):
        return int(ending_of(error).exit_status)
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return stopped
    return _UNUSABLE if isinstance(error, OSError) else 1


def reason_kept(error: BaseException) -> str:
    """Return why a run failed, as the journal keeps it.

    Of an error that is not ours only the class: its text may hold anything, also a token.
    """
    if isinstance(error, WosdkError):
        return shortened(error.message, MAX_REASON)
    why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    return shortened(f"{type(error).__name__}{why}", MAX_REASON)


def had_workers(runs: Sequence[JobRun]) -> bool:
    """Return whether workers may have sent rows in one of these runs."""
    return any(run.details.get(_ENGINE) and not run.details.get(_REFUSED) for run in runs)


def as_last_given(plan: JobPlan, runs: Sequence[JobRun]) -> JobPlan:
    """Return a plan with the options of the last run that began, instead of those of the first command.

    A run that was refused before anything was sent does not count, nor does an undo.
    """
    for run in reversed(runs):
        given = run.details.get(_GIVEN)
        if isinstance(given, Mapping) and given and not run.details.get(_REFUSED):
            return attrs.evolve(plan, options={**plan.options, **given})
    return plan


def plan_as_last_given(folder: Path) -> JobPlan:
    """Return the plan of the job in a folder with the options of its last run; see :func:`as_last_given`.

    Raises:
        JournalError: there is no journal, or it cannot be read.
    """
    path = folder / JOURNAL
    with contextlib.closing(connect(folder, read_only=True, snapshot=True)) as db, explained(path):
        return as_last_given(read_plan(db, path), runs(db))
