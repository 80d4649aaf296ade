"""A connection with TLS: the service's OpenSSL stands at the client's end of the wire.

What the client encrypts is decrypted when it is written, and travels in clear text; what the service sends is
encrypted before it travels. So the rest of the simulation, and its checks, see what they see without TLS.
"""

from __future__ import annotations

import contextlib
import functools
import ssl
from typing import TYPE_CHECKING, Any

from tests.simulation.client.wire import Wire
from tests.support.certificate import certificate

if TYPE_CHECKING:
    from tests.simulation.client.network import Network, Socket

_READ = 64 * 1024


@functools.cache
def client_context(names: tuple[str, ...]) -> ssl.SSLContext:
    """Return a context that trusts the certificate of these hosts."""
    context = ssl.create_default_context(cafile=_certificate(names))
    context.set_alpn_protocols(["http/1.1"])
    return context


@functools.cache
def server_context(names: tuple[str, ...]) -> ssl.SSLContext:
    """Return the context of these hosts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(names))
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certificate(names: tuple[str, ...]) -> str:
    # RSA, whose signatures have one length: a seed replays exactly only if the same bytes travel.
    return str(certificate(tuple(f"DNS:{name}" for name in names), key="rsa:2048"))


class TLSWire(Wire):
    """Transport of the client over one connection in memory to a service that speaks TLS.

    Args:
        context: that of the service.
        polite: whether the service says goodbye (close_notify) before it closes a connection in good order.
        fault: what happens instead of a handshake: the connection "ends", or the service is "silent".
        others: see :class:`~tests.simulation.client.wire.Wire`.
    """

    def __init__(
        self,
        network: Network,
        sock: Socket,
        host: str,
        protocol: Any,
        number: int,
        context: ssl.SSLContext,
        *,
        polite: bool,
        fault: str,
    ) -> None:
        super().__init__(network, sock, host, protocol, number)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._polite = polite
        self._fault = fault
        self._is_secured = False

    def write(self, data: Any) -> None:
        """Decrypt what the client sends, and send it on."""
        if self._fault:
            self.network.note("no handshake", self.number)
            if self._fault == "ends":
                super().finish("fin" if self._polite else "rst")
            return
        self._incoming.write(data)
        if not self._is_secured:
            self._shake_hands()
        clear = b"".join(self._decrypted())
        if clear:
            super().write(clear)

    def _secure(self) -> None:
        """Wait for the client, which begins."""

    def _encode(self, data: bytes) -> bytes:
        with contextlib.suppress(ssl.SSLError):  # it has said goodbye, or has not agreed on TLS
            self._tls.write(data)
        return self._outgoing.read()

    def finish(self, how: str) -> None:
        """End the connection, perhaps with a goodbye."""
        if how == "fin" and self._polite and self._is_secured:
            with contextlib.suppress(ssl.SSLError):  # SSLWantReadError: the client has not said goodbye yet
                self._tls.unwrap()
            self._send(self._outgoing.read(), [])
        super().finish(how)

    def _shake_hands(self) -> None:
        with contextlib.suppress(ssl.SSLWantReadError):
            self._tls.do_handshake()
            self._is_secured = True
        self._send(self._outgoing.read(), [])
        if self._is_secured:
            self.server.opened()

    def _decrypted(self) -> list[bytes]:
        pieces: list[bytes] = []
        with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            while self._is_secured and (piece := self._tls.read(_READ)):
                pieces.append(piece)
        return pieces
