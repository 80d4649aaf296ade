"""A file's rows, read once, with their identities and warnings."""

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
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.ledger.terms import RejectsProblem
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.marking import RowKeys
from wosdk_async.jobs.mapping.needed_fields import replaced_fields_warning
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import Source

PAGE = 200  # rows per fingerprint
CHUNK = 10 * PAGE
_PART = 250_000  # numbers to count at a time, to limit memory
_ROW = re.compile(r"[1-9][0-9]{0,17}")

FileRow = tuple[int, int, int, bytes, bytes | None, str | None, str | None, str | None, int | None]
"""Place in the file, line, digest, identity, hash of the cells (if the row is identified by a key), marker
key, name, fault, and a reject's ledger row."""

FILE_COLUMNS = "place INTEGER PRIMARY KEY, line, digest, identity, cells, key, name, fault, row"
"""Table columns of a :data:`FileRow`."""


def fingerprint(rows: Sequence[Row]) -> int:
    """Hash the cells of a page of rows; hashes differ between processes."""
    cells = [row.cells.values() if row.raw_cells is None else row.raw_cells for row in rows]
    return hash(tuple(map(tuple, cells)))


def repetitions(numbers: array[int]) -> int:
    """Count the numbers that equal an earlier number."""
    parts = 1 + len(numbers) // _PART
    return len(numbers) - sum(
        len({each for each in numbers if each % parts == part}) for part in range(parts)
    )


@attrs.define(eq=False)
class FileRows:
    """Rows of a file of any size, stored in a temporary file until :meth:`close`.

    The ``index`` collects the names of referenced records from the rows. Without a marker, ``keys`` is None.

    Raises:
        ImportMapError: the file cannot be read, or the temporary file cannot be written.
    """

    source: Source
    import_map: ImportMap
    keys: RowKeys | None
    index: ReferenceIndex
    rows: int = 0
    warnings: list[str] = attrs.field(factory=list)
    """Warnings that affect more than one row, known before the first row is sent."""
    notes: list[str] = attrs.field(factory=list, init=False)
    """Warnings about the file as a whole; ``warnings`` includes them."""
    job: str | None = None
    """Id of the ledger named in the rejects; None for other files."""
    problem: tuple[RejectsProblem, int] | None = None
    """Problem with a row of the rejects file, and its line."""
    identities: Identities = attrs.field(init=False)
    fingerprints: array[int] = attrs.field(factory=lambda: array("q"), init=False)
    _digests: array[int] = attrs.field(factory=lambda: array("q"), init=False)
    """Digests of rows to create, if the map has no key."""
    _db: sqlite3.Connection = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        # Only changes in columns that the map reads matter; other columns are not sent.
        columns_read = frozenset(self.import_map.columns)
        self.identities = Identities(self.source.columns, self.keys, self.import_map.key, columns_read)
        # SQLite removes an unnamed database when it is closed or the process is killed.
        self._db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._db.close)  # in case the program never calls close()
        try:
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute("CREATE TABLE chunk (rows BLOB)")
            self._read()
        except sqlite3.Error as error:
            self.close()
            raise ImportMapError(
                f"{self.source.path}: the rows do not fit into a temporary file ({error}); free space in the "
                "temporary directory, or set SQLITE_TMPDIR to another directory"
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def is_rejects(self) -> bool:
        """Whether the file is a rejects file, whose rows name their ledger rows."""
        return self.job is not None

    @property
    def columns(self) -> frozenset[str]:
        """The non-empty columns."""
        return frozenset(self.identities.filled)

    @property
    def header(self) -> frozenset[str]:
        """All columns."""
        return frozenset(self.identities.columns)

    @property
    def key(self) -> str | None:
        """The key template; None if rows are identified by their cells."""
        if self.import_map.key is not None:
            return self.import_map.key.source
        return self.keys.template if self.keys is not None else None

    def chunks(self) -> Iterator[list[FileRow]]:
        """Yield the rows in chunks of up to ``CHUNK`` rows."""
        for (rows,) in self._db.execute("SELECT rows FROM chunk ORDER BY rowid"):
            yield marshal.loads(rows)  # noqa: S302 - written by this object

    def close(self) -> None:
        """Delete the temporary file."""
        self._db.close()

    def _read(self) -> None:
        replaced = replaced_fields_warning(self.import_map)
        warned: Counter[str] = Counter()
        unkeyed = self.key is None and self.import_map.action.label == "created"
        rows = iter(self.source)
        self._db.execute("BEGIN")
        while chunk := list(islice(rows, CHUNK)):
            fitting = [row.cells for row in chunk if row.fault is None]
            self.index.collect(fitting)
            if replaced is not None:
                warned.update(filter(None, map(replaced, fitting)))
            entries = list(map(self._entry, chunk))
            if unkeyed:
                self._digests.extend([entry[2] for entry in entries])
            # One blob per chunk, because a column per value would take most of the time here.
            self._db.execute("INSERT INTO chunk VALUES (?)", [marshal.dumps(entries)])
            self.fingerprints.extend(
                fingerprint(chunk[start : start + PAGE]) for start in range(0, len(chunk), PAGE)
            )
            self.rows += len(chunk)
        self._db.execute("COMMIT")
        self.warnings += [f"{count} row{'s' if count > 1 else ''}: {text}" for text, count in warned.items()]
        notes = getattr(self.source, "notes", ())
        self.notes = [*notes, *self.index.look_alikes(), *self._equal_rows()]
        self.warnings += self.notes
        if not self.rows:
            self.warnings.append(f"{self.source.path}: there are no rows below the header")

    def _equal_rows(self) -> list[str]:
        if not (count := repetitions(self._digests)):
            return []
        rows = (
            "1 row is identical to an earlier row"
            if count == 1
            else f"{count} rows are identical to earlier rows"
        )
        return [
            f"{self.source.path}: {rows} in all columns that the map reads; without a key, "
            "duplicates are created too"
        ]

    def _entry(self, row: Row) -> FileRow:
        found = self.identities.of(row)
        key, fault = found.key, None
        if key is not None and storable(key) != key:
            fault = f"the key {storable(key)[:_SHOWN]!r} contains an unpaired surrogate, which cannot be sent"
            key = None
        number = None if row.origin is None else self._number(row, row.origin)
        return row.number, row.line, found.digest, found.identity, found.cells, key, found.name, fault, number

    def _number(self, row: Row, origin: tuple[str, str]) -> int | None:
        """Return a reject's ledger row, or set ``problem`` and return None."""
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


_SHOWN = 100  # maximum characters of a key in messages
