"""Range files of an export, which store records by id range and survive a kill.

A file's name shows its coverage: ``200_350_120.arrow`` has all 120 records with ids from 201 to 350. After a
kill at any point, only the gaps between the files remain to be read.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Self

import attrs

from wosdk_async.errors import WosdkError
from wosdk_async.jobs.exports.errors import export_package
from wosdk_async.regular_files import publish, recreate_file

_NAME = re.compile(r"(start|-?[0-9]{1,20})_(end|-?[0-9]{1,20})_([0-9]{1,20})\.arrow")
_OPEN = ".open"  # suffix of an unfinished file
_OPEN_NAME = re.compile(r"(start|-?[0-9]{1,20})\.open")


@attrs.frozen
class IdRange:
    """Ids greater than ``above``, up to ``until``; None means unbounded."""

    above: int | None
    until: int | None


@attrs.frozen
class RangeFile:
    """Finished file with the records of a range."""

    path: Path
    ids: IdRange
    rows: int

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """Return the range file at a path; None if the path is not a range file."""
        if (found := _NAME.fullmatch(path.name)) is None:
            return None
        above, until, rows = found.groups()
        ids = IdRange(None if above == "start" else int(above), None if until == "end" else int(until))
        return cls(path, ids, int(rows))

    def batches(self) -> Iterator[Any]:
        """Yield the record batches."""
        ipc, arrow = export_package("pyarrow.ipc"), export_package("pyarrow")
        with arrow.OSFile(str(self.path)) as file, ipc.open_stream(file) as stream:
            yield from stream

    def is_whole(self, schema: Any) -> bool:
        """Return whether the file has this Arrow schema and as many rows as its name says."""
        try:
            rows = 0
            for batch in self.batches():
                batch.validate(full=True)  # offsets beyond a damaged file would read other memory
                if not batch.schema.equals(schema):
                    return False
                rows += batch.num_rows
        except (OSError, ValueError):
            return False
        return rows == self.rows


def checked_id(id: int | None) -> int | None:
    """Return an id. Raises WosdkError if the id has more than 64 bits."""
    if id is not None and not -(2**63) <= id < 2**63:
        raise WosdkError("a record's Id has more than 64 bits, so the page cannot be stored")
    return id


def is_range_name(name: str) -> bool:
    """Return whether a name belongs to a range file, finished or not."""
    return (_NAME.fullmatch(name) or _OPEN_NAME.fullmatch(name)) is not None


def range_files_in(folder: Path) -> list[RangeFile]:
    """Return a folder's finished files ordered by id, and remove unfinished ones."""
    for path in folder.iterdir():
        if _OPEN_NAME.fullmatch(path.name):
            path.unlink()
    files = [file for path in folder.iterdir() if (file := RangeFile.at(path)) is not None]
    return sorted(files, key=lambda file: (file.ids.above is not None, file.ids.above or 0))


def gaps(files: Iterable[RangeFile], highest: int) -> list[IdRange]:
    """Return the id ranges up to ``highest`` that the ordered files do not cover."""
    missing: list[IdRange] = []
    covered_to: int | None = None
    for file in files:
        if file.ids.above != covered_to:
            missing.append(IdRange(covered_to, file.ids.above))
        covered_to = file.ids.until
    if covered_to is None or covered_to < highest:
        missing.append(IdRange(covered_to, highest))
    return missing


def split(ids: IdRange, size: int) -> Iterator[IdRange]:
    """Split a range into ranges of up to ``size`` ids; without a lower bound, the first ends at ``size``."""
    above, until = ids.above, ids.until
    while until is not None and until - (above or 0) > size:
        middle = (above or 0) + size
        yield IdRange(above, middle)
        above = middle
    yield IdRange(above, until)


class RangeFileWriter:
    """Writer of a file for the range above an id. Once complete on disk, the file gets its final name."""

    def __init__(self, folder: Path, schema: Any, above: int | None) -> None:
        self.rows = 0
        self.last = above
        """Id of the last row."""
        self.finished = False
        self.torn = False
        """Whether a write failed midway, so that the file cannot be finished."""
        self._folder = folder
        self._above = above
        self._path = folder / f"{_text(above, 'start')}{_OPEN}"
        self._schema = schema
        self._file: BinaryIO | None = None
        self._stream: Any = None

    def write(self, batch: Any, last: int | None) -> None:
        """Append a batch; ``last`` is the id of its last row."""
        self.torn = True
        self._opened().write_batch(batch)
        self.torn = False
        self.last = last
        self.rows += batch.num_rows

    def finish(self, until: int | None) -> None:
        """Sync the file and give it its final name; ``until`` is the highest id covered."""
        self.torn = True  # closing flushes, which may fail midway on a full disk
        self._opened().close()
        self._close()
        name = f"{_text(self._above, 'start')}_{_text(until, 'end')}_{self.rows}.arrow"
        publish(self._path, self._folder / name)
        self.finished = True

    def discard(self) -> None:
        """Remove the file."""
        for close in (self._stream.close if self._stream else self._close, self._close):
            with contextlib.suppress(OSError):  # closing flushes, which may fail on a full disk
                close()
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _opened(self) -> Any:
        """Return the stream. Open it on first use, so that :meth:`discard` can remove its file on failure."""
        if self._stream is None:
            ipc = export_package("pyarrow.ipc")
            self._file = recreate_file(self._path)
            options = ipc.IpcWriteOptions(compression="lz4")
            self._stream = ipc.new_stream(self._file, self._schema, options=options)
        return self._stream

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()


def _text(id: int | None, otherwise: str) -> str:
    return otherwise if id is None else str(id)
