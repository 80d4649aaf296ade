"""Argument checks for verbs: class, id, record, command.

An invalid argument raises :class:`~wosdk_async.errors.InvalidCallError` before anything is sent. The error
shows the value and the remedy.
"""

from __future__ import annotations

import functools
import logging
import reprlib
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from wosdk_async.codec.checks import kind_of, named_by
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.model import Command, CommandResult, Record, Ref, command_class, entity_class
from wosdk_async.model.index import COMMANDS, ENTITIES, UNSUPPORTED
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

_log = logging.getLogger("wosdk_async")

_TYPO = 0.85  # similarity required for a warning: high, because new commands share endings with known ones

_BITS = 64  # maximum bits of an id


def described(value: Any) -> str:
    """Describe an invalid value for a message; hide records, because they may contain secrets."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"a number of more than {_BITS} bits"  # Python may refuse to convert its digits to text
    if value is None or isinstance(value, str | bytes | int | float):
        return reprlib.repr(value)
    return kind_of(value)


def entity_name(entity: Any) -> str:
    """Return the wire name of an entity given by class or name."""
    if isinstance(entity, str):
        return entity
    if not isinstance(entity, type):
        meant = type(entity).__name__ if isinstance(entity, Record) else "WorkOrder"
        raise InvalidCallError(
            f"an entity is a class or a name, not {described(entity)}; pass the class {meant}"
        )
    return _class_name(entity)


@functools.cache
def _class_name(cls: Any) -> str:
    if issubclass(cls, Command):
        raise InvalidCallError(f"{cls.__name__} is a command, not an entity; use run({cls.__name__}(...))")
    if not issubclass(cls, Record) or issubclass(cls, CommandResult):
        raise InvalidCallError(f"the class {cls.__name__} is not an entity; pass one, such as WorkOrder")
    name: str = cls.wire_name
    return name


def require_class(verb: str, entity: Any) -> None:
    """Raise InvalidCallError unless ``entity`` is an entity class; a name is refused."""
    name = entity_name(entity)
    if isinstance(entity, str):
        raise InvalidCallError(f"{verb}() takes an entity class, not the name {described(name)}")


def require_id(entity: Any, id: Any) -> None:
    """Raise InvalidCallError unless ``id`` is a valid id for ``entity``."""
    if _is_whole(id):
        return
    if isinstance(id, Mapping) and id:
        for name, value in id.items():
            _require_part(entity, name, value)
        return
    where = f"the id of {_article(entity_name(entity))}"
    if isinstance(id, str):
        raise InvalidCallError(f"{where} is {described(id)}, a string; {_instead_of_text(entity, id)}")
    if isinstance(id, Record | type(Ref(0))):
        own_id, name, other = getattr(id, "id", None), entity_name(entity), type(id).__name__
        if isinstance(id, Record) and isinstance(entity, type) and not isinstance(id, entity):
            raise InvalidCallError(
                f"{where} is {kind_of(id)}; pass the id of {_article(name)}, not of {_article(other)}"
            )
        remedy = "pass its id" if own_id is None else f"pass its id, {own_id}"
        raise InvalidCallError(f"{where} is {kind_of(id)}; {remedy}")
    shown = "an empty dict" if isinstance(id, Mapping) else described(id)
    why = "; a record has an id once it has been read or created" if id is None else ""
    raise InvalidCallError(
        f"{where} is {shown}; it must be a whole number, or a dict for a compound key{why}"
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _BITS


def _article(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


def _instead_of_text(entity: Any, id: str) -> str:
    if len(id) < _BITS and id.isascii() and id.strip().removeprefix("-").isdecimal():
        return f"it must be a whole number: send {int(id)}"
    name = named_by(entity) if isinstance(entity, type) else None
    if name is None:
        return "it must be a whole number; find a record by name with query()"
    if entity.__name__ == "WorkOrder":
        query = f"work_orders.by_number({described(id)})"
        return f"it must be a whole number; find the record by its number: {query}"
    query = f"query({entity.__name__}).where(fields({entity.__name__}).{name} == {described(id)}).one()"
    return f"it must be a whole number; find the record by its {name.replace('_', ' ')}: {query}"


def _require_part(entity: Any, name: Any, value: Any) -> None:
    """Check one member of a compound key: a wire name with an integer or a string."""
    where = f"the id of {_article(entity_name(entity))}"
    fields = getattr(entity, "__wire__", None)
    metas = {meta["name"].lower(): meta for meta in fields.values()} if fields else {}
    if not isinstance(name, str) or not name.isidentifier():
        raise InvalidCallError(f"{where} has the member {described(name)}; name each member after a property")
    wire = name.lower()
    if fields and wire not in metas and wire.removesuffix("id") not in metas:  # InvoiceId: the id of Invoice
        near = suggestion(name, [meta["name"] for meta in fields.values()])
        raise InvalidCallError(f"{where}: {entity_name(entity)} has no property {name!r}{near}")
    if _is_whole(value) or (
        isinstance(value, str) and value and metas.get(wire, {}).get("type") != "integer"
    ):
        return
    raise InvalidCallError(f"{where}: {name} is {described(value)}; it must be a whole number")


def require_record(verb: str, value: Any) -> None:
    """Raise InvalidCallError unless ``value`` is an entity record."""
    if isinstance(value, Record):
        entity_name(type(value))
    elif isinstance(value, type) and issubclass(value, Record):
        remedy = f"{value.__name__}(...)" if verb == "create" else f"{value.__name__}.ref(id)"
        raise InvalidCallError(f"{verb}() takes a record, not {described(value)}; pass {remedy}")
    else:
        remedy = (
            "Customer(...), or a name and its fields: create('Customer', {...})"
            if verb == "create"
            else "the record that was read, or a reference by id such as WorkOrder.ref(1)"
        )
        raise InvalidCallError(f"{verb}() takes a record, not {described(value)}; pass {remedy}")


def require_support(entity: type[Record] | str, operation: str) -> None:
    """Raise UnsupportedError, with a remedy, for an operation that the service is documented to refuse."""
    name = entity_name(entity)
    instead = UNSUPPORTED.get(name, {}).get(operation)
    if instead is not None:
        remedy = f"; {instead}" if instead else ""
        raise UnsupportedError(
            f"{operation} is not supported by {name}{remedy}",
            remedies=(Remedy.UNCHECKED,),
            code="ERROR_CODE_1000",
        )


def require_command(value: Any) -> None:
    """Raise InvalidCallError unless ``value`` is a model command."""
    if isinstance(value, Command):
        return
    if isinstance(value, type) and issubclass(value, Command):
        remedy = f"make one: {value.__name__}(...)"
    elif isinstance(value, Record):
        name = type(value).__name__
        how = "WoCreateCommand(work_order=...)" if name == "WorkOrder" else "create(record)"
        remedy = f"create {_article(name)} with {how}, and change it with update(record, field=value)"
    else:
        remedy = "pass one, such as WoStartCommand(work_order_id=1), or its name with fields: run('Name', {})"
    raise InvalidCallError(f"run() takes a command, not {described(value)}; {remedy}")


def untyped_field(kind: type[Command[Any]] | None) -> str | None:
    """Return a command's field that takes records or commands of any type; None if there is none."""
    fields = kind.__wire__.values() if kind is not None else ()
    return next((meta["name"] for meta in fields if meta["type"] == "object" and not meta["of"]), None)


