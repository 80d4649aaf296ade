"""Servers of ``python -m tests.chaos.hostile``, in their own process. Each gives one bad response.

    python -m tests.chaos.hostile_server

Prints the address of the token endpoint and locator, and ends when its standard input does. A Company is
named after its response. ``/reached`` returns how often each response was given.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import gzip
import json
import random
import ssl
import sys
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from tests.support.certificate import certificate
from tests.support.serving import read_request, serving

MIB = 1024 * 1024
ROUNDS = 8192  # writes of a piece, after which a server stops
UNKNOWN = "wrong certificate"
SLOW = "endless body in chunks of a byte"  # ended by the deadline

_OK = b"HTTP/1.1 200 OK\r\n"


class Response(NamedTuple):
    """Bytes of a response: ``start``, then ``piece``, repeated ``times`` times."""

    start: bytes
    piece: bytes
    times: int = 1


def _sized(body: bytes, *lines: bytes) -> Response:
    lines = (*lines, b"Content-Length: %d" % len(body), b"")
    return Response(_OK + b"".join(b"%b\r\n" % line for line in lines), body)


def _gzipped(body: bytes, coding: bytes = b"gzip") -> Response:
    return _sized(body, b"Content-Encoding: " + coding)


def _endless(piece: bytes, *lines: bytes, times: int = 1) -> Response:
    """Return a response that does not end, in chunks of ``piece``."""
    lines = (*lines, b"Transfer-Encoding: chunked", b"")
    chunks = b"%x\r\n%b\r\n" % (len(piece), piece) * times
    return Response(_OK + b"".join(b"%b\r\n" % line for line in lines), chunks, ROUNDS)


def _endless_headers() -> Response:
    return Response(_OK, b"".join(b"X-%d: %b\r\n" % (n, b"x" * 1000) for n in range(64)), ROUNDS)


def _noise(size: int) -> bytes:
    """Return text that hardly compresses."""
    return base64.b64encode(random.Random(1).randbytes(size * 3 // 4))


def _json(rest: bytes, noise: int = 0) -> bytes:
    return b'{"CommandResult":{"Wo":{"Id":1},"Noise":"%b","Rest":%b}}' % (_noise(noise), rest)


def _brackets(count: int) -> bytes:
    """Return a list of lists with ``count`` brackets and commas (three for each)."""
    return b"[" + b"[]," * (count // 3 - 1) + b"[]]"


RESPONSES: dict[str, Callable[[], Response]] = {
    UNKNOWN: lambda: _sized(b"{}"),
    "endless headers": _endless_headers,
    "endless body": lambda: _endless(bytes(64 * 1024)),
    SLOW: lambda: _endless(b"x", times=10_000),
    "gzip bomb": lambda: _endless(gzip.compress(bytes(16 * MIB)), b"Content-Encoding: gzip"),
    "gzip of gzip": lambda: _gzipped(gzip.compress(gzip.compress(bytes(16 * MIB)) * 256), b"gzip, gzip"),
    "gzip of 200,000 empty members": lambda: _gzipped(gzip.compress(b"") * 200_000),
    "gzip that grows 150 times": lambda: _gzipped(gzip.compress(_json(b" " * 100 * MIB, 600_000))),
    "gzip of 20 MiB of brackets": lambda: _gzipped(gzip.compress(_json(_brackets(20 * MIB)))),
    "the same that grows 150 times": lambda: _gzipped(gzip.compress(_json(_brackets(20 * MIB), 150_000))),
    "20 MiB of brackets": lambda: _sized(_json(_brackets(20 * MIB))),
    "64 MB of brackets": lambda: _sized(_json(_brackets(64_000_000))),
    "within the limits: brackets": lambda: _sized(_json(_brackets(1_999_980))),
    "within the limits: text": lambda: _sized(_json(b'"%b"' % _noise(60_000_000))),
}


@functools.cache
def _response(name: str) -> Response:
    return RESPONSES[name]()


class Servers:
    """All servers, and how often each gave its response."""

    def __init__(self) -> None:
        self._reached: Counter[str] = Counter()
        self._places: dict[str, str] = {}
        self._running = contextlib.AsyncExitStack()

    async def start(self) -> str:
        """Start the servers; return the address of the token endpoint and locator."""
        for name in RESPONSES:
            context = _own_certificate() if name == UNKNOWN else None
            self._places[name] = await self._serve(functools.partial(self._hostile, name), context)
        return await self._serve(self._session)

    async def _serve(self, respond: Callable[[bytes], Response], tls: ssl.SSLContext | None = None) -> str:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            times = 1
            while times == 1:
                start, piece, times = respond(b"".join(await read_request(reader)))
                writer.write(start)
                for _ in range(times):
                    writer.write(piece)
                    await writer.drain()

        port = await self._running.enter_async_context(serving(handle, tls))
        return f"http{'s' if tls else ''}://127.0.0.1:{port}"

    def _session(self, request: bytes) -> Response:
        if b"/OAuth/token" in request:
            content: object = {"access_token": "t", "token_type": "bearer", "expires_in": 1199}
        elif b"/reached" in request:
            content = self._reached
        else:
            name = json.loads(request.partition(b"\r\n\r\n")[2])["Command"]["CompanyName"]
            url = f"{self._places[name]}/"
            found = {"Url": url, "CompanyName": name, "Protocol": "HTTPS", "CompanyId": 1}
            content = {"CommandResult": found}
        return _sized(json.dumps(content).encode())

    def _hostile(self, name: str, request: bytes) -> Response:
        """Return a file's type and address, and the bad response to any other request."""
        if b"GetDocDownloadUrlCommand" in request:
            result = {"DocumentId": 1, "Url": f"{self._places[name]}/file", "FileName": "file"}
            return _sized(json.dumps({"CommandResult": {"Results": [result]}}).encode())
        if b"/base/Document/" in request:
            return _sized(b'{"Data": {"StorageTypeId": "Cloud"}}')
        self._reached[name] += 1
        return _response(name)


def _own_certificate() -> ssl.SSLContext:
    """Return a context with an untrusted certificate of another host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(("DNS:elsewhere.example",)))
    return context


async def _main() -> None:
    print(await Servers().start(), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main())
