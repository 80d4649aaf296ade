"""The stub ``wosdk_async/query/fields.pyi``: the properties that type checkers see on each entity.

A stub costs nothing at run time, where ``query/properties.py`` looks at the metadata of the model instead.
"""

from __future__ import annotations

from wosdk_async.catalogue import Catalogue, Entity, Field
from wosdk_async.catalogue.generator.names import class_name, snake
from wosdk_async.catalogue.generator.text import from_import, header

__all__ = ["field_stub"]

KINDS = ("abstract", "entity", "value")
SCALARS = {
    "integer": "Property[int]",
    "number": "Property[Decimal | float]",
    "boolean": "Property[bool]",
    "datetime-local": "Property[datetime]",
    "datetime-utc": "Property[datetime]",
    "string": "TextProperty",
}


def field_stub(catalogue: Catalogue) -> str:
    """Return the text of the stub."""
    shown = [entity for entity in catalogue.entities.values() if entity.kind in KINDS]
    shown.sort(key=lambda entity: (_depth(catalogue, entity), class_name(entity.name)))
    queried = [class_name(entity.name) for entity in shown if entity.kind == "entity"]
    enums = {field.of for e in shown for field in e.own_fields if field.kind == "enum" and field.of}
    lines = [
        header("The properties of every entity, as type checkers see them."),
        "from datetime import datetime",
        "from decimal import Decimal",
        "from typing import Any, overload",
        from_import("wosdk_async.model", {"Record", *queried, *enums}),
        from_import("wosdk_async.query.properties", {"Nested", "Property", "TextProperty", "Unchecked"}),
        '__all__ = ["fields"]',
        *(_overload(f"type[{name}]", f"{name}Fields") for name in reversed(queried)),
        _overload("type[Record]", "Any"),
        _overload("str", "Unchecked"),
        *(_class(catalogue, entity) for entity in shown),
    ]
    return "\n".join(lines)


def _depth(catalogue: Catalogue, entity: Entity) -> int:
    return 1 + _depth(catalogue, catalogue.entities[entity.base]) if entity.base else 0


def _overload(argument: str, result: str) -> str:
    return f"@overload\ndef fields(entity: {argument}) -> {result}: ..."


def _class(catalogue: Catalogue, entity: Entity) -> str:
    base = f"{class_name(entity.base)}Fields" if entity.base else "Nested"
    lines = [f"    {snake(field.name)}: {_type(catalogue, field)}" for field in entity.own_fields]
    return "\n".join([f"class {class_name(entity.name)}Fields({base}):", *(lines or ["    ..."])])


def _type(catalogue: Catalogue, field: Field) -> str:
    if field.kind in SCALARS:
        return SCALARS[field.kind]
    if field.kind == "enum":
        return f"Property[{field.of} | str]"
    of = field.of or ("Money" if field.kind == "money" else None)
    if of is None:
        return "Unchecked"
    return f"{class_name(of)}Fields" if catalogue.entities[of].kind in KINDS else "Nested"
