"""Job folders: find and create them, and remove those of jobs that sent nothing."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.entries import JobPlan, as_last_given
from wosdk_async.jobs.journal.lock import LOCK, FolderLock, job_in
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.store import JOURNAL, START_FILES, connect, database_files, explained, read_plan
from wosdk_async.regular_files import sha256_of, sync_folder
from wosdk_async.text.remedies import Remedy


class JobFolders:
    """A file's ledger folders: ``requests.csv.job``, ``requests.csv.job-2``, ...

    If two processes create a job for the file concurrently, one succeeds and the other is refused.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._free: Path | None = None
        self._next = base

    def ledgers(self) -> list[Path]:
        """Return the folders of existing ledgers, oldest first.

        Raises:
            JournalError: a folder has lost its journal, so it is unknown which rows were sent; or another
                process is creating a ledger.
        """
        found, numbered = [], _numbered_folders(self.base)
        self._free = None
        self._next = _numbered(self.base, max((number for number, _ in numbered), default=0) + 1)
        for _, folder in numbered:
            if not (folder / JOURNAL).exists():
                self._free = self._free or self._require_abandoned(folder)
                continue
            self._free = None  # a new job must have the highest number
            found.append(folder)
        return found

    def new(self) -> tuple[Path, FolderLock]:
        """Create a new ledger's folder and return it with its lock; call :meth:`ledgers` first.

        Raises:
            JournalError: another process has just created the folder, or the folder cannot be created.
        """
        folder = self._free or self._next
        with explained(folder):
            try:
                folder.mkdir(0o755, parents=True, exist_ok=self._free is not None)
            except FileExistsError:
                raise just_created_error(folder) from None
            sync_folder(folder.parent)
        lock = FolderLock(folder)
        if (folder / JOURNAL).exists():
            lock.release()
            raise just_created_error(folder)
        return folder, lock

    def _require_abandoned(self, folder: Path) -> Path:
        """Return a folder that a killed import left without a complete journal; refuse any other folder."""
        with explained(folder):
            if not folder.is_dir() or not _sent_nothing(folder):
                raise JournalError(
                    f"{folder} has no journal and is not empty. If a job was here, restore the folder from a "
                    "backup, because a new job would resend all its rows.",
                    remedies=(Remedy.OTHER_FOLDER,),
                )
        FolderLock(folder).release()  # raises if another process is creating the journal
        return folder


def limit_readers(folder: Path, file: Path) -> None:
    """Close a job folder to users who cannot read the input, because the folder has copies of its rows.

    Permissions are never widened. They remain unchanged if the input is in the folder, as rejects are.
    """
    with explained(folder):
        real, seen, denied = folder.resolve(), folder.stat(), 0o077
        if file.resolve().is_relative_to(real):
            return
        # Elsewhere, or behind a link, parent folders may hide the input from users who can read the folder.
        if not file.is_symlink() and file.parent.samefile(real.parent):
            found = file.stat()
            unreadable = ~found.st_mode & 0o044
            if not unreadable or found.st_gid == seen.st_gid:
                denied = unreadable // 4 * 7
        if seen.st_mode & denied:
            with contextlib.suppress(OSError):  # some file systems have fixed permissions
                folder.chmod(stat.S_IMODE(seen.st_mode) & ~denied)


def _numbered_folders(base: Path) -> list[tuple[int, Path]]:
    """Return the existing paths ``base``, ``base-2`` and so on, in order, with their numbers."""
    parent = base.parent
    with explained(parent):
        names = os.listdir(parent) if parent.is_dir() else []
    # Compare case-folded names, because the file system may ignore case.
    pattern = re.compile(rf"{re.escape(base.name.casefold())}(?:-([1-9][0-9]{{0,8}}))?")
    matches = filter(None, (pattern.fullmatch(name.casefold()) for name in names))
    found = ((number, _numbered(base, number)) for number in sorted({int(each[1] or 1) for each in matches}))
    return [(number, folder) for number, folder in found if os.path.lexists(folder)]


def _numbered(base: Path, number: int) -> Path:
    return base if number == 1 else base.with_name(f"{base.name}-{number}")


def plan_of(folder: Path, *, as_given: bool = False) -> JobPlan:
    """Return the plan of the job in a folder, even while a process is working on the job.

    With ``as_given``, the plan has the last run's options. Raise JournalError if the journal cannot be read.
    """
    path = folder / JOURNAL
    with contextlib.closing(connect(folder, read_only=True, snapshot=True)) as db, explained(path):
        plan = read_plan(db, path)
        return as_last_given(plan, runs(db)) if as_given else plan


