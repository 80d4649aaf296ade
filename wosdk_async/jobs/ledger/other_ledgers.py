"""Other ledgers in the directory: an import sends no row that another job has sent, or may send."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import DECIDED, JobPlan
from wosdk_async.jobs.journal.entries import RUN_REFUSED, JobRun
from wosdk_async.jobs.journal.folder import jobs_in, last_file, lost_jobs_in, plan_of
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.journal.store import JOURNAL, read_plan
from wosdk_async.jobs.ledger.comparison import LEDGER_TABLES, STANDING, compare
from wosdk_async.jobs.ledger.file_rows import CHUNK, FileRow, FileRows
from wosdk_async.jobs.ledger.key_conflicts import IN_COMPANY, RISKY
from wosdk_async.jobs.ledger.nearby import opened
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import FIRST, Elsewhere, RowSample, Standing
from wosdk_async.jobs.ledger.undone import mark_undone
from wosdk_async.protocol.writes import State
from wosdk_async.text.remedies import Remedy

_AGREED = -1
"""Row number given to rows that the user chose to send again: they are sent even if another job sent them
before this ledger's first import."""
_MAX_LINES = 10_000
_COMPARED = 5  # newest ledgers to search for resembling keys; searching all would take too long

_Run = tuple[float, float | None]
"""Start and end of a run, which identify it in copies of a job folder."""


@attrs.frozen
class OwnLedger:
    """The import's ledger and the rows that it will send, for the comparison with other ledgers."""

    db: sqlite3.Connection
    """The ledger, with the temporary tables of :func:`comparison.compare`."""
    folder: Path | None
    """The job folder; None for a new ledger."""
    sends: Collection[Standing]
    undone: Callable[[], Set[int]]
    """Function that returns the ids of the records that jobs in the directory have undone."""
    after: str | None
    """The job that this one replaces; this process holds its lock."""

    def chunks(self) -> Iterator[list[FileRow]]:
        """Yield the rows to send, with ``_AGREED`` or None in place of their ledger row numbers."""
        agreed = f"iif(standing <> {Standing.NEW}, {_AGREED}, NULL)" if self._resends_all() else "NULL"
        found = self.db.execute(
            f"""SELECT place, line, digest, identity, cells, key, name, fault, {agreed}
            FROM temp.matched JOIN temp.file USING (place)
            WHERE standing IN ({", ".join(map(str, self.sends))}) ORDER BY place"""
        )
        while chunk := found.fetchmany(CHUNK):
            yield chunk

    def first_run(self) -> float:
        """Return when the first import began; 0 if there was none."""
        return min((run.started_at for run in self._imports()), default=0.0)

    def job(self) -> str | None:
        """Return the ledger's id; None for a new ledger."""
        return None if self.folder is None else read_plan(self.db, self.folder / JOURNAL).job

    def _resends_all(self) -> bool:
        return any("again" in run.details["options"] for run in self._imports()[:1])

    def _imports(self) -> list[JobRun]:
        """Return the runs, except refused runs and undos."""
        return [run for run in runs(self.db) if "map" in run.details and not run.details.get(RUN_REFUSED)]


def sent_elsewhere(request: ImportRequest, rows: FileRows, company: str, own: OwnLedger) -> Elsewhere | None:
    """Find rows to send that another job has sent, may have sent or is sending; None if there are none.

    Rows whose records the import looks up are left out, and so are undone rows. With ``new_rows``, rows whose
    cells differ from the sent cells are left out too. If no rows remain, the result lists rows whose keys
    resemble sent keys, if there are any.

    Raises:
        JournalError: a ledger in the directory cannot be read, so it is unknown which rows it sent.
    """
    found: list[Elsewhere] = []
    for folder, plan, is_recent in _other_ledgers(request, company, own):
        with _named_if_unreadable(folder), opened(folder) as db:
            found += _OtherLedger(folder, plan, db, request, rows, own, is_recent).search()
    resembling = [each for each in found if each.resembling]
    if sent := [each for each in found if not each.resembling]:
        return _combined(sent)
    if not resembling:
        return None
    pairs = tuple(pair for each in resembling for pair in each.resembling)[:FIRST]
    return attrs.evolve(resembling[0], rows=sum(each.rows for each in resembling), resembling=pairs)


