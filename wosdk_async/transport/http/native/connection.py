"""One socket: one request out, one answer in, and so on until one of them goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import TYPE_CHECKING, cast

from wosdk_async.options import Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native.parser import BadResponse, ResponseParser
from wosdk_async.transport.http.native.request import Origin, PreparedRequest

if TYPE_CHECKING:
    from wosdk_async.transport.http.native.pool import Pool

__all__ = ["Connection"]


_NOTHING = PreparedRequest(b"", lambda: None, Timeouts(), repeat_safe=True, bare=False, raw=False)
"""What is asked of an idle connection: one that held on to its last call would keep the answer in memory."""


class Connection(asyncio.BufferedProtocol):
    """A connection of ``pool``. It belongs to who took it until its answer is whole or it is cut."""

    __slots__ = (
        "_exchange",
        "_held",
        "_left",
        "_made",
        "_parser",
        "_paused",
        "_transport",
        "_unsent",
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
        self.socket = -1
        self._waiter: asyncio.Future[Response] | None = None
        self._exchange = _NOTHING
        self._unsent = False
        """Whether the request is still to leave."""
        self._held = False
        """Whether the response is whole and its call still has to say whether it is believed."""
        self.careful = False
        """Whether the socket is to be asked before the request leaves, which must not go out twice: the
        service may have closed it, and the loop not have seen it yet.
        """
        self._paused = False
        self._left = 0

    # --- for who took it ------------------------------------------------------------------------

    def take(self, exchange: PreparedRequest, waiter: asyncio.Future[Response]) -> None:
        """Take a request, which leaves with :meth:`send`; ``waiter`` gets its answer, or SendError."""
        self._exchange, self._waiter, self._unsent = exchange, waiter, True
        self.careful = self.reused and not exchange.repeat_safe
        self._parser.expect(exchange.bare)

    @property
    def busy(self) -> bool:
        """Whether a response is waited for, or being read."""
        return self._waiter is not None or self._held

    def free(self, believed: bool) -> None:
        """Give it back to the pool after a response that is ``believed``; close it after any other.

        Bytes that followed the response, or came while it was read, have closed it already.
        """
        self._held = False
        if not self.live:
            return
        if not believed:
            self.abort()
        elif self._parser.reusable:
            self.reused = True
            self.pool.release(self)
        else:
            self.close()

    @property
    def stale(self) -> bool:
        """Whether it failed as connections do that were idle for too long: not a byte came."""
        return self.reused and self._parser.untouched

    def cut(self, waiter: asyncio.Future[Response]) -> None:
        """Close it if ``waiter`` still waits for it: what else comes is of no use to anyone. If the request
        has not left yet it is as good as before.
        """
        if self._waiter is waiter:
            unsent, since = self._unsent, self.since
            self._let_go()
            if unsent and self.usable:
                self.pool.release(self)
                self.since = since  # it has not been used
            else:
                self.abort()
        elif self._held:  # the response came in the same turn of the loop, and nobody will read it
            self.free(believed=False)

    def broken(self, error: Exception | None) -> None:
        """The socket is of no use any more."""
        self._fail(f"the connection was lost ({error or 'closed'})")

    # --- for the pool ---------------------------------------------------------------------------

    @property
    def usable(self) -> bool:
        """Whether it can take a request."""
        return self.live and not self._transport.is_closing()

    def send(self, ended: Container[int], now: float) -> None:
        """Hand the request to the socket, unless it is one of ``ended``, or nobody waits any more."""
        waiter = self._waiter
        if not self._unsent or waiter is None or waiter.done():
            return
        if self._transport.is_closing() or (self.careful and self.socket in ended):
            self._fail("the service closed the connection while it was idle")
            return
        try:
            self._exchange.on_sending()
        except Exception as error:
            self._fail(error)
            return
        self._unsent, self.since = False, now
        request = self._exchange.request
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
            if not self._held and now - self.since > self.pool.limits.keepalive:
                self.close()
            return
        if self._unsent:
            return
        limit = self._exchange.timeouts.read
        if self._paused:
            limit = self._exchange.timeouts.write
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
            self.pool.receiver.remove(self)
            self.pool.forget(self)

    # --- called by the loop ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._parser = ResponseParser(self.pool.limits)
        self.socket = transport.get_extra_info("socket").fileno()
        self._made = True
        if self.live:
            self.pool.open.add(self)
        else:  # given up while it was opened, and the loop opened it nevertheless
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.broken(exc)
        if self._made:  # else TLS has failed, whose end asyncio tells though there was no beginning
            self.pool.closed(self)
            self._parser.close()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        return self.pool.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.received(bytes(self.pool.buffer[:nbytes]))

    def received(self, data: bytes) -> None:
        """So much has come."""
        if self._waiter is None or self._unsent:
            self._fail("the service sent what nobody had asked for")
            return
        try:
            answer = self._parser.feed(data)
        except BadResponse as garbage:
            self._fail(f"the answer cannot be read: {garbage}")
            return
        except MemoryError:
            self._fail("the answer cannot be read: it does not fit into the memory that is left")
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
        except BadResponse as garbage:
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

    def _let_go(self) -> asyncio.Future[Response] | None:
        """Forget the call, and say who waits for its answer."""
        waiter, self._waiter = self._waiter, None
        self._unsent, self._exchange = False, _NOTHING
        return waiter

    def _answered(self, answer: Response) -> None:
        waiter = self._let_go()
        if self._transport.get_write_buffer_size():
            self.abort()  # it answered before it had read the request: what is left is not waited for
        if waiter is None or waiter.done():
            self.abort()  # the caller was cancelled in this turn of the loop
        else:
            self._held = True
            waiter.set_result(answer)

    def _fail(self, why: str | Exception, *, timeout: str = "") -> None:
        sent = not self._unsent
        waiter = self._let_go()
        self.abort()
        if isinstance(why, str):
            why = SendError(f"{self.origin.text}: {why}", sent=sent, timeout=timeout)
        if waiter is not None and not waiter.done():
            waiter.set_exception(why)
