"""Admission of a compared file to the ledger, where new rows get numbers and rows to send become PLANNED."""

from __future__ import annotations

import itertools
import sqlite3

from wosdk_async.jobs.journal.entries import REPEATED_KEY, to_json
from wosdk_async.jobs.journal.run_table import keep_undone, own_undone_ids
from wosdk_async.jobs.ledger.comparison import LEDGER_TABLES, STANDING, TEMPORARY
from wosdk_async.jobs.ledger.key_conflicts import RISKY, UNCORRECTED, repeated_rows
from wosdk_async.jobs.ledger.terms import Action, Plan, Standing
from wosdk_async.protocol.writes import State


def admit(
    db: sqlite3.Connection,
    plan: Plan,
    *,
    job: str,
    run: int,
    default_keys: bool,
    learns: bool,
) -> None:
    """Add the compared file's rows to the ledger, and mark the rows to send as PLANNED.

    The caller provides the transaction. With ``default_keys``, a row's key is the ledger's id and the row
    number. With ``learns``, used for a rejects file or a changed key, known rows without a key are also
    identified by their cells in this file.
    """
    sent = {each for each, action in plan.actions.items() if action is Action.SEND} - {Standing.NEW}
    sent_here = f"standing IN ({', '.join(map(str, sent))})"
    if plan.rejects:
        _keep_uncorrected(db, sent_here)
    _place(db, renames=not plan.rejects)
    key = f"'{job}-' || planned.row" if default_keys else "file.key"
    _insert_new(db, key if default_keys else None)
    _add_keys(db, sent_here if plan.rejects else "TRUE")
    if learns:
        _add_identities(db, sent_here, rejects=plan.rejects)
    _plan_known(db, plan, key, sent_here)
    _refuse(db, run)
    if plan.dismisses:
        db.execute("UPDATE planned SET dismissed = 1 WHERE place IS NULL AND NOT dismissed")
    if not plan.rejects:
        change = "UPDATE planned SET away = iif(place IS NULL, ?, 0) WHERE (away > 0) <> (place IS NULL)"
        db.execute(change, [run])
    db.execute("UPDATE planned SET dismissed = 0 WHERE place IS NOT NULL AND dismissed")
    for table in TEMPORARY:
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _keep_uncorrected(db: sqlite3.Connection, sent_here: str) -> None:
    """Store the digests of the rejects' old cells, because the original file still has these cells."""
    db.execute(f"""INSERT OR IGNORE INTO identity
        SELECT {UNCORRECTED.format("planned.row")}, planned.digest, planned.row
        FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
        WHERE {sent_here} AND planned.digest <> file.digest""")


def _place(db: sqlite3.Connection, *, renames: bool) -> None:
    """Update the place, line, digest and name of known rows from the file.

    A done row whose cells are unchanged keeps the digest with which it was sent, even if the map now reads
    other columns.

    With ``renames``, a row that was sent without a key, or was identified only by its cells until now, takes
    its key as its name, so that imports notice if a spreadsheet changes the key later. Other rows keep their
    names.
    """
    db.execute("""UPDATE planned SET place = NULL WHERE place IS NOT NULL
        AND row IS NOT (SELECT row FROM temp.matched WHERE matched.place = planned.place)""")
    db.execute(
        """UPDATE planned SET place = found.place, line = found.line, digest = found.digest,
            name = iif(found.known, planned.name, found.name)
        FROM (SELECT matched.row, matched.place, file.line,
                iif(standing = :done, planned.sent, file.digest) AS digest,
                coalesce(file.key, file.name) AS name,
                NOT :renames OR planned.cells_hash IS NOT NULL AND EXISTS (SELECT 1 FROM identity
                    WHERE identity.identity = file.identity AND identity.row = matched.row) AS known
            FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row) AS found
        WHERE found.row = planned.row AND (planned.place IS NULL OR planned.line <> found.line
            OR planned.digest <> found.digest OR NOT found.known AND planned.name IS NOT found.name)""",
        {"renames": renames, "done": Standing.DONE},
    )


def _insert_new(db: sqlite3.Connection, default_key: str | None) -> None:
    last = db.execute("SELECT coalesce(max(row), 0) FROM planned").fetchone()[0]
    # A repeated key is not stored, because its look-up would find the record of the row that has the key.
    db.execute(f"""INSERT INTO planned (place, line, digest, sent, cells_hash, key, name, dismissed)
        SELECT place, line, digest, digest, cells, iif(repeated, NULL, key),
            iif(repeated, coalesce(key, name), name), 0
        FROM (SELECT *, standing = {Standing.REPEATED} AS repeated
            FROM temp.matched JOIN temp.file USING (place) WHERE matched.row IS NULL) ORDER BY place""")
    if default_key is not None:
        db.execute(
            f"""UPDATE planned SET key = {default_key} WHERE row > ? AND place NOT IN (
            SELECT place FROM temp.matched WHERE standing = {Standing.REPEATED})""",
            [last],
        )
    # If a known row has moved on to another row of the file, a new row may have the known row's old identity.
    # The identity then belongs to the new row. A row with a repeated key does not own the key, and is
    # identified by its cells.
    db.execute(f"""REPLACE INTO identity SELECT iif(repeated, cells, identity),
            iif(repeated, coalesce(same, 1), nth), row
        FROM (SELECT file.identity, cells, matched.nth, same, planned.row,
                cells IS NOT NULL AND (matched.nth > 1 OR standing = {Standing.REPEATED}) AS repeated
            FROM temp.matched JOIN temp.file USING (place) JOIN planned USING (place)
            LEFT JOIN temp.repeated USING (place) WHERE matched.row IS NULL) ORDER BY 1, 2""")


