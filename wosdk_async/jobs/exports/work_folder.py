"""Work folder of an export: plan, range files, and the unfinished output."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from wosdk_async import __version__
from wosdk_async.jobs.exports.errors import ExportError, locked_folder, writing_output
from wosdk_async.jobs.exports.plan import ExportPlan, differences
from wosdk_async.jobs.exports.range_files import RangeFile, is_range_name, range_files_in
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.jobs.report.output_folder import read_object
from wosdk_async.regular_files import publish, replace_file, sync_file
from wosdk_async.text.remedies import Remedy

_PLAN = "export.json"
_DRAFT = "output"  # no suffix, so no range file or plan can have this name
_OWN_NAME = re.compile(r"lock|export\.json(\.part)?|output|sheets-.*")


def work_folder_of(output: Path) -> Path:
    """Return the work folder ``orders.parquet.export`` for the output ``orders.parquet``."""
    return output.with_name(f"{output.name}.export")


class WorkFolder:
    """Work folder beside the output, locked until :meth:`close`.

    ``again`` discards the progress of an earlier export.

    Raises:
        ExportError: a different export was stopped there.
        JournalError: another process is using the folder.
        OutputError: the folder cannot be created.
    """

    def __init__(self, output: Path, plan: ExportPlan, *, again: bool = False) -> None:
        self.output = output
        self.path = work_folder_of(output)
        self.draft = self.path / _DRAFT
        self._plan = plan
        self._stored: Mapping[str, Any] = {}
        self._lock = locked_folder(self.path, _require_ours)
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
        """Whether the output is complete, published or not."""
        return self._is_output(self.output) or self._is_output(self.draft)

    def _is_output(self, path: Path) -> bool:
        output = self._stored.get("output")
        return output is not None and output == _facts(path)

    @property
    def rows(self) -> int:
        """Number of rows in the complete output or, if there is none, in the finished range files."""
        rows = self._stored.get("rows")
        if self.is_complete and isinstance(rows, int):
            return rows
        return sum(file.rows for file in range_files_in(self.path))

    def whole_files(self, schema: Any, up_to_gap: bool) -> list[RangeFile]:
        """Return the intact range files; remove the others, whose ranges must be read again.

        ``up_to_gap`` is for exports with a limit. It also removes all files after the first gap, because the
        rows in the gap decide how many rows may follow.
        """
        intact: list[RangeFile] = []
        for file in range_files_in(self.path):
            follows = file.ids.above == (intact[-1].ids.until if intact else None)
            if (follows or not up_to_gap) and file.is_whole(schema):
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
            self._store({**self._stored, "rows": self.rows, "output": _facts(self.draft)})
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


def _require_ours(folder: Path) -> None:
    """Raise ExportError for a folder that no export created, because its files must not be removed."""
    paths = list(folder.iterdir())
    strange = [
        path.name
        for path in paths
        if path.is_symlink() or not (_OWN_NAME.fullmatch(path.name) or is_range_name(path.name))
    ]
    if not strange and paths and folder / LOCK not in paths:
        # Files without a lock are not from an export, unless an export is just removing them.
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


def _facts(path: Path) -> dict[str, int] | None:
    """Return facts that identify a file, even after a rename."""
    try:
        found = path.stat()
    except OSError:
        return None
    return {"inode": found.st_ino, "size": found.st_size, "changed": found.st_mtime_ns}
