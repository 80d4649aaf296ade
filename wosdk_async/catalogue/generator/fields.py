"""The stub ``wosdk_async/query/fields.pyi``: which properties type checkers see on each entity.

A stub costs nothing at run time, where ``query/properties.py`` looks at the metadata of the model instead.
"""

from __future__ import annotations

from itertools import pairwise

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
    """The stub's text, in the form of ``ruff format``."""
    shown = [entity for entity in catalogue.entities.values() if entity.kind in KINDS]
    shown.sort(key=lambda entity: (_depth(catalogue, entity), class_name(entity.name)))
    queried = [class_name(entity.name) for entity in shown if entity.kind == "entity"]
    enums = {field.of for e in shown for field in e.own_fields if field.kind == "enum" and field.of}
    imports = [
        "from datetime import datetime\nfrom decimal import Decimal\nfrom typing import Any, overload",
        from_import("wosdk_async.model", {"Record", *queried, *enums})
        + "\n"
        + from_import("wosdk_async.query.properties", {"Nested", "Property", "TextProperty", "Unchecked"}),
    ]
    calls = [_overload(f"type[{name}]", f"{name}Fields") for name in reversed(queried)]
    calls += [_overload("type[Record]", "Any"), _overload("str", "Unchecked")]
    classes = [_class(catalogue, entity) for entity in shown]
    title = header("The properties of every entity, as type checkers see them.")
    parts = [title, "\n\n".join(imports), '__all__ = ["fields"]', "\n".join(calls), _spaced(classes)]
    return "\n\n".join(parts) + "\n"


def _spaced(classes: list[str]) -> str:
    """The classes one below the other, those without a body close together."""
    text = classes[0]
    for before, after in pairwise(classes):
        text += ("\n" if before.endswith("...") and after.endswith("...") else "\n\n") + after
    return text


def _depth(catalogue: Catalogue, entity: Entity) -> int:
    return 1 + _depth(catalogue, catalogue.entities[entity.base]) if entity.base else 0


def _overload(argument: str, result: str) -> str:
    return f"@overload\ndef fields(entity: {argument}) -> {result}: ..."


def _class(catalogue: Catalogue, entity: Entity) -> str:
    base = f"{class_name(entity.base)}Fields" if entity.base else "Nested"
    head = f"class {class_name(entity.name)}Fields({base}):"
    lines = [f"    {snake(field.name)}: {_type(catalogue, field)}" for field in entity.own_fields]
    return "\n".join([head, *lines]) if lines else f"{head} ..."


def _type(catalogue: Catalogue, field: Field) -> str:
    if field.kind in SCALARS:
        return SCALARS[field.kind]
    if field.kind == "enum":
        return f"Property[{field.of} | str]"
    of = field.of or ("Money" if field.kind == "money" else None)
    if of is None:
        return "Unchecked"
    return f"{class_name(of)}Fields" if catalogue.entities[of].kind in KINDS else "Nested"
