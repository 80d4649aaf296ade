"""The rows of a file, read once: the identity of each, and what concerns all of them."""

from __future__ import annotations

import marshal
import re
import sqlite3
import weakref
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal.entries import storable
from wosdk_async.jobs.ledger.decision import RejectsProblem
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.marking import RowKeys
from wosdk_async.jobs.mapping.needed_fields import ReplacedFields
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import Source

__all__ = ["FILE_COLUMNS", "PAGE", "FileRow", "FileRows", "fingerprint"]

PAGE = 200  # rows that have one fingerprint
_CHUNK = 10 * PAGE
_ROW = re.compile(r"[1-9][0-9]{0,17}")

FileRow = tuple[int, int, int, bytes, bytes | None, str | None, str | None, str | None, int | None]
"""Place in the file, line, digest, identity, hash of the cells if that is of a key, the key that the marker
carries, name, fault, and the row of the ledger that a reject names."""

FILE_COLUMNS = "place INTEGER PRIMARY KEY, line, digest, identity, cells, key, name, fault, row"
"""Columns of a table of these."""


def fingerprint(rows: Sequence[Row]) -> int:
    """Return a hash of the cells of a page of rows, which only this process can compare."""
    cells = (row.cells.values() if row.raw_cells is None else row.raw_cells for row in rows)
    return hash(tuple(map(tuple, cells)))


@attrs.define(eq=False)
class FileRows:
    """The rows of a file in a nameless temporary file, however many; close it.

    Args:
        source: the file.
        import_map: the map.
        keys: the keys that the marker carries; None without a marker.
        index: gets the names that the rows give.

    Raises:
        ImportMapError: the file cannot be read.
    """

    source: Source
    import_map: ImportMap
    keys: RowKeys | None
    index: ReferenceIndex
    rows: int = 0
    warnings: list[str] = attrs.field(factory=list)
    """What is known before the first row is sent, and concerns more than one row."""
    job: str | None = None
    """The id of the ledger that the rejects name; None for another file."""
    problem: tuple[RejectsProblem, int] | None = None
    """What is wrong with the rejects, and the line."""
    identities: Identities = attrs.field(init=False)
    fingerprints: array[int] = attrs.field(factory=lambda: array("q"), init=False)
    """That of each page of the rows."""
    _db: sqlite3.Connection = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        # A change counts in the columns that the map reads: the others are not sent.
        counting = frozenset(self.import_map.columns)
        self.identities = Identities(self.source.columns, self.keys, self.import_map.key, counting)
        # SQLite removes a database without a name when it is closed, and when the process is killed.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # a program may read a file and not import it
        try:
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute("CREATE TABLE chunk (rows BLOB)")
            self._db.execute("CREATE TABLE reject (row INTEGER, line INTEGER)")
            self._read()
        except sqlite3.Error as error:
            self.close()
            raise ImportMapError(
                f"{self.source.path}: its rows do not fit into a temporary file ({error}); free space in the "
                "directory of temporary files, or name another one in the variable SQLITE_TMPDIR"
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def is_rejects(self) -> bool:
        """Whether each row names its row of a ledger."""
        return self.job is not None

    @property
    def columns(self) -> frozenset[str]:
        """The columns in which a row has content."""
        return frozenset(self.identities.filled)

    @property
    def header(self) -> frozenset[str]:
        """All columns."""
        return frozenset(self.identities.columns)

    @property
    def key(self) -> str | None:
        """The template of the keys by which rows are known; None when they are known by their cells."""
        if self.import_map.key is not None:
            return self.import_map.key.source
        return self.keys.template if self.keys is not None else None

    def chunks(self) -> Iterator[list[FileRow]]:
        """Yield the rows, some thousand at a time."""
        for (rows,) in self._db.execute("SELECT rows FROM chunk ORDER BY rowid"):
            yield marshal.loads(rows)  # noqa: S302 - written by this object

    def close(self) -> None:
        """Remove the rows."""
        self._db.close()

    def _read(self) -> None:
        replaced = ReplacedFields.of(self.import_map)
        warned: Counter[str] = Counter()
        rows = iter(self.source)
        self._db.execute("BEGIN")
        while chunk := list(islice(rows, _CHUNK)):
            for row in chunk:
                if row.fault is None:
                    self.index.collect(row.cells)
                    if (warning := replaced.in_row(row.cells)) is not None:
                        warned[warning] += 1
            entries = list(map(self._entry, chunk))
            # A column for each value takes longer than all else that is done with the row here.
            self._db.execute("INSERT INTO chunk VALUES (?)", [marshal.dumps(entries)])
            if self.is_rejects:
                self._db.executemany(
                    "INSERT INTO reject VALUES (?, ?)", [(entry[-1], entry[1]) for entry in entries]
                )
            self.fingerprints.extend(
                fingerprint(chunk[start : start + PAGE]) for start in range(0, len(chunk), PAGE)
            )
            self.rows += len(chunk)
        self._db.execute("COMMIT")
        if self.is_rejects and self.problem is None:
            self._require_single_rows()
        self.warnings += [f"{count} row{'s' if count > 1 else ''}: {text}" for text, count in warned.items()]
        self.warnings += self.index.look_alikes()
        if not self.rows:
            self.warnings.append(f"{self.source.path}: there are no rows below the header")

    def _entry(self, row: Row) -> FileRow:
        found = self.identities.of(row)
        key, fault = found.key, None
        if key is not None and storable(key) != key:
            fault = f"the key {storable(key)[:_SHOWN]!r} has half of a surrogate pair, which cannot be sent"
            key = None
        name = found.name if found.name is None else storable(found.name)
        number = None if row.origin is None else self._number(row, row.origin)
        return row.number, row.line, found.digest, found.identity, found.cells, key, name, fault, number

    def _number(self, row: Row, origin: tuple[str, str]) -> int | None:
        """Return the row of the ledger that a reject names; note what is wrong with it."""
        job, text = origin
        if self.job is None:
            self.job = job
        problem: RejectsProblem | None = None
        if not job:
            problem = "missing_job"
        elif job != self.job:
            problem = "mixed_jobs"
        elif not _ROW.fullmatch(text):
            problem = "missing_row"
        if problem is not None:
            self.problem = self.problem or (problem, row.line)
            return None
        return int(text)

    def _require_single_rows(self) -> None:
        twice = self._db.execute(
            "SELECT max(line) FROM reject GROUP BY row HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
        ).fetchone()
        if twice is not None:
            self.problem = "row_twice", twice[0]


_SHOWN = 100  # characters of a key
