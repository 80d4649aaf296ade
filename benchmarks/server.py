"""A server that answers from memory, so that what is measured is the client.

    python -m benchmarks.server [--delay SECONDS] [--core N]

Prints its port, answers every request with the same work order, and ends when its standard input does.
``GET /busy`` tells its CPU time so far: as long as a request costs it less than it costs the client on the
other core, it is not what limits the client.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import time
from collections import deque

from benchmarks.payload import work_order

TOKEN = json.dumps({"access_token": "t" * 64, "token_type": "bearer", "expires_in": 1199}).encode()
_TICK = 0.001  # seconds between two looks at the delayed answers


_NO_ID = b"0" * 32  # as long as those that the clients send


def created() -> bytes:
    """The answer of WoCreateCommand: a work order of 5 KB (spec 4.3), with the RequestId last (facts 5)."""
    return b'{"CommandResult":{"Wo":%s},"RequestId":"%s"}' % (work_order(unknown=False), _NO_ID)


def answer(body: bytes) -> bytes:
    """``body`` with the headers that the service's recordings show (facts 3.8)."""
    return (
        b"HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nPragma: no-cache\r\n"
        b"Content-Type: application/json; charset=utf-8\r\nExpires: -1\r\n"
        b"Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n"
        b"Date: Sat, 21 Nov 2026 09:00:00 GMT\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    )


class Answers:
    """What is sent for which path, and when."""

    def __init__(self, port: int, delay: float) -> None:
        url = f"http://127.0.0.1:{port}/"
        found = {"Url": url, "CompanyName": "Bench", "Protocol": "HTTPS", "CompanyId": 1}
        self.create = answer(created())[: -len(_NO_ID) - 2]  # what stands before the RequestId
        self.token = answer(TOKEN)
        self.discovery = answer(json.dumps({"CommandResult": found}).encode())
        self.delay = delay
        self.late: deque[tuple[float, asyncio.WriteTransport, bytes]] = deque()

    def send(self, head: bytes, end: bytes, to: asyncio.WriteTransport) -> None:
        """Answer the request that begins with ``head`` and whose body has this ``end``."""
        line = head[: head.index(b"\r\n")]
        if b"WoCreateCommand" in line:
            if self.delay:
                self.late.append((time.monotonic() + self.delay, to, end))
            else:
                to.write(self.create + end)
        elif b"GetCompanyWsdkUrlCommand" in line:
            to.write(self.discovery)
        elif b"/busy" in line:
            to.write(answer(json.dumps({"busy": time.process_time()}).encode()))
        else:
            to.write(self.token)

    async def send_late(self) -> None:
        """Delayed answers by one timer for all: they are due in the order in which they came."""
        while True:
            await asyncio.sleep(_TICK)
            now = time.monotonic()
            while self.late and self.late[0][0] <= now:
                _, to, end = self.late.popleft()
                if not to.is_closing():
                    to.write(self.create + end)


class Connection(asyncio.BufferedProtocol):
    """One client; requests come one after the other."""

    shared = memoryview(bytearray(65536))

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's name
        return self.shared

    def buffer_updated(self, nbytes: int) -> None:
        self.came += self.shared[:nbytes]
        while (end := self.came.find(b"\r\n\r\n")) >= 0:
            head = self.came[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.came) < end + 4 + length:
                return
            last = end + 4 + length
            request_id = self.came[last - len(_NO_ID) - 2 : last]  # the last key of a command, too
            self.answers.send(self.came[:end] + b"\r\n", request_id, self.transport)
            self.came = self.came[last:]


async def serve(delay: float) -> None:
    loop = asyncio.get_running_loop()
    listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
    port = listening.getsockname()[1]
    answers = Answers(port, delay)
    server = await loop.create_server(lambda: Connection(answers), sock=listening)
    print(port, flush=True)
    late = loop.create_task(answers.send_late())
    await loop.run_in_executor(None, sys.stdin.read)
    late.cancel()
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before a create is answered")
    parser.add_argument("--core", type=int, help="the core to stay on")
    args = parser.parse_args()
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    asyncio.run(serve(args.delay))


if __name__ == "__main__":
    main()
