"""Records as cells: which columns there are, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from wosdk_async.cli.output.sanitize import json_text, visible

__all__ = ["columns", "details", "has_content", "shown", "value_at"]

_DEEPEST = 30  # levels that are looked into: records have a few, and what lies deeper is shown as JSON


def value_at(row: Any, path: str, level: int = 0) -> Any:
    """What a property path leads to; through a list, the list of what its elements have there."""
    if level > 2 * _DEEPEST:
        return None
    if isinstance(row, list):
        return [value_at(item, path, level + 1) for item in row]
    if not isinstance(row, dict):
        return None
    if path in row:
        return row[path]
    head, _, rest = path.partition(".")
    return value_at(row.get(head), rest, level + 1) if rest else None


def columns(rows: Sequence[dict[str, Any]], paths: Sequence[str]) -> list[str]:
    """A column for each path that was asked for; where that was a star, or nothing, for all that came.

    Objects have a column for each of their properties; the ``Id`` comes first.
    """
    leaves = dict.fromkeys(name for row in rows for name in _leaves(row, ""))
    parents = {name[:i] for name in leaves for i, char in enumerate(name) if char == "."}
    came = [name for name in leaves if name not in parents]  # an object in one row may be null in another
    found: dict[str, None] = {}
    for path in paths or ("*",):
        prefix = path.removesuffix("*") if path.endswith("*") else f"{path}."
        below = [name for name in came if name.startswith(prefix)]
        found.update(dict.fromkeys(below if path.endswith("*") else below or [path]))
    first = ["Id"] if "Id" in found and "Id" not in paths else []
    return list(dict.fromkeys([*first, *found]))


def _leaves(value: Any, path: str, level: int = 0) -> Iterator[str]:
    if isinstance(value, dict) and (value or not path) and level < _DEEPEST:
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}" if path else str(name), level + 1)
    else:
        yield path


def details(value: Any, path: str = "", level: int = 0) -> Iterator[tuple[str, Any]]:
    """Every single value of a record with its place: ``Items[0].Task.Id``."""
    if level >= _DEEPEST:
        yield path, value
    elif isinstance(value, dict) and value:
        for name, item in value.items():
            yield from details(item, f"{path}.{name}" if path else str(name), level + 1)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for i, item in enumerate(value):
            yield from details(item, f"{path}[{i}]", level + 1)
    else:
        yield path, value


def has_content(value: Any) -> bool:
    """Whether a table needs to show it: nothing, empty and false are left out."""
    return value is not None and value is not False and value != "" and value != [] and value != {}


def shown(value: Any, level: int = 0) -> str:
    """``value`` on one line for people: ``Id 5, Name Filter; Id 6, Name Belt`` for a list of objects."""
    if value is None:
        return ""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict) and level < _DEEPEST:
        return ", ".join(
            f"{visible(str(key))} {shown(item, level + 1)}"
            for key, item in value.items()
            if has_content(item)
        )
    if isinstance(value, list) and level < _DEEPEST:
        between = "; " if any(isinstance(item, dict) for item in value) else ", "
        return between.join(shown(item, level + 1) for item in value)
    return str(value) if isinstance(value, Decimal) and abs(value.adjusted()) > 30 else json_text(value)
