"""HTTP/1.1 connection: one request and one response at a time, until a failure."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Container, Sized
from typing import Any, Protocol

from wosdk_async.options import Limits, Timeouts
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import FRESH, NO_MEMORY, SendError
from wosdk_async.transport.http.native.batching import Layer, WriteBatcher
from wosdk_async.transport.http.native.parser import BadResponse, ResponseParser
from wosdk_async.transport.http.native.request import Origin, PreparedRequest, write_request
from wosdk_async.transport.http.native.tls import TLSTransport

# A new connection waits this many seconds for unexpected bytes before it sends a request that must not be
# sent twice. A connection that must wait longer checks again at this interval.
_QUIET = 0.002


class ConnectionOwner(Protocol):
    """A pool as seen by its connections."""

    loop: asyncio.AbstractEventLoop
    limits: Limits
    timeouts: Timeouts
    writer: WriteBatcher
    buffer: memoryview
    open: set[Any]

    @property
    def waiting(self) -> Sized:
        """Requests waiting for a connection."""

    def now(self) -> float:
        """Return the time of the engine's clock."""

    def release(self, connection: Any) -> None:
        """Give ``connection`` to the next request, or keep it idle."""

    def forget(self, connection: Any) -> None:
        """Stop counting ``connection``, and let another be opened."""

    def closed(self, connection: Any) -> None:
        """Record that the socket of ``connection`` is closed."""


