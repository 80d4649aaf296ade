"""Tables that fit the terminal width; plain text elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import IO, Any

import click
from rich.cells import cell_len, set_cell_size

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import (
    DefaultColumns,
    columns_of,
    flattened,
    has_content,
    readable,
    short,
    type_at,
    value_at,
)
from wosdk_async.cli.texts import counted, visible
from wosdk_async.model import Record

_MAX_WIDTH = 60  # characters per column without another limit
_MIN_WIDTH = 8
_MIN_LEADING_WIDTH = 10  # characters; leading text columns shrink to this before any is dropped
_GAP = 2
_MAX_COLUMNS = 1000  # also lines per record

_COUNT = re.compile(r" \+[0-9]+$")
_INDEX = re.compile(r"\[[0-9]+\]")


class TableFormat:
    """Rows below one header. The first page decides the columns and, on a terminal, their widths."""

    def __init__(self, file: IO[str], paths: Sequence[str], entity: type[Record] | str = "") -> None:
        self._file = file
        self._paths = paths
        self._default = None if paths else DefaultColumns.of(entity)
        self._entity = entity
        self._names: list[str] | None = None
        self._widths: list[int] = []
        self._left_out = 0

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write a page of rows."""
        is_first = self._names is None
        if self._names is None:
            self._names = self._chosen_columns(rows)
        whole = self._default is None  # a requested list is shown in full
        lines = [
            [_cell(self._entity, name, value_at(row, name), whole) for name in self._names] for row in rows
        ]
        if is_first and lines:
            self._fit(lines)
        if lines:
            widths = self._widths
            if _line_width(self._file) is None:  # without a line width, later pages may widen the columns
                widths = [max(cells, _natural_width("", lines, i)) for i, cells in enumerate(widths)]
            if is_first:
                header = _line([self._header(name) for name in self._names], widths)
                styled = self._file.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
                self._file.write(f"{click.style(header, bold=True) if styled else header}\n")
            self._file.write("".join(f"{_line(line, widths)}\n" for line in lines))

    def close(self) -> None:
        """Report how many columns were omitted."""
        if self._left_out:
            more = "1 more column does" if self._left_out == 1 else f"{self._left_out} more columns do"
            say(f"{more} not fit; select columns with -p, or show all with --json")

    def _header(self, name: str) -> str:
        return visible(name if self._default is None else self._default.header(name))

    def _chosen_columns(self, rows: Sequence[dict[str, Any]]) -> list[str]:
        def is_shown(name: str) -> bool:
            values = (value_at(row, name) for row in rows)
            items = (item for each in values for item in (each if isinstance(each, list) else [each]))
            return name in self._paths or any(map(has_content, items))

        found = columns_of(rows, self._paths)
        ordered = found if self._default is None else self._default.ordered(found)
        names = [name for name in ordered if is_shown(name)]
        most = max(_MAX_COLUMNS, len(self._paths))
        self._left_out = max(0, len(names) - most)
        return names[:most]

    def _fit(self, lines: list[list[str]]) -> None:
        """Narrow the requested or leading columns to fit; drop other columns that do not fit."""
        names, width = self._names or [], _line_width(self._file)
        widths = [_natural_width(self._header(name), lines, i) for i, name in enumerate(names)]
        all_requested = bool(self._paths) and not any(path.endswith("*") for path in self._paths)
        if width is not None and not all_requested:
            widths = [min(cells, _MAX_WIDTH // 2) for cells in widths]
            narrowed = self._narrowed_leading(widths, width)
            count = len(narrowed) if narrowed else _fitting(widths, width)
            widths = narrowed or widths[:count]
            self._left_out += len(names) - count
            del names[count:]
            for line in lines:
                del line[count:]
        self._widths = widths if width is None else _narrowed(widths, width)

    def _narrowed_leading(self, widths: list[int], width: int) -> list[int]:
        """Return narrower widths for the leading columns; an empty list if they already fit."""
        first = self._default.first if self._default else ()
        names = [name for name in self._names or [] if name in first]
        wanted = widths[: len(names)]
        if _total(wanted) <= width:
            return []
        least = [
            min(cells, max(_MIN_LEADING_WIDTH, len(self._header(name))))
            if type_at(self._entity, name) in ("string", "any")  # a truncated date or number would be useless
            else cells
            for name, cells in zip(names, wanted, strict=True)
        ]
        count = _fitting(least, width)
        return _narrowed(wanted[:count], width, least[:count])


def print_record(
    file: IO[str], record: dict[str, Any], paths: Sequence[str], entity: type[Record] | str = ""
) -> None:
    """Write one record, one line per nonempty or requested value; without ``paths``, ids come last."""
    pairs = [(name, value) for name, value in flattened(record) if has_content(value) or name in paths]
    if not paths:
        names = DefaultColumns.of(entity).ordered(_INDEX.sub("", name) for name, _ in pairs)
        order = {name: i for i, name in enumerate(names)}
        pairs.sort(key=lambda pair: order.get(_INDEX.sub("", pair[0]), len(order)))
    lines = [
        [visible(name), _cell(entity, _INDEX.sub("", name), value)] for name, value in pairs[:_MAX_COLUMNS]
    ]
    print_table(file, lines)
    if len(pairs) > _MAX_COLUMNS:
        say(f"{counted(len(pairs) - _MAX_COLUMNS, 'more value')} omitted; --json shows all")


def _cell(entity: type[Record] | str, name: str, value: Any, whole: bool = True) -> str:
    return readable(value) if whole and isinstance(value, list) else short(value, type_at(entity, name))


def print_table(file: IO[str], lines: Sequence[Sequence[str]]) -> None:
    """Write a table without a header; the last column takes the remaining width."""
    if not lines:
        return
    last = len(lines[0]) - 1
    widths = [_natural_width("", lines, i) for i in range(last)]
    widths.append(max(cell_len(line[last]) for line in lines))
    if (width := _line_width(file)) is not None:
        widths = _narrowed(widths, width, [1] * len(widths))
    file.write("".join(f"{_line(line, widths)}\n" for line in lines))


def _natural_width(name: str, lines: Sequence[Sequence[str]], i: int) -> int:
    return min(_MAX_WIDTH, max([cell_len(visible(name)), *(cell_len(line[i]) for line in lines)]))


def _narrowed(widths: list[int], width: int, least: Sequence[int] | None = None) -> list[int]:
    """Shrink ``widths``, widest first, until they fit into ``width`` or reach ``least``."""
    widths = list(widths)
    lowest = least or [_MIN_WIDTH] * len(widths)
    while _total(widths) > width:
        wide = [i for i, cells in enumerate(widths) if cells > lowest[i]]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths


def _fitting(widths: Sequence[int], width: int) -> int:
    """Return how many leading columns fit, at least one."""
    ends = accumulate(widths, lambda end, cells: end + _GAP + cells)
    return max(1, sum(end <= width for end in ends))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    fitted = (set_cell_size(_cut(text, width), width) for text, width in zip(cells, widths, strict=True))
    return (" " * _GAP).join(fitted).rstrip()


def _cut(text: str, width: int) -> str:
    """Truncate ``text`` to ``width`` cells with an ellipsis, keeping a final count such as `` +2``."""
    if cell_len(text) <= width:
        return text
    count = _COUNT.search(text)
    tail = count[0] if count and len(count[0]) < width - 1 else ""
    kept = set_cell_size(text, width - len(tail) - 1)
    return f"{kept.rstrip() if tail else kept}…{tail}"


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _line_width(file: IO[str]) -> int | None:
    """Return the line width in characters; None if unlimited."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return os.get_terminal_size(file.fileno()).columns or 80 if file.isatty() else None
