"""Table cells: columns, values, and default columns of an entity."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from wosdk_async.cli.texts import json_text, visible
from wosdk_async.codec.checks import named_by
from wosdk_async.model import Record, registry
from wosdk_async.query.paths import fields_of, root

_MAX_DEPTH = 30  # nesting levels; deeper values are shown as JSON
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z?)")


def value_at(record: Any, path: str, level: int = 0) -> Any:
    """Return the value at a property path. A path through a list gives a list of values."""
    if level > 2 * _MAX_DEPTH:  # twice, because lists also add levels
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
    """Return the columns of a table: one for each of ``paths``.

    A path to an object gives one column for each property of the object. A star, or no paths at all, selects
    all properties of the records. ``Id`` comes first unless it is in ``paths``.
    """
    leaves = dict.fromkeys(name for record in records for name, _ in flattened(record, lists=False) if name)
    parents = {name[:i] for name in leaves for i, char in enumerate(name) if char == "."}
    # A property that is an object in any record gets no column of its own.
    present = [name for name in leaves if name not in parents]
    found: dict[str, None] = {}
    for path in paths or ("*",):
        prefix = path.removesuffix("*") if path.endswith("*") else f"{path}."
        below = [name for name in present if name.startswith(prefix)]
        found.update(dict.fromkeys(below if path.endswith("*") else below or [path]))
    first = ["Id"] if "Id" in found and "Id" not in paths else []
    return list(dict.fromkeys([*first, *found]))


def flattened(value: Any, path: str = "", level: int = 0, *, lists: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield values with paths such as ``Items[0].Task.Id``; with ``lists=False``, yield whole lists."""
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
    """Return whether a value is worth showing: not null, false or empty."""
    return value is not None and value is not False and value != "" and value != [] and value != {}


def readable(value: Any, level: int = 0) -> str:
    """Format ``value`` on one line: ``Id 5, Name Filter; Id 6, Name Belt`` for two objects."""
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


def short(value: Any, kind: str = "any") -> str:
    """Format a value of the catalogue type ``kind``: times without seconds, lists as ``first +2``."""
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            return readable(value)
        texts = list(dict.fromkeys(text for item in value if (text := short(item, kind))))
        return f"{texts[0]} +{len(texts) - 1}" if len(texts) > 1 else "".join(texts)
    if kind.startswith("datetime") and isinstance(value, str) and (time := _TIME.fullmatch(value)):
        if kind == "datetime-utc":  # facts 3.5: the service omits Z in responses, so it is added here
            return f"{time[1]} {time[2]}Z"
        return value if time[3] else f"{time[1]} {time[2]}"
    return readable(value)


# For common entities: the columns that are always shown, and those shown while space remains.
_CHOSEN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "WorkOrder": (
        # ShortLocation is the item's location name (facts 5, "Creation traps")
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

_STATE = ("status", "state", "type")  # enum properties with one of these words in the name are always shown
_NAMED_FIRST = ("display_as", "name", "number")  # the first of these that exists is shown for a reference
_REFERENCES = 6  # maximum references to read by name, because each makes the query larger
_REQUEST_FLAGS = ("PerformDeletion", "IsNew")  # these control a request and are not data of the record


@attrs.frozen
class DefaultColumns:
    """An entity's property paths in table order.

    Columns in ``first`` are narrowed to fit; those in ``next``, then all others, are shown if they fit.
    """

    entity: type[Record] | str
    first: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @classmethod
    def of(cls, entity: type[Record] | str) -> DefaultColumns:
        """Return an entity's columns; ``first`` and ``next`` are empty for an unknown entity."""
        if isinstance(entity, str):
            return cls(entity)
        chosen = _CHOSEN.get(entity.wire_name)
        return cls(entity, *(chosen or (tuple(_main_properties(entity)), tuple(_references(entity)))))

    @property
    def selection(self) -> tuple[str, ...]:
        """The paths to read: the record's own values and the names of references."""
        named = [path for path in (*self.first, *self.next) if "." in path]
        return ("*", *named) if named else ()

    def ordered(self, paths: Iterable[str]) -> list[str]:
        """Return the columns for property paths in table order: preferred ones first, ids last."""
        if isinstance(self.entity, str):
            return list(paths)
        present = dict.fromkeys(paths)
        preferred = (*self.first, *self.next)
        found = dict.fromkeys(path for path in preferred if path in present or _first_step(path) in present)
        shown = {*found, *map(_first_step, found)}  # Items.Task.DisplayAs replaces Items
        rest = [path for path in present if path not in shown]
        return [*found, *sorted(rest, key=self._rank)]

    def header(self, path: str) -> str:
        """Return a column's title; ``Customer.Name`` is titled ``Customer``."""
        if "." not in path or path not in (*self.first, *self.next):
            return path
        *steps, last = path.split(".")
        return steps[-1] if last in ("DisplayAs", "Name") else path

    def _rank(self, path: str) -> int:
        """Return the sort rank: 0 for a value, 1 for the record's id, 2 for other ids and request flags."""
        if path == "Id":
            return 1
        last = path.rpartition(".")[2]
        is_id = last.endswith("Id") and type_at(self.entity, path) not in ("enum", "string")
        return 2 if is_id or last in _REQUEST_FLAGS else 0


def _first_step(path: str) -> str:
    return path.partition(".")[0] if "." in path else ""


def _main_properties(entity: type[Record]) -> Iterator[str]:
    """Yield the properties for name, state and type."""
    table = entity.__wire__
    for name in dict.fromkeys((named_by(entity), "display_as")):
        if name in table:
            yield table[name]["name"]
    enums = [meta["name"] for meta in table.values() if meta["type"] == "enum" and not meta.get("many")]
    for word in _STATE:
        yield from (name for name in enums if word in name.lower() and "currency" not in name.lower())


def _references(entity: type[Record]) -> Iterator[str]:
    """Yield paths to the names of an entity's first few references."""
    found: list[str] = []
    for meta in entity.__wire__.values():
        is_reference = meta["type"] == "ref" and meta["of"] and not meta.get("many")
        table: Any = registry.resolve(meta["of"]).__wire__ if is_reference else {}
        found += [f"{meta['name']}.{table[name]['name']}" for name in _NAMED_FIRST if name in table][:1]
    yield from found[:_REFERENCES]


def type_at(entity: type[Record] | str, path: str) -> str:
    """Return the catalogue type of the value at a path; ``any`` if unknown."""
    owner: Any = entity  # because mypy does not accept a class as Hashable
    return _type_at(owner, path)


@functools.lru_cache(4096)  # bounded, because the service may send any number of names
def _type_at(entity: Any, path: str) -> str:
    found = root(entity)
    for name in path.split("."):
        # An error would suggest similar names, which costs milliseconds and is not shown here.
        if found.checked and name not in fields_of(found.below):
            return "any"
        found = found.by_wire(name)
    return found.kind
