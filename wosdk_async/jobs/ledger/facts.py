"""Facts for the decision about an import: its ledger, and the comparison of the ledger with the file."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, State
from wosdk_async.jobs.journal.folder import jobs_at, jobs_beside, ledgers_in, plan_of
from wosdk_async.jobs.journal.lock import require_own
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.schema import TABLES
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, read_plan
from wosdk_async.jobs.ledger.comparison import JOINED, STATE, Compared, compare, ledger_counts
from wosdk_async.jobs.ledger.decision import actions_of, decide
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.key_conflicts import RISKY, new_keys, repeated_rows
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import (
    FIRST,
    Action,
    FileFacts,
    LedgerFacts,
    Plan,
    Refusal,
    RejectsProblem,
    RowSample,
    Standing,
)
from wosdk_async.text.remedies import Remedy


def find_ledger(request: ImportRequest, rows: FileRows, company: str, ledgers: Sequence[Path]) -> Path | None:
    """Find the folder of an import's ledger; None for a new import.

    The ``ledgers`` are those beside the file or at the named folder, oldest first.

    Raises:
        JournalError: a ledger cannot be read, so it is unknown which rows were sent.
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
    if request.options.folder is not None and plans:  # a named folder is used whatever its last input was
        newest, newest_plan = plans[0]
        for folder, plan in plans:  # follow the ledgers that were created to resend all rows
            if plan.after == newest_plan.job:
                newest, newest_plan = folder, plan
        return newest
    wanted = company, request.import_map.operation
    own = [(folder, plan) for folder, plan in plans if (plan.company, plan.operation) == wanted]
    fitting = [folder for folder, plan in own if plan.sheet == request.sheet]
    # Without a ledger whose last file is this sheet, take one that has been named for another file since.
    earlier = (folder for folder, _ in reversed(own) if request.sheet in _sheets(folder))
    return fitting[-1] if fitting else next(earlier, None)


def _sheets(folder: Path) -> set[str | None]:
    """Return the sheets that a ledger's imports read; None stands for files without sheets."""
    with _opened(folder) as db:
        return {run.details["sheet"] for run in runs(db) if "sheet" in run.details}


def _is_ledger(folder: Path, plan: JobPlan) -> bool:
    """Return whether a ledger is valid. One that was created to resend rows is invalid while it has none."""
    if plan.after is None:
        return True
    with _opened(folder) as db:
        return db.execute("SELECT 1 FROM planned LIMIT 1").fetchone() is not None


def _of_rejects(request: ImportRequest, job: str) -> Path | None:
    """Find the ledger that a rejects file names: in the named folder, in the file's folder, or nearby.

    If the named folder has a different job, :func:`decide_import` refuses the ledger that is found nearby.
    """
    for folder in _named_ledgers(request):
        if plan_of(folder).job == job:
            return folder
    beside = request.path.parent
    around = [each for place in (beside, Path()) for each in (place, place.absolute().parent)]
    # Rejects of an earlier file are in the job's runs/N folder, so search the parents of the file, too.
    directories = dict.fromkeys(each.absolute() for each in (*around, *request.path.parents[:_DEPTH]))
    candidates = dict.fromkeys(
        folder for each in directories for folder in (each, *ledgers_in(each)) if (folder / JOURNAL).is_file()
    )
    found: list[Path] = []
    for folder in candidates:
        with contextlib.suppress(JournalError):  # an unreadable journal may belong to another file
            if plan_of(folder).job == job and not any(folder.samefile(each) for each in found):
                found.append(folder)
    surest = [each for each in found if each.absolute() == beside]
    if len(found) > 1 and not surest:
        raise JournalError(
            f"{found[0]} and {found[1]} are copies of the same job; name the folder to continue with"
        )
    return next(iter(surest or found), None)


def _named_ledgers(request: ImportRequest) -> list[Path]:
    """Return the ledgers in the named folder and the numbered folders beside it, oldest first."""
    if (named := request.options.folder) is None:
        return []
    return [each for each in dict.fromkeys((named, *jobs_at(named))) if (each / JOURNAL).is_file()]


def _successor(folder: Path) -> Path | None:
    """Find the newest ledger created to resend all rows of another ledger; None if there is none."""
    job, newest = plan_of(folder).job, None
    for each in jobs_beside(folder):
        with contextlib.suppress(JournalError):
            if (plan := plan_of(each)).after == job and _is_ledger(each, plan):
                job, newest = plan.job, each
    return newest


