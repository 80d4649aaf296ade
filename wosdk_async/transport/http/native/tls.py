"""TLS of a connection: in-memory OpenSSL between the connection and its socket transport.

asyncio's own TLS is slower: it copies received data, and it calls OpenSSL until an error reports that no data
remains.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from typing import Any

from wosdk_async.transport.http.certificates import SessionKey, TLSSessions
from wosdk_async.transport.http.native.batching import Layer

_RECORD = 16 * 1024  # maximum bytes of a TLS record
_RECORD_HEAD = 5  # bytes before a record's content; the last two are the content's length (RFC 8446 5.1)
_PIECE = 16 * _RECORD  # bytes that are encrypted before checking whether the socket accepts more
_MAX_ANSWERS = 4 * _RECORD  # maximum bytes of OpenSSL's replies to keep while the service reads nothing


class TLSTransport(Layer):
    """TLS layer: the transport of ``above``, and the protocol of the socket's transport.

    Args:
        above: receiver of the decrypted bytes after :meth:`handshake`.
        key: context, name to verify in the certificate, and port.
        sessions: session cache.
        buffer: receive memory for encrypted bytes.
    """

    def __init__(self, above: Layer, key: SessionKey, sessions: TLSSessions, buffer: memoryview) -> None:
        super().__init__(buffer)
        self._above = above
        self._sessions = sessions
        self._key = key
        context, host, _ = key
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._offered = offered = sessions.get(key)
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host, session=offered)
        self._handshake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Future that is done when the handshake has succeeded or failed."""
        self._is_open = False
        """Whether the handshake has completed and neither side has closed."""
        self._has_begun = False
        """Whether decrypted bytes are passed on."""
        self._is_proven = False
        """Whether the service has sent data, which shows that its session is valid."""
        self._plaintext: deque[memoryview] = deque()
        """Data to be encrypted when the socket accepts bytes again."""
        self._paused = False
        self.mid_record: set[TLSTransport] = set()
        """TLS layers that have received only part of a record: this one, or a proxy's below it. The rest of
        that record cannot be a response to our next request, because the peer began it earlier.
        """
        self._head = b""
        """First bytes of the partial record, until its length is known."""
        self._missing = 0
        """Number of bytes missing from the partial record."""

    async def handshake(self) -> None:
        """Complete the handshake and verify the certificate. Raises OSError or ValueError."""
        self._step_handshake()
        await self._handshake

    def begin(self) -> None:
        """Pass on decrypted bytes from now on, and those already received."""
        self._has_begun = True
        self._decrypt()

    def connection_made(self, transport: Any) -> None:
        """Keep the transport of the socket or of the underlying TLS layer."""
        super().connection_made(transport)
        if isinstance(transport, TLSTransport):
            self.mid_record = transport.mid_record

    # --- transport of the connection ----------------------------------------------------------

    def set_protocol(self, above: Layer) -> None:
        """From now on, pass bytes to ``above``."""
        self._above = above

    def write(self, data: bytes) -> None:
        """Encrypt and send ``data``; data that the socket does not accept waits in plain text."""
        # The usual case: nothing else is waiting, and the data is short.
        if self._is_open and not self._paused and not self._plaintext and len(data) <= _PIECE:
            try:
                self._tls.write(data)
            except ssl.SSLWantReadError:  # the service requested new keys, which must be received first
                self._plaintext.append(memoryview(data))
                self._flush()
            except ssl.SSLError as error:
                self._fail(error)
            else:
                self._transport.write(self._outgoing.read())
            return
        self._plaintext.append(memoryview(data))
        self._encrypt()

    def close(self) -> None:
        """Send close_notify and close; if earlier data still waits for the socket, close at once instead."""
        if self._transport.get_write_buffer_size():  # the service is not reading, and may never resume
            self.abort()
            return
        if self._is_open:
            self._is_open = False
            with contextlib.suppress(ssl.SSLError):  # raised until the service also sends its close_notify
                self._tls.unwrap()
            self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close now."""
        self._is_open = False
        self._plaintext.clear()
        self._transport.abort()

    def pause_reading(self) -> None:
        """Stop reading from the socket."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Resume reading from the socket."""
        self._transport.resume_reading()

    def is_closing(self) -> bool:
        """Return whether the transport is closed or closing."""
        return not self._is_open or self._transport.is_closing()

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes waiting for the socket."""
        size = self._transport.get_write_buffer_size()
        return size + sum(map(len, self._plaintext)) if self._plaintext else size

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return socket information."""
        return self._transport.get_extra_info(name, default)

    def received(self, data: bytes) -> None:
        """Decrypt received bytes and pass them on."""
        self._incoming.write(data)
        size = len(data) - _RECORD_HEAD
        # Skip this in the usual case: exactly one whole record, and no partial one before it.
        if self._missing or self._head or size < 0 or size != (data[3] << 8 | data[4]):
            self._note_records(data)
        if self._has_begun:
            self._decrypt()
        else:
            self._step_handshake()

    def _note_records(self, data: bytes) -> None:
        """Track record boundaries in ``data``: OpenSSL does not report a partial record."""
        position, size = self._missing, len(data)
        if self._head:
            data = self._head + data
            position, size, self._head = 0, len(data), b""
        while position < size:
            if size - position < _RECORD_HEAD:
                self._head, position = data[position:], size
            else:
                position += _RECORD_HEAD + (data[position + 3] << 8 | data[position + 4])
        self._missing = position - size
        if self._missing or self._head:
            self.mid_record.add(self)
        else:
            self.mid_record.discard(self)

    def lost(self, error: Exception | None) -> None:
        """Report that the socket is broken."""
        self._fail_handshake(error, "the connection was lost")
        self._above.lost(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that the socket is closed."""
        if not self._is_proven:  # the service may have rejected the session
            self._sessions.drop(self._key, self._offered)
        self._is_open = False
        self._fail_handshake(exc, "the service closed the connection")
        self._above.connection_lost(exc)

    def eof_received(self) -> None:
        """Report a truncated connection: the service sent no close_notify."""
        if self._is_open:
            self._sessions.pop(self._key, None)
            self.lost(
                ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "the service closed the connection without close_notify")
            )

    def pause_writing(self) -> None:
        """Stop encrypting until the socket accepts bytes again."""
        self._paused = True
        self._above.pause_writing()

    def resume_writing(self) -> None:
        """Encrypt and send the waiting data."""
        self._paused = False
        self._flush()  # OpenSSL's replies that were waiting
        self._encrypt()
        if not self._paused:
            self._above.resume_writing()

    # --- OpenSSL ------------------------------------------------------------------------------

    def _step_handshake(self) -> None:
        if self._handshake.done():  # the handshake has ended, or was abandoned
            return
        try:
            self._tls.do_handshake()
            chosen = self._tls.selected_alpn_protocol()
            if chosen not in (None, "http/1.1"):
                raise ConnectionAbortedError(f"the service chose the protocol {chosen!r:.40}")
            self._is_open = True
            self._handshake.set_result(None)
        except ssl.SSLWantReadError:
            pass
        except (OSError, ValueError) as error:
            self._handshake.set_exception(error)
        self._flush()  # sends the handshake's next message, or an alert

    def _fail_handshake(self, error: Exception | None, text: str) -> None:
        if not self._handshake.done():
            self._handshake.set_exception(error or ConnectionResetError(text))
            self._handshake.exception()  # without this, asyncio logs the error if no task waits

    def _decrypt(self) -> None:
        incoming, tls = self._incoming, self._tls
        data = b""
        failure: ssl.SSLError | None = None
        ended = False
        try:
            # Each read takes a whole record. Stop when no bytes are pending: another read would raise
            # SSLWantReadError, which costs more than the check.
            while self._is_open and incoming.pending and not ended:
                record = tls.read(_RECORD)
                # Collect all data, so that the parser sees surplus bytes together with the response.
                data = data + record if data else record
                ended = not record
        except ssl.SSLWantReadError:  # a partial record, or a record without data
            pass
        except ssl.SSLError as error:
            failure = error
        if data:
            if not self._is_proven:
                self._prove_session()
            self._above.received(data)
        if not self._is_open:
            return
        if failure is not None:
            self._fail(failure)
        elif ended:
            self._above.eof_received()
            self.close()
        else:
            if self._outgoing.pending:  # the service started a key update
                self._answer()
            if self._plaintext:  # data that waited for new keys
                self._encrypt()

    def _answer(self) -> None:
        """Send OpenSSL's replies; fail if too many wait because the service does not read them."""
        if not self._paused:
            self._flush()
        elif self._outgoing.pending > _MAX_ANSWERS:
            self._fail(ConnectionAbortedError("the service does not read the TLS messages it requested"))

    def _prove_session(self) -> None:
        """Keep the handshake's session, now that the service has sent data.

        A resumed session is not replaced, so that it expires at the time that the service set. The next full
        handshake then verifies the certificate again.
        """
        self._is_proven = True
        if not self._tls.session_reused:
            # Not read before, because in TLS 1.3 the session tickets arrive with the first data.
            self._sessions.keep(self._key, self._tls.session)

    def _fail(self, error: OSError) -> None:
        self._sessions.pop(self._key, None)
        self._flush()  # sends OpenSSL's alert, if any
        self.lost(error)

    def _encrypt(self) -> None:
        waiting = self._plaintext
        try:
            while waiting and not self._paused and self._is_open:
                piece = waiting[0][:_PIECE]
                self._tls.write(piece)
                waiting[0] = waiting[0][len(piece) :]
                if not waiting[0]:
                    waiting.popleft()
                self._flush()
        except ssl.SSLWantReadError:  # the service requested new keys, which must be received first
            self._flush()
        except ssl.SSLError as error:
            # Fail in the next loop iteration: the socket's transport may be in the middle of an operation.
            asyncio.get_running_loop().call_soon(self._fail, error)

    def _flush(self) -> None:
        if (data := self._outgoing.read()) and not self._transport.is_closing():
            self._transport.write(data)
