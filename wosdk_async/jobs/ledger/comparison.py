"""Comparison of a file with the ledger, in SQL.

The results go to temporary tables, so a check works with a read-only ledger.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice

import attrs

from wosdk_async.jobs.journal.entries import REPEATED_KEY
from wosdk_async.jobs.journal.row_table import MAX_AT_ONCE
from wosdk_async.jobs.ledger.file_rows import FILE_COLUMNS, FileRow, repetitions
from wosdk_async.jobs.ledger.identity import undisguised
from wosdk_async.jobs.ledger.key_conflicts import IN_COMPANY, RISKY, UNCORRECTED, disguised_keys, row_sample
from wosdk_async.jobs.ledger.terms import Resembling, RowSample, Standing
from wosdk_async.protocol.writes import State

_FILE = f"CREATE TEMP TABLE file ({FILE_COLUMNS})"
_COLUMNS = [column.split()[0] for column in FILE_COLUMNS.split(", ")]
# If the column `row` had no type, SQLite would not use an index for comparisons with it.
_MATCHED = "CREATE TEMP TABLE matched (place INTEGER PRIMARY KEY, nth, row INTEGER, standing)"
TEMPORARY = ("file", "repeated", "matched", "sent", "gone", "plain")

# Most identities occur once, so only rows with a repeated identity are numbered. Among rows with equal keys,
# the row that was sent comes first, wherever it is in the file now.
_REPEATED = """CREATE TEMP TABLE repeated AS
    SELECT place, identity, row_number() OVER (PARTITION BY identity ORDER BY sent DESC, place) AS nth,
        row_number() OVER (PARTITION BY identity, cells ORDER BY sent DESC, place) AS same
    FROM (SELECT *, digest IS (SELECT sent FROM planned WHERE row = (
            SELECT row FROM identity WHERE identity.identity = file.identity AND nth = 1)) AS sent
        FROM temp.file WHERE identity IN (
            SELECT identity FROM temp.file GROUP BY identity HAVING count(*) > 1))"""
_NOT_REPEATED = "CREATE TEMP TABLE repeated (place, identity, nth, same)"

_NTH = "coalesce((SELECT nth FROM temp.repeated AS other WHERE other.place = file.place), 1)"
_SAME = "coalesce((SELECT same FROM temp.repeated AS other WHERE other.place = file.place), 1)"

_ALL_NEW = f"""INSERT INTO temp.matched SELECT place, nth, NULL,
        iif(cells IS NOT NULL AND nth > 1, {Standing.REPEATED}, {Standing.NEW})
    FROM (SELECT *, {{nth}} AS nth FROM temp.file AS file) ORDER BY place"""

STANDING = f"""CASE
    WHEN undo.state = {State.DONE} THEN {Standing.UNDONE}
    WHEN outcome.state = {State.SENDING} THEN {Standing.SENDING}
    WHEN outcome.state = {State.IN_DOUBT} THEN {Standing.IN_DOUBT}
    WHEN outcome.state IN ({State.DONE}, {State.FOUND}) THEN {Standing.DONE}
    WHEN outcome.state = {State.REFUSED} AND coalesce(json_extract(outcome.detail, '$[6]'), 0) = 0
        THEN {Standing.REFUSED_HERE}
    WHEN outcome.state = {State.REFUSED} THEN {Standing.REFUSED}
    ELSE {Standing.PLANNED} END"""
"""SQL expression for a ledger row's standing. A refused row with attempts was refused by the service."""

_PERHAPS_CARRIED_OUT = f"{State.SENDING}, {State.IN_DOUBT}, {State.DONE}, {State.FOUND}"

LEDGER_TABLES = """planned LEFT JOIN outcome ON outcome.row = planned.row
    LEFT JOIN undo ON undo.row = planned.row LEFT JOIN run ON run.number = outcome.run"""

_NOT_TO_SEND = {*IN_COMPANY, Standing.REPEATED}
_SENT = f"{RISKY}, {Standing.UNDONE}"


