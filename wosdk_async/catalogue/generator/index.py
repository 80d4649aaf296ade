"""Generator of the model's index and ``__init__`` modules, and of the stub ``query/fields.pyi``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from wosdk_async.catalogue import Catalogue, Entity, Field
from wosdk_async.catalogue.generator.names import (
    COMMAND_BASES,
    class_name,
    command_module,
    depth,
    result_modules,
    snake,
)
from wosdk_async.catalogue.generator.text import from_import, header, literal

BASE_NAMES = ["Command", "CommandResult", "OpenEnum", "Record", "Ref"]
LOOKUPS = ["command_class", "entity_class"]

INIT = '''\
{header}

from __future__ import annotations

from typing import TYPE_CHECKING, Any

{eager}

if TYPE_CHECKING:
    {lazy}

    {same}

__all__ = [{names},]


if not TYPE_CHECKING:  # with this function, type checkers would accept any name

    def __getattr__(name: str) -> Any:
        """Load a class, with all classes that its records may contain, on first use (PEP 562)."""
        found = registry.named(name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__
'''


def index_files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of the index and ``__init__`` modules."""
    return {
        "index": _index(catalogue),
        "__init__": _package(catalogue),
        "commands.__init__": header(
            "Commands and their results, one module per theme.\n\nImport commands from ``wosdk_async.model``."
        ),
    }


def _modules(catalogue: Catalogue) -> dict[str, str]:
    return {
        **{class_name(entity.name): entity.family for entity in catalogue.entities.values()},
        **dict.fromkeys(catalogue.enums, "enums"),
        **result_modules(catalogue),
        **dict.fromkeys(catalogue.command_bases, COMMAND_BASES),
        **{command.name: command_module(command) for command in catalogue.commands.values()},
        "CommandResult": "base",
    }


def _index(catalogue: Catalogue) -> str:
    modules = _modules(catalogue)
    aliases = dict(catalogue.aliases)
    classes = {name: class_name(name) for name in catalogue.entities}
    paths = {
        path: command.name
        for command in catalogue.commands.values()
        for path in (command.name, command.path, *command.other_paths)
    }
    module_of = modules | {alias: modules[name] for alias, name in aliases.items()}
    entities = catalogue.entities.values()
    required = {entity.name: {snake(f): text for f, text in entity.needs.items()} for entity in entities}
    computed = {entity.name: {snake(f): text for f, text in entity.computed.items()} for entity in entities}
    refused = {entity.name: _refused(entity) for entity in entities}
    nested = partial(_table, kind="dict[str, str]")
    tables = [
        _table("ALIASES", "Alias -> class.", aliases),
        _table("COMMANDS", "Wire name or path -> command.", paths),
        # facts 3.3; spec 2.3 and 3
        nested("COMPUTED", "Entity -> own or inherited field that a create drops -> remedy.", computed),
        _table("ENTITIES", "Wire name -> class.", aliases | classes),
        _table("MODULES", "Class -> module.", module_of),
        # facts 3.10
        nested("NEEDED", "Entity -> required field of a new record -> remedy.", required),
        nested("UNSUPPORTED", "Entity -> unsupported operation -> alternative.", refused),
    ]
    title = "Model index: each class's module, required and dropped fields, unsupported operations."
    return "\n".join([header(title), "from __future__ import annotations", *tables])


def _table(name: str, doc: str, rows: Mapping[str, object], kind: str = "str") -> str:
    present = {key: row for key, row in sorted(rows.items()) if row}
    return f'{name}: dict[str, {kind}] = {literal(present)}\n"""{doc}"""\n'


def _refused(entity: Entity) -> dict[str, str]:
    """Return the operations that the service refuses (spec 4.9 rule 1, facts 3.9) -> alternatives."""
    if entity.kind != "entity":
        return {}
    return {name: entity.instead.get(name, "") for name, can in entity.operations.items() if can is False}


def _package(catalogue: Catalogue) -> str:
    modules = {name: module for name, module in _modules(catalogue).items() if name not in BASE_NAMES}
    names = [*modules, *BASE_NAMES, *LOOKUPS, *catalogue.aliases]
    eager = [
        from_import("wosdk_async.model", ["registry"]),
        from_import("wosdk_async.model.base", BASE_NAMES),
        from_import("wosdk_async.model.registry", LOOKUPS),
    ]
    title = (
        "The service's entities, values, enums and commands as classes, loaded on first use.\n\n"
        "The model imports only errors and text helpers, and does not handle JSON."
    )
    return INIT.format(
        header=header(title),
        eager="\n".join(eager),
        lazy="\n    ".join(
            from_import(f"wosdk_async.model.{module}", [name]) for name, module in modules.items()
        ),
        same="\n    ".join(f"{alias} = {name}" for alias, name in sorted(catalogue.aliases.items())),
        names=", ".join(literal(name) for name in names),
    )


# --- the stub --------------------------------------------------------------------------------
# ``wosdk_async/query/fields.pyi`` has the entity properties for type checkers. It costs nothing at run time,
# where ``query/properties.py`` reads the model's metadata instead.


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
    shown.sort(key=lambda entity: (depth(catalogue, entity), class_name(entity.name)))
    queried = [class_name(entity.name) for entity in shown if entity.kind == "entity"]
    enums = {field.of for e in shown for field in e.own_fields if field.kind == "enum" and field.of}
    lines = [
        header("Properties of every entity, for type checkers."),
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
