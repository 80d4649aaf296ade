"""Where jobs are: below a directory, in it, and beside their file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.folder import numbered_folders
from wosdk_async.jobs.journal.store import JOURNAL

__all__ = [
    "folder_of",
    "jobs_at",
    "jobs_below",
    "jobs_beside",
    "jobs_of",
    "ledgers_in",
]

_NUMBER = re.compile(r"-[0-9]+\Z")


def jobs_below(directory: Path) -> Iterator[Path]:
    """Yield the folders of jobs in a directory and below it, hidden directories left out."""
    for root, folders, files in os.walk(directory):
        if JOURNAL in files:
            yield Path(root)
        folders[:] = sorted(each for each in folders if not each.startswith("."))


def ledgers_in(directory: Path) -> list[Path]:
    """Return the folders of the jobs that stand in a directory."""
    return sorted(each.parent for each in directory.glob(f"*/{JOURNAL}"))


def jobs_of(file: Path) -> list[Path]:
    """Return the folders of the jobs that stand beside a file, the oldest first."""
    return jobs_at(file.with_name(f"{file.name}.job"))


def jobs_beside(folder: Path) -> list[Path]:
    """Return the folders of the other jobs that stand beside that of a job, the oldest first."""
    found = jobs_at(folder.with_name(_NUMBER.sub("", folder.name)))
    return [each for each in found if each != folder]


def jobs_at(base: Path) -> list[Path]:
    """Return the folders of jobs called ``base``, ``base-2`` and so on, the oldest first."""
    return [folder for _, folder in numbered_folders(base) if (folder / JOURNAL).is_file()]


def folder_of(job: Path) -> Path:
    """Return the folder of a job, given that folder, its journal, or the file of its rows.

    Raises:
        JournalError: there is no job, or the file has several.
    """
    if job.is_dir():
        return job
    if job.name == JOURNAL:
        return job.parent
    found = jobs_of(job)
    if len(found) > 1:
        names = ", ".join(str(each) for each in found)
        raise JournalError(f"{job} has several jobs; name the folder of one: {names}")
    if not found:
        raise JournalError(f"{job}: there is no such job; name the folder of a job, or the file of its rows")
    return found[0]
