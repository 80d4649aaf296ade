"""Facts for the decision about an import: its ledger, and the comparison of the ledger with the file."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, State
from wosdk_async.jobs.journal.folder import jobs_in, numbered_jobs, plan_of
from wosdk_async.jobs.journal.lock import require_own
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.store import JOURNAL, read_plan
from wosdk_async.jobs.ledger.comparison import Comparison, compare, count_standings, ledger_counts
from wosdk_async.jobs.ledger.decision import actions_of, decide
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.key_conflicts import new_key_warnings, repeated_rows
from wosdk_async.jobs.ledger.nearby import find_ledger, named_ledgers, opened, successor, written_by_job
from wosdk_async.jobs.ledger.other_ledgers import OwnLedger, sent_elsewhere
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import (
    Action,
    FileFacts,
    LedgerFacts,
    Plan,
    Refusal,
    RejectsProblem,
    Standing,
)
from wosdk_async.jobs.ledger.undone import mark_undone, undone_beside
from wosdk_async.text.remedies import Remedy


def decide_import(
    db: sqlite3.Connection,
    request: ImportRequest,
    rows: FileRows,
    company: str,
    *,
    folder: Path | None = None,
    after: str | None = None,
) -> tuple[Plan | Refusal, Mapping[Standing, Action]]:
    """Compare a file with a ledger; return the decision on the import, and the action for each standing.

    ``folder`` is None for a new ledger, which has no rows yet. ``after`` is the job that the import replaces.
    """
    about = folder or request.base, request.path, company, request.import_map.operation
    undone = cache(partial(undone_beside, *about, certain=True))
    compared = compare(
        db,
        rows.chunks(),
        rejects=rows.is_rejects,
        map_counts=request.action.compares,
        retry_undone=request.options.retry_undone,
        fingerprint=request.import_map.fingerprint,
        same_key=folder is not None and read_plan(db, folder / JOURNAL).key == rows.key,
    )
    if folder is not None:
        mark_undone(db, undone, State.FOUND)
        compared = attrs.evolve(compared, standings=count_standings(db)[0])
    superseded_by = successor(folder) if folder is not None else None
    problem = _rejects_problem(request, rows, folder, compared, superseded_by)
    file = FileFacts(
        company=company,
        operation=request.import_map.operation,
        standings=compared.standings,
        columns=rows.columns,
        header=rows.header,
        key=rows.key,
        marker=request.marker,
        looks_first=request.looks_first,
        creates=request.creates,
        updates=request.action.compares,
        back=compared.back,
        first_new=compared.first_new,
        disguised=compared.disguised,
        rejects=rows.is_rejects,
        replaced=compared.replaced,
        rejects_problem=problem,
        superseded_by=superseded_by,
    )
    ledger = None if folder is None else _ledger_facts(db, folder, compared)
    decision, actions = decide(ledger, file, request.options), actions_of(file, request.options)
    if isinstance(decision, Plan) and request.creates and decision.rows(Action.SEND):
        own = OwnLedger(db, folder, _sends(decision, db), undone, after)
        file = attrs.evolve(file, elsewhere=sent_elsewhere(request, rows, company, own))
        decision = decide(ledger, file, request.options)
    if isinstance(decision, Plan) and folder is not None:  # a new ledger has no outcomes
        decision = _with_found(db, decision)
    return decision, actions


def _sends(plan: Plan, db: sqlite3.Connection) -> set[Standing]:
    """Return the standings of the rows to look for in other ledgers.

    For a new ledger, these include undone and refused rows, and rows whose record already existed: this job
    has no record for them, but another job may have created one. Rows whose record already existed get the
    standing UNDONE.
    """
    sends = {each for each, action in plan.actions.items() if action is Action.SEND}
    if plan.begins:
        sends |= {Standing.UNDONE, Standing.REFUSED}
        found = "UPDATE temp.matched SET standing = ? WHERE row IN (SELECT row FROM outcome WHERE state = ?)"
        db.execute(found, [Standing.UNDONE, State.FOUND])
    return sends


def _with_found(db: sqlite3.Connection, plan: Plan) -> Plan:
    count = "SELECT count(*) FROM temp.matched JOIN outcome ON outcome.row = matched.row WHERE state = ?"
    states = [State.FOUND, Standing.UNDONE]
    (found,) = db.execute(f"{count} AND standing <> ?", states).fetchone()
    (found_undone,) = db.execute(f"{count} AND standing = ?", states).fetchone()
    return attrs.evolve(plan, found=found, found_undone=found_undone)


def _rejects_problem(
    request: ImportRequest,
    rows: FileRows,
    folder: Path | None,
    compared: Comparison,
    superseded_by: Path | None,
) -> tuple[RejectsProblem, int] | None:
    if not rows.job and written_by_job(request):
        return "job_file", 1
    twice_line, unknown_line = compared.twice_line, compared.unknown_line
    problem = rows.problem or (None if twice_line is None else ("row_twice", twice_line))
    if not rows.is_rejects or problem is not None or folder is None:
        return problem
    named = {plan_of(each).job for each in named_ledgers(request)}
    if request.options.folder is not None and superseded_by is None and rows.job not in named:
        return "other_job", 1
    if unknown_line is not None:
        return "unknown_row", unknown_line
    return None if compared.moved_line is None else ("other_row", compared.moved_line)


def _ledger_facts(db: sqlite3.Connection, folder: Path, compared: Comparison) -> LedgerFacts:
    plan = read_plan(db, folder / JOURNAL)
    return LedgerFacts(
        folder=folder,
        company=plan.company,
        operation=plan.operation,
        counts=ledger_counts(db),
        gone=compared.gone,
        gone_unexplained=compared.gone_unexplained,
        first_gone=compared.first_gone,
        columns=frozenset(plan.columns),
        header=frozenset(plan.header),
        key=plan.key,
        marker=plan.marker,
    )


def ledger_warnings(db: sqlite3.Connection, request: ImportRequest, plan: Plan, folder: Path) -> list[str]:
    """Return warnings about new keys, changed undone rows, another map, and a copy of the job.

    Updates need no warning about another map, because they resend the rows. A map that differs only in the
    key needs no warning either.
    """
    job = read_plan(db, folder / JOURNAL)
    warnings = [] if job.key is None else new_key_warnings(db, plan)
    if plan.actions[Standing.UNDONE] is Action.SKIP:
        (changed,) = db.execute(
            """SELECT count(*) FROM temp.matched JOIN temp.file USING (place)
            JOIN planned ON planned.row = matched.row WHERE standing = ? AND sent <> file.digest""",
            [Standing.UNDONE],
        ).fetchone()
        warnings += (
            [f"undone rows whose cells have changed since they were sent: {changed}"] if changed else []
        )
    if request.action.compares:
        return warnings
    warnings += _copy_warnings(db, request, job, folder)
    (count,) = db.execute(
        """SELECT count(*) FROM outcome LEFT JOIN undo USING (row)
        WHERE outcome.state = :done AND undo.state IS NOT :done AND row IN (SELECT row FROM temp.matched)
            AND run IN (SELECT number FROM run WHERE  -- older runs have only the map's hash
                coalesce(json_extract(details, '$.content'), json_extract(details, '$.map'))
                NOT IN (:content, :map))""",
        {
            "done": State.DONE,
            "map": request.import_map.fingerprint,
            "content": request.import_map.content,
        },
    ).fetchone()
    if count:
        rows = "1 row was" if count == 1 else f"{count} rows were"
        remedy = request.report_words.remedy(Remedy.UNDO_AND_RETRY, {})
        # An undo of all runs would also undo done rows that the file lacks, and nothing would resend these.
        what = "" if plan.gone.get(Standing.DONE) else f"; {remedy}"
        warnings.append(f"the map has changed since {rows} {request.action.label}{what}")
    return warnings


def _copy_warnings(db: sqlite3.Connection, request: ImportRequest, job: JobPlan, folder: Path) -> list[str]:
    """Return a warning if an earlier file's directory has a copy of the job, unless rows are looked up."""
    if request.looks_first:
        return []
    places = {Path(run.details["file"]).resolve().parent for run in runs(db) if "file" in run.details}
    # Copies in these directories have been compared with the file.
    places -= {each.resolve().parent for each in (folder, request.path)}
    for each in jobs_in(*places):
        with contextlib.suppress(JournalError):
            if plan_of(each).job == job.job:
                return [
                    f"{each} is a copy of this job, and neither job knows which rows the other sends; import "
                    "with only one, and delete the other"
                ]
    return []