def _combined(sent: Sequence[Elsewhere]) -> Elsewhere:
    """Return the rows that several jobs sent, with the folder of the job that sent most of them.

    If one of the jobs is running or has rows in doubt, return only its rows, because it must end or be
    settled first.
    """
    most = max(sent, key=lambda each: (each.running, each.in_doubt, each.rows))
    if most.running or most.in_doubt:
        return most
    lines = sorted({line for each in sent for line in each.lines})
    return attrs.evolve(
        most,
        rows=max(most.rows, len(lines)),
        lines=tuple(lines[:_MAX_LINES]),
        others=len(sent) - 1,
        takes_file=most.takes_file and most.rows >= len(lines),
        missing=sum(each.missing for each in sent),
        changed=sum(each.changed for each in sent),
    )


def runs_beside(request: ImportRequest, own: Path) -> dict[Path, tuple[int, int]]:
    """Count the imports and rows of each ledger in the directories of the file and of the ledger ``own``.

    The result is empty unless the import creates records.
    """
    counts = {}
    for folder in jobs_in(*_places(request, own)) if request.creates else ():
        with contextlib.suppress(JournalError), opened(folder) as db:
            imports = "SELECT count(*) FROM run WHERE json_extract(details, '$.map') IS NOT NULL"
            found = db.execute(f"SELECT ({imports}), (SELECT count(*) FROM planned)").fetchone()
            if found[0]:
                counts[folder] = found
    return counts


def _other_ledgers(
    request: ImportRequest, company: str, own: OwnLedger
) -> Iterator[tuple[Path, JobPlan, bool]]:
    """Yield the folder and plan of every other ledger, and whether that ledger is one of the newest.

    Old copies of a job folder are left out.
    """
    found: list[tuple[Path, JobPlan]] = []
    wanted = company, request.import_map.operation
    places = _places(request, own.folder)
    if lost := next((folder for place in places for folder in lost_jobs_in(place)), None):
        why = f"{lost} has lost its journal, so it is unknown which rows that job sent"
        raise JournalError(why, remedies=(Remedy.MOVE_JOB,), folder=str(lost))
    for folder in sorted(jobs_in(*places), key=_last_change):
        with _named_if_unreadable(folder):
            plan = plan_of(folder)
            is_own = own.folder is not None and folder.resolve() == own.folder.resolve()
            if (plan.company, plan.operation) == wanted and not is_own:
                found.append((folder, plan))
    others = [each for each in found if not _is_old_copy(*each, found, own)]
    for number, (folder, plan) in enumerate(others):
        yield folder, plan, number >= len(others) - _COMPARED


def _is_old_copy(
    folder: Path, plan: JobPlan, ledgers: Sequence[tuple[Path, JobPlan]], own: OwnLedger
) -> bool:
    """Return whether another copy of a job folder has more runs, or is newer and has the same runs.

    The ``ledgers`` are sorted by their last change. Copies with the same runs may still differ in the rows of
    a run that has not ended, so neither copy is old.
    """
    copies, is_own = [each for each, other in ledgers if other.job == plan.job], plan.job == own.job()
    if len(copies) == 1 and not is_own:
        return False
    with contextlib.suppress(JournalError):
        found = [*map(_runs_of, copies), *([_runs_in(own.db)] if is_own else [])]
        number = copies.index(folder)
        have_ended = all(ended is not None for _, ended in found[number])
        is_newer = have_ended and found[number] in found[number + 1 :]
        return is_newer or any(found[number] < each for each in found)
    return False


