"""JSON text of cells: lists, objects, and the column Extra, without the secrets that the catalogue knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from wosdk_async import codec
from wosdk_async.model import Record, registry
from wosdk_async.query.columns import Column, fields_of

__all__ = ["cell_text", "json_text"]

# In the name of each property that the catalogue calls a secret. A text that speaks of one is not searched.
_MARK = re.compile(r'password\w*":')


def cell_text(column: Column, value: Any) -> str:
    """Return ``value`` of a JSON column as text; that of Extra is a dict of paths."""
    text = json_text(value)
    if _MARK.search(text.lower()) is None:  # nearly always
        return text
    copy = codec.loads(text.encode())
    if column.steps:
        _remove_secrets([(copy, column.steps)], column.entity)
    else:
        _remove_secrets([(each, path.split(".")) for path, each in copy.items()], column.entity)
    return json_text(copy)


def _remove_secrets(values: Iterable[tuple[Any, Iterable[str]]], entity: type[Record]) -> None:
    left = [(value, _class_at(entity, steps)) for value, steps in values]
    while left:
        value, cls = left.pop()
        if cls is None:  # the catalogue does not say what it is
            continue
        if isinstance(value, list):
            left += [(each, cls) for each in value]
        elif isinstance(value, dict):
            for name in [name for name in value if _is_secret(cls, name)]:
                del value[name]
            left += [(each, _class_at(cls, [name])) for name, each in value.items()]


def _is_secret(cls: type[Record], name: str) -> bool:
    return bool(_field(cls, name).get("secret"))


def _class_at(cls: type[Record] | None, steps: Iterable[str]) -> type[Record] | None:
    """Return the class of the objects at a path; None when the catalogue does not say it."""
    for name in steps:
        of = _field(cls, name).get("of") if cls is not None else None
        found = registry.resolve(of) if of else None
        cls = found if isinstance(found, type) and issubclass(found, Record) else None
    return cls


def _field(cls: type[Record], name: str) -> Any:
    """Return what the catalogue says of a property; names ignore letter case."""  # facts 3.3
    meant = codec.spellings(cls)[1].get(name.lower(), name)  # type: ignore[arg-type]  # mypy: objects
    return fields_of(cls).get(meant, {})


def json_text(value: Any) -> str:
    """Return ``value`` as JSON text, with the numbers as they were sent."""
    try:
        return codec.dumps(value).decode()
    except ValueError:  # half a surrogate pair, more than 64 bits, or nested deeply
        pass
    try:
        return json.dumps(value, separators=(",", ":"))
    except (TypeError, RecursionError):  # a Decimal, or nested very deeply
        return _written(value)


def _written(value: Any) -> str:
    """Return the text; a stack of its own, because a value may be nested deeper than Python calls."""
    made: list[str] = []
    left: list[tuple[Any, bool]] = [(value, False)]
    while left:
        each, is_text = left.pop()
        if is_text:
            made.append(each)
        elif isinstance(each, dict):
            members = [[(f"{json.dumps(name)}:", True), (item, False)] for name, item in each.items()]
            left += reversed(_enclosed("{", members, "}"))
        elif isinstance(each, list):
            left += reversed(_enclosed("[", [[(item, False)] for item in each], "]"))
        else:
            made.append(str(each) if isinstance(each, Decimal) else json.dumps(each))
    return "".join(made)


def _enclosed(first: str, members: list[list[tuple[Any, bool]]], last: str) -> list[tuple[Any, bool]]:
    found: list[tuple[Any, bool]] = [(first, True)]
    for number, member in enumerate(members):
        found += [(",", True), *member] if number else member
    return [*found, (last, True)]