def _written_by_job(request: ImportRequest) -> bool:
    """Return whether a file is a job's output, other than rejects and input copies."""
    if request.path.name.startswith("input."):
        return False
    return any((folder / JOURNAL).is_file() for folder in request.path.parents[:_DEPTH])


_DEPTH = 3  # parents to search: the third parent of a file in runs/N is the job folder


@contextlib.contextmanager
def _opened(folder: Path | None) -> Iterator[sqlite3.Connection]:
    """Open a ledger read-only; for None, open an empty temporary ledger for comparing a first file."""
    if folder is None:
        with contextlib.closing(sqlite3.connect("", isolation_level=None)) as db:
            db.executescript(TABLES)
            yield db
    else:
        with (
            contextlib.closing(connect(folder, read_only=True, snapshot=True)) as db,
            explained(folder / JOURNAL),
        ):
            yield db


Elsewhere = tuple[Path, int, tuple[int, ...], tuple[tuple[RowSample, RowSample], ...]]
"""Another ledger that sent rows of the file, how many, and the lines of the first few; or pairs of rows with
resembling keys."""


def decide_import(
    db: sqlite3.Connection | None,
    request: ImportRequest,
    rows: FileRows,
    company: str,
    *,
    folder: Path | None = None,
    elsewhere: Elsewhere | None = None,
) -> tuple[Plan | Refusal, Mapping[Standing, Action]]:
    """Compare a file with a ledger; return the decision on the import, and the action for each standing.

    A new import has no ``folder``. Without ``db``, the decision is only whether a ledger may be created.
    """
    compared = Compared(standings={}, gone={})
    if db is not None:
        compared = compare(
            db,
            rows.chunks(),
            rejects=rows.is_rejects,
            map_counts=request.action.compares,
            retry_undone=request.options.retry_undone,
            fingerprint=request.import_map.fingerprint,
            same_key=folder is not None and read_plan(db, folder / JOURNAL).key == rows.key,
        )
    superseded_by = _successor(folder) if folder is not None else None
    problem = _problem(request, rows, folder, compared.unknown_line, superseded_by)
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
        rejects_problem=problem,
        elsewhere=elsewhere and elsewhere[:2],
        resembling=elsewhere[3] if elsewhere is not None else (),
        superseded_by=superseded_by,
    )
    ledger = None if db is None or folder is None else _ledger_facts(db, folder, compared)
    decision = decide(ledger, file, request.options)
    if isinstance(decision, Refusal) and decision.why == "sent_elsewhere" and elsewhere is not None:
        decision = attrs.evolve(decision, lines=elsewhere[2])
    if isinstance(decision, Plan) and db is not None and folder is not None:  # a new ledger has no outcomes
        (found,) = db.execute(
            "SELECT count(*) FROM temp.matched JOIN outcome ON outcome.row = matched.row WHERE state = ?",
            [int(State.FOUND)],
        ).fetchone()
        decision = attrs.evolve(decision, found=found)
    return decision, actions_of(file, request.options)


def _problem(
    request: ImportRequest,
    rows: FileRows,
    folder: Path | None,
    unknown_line: int | None,
    superseded_by: Path | None,
) -> tuple[RejectsProblem, int] | None:
    """Return what is wrong with a rejects file or another output of a job, and in which line."""
    if not rows.is_rejects:
        return ("job_file", 1) if _written_by_job(request) else None
    if rows.problem is not None or folder is None:
        return rows.problem
    named = {plan_of(each).job for each in _named_ledgers(request)}
    if request.options.folder is not None and superseded_by is None and rows.job not in named:
        return "other_job", 1
    return None if unknown_line is None else ("unknown_row", unknown_line)


def _ledger_facts(db: sqlite3.Connection, folder: Path, compared: Compared) -> LedgerFacts:
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


