"""Rows of the catalogue: fields, entities, enums, commands and operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

__all__ = ["VERBS", "Command", "CommandBase", "Entity", "EnumType", "EnumValue", "Field", "Operation"]

Repeat = Literal["safe", "unsafe"]

VERBS = ("create", "retrieve", "update", "delete", "query")
"""Keys of ``Entity.operations``, in the order in which they are shown."""


@attrs.frozen(kw_only=True)
class Field:
    """One property of an entity, a command or a result.

    ``type`` is one of string, integer, number, boolean, datetime-local, datetime-utc, money, enum,
    ref (another entity), object (a value, or anything when ``of`` is empty) and list, whose
    element type is ``item``. ``of`` names the entity, value or enum.
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
        """Type of the value, or of each element when the field is a list."""
        return self.item or "object" if self.type == "list" else self.type

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return self.type == "list"


@attrs.frozen(kw_only=True)
class Entity:
    """An entity type, or a value, query, message or abstract shape of the interface."""

    name: str
    kind: Literal["entity", "value", "query", "message", "abstract"]
    family: str
    base: str | None = None
    meaning: str | None = None
    operations: Mapping[str, bool | None] = attrs.field(factory=dict)
    operations_note: str | None = None
    instead: Mapping[str, str] = attrs.field(factory=dict)
    needs: Mapping[str, str] = attrs.field(factory=dict)
    """Field without which the service refuses a new record -> what to do."""
    composite_key: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    note: str | None = None
    sources: str = ""
    own_fields: tuple[Field, ...] = ()
    fields: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class EnumValue:
    """A named value; ``value`` is its number where a source shows it."""

    name: str
    value: int | None = None
    meaning: str | None = None
    http_status: int | None = None
    note: str | None = None
    sources: str = ""


@attrs.frozen(kw_only=True)
class EnumType:
    """An open list of values: the service may add values in any release (facts 9)."""

    name: str
    values: tuple[EnumValue, ...]
    note: str | None = None
    sources: str = ""


@attrs.frozen(kw_only=True)
class CommandBase:
    """A shape that commands share. It has no path and is never sent itself.

    ``request`` also holds the fields of the shape's ``base``.
    """

    name: str
    base: str | None = None
    meaning: str | None = None
    note: str | None = None
    sources: str = ""
    own_request: tuple[Field, ...] = ()
    request: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class Command:
    """A workflow command: its path below ``api/v1/cmd/``, its fields and those of its result.

    ``own_request`` holds the fields that the command adds to its ``base`` or changes; ``request`` holds all.
    """

    name: str
    base: str | None = None
    path: str
    other_paths: tuple[str, ...] = attrs.field(default=(), converter=tuple)
    host: str | None = None
    repeat: Repeat
    meaning: str | None = None
    note: str | None = None
    sources: str = ""
    own_request: tuple[Field, ...] = ()
    request: tuple[Field, ...] = ()
    result: str | None = None
    response: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class Operation:
    """A verb of the interface, and whether it is safe to repeat."""

    name: str
    method: str
    path: str
    repeat: Repeat
    source: str
    note: str | None = None
