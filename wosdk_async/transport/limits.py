"""How long an exchange may take at each step, and how much of everything there may be."""

from __future__ import annotations

from typing import Any

import attrs

__all__ = ["Limits", "Timeouts"]


def _seconds(default: Any) -> Any:
    return attrs.field(default=default, validator=attrs.validators.optional(attrs.validators.gt(0)))


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


@attrs.frozen(kw_only=True)
class Limits:
    """How much of everything there may be.

    ``connections`` at once; ``keepalive`` is the seconds that an idle one is kept, ``lifetime`` the seconds
    after which it is not used again although it works. ``head`` (bytes of a status line with its headers),
    ``headers`` (their number) and ``body`` (bytes, also after decompression) bound an answer.
    """

    connections: int = attrs.field(default=100, validator=attrs.validators.gt(0))
    keepalive: float = attrs.field(default=15.0, validator=attrs.validators.ge(0))
    lifetime: float = attrs.field(default=600.0, validator=attrs.validators.gt(0))
    head: int = attrs.field(default=64 * 1024, validator=attrs.validators.gt(0))
    headers: int = attrs.field(default=200, validator=attrs.validators.gt(0))
    body: int = attrs.field(default=64 * 1024 * 1024, validator=attrs.validators.gt(0))
