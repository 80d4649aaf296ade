"""One socket: one request out, one answer in, and so on until one of them goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, cast

from wosdk_async.transport.engine import SendFailed
from wosdk_async.transport.engine.native.content import inflated
from wosdk_async.transport.engine.native.parser import AnswerParser, Garbage
from wosdk_async.transport.limits import Timeouts
from wosdk_async.wire import Reply

if TYPE_CHECKING:
    from wosdk_async.transport.engine.native.pool import Pool
    from wosdk_async.transport.engine.native.request import Origin, Request

__all__ = ["Connection"]


def _nothing() -> None:
    """What is called before nothing is sent."""


class Connection(asyncio.BufferedProtocol):
    """A connection of ``pool``. It belongs to who took it until its answer is whole or it is cut."""

    __slots__ = (
        "_left",
        "_made",
        "_on_sending",
        "_parser",
        "_paused",
        "_raw",
        "_request",
        "_timeouts",
        "_transport",
        "_waiter",
        "born",
        "careful",
        "live",
        "origin",
        "pool",
        "reused",
        "since",
        "socket",
    )

    def __init__(self, pool: Pool, origin: Origin) -> None:
        self.pool = pool
        self.origin = origin
        self.live = True
        """Whether it holds a place in the pool: from before it is opened until anything goes wrong."""
        self.reused = False
        self.born = self.since = pool.now()
        self._transport: asyncio.Transport
        self._made = False
        self._waiter: asyncio.Future[Reply] | None = None
        self._request: Request | None = None
        """What is still to be sent."""
        self.careful = False
        """Whether the socket is to be asked before the request leaves, which must not go out twice: the
        service may have closed it, and the loop not have seen it yet.
        """
        self._paused = False
        self._left = 0

    # --- for who took it ------------------------------------------------------------------------

    def take(
        self,
        request: Request,
        waiter: asyncio.Future[Reply],
        on_sending: Callable[[], None],
        timeouts: Timeouts,
        repeat_safe: bool,
        bare: bool,
        raw: bool,
    ) -> None:
        """Take a request, which leaves with :meth:`send`; ``waiter`` gets its answer, or SendFailed.

        A ``bare`` answer has no body (HEAD), that of a ``raw`` one is not decompressed.
        """
        self._request, self._waiter, self._on_sending = request, waiter, on_sending
        self._timeouts, self.careful = timeouts, self.reused and not repeat_safe
        self._raw = raw
        self._parser.expect(bare)

    @property
    def busy(self) -> bool:
        """Whether an answer is waited for."""
        return self._waiter is not None

    @property
    def stale(self) -> bool:
        """Whether it failed as connections do that were idle for too long: not a byte came."""
        return self.reused and self._parser.untouched

    def cut(self, waiter: asyncio.Future[Reply]) -> None:
        """Close it if ``waiter`` still waits for it: what else comes is of no use to anyone. If the request
        has not left yet it is as good as before.
        """
        if self._waiter is waiter:
            unsent, since = self._request is not None, self.since
            self._waiter = self._request = None
            if unsent and self.usable:
                self.pool.release(self)
                self.since = since  # it has not been used
            else:
                self.abort()

    # --- for the pool ---------------------------------------------------------------------------

    @property
    def usable(self) -> bool:
        """Whether it can take a request."""
        return self.live and not self._transport.is_closing()

    def send(self, ended: Container[int], now: float) -> None:
        """Hand the request to the socket, unless it is one of ``ended``, or nobody waits any more."""
        request, waiter = self._request, self._waiter
        if request is None or waiter is None or waiter.done():
            return
        if self._transport.is_closing() or (self.careful and self.socket in ended):
            self._fail("the service closed the connection while it was idle")
            return
        try:
            self._on_sending()
        except Exception as error:
            self._fail(error)
            return
        self._request = None
        self._on_sending = _nothing
        self.since = now
        if isinstance(request, bytes):
            self._transport.write(request)
        else:  # not writelines: in Python 3.12 it never pauses
            for piece in request:
                self._transport.write(piece)

    def close(self) -> None:
        """Close it in good order: nothing is under way."""
        self._leave()
        self._transport.close()

    def abort(self) -> None:
        """Close it now, or give up opening it."""
        self._leave()
        if self._made:
            self._transport.abort()

    def check(self, now: float) -> None:
        """Give up when nothing has moved for too long, or nothing was wanted."""
        if self._waiter is None:
            if now - self.since > self.pool.limits.keepalive:
                self.close()
            return
        if self._request is not None:
            return
        limit = self._timeouts.read
        if self._paused:
            limit = self._timeouts.write
            left = self._transport.get_write_buffer_size()
            if left != self._left:
                self._left, self.since = left, now
        if limit is not None and now - self.since > limit:
            step, what = (
                ("write", "took no more of the request") if self._paused else ("read", "said nothing")
            )
            self._fail(f"the service {what} for {limit:g} s", timeout=step)

    def _leave(self) -> None:
        if self.live:
            self.live = False
            self.pool.forget(self)

    # --- called by the loop ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._parser = AnswerParser(self.pool.limits)
        self.socket: int = transport.get_extra_info("socket").fileno()
        self._made = True
        self.pool.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(f"the connection was lost ({exc or 'closed'})")
        self.pool.closed(self)
        self._parser.close()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        return self.pool.buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._waiter is None or self._request is not None:
            self._fail("the service sent what nobody had asked for")
            return
        try:
            answer = self._parser.feed(self.pool.buffer[:nbytes])
            if answer is not None and self._parser.coded and not self._raw:
                answer = inflated(answer, self.pool.limits.body)
        except Garbage as garbage:
            self._fail(f"the answer cannot be read: {garbage}")
            return
        if answer is None:
            self.since = self.pool.now()
        else:
            self._answered(answer)

    def eof_received(self) -> None:
        if self._waiter is None:
            self.close()
            return
        try:
            answer = self._parser.end()
            if self._parser.coded and not self._raw:
                answer = inflated(answer, self.pool.limits.body)
        except Garbage as garbage:
            self._fail(str(garbage))
        else:
            self._answered(answer)

    def pause_writing(self) -> None:
        self._paused = True
        self._left, self.since = self._transport.get_write_buffer_size(), self.pool.now()

    def resume_writing(self) -> None:
        self._paused = False
        self.since = self.pool.now()

    # --- ends -----------------------------------------------------------------------------------

    def _answered(self, answer: Reply) -> None:
        waiter, self._waiter = self._waiter, None
        if self._transport.get_write_buffer_size():
            self.abort()  # it answered before it had read the request: what is left is not waited for
        elif self._parser.reusable:
            self.reused = True
            self.pool.release(self)
        else:
            self.close()
        if waiter is not None and not waiter.done():
            waiter.set_result(answer)

    def _fail(self, why: str | Exception, *, timeout: str = "") -> None:
        waiter, sent = self._waiter, self._request is None
        self._waiter = self._request = None
        self.abort()
        if isinstance(why, str):
            why = SendFailed(f"{self.origin.text}: {why}", sent=sent, timeout=timeout)
        if waiter is not None and not waiter.done():
            waiter.set_exception(why)
