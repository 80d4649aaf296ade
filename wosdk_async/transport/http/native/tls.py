"""TLS of a connection: OpenSSL in memory, between the connection and the transport of its socket.

asyncio's own TLS copies what it receives, and asks OpenSSL for more until an error says that there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from typing import Any

from wosdk_async.transport.http.certificates import Place, TLSSessions
from wosdk_async.transport.http.native.batching import Layer

__all__ = ["TLSTransport"]

_RECORD = 16 * 1024  # bytes that a record of TLS has at most
_RECORD_HEAD = 5  # bytes; the last two are the length of the rest (RFC 8446 5.1)
_PIECE = 16 * _RECORD  # bytes that are encrypted before the socket is asked whether it takes more
_MAX_ANSWERS = 4 * _RECORD  # bytes for a service that sends messages of TLS and reads nothing


class TLSTransport(Layer):
    """Transport of ``above``, and protocol of the transport of its socket.

    Args:
        above: what gets the decrypted bytes, once :meth:`handshake` has ended.
        place: the context, the name that the certificate must have, and the port.
        sessions: those that hosts gave.
        buffer: memory that encrypted bytes are received in.
    """

    def __init__(self, above: Layer, place: Place, sessions: TLSSessions, buffer: memoryview) -> None:
        super().__init__(buffer)
        self._above = above
        self._sessions = sessions
        self._place = place
        context, host, _ = place
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._offered = offered = sessions.get(place)
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host, session=offered)
        self._handshake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the handshake has ended, well or not."""
        self._is_open = False
        """Whether the handshake has ended, and neither side has closed."""
        self._has_begun = False
        """Whether decrypted bytes are passed on."""
        self._is_proven = False
        """Whether the service has sent data: then its session is good."""
        self._plaintext: deque[memoryview] = deque()
        """What is to be encrypted when the socket takes bytes again."""
        self._paused = False
        self.mid_record: set[TLSTransport] = set()
        """Of this transport and the proxy's below it, those with a partly received record. The peer began
        that record before anything that leaves now."""
        self._head = b""
        """First bytes of that record, until they tell its length."""
        self._missing = 0
        """Bytes of that record that have not come yet."""

    async def handshake(self) -> None:
        """Do the handshake with the service, and verify its certificate. Raises OSError, ssl.SSLError too."""
        self._step_handshake()
        await self._handshake

    def begin(self) -> None:
        """Pass on what the service sends from now on, and what it has sent already."""
        self._has_begun = True
        self._decrypt()

    def connection_made(self, transport: Any) -> None:
        """Keep the transport: of the socket, or the TLS of the proxy below."""
        super().connection_made(transport)
        if isinstance(transport, TLSTransport):
            self.mid_record = transport.mid_record

    # --- transport of the connection ----------------------------------------------------------

    def set_protocol(self, above: Layer) -> None:
        """Give what comes from now on to ``above``."""
        self._above = above

    def write(self, data: bytes) -> None:
        """Encrypt and send ``data``; what the socket does not take now waits in clear text."""
        if self._is_open and not self._paused and not self._plaintext and len(data) <= _PIECE:  # as a rule
            try:
                self._tls.write(data)
            except ssl.SSLWantReadError:  # the service wants new keys first
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
        """Send close_notify, and close when all is sent."""
        if self._transport.get_write_buffer_size():  # the service does not read, perhaps never again
            self.abort()
            return
        if self._is_open:
            self._is_open = False
            with contextlib.suppress(ssl.SSLError):  # SSLWantReadError: the service has sent none yet
                self._tls.unwrap()
            self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close now."""
        self._is_open = False
        self._plaintext.clear()
        self._transport.abort()

    def pause_reading(self) -> None:
        """Leave what the service sends in the socket."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read the socket again."""
        self._transport.resume_reading()

    def is_closing(self) -> bool:
        """Return whether it is closed or about to be."""
        return not self._is_open or self._transport.is_closing()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait for the socket."""
        size = self._transport.get_write_buffer_size()
        return size + sum(map(len, self._plaintext)) if self._plaintext else size

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the socket."""
        return self._transport.get_extra_info(name, default)

    def received(self, data: bytes) -> None:
        """Decrypt received bytes, and pass them on."""
        self._incoming.write(data)
        size = len(data) - _RECORD_HEAD
        # As a rule one whole record comes, and none has begun before it.
        if self._missing or self._head or size < 0 or size != (data[3] << 8 | data[4]):
            self._note_records(data)
        if self._has_begun:
            self._decrypt()
        else:
            self._step_handshake()

    def _note_records(self, data: bytes) -> None:
        """Note where the last record in ``data`` ends: OpenSSL does not tell whether it has a part of one."""
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
        """Pass on that the socket is broken."""
        if not self._handshake.done():
            self._handshake.set_exception(error or ConnectionResetError("the connection was lost"))
            self._handshake.exception()  # perhaps no task waits any more
        self._above.lost(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on that the socket is closed."""
        if not self._is_proven:  # perhaps because the service does not like the session
            self._sessions.drop(self._place, self._offered)
        self._is_open = False
        if not self._handshake.done():
            self._handshake.set_exception(exc or ConnectionResetError("the service closed the connection"))
            self._handshake.exception()  # perhaps no task waits any more
        self._above.connection_lost(exc)

    def eof_received(self) -> None:
        """Report a truncated connection: the service sent no close_notify."""
        if self._is_open:
            self._sessions.pop(self._place, None)
            self.lost(
                ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "the service closed the connection without ending TLS")
            )

    def pause_writing(self) -> None:
        """Encrypt nothing until the socket takes bytes again."""
        self._paused = True
        self._above.pause_writing()

    def resume_writing(self) -> None:
        """Encrypt what waits."""
        self._paused = False
        self._flush()  # answers of OpenSSL that waited
        self._encrypt()
        if not self._paused:
            self._above.resume_writing()

    # --- OpenSSL ------------------------------------------------------------------------------

    def _step_handshake(self) -> None:
        if self._handshake.done():  # failed, or abandoned
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
        self._flush()  # perhaps an alert

    def _decrypt(self) -> None:
        incoming, tls = self._incoming, self._tls
        data = b""
        failure: ssl.SSLError | None = None
        ended = False
        try:
            # Not until it raises SSLWantReadError: an exception costs more. Each read takes a whole record.
            while self._is_open and incoming.pending and not ended:
                record = tls.read(_RECORD)
                # Together, as they came: what follows a response must be seen with it.
                data = data + record if data else record
                ended = not record
        except ssl.SSLWantReadError:  # a part of a record, or a record without data
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
            if self._outgoing.pending:  # the service began to change the keys
                self._answer()
            if self._plaintext:  # it waited for new keys
                self._encrypt()

    def _answer(self) -> None:
        """Send OpenSSL's own responses; a service that does not read them gets no more."""
        if not self._paused:
            self._flush()
        elif self._outgoing.pending > _MAX_ANSWERS:
            self._fail(ConnectionAbortedError("the service does not read what it asked for"))

    def _prove_session(self) -> None:
        """Keep the session from the handshake, now that the service has sent data.

        A resumed session is not replaced, so that it expires when the service says, and the certificate is
        verified again.
        """
        self._is_proven = True
        if not self._tls.session_reused:
            self._sessions.keep(self._place, self._tls.session)  # tickets of TLS 1.3 come before the data

    def _fail(self, error: OSError) -> None:
        self._sessions.pop(self._place, None)
        self._flush()  # the alert
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
        except ssl.SSLWantReadError:  # the service wants new keys first
            self._flush()
        except ssl.SSLError as error:
            # Not now: the transport of the socket may be in the middle of something.
            asyncio.get_running_loop().call_soon(self._fail, error)

    def _flush(self) -> None:
        if (data := self._outgoing.read()) and not self._transport.is_closing():
            self._transport.write(data)
