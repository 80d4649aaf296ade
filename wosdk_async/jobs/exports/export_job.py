"""Base of exports: where the output goes, the Company that is read, and progress callbacks."""

from __future__ import annotations

import abc
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports.errors import ExportError
from wosdk_async.jobs.exports.plan import ExportSummary
from wosdk_async.jobs.exports.reading import in_thread
from wosdk_async.text.remedies import Remedy

__all__ = [
    "ExportJob",
    "OnRows",
    "OnStage",
    "already_exists",
    "real_output",
    "require_file_place",
    "require_folder_place",
    "require_no_folder",
]


def real_output(output: Path) -> Path:
    """Return the path that a link names: the export writes there, and the link stays."""
    return Path(os.path.realpath(output)) if output.is_symlink() else output


def require_no_folder(output: Path) -> None:
    """Raise ExportError for a directory as the output of an export into one file."""
    if output.is_dir():
        raise ExportError(f"{output}: is a directory", remedies=(Remedy.INCREMENTAL,))


def require_file_place(output: Path, *, may_exist: bool) -> None:
    """Raise ExportError when the output path cannot be used."""
    if output.exists() and not output.is_file():
        raise ExportError(f"{output}: is not a regular file, and would be replaced by one; name a file")
    _require_parent(output)
    if output.exists() and not may_exist:
        raise already_exists(output)


def require_folder_place(folder: Path) -> None:
    """Raise ExportError when the folder of an export of changes cannot be used."""
    if folder.exists() and not folder.is_dir():
        raise ExportError(f"{folder}: is a file; an export of changes needs a directory of its own")
    _require_parent(folder)


def already_exists(output: Path) -> ExportError:
    """Return the error of an output that exists."""
    return ExportError(f"{output} exists already", remedies=(Remedy.OVERWRITE,))


def _require_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise ExportError(f"{path}: there is no directory {path.parent}; make it first")


T = TypeVar("T")

OnRows = Callable[[int], None]
"""Function that is called with the number of rows read."""
OnStage = Callable[[str], None]
"""Function that is called with a text that says what is being done."""


class ExportJob(abc.ABC):
    """Base of exports.

    Args:
        company: the Company for ``await export``.
        place: the folder in which it works, for messages.
        on_progress: called with the number of rows read.
        on_stage: called with a text that says what is being done.
    """

    def __init__(self, company: Company | None, place: Path, on_progress: OnRows, on_stage: OnStage) -> None:
        self._company_given = company
        self._place = place
        self._on_progress, self._on_stage = on_progress, on_stage
        self._rows_read = 0

    def __await__(self) -> Generator[Any, None, ExportSummary]:
        return self.run().__await__()

    @property
    def rows(self) -> int:
        """Rows that were read, by earlier runs too where the export resumes."""
        return self._rows_read

    def watch(self, on_progress: OnRows, on_stage: OnStage) -> None:
        """Replace the functions that are called meanwhile."""
        self._on_progress, self._on_stage = on_progress, on_stage

    @property
    @abc.abstractmethod
    def is_kept(self) -> bool:
        """Whether something that was read is kept, so that the same export resumes."""

    @abc.abstractmethod
    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read the rows, and write them."""

    def _required(self, company: Company | None) -> Company:
        if (found := company or self._company_given) is None:
            raise InvalidCallError(
                "the export has no Company; write export.run(company) or "
                f"{type(self).__name__}(..., company=...)"
            )
        return found

    def _count(self, rows: int) -> None:
        """Count rows that were read, and tell the caller."""
        self._rows_read += rows
        self._on_progress(self._rows_read)

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await in_thread(self._place, function)
