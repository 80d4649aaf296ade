"""``wosdk describe``: look up entities, commands and enums in the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import IO, Any

import attrs
import click

from wosdk_async.catalogue import VERBS, Catalogue, Command, CommandBase, Entity, EnumType, Field, load
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.options import json_option, names
from wosdk_async.cli.output.files import opened
from wosdk_async.cli.output.table import print_table
from wosdk_async.cli.texts import json_text
from wosdk_async.text.suggestions import suggestion

Definition = Entity | Command | CommandBase | EnumType

_SOURCES = {
    "spec": "the specification",
    "doc": "the vendor's public pages",
    "wsdl": "the vendor's older schema",
    "peer": "third-party clients",
}
_SUPPORT = {True: "yes", False: "no", None: "not known"}


def _as_data(row: Definition) -> dict[str, Any]:
    """Return a definition as JSON, including inherited fields."""
    data = attrs.asdict(row, filter=lambda field, _: not field.name.startswith("own_"))
    kind = data.pop("kind", None) or type(row).__name__.lower()
    return {"name": data.pop("name"), "kind": kind, **data}


def _families(catalogue: Catalogue) -> list[tuple[str, list[Entity]]]:
    named = sorted((row.family, row.name, row) for row in catalogue.entities.values() if row.kind == "entity")
    return [(family, [row for *_, row in rows]) for family, rows in groupby(named, key=lambda row: row[0])]


def _show_all(file: IO[str], catalogue: Catalogue) -> None:
    for family, rows in _families(catalogue):
        file.write(f"Entities: {family.replace('_', ' ')}\n")
        print_table(file, [[f"  {row.name}", row.meaning or ""] for row in rows])
        file.write("\n")
    file.write("Commands\n")
    commands = sorted(catalogue.commands.values(), key=lambda row: row.name)
    print_table(file, [[f"  {row.name}", row.meaning or ""] for row in commands])
    file.write("\nEnums\n")
    enums = sorted(catalogue.enums.values(), key=lambda row: row.name)
    print_table(file, [[f"  {row.name}", ", ".join(value.name for value in row.values)] for row in enums])


def _show(file: IO[str], row: Definition) -> None:
    if isinstance(row, EnumType):
        _show_enum(file, row)
        return
    kind = row.kind if isinstance(row, Entity) else "command" if isinstance(row, Command) else "base command"
    _lines(file, (f"{row.name}: {kind}", row.meaning, row.note, _source(row.sources)))
    if isinstance(row, CommandBase):
        _show_fields(file, "fields", row.request)
    elif isinstance(row, Entity):
        if row.operations:
            file.write("\n")
            texts = {name: _SUPPORT[row.operations.get(name)] for name in VERBS}
            texts |= {name: f"{texts[name]}: {row.instead[name]}" for name in VERBS if row.instead.get(name)}
            print_table(file, [[f"  {name}", text] for name, text in texts.items()])
        if row.composite_key:
            _lines(file, (f"composite key: {', '.join(row.composite_key)}",))
        _show_fields(file, "fields", row.fields)
    else:
        unsafe = "not safe; check whether it took effect before you repeat it"
        others = f" (also {', '.join(row.other_paths)})" if row.other_paths else ""
        where = "the locator's " if row.host == "locator" else ""
        repeat = "safe" if row.repeat == "safe" else unsafe
        _lines(file, ("", f"path: {where}api/v1/cmd/{row.path}{others}", f"repeat: {repeat}"))
        _show_fields(file, "fields", row.request)
        _show_fields(file, f"result{f', a {row.result}' if row.result else ''}", row.response)


def _show_enum(file: IO[str], row: EnumType) -> None:
    _lines(file, (f"{row.name}: enum; the service may add values", row.note, _source(row.sources), ""))
    lines = [
        [
            f"  {value.name}",
            "" if value.value is None else str(value.value),
            value.meaning or value.note or "",
        ]
        for value in row.values
    ]
    _print_lines(file, lines)


def _show_fields(file: IO[str], title: str, fields: Iterable[Field]) -> None:
    lines = [
        [f"  {field.name}", field.shown_type, _bounds(field), field.meaning or field.note or ""]
        for field in sorted(fields, key=lambda field: not field.required)
    ]
    if lines:
        file.write(f"\n{title}\n")
        _print_lines(file, lines)


def _print_lines(file: IO[str], lines: list[list[str]]) -> None:
    """Write a table without its empty columns."""
    kept = [i for i in range(len(lines[0])) if any(line[i] for line in lines)] if lines else []
    print_table(file, [[line[i] for i in kept] for line in lines])


def _bounds(field: Field) -> str:
    bounds = {
        "required": bool(field.required),
        f"up to {field.max_length}": field.max_length is not None,
        "read only": not field.updatable,
    }
    return ", ".join(text for text, holds in bounds.items() if holds)


def _source(sources: str) -> str:
    known: Mapping[str, str] = _SOURCES
    return f"source: {', '.join(known.get(source, source) for source in sources.split())}" if sources else ""


def _lines(file: IO[str], texts: Iterable[str | None]) -> None:
    file.write("".join(f"{text}\n" for text in texts if text is not None))


@click.command("describe")
@click.argument("name", required=False, shell_complete=names)
@json_option
def describe_command(name: str | None, as_json: bool) -> None:
    """Describe an entity, command or enum; without NAME, list all names. Works offline.

    \b
      wosdk describe WorkOrder
      wosdk describe WoOnHoldCommand
      wosdk describe WorkOrderStatus --json
    """
    catalogue = load()
    row = None if name is None else _find(catalogue, name)
    with opened() as file:
        if as_json:
            data = (
                _as_data(row)
                if row is not None
                else {
                    "entities": {
                        family: [each.name for each in rows] for family, rows in _families(catalogue)
                    },
                    "commands": sorted(catalogue.commands),
                    "enums": sorted(catalogue.enums),
                }
            )
            file.write(f"{json_text(data)}\n")
        elif row is None:
            _show_all(file, catalogue)
        else:
            _show(file, row)


def _find(catalogue: Catalogue, name: str) -> Definition:
    if (found := catalogue.definition(name)) is not None:
        return found
    known = (*catalogue.entities, *catalogue.aliases, *catalogue.commands, *catalogue.enums)
    hint = suggestion(name, known) or "; wosdk describe lists all names"
    raise CliError(f"the catalogue has no entity, command or enum {name!r}{hint}")
