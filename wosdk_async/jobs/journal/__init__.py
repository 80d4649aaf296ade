"""The journal of a job: the SQLite file of its ledger, from which a killed job resumes.

``entries.py`` has what it keeps. ``journal.py`` opens and closes the journal; ``reader.py`` and
``writer.py`` say what can be read and written, with the statements of the tables: ``row_table.py``,
``run_table.py``, and ``worker_tables.py``, which only jobs on many workers need. ``commits.py`` gathers
what is written into commits, which the thread of ``reader.py`` carries out. ``store.py`` makes and opens
the file, and ``schema.py`` has its tables. ``folder.py`` has the folders of jobs and files that a kill
leaves whole, ``lock.py`` their lock.

All packages of the jobs import it but ``sources/`` and ``mapping/``, and MCP for its folders and locks.
"""

from __future__ import annotations

from wosdk_async.jobs.journal.entries import (
    ANSWERED,
    DECIDED,
    LOOKED_UP,
    THERE_BEFORE,
    JobPlan,
    JobRun,
    PageRow,
    ReferenceRecord,
    RowRecord,
    State,
    StoredRow,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import JobFolders, plan_of
from wosdk_async.jobs.journal.journal import Journal
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.worker_tables import AuditResult, AuditRow, GrantRecord, GrantTotals, OpenLease

__all__ = [
    "ANSWERED",
    "DECIDED",
    "LOOKED_UP",
    "THERE_BEFORE",
    "AuditResult",
    "AuditRow",
    "FolderLock",
    "GrantRecord",
    "GrantTotals",
    "JobFolders",
    "JobPlan",
    "JobRun",
    "Journal",
    "OpenLease",
    "PageRow",
    "ReferenceRecord",
    "RowRecord",
    "State",
    "StoredRow",
    "new_job_id",
    "plan_of",
]
