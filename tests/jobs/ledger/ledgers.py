"""A ledger in a nameless database, and rows of a file as its comparison takes them."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Sequence
from hashlib import blake2b

from hypothesis import strategies as st

from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.entries import to_json
from wosdk_async.jobs.journal.schema import TABLES
from wosdk_async.jobs.ledger.admission import admit
from wosdk_async.jobs.ledger.comparison import Comparison, compare
from wosdk_async.jobs.ledger.decision import action_of
from wosdk_async.jobs.ledger.file_rows import FileRow
from wosdk_async.jobs.ledger.terms import Plan, Standing
from wosdk_async.jobs.options import ImportOptions

CELLS = st.lists(st.tuples(st.sampled_from("kKlm"), st.sampled_from("xyz")), max_size=8)
"""Rows of a key and a text, some of them equal."""
Cells = Sequence[tuple[str, str]]
SENT = (State.DONE, State.FOUND, State.SENDING, State.IN_DOUBT)


def hashed(*texts: str) -> bytes:
    return blake2b("\0".join(texts).encode(), digest_size=16).digest()


def rows_of(cells: Cells, *, keyed: bool, numbers: Sequence[int] = ()) -> list[FileRow]:
    """Return the rows of a file, in which each row may name one of the ledger."""
    rows: list[FileRow] = []
    for place, (key, text) in enumerate(cells, 1):
        whole = hashed("cells", key, text)
        digest = int.from_bytes(whole[:8], "big", signed=True)
        known = (hashed("key", key), whole, key, None) if keyed else (whole, None, None, f"{key}, {text}")
        number = numbers[place - 1] if numbers else None
        rows.append((place, place + 1, digest, *known, None, number))
    return rows


class Ledger:
    """A ledger in a nameless database, without a journal around it."""

    def __init__(self) -> None:
        self.db = sqlite3.connect("", isolation_level=None)
        weakref.finalize(self, self.db.close)
        self.db.executescript(TABLES)

    def compare(self, rows: Sequence[FileRow], *, rejects: bool = False) -> Comparison:
        compared = compare(self.db, [rows] if rows else [], rejects=rejects)
        assert sum(compared.standings.values()) == len(rows), "every row of the file has a standing"
        return compared

    def take(
        self,
        rows: Sequence[FileRow],
        *,
        rejects: bool = False,
        default_keys: bool = False,
        learns: bool = False,
        **chosen: bool,
    ) -> Comparison:
        """Compare a file, and admit its rows."""
        compared, choices = self.compare(rows, rejects=rejects), ImportOptions(**chosen)
        actions = {each: action_of(each, choices, can_look_up=True, updates=False) for each in Standing}
        plan = Plan(
            actions=actions,
            counts=compared.standings,
            gone=compared.gone,
            dismisses=choices.new_rows,
            can_look_up=True,
            rejects=rejects,
            newly_refused=0,
        )
        self.db.execute("BEGIN")
        admit(self.db, plan, job="job", run=1, default_keys=default_keys, learns=learns or rejects)
        self.db.execute("COMMIT")
        return compared

    def end(self, state: State, *rows: int, attempts: int = 1) -> None:
        """Note the outcome of rows; without numbers of all that have none."""
        wanted = rows or tuple(row for row, known in self.states().items() if known is State.PLANNED)
        detail = to_json([None] * 6 + [attempts])
        self.db.executemany(
            "REPLACE INTO outcome VALUES (?, 1, ?, 0, ?)", [(row, int(state), detail) for row in wanted]
        )

    def states(self) -> dict[int, State]:
        found = self.db.execute("SELECT row, coalesce(state, 0) FROM planned LEFT JOIN outcome USING (row)")
        return {row: State(state) for row, state in found}

    def places(self) -> dict[int, int]:
        """Row of the ledger at each place of the file."""
        found = self.db.execute("SELECT place, row FROM planned WHERE place IS NOT NULL").fetchall()
        assert len(dict(found)) == len(found) == len({row for _, row in found})
        return dict(found)

    def column(self, name: str) -> dict[int, object]:
        return dict(self.db.execute(f"SELECT row, {name} FROM planned").fetchall())  # noqa: S608

    def identities(self) -> set[tuple[bytes, int, int]]:
        return set(self.db.execute("SELECT identity, nth, row FROM identity"))


def counts(compared: Comparison) -> dict[Standing, int]:
    return {standing: number for standing, number in compared.standings.items() if number}
