"""Records of several Companies in one SQLite file, with group commit."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, cast

from attrs import astuple

from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.schema.bodies import Record, dump, load
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.storage.companies import CompanyCounters, StoredCompany
from wosdk_async.sandbox.storage.database import (
    Indexes,
    connect,
    is_table,
    prepare,
    remedy,
    snapshot_at,
    write_snapshot,
)


class _ClosedDatabase:
    """Database of a closed store."""

    def close(self) -> None:
        """Do nothing."""

    def __getattr__(self, _: str) -> NoReturn:
        raise StoreError("The sandbox is closed. Use it inside its `with` block, or open it again.")


class Store:
    """Records of Companies in a SQLite file, copied from ``like`` if it is given. Raises StoreError."""

    def __init__(self, path: str | Path, like: Store | None = None) -> None:
        self.path = Path(path)
        try:
            self._db = connect(self.path)
            try:
                if like is not None:
                    like.commit()
                    like._db.backup(self._db)
                prepare(self._db, self.path)
                self.indexes = Indexes(self._db)
            except BaseException:
                self._db.close()  # the caller gets no store to close; Python 3.13 warns of open connections
                raise
        except (sqlite3.Error, OSError) as error:
            why = getattr(error, "strerror", None) or error
            raise StoreError(f"{self.path}: {why}. {remedy(error)}") from error
        self.counters = CompanyCounters(self._db)
        self._companies: tuple[StoredCompany, ...] | None = None
        self.pending = False  # whether there are uncommitted writes
        self._seen_version = self._data_version()

    def close(self) -> None:
        """Close the file, discarding uncommitted writes."""
        self._db.close()
        self._db = cast("sqlite3.Connection", _ClosedDatabase())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make the writes of a block atomic, and commit them at the end."""
        with self.savepoint():
            yield
        self.commit()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Make the writes of one request atomic; the next `commit` saves them."""
        if not self.pending:
            self._db.execute("BEGIN IMMEDIATE")
            if self._data_version() != self._seen_version:
                self._forget()
            self.pending = True
        elif not self._db.in_transaction:
            raise sqlite3.OperationalError("SQLite ended the transaction")
        self._db.execute("SAVEPOINT part")
        self.counters.mark()
        indexed = len(self.indexes)
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # SQLite ends the transaction itself when the disk is full
                self._db.execute("ROLLBACK TO part")
                self._db.execute("RELEASE part")
            self.counters.undo()
            if len(self.indexes) != indexed:  # the request's new indexes were rolled back, too
                self.indexes.reload()
            raise
        self._db.execute("RELEASE part")

    def commit(self) -> None:
        """Commit all writes since the last commit; if it raises sqlite3.Error, nothing was saved."""
        if not self.pending:
            return
        self.pending = False
        try:
            self.counters.write()
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self._forget()
            raise

    def refresh(self) -> None:
        """Drop cached data if another process has written to the file."""
        if not self.pending and self._data_version() != self._seen_version:
            self._forget()

    def get(self, company: int, entity: str, key: int) -> Record | None:
        """Return a record by id; None if there is none."""
        statement = f'SELECT body FROM "{entity}" WHERE company = ? AND id = ?'  # noqa: S608 names of the catalogue
        found = self._db.execute(statement, (company, key)).fetchone()
        return load(found[0]) if found else None

    def insert(self, company: int, entity: str, record: Record) -> None:
        """Add a record that already has an ``Id``."""
        values = (company, record["Id"], dump(record).decode())
        self._db.execute(f'INSERT INTO "{entity}" VALUES (?, ?, ?)', values)  # noqa: S608

    def insert_texts(self, company: int, entity: str, rows: Iterable[tuple[int, str]]) -> None:
        """Add many records at once, given as ids and JSON."""
        values = ((company, key, text) for key, text in rows)
        self._db.executemany(f'INSERT INTO "{entity}" VALUES (?, ?, ?)', values)  # noqa: S608

    def replace(self, company: int, entity: str, record: Record) -> None:
        """Write a changed record."""
        values = (dump(record).decode(), company, record["Id"])
        self._db.execute(f'UPDATE "{entity}" SET body = ? WHERE company = ? AND id = ?', values)  # noqa: S608

    def remove(self, company: int, entity: str, key: int) -> None:
        """Delete a record by id."""
        self._db.execute(f'DELETE FROM "{entity}" WHERE company = ? AND id = ?', (company, key))  # noqa: S608

    def clear(self, company: int) -> None:
        """Delete all of a Company's records and counters."""
        for entity in filter(is_table, schemas()):
            self._db.execute(f'DELETE FROM "{entity}" WHERE company = ?', (company,))  # noqa: S608
        self._db.execute("DELETE FROM counter WHERE company = ?", (company,))
        self.counters.forget()

    def select(self, statement: str, values: list[object]) -> list[Record]:
        """Return the records whose bodies a statement selects, in order."""
        return [load(body) for (body,) in self._db.execute(statement, values)]

    def generation(self) -> int:
        """Return a number that changes with each reset, including resets by other processes."""
        found = self._db.execute("SELECT value FROM counter WHERE company = 0 AND name = 'reset'").fetchone()
        return int(found[0]) if found else 0

    def begin_generation(self) -> None:
        """Record a reset, so that requests received before it do not write into the new records."""
        # The number is random: a counter could repeat, because a snapshot restores its older value.
        self._db.execute("INSERT OR REPLACE INTO counter VALUES (0, 'reset', ?)", (secrets.randbits(62),))

    def count(self, source: str, values: list[object]) -> int:
        """Return the number of rows in ``source``, the SQL after ``FROM``."""
        return int(self._db.execute(f"SELECT count(*) FROM {source}", values).fetchone()[0])  # noqa: S608

    def companies(self) -> tuple[StoredCompany, ...]:
        """Return the Companies in creation order: the same tuple until a Company changes."""
        if self._companies is None:
            rows = self._db.execute("SELECT * FROM company ORDER BY id")
            self._companies = tuple(StoredCompany(*row[:-3], *map(bool, row[-3:])) for row in rows)
        return self._companies

    def add_company(self, company: StoredCompany) -> None:
        """Save a new Company, or replace the Company with the same id."""
        row = astuple(company)
        self._db.execute("INSERT OR REPLACE INTO company VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._companies = None

    def take_snapshot(self, target: str | Path) -> None:
        """Commit, and copy all data to a file, replacing an older snapshot. Raises StoreError on failure."""
        self.commit()
        write_snapshot(self._db, Path(target))

    def restore_snapshot(self, source: str | Path) -> None:
        """Replace the store's contents with a snapshot. Raises StoreError if it is invalid."""
        with snapshot_at(Path(source)) as copy:
            self._copy_from(copy)

    def copy_from(self, other: Store) -> None:
        """Replace the store's contents with those of another open store."""
        other.commit()
        self._copy_from(other._db)

    def _copy_from(self, source: sqlite3.Connection) -> None:
        self.commit()
        self._data_version()  # raises StoreError if this store is closed
        source.backup(self._db)
        self.begin_generation()
        self._forget()

    def _forget(self) -> None:
        self.counters.forget()
        self.indexes.reload()
        self._companies = None
        self._seen_version = self._data_version()

    def _data_version(self) -> int:
        """Return a number that changes when another connection commits."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])


class GroupCommit:
    """Shared commits of one store, for tasks of one event loop.

    Requests that end in the same loop iteration share one commit. Each response is sent only after its writes
    are committed. Reads also wait for an open transaction, because they may have seen uncommitted data.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._next: asyncio.Future[None] | None = None

    async def wait(self) -> None:
        """Wait until all writes so far are committed; if it raises sqlite3.Error, none were saved."""
        if not self._store.pending:
            return
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.create_future()
            loop.call_soon(self._commit, self._next)
        await asyncio.shield(self._next)  # a cancelled request must not cancel the others' future

    def _commit(self, done: asyncio.Future[None]) -> None:
        self._next = None
        try:
            self._store.commit()
        except Exception as error:
            done.set_exception(error)
            done.exception()  # marks the error as retrieved, because all requests may have been cancelled
        else:
            done.set_result(None)
