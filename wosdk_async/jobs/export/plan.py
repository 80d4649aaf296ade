"""The plan of an export: what it reads and writes, so that only the same export goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.query.columns import Column

__all__ = ["ExportPlan", "described_columns"]

_WORDS = {
    "entity": "entity",
    "company": "Company",
    "expression": "conditions and properties",
    "columns": "columns",
    "format": "format",
    "limit": "limit",
    "csv_for_excel": "separator of the CSV",
}


@attrs.frozen(kw_only=True)
class ExportPlan:
    """What an export reads and writes, as plain data."""

    entity: str
    company: str
    """Identity of the Company: its name, its id and its region."""
    expression: Mapping[str, Any]
    """QueryExpression, without the bounds of pages."""
    columns: Sequence[Sequence[str]]
    """Name and type of each column."""
    format: str
    limit: int | None = None
    csv_for_excel: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as it is stored."""
        return attrs.asdict(self)

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        """Return what differs in a plan that was stored, in words: ``["conditions and properties"]``."""
        own = self.as_dict()
        return [word for name, word in _WORDS.items() if own[name] != stored.get(name)]


def described_columns(columns: Sequence[Column]) -> list[list[str]]:
    """Return name and type of each column, as JSON reads them back."""
    return [[column.name, column.type] for column in columns]
