"""Tables for people: as wide as the terminal on one, plain text elsewhere."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import IO, Any

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import columns, details, has_content, shown, value_at
from wosdk_async.cli.output.sanitize import counted, visible

__all__ = ["TableFormat", "print_record", "print_table"]

_WIDEST = 60  # of a column, where nothing else bounds it
_NARROWEST = 8
_GAP = 2
_MOST = 1000  # columns of a table, and lines of a record: nobody reads more


class TableFormat:
    """Writes rows below one header; the first page decides the columns and their widths."""

    def __init__(self, file: IO[str], paths: Sequence[str]) -> None:
        self._file = file
        self._paths = paths
        self._names: list[str] | None = None
        self._widths: list[int] = []
        self._left_out = 0

    def rows(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write a page of rows."""
        first = self._names is None
        if self._names is None:
            self._names = self._chosen(rows)
        lines = [[shown(value_at(row, name)) for name in self._names] for row in rows]
        if first:
            self._fit(lines)
        if lines:
            _print(self._file, self._names if first else None, lines, self._widths)

    def close(self) -> None:
        """Say what is not in the table."""
        if self._left_out:
            more = "1 more column does" if self._left_out == 1 else f"{self._left_out} more columns do"
            say(f"{more} not fit; -p names those to show, --json has all")

    def _chosen(self, rows: Sequence[dict[str, Any]]) -> list[str]:
        def wanted(name: str) -> bool:
            return name in self._paths or any(has_content(value_at(row, name)) for row in rows)

        names = [name for name in columns(rows, self._paths) if wanted(name)]
        most = max(_MOST, len(self._paths))
        self._left_out = max(0, len(names) - most)
        return names[:most]

    def _fit(self, lines: list[list[str]]) -> None:
        """Columns that were named get narrower until they fit; of others, those that fit are shown."""
        names, width = self._names or [], _width(self._file)
        named = bool(self._paths) and not any(path.endswith("*") for path in self._paths)
        natural = [_natural(name, lines, i) for i, name in enumerate(names)]
        if width is not None and not named:
            natural = [min(cells, _WIDEST // 2) for cells in natural]
            ends = accumulate(natural, lambda end, cells: end + _GAP + cells)
            count = max(1, sum(end <= width for end in ends))
            self._left_out += len(names) - count
            del names[count:], natural[count:]
            for line in lines:
                del line[count:]
        self._widths = natural if width is None else _narrowed(natural, width)


def print_record(file: IO[str], record: dict[str, Any], paths: Sequence[str]) -> None:
    """One record, a line for each value that has content or was asked for."""
    pairs = [(name, value) for name, value in details(record) if has_content(value) or name in paths]
    print_table(file, None, [[visible(name), shown(value)] for name, value in pairs[:_MOST]])
    if len(pairs) > _MOST:
        say(f"{counted(len(pairs) - _MOST, 'more value')} left out; --json has all")


def print_table(file: IO[str], header: Sequence[str] | None, lines: Sequence[Sequence[str]]) -> None:
    """Lines of cells; the last column takes what the others leave."""
    if not lines:
        return
    names = header or [""] * len(lines[0])
    natural = [_natural(name, lines, i) for i, name in enumerate(names)]
    width = _width(file)
    last = max((_cells(line[-1]) for line in lines), default=0)
    natural[-1] = max(natural[-1], last) if width is None else max(natural[-1], min(last, width))
    _print(file, header, lines, natural if width is None else _narrowed(natural, width))


def _natural(name: str, lines: Sequence[Sequence[str]], i: int) -> int:
    return min(_WIDEST, max([_cells(visible(name)), *(_cells(line[i]) for line in lines)]))


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _narrowed(widths: list[int], width: int) -> list[int]:
    """``widths`` cut to ``width``, the widest first, while they can be read."""
    widths = list(widths)
    while _total(widths) > width and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _width(file: IO[str]) -> int | None:
    """Characters of a line; None where nothing bounds it."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return os.get_terminal_size(file.fileno()).columns or 80 if file.isatty() else None


def _print(
    file: IO[str], header: Sequence[str] | None, lines: Iterable[Sequence[str]], widths: Sequence[int]
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=header is not None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for name, width in zip(header or [""] * len(widths), widths, strict=True):
        table.add_column(Text(visible(name)), width=width, no_wrap=True, overflow="ellipsis")
    for line in lines:
        table.add_row(*map(Text, line))
    buffer = io.StringIO()
    styled = file.isatty()
    width = _total(widths) + _GAP
    color = {} if styled else {"color_system": None}
    Console(file=buffer, width=width, force_terminal=styled, **color).print(table)  # type: ignore[arg-type]
    text = buffer.getvalue()
    file.write(text if styled else "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
