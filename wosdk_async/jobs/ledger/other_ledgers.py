"""Other ledgers in the directory, which may have sent rows of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.journal.entries import RUN_REFUSED, SENT_ELSEWHERE, JobRun, to_json
from wosdk_async.jobs.journal.lock import is_held
from wosdk_async.jobs.journal.run_table import runs
from wosdk_async.jobs.ledger.comparison import LEDGER_TABLES, STANDING, compare
from wosdk_async.jobs.ledger.file_rows import CHUNK, FileRow, FileRows
from wosdk_async.jobs.ledger.key_conflicts import IN_COMPANY, RISKY
from wosdk_async.jobs.ledger.nearby import opened, other_ledgers, readable_or_warn
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.ledger.terms import FIRST, Elsewhere, RowSample, Standing
from wosdk_async.jobs.ledger.undone import mark_found_as_undone, undone_records
from wosdk_async.protocol.writes import State
from wosdk_async.text.remedies import Remedy

_NOT_SENT, _KEY_COMPARED, _AGREED = -1, -2, -3
"""Special ledger row numbers. ``_NOT_SENT``: the row is not sent, and only counts when rows equal to it are
numbered. ``_KEY_COMPARED``: an earlier run compared the key with the keys sent before the first run.
``_AGREED``: the user chose to resend the row, even if another ledger sent it before the first run."""


@attrs.frozen
class _RowsToSend:
    """Rows that an import will send."""

    runs: tuple[JobRun, ...]
    """The ledger's runs, except refused runs and undos."""
    chunks: Callable[[], Iterable[Sequence[FileRow]]]
    """Function that returns the rows; each ledger row number is one of the special numbers above, or None."""
    undone: Callable[[], Set[int]]
    """Function that returns the ids of the records that jobs in the directory have undone."""
    tried: Callable[[], str] = lambda: "[]"
    """Function that returns the numbers of the rows with an outcome, as JSON."""


def sent_elsewhere(request: ImportRequest, rows: FileRows, company: str) -> Elsewhere | None:
    """Find rows of a new import's file that another ledger sent and that look-ups cannot find.

    The import would otherwise send the rows of a copied, linked or renamed file again. With ``new_rows`` or
    look-ups, :func:`refuse_sent_elsewhere` refuses such rows one by one, unless the whole file is identical
    to the other ledger's file.

    Raises:
        JournalError: a ledger in the directory cannot be read, so it is unknown which rows it sent. With
            look-ups, such a ledger is ignored with a warning.
    """
    if not request.creates or request.options.again:
        return None
    resembling: list[Elsewhere] = []
    undone = undone_records(request.base, request.path, company, request.import_map.operation)
    to_send = _RowsToSend((), rows.chunks, undone)
    for folder, plan, is_recent in other_ledgers(request, rows, company, None):
        with readable_or_warn(request, rows, folder), opened(folder) as db:
            other = _OtherLedger(folder, plan, db, request, rows, to_send, is_recent)
            sent = other.same_file()
            if sent is None and not (request.options.new_rows or other.is_looked_up):
                sent = other.sent_rows()
            if sent is not None:
                return sent
            resembling += other.resembling()
    return _merged(resembling)


def refuse_sent_elsewhere(
    db: sqlite3.Connection,
    request: ImportRequest,
    rows: FileRows,
    company: str,
    own: Path | None,
    sends: Collection[Standing],
    *,
    undone: Callable[[], Set[int]],
) -> Elsewhere | None:
    """Refuse the rows to send that other ledgers sent, and return rows whose keys resemble sent keys.

    ``sends`` has the standings of the rows to send. ``undone`` returns the ids of the records that jobs in
    the directory have undone.

    Raises JournalError in the same cases as :func:`sent_elsewhere`.
    """
    resembling: list[Elsewhere] = []
    refused_before = _refused_before(db)
    to_send = _rows_to_send(db, sends, undone)
    for folder, other_plan, is_recent in other_ledgers(request, rows, company, own):
        with readable_or_warn(request, rows, folder), opened(folder) as other_db:
            other = _OtherLedger(folder, other_plan, other_db, request, rows, to_send, is_recent)
            refuse_rows(db, other.refused())
            resembling += other.resembling()
            refused_before = [each for each in refused_before if not _is_asked(other_db, folder, each)]
    # The ledger that sent these rows is no longer there, for example because it was archived.
    refuse_rows(db, [row[:2] for row in refused_before])
    return _merged(resembling)


