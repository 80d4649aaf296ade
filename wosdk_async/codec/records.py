"""Conversion of records to JSON values and back: for web back ends, queues, files and logs.

These functions are for a program's own use; ``codec`` writes what is sent to the service. ``docs/records.md``
lists the JSON form of each type.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, TypeVar, get_args, get_origin, overload

import attrs

from wosdk_async.codec.checks import json_kind_of, kind_of, unknown_member
from wosdk_async.codec.json import dumps_any, loads
from wosdk_async.codec.record_dicts import DictReaders, DictWriters, Names
from wosdk_async.errors import InvalidCallError
from wosdk_async.model.base import OpenEnum, Record
from wosdk_async.text.safe_text import one_line, shortened
from wosdk_async.text.suggestions import suggestion

T = TypeVar("T")

Unknown = Literal["keep", "refuse"]
"""Handling of names and enum values that the catalogue lacks."""

_READERS = DictReaders()
_MAX_UNKNOWN = 10  # maximum unknown names and values in one message


@overload
def to_dict(record: Record, *, names: Names = "wire", secrets: bool = False) -> dict[str, Any]: ...
@overload
def to_dict(
    record: Iterable[Record], *, names: Names = "wire", secrets: bool = False
) -> list[dict[str, Any]]: ...
def to_dict(record: Record | Iterable[Record], *, names: Names = "wire", secrets: bool = False) -> Any:
    """Return a record as a dict of JSON values, or several records as a list of dicts.

    Money and other numbers become exact ``Decimal`` values, times ISO 8601 strings, and enum values strings.
    Fields that are None are omitted. Unknown fields are added last.

    Args:
        record: a record, command or result, or several of them.
        names: ``"wire"`` for the service's names (``StatusId``), ``"python"`` for Python's (``status_id``).
        secrets: whether to write secret fields, such as ``Employee.password``.

    Raises:
        InvalidCallError: ``record`` has the wrong type, contains itself, or contains a value without a JSON
            form; or ``names`` is invalid.
    """
    writers = _writers(names, secrets)
    if isinstance(record, Record):
        return _write(writers, record)
    if isinstance(record, str | bytes | Mapping | type) or not isinstance(record, Iterable):
        raise InvalidCallError(f"only a model record or a list of them can be written, not {_shown(record)}")
    return [_write(writers, each) for each in record]


def to_json(record: Record | Iterable[Record], *, names: Names = "wire", secrets: bool = False) -> bytes:
    """Return a record, or a list of records, as compact JSON; numbers keep their digits.

    Arguments and errors: see :func:`to_dict`.
    """
    try:
        return dumps_any(to_dict(record, names=names, secrets=secrets))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None


def from_dict(cls: type[T], data: Any, *, unknown: Unknown = "keep") -> T:
    """Return a record of ``cls`` from a dict in the format of :func:`to_dict` or of the service.

    Names may be the service's (case-insensitive) or Python's. Unknown names go to ``extra``. Numbers may be
    strings: plain digits in an integer field become an int. A value that does not fit its field is kept;
    the checks before a call report it.

    Args:
        cls: the class, or ``list[WorkOrder]`` for a list of its records.
        data: a dict, or a list of dicts; may contain records, datetimes and enum members.
        unknown: ``"refuse"`` raises an error for names and enum values that the catalogue lacks.

    Raises:
        InvalidCallError: ``cls`` is not a model class, or ``data`` is not a dict or list, is nested too
            deeply, names a field twice, or contains a name or value that ``unknown`` refuses.
    """
    own, is_list = _class_of(cls)
    if unknown not in ("keep", "refuse"):
        raise InvalidCallError(f"unknown={unknown!r} is not valid; pass 'keep' or 'refuse'")
    try:
        result: Any = _list(own, data) if is_list else _READERS[own](data)
        found = [] if unknown == "keep" else list(islice(unknown_values(result), _MAX_UNKNOWN))
    except RecursionError:
        raise InvalidCallError(f"{_name(cls)}: the data is nested too deeply") from None
    if found:
        raise InvalidCallError(" ".join(map(str, found)))
    return result  # type: ignore[no-any-return]


def from_json(cls: type[T], body: bytes | str, *, unknown: Unknown = "keep") -> T:
    """Return a record of ``cls`` from JSON; numbers are read exactly.

    Arguments and errors: see :func:`from_dict`. Invalid JSON also raises InvalidCallError.
    """
    if not isinstance(body, str | bytes | bytearray):
        raise InvalidCallError(f"{_name(cls)}: JSON is read from bytes or text, not from {_shown(body)}")
    try:
        data = loads(body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body))
    except ValueError as error:
        raise InvalidCallError(f"{_name(cls)}: {error}") from None
    return from_dict(cls, data, unknown=unknown)


def _list(cls: type[Record], data: Any) -> list[Any]:
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise InvalidCallError(f"list[{cls.__name__}] takes a list, not {json_kind_of(data)}.")
    return [each if isinstance(each, cls) else _READERS[cls](each) for each in data]


def _class_of(cls: Any) -> tuple[type[Record], bool]:
    """Return the record class in ``cls``, and whether ``cls`` is a ``list[...]``."""
    is_list = get_origin(cls) is list
    own = get_args(cls)[0] if is_list else cls
    if isinstance(own, type) and issubclass(own, Record):
        return own, is_list
    raise InvalidCallError(
        f"{_name(cls)} is not a model class; pass one, such as WorkOrder, or list[WorkOrder]"
    )


def _name(cls: Any) -> str:
    if get_origin(cls) is list:
        return f"list[{_name(get_args(cls)[0])}]"
    return cls.__name__ if isinstance(cls, type) else repr(cls)


def _shown(value: Any) -> str:
    """Describe an invalid argument without its content, which may be secret."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else kind_of(value)


