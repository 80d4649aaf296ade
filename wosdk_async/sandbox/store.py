"""The store: one SQLite file, written before the request is answered."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from .body import Row, dump, load
from .errors import StoreError
from .ownership import Link
from .schema import APPLICATION_ID, VERSION, column, statements
from .shape import shapes

__all__ = ["Company", "Store"]


@attrs.frozen
class Company:
    """A tenant: its name and its one pair of credentials."""

    id: int
    name: str
    client_id: str
    client_secret: str = attrs.field(repr=False)


class Store:
    """The rows of a store file.

    Args:
        path: the file; it is made when it does not exist. ``:memory:`` for none.
        like: another store that is copied into this one first.

    Raises:
        StoreError: the file is no store, cannot be written, or is of another version.
    """

    def __init__(self, path: str | Path, like: Store | None = None) -> None:
        self.path = Path(path)
        try:
            self._db = _connect(self.path)
            if like is not None:
                like.copy_to(self._db)
            self.fresh = self._prepare()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}. {_remedy(error)}") from error
        self._texts = _texts()

    def close(self) -> None:
        self._db.close()

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Everything that is committed, into another database."""
        self._db.backup(target)

    def copy_from(self, source: sqlite3.Connection) -> None:
        """Everything of another store instead of what is here."""
        source.backup(self._db)

    def become(self, other: Store) -> None:
        """Everything of another store that is open instead of what is here."""
        self.copy_from(other._db)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of one request, or none of them."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def next_number(self, name: str) -> int:
        """The next number of a counter, from 1; a number is never handed out again."""
        statement = (
            "INSERT INTO counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 "
            "RETURNING value"
        )
        return int(self._db.execute(statement, (name,)).fetchone()[0])

    def raise_counter(self, name: str, value: int) -> None:
        """Let a counter go on after ``value``."""
        statement = (
            "INSERT INTO counter VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)"
        )
        self._db.execute(statement, (name, value))

    def get(self, company: int, entity: str, key: int) -> Row | None:
        found = self._db.execute(self._texts[entity].get, (key, company)).fetchone()
        return load(found[0]) if found else None

    def insert(self, company: int, entity: str, row: Row) -> None:
        self._db.execute(self._texts[entity].insert, (row["Id"], company, dump(row).decode()))

    def replace(self, entity: str, row: Row) -> None:
        self._db.execute(self._texts[entity].replace, (dump(row).decode(), row["Id"]))

    def remove(self, entity: str, key: int) -> None:
        self._db.execute(self._texts[entity].remove, (key,))

    def children(self, company: int, link: Link, parent: int) -> list[Row]:
        """The rows a link leads to, in the order they were made."""
        belongs = f"{column(link.key, 'integer')} = ? AND company = ?"
        values: list[object] = [parent, company]
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

    def companies(self) -> list[Company]:
        return [Company(*row) for row in self._db.execute("SELECT * FROM company ORDER BY id")]

    def add_company(self, company: Company) -> None:
        values = (company.id, company.name, company.client_id, company.client_secret)
        self._db.execute("INSERT INTO company VALUES (?, ?, ?, ?)", values)

    def _prepare(self) -> bool:
        """Make the tables of an empty file; whether it was empty."""
        made_by = self._pragma("application_id")
        if made_by == 0 and self._pragma("page_count") == 0:
            self._make()
            return True
        if made_by != APPLICATION_ID:
            raise StoreError(f"{self.path} is a database of another program. Name another file.")
        if self._pragma("user_version") != VERSION:
            text = f"{self.path} was written by another version of the sandbox. Delete it or name another."
            raise StoreError(text)
        self._settle()
        with self.transaction():  # refused at once when the file cannot be written
            return False

    def _make(self) -> None:
        self._settle()
        with self.transaction():
            for statement in statements():
                self._db.execute(statement)

    def _settle(self) -> None:
        """WAL, so that what was committed outlives a killed process and costs no flush of the disk."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])


@attrs.frozen
class _Texts:
    get: str
    insert: str
    replace: str
    remove: str


def _texts() -> dict[str, _Texts]:
    """The statements of every entity type, written once so that SQLite's cache knows them."""
    return {
        name: _Texts(
            get=f'SELECT body FROM "{name}" WHERE id = ? AND company = ?',  # noqa: S608 names of the catalogue
            insert=f'INSERT INTO "{name}" VALUES (?, ?, ?)',  # noqa: S608
            replace=f'UPDATE "{name}" SET body = ? WHERE id = ?',  # noqa: S608
            remove=f'DELETE FROM "{name}" WHERE id = ?',  # noqa: S608
        )
        for name in shapes()
    }


def _connect(path: Path) -> sqlite3.Connection:
    # One connection, used by one thread at a time: the server's.
    db = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=1024, timeout=5
    )
    db.create_function("regexp", 2, _matches, deterministic=True)
    return db


def _matches(pattern: str, text: object) -> bool:
    return text is not None and re.fullmatch(pattern, str(text), re.IGNORECASE | re.DOTALL) is not None


def _remedy(error: sqlite3.Error) -> str:
    text = str(error)
    if "not a database" in text:
        return "Name a file that the sandbox made, or a new one."
    if "unable to open" in text or "readonly" in text:
        return "Name a file that can be written, in a directory that can."
    return "Name another file, or close the program that uses this one."
