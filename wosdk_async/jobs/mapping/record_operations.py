"""Operations on existing records, and the names by which maps, command lines and journals know all of them.

::

    WoCreateCommand
    create Customer
    update Customer by tenant_code
    delete Customer by id
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, ClassVar

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.errors import AmbiguousNameError, ImportMapError, MissingRecordError, RowError
from wosdk_async.jobs.mapping.operations import (
    CreateRecord,
    Effect,
    Found,
    Label,
    OnRecords,
    RunCommand,
    effect_of,
)
from wosdk_async.model import Money, OpenEnum, Record, command_class, entity_class, index
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.updates import change
from wosdk_async.query.fields import fields
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

__all__ = ["DeleteRecord", "RowOperation", "UpdateRecord", "operation_named"]

_KEYS_IN_QUERY = 200


class Changing(OnRecords):
    """Base of operations on existing records; :attr:`by` is the field that identifies them."""

    by: str
    new: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Such as ``update Customer by tenant_code``."""
        return f"{self.verb} {self.kind.wire_name} by {self.by}"

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError when the key or the fields to write are missing, or too many."""
        if self.by not in names:
            raise ImportMapError(
                f"{self.table}.{self.by} is missing: it identifies the records; "
                f'write {self.by} = "{{column}}"'
            )

    def require_marker(self, path: str) -> None:
        """Raise ImportMapError: the key of the records identifies the rows."""
        if path != self.by:
            raise ImportMapError(
                f"marker {path!r}: the rows are identified by {self.by} in {self.name!r}; "
                "leave the marker out"
            )

    async def find(self, company: Company, path: str, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Return the records that have each key, removed ones too: 200 keys in one query."""
        marked: Any = getattr(fields(self.kind), path)
        is_number = self.kind.__wire__[path]["type"] == "integer"
        found: dict[str, list[Any]] = defaultdict(list)
        wanted = ["*", *self._inner] if whole else self._short
        for first in range(0, len(keys), _KEYS_IN_QUERY):
            batch = keys[first : first + _KEYS_IN_QUERY]
            condition = marked.in_([int(key) for key in batch] if is_number else list(batch))
            async for record in company.query(self.kind).where(condition).select(*wanted):
                found[str(getattr(record, path)).strip()].append(record)
        return found

    @cached_property
    def _short(self) -> list[str]:
        names = ("id", self.by, "concurrency_id", "is_removed")
        table = self.kind.__wire__
        return [table[name]["name"] for name in dict.fromkeys(names) if name in table]

    @cached_property
    def _inner(self) -> list[str]:
        """The objects in a record that have fields of their own."""
        inner = ("object", "money")
        return [
            f"{meta['name']}.*"
            for meta in self.kind.__wire__.values()
            if meta["type"] in inner and meta["of"] and not meta.get("many")
        ]

    def set_id(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Write the id of the one record that has the key into ``record``."""
        existing = [each for each in found if not getattr(each, "is_removed", None)]
        if len(existing) == 1:
            record.id = existing[0].id
            return
        where = f"{self.by} {key!r}"
        if existing:
            ids = ", ".join(str(each.id) for each in existing[:5])
            raise AmbiguousNameError(
                f"{len(existing)} {self.noun} records have {where} (ids {ids}); name them by id"
            )
        if found:
            raise MissingRecordError(f"the {self.noun} with {where} is removed (id {found[0].id})")
        raise MissingRecordError(f"no {self.noun} has {where}")


@attrs.frozen(slots=False)
class UpdateRecord(Changing):
    """Write the fields of the map into a record that exists."""

    kind: type[Record]
    by: str
    verb: ClassVar[str] = "update"
    label: ClassVar[Label] = "updated"
    compares: ClassVar[bool] = True

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError when nothing is written beside the key."""
        super().require_fields(names)
        if fixed := {"id", "concurrency_id", "perform_deletion"} & (set(names) - {self.by}):
            raise ImportMapError(f"{self.table}.{min(fixed)} cannot be updated; delete it")
        if len(names) == 1:
            raise ImportMapError(f"{self.table} updates nothing: add the fields to update to {self.by}")

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Write the fields of one record; return it with its new version."""
        del marker
        return await company.update(self.kind.ref(record.id), **self._changes(record))  # type: ignore[attr-defined]

    def set_id(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Write the id of the record into ``record``. Raise RowError if its changes cannot be written."""
        changes = self._changes(record)
        if not changes:
            raise RowError("there is nothing to write: all cells of its fields are empty")
        super().set_id(record, key, found)
        if any(isinstance(value, Record | list) for value in changes.values()):
            self._require_writable(record.id, changes)

    def _require_writable(self, id: int, changes: dict[str, Any]) -> None:
        """Raise RowError if an update cannot write the changes, such as an amount without a currency."""
        for name, value in changes.items():
            if isinstance(value, Money) and None in (value.currency_type_id, value.value):
                part = "value" if value.value is None else "currency_type_id"
                raise RowError(
                    f"{self.table}.{name} has no {part}, and an update writes an amount whole; add "
                    f"{name}.{part} to the map, or fill in its column"
                )
        try:
            change(self.kind.ref(id), changes)  # type: ignore[attr-defined]
        except InvalidCallError as error:
            raise RowError(error.message, **error.facts) from None

    def _changes(self, record: Any) -> dict[str, Any]:
        left_out = {"id", self.by}
        return {
            name: value
            for name in self.kind.__wire__
            if name not in left_out and (value := getattr(record, name)) is not None
        }

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect if the record equals what was to be written."""
        changes = self._changes(record)
        if any(isinstance(value, list) for value in changes.values()):
            raise RowError("it writes a list, which cannot be compared: check the record yourself")
        self.set_id(record, key, found)
        (held,) = (each for each in found if each.id == record.id)
        same = all(_equal(value, getattr(held, name)) for name, value in changes.items())
        return effect_of(held) if same else None


@attrs.frozen(slots=False)
class DeleteRecord(Changing):
    """Delete a record that exists."""

    kind: type[Record]
    by: str
    verb: ClassVar[str] = "delete"
    label: ClassVar[Label] = "deleted"
    compares: ClassVar[bool] = False

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError when the map fills more than the key."""
        super().require_fields(names)
        if more := sorted(set(names) - {self.by}):
            raise ImportMapError(f"{self.table}.{more[0]} is not used when records are deleted; delete it")

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Delete one record, without ``missing_ok``: that would repeat calls that may be in doubt."""
        del marker
        return await company.delete(self.kind, record.id)

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect when no record with the key remains."""
        del record, key
        if any(not getattr(each, "is_removed", None) for each in found):
            return None
        return effect_of(found[0]) if found else Effect(self.noun)


def _equal(sent: Any, held: Any) -> bool:
    """Return whether a field has the sent value."""
    if (id := getattr(sent, "id", None)) is not None:
        return bool(id == getattr(held, "id", None))
    if isinstance(sent, Record):
        values = {name: value for name in sent.__wire__ if (value := getattr(sent, name)) is not None}
        return all(_equal(value, getattr(held, name, None)) for name, value in values.items())
    if isinstance(sent, str | OpenEnum):
        return str(sent).strip() == ("" if held is None else str(held).strip())
    if held is None:  # null is read like False and 0 (facts 3.4)
        return not sent
    return bool(sent == held)


RowOperation = RunCommand | CreateRecord | UpdateRecord | DeleteRecord
"""Operation on each row.

``table`` of the map fills a record of class ``kind``, which needs all fields of a new one if it is ``new``.
``by`` is the field whose value says which record is changed, None when one is made. ``name`` identifies the
operation in a journal, ``label`` is its past participle, and ``noun`` and ``question`` are shown to the user.
A row in doubt is ``settled`` by the records that have its key, and by its own record if the operation
``compares``.
"""

_OF_RECORDS = re.compile(r"(?P<verb>create|update|delete) (?P<entity>\w+)(?: by (?P<by>\w+))?")


def operation_named(text: str) -> RowOperation:
    """Return the operation with this name.

    Raises:
        ImportMapError: there is none, or the service does not support it; the message says what to write.
    """
    words = " ".join(text.split())
    if (found := _OF_RECORDS.fullmatch(words)) is not None:
        return _of_records(found["verb"], found["entity"], found["by"])
    command: Any = command_class(words)
    if command is None:
        hint = suggestion(words, index.COMMANDS) or (
            '; write a command such as "WoAssignCommand", "create Customer", "update Customer by id" '
            'or "delete Customer by id"'
        )
        raise ImportMapError(f"there is no operation {text!r}{hint}")
    return RunCommand(command)


def _of_records(verb: str, name: str, by: str | None) -> RowOperation:
    kind: Any = entity_class(name)
    if kind is None or "id" not in kind.__wire__:
        hint = suggestion(name, index.ENTITIES)
        remedies = () if hint else (Remedy.CATALOGUE,)
        raise ImportMapError(f"{verb} {name}: the service has no entity {name!r}{hint}", remedies=remedies)
    try:
        require_support(kind, verb)
    except WosdkError as error:
        raise ImportMapError(error.message) from None
    if verb == "create":
        if by is not None:
            raise ImportMapError(f'create {name}: a create does not look up {by}; write "create {name}"')
        return CreateRecord(kind)
    made = UpdateRecord if verb == "update" else DeleteRecord
    return made(kind, _key_field(kind, by or "id", f"{verb} {name}"))


def _key_field(kind: type[Record], by: str, where: str) -> str:
    """Return the Python name of the field that identifies the records."""
    wires = {meta["name"].casefold(): name for name, meta in kind.__wire__.items()}
    name = by if by in kind.__wire__ else wires.get(by.casefold())
    if name is None:
        raise ImportMapError(f"{where}: {kind.__name__} has no field {by!r}{suggestion(by, kind.__wire__)}")
    meta = kind.__wire__[name]
    if meta["type"] not in ("string", "integer") or meta.get("many") or meta.get("secret"):
        raise ImportMapError(f"{where}: {name} is not a text or a whole number; name the field of a key")
    return name
