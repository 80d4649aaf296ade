"""Where results go and in which form."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from wosdk_async.cli.options import Output
from wosdk_async.cli.output.csv import CsvFormat
from wosdk_async.cli.output.json import JsonFormat

__all__ = ["OutputFormat", "opened", "rows_to", "write_record"]


class OutputFormat(Protocol):
    """Takes pages of records as they come."""

    def rows(self, rows: Sequence[Any]) -> None:
        """Write a page."""

    def close(self) -> None:
        """Say what is left to say; the file stays open."""


@contextmanager
def opened(output: Output) -> Iterator[IO[str]]:
    """The file of ``output``, in UTF-8; stdout without a path. Raises OSError for what cannot be written."""
    if output.path is not None:
        file = output.path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        try:
            yield file
            file.close()
        except BaseException:
            with suppress(OSError):  # it fails again to write what is left in its buffer
                file.close()
            _remove_empty(output.path)
            raise
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        terminal = sys.stdout.isatty()
        reconfigure(errors="backslashreplace", newline="", **({} if terminal else {"encoding": "utf-8"}))
    yield sys.stdout
    sys.stdout.flush()


def _remove_empty(path: Path) -> None:
    """An empty file would look like a result without rows."""
    with suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode) and not found.st_size:
            path.unlink()


def rows_to(file: IO[str], form: str, paths: Sequence[str]) -> OutputFormat:
    """What writes rows to ``file`` in the form ``json``, ``csv`` or ``table``."""
    if form == "json":
        return JsonFormat(file)
    if form == "csv":
        return CsvFormat(file, paths)
    from wosdk_async.cli.output.table import TableFormat

    return TableFormat(file, paths)


def write_record(output: Output, record: dict[str, Any], paths: Sequence[str] = ()) -> None:
    """Write one record: as JSON, as a CSV of one row, or a line for each of its values."""
    with opened(output) as file:
        if output.form == "table":
            from wosdk_async.cli.output.table import print_record

            print_record(file, record, paths)
            return
        form = rows_to(file, output.form, paths)
        form.rows([record])
        form.close()
