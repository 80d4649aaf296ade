"""Settings of httpx and httpx2, which engine is selected, and the contract that all engines share."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from typing import Any

import httpx
import httpx2
import pytest

from tests.engine.raw import OK, RawServer, echoing, responding
from tests.engine.test_responses import sized
from tests.support.tls import trusted
from wosdk_async.options import ClientOptions, Limits, Timeouts, as_limits, as_timeouts
from wosdk_async.transport.http.engine import Request
from wosdk_async.transport.http.selection import engine_for


def test_settings_of_httpx_are_understood(library: Any) -> None:
    """Its Timeout and Limits become ours; ours stay what they are."""
    assert as_timeouts(library.Timeout(5, pool=None)) == Timeouts(connect=5, read=5, write=5, pool=None)
    assert as_timeouts(mine := Timeouts(read=7)) is mine
    assert as_limits(library.Limits(max_connections=9, keepalive_expiry=2)) == Limits(
        connections=9, keepalive=2
    )
    assert as_limits(library.Limits()) == Limits(keepalive=5.0)
    assert as_limits(given := Limits(body=7)) is given


SENDING = """
import asyncio, sys
sys.modules.update(dict.fromkeys(sys.argv[2:]))  # None: importing it fails
from wosdk_async.transport.http.engine import Request
from wosdk_async.transport.http.selection import engine_for
from wosdk_async.options import ClientOptions

async def main():
    made = engine_for(ClientOptions())
    response = await made.send(Request("GET", sys.argv[1], ()))
    print(response.body.decode(), made, [name for name in ("httpx", "httpx2") if sys.modules.get(name)])
    await made.aclose()

asyncio.run(main())
"""


@pytest.mark.parametrize("missing", [[], ["httpx", "httpx2"]])
async def test_our_engine_loads_neither_library(missing: list[str]) -> None:
    """It sends with and without them."""
    async with RawServer(echoing) as server:
        command = (sys.executable, "-Werror", "-c", SENDING, server.url, *missing)
        process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        out, _ = await process.communicate()
    assert out.decode() == "/ <MockableEngine <NativeEngine 0 of 100 busy, 1 idle>> []\n"


async def test_all_engines_keep_the_same_contract() -> None:
    """Names of headers in lower case, decompressed bodies, redirects as they come, one call of on_sending."""
    moved = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"
    text = sized(gzip.compress(b"hello"), b"Content-Encoding: gzip")
    async with (
        httpx.AsyncClient(verify=trusted()) as http,
        httpx2.AsyncClient(verify=trusted()) as http2,
    ):
        for own in (None, http, http2):
            made = engine_for(ClientOptions(http_client=own))
            async with RawServer(responding(moved, text, OK)) as server:
                sent: list[int] = []
                responses = [
                    await made.send(Request("POST", server.url, (("A", "b"),), b"{}", lambda: sent.append(1)))  # noqa: B023
                    for _ in range(3)
                ]
                await made.aclose()
            assert [(response.status, response.body) for response in responses] == [
                (302, b""),
                (200, b"hello"),
                (200, b"hi"),
            ]
            assert responses[0].headers["location"] == "/x"
            assert (sent, server.connections) == ([1, 1, 1], 1)
