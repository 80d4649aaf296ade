"""One connection: one request out, one response in, and so on until one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container
from typing import Protocol, cast

from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import OnSending, SendError
from wosdk_async.transport.http.native.parser import BadResponse, ResponseParser
from wosdk_async.transport.http.native.request import EncodedRequest, Origin

__all__ = ["Connection", "Owner"]


class Owner(Protocol):
    """Pool of a connection, as the connection sees it."""

    limits: Limits
    timeouts: Timeouts
    buffer: memoryview
    """Memory in which connections receive, one after the other."""
    now: Callable[[], float]

    def opened(self, connection: Connection) -> None:
        """Note that its socket is open."""

    def release(self, connection: Connection) -> None:
        """Take it back: it can send another request."""

    def forget(self, connection: Connection) -> None:
        """Give its place to another: it sends no more requests."""

    def closed(self, connection: Connection) -> None:
        """Note that its socket is closed."""


def _nothing() -> None:
    """Do nothing: an idle connection has no request that is about to leave."""


class Connection(asyncio.BufferedProtocol):
    """Connection of a pool. It belongs to one request until the response is whole or the connection fails."""

    def __init__(self, owner: Owner, origin: Origin) -> None:
        self._owner = owner
        self.origin = origin
        self.live = True
        """Whether it holds a place in the pool: from before it is opened until anything fails."""
        self.reused = False
        """Whether it has sent a request before."""
        self.opened_at = self.since = owner.now()
        """``since``: when something last moved, or when it became idle."""
        self.fd = -1
        """Number of its socket, once that is open."""
        self.check_before_write = False
        """Whether to look at the socket before the request leaves, which must not be sent twice: the service
        may have closed it, and the loop may not have seen that yet.
        """
        self._transport: asyncio.Transport
        self._made = False
        self._waiter: asyncio.Future[Response] | None = None
        self._request: EncodedRequest = b""
        self._on_sending: OnSending = _nothing
        self._unsent = False
        """Whether it has a request that has not left yet."""
        self._held = False
        """Whether the response is whole, and its request has not decided yet whether to believe it."""
        self._paused = False
        self._unwritten = 0

    # --- for the request that took it ----------------------------------------------------------

    def start(
        self,
        request: EncodedRequest,
        on_sending: OnSending,
        repeat_safe: bool,
        waiter: asyncio.Future[Response],
    ) -> None:
        """Take a request, which leaves with :meth:`send`; ``waiter`` gets the response or a SendError."""
        self._request, self._on_sending, self._waiter, self._unsent = request, on_sending, waiter, True
        self.check_before_write = self.reused and not repeat_safe
        self._parser.reset()

    def finish(self, believed: bool) -> None:
        """Return to the pool after a response that is ``believed``; close after any other.

        Bytes that followed the response, or came while it was read, have closed the connection already.
        """
        self._held = False
        if not self.live:
            return
        if not believed:
            self.abort()
        elif self._parser.reusable:
            self.reused = True
            self._owner.release(self)
        else:
            self.close()

    def cancel(self, waiter: asyncio.Future[Response]) -> None:
        """Close if ``waiter`` still waits here; a request that has not left yet leaves it as it was."""
        if self._waiter is waiter:
            unsent, since = self._unsent, self.since
            self._drop_request()
            if unsent and self.live:
                self._owner.release(self)
                self.since = since  # it has not been used
            else:
                self.abort()
        elif self._held:  # the response came in the same turn of the loop and will not be read
            self.finish(believed=False)

    @property
    def stale(self) -> bool:
        """Whether it failed as connections do that were idle for too long: not a byte came."""
        return self.reused and self._parser.untouched

    # --- for the pool ---------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a response is waited for, or being read."""
        return self._waiter is not None or self._held

    def send(self, ended: Container[int], now: float) -> None:
        """Write the request, unless its socket is one of ``ended`` or the request was cancelled."""
        waiter = self._waiter
        if not self._unsent or waiter is None or waiter.done():
            return
        if self._transport.is_closing() or (self.check_before_write and self.fd in ended):
            self._fail("the service closed the connection while it was idle")
            return
        try:
            self._on_sending()
        except Exception as error:
            self._fail(error)
            return
        self._unsent, self.since = False, now
        request = self._request
        if isinstance(request, bytes):
            self._transport.write(request)
        else:  # not writelines: in Python 3.12 it never pauses
            for piece in request:
                self._transport.write(piece)

    def close(self) -> None:
        """Close in good order: nothing is under way."""
        self._leave_pool()
        self._transport.close()

    def abort(self) -> None:
        """Close now, or give up opening."""
        self._leave_pool()
        if self._made:
            self._transport.abort()

    def check(self, now: float) -> None:
        """Fail when nothing has moved for too long; close when it was idle for too long."""
        if self._waiter is None:
            if not self._held and now - self.since > self._owner.limits.keepalive:
                self.close()
            return
        if self._unsent:
            return
        step, limit, what = "read", self._owner.timeouts.read, "sent nothing"
        if self._paused:
            step, limit, what = "write", self._owner.timeouts.write, "took no more of the request"
            unwritten = self._transport.get_write_buffer_size()
            if unwritten < self._unwritten:
                self.since = now
            self._unwritten = unwritten
        if limit is not None and now - self.since > limit:
            self._fail(f"the service {what} for {limit:g} s", timeout=step)

    # --- called by the reader and the loop ------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Parse received bytes; the last ones of a response complete the request."""
        if self._waiter is None or self._unsent:
            self._fail("the service sent bytes that belong to no request")
            return
        try:
            response = self._parser.feed(data)
        except BadResponse as bad:
            self._fail(f"the response cannot be read: {bad}")
        except MemoryError:
            self._fail("the response cannot be read: it does not fit into the memory that is left")
        else:
            if response is None:
                self.since = self._owner.now()
            else:
                self._complete(response)

    def lost(self, error: Exception | None) -> None:
        """Fail the request: the socket is broken or closed."""
        self._fail(f"the connection was lost ({error or 'closed'})")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note that the socket is open, with TLS if it has any."""
        self._transport = cast(asyncio.Transport, transport)
        self._parser = ResponseParser(self._owner.limits)
        self.fd = transport.get_extra_info("socket").fileno()
        self._made = True
        if self.live:
            self._owner.opened(self)
        else:  # given up while it was opened, and the loop opened it nevertheless
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request: the socket is closed."""
        made, self._made = self._made, False  # there is no socket any more that could be closed
        self.lost(exc)
        if made:  # it may end before it was made, when TLS fails
            self._owner.closed(self)
            self._parser.close()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the memory that the next bytes are read into."""
        return self._owner.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take received bytes out of the memory."""
        self.received(bytes(self._owner.buffer[:nbytes]))

    def eof_received(self) -> None:
        """Complete a response that ends with the connection; fail any other."""
        if self._waiter is None:
            self.close()
            return
        try:
            response = self._parser.end()
        except BadResponse as bad:
            self._fail(str(bad))
        else:
            self._complete(response)

    def pause_writing(self) -> None:
        """Note that the socket takes no more bytes now."""
        self._paused = True
        self._unwritten, self.since = self._transport.get_write_buffer_size(), self._owner.now()

    def resume_writing(self) -> None:
        """Note that the socket takes bytes again."""
        self._paused = False
        self.since = self._owner.now()

    # --- ends of a request ----------------------------------------------------------------------

    def _drop_request(self) -> None:
        """Forget the request: an idle connection must not keep it, or its caller, in memory."""
        self._waiter, self._unsent, self._request, self._on_sending = None, False, b"", _nothing

    def _complete(self, response: Response) -> None:
        waiter = self._waiter
        self._drop_request()
        if self._transport.get_write_buffer_size():
            self.abort()  # the service responded before it had read the request: do not wait for the rest
        if waiter is None or waiter.done():
            self.abort()  # the caller was cancelled in this turn of the loop
        else:
            self._held = True
            waiter.set_result(response)

    def _fail(self, why: str | Exception, *, timeout: str = "") -> None:
        waiter, sent = self._waiter, not self._unsent
        self._drop_request()
        self.abort()
        if isinstance(why, str):
            why = SendError(f"{self.origin.text}: {why}", sent=sent, timeout=timeout)
        if waiter is not None and not waiter.done():
            waiter.set_exception(why)

    def _leave_pool(self) -> None:
        if self.live:
            self.live = False
            self._owner.forget(self)