# A reject must not be sent if the ledger also has it as another row. Without a key, this is the case if the
# row was corrected in the original file, where it counted as new. With keys, it is the case if the other row
# was sent before the map had a key, or with equal cells and a key from a different template. A reject with a
# repeated key is exempt from the last condition, because different rows may have equal cells.
_TWIN = f"""NOT EXISTS (SELECT 1 FROM identity
        WHERE identity.identity = coalesce(file.cells, file.identity) AND identity.row = file.row)
    AND EXISTS (SELECT 1 FROM identity WHERE identity.identity = coalesce(file.cells, file.identity)
        AND identity.row NOT IN (SELECT row FROM temp.file))
    OR cells IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outcome
        WHERE outcome.row = file.row AND json_extract(outcome.detail, '$[3]') = '{REPEATED_KEY}')
    AND EXISTS (SELECT 1 FROM planned JOIN outcome USING (row)
        WHERE planned.sent IN (file.digest, (SELECT sent FROM planned WHERE planned.row = file.row))
            AND outcome.state IN ({_PERHAPS_CARRIED_OUT}) AND planned.row NOT IN (SELECT row FROM temp.file)
            AND planned.row NOT IN (SELECT row FROM undo WHERE state = {State.DONE}))"""

# If the original file lacks a row without a key, and new rows of that file were sent since, one of these may
# be the same row, corrected. Undone rows count too, because they may be retried.
_REPLACED = f"""SELECT standing, min(file.line) FROM temp.matched JOIN temp.file USING (place)
        JOIN planned ON planned.row = matched.row
    WHERE file.cells IS NULL AND NOT planned.dismissed AND planned.away > 0 AND planned.away <= (
        SELECT max(later.run) FROM outcome AS later
        WHERE later.row > (SELECT min(row) FROM temp.file) AND later.state IN ({_PERHAPS_CARRIED_OUT})
            AND later.row NOT IN (SELECT row FROM temp.file))
    GROUP BY standing"""

# A row that returns to the file may be an earlier version of a row that was sent. If a missing row without a
# key was sent as a reject, any later row of the file may be its corrected version.
_PERHAPS_KNOWN = """temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
    WHERE (planned.away OR file.cells IS NULL AND planned.row > (
        SELECT min(row) FROM temp.gone JOIN planned USING (row) JOIN outcome USING (row)
        WHERE unexplained AND planned.away AND outcome.run > planned.away))"""

# A changed row that was sent would be skipped. Its row number is wrong if its new key or cells are those of
# an unsent row, or if another row of the file now has the cells that it was sent with, and had others before.
_MOVED = f"""SELECT file.line FROM temp.matched JOIN temp.file USING (place)
        JOIN planned ON planned.row = matched.row
    WHERE standing IN ({RISKY}, {Standing.DONE_CHANGED}) AND planned.sent <> file.digest
        AND (planned.sent IN (SELECT file.digest FROM temp.matched JOIN temp.file USING (place)
            JOIN planned ON planned.row = matched.row WHERE file.digest NOT IN (planned.sent, planned.digest)
        ) OR EXISTS (
            SELECT 1 FROM identity WHERE identity.identity = file.identity AND nth = 1
                AND identity.row <> planned.row AND NOT EXISTS (
                SELECT 1 FROM outcome WHERE row = identity.row AND state IN ({_PERHAPS_CARRIED_OUT}))))"""


@attrs.frozen(kw_only=True)
class Comparison:
    """Result of comparing a file with the ledger."""

    standings: Mapping[Standing, int]
    """Number of the file's rows with each standing; each row has exactly one standing."""
    gone: Mapping[Standing, int]
    """Rows of the ledger missing from the file, by standing."""
    gone_unexplained: int = 0
    """Rows in ``gone`` that may be in the Company and were not declared permanently gone."""
    first_new: RowSample | None = None
    first_gone: RowSample | None = None
    disguised: Mapping[Standing, Resembling] = attrs.field(factory=dict)
    back: Mapping[Standing, int] = attrs.field(factory=dict)
    """Rows of the file, by standing, that the previous file lacked but an earlier file had."""
    twice_line: int | None = None
    """In a rejects file, line of the first row whose row number occurs earlier in the file."""
    unknown_line: int | None = None
    """In a rejects file, line of the first row whose row number is not in the ledger."""
    moved_line: int | None = None
    """In a rejects file, line of the first sent row that has another row's key or cells."""
    replaced: Mapping[Standing, int] = attrs.field(factory=dict)
    """For each standing, the line of the first keyless reject whose record may be in the Company."""


