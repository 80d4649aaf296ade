"""Secrets as values that cannot be shown: what records the variables of a traceback records ``***``."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any, NoReturn, Self

__all__ = ["Secret", "as_secret", "withheld", "without_login"]

_LOGIN = re.compile(r"^([a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
"""Part of an address before its host, with a name or a password in it. These may have any characters."""


class Secret:
    """Text or bytes that every repr, log and debugger shows as ``***``; :meth:`reveal` returns the text.

    Two are equal if they hold the same. A copy is the same object, and pickle refuses it.
    """

    __slots__ = ("encode",)

    encode: Callable[[], bytes]
    """Return the bytes, to be written at once."""

    def __init__(self, value: str | bytes) -> None:
        # In a file in memory: no repr, attribute or closure leads to it. A lone surrogate must not fail here:
        # the error would hold the text.
        content = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        object.__setattr__(self, "encode", BytesIO(content).getvalue)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Secret cannot be changed")

    def reveal(self) -> str:
        """Return the text. Keep it out of variables of functions that may raise."""
        return self.encode().decode("utf-8", "surrogatepass")

    def __repr__(self) -> str:
        return "***"

    def __bool__(self) -> bool:
        return bool(self.encode())

    def __eq__(self, other: object) -> bool:
        return self.encode() == other.encode() if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.encode())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a Secret cannot be pickled; pass reveal() over a channel that you trust")


def as_secret(value: str | Secret) -> Secret:
    """Return text as a Secret, and anything else without its value: a validator refuses that."""
    if isinstance(value, str):
        return Secret(value)
    made: Secret = value if isinstance(value, Secret | None) else withheld(value)
    return made


def withheld(value: object) -> Any:
    """Return a stand-in for a value of a wrong type, which may hold a secret: it has only its type's name."""
    return type(type(value).__name__, (), {"__slots__": ()})()


def without_login(address: str) -> str:
    """Return an address without the name and password in it; their place, ``***``, makes it unusable."""
    return _LOGIN.sub(r"\1***@", address) if isinstance(address, str) else address  # a check refuses it
