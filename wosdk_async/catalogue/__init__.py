"""The service as data: entities, fields, enums, commands and operations.

``generate.py`` writes ``wosdk_async/model`` from the JSON files in this folder, and the sandbox checks
requests against them. A row's ``sources`` name its origins: ``spec`` (the specification), ``doc`` (the
vendor's public pages and requests), ``wsdl`` (the vendor's older schema), ``peer`` (a third-party client).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Literal

import attrs

Repeat = Literal["safe", "unsafe"]

VERBS = ("create", "retrieve", "update", "delete", "query")
"""Keys of ``Entity.operations``, in display order."""


@attrs.frozen(kw_only=True)
class Field:
    """Property of an entity, a command or a result.

    ``type`` is string, integer, number, boolean, datetime-local, datetime-utc, money, enum, ref
    (another entity), object (a value, or anything if ``of`` is empty) or list, whose element type is
    ``item``. ``of`` names the entity, value or enum.
    """

    name: str
    type: str
    item: str | None = None
    of: str | None = None
    max_length: int | None = None
    max_length_source: Literal["doc", "peer"] | None = None
    required: bool | None = None
    nullable: bool = False
    updatable: bool = True
    aliases: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    meaning: str | None = None
    note: str | None = None
    sources: str = ""

    @property
    def kind(self) -> str:
        """Type of the value, or of each list element."""
        return self.item or "object" if self.type == "list" else self.type

    @property
    def shown_type(self) -> str:
        """Type as shown to users, such as ``list of WorkOrder``."""
        kind = self.of if self.kind in ("ref", "enum", "object") and self.of else self.kind
        return f"list of {kind}" if self.is_list else kind

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return self.type == "list"


@attrs.frozen(kw_only=True)
class Entity:
    """Entity type, or a value, query, message or abstract shape of the API."""

    name: str
    kind: Literal["entity", "value", "query", "message", "abstract"]
    family: str
    base: str | None = None
    meaning: str | None = None
    operations: Mapping[str, bool | None] = attrs.field(factory=dict)
    operations_note: str | None = None
    instead: Mapping[str, str] = attrs.field(factory=dict)
    needs: Mapping[str, str] = attrs.field(factory=dict)
    """For each required field: remedy if a new record lacks it."""
    computed: Mapping[str, str] = attrs.field(factory=dict)
    """For each field that the service always computes: remedy if a new record sets it."""
    composite_key: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    note: str | None = None
    sources: str = ""
    own_fields: tuple[Field, ...] = ()
    fields: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class EnumValue:
    """Value of an enum; ``value`` is its number, if a source gives one."""

    name: str
    value: int | None = None
    meaning: str | None = None
    http_status: int | None = None
    note: str | None = None
    sources: str = ""


@attrs.frozen(kw_only=True)
class EnumType:
    """Enum with an open list of values: the service may add values in any release (facts 9)."""

    name: str
    values: tuple[EnumValue, ...]
    note: str | None = None
    sources: str = ""


@attrs.frozen(kw_only=True)
class CommandBase:
    """Abstract command shape, never sent itself; ``request`` includes the fields of its ``base``."""

    name: str
    base: str | None = None
    meaning: str | None = None
    note: str | None = None
    sources: str = ""
    own_request: tuple[Field, ...] = ()
    request: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class Command:
    """Workflow command: its path below ``api/v1/cmd/``, its fields and its result's fields."""

    name: str
    base: str | None = None
    path: str
    other_paths: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    host: str | None = None
    repeat: Repeat
    meaning: str | None = None
    note: str | None = None
    sources: str = ""
    own_request: tuple[Field, ...] = ()  # fields that its ``base`` lacks or defines differently
    request: tuple[Field, ...] = ()
    result: str | None = None
    response: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class Operation:
    """Verb of the API, and whether it is safe to repeat."""

    name: str
    method: str
    path: str
    repeat: Repeat
    source: str
    note: str | None = None


@attrs.frozen(kw_only=True)
class Catalogue:
    """Everything known about the service, under the service's own names."""

    entities: Mapping[str, Entity]
    enums: Mapping[str, EnumType]
    command_bases: Mapping[str, CommandBase]
    commands: Mapping[str, Command]
    operations: Mapping[str, Operation]
    aliases: Mapping[str, str]
    row_cap: int
    sources_differ: tuple[Mapping[str, str], ...]
    """Differences between the specification and the recordings, and how the client handles them."""

    def entity(self, name: str) -> Entity | None:
        """Return the entity with this name or alias, case-insensitive (facts 3.3); None if there is none."""
        wire = self._entity_names.get(name.lower())
        return self.entities[wire] if wire else None

    def definition(self, name: str) -> Entity | Command | CommandBase | EnumType | None:
        """Return the entity, command, base command or enum with this name, case-insensitive, if any."""
        tables = (self.commands, self.enums, self.command_bases)
        rows = (row for table in tables for wire, row in table.items() if wire.lower() == name.lower())
        return next(rows, None) or self.entity(name)

    @functools.cached_property
    def _entity_names(self) -> dict[str, str]:
        names = {name.lower(): name for name in self.entities}
        return {alias.lower(): wire for alias, wire in self.aliases.items()} | names


def _read(name: str) -> Any:
    return json.loads(resources.files(__package__).joinpath(f"{name}.json").read_bytes())


def _fields(rows: list[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(Field(**row) for row in rows)


def _inherit_fields(rows: Mapping[str, Any], key: str, kind_of: Callable[[str], Any]) -> dict[str, Any]:
    """Return a ``kind_of(name)`` object for each row; its attribute ``key`` has inherited fields first."""
    done: dict[str, Any] = {}

    def build(name: str) -> Any:
        if name not in done:
            row = rows[name]
            own = _fields(row[key])
            inherited = getattr(build(row["base"]), key) if row.get("base") else ()
            merged = {field.name: field for field in (*inherited, *own)}  # replaces an inherited field
            fields = {f"own_{key}": own, key: tuple(merged.values())}
            response = {"response": _fields(row["response"])} if "response" in row else {}
            done[name] = kind_of(name)(name=name, **{**row, **fields, **response})
        return done[name]

    return {name: build(name) for name in rows}


def _enum(name: str, row: Mapping[str, Any]) -> EnumType:
    return EnumType(name=name, **{**row, "values": tuple(EnumValue(**value) for value in row["values"])})


@functools.cache
def load() -> Catalogue:
    """Read the catalogue. The result is shared, so treat it as read-only."""
    differences, bases = _read("differences"), _read("command_bases")
    commands = _inherit_fields(
        bases | _read("commands"), "request", lambda name: CommandBase if name in bases else Command
    )
    return Catalogue(
        entities=_inherit_fields(_read("entities"), "fields", lambda _: Entity),
        enums={name: _enum(name, row) for name, row in _read("enums").items()},
        command_bases={name: commands.pop(name) for name in bases},
        commands=commands,
        operations={name: Operation(name=name, **row) for name, row in _read("operations").items()},
        aliases=differences["aliases"],
        row_cap=differences["row_cap"],
        sources_differ=tuple(differences["sources_differ"]),
    )
