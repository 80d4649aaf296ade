"""Files in the folder of a job: whole after a kill, and never written over what a person changed."""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import attrs
import orjson

from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.regular_files import read_regular, replace_file, sha256_of

__all__ = ["JobFile", "OutputFolder", "file_facts", "read_object", "unnumbered"]

_MAX_JSON = 64 << 20  # bytes of a file that is read again
_HASHES = "outputs.json"
_NUMBER = re.compile(r"-[0-9]+(?=\.[a-z]+$)")


@attrs.frozen
class JobFile:
    """A file of a job with its hash."""

    name: str
    size: int
    sha256: str


def file_facts(path: Path) -> JobFile:
    """Return size and hash of a file."""
    return JobFile(path.name, path.stat().st_size, sha256_of(path))


def unnumbered(path: Path) -> Path:
    """Return ``rejects.csv`` for ``rejects-2.csv``, which is written when somebody changed the former."""
    return path.with_name(_NUMBER.sub("", path.name))


class OutputFolder:
    """The tables that a job writes again after each run.

    A person may correct ``rejects.csv`` where it is. So the hash of each table is kept in ``outputs.json``,
    and one that has another hash now stays as it is: the new one is ``rejects-2.csv``, and so on.
    """

    def __init__(self, folder: Path, dialect: FileDialect | None = None) -> None:
        self.dialect = dialect or FileDialect()
        self.folder = folder
        self._known: dict[str, list[str]] = read_object(folder / _HASHES)  # else all tables are kept
        self._written: dict[str, Path] = {}

    def path(self, name: str) -> Path:
        """Return the path that a table has, or gets: ``name`` unless somebody changed that file."""
        return self._written.get(name) or next(
            path for path in self._paths(name) if self._is_ours(path) or not path.exists()
        )

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Write a table, as :func:`replace_file` does."""
        path = self.path(name)
        with replace_file(path) as file:
            yield file
            file.flush()
            # Noted before it gets its name: after a kill in between, the old and the new one are known.
            old = [file_facts(path).sha256] if path.exists() else []
            self._note(path, [*old, file_facts(Path(file.name)).sha256])
        self._written[name] = path
        self.remove(name, but=path)

    @contextlib.contextmanager
    def writing_rows(self, name: str, dialect: FileDialect | None = None) -> Iterator[Any]:
        """Write a table by a ``csv.writer``; what its encoding does not have is written by its code."""
        dialect = dialect or self.dialect
        with self.writing(name) as file:
            text = io.TextIOWrapper(file, dialect.encoding, errors="backslashreplace", newline="")
            yield dialect.writer(text)
            text.detach()  # writes the rest, and keeps the file open

    def remove(self, name: str, *, but: Path | None = None) -> None:
        """Remove a table that has no rows any more, but not one that somebody changed."""
        for path in self._paths(name):
            if not path.exists():
                return
            if path != but and self._is_ours(path):
                path.unlink()

    def tables(self) -> list[JobFile]:
        """Return all tables that are there."""
        return [file_facts(self.folder / name) for name in self._known if (self.folder / name).is_file()]

    def place(self, name: str) -> Path:
        """Return the path of a file that is always written anew: ``name`` unless that is a directory."""
        return next(path for path in self._paths(name) if not path.is_dir())

    def set_aside(self, directory: Path, others: Sequence[str], *, copied: Path) -> None:
        """Move the tables that nobody has changed, and ``others``, to a directory; the last one last.

        ``copied`` is the input: if it is one of the tables, it stays until it is written anew.
        """
        if directory.parent.is_symlink() or directory.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(directory))
        directory.mkdir(parents=True, exist_ok=True)
        ours = [path for name in self._known if self._is_ours(path := self.folder / name)]
        for path in (*ours, *(self.folder / name for name in others)):
            if path == copied:
                with path.open("rb") as source, replace_file(directory / path.name) as target:
                    shutil.copyfileobj(source, target)
            elif path.is_file() and not path.is_symlink():
                os.replace(path, directory / path.name)

    def _paths(self, name: str) -> Iterator[Path]:
        path = self.folder / name
        yield path
        for number in itertools.count(2):
            yield path.with_name(f"{path.stem}-{number}{path.suffix}")

    def _is_ours(self, path: Path) -> bool:
        return path.is_file() and file_facts(path).sha256 in self._known.get(path.name, ())

    def _note(self, path: Path, hashes: list[str]) -> None:
        self._known[path.name] = hashes
        path = self.folder / _HASHES
        if path.is_dir():  # the tables get other names from run to run then
            return
        with replace_file(path) as file:
            file.write(orjson.dumps(self._known, option=orjson.OPT_INDENT_2))


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a file of JSON; an empty one if the file is missing or has something else.

    Raises:
        OSError: the file is too long (``EFBIG``), which does not mean that it is missing.
    """
    try:
        found = orjson.loads(read_regular(path, _MAX_JSON)[0])
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise
        return {}
    return found if isinstance(found, dict) else {}
