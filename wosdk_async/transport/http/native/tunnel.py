"""Tunnels through proxies: what is said to a proxy before the connection leads to the service.

CONNECT (RFC 9110 9.3.6) for https through http and https proxies; SOCKS 5 (RFC 1928, RFC 1929) for everything
through SOCKS proxies. A tunnel whose proxy sends more than its own response is closed: what follows was sent
before any request left.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable

from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.environment import Proxy, address_of
from wosdk_async.transport.http.native.batching import Layer
from wosdk_async.transport.http.native.request import Origin

__all__ = ["Tunnel"]

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(.*)\r\n")
_MAX_HEAD = 16 * 1024  # bytes of the response to CONNECT
_UNREACHABLE = (502, 503, 504)  # statuses by which a proxy says that it does not reach the host
_REPLIES = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "time to live expired",
    7: "command not supported",
    8: "address type not supported",
}
"""Reasons in a reply of SOCKS 5, RFC 1928 6."""
_SOCKS_UNREACHABLE = (3, 4, 5, 6)
_MAX_NAME = 255  # bytes of a host, RFC 1928 5


class Tunnel(Layer):
    """Connection to ``proxy`` until the proxy has connected it to ``origin``."""

    def __init__(self, origin: Origin, proxy: Proxy, buffer: memoryview) -> None:
        super().__init__(buffer)
        self._origin = origin
        self._proxy = proxy
        self._received = bytearray()
        self._arrived = asyncio.Event()
        self._ended: Exception | None = None
        """Why nothing more comes."""

    async def open(self) -> None:
        """Ask the proxy to connect. Raises SendError if it refuses, OSError if it closes the connection."""
        await (self._socks() if self._proxy.is_socks else self._connect())
        if self._received:
            raise self._refused("it sent bytes that belong to no request")

    # --- bytes ----------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Keep received bytes."""
        self._received += data
        self._arrived.set()

    def lost(self, error: Exception | None) -> None:
        """Note that nothing more comes."""
        why = error if isinstance(error, ssl.SSLError) else ConnectionResetError("it closed the connection")
        self._ended = self._ended or why
        self._arrived.set()

    def eof_received(self) -> None:
        """Note that the proxy closes the connection."""
        self.lost(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the socket is closed."""
        self.lost(exc)

    # --- conversation ---------------------------------------------------------------------------

    async def _read(self, length: Callable[[bytearray], int]) -> bytes:
        """Return the next bytes, as many as ``length`` says once it is above 0."""
        while (size := length(self._received)) <= 0 or len(self._received) < size:
            if self._ended:
                raise self._ended
            self._arrived.clear()
            await self._arrived.wait()
        found = bytes(self._received[:size])
        del self._received[:size]
        return found

    async def _connect(self) -> None:
        host = _encoded_host(self._origin.host)
        target = b"%b:%d" % (b"[%b]" % host if b":" in host else host, self._origin.port)
        proxy = self._proxy
        head = b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n" % (target, target)
        if authorization := proxy.authorization():
            self._transport.write(b"%bProxy-Authorization: %b\r\n\r\n" % (head, authorization.encode()))
        else:
            self._transport.write(head + b"\r\n")
        status, said = 0, ""
        while status < 200:  # interim responses come before the final one
            status, said = self._status(await self._read(self._head_length))
        if status >= 300:
            remedy = proxy.login_remedy if status == 407 else None
            raise self._refused(said, remedy, status in _UNREACHABLE)

    def _status(self, head: bytes) -> tuple[int, str]:
        """Return the status of a response, and status and reason without secrets. Raises SendError."""
        line = _STATUS_LINE.match(head)
        del head  # it may repeat the password
        if line is None:
            raise self._refused("it does not speak HTTP", Remedy.PROXY_ADDRESS)
        said = f"{int(line[1])} {line[2].decode('latin-1').strip()}".rstrip()
        return int(line[1]), self._proxy.secrets.hide(said, _MAX_HEAD)

    def _head_length(self, received: bytearray) -> int:
        if not b"HTTP/".startswith(received[:5]):
            raise self._refused("it does not speak HTTP", Remedy.PROXY_ADDRESS)
        end = received.find(b"\r\n\r\n")
        if end < 0 and len(received) > _MAX_HEAD:
            raise self._refused(f"more than {_MAX_HEAD} bytes of headers")
        return end + 4 if end >= 0 else 0

    async def _socks(self) -> None:
        proxy, has_user = self._proxy, bool(self._proxy.user or self._proxy.password)
        self._transport.write(b"\x05\x01\x02" if has_user else b"\x05\x01\x00")
        version, way = await self._read(lambda _: 2)
        if version != 5:
            raise self._refused("it does not speak SOCKS 5", Remedy.PROXY_ADDRESS)
        if way != (2 if has_user else 0):
            raise self._refused("it rejects the authentication method", proxy.login_remedy)
        if has_user:
            self._transport.write(b"\x01" + b"".join(map(_counted, (proxy.user, proxy.password))))
            if (await self._read(lambda _: 2))[1]:
                raise self._refused("it refuses the user and password", proxy.login_remedy)
        where = _socks_address(self._origin.host) + self._origin.port.to_bytes(2)
        self._transport.write(b"\x05\x01\x00" + where)
        version, code = await self._read(lambda _: 2)
        if version != 5:
            raise self._refused("it does not speak SOCKS 5", Remedy.PROXY_ADDRESS)
        if code:
            raise self._refused(_REPLIES.get(code, f"reply {code}"), gone=code in _SOCKS_UNREACHABLE)
        await self._read(_address_length)

    def _refused(self, why: str, remedy: Remedy | None = None, gone: bool = False) -> SendError:
        self._received.clear()  # it may repeat the password
        return SendError(
            f"{self._origin.text}: the proxy {self._proxy.shown} does not connect: {why}",
            sent=False,
            remedy=remedy,
            host_gone=gone,
        )


def _counted(text: Secret) -> bytes:
    """Return the bytes of a user or password after their number (RFC 1929)."""
    return b"%c%b" % (len(text.encode()), text.encode())


def _encoded_host(host: str) -> bytes:
    return host.encode("ascii" if host.isascii() else "idna")


def _socks_address(host: str) -> bytes:
    """Return the address as SOCKS writes it: a name is looked up by the proxy."""
    if (address := address_of(host)) is None:
        name = _encoded_host(host)
        if len(name) > _MAX_NAME:
            raise ValueError("the name of the host is too long for SOCKS")
        return b"\x03%c%b" % (len(name), name)
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def _address_length(received: bytearray) -> int:
    """Return the length of the end of a reply, by the kind of address in it; 0 while that is unknown."""
    if len(received) < 3:
        return 0
    return 4 + {1: 4, 4: 16}.get(received[1], 1 + received[2])