def compare(
    db: sqlite3.Connection,
    chunks: Iterable[Sequence[FileRow]],
    *,
    rejects: bool = False,
    map_counts: bool = False,
    retry_undone: bool = False,
    fingerprint: str = "",
    same_key: bool = False,
    by_cells: bool = False,
    counts: bool = True,
) -> Comparison:
    """Compare a file's rows with the ledger. The temporary tables stay for ``admission.admit``.

    With ``map_counts``, used for updates, a done row counts as changed if the map's ``fingerprint`` differs.
    With ``retry_undone``, the keys of undone rows must also be unique. ``same_key`` tells whether the file
    and the ledger have the same key template. With ``by_cells``, new rows are also recognized by their cells.
    Without ``counts``, the returned counts are empty.
    """
    for table in TEMPORARY:
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")
    db.execute(_FILE)
    with db:  # one transaction for the temporary tables; the ledger is only read
        db.execute("BEGIN")
        hashes = array("q")  # of the identities
        for chunk in chunks:
            _insert(db, chunk)
            hashes.extend([hash(row[3]) for row in chunk])
        are_repeated = repetitions(hashes) > 0
        db.execute(_REPEATED if are_repeated else _NOT_REPEATED)
        db.execute("CREATE UNIQUE INDEX temp.repeated_place ON repeated (place)")
        db.execute("CREATE UNIQUE INDEX temp.repeated_identity ON repeated (identity, nth)")
        db.execute(_MATCHED)
        if not rejects and db.execute("SELECT 1 FROM planned LIMIT 1").fetchone() is None:
            db.execute(_ALL_NEW.format(nth=_NTH if are_repeated else 1))
        else:
            _match(
                db,
                rejects=rejects,
                map_counts=map_counts,
                retry_undone=retry_undone,
                fingerprint=fingerprint,
            )
        if by_cells or (same_key and not rejects):
            _recognize(db, by_cells=by_cells)
        found = _summarized(db, rejects) if counts else Comparison(standings={}, gone={})
    if not rejects:
        return found
    twice = "SELECT max(line) AS line FROM temp.file GROUP BY row HAVING count(*) > 1"
    unknown = "SELECT line FROM temp.file WHERE row NOT IN (SELECT row FROM planned)"
    twice_line, unknown_line, moved_line = (
        db.execute(f"SELECT min(line) FROM ({rows})").fetchone()[0] for rows in (twice, unknown, _MOVED)
    )
    replaced = {Standing(standing): line for standing, line in db.execute(_REPLACED)}
    return attrs.evolve(
        found, twice_line=twice_line, unknown_line=unknown_line, moved_line=moved_line, replaced=replaced
    )


def _insert(db: sqlite3.Connection, rows: Sequence[FileRow]) -> None:
    """Insert rows, leaving out columns that are always None, because binding None is slow."""
    columns = {
        name: column
        for name, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
        if column.count(None) < len(rows)
    }
    names, marks = ", ".join(columns), f"({', '.join('?' * len(columns))})"
    values = zip(*columns.values(), strict=True)
    while part := list(islice(values, MAX_AT_ONCE)):
        several = ", ".join([marks] * len(part))
        db.execute(f"INSERT INTO temp.file ({names}) VALUES {several}", [*chain.from_iterable(part)])


