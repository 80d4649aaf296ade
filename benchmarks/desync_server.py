"""Server of ``benchmarks.desync``: it sends surplus responses behind some of the good ones."""

from __future__ import annotations

import asyncio
import collections
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs

__all__ = ["Server", "Store"]

_MAX_LATE = 0.020  # seconds between the good response and a late one
_PAGE = b"<html>Request Timeout</html>"


@attrs.define
class Store:
    """Records that were created: ids by key."""

    made: dict[str, list[int]] = attrs.field(factory=lambda: collections.defaultdict(list))
    surplus: collections.Counter[str] = attrs.field(factory=collections.Counter)
    last: int = 0

    def create(self, key: str) -> int:
        """Store a record and return its id."""
        self.last += 1
        self.made[key].append(self.last)
        return self.last


def http(status: int, body: bytes, kind: str = "application/json; charset=utf-8") -> bytes:
    """Return a whole response."""
    return b"HTTP/1.1 %d Status\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        kind.encode(),
        len(body),
        body,
    )


def json_response(content: Any, status: int = 200) -> bytes:
    """Return a response with ``content`` as JSON."""
    return http(status, json.dumps(content, separators=(",", ":")).encode())


class Server:
    """Token endpoint, locator and Company host; one response of ``every`` is followed by a surplus one."""

    def __init__(self, store: Store, every: int, seed: int) -> None:
        self.store = store
        self.every = every
        self.random = random.Random(seed)
        self.url = ""
        self.refusal = b""
        self.tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Server]:
        """Serve within the block."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in (tasks := list(self.tasks)):
                task.cancel()
            await asyncio.gather(*tasks)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
                path = head[0].decode().split(" ")[1]
                lengths = [int(line[15:]) for line in head if line.lower().startswith(b"content-length:")]
                body = await reader.readexactly(lengths[0]) if lengths else b""
                await asyncio.sleep(self.random.random() * 0.002)  # takes a while, as a service does
                self._respond(writer, path, body)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client or the campaign has ended
        finally:
            self.tasks.discard(task)
            writer.close()

    def _respond(self, writer: asyncio.StreamWriter, path: str, body: bytes) -> None:
        if path == "/token":
            writer.write(json_response({"access_token": "t" * 40, "expires_in": 1199}))
        elif path.endswith("/GetCompanyWsdkUrlCommand"):
            writer.write(json_response({"CommandResult": {"Url": f"{self.url}/"}}))
        else:
            good, without = self._created(path, json.loads(body))
            if self.random.random() * self.every < 1:
                kind, stray = self.random.choice(self._strays(good, without))
                self._send_surplus(writer, good, kind, stray)
            else:
                writer.write(good)

    def _created(self, path: str, content: Any) -> tuple[bytes, bytes]:
        """Create the record; return the response, and the same without its RequestId."""
        if "/cmd/" not in path:
            key = content["Entity"]["Name"]
            made = {"EntitySpecifier": {"EntityType": "Customer", "Id": self.store.create(key)}}
            return json_response(made), json_response(made)
        key, echo = content["Command"]["WorkOrder"]["PoNumber"], {"RequestId": content["RequestId"]}
        if key.startswith("refuse"):
            refused = {
                "ErrorMessage": "no",
                "ErrorCode": "BUSINESS_LOGIC_ERROR",
                "TimeStamp": "2026-01-01T00:00:00Z",
            }
            self.refusal = json_response(refused | echo, 400)
            return self.refusal, json_response(refused, 400)
        result = {"CommandResult": {"Wo": {"Id": self.store.create(key), "PoNumber": key}}}
        return json_response(result | echo), json_response(result)

    def _strays(self, good: bytes, without: bytes) -> list[tuple[str, bytes]]:
        strays = [("again", good), ("without RequestId", without), ("408", http(408, _PAGE, "text/html"))]
        if self.refusal:
            strays.append(("a refusal", self.refusal))
        return strays

    def _send_surplus(self, writer: asyncio.StreamWriter, good: bytes, kind: str, stray: bytes) -> None:
        late = self.random.random() < 0.6
        self.store.surplus[f"{kind}, {'late' if late else 'in one segment'}"] += 1
        if not late:
            writer.write(good + stray)
            return
        writer.write(good)
        seconds = self.random.random() * _MAX_LATE
        asyncio.get_running_loop().call_later(seconds, self._send_late, writer, stray)

    def _send_late(self, writer: asyncio.StreamWriter, stray: bytes) -> None:
        if not writer.is_closing():
            writer.write(stray)
