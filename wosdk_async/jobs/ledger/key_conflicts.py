"""Conflicting keys: repeated in the file, or equal to a sent key except for formatting.

The queries read the ledger and the temporary tables of :func:`comparison.compare`.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator

from wosdk_async.jobs.journal.entries import REPEATED_KEY
from wosdk_async.jobs.ledger.identity import undisguised
from wosdk_async.jobs.ledger.terms import FIRST, Action, Plan, Resembling, RowSample, Standing

IN_COMPANY = (Standing.SENDING, Standing.IN_DOUBT, Standing.DONE)
"""Standings of ledger rows that may be in the Company (DONE_CHANGED is only for rows of a file)."""
RISKY = ", ".join(map(str, IN_COMPANY))
"""``IN_COMPANY`` as an SQL list."""

UNCORRECTED = "'uncorrected ' || {}"
"""SQL template for the identity ``uncorrected ROW`` of a corrected reject. With this identity, the column
``nth`` holds the digest of the reject's cells before the correction."""


def disguised_keys(
    db: sqlite3.Connection, has_new_rows: bool, *, rejects: bool
) -> dict[Standing, Resembling]:
    """Count, by standing, the rows to send whose keys resemble a missing row's key or a reject's old key.

    Such keys differ only by spreadsheet formatting. Missing rows are in the ledger, but not in the file. The
    result includes the first pairs of rows. A pair is left out if the previous file had both rows. It is also
    left out if the previous file had the row to send, with the same key, and the user declared the missing
    row permanently gone, or it was sent before that: the user was asked then, or one file had both.

    ``has_new_rows`` tells whether the previous file lacked at least one row to send. A rejects file lacks
    most rows, so ``rejects`` limits the missing rows to those that may be in the Company.
    """
    db.create_function("undisguised", 1, undisguised, deterministic=True)
    db.execute("CREATE TEMP TABLE plain (key TEXT, line, name, risky, away, settled, own, row)")
    db.execute(
        f"""INSERT INTO temp.plain
        SELECT undisguised(ifnull(gone.name, '')), gone.line, gone.name, standing IN ({RISKY}) AS risky,
            planned.away > 0, planned.dismissed OR coalesce(outcome.run < planned.away, 0), NULL, planned.row
        FROM temp.gone AS gone JOIN planned USING (row) LEFT JOIN outcome USING (row)
        WHERE (risky OR NOT ?) AND (planned.away OR ?)
            AND EXISTS (SELECT 1 FROM temp.file WHERE cells IS NOT NULL)
        UNION ALL SELECT undisguised(was), planned.line, was, 0, 1, 0, planned.row, planned.row
        FROM (SELECT *, coalesce(key, name, '') AS was FROM planned) AS planned JOIN temp.file USING (row)
        WHERE coalesce(file.key, file.name) <> was""",
        [rejects, has_new_rows],
    )
    db.execute("CREATE INDEX temp.plain_key ON plain (key)")
    found = db.execute(
        f"""SELECT new.standing, new.line, new.name, min(plain.line), plain.name FROM (
            SELECT file.place, file.line, standing, coalesce(file.key, file.name) AS name,
                coalesce(planned.away > 0, 1) AS away,
                coalesce(planned.name, planned.key) IS coalesce(file.key, file.name) AS same, matched.row
            FROM temp.file JOIN temp.matched USING (place) LEFT JOIN planned ON planned.row = matched.row
            WHERE cells IS NOT NULL AND fault IS NULL AND standing NOT IN ({RISKY})) AS new
        JOIN temp.plain AS plain ON plain.key = undisguised(new.name)
            AND (plain.own IS NULL OR plain.own = new.row) AND (plain.risky OR plain.name <> new.name)
            AND (new.away OR plain.away AND NOT (plain.settled AND new.same))
        GROUP BY new.place ORDER BY new.place"""
    )
    disguised: dict[Standing, Resembling] = {}
    for standing, *pair in found:
        count, first = disguised.get(standing, (0, ()))
        if count < FIRST:
            first = (*first, (RowSample(*pair[:2]), RowSample(*pair[2:])))
        disguised[Standing(standing)] = count + 1, first
    return disguised


