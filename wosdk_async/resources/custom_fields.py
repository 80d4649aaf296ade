"""Custom fields of a record, read and written by label as values of their types."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.errors import InvalidCallError, NotUniqueError
from wosdk_async.protocol.arguments import described, require_record
from wosdk_async.query.paths import identifier
from wosdk_async.resources.lookup_tables import text_of
from wosdk_async.resources.resource import CUSTOM_FIELD_TYPES, Resource
from wosdk_async.text.suggestions import suggestion

if TYPE_CHECKING:
    from wosdk_async.model import ActorType, CurrencyType, CustomField2, CustomFieldDescriptor, Record

__all__ = ["CustomFields", "FieldValue", "read_value", "write_value"]

# spec 2.3

FieldValue = str | int | Decimal | bool | date | time | model.Money
"""Value of a custom field, whose type depends on the field's descriptor."""

_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_value(kind: str, text: str) -> FieldValue:
    """Parse ``text`` for a descriptor of CfType ``kind``; invalid text is returned unchanged."""
    try:
        return _READERS[kind](text.strip()) if kind in _READERS else text
    except (ValueError, KeyError, InvalidOperation):  # an exception would prevent reading the other fields
        return text


def write_value(label: str, kind: str, value: object) -> str:
    """Format ``value`` for a descriptor of CfType ``kind``; for money, only the number.

    Raises InvalidCallError for a value of another type.
    """
    accepts, remedy = _ACCEPTS.get(kind, (lambda value: isinstance(value, str), "text: send str(...)"))
    if not accepts(value):
        why = f"custom field {label!r} is {value!r}; a field of type {kind} takes"
        raise InvalidCallError(f"{why} {remedy}", for_callers=f"{why} {remedy.partition(': send')[0]}")
    if isinstance(value, model.Money):
        value = value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, Decimal) and value.is_finite())


def _is_amount(value: object) -> bool:
    return _is_number(value.value if isinstance(value, model.Money) else value)


def _is_date(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime)


def _is_time(value: object) -> bool:
    return isinstance(value, time) and value.tzinfo is None


_MONEY = "Money(currency_type_id='EUR', value=Decimal('1.50'))"
_ACCEPTS: dict[str, tuple[Callable[[object], bool], str]] = {
    "Integer": (_is_whole, "a whole number: send int(...)"),
    "Decimal": (_is_number, "a number: send Decimal('1.50')"),
    "Money": (_is_amount, f"an amount: send {_MONEY}"),
    "Date": (_is_date, "a date: send datetime.date(2024, 5, 14)"),
    "Time": (_is_time, "a time without a zone: send datetime.time(8, 30)"),
    "Boolean": (lambda value: isinstance(value, bool), "True or False"),
}
_READERS: dict[str, Callable[[str], Any]] = {
    "Integer": int,
    "Decimal": Decimal,
    "Money": Decimal,
    "Date": lambda text: datetime.fromisoformat(text).date(),
    "Time": time.fromisoformat,
    "Boolean": lambda text: _TRUTH[text.lower()],
}
"""CfType -> parser; other types stay text."""

# spec 4.9; facts 3.9
_PATHS = ("Id", "CustomFields.*", "CustomFields.Descriptor.*")


class CustomFields(Resource):
    """Custom fields of work orders and every other entity that has them: ``company.custom_fields``."""

    async def get(self, record: Record) -> dict[str, FieldValue]:
        """Return a record's custom fields by label: ``await acme.custom_fields.get(order)``.

        Values are int, Decimal, Money, date, time or bool, depending on the field's type. Fields of other
        types, and values that cannot be parsed, are strings. Fields whose definition was removed are omitted.

        Args:
            record: a record of an entity with ``custom_fields``; its id is enough: ``WorkOrder.ref(1)``.

        Raises:
            NotUniqueError: two fields of the record have the same label.
        """
        require_record("custom_fields.get", record)
        values: dict[str, FieldValue] = {}
        for entry in await self._entries(record):
            descriptor = entry.descriptor
            if descriptor is None or descriptor.is_removed:
                continue
            label = text_of(descriptor.name)
            if label in values:
                raise NotUniqueError(
                    f"the record has several custom fields labelled {label!r}; read its CustomFields.* to "
                    "tell them apart"
                )
            values[label] = _value_of(entry, str(descriptor.type))
        return values

    async def set(
        self,
        record: Record,
        values: Mapping[str, FieldValue | None],
        *,
        kind: ActorType | str | None = None,
    ) -> None:
        """Write custom fields: ``await acme.custom_fields.set(order, {"Cost center": "X", "Old": None})``.

        Each named field is changed, added if missing, or removed if the value is None; others are kept. The
        record is read first, so two callers that add the same field at once may add it twice.

        Args:
            record: see :meth:`get`.
            values: values by label, each matching its field's type. For money, a number without a currency
                keeps the currency of the field.
            kind: the service's type for the record, such as ``"Property"``. Not needed for a WorkOrder,
                Contact or Customer, or for an Employee read from the service.

        Raises:
            NameNotFoundError: no field has the label; the message lists the labels. Nothing was sent.
            NotUniqueError: several fields have the label. Nothing was sent.
            InvalidCallError: a value does not match its field's type, or an amount would have no currency.
                Nothing was sent.
            InDoubtError: the fields may have been written, but no response confirms it.
        """
        require_record("custom_fields.set", record)
        _require_labels(values)
        kind = _kind_of(record) if kind is None else _kind_named(kind)
        wanted: dict[int, _Value | None] = {}
        for label, value in values.items():
            descriptor, id = await self._descriptor(kind, label)
            if id in wanted:
                raise InvalidCallError(f"{label!r} appears twice: labels are case-insensitive")
            wanted[id] = None if value is None else _checked(descriptor, label, value)
        present = await self._entries(record)
        if changes := list(_changes(record, kind, wanted, present)):
            await self._company.update(type(record)(id=_id_of(record)), custom_fields=changes)  # type: ignore[call-arg]

    async def _entries(self, record: Record) -> list[CustomField2]:
        # facts 3.4, 10 row 19
        if "custom_fields" not in record.__wire__:
            raise InvalidCallError(f"{type(record).__name__} has no custom fields")
        found: Any = await self._company.get(type(record), _id_of(record), properties=_PATHS)
        return found.custom_fields or []

    async def _descriptor(self, kind: str, label: str) -> tuple[CustomFieldDescriptor, int]:
        found = await self._tables.find(
            model.CustomFieldDescriptor,
            f"custom field of {kind}",
            label,
            label=lambda row: row.name,
            fits=lambda row: row.actor_type_id == kind and not row.is_removed,
        )
        return found, identifier(found, f"the custom field {label!r}")


