"""Generator of ``wosdk_async/model`` and of the stub ``wosdk_async/query/fields.pyi``, from the catalogue.

With ``--check``, write nothing and exit with 1 if a file differs. Ruff formats the files. The same catalogue
always produces the same files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from wosdk_async.catalogue import Catalogue, Entity, Field, load
from wosdk_async.catalogue.generator.classes import command_files, entity_files, enum_files
from wosdk_async.catalogue.generator.names import (
    COMMAND_BASES,
    class_name,
    command_module,
    depth,
    result_modules,
    snake,
)
from wosdk_async.catalogue.generator.text import MARK, RuffMissingError, from_import, header, lay_out, literal
from wosdk_async.regular_files import replace_file

# --- the index and ``__init__`` modules ----------------------------------------------------------

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


def _index_files(catalogue: Catalogue) -> dict[str, str]:
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
    """Return the alternative to each operation that the service refuses (spec 4.9 rule 1, facts 3.9)."""
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


def _field_stub(catalogue: Catalogue) -> str:
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
        *(_stub_class(catalogue, entity) for entity in shown),
    ]
    return "\n".join(lines)


def _overload(argument: str, result: str) -> str:
    return f"@overload\ndef fields(entity: {argument}) -> {result}: ..."


def _stub_class(catalogue: Catalogue, entity: Entity) -> str:
    base = f"{class_name(entity.base)}Fields" if entity.base else "Nested"
    lines = [f"    {snake(field.name)}: {_stub_type(catalogue, field)}" for field in entity.own_fields]
    return "\n".join([f"class {class_name(entity.name)}Fields({base}):", *(lines or ["    ..."])])


def _stub_type(catalogue: Catalogue, field: Field) -> str:
    if field.kind in SCALARS:
        return SCALARS[field.kind]
    if field.kind == "enum":
        return f"Property[{field.of} | str]"
    of = field.of or ("Money" if field.kind == "money" else None)
    if of is None:
        return "Unchecked"
    return f"{class_name(of)}Fields" if catalogue.entities[of].kind in KINDS else "Nested"


# --- the files ----------------------------------------------------------------------------------

PACKAGE = Path(__file__).parents[1]


def files(catalogue: Catalogue) -> dict[str, str]:
    """Return the text of each generated file, by its path below ``wosdk_async``."""
    modules = (
        entity_files(catalogue) | command_files(catalogue) | enum_files(catalogue) | _index_files(catalogue)
    )
    texts = {f"model/{name.replace('.', '/')}.py": text for name, text in modules.items()}
    return lay_out({**texts, "query/fields.pyi": _field_stub(catalogue)})


def _changes(root: Path, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the files below ``root`` that must be written or deleted, each with the reason."""
    model = (path.relative_to(root).as_posix() for path in (root / "model").rglob("*.py"))
    names = sorted({*model, *wanted})
    found = {name: (root / name).read_text(encoding="utf-8") for name in names if (root / name).exists()}
    old = {name: "obsolete" for name, text in found.items() if name not in wanted and MARK in text}
    return old | {
        name: "differs" if name in found else "missing"
        for name in names
        if name in wanted and wanted[name] != found.get(name)
    }


def _write(root: Path, wanted: Mapping[str, str]) -> None:
    """Make the generated files below ``root`` match ``wanted``; keep handwritten files."""
    for name in _changes(root, wanted):
        path = root / name
        if name not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            file.write(wanted[name].encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Write wosdk_async/model from the catalogue.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file differs")
    check = parser.parse_args(arguments).check
    try:
        wanted = files(load())
    except RuffMissingError as error:
        print(error, file=sys.stderr)
        return 2
    if not check:
        _write(PACKAGE, wanted)
        return 0
    changes = _changes(PACKAGE, wanted)
    lines = [f"{what}: {name}" for name, what in changes.items()]
    print("\n".join(lines) or "the model agrees with the catalogue")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
