"""Server that responds from memory, so that only the client limits a measurement.

    python -m benchmarks.server [--delay SECONDS] [--core N] [--certificate FILE]

Prints its port, responds to every create with the same work order, and ends when its standard input does.
``GET /busy`` returns its CPU time so far, and how many tokens it has given. As long as a request costs the
server less than it costs the client on the other core, the server does not limit the client.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import sys
import time
from collections import deque
from typing import Any
from zlib import crc32

from tests.support import arguments
from tests.support.payload import work_order

TOKEN = json.dumps({"access_token": "t" * 64, "token_type": "bearer", "expires_in": 1199}).encode()
_TICK = 0.001  # seconds between two checks for delayed responses
NO_ID = b"0" * 32  # as long as the RequestIds of the clients


def created() -> bytes:
    """Return the body for WoCreateCommand: 5 KB (spec 4.3), with the RequestId last (facts 5)."""
    return b'{"CommandResult":{"Wo":%s},"RequestId":"%s"}' % (work_order(unknown=False), NO_ID)


def http_response(body: bytes) -> bytes:
    """Return ``body`` with the headers that the service's recordings show (facts 3.8)."""
    return (
        b"HTTP/1.1 200 OK\r\nCache-Control: no-cache\r\nPragma: no-cache\r\n"
        b"Content-Type: application/json; charset=utf-8\r\nExpires: -1\r\n"
        b"Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n"
        b"Date: Sat, 21 Nov 2026 09:00:00 GMT\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    )


def found_records(line: bytes, query: Any) -> bytes:
    """Return the body for a query: one record for each value in the query, so that any name is found.

    A query for several work orders finds none, a query for one finds it: an import looks up many keys before
    it sends their rows, and then the key of its first row.
    """
    conditions = query["QueryExpression"].get("Criteria", {}).get("Conditions", [])
    orders = b"/WorkOrder " in line
    asked = next((each for each in conditions if orders or each["Operator"] == "In"), None)
    values = [""] if asked is None else asked["Values"]
    name = "Name" if asked is None else asked["PropertyName"]
    if orders and len(values) > 1:
        values = []
    same = {"TypeId": "Request", "IsDefSR": True}  # for the filters of the map
    ids = {
        crc32(value.strip().casefold().encode()) >> 1 or 1: value for value in values
    }  # one id for all spellings; never 0, which is no record's id (facts 3.6)
    records = [{"Id": number, name: value} | same for number, value in sorted(ids.items())]
    return json.dumps({"Entities": [{"Data": record} for record in records]}).encode()


class Responses:
    """Responses by path, some of them delayed."""

    def __init__(self, url: str, delay: float) -> None:
        found = {"Url": url, "CompanyName": "Bench", "Protocol": "HTTPS", "CompanyId": 1}
        self.create = http_response(created())[: -len(NO_ID) - 2]  # up to the RequestId
        self.token = http_response(TOKEN)
        self.discovery = http_response(json.dumps({"CommandResult": found}).encode())
        self.delay = delay
        self.tokens = 0
        self.late: deque[tuple[float, asyncio.WriteTransport, bytes]] = deque()

    def send(self, head: bytes, body: bytes, to: asyncio.WriteTransport) -> None:
        """Respond to the request that begins with ``head``."""
        line = head[: head.index(b"\r\n")]
        end = body[-len(NO_ID) - 2 :]  # of a command: its RequestId, the last key
        if b"WoCreateCommand" in line:
            if self.delay:
                self.late.append((time.monotonic() + self.delay, to, end))
            else:
                to.write(self.create + end)
        elif b"GetCompanyWsdkUrlCommand" in line:
            to.write(self.discovery)
        elif b"/query/" in line:
            to.write(http_response(found_records(line, json.loads(body))))
        elif b"/busy" in line:
            state = {"busy": time.process_time(), "tokens": self.tokens}
            to.write(http_response(json.dumps(state).encode()))
        else:
            self.tokens += 1
            to.write(self.token)

    async def send_late(self) -> None:
        """Send delayed responses with one timer, because they are due in the order of the requests."""
        while True:
            await asyncio.sleep(_TICK)
            now = time.monotonic()
            while self.late and self.late[0][0] <= now:
                _, to, end = self.late.popleft()
                if not to.is_closing():
                    to.write(self.create + end)


class Connection(asyncio.BufferedProtocol):
    """Connection of one client; its requests come one after the other."""

    shared = memoryview(bytearray(65536))

    def __init__(self, responses: Responses) -> None:
        self.responses = responses
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's name
        """Return the buffer that all connections share."""
        return self.shared

    def buffer_updated(self, nbytes: int) -> None:
        """Respond to every complete request."""
        self.received += self.shared[:nbytes]
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            head = self.received[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.received) < end + 4 + length:
                return
            last = end + 4 + length
            self.responses.send(self.received[:end] + b"\r\n", self.received[end + 4 : last], self.transport)
            self.received = self.received[last:]


async def serve(delay: float, certificate: str | None) -> None:
    """Serve until the standard input ends; print the port first."""
    loop = asyncio.get_running_loop()
    listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
    port = listening.getsockname()[1]
    tls = None if certificate is None else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if tls is not None and certificate is not None:
        tls.load_cert_chain(certificate)
    responses = Responses(f"{'http' if tls is None else 'https'}://127.0.0.1:{port}/", delay)
    server = await loop.create_server(lambda: Connection(responses), sock=listening, ssl=tls)
    print(port, flush=True)
    late = loop.create_task(responses.send_late())
    await loop.run_in_executor(None, sys.stdin.read)
    late.cancel()
    server.close()


def main() -> None:
    """Read the arguments and serve."""
    parser = arguments.parser("benchmarks.server", __doc__)
    parser.add_argument(
        "--delay", type=float, default=0.0, metavar="SECONDS", help="seconds before the response to a create"
    )
    parser.add_argument("--core", type=int, metavar="N", help="core to stay on")
    parser.add_argument("--certificate", metavar="FILE", help="file with key and certificate: serve https")
    args = parser.parse_args()
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    asyncio.run(serve(args.delay, args.certificate))


if __name__ == "__main__":
    main()
