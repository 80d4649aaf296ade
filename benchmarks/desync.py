"""Surplus responses: no record is given to another call, and no create that happened is called refused.

    python -m benchmarks.desync [--creates 5000] [--seed 1] [--engine native ...]

A server on a real socket carries out creates. Behind every tenth response (``--every``) it sends a surplus
one: the same again, the same without its RequestId, a refusal that was sent before, or a page of HTTP 408.
It comes in the same segment as the good response, or up to 20 ms later. Then each outcome is compared with
the store. Work orders are created by WoCreateCommand, whose responses carry a RequestId, and customers by a
base create, whose responses do not: there a surplus response that comes after the next request has left is
believed, and is counted. The exit status is 1 when an outcome of a command was wrong.
"""

from __future__ import annotations

import asyncio
import collections
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import attrs

from benchmarks import arguments
from benchmarks.desync_server import Server, Store
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

ENGINES = ("native", "httpx", "http_client", *(["httpx2_client"] if find_spec("httpx2") else []))
_WORKERS = 16
_REFUSED = 50  # the server refuses every 50th create


@attrs.define
class Tally:
    """Outcomes of the calls, and those that the store contradicts."""

    outcomes: collections.Counter[str] = attrs.field(factory=collections.Counter)
    wrong: list[str] = attrs.field(factory=list)

    def note(self, key: str, id: int | None, error: WosdkError | None, stored: list[int]) -> None:
        """Compare the outcome of a call with the ids that are stored for its key."""
        if len(stored) > 1:
            self.wrong.append(f"{key} is stored {len(stored)} times")
        if isinstance(error, InDoubtError):
            self.outcomes["in doubt"] += 1
        elif error is not None:
            self.outcomes["refused" if isinstance(error, RefusedError) else type(error).__name__] += 1
            if stored:
                self.wrong.append(f"{key} is stored, and its call raised {type(error).__name__}")
        else:
            self.outcomes["done"] += 1
            if stored != [id]:
                self.wrong.append(f"{key} has the record {id} as its result, and is stored as {stored}")


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
        library: Any = import_module("httpx2" if engine == "httpx2_client" else "httpx")
        async with library.AsyncClient(trust_env=False) as own:
            if engine.endswith("_client"):
                settings["http_client"] = own
            settings["http2"] = engine == "httpx"
            async with Client(**settings, company="Acme") as client:
                company = client.company()
                if create is create_work_order:  # the client learns that the host echoes RequestIds in errors
                    await asyncio.gather(create(company, "refuse-first"), return_exceptions=True)
                await asyncio.gather(*(work(company) for _ in range(_WORKERS)))
    tally.outcomes["surplus responses"] = sum(store.surplus.values())
    return tally


def main() -> int:
    """Run the campaign; return 1 if an outcome of a command was wrong."""
    parser = arguments.parser("benchmarks.desync", __doc__)
    parser.add_argument(
        "--creates", type=arguments.count, default=5000, metavar="N", help="creates of each kind and engine"
    )
    parser.add_argument(
        "--every", type=arguments.count, default=10, metavar="N", help="good responses for a surplus one"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the surplus responses")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one; may be repeated")
    args = parser.parse_args()
    failed = False
    for engine in args.engine or ENGINES:
        for kind, create in (("commands", create_work_order), ("base creates", create_customer)):
            started = time.perf_counter()
            tally = asyncio.run(run(engine, create, args.creates, args.every, args.seed))
            ends = ", ".join(f"{count} {name}" for name, count in sorted(tally.outcomes.items()))
            seconds = time.perf_counter() - started
            found = f"wrong {len(tally.wrong):>4} of {args.creates}: {ends}; {seconds:.1f} s"
            print(f"{engine:<13} {kind:<13} {found}", flush=True)
            if create is create_work_order and tally.wrong:
                failed = True
                print("\n".join(f"    {fault}" for fault in tally.wrong[:10]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
