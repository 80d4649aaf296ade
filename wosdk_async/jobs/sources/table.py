"""Source that applies a map's table rules: it fills down cells, and skips rows and footers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Literal, Protocol

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import FaultyCells, FileDialect, Source
from wosdk_async.jobs.sources.table_rules import TableRules


class RowKey(Protocol):
    """Template of a row key."""

    @property
    def columns(self) -> frozenset[str]:
        """Columns that the key reads."""

    def fill(self, cells: Mapping[str, str]) -> str | None:
        """Return a row's key, or None if the key is empty."""


_Kind = Literal["record", "lone key", "total", "no key"]

_SHOWN = 20  # line ranges in a note
_QUOTED = 8  # rows in a note
_TEXT = 60  # characters of a cell in a note
_FOOTER = 200  # maximum rows of a footer
_USUAL = 0.75  # share of the records that fill a usual column
_WORDS = (
    r"(?=[egistz])(?:(?:grand|sub|sous|zwischen|gesamt|end|sum)[ -]?)?"
    r"(?:total(?:s|e|es|i)?|totaux|totaal|sum|summe|somme|suma|gesamt|insgesamt)"
)
_TOTAL = re.compile(
    rf"{_WORDS}(?:\s+g[eé]n[eé]rale?)?(?:[\s:=]+[0-9.,€$£%\s]*)?(?:\(.*\))?", re.IGNORECASE | re.DOTALL
)
_MAYBE_TOTAL = re.compile(rf"{_WORDS}(?:[\s:=(].*)?", re.IGNORECASE | re.DOTALL)
"""Texts that may label a total; ``Total Energies`` counts as a name if its row has no empty cells."""


