"""Connection with TLS: the service's OpenSSL runs at the client's end of the wire.

Data from the client is decrypted when it is written, and travels in clear text. Data from the service is
encrypted before it travels. So the rest of the simulation and its checks work as without TLS.
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
    context = ssl.create_default_context(cafile=_certificate(names))
    context.set_alpn_protocols(["http/1.1"])
    return context


@functools.cache
def server_context(names: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(names))
    context.set_alpn_protocols(["http/1.1"])
    return context


def _certificate(names: tuple[str, ...]) -> str:
    # RSA signatures all have one length: a seed replays exactly only if the same bytes travel.
    return str(certificate(tuple(f"DNS:{name}" for name in names), key="rsa:2048"))


class TLSWire(Wire):
    """Transport of the client over one in-memory connection to a service with TLS.

    Args:
        context: TLS context of the service.
        polite: whether the service sends close_notify before it closes a connection in good order.
        fault: what replaces the handshake: the connection "ends", or the service is "silent".
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
        """Do nothing, because the client begins the handshake."""

    def _encode(self, data: bytes) -> bytes:
        with contextlib.suppress(ssl.SSLError):  # after close_notify, or before the handshake
            self._tls.write(data)
        return self._outgoing.read()

    def finish(self, how: str) -> None:
        """End the connection, with close_notify if the service is polite."""
        if how == "fin" and self._polite and self._is_secured:
            with contextlib.suppress(ssl.SSLError):  # the client has not sent close_notify
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
