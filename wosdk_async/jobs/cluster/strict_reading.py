"""Strict reading of messages: each value has the type and the bounds of its class, or the message is refused.

No value is converted: ``"5"`` is not a number. NaN, infinity and whole numbers that a database cannot keep
are refused, so that nothing behind :func:`read_strictly` has to expect them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs

__all__ = ["Between", "Longest", "read_strictly"]

T = TypeVar("T")
_Reader = Callable[[Any], Any]

_FINITE = 1e15  # the most that a number can be which is no duration: a reading of a clock


@attrs.frozen
class Between:
    """Bounds of a number; a number outside is refused."""

    least: float
    most: float


@attrs.frozen
class Longest:
    """Bound of a text or list: a longer text is cut, a longer list is refused."""

    most: int


_WHOLE = Between(0, 2**63 - 1)  # of what a database can keep
_ANY = Between(-_FINITE, _FINITE)
_TEXT, _LIST = Longest(10_000), Longest(1_000_000)


def read_strictly(value: Any, kind: type[T]) -> T:
    """Return the object of the attrs class ``kind`` that a JSON value describes.

    Members that the class does not have are left out: a later version may send them. Numbers are finite;
    whole ones are from 0 to 2**63-1 unless the class says :class:`Between` which. Texts are cut to 10,000
    characters, and lists have at most a million entries, unless the class says :class:`Longest`.

    Raises:
        ValueError: a value has another type or is out of bounds, or one is missing.
    """
    read: T = _reader_of(kind)(value)  # type: ignore[arg-type]  # a class is hashable
    return read


@functools.cache
def _reader_of(kind: Any) -> _Reader:
    bound: Any = None
    if get_origin(kind) is Annotated:
        kind, bound = get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind](bound)
    if attrs.has(kind):
        return _object_reader(kind)
    if get_origin(kind) is tuple:
        return _list_reader(_reader_of(get_args(kind)[0]), bound or _LIST)
    if get_origin(kind) is Literal:
        return _word_reader(frozenset(get_args(kind)))
    if get_origin(kind) in (UnionType, Union) and NoneType in get_args(kind):
        (other,) = (each for each in get_args(kind) if each is not NoneType)
        return _optional_reader(_reader_of(other))
    raise TypeError(f"no message can have a {kind}")


def _int_reader(bound: Between | None) -> _Reader:
    least, most = attrs.astuple(bound or _WHOLE)

    def read(value: Any) -> Any:
        if type(value) is int and least <= value <= most:
            return value
        raise ValueError(f"not a whole number from {least} to {most}")

    return read


def _float_reader(bound: Between | None) -> _Reader:
    least, most = attrs.astuple(bound or _ANY)

    def read(value: Any) -> Any:
        if (type(value) is float or type(value) is int) and least <= value <= most:  # NaN is not
            return float(value)
        raise ValueError(f"not a number from {least:g} to {most:g}")

    return read


def _text_reader(bound: Longest | None) -> _Reader:
    most = (bound or _TEXT).most

    def read(value: Any) -> Any:
        if type(value) is str:
            return value if len(value) <= most else value[:most]
        raise ValueError("not a text")

    return read


def _bool_reader(_: None) -> _Reader:
    def read(value: Any) -> Any:
        if type(value) is bool:
            return value
        raise ValueError("neither true nor false")

    return read


_PLAIN: Mapping[Any, Callable[[Any], _Reader]] = {
    int: _int_reader, float: _float_reader, str: _text_reader, bool: _bool_reader
}  # fmt: skip


def _word_reader(words: frozenset[str]) -> _Reader:
    def read(value: Any) -> Any:
        if type(value) is str and value in words:
            return value
        raise ValueError(f"not one of {', '.join(sorted(words))}")

    return read


def _optional_reader(other: _Reader) -> _Reader:
    return lambda value: None if value is None else other(value)


def _list_reader(entry: _Reader, bound: Longest) -> _Reader:
    def read(value: Any) -> Any:
        if type(value) is list and len(value) <= bound.most:
            return tuple([entry(each) for each in value])
        raise ValueError(f"not a list of at most {bound.most} entries")

    return read


def _object_reader(kind: Any) -> _Reader:
    readers = {name: _reader_of(each) for name, each in get_type_hints(kind, include_extras=True).items()}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise ValueError(f"not a {kind.__name__}")
        name = ""
        try:
            fields = {}
            for name, each in value.items():
                if (reader := readers.get(name)) is not None:
                    fields[name] = reader(each)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        try:
            return kind(**fields)
        except TypeError:
            missing = [each.name for each in attrs.fields(kind) if each.default is attrs.NOTHING]
            raise ValueError(
                f"it lacks {', '.join(name for name in missing if name not in fields)}"
            ) from None

    return read