class Connection(Layer):
    """Pool connection, used by one request until its response is complete or the connection fails."""

    read_in_batches = True
    """Whether the pool may read this socket in batches; such reading cannot be paused."""
    parser_type = ResponseParser

    def __init__(self, pool: ConnectionOwner, origin: Origin) -> None:
        super().__init__(pool.buffer)
        self._pool = pool
        self.origin = origin
        self.live = True
        """Whether the connection holds a place in the pool, from before opening until it closes or fails."""
        self.tunnelled = False
        """Whether a proxy has connected this connection to the service."""
        self.reused = False
        """Whether an earlier request has used the connection."""
        self.since = pool.now()
        """Time of the last progress, or when the connection became idle."""
        self.ends_at = self.since + pool.limits.lifetime
        """Time after which the connection takes no more requests."""
        self.fd = -1
        """File descriptor, once the socket is open."""
        self._mid_record: Collection[TLSTransport] | None = None
        """TLS layers that hold part of a record; None without TLS."""
        self._send_by = 0.0
        """Deadline for sending a delayed request; 0 if no request is delayed."""
        self._is_untried = True
        """Whether the connection has never had a request to send."""
        self._has_socket = False
        self._waiter: asyncio.Future[Response] | None = None
        self._prepared: PreparedRequest | None = None
        """Request that has not been sent yet."""
        self._held = False
        """Whether a complete response is waiting to be accepted or rejected."""
        self._paused = False
        self._unwritten = 0
        self._early = False
        """Whether a response began before its request was written completely."""

    # --- for the request that uses it -----------------------------------------------------------

    def start(self, prepared: PreparedRequest, waiter: asyncio.Future[Response]) -> None:
        """Accept a request to be written by :meth:`send`; ``waiter`` gets the response or a SendError."""
        self._prepared, self._waiter = prepared, waiter
        self._parser.reset()

    def finish(self, accepted: bool) -> None:
        """Give the connection back to the pool if the response was ``accepted``; otherwise close it.

        If bytes arrived after the response, or while it was read, the connection is already closed.
        """
        self._held = False
        if not self.live:
            return
        if not accepted:
            self.abort()
        elif self._parser.reusable:
            self.reused = True
            self._pool.release(self)
        else:
            self.close()

    def cancel(self, waiter: asyncio.Future[Response]) -> None:
        """Close the connection if ``waiter`` still waits for a response.

        Keep the connection instead if its request is unsent and either the connection is fresh or no other
        request is waiting.
        """
        if self._pool.loop.is_closed():  # the caller is only collected now, and its socket is gone
            return
        if self._waiter is waiter:
            unsent, since = self._prepared is not None and not self._send_by, self.since
            self._drop_request()
            # release() gives the connection to a waiting call, if any, without checking how long it was idle.
            if unsent and self.live and (self._pool.now() - since <= FRESH or not self._pool.waiting):
                self._pool.release(self)
                self.since = since  # the connection has not been used, so it has been idle since then
            else:
                self.abort()
        elif self._held:  # the response arrived in the same loop iteration, and will not be read
            self.finish(accepted=False)

    @property
    def stale(self) -> bool:
        """Whether a failure looks like an idle timeout: no byte arrived, but the connection worked before."""
        return self.reused and self._parser.untouched

    # --- for the pool ---------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a response is pending or being read."""
        return self._waiter is not None or self._held

    def send(self, unread: Container[int], now: float) -> None:
        """Write the request, unless unexpected bytes have arrived or the request was cancelled."""
        waiter, prepared = self._waiter, self._prepared
        if prepared is None or waiter is None or waiter.done():
            return
        if self._transport.is_closing():
            self._fail("the service closed the connection while it was idle")
            return
        usual = self.reused and self.fd not in unread and not self._mid_record
        if not usual and self._must_wait(unread, now, prepared[0].repeat_safe):
            return
        try:
            prepared[0].on_sending()
        except Exception as error:
            self._fail(error)
            return
        self._prepared, self.since = None, now
        write_request(prepared, self._transport.write)

    def _must_wait(self, unread: Container[int], now: float, repeat_safe: bool) -> bool:
        """Return False if the request can be sent now; otherwise delay or fail it, and return True.

        A request is not sent if unrequested bytes have arrived. Over TLS, they may be a session ticket or new
        keys, which are read first. Any others fail the request. Before a request that must not be sent twice,
        a new connection waits briefly to detect a server that speaks first.
        """
        came, partial = self.fd in unread, bool(self._mid_record)
        early, self._is_untried = self._is_untried and not repeat_safe, False
        if not (came or partial or early):
            return False
        if (came and self._mid_record is None) or (partial and self.reused):
            self._fail("the service closed the idle connection, or sent bytes outside of any response")
            return True
        limit = self._pool.timeouts.connect
        self._send_by = self._send_by or (math.inf if limit is None else now + limit)
        if now > self._send_by:
            what = "an incomplete TLS record and nothing else" if partial else "TLS records without a pause"
            self._fail(f"the service sent {what} for {limit:g} s", timeout="connect")
        else:
            self._pool.loop.call_later(_QUIET, self._look_again)
        return True

    def _look_again(self) -> None:
        # Without a request, the connection may be closed, and its file descriptor may be another socket's.
        if self._prepared is not None:
            self._pool.writer.submit(self, False)

    def close(self) -> None:
        """Close cleanly; no request may be in progress."""
        self._leave_pool()
        self._transport.close()

    def abort(self) -> None:
        """Close immediately, or stop opening."""
        self._leave_pool()
        if self._has_socket:
            self._transport.abort()

    def check(self, now: float) -> None:
        """Fail a request that made no progress for too long; close the connection if it was idle too long."""
        if self._waiter is None:
            if not self._held and now - self.since > self._pool.limits.keepalive:
                self.close()
            return
        if self._prepared is not None:
            return
        step, limit, what = "read", self._pool.timeouts.read, "sent nothing"
        if self._paused:
            step, limit, what = "write", self._pool.timeouts.write, "read no more of the request"
            unwritten = self._transport.get_write_buffer_size()
            if unwritten < self._unwritten:
                self.since = now
            self._unwritten = unwritten
        if limit is not None and now - self.since > limit:
            self._fail(f"the service {what} for {limit:g} s", timeout=step)

    # --- called by the reader and the loop ------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Parse received bytes; the end of a response completes the request."""
        if self._waiter is None or self._prepared is not None:
            self._fail("the service sent bytes outside of any response")
            return
        try:
            response = self._parser.feed(data)
        except (BadResponse, MemoryError) as bad:
            self._fail(f"the response cannot be read: {str(bad) or NO_MEMORY}")
        else:
            if response is None:
                self.since = self._pool.now()
                if self._transport.get_write_buffer_size():
                    self._early = self._parser.begun
            else:
                self._complete(response)

    def lost(self, error: Exception | None) -> None:
        """Fail the request because the socket is broken or closed."""
        self._fail(f"the connection was lost ({error or 'closed'})")

    def connection_made(self, transport: Any) -> None:
        """Record that the socket is open, including TLS if any."""
        super().connection_made(transport)
        self._mid_record = transport.mid_record if isinstance(transport, TLSTransport) else None
        self._parser = self.parser_type(self._pool.limits)
        self.fd = transport.get_extra_info("socket").fileno()
        self._has_socket = True
        if self.live:
            self._pool.open.add(self)
        else:  # the connection was abandoned while it was opening, but the loop opened it
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the request because the socket is closed."""
        had_socket, self._has_socket = self._has_socket, False  # the socket no longer exists from here on
        self.lost(exc)
        if had_socket:  # false if a TLS handshake failed before connection_made()
            self._pool.closed(self)
            self._parser.close()

    def eof_received(self) -> None:
        """Complete a response that ends with the connection; fail any other."""
        if self._waiter is None:
            self.close()
        else:
            self._end_response()

    def _end_response(self) -> None:
        try:
            response = self._parser.end()
        except BadResponse as bad:
            self._fail(str(bad))
        else:
            self._complete(response)

    def pause_writing(self) -> None:
        """Record that the socket accepts no more bytes for now."""
        self._paused = True
        self._unwritten, self.since = self._transport.get_write_buffer_size(), self._pool.now()

    def resume_writing(self) -> None:
        """Record that the socket accepts bytes again."""
        self._paused = False
        self.since = self._pool.now()

    # --- ends of a request ----------------------------------------------------------------------

    def _drop_request(self) -> None:
        """Drop the request: an idle connection must not keep the request or its caller in memory."""
        self._waiter, self._prepared, self._send_by = None, None, 0.0

    def _complete(self, response: Response) -> None:
        if (self._transport.get_write_buffer_size() or self._early) and not self._stop_writing(response):
            return
        waiter, self._waiter, self._send_by = self._waiter, None, 0.0
        if waiter is None or waiter.done():
            self.abort()  # the caller was cancelled in this loop iteration
        else:
            self._held = True
            waiter.set_result(response)

    def _stop_writing(self, response: Response) -> bool:
        """Stop sending after an early response; accept it, and return True, only if it is an error.

        No service carries out a request that it has not read completely. An early success therefore answers
        another request, or comes from a proxy that may still forward this request.
        """
        if response.status >= 400 and self._transport.get_write_buffer_size():
            self.abort()
            return True
        self._fail(f"HTTP {response.status} arrived before the request was sent completely")
        return False

    def _fail(self, why: str | Exception, *, timeout: str = "") -> None:
        waiter, sent = self._waiter, self._prepared is None
        self._drop_request()
        self.abort()
        if isinstance(why, str):
            why = SendError(f"{self.origin.text}: {why}", sent=sent, timeout=timeout)
        if waiter is not None and not waiter.done():
            waiter.set_exception(why)

    def _leave_pool(self) -> None:
        if self.live:
            self.live = False
            self._pool.forget(self)