def refuse_rows(db: sqlite3.Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Refuse compared rows, given by place and reason, because other ledgers sent them."""
    db.executemany("INSERT OR IGNORE INTO temp.elsewhere VALUES (?, ?)", rows)
    refuse = "UPDATE temp.matched SET standing = ? WHERE place = ?"
    db.executemany(refuse, [(int(Standing.REPEATED), place) for place, _ in rows])


def refused_rows(db: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return the places of rows that other ledgers sent, and the reasons for refusing them."""
    return db.execute("SELECT place, reason FROM temp.elsewhere ORDER BY place").fetchall()


def _rows_to_send(
    db: sqlite3.Connection, sends: Collection[Standing], undone: Callable[[], Set[int]]
) -> _RowsToSend:
    """Return the rows with the standings ``sends``, for the comparison with other ledgers."""
    own_runs = [run for run in runs(db) if "map" in run.details and not run.details.get(RUN_REFUSED)]
    options = own_runs[0].details["options"] if own_runs else {}
    names = ", ".join(str(int(each)) for each in sends)
    not_new = f"""standing <> {int(Standing.NEW)} AND NOT EXISTS (SELECT 1 FROM outcome
        WHERE outcome.row = matched.row AND json_extract(detail, '$[3]') = '{SENT_ELSEWHERE}')"""
    known = f"WHEN {not_new} THEN {_AGREED}" if "again" in options else ""
    sent_each_time = f"{int(Standing.PLANNED)}, {int(Standing.REFUSED_HERE)}"

    def chunks() -> Iterator[list[FileRow]]:
        found = db.execute(  # without keys, equal rows are numbered, so all of them are needed
            f"""SELECT place, line, digest, identity, cells, key, name, fault, CASE
                WHEN standing NOT IN ({names}) THEN {_NOT_SENT} {known}
                WHEN standing IN ({sent_each_time}) THEN {_KEY_COMPARED} END
            FROM temp.matched JOIN temp.file USING (place)
            WHERE (standing IN ({names}) OR cells IS NULL AND identity IN (
                SELECT identity FROM temp.repeated JOIN temp.matched USING (place)
                WHERE standing IN ({names}))) AND place NOT IN (SELECT place FROM temp.elsewhere)
            ORDER BY place"""
        )
        while chunk := found.fetchmany(CHUNK):
            yield chunk

    def tried() -> str:
        text: str = db.execute("SELECT json_group_array(row) FROM outcome").fetchone()[0]
        return text

    return _RowsToSend(tuple(own_runs), chunks, undone, tried)


def _refused_before(db: sqlite3.Connection) -> list[tuple[int, str, bytes, bytes | None]]:
    """Return unchanged rows that an earlier run refused because another ledger sent, or may have sent, them.

    The result has each row's place, reason, identity and hash of the cells.
    """
    return db.execute(
        f"""SELECT matched.place, json_extract(detail, '$[2]'), file.identity, file.cells
        FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
        JOIN outcome ON outcome.row = matched.row
        WHERE standing = {int(Standing.REFUSED_HERE)} AND json_extract(detail, '$[3]') = '{SENT_ELSEWHERE}'
            AND planned.sent = file.digest AND instr(json_extract(detail, '$[2]'), ?) = 0""",
        [_RUNNING],
    ).fetchall()


def _is_asked(db: sqlite3.Connection, folder: Path, row: tuple[int, str, bytes, bytes | None]) -> bool:
    """Return whether a refused row depends on another ledger.

    It does if the ledger may have sent the row, or if the reason for the refusal names the ledger's folder.
    """
    _, reason, *identities = row
    perhaps_sent = f"{int(State.DONE)}, {int(State.SENDING)}, {int(State.IN_DOUBT)}"
    sent = f"""SELECT 1 FROM identity JOIN outcome USING (row)
        WHERE identity IN (?, ?) AND state IN ({perhaps_sent})"""
    return f"{folder} " in reason or db.execute(sent, identities).fetchone() is not None


def _merged(found: Sequence[Elsewhere]) -> Elsewhere | None:
    """Combine the results of several ledgers."""
    if not found:
        return None
    pairs = tuple(pair for each in found for pair in each.resembling)[:FIRST]
    return attrs.evolve(found[0], rows=sum(each.rows for each in found), resembling=pairs)


@attrs.define
class _OtherLedger:
    """Another ledger, compared with the rows to send."""

    folder: Path
    plan: JobPlan
    db: sqlite3.Connection
    request: ImportRequest
    rows: FileRows
    to_send: _RowsToSend
    is_recent: bool
    """Whether the ledger is one of the newest."""
    _has_similar_keys: bool | None = attrs.field(default=None, init=False)
    """Whether keys of rows to send resemble keys in this ledger; None before the comparison."""
    _is_running: bool = attrs.field(init=False)
    """Whether the ledger's job is running and has rows to send; look-ups do not find their records yet."""

    @_is_running.default
    def _check_running(self) -> bool:
        unsent = f"""SELECT 1 FROM planned LEFT JOIN outcome USING (row)
            WHERE coalesce(state, 0) NOT IN ({_DECIDED}) LIMIT 1"""
        return self.db.execute(unsent).fetchone() is not None and is_held(self.folder)

    @property
    def is_looked_up(self) -> bool:
        """Whether look-ups find every record that this job has created."""
        if not self.request.looks_first or self.plan.key != self.rows.key:
            return False
        unknown = f"SELECT 1 FROM {LEDGER_TABLES} WHERE {_NOT_FOUND} LIMIT 1"
        return self.db.execute(unknown, self._parameters).fetchone() is None

    def sent_rows(self) -> Elsewhere | None:
        """Return the rows that this ledger sent, or will send because its job is running."""
        if not (found := self._sent()):
            return None
        changed = sum(standing is Standing.DONE_CHANGED for *_, standing in found)
        running = any(standing is Standing.PLANNED for *_, standing in found)
        lines = tuple(line for _, line, *_ in found[:FIRST])
        return Elsewhere(folder=self.folder, rows=len(found), lines=lines, running=running, changed=changed)

    def refused(self) -> list[tuple[int, str]]:
        """Return the place of each row to refuse, and the reason."""
        other_cells = self.request.report_words.remedy(Remedy.OTHER_CELLS, {})
        return [
            (place, _REASONS.get(standing, _SENT).format(self.folder, line, other_cells=other_cells))
            for place, _, line, standing in self._sent()
        ]

    def _sent(self) -> list[tuple[int, int, int, Standing]]:
        """Return place, line, line in the other file, and standing of rows that this job sent or may send."""
        if self.is_looked_up and not self._is_running:
            return []
        self._compare()
        standings = [*IN_COMPANY, *([] if self.request.options.new_rows else [Standing.DONE_CHANGED])]
        return self._matched([*standings, *([Standing.PLANNED] if self._is_running else [])])

    def _matched(self, standings: Sequence[Standing]) -> list[tuple[int, int, int, Standing]]:
        # With another map or without a key, equal rows may have different digests.
        found = self.db.execute(
            f"""SELECT place, line, sent_line, now FROM (
                SELECT file.place, file.line, planned.line AS sent_line, CASE
                    WHEN standing = {int(Standing.DONE_CHANGED)}
                        AND (cells IS NULL OR json_extract(run.details, '$.map') IS NOT :map)
                        THEN {int(Standing.DONE)}
                    WHEN {_WILL_SEND} THEN {int(Standing.PLANNED)} ELSE standing END AS now
                FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
                LEFT JOIN outcome ON outcome.row = planned.row LEFT JOIN run ON run.number = outcome.run
                WHERE NOT ({_FOUND} AND planned.key IS file.key AND NOT {_WILL_SEND})
                    AND file.row IS NOT {_NOT_SENT} AND (file.row IS NOT {_AGREED} OR {_ENDED} > :first)
                    AND coalesce(run.started_at, 0) NOT IN (SELECT value FROM json_each(:runs))
                    AND NOT (run.started_at IN (SELECT value FROM json_each(:killed))
                        AND planned.row IN (SELECT value FROM json_each(:tried))))
            WHERE now IN ({", ".join(str(int(each)) for each in standings)}) ORDER BY place""",
            self._parameters,
        )
        return [(*place_and_lines, Standing(standing)) for *place_and_lines, standing in found]

    def resembling(self) -> list[Elsewhere]:
        """Return the rows whose keys a spreadsheet program may have changed in a copy, if any."""
        if not self.is_recent or self.request.options.new_rows or self.plan.key != self.rows.key:
            return []
        if not self._compare():
            return []
        resembling = f"""SELECT count(*) OVER (), line, name, min_line, was FROM (
            SELECT file.place, file.line, coalesce(file.key, file.name) AS name, min(plain.line) AS min_line,
                plain.name AS was FROM temp.matched JOIN temp.file USING (place)
            JOIN temp.plain ON plain.key = undisguised(coalesce(file.key, file.name))
            LEFT JOIN outcome ON outcome.row = plain.row LEFT JOIN run ON run.number = outcome.run
            WHERE plain.risky AND cells IS NOT NULL AND fault IS NULL AND standing NOT IN ({RISKY})
                AND plain.name <> coalesce(file.key, file.name) AND file.row IS NOT {_NOT_SENT}
                AND (file.row IS NULL OR file.row > 0 OR {_ENDED} > :first)
            GROUP BY file.place) ORDER BY place LIMIT {FIRST}"""
        if not (found := self.db.execute(resembling, self._parameters).fetchall()):
            return []
        pairs = tuple(
            (RowSample(line, name), RowSample(was_line, was)) for _, line, name, was_line, was in found
        )
        return [Elsewhere(folder=self.folder, rows=found[0][0], resembling=pairs)]

    def same_file(self) -> Elsewhere | None:
        """Return the rows that this ledger sent from an identical file with a different key template."""
        imported = "SELECT 1 FROM run WHERE json_extract(details, '$.sha256') = ?"
        if self.plan.key == self.rows.key or self.plan.sheet != self.request.sheet:
            return None
        if self.db.execute(imported, [self.request.sha256]).fetchone() is None:
            return None
        self._compare()
        (count,) = self.db.execute(
            f"""SELECT count(*) FROM {LEDGER_TABLES} WHERE {STANDING} IN ({RISKY}) AND NOT ({_FOUND}
                AND coalesce(planned.key, '') IN (SELECT key FROM temp.file WHERE key IS NOT NULL))""",
            self._parameters,
        ).fetchone()
        rows = min(count, self.rows.rows)
        return Elsewhere(folder=self.folder, rows=rows) if rows else None

    def _compare(self) -> bool:
        if self._has_similar_keys is None:
            compared = compare(
                self.db,
                self.to_send.chunks(),
                fingerprint=self.request.import_map.fingerprint,
                by_cells=self.plan.key != self.rows.key,
                counts=self.is_recent,
            )
            mark_found_as_undone(self.db, self.to_send.undone)
            self._has_similar_keys = bool(compared.disguised)
        return self._has_similar_keys

    @property
    def _parameters(self) -> dict[str, Any]:
        """Parameters of the SQL statements."""
        runs = self.to_send.runs
        killed = [run.started_at for run in runs if run.ended_at is None]
        shared = "SELECT 1 FROM run WHERE started_at IN (SELECT value FROM json_each(?)) LIMIT 1"
        is_copy = bool(killed) and self.db.execute(shared, [to_json(killed)]).fetchone() is not None
        return {
            "job": self.plan.job,
            "looks_first": self.request.looks_first,
            "marker": self.request.marker,
            "first": min((run.started_at for run in runs), default=0.0),
            "map": self.request.import_map.fingerprint,
            "running": self._is_running,
            # A copy of the import's own folder also has these runs. In a run that did not end, the copy may
            # have sent rows that the import's own ledger has not tried.
            "runs": to_json([run.started_at for run in runs if run.ended_at is not None]),
            "killed": to_json(killed),
            "tried": self.to_send.tried() if is_copy else "[]",
        }


_DECIDED = f"{int(State.DONE)}, {int(State.FOUND)}, {int(State.REFUSED)}"
_UNSENT = ", ".join(str(int(each)) for each in (Standing.PLANNED, Standing.SENDING, Standing.IN_DOUBT))
_WILL_SEND = f"(:running AND standing IN ({_UNSENT}))"
_ENDED = "coalesce(run.ended_at, 1e12)"
_FOUND = ":looks_first AND json_extract(run.details, '$.marker') IS :marker"
"""SQL condition: the file's look-ups find the record of a sent row, if the file's row has the same key."""
_NOT_FOUND = f"""{STANDING} IN ({RISKY}) AND (planned.key IS NULL OR planned.key = :job || '-' || planned.row
    OR json_extract(run.details, '$.marker') IS NOT :marker)"""
_SENT = "the job in {} sent this row (line {} of its file); remove the row from this file"
_DOUBT = "the job in {} may have sent this row (line {} of its file); settle that job's rows in doubt first"
_RUNNING = " is running and sends this row"
_REASONS = {
    Standing.SENDING: _DOUBT,
    Standing.IN_DOUBT: _DOUBT,
    Standing.DONE_CHANGED: (
        "the job in {} sent a row with this key but different cells (line {} of its file); {other_cells}"
    ),
    Standing.PLANNED: "the job in {}" + _RUNNING + " (line {} of its file); wait until it ends",
}
