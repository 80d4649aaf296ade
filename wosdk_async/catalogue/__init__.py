"""The service described as data: entities, fields, enums, commands and operations.

The JSON files beside this module are the project's one description of the service. The
generator (``generate.py``) writes ``wosdk_async/model`` from them, the sandbox checks requests
against them, and the tests loop over them. Nothing here knows HTTP or asyncio.

``sources`` of a row names who states it: ``spec`` (the specification), ``doc`` (a public page or
collection of the vendor), ``wsdl`` (the vendor's older schema), ``peer`` (a third-party client).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import attrs

from wosdk_async.catalogue.rows import (
    VERBS,
    Command,
    CommandBase,
    Entity,
    EnumType,
    EnumValue,
    Field,
    Operation,
)

__all__ = [
    "VERBS",
    "Catalogue",
    "Command",
    "CommandBase",
    "Entity",
    "EnumType",
    "EnumValue",
    "Field",
    "Operation",
    "load",
]


@attrs.frozen(kw_only=True)
class Catalogue:
    """All that the project knows about the service; names are spelled as the service spells them."""

    entities: Mapping[str, Entity]
    enums: Mapping[str, EnumType]
    command_bases: Mapping[str, CommandBase]
    commands: Mapping[str, Command]
    operations: Mapping[str, Operation]
    aliases: Mapping[str, str]
    row_cap: int
    sources_differ: tuple[Mapping[str, str], ...]
    """Places where the specification and the recordings differ, and what the client does about it."""

    def entity(self, name: str) -> Entity | None:
        """Return the entity with this name or alias, ignoring letter case (facts 3.3), or None."""
        wire = self._entity_names.get(name.lower())
        return self.entities[wire] if wire else None

    @functools.cached_property
    def _entity_names(self) -> dict[str, str]:
        names = {name.lower(): name for name in self.entities}
        return {alias.lower(): wire for alias, wire in self.aliases.items()} | names


def _read(name: str) -> Any:
    return json.loads(resources.files(__package__).joinpath(f"{name}.json").read_bytes())


def _fields(rows: list[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(Field(**row) for row in rows)


def _merged(inherited: tuple[Field, ...], own: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return all fields, the base's first; an own field takes the place of the inherited one."""
    return tuple({field.name: field for field in (*inherited, *own)}.values())


def _entities(raw: dict[str, dict[str, Any]]) -> dict[str, Entity]:
    done: dict[str, Entity] = {}

    def build(name: str) -> Entity:
        if name not in done:
            row = dict(raw[name])
            own = _fields(row.pop("fields"))
            inherited = build(row["base"]).fields if row.get("base") else ()
            done[name] = Entity(name=name, own_fields=own, fields=_merged(inherited, own), **row)
        return done[name]

    return {name: build(name) for name in raw}


def _command_bases(raw: dict[str, dict[str, Any]]) -> dict[str, CommandBase]:
    done: dict[str, CommandBase] = {}
    for name, row in raw.items():  # the file has a base before the shapes that inherit from it
        own = _fields(row["request"])
        inherited = done[row["base"]].request if row.get("base") else ()
        request = _merged(inherited, own)
        done[name] = CommandBase(name=name, **{**row, "own_request": own, "request": request})
    return done


def _command(name: str, row: dict[str, Any], bases: Mapping[str, CommandBase]) -> Command:
    own = _fields(row["request"])
    inherited = bases[row["base"]].request if row.get("base") else ()
    fields = {"own_request": own, "request": _merged(inherited, own), "response": _fields(row["response"])}
    return Command(name=name, **{**row, **fields})


@functools.cache
def load() -> Catalogue:
    """Read the catalogue; the result is shared, so treat it as read-only."""
    differences = _read("differences")
    bases = _command_bases(_read("command_bases"))
    return Catalogue(
        entities=_entities(_read("entities")),
        enums={
            name: EnumType(
                name=name, **{**row, "values": tuple(EnumValue(**value) for value in row["values"])}
            )
            for name, row in _read("enums").items()
        },
        command_bases=bases,
        commands={name: _command(name, row, bases) for name, row in _read("commands").items()},
        operations={name: Operation(name=name, **row) for name, row in _read("operations").items()},
        aliases=differences["aliases"],
        row_cap=differences["row_cap"],
        sources_differ=tuple(differences["sources_differ"]),
    )