def sent_elsewhere(request: ImportRequest, rows: FileRows, company: str, base: Path) -> Elsewhere | None:
    """Find another ledger in the directory that sent rows of the file without the keys to look up.

    A first run would otherwise resend the rows of a copied, linked or renamed file.

    Raises:
        JournalError: a ledger in the directory cannot be read, so it is unknown which rows it sent. With
            look-ups, it is ignored.
    """
    if not request.creates:
        return None
    directories = dict.fromkeys((base.absolute().parent, request.path.parent))
    resembling: Elsewhere | None = None
    folders = [each for directory in directories for each in ledgers_in(directory)]
    newest = sorted(folders, key=_last_change, reverse=True)[:_COMPARED]
    for folder in folders:
        with contextlib.suppress(JournalError) if request.looks_first else contextlib.nullcontext():
            plan = plan_of(folder)
            if (plan.company, plan.operation) == (company, request.import_map.operation):
                with _opened(folder) as db:
                    found = _sent_here(db, plan, request, rows, alike=folder in newest)
                if found is not None and not found[2]:
                    return folder, *found
                if found is not None and resembling is None and not request.options.new_rows:
                    resembling = folder, *found
    return resembling


_COMPARED = 5  # newest ledgers, whose keys may resemble the file's; comparing all would take too long


def _last_change(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / JOURNAL).stat().st_mtime
    return 0.0


def _sent_here(
    db: sqlite3.Connection, plan: JobPlan, request: ImportRequest, rows: FileRows, *, alike: bool
) -> tuple[int, tuple[int, ...], tuple[tuple[RowSample, RowSample], ...]] | None:
    """Count the file's rows that a ledger sent and look-ups cannot find; see :data:`Elsewhere`.

    ``alike`` includes rows with resembling keys.
    """
    facts = {"job": plan.job, "found": request.looks_first and plan.marker == request.marker}
    if facts["found"] and plan.key == rows.key and not alike:
        no_keys = f"""SELECT 1 FROM {JOINED} WHERE {STATE} IN ({RISKY})
            AND (planned.key IS NULL OR planned.key = :job || '-' || planned.row) LIMIT 1"""
        if db.execute(no_keys, facts).fetchone() is None:
            return None
    compared = compare(db, rows.chunks())
    recognized = f"""SELECT count(*) OVER (), file.line FROM temp.matched JOIN temp.file USING (place)
        JOIN planned ON planned.row = matched.row
        WHERE standing IN ({RISKY}, {int(Standing.DONE_CHANGED)})
            AND NOT (:found AND planned.key IS file.key) ORDER BY file.place LIMIT {FIRST}"""
    if found := db.execute(recognized, facts).fetchall():
        return found[0][0], tuple(line for _, line in found), ()
    # A spreadsheet program may have saved the file under another name.
    if compared.disguised and plan.key == rows.key:
        resembling = f"""SELECT count(*) OVER (), line, name, min_line, was FROM (
            SELECT file.place, file.line, coalesce(file.key, file.name) AS name, min(plain.line) AS min_line,
                plain.name AS was FROM temp.matched JOIN temp.file USING (place)
            JOIN temp.plain ON plain.key = undisguised(coalesce(file.key, file.name))
            WHERE plain.risky AND cells IS NOT NULL AND fault IS NULL AND standing NOT IN ({RISKY})
            GROUP BY file.place) ORDER BY place LIMIT {FIRST}"""
        if found := db.execute(resembling).fetchall():
            pairs = tuple(
                (RowSample(line, name), RowSample(was_line, was)) for _, line, name, was_line, was in found
            )
            return found[0][0], (), pairs
    # With other keys, no row is recognized, but the same bytes have the same rows.
    imported = "SELECT 1 FROM run WHERE json_extract(details, '$.sha256') = ?"
    if plan.key == rows.key or plan.sheet != request.sheet:
        return None
    if db.execute(imported, [request.sha256]).fetchone() is None:
        return None
    (count,) = db.execute(
        f"""SELECT count(*) FROM {JOINED} WHERE {STATE} IN ({RISKY}) AND NOT (:found
            AND coalesce(planned.key, '') IN (SELECT key FROM temp.file WHERE key IS NOT NULL))""",
        facts,
    ).fetchone()
    return (min(count, rows.rows), (), ()) if count and rows.rows else None


def existing_remedies(own: Path, plan: JobPlan, identities: Sequence[bytes]) -> dict[str, Any]:
    """Return remedies and facts for a row whose record exists, naming another job nearby that sent the row.

    Rejects and resent rows belong to the job in ``own`` whichever other job sent them.
    """
    if plan.rejects or plan.after is not None:
        return {"remedies": (Remedy.EXISTING_RECORDS,)}
    query = f"""SELECT 1 FROM identity JOIN outcome USING (row) WHERE state = {int(State.DONE)}
        AND identity IN ({", ".join("?" * len(identities))})"""
    directories = dict.fromkeys((own.absolute().parent, Path(plan.file).parent))
    for folder in (each for directory in directories for each in ledgers_in(directory)):
        with contextlib.suppress(JournalError):
            other = plan_of(folder)
            if (other.company, other.operation) == (plan.company, plan.operation) and other.job != plan.job:
                with _opened(folder) as db:
                    if db.execute(query, identities).fetchone() is not None:
                        return {"remedies": (Remedy.JOB_BESIDE,), "folder": str(folder)}
    return {"remedies": (Remedy.EARLIER_IMPORT,)}


