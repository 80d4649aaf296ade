"""A worker whose process is stopped past the end of its lease sends nothing when it is woken."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import struct
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.jobs.cluster.ordering import Ordered, session_of, setup_of
from tests.jobs.conftest import Local
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.messages import Order, Report, Share, from_bytes, to_bytes

_CHILD = """
import asyncio, socket, struct, sys
from wosdk_async.jobs.cluster.messages import Order, Setup, from_bytes, to_bytes
from wosdk_async.jobs.cluster.worker import Worker

async def main():
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=int(sys.argv[1])))
    async def message():
        return await reader.readexactly(*struct.unpack("!I", await reader.readexactly(4)))
    worker = Worker(from_bytes(await message(), Setup))
    try:
        while True:
            report = to_bytes(await worker.exchange(from_bytes(await message(), Order)))
            writer.write(struct.pack("!I", len(report)) + report)
    except asyncio.IncompleteReadError:
        await worker.aclose()
        writer.close()

asyncio.run(main())
"""


class Far:
    """A worker in another process, over one end of a socket pair."""

    nonce = ""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pid: int) -> None:
        self.pid = pid
        self._reader, self._writer = reader, writer

    def send(self, message: object) -> None:
        data = to_bytes(message)
        self._writer.write(struct.pack("!I", len(data)) + data)

    async def exchange(self, order: Order) -> Report:
        self.send(order)
        (size,) = struct.unpack("!I", await self._reader.readexactly(4))
        return from_bytes(await self._reader.readexactly(size), Report)


@contextlib.asynccontextmanager
async def far_worker(local: Local, **setup: Any) -> AsyncIterator[Ordered]:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", _CHILD, str(theirs.fileno())]
    process = await asyncio.create_subprocess_exec(*command, pass_fds=[theirs.fileno()])
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours)
    far: Any = Far(reader, writer, process.pid)
    try:
        async with asyncio.timeout(30):
            far.send(setup_of(local, **setup))
            ordered = Ordered(far, local, boottime)
            far.nonce = (await ordered.say()).worker
            await ordered.say(session=await session_of(local), patience=0.0)
            yield ordered
    finally:
        writer.close()
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        async with asyncio.timeout(10):
            assert await process.wait() == 0


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be stopped here")
async def test_a_worker_that_was_stopped_past_its_lease_sends_nothing(local: Local) -> None:
    """Rows that wait for their rate or their turn are given back; every row is reported once."""
    async with far_worker(local, deadline=1.0) as worker:
        worker.share = Share(number=2, rate=10.0, in_flight=8)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 41)), seconds=2.0),))
        over = boottime() + 2.0
        while len(worker.results) < 3:
            await worker.say()
        os.kill(worker.worker.pid, signal.SIGSTOP)
        while boottime() < over:  # the lease ends by this clock, and nothing else can make it end
            await asyncio.sleep(0.05)
        sent = local.server.count("WoCreateCommand")
        os.kill(worker.worker.pid, signal.SIGCONT)
        results = await worker.all_of(40)
    assert local.server.count("WoCreateCommand") == sent
    assert {result.result for result in results.values()} <= {"done", "in_doubt", "not_sent"}
    assert sum(result.result == "not_sent" for result in results.values()) == 40 - sent
    assert sent < 40
