"""Import operations on existing records, and the parser for operation names.

Maps, command lines and journals name operations as follows::

    WoCreateCommand
    create Customer
    update Customer by tenant_code
    delete Customer by id
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import attrs

from wosdk_async.calls.markers import require_asked
from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.errors import (
    AmbiguousNameError,
    ImportMapError,
    MissingRecordError,
    RowError,
    zeros_hint,
)
from wosdk_async.jobs.mapping.operations import (
    CreateRecord,
    EntityOperation,
    Found,
    Label,
    RunCommand,
    effect_of,
)
from wosdk_async.jobs.mapping.tables import field_spelled
from wosdk_async.model import Money, OpenEnum, Record, command_class, entity_class, index
from wosdk_async.protocol.arguments import require_support, unknown_type, untyped_field
from wosdk_async.protocol.updates import change
from wosdk_async.protocol.writes import Effect
from wosdk_async.query.fields import fields
from wosdk_async.resources.names import batches
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion


@attrs.frozen(slots=False)
class ChangeOperation(EntityOperation):
    """Base class of operations on existing records, which the field ``by`` identifies."""

    by: str
    new: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Operation name, such as ``update Customer by tenant_code``."""
        return f"{self.verb} {self.kind.wire_name} by {self.by}"

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError if the map does not set the field ``by``."""
        if self.by not in names:
            raise ImportMapError(
                f"{self.table}.{self.by}, which identifies the records, is missing; "
                f'add {self.by} = "{{column}}"'
            )

    def require_marker(self, path: str) -> None:
        """Raise ImportMapError for a marker other than ``by``."""
        if path != self.by:
            raise ImportMapError(
                f"marker {path!r}: {self.name!r} already identifies rows by {self.by}; remove 'marker'"
            )

    async def find(self, company: Company, path: str, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Look up the records with each key, including removed records."""
        marked: Any = getattr(fields(self.kind), path)
        is_number = self.kind.__wire__[path]["type"] == "integer"
        found: dict[str, list[Any]] = defaultdict(list)
        wanted = self._properties(whole)
        for batch in batches(keys):
            asked: list[Any] = list(map(int, batch)) if is_number else batch
            returned = set[str]()
            async for record in company.query(self.kind).where(marked.in_(asked)).select(*wanted):
                returned.add(key := str(getattr(record, path)).strip())
                found[key].append(record)
            if not returned.issuperset(texts := list(map(str, asked))):
                require_asked(path, returned, texts)
        return found

    def _properties(self, whole: bool) -> list[str]:
        table = self.kind.__wire__
        if not whole:
            names = dict.fromkeys(("id", self.by, "concurrency_id", "is_removed"))
            return [table[name]["name"] for name in names if name in table]
        inner = (each for each in table.values() if each["type"] in ("object", "money") and each["of"])
        return ["*", *(f"{each['name']}.*" for each in inner if not each.get("many"))]

    def set_id(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Set ``record.id`` to the existing record's id. Raise RowError if there is none or more than one."""
        existing = [each for each in found if not getattr(each, "is_removed", None)]
        if len(existing) == 1:
            record.id = existing[0].id
            return
        name, where = self.kind.wire_name, f"{self.by} {key!r}"
        if existing:
            ids = ", ".join(str(each.id) for each in existing[:5])
            raise AmbiguousNameError(
                f"{len(existing)} {name} records have {where} (ids {ids}); identify the records by id"
            )
        if found:
            raise MissingRecordError(f"the {name} with {where} has been removed (id {found[0].id})")
        hint = zeros_hint(key) if self.kind.__wire__[self.by]["type"] == "string" else ""
        raise MissingRecordError(f"no {name} has {where}{hint}")


class UpdateRecord(ChangeOperation):
    """Operation that updates an existing record for each row."""

    verb: ClassVar[str] = "update"
    label: ClassVar[Label] = "updated"
    compares: ClassVar[bool] = True

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError if the key is missing, a field cannot be updated, or no field remains."""
        super().require_fields(names)
        if fixed := {"id", "concurrency_id", "perform_deletion"} & (set(names) - {self.by}):
            raise ImportMapError(f"{self.table}.{min(fixed)} cannot be updated; remove it from the map")
        if len(names) == 1:
            raise ImportMapError(f"{self.table} has no fields to update; add some besides {self.by}")

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Update one record and return its new version."""
        del marker
        return await company.update(self.kind.ref(record.id), **self._changes(record))  # type: ignore[attr-defined]

    def set_id(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Set the record's id.

        Raise RowError if the changes are empty or invalid, or if several records or none have the key.
        """
        changes = self._changes(record)
        if not changes:
            raise RowError("nothing to update: the cells of all fields to update are empty")
        super().set_id(record, key, found)
        if any(isinstance(value, Record | list) for value in changes.values()):
            self._require_writable(record.id, changes)

    def _require_writable(self, id: int, changes: dict[str, Any]) -> None:
        """Raise RowError for changes that an update cannot make, such as an amount without a currency."""
        for name, value in changes.items():
            if isinstance(value, Money) and None in (value.currency_type_id, value.value):
                part = "value" if value.value is None else "currency_type_id"
                raise RowError(
                    f"{self.table}.{name} has no {part}, but an update replaces the whole amount; add "
                    f"{name}.{part} to the map, or fill in its column"
                )
        try:
            change(self.kind.ref(id), changes)  # type: ignore[attr-defined]
        except InvalidCallError as error:
            raise RowError(error.message, **error.facts) from None

    def _changes(self, record: Any) -> dict[str, Any]:
        values = {name: getattr(record, name) for name in self.kind.__wire__ if name not in ("id", self.by)}
        return {name: value for name, value in values.items() if value is not None}

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect if the record already has the new values; otherwise None.

        Raise RowError if the row updates a list, which cannot be compared, or if :meth:`set_id` raises it.
        """
        changes = self._changes(record)
        if any(isinstance(value, list) for value in changes.values()):
            raise RowError("the row updates a list, which cannot be compared; check the record yourself")
        self.set_id(record, key, found)
        held = next(each for each in found if each.id == record.id)
        same = all(_equal(value, getattr(held, name)) for name, value in changes.items())
        return effect_of(held) if same else None


class DeleteRecord(ChangeOperation):
    """Operation that deletes an existing record for each row."""

    verb: ClassVar[str] = "delete"
    label: ClassVar[Label] = "deleted"
    compares: ClassVar[bool] = False

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError if the map sets any field but the key."""
        super().require_fields(names)
        if more := sorted(set(names) - {self.by}):
            raise ImportMapError(f"{self.table}.{more[0]}: a delete uses only {self.by}; remove this field")

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Delete one record. ``missing_ok`` is not used, because it would repeat calls in doubt."""
        del marker
        return await company.delete(self.kind, record.id)

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect if no record has the key; otherwise None.

        Raise RowError if the key may have been reused.
        """
        del record
        removed = [each for each in found if getattr(each, "is_removed", None)]
        if removed and len(removed) < len(found):  # removed records keep their keys (facts 3.4)
            ids = ", ".join(str(each.id) for each in removed[:5])
            raise RowError(
                f"{self.by} {key!r} belongs to an existing {self.kind.wire_name} and to removed ones (ids "
                f"{ids}), so the delete may have been carried out before the key was used again"
            )
        if found and not removed:
            return None
        return effect_of(found[0]) if found else Effect(self.kind.wire_name)


def _equal(sent: Any, held: Any) -> bool:
    if (id := getattr(sent, "id", None)) is not None:
        return bool(id == getattr(held, "id", None))
    if isinstance(sent, Record):
        values = {name: value for name in sent.__wire__ if (value := getattr(sent, name)) is not None}
        return all(_equal(value, getattr(held, name, None)) for name, value in values.items())
    if isinstance(sent, str | OpenEnum):
        return str(sent).strip() == ("" if held is None else str(held).strip())
    if held is None:  # False and 0 may be stored as null (facts 3.4)
        return not sent
    return bool(sent == held)


RowOperation = RunCommand | CreateRecord | UpdateRecord | DeleteRecord
"""Operation on each row.

The map's ``table`` fills a record of class ``kind``, which must have all required fields if ``new``. ``by``
is the field that identifies existing records; it is None for commands and new records. ``name`` identifies
the operation in a journal, ``label`` is its past participle, and ``question`` is shown to the user.
``settled`` decides the outcome of a row in doubt from the records with its key; if ``compares``, it also
compares their values.
"""

_RECORD_OPERATION = re.compile(r"(?P<verb>create|update|delete) (?P<entity>\w+)(?: by (?P<by>\w+))?")


def operation_named(text: str) -> RowOperation:
    """Parse an operation name. Raise ImportMapError if it is unknown or unsupported by the service."""
    words = " ".join(text.split())
    if (found := _RECORD_OPERATION.fullmatch(words)) is not None:
        return _record_operation(found["verb"], found["entity"], found["by"])
    command: Any = command_class(words)
    if command is None:
        hint = suggestion(words, index.COMMANDS) or (
            '; use a command such as "WoAssignCommand", or "create Customer", "update Customer by id" or '
            '"delete Customer by id"'
        )
        raise ImportMapError(f"unknown operation {text!r}{hint}")
    if (field := untyped_field(command)) is not None:
        raise ImportMapError(unknown_type(command.wire_name, field).message)
    return RunCommand(command)


def _record_operation(verb: str, name: str, by: str | None) -> RowOperation:
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
    operation = UpdateRecord if verb == "update" else DeleteRecord
    return operation(kind, _key_field(kind, by or "id", f"{verb} {name}"))


def _key_field(kind: type[Record], by: str, where: str) -> str:
    name, meta = field_spelled(kind, by, where)
    if meta["type"] not in ("string", "integer") or meta.get("many") or meta.get("secret"):
        raise ImportMapError(
            f"{where}: {name} cannot identify records; use a field with one string or integer that is not"
            " secret"
        )
    return name
