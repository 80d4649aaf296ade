"""Rows and typed cells, which are numbers, times or booleans."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec


class Row(msgspec.Struct):
    """Row of a file."""

    number: int
    """Row number from 1, not counting empty rows."""
    line: int
    """Number of the line in which the row starts."""
    cells: Mapping[str, str]
    fault: str | None = None
    """Reason why the row cannot be used; None for a usable row."""
    warnings: list[str] = msgspec.field(default_factory=list)
    """Warnings that do not prevent sending the row."""
    raw_cells: Sequence[str] | None = None
    """Cells as in the file, if the row does not fit the header or a column has no name; otherwise None."""
    fits: bool = True
    """Whether the cells match the columns of the header."""
    origin: tuple[str, str] | None = None
    """Cells in ``_job`` and ``_row``, for a row of a rejects file."""

    def original(self, columns: Sequence[str]) -> list[str]:
        """Return the cells as in the file, in the order of the source's ``columns``."""
        if self.raw_cells is not None:
            return list(self.raw_cells)
        values = dict(self.cells.items())  # items() includes unusable cells
        return [values.get(column, "") for column in columns]


CellType = Literal["number", "time", "boolean"]

_CURRENCY = "currency"  # key for currencies in TYPES_COLUMN, in which the other keys are types

TYPES_COLUMN = "_types"
"""Column of a rejects file, with the types and texts that the row's typed cells had in the input."""


class TypedCell(str):
    """Text of a typed cell: a number with a decimal point, an ISO 8601 time, ``true`` or ``false``."""

    __slots__ = ("_currency", "type", "was")

    type: CellType
    was: str
    """Text that the import wrote to its rejects; it differs from ``self`` if the user has edited the cell."""
    _currency: str

    def __new__(cls, text: str, type: CellType, *, was: str | None = None, currency: str = "") -> TypedCell:
        """Return a typed cell."""
        cell = super().__new__(cls, text)
        cell.type, cell.was, cell._currency = type, text if was is None else was, currency
        return cell

    @property
    def shown(self) -> str:
        """Text that the cell format shows next to the digits."""
        return self.currency.removeprefix('"')

    @property
    def currency(self) -> str:
        """Currency sign in the cell format, or other text after a ``"``; empty if the amount was edited."""
        return self._currency if _digits(self) == _digits(self.was) else ""


def _digits(amount: str) -> str:
    return re.sub(r"\D", "", amount).strip("0")  # a spreadsheet may save 12.5 as 12,50


def types_text(cells: Mapping[str, str]) -> str:
    """Serialize typed cells for :data:`TYPES_COLUMN`, as in ``{"number": {"limit": "1.234"}}``."""
    found: dict[str, dict[str, str]] = {}
    for column, cell in cells.items():
        if isinstance(cell, TypedCell):
            found.setdefault(cell.type, {})[column] = cell.was
            if cell._currency:
                found.setdefault(_CURRENCY, {})[column] = cell._currency
    return json.dumps(found) if found else ""


def with_types(cells: Mapping[str, str], types: str) -> dict[str, str]:
    """Restore the cell types of a rejected row. Raise ValueError if ``types`` is invalid."""
    if not types.strip():
        return dict(cells)
    try:
        texts_by_type = json.loads(types)
        currencies = texts_by_type.get(_CURRENCY, {})
        found = {
            column: TypedCell(cells[column], kind, was=str(text), currency=str(currencies.get(column, "")))
            for kind, texts in texts_by_type.items()
            for column, text in texts.items()
            if column in cells and kind in get_args(CellType)
        }
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(
            f"the cell in {TYPES_COLUMN} is invalid; copy the cell from the original rejects file, or clear "
            "the cell if the row has no numbers, times or booleans"
        ) from None
    return {**cells, **found}
