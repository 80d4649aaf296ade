"""Rows of a file, and typed cells: numbers, times and booleans."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

__all__ = ["TYPES_COLUMN", "CellType", "Row", "TypedCell", "types_text", "with_types"]


@attrs.define
class Row:
    """One row of a file."""

    number: int
    """Its number among the rows that are not empty, from 1."""
    line: int
    """The line of the file in which it starts."""
    cells: Mapping[str, str]
    fault: str | None = None
    """Why the row does not fit the header."""
    warnings: list[str] = attrs.field(factory=list)
    """Warnings about the row that do not prevent its sending."""
    raw_cells: Sequence[str] | None = None
    """The cells in the file, if ``cells`` is incomplete: with a wrong number of cells, or columns without a
    name."""
    origin: tuple[str, str] | None = None
    """Its cells in ``_job`` and ``_row``, in a file that has these columns: a file of rejects."""

    known_cells: Mapping[str, str] | Sequence[str] | None = None
    """Cells by which a ledger identifies the row, if an earlier version read others."""

    def original(self, columns: Sequence[str]) -> list[str]:
        """Return the cells in the file, for ``columns`` of its source."""
        if self.raw_cells is not None:
            return list(self.raw_cells)
        values = dict(self.cells.items())  # also of cells that cannot be used
        return [values.get(column, "") for column in columns]


CellType = Literal["number", "time", "boolean"]

_TYPES: tuple[CellType, ...] = ("number", "time", "boolean")

_CURRENCY = "currency"  # beside the types

TYPES_COLUMN = "_types"
"""Column of rejected rows that names their typed cells in the input, with their texts."""


class TypedCell(str):
    """A typed cell as text: a number with a point, a time in ISO 8601, ``true`` or ``false``.

    The formats of the map do not apply to it, only to texts.
    """

    __slots__ = ("_currency", "type", "was")

    type: CellType
    was: str
    """The text that the import wrote into its rejects; ``self`` unless it was edited there."""
    _currency: str

    def __new__(cls, text: str, type: CellType, *, was: str | None = None, currency: str = "") -> TypedCell:
        """Return a typed cell."""
        cell = super().__new__(cls, text)
        cell.type, cell.was, cell._currency = type, text if was is None else was, currency
        return cell

    @property
    def shown(self) -> str:
        """The text that the format of the cell shows next to its digits."""
        return self.currency.removeprefix('"')

    @property
    def edited(self) -> bool:
        """Whether the text was edited in a rejected row, so that it may have the map's format now."""
        return self != self.was

    @property
    def currency(self) -> str:
        """Currency sign in the cell's format, or its other text after a quote; empty for an edited amount."""
        return self._currency if _digits(self) == _digits(self.was) else ""


def _digits(amount: str) -> str:
    return re.sub(r"\D", "", amount).strip("0")  # a spreadsheet may save 12.5 as 12,50


def types_text(cells: Mapping[str, str]) -> str:
    """Return the typed cells, for :data:`TYPES_COLUMN`: ``{"number": {"limit": "1.234"}}``."""
    found: dict[str, dict[str, str]] = {}
    for column, cell in cells.items():
        if isinstance(cell, TypedCell):
            found.setdefault(cell.type, {})[column] = cell.was
            if cell._currency:
                found.setdefault(_CURRENCY, {})[column] = cell._currency
    return json.dumps(found) if found else ""


def with_types(cells: Mapping[str, str], types: str) -> dict[str, str]:
    """Return the cells of a rejected row, typed as in the input.

    Args:
        cells: the cells as texts, possibly corrected.
        types: what :func:`types_text` wrote for the row.

    Raises:
        ValueError: ``types`` is not what an import wrote.
    """
    if not types.strip():
        return dict(cells)
    try:
        texts_by_type = json.loads(types)
        currencies = texts_by_type.get(_CURRENCY, {})
        found = {
            column: TypedCell(cells[column], kind, was=str(text), currency=str(currencies.get(column, "")))
            for kind, texts in texts_by_type.items()
            for column, text in texts.items()
            if column in cells and kind in _TYPES
        }
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(
            f"its cell in {TYPES_COLUMN} was changed; copy it from the first file, or empty "
            "it if all cells of the row are texts"
        ) from None
    return {**cells, **found}
