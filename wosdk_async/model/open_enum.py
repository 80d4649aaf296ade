"""Open enums, whose lists of values may grow with releases of the service."""
# facts 9

from __future__ import annotations

from enum import Enum
from typing import Any, Self

__all__ = ["OpenEnum"]


class OpenEnum(str, Enum):  # noqa: UP042 - StrEnum takes no numbers
    """String enum whose list of values may grow.

    An unlisted value also becomes a member, with ``is_known`` false. It can be compared, printed and pickled,
    and is sent unchanged. Such members are not cached, so that new values cannot exhaust memory; compare
    them with ``==``, not ``is``.

    The service accepts names and numbers, and always returns names. Here, a known number is converted to the
    member that has it.
    """

    # facts 3.3

    _value_: str | int
    number: int | None
    """The value's number; None if unknown. Send names, never numbers."""
    # facts 9

    def __new__(cls, value: str | int, number: int | None = None) -> Self:
        """Create a listed member."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.number = number
        return member

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            known = (member for member in cls if member.number == value)
            return next(known, None) or cls._unlisted(value)
        return cls._unlisted(value) if isinstance(value, str) else None

    @classmethod
    def _unlisted(cls, value: str | int) -> Self:
        text = str.__str__(value) if isinstance(value, str) else str(value)
        member = str.__new__(cls, text)
        member._name_ = text
        member._value_ = text if isinstance(value, str) else value
        member.number = None if isinstance(value, str) else value
        return member

    @property
    def is_known(self) -> bool:
        """Whether this release of the package lists the value."""
        return type(self)._member_map_.get(self._name_) is self

    def __str__(self) -> str:
        return str.__str__(self)

    def __format__(self, spec: str) -> str:
        return format(str.__str__(self), spec)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}.{self._name_}" if self.is_known else f"{kind}({self._value_!r})"

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return type(self), (self._value_,)
