"""Cells of a table: columns, values, and the default columns of an entity."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from wosdk_async.cli.texts import json_text, visible
from wosdk_async.codec.checks import named_by
from wosdk_async.errors import UnknownPropertyError
from wosdk_async.model import Record, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.query.paths import find, root

__all__ = [
    "DefaultColumns",
    "columns_of",
    "flattened",
    "has_content",
    "readable",
    "short",
    "type_at",
    "value_at",
]

_MAX_DEPTH = 30  # levels of a record; deeper values are shown as JSON


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

    There is one for each of ``paths``; a star, or no path, stands for every property of the records, with a
    column for each property of an object. ``Id`` comes first unless it is one of ``paths``.
    """
    leaves = dict.fromkeys(name for record in records for name, _ in flattened(record, lists=False) if name)
    parents = {name[:i] for name in leaves for i, char in enumerate(name) if char == "."}
    # An object has no column of its own, even if it is null in some records.
    present = [name for name in leaves if name not in parents]
    found: dict[str, None] = {}
    for path in paths or ("*",):
        prefix = path.removesuffix("*") if path.endswith("*") else f"{path}."
        below = [name for name in present if name.startswith(prefix)]
        found.update(dict.fromkeys(below if path.endswith("*") else below or [path]))
    first = ["Id"] if "Id" in found and "Id" not in paths else []
    return list(dict.fromkeys([*first, *found]))


def flattened(value: Any, path: str = "", level: int = 0, *, lists: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield the values of a record with their paths, ``Items[0].Task.Id``; without ``lists`` whole lists."""
    if level >= _MAX_DEPTH:
        yield path, value
    elif isinstance(value, dict) and value:
        for name, item in value.items():
            yield from flattened(item, f"{path}.{name}" if path else str(name), level + 1, lists=lists)
    elif lists and isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for i, item in enumerate(value):
            yield from flattened(item, f"{path}[{i}]", level + 1)
    else:
        yield path, value


def has_content(value: Any) -> bool:
    """Return whether a table shows the value: not null, false or empty."""
    return value is not None and value is not False and value != "" and value != [] and value != {}


def readable(value: Any, level: int = 0) -> str:
    """Return ``value`` on one readable line: ``Id 5, Name Filter; Id 6, Name Belt`` for two objects."""
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
    """Return ``value`` as the cell of a table: a time without seconds, a list as its first item and ``+2``.

    ``kind`` is its type in the catalogue. A UTC time ends with Z even if the service left it out.
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


# Frequent entities: the first columns, and the next ones while they fit.
_CHOSEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "WorkOrder": (
        # ShortLocation is the name of the place that the item is for (facts 5, "Creation traps")
        ("Number", "StatusId", "Customer.Name", "Items.Task.DisplayAs", "ShortLocation", "DtDue"),
        (
            "Priority.DisplayAs",
            "Employee.DisplayAs",
            "SubType.DisplayAs",
            "WorkZone.DisplayAs",
            "DtCreated",
            "ContactName",
            "PoNumber",
        ),
    ),
    "Employee": (("DisplayAs", "Username", "Number"), ("ActorTypeId", "Role.DisplayAs", "JobTitle")),
    "Contact": (("DisplayAs", "TypeId", "Username"), ("Number",)),
    "Location": (("Name", "TypeId", "Address.Street", "Address.City"), ()),
}

_STATE = ("status", "state", "type")  # in the names of enums
_NAMED_FIRST = ("display_as", "name", "number")  # properties by which a reference is shown
_REFERENCES = 6  # that are read by name: each makes the query larger
_LEAST = ("PerformDeletion", "IsNew")  # of the interface, not of the record


@attrs.frozen
class DefaultColumns:
    """Property paths of an entity in the order of a table.

    ``first`` are always shown; ``next`` follow while they fit, and then all other values.
    """

    entity: type[Record] | str
    first: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @classmethod
    def of(cls, entity: type[Record] | str) -> DefaultColumns:
        """Return the columns of an entity; one that the catalogue does not know has no preference."""
        if isinstance(entity, str):
            return cls(entity)
        chosen = _CHOSEN.get(entity.wire_name)
        return cls(entity, *(chosen or (tuple(_own(entity)), tuple(_references(entity)))))

    @property
    def selection(self) -> tuple[str, ...]:
        """The paths to read: the record's own values, and the names of its references."""
        named = [path for path in (*self.first, *self.next) if "." in path]
        return ("*", *named) if named else ()

    def ordered(self, paths: Iterable[str]) -> list[str]:
        """Return paths of records in the order of a table, ids last."""
        if isinstance(self.entity, str):
            return list(paths)
        present = dict.fromkeys(paths)
        preferred = (*self.first, *self.next)
        found = dict.fromkeys(path for path in preferred if path in present or _list_of(path) in present)
        shown = {*found, *map(_list_of, found)}  # Items has a column already: Items.Task.DisplayAs
        rest = [path for path in present if path not in shown]
        return [*found, *sorted(rest, key=self._rank)]

    def header(self, path: str) -> str:
        """Return the title of a column; the name of a reference has the title of the reference."""
        if "." not in path or path not in (*self.first, *self.next):
            return path
        *steps, last = path.split(".")
        return steps[-1] if last in ("DisplayAs", "Name") else path

    def _rank(self, path: str) -> int:
        """Return 0 for a value, 1 for the record's own id, 2 for other ids."""
        if path == "Id":
            return 1
        last = path.rpartition(".")[2]
        is_id = last.endswith("Id") and type_at(self.entity, path) not in ("enum", "string")
        return 2 if is_id or last in _LEAST else 0


def _list_of(path: str) -> str:
    """Return the first step of a path with several."""
    return path.partition(".")[0] if "." in path else ""


def _own(entity: type[Record]) -> Iterator[str]:
    """Yield the properties that name the records, and their state and type."""
    table = entity.__wire__
    for name in dict.fromkeys((named_by(entity), "display_as")):
        if name in table:
            yield table[name]["name"]
    enums = [meta["name"] for meta in table.values() if meta["type"] == "enum" and not meta.get("many")]
    for word in _STATE:
        yield from (name for name in enums if word in name.lower() and "currency" not in name.lower())


def _references(entity: type[Record]) -> Iterator[str]:
    """Yield the paths to the names of the first references of an entity."""
    references = [meta for meta in entity.__wire__.values() if meta["type"] == "ref" and not meta.get("many")]
    named = ((meta, _name_of(meta)) for meta in references)
    yield from [f"{meta['name']}.{name}" for meta, name in named if name is not None][:_REFERENCES]


def _name_of(meta: Wire) -> str | None:
    """Return the wire name of the property that shows a reference."""
    table: Any = registry.resolve(meta["of"]).__wire__ if meta["of"] else {}
    return next((table[name]["name"] for name in _NAMED_FIRST if name in table), None)


def type_at(entity: type[Record] | str, path: str) -> str:
    """Return the catalogue's type of the value at a path; ``any`` if unknown."""
    owner: Any = entity  # mypy does not know that classes can be hashed
    return _type_at(owner, path)


@functools.lru_cache(4096)  # the service may send any number of names
def _type_at(entity: Any, path: str) -> str:
    try:
        return find(root(entity), path).kind
    except UnknownPropertyError:
        return "any"
