"""Validation of options when a program sets them. Messages show the value and the accepted values."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError, WosdkError
from wosdk_async.protocol.arguments import described

C = TypeVar("C", bound=type[Any])
P = ParamSpec("P")
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741 - options
R = TypeVar("R")

HIDDEN_FIRST = {"wosdk_hidden_first": True}
"""Metadata of an option whose converter hides a secret; :func:`takes_options` runs the converter before any
check.
"""

_MOST = 1e9  # highest number, in seconds about 30 years: some clocks cannot count further
_SHOWN = 80  # maximum characters of a value in a message

# --- checks of a value --------------------------------------------------------------------------


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
        most = f", at most {high:g}" if is_number and value > high == _MOST else ""  # type: ignore[operator]
        raise error(f"{name} is {_shown(value)}; it must be {takes}{most}")


def check_kind(name: str, value: object, kind: type[Any] | tuple[type[Any], ...], takes: str) -> None:
    """Raise ConfigurationError unless ``value`` is a ``kind``. The value may be secret and is not shown."""
    if not isinstance(value, kind):
        raise ConfigurationError(f"{name} is {kind_of(value)}; it must be {takes}")


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # for example, Python refuses to convert an integer with very many digits
        text = kind_of(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# --- self-checking attrs fields -------------------------------------------------------------------


def number(
    default: Any, takes: str, *, none: bool = False, low: float = 0, high: float = _MOST, **more: Any
) -> Any:
    """Return a number field validated by :func:`check_number`; ``none`` also allows None."""

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if value is not None or not none:
            expected = f"{takes}, or None" if none else takes
            check_number(_name(owner, attribute), value, expected, low=low, high=high, **more)

    return attrs.field(default=default, validator=check)


def switch(default: bool) -> Any:
    """Return a boolean field."""

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        check_kind(_name(owner, attribute), value, bool, "True or False")

    return attrs.field(default=default, validator=check)


def instance(kind: type[Any], takes: str) -> Any:
    """Return a field that takes a ``kind`` object or None."""

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if value is not None:
            check_kind(_name(owner, attribute), value, kind, takes)

    return attrs.field(default=None, validator=check)


def choice(*values: str) -> Any:
    """Return a field that takes one of ``values`` or None."""

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        if value is not None and value not in values:
            raise ConfigurationError(
                f"{_name(owner, attribute)} is {_shown(value)}; it must be {', '.join(values)} or None"
            )

    return attrs.field(default=None, validator=check)


def hook(method: str = "__call__", takes: str = "a function", *, awaited: bool = True) -> Any:
    """Return a field that takes None or an instance with the given ``method``; a class is refused.

    Unless its result is ``awaited``, the method must not be an async function.
    """

    def check(owner: object, attribute: attrs.Attribute[Any], value: object) -> None:
        name = _name(owner, attribute)
        if isinstance(value, type):
            raise ConfigurationError(f"{name} is {described(value)}; pass {value.__name__}()")
        if value is not None and not hasattr(value, method):
            raise ConfigurationError(f"{name} is {kind_of(value)}; it must be {takes}")
        if not awaited and inspect.iscoroutinefunction(value):
            raise ConfigurationError(f"{name} is an async function, but would never be awaited; pass {takes}")

    return attrs.field(default=None, validator=check)


def _name(owner: object, attribute: attrs.Attribute[Any]) -> str:
    """Return an option's name as programs write it: ``Class.name``, or just ``name`` for a client option."""
    prefix: str = getattr(owner, "PREFIX", f"{type(owner).__name__}.")
    return prefix + attribute.name


def _unchanged(value: object) -> object:
    return value


def takes_options(
    kind: Callable[P, O],
) -> Callable[[Callable[[S, O], R]], Callable[Concatenate[S, P], R]]:
    """Let a method that takes one ``kind`` object be called with the arguments of ``kind`` instead.

    ``Client(in_flight=8)`` becomes ``Client.__init__(client, ClientArguments(in_flight=8))``. Type checkers
    and editors see the arguments of ``kind``, so each option is declared only once.
    """
    arguments = inspect.signature(kind).parameters
    fields = attrs.fields(kind) if attrs.has(kind) else ()  # type: ignore[arg-type]
    hidden: dict[str, Any] = {each.name: each.converter for each in fields if each.metadata == HIDDEN_FIRST}
    most = sum(each.kind is not each.KEYWORD_ONLY for each in arguments.values())

    def decorate(method: Callable[[S, O], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(method)
        def called(owner: S, /, *values: P.args, **named: P.kwargs) -> R:
            # Tracebacks show local variables, so these arguments are hidden or deleted before a check fails.
            if unknown := [name for name in named if name not in arguments]:
                del values, named
                raise TypeError(f"{method.__qualname__}() got an unexpected keyword argument {unknown[0]!r}")
            if (given := len(values)) > most:
                del values, named
                takes = "1 positional argument" if not most else f"{most + 1} positional arguments"
                raise TypeError(f"{method.__qualname__}() takes {takes} but {given + 1} were given")
            for name in hidden.keys() & named.keys():
                named[name] = hidden[name](named[name])
            converters = [hidden.get(name, _unchanged) for name in arguments]
            shielded = [convert(value) for convert, value in zip(converters, values, strict=False)]
            del values
            return method(owner, kind(*shielded, **named))

        owner = next(iter(inspect.signature(method).parameters.values()))
        called.__signature__ = inspect.Signature([owner, *arguments.values()])  # type: ignore[attr-defined]
        return called

    return decorate