def _add_keys(db: sqlite3.Connection, which: str) -> None:
    """Give each known row its key in this file, unless another row with that key may be in the Company.

    A reject's new key identifies its row only if the row is sent with that key.
    """
    db.execute(f"""REPLACE INTO identity SELECT identity, 1, row FROM (
            SELECT file.identity AS identity, matched.row AS row, (SELECT row FROM identity
                WHERE identity.identity = file.identity AND nth = 1) AS owner
            FROM temp.matched JOIN temp.file USING (place)
            WHERE matched.row IS NOT NULL AND cells IS NOT NULL AND matched.nth = 1
                AND matched.standing <> {Standing.REPEATED} AND ({which}))
        WHERE owner IS NOT row AND (owner IS NULL OR (
            SELECT {STANDING} FROM {LEDGER_TABLES} WHERE planned.row = owner) NOT IN ({RISKY}))""")


def _add_identities(db: sqlite3.Connection, sent_here: str, *, rejects: bool) -> None:
    """Also identify known rows without a key, such as corrected rejects, by their cells in this file.

    Rejects sent with a key also get such an identity, because the map of the original file may have no key.
    """
    learn = f"cells IS NULL OR {sent_here}" if rejects else "cells IS NULL"
    db.execute(f"""INSERT INTO identity
        SELECT identity, before + row_number() OVER (PARTITION BY identity ORDER BY place), row FROM (
            SELECT learned.*, coalesce((SELECT max(nth) FROM identity
                WHERE identity.identity = learned.identity), 0) AS before
            FROM (SELECT coalesce(file.cells, file.identity) AS identity, place, matched.row AS row
                FROM temp.matched JOIN temp.file USING (place)
                WHERE matched.row IS NOT NULL AND matched.standing <> {Standing.REPEATED}
                    AND ({learn})) AS learned
            WHERE NOT EXISTS (SELECT 1 FROM identity
                WHERE identity.identity = learned.identity AND identity.row = learned.row))""")


def _plan_known(db: sqlite3.Connection, plan: Plan, key: str, sent_here: str) -> None:
    """Store the current digest, key and name of known rows to send, and set these rows to PLANNED."""
    rows = f"SELECT row FROM temp.matched WHERE row IS NOT NULL AND {sent_here}"
    db.execute(f"""UPDATE planned SET sent = found.digest, cells_hash = found.cells, key = found.key,
            name = found.name
        FROM (SELECT planned.row, file.digest, file.cells, {key} AS key, file.name
            FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
            WHERE matched.row IN ({rows})) AS found
        WHERE found.row = planned.row
            AND (planned.sent, planned.cells_hash, planned.key, planned.name)
                IS NOT (found.digest, found.cells, found.key, found.name)""")
    # Store the ids of undone records, so that look-ups ignore these records, which keep their keys
    # although other rows may have these keys now.
    keep_undone(db, ids=own_undone_ids(db))
    if plan.actions[Standing.UNDONE] is Action.SEND:
        db.execute(f"""DELETE FROM undo WHERE row IN ({rows}) OR row IN (
            SELECT row FROM temp.matched WHERE standing = {Standing.REPEATED})""")
    # Not deleted, because an outcome shows that the row was tried before.
    db.execute(f"""UPDATE outcome SET state = {State.PLANNED}, detail = NULL
        WHERE state <> {State.PLANNED} AND row IN ({rows})""")


def _refuse(db: sqlite3.Connection, run: int) -> None:
    """Refuse rows with a repeated key or a permanent fault."""
    faulty = "SELECT planned.row, fault FROM temp.file JOIN planned USING (place) WHERE fault IS NOT NULL"
    reasons = itertools.chain(
        ((row, reason, REPEATED_KEY) for _, row, reason in repeated_rows(db)),
        ((row, fault, None) for row, fault in db.execute(faulty)),
    )
    db.executemany(  # with a generator, because there may be a million rows
        "REPLACE INTO outcome (row, run, state, stamp, detail) VALUES (?, ?, ?, 0, ?)",
        (
            (row, run, int(State.REFUSED), to_json((None, None, reason, code)))
            for row, reason, code in reasons
        ),
    )
