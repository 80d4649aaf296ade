"""Table rules of a map, which say how to read rows, and checks of a file against the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import Any

import attrs
import msgspec

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.source import Source
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

TABLE = "table"
"""Job option that stores the table rules."""

_Rule = dict[str, str | list[str]]


_SKIP_FORM = 'takes column values, as in {{ Status = "closed" }} or {{ Site = ["Total*", ""] }}, not {!r}'


def _rules(conditions: Any) -> tuple[Mapping[str, Sequence[str]], ...]:
    try:
        rules = msgspec.convert([conditions] if isinstance(conditions, Mapping) else conditions, list[_Rule])
    except msgspec.ValidationError:
        rules = [{}]
    if not all(rules):
        raise ValueError(_SKIP_FORM.format(conditions))
    return tuple(
        {column: [texts] if isinstance(texts, str) else texts for column, texts in rule.items()}
        for rule in rules
    )


@attrs.frozen
class TableRules:
    """Rules for reading a file's rows."""

    header_row: int | None = None
    fill_down: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    """Columns in which empty cells repeat the value above."""
    skip_when: tuple[Mapping[str, Sequence[str]], ...] = attrs.field(default=(), converter=_rules)
    """Conditions, any of which skips a row. Each maps columns to values."""

    @property
    def columns(self) -> dict[str, str]:
        """Columns that the rules read, with the map keys that name them."""
        skipped = {column: "skip_when" for rule in self.skip_when for column in rule}
        return {**dict.fromkeys(self.fill_down, "fill_down"), **skipped}

    def as_options(self) -> dict[str, Any]:
        """Return the rules as job options."""
        return {TABLE: {name: value for name, value in attrs.asdict(self).items() if value}}

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> TableRules:
        """Restore the rules from job options."""
        try:
            return cls(**options.get(TABLE, {}))
        except (TypeError, ValueError):  # a newer version stored the rules
            raise ImportMapError(
                f"the job has table rules that this version does not support: {options[TABLE]}; upgrade "
                "wosdk_async"
            ) from None


def require_table(source: Source, rules: TableRules, wanted: Mapping[str, str]) -> None:
    """Raise ImportMapError if the file does not fit the map; ``wanted`` is as in :func:`require_columns`."""
    line = getattr(source, "header_line", None)
    if rules.header_row not in (None, line) and not getattr(source, "is_of_rejects", False):
        where, remedy = "the header is on another line", Remedy.HEADER_ROW
        if line is None:
            where, remedy = "files of this format have no header row", Remedy.NO_HEADER_ROW
        raise ImportMapError(
            f"{source.path}: the map sets header_row = {rules.header_row}, but {where}",
            remedies=(remedy,),
            line=rules.header_row,
        )
    read = wanted.keys() - set(rules.fill_down)
    if merged := [each for each in getattr(source, "merged", ()) if each[1] in read]:
        sheet, (cells, column) = getattr(source, "sheet", None), merged[0]
        others = f" (and {len(merged) - 1} more)" if len(merged) > 1 else ""
        raise ImportMapError(
            f"{source.path}: cells {cells} in sheet {sheet!r} are merged{others}, so only the first row has "
            f'a value; add fill_down = ["{column}"] to the map, or unmerge the cells and fill in all rows'
        )
    require_columns(source, wanted)


PLACEHOLDER = "ADAPT"
"""Placeholder column in draft maps."""

_TOP = 50  # rows to search for a header
_DELIMITERS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
"""Common delimiters and their names, quoted as on a command line."""
_FIXED = 'For a fixed record, write { id = 12 } instead of "@name" and delete the table [reference.name]. '


def require_columns(source: Source, columns: Mapping[str, str]) -> None:
    """Raise ImportMapError if the file lacks a column; ``columns`` maps names to their places in the map."""
    missing = next((name for name in columns if name not in source.columns), None)
    if missing is None:
        return
    place, names = columns[missing], ", ".join(filter(None, source.columns))
    hint, facts = suggestion(missing, source.columns) or ".", dict[str, Any]()
    if (line := likely_header_line(source, columns.keys())) is not None:
        hint, facts = (
            f": line {line} looks like the header.",
            {"remedies": (Remedy.HEADER_ROW,), "line": line},
        )
    elif better := likely_delimiter(source, columns.keys()):
        hint, facts = ".", {"remedies": (Remedy.DELIMITER,), "delimiter": better.strip("'")}
    if missing == PLACEHOLDER:
        raise ImportMapError(
            f"replace {{{PLACEHOLDER}}} in {place} with a {{column}} or a fixed value. "
            f"{_FIXED if 'reference.' in place else ''}Columns of {source.path}: {names}",
            **facts,
        )
    raise ImportMapError(
        f"{source.path}: no column {missing!r}, which {place} uses{hint} The file's columns are: {names}",
        **facts,
    )


def likely_header_line(source: Source, wanted: Set[str] | None = None) -> int | None:
    """Return the line near the top with the most non-blank cells, or the most ``wanted`` ones if given.

    Return the first line on a tie, or None if the header has as many.
    """

    def score(cells: Sequence[str]) -> int:
        return sum(map(bool, cells)) if wanted is None else len(wanted & {*cells})

    best, best_score = None, score(source.columns)
    for row in islice(source, _TOP):
        row_score = score([cell.strip() for cell in row.original(source.columns)])
        if row_score > best_score:
            best, best_score = row.line, row_score
    return best


def likely_delimiter(source: Source, wanted: Set[str] = frozenset()) -> str | None:
    """Return the quoted name of a delimiter that would find more ``wanted`` columns, or else more columns.

    Return None if there is none.
    """
    if source.dialect is None:
        return None
    current = source.dialect.delimiter
    header = current.join(source.columns)

    def score(delimiter: str) -> tuple[int, int]:
        cells = {cell.strip().strip('"') for cell in header.split(delimiter)}
        return len(wanted & cells), header.count(delimiter)

    best = max(_DELIMITERS, key=score)
    return _DELIMITERS[best] if best != current and score(best) > score(current) else None
