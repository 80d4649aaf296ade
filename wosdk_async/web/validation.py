"""Validation of records posted to a web back end, and of events from the service.

The checks match those before a call, so valid data can be sent to the service. Any invalid JSON value raises
:class:`InvalidRecordError`, whose ``faults`` are JSON-serializable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

import attrs

from wosdk_async.codec import dumps
from wosdk_async.codec.checks import json_kind_of, kind_of
from wosdk_async.codec.records import Unknown, from_dict, to_dict, unknown_values
from wosdk_async.errors import InvalidCallError, PayloadError
from wosdk_async.model.base import Record
from wosdk_async.protocol.envelopes import ROWS, objects
from wosdk_async.protocol.validation import problems
from wosdk_async.text.remedies import in_json
from wosdk_async.text.safe_text import one_line, shortened

__all__ = ["Fault", "InvalidRecordError", "misplaced", "read_event", "require_known", "validated"]

T = TypeVar("T", bound=Record)

_MAX_FAULTS = 50  # per body
_MAX_SHOWN = 200  # characters of a string in a fault
_MAX_EVENTS = 8 * 1024 * 1024  # bytes per webhook post; limited, because anyone with the address can send one


@attrs.frozen
class Fault:
    """Mistake in user data."""

    message: str
    place: tuple[str | int, ...] = ()
    """Path to the value: field names of the service and list indexes; empty for the whole body."""
    value: bool | str | None = None
    """The value; strings are truncated."""


class InvalidRecordError(InvalidCallError):
    """User data that does not match a model class."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults[:_MAX_FAULTS]


def validated(cls: type[T], value: Any, *, unknown: Unknown = "keep") -> T:
    """Return ``value`` if it is a record of ``cls``, else a record created from it.

    Raises:
        InvalidRecordError: the value is invalid; see ``faults``.
    """
    if isinstance(value, cls):
        require_known(value, unknown)
        return value
    if not isinstance(value, Mapping):
        raise InvalidRecordError([misplaced(value, f"a JSON object of type {cls.__name__}")])
    try:
        record = from_dict(cls, value)
        faults = [*_faults(record), *_unwritable(record), *_unknown(record, unknown)]
    except InvalidCallError as error:
        faults = [Fault(_text(error.explained(in_json)))]
    except RecursionError:
        faults = [Fault(f"{cls.__name__}: the data is nested too deeply")]
    if faults:
        raise InvalidRecordError(faults)
    return record


def require_known(value: Any, unknown: Unknown = "refuse") -> None:
    """Raise InvalidRecordError for names and enum values not in the catalogue, unless told to "keep" them."""
    if faults := _unknown(value, unknown):
        raise InvalidRecordError(faults)


def _unknown(value: Any, unknown: Unknown) -> list[Fault]:
    found = () if unknown == "keep" else islice(unknown_values(value), _MAX_FAULTS)
    return [Fault(_text(each.message), each.place) for each in found]


def misplaced(value: Any, takes: str) -> Fault:
    """Return the fault for a body of the wrong kind, such as null or a form."""
    how = (
        "" if not isinstance(value, str | bytes | None) else " Send JSON with Content-Type: application/json."
    )
    return Fault(f"is {json_kind_of(value)}; it must be {takes}.{how}", (), _shown(value))


def _faults(record: Record) -> Iterator[Fault]:
    for found in problems(record):
        if found.severity == "error":
            yield Fault(_text(found.in_json or found.message), *_place(record, found.path))


def _unwritable(record: Record) -> Iterator[Fault]:
    """Yield values that JSON or the service cannot represent: NaN, huge integers, lone surrogates."""
    try:
        dumps(to_dict(record, secrets=True))
    except ValueError as error:
        yield Fault(_text(str(error)))


def _place(record: Record, path: str) -> tuple[tuple[str | int, ...], bool | str | None]:
    """Convert a path of Python names to service names; return it with the value at its end."""
    place: list[str | int] = []
    value: Any = record
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if index:
            place.append(int(index))
            value = value[int(index)] if isinstance(value, list) else None
        elif isinstance(value, Record) and name in value.__wire__:
            place.append(value.__wire__[name]["name"])
            value = getattr(value, name)
        else:
            place.append(_text(name))
            value = value.get(name) if isinstance(value, dict) else None
    return tuple(place), _shown(value)


def _shown(value: Any) -> bool | str | None:
    # The value goes into a response, so long strings are truncated and objects only named by their kind.
    if value is None or isinstance(value, bool):
        return value
    return _text(value if isinstance(value, str) else json_kind_of(value))


def _text(text: str) -> str:
    return one_line(shortened(text, _MAX_SHOWN))  # also escapes lone surrogates


def read_event(body: bytes, entity: type[T]) -> list[T]:
    """Return the records in a webhook's ``body``; ``entity`` is the class of the subscribed category.

    ::

        for order in read_event(await request.body(), WorkOrder):
            ...

    The position of the event name in the payload is not documented; unknown fields are in ``extra``.

    **The signature is not checked.** The service signs posts with a key of your choice, but the header and
    algorithm are not public. Until you know them, keep your webhook's URL secret, and verify important
    data with the service before you act on it.

    Raises:
        PayloadError: the body is too long or not in the service's format, or an id is invalid.
        InvalidCallError: ``body`` is not bytes.
    """
    # facts 8
    if not isinstance(body, bytes | bytearray | memoryview | str):
        raise InvalidCallError(
            f"read_event() takes the body as bytes (await request.body()), not {kind_of(body)}"
        )
    if len(body) > _MAX_EVENTS:
        raise PayloadError(f"the body has {len(body)} bytes; the limit is {_MAX_EVENTS}")
    try:
        records: list[T] = objects(ROWS, entity)(body)
    except (ValueError, TypeError, KeyError) as cause:
        why = f": {cause}" if isinstance(cause, ValueError) else ""  # other messages come from Python
        raise PayloadError(
            f"the body is not in the service's format {{Entities: [{{Data}}]}}{why}"
        ) from cause
    for number, record in enumerate(records):
        id = getattr(record, "id", None)
        if not (id is None or (type(id) is int and 0 < id < 2**63)):  # facts 8: as in a query
            shown = shortened(repr(id), _MAX_SHOWN) if isinstance(id, str | int) else json_kind_of(id)
            raise PayloadError(f"Entities[{number}].Data.Id is {shown}, not a record's id")
    return records
