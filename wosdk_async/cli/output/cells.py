"""Records as cells of a table: safe texts, the columns of the table, and the value in each cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from wosdk_async.text.safe_text import json_escaped, one_line, shortened

__all__ = [
    "MAX_LINE",
    "brief_line",
    "columns_of",
    "counted",
    "flattened",
    "has_content",
    "json_text",
    "readable",
    "short",
    "value_at",
    "visible",
]

MAX_LINE = 8000
"""Characters of a line for people: the service may send texts of any length."""

_MAX_DEPTH = 30  # levels of a record; deeper values are shown as JSON


# --- texts without control characters -------------------------------------------------------


def visible(text: str) -> str:
    r"""Return ``text`` on one line: white space as single blanks, control characters as ``\x1b``."""
    return one_line(" ".join(text.split()))


def brief_line(text: str) -> str:
    """Return ``text`` on one line for people; of a long text only the beginning."""
    return visible(shortened(text, MAX_LINE))


def counted(number: int, thing: str) -> str:
    """Return a number with its noun, such as ``1 row`` or ``2 rows``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def json_text(value: Any) -> str:
    r"""Return JSON on one line: all digits of numbers, control characters as ``\u009b``."""
    from wosdk_async import codec

    try:
        text = codec.dumps(value).decode()
    except ValueError:  # an integer beyond 64 bits, half a surrogate pair, or many levels
        text = _slow_json_text(value)
    return json_escaped(text)


class _Token(str):
    """Text that is JSON already, such as a brace or a key."""


def _slow_json_text(value: Any) -> str:
    """Return JSON of any depth: pending values wait in a list, not on the call stack."""
    written: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.append(_Token("}"))
            for i, (key, inner) in reversed(list(enumerate(item.items()))):
                pending += [inner, _Token(f"{',' if i else ''}{json.dumps(str(key))}:")]
            pending.append(_Token("{"))
        elif isinstance(item, list):
            pending.append(_Token("]"))
            for i, inner in reversed(list(enumerate(item))):
                pending += [inner, _Token("," if i else "")]
            pending.append(_Token("["))
        else:
            written.append(str(item) if isinstance(item, _Token | Decimal) else json.dumps(item))
    return "".join(written)


# --- columns and their values ---------------------------------------------------------------


def value_at(record: Any, path: str, level: int = 0) -> Any:
    """Return the value at a property path; for a path through a list, the list of its elements' values."""
    if level > 2 * _MAX_DEPTH:  # a list within a list adds a level too
        return None
    if isinstance(record, list):
        return [value_at(item, path, level + 1) for item in record]
    if not isinstance(record, dict):
        return None
    if path in record:
        return record[path]
    head, _, rest = path.partition(".")
    return value_at(record.get(head), rest, level + 1) if rest else None


def columns_of(records: Sequence[dict[str, Any]], paths: Sequence[str]) -> list[str]:
    """Return the columns of a table.

    There is one for each of ``paths``; a star, or no path at all, stands for every property that the
    records have. Objects have a column for each of their properties. An ``Id`` comes first unless it is
    one of ``paths``.
    """
    leaves = dict.fromkeys(name for record in records for name in _leaves(record, ""))
    parents = {name[:i] for name in leaves for i, char in enumerate(name) if char == "."}
    # A parent with columns below it has none itself, even if it is null in some records.
    present = [name for name in leaves if name not in parents]
    found: dict[str, None] = {}
    for path in paths or ("*",):
        prefix = path.removesuffix("*") if path.endswith("*") else f"{path}."
        below = [name for name in present if name.startswith(prefix)]
        found.update(dict.fromkeys(below if path.endswith("*") else below or [path]))
    first = ["Id"] if "Id" in found and "Id" not in paths else []
    return list(dict.fromkeys([*first, *found]))


def _leaves(value: Any, path: str, level: int = 0) -> Iterator[str]:
    """Yield the path of each value below ``path`` that has no further properties."""
    if isinstance(value, dict) and (value or not path) and level < _MAX_DEPTH:
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}" if path else str(name), level + 1)
    else:
        yield path


def flattened(value: Any, path: str = "", level: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield each single value of a record with its path, such as ``Items[0].Task.Id``."""
    if level >= _MAX_DEPTH:
        yield path, value
    elif isinstance(value, dict) and value:
        for name, item in value.items():
            yield from flattened(item, f"{path}.{name}" if path else str(name), level + 1)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for i, item in enumerate(value):
            yield from flattened(item, f"{path}[{i}]", level + 1)
    else:
        yield path, value


def has_content(value: Any) -> bool:
    """Return whether a table shows the value: null, false and empty values are left out."""
    return value is not None and value is not False and value != "" and value != [] and value != {}


def readable(value: Any, level: int = 0) -> str:
    """Return ``value`` on one line for people: ``Id 5, Name Filter; Id 6, Name Belt`` for two objects."""
    if value is None:
        return ""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict) and level < _MAX_DEPTH:
        return ", ".join(
            f"{visible(str(key))} {readable(item, level + 1)}"
            for key, item in value.items()
            if has_content(item)
        )
    if isinstance(value, list) and level < _MAX_DEPTH:
        separator = "; " if any(isinstance(item, dict) for item in value) else ", "
        return separator.join(readable(item, level + 1) for item in value)
    return json_text(value)


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z?)")


def short(value: Any, kind: str = "any") -> str:
    """Return ``value`` as the cell of a table: a time without seconds, of a list the first and ``+2``.

    ``kind`` is its type in the catalogue. A time of UTC ends with Z, also where the service left it out.
    """
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            return readable(value)
        texts = list(dict.fromkeys(text for item in value if (text := short(item, kind))))
        return f"{texts[0]} +{len(texts) - 1}" if len(texts) > 1 else "".join(texts)
    if kind.startswith("datetime") and isinstance(value, str) and (time := _TIME.fullmatch(value)):
        if kind == "datetime-utc":  # facts 3.5: read back it has no Z
            return f"{time[1]} {time[2]}Z"
        return value if time[3] else f"{time[1]} {time[2]}"
    return readable(value)
