"""Compressed bodies, over every engine: read whole where they are honest, bounded where they are bombs."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import gzip
import importlib
import random
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.raw import RawServer, responding
from tests.engine.test_responses import raw_deflate, sized
from tests.support.laws import case, each_of, some
from tests.support.tls import trusted
from wosdk_async.options import ClientOptions, Limits
from wosdk_async.options.httpx_family import CORES
from wosdk_async.transport.http.decompression import BadContent, decompress
from wosdk_async.transport.http.engine import Request, SendError, StreamingEngine
from wosdk_async.transport.http.selection import engine_for

MIB = 1024 * 1024
OVER_A_LIBRARY = ["transport", "http_client", "hooked http_client"]
ENGINES = some(["native", *(f"{way} of {name}" for name in CORES for way in OVER_A_LIBRARY)], 2)
EMPTY = gzip.compress(b"")


@contextlib.asynccontextmanager
async def made(kind: str, **limits: int) -> AsyncIterator[StreamingEngine]:
    """An engine of each kind that sends calls."""
    bounds = Limits(**limits)  # type: ignore[arg-type]  # some are times

    async def hook(response: Any) -> None:
        assert not response.is_closed

    way, _, name = kind.partition(" of ")
    library = importlib.import_module(name or "httpx")
    async with contextlib.AsyncExitStack() as stack:
        if way == "transport":
            own = await stack.enter_async_context(library.AsyncHTTPTransport(verify=trusted()))
            options = ClientOptions(transport=own)
        elif way.endswith("http_client"):
            hooks = {"response": [hook]} if way.startswith("hooked") else {}
            client = library.AsyncClient(verify=trusted(), trust_env=False, event_hooks=hooks)
            options = ClientOptions(http_client=await stack.enter_async_context(client))
        else:
            options = ClientOptions(trust_env=False)
        engine = engine_for(options, bounds)
        stack.push_async_callback(engine.aclose)
        yield engine


async def fetch(kind: str, raw: bytes, **limits: int) -> bytes:
    """The body of the response ``raw``."""
    async with RawServer(responding(raw)) as server, made(kind, **limits) as engine, asyncio.timeout(20):
        return (await engine.send(Request("POST", f"{server.url}/", (), b"{}"))).body


def coded(body: bytes, coding: str = "gzip") -> bytes:
    return sized(body, b"Content-Encoding: " + coding.encode())


TEXT = base64.b64encode(random.Random(1).randbytes(MIB))


# Each is made when a test first needs it: every process of the suite imports this file.
@functools.cache
def packed() -> bytes:
    return gzip.compress(TEXT, 1)


@functools.cache
def honest() -> dict[str, tuple[bytes, bytes]]:
    """Return responses by name, each with its body."""
    return {
        "gzip": (coded(packed()), TEXT),
        "members": (coded(gzip.compress(TEXT[:1000]) * 200 + EMPTY * 9000, "x-gzip"), TEXT[:1000] * 200),
        "deflate": (coded(zlib.compress(TEXT, 1), "deflate"), TEXT),
        "raw deflate": (coded(raw_deflate(TEXT), "deflate"), TEXT),
        "one byte 1,048,576 times": (coded(gzip.compress(bytes(MIB))), bytes(MIB)),
        "identity": (coded(TEXT, "identity, Identity"), TEXT),
        "nothing": (coded(b""), b""),
    }


@functools.cache
def bombs() -> dict[str, tuple[bytes, str]]:
    """Return responses by name, each with a part of the error."""
    return {
        "stacked": (coded(gzip.compress(EMPTY), "gzip, gzip"), "more than once"),
        "stacked in two headers": (
            sized(EMPTY, b"Content-Encoding: gzip", b"Content-Encoding: deflate"),
            "more than once",
        ),
        "ratio": (coded(gzip.compress(bytes(MIB + 1))), "200 times its size"),
        "deflate": (coded(zlib.compress(bytes(5 * MIB)), "deflate"), "200 times its size"),
        "raw deflate": (coded(raw_deflate(bytes(5 * MIB)), "deflate"), "200 times its size"),
        "members": (coded(EMPTY * 10_001), "10000 gzip members"),
        "another coding": (coded(b"hi", "br"), "other than gzip"),
        "cut": (coded(packed()[:-1]), "truncated"),
        "cut between bytes of a header": (coded(EMPTY + EMPTY[:5]), "truncated"),
        "broken": (coded(packed()[:-8] + bytes(8)), "corrupt"),
        "bytes behind it": (coded(zlib.compress(TEXT, 1) + b"x", "deflate"), "follow"),
        "no gzip": (coded(b"no gzip at all"), "corrupt"),
    }


@pytest.mark.parametrize("kind", ENGINES)
async def test_what_is_compressed_as_usual_is_read(kind: str) -> None:
    for name, (raw, body) in honest().items():
        with case(name):
            assert await fetch(kind, raw) == body


@pytest.mark.parametrize("kind", ENGINES)
async def test_what_is_not_fit_to_be_decompressed_is_an_error(kind: str) -> None:
    """Of every engine the same one, and the request counts as sent."""
    for name, (raw, why) in bombs().items():
        with case(name):
            with pytest.raises(SendError, match=why) as caught:
                await fetch(kind, raw)
            assert (caught.value.sent, caught.value.timeout) == (True, "")


@pytest.mark.parametrize("kind", ENGINES)
async def test_the_bound_on_a_body_holds_before_and_after_decompression(kind: str) -> None:
    """To the byte."""
    assert len(await fetch(kind, coded(packed()), body=len(TEXT))) == len(TEXT)
    with pytest.raises(SendError, match=f"longer than {len(TEXT) - 1} bytes"):
        await fetch(kind, coded(packed()), body=len(TEXT) - 1)
    with pytest.raises(SendError, match="longer than 40 bytes"):
        await fetch(kind, coded(EMPTY * 3), body=40)


def steps(body: bytes, coding: str, limit: int = 64 * MIB) -> Iterator[None]:
    """Decompress by hand: an item for each turn that the loop gets; the result is that of the last."""
    decompressing = decompress(body, {"content-encoding": coding}, limit)
    while True:
        try:
            decompressing.send(None)
        except StopIteration as end:
            return end.value
        yield


def result(body: bytes, coding: str) -> bytes:
    taking = steps(body, coding)
    while True:
        try:
            next(taking)
        except StopIteration as end:
            return bytes(end.value)


@each_of("size", [0, 1, 65_535, 65_536, 65_537, 131_072, 500_000])
@each_of("fill", [b"\0", TEXT])
def test_bodies_of_all_sizes(size: int, fill: bytes) -> None:
    """Also where the end comes with a piece that is full."""
    body = (fill * size)[:size] if len(fill) == 1 else fill[:size]
    assert result(gzip.compress(body), "gzip") == body
    assert result(gzip.compress(body) * 2, "gzip") == body * 2
    assert result(zlib.compress(body, 0), "deflate") == body
    assert result(raw_deflate(body), "deflate") == body


@given(st.lists(st.binary(max_size=100_000), min_size=1, max_size=5))
def test_any_members(bodies: list[bytes]) -> None:
    assert result(b"".join(map(gzip.compress, bodies)), "gzip") == b"".join(bodies)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]))
def test_any_bytes_are_a_body_or_an_error(body: bytes, coding: str) -> None:
    """Nothing but BadContent is raised."""
    with contextlib.suppress(BadContent):
        result(body, coding)


def test_the_loop_gets_turns() -> None:
    """A small body takes none, a large one one for each half MiB, many members one for each few."""
    assert list(steps(gzip.compress(TEXT[:80_000]), "gzip")) == []
    assert len(list(steps(packed() * 3, "gzip"))) >= 10
    assert len(list(steps(EMPTY * 10_000, "gzip"))) >= 1_000
