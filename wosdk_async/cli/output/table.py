"""Tables for people: as wide as the terminal on one, plain text elsewhere."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from itertools import accumulate
from typing import IO, Any

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import (
    columns_of,
    counted,
    flattened,
    has_content,
    readable,
    value_at,
    visible,
)

__all__ = ["TableFormat", "print_record", "print_table"]

_MAX_WIDTH = 60  # characters of a column that nothing else limits
_MIN_WIDTH = 8
_GAP = 2
_MAX_COLUMNS = 1000  # also lines of a record
_UNLIMITED = 100_000  # characters of a line in a file


class TableFormat:
    """Rows below one header; the first page decides the columns and their widths."""

    def __init__(self, file: IO[str], paths: Sequence[str]) -> None:
        self._file = file
        self._paths = paths
        self._names: list[str] | None = None
        self._widths: list[int] = []
        self._left_out = 0

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write a page of rows."""
        first = self._names is None
        if self._names is None:
            self._names = self._chosen_columns(rows)
        lines = [[readable(value_at(row, name)) for name in self._names] for row in rows]
        if first:
            self._fit(lines)
        if lines:
            _print(self._file, self._names if first else None, lines, self._widths)

    def close(self) -> None:
        """Say how many columns were left out."""
        if self._left_out:
            more = "1 more column does" if self._left_out == 1 else f"{self._left_out} more columns do"
            say(f"{more} not fit; -p names those to show, --json has all")

    def _chosen_columns(self, rows: Sequence[dict[str, Any]]) -> list[str]:
        def is_shown(name: str) -> bool:
            return name in self._paths or any(has_content(value_at(row, name)) for row in rows)

        names = [name for name in columns_of(rows, self._paths) if is_shown(name)]
        most = max(_MAX_COLUMNS, len(self._paths))
        self._left_out = max(0, len(names) - most)
        return names[:most]

    def _fit(self, lines: list[list[str]]) -> None:
        """Narrow the columns that were named until they fit; drop those of others that do not fit."""
        names, width = self._names or [], _line_width(self._file)
        widths = [_natural_width(name, lines, i) for i, name in enumerate(names)]
        named = bool(self._paths) and not any(path.endswith("*") for path in self._paths)
        if width is not None and not named:
            widths = [min(cells, _MAX_WIDTH // 2) for cells in widths]
            ends = accumulate(widths, lambda end, cells: end + _GAP + cells)
            count = max(1, sum(end <= width for end in ends))
            self._left_out += len(names) - count
            del names[count:], widths[count:]
            for line in lines:
                del line[count:]
        self._widths = widths if width is None else _narrowed(widths, width)


def print_record(file: IO[str], record: dict[str, Any], paths: Sequence[str]) -> None:
    """Write one record, a line for each value that has content or was asked for."""
    pairs = [(name, value) for name, value in flattened(record) if has_content(value) or name in paths]
    print_table(file, [[visible(name), readable(value)] for name, value in pairs[:_MAX_COLUMNS]])
    if len(pairs) > _MAX_COLUMNS:
        say(f"{counted(len(pairs) - _MAX_COLUMNS, 'more value')} left out; --json has all")


def print_table(file: IO[str], lines: Sequence[Sequence[str]]) -> None:
    """Write lines of cells without a header; the last column is as wide as the others allow."""
    if lines:
        _print(file, None, lines, None)


def _natural_width(name: str, lines: Sequence[Sequence[str]], i: int) -> int:
    from rich.cells import cell_len

    return min(_MAX_WIDTH, max([cell_len(visible(name)), *(cell_len(line[i]) for line in lines)]))


def _narrowed(widths: list[int], width: int) -> list[int]:
    """Return ``widths`` cut to ``width``, the widest first, while they can be read."""
    widths = list(widths)
    while _total(widths) > width and max(widths) > _MIN_WIDTH:
        widths[widths.index(max(widths))] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _line_width(file: IO[str]) -> int | None:
    """Return the characters of a line, or None where nothing limits it."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return os.get_terminal_size(file.fileno()).columns or 80 if file.isatty() else None


def _print(
    file: IO[str],
    header: Sequence[str] | None,
    lines: Sequence[Sequence[str]],
    widths: Sequence[int] | None,
) -> None:
    """Write a table with columns of these ``widths``; without them rich fits them to the line."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    count = len(lines[0])
    table = Table(box=None, show_header=header is not None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for i, name in enumerate(header or [""] * count):
        limit = _MAX_WIDTH if i < count - 1 else None
        if widths is None:
            table.add_column(max_width=limit)
        else:
            table.add_column(Text(visible(name)), width=widths[i], no_wrap=True, overflow="ellipsis")
    for line in lines:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in line))
    buffer = io.StringIO()
    styled = file.isatty()
    width = (_line_width(file) or _UNLIMITED) if widths is None else _total(widths) + _GAP
    color = {} if styled else {"color_system": None}
    Console(file=buffer, width=width, force_terminal=styled, **color).print(table)  # type: ignore[arg-type]
    text = buffer.getvalue()
    file.write(text if styled else "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
