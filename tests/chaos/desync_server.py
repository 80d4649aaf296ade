"""Server of ``tests.chaos.desync``, which sends surplus before, with and after its responses."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import ctypes
import functools
import json
import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs

from tests.support.certificate import certificate
from tests.support.serving import read_request, serving

BEFORE = ("same flight", "own record", "half", "CRLF", "end", "new keys")
"""Surplus that arrives with a response, before the next request leaves."""
LATE = ("late",)
"""Surplus that arrives up to 20 ms after a response, perhaps after the next request has left."""
_OF_TLS = ("own record", "new keys")
_GREETED = 0.2  # share of connections that get a response before they have sent a request
_HALF_TICKETS = 0.2  # share of the other TLS connections, whose tickets come in two parts
_MAX_LATE = 0.020  # seconds
_PAUSE = 0.003  # seconds before the second half of a ticket
_PAGE = b"<html>Request Timeout</html>"


@attrs.define
class Store:
    """Created records (ids by key), and the surplus sent."""

    made: dict[str, list[int]] = attrs.field(factory=lambda: collections.defaultdict(list))
    sent: collections.Counter[str] = attrs.field(factory=collections.Counter)
    """How often each kind of surplus was sent."""
    behind: dict[str, str] = attrs.field(factory=dict)
    """Kind of surplus sent with a response, by the response's key."""
    last: int = 0

    def create(self, key: str) -> int:
        self.last += 1
        self.made[key].append(self.last)
        return self.last


def http(status: int, body: bytes, kind: str = "application/json; charset=utf-8") -> bytes:
    head = f"HTTP/1.1 {status} Status\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def json_response(content: Any, status: int = 200) -> bytes:
    return http(status, json.dumps(content, separators=(",", ":")).encode())


