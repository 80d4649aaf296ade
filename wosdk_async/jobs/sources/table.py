"""What a map says of the rows of a file: where the header is, cells to fill down, and rows that are none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs
import msgspec

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import FaultyCells, FileDialect, Source
from wosdk_async.text.remedies import Remedy

__all__ = ["TABLE", "Table", "TableRules", "require_table"]

TABLE = "table"
"""The option of a job that keeps the rules by which its file was read."""

KeyOf = Callable[[Mapping[str, str]], str | None]
"""Returns the key of a row, given its cells."""

_SHOWN = 20  # ranges of lines
_FOOTER = 200  # rows at the end of a file that may be a footer
_TOTAL = re.compile(
    r"(?:(?:grand|sub|sous|zwischen|gesamt|end|sum)[ -]?)?"
    r"(?:totals?|totale|totaux|totaal|sum|summe|somme|suma|gesamt|insgesamt)(?: general)?[ :=]*[0-9.,€$£% ]*",
    re.IGNORECASE,
)
"""A cell that labels a total; other ones are for ``skip_when``."""


_Rule = dict[str, str | list[str]]


def _rules(given: Any) -> tuple[Mapping[str, Sequence[str]], ...]:
    """Return conditions, of which one must hold: each is the texts that a column may have."""
    try:
        found = msgspec.convert([given] if isinstance(given, Mapping) else given, list[_Rule])
    except msgspec.ValidationError:
        found = [{}]
    if not all(found):
        raise ValueError(_SKIP_FORM.format(given))
    return tuple(
        {column: [texts] if isinstance(texts, str) else texts for column, texts in rule.items()}
        for rule in found
    )


_SKIP_FORM = 'takes texts of columns, as in {{ Status = "closed" }} or {{ Site = ["Total*", ""] }}, not {!r}'


@attrs.frozen
class TableRules:
    """Rules for the rows of a file."""

    header_row: int | None = None
    fill_down: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    """Columns in which an empty cell has the value of the cell above."""
    skip_when: tuple[Mapping[str, Sequence[str]], ...] = attrs.field(default=(), converter=_rules)
    """Conditions of which one leaves a row out: each names columns, and the texts that they may have."""

    @property
    def columns(self) -> dict[str, str]:
        """The columns that the rules need, each with the key that names it."""
        skipped = {column: "skip_when" for rule in self.skip_when for column in rule}
        return {**dict.fromkeys(self.fill_down, "fill_down"), **skipped}

    def as_options(self) -> dict[str, Any]:
        """Return the rules that are given, as a job keeps them."""
        return {TABLE: {name: value for name, value in attrs.asdict(self).items() if value}}

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> TableRules:
        """Return the rules that a job keeps."""
        try:
            return cls(**options.get(TABLE, {}))
        except (TypeError, ValueError):  # of a newer version
            raise ImportMapError(
                f"the job keeps rules for its rows that are not known here: {options[TABLE]}"
            ) from None


class Table:
    """Rows of a source as the rules of a map want them, numbered anew.

    A footer is left out, too: below the last row with a key, rows without one that a cell labels as totals.
    """

    def __init__(self, source: Source, rules: TableRules, key: KeyOf | None) -> None:
        self._source, self._rules, self._key = source, rules, key
        self._conditions = [
            {column: _condition(texts) for column, texts in rule.items()} for rule in rules.skip_when
        ]
        self._skipped, self._footer = _Lines(), _Lines()
        self.path: Path = source.path
        self.sheet: str | None = getattr(source, "sheet", None)
        self.sha256: str = getattr(source, "sha256", "")

    @classmethod
    def of(cls, source: Source, rules: TableRules, key: KeyOf | None = None) -> Source:
        """Return a source with rules; without any it is the same source."""
        needed = rules.fill_down or rules.skip_when or key is not None
        return cls(source, rules, key) if needed and not isinstance(source, cls) else source

    def __repr__(self) -> str:
        return f"<Table {self._source!r}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the source."""
        return self._source.columns

    @property
    def dialect(self) -> FileDialect | None:
        """The dialect of the source."""
        return self._source.dialect

    @property
    def empty_rows(self) -> int:
        """The empty rows of the source."""
        return self._source.empty_rows

    @property
    def notes(self) -> list[str]:
        """What people should know of the file, and which rows the last complete iteration left out."""
        return [
            *getattr(self._source, "notes", ()),
            *self._skipped.told(f"{self.path}: skip_when of the map leaves out"),
            *self._footer.told(f"{self.path}: a footer below the last row with a key is left out:"),
        ]

    def __iter__(self) -> Iterator[Row]:
        rows = iter(self._source)
        if self._rules.fill_down:
            rows = self._filled(rows)
        if self._conditions:
            rows = self._without_skipped(rows)
        return rows if self._key is None else self._without_footer(rows, self._key)

    def _without_skipped(self, rows: Iterator[Row]) -> Iterator[Row]:
        skipped = _Lines()
        number = 0
        for row in rows:
            if self._is_skipped(row):
                skipped.add(row.line)
                continue
            number += 1
            row.number = number
            yield row
        self._skipped = skipped

    def _without_footer(self, rows: Iterator[Row], key: KeyOf) -> Iterator[Row]:
        footer = _Lines()
        last: list[Row] = []
        while chunk := list(islice(rows, _FOOTER)):
            if len(chunk) == _FOOTER:
                yield from last
                last = []
            last += chunk
        end = len(last)
        while end and not self._has_key(key, last[end - 1]):
            end -= 1
        yield from last[:end]
        for row in last[end:]:
            cells = map(str.strip, dict(row.cells.items()).values())
            if any(map(_TOTAL.fullmatch, cells)):
                footer.add(row.line)
                continue
            row.number -= len(footer)
            yield row
        self._footer = footer

    def _has_key(self, key: KeyOf, row: Row) -> bool:
        """Return whether a row has a key, and not the label of a total in its place."""
        if row.fault is not None:
            return True
        try:
            text = (key(row.cells) or "").strip()
        except RowError:  # of a cell that cannot be used
            return True
        return bool(text) and not _TOTAL.fullmatch(text)

    def _is_skipped(self, row: Row) -> bool:
        """Return whether a condition leaves a row out; a row of which nobody can tell has a fault then."""
        try:
            return row.fault is None and any(
                all(holds(row.cells[column]) for column, holds in condition.items())
                for condition in self._conditions
            )
        except RowError as error:
            row.fault = f"skip_when needs its {error.message}"
            return False

    def _filled(self, rows: Iterator[Row]) -> Iterator[Row]:
        above: dict[str, str] = {}
        faults: dict[str, str] = {}  # why a cell above has no value
        for row in rows:
            if row.origin is None:  # in rejects each row has been filled
                self._fill(row, above, faults)
            yield row

    def _fill(self, row: Row, above: dict[str, str], faults: dict[str, str]) -> None:
        if row.fault is not None:
            why = f"the cell above, in line {row.line}, cannot be told, so that it cannot be filled down"
            faults.update(dict.fromkeys(self._rules.fill_down, why))
            return
        own = getattr(row.cells, "faults", {})
        cells = dict(row.cells.items())
        places = {name: place for place, name in enumerate(self.columns)}
        for column in self._rules.fill_down:
            if column in own:
                faults[column] = f"it would be filled down from line {row.line}, and there {own[column]}"
            elif cells[column].strip():
                above[column] = cells[column]
                faults.pop(column, None)
            elif column in faults:
                own = {**own, column: faults[column]}
            elif column in above:
                cells[column] = above[column]
                if row.raw_cells is not None:
                    row.raw_cells = list(row.raw_cells)
                    row.raw_cells[places[column]] = above[column]
        row.cells = FaultyCells(cells, own) if own else cells


