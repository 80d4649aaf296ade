"""Markers: the caller's own keys in fields of commands or records, for look-ups.

The service has no idempotency key (facts 5). A caller's key in a queryable field serves instead.
"""

from __future__ import annotations

import functools
import operator
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from wosdk_async.errors import (
    InvalidCallError,
    NoAnswerError,
    NotUniqueError,
    UnknownPropertyError,
    UnsupportedError,
)
from wosdk_async.model import Command, EntitySpecifier, Record, entity_class
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.arguments import (
    described,
    entity_name,
    require_command,
    require_record,
    require_support,
)
from wosdk_async.protocol.calls import Written
from wosdk_async.protocol.records import specifier_of
from wosdk_async.protocol.validation import computed_names
from wosdk_async.query.builder import condition_of, selected
from wosdk_async.query.paths import ResolvedPath, root, text
from wosdk_async.query.plan import Plan
from wosdk_async.query.properties import Path, property_at
from wosdk_async.text.suggestions import suggestion

Key = str | int

MAX_ROWS = 1000
"""Maximum records per look-up; below the service's cap, so a response with fewer records is complete."""

_SHOWN = 5  # maximum fields named in a message
_KEY_LENGTH = 20  # characters that a field must hold: default keys for a million rows have up to 16
_CACHED = 1024  # cache size; programs use far fewer markers
_COUNTERS = {"Id", "ConcurrencyId"}  # facts 3.3: a create ignores both
_IGNORED = {"Mn", "Me", "Cc", "Cf"}  # Unicode categories: accents, and characters without a width
_DERIVED = {("Contact", "DisplayAs")}  # facts 3.4: derived from the first and last name, if there are any


# --- the field ------------------------------------------------------------------------------


@attrs.frozen
class MarkedField:
    """Entity property that holds the caller's keys."""

    entity: type[Record]
    path: str
    """Property path in Python names: ``po_number``, ``customer.name``."""
    resolved: ResolvedPath = attrs.field(eq=False, repr=False)

    @classmethod
    def of(cls, entity: type[Record], path: str, marker: str, *, new: bool) -> MarkedField:
        """Return the field at ``path``, starting from the entity.

        ``marker`` is the caller's path, for messages; it may start at a command. With ``new``, also
        require a field that the service stores unchanged when it creates a record.

        Raises:
            InvalidCallError: keys in this property cannot be looked up.
        """
        where = f"marker {marker!r:.80}"
        try:
            found = functools.reduce(ResolvedPath.by_python, path.split("."), root(entity))
        except UnknownPropertyError as error:  # the new message keeps its suggestion of a similar name
            raise UnknownPropertyError(f"{where}: {error.message}", **error.facts) from None
        _require_key_field(found, where, _suitable_fields(entity, marker.removesuffix(path)), new)
        _require_query(entity, where)
        return cls(entity, path, found)

    def expression(self, keys: Sequence[Key], properties: Sequence[str]) -> dict[str, Any]:
        """Return a QueryExpression for the ``properties`` of all records with one of the keys.

        Raises InvalidCallError if a key does not fit the property.
        """
        marked: Any = property_at(self.resolved)
        plan = Plan(self.entity)
        # facts 4: `In` is only documented, but `Equal` succeeded in a recorded query, and is used for one key
        condition = condition_of(plan, marked == keys[0] if len(keys) == 1 else marked.in_(keys))
        plan = attrs.evolve(plan, conditions=(condition,), properties=(*properties, selected(plan, marked)))
        return plan.expression(Count=MAX_ROWS)

    def require_fit(self, key: Key) -> None:
        """Raise InvalidCallError if the property cannot be compared with ``key``, or is too short for it."""
        text(key, self.resolved)  # raises if the property cannot be compared with the key
        meta = self.resolved.meta or {}
        # The service might truncate a longer key; no look-up would find it.
        if meta.get("max_length_source") == "doc" and len(str(key)) > meta["max_length"]:
            raise InvalidCallError(
                f"the key {key!r:.80} has {len(str(key))} characters; {self.resolved} holds"
                f" {meta['max_length']}: use a shorter key"
            )

    def text_in(self, record: Any) -> str:
        """Return a record's key as text. Raises NoAnswerError if the service omitted the property."""
        value = record
        for name in self.path.split("."):
            value = getattr(value, name, None)
        if value is None:
            raise NoAnswerError(
                f"the service found the {self.entity.wire_name} by {self.path}, but omitted that property"
                " from the response"
            )
        return str(value).strip()


