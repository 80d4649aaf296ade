"""Results on stdout or in a file; checks that no needed file is overwritten."""

from __future__ import annotations

import csv
import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import attrs

from wosdk_async.cli.exit_codes import CliError, Exit
from wosdk_async.errors import WosdkError
from wosdk_async.regular_files import open_user_path, read_regular, replace_file

if TYPE_CHECKING:
    from wosdk_async.jobs.options import ExcelSeparator

_JOURNAL = "journal.db"  # in a job folder; not imported, because the module that defines it loads slowly
_SQLITE = b"SQLite format 3\0"  # magic bytes
_BESIDE = ("-wal", "-shm", "-journal")  # suffixes of SQLite's extra files


@attrs.frozen
class Output:
    """Result format (``table``, ``json`` or ``csv``) and output file; stdout without a ``path``."""

    format: str
    path: Path | None
    excel: ExcelSeparator | None = None
    raw: bool = False
    """Whether to leave text in a CSV unchanged even if it looks like a formula."""


@contextmanager
def opened(path: Path | None = None) -> Iterator[IO[str]]:
    """Open a file, or stdout if ``path`` is None. The encoding is UTF-8, except on a terminal.

    Raises OSError if the file is not writable.
    """
    if path is not None:
        file = io.TextIOWrapper(open_user_path(path), encoding="utf-8", errors="backslashreplace", newline="")
        try:
            yield file
            file.close()
        except BaseException:
            with suppress(OSError):  # close() flushes the buffer, which may fail again
                file.close()
            with suppress(OSError):  # an empty file would look like a result without rows
                found = path.lstat()
                if stat.S_ISREG(found.st_mode) and not found.st_size:
                    path.unlink()
            raise
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        terminal = sys.stdout.isatty()
        reconfigure(errors="backslashreplace", newline="", **({} if terminal else {"encoding": "utf-8"}))
    yield sys.stdout
    sys.stdout.flush()


@contextmanager
def replacing_csv(
    path: Path, columns: Iterable[str], mode: int = 0o666
) -> Iterator[Callable[[Iterable[Any]], None]]:
    """Yield a function that writes a row to a new CSV file, which replaces ``path`` when the block ends."""
    try:
        with replace_file(path, mode=mode, named_by_user=True) as file:
            text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
            writer = csv.writer(text, lineterminator="\r\n")
            writer.writerow(columns)
            yield writer.writerow
            text.detach()  # flushes the text, and leaves the file open for replace_file()
    except OSError as error:
        if isinstance(error, WosdkError):  # the error of an unreachable Company is also an OSError
            raise
        raise CliError(f"{path}: {error.strerror or error}; name another file", Exit.UNWRITTEN) from error


# --- checks before anything is sent ---------------------------------------------------------


def require_writable(path: Path) -> None:
    """Raise CliError if a file is not writable."""
    try:
        try:
            target = path
            if stat.S_ISDIR(path.stat().st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        except FileNotFoundError:  # the file will be created; if it is a link, at its target
            target = Path(os.path.realpath(path)).parent
            target.stat()
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise CliError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def require_stdout(remedy: str = "") -> None:
    """Raise CliError if stdout is closed. ``remedy`` is added to the message."""
    if not sys.stdout.writable():
        raise CliError(f"stdout is closed, so the result would be lost; open it{remedy}")


def require_not_input(option: str, written: Path, *needed: Path) -> None:
    """Raise CliError if ``written`` is one of the ``needed`` files, even through a link."""
    for path in needed:
        if _same_file(written, path):
            raise CliError(f"{option} would overwrite {path}; name another file")


def require_not_store(option: str, written: Path, store: Path) -> None:
    """Raise CliError if ``written`` is a store or one of the store's SQLite files."""
    real = Path(os.path.realpath(store))
    beside = (real.with_name(f"{real.name}{ending}") for ending in ("", *_BESIDE))
    if any(_same_file(written, path) for path in beside):
        raise CliError(f"{option} would overwrite {store}; name another file")


def require_not_in_job(option: str, written: Path) -> None:
    """Raise CliError if ``written`` is a database or in a job folder."""
    real = Path(os.path.realpath(written))
    for folder in real.parents:
        if (folder / _JOURNAL).is_file():
            raise CliError(
                f"{option} would write {written} into the job folder {folder}; name a file elsewhere"
            )
    names = [real.name, *(real.name.removesuffix(end) for end in _BESIDE if real.name.endswith(end))]
    if any(_is_database(real.with_name(name)) for name in names):
        raise CliError(f"{option} would overwrite {written}, a database; name another file")


def _is_database(path: Path) -> bool:
    try:
        return read_regular(path, len(_SQLITE), cut=True)[0] == _SQLITE
    except OSError:  # an unusable file is reported when it is written
        return False


def _same_file(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):  # this also works for files that do not exist yet
        return True
    return one.exists() and other.exists() and one.samefile(other)