def new_key_warnings(db: sqlite3.Connection, plan: Plan) -> list[str]:
    """Return a warning if refused rows will be sent with a key other than the ledger's.

    Rows that needed a new key, because they had no key or another row's key, are not counted.
    """
    refused = (Standing.REFUSED_HERE, Standing.REFUSED, Standing.REFUSED_CHANGED)
    sent = ", ".join(str(each) for each in refused if plan.actions[each] is Action.SEND)
    found = db.execute(
        f"""SELECT count(*) OVER (), file.line, coalesce(file.key, file.name) AS now,
            coalesce(planned.key, planned.name) AS was
        FROM temp.matched JOIN temp.file USING (place) JOIN planned ON planned.row = matched.row
        JOIN outcome ON outcome.row = matched.row
        WHERE standing IN ({sent}) AND cells IS NOT NULL AND fault IS NULL AND now <> was
            AND (file.key IS NULL OR planned.key IS NOT NULL)
            AND json_extract(outcome.detail, '$[3]') IS NOT ?  -- the outcome's code
            AND NOT EXISTS (SELECT 1 FROM identity
                WHERE identity.identity = file.cells AND identity.row = matched.row)
        ORDER BY file.place LIMIT 1""",
        [REPEATED_KEY],
    )
    return [
        f"refused rows that will be sent with a new key: {count}; the first: "
        f"{was[:_SHOWN]!r} -> {now[:_SHOWN]!r} (line {line})"
        for count, line, now, was in found
    ]


def row_sample(db: sqlite3.Connection, query: str) -> RowSample | None:
    """Run a query whose columns are line and name, and return its first row, if any."""
    found = db.execute(query).fetchone()
    return None if found is None else RowSample(found[0], found[1] or "")


def repeated_rows(
    db: sqlite3.Connection, first: int = 0, last: int = sys.maxsize
) -> Iterator[tuple[int, int | None, str]]:
    """Yield the place, row and reason of each REPEATED row, from place ``first`` to ``last``."""
    # LEFT JOIN, because the ledger may not know the row before the admission.
    found = db.execute(
        """SELECT file.place, planned.row, coalesce(file.key, file.name), file.digest, file.identity,
            file.row IS NOT NULL, file.cells IS NULL
        FROM temp.matched JOIN temp.file USING (place) LEFT JOIN planned ON planned.place = file.place
        WHERE matched.standing = ? AND matched.place BETWEEN ? AND ?""",
        (Standing.REPEATED, first, last),
    )
    for place, row, key, digest, identity, is_reject, is_keyless in found:
        known = db.execute(_FIRST_WITH_KEY, {"identity": identity, "place": place}).fetchone()
        if known is None:
            yield place, row, _OLD_KEY
            continue
        number, line, first_digest, owner, now = known
        text = _TWICE if first_digest == digest else _KEY_TAKEN
        if is_keyless:
            text = _EQUAL
        elif now not in (None, key):
            text = _KEY_CHANGED
        elif owner is not None and db.execute(_IS_IN_FILE, [owner]).fetchone() is None:
            text = _KEY_OF_MISSING
        elif is_reject and db.execute(_IS_REPEATED, [owner, Standing.REPEATED]).fetchone():
            text = _EXCHANGED
        yield place, row, text.format(key[:_SHOWN], number, line, (now or "")[:_SHOWN])


# Number, line, digest, owner and current key of the first row with the key. Owner and current key are NULL
# if another row of the file has the key. Otherwise, the owner is the ledger row with the key, and the current
# key is set if the row was corrected as a reject.
_FIRST_WITH_KEY = f"""SELECT coalesce(planned.row, first.place), file.line, file.digest, NULL, NULL
    FROM temp.repeated AS first JOIN temp.file USING (place) LEFT JOIN planned ON planned.place = first.place
    WHERE first.identity = :identity AND first.nth = 1 AND first.place <> :place
    UNION ALL SELECT planned.row, planned.line, planned.digest, planned.row, iif(
        EXISTS (SELECT 1 FROM identity AS was WHERE was.identity = {UNCORRECTED.format("planned.row")}),
        coalesce(planned.name, planned.key), NULL)
    FROM identity JOIN planned USING (row)
    WHERE identity.identity = :identity AND identity.nth = 1 LIMIT 1"""
_IS_IN_FILE = "SELECT 1 FROM temp.matched WHERE row = ?"
_IS_REPEATED = "SELECT 1 FROM temp.matched WHERE row = ? AND standing = ?"


_SHOWN = 100  # maximum characters of a key in messages
_OLD_KEY = (
    "a row with the same cells may already have been sent, without a key or with a key from another map; if "
    "the Company has its record, delete this row"
)
_EQUAL = "row {1} (line {2}) has the same cells; delete this row"
_KEY_TAKEN = "the key {!r} already belongs to row {} (line {}); keys must be unique"
_KEY_OF_MISSING = (
    "the key {!r} already belongs to row {} (line {} of an earlier file), and this file lacks that row: if "
    "this row is a different one, give it a new key; otherwise, delete this row"
)
_KEY_CHANGED = (
    "this row has the key {0!r}, which row {1} (line {2}) had before its key became {3!r}; if this is a "
    "different row, give it a new key"
)
_EXCHANGED = (
    "row {1} (line {2}) had the key {0!r} before; to swap keys, correct the original file, not the rejects"
)
_TWICE = (  # digests do not cover the columns that the map ignores, so this need not be the same row
    "the key {!r} already belongs to row {} (line {}), and all cells that the map reads are equal: "
    "delete this row if it is a duplicate; otherwise, correct its key"
)
