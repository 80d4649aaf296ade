"""Surplus responses: no call gets another call's record, and no create that happened is reported as refused.

    python -m tests.chaos.desync [--creates 5000] [--seed 1] [--engine native ...] [--cell https ...]

A server on real sockets carries out creates. With about every tenth response (``--every``) it sends a surplus
one: the same response again, the same without its RequestId, an earlier refusal, or a page of HTTP 408. The
surplus comes in the same flight as the good response; over TLS it is in the same record, in its own record,
or in half a record, whose rest comes during the next create. The server may also send an empty line, the end
of the connection, or new keys. A fifth of the connections get a response before they have sent a request, and
a fifth get their TLS tickets in two parts. Each outcome is compared with the store, over http and https,
directly and through a proxy, on both loops.

Work orders are created by WoCreateCommand. Its responses carry a RequestId, so no engine may be wrong.
Customers are created by a base create, whose responses carry none. Here the native engine may not be wrong,
because the surplus arrives before the next request leaves. Every client believes surplus that arrives later,
up to 20 ms after a response or after the connection was accepted; these creates are counted separately. The
exit status is 1 if an outcome is wrong that must be right.
"""

from __future__ import annotations

import asyncio
import collections
import select
import socket
import ssl
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any, cast

import attrs
from anyio.from_thread import start_blocking_portal

from tests.chaos.desync_server import BEFORE, LATE, Server, Store
from tests.support import arguments
from tests.support.certificate import certificate
from tests.support.serving import proxy
from wosdk_async import (
    CallOptions,
    Client,
    Credentials,
    InDoubtError,
    Limits,
    RefusedError,
    Region,
    RetryPolicy,
    WoCreateCommand,
    WorkOrder,
    WosdkError,
)

ENGINES = ("native", "http_client", *(["httpx2_client"] if find_spec("httpx2") else []))
LOOPS = ("asyncio", *(["uvloop"] if find_spec("uvloop") else []))
_WORKERS = 16
_REFUSED = 50  # the server refuses every 50th create


@attrs.frozen
class Cell:
    loop: str = "asyncio"
    tls: bool = False
    proxy: bool = False

    def __str__(self) -> str:
        return f"{self.loop} http{'s' * self.tls} {'proxy' if self.proxy else 'direct'}"


CELLS = tuple(Cell(*each) for each in product(LOOPS, (False, True), (False, True)))


@attrs.define
class Tally:
    """Outcomes of the calls; ``wrong`` has those that the store contradicts."""

    outcomes: collections.Counter[str] = attrs.field(factory=collections.Counter)
    wrong: list[str] = attrs.field(factory=list)

    def note(self, key: str, id: int | None, error: WosdkError | None, store: Store) -> None:
        """Compare the outcome of a call with what is stored for its key."""
        stored = store.made[key]
        if len(stored) > 1:
            self.wrong.append(f"{key} is stored {len(stored)} times")
        if isinstance(error, InDoubtError):
            self.outcomes[f"in doubt ({store.behind.get(key, 'nothing with its response')})"] += 1
        elif error is not None:
            self.outcomes["refused" if isinstance(error, RefusedError) else type(error).__name__] += 1
            if stored:
                self.wrong.append(f"{key} is stored, and its call raised {type(error).__name__}")
        else:
            self.outcomes["done"] += 1
            if stored != [id]:
                self.wrong.append(f"{key} has the record {id} as its result, and is stored as {stored}")


async def create_work_order(company: Any, key: str) -> int | None:
    """Create a work order by a command; return None if the result is another call's record."""
    command = WoCreateCommand(work_order=WorkOrder(po_number=key))
    made = (await company.run(command, check=False)).wo
    return None if made is None or made.po_number != key else int(made.id)


async def create_customer(company: Any, key: str) -> int | None:
    """Create a customer by a base create."""
    return int((await company.create("Customer", {"Name": key}, check=False)).id)


ROWS: dict[str, tuple[Callable[[Any, str], Any], tuple[str, ...]]] = {
    "commands": (create_work_order, BEFORE + LATE),
    "base creates": (create_customer, BEFORE),
    "base creates, late": (create_customer, LATE),
}
"""Create functions and kinds of surplus, by name."""


def must_be_right(engine: str, row: str) -> bool:
    """Return whether all outcomes of these creates must be right."""
    return row == "commands" or (engine == "native" and row == "base creates")


