"""Cells that are values in the file and not texts: numbers, times and truth values of sheets and Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

__all__ = ["TYPES_COLUMN", "CellType", "TypedCell", "types_text", "with_types"]

CellType = Literal["number", "time", "boolean"]

_TYPES: tuple[CellType, ...] = ("number", "time", "boolean")

TYPES_COLUMN = "_types"
"""Column of rejected rows that says which of their cells were values in the input, and as which texts."""


class TypedCell(str):
    """A value of the file as text: a number with a point, a time in ISO 8601, ``true`` or ``false``.

    The map's marks and formats say how texts are written, so they do not hold for it.
    """

    __slots__ = ("type", "was")

    type: CellType
    was: str
    """The text that the import wrote among its rejects; ``self`` unless somebody changed it there."""

    def __new__(cls, text: str, type: CellType, *, was: str | None = None) -> TypedCell:
        """Return the cell of a value."""
        cell = super().__new__(cls, text)
        cell.type, cell.was = type, text if was is None else was
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
        found = {
            column: TypedCell(cells[column], kind, was=str(text))
            for kind, texts in json.loads(types).items()
            for column, text in texts.items()
            if column in cells and kind in _TYPES
        }
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(
            f"its cell in {TYPES_COLUMN} is not what the import wrote; take it from the first file, or empty "
            "it if all cells of the row are texts"
        ) from None
    return {**cells, **found}