def _runs_of(folder: Path) -> set[_Run]:
    with opened(folder) as db:
        return _runs_in(db)


def _runs_in(db: sqlite3.Connection) -> set[_Run]:
    return {(run.started_at, run.ended_at) for run in runs(db)}


def _places(request: ImportRequest, own: Path | None) -> set[Path]:
    return {each.parent.resolve() for each in (own, request.base, request.path) if each is not None}


def _last_change(folder: Path) -> float:
    with contextlib.suppress(OSError):
        return (folder / JOURNAL).stat().st_mtime
    return 0.0


@contextlib.contextmanager
def _named_if_unreadable(folder: Path) -> Iterator[None]:
    """Add a remedy to the error of an unreadable ledger."""
    try:
        yield
    except JournalError as error:
        if not (folder / JOURNAL).is_file():  # another process has removed the ledger, which sent nothing
            return
        error.add(remedies=(Remedy.MOVE_JOB,), folder=str(folder))
        raise


@attrs.define
class _OtherLedger:
    folder: Path
    plan: JobPlan
    db: sqlite3.Connection
    request: ImportRequest
    rows: FileRows
    own: OwnLedger
    is_recent: bool
    """Whether the ledger is one of the newest."""
    _is_running: bool = attrs.field(init=False)
    """Whether the job is running and still has rows to send. Look-ups cannot find their records yet."""

    @_is_running.default
    def _check_running(self) -> bool:
        if self.plan.job == self.own.after:
            return False
        unsent = f"""SELECT 1 FROM planned LEFT JOIN outcome USING (row)
            WHERE coalesce(state, 0) NOT IN ({_FINAL}) LIMIT 1"""
        return self.db.execute(unsent).fetchone() is not None and is_held(self.folder)

    def search(self) -> list[Elsewhere]:
        """Return the rows to send that the job sent, and those whose keys resemble sent keys."""
        is_same_key = self.plan.key == self.rows.key
        may_have_sent = self._is_running or not (is_same_key and self._look_ups_find_all())
        may_resemble = self.is_recent and is_same_key and not self.request.options.new_rows
        if not (may_have_sent or may_resemble):
            return []
        compared = compare(
            self.db,
            self.own.chunks(),
            fingerprint=self.request.import_map.fingerprint,
            by_cells=not is_same_key,
            counts=self.is_recent,
        )
        mark_undone(self.db, self.own.undone, State.DONE, State.FOUND)
        sent = self._sent_rows() if may_have_sent else []
        return sent + (self._resembling() if may_resemble and compared.disguised else [])

    def _sent_rows(self) -> list[Elsewhere]:
        standings = [*IN_COMPANY, *([] if self.request.options.new_rows else [Standing.DONE_CHANGED])]
        if self._is_running:
            standings.append(Standing.PLANNED)
        # With another map or without a key, equal rows may have different digests.
        found = self.db.execute(
            f"""SELECT line, now FROM (
                SELECT file.place, file.line, CASE
                    WHEN standing = {Standing.DONE_CHANGED}
                        AND (cells IS NULL OR json_extract(run.details, '$.map') IS NOT :map)
                        THEN {Standing.DONE}
                    WHEN {_WILL_SEND} THEN {Standing.PLANNED} ELSE standing END AS now
                FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
                LEFT JOIN outcome ON outcome.row = planned.row LEFT JOIN run ON run.number = outcome.run
                WHERE NOT ({_FOUND} AND planned.key IS file.key AND NOT {_WILL_SEND} AND {_HAS_ENDED})
                    AND {_NOT_AGREED})
            WHERE now IN ({", ".join(map(str, standings))}) ORDER BY place""",
            self._parameters,
        ).fetchall()
        if not found:
            return []
        kinds = {standing for _, standing in found}
        sent = Elsewhere(
            folder=self.folder,
            rows=len(found),
            lines=tuple(line for line, _ in found[:_MAX_LINES]),
            takes_file=self.plan.key in (None, self.rows.key),
            renamed=not last_file(self.plan, self.folder).exists(),
            missing=self._count_missing(),
            running=Standing.PLANNED in kinds,
            in_doubt=not kinds.isdisjoint({Standing.SENDING, Standing.IN_DOUBT}),
            changed=sum(standing == Standing.DONE_CHANGED for _, standing in found),
        )
        return [sent]

    def _count_missing(self) -> int:
        if self.own.folder is not None:  # only the rows to send were compared, not those that are done
            return 0
        return 0 if self.plan.key and self.rows.key else int(self.db.execute(_MISSING).fetchone()[0])

    def _resembling(self) -> list[Elsewhere]:
        resembling = f"""SELECT count(*) OVER (), line, name, min_line, was FROM (
            SELECT file.place, file.line, coalesce(file.key, file.name) AS name, min(plain.line) AS min_line,
                plain.name AS was FROM temp.matched JOIN temp.file USING (place)
            JOIN temp.plain ON plain.key = undisguised(coalesce(file.key, file.name))
            LEFT JOIN outcome ON outcome.row = plain.row
            WHERE plain.risky AND cells IS NOT NULL AND fault IS NULL AND standing NOT IN ({RISKY})
                AND plain.name <> coalesce(file.key, file.name) AND {_NOT_AGREED}
            GROUP BY file.place) ORDER BY place LIMIT {FIRST}"""
        if not (found := self.db.execute(resembling, self._parameters).fetchall()):
            return []
        pairs = tuple(
            (RowSample(line, name), RowSample(was_line, was)) for _, line, name, was_line, was in found
        )
        return [Elsewhere(folder=self.folder, rows=found[0][0], resembling=pairs)]

    def _look_ups_find_all(self) -> bool:
        if not self.request.looks_first:
            return False
        unknown = f"SELECT 1 FROM {LEDGER_TABLES} WHERE {_NOT_FOUND} LIMIT 1"
        return self.db.execute(unknown, self._parameters).fetchone() is None

    @property
    def _parameters(self) -> dict[str, Any]:
        return {
            "job": self.plan.job,
            "looks_first": self.request.looks_first,
            "marker": self.request.marker,
            "first": self.own.first_run(),
            "map": self.request.import_map.fingerprint,
            "running": self._is_running,
        }


