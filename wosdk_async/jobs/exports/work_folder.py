"""Work folder of an export: plan, unfinished output, and range files.

Finished range files survive a kill. Their names show their coverage: ``200_350_120.arrow`` has all 120
records with ids from 201 to 350. After a kill at any point, only the gaps between the files remain to be
read.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

import attrs
import orjson

from wosdk_async import __version__
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.exports import (
    ExportError,
    ExportPlan,
    differences,
    export_package,
    locked_folder,
    writing_output,
)
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.jobs.report import read_object
from wosdk_async.regular_files import publish, recreate_file, replace_file, sync_file
from wosdk_async.text.remedies import Remedy

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

    def is_intact(self, schema: Any) -> bool:
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
    """Return the given id. Raises WosdkError if the id has more than 64 bits."""
    if id is not None and not -(2**63) <= id < 2**63:
        raise WosdkError("a record's Id has more than 64 bits, so the page cannot be stored")
    return id


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
    """Split a range into ranges of up to ``size`` ids.

    Without a lower bound, the first range ends at id ``size``.
    """
    above, until = ids.above, ids.until
    while until is not None and until - (above or 0) > size:
        middle = (above or 0) + size
        yield IdRange(above, middle)
        above = middle
    yield IdRange(above, until)


class RangeFileWriter:
    """Writer of a file for the ids above ``above``. Once complete on disk, the file gets its final name."""

    def __init__(self, folder: Path, schema: Any, above: int | None) -> None:
        self.rows = 0
        self.last = above
        """Id of the last row."""
        self.finished = False
        self.torn = False
        """Whether a write failed midway, so that the file cannot be finished."""
        self._folder = folder
        self._above = above
        self._path = folder / f"{_bound(above, 'start')}{_OPEN}"
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
        name = f"{_bound(self._above, 'start')}_{_bound(until, 'end')}_{self.rows}.arrow"
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
        """Open the stream on first use, so that :meth:`discard` can remove the file if opening fails."""
        if self._stream is None:
            ipc = export_package("pyarrow.ipc")
            self._file = recreate_file(self._path)
            options = ipc.IpcWriteOptions(compression="lz4")
            self._stream = ipc.new_stream(self._file, self._schema, options=options)
        return self._stream

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()


def _bound(id: int | None, otherwise: str) -> str:
    return otherwise if id is None else str(id)


# --- folder ---------------------------------------------------------------------------------------

_PLAN = "export.json"
_DRAFT = "output"  # no suffix, so no range file or plan can have this name
_KNOWN_NAME = re.compile(r"lock|export\.json(\.part)?|output|sheets-.*")


def work_folder_of(output: Path) -> Path:
    """Return the work folder ``orders.parquet.export`` for the output ``orders.parquet``."""
    return output.with_name(f"{output.name}.export")


class WorkFolder:
    """Work folder beside the output, locked until :meth:`close`.

    ``again`` discards the progress of an earlier export.

    Raises:
        ExportError: a different export was stopped there, or the folder has other files.
        JournalError: another process is using the folder.
        OutputError: the folder cannot be created.
    """

    def __init__(self, output: Path, plan: ExportPlan, *, again: bool = False) -> None:
        self.output = output
        self.path = work_folder_of(output)
        self.draft = self.path / _DRAFT
        self._plan = plan
        self._stored: Mapping[str, Any] = {}
        self._lock = locked_folder(self.path, _require_export_folder)
        try:
            with writing_output(self.path):
                self._begin(again)
        except BaseException:
            self.close()
            raise

    @property
    def highest(self) -> int | None:
        """Highest id of the export; None until known."""
        highest = self._stored.get("highest")
        return highest if isinstance(highest, int) else None

    @property
    def begun(self) -> bool:
        """Whether a run has started to read."""
        return bool(self._stored)

    @property
    def is_complete(self) -> bool:
        """Whether the output is complete, even if it is not yet published."""
        return self._is_output(self.output) or self._is_output(self.draft)

    def _is_output(self, path: Path) -> bool:
        output = self._stored.get("output")
        return output is not None and output == _file_identity(path)

    @property
    def rows(self) -> int:
        """Number of rows in the complete output or, if there is none, in the finished range files."""
        rows = self._stored.get("rows")
        if self.is_complete and isinstance(rows, int):
            return rows
        return sum(file.rows for file in range_files_in(self.path))

    def intact_files(self, schema: Any, up_to_gap: bool) -> list[RangeFile]:
        """Return the intact range files; remove the others, whose ranges must be read again.

        ``up_to_gap`` is for exports with a limit. It also removes all files after the first gap, because the
        rows in the gap decide how many rows may follow.
        """
        intact: list[RangeFile] = []
        for file in range_files_in(self.path):
            follows = file.ids.above == (intact[-1].ids.until if intact else None)
            if (follows or not up_to_gap) and file.is_intact(schema):
                intact.append(file)
            else:
                file.path.unlink()
        return intact

    def start(self, highest: int | None) -> None:
        """Store the plan and highest id before the first range file is written."""
        self._store({**self._plan, "highest": highest, "version": __version__})

    def publish(self) -> None:
        """Move the draft to the output atomically, and remove the folder.

        Raises:
            OSError: the draft is missing or cannot be moved. Nothing was removed.
        """
        if not self._is_output(self.output):
            sync_file(self.draft)  # must be on disk before the plan records it as complete
            self._store({**self._stored, "rows": self.rows, "output": _file_identity(self.draft)})
            publish(self.draft, self.output)
        self.remove()

    def remove(self) -> None:
        """Remove the folder."""
        for path in self.path.iterdir():
            if path.name not in (LOCK, _PLAN):
                _remove(path)
        (self.path / _PLAN).unlink(missing_ok=True)  # last, because the plan marks the output as complete
        with contextlib.suppress(OSError):  # raised if another process has just started an export there
            if os.name == "nt":  # Windows cannot remove open files
                self.close()
            (self.path / LOCK).unlink()  # while locked, so that the next holder sees that the lock is gone
            self.path.rmdir()
        self.close()

    def close(self) -> None:
        """Unlock the folder."""
        self._lock.release()

    def _store(self, stored: Mapping[str, Any]) -> None:
        with replace_file(self.path / _PLAN) as file:
            file.write(orjson.dumps(stored, option=orjson.OPT_INDENT_2))
        self._stored = stored

    def _begin(self, again: bool) -> None:
        if again:
            self._clear()
        self._stored = read_object(self.path / _PLAN)
        if self._stored and (differing := differences(self._plan, self._stored)):
            raise ExportError(
                f"{self.path}: this export differs from the stopped export to the same output "
                f"({'; '.join(differing)})",
                conflict=True,
                remedies=(Remedy.EXPORT_AGAIN,),
            )
        if not self._stored:
            self._clear()
        for path in self.path.glob("sheets-*"):
            _remove(path)

    def _clear(self) -> None:
        for path in self.path.iterdir():
            if path.name != LOCK:
                _remove(path)


def _require_export_folder(folder: Path) -> None:
    """Raise ExportError for a folder that no export created, because its files must not be removed."""
    paths = list(folder.iterdir())
    strange = [
        path.name
        for path in paths
        if path.is_symlink()
        or not any(known.fullmatch(path.name) for known in (_KNOWN_NAME, _NAME, _OPEN_NAME))
    ]
    if not strange and paths and folder / LOCK not in paths:
        # Files without a lock are not from an export, but an export may just be removing them.
        strange = [path.name for path in paths if path.exists()]
    if strange or folder.is_symlink():
        why = f"has other files ({strange[0]})" if strange else "is a link"
        raise ExportError(
            f"{folder}: the export needs this folder, which {why}; move the folder, or name another output"
        )


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _file_identity(path: Path) -> dict[str, int] | None:
    """Return facts that identify a file, even after a rename."""
    try:
        found = path.stat()
    except OSError:
        return None
    return {"inode": found.st_ino, "size": found.st_size, "changed": found.st_mtime_ns}