class Table:
    """Source with table rules and renumbered rows.

    A record is a row with a key and another non-blank cell. Totals below the last record are skipped as a
    footer. But a total counts as a record if it fills the columns that most records fill, and contains a word
    besides its label. Notes warn about other totals, and about rows below the last record that have only a
    key.
    """

    def __init__(self, source: Source, rules: TableRules, key: RowKey | None) -> None:
        self._source, self._rules, self._key = source, rules, key
        self._conditions = [
            {column: _condition(texts) for column, texts in rule.items()} for rule in rules.skip_when
        ]
        self._skipped, self._footer = _LineRanges(), _QuestionableRows()
        self._totals, self._lone_keys = _QuestionableRows(), _QuestionableRows()
        self.path: Path = source.path
        self.columns: tuple[str, ...] = source.columns
        self.dialect: FileDialect | None = source.dialect
        self.sheet: str | None = getattr(source, "sheet", None)
        self.sha256: str = getattr(source, "sha256", "")

    @classmethod
    def of(cls, source: Source, rules: TableRules, key: RowKey | None = None) -> Source:
        """Wrap a source if there are rules or a key."""
        needed = rules.fill_down or rules.skip_when or key is not None
        return cls(source, rules, key) if needed and not isinstance(source, cls) else source

    @property
    def empty_rows(self) -> int:
        """Number of the source's empty rows."""
        return self._source.empty_rows

    @property
    def notes(self) -> list[str]:
        """Warnings about the file and, after a complete iteration, about skipped and questionable rows."""
        return [
            *getattr(self._source, "notes", ()),
            *self._skipped.describe(f"{self.path}: skip_when skips"),
            *self._footer.describe_footer(self.path),
            *self._totals.describe(self.path, "labelled as a total"),
            *self._lone_keys.describe(self.path, "at the end with only a key"),
        ]

    def __iter__(self) -> Iterator[Row]:
        rows = iter(self._source)
        if self._rules.fill_down:
            rows = self._filled(rows)
        if self._conditions:
            rows = self._without_skipped(rows)
        return rows if self._key is None else self._without_footer(rows, self._key)

    def _without_skipped(self, rows: Iterator[Row]) -> Iterator[Row]:
        skipped = _LineRanges()
        number = 0
        for row in rows:
            if self._is_skipped(row):
                skipped.add(row.line)
                continue
            number += 1
            row.number = number
            yield row
        self._skipped = skipped

    def _without_footer(self, rows: Iterator[Row], key: RowKey) -> Iterator[Row]:
        footer, totals, lone_keys = _QuestionableRows(), _QuestionableRows(), _QuestionableRows()
        columns = [each for each in self.columns if each in key.columns]
        last: list[Row] = []
        while chunk := list(islice(rows, _FOOTER)):
            if len(chunk) == _FOOTER:
                for row in last:
                    if (column := _total_in(row, columns)) is not None:
                        totals.add(row, column)
                yield from last
                last = []
            last += chunk
        kinds = self._kinds(last, key)
        end = _end_of(kinds, "record") or _end_of(kinds, "lone key")
        for index, (row, kind) in enumerate(zip(last, kinds, strict=True)):
            if kind == "total" and index >= end:
                footer.add(row, next(name for name, cell in _stripped(row).items() if _may_be_total(cell)))
                continue
            row.number -= footer.count
            totals.add(row, _total_in(row, columns))
            if kind == "lone key" and index >= end:
                lone_keys.add(row, next(filter(_stripped(row).get, columns), None))
            yield row
        self._footer, self._totals, self._lone_keys = footer, totals, lone_keys

    def _kinds(self, rows: Sequence[Row], key: RowKey) -> list[_Kind]:
        """Return the kinds of rows.

        A row labelled as a total counts as a record if it fills all usual columns and another cell is a word.
        """
        kinds = [self._kind(row, key) for row in rows]
        own = {*self.columns} - key.columns - {*self._rules.fill_down, ""}
        filled = [
            {name: cell for name, cell in _stripped(row).items() if cell and name in own} for row in rows
        ]
        records = [each for each, kind in zip(filled, kinds, strict=True) if kind == "record"]
        counts = Counter(chain.from_iterable(records))
        usual = {name for name in own if counts[name] >= _USUAL * len(records)}
        return [
            "record"
            if kind == "total" and usual <= each.keys() and any(map(_is_word, each.values()))
            else kind
            for each, kind in zip(filled, kinds, strict=True)
        ]

    def _kind(self, row: Row, key: RowKey) -> _Kind:
        if row.fault is not None:
            return "record"
        try:
            has_key = (key.fill(row.cells) or "").strip() != ""
        except RowError:  # raised for an unusable cell
            return "record"
        cells = _stripped(row)
        if any(_TOTAL.fullmatch(cells[each]) for each in (key.columns if has_key else cells)):
            return "total"
        if not has_key:
            return "no key"
        others = [cells[each] for each in cells.keys() - key.columns - {*self._rules.fill_down}]
        if not all(others) and _total_in(row, key.columns) is not None:
            return "total"
        return "record" if any(others) else "lone key"

    def _is_skipped(self, row: Row) -> bool:
        """Return whether any skip condition matches a row; an unusable cell becomes the row's fault."""
        try:
            return row.fault is None and any(
                all(holds(row.cells[column]) for column, holds in condition.items())
                for condition in self._conditions
            )
        except RowError as error:
            row.fault = f"skip_when reads an unusable cell: {error.message}"
            return False

    def _filled(self, rows: Iterator[Row]) -> Iterator[Row]:
        above: dict[str, str] = {}
        faults: dict[str, str] = {}  # columns whose cell above is unusable, and why
        for row in rows:
            if row.origin is None:  # rows of rejects are already filled
                self._fill(row, above, faults)
            yield row

    def _fill(self, row: Row, above: dict[str, str], faults: dict[str, str]) -> None:
        if row.fault is not None:
            why = f"cannot be filled down, because line {row.line} above does not fit the header"
            faults.update(dict.fromkeys(self._rules.fill_down, why))
            return
        own_faults = getattr(row.cells, "faults", {})
        cells = dict(row.cells.items())
        for column in self._rules.fill_down:
            if column in own_faults:
                faults[column] = f"cannot be filled down from line {row.line} above: {own_faults[column]}"
            elif cells[column].strip():
                above[column] = cells[column]
                faults.pop(column, None)
            elif column in faults:
                own_faults = {**own_faults, column: faults[column]}
            elif column in above:
                cells[column] = above[column]
                if row.raw_cells is not None:
                    row.raw_cells = list(row.raw_cells)
                    row.raw_cells[self.columns.index(column)] = above[column]
        row.cells = FaultyCells(cells, own_faults) if own_faults else cells


