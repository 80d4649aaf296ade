"""Numbers that are handed out once: kept in memory, written with the transaction that used them."""

from __future__ import annotations

import sqlite3

__all__ = ["Counters"]

_Key = tuple[int, str]
_KEEP = """INSERT INTO counter VALUES (?, ?, ?)
ON CONFLICT (company, name) DO UPDATE SET value = excluded.value"""


class Counters:
    """The counters of every Company in one store."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._values: dict[_Key, int] = {}
        self._before: dict[_Key, int] = {}  # what `undo` brings back
        self._unwritten: set[_Key] = set()

    def next(self, company: int, name: str) -> int:
        """The next number of a counter, from 1."""
        value = self._value((company, name)) + 1
        self._set((company, name), value)
        return value

    def go_on_after(self, company: int, name: str, value: int) -> None:
        """Let a counter hand out only what is above ``value``."""
        if value > self._value((company, name)):
            self._set((company, name), value)

    def mark(self) -> None:
        """Remember this moment for `undo`."""
        self._before.clear()

    def undo(self) -> None:
        """Take back what was handed out since the mark."""
        self._values |= self._before

    def write(self) -> None:
        """Write what changed into the open transaction."""
        rows = [(*key, self._values[key]) for key in self._unwritten]
        self._db.executemany(_KEEP, rows)
        self._unwritten.clear()

    def forget(self) -> None:
        """Read everything again: the file was changed from elsewhere, or a transaction was lost."""
        self._values.clear()
        self._before.clear()
        self._unwritten.clear()

    def _value(self, key: _Key) -> int:
        known = self._values.get(key)
        if known is None:
            text = "SELECT value FROM counter WHERE company = ? AND name = ?"
            found = self._db.execute(text, key).fetchone()
            known = self._values[key] = int(found[0]) if found else 0
        return known

    def _set(self, key: _Key, value: int) -> None:
        self._before.setdefault(key, self._values[key])
        self._values[key] = value
        self._unwritten.add(key)
