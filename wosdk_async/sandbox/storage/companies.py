"""Companies of a store, and their counters."""

from __future__ import annotations

import sqlite3
from urllib.parse import urlsplit

import attrs

_SAVE_COUNTER = """INSERT INTO counter VALUES (?, ?, ?)
ON CONFLICT (company, name) DO UPDATE SET value = excluded.value"""


@attrs.frozen
class StoredCompany:
    """Company in a store."""

    id: int
    name: str
    client_id: str  # of credentials for this Company only (facts 1, CompanyName tied to credentials)
    client_secret: str = attrs.field(repr=False)
    host: str = ""  # the only host name that serves the Company; empty for any
    live: bool = False  # a live Company, rather than staging or preview (spec 1)
    seeded: bool = True  # starts with the records of ``seed.json``
    verification: bool = True  # has the verification step (spec 1: some Companies add one)

    def served_at(self, root: str) -> bool:
        """Return whether requests to an address reach the Company."""
        return not self.host or urlsplit(root).hostname == self.host

    def address(self, root: str) -> str:
        """Return the Company's address with the scheme and port of ``root``, and a trailing slash."""
        if not self.host:
            return root
        parts = urlsplit(root)
        _, colon, port = parts.netloc.rpartition("]")[2].partition(":")
        return f"{parts.scheme}://{self.host}{colon}{port}/"


_Key = tuple[int, str]


class CompanyCounters:
    """Counters of all Companies in a store: cached in memory, written with the next commit."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._values: dict[_Key, int] = {}
        self._before: dict[_Key, int] = {}  # values at the mark, for counters changed since
        self._unwritten: set[_Key] = set()

    def next(self, company: int, name: str) -> int:
        """Return the next number of a counter, from 1. A number can repeat only after `undo` or a reset."""
        value = self._value((company, name)) + 1
        self._set((company, name), value)
        return value

    def raise_to(self, company: int, name: str, value: int) -> None:
        """Raise a counter so that it only returns numbers above ``value``."""
        if value > self._value((company, name)):
            self._set((company, name), value)

    def mark(self) -> None:
        """Set the mark for `undo`."""
        self._before.clear()

    def undo(self) -> None:
        """Set all counters back to their values at the mark."""
        self._values |= self._before

    def write(self) -> None:
        """Write changed counters to the open transaction."""
        rows = [(*key, self._values[key]) for key in self._unwritten]
        self._db.executemany(_SAVE_COUNTER, rows)
        self._unwritten.clear()

    def forget(self) -> None:
        """Drop cached values, after another process changed the file or a transaction was lost."""
        self._values.clear()
        self._before.clear()
        self._unwritten.clear()

    def _value(self, key: _Key) -> int:
        known = self._values.get(key)
        if known is None:
            statement = "SELECT value FROM counter WHERE company = ? AND name = ?"
            found = self._db.execute(statement, key).fetchone()
            known = self._values[key] = int(found[0]) if found else 0
        return known

    def _set(self, key: _Key, value: int) -> None:
        self._before.setdefault(key, self._values[key])
        self._values[key] = value
        self._unwritten.add(key)
