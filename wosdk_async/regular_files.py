"""Safe file access for everything that this package writes, locks or reads from shared folders.

Anyone with write access to a folder can place a link under the name of one of our files. Files are therefore
created with ``O_EXCL``, which never follows links. A file that is written in place, such as a lock, is opened
only if it is a regular file without other hard links. Links are followed only in paths that the user
supplied. Parent folders are not checked. Windows lacks ``O_NOFOLLOW``, but requires a privilege to create
links. This module also parses untrusted TOML.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import sqlite3

_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a symbolic link",
}
# Without O_NONBLOCK, opening a pipe waits for its other end.
_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


# --- reading --------------------------------------------------------------------------------


def read_regular(path: str | Path, longest: int, *, cut: bool = False) -> tuple[bytes, os.stat_result]:
    """Return a file's content and stat result; with ``cut``, at most the first ``longest`` bytes.

    Raises:
        OSError: the file cannot be read, is not a regular file (reading a pipe or device might not end), or
            has more than ``longest`` bytes (``EFBIG``; not with ``cut``).
    """
    _require_regular(path, os.stat(path))  # before opening, because opening a device can have an effect
    number = os.open(path, os.O_RDONLY | _FLAGS)  # checked again below: the file may have been replaced
    with open(number, "rb") as file:
        found = os.fstat(number)
        _require_regular(path, found)
        content = file.read(longest + 1)
    if len(content) > longest and not cut:
        raise OSError(errno.EFBIG, f"it is larger than {longest:,} bytes", str(path))
    return content[:longest], found


def sha256_of(path: Path) -> str:
    """Return a file's hash, which identifies a job's input and output."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- TOML of settings, maps and scripts, parsed in linear time --------------------------------------------

_MAX_PARTS = 32  # maximum parts of a dotted key
# Strings and comments are skipped as tomllib reads them; an unterminated string extends to the end of the
# text.
_TOML = (  # compiled on first use: most programs read no TOML
    r"""\"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\\?\Z)|'{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?|\#[^\n]*+|(?P<dot>\.)|(?P<end>[\n=,\[\]{}])"""
)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises ValueError for invalid or excessive TOML.

    tomllib takes quadratic time for keys with many parts (28 s for 64 KB), so such keys are refused. Integers
    of more than 64 bits are also refused: TOML parsers need not support them, and Python may refuse to print
    them.
    """
    import tomllib

    parts = 1
    for token in re.finditer(_TOML, text, re.DOTALL):
        parts = 1 if token.lastgroup == "end" else parts + (token.lastgroup == "dot")
        if parts > _MAX_PARTS:
            raise ValueError(f"the key at character {token.start()} has more than {_MAX_PARTS} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        tables = None  # the error is raised outside the handler, because the cause's frames hold the text
    if tables is None:
        raise ValueError("it is nested too deeply")
    values: list[Any] = [tables]
    while values:
        value = values.pop()
        if isinstance(value, int) and value.bit_length() > 63 and value != -(1 << 63):
            raise ValueError("an integer has more than 64 bits; write it in quotes")
        values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tables


# --- writing --------------------------------------------------------------------------------


def create_file(path: str | Path, mode: int = 0o666) -> BinaryIO:
    """Create a file to write. Raises FileExistsError if the name exists, even as a link."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))


def recreate_file(path: Path, mode: int = 0o666) -> BinaryIO:
    """Create a file in place of an older file or link, leaving the link's target unchanged."""
    path.unlink(missing_ok=True)
    return create_file(path, mode)


def open_existing(path: str | Path) -> int:
    """Open a regular file to read and write; return its descriptor. Raises OSError for anything else."""
    return _open(path, 0, _require_regular)


def open_or_create(path: str | Path) -> int:
    """Open or create a file that is written in place, such as a lock; return its descriptor.

    Raises OSError for anything but a regular file, and for a file with several hard links.
    """
    return _open(path, os.O_CREAT, _require_single_link)


def open_user_path(
    path: str | Path, *, append: bool = False, buffering: int = -1, mode: int = 0o666
) -> BinaryIO:
    """Open a user-supplied path for writing, even if it is a link, pipe or device."""
    opener = functools.partial(os.open, mode=mode)
    return open(path, "ab" if append else "wb", buffering, opener=opener)


