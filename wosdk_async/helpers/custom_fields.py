"""Custom fields by their labels.

There are two entities for them. ``CustomField2`` is what the ``CustomFields`` of every entity hold (facts
Appendix A) and what is read and written here, in the context of its parent; ``CustomField`` is its
legacy twin and is left alone.
"""
# spec 4.9; facts 3.9

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from wosdk_async.check.arguments import described, require_record
from wosdk_async.errors import InvalidCallError, NotUniqueError
from wosdk_async.helpers.field_values import FieldValue, read_value, write_value
from wosdk_async.helpers.tables import Tables
from wosdk_async.query.values import identifier

if TYPE_CHECKING:  # at run time the model's modules are loaded when a method needs them
    from wosdk_async.model import ActorType, CustomField2, CustomFieldDescriptor, Record

__all__ = ["CustomFields"]

_KINDS = {
    "WorkOrder": "WO",  # spec 2.3
    "Contact": "LeaseUser",  # facts 9
    "Customer": "CommLease",  # facts 9: seems so
}
_PATHS = ("Id", "CustomFields.*", "CustomFields.Descriptor.*")


class CustomFields(Tables):
    """Custom fields of work orders, and of every other entity that has ``custom_fields``."""

    async def custom_fields(self, record: Record) -> dict[str, FieldValue]:
        """The custom fields of a record by their labels: ``await acme.custom_fields(order)``.

        Args:
            record: a record of an entity that has ``custom_fields``; its id is enough: ``WorkOrder.ref(1)``.

        Values come by the type of their field: int, Decimal (money too), date, time, bool, and text for all
        others and for what cannot be read as its type. Fields whose definition was removed are left out.
        Raises NotUniqueError when two fields of the record have the same label.
        """
        require_record("custom_fields", record)
        found: dict[str, FieldValue] = {}
        for entry in await self._entries(record):
            descriptor = entry.descriptor
            if descriptor is None or descriptor.is_removed:
                continue
            label = descriptor.name or ""
            if label in found:
                raise NotUniqueError(
                    f"the record has several custom fields {label!r}; its CustomFields.* tell them apart"
                )
            found[label] = read_value(str(descriptor.type), entry.value or "")
        return found

    async def set_custom_fields(
        self,
        record: Record,
        values: Mapping[str, FieldValue | None],
        *,
        kind: ActorType | str | None = None,
    ) -> None:
        """Write custom fields: ``await acme.set_custom_fields(order, {"Cost center": "X", "Old": None})``.

        The named fields are changed, added where the record has none yet, or removed by None; others stay.
        The record is read first, so two callers that add the same field at once may both add it.

        Args:
            record: as for :meth:`custom_fields`.
            values: values by label, each of the type of its field.
            kind: what the record is to the service, for entities other than WorkOrder, Contact and Customer,
                and Employee as it was read: ``kind="Property"``.

        Raises NotFoundError for a label that there is not, with those there are, NotUniqueError for one that
        several fields have, InvalidCallError for a value of another type: nothing is sent then. InDoubtError
        means that the fields may have been written.
        """
        require_record("set_custom_fields", record)
        _require_labels(values)
        kind = str(kind or _kind_of(record))
        wanted: dict[int, str | None] = {}
        for label, value in values.items():
            descriptor, id = await self._descriptor(kind, label)
            if id in wanted:
                raise InvalidCallError(f"{label!r} is given twice: labels are compared without letter case")
            wanted[id] = None if value is None else _text(descriptor, label, value)
        present = await self._entries(record)
        if changes := list(_changes(record, kind, wanted, present)):
            await self.update(type(record)(id=_id_of(record)), custom_fields=changes)  # type: ignore[call-arg]

    async def _entries(self, record: Record) -> list[CustomField2]:
        """The custom fields of ``record`` with their definitions, in one read."""
        # facts 3.4, 10 row 19
        if "custom_fields" not in record.__wire__:
            raise InvalidCallError(f"{type(record).__name__} has no custom fields")
        found: Any = await self.get(type(record), _id_of(record), properties=_PATHS)
        return found.custom_fields or []

    async def _descriptor(self, kind: str, label: str) -> tuple[CustomFieldDescriptor, int]:
        from wosdk_async.model import CustomFieldDescriptor

        found = await self._named(
            CustomFieldDescriptor,
            f"custom field of {kind}",
            label,
            label=lambda row: row.name,
            fits=lambda row: row.actor_type_id == kind and not row.is_removed,
        )
        return found, int(identifier(found, f"the custom field {label!r}"))


def _require_labels(values: object) -> None:
    """Raise InvalidCallError unless ``values`` are values by label."""
    if not isinstance(values, Mapping):
        raise InvalidCallError(
            f"set_custom_fields() takes a dict of values by label, not {described(values)}; pass"
            f" {{{reprlib.repr(values) if isinstance(values, str) else 'label'}: value}}"
        )
    for label in values:
        if not isinstance(label, str):
            raise InvalidCallError(f"set_custom_fields(): a label is text, not {described(label)}")


def _changes(
    record: Record, kind: str, wanted: Mapping[int, str | None], present: Iterable[CustomField2]
) -> Iterable[CustomField2]:
    """The elements to send: by its own Id to change or remove, without one to add."""
    # facts 3.6
    from wosdk_async.model import ActorType, CustomField2, CustomFieldDescriptor

    there = {entry.descriptor.id: entry.id for entry in present if entry.descriptor is not None}
    for descriptor_id, text in wanted.items():
        id = there.get(descriptor_id)
        if text is None and id is not None:
            # facts 3.6 shows this for attributes and notes; for custom fields not shown; assumed
            yield CustomField2(id=id, perform_deletion=True)
        elif text is not None:
            yield CustomField2(
                id=id,
                descriptor=CustomFieldDescriptor.ref(descriptor_id),
                object_id=_id_of(record),
                object_type_id=ActorType(kind),
                value=text,
            )


def _text(descriptor: CustomFieldDescriptor, label: str, value: FieldValue) -> str:
    text = write_value(label, str(descriptor.type), value)
    if descriptor.length and len(text) > descriptor.length:
        raise InvalidCallError(
            f"custom field {label!r} has {len(text)} characters; it takes {descriptor.length}, shorten it"
        )
    return text


def _id_of(record: Record) -> int:
    return int(identifier(record, f"the {type(record).__name__}"))


def _kind_of(record: Record) -> str:
    """The ``ObjectTypeId`` of a record."""
    # facts 9: an Employee row is an Employee or a Provider, as it says itself
    kind = _KINDS.get(record.wire_name) or getattr(record, "actor_type_id", None)
    if kind is None:
        raise InvalidCallError(
            f"what kind of owner a {type(record).__name__} is for custom fields is not known; pass kind=, the"
            " ActorTypeId of its CustomFieldDescriptor"
        )
    return str(kind)
