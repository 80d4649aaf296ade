"""Surplus responses: no record is given to another call, and no create that happened is called refused.

    python -m benchmarks.desync [--creates 5000] [--seed 1] [--engine native ...]

A server on a real socket creates what it is asked to, and sends every tenth response (``--every``) a second
time or something like it: whole, without its RequestId, as a refusal that was sent before, as a page of HTTP
408; in the same segment as the good response, or up to 20 ms later. Then each outcome is compared with
what the server has stored. Work orders are created by WoCreateCommand, whose responses carry a RequestId, and
customers by a base create, whose responses do not: there a surplus response that comes after the next request
has left is believed, and is counted. The exit status is 1 when an outcome of a command was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import httpx

from wosdk_async import (
    Client,
    Credentials,
    InDoubtError,
    Limits,
    RefusedError,
    Region,
    WoCreateCommand,
    WorkOrder,
    WosdkError,
)

ENGINES = ("native", "httpx", "http_client")
_LATE = 0.020  # seconds after the good response at the most
_WORKERS = 16
_REFUSED = 50  # the server refuses every 50th create
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
                await asyncio.sleep(self.random.random() * 0.002)
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

    def _created(self, path: str, asked: Any) -> tuple[bytes, bytes]:
        """Create the record; return the response, and the same without its RequestId."""
        if "/cmd/" not in path:
            key = asked["Entity"]["Name"]
            made = {"EntitySpecifier": {"EntityType": "Customer", "Id": self.store.create(key)}}
            return json_response(made), json_response(made)
        key, echo = asked["Command"]["WorkOrder"]["PoNumber"], {"RequestId": asked["RequestId"]}
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
        seconds = self.random.random() * _LATE
        asyncio.get_running_loop().call_later(seconds, self._send_late, writer, stray)

    def _send_late(self, writer: asyncio.StreamWriter, stray: bytes) -> None:
        if not writer.is_closing():
            writer.write(stray)


@attrs.define
class Tally:
    """Outcomes of the calls, and which of them the store contradicts."""

    ends: collections.Counter[str] = attrs.field(factory=collections.Counter)
    wrong: list[str] = attrs.field(factory=list)

    def note(self, key: str, id: int | None, error: WosdkError | None, stored: list[int]) -> None:
        """Compare the outcome of a call with the ids that are stored for its key."""
        if len(stored) > 1:
            self.wrong.append(f"{key} is there {len(stored)} times")
        if isinstance(error, InDoubtError):
            self.ends["in doubt"] += 1
        elif error is not None:
            self.ends["refused" if isinstance(error, RefusedError) else type(error).__name__] += 1
            if stored:
                self.wrong.append(f"{key} is there, and its call raised {type(error).__name__}")
        else:
            self.ends["done"] += 1
            if stored != [id]:
                self.wrong.append(f"{key} was given the record {id}, and is there as {stored}")


async def create_work_order(company: Any, key: str) -> int | None:
    """Create a work order by a command; return None for a record of another call."""
    command = WoCreateCommand(work_order=WorkOrder(po_number=key))
    made = (await company.run(command, check=False)).wo
    return None if made is None or made.po_number != key else int(made.id)


async def create_customer(company: Any, key: str) -> int | None:
    """Create a customer by a base create."""
    return int((await company.create("Customer", {"Name": key}, check=False)).id)


async def run(engine: str, create: Callable[[Any, str], Any], creates: int, every: int, seed: int) -> Tally:
    """Create ``creates`` records over ``engine`` and compare each outcome with the store."""
    tally, store = Tally(), Store()
    numbers = iter(range(creates))

    async def work(company: Any) -> None:
        for number in numbers:
            refuse = create is create_work_order and number % _REFUSED == 0
            key = f"{'refuse' if refuse else 'key'}-{number}"
            id, error = None, None
            try:
                id = await create(company, key)
            except WosdkError as raised:
                error = raised
            tally.note(key, id, error, store.made[key])

    async with Server(store, every, seed).running() as server:
        region = Region("local", locator_url=server.url, token_url=f"{server.url}/token")
        settings: dict[str, Any] = {"region": region, "credentials": Credentials("id", "secret")}
        settings["limits"] = Limits(connections=_WORKERS)
        async with httpx.AsyncClient(trust_env=False) as own:
            settings |= {"httpx": {"http2": True}, "http_client": {"http_client": own}}.get(engine, {})
            async with Client(**settings, company="Acme") as client:
                company = client.company()
                if (
                    create is create_work_order
                ):  # the host is seen to echo RequestIds in errors, as the service does
                    await asyncio.gather(create(company, "refuse-first"), return_exceptions=True)
                await asyncio.gather(*(work(company) for _ in range(_WORKERS)))
    tally.ends["surplus responses"] = sum(store.surplus.values())
    return tally


def main() -> int:
    """Run the campaign; return 1 if an outcome of a command was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--creates", type=int, default=5000, help="of each kind over each engine")
    parser.add_argument("--every", type=int, default=10, help="a surplus response for so many good ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; may be repeated")
    args = parser.parse_args()
    failed = False
    for engine in args.engine or ENGINES:
        for kind, create in (("commands", create_work_order), ("base creates", create_customer)):
            began = time.perf_counter()
            tally = asyncio.run(run(engine, create, args.creates, args.every, args.seed))
            ends = ", ".join(f"{count} {name}" for name, count in sorted(tally.ends.items()))
            seconds = time.perf_counter() - began
            found = f"wrong {len(tally.wrong):>4} of {args.creates}: {ends}; {seconds:.1f} s"
            print(f"{engine:<12} {kind:<13} {found}", flush=True)
            if create is create_work_order and tally.wrong:
                failed = True
                print("\n".join(f"    {fault}" for fault in tally.wrong[:10]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
