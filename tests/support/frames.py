"""Search for secrets that a tool recording traceback variables could show."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Iterator, Mapping
from functools import partial
from traceback import walk_tb
from typing import Any


def chained(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, its causes, its contexts and the members of its groups."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [found.__cause__, found.__context__]
            waiting += found.exceptions if isinstance(found, BaseExceptionGroup) else ()


def leaks(error: BaseException, secrets: Mapping[str, str], deep: int = 2) -> set[str]:
    """Return the secrets in local variables of ``error``'s frames, up to ``deep`` levels, with their places.

    Frames of tests do not count.
    """
    found = set()
    seen: dict[int, tuple[int, Any]] = {}
    for each in chained(error):
        for frame, line in walk_tb(each.__traceback__):
            place = frame.f_code.co_filename
            if "/tests/" in place:
                continue
            for name, value in frame.f_locals.items():
                shown = "\0".join(_texts(value, deep, seen)).lower()
                where = f"{type(each).__name__} {place.partition('site-packages/')[2] or place}:{line} {name}"
                found |= {f"{which}: {where}" for which, secret in secrets.items() if secret.lower() in shown}
    return found


def _texts(value: Any, deep: int, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    if seen.get(id(value), (-1, None))[0] >= deep:
        return  # already searched under another name, at least as deep
    seen[id(value)] = deep, value  # kept, so that no other object reuses the id
    try:
        yield repr(value)
    except Exception as failure:  # an object under construction
        yield repr(failure)
    if isinstance(value, bytes | bytearray):
        yield bytes(value).decode("latin-1")
    if deep:
        for each in _children(value):
            yield from _texts(each, deep - 1, seen)


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, types.ModuleType | type):
        return
    if isinstance(value, Mapping):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # an empty cell
                continue
        yield from value.__defaults__ or ()
    elif isinstance(value, types.MethodType):
        yield value.__self__
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, asyncio.Future):
        if value.done() and not value.cancelled() and value.exception() is None:
            yield value.result()
    else:
        yield from list(getattr(value, "__dict__", {}).values())
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                mangled = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") else name
                if hasattr(value, mangled):
                    yield getattr(value, mangled)
