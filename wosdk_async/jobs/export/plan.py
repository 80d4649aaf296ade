"""The plan of an export: what it reads and writes, so that only the same export goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.query.columns import Column
from wosdk_async.safe_text import one_line, shortened

__all__ = ["ExportPlan", "described_columns"]

_LONGEST = 200  # characters of a value in a message


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
    csv_raw: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as it is stored."""
        return attrs.asdict(self)

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        """Return what differs in a plan that was stored: ``["properties: Number, and now *"]``."""
        mine, theirs = _facts(self.as_dict()), _facts(stored)
        found = [
            f"{name}: {_shown(theirs[name])}, and now {_shown(value)}"
            for name, value in mine.items()
            if value != theirs[name]
        ]
        if not found and self.columns != stored.get("columns"):
            found.append("columns: those of another version of this package")
        return found


def _facts(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides the rows and their form, by the words of messages: each field but ``columns``."""
    expression = plan.get("expression") or {}
    return {
        "entity": plan.get("entity"),
        "Company": plan.get("company"),
        "properties": (expression.get("PropertySet") or {}).get("Properties"),
        "conditions": expression.get("Criteria"),
        "format": plan.get("format"),
        "limit": plan.get("limit"),
        "separator of the CSV": plan.get("csv_for_excel"),
        "texts of the CSV": "raw" if plan.get("csv_raw") else "safe for spreadsheets",
    }


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shortened(one_line(text), _LONGEST)


def described_columns(columns: Sequence[Column]) -> list[list[str]]:
    """Return name and type of each column, as JSON reads them back."""
    return [[column.name, column.type] for column in columns]