def _match(
    db: sqlite3.Connection, *, rejects: bool, map_counts: bool, retry_undone: bool, fingerprint: str
) -> None:
    """Find the ledger row and standing of each row in the file."""
    if rejects:
        # A corrected key of a reject may already belong to another row.
        other = "(SELECT row FROM identity WHERE identity = file.identity AND nth = 1)"
        known = f"SELECT *, {_NTH} AS nth, row AS known, {other} AS other, {_TWIN} AS twin FROM temp.file"
        repeated = "numbered.nth > 1 OR numbered.other <> numbered.known"
        twin = "numbered.twin"
    else:
        # Rows with a repeated key, and rows sent before the map had a key, are found by their cells.
        known = f"""SELECT numbered.*, iif(
                alike IS NULL OR digest = (SELECT sent FROM planned WHERE row = other),
                coalesce(other, alike), alike) AS known
            FROM (SELECT numbered.*,
                (SELECT row FROM identity WHERE identity = numbered.identity AND nth = numbered.nth) AS other,
                (SELECT row FROM identity WHERE identity = numbered.cells AND nth = numbered.same) AS alike
                FROM (SELECT *, {_NTH} AS nth, {_SAME} AS same FROM temp.file AS file) AS numbered
            ) AS numbered"""
        # A key with which another row was sent still belongs to that row when the file no longer has the row.
        repeated = f"""numbered.nth > 1 OR numbered.other <> numbered.known AND (
            SELECT {STANDING} FROM {LEDGER_TABLES} WHERE planned.row = numbered.other) IN ({RISKY})"""
        twin = "0"
    # A map that reads another column, such as a new key, changes the digests. Even so, a row with the same
    # cells as before has not changed.
    other_map = "coalesce(json_extract(run.details, '$.map'), '') <> :map"
    changed = f"""planned.sent <> numbered.digest AND NOT (({other_map})
        AND coalesce(planned.cells_hash, numbered.cells) = numbered.cells AND EXISTS (
        SELECT 1 FROM identity WHERE identity.identity = numbered.cells AND identity.row = numbered.known))"""
    # An update with the key of another row would overwrite that row's record. An update with the cells from
    # before a reject's correction would undo the correction.
    done_changed = changed
    if map_counts:
        uncorrected = f"""EXISTS (SELECT 1 FROM identity
            WHERE identity = {UNCORRECTED.format("numbered.known")} AND nth = numbered.digest)"""
        done_changed = f"((({changed}) AND NOT {uncorrected}) OR {other_map}) AND ({repeated}) IS NOT TRUE"
    sent = RISKY if retry_undone else _SENT
    db.execute(
        f"""INSERT INTO temp.matched SELECT numbered.place, numbered.nth, numbered.known, CASE
            WHEN (numbered.cells IS NOT NULL AND ({repeated}) OR {twin}) AND {STANDING} NOT IN ({sent})
                THEN {Standing.REPEATED}
            WHEN numbered.known IS NULL THEN {Standing.NEW}
            WHEN {STANDING} = {Standing.DONE} AND ({done_changed}) THEN {Standing.DONE_CHANGED}
            WHEN {STANDING} = {Standing.REFUSED} AND (({changed}) OR {other_map})
                THEN {Standing.REFUSED_CHANGED}
            ELSE {STANDING} END
        FROM ({known}) AS numbered LEFT JOIN planned ON planned.row = numbered.known
        LEFT JOIN outcome ON outcome.row = numbered.known LEFT JOIN undo ON undo.row = numbered.known
        LEFT JOIN run ON run.number = outcome.run ORDER BY numbered.place""",
        {"map": fingerprint},
    )
    if db.execute("SELECT count(row) > count(DISTINCT row) FROM temp.matched").fetchone()[0]:
        _separate(db)
    if not rejects and db.execute("SELECT 1 FROM identity WHERE identity < x'' LIMIT 1").fetchone():
        _refuse_replaced_keys(db, fingerprint)