def remove_job(folder: Path, plan: JobPlan) -> None:
    """Remove the journal and input copy of a job that sent nothing, and the folder if it is then empty.

    The caller must hold the folder's lock. A folder with other content remains unchanged.
    """
    ours = {LOCK, *(each.name for each in database_files(folder / JOURNAL))}
    with contextlib.suppress(OSError):
        names = os.listdir(folder)
        if not all(name in ours or name.startswith(START_FILES) for name in names):
            return
        copy = f"input.{plan.sha256[:16]}"
        # Remove the lock last, so that no other process starts a job here before the folder is gone.
        for name in sorted(names, key=lambda name: (name == LOCK, name != JOURNAL)):
            if name in ours or name.startswith(copy):
                (folder / name).unlink()
        folder.rmdir()


def just_created_error(folder: Path) -> JournalError:
    """Return the error for a job that another process has created in the meantime."""
    text = f"{folder}: another run has just created a job there; run the same command again"
    return JournalError(text, conflict=True)


def jobs_below(directory: Path) -> Iterator[Path]:
    """Yield the job folders in and below a directory, skipping hidden directories."""
    for root, folders, files in os.walk(directory):
        if JOURNAL in files:
            yield Path(root)
        folders[:] = sorted(each for each in folders if not each.startswith("."))


def jobs_in(*directories: Path) -> list[Path]:
    """Return the job folders in these directories."""
    found = (sorted(directory.glob(f"*/{JOURNAL}")) for directory in dict.fromkeys(directories))
    return [path.parent for paths in found for path in paths]


def lost_jobs_in(directory: Path) -> list[Path]:
    """Return the job folders in a directory that have files of a run, but no journal."""
    folders = [each.parent for each in directory.glob(f"*/{LOCK}") if not (each.parent / JOURNAL).exists()]
    return [folder for folder in folders if job_in(folder) is not None and not _sent_nothing(folder)]


def _sent_nothing(folder: Path) -> bool:
    """Return whether a folder without a journal has only files that a job has before it sends rows."""
    return all(each.name.startswith(START_FILES) for each in folder.iterdir())


def jobs_of_file(file: Path) -> list[Path]:
    """Return the job folders named after a file or, if there are none, those beside it that read it last."""
    named = numbered_jobs(file.with_name(f"{file.name}.job"))
    return named or [folder for folder in jobs_in(file.absolute().parent) if _reads(folder, file.absolute())]


def _reads(folder: Path, file: Path) -> bool:
    with contextlib.suppress(JournalError):
        return last_file(plan_of(folder), folder) == file
    return False


def last_file(plan: JobPlan, folder: Path) -> Path:
    """Return the file that a job read last: for stdin and URLs, the copy in the job folder.

    If the file and the folder were renamed, return the file that the folder is named after.
    """
    folder, last = folder.absolute(), Path(plan.file)
    if copies := sorted(folder.glob(f"input.{plan.sha256[:16]}*")):
        return copies[0]
    named = folder.with_name(re.sub(r"\.job(-[0-9]+)?\Z", "", folder.name))
    if named == last or not named.is_file():
        return last
    # Another file may have the old name since.
    return last if last.is_file() and sha256_of(named) != plan.sha256 else named


def numbered_siblings(folder: Path) -> list[Path]:
    """Return the job folders that differ from a job folder only in their numbers, oldest first."""
    numbered = folder.with_name(re.sub(r"-[0-9]+\Z", "", folder.name))
    found = numbered_jobs(numbered) + numbered_jobs(
        folder
    )  # the number may belong to a date, as in 2026-11-30
    return [each for each in dict.fromkeys(found) if each != folder]


def numbered_jobs(base: Path) -> list[Path]:
    """Return the job folders ``base``, ``base-2`` and so on, oldest first."""
    return [folder for _, folder in _numbered_folders(base) if (folder / JOURNAL).is_file()]


def job_folder(job: Path) -> Path:
    """Return a job's folder, given the folder, its journal, or the imported file.

    Raise JournalError if there is no job, or the file has several jobs.
    """
    if job.is_dir():
        return job
    if job.name == JOURNAL:
        return job.parent
    found = jobs_of_file(job) or [each for each in (job.with_name(f"{job.name}.job"),) if each.is_dir()]
    if len(found) > 1:
        names = ", ".join(map(_described, found))
        raise JournalError(f"{job} has several jobs; name one of the job folders: {names}")
    if not found:
        raise JournalError(f"{job}: no such job; name a job folder or the imported file")
    return found[0]


def _described(folder: Path) -> str:
    try:
        plan = plan_of(folder)
    except JournalError:
        return str(folder)
    sheet = f"sheet {plan.sheet!r}, " if plan.sheet is not None else ""
    about = f"{sheet}{plan.rows} rows for {plan.company}"
    return f"{folder} ({about}, {plan.created_at[:16].replace('T', ' ')} UTC)"
