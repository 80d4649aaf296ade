"""How long an exchange may take at each step, and how much of everything there may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.transport.options import names_checked, option

if TYPE_CHECKING:
    from wosdk_async.transport.http.httpx.library import httpx

__all__ = ["Limits", "Timeouts", "as_limits", "as_timeouts"]


_BYTES = 2**62  # any number that a length can have


def _seconds(default: Any) -> Any:
    return option(default, "seconds above 0", above=True, none=True)


def _count(default: int, takes: str = "a number, 1 or more") -> Any:
    return option(default, takes, low=1, high=_BYTES, whole=True)


@names_checked
@attrs.frozen(kw_only=True)
class Timeouts:
    """Seconds that one step of an exchange may take; None for as long as the call itself may take.

    ``connect``: name, TCP and TLS together. ``read``: until the first piece of the answer comes, and from
    one to the next. ``write``: in which the service takes nothing of a request. ``pool``: until a
    connection is free. They are looked at four times a second. A ``read`` shorter than a call's deadline
    makes doubt of a create that is slow.
    """

    connect: float | None = _seconds(10.0)
    read: float | None = _seconds(120.0)
    write: float | None = _seconds(30.0)
    pool: float | None = _seconds(None)


@names_checked
@attrs.frozen(kw_only=True)
class Limits:
    """How much of everything there may be.

    ``connections`` at once; ``keepalive`` is the seconds that an idle one is kept, ``lifetime`` the seconds
    after which it is not used again although it works. ``head`` (bytes of a status line with its headers),
    ``headers`` (their number) and ``body`` (bytes, also after decompression) bound an answer.
    """

    connections: int = _count(100)
    keepalive: float = option(15.0, "seconds, 0 or more")
    lifetime: float = option(600.0, "seconds above 0", above=True)
    head: int = _count(64 * 1024, "bytes, 1 or more")
    headers: int = _count(200)
    body: int = _count(64 * 1024 * 1024, "bytes, 1 or more")


def as_timeouts(given: Timeouts | httpx.Timeout) -> Timeouts:
    """Ours, from ours or httpx's. Raises ConfigurationError."""
    if isinstance(given, Timeouts):
        return given
    try:
        return Timeouts(**given.as_dict())
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"timeouts is {given!r}; it takes Timeouts(...) or httpx.Timeout(...), of seconds above 0"
        ) from None


def as_limits(given: Limits | httpx.Limits) -> Limits:
    """Ours, from ours or httpx's; where httpx sets no bound, ours stays. Raises ConfigurationError."""
    if isinstance(given, Limits):
        return given
    try:
        named: dict[str, Any] = {"connections": given.max_connections, "keepalive": given.keepalive_expiry}
        return Limits(**{name: value for name, value in named.items() if value is not None})
    except (AttributeError, TypeError, ValueError):
        raise ConfigurationError(
            f"limits is {given!r}; it takes Limits(...) or httpx.Limits(...), of one connection at least"
        ) from None