def _separate(db: sqlite3.Connection) -> None:
    """Match each ledger row with at most one file row; other matching file rows become new or repeated.

    A ledger row can match several file rows, because a corrected reject gives it a second identity. With
    keys, the ledger row keeps the file row whose cells were sent or, if there is none, the one with the most
    similar key. Without keys, it keeps the first file row.
    """
    db.create_function("undisguised", 1, undisguised, deterministic=True)
    db.execute(f"""UPDATE temp.matched SET row = NULL, standing = iif(
            nth > 1 AND (SELECT cells FROM temp.file WHERE file.place = matched.place) IS NOT NULL,
            {Standing.REPEATED}, {Standing.NEW})
        WHERE place IN (SELECT place FROM (
            SELECT matched.place, row_number() OVER (PARTITION BY matched.row ORDER BY CASE
                WHEN cells IS NULL OR planned.sent = file.digest THEN 0
                WHEN coalesce(planned.key, planned.name) = coalesce(file.key, file.name) THEN 1
                WHEN undisguised(coalesce(planned.key, planned.name, ''))
                    = undisguised(coalesce(file.key, file.name, '')) THEN 2
                ELSE 3 END, matched.place) AS claim
            FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
            WHERE matched.row IN (SELECT row FROM temp.matched GROUP BY row HAVING count(*) > 1))
        WHERE claim > 1)""")


def _refuse_replaced_keys(db: sqlite3.Connection, fingerprint: str) -> None:
    """Refuse rows with the old key of a corrected reject, unless they also have its uncorrected cells.

    Such a row may be a new row, which must not count as sent. After a change of the map, no row is refused,
    because cells cannot be compared.
    """
    db.execute(
        f"""UPDATE temp.matched SET row = NULL, standing = {Standing.REPEATED} WHERE place IN (
            SELECT file.place FROM temp.matched JOIN temp.file USING (place)
                JOIN planned ON planned.row = matched.row
                JOIN outcome ON outcome.row = matched.row JOIN run ON run.number = outcome.run
                JOIN identity ON identity.identity = {UNCORRECTED.format("matched.row")}
            WHERE standing IN ({RISKY}, {Standing.DONE_CHANGED}) AND cells IS NOT NULL
                AND coalesce(planned.key, planned.name) <> coalesce(file.key, file.name)
                AND json_extract(run.details, '$.map') = :map
            GROUP BY file.place HAVING NOT sum(identity.nth = file.digest))""",
        {"map": fingerprint},
    )


def _recognize(db: sqlite3.Connection, *, by_cells: bool) -> None:
    """Match new rows with missing rows that have equal cells, but were sent with another template's key.

    By default, only the cells that the maps read are compared. With ``by_cells``, a second pass compares all
    cells, and both passes include the file's rows without a key and the ledger's PLANNED rows.
    """
    which = "TRUE" if by_cells else "cells IS NOT NULL"
    standings = f"{RISKY}, {Standing.PLANNED}" if by_cells else RISKY
    missing = "SELECT count(*) > (SELECT count(row) FROM temp.matched) FROM planned"
    hashes = {"digest": "sent", **({"coalesce(cells, identity)": "cells_hash"} if by_cells else {})}
    for of_file, of_ledger in hashes.items():
        new = f"""SELECT place, {of_file} AS hash FROM temp.matched JOIN temp.file USING (place)
            WHERE standing = {Standing.NEW} AND {which}"""
        if db.execute(f"{new} LIMIT 1").fetchone() is None or not db.execute(missing).fetchone()[0]:
            return
        db.execute("DROP TABLE IF EXISTS temp.sent")
        db.execute(f"""CREATE TEMP TABLE sent AS
            SELECT planned.{of_ledger} AS hash, max(planned.row) AS row, {STANDING} AS standing
            FROM {LEDGER_TABLES} WHERE {STANDING} IN ({standings}) AND hash IS NOT NULL
                AND planned.row NOT IN (SELECT row FROM temp.matched WHERE row IS NOT NULL) GROUP BY 1""")
        db.execute("CREATE UNIQUE INDEX temp.sent_hash ON sent (hash)")
        db.execute(f"""UPDATE temp.matched SET row = found.row, standing = found.standing
            FROM (SELECT new.place, sent.row, sent.standing FROM ({new}) AS new JOIN temp.sent AS sent
                USING (hash)) AS found
            WHERE matched.place = found.place""")