def _kind_named(kind: object) -> str:
    if isinstance(kind, model.ActorType) or (isinstance(kind, str) and model.ActorType(kind).is_known):
        return str(kind)
    near = suggestion(kind, map(str, model.ActorType)) if isinstance(kind, str) else ""
    raise InvalidCallError(
        f"kind is {described(kind)}; it must be an ActorType, such as 'Property'{near}; for an unlisted type,"
        " pass ActorType(...)"
    )


def _require_labels(values: object) -> None:
    if not isinstance(values, Mapping):
        raise InvalidCallError(
            f"custom_fields.set() takes a dict of values by label, not {described(values)}; pass"
            f" {{{reprlib.repr(values) if isinstance(values, str) else 'label'}: value}}"
        )
    for label in values:
        if not isinstance(label, str):
            raise InvalidCallError(f"custom_fields.set(): a label must be a string, not {described(label)}")


def _value_of(entry: CustomField2, kind: str) -> FieldValue:
    value = read_value(kind, entry.value or "")
    if kind == "Money" and isinstance(value, Decimal):
        return model.Money(currency_type_id=entry.currency_type_id, value=value)
    return value


@attrs.frozen
class _Value:
    label: str
    kind: str
    text: str
    currency: CurrencyType | None

    def currency_in(self, entry: CustomField2 | None) -> CurrencyType | None:
        """Return the currency to send: the value's own or, for an amount without currency, the field's.

        Raises InvalidCallError if neither has a currency.
        """
        # facts Appendix A: a CustomField2 has a currency. Not shown; assumed, as in protocol/updates: a write
        # without one may clear it.
        if self.kind != "Money" or self.currency is not None:
            return self.currency
        held = None if entry is None else entry.currency_type_id
        if held is None or held == "Unknown":
            why = f"custom field {self.label!r} has no currency to apply to {self.text}"
            raise InvalidCallError(f"{why}; send {_MONEY}", for_callers=f"{why}; also send a currency")
        return held


def _changes(
    record: Record, kind: str, wanted: Mapping[int, _Value | None], present: Iterable[CustomField2]
) -> Iterable[CustomField2]:
    """Yield the elements to send: one without an Id adds a field, one with an Id edits or removes a field."""
    # facts 3.6
    held = {entry.descriptor.id: entry for entry in present if entry.descriptor is not None}
    for descriptor_id, value in wanted.items():
        entry = held.get(descriptor_id)
        id = None if entry is None else entry.id
        if value is None and id is not None:
            # facts 3.6 shows this for attributes and notes. For custom fields: not shown; assumed.
            yield model.CustomField2(id=id, perform_deletion=True)
        elif value is not None:
            yield model.CustomField2(
                id=id,
                descriptor=model.CustomFieldDescriptor.ref(descriptor_id),
                object_id=_id_of(record),
                object_type_id=model.ActorType(kind),
                value=value.text,
                currency_type_id=value.currency_in(entry),
            )


def _checked(descriptor: CustomFieldDescriptor, label: str, value: FieldValue) -> _Value:
    kind = str(descriptor.type)
    text = write_value(label, kind, value)
    if descriptor.length and len(text) > descriptor.length:
        raise InvalidCallError(
            f"custom field {label!r} has {len(text)} characters; the maximum is {descriptor.length}: shorten"
            " it"
        )
    return _Value(label, kind, text, getattr(value, "currency_type_id", None))


def _id_of(record: Record) -> int:
    return identifier(record, f"the {type(record).__name__}")


def _kind_of(record: Record) -> str:
    # facts 9: each Employee record states whether it is an Employee or a Provider
    kind = CUSTOM_FIELD_TYPES.get(record.wire_name) or getattr(record, "actor_type_id", None)
    if kind is None:
        raise InvalidCallError(
            f"cannot tell which custom fields a {type(record).__name__} has; pass kind=, the ActorTypeId of "
            "its CustomFieldDescriptor"
        )
    return str(kind)
