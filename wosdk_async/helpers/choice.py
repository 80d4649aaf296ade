"""Which of several rows a name means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from wosdk_async.errors import NotFoundError, NotUniqueError
from wosdk_async.spelling import suggestion

__all__ = ["chosen", "folded", "listed"]

T = TypeVar("T")

_SHOWN = 20  # names in an error


def folded(name: str) -> str:
    """What names are compared by: their text without case and outer blanks."""
    return name.strip().casefold()


def chosen(what: str, name: str, rows: Iterable[T], label: Callable[[T], str | None]) -> T:
    """The one of ``rows`` that is called ``name``; ``what`` says what they are, as "hold reason".

    Raises NotFoundError that says what is near and lists the names there are, NotUniqueError with the ids.
    """
    called = [(label(row) or "", row) for row in rows]
    found = [row for text, row in called if folded(text) == folded(name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = [getattr(row, "id", None) for row in found]
        raise NotUniqueError(
            f"{name!r} is the name of more than one {what}: ids {listed(ids)}; name one by its id"
        )
    names = sorted({text for text, _ in called if text})
    known = f"there are {listed(names)}" if names else "there are none"
    raise NotFoundError(f"no {what} is called {name!r}{suggestion(name.strip(), names)}; {known}")


def listed(values: Sequence[Any]) -> str:
    """The values, no more than fit in a message."""
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(repr(value) for value in values[:_SHOWN]) + more
