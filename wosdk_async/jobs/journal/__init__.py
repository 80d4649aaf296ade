"""The journal of a job: a SQLite file in the folder of the job, from which a killed job goes on.

``entries.py`` has what it keeps, ``journal.py`` the journal, which is read as in ``reader.py`` and written as
in ``writer.py``, by a thread of ``thread.py`` and the statements of ``queries.py``. ``creation.py`` and
``store.py`` make and open its file. ``folder.py`` has the folders of jobs and files that a kill leaves whole,
``lock.py`` their lock.
"""

from __future__ import annotations

from wosdk_async.jobs.journal.entries import (
    ANSWERED,
    DECIDED,
    LOOKED_UP,
    JobRun,
    PageRow,
    Plan,
    ReferenceRecord,
    RowEntry,
    RowRecord,
    Sample,
    State,
    StoredRow,
    digest,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import JobFolders, job_folders, plan_of, replace_file
from wosdk_async.jobs.journal.journal import Journal
from wosdk_async.jobs.journal.lock import FolderLock

__all__ = [
    "ANSWERED",
    "DECIDED",
    "LOOKED_UP",
    "FolderLock",
    "JobFolders",
    "JobRun",
    "Journal",
    "PageRow",
    "Plan",
    "ReferenceRecord",
    "RowEntry",
    "RowRecord",
    "Sample",
    "State",
    "StoredRow",
    "digest",
    "job_folders",
    "new_job_id",
    "plan_of",
    "replace_file",
]