def _condition(texts: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a cell has one of some texts, in which ``*`` stands for any; case does not matter."""
    forms = [".*".join(map(re.escape, _folded(text).split("*"))) for text in texts]
    pattern = re.compile("|".join(forms), re.DOTALL)
    return lambda cell: pattern.fullmatch(_folded(cell)) is not None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


class _Lines:
    """Lines of a file in ranges, of which the first are kept."""

    def __init__(self) -> None:
        self._count = 0
        self._ranges: list[list[int]] = []

    def __len__(self) -> int:
        return self._count

    def add(self, line: int) -> None:
        """Add a line after the others."""
        self._count += 1
        if self._ranges and self._ranges[-1][1] == line - 1:
            self._ranges[-1][1] = line
        elif len(self._ranges) <= _SHOWN:
            self._ranges.append([line, line])

    def told(self, what: str) -> list[str]:
        """Return a text that lists the lines, if there are any."""
        if not self._count:
            return []
        shown = [f"{first}-{last}" if last > first else str(first) for first, last in self._ranges[:_SHOWN]]
        more = ", ..." if len(self._ranges) > _SHOWN else ""
        rows, lines = ("1 row", "line") if self._count == 1 else (f"{self._count} rows", "lines")
        return [f"{what} {rows}, {lines} {', '.join(shown)}{more}"]


def require_table(source: Source, rules: TableRules, wanted: Mapping[str, str]) -> None:
    """Raise ImportMapError for another header than the map names, and for merged cells that it reads.

    Args:
        source: the file.
        rules: what the map says of its rows.
        wanted: the columns that the map reads.
    """
    line = getattr(source, "header_line", None)
    if rules.header_row not in (None, line) and not getattr(source, "is_of_rejects", False):
        raise ImportMapError(
            f"{source.path}: header_row of the map is {rules.header_row}, and the file was read otherwise",
            remedies=(Remedy.HEADER_ROW,),
            line=rules.header_row,
        )
    merged = [
        (cells, column)
        for cells, column in getattr(source, "merged", ())
        if column in wanted and column not in rules.fill_down
    ]
    if merged:
        cells, column = merged[0]
        sheet = getattr(source, "sheet", None)
        others = f" (and {len(merged) - 1} more of such ranges)" if len(merged) > 1 else ""
        raise ImportMapError(
            f"{source.path}: the cells {cells} of the sheet {sheet!r} are merged{others}; the first row "
            f'has the value: write fill_down = ["{column}"] in the map, or unmerge them and fill in the rows'
        )
