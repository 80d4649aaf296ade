"""Where a response ends, what is in it, and what is refused: raw bytes on real sockets."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from tests.engine.raw import RawServer, engine, get, request, responding
from tests.support.laws import each_of
from wosdk_async.transport.http.engine import Request, SendError

HEAD = b"HTTP/1.1 200 OK\r\n"
TEXT = b"hello " * 50


def sized(body: bytes, *lines: bytes) -> bytes:
    return (
        HEAD
        + b"".join(line + b"\r\n" for line in lines)
        + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    )


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


WHOLE = {
    "length": (sized(b"hi"), 200, b"hi"),
    "no body": (sized(b""), 200, b""),
    "chunks": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;x=y\r\ni\r\n0\r\nT: v\r\n\r\n",
        200,
        b"hi",
    ),
    "until the end": (HEAD + b"\r\nhi", 200, b"hi"),
    "until the end, old": (b"HTTP/1.0 200 OK\r\n\r\nhi", 200, b"hi"),
    "204": (b"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", 204, b""),
    "304 with a length": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, b""),
    "early hints": (
        b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + sized(b"hi"),
        200,
        b"hi",
    ),
    "no reason": (b"HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n", 500, b""),
    "gzip": (sized(gzip.compress(TEXT, mtime=0), b"Content-Encoding: gzip"), 200, TEXT),
    "two gzip members": (sized(gzip.compress(TEXT, mtime=0) * 2, b"Content-Encoding: x-gzip"), 200, TEXT * 2),
    "deflate": (sized(zlib.compress(TEXT), b"content-encoding: Deflate"), 200, TEXT),
    "raw deflate": (sized(raw_deflate(TEXT), b"Content-Encoding: deflate"), 200, TEXT),
    "identity": (sized(b"hi", b"Content-Encoding: identity"), 200, b"hi"),
    "gzip of nothing": (sized(b"", b"Content-Encoding: gzip"), 200, b""),
}

REFUSED = {
    "nothing": b"",
    "half a head": HEAD + b"Content-Le",
    "half a body": HEAD + b"Content-Length: 5\r\n\r\nhi",
    "half a chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhi",
    "no last chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    "length and chunks": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    "a length below zero": HEAD + b"Content-Length: -1\r\n\r\n",
    "another coding": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a folded header": HEAD + b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "bare line feeds": b"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
    "a NUL": HEAD + b"X: a\0b\r\nContent-Length: 0\r\n\r\n",
    "a blank before the colon": HEAD + b"Content-Length : 0\r\n\r\n",
    "an upgrade": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhi",
    "status 099": b"HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n",
    "not HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "an unknown coding": sized(b"hi", b"Content-Encoding: br"),
    "two codings": sized(b"hi", b"Content-Encoding: gzip", b"Content-Encoding: gzip"),
    "cut gzip": sized(gzip.compress(TEXT, mtime=0)[:-9], b"Content-Encoding: gzip"),
    "broken gzip": sized(b"no gzip at all", b"Content-Encoding: gzip"),
    "broken deflate": sized(b"\xff\xff\xff\xff", b"Content-Encoding: deflate"),
}


@each_of(("raw", "status", "body"), WHOLE.values(), ids=WHOLE)
async def test_a_response_is_read_whole(raw: bytes, status: int, body: bytes) -> None:
    """Status and decompressed body, however the response is framed."""
    async with RawServer(responding(raw)) as server, engine() as made:
        response = await get(made, server.url)
    assert (response.status, response.body) == (status, body)


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
async def test_what_is_not_a_whole_response_is_an_error(raw: bytes) -> None:
    """Cut, ambiguous or broken: SendError, and the request counts as sent."""
    async with RawServer(responding(raw)) as server, engine() as made:
        with pytest.raises(SendError, match=server.url) as caught:
            await get(made, server.url, safe=False)
    assert (caught.value.sent, caught.value.timeout) == (True, "")
    assert server.connections == 1


async def test_headers_are_looked_up_in_any_case() -> None:
    """Names are lower case, a repeated name has all its values, and a trailer is no header."""
    trailer = b"Transfer-Encoding: chunked\r\nX-A: 1\r\nx-a: 2\r\n\r\n0\r\nRetry-After: 9\r\n\r\n"
    async with RawServer(responding(HEAD + trailer)) as server, engine() as made:
        headers = (await get(made, server.url)).headers
    assert dict(headers) == {"transfer-encoding": "chunked", "x-a": "1, 2"}
    assert headers["X-A"] == "1, 2"
    assert headers.get("retry-after") is None


BOUNDED = {
    "a long body": (sized(b"x" * 5001), "longer than 5000"),
    "a long chunked body": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 5001 + b"0\r\n\r\n",
        "5000",
    ),
    "a gzip bomb": (
        sized(gzip.compress(b"\0" * 3_000_000, mtime=0), b"Content-Encoding: gzip"),
        "decompressed",
    ),
    "many headers": (HEAD + b"a: b\r\n" * 300 + b"Content-Length: 0\r\n\r\n", "more than 200 headers"),
    "endless headers": (HEAD + b"a" * 200_000, "bytes of headers"),
    "endless trailers": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"a" * 200_000,
        "bytes of headers",
    ),
    "an endless chunk mark": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"a" * 200_000,
        "bytes of headers",
    ),
    "endless 1xx": (b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, "bytes of headers"),
}


@each_of(("raw", "why"), BOUNDED.values(), ids=BOUNDED)
async def test_what_is_received_is_bounded(raw: bytes, why: str) -> None:
    """No response makes the client keep more than it is set to."""
    async with RawServer(responding(raw)) as server, engine(body=5000) as made:
        with pytest.raises(SendError, match=why):
            await get(made, server.url)


async def test_a_large_response_and_a_large_request() -> None:
    """Bodies far above the buffers come through whole, both ways."""
    sent = bytes(range(256)) * 8000

    async def mirror(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = (await request(reader)).partition(b"\r\n\r\n")[2]
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
        writer.write(body)
        await writer.drain()

    async with RawServer(mirror) as server, engine() as made:
        response = await made.send(Request("PUT", server.url + "/x", (("A", "é"),), sent))
    assert response.body == sent
