"""Search for an import's ledger, and for a nearby job that sent a row whose record already exists."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, State
from wosdk_async.jobs.journal.folder import jobs_in, numbered_jobs, numbered_siblings, plan_of
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.schema import TABLES
from wosdk_async.jobs.journal.store import JOURNAL, connect_to_snapshot, explained, read_plan
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.text.remedies import Remedy


def find_ledger(request: ImportRequest, rows: FileRows, company: str, ledgers: Sequence[Path]) -> Path | None:
    """Find the folder of an import's ledger; None for a new import.

    ``ledgers`` has the folders of the ledgers beside the file or at the named folder, oldest first.

    Raises:
        JournalError: a ledger cannot be read, so it is unknown which rows were sent; there is no job to
            resume; or the job of a rejects file has several copies.
    """
    if rows.is_rejects:
        return _of_rejects(request, rows.job or "")
    if request.options.resume:
        if not (request.base / JOURNAL).is_file():
            raise JournalError(
                f"{request.base}: there is no job to resume", remedies=(Remedy.LEAVE_OUT,), option="resume"
            )
        return request.base
    plans = [(folder, plan) for folder in ledgers if _is_ledger(folder, plan := plan_of(folder))]
    if request.options.folder is not None and plans:  # a named folder is used regardless of its last input
        oldest, _ = plans[0]
        return successor(oldest) or oldest
    wanted = company, request.import_map.operation
    own = [(folder, plan) for folder, plan in plans if (plan.company, plan.operation) == wanted]
    fitting = [folder for folder, plan in own if plan.sheet == request.sheet]
    # If no ledger's last import read this sheet, take the newest ledger that read it earlier.
    earlier = (folder for folder, _ in reversed(own) if request.sheet in _sheets(folder))
    return fitting[-1] if fitting else next(earlier, None)


def _sheets(folder: Path) -> set[str | None]:
    """Return the sheets that a ledger's imports read; None stands for files without sheets."""
    with opened(folder) as db:
        return {run.details["sheet"] for run in runs(db) if "sheet" in run.details}


def _is_ledger(folder: Path, plan: JobPlan) -> bool:
    """Return False for a ledger that was created to resend all rows, but has no rows yet."""
    if plan.after is None:
        return True
    with opened(folder) as db:
        return db.execute("SELECT 1 FROM planned LIMIT 1").fetchone() is not None


def _of_rejects(request: ImportRequest, job: str) -> Path | None:
    """Find a rejects file's ledger: in the named folder, in the file's folder, or nearby.

    If the named folder has a different job, :func:`decide_import` refuses the ledger found nearby.
    """
    for folder in named_ledgers(request):
        if plan_of(folder).job == job:
            return folder
    beside = request.path.parent
    around = [each for place in (beside, Path()) for each in (place, place.absolute().parent)]
    # Rejects of an earlier file are in the job's runs/N folder, so also search the parents of the file.
    directories = dict.fromkeys(each.absolute() for each in (*around, *request.path.parents[:_DEPTH]))
    candidates = dict.fromkeys(
        folder for each in directories for folder in (each, *jobs_in(each)) if (folder / JOURNAL).is_file()
    )
    found: list[Path] = []
    for folder in candidates:
        with contextlib.suppress(JournalError):  # an unreadable journal may belong to another file
            if plan_of(folder).job == job and not any(folder.samefile(each) for each in found):
                found.append(folder)
    preferred = [each for each in found if each.absolute() == beside]
    if len(found) > 1 and not preferred:
        raise JournalError(
            f"{found[0]} and {found[1]} are copies of the same job; name the folder to continue with"
        )
    return next(iter(preferred or found), None)


def named_ledgers(request: ImportRequest) -> list[Path]:
    """Return the ledgers in the named folder and the numbered folders beside it, oldest first."""
    if (named := request.options.folder) is None:
        return []
    return [each for each in dict.fromkeys((named, *numbered_jobs(named))) if (each / JOURNAL).is_file()]


def successor(folder: Path) -> Path | None:
    """Find the newest ledger that resends all rows of the ledger in ``folder``; None if there is none."""
    job, newest = plan_of(folder).job, None
    for each in numbered_siblings(folder):
        with contextlib.suppress(JournalError):
            if (plan := plan_of(each)).after == job and _is_ledger(each, plan):
                job, newest = plan.job, each
    return newest


def written_by_job(request: ImportRequest) -> bool:
    """Return whether a file is in a job folder and is not a copy of the job's input."""
    if request.path.name.startswith("input."):
        return False
    return any((folder / JOURNAL).is_file() for folder in request.path.parents[:_DEPTH])


_DEPTH = 3  # parents to search: the third parent of a file in runs/N is the job folder


@contextlib.contextmanager
def opened(folder: Path | None) -> Iterator[sqlite3.Connection]:
    """Open a ledger read-only; for None, open an empty temporary ledger to compare the first file with."""
    if folder is None:
        with contextlib.closing(sqlite3.connect("", isolation_level=None)) as db:
            db.executescript(TABLES)
            yield db
    else:
        with contextlib.closing(connect_to_snapshot(folder)) as db, explained(folder / JOURNAL):
            yield db


def existing_remedies(
    own: Path, plan: JobPlan, identities: Sequence[bytes], digest: int | None
) -> dict[str, Any]:
    """Return remedies and facts for a row whose record exists; name a job nearby that sent the row, if any.

    If the cells that the other job sent differ from ``digest``, the record may belong to another row.
    """
    query = f"""SELECT max(sent = ?) FROM identity JOIN planned USING (row) JOIN outcome USING (row)
        LEFT JOIN undo USING (row) WHERE outcome.state = {State.DONE}
        AND undo.state IS NOT {State.DONE} AND identity IN ({", ".join("?" * len(identities))})"""
    for folder in jobs_in(own.absolute().parent, Path(plan.file).parent):
        with contextlib.suppress(JournalError):
            other = plan_of(folder)
            if (other.company, other.operation) == (plan.company, plan.operation) and other.job != plan.job:
                with opened(folder) as db:
                    (is_same,) = db.execute(query, [digest, *identities]).fetchone()
                if is_same is not None:
                    remedy = Remedy.JOB_BESIDE if is_same else Remedy.EXISTING_RECORDS
                    return {"remedies": (remedy,), "folder": str(folder)}
    return {"remedies": (Remedy.EARLIER_IMPORT,)}


def remedies_of_row(own: Path | None, row: int) -> dict[str, Any]:
    """Return :func:`existing_remedies` for a row of the ledger in ``own``, if the ledger can be read."""
    with contextlib.suppress(JournalError):
        if own is not None:
            with opened(own) as db:
                plan = read_plan(db, own / JOURNAL)
                known = "SELECT identity, sent FROM identity JOIN planned USING (row) WHERE row = ?"
                found = db.execute(known, [row]).fetchall()
            digest = found[0][1] if found else None
            return existing_remedies(own, plan, [identity for identity, _ in found], digest)
    return {"remedies": (Remedy.EARLIER_IMPORT,)}
