"""Opening a connection: name look-up, address race, proxy tunnel and TLS handshake."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from wosdk_async.errors import WosdkError
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import Secret
from wosdk_async.transport.http.certificates import tls_remedy
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.environment import Proxy, address_of
from wosdk_async.transport.http.native.batching import Layer
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.pool import Pool
from wosdk_async.transport.http.native.request import Origin
from wosdk_async.transport.http.native.resolver import Address
from wosdk_async.transport.http.native.tls import TLSTransport

_LOCAL_ERRORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL)
_STAGGER = 0.25  # seconds after which the next address is also tried (RFC 8305 5)


async def connect(pool: Pool, connection: Connection) -> None:
    """Open ``connection`` in the place that ``pool`` has reserved.

    Name look-up, TCP, tunnel and TLS share the ``connect`` timeout. On failure, free the place and raise
    SendError, or ConfigurationError for unusable certificates. If the service closes the connection, or sends
    bytes before a request, ``connection.live`` becomes false.
    """
    try:
        async with asyncio.timeout(pool.timeouts.connect) as limit:
            await _open(pool, connection)
    except BaseException as cause:
        connection.abort()
        # An invalid host name causes a ValueError. A ConfigurationError is also a ValueError, but is raised
        # unchanged.
        if isinstance(cause, WosdkError) or not isinstance(cause, OSError | ValueError | SendError):
            pool.closed(connection)  # after a cancellation, uvloop may not call connection_lost()
            raise
        failure = _failure(pool, connection, cause, limit.expired())
    else:
        pool.start_timer()
        return
    raise failure


def _failure(pool: Pool, connection: Connection, cause: BaseException, late: bool) -> SendError:
    if isinstance(cause, SendError):  # raised by a tunnel
        return cause
    proxy = None if connection.tunnelled else connection.origin.proxy
    where = connection.origin.text if proxy is None else f"the proxy {proxy.shown}"
    why = f"no connection within {pool.timeouts.connect} s" if late else str(cause) or type(cause).__name__
    # The resolver raises an OSError without a number if a look-up fails on this machine.
    number = getattr(cause, "errno", None)
    is_local = number in _LOCAL_ERRORS or (number is None and type(cause) is OSError)
    is_gone = late or (isinstance(cause, OSError) and not (is_local or isinstance(cause, ssl.SSLError)))
    return SendError(
        f"{where}: {why}",
        sent=False,
        timeout="connect" if late else "",
        remedy=tls_remedy(cause, pool.tls.authority_remedy()),
        facts={"file": os.environ.get("SSL_CERT_FILE", "")},
        host_gone=is_gone and proxy is None,
        proxy_gone=is_gone and proxy is not None,
    )


async def _open(pool: Pool, connection: Connection) -> None:
    """Open the socket and the layers up to ``connection``: TLS to the proxy, tunnel, TLS to the service."""
    origin, proxy = connection.origin, connection.origin.proxy
    context = await pool.tls.context() if origin.tls or (proxy and proxy.tls) else None
    tls = tunnel = outer = None
    top: Connection | TLSTransport = connection
    if origin.tls and context:
        top = tls = _tls(pool, connection, context, origin)
    if proxy is not None and (origin.tls or proxy.is_socks):
        tunnel = _Tunnel(origin, proxy, pool.buffer)
    if proxy is not None and proxy.tls and context:
        outer = _tls(pool, tunnel or connection, context, proxy)
    raw = await _socket(pool, proxy or origin, outer or tunnel or top)
    link = outer or raw
    try:
        if outer:
            await outer.handshake()
            (tunnel or connection).connection_made(outer)
            outer.begin()
        if tunnel:
            await tunnel.open()
            connection.tunnelled = True
            link.set_protocol(top)
            top.connection_made(link)
        if tls:
            await tls.handshake()
            connection.connection_made(tls)
    except BaseException:
        raw.abort()
        raise
    if connection.read_in_batches:
        pool.reader.add(connection, raw, outer or top)
    if tls:
        tls.begin()


def _tls(pool: Pool, above: Layer, context: ssl.SSLContext, peer: Origin | Proxy) -> TLSTransport:
    return TLSTransport(above, (context, peer.host, peer.port), pool.tls.sessions, pool.buffer)


async def _socket(pool: Pool, peer: Origin | Proxy, protocol: asyncio.BaseProtocol) -> asyncio.Transport:
    """Return the transport of a new connection to ``peer``, read by ``protocol``.

    The first address to respond wins (RFC 8305). Raises the OSError of the first address that failed.
    """
    try:
        found = await pool.resolver.addresses(peer.host, peer.port)
        if len(found) == 1:
            connected = await _connect_socket(pool.loop, found[0])
        else:
            connected = await _race(pool.loop, _interleaved(found))
    except BaseException:
        pool.resolver.forget(peer.host, peer.port)
        raise
    raw, _ = await pool.loop.create_connection(lambda: protocol, sock=connected)
    return raw


# --- addresses ----------------------------------------------------------------------------------


def _interleaved(addresses: Sequence[Address]) -> deque[Address]:
    """Return addresses alternating by family, in the resolver's order."""
    families: dict[int, list[Address]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return deque(each for each in chain.from_iterable(zip_longest(*families.values())) if each)


async def _race(loop: asyncio.AbstractEventLoop, addresses: deque[Address]) -> socket.socket:
    running: set[asyncio.Task[socket.socket]] = set()
    failures: list[BaseException] = []
    try:
        while addresses or running:
            if addresses:
                running.add(loop.create_task(_connect_socket(loop, addresses.popleft())))
            timeout = _STAGGER if addresses else None
            done, _ = await asyncio.wait(running, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                running.discard(task)
                if (failure := task.exception()) is None:
                    return task.result()
                failures.append(failure)
        raise failures[0]
    finally:
        for task in running:
            task.cancel()
            task.add_done_callback(_close_loser)


async def _connect_socket(loop: asyncio.AbstractEventLoop, address: Address) -> socket.socket:
    family, kind, protocol, _, where = address
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)
        await loop.sock_connect(connecting, where)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _close_loser(task: asyncio.Task[socket.socket]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().close()


# --- proxy tunnels: the exchange with a proxy before the connection reaches the service -----------

# Through http and https proxies, https requests use CONNECT (RFC 9110 9.3.6); through SOCKS proxies, all use
# SOCKS 5 (RFC 1928, RFC 1929). A tunnel is closed if its proxy sends more than its own response, because
# those bytes arrived before any request was sent.

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(.*)\r\n")
_MAX_HEAD = 16 * 1024  # maximum bytes of the CONNECT response
_UNREACHABLE = (502, 503, 504)  # statuses with which a proxy reports that it cannot reach the host
_TRANSIENT = (408, 425, 429)  # other 4xx statuses refuse the host for good; not shown; assumed
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
"""SOCKS 5 reply codes, RFC 1928 6."""
_SOCKS_RULES = 2
_SOCKS_UNREACHABLE = (3, 4, 5, 6)
_MAX_INTERIM = 16  # maximum responses to a CONNECT; not shown; assumed
_MAX_NAME = 255  # maximum bytes of a host name, RFC 1928 5


class _Tunnel(Layer):
    """Connection to ``proxy`` until the proxy has connected to ``origin``."""

    def __init__(self, origin: Origin, proxy: Proxy, buffer: memoryview) -> None:
        super().__init__(buffer)
        self._origin = origin
        self._proxy = proxy
        self._received = bytearray()
        self._arrived = asyncio.Event()
        self._ended: Exception | None = None
        """Reason for the end of the connection; None while open."""

    async def open(self) -> None:
        """Ask the proxy to connect. Raises SendError if it refuses, OSError if it disconnects."""
        await (self._socks() if self._proxy.is_socks else self._connect())
        if self._received:
            raise self._refused("it sent bytes outside of any response")

    def received(self, data: bytes) -> None:
        self._received += data
        self._arrived.set()

    def lost(self, error: Exception | None) -> None:
        why = error if isinstance(error, ssl.SSLError) else ConnectionResetError("it closed the connection")
        self._ended = self._ended or why
        self._arrived.set()

    def eof_received(self) -> None:
        self.lost(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost(exc)

    async def _read(self, length: Callable[[bytearray], int]) -> bytes:
        """Return the next bytes; ``length`` returns how many, or 0 while that is unknown."""
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
        for _ in range(_MAX_INTERIM):  # interim responses may precede the final one
            status, said = self._status(await self._read(self._head_length))
            if status >= 200:
                break
        else:
            raise self._refused(f"{_MAX_INTERIM} interim responses without a final one")
        if status >= 300:
            final = proxy.rules_remedy if 400 <= status < 500 and status not in _TRANSIENT else None
            remedy = proxy.login_remedy if status == 407 else final
            raise self._refused(said, remedy, status in _UNREACHABLE)

    def _status(self, head: bytes) -> tuple[int, str]:
        """Return the status code, and the code and reason as text with secrets hidden. Raises SendError."""
        line = _STATUS_LINE.match(head)
        del head  # it may repeat the password, and tracebacks show local variables
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
            self._transport.write(b"\x01" + b"".join(map(_length_prefixed, (proxy.user, proxy.password))))
            if (await self._read(lambda _: 2))[1]:
                raise self._refused("it refuses the user name and password", proxy.login_remedy)
        where = _socks_address(self._origin.host) + self._origin.port.to_bytes(2)
        self._transport.write(b"\x05\x01\x00" + where)
        version, code = await self._read(lambda _: 2)
        if version != 5:
            raise self._refused("it does not speak SOCKS 5", Remedy.PROXY_ADDRESS)
        if code:
            remedy = proxy.rules_remedy if code == _SOCKS_RULES else None
            raise self._refused(_REPLIES.get(code, f"reply {code}"), remedy, code in _SOCKS_UNREACHABLE)
        await self._read(_address_length)

    def _refused(self, why: str, remedy: Remedy | None = None, gone: bool = False) -> SendError:
        self._received.clear()  # the received bytes may repeat the password
        return SendError(
            f"{self._origin.text}: the proxy {self._proxy.shown} does not connect: {why}",
            sent=False,
            remedy=remedy,
            host_gone=gone,
        )


def _length_prefixed(text: Secret) -> bytes:
    """Return a user name or password as bytes with a length prefix (RFC 1929)."""
    return b"%c%b" % (len(text.encode()), text.encode())


def _encoded_host(host: str) -> bytes:
    return host.encode("ascii" if host.isascii() else "idna")


def _socks_address(host: str) -> bytes:
    """Return the address in SOCKS format; the proxy looks up names."""
    if (address := address_of(host)) is None:
        name = _encoded_host(host)
        if len(name) > _MAX_NAME:
            raise ValueError("the host name is too long for SOCKS")
        return b"\x03%c%b" % (len(name), name)
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def _address_length(received: bytearray) -> int:
    """Return how many bytes of a reply follow its code, computed from the address type; 0 while unknown."""
    if len(received) < 3:
        return 0
    return 4 + {1: 4, 4: 16}.get(received[1], 1 + received[2])
