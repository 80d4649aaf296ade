"""The store: one SQLite file that holds the rows of several Companies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import astuple

from wosdk_async.sandbox.errors import StoreError
from wosdk_async.sandbox.service.query.expressions import Row, dump, load
from wosdk_async.sandbox.service.relations import Relation
from wosdk_async.sandbox.storage.companies import Company
from wosdk_async.sandbox.storage.counters import Counters
from wosdk_async.sandbox.storage.database import connect, prepare, remedy
from wosdk_async.sandbox.storage.indexes import Indexes
from wosdk_async.sandbox.storage.tables import column, is_table, texts

__all__ = ["Company", "Store"]


class Store:
    """The rows of a store file; every row belongs to one Company.

    Args:
        path: the file; it is made when it does not exist. ``:memory:`` for none.
        like: another store that is copied into this one first.

    Raises:
        StoreError: the file is no store, cannot be written, or is of another version.
    """

    def __init__(self, path: str | Path, like: Store | None = None) -> None:
        self.path = Path(path)
        try:
            self._db = connect(self.path)
            try:
                if like is not None:
                    like.copy_to(self._db)
                self.fresh = prepare(self._db, self.path)
                self.indexes = Indexes(self._db)
            except BaseException:
                self._db.close()  # nobody else has it: Python 3.13 warns of a connection left open
                raise
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}. {remedy(error)}") from error
        self._counters = Counters(self._db)
        self._texts = texts()
        self._companies: tuple[Company, ...] | None = None
        self._open = False
        self._seen = self._changes()

    def close(self) -> None:
        """Close the file; what was not committed is gone."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of a block, or none of them; committed at its end."""
        with self.part():
            yield
        self.commit()

    @contextmanager
    def part(self) -> Iterator[None]:
        """All writes of one request, or none of them; the next `commit` keeps them."""
        self._begin()
        self._db.execute("SAVEPOINT part")
        self._counters.mark()
        try:
            yield
        except BaseException:
            if self._db.in_transaction:  # SQLite ends it by itself when the disk is full
                self._db.execute("ROLLBACK TO part")
                self._db.execute("RELEASE part")
            self._counters.undo()
            raise
        self._db.execute("RELEASE part")

    @property
    def pending(self) -> bool:
        """Whether something may still be lost."""
        return self._open

    def commit(self) -> None:
        """Keep the parts written since the last commit.

        Raises:
            sqlite3.Error: none of them is kept.
        """
        if not self._open:
            return
        self._open = False
        try:
            self._counters.write()
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.forget()
            raise

    def refresh(self) -> None:
        """Notice what another process wrote into the file."""
        if not self._open and self._changes() != self._seen:
            self.forget()

    def forget(self) -> None:
        """Read again what is held in memory."""
        self._counters.forget()
        self.indexes.forget()
        self._companies = None
        self._seen = self._changes()

    def next_number(self, company: int, name: str) -> int:
        """The next number of a Company's counter, from 1; a number is never handed out again."""
        return self._counters.next(company, name)

    def raise_counter(self, company: int, name: str, value: int) -> None:
        """Let a counter go on after ``value``."""
        self._counters.go_on_after(company, name, value)

    def get(self, company: int, entity: str, key: int) -> Row | None:
        found = self._db.execute(self._texts[entity].get, (company, key)).fetchone()
        return load(found[0]) if found else None

    def insert(self, company: int, entity: str, row: Row) -> None:
        self._db.execute(self._texts[entity].insert, (company, row["Id"], dump(row).decode()))

    def insert_texts(self, company: int, entity: str, rows: Iterable[tuple[int, str]]) -> None:
        """Rows as (id, JSON), all at once."""
        self._db.executemany(self._texts[entity].insert, ((company, key, text) for key, text in rows))

    def replace(self, company: int, entity: str, row: Row) -> None:
        self._db.execute(self._texts[entity].replace, (dump(row).decode(), company, row["Id"]))

    def remove(self, company: int, entity: str, key: int) -> None:
        self._db.execute(self._texts[entity].remove, (company, key))

    def clear(self, company: int) -> None:
        """Remove all rows and counters of a Company."""
        for entity in filter(is_table, self._texts):
            self._db.execute(self._texts[entity].clear, (company,))
        self._db.execute("DELETE FROM counter WHERE company = ?", (company,))
        self._counters.forget()

    def children(self, company: int, link: Relation, parent: int) -> list[Row]:
        """The rows a link leads to, in the order they were made."""
        belongs = f"company = ? AND {column(link.key, 'integer')} = ?"
        values: list[object] = [company, parent]
        if link.kind:
            belongs += f" AND {column(link.kind, 'enum')} = ?"
            values.append(link.actor)
        return self.select(
            f'SELECT body FROM "{link.child.name}" WHERE {belongs} ORDER BY id',  # noqa: S608 known names
            values,
        )

    def select(self, statement: str, values: list[object]) -> list[Row]:
        """The bodies a statement finds, in its order."""
        return [load(body) for (body,) in self._db.execute(statement, values)]

    def companies(self) -> tuple[Company, ...]:
        """The Companies in the order they were added; the same object until one changes."""
        if self._companies is None:
            rows = self._db.execute("SELECT * FROM company ORDER BY id")
            self._companies = tuple(Company(*row[:-2], *map(bool, row[-2:])) for row in rows)
        return self._companies

    def add_company(self, company: Company) -> None:
        """Keep a Company, or what changed of one with this id."""
        row = astuple(company)
        self._db.execute("INSERT OR REPLACE INTO company VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        self._companies = None

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Everything that is committed, into another database."""
        self.commit()
        self._db.backup(target)

    def copy_from(self, source: sqlite3.Connection) -> None:
        """Everything of another store instead of what is here."""
        self.commit()
        source.backup(self._db)
        self.forget()

    def become(self, other: Store) -> None:
        """Everything of another open store instead of what is here."""
        other.commit()
        self.copy_from(other._db)

    def _begin(self) -> None:
        if self._open:
            if not self._db.in_transaction:
                raise sqlite3.OperationalError("SQLite ended the transaction")
            return
        self._db.execute("BEGIN IMMEDIATE")
        if self._changes() != self._seen:
            self.forget()
        self._open = True

    def _changes(self) -> int:
        """A number that differs once another connection has committed."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])
