"""Ledgers near a file: the import's own, and others that sent its rows."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import JobPlan, State
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.journal.folder import jobs_at, jobs_beside, ledgers_in, plan_of
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.schema import TABLES
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, read_plan
from wosdk_async.jobs.ledger.comparison import JOINED, STATE, Compared, compare
from wosdk_async.jobs.ledger.file_rows import FileRow, FileRows
from wosdk_async.jobs.ledger.key_conflicts import IN_COMPANY, RISKY
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import FIRST, Elsewhere, RowSample, Standing
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
    with opened(folder) as db:
        return {run.details["sheet"] for run in runs(db) if "sheet" in run.details}


def _is_ledger(folder: Path, plan: JobPlan) -> bool:
    """Return whether a ledger is valid. One that was created to resend rows is invalid while it has none."""
    if plan.after is None:
        return True
    with opened(folder) as db:
        return db.execute("SELECT 1 FROM planned LIMIT 1").fetchone() is not None


def _of_rejects(request: ImportRequest, job: str) -> Path | None:
    """Find the ledger that a rejects file names: in the named folder, in the file's folder, or nearby.

    If the named folder has a different job, :func:`decide_import` refuses the ledger that is found nearby.
    """
    for folder in named_ledgers(request):
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


def named_ledgers(request: ImportRequest) -> list[Path]:
    """Return the ledgers in the named folder and the numbered folders beside it, oldest first."""
    if (named := request.options.folder) is None:
        return []
    return [each for each in dict.fromkeys((named, *jobs_at(named))) if (each / JOURNAL).is_file()]


def successor(folder: Path) -> Path | None:
    """Find the newest ledger created to resend all rows of another ledger; None if there is none."""
    job, newest = plan_of(folder).job, None
    for each in jobs_beside(folder):
        with contextlib.suppress(JournalError):
            if (plan := plan_of(each)).after == job and _is_ledger(each, plan):
                job, newest = plan.job, each
    return newest


def written_by_job(request: ImportRequest) -> bool:
    """Return whether a file is a job's output, other than rejects and input copies."""
    if request.path.name.startswith("input."):
        return False
    return any((folder / JOURNAL).is_file() for folder in request.path.parents[:_DEPTH])


_DEPTH = 3  # parents to search: the third parent of a file in runs/N is the job folder


@contextlib.contextmanager
def opened(folder: Path | None) -> Iterator[sqlite3.Connection]:
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


NOT_SENT, KEY_COMPARED, AGREED = -1, -2, -3
"""In place of a ledger row: a row that is only counted, because it equals a row to send; one whose key was
compared in the last run; and one to send again, whatever other ledgers had sent when the first run began."""


@attrs.frozen
class RowsToSend:
    """Rows that an import with a ledger will send."""

    folder: Path
    runs: tuple[float, ...]
    """Unix times at which the ledger's runs began, except refused runs and undos."""
    chunks: Callable[[], Iterable[Sequence[FileRow]]]
    """Function that returns the rows, with one of the numbers above or None in place of a ledger row."""


def sent_elsewhere(
    request: ImportRequest, rows: FileRows, company: str, to_send: RowsToSend | None = None
) -> Elsewhere | None:
    """Find another ledger in the directory that sent rows of the file without the keys to look up.

    An import would otherwise send the rows of a copied, linked or renamed file again. A first run compares
    all rows.

    Raises:
        JournalError: a ledger in the directory cannot be read, so it is unknown which rows it sent. With
            look-ups, it is ignored.
    """
    if not request.creates or request.options.again:
        return None
    own = None if to_send is None else to_send.folder
    places = {each.parent.resolve() for each in (own, request.base, request.path) if each is not None}
    others = []
    for folder in (each for directory in sorted(places) for each in ledgers_in(directory)):
        with contextlib.suppress(JournalError) if request.looks_first else _explained(folder):
            plan = plan_of(folder)
            same = (plan.company, plan.operation) == (company, request.import_map.operation)
            if same and not (own is not None and folder.samefile(own)):
                others.append((folder, plan))
    newest = sorted((folder for folder, _ in others), key=_last_change, reverse=True)[:_COMPARED]
    resembling: Elsewhere | None = None
    for folder, plan in others:
        with (
            contextlib.suppress(JournalError) if request.looks_first else _explained(folder),
            opened(folder) as db,
        ):
            other = _OtherLedger(folder, plan, db, request, rows, to_send)
            sent = (other.same_file() if own is None else None) or other.recognized()
            if sent is not None:
                return sent
            if resembling is None and folder in newest and not request.options.new_rows:
                resembling = other.resembling()
    return resembling


