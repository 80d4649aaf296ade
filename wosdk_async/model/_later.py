"""Objects in the objects of an answer, made of what was read when somebody first looks at them.

Most programs want a few fields of an answer, but its text names a dozen other records. The text is read and
checked as a whole when it comes; only the objects wait, in the slots of the fields that hold them.
"""

from __future__ import annotations

import os
import threading
from types import MemberDescriptorType
from typing import Any

from wosdk_async.model._wire import is_nested

__all__ = ["Later", "let_wait", "slot_of"]

_making = threading.Lock()


def _unlock() -> None:
    """In a forked child: whoever held the lock was left behind."""
    global _making
    _making = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)


class Later:
    """What stands in a slot until the object is wanted. Making it cannot fail."""

    __slots__ = ()

    def __made__(self) -> Any:
        """The object."""
        raise NotImplementedError


class _Field(property):
    """A field whose object may still have to be made."""


def let_wait(cls: type[Any]) -> None:
    """Let the fields of ``cls`` that hold objects take a :class:`Later`. The rest of the package reaches
    their slots under the names that :func:`slot_of` gives.
    """
    for field in cls.__dict__.get("__attrs_attrs__", ()):
        slot = cls.__dict__.get(field.name)
        if isinstance(slot, MemberDescriptorType) and field.metadata and is_nested(field.metadata):
            setattr(cls, _hidden(field.name), slot)
            setattr(cls, field.name, _field(slot))


def slot_of(cls: type[Any], name: str) -> str:
    """The name under which the field is stored as it comes, and read without making anything."""
    return _hidden(name) if isinstance(getattr(cls, name, None), _Field) else name


def _hidden(name: str) -> str:
    return f"_slot_{name}"


def _field(slot: Any) -> _Field:
    read, write = slot.__get__, slot.__set__

    def value(record: Any) -> Any:
        found = read(record)
        if isinstance(found, Later):
            with _making:  # so that all who look get the same object
                found = read(record)
                if isinstance(found, Later):
                    found = found.__made__()
                    write(record, found)
        return found

    return _Field(value, write)