@contextmanager
def replace_file(
    path: Path, *, mode: int = 0o666, named_by_user: bool = False, concurrent: bool = False
) -> Iterator[BinaryIO]:
    """Write a whole file; if an error occurs or the process is killed, the old file is unchanged.

    Args:
        path: the file. A link of this name is replaced.
        mode: permissions of the new file; for other users, at most those of the replaced file.
        named_by_user: follow a link and replace its target.
        concurrent: other processes may write the same file at the same time; always assumed with
            ``named_by_user``.

    Raises:
        OSError: the file cannot be written; the old one is intact.
    """
    part = path.with_name(f"{path.name}.part")  # one name, so that the next process overwrites a leftover
    if named_by_user:
        path = Path(os.path.realpath(path))
        _require_regular_or_missing(path)  # a device or a pipe must not be replaced by a file
    if named_by_user or concurrent:
        part = path.with_name(f".{os.urandom(8).hex()}.part")
    with recreate_file(part, mode) as file:
        try:
            restrict(file.fileno(), path)
            yield file
            file.close()
            publish(part, path)
        except BaseException:
            with suppress(OSError):
                file.close()
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def publish(part: Path, path: Path) -> None:
    """Flush a closed file to the disk, then move it atomically to its final path, replacing any older file.

    Other users get at most the permissions that they had on the older file.
    """
    sync_file(part, path)
    part.replace(path)
    sync_folder(path.parent)


def connect_database(path: Path, *, access: str = "mode=rw", **options: Any) -> sqlite3.Connection:
    """Open an existing SQLite file. SQLite itself would create missing files and follow links.

    ``access`` holds parameters of SQLite's URI. With ``mode=ro``, links and hard links are allowed, except
    for the shared-memory file, which SQLite writes even for a reader.

    Raises:
        OSError: the path, or one of SQLite's companion files, is a link, is not a regular file, or
            has several hard links.
        sqlite3.Error: the file cannot be opened.
    """
    import sqlite3

    for suffix in ("", "-wal", "-shm", "-journal"):
        name = f"{os.path.realpath(path)}{suffix}" if suffix else path
        with suppress(FileNotFoundError):  # for a missing file, callers expect the error of connect() below
            if access == "mode=rw" or suffix == "-shm":
                _require_single_link(name, os.lstat(name))
            else:
                _require_regular(name, os.stat(name))
    db: sqlite3.Connection = sqlite3.connect(f"{path.absolute().as_uri()}?{access}", uri=True, **options)
    return db


def sync_file(path: Path, replaced: Path | None = None) -> None:
    """Flush a closed file to the disk; other users keep only permissions that ``replaced`` also grants."""
    number = open_existing(path)
    try:
        if replaced is not None:
            restrict(number, replaced)
        os.fsync(number)
    finally:
        os.close(number)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, if the system supports this."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _open(path: str | Path, flags: int, check: Callable[[str | Path, os.stat_result], None]) -> int:
    _require_regular_or_missing(path)  # checked before opening, because opening a device can have an effect
    number = os.open(path, os.O_RDWR | _NOFOLLOW | _FLAGS | flags, 0o666)
    try:
        check(path, os.fstat(number))
    except BaseException:
        os.close(number)
        raise
    return number


def restrict(number: int, replaced: Path) -> None:
    """Limit other users' permissions on an open file to those of the replaced file."""
    if os.name == "posix":
        with suppress(FileNotFoundError):
            old = os.lstat(replaced).st_mode
            if stat.S_ISREG(old):
                os.fchmod(number, stat.S_IMODE(os.fstat(number).st_mode) & (old | stat.S_IRWXU))


def _require_regular_or_missing(path: str | Path) -> None:
    """Raise OSError if the path exists and is not a regular file; a link counts as its target."""
    with suppress(FileNotFoundError):
        _require_regular(path, os.stat(path))


def _require_regular(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a special file")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))


def _require_single_link(path: str | Path, found: os.stat_result) -> None:
    _require_regular(path, found)
    if found.st_nlink > 1:
        raise OSError(errno.EMLINK, f"it has {found.st_nlink} hard links", str(path))