def _require_key_field(found: ResolvedPath, where: str, suitable: str, new: bool) -> None:
    """Raise InvalidCallError for a property that cannot hold a key; the message lists ``suitable`` ones."""
    name = found.path.rpartition(".")[2]
    if found.in_list or found.below is not None:
        kind = "a list" if found.in_list else "a record"
        raise InvalidCallError(
            f"{where} names {kind}, {found}; name a scalar property that holds your key{suitable}"
        )
    is_string = found.kind == "string"
    if name in _COUNTERS or (_is_set_by_service(found.entity, found.path) and (is_string or new)):
        raise InvalidCallError(
            f"{where}: the service sets {found} itself and ignores your value; name a field that keeps your"
            f" key{suitable}"
        )
    if found.meta is not None and found.meta.get("secret"):
        raise InvalidCallError(
            f"{where}: {found} is a secret and is never read back; name another field{suitable}"
        )
    # If the service changed the key, the record would not be found, and would be created twice. The service
    # stores only strings unchanged: it checks or computes ids, states and amounts, and stores a reference as
    # an id (facts 3.4).
    if new and (not is_string or "." in found.path):
        raise InvalidCallError(f"{where}: a key needs a string property of the new record{suitable}")


def _is_set_by_service(entity: str, name: str) -> bool:
    return name in computed_names(entity) or (entity, name) in _DERIVED


def _suitable_fields(entity: type[Record], holder: str) -> str:
    """Describe the fields of ``entity`` that can hold a key, each prefixed with ``holder``."""
    found = [f"{holder}{name}" for name in _key_fields(entity)]
    return f": {', '.join(found[:_SHOWN])}" if found else ""


def _key_fields(entity: type[Record]) -> Iterator[str]:
    for name, meta in entity.__wire__.items():
        if meta["type"] == "string" and _keeps_key(entity.wire_name, meta):
            yield name


def _key_field_paths(command: type[Command[Any]]) -> Iterator[str]:
    for member, meta in command.__wire__.items():
        entity: Any = entity_class(meta["of"]) if meta["type"] == "ref" and meta["of"] else None
        if entity is not None:
            yield from (f"{member}.{name}" for name in _key_fields(entity))


def _keeps_key(entity: str, meta: Wire) -> bool:
    """Return whether a string field is sent, stored unchanged, readable, and long enough for a key."""
    is_sent = not meta.get("many") and meta.get("updatable", True) and not meta.get("secret")
    is_kept = not _is_set_by_service(entity, meta["name"])
    return is_sent and is_kept and meta.get("max_length", _KEY_LENGTH) >= _KEY_LENGTH


def _require_query(entity: type[Record], where: str) -> None:
    try:
        require_support(entity, "query")
    except UnsupportedError as error:
        raise UnsupportedError(f"{where}: {error.message}", code=error.code) from None


# --- the marker of one call -----------------------------------------------------------------


@attrs.define(eq=False)  # not frozen: each call creates a marker, which takes four times as long if frozen
class Marker:
    """Key of one call, in a field of its command or record."""

    field: MarkedField
    key: Key
    result: Callable[[Any], Any] = attrs.field(repr=False)
    """Function that converts a found record to the call's result."""

    @property
    def text(self) -> str:
        """Text used to compare the key: case-sensitive, without surrounding whitespace."""
        return str(self.key).strip()

    @classmethod
    def of_command(cls, command: Command[Any] | Written | str, path: str) -> Marker:
        """Return the marker at ``path`` of a command, such as ``"work_order.po_number"``.

        Raises InvalidCallError if there is no key at the path, or if the command's result does not have
        exactly one record of the type that holds the key.
        """
        if isinstance(command, str):
            raise InvalidCallError(f"a marker needs an instance of a command class, not the name {command!r}")
        if isinstance(command, Written):
            field, result = _of_command_class(command.kind, path)
            field.require_fit(command.key)
            return cls(field, command.key, result)
        require_command(command)
        kind: Any = type(command)  # mypy: commands are unhashable, but their class is not
        field, result = _of_command_class(kind, _path(path))
        return cls(field, _key_at(command, path, field), result)

    @classmethod
    def of_record(cls, record: Record | str, path: str) -> Marker:
        """Return the marker at ``path`` of a new record, such as ``"number"``.

        Raises InvalidCallError if there is no key at the path, or the entity cannot be queried by the field.
        """
        if isinstance(record, str):
            raise InvalidCallError(f"a marker needs an instance of a record class, not the name {record!r}")
        require_record("create", record)
        kind: Any = type(record)
        field = _of_entity(kind, _path(path), new=True)
        return cls(field, _key_at(record, path, field), _specifier)

    def result_of(self, records: Sequence[Any]) -> Any:
        """Return the call's result, built from the record with the key; None if ``records`` is empty.

        Raises NotUniqueError for several records.
        """
        if len(records) > 1:
            ids = ", ".join(str(getattr(record, "id", "?")) for record in records[:20])
            raise NotUniqueError(
                f"several {self.field.entity.wire_name} records have {self.field.path} {self.key!r} (Id"
                f" {ids}): the key was used before, or the call was carried out more than once"
            )
        return self.result(records[0]) if records else None


