"""Nested objects of a response, created when their field is first read.

Most programs use a few fields of a record, which may hold a dozen other records. The JSON of a response is
parsed and checked as a whole on arrival. Only nested objects are created later: until then, the field's slot
holds a :class:`Lazy` or, for a list, a tuple of them. A list would cost more: the garbage collector visits
every list in memory, and an order has fifty, nearly all of them empty. Python has a single empty tuple, and
the collector stops tracking tuples of Structs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from wosdk_async.model.compiled import compile_function
from wosdk_async.model.metadata import is_nested

__all__ = ["Lazy", "make_lazy", "raw_slot", "waits"]


class Lazy:
    """Placeholder for a nested object that is created when the field is first read."""

    __slots__ = ()

    @abstractmethod
    def __made__(self, origin: str | None) -> Any:
        """Create the nested object; ``origin`` is the Company its record was read from. Must not fail."""


class _LazyField(property):
    """Field whose slot may hold a :class:`Lazy` or, for a list, a tuple of them."""


_GET = """\
def get(record):
    found = record.{slot}
    if {is_waiting}:
        made = {made}
        if record.{slot} is found:
            record.{slot} = made
        return record.{slot}
    return found
"""
_OBJECT = {"is_waiting": "isinstance(found, Lazy)", "made": "found.__made__(record.origin)"}
_LIST = {
    "is_waiting": "found.__class__ is tuple",
    "made": "[each.__made__(record.origin) if isinstance(each, Lazy) else each for each in found]",
}
# GIL: if two threads read the field at once, the first object wins, because threads switch only at calls and
# backward jumps, and there is neither between the check and the assignment.


def make_lazy(cls: type[Any]) -> None:
    """Let each field of ``cls`` that takes nested objects hold a :class:`Lazy` until it is read."""
    for field in cls.__dict__.get("__attrs_attrs__", ()):
        slot = cls.__dict__.get(field.name)
        if isinstance(slot, MemberDescriptorType) and field.metadata and is_nested(field.metadata):
            setattr(cls, f"_slot_{field.name}", slot)
            _install(cls, field.name, _compile_at_first_read(cls, field.name))


def _install(cls: type[Any], name: str, get: Callable[[Any], Any]) -> None:
    slot = getattr(cls, f"_slot_{name}")
    setattr(cls, name, _LazyField(get, slot.__set__, slot.__delete__))


def _compile_at_first_read(cls: type[Any], name: str) -> Callable[[Any], Any]:
    """Return a getter that compiles its replacement on first use, because most fields are never read."""

    def first(record: Any) -> Any:
        kind = _LIST if cls.__wire__[name].get("many") else _OBJECT
        source = _GET.format(slot=f"_slot_{name}", **kind)
        get = compile_function("get", source, f"{cls.__name__}.{name}", {"Lazy": Lazy})
        _install(cls, name, get)
        return get(record)

    return first


def raw_slot(cls: type[Any], name: str) -> str:
    """Return the name of a field's slot, which holds the stored value, perhaps a Lazy.

    A Lazy has the plain fields of its object under the same names, except those missing from the response.
    """
    return f"_slot_{name}" if isinstance(getattr(cls, name, None), _LazyField) else name


def waits(record: Any, name: str) -> bool:
    """Return whether a field's object has not been created yet, without creating it."""
    return isinstance(getattr(record, raw_slot(type(record), name)), Lazy | tuple)
