"""Table rules of a map, which control how rows are read, and checks of a file against them."""

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
"""Job option that stores the table rules."""

_Rule = dict[str, str | list[str]]


def _rules(conditions: Any) -> tuple[Mapping[str, Sequence[str]], ...]:
    """Validate and normalize ``skip_when``."""
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


_SKIP_FORM = 'takes column values, as in {{ Status = "closed" }} or {{ Site = ["Total*", ""] }}, not {!r}'


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
        except (TypeError, ValueError):  # from a newer version
            raise ImportMapError(
                f"the job has table rules that this version does not support: {options[TABLE]}; upgrade "
                "wosdk_async"
            ) from None


def require_table(source: Source, rules: TableRules, wanted: Mapping[str, str]) -> None:
    """Raise ImportMapError if the file's header line does not match the map, or the map reads merged cells.

    Args:
        source: the file.
        rules: the map's table rules.
        wanted: the columns that the map reads.
    """
    line = getattr(source, "header_line", None)
    if rules.header_row not in (None, line) and not getattr(source, "is_of_rejects", False):
        raise ImportMapError(
            f"{source.path}: the map sets header_row = {rules.header_row}, but the header is in another line",
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
            f"{source.path}: cells {cells} in sheet {sheet!r} are merged{others}, so only the first row has "
            f'a value; add fill_down = ["{column}"] to the map, or unmerge the cells and fill in all rows'
        )
