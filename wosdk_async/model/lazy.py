"""Objects in the objects of an answer, made of what was read when somebody first looks at them.

Most programs want a few fields of an answer, but its text names a dozen other records. The text is read and
checked as a whole when it comes; only the objects wait, in the slots of the fields that hold them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from wosdk_async.model.metadata import is_nested

__all__ = ["Later", "let_wait", "slot_of"]


class Later:
    """What stands in a slot until the object is wanted. Making it cannot fail."""

    __slots__ = ()

    @abstractmethod
    def __made__(self) -> Any:
        """The object."""


class _Field(property):
    """A field whose object may still have to be made."""


_GET = """\
def get(record):
    found = record.{slot}
    if isinstance(found, Later):
        made = found.__made__()
        if record.{slot} is found:
            record.{slot} = made
        return record.{slot}
    return found
"""
# Of threads that look at the same time the first one's object stays: under the GIL none comes between the
# last look and the change, because threads take turns at calls and at jumps back only.


def let_wait(cls: type[Any]) -> None:
    """Let the fields of ``cls`` that hold objects take a :class:`Later`. The rest of the package reaches
    their slots under the names that :func:`slot_of` gives.
    """
    for field in cls.__dict__.get("__attrs_attrs__", ()):
        slot = cls.__dict__.get(field.name)
        if isinstance(slot, MemberDescriptorType) and field.metadata and is_nested(field.metadata):
            setattr(cls, _hidden(field.name), slot)
            _install(cls, field.name, _first(cls, field.name))


def _install(cls: type[Any], name: str, get: Callable[[Any], Any]) -> None:
    slot = getattr(cls, _hidden(name))
    setattr(cls, name, _Field(get, slot.__set__, slot.__delete__))


def _first(cls: type[Any], name: str) -> Callable[[Any], Any]:
    """Reads the field once, and writes the function that does so from then on: a program uses few fields."""

    def first(record: Any) -> Any:
        made: dict[str, Any] = {}
        source = compile(_GET.format(slot=_hidden(name)), f"<{cls.__name__}.{name}>", "exec")
        exec(source, globals(), made)  # noqa: S102 - text made above
        get: Callable[[Any], Any] = made["get"]
        _install(cls, name, get)
        return get(record)

    return first


def slot_of(cls: type[Any], name: str) -> str:
    """The name under which the field is stored as it comes, and read without making anything."""
    return _hidden(name) if isinstance(getattr(cls, name, None), _Field) else name


def _hidden(name: str) -> str:
    return f"_slot_{name}"
