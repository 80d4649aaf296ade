"""Options of a client and of its calls: each one is written here once, with its unit and default."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.option_checks import check_kind, names_checked, option
from wosdk_async.protocol.verdicts import CODES, REFUSED
from wosdk_async.protocol.wire import Call

if TYPE_CHECKING:
    import httpx

__all__ = ["CallOptions", "Limits", "OnInDoubt", "RetryPolicy", "Timeouts", "as_limits", "as_timeouts"]

OnInDoubt = Callable[[Call[Any], str | None], None]
"""Called with a call and its RequestId when the caller was cancelled and the call may have taken effect."""

_BYTES = 2**62  # any number that a length can have


def _seconds(default: Any) -> Any:
    return option(default, "seconds above 0", above=True, none=True)


def _count(default: int, takes: str = "a number, 1 or more") -> Any:
    return option(default, takes, low=1, high=_BYTES, whole=True)


@names_checked
@attrs.frozen(kw_only=True)
class Timeouts:
    """Seconds that one step of a request may take; None for as long as the call itself may take.

    They are checked four times a second. If ``read`` is shorter than a call's deadline, a slow create ends in
    doubt.
    """

    connect: float | None = _seconds(10.0)
    """For name, TCP and TLS together."""
    read: float | None = _seconds(120.0)
    """Until the first piece of the response comes, and from one piece to the next."""
    write: float | None = _seconds(30.0)
    """For as long as the service accepts nothing of a request."""
    pool: float | None = _seconds(None)
    """Until a connection is free."""


@names_checked
@attrs.frozen(kw_only=True)
class Limits:
    """Bounds of the connections of a client, and of each response."""

    connections: int = _count(100)
    """Most connections at once."""
    keepalive: float = option(15.0, "seconds, 0 or more")
    """Seconds that an idle connection is kept."""
    lifetime: float = option(600.0, "seconds above 0", above=True)
    """Seconds after which a connection is not used again although it works."""
    head: int = _count(64 * 1024, "bytes, 1 or more")
    """Most bytes of a status line with its headers."""
    headers: int = _count(200)
    """Most headers of a response."""
    body: int = _count(64 * 1024 * 1024, "bytes, 1 or more")
    """Most bytes of a response's body, also after decompression."""


def _as_codes(value: Any) -> Any:
    """Return the texts of an iterable as a set, anything else as it is: the validator refuses that."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return value
    codes = list(value)
    return frozenset(codes) if all(isinstance(code, str) and code for code in codes) else codes


def _check_codes(policy: RetryPolicy, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Raise ConfigurationError unless ``value`` is a set of error codes without a verdict of their own."""
    name = f"RetryPolicy.{attribute.name}"
    if isinstance(value, list):
        wrong = next(code for code in value if not isinstance(code, str) or not code)
        raise ConfigurationError(f"{name} holds {reprlib.repr(wrong)}; an error code is a text")
    if not isinstance(value, frozenset):
        shown = reprlib.repr(value)
        example = shown if isinstance(value, str) else "'MY_CODE'"
        raise ConfigurationError(f"{name} is {shown}; it takes a set of error codes: {{{example}}}")
    for code in sorted(value):
        if code in CODES and CODES[code].verdict is not REFUSED:
            raise ConfigurationError(
                f"{name} holds {code!r}, whose verdict is fixed ({CODES[code].verdict.name}); leave it out"
            )
    if both := value & policy.waits if attribute.name == "repeats" else ():
        raise ConfigurationError(f"{min(both)!r} is in waits and in repeats; leave it in one of them")


@names_checked
@attrs.frozen(kw_only=True)
class RetryPolicy:
    """When and how often a call is sent again. Raises ConfigurationError for a value that does not fit."""

    attempts: int = option(4, "a number, 1 or more", low=1, whole=True)
    """Most attempts, with the first one."""
    wait_initial: float = option(0.25, "seconds, 0 or more")
    """Seconds: the wait before the second attempt is drawn at random between 0 and this. It doubles with each
    further attempt."""
    wait_max: float = option(8.0, "seconds, 0 or more")
    """Seconds up to which ``wait_initial`` doubles."""
    max_retry_after: float = option(60.0, "seconds, 0 or more")
    """Seconds: if the service asks for a longer wait, the call is not sent again."""
    waits: frozenset[str] = attrs.field(default=frozenset(), converter=_as_codes, validator=_check_codes)
    """Error codes of which the program knows that the service did nothing and asks to wait: the call is sent
    again even if it is not safe to repeat (``docs/failures.md``). A Retry-After counts, and the last attempt
    raises ThrottledError."""
    repeats: frozenset[str] = attrs.field(default=frozenset(), converter=_as_codes, validator=_check_codes)
    """Error codes of which the program knows that the service did nothing: the call is sent again even if it
    is not safe to repeat. The last attempt raises the class of the code."""


@names_checked
@attrs.frozen(kw_only=True)
class CallOptions:
    """Options of a call: time and retries. Raises ConfigurationError for a value that does not fit."""

    deadline: float | None = option(None, "seconds, 0 or more", none=True)
    """Seconds for the whole call: queue, session, attempts, waits. None means 60, and 120 for a call that is
    not safe to repeat, because a short deadline causes doubt. With 0 nothing is sent."""
    retry: RetryPolicy = attrs.field(default=RetryPolicy())
    """When and how often a call is sent again."""
    settle: float = option(30.0, "seconds, 0 or more")
    """Seconds for which a create may still take effect after it was given up. A call with a marker is looked
    up for so long, within its deadline, before it is sent again."""

    @retry.validator
    def _check_retry(self, _: object, value: object) -> None:
        check_kind("CallOptions.retry", value, RetryPolicy, "a RetryPolicy(...)")

    def seconds(self, call: Call[Any]) -> float:
        """Return the deadline of ``call``."""
        if self.deadline is not None:
            return self.deadline
        return 60.0 if call.repeat_safe else 120.0


def as_timeouts(given: Timeouts | httpx.Timeout) -> Timeouts:
    """Return ``given`` as Timeouts. Raises ConfigurationError."""
    if isinstance(given, Timeouts):
        return given
    try:
        return Timeouts(**given.as_dict())
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"timeouts is {given!r}; it takes Timeouts(...) or httpx.Timeout(...), of seconds above 0"
        ) from None


def as_limits(given: Limits | httpx.Limits) -> Limits:
    """Return ``given`` as Limits; a bound that httpx leaves open keeps our default."""
    if isinstance(given, Limits):
        return given
    try:
        named: dict[str, Any] = {"connections": given.max_connections, "keepalive": given.keepalive_expiry}
        return Limits(**{name: value for name, value in named.items() if value is not None})
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"limits is {given!r}; it takes Limits(...) or httpx.Limits(...), of one connection at least"
        ) from None