def run(engine: str, row: str, cell: Cell, creates: int, every: int, seed: int) -> Tally:
    """Create ``creates`` records over ``engine`` and compare each outcome with the store."""
    create, kinds = ROWS[row]
    store, outcomes = Store(), list[tuple[str, int | None, WosdkError | None]]()
    server = Server(store, kinds, every, seed, tls=cell.tls)
    by_proxy = (
        cell.proxy and not cell.tls
    )  # the proxy speaks first, because it contacts the server only after its client has sent something
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())  # the server runs in its own thread
        apart = portal.wrap_async_context_manager
        stack.enter_context(apart(server.running(greeting=not by_proxy)))
        greet = server.greeting if by_proxy else lambda _: b""
        port = stack.enter_context(apart(proxy(greet))) if cell.proxy else 0
        waits = not cell.tls and "late" not in kinds
        with asyncio.Runner(
            loop_factory=lambda: _loop(cell.loop, server.greets if waits else None)
        ) as runner:
            url = f"http://127.0.0.1:{port}" if port else None
            runner.run(_send(engine, server.url, url, create, creates, outcomes))
    tally = Tally()
    for key, id, error in outcomes:
        tally.note(key, id, error, store)
    tally.outcomes["surplus"] = store.sent.total()
    return tally


def _loop(name: str, greets: dict[int, bool] | None) -> asyncio.AbstractEventLoop:
    """Return a loop whose new connections wait for a response on accept, if the server sends one.

    If such a response arrived after the request left, it would look like the response to the request.
    """
    base: Any = import_module("uvloop").Loop if name == "uvloop" else asyncio.SelectorEventLoop

    async def sock_connect(self: Any, sock: socket.socket, address: Any) -> None:
        await base.sock_connect(self, sock, address)
        port = sock.getsockname()[1]
        # The server is in another thread: it cannot set an event.
        while greets is not None and (port not in greets or (greets[port] and not _readable(sock))):
            await asyncio.sleep(0.0002)

    return cast(asyncio.AbstractEventLoop, type("Loop", (base,), {"sock_connect": sock_connect})())


def _readable(sock: socket.socket) -> bool:
    return bool(select.select([sock], (), (), 0)[0])


async def _send(
    engine: str,
    server: str,
    proxy: str | None,
    create: Callable[[Any, str], Any],
    creates: int,
    outcomes: list[tuple[str, int | None, WosdkError | None]],
) -> None:
    numbers = iter(range(creates))
    options = CallOptions(deadline=20, retry=RetryPolicy(attempts=8, wait_initial=0.001))
    settings: dict[str, Any] = {"options": options, "limits": Limits(connections=_WORKERS)}
    trusted = ssl.create_default_context(cafile=certificate()) if server.startswith("https") else None
    library: Any = import_module("httpx2" if engine == "httpx2_client" else "httpx")

    async def work(company: Any) -> None:
        for number in numbers:
            refuse = create is create_work_order and number % _REFUSED == 0
            key = f"{'refuse' if refuse else 'key'}-{number}"
            try:
                outcomes.append((key, await create(company, key), None))
            except WosdkError as raised:
                outcomes.append((key, None, raised))

    async with library.AsyncClient(trust_env=False, proxy=proxy, verify=trusted or True) as own:
        if engine == "native":
            settings |= {"proxy": proxy, "trust_env": False, "ssl_context": trusted}
        else:
            settings["http_client"] = own
        region = Region("local", locator_url=server, token_url=f"{server}/token")
        credentials = Credentials("id", "secret")
        async with Client(region=region, credentials=credentials, company="Acme", **settings) as client:
            company = client.company()
            if create is create_work_order:
                # The client must first learn that the host echoes RequestIds in errors and results. Until
                # then it believes responses without one.
                await asyncio.gather(create(company, "refuse-first"), return_exceptions=True)
                await create(company, "key-first")
            await asyncio.gather(*(work(company) for _ in range(_WORKERS)))


def main() -> int:
    """Run the campaign; return 1 if an outcome is wrong that must be right."""
    parser = arguments.parser("tests.chaos.desync", __doc__)
    parser.add_argument(
        "--creates", type=arguments.count, default=5000, metavar="N", help="creates of each kind in a cell"
    )
    parser.add_argument(
        "--every", type=arguments.count, default=10, metavar="N", help="good responses for a surplus one"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the surplus responses")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; may be repeated")
    parser.add_argument(
        "--cell", default="", help="only cells with this in their name, such as 'https proxy'"
    )
    args = parser.parse_args()
    failed = False
    cells = [cell for cell in CELLS if args.cell in str(cell)]
    for engine, cell, row in product(args.engine or ENGINES, cells, ROWS):
        started = time.perf_counter()
        tally = run(engine, row, cell, args.creates, args.every, args.seed)
        ends = ", ".join(f"{count} {name}" for name, count in sorted(tally.outcomes.items()))
        seconds = time.perf_counter() - started
        found = f"wrong {len(tally.wrong):>4} of {args.creates}: {ends}; {seconds:.1f} s"
        print(f"{engine:<13} {cell!s:<20} {row:<18} {found}", flush=True)
        if must_be_right(engine, row) and tally.wrong:
            failed = True
            print("\n".join(f"    {fault}" for fault in tally.wrong[:10]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
