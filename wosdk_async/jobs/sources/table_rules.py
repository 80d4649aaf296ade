"""Rules of a map for the rows of its file, and the header that both must have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.source import Source
from wosdk_async.text.remedies import Remedy

__all__ = ["TABLE", "TableRules", "require_table"]

TABLE = "table"
"""Option of a job with the rules for reading its file."""

_Rule = dict[str, str | list[str]]


def _rules(conditions: Any) -> tuple[Mapping[str, Sequence[str]], ...]:
    """Return the conditions of ``skip_when``."""
    try:
        found = msgspec.convert([conditions] if isinstance(conditions, Mapping) else conditions, list[_Rule])
    except msgspec.ValidationError:
        found = [{}]
    if not all(found):
        raise ValueError(_SKIP_FORM.format(conditions))
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
    """Conditions, any of which skips a row: each has columns, and their texts."""

    @property
    def columns(self) -> dict[str, str]:
        """The columns that the rules need, each with the key of the map that names it."""
        skipped = {column: "skip_when" for rule in self.skip_when for column in rule}
        return {**dict.fromkeys(self.fill_down, "fill_down"), **skipped}

    def as_options(self) -> dict[str, Any]:
        """Return the rules as options of a job."""
        return {TABLE: {name: value for name, value in attrs.asdict(self).items() if value}}

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> TableRules:
        """Return the rules in the options of a job."""
        try:
            return cls(**options.get(TABLE, {}))
        except (TypeError, ValueError):  # of a newer version
            raise ImportMapError(
                f"the job has row rules that this version does not know: {options[TABLE]}"
            ) from None


def require_table(source: Source, rules: TableRules, wanted: Mapping[str, str]) -> None:
    """Raise ImportMapError for another header than that of the map, and for merged cells that the map reads.

    Args:
        source: the file.
        rules: the rules of the map for its rows.
        wanted: the columns that the map reads.
    """
    line = getattr(source, "header_line", None)
    if rules.header_row not in (None, line) and not getattr(source, "is_of_rejects", False):
        raise ImportMapError(
            f"{source.path}: header_row of the map is {rules.header_row}, but the file has another header",
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
        others = f" (and {len(merged) - 1} more)" if len(merged) > 1 else ""
        raise ImportMapError(
            f"{source.path}: the cells {cells} of the sheet {sheet!r} are merged{others}; the first row "
            f'has the value: write fill_down = ["{column}"] in the map, or unmerge them and fill in the rows'
        )