def is_as_admitted(db: sqlite3.Connection) -> bool:
    """Return whether the compared file has the same rows as the previous file, in the same places."""
    moved = """SELECT 1 FROM temp.matched JOIN temp.file USING (place)
        LEFT JOIN planned ON planned.row = matched.row
        WHERE planned.place IS NOT matched.place OR planned.digest <> file.digest LIMIT 1"""
    gone = "SELECT count(place) > (SELECT count(*) FROM temp.matched) FROM planned"
    return db.execute(moved).fetchone() is None and not db.execute(gone).fetchone()[0]


def count_standings(db: sqlite3.Connection) -> tuple[dict[Standing, int], int]:
    """Count the file's rows by standing; also return how many of them are in the ledger."""
    counts = db.execute(
        "SELECT standing, count(*), count(row) FROM temp.matched GROUP BY standing"
    ).fetchall()
    return {Standing(standing): count for standing, count, _ in counts}, sum(known for *_, known in counts)


def _summarized(db: sqlite3.Connection, rejects: bool) -> Comparison:
    standings, known = count_standings(db)
    first_new = row_sample(
        db,
        f"""SELECT line, coalesce(key, name) FROM temp.file JOIN temp.matched USING (place)
        WHERE standing = {Standing.NEW} ORDER BY place LIMIT 1""",
    )
    planned = db.execute("SELECT count(*) FROM planned").fetchone()[0]
    if planned == known and not rejects:
        return Comparison(standings=standings, gone={}, first_new=first_new)
    db.execute("CREATE INDEX temp.matched_row ON matched (row)")
    db.execute(f"""CREATE TEMP TABLE gone AS
        SELECT planned.row AS row, {STANDING} AS standing,
            planned.dismissed = 0 AND {STANDING} IN ({RISKY}) AS unexplained,
            planned.line AS line, coalesce(planned.name, planned.key) AS name
        FROM {LEDGER_TABLES} WHERE NOT EXISTS (SELECT 1 FROM temp.matched WHERE matched.row = planned.row)
        ORDER BY planned.row""")
    counts = db.execute("SELECT standing, count(*) FROM temp.gone GROUP BY standing").fetchall()
    back = db.execute("""SELECT standing, count(*) FROM temp.matched JOIN planned USING (row)
        WHERE planned.away GROUP BY standing""").fetchall()
    has_new_rows = Standing.NEW in standings or any(each not in _NOT_TO_SEND for each, _ in back)
    first_new = first_new or row_sample(
        db,
        f"""SELECT file.line, file.name FROM {_PERHAPS_KNOWN}
        AND standing NOT IN ({", ".join(map(str, _NOT_TO_SEND))}) ORDER BY file.place LIMIT 1""",
    )
    perhaps_known = db.execute(f"SELECT standing, count(*) FROM {_PERHAPS_KNOWN} GROUP BY standing")
    unexplained = db.execute("SELECT coalesce(sum(unexplained), 0) FROM temp.gone").fetchone()[0]
    gone = {Standing(standing): count for standing, count in counts}
    return Comparison(
        standings=standings,
        gone=gone,
        gone_unexplained=unexplained,
        back={Standing(standing): count for standing, count in perhaps_known},
        first_new=first_new,
        first_gone=row_sample(db, "SELECT line, name FROM temp.gone WHERE unexplained ORDER BY row LIMIT 1"),
        disguised=disguised_keys(db, has_new_rows, rejects=rejects) if {*standings} - _NOT_TO_SEND else {},
    )


def ledger_counts(db: sqlite3.Connection) -> dict[Standing, int]:
    """Count a ledger's rows by standing."""
    found = db.execute(f"SELECT {STANDING}, count(*) FROM {LEDGER_TABLES} GROUP BY 1").fetchall()
    return {Standing(standing): count for standing, count in found}