def unknown_type(name: str, field: str) -> InvalidCallError:
    """Return the error for a command whose ``field`` contains records or commands without their types."""
    return InvalidCallError(  # facts 5
        f"{name}: {field} takes records or commands of any type, but how to declare their types is not"
        " documented; use create or update, or run each command separately",
        remedies=(Remedy.UNCHECKED,),
    )


# --- names as paths --------------------------------------------------------------------------


def name_of(entity: type[Record] | str) -> str:
    """Return an entity's name as a URL path. Raises InvalidCallError for anything but an entity."""
    name = segment(entity_name(entity))
    if isinstance(entity, str):
        warn_of_typo("entity", entity)
    return name


# Cached, to warn once per name; bounded, because a program may generate any number of names.
@functools.lru_cache(maxsize=256)
def warn_of_typo(kind: Literal["entity", "command"], name: str) -> None:
    """Log an unknown name that resembles one in the catalogue; the name is sent unchanged."""
    is_entity = kind == "entity"
    if (entity_class(name) if is_entity else command_class(name)) is None:
        near = suggestion(name, ENTITIES if is_entity else COMMANDS, cutoff=_TYPO)
        if near:
            _log.warning("the %s %r is not in the catalogue and is sent unchanged%s", kind, name, near)


def segment(name: str) -> str:
    """Return ``name`` as a URL path; forms such as ``WorkOrder/Create`` are allowed (facts 5)."""
    if not name or not all(part.isidentifier() for part in name.split("/")):
        raise InvalidCallError(f"{name!r} is not the name of an entity or command")
    return quote(name)