def field_of(owner: object, path: str, *, new: bool = False) -> MarkedField:
    """Return a marker's field for a command or entity class; pass ``new`` if the call creates the record.

    Raises InvalidCallError if keys in the field cannot be looked up.
    """
    cls: Any = owner if isinstance(owner, type) else None
    if cls is not None and issubclass(cls, Command):
        return _of_command_class(cls, _path(path))[0]
    if cls is not None and issubclass(cls, Record):
        entity_name(cls)
        return _of_entity(cls, _path(path), new=new)
    raise InvalidCallError(
        f"a look-up by marker needs the class of a command or entity, not {described(owner)}; pass one, such"
        " as WoCreateCommand"
    )


def _path(path: Any) -> str:
    if isinstance(path, str):
        return path
    shown = repr(path) if isinstance(path, Path) else described(path)
    raise InvalidCallError(
        f"a marker is a string such as 'work_order.po_number', not {shown}; pass the field's path as a string"
    )


@functools.lru_cache(maxsize=_CACHED)
def _of_entity(entity: Any, path: str, *, new: bool) -> MarkedField:
    return MarkedField.of(entity, path, path, new=new)


@functools.lru_cache(maxsize=_CACHED)
def _of_command_class(command: Any, path: str) -> tuple[MarkedField, Callable[[Any], Any]]:
    """Return a marker's field, and the function that converts a record to the command's result."""
    first, _, rest = path.partition(".")
    table = command.__wire__
    if first not in table:
        near = suggestion(first, table if rest else _key_field_paths(command))
        raise InvalidCallError(f"marker {path!r:.80}: {command.wire_name} has no field {first!r:.80}{near}")
    name = table[first].get("of")
    entity: Any = entity_class(name) if name and rest else None
    if entity is None:
        raise InvalidCallError(
            f"marker {path!r} of {command.wire_name}: name a record and its field with your key, as in"
            f" 'work_order.po_number'"
        )
    field = MarkedField.of(entity, rest, path, new=True)
    result = command.result_class()
    members = [member for member, meta in result.__wire__.items() if meta.get("of") == entity.wire_name]
    if len(members) != 1:
        raise InvalidCallError(
            f"marker {path!r}: the result of {command.wire_name} does not have exactly one {entity.wire_name}"
        )
    return field, lambda record: result(**{members[0]: record})


def _specifier(record: Any) -> EntitySpecifier:
    if getattr(record, "id", None) is None:
        raise NoAnswerError(
            f"the service found the {record.wire_name} by its key, but its response omits the Id"
        )
    version = getattr(record, "concurrency_id", None)
    content = {"EntityType": record.wire_name, "Id": record.id}
    return specifier_of(
        {"EntitySpecifier": content if version is None else content | {"ConcurrencyId": version}}
    )


# --- keys -----------------------------------------------------------------------------------


_getter = functools.lru_cache(maxsize=_CACHED)(operator.attrgetter)


def _key_at(holder: Any, path: str, field: MarkedField) -> Key:
    """Return the key at ``path``. Raises InvalidCallError if there is none."""
    try:
        key = _getter(path)(holder)
    except AttributeError:
        key = None
    if not is_key(key):
        fix = "give it a unique key"
        if isinstance(key, str) and is_key(key.strip()):
            fix = "remove the leading or trailing whitespace"
        raise InvalidCallError(f"marker {path!r} of {holder.wire_name} is {key!r}; {fix}")
    field.require_fit(key)
    found: Key = key
    return found


def checked_keys(field: MarkedField, keys: Iterable[Key]) -> list[Key]:
    """Return the distinct keys to look up. Raises InvalidCallError for invalid keys."""
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise InvalidCallError(f"keys is {described(keys)}; pass a list: [{described(keys)}]")
    found = list(dict.fromkeys(keys))
    for key in found:
        if not is_key(key):
            raise InvalidCallError(
                f"{described(key)} cannot be a key; use an integer, or a string without leading or"
                " trailing whitespace"
            )
        field.require_fit(key)
    return found


def require_asked(what: str, found: Iterable[str], asked: Iterable[str]) -> None:
    """Raise NoAnswerError if the response has a key that was not requested.

    Such a key shows that the service or a proxy ignored the condition, so the response cannot show that a key
    is absent. A found key may differ from a requested key in ways that a database ignores.
    """
    accepted = {_collated(key) for key in asked}
    other = next((text for text in found if _collated(text) not in accepted), None)
    if other is not None:
        raise NoAnswerError(
            f"the look-up by {what} returned a record for {other!r:.80}, which was not requested; the"
            " service may have ignored the condition"
        )


def _collated(text: str) -> str:
    """Return a text without the distinctions that a database's collation may ignore.

    The service's collation is undocumented. It may ignore case, accents, width, surrounding whitespace and
    invisible characters.
    """
    # facts 3.4: the name of a removed record ends in " (deleted)"
    plain = unicodedata.normalize("NFKD", text.removesuffix(" (deleted)").casefold())
    return "".join(each for each in plain if unicodedata.category(each) not in _IGNORED).casefold().strip()


def is_key(key: Any) -> bool:
    """Return whether a value can be a key: an integer except 0, or text without surrounding whitespace."""
    if isinstance(key, str):
        return bool(key) and key == key.strip()
    return isinstance(key, int) and not isinstance(key, bool) and key != 0