def first_warnings(request: ImportRequest, rows: FileRows) -> list[str]:
    """Return a warning for a new job if the map fills no marker from the rows."""
    if request.looks_first or not request.creates or not rows.rows:
        return []
    problem, remedy = "no field of the map is a marker", "add 'marker' to the map"
    risks = ["rows that were sent from another directory are created again"]
    if rows.key is None:
        problem, remedy = "the map has no key", "add 'marker' or 'key' to the map"
        risks.append("an edited row counts as a new row")
    if request.marker is None:
        risks.append("a row in doubt cannot be looked up")
    else:
        problem, remedy = "no column fills the marker", "fill the marker from a column"
    *first, last = risks
    return [f"{problem}: {', '.join(first)}{', and ' if first else ''}{last}; {remedy}"]


@attrs.frozen(eq=False)
class Preview:
    """Preview of an import, valid inside its ``with`` block."""

    decision: Plan | Refusal
    actions: Mapping[Standing, Action]
    """The action for each standing, even if the import is refused."""
    folder: Path | None
    """The ledger's folder; None for a new import."""
    warnings: list[str]
    """Warnings about the rows to send, and about a changed map."""
    _db: sqlite3.Connection = attrs.field(repr=False)

    def standings(self, first: int, last: int) -> dict[int, Standing]:
        """Return the standing of each row from place ``first`` to ``last`` (inclusive), by place."""
        found = self._db.execute(
            "SELECT place, standing FROM temp.matched WHERE place BETWEEN ? AND ?", (first, last)
        )
        return {place: Standing(standing) for place, standing in found}

    def reasons(self, first: int, last: int) -> Mapping[int, str]:
        """Return the reasons of refused rows from place ``first`` to ``last`` (inclusive), by place."""
        found = self._db.execute(
            f"""SELECT place, coalesce(json_extract(detail, '$[2]'), '') FROM temp.matched
            JOIN outcome ON outcome.row = matched.row
            WHERE standing = {Standing.REFUSED} AND place BETWEEN ? AND ?""",
            (first, last),
        )
        repeated = repeated_rows(self._db, first, last)
        return {**dict(found), **{place: reason for place, _, reason in repeated}}


@contextlib.contextmanager
def preview_of(request: ImportRequest, rows: FileRows, company: str) -> Iterator[Preview]:
    """Compare a file with its ledger read-only, and yield a preview of the import.

    Raise JournalError if a ledger cannot be read, or belongs to another user.
    """
    folder = find_ledger(request, rows, company, numbered_jobs(request.base))
    if folder is not None:
        require_own(folder)
    with opened(folder) as db:
        plan, actions = decide_import(db, request, rows, company, folder=folder)
        warnings = first_warnings(request, rows)
        if folder is not None and isinstance(plan, Plan) and not plan.begins:
            warnings = ledger_warnings(db, request, plan, folder)
        if isinstance(plan, Plan) and plan.leaves_done:
            warnings.append(f"rows to be resent, although an earlier job completed them: {plan.leaves_done}")
        yield Preview(plan, actions, folder, warnings, db)
