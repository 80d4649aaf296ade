"""Engines: bytes out, bytes in.

:class:`Engine` is all that the rest of the transport knows of an HTTP library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wosdk_async.wire import Reply

__all__ = ["Engine", "SendFailed"]


class SendFailed(Exception):
    """No complete answer came. ``sent`` tells whether the service may have seen the request."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


class Engine(Protocol):
    """A pool of connections."""

    capacity: int
    """How many requests may be under way at once; callers keep below it."""

    async def send(
        self,
        method: str,
        url: str,
        headers: list[tuple[str, str]],
        body: bytes | None,
        on_sending: Callable[[], None],
    ) -> Reply:
        """Send one request and read its whole answer; redirects are answers like any other.

        ``on_sending`` is called just before the first byte leaves, and never when none does. Raises
        SendFailed, from no other exception: what a library raises may hold the request, and with it the
        token. There is no time limit here but for connecting: the call's deadline cancels.
        """

    async def aclose(self) -> None:
        """Close every connection."""
