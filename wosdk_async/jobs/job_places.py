"""Where jobs are: below a directory, beside their file, and within the job whose rejects they import."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.store import JOURNAL

__all__ = [
    "folder_of",
    "jobs_at",
    "jobs_below",
    "jobs_beside",
    "jobs_of",
    "jobs_of_rejects",
    "jobs_within",
    "later_jobs",
]

_MOST_JOBS = 100
_NUMBER = re.compile(r"-[0-9]+\Z")


def jobs_below(directory: Path) -> Iterator[Path]:
    """Yield the folders of jobs in a directory and below it, hidden directories left out.

    The folder of a job may have those of further jobs in it: of its rejects, which were corrected there.
    """
    for root, folders, files in os.walk(directory):
        if JOURNAL in files:
            yield Path(root)
        folders[:] = sorted(each for each in folders if not each.startswith("."))


def jobs_within(folder: Path) -> list[Path]:
    """Return the folders of the jobs whose rows are a file of the job in ``folder``, such as its rejects."""
    return sorted(each.parent for each in folder.glob(f"*/{JOURNAL}"))


def jobs_of_rejects(folder: Path) -> list[Path]:
    """Return the folders of the jobs of the rejects of a job, of those of their rejects, and so on.

    Those of one level come after those of the level above; of a folder full of links only the first 100.
    """
    found = [folder]
    for each in found:
        found += jobs_within(each)
        if len(found) > _MOST_JOBS:
            break
    return found[1 : _MOST_JOBS + 1]


def jobs_of(file: Path) -> list[Path]:
    """Return the folders of the jobs that stand beside a file, the oldest first."""
    return jobs_at(file.with_name(f"{file.name}.job"))


def later_jobs(folder: Path) -> list[Path]:
    """Return the folders of the later jobs of the same file: of ``base-2`` those from ``base-3`` on."""
    found = jobs_at(folder.with_name(_NUMBER.sub("", folder.name)))
    return found[found.index(folder) + 1 :] if folder in found else []


def jobs_beside(folder: Path) -> list[Path]:
    """Return the folders of the other jobs that stand beside that of a job, the oldest first."""
    found = jobs_at(folder.with_name(_NUMBER.sub("", folder.name)))
    return [each for each in found if each != folder]


def jobs_at(base: Path) -> list[Path]:
    """Return the folders of jobs called ``base``, ``base-2`` and so on, the oldest first."""
    found = [base, *base.parent.glob(f"{_literal(base.name)}-*")]
    return sorted(
        (each for each in found if (each / JOURNAL).is_file()), key=lambda each: (len(each.name), each)
    )


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


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)