@functools.cache
def _writers(names: Names, secrets: bool) -> DictWriters:
    if names not in ("wire", "python"):
        raise InvalidCallError(f"names={names!r} is not valid; pass 'wire' or 'python'")
    return DictWriters(names, secrets)


def _write(writers: DictWriters, record: Record) -> Any:
    if not isinstance(record, Record):
        raise InvalidCallError(f"only a model record can be written, not {_shown(record)}")
    try:
        return writers.write(record)
    except TypeError:
        found = None
    except RecursionError:
        found = f"{type(record).__name__} is nested too deeply, or contains itself"
    raise InvalidCallError(found or _first_fault(writers, record, type(record).__name__))


def _first_fault(writers: DictWriters, value: Any, path: str) -> str:
    if isinstance(value, Record):
        parts = [(f".{name}", getattr(value, name)) for name in value.__wire__]
        parts.append((".extra", value.extra))
    elif isinstance(value, Mapping):
        parts = [(f"[{name!r}]", item) for name, item in value.items()]
    else:
        parts = [(f"[{i}]", item) for i, item in enumerate(value)] if isinstance(value, list | tuple) else []
    for step, item in parts:
        try:
            writers.write(item)
        except TypeError:
            return _first_fault(writers, item, path + step)
    try:
        writers.write(value)
    except TypeError as error:
        return f"{path} {error}."
    return f"{path} changed while it was being written; write it again."


# --- parts of a record that the catalogue lacks (facts 3.3) --------------------------------------

# The service drops an unknown name, reads an unknown enum value as the default, and reports success. Records
# keep both, because a newer release may know them. A program that accepts its users' records may refuse them.

Place = tuple[str | int, ...]


@attrs.frozen
class UnknownValue:
    """Unknown name or enum value: its path of wire names and indexes, and a message."""

    place: Place
    message: str

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.place)
        return f"{''.join(steps).removeprefix('.')} {self.message}"


def unknown_values(value: Any, place: Place = ()) -> Iterator[UnknownValue]:
    """Yield the fields and enum values that the catalogue lacks, from a record or a list of records."""
    if isinstance(value, Record):
        yield from _of_record(value, place)
    elif isinstance(value, OpenEnum) and not value.is_known:
        yield UnknownValue(place, unknown_member(type(value), value._value_))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from unknown_values(item, (*place, i))


def _of_record(record: Record, place: Place) -> Iterator[UnknownValue]:
    documented = [meta["name"] for meta in record.__wire__.values()]
    for name in record.extra or ():
        near = suggestion(name, documented)
        message = f"is not a field of {type(record).__name__}{near or '.'}"
        yield UnknownValue((*place, one_line(shortened(name, 100))), message)
    for name, meta in record.__wire__.items():
        value = getattr(record, name)
        if value is not None:
            yield from unknown_values(value, (*place, meta["name"]))
