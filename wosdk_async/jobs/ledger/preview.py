"""What an import would do, without a write: the decision, and what the ledger knows of each row."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from wosdk_async.jobs.job_places import jobs_at
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, read_plan
from wosdk_async.jobs.ledger.admission import ledger_counts, repeated_rows
from wosdk_async.jobs.ledger.decision import Plan, Refusal, Standing, decide
from wosdk_async.jobs.ledger.facts import compared_with, empty_ledger, facts_of, find_ledger, sent_elsewhere
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.request import ImportRequest

__all__ = ["Preview", "preview_of"]


@attrs.frozen(eq=False)
class Preview:
    """What an import would do now, while its block lasts."""

    decision: Plan | Refusal
    folder: Path | None
    """The ledger of the file; None when none has begun."""
    _db: sqlite3.Connection = attrs.field(repr=False)

    def standings(self, first: int, last: int) -> dict[int, Standing]:
        """Return what the ledger knows of the rows at some places of the file."""
        found = self._db.execute(
            "SELECT place, standing FROM temp.matched WHERE place BETWEEN ? AND ?", (first, last)
        )
        return {place: Standing(standing) for place, standing in found}

    def reasons(self, first: int, last: int) -> Mapping[int, str]:
        """Return why rows at some places stay refused."""
        found = self._db.execute(
            f"""SELECT place, coalesce(json_extract(detail, '$[2]'), '') FROM temp.matched
            JOIN outcome ON outcome.row = matched.row
            WHERE standing = {int(Standing.REFUSED)} AND place BETWEEN ? AND ?""",
            (first, last),
        )
        repeated = repeated_rows(self._db, first, last)
        return {**dict(found), **{place: reason for place, _, reason in repeated}}


@contextlib.contextmanager
def preview_of(request: ImportRequest, rows: FileRows, company: str) -> Iterator[Preview]:
    """Compare a file with its ledger, which is only read; yield what the import would do.

    Raises:
        JournalError: a ledger cannot be read.
    """
    folder = find_ledger(request, rows, company, jobs_at(request.base))
    if folder is None:
        elsewhere = sent_elsewhere(request, rows, company, request.base)
        with empty_ledger() as db:
            compared = compared_with(db, request, rows)
            facts = facts_of(request, rows, company, compared, elsewhere=elsewhere)
            yield Preview(decide(*facts, request.choices), None, db)
        return
    path = folder / JOURNAL
    with contextlib.closing(connect(folder, read_only=True, snapshot=True)) as db, explained(path):
        plan = read_plan(db, path)
        compared = compared_with(db, request, rows)
        facts = facts_of(request, rows, company, compared, ledger=(folder, plan, ledger_counts(db)))
        yield Preview(decide(*facts, request.choices), folder, db)
