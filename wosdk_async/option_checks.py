"""Checks of what a program sets, where it is given: the value, and what is taken instead."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.suggestions import suggestion

__all__ = ["check_kind", "check_names", "check_number", "names_checked", "option"]

C = TypeVar("C", bound=type[Any])

_MOST = 1e9  # a deadline of 30 years: beyond it a clock cannot count, and no one means it
_SHOWN = 80  # characters of a value in a message


def check_number(
    name: str,
    value: object,
    takes: str,
    *,
    low: float = 0,
    high: float = _MOST,
    above: bool = False,
    whole: bool = False,
    error: type[WosdkError] = ConfigurationError,
) -> None:
    """Raise ``error`` unless ``value`` is a number from ``low`` to ``high``; ``above`` excludes ``low``."""
    kinds = int if whole else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (above and value == low):  # type: ignore[operator]
        raise error(f"{name} is {_shown(value)}; it takes {takes}")


def check_kind(name: str, value: object, kind: type[Any] | tuple[type[Any], ...], takes: str) -> None:
    """Raise ConfigurationError unless ``value`` is a ``kind``; a value that may be secret is not shown."""
    if not isinstance(value, kind):
        raise ConfigurationError(f"{name} is a {type(value).__name__}; it takes {takes}")


def check_names(given: Iterable[str], known: Iterable[str], taker: str) -> None:
    """Raise ConfigurationError for the first of ``given`` that is not ``known``."""
    known = list(known)
    for name in given:
        if name not in known:
            near = suggestion(name, known) or f"; it takes {', '.join(known)}"
            raise ConfigurationError(f"{taker} takes no {name!r}{near}")


def option(
    default: Any, takes: str, *, none: bool = False, low: float = 0, high: float = _MOST, **more: Any
) -> Any:
    """Return an attrs field of a number that :func:`check_number` lets pass, or None if ``none``."""

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if value is not None or not none:
            name = f"{type(owner).__name__}.{attribute.name}"
            check_number(name, value, f"{takes}, or None" if none else takes, low=low, high=high, **more)

    return attrs.field(default=default, validator=check)


def names_checked(cls: C) -> C:
    """Let ``cls``, whose arguments are all named, refuse unknown ones with a :class:`WosdkError`."""
    plain: Callable[..., None] = cls.__init__
    known = [name for name in plain.__annotations__ if name != "return"]

    @functools.wraps(plain)
    def checked(self: Any, *values: Any, **named: Any) -> None:
        if not named.keys() <= _known:
            check_names(named, known, cls.__name__)
        plain(self, *values, **named)

    _known = frozenset(known)
    cls.__init__ = checked
    return cls


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # an integer of very many digits has no text
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
