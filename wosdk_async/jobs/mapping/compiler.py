"""From a table of a map to the tree of values, checked against the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wosdk_async.jobs.errors import ImportMapError, nearest
from wosdk_async.jobs.mapping.convert import OBJECTS, constant, converter
from wosdk_async.jobs.mapping.values import (
    ConstantNode,
    LengthLimit,
    ListNode,
    ObjectNode,
    ReferenceNode,
    Template,
    TextNode,
    Value,
)
from wosdk_async.model import Record, registry
from wosdk_async.model.metadata import Wire

__all__ = ["compiled_value", "field_of", "limit_of", "table_of", "template_of"]

_TEXT_KEYS = ("text", "truncate")


def table_of(kind: type[Record], table: object, path: str) -> ObjectNode:
    """The fields of an object of class ``kind``. Raises ImportMapError that names the key."""
    if not isinstance(table, Mapping):
        raise ImportMapError(f"{path} takes a table of the fields of {kind.__name__}, not {table!r}")
    fields: dict[str, Value] = {}
    for key, raw in table.items():
        name, meta = field_of(kind, key, f"{path}.{key}")
        if name in fields:
            raise ImportMapError(f"{path}.{key}: {name!r} is given twice, once in the service's spelling")
        fields[name] = compiled_value(meta, raw, f"{path}.{key}")
    return ObjectNode(kind, fields)


def field_of(kind: type[Record], key: str, path: str) -> tuple[str, Wire]:
    """A field by its name in Python or on the wire. Raises ImportMapError with the nearest name."""
    wires = {meta["name"].casefold(): name for name, meta in kind.__wire__.items()}
    name = key if key in kind.__wire__ else wires.get(key.casefold())
    if name is None:
        hint = nearest(key, kind.__wire__) or f"; its fields are {', '.join(kind.__wire__)}"
        raise ImportMapError(f"{path}: {kind.__name__} has no field {key!r}{hint}")
    return name, kind.__wire__[name]


def compiled_value(meta: Wire, raw: object, path: str) -> Value:
    """What a map gives for one field."""
    if not meta.get("many"):
        return _single(meta, raw, path)
    if not isinstance(raw, list):
        raise ImportMapError(f"{path} is a list; write [[{path}]] above its fields, once for each element")
    return ListNode(tuple(_single(meta, each, f"{path}[{i}]") for i, each in enumerate(raw)))


def template_of(source: object, path: str) -> Template:
    """A template. Raises ImportMapError when it cannot be read."""
    if not isinstance(source, str):
        raise ImportMapError(f'{path} takes a text such as "{{column}}", not {source!r}')
    try:
        return Template.parse(source)
    except ValueError as error:
        raise ImportMapError(f"{path}: {error}") from None


def limit_of(meta: Wire, truncate: object, path: str) -> LengthLimit:
    """The longest text that a field takes, by the catalogue."""
    if not isinstance(truncate, bool):
        raise ImportMapError(f"{path}.truncate takes true or false, not {truncate!r}")
    length = meta.get("max_length")
    if truncate and length is None:
        raise ImportMapError(
            f"{path}: no limit is known for {meta['name']}, so it cannot be cut; leave truncate out"
        )
    return LengthLimit(path, length, meta.get("max_length_source") == "doc", truncate)


def _single(meta: Wire, raw: object, path: str) -> Value:
    if isinstance(raw, str) and raw.startswith("@") and meta["type"] in ("ref", "integer"):
        return ReferenceNode(path, raw[1:], meta["type"] == "integer", bool(meta.get("required")))
    if meta["type"] in OBJECTS and meta["of"]:
        return _object(meta, raw, path)
    if isinstance(raw, Mapping):
        return _text(meta, raw, path)
    if isinstance(raw, str):
        return _text(meta, {"text": raw}, path)
    try:
        return ConstantNode(constant(meta, raw))
    except ValueError as error:
        raise ImportMapError(f"{path} {error}") from None


def _object(meta: Wire, raw: object, path: str) -> ObjectNode:
    if isinstance(raw, Mapping):
        return table_of(registry.resolve(meta["of"]), raw, path)
    form = 'a name such as "@customer", or ' if meta["type"] == "ref" else ""
    raise ImportMapError(f"{path} takes {form}a table of the fields of {meta['of']}, not {raw!r}")


def _text(meta: Wire, table: Mapping[str, Any], path: str) -> Value:
    for key in table:
        if key not in _TEXT_KEYS:
            raise ImportMapError(
                f"{path}: {key!r} is unknown here{nearest(key, _TEXT_KEYS) or '.'} It takes text and truncate"
            )
    template = template_of(table.get("text"), f"{path}.text" if len(table) > 1 else path)
    text = TextNode(path, template, converter(meta), limit_of(meta, table.get("truncate", False), path))
    if template.columns:
        return text
    try:
        return ConstantNode(text.convert(text.limit.fit(template.fill({}) or "", [])))
    except ValueError as error:
        message = str(error)
        raise ImportMapError(message if message.startswith(path) else f"{path} {message}") from None
