"""Rows of a file, and cells that are values and not texts: numbers, times and truth values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

__all__ = ["TYPES_COLUMN", "CellType", "Row", "TypedCell", "types_text", "with_types"]


@attrs.define
class Row:
    """One row of a file."""

    number: int
    """Its place among the rows that are not empty, from 1."""
    line: int
    """The line of the file in which it starts."""
    cells: Mapping[str, str]
    fault: str | None = None
    """Why the row does not fit the header."""
    warnings: list[str] = attrs.field(factory=list)
    """What the import has to say about the row although it is created."""
    raw_cells: Sequence[str] | None = None
    """The cells as they are in the file, where ``cells`` does not say everything: a wrong number of
    cells, or columns without a name."""
    origin: tuple[str, str] | None = None
    """Its cells in ``_job`` and ``_row``, in a file that has these columns: a file of rejects."""

    known_cells: Mapping[str, str] | Sequence[str] | None = None
    """Cells by which a ledger knows the row, where an earlier version read others."""

    def original(self, columns: Sequence[str]) -> list[str]:
        """Return the cells as they are in the file, for ``columns`` of its source."""
        if self.raw_cells is not None:
            return list(self.raw_cells)
        values = dict(self.cells.items())  # also of cells that cannot be used
        return [values.get(column, "") for column in columns]


CellType = Literal["number", "time", "boolean"]

_TYPES: tuple[CellType, ...] = ("number", "time", "boolean")

_CURRENCY = "currency"  # beside the types

TYPES_COLUMN = "_types"
"""Column of rejected rows that says which of their cells were values in the input, and as which texts."""


class TypedCell(str):
    """A value of the file as text: a number with a point, a time in ISO 8601, ``true`` or ``false``.

    The map's marks and formats say how texts are written, so they do not hold for it.
    """

    __slots__ = ("currency", "type", "was")

    type: CellType
    was: str
    """The text that the import wrote among its rejects; ``self`` unless somebody changed it there."""
    currency: str
    """Sign or code of the currency that only the format of the cell shows; empty for other values."""

    def __new__(cls, text: str, type: CellType, *, was: str | None = None, currency: str = "") -> TypedCell:
        """Return the cell of a value."""
        cell = super().__new__(cls, text)
        cell.type, cell.was, cell.currency = type, text if was is None else was, currency
        return cell

    @property
    def edited(self) -> bool:
        """Whether somebody changed the text of a rejected row: it may be meant in the map's format now."""
        return self != self.was


def types_text(cells: Mapping[str, str]) -> str:
    """Return which cells are values, for :data:`TYPES_COLUMN`: ``{"number": {"limit": "1.234"}}``."""
    found: dict[str, dict[str, str]] = {}
    for column, cell in cells.items():
        if isinstance(cell, TypedCell):
            found.setdefault(cell.type, {})[column] = cell.was
            if cell.currency:
                found.setdefault(_CURRENCY, {})[column] = cell.currency
    return json.dumps(found) if found else ""


def with_types(cells: Mapping[str, str], types: str) -> dict[str, str]:
    """Return cells of a rejected row, with those as values that were values in the input.

    Args:
        cells: the cells as texts; somebody may have corrected them.
        types: what :func:`types_text` wrote for the row.

    Raises:
        ValueError: ``types`` is not what an import wrote.
    """
    if not types.strip():
        return dict(cells)
    try:
        known = json.loads(types)
        currencies = known.get(_CURRENCY, {})
        found = {
            column: TypedCell(cells[column], kind, was=str(text), currency=str(currencies.get(column, "")))
            for kind, texts in known.items()
            for column, text in texts.items()
            if column in cells and kind in _TYPES
        }
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(
            f"its cell in {TYPES_COLUMN} is not what the import wrote; take it from the first file, or empty "
            "it if all cells of the row are texts"
        ) from None
    return {**cells, **found}
