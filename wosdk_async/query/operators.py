"""Operators of conditions, as people and programs spell them: one table for the command line and MCP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wosdk_async.errors import UnknownPropertyError
from wosdk_async.query.conditions import Condition
from wosdk_async.query.properties import Path, PatternProperty, resolved

__all__ = ["FOR_REFERENCES", "METHODS", "compared"]

METHODS: dict[str, str] = {
    "=": "__eq__",
    "!=": "__ne__",
    ">": "__gt__",
    ">=": "__ge__",
    "<": "__lt__",
    "<=": "__le__",
    "like": "like",
    "not like": "not_like",
    "in": "in_",
    "not in": "not_in",
    "between": "between",
    "not between": "not_between",
    "is null": "is_null",
    "is not null": "not_null",
}
"""Operator -> method of a property that makes the condition."""

FOR_REFERENCES = ("=", "!=", "in", "not in", "is null", "is not null")
"""Those that compare a reference, which has an id and no order."""


def compared(field: Path, operator: str, values: Sequence[Any]) -> Condition:
    """Return the condition that compares a property with values: one, two of a range, or those of a list.

    Raises UnknownPropertyError for a pattern where the property holds no text.
    """
    if "like" in operator and not isinstance(field, PatternProperty):
        path = resolved(field)
        raise UnknownPropertyError(f"{path} holds no text, so it has no {operator}; compare it, or use in")
    compare: Callable[..., Condition] = getattr(field, METHODS[operator])
    return compare(values) if operator in ("in", "not in") else compare(*values)