_FINAL = f"{State.DONE}, {State.FOUND}, {State.REFUSED}"
_UNSENT = ", ".join(map(str, (Standing.PLANNED, Standing.SENDING, Standing.IN_DOUBT)))
_WILL_SEND = f"(:running AND standing IN ({_UNSENT}))"
_NOT_AGREED = "(file.row IS NULL OR outcome.stamp IS NULL OR outcome.stamp > 1000 * :first)"  # milliseconds
_DECIDED = f"json_extract(outcome.detail, '$[9]') IS '{DECIDED}'"  # perhaps a record without the key
_FOUND = f""":looks_first AND json_extract(run.details, '$.marker') IS :marker AND NOT {_DECIDED}"""
"""SQL condition: a look-up by a sent row's key finds its record; also compare the key with the file's."""
_DOUBTS = f"{Standing.SENDING}, {Standing.IN_DOUBT}"
_HAS_ENDED = f"standing NOT IN ({_DOUBTS})"
"""SQL condition: look-ups are conclusive, because no request for the row can still take effect."""
_MISSING = f"""SELECT count(*) FROM {LEDGER_TABLES} WHERE {STANDING} IN ({RISKY}) AND NOT planned.dismissed
    AND planned.row NOT IN (SELECT row FROM temp.matched WHERE row IS NOT NULL)"""
_NOT_FOUND = f"""{STANDING} IN ({_DOUBTS}) OR {STANDING} IN ({RISKY}) AND (planned.key IS NULL
    OR planned.key = :job || '-' || planned.row OR json_extract(run.details, '$.marker') IS NOT :marker
    OR {_DECIDED})"""