_COMPARED = 5  # newest ledgers, whose keys may resemble the file's; comparing all would take too long


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Say what to do about a ledger that cannot be read."""
    try:
        yield
    except JournalError as error:
        error.add(remedies=(Remedy.MOVE_JOB,), folder=str(folder))
        raise


def _last_change(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / JOURNAL).stat().st_mtime
    return 0.0


@attrs.define
class _OtherLedger:
    """Another ledger, which may have sent rows that look-ups cannot find."""

    folder: Path
    plan: JobPlan
    db: sqlite3.Connection
    request: ImportRequest
    rows: FileRows
    to_send: RowsToSend | None
    _compared: Compared | None = attrs.field(default=None, init=False)

    def recognized(self) -> Elsewhere | None:
        """Return the rows that this ledger sent, or will send because its job is running."""
        if self.request.looks_first and self.plan.key == self.rows.key:
            unknown = f"SELECT 1 FROM {JOINED} WHERE {_NOT_FOUND} LIMIT 1"
            if self.db.execute(unknown, self._facts).fetchone() is None:
                return None
        self._compare()
        changed = () if self.request.options.new_rows else (Standing.DONE_CHANGED,)
        if (sent := self._matched(*IN_COMPANY, *changed)) is not None:
            return sent
        planned = self._matched(Standing.PLANNED)
        return attrs.evolve(planned, running=True) if planned is not None and is_held(self.folder) else None

    def _matched(self, *standings: Standing) -> Elsewhere | None:
        """Return the rows to send that have one of these standings in this ledger."""
        found = self.db.execute(
            f"""SELECT file.line, count(*) OVER (), min(standing = {int(Standing.DONE_CHANGED)}) OVER ()
            FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
            LEFT JOIN outcome ON outcome.row = planned.row LEFT JOIN run ON run.number = outcome.run
            WHERE standing IN ({", ".join(str(int(each)) for each in standings)})
                AND NOT ({_FOUND} AND planned.key IS file.key)
                AND file.row IS NOT {NOT_SENT} AND (file.row IS NOT {AGREED} OR run.started_at > :first)
                AND coalesce(run.started_at, 0) NOT IN (SELECT value FROM json_each(:runs))
            ORDER BY file.place LIMIT {FIRST}""",
            self._facts,
        ).fetchall()
        if not found:
            return None
        _, rows, changed = found[0]
        lines = tuple(line for line, *_ in found)
        return Elsewhere(folder=self.folder, rows=rows, lines=lines, changed=bool(changed))

    def resembling(self) -> Elsewhere | None:
        """Return the rows whose keys a spreadsheet program may have changed in a copy of the file."""
        if self.plan.key != self.rows.key or not self._compare().disguised:
            return None
        resembling = f"""SELECT count(*) OVER (), line, name, min_line, was FROM (
            SELECT file.place, file.line, coalesce(file.key, file.name) AS name, min(plain.line) AS min_line,
                plain.name AS was FROM temp.matched JOIN temp.file USING (place)
            JOIN temp.plain ON plain.key = undisguised(coalesce(file.key, file.name))
            LEFT JOIN outcome ON outcome.row = plain.row LEFT JOIN run ON run.number = outcome.run
            WHERE plain.risky AND cells IS NOT NULL AND fault IS NULL AND standing NOT IN ({RISKY})
                AND run.started_at > CASE file.row WHEN {NOT_SENT} THEN NULL
                    WHEN {KEY_COMPARED} THEN :last WHEN {AGREED} THEN :first ELSE 0 END
            GROUP BY file.place) ORDER BY place LIMIT {FIRST}"""
        if not (found := self.db.execute(resembling, self._facts).fetchall()):
            return None
        pairs = tuple(
            (RowSample(line, name), RowSample(was_line, was)) for _, line, name, was_line, was in found
        )
        return Elsewhere(folder=self.folder, rows=found[0][0], resembling=pairs)

    def same_file(self) -> Elsewhere | None:
        """Return the rows of a file with the same bytes, which has the same rows whatever its keys."""
        imported = "SELECT 1 FROM run WHERE json_extract(details, '$.sha256') = ?"
        if self.plan.key == self.rows.key or self.plan.sheet != self.request.sheet:
            return None
        if self.db.execute(imported, [self.request.sha256]).fetchone() is None:
            return None
        self._compare()
        (count,) = self.db.execute(
            f"""SELECT count(*) FROM {JOINED} WHERE {STATE} IN ({RISKY}) AND NOT ({_FOUND}
                AND coalesce(planned.key, '') IN (SELECT key FROM temp.file WHERE key IS NOT NULL))""",
            self._facts,
        ).fetchone()
        rows = min(count, self.rows.rows)
        return Elsewhere(folder=self.folder, rows=rows) if rows else None

    def _compare(self) -> Compared:
        if self._compared is None:
            chunks = self.rows.chunks if self.to_send is None else self.to_send.chunks
            self._compared = compare(
                self.db,
                chunks(),
                fingerprint=self.request.import_map.fingerprint,
                by_cells=self.plan.key != self.rows.key,
            )
        return self._compared

    @property
    def _facts(self) -> dict[str, Any]:
        """Parameters of the SQL statements."""
        runs = () if self.to_send is None else self.to_send.runs
        return {
            "job": self.plan.job,
            "looks_first": self.request.looks_first,
            "marker": self.request.marker,
            "first": min(runs, default=0.0),
            "last": max(runs, default=0.0),
            "runs": to_json(runs),  # a copy of the import's own folder has these runs, too
        }


_FOUND = ":looks_first AND json_extract(run.details, '$.marker') IS :marker"
"""Whether look-ups for the file find a sent row, if its key is the same."""
_NOT_FOUND = f"""{STATE} IN ({RISKY}) AND (planned.key IS NULL OR planned.key = :job || '-' || planned.row
    OR json_extract(run.details, '$.marker') IS NOT :marker)"""


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
                with opened(folder) as db:
                    if db.execute(query, identities).fetchone() is not None:
                        return {"remedies": (Remedy.JOB_BESIDE,), "folder": str(folder)}
    return {"remedies": (Remedy.EARLIER_IMPORT,)}


def remedies_of_row(own: Path | None, row: int) -> dict[str, Any]:
    """Return :func:`existing_remedies` for a row of the ledger in ``own``, if it still exists."""
    with contextlib.suppress(JournalError):
        if own is not None:
            with opened(own) as db:
                plan = read_plan(db, own / JOURNAL)
                found = db.execute("SELECT identity FROM identity WHERE row = ?", [row]).fetchall()
            return existing_remedies(own, plan, [identity for (identity,) in found])
    return {"remedies": (Remedy.EARLIER_IMPORT,)}