def _condition(texts: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate for cells that match one of the texts, ignoring case; ``*`` is a wildcard."""
    forms = [".*".join(map(re.escape, _folded(text).split("*"))) for text in texts]
    pattern = re.compile("|".join(forms), re.DOTALL)
    return lambda cell: pattern.fullmatch(_folded(cell)) is not None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _stripped(row: Row) -> dict[str, str]:
    """Return a row's stripped cells, including unusable ones."""
    return {column: cell.strip() for column, cell in row.cells.items()}


def _total_in(row: Row, columns: Iterable[str]) -> str | None:
    """Return the first column whose cell may label a total."""
    try:
        for each in columns:  # not a generator, because this runs for every row
            if _may_be_total(row.cells.get(each, "").strip()):
                return each
    except RowError:  # raised for an unusable cell
        pass
    return None


_may_be_total = _MAYBE_TOTAL.fullmatch


def _is_word(cell: str) -> bool:
    """Return whether a cell is neither a sum nor the label of a total."""
    return any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell)) and not _may_be_total(cell)


def _end_of(kinds: Sequence[_Kind], kind: _Kind) -> int:
    return max((index for index, each in enumerate(kinds, 1) if each == kind), default=0)


class _QuestionableRows:
    def __init__(self) -> None:
        self.count = 0
        self._quoted: list[tuple[int, str, str]] = []

    def add(self, row: Row, column: str | None) -> None:
        """Add a row and the column that makes the row questionable; do nothing if ``column`` is None."""
        if column is not None:
            self.count += 1
            if len(self._quoted) < _QUOTED:
                self._quoted.append((row.line, column, _short(dict(row.cells.items())[column])))

    def describe(self, path: Path, what: str) -> list[str]:
        if not self.count:
            return []
        rows, are, them = ("1 row", "is", "it") if self.count == 1 else (f"{self.count} rows", "are", "them")
        rules = dict.fromkeys(f"{{ {_toml(column)} = {_toml(text)} }}" for _, column, text in self._quoted)
        return [
            f"{path}: {rows} {what} {are} not skipped: {self._lines()}; to skip {them}, add "
            f"skip_when = [{', '.join(rules)}] to the map"
        ]

    def describe_footer(self, path: Path) -> list[str]:
        if not self.count:
            return []
        one, many = "row looks like a total and is", f"{self.count} rows look like totals and are"
        return [f"{path}: the last {one if self.count == 1 else many} skipped: {self._lines()}"]

    def _lines(self) -> str:
        lines = ", ".join(f"line {line} {text!r}" for line, _, text in self._quoted)
        return f"{lines}, ..." if self.count > len(self._quoted) else lines


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}*"


_toml = partial(json.dumps, ensure_ascii=False)


class _LineRanges:
    def __init__(self) -> None:
        self._count = 0
        self._ranges: list[list[int]] = []

    def add(self, line: int) -> None:
        """Append a line number, which must be greater than the others."""
        self._count += 1
        if self._ranges and self._ranges[-1][1] == line - 1:
            self._ranges[-1][1] = line
        elif len(self._ranges) <= _SHOWN:
            self._ranges.append([line, line])

    def describe(self, what: str) -> list[str]:
        if not self._count:
            return []
        shown = [f"{first}-{last}" if last > first else str(first) for first, last in self._ranges[:_SHOWN]]
        more = ", ..." if len(self._ranges) > _SHOWN else ""
        rows, lines = ("1 row", "line") if self._count == 1 else (f"{self._count} rows", "lines")
        return [f"{what} {rows}, {lines} {', '.join(shown)}{more}"]
