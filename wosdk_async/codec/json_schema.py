"""JSON Schema of the model classes, for web back ends and for validation in other languages.

The schema allows unknown fields, unknown enum values and null, because the service may send them.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from wosdk_async.codec.dicts import reachable
from wosdk_async.codec.record_dicts import Names
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import registry
from wosdk_async.model.base import Record
from wosdk_async.model.metadata import Wire, is_nested

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"

TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "number": {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _NUMBER}]},
    "datetime-local": {"type": "string", "description": "Local time of the site, without a zone."},
    "datetime-utc": {"type": "string", "format": "date-time"},
}
"""Schemas of values, by catalogue type. A local time is not a ``date-time``, which requires a zone."""


def json_schema(cls: type[Record], *, names: Names = "wire") -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the :func:`wosdk_async.to_dict` result for ``cls``.

    Classes of nested records are in ``$defs``. Enum values are listed as examples, because a newer release of
    the service may send others. Money may be a number or a numeric string.

    Args:
        cls: a model class.
        names: as in :func:`wosdk_async.to_dict`.

    Raises:
        InvalidCallError: ``cls`` is not a model class, or ``names`` is invalid.
    """
    if not (isinstance(cls, type) and issubclass(cls, Record)):
        raise InvalidCallError(f"{cls!r} is not a model class")
    if names not in ("wire", "python"):
        raise InvalidCallError(f"names={names!r} is not valid; pass 'wire' or 'python'")
    definitions = {each.__name__: class_schema(each, _in_defs, names=names) for each in reachable(cls)}
    return {"$schema": DIALECT, "$ref": f"#/$defs/{cls.__name__}", "$defs": definitions}


def _in_defs(cls: type[Record]) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{cls.__name__}"}


def class_schema(
    cls: type[Record], refer: Callable[[type[Record]], dict[str, Any]], *, names: Names = "wire"
) -> dict[str, Any]:
    """Return the schema of one class; ``refer`` returns the schema that refers to a nested class."""
    about = _docs_by_field(cls)
    properties = {
        meta["name"] if names == "wire" else name: _property(meta, refer, about.get(name))
        for name, meta in cls.__wire__.items()
    }
    title = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    return {"title": cls.__name__, "type": "object", "description": title, "properties": properties}


def _property(
    meta: Wire, refer: Callable[[type[Record]], dict[str, Any]], about: str | None
) -> dict[str, Any]:
    one = _one(meta, refer)
    schema = {"type": "array", "items": one} if meta.get("many") else one
    nullable: dict[str, Any] = {"anyOf": [schema, {"type": "null"}]} if schema else {}
    if about:
        nullable["description"] = about
    if meta.get("secret"):
        nullable["writeOnly"] = True
    return nullable


def _one(meta: Wire, refer: Callable[[type[Record]], dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of a value other than null; for a list, that of an element."""
    if meta["type"] == "enum":
        return {
            "type": ["string", "integer"],
            "examples": [str(each) for each in registry.resolve(meta["of"])],
        }
    if is_nested(meta):
        return refer(registry.resolve(meta["of"]))
    schema = dict(TYPES.get(meta["type"], {}))
    if meta.get("max_length_source") == "doc":
        schema["maxLength"] = meta["max_length"]
    return schema


def _docs_by_field(cls: type[Record]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        if issubclass(each, Record):
            texts |= _texts(each.__module__).get(each.__name__, {})
    return texts


@functools.cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, SyntaxError):
        return {}
    return {node.name: dict(_texts_below(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_below(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in itertools.pairwise(node.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)
