"""The parts of a filter of a query, and how they are joined."""

from __future__ import annotations

from typing import Any

from .body import pick
from .errors import incorrect_model
from .shape import enumeration

__all__ = ["joined", "joiner_of", "objects"]


def objects(container: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A member that is a list of objects, or nothing.

    Raises:
        Refusal: ``INCORRECT_MODEL``.
    """
    found = pick(container, name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise incorrect_model(f"{name} must be a list of objects.")
    return found


def joiner_of(operator: object) -> str:
    """The word of SQL for a ``FilterOperator``.

    Raises:
        Refusal: ``INCORRECT_MODEL``.
    """
    if operator is None:
        return "AND"  # the enum's first: a missing enum is read as 0 (facts 5, UpdateInvoiceState)
    name = enumeration("LogicalOperator").name_of(operator)
    if name is None:
        raise incorrect_model("FilterOperator is And or Or.")
    return name.upper()


def joined(parts: list[str], joiner: str) -> str:
    """The parts joined as a balanced tree: SQLite bounds the depth of an expression."""
    if len(parts) < 2:
        return parts[0] if parts else "1"
    middle = len(parts) // 2
    return f"({joined(parts[:middle], joiner)} {joiner} {joined(parts[middle:], joiner)})"
