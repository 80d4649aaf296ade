"""Records as JSON values and back: for web back ends, queues, files and logs.

What is sent to the service is made by ``codec``; these functions are for a program's own use.
``docs/records.md`` says what each type becomes.
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

__all__ = [
    "Names",
    "Unknown",
    "UnknownValue",
    "from_dict",
    "from_json",
    "to_dict",
    "to_json",
    "unknown_values",
]

T = TypeVar("T")

Unknown = Literal["keep", "refuse"]
"""What is done with names and enum values that the catalogue does not know."""

_READERS = DictReaders()
_MAX_UNKNOWN = 10  # in one message


@overload
def to_dict(record: Record, *, names: Names = "wire", secrets: bool = False) -> dict[str, Any]: ...
@overload
def to_dict(
    record: Iterable[Record], *, names: Names = "wire", secrets: bool = False
) -> list[dict[str, Any]]: ...
def to_dict(record: Record | Iterable[Record], *, names: Names = "wire", secrets: bool = False) -> Any:
    """Return a record, or each of some records, as a dict of JSON values.

    Money and other numbers are exact ``Decimal``, times are ISO 8601 texts, enum values texts. A field that
    is None is left out. Unknown fields are added after the others.

    Args:
        record: A record, command or result; or several of them.
        names: ``"wire"`` for the service's names (``StatusId``), ``"python"`` for ours (``status_id``).
        secrets: Whether to write fields that hold secrets, such as ``Employee.password``.

    Raises:
        InvalidCallError: ``record`` is something else, a program put something into a field that is not a
            value of JSON, or a record into itself.
    """
    writers = _writers(names, secrets)
    if isinstance(record, Record):
        return _written(writers, record)
    if isinstance(record, str | bytes | Mapping | type) or not isinstance(record, Iterable):
        raise InvalidCallError(f"takes a record of the model or a list of them, not {_shown(record)}")
    return [_written(writers, each) for each in record]


def to_json(record: Record | Iterable[Record], *, names: Names = "wire", secrets: bool = False) -> bytes:
    """Return a record, or a list of records, as compact JSON; numbers keep their digits.

    Takes and raises what :func:`to_dict` does.
    """
    try:
        return dumps_any(to_dict(record, names=names, secrets=secrets))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None


def from_dict(cls: type[T], data: Any, *, unknown: Unknown = "keep") -> T:
    """Return a record of ``cls`` from a dict in the form of :func:`to_dict` or of the service.

    A name may be the service's, in any case, or the one in Python. Unknown names go to ``extra``.
    Numbers may be texts: plain digits in a field of whole numbers become an int. A value that does not fit
    its field stays as it is: the checks before a call find it.

    Args:
        cls: The class, or ``list[WorkOrder]`` for a list of its records.
        data: A dict; a list of them for a list. It may hold records, datetimes and enum members too.
        unknown: ``"refuse"`` makes an error of names and enum values that the catalogue does not know.

    Raises:
        InvalidCallError: ``cls`` is not a class of the model, or ``data`` is not a dict or list, is nested
            too deeply, names a field twice, or holds a refused value.
    """
    own, is_list = _class_of(cls)
    if unknown not in ("keep", "refuse"):
        raise InvalidCallError(f"unknown={unknown!r} is not valid; pass 'keep' or 'refuse'")
    try:
        made: Any = _list(own, data) if is_list else _READERS[own](data)
        found = [] if unknown == "keep" else list(islice(unknown_values(made), _MAX_UNKNOWN))
    except RecursionError:
        raise InvalidCallError(f"{_name(cls)}: the data is nested too deeply") from None
    if found:
        raise InvalidCallError(" ".join(map(str, found)))
    return made  # type: ignore[no-any-return]


def from_json(cls: type[T], body: bytes | str, *, unknown: Unknown = "keep") -> T:
    """Return a record of ``cls`` from JSON; numbers are read exactly.

    Takes what :func:`from_dict` does. Raises InvalidCallError also for invalid JSON.
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
    """Return the class of the records in ``cls``, and whether it is a list of them."""
    is_list = get_origin(cls) is list
    own = get_args(cls)[0] if is_list else cls
    if isinstance(own, type) and issubclass(own, Record):
        return own, is_list
    raise InvalidCallError(
        f"{_name(cls)} is not a class of the model; pass one, such as WorkOrder, or list[WorkOrder]"
    )


def _name(cls: Any) -> str:
    if get_origin(cls) is list:
        return f"list[{_name(get_args(cls)[0])}]"
    return cls.__name__ if isinstance(cls, type) else repr(cls)


def _shown(value: Any) -> str:
    """Return what stands for a wrong argument in a message; its content may be secret."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else kind_of(value)


@functools.cache
def _writers(names: Names, secrets: bool) -> DictWriters:
    if names not in ("wire", "python"):
        raise InvalidCallError(f"names={names!r} is not a kind of names; pass 'wire' or 'python'")
    return DictWriters(names, secrets)


def _written(writers: DictWriters, record: Record) -> Any:
    if not isinstance(record, Record):
        raise InvalidCallError(f"only a record of the model can be written, not {_shown(record)}")
    try:
        return writers.write(record)
    except TypeError:
        found = None
    except RecursionError:
        found = f"{type(record).__name__} is nested too deeply, or holds itself"
    raise InvalidCallError(found or _first_fault(writers, record, type(record).__name__))


def _first_fault(writers: DictWriters, value: Any, place: str) -> str:
    """Return what in ``value`` cannot be written, and where it is."""
    if isinstance(value, Record):
        held = [(f".{name}", getattr(value, name)) for name in value.__wire__]
        held.append((".extra", value.extra))
    elif isinstance(value, Mapping):
        held = [(f"[{name!r}]", item) for name, item in value.items()]
    else:
        held = [(f"[{i}]", item) for i, item in enumerate(value)] if isinstance(value, list | tuple) else []
    for step, item in held:
        try:
            writers.write(item)
        except TypeError:
            return _first_fault(writers, item, place + step)
    try:
        writers.write(value)
    except TypeError as error:
        return f"{place} {error}."
    return f"{place} has changed since; write it again."


# --- what in a record the catalogue does not know (facts 3.3) --------------------------------------

# The service drops an unknown name, reads an unknown enum value as the default, and reports success. Records
# keep both, because a newer release may know them; a program that takes records of its users may refuse them.

Place = tuple[str | int, ...]


@attrs.frozen
class UnknownValue:
    """One unknown name or enum value: names of the service and indexes that lead to it, and what to say."""

    place: Place
    message: str

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.place)
        return f"{''.join(steps).removeprefix('.')} {self.message}"


def unknown_values(value: Any, place: Place = ()) -> Iterator[UnknownValue]:
    """Yield fields and values of a record, or of a list of them, that the catalogue does not know."""
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
