"""Interface of an HTTP engine: one request out, one response in, or a body piece by piece."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import attrs

from wosdk_async.protocol.wire import Response
from wosdk_async.safe_text import Secrets

__all__ = [
    "Engine",
    "Headers",
    "Incoming",
    "OnSending",
    "Read",
    "SendFailed",
    "StreamingEngine",
    "whole_reply",
]

Headers = tuple[tuple[str, str], ...]
OnSending = Callable[[], None]

Read = Callable[[Response], Any]
"""Makes the value of a call from its response, or raises: a WosdkError when the response is the service's."""


def whole_reply(reply: Response) -> Response:
    """Return ``reply`` itself: for requests whose every response is believed."""
    return reply


_MAX_REASON = 300  # characters of what an engine says of a failure


class SendFailed(Exception):
    """No complete answer came.

    ``sent`` tells whether the service may have seen the request; ``timeout`` names which of the
    :class:`~wosdk_async.transport.limits.Timeouts` ran out, if one did.
    """

    def __init__(self, why: str, *, sent: bool, timeout: str = "") -> None:
        super().__init__(why)
        self.sent = sent
        self.timeout = timeout

    def hide(self, secrets: Secrets) -> None:
        """Take out what a response repeated of ``secrets``, and then cut the text: engines do not."""
        self.args = (secrets.hide(str(self), _MAX_REASON),)


class Engine(Protocol):
    """A pool of connections."""

    capacity: int
    """How many requests may be under way at once; callers keep below it."""

    async def send(
        self,
        method: str,
        url: str,
        headers: Headers,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_reply,
    ) -> Any:
        """Send one request and return what ``read`` makes of its whole response, a redirect like any other.

        The connection is kept for other requests only when ``read`` returns or raises a WosdkError. It is
        closed when ``read`` raises anything else, as it does for a response that is not the service's, and
        when bytes follow the response: nothing that comes after on that connection can be believed.

        ``on_sending`` is called just before the first byte may leave. What is not
        ``repeat_safe`` goes out once at the most, over a connection that can hardly be stale. Raises
        SendFailed, from no other exception: what a library raises may hold the request, and with it the
        token. The call's deadline cancels.
        """

    def connections(self) -> tuple[int, int]:
        """How many are in use or being opened, and how many are idle."""

    async def aclose(self) -> None:
        """Close every connection; one that is in use closes when its answer has been read."""


@attrs.frozen
class Incoming:
    """An answer whose body has not been read: header names are lower case, chunks are decompressed.

    Iterating ``chunks`` raises :class:`~wosdk_async.transport.http.engine.SendFailed` when the connection
    ends before the answer does, and :class:`~wosdk_async.errors.DownloadError` for a content coding that is
    not accepted.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncGenerator[bytes, None]


class StreamingEngine(Protocol):
    """What fetches files. It sends no header that tells who asks."""

    def incoming(self, url: str) -> AbstractAsyncContextManager[Incoming]:
        """GET ``url`` over a connection that is closed on leaving, whatever was read of the answer.

        Redirects are answers like any other. Entering raises SendFailed.
        """

    async def aclose(self) -> None:
        """Close every connection."""