class Line:
    """Server's end of a connection. It does TLS itself, so that the server decides when each record is sent.

    Args:
        reader: bytes from the client.
        writer: bytes to the client.
        context: TLS context; None over http.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, context: ssl.SSLContext | None
    ) -> None:
        self._raw, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls: ssl.SSLObject | None = None
        if context is not None:
            self.tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self.clear = asyncio.StreamReader() if self.tls else reader
        """What the client sent, decrypted."""
        self._kept = b""

    def send(self, data: bytes, kept: int = 0) -> None:
        """Send the bytes kept back before, then ``data``; keep back the last ``kept`` bytes."""
        data, end = self._kept + data, len(self._kept + data) - kept
        self._kept = data[end:]
        if data[:end] and not self._writer.is_closing():
            self._writer.write(data[:end])

    def record(self, data: bytes) -> bytes:
        """Return ``data`` as it is sent: over TLS, in its own record."""
        if self.tls:
            self.tls.write(data)
        return self._outgoing.read() if self.tls else data

    def end(self, data: bytes) -> None:
        """Send ``data``, then end the connection; over TLS, with close_notify."""
        if self.tls is None:
            self.send(data)
            self._writer.write_eof()
            return
        with contextlib.suppress(ssl.SSLWantReadError):  # the client has not ended its side
            self.tls.unwrap()
        self.send(data + self._outgoing.read())

    def new_keys(self) -> bytes:
        """Return a TLS KeyUpdate that requests one from the client."""
        assert self.tls is not None
        inner = self.tls._sslobj  # type: ignore[attr-defined]
        place = id(inner) + object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p)  # behind a weak reference
        _key_update()(ctypes.c_void_p.from_address(place), 1)
        self.tls.do_handshake()
        return self._outgoing.read()

    async def shake_hands(self) -> bytes:
        """Do the TLS handshake, and return its last bytes unsent: tickets of TLS 1.3, the end of TLS 1.2."""
        assert self.tls is not None
        await self._step(self.tls.do_handshake)
        return self._outgoing.read()

    async def decrypt(self) -> None:
        assert self.tls is not None
        with contextlib.closing(self._writer), contextlib.suppress(OSError):
            while data := await self._step(functools.partial(self.tls.read, 65536)):
                self.clear.feed_data(data)
        self.clear.feed_eof()

    async def _step(self, step: Callable[[], Any]) -> Any:
        """Call a function of OpenSSL until it has enough input, and return its result."""
        while True:
            with contextlib.suppress(ssl.SSLWantReadError):
                return step()
            self.send(self._outgoing.read())
            if not (data := await self._raw.read(65536)):
                raise ConnectionResetError("the client closed the connection")
            self._incoming.write(data)


def _key_update() -> Any:
    """Return OpenSSL's SSL_key_update, which Python's ssl lacks; None if it cannot be reached."""
    import _ssl

    return getattr(ctypes.CDLL(getattr(_ssl, "__file__", None)), "SSL_key_update", None)


def _context(version: ssl.TLSVersion) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = version
    if version == ssl.TLSVersion.TLSv1_2:
        context.options |= ssl.OP_NO_TICKET
    context.load_cert_chain(certificate())
    return context


class Server:
    """Token endpoint, locator and Company host. One response in ``every`` has surplus of one of ``kinds``."""

    def __init__(self, store: Store, kinds: tuple[str, ...], every: int, seed: int, *, tls: bool) -> None:
        self.store = store
        self.url = ""
        self.greets: dict[int, bool] = {}
        """Whether a connection got a response on accept, by the client's port."""
        missing = () if tls and _key_update() else ("new keys",) if tls else _OF_TLS
        self._kinds = tuple(kind for kind in kinds if kind not in missing)
        self._every = every
        self._random = random.Random(seed)
        self._contexts = [_context(version) for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)]
        self._tls = tls
        self._strays: list[bytes] = []
        """Surplus responses, made from the last good one."""
        self._refusal = b""

    @asynccontextmanager
    async def running(self, *, greeting: bool) -> AsyncIterator[Server]:
        """Serve within the block. With ``greeting``, some connections get a response on accept."""

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            first = self.greeting(writer.get_extra_info("peername")[1]) if greeting else b""
            newest = not first or "late" in self._kinds
            await self._serve(Line(reader, writer, self._contexts[newest] if self._tls else None), first)

        async with serving(handle) as port:
            self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{port}"
            yield self

    def greeting(self, port: int) -> bytes:
        """Return what the client on a port gets before its first request."""
        greets = bool(self.store.last) and self._random.random() < _GREETED
        self.store.sent["on accept"] += greets
        self.greets[port] = greets
        return self._random.choice(self._strays) if greets else b""

    async def _serve(self, line: Line, first: bytes) -> None:
        decrypting = None
        if line.tls is None:
            line.send(first)
        else:
            await self._secure(line, first)
            decrypting = asyncio.ensure_future(line.decrypt())
        try:
            while True:
                head, body = await read_request(line.clear)
                line.send(b"")  # the second half of the surplus sent with the previous response
                await asyncio.sleep(0.001 + self._random.random() * 0.002)  # takes a while, as a service does
                if not self._respond(line, head.decode().split(" ")[1], body):
                    await line.clear.read()
                    return
        finally:
            if decrypting is not None:
                decrypting.cancel()

    async def _secure(self, line: Line, first: bytes) -> None:
        """Do the TLS handshake. TLS 1.2 ends with a flight of the server, which can include ``first``."""
        assert line.tls is not None
        last = await line.shake_hands()
        kept = 0
        if not first and self._random.random() < _HALF_TICKETS:
            self.store.sent["half a ticket"] += 1
            kept = self._random.randrange(1, len(last))
            asyncio.get_running_loop().call_later(_PAUSE, line.send, b"")
        line.send(last + (line.record(first) if first else b""), kept)

    def _respond(self, line: Line, path: str, body: bytes) -> bool:
        """Respond to a request; return whether the connection stays open."""
        if path == "/token":
            line.send(line.record(json_response({"access_token": "t" * 40, "expires_in": 1199})))
        elif path.endswith("/GetCompanyWsdkUrlCommand"):
            line.send(line.record(json_response({"CommandResult": {"Url": f"{self.url}/"}})))
        else:
            key, good = self._create(path, json.loads(body))
            if self._random.random() * self._every < 1 and self.store.last > 1:
                kind = self.store.behind[key] = self._random.choice(self._kinds)
                self.store.sent[kind] += 1
                self._send_surplus(line, good, kind)
                return kind != "end"
            line.send(line.record(good))
        return True

    def _create(self, path: str, content: Any) -> tuple[str, bytes]:
        """Create the record, and surplus that resembles its response; return its key and the response."""
        if "/cmd/" not in path:
            key = content["Entity"]["Name"]
            made = {"EntitySpecifier": {"EntityType": "Customer", "Id": self.store.create(key)}}
            good = without = json_response(made)
        else:
            key, echo = content["Command"]["WorkOrder"]["PoNumber"], {"RequestId": content["RequestId"]}
            status, answer = 200, dict[str, Any]()
            if key.startswith("refuse"):
                status = 400
                answer |= {"ErrorMessage": "no", "ErrorCode": "BUSINESS_LOGIC_ERROR"}
                answer |= {"TimeStamp": "2026-01-01T00:00:00Z"}
            else:
                answer |= {"CommandResult": {"Wo": {"Id": self.store.create(key), "PoNumber": key}}}
            good, without = json_response(answer | echo, status), json_response(answer, status)
            self._refusal = good if status == 400 else self._refusal
        self._strays = [good, without, http(408, _PAGE, "text/html"), *filter(None, [self._refusal])]
        return key, good

    def _send_surplus(self, line: Line, good: bytes, kind: str) -> None:
        stray = self._random.choice(self._strays)
        if kind == "same flight":
            line.send(line.record(good + stray))
        elif kind == "own record":
            line.send(line.record(good) + line.record(stray))
        elif kind == "half":
            first, second = line.record(good), line.record(stray)
            line.send(first + second, self._random.randrange(1, len(second)))
        elif kind == "CRLF":
            line.send(line.record(good + b"\r\n"))
        elif kind == "end":
            line.end(line.record(good))
        elif kind == "new keys":
            line.send(line.record(good) + line.new_keys())
        else:
            line.send(line.record(good))
            seconds = self._random.random() * _MAX_LATE
            asyncio.get_running_loop().call_later(seconds, self._send_late, line, stray)

    def _send_late(self, line: Line, stray: bytes) -> None:
        with contextlib.suppress(ssl.SSLError, RuntimeError):  # the connection was ended meanwhile
            line.send(line.record(stray))
