"""Output files of a job. A kill leaves each file complete, and tables that users edited are kept.

``outputs.py`` writes the tables of ``output_tables.py``, and a report with the facts of ``facts.py``.
"""

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
from typing import Any

import attrs
import orjson

from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.regular_files import read_regular, replace_file, sha256_of

_MAX_JSON = 64 << 20  # bytes
_HASHES = "outputs.json"
_NUMBER = re.compile(r"-[0-9]+(?=\.[a-z]+$)")


@attrs.frozen
class JobFile:
    """A job file with its hash."""

    name: str
    size: int
    sha256: str


def file_facts(path: Path) -> JobFile:
    """Return a file's size and hash."""
    return JobFile(path.name, path.stat().st_size, sha256_of(path))


def unnumbered(path: Path) -> Path:
    """Return a path without the number of a replacement: ``rejects.csv`` for ``rejects-2.csv``."""
    return path.with_name(_NUMBER.sub("", path.name))


class OutputFolder:
    """Folder for tables that a job rewrites after each run.

    Users may fix ``rejects.csv`` in place. Therefore ``outputs.json`` stores each table's hash, and a table
    with a different hash is kept. The new table is written to ``rejects-2.csv``, and so on.
    """

    def __init__(self, folder: Path, dialect: FileDialect | None = None) -> None:
        self.dialect = dialect or FileDialect()
        self.folder = folder
        # Without stored hashes, all tables count as edited and are kept.
        self._known: dict[str, list[str]] = read_object(folder / _HASHES)
        self._written: dict[str, Path] = {}
        self._facts: dict[str, JobFile] = {}
        """Tables written by this object, so that large tables are hashed only once."""

    def path(self, name: str) -> Path:
        """Return the path for a table: ``name``, or a numbered name if that file was edited."""
        return self._written.get(name) or next(
            path for path in self._paths(name) if self._is_ours(path) or not path.exists()
        )

    @contextlib.contextmanager
    def writing_rows(self, name: str, dialect: FileDialect | None = None) -> Iterator[Any]:
        """Write a table with a ``csv.writer``. Characters that the encoding lacks are escaped."""
        path, dialect = self.path(name), dialect or self.dialect
        with replace_file(path) as file:
            text = io.TextIOWrapper(file, dialect.encoding, errors="backslashreplace", newline="")
            yield dialect.writer(text)
            text.detach()  # flushes, and leaves the file open
            file.flush()
            # Store both hashes before the rename, because a kill may leave the old or the new file.
            old = [file_facts(path).sha256] if path.exists() else []
            new = attrs.evolve(file_facts(Path(file.name)), name=path.name)
            self._store_hashes(path, [*old, new.sha256])
        self._written[name] = path
        self._facts[path.name] = new
        self.remove(name, keep=path)

    def remove(self, name: str, *, keep: Path | None = None) -> None:
        """Remove a table unless it was edited."""
        for path in self._paths(name):
            if not path.exists():
                return
            if path != keep and self._is_ours(path):
                path.unlink()

    def tables(self) -> list[JobFile]:
        """Return all existing tables."""
        paths = (path for name in self._known if (path := self.folder / name).is_file())
        return [self._facts.get(path.name) or file_facts(path) for path in paths]

    def path_to_overwrite(self, name: str) -> Path:
        """Return the path to overwrite, even if edited: ``name``, or a numbered name if it is a folder."""
        return next(path for path in self._paths(name) if not path.is_dir())

    def set_aside(self, directory: Path, others: Sequence[str], *, copied: Path) -> None:
        """Move the unedited tables to a directory, then the files named in ``others``, in order.

        If the input file, ``copied``, is among them, it is copied instead.
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

    def _store_hashes(self, path: Path, hashes: list[str]) -> None:
        self._known[path.name] = hashes
        path = self.folder / _HASHES
        if path.is_dir():  # hashes cannot be stored, so the tables get new names in each run
            return
        with replace_file(path) as file:
            file.write(orjson.dumps(self._known, option=orjson.OPT_INDENT_2))


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty object if the file is missing or invalid.

    Raises:
        OSError: the file is too large (``EFBIG``).
    """
    try:
        found = orjson.loads(read_regular(path, _MAX_JSON)[0])
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EFBIG:
            raise
        return {}
    return found if isinstance(found, dict) else {}
