"""Indexes that are made when a query first asks for a property of a large table.

Any property of the catalogue can be asked for, and an index on each would cost every write; so a
table gets those that its queries use, at the price of one slow query each.
"""

from __future__ import annotations

import sqlite3

from wosdk_async.sandbox.storage.tables import RELOAD, index, is_table

__all__ = ["Indexes"]

_WORTH = 500  # rows, from which on reading the whole table is slower than it needs to be
_MOST = 24  # of one table: they slow writing down


class Indexes:
    """The indexes of one store file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: set[tuple[str, str]] = set()
        self.forget()

    def forget(self) -> None:
        """Read again which ones there are."""
        rows = self._db.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
        self._known = {(table, name.removeprefix(f"{table}.")) for table, name in rows}

    def want(self, entity: str, path: str, kind: str) -> None:
        """A query compares or orders by this property: make its index if that is worth it."""
        if (entity, path) in self._known or not is_table(entity):
            return
        if self._rows(entity) < _WORTH or sum(table == entity for table, _ in self._known) >= _MOST:
            return
        try:
            for statement in (*index(entity, path, kind), RELOAD):
                self._db.execute(statement)
        except sqlite3.OperationalError:
            return  # another process writes just now: the query does without
        self._known.add((entity, path))

    def _rows(self, entity: str) -> int:
        found = self._db.execute(f'SELECT max(rowid) FROM "{entity}"').fetchone()  # noqa: S608 a known name
        return int(found[0] or 0)
