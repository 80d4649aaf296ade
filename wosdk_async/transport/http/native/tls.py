"""TLS of a connection: OpenSSL in memory, between the connection and the transport of its socket.

asyncio's own TLS copies what it receives, and asks OpenSSL for more until an error says that there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import deque
from typing import Any, Protocol, cast

from wosdk_async.transport.http.native.tls_sessions import SessionCache

__all__ = ["AboveTLS", "TLSTransport"]

_RECORD = 16 * 1024  # bytes that a record of TLS has at most
_PIECE = 16 * _RECORD  # bytes that are encrypted before the socket is asked whether it takes more
_MAX_ANSWERS = 4 * _RECORD  # bytes for a service that sends messages of TLS and reads nothing


class AboveTLS(Protocol):
    """Connection above TLS."""

    def received(self, data: bytes) -> None:
        """Take decrypted bytes."""

    def lost(self, error: Exception | None) -> None:
        """Note that the connection is broken."""

    def eof_received(self) -> None:
        """Note that the service ended the connection in good order."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the socket is closed."""

    def pause_writing(self) -> None:
        """Note that the socket takes no more bytes now."""

    def resume_writing(self) -> None:
        """Note that the socket takes bytes again."""


class TLSTransport(asyncio.BufferedProtocol):
    """Transport of ``above``, and protocol of the transport of its socket.

    Args:
        above: what gets the decrypted bytes, once :meth:`handshake` has ended.
        context: the certificates that are trusted.
        host: the name that the certificate must have.
        port: the port, which tells sessions apart.
        sessions: the sessions that hosts gave.
        buffer: memory that encrypted bytes are received in.
    """

    def __init__(
        self,
        above: AboveTLS,
        context: ssl.SSLContext,
        host: str,
        port: int,
        sessions: SessionCache,
        buffer: memoryview,
    ) -> None:
        self._above = above
        self._buffer = buffer
        self._sessions = sessions
        self._place = context, host, port
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._offered = offered = sessions.get(context, host, port)
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host, session=offered)
        self._shaken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
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
        self._raw: asyncio.Transport

    async def handshake(self) -> None:
        """Agree on keys with the service, and verify its certificate. Raises OSError, ssl.SSLError too."""
        self._shake_hands()
        await self._shaken

    def begin(self) -> None:
        """Pass on what the service sends from now on, and what it has sent already."""
        self._has_begun = True
        self._decrypt()

    # --- transport of the connection ----------------------------------------------------------

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
                self._raw.write(self._outgoing.read())
            return
        self._plaintext.append(memoryview(data))
        self._encrypt()

    def close(self) -> None:
        """Say goodbye, and close when all is sent."""
        if self._raw.get_write_buffer_size():  # the service does not read, perhaps never again
            self.abort()
            return
        if self._is_open:
            self._is_open = False
            with contextlib.suppress(ssl.SSLError):  # SSLWantReadError: the service has not said goodbye yet
                self._tls.unwrap()
            self._flush()
        self._raw.close()

    def abort(self) -> None:
        """Close now."""
        self._is_open = False
        self._plaintext.clear()
        self._raw.abort()

    def is_closing(self) -> bool:
        """Return whether it is closed or about to be."""
        return not self._is_open or self._raw.is_closing()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait for the socket."""
        return self._raw.get_write_buffer_size() + sum(map(len, self._plaintext))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the socket."""
        return self._raw.get_extra_info(name, default)

    # --- reader of the socket -----------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Decrypt received bytes, and pass them on."""
        self._incoming.write(data)
        if self._has_begun:
            self._decrypt()
        else:
            self._shake_hands()

    def lost(self, error: Exception | None) -> None:
        """Pass on that the socket is broken."""
        self._above.lost(error)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport of the socket."""
        self._raw = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on that the socket is closed."""
        if not self._is_proven:  # perhaps because the service does not like the session
            self._sessions.drop(*self._place, self._offered)
        self._is_open = False
        if not self._shaken.done():
            self._shaken.set_exception(exc or ConnectionResetError("the service closed the connection"))
            self._shaken.exception()  # perhaps nobody waits any more
        self._above.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the memory that the next bytes are read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take received bytes out of the memory."""
        self.received(bytes(self._buffer[:nbytes]))

    def eof_received(self) -> None:
        """Tell the connection: it was cut, because the service has not said goodbye."""
        if self._is_open:
            self._sessions.forget(*self._place)
            self.lost(ssl.SSLEOFError("the service closed the connection without ending TLS"))

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

    def _shake_hands(self) -> None:
        if self._shaken.done():  # failed, or given up
            return
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
        except (ssl.SSLError, ValueError) as error:
            self._flush()  # the alert
            self._shaken.set_exception(error)
        else:
            self._flush()
            chosen = self._tls.selected_alpn_protocol()
            if chosen not in (None, "http/1.1"):
                wrong = ConnectionAbortedError(f"the service chose the protocol {chosen!r:.40}")
                self._shaken.set_exception(wrong)
                return
            self._is_open = True
            self._shaken.set_result(None)

    def _decrypt(self) -> None:
        incoming, tls = self._incoming, self._tls
        records: list[bytes] = []
        failure: ssl.SSLError | None = None
        ended = False
        try:
            # Not until it raises SSLWantReadError: an exception costs more. Each read takes a whole record.
            while self._is_open and incoming.pending and not ended:
                records.append(tls.read(_RECORD))
                ended = not records[-1]
        except ssl.SSLWantReadError:  # a part of a record, or a record without data
            pass
        except ssl.SSLError as error:
            failure = error
        # Together, as they came: what follows a response must be seen with it.
        if data := records[0] if len(records) == 1 else b"".join(records):
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
            if self._outgoing.pending:  # the service began to agree on new keys
                self._answer()
            if self._plaintext:  # it waited for new keys
                self._encrypt()

    def _answer(self) -> None:
        """Send what OpenSSL answers of its own; a service that does not read the answers gets no more."""
        if not self._paused:
            self._flush()
        elif self._outgoing.pending > _MAX_ANSWERS:
            self._fail(ConnectionAbortedError("the service does not read what it asked for"))

    def _prove_session(self) -> None:
        """Keep the session of the handshake, as the service has sent data after it.

        A session that was resumed is not replaced: then it ends when the service says, and the certificate
        is verified again.
        """
        self._is_proven = True
        if not self._tls.session_reused:
            self._sessions.keep(*self._place, self._tls.session)  # tickets of TLS 1.3 come before the data

    def _fail(self, error: OSError) -> None:
        self._sessions.forget(*self._place)
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
        if (data := self._outgoing.read()) and not self._raw.is_closing():
            self._raw.write(data)
