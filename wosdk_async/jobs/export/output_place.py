"""The place of an output: it is checked before anything is sent."""

from __future__ import annotations

import os
from pathlib import Path

from wosdk_async.jobs.export.errors import ExportError

__all__ = ["already_exists", "real_output", "require_file_place", "require_folder_place", "require_no_folder"]


def real_output(output: Path) -> Path:
    """Return the path that a link names: the export writes there, and the link stays."""
    return Path(os.path.realpath(output)) if output.is_symlink() else output


def require_no_folder(output: Path) -> None:
    """Raise ExportError for a directory as the output of an export into one file."""
    if output.is_dir():
        raise ExportError(
            f"{output}: is a directory; name a file, or use IncrementalExport if it has the parts of an "
            "export of changes"
        )


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
    return ExportError(f"{output} exists already; name another file, or pass force=True to replace it")


def _require_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise ExportError(f"{path}: there is no directory {path.parent}; make it first")
