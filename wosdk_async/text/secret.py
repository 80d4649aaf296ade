"""Secret values that are never shown: tools that record the variables of a traceback get ``***``."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any, NoReturn, Self

_LOGIN = re.compile(r"^([a-z0-9+.-]*://)?.*@", re.IGNORECASE | re.DOTALL)
"""Everything before the host of an address; user name and password may contain any characters."""


class Secret:
    """Text or bytes that every repr, log and debugger shows as ``***``; :meth:`reveal` returns the text.

    Secrets are equal if they hold the same text. A copy is the same object, and pickling is refused.
    """

    __slots__ = ("encode",)

    encode: Callable[[], bytes]
    """Return the text as bytes, to be written immediately."""

    def __init__(self, value: str | bytes) -> None:
        # Kept in an in-memory file, so that no repr, attribute or closure leads to the text. A lone surrogate
        # must not fail here, because the error would hold the text.
        content = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        object.__setattr__(self, "encode", BytesIO(content).getvalue)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Secret cannot be changed")

    def reveal(self) -> str:
        """Return the text. Do not keep it in a variable of a function that may raise an error."""
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
        raise TypeError("a Secret cannot be pickled; send the text from reveal() over a trusted channel")


def as_secret(value: str | Secret) -> Secret:
    """Convert text to a Secret; return a Secret or None unchanged, and :func:`withheld` for anything else."""
    if isinstance(value, str):
        return Secret(value)
    secret: Secret = value if isinstance(value, Secret | None) else withheld(value)
    return secret


def withheld(value: object) -> Any:
    """Return a placeholder that shows only the type of a possibly secret value; validators refuse it."""
    return type(type(value).__name__, (), {"__slots__": ()})()


def without_login(address: str) -> str:
    """Replace the user name and password in an address with ``***``, which makes the address unusable."""
    # Anything but a string is refused by a later check.
    return _LOGIN.sub(r"\1***@", address) if isinstance(address, str) else address