def remedies_of_row(own: Path | None, row: int) -> dict[str, Any]:
    """Return :func:`existing_remedies` for a row of the ledger in ``own``, if it still exists."""
    with contextlib.suppress(JournalError):
        if own is not None:
            with _opened(own) as db:
                plan = read_plan(db, own / JOURNAL)
                found = db.execute("SELECT identity FROM identity WHERE row = ?", [row]).fetchall()
            return existing_remedies(own, plan, [identity for (identity,) in found])
    return {"remedies": (Remedy.EARLIER_IMPORT,)}


def ledger_warnings(db: sqlite3.Connection, request: ImportRequest, plan: Plan, key: str | None) -> list[str]:
    """Return warnings about rows with a new key, undone rows that changed, and rows sent with another map.

    An update with another map sends rows again and needs no warning, nor does a map that differs only in the
    key. ``key`` is the ledger's template.
    """
    warnings = [] if key is None else new_keys(db, plan)
    if plan.actions[Standing.UNDONE] is Action.SKIP:
        (changed,) = db.execute(
            """SELECT count(*) FROM temp.matched JOIN temp.file USING (place)
            JOIN planned ON planned.row = matched.row WHERE standing = ? AND sent <> file.digest""",
            [int(Standing.UNDONE)],
        ).fetchone()
        warnings += (
            [f"undone rows whose cells have changed since they were sent: {changed}"] if changed else []
        )
    if request.action.compares:
        return warnings
    (count,) = db.execute(
        """SELECT count(*) FROM outcome LEFT JOIN undo USING (row)
        WHERE outcome.state = :done AND undo.state IS NOT :done
            AND run IN (SELECT number FROM run WHERE  -- older runs have only the map's hash
                coalesce(json_extract(details, '$.content'), json_extract(details, '$.map'))
                NOT IN (:content, :map))""",
        {
            "done": int(State.DONE),
            "map": request.import_map.fingerprint,
            "content": request.import_map.content,
        },
    ).fetchone()
    if count:
        rows = "1 row was" if count == 1 else f"{count} rows were"
        remedy = request.report_words.remedy(Remedy.UNDO_AND_RETRY, {})
        warnings.append(f"the map has changed since {rows} {request.action.label}; {remedy}")
    return warnings


def first_warnings(request: ImportRequest, rows: FileRows) -> list[str]:
    """Return the warning of a job's first run about rows without a key in a marker, if any."""
    if request.looks_first or not request.creates or not rows.rows:
        return []
    problem, remedy = "no field of the map is a marker", "add 'marker' to the map"
    risks = ["rows that were sent from another folder are created again"]
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
        """Return the standings of the file's rows ``first`` to ``last`` (inclusive), by place."""
        found = self._db.execute(
            "SELECT place, standing FROM temp.matched WHERE place BETWEEN ? AND ?", (first, last)
        )
        return {place: Standing(standing) for place, standing in found}

    def reasons(self, first: int, last: int) -> Mapping[int, str]:
        """Return the reasons why rows ``first`` to ``last`` (inclusive) remain refused, by place."""
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
    """Compare a file with its ledger read-only, and yield a preview of the import.

    Raise JournalError if a ledger cannot be read, or is another user's.
    """
    folder = find_ledger(request, rows, company, jobs_at(request.base))
    if folder is not None:
        require_own(folder)
    elsewhere = sent_elsewhere(request, rows, company, request.base) if folder is None else None
    with _opened(folder) as db:
        plan, actions = decide_import(db, request, rows, company, folder=folder, elsewhere=elsewhere)
        warnings = first_warnings(request, rows)
        if folder is not None and isinstance(plan, Plan) and not plan.begins:
            warnings = ledger_warnings(db, request, plan, read_plan(db, folder / JOURNAL).key)
        yield Preview(plan, actions, folder, warnings, db)
