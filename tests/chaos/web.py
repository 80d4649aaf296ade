"""Load on the FastAPI example: a back end in its own process in front of a service with faults.

    python -m tests.chaos.web [--requests 500] [--at-once 50]

Prints JSON: statuses, latencies, faults. The exit status is 1 if a promise is broken: each key of a create
has exactly one order, each response is a result or a problem body, and no response is a 500.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx

from tests.support import arguments
from tests.support.sandbox_process import ORDER
from wosdk_async import Client, WoCreateCommand
from wosdk_async.sandbox import LocalCompany

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SEED = 15
REPEATS = 20  # maximum requests for one create, with the same key
STARTUP = 30.0  # seconds until the back end must be ready

FAULTS = {
    "seed": SEED,
    "rule": [
        {"fault": "reset", "operation": "WoCreateCommand", "carried_out": True, "rate": 0.05},
        {"fault": "status", "status": 503, "retry_after": 1, "rate": 0.02},
        {"fault": "latency", "fixed": 0.3, "rate": 0.05},
    ],
}


@attrs.define
class Load:
    web: httpx.AsyncClient
    statuses: Counter[int] = attrs.field(factory=Counter)
    seconds: list[float] = attrs.field(factory=list)
    repeats: int = 0
    unforeseen: list[str] = attrs.field(factory=list)
    orders: dict[str, set[int]] = attrs.field(factory=dict)
    """Ids in the responses, by key."""

    async def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        started = time.perf_counter()
        response = await self.web.request(method, path, **request)
        self.seconds.append(time.perf_counter() - started)
        self.statuses[response.status_code] += 1
        is_problem = response.headers.get("Content-Type") == "application/problem+json"
        if response.status_code == 500 or (response.status_code >= 400 and not is_problem):
            self.unforeseen.append(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response

    async def create(self, key: str) -> None:
        """Create an order as a careful caller does: after an error, repeat the request with the same key."""
        self.orders.setdefault(key, set())
        for _ in range(REPEATS):
            response = await self.send("POST", "/orders", json=ORDER, headers={"Idempotency-Key": key})
            if response.status_code in (200, 201):
                self.orders[key].add(response.json()["Id"])
                return
            self.repeats += 1
            await asyncio.sleep(float(response.headers.get("Retry-After", "1")))
        self.unforeseen.append(f"{key} was not created in {REPEATS} requests")


async def run_load(load: Load, requests: int, at_once: int) -> None:
    """Send creates (some of them twice with the same key), reads and lists."""
    rng = random.Random(SEED)
    keys = [f"web-{number:05}" for number in range(requests)]
    free = asyncio.Semaphore(at_once)

    async def one(number: int, kind: float) -> None:
        async with free:
            if kind < 0.6:
                await load.create(keys[number])
            elif kind < 0.7:
                await load.create(keys[max(0, number - at_once // 2)])
            elif kind < 0.85:
                await load.send("GET", "/orders", params={"limit": 20})
            else:
                made = [order for ids in load.orders.values() for order in ids]
                await load.send("GET", f"/orders/{rng.choice(made or [1])}")

    await asyncio.gather(*(one(number, rng.random()) for number in range(requests)))


@contextmanager
def back_end(environ: dict[str, str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as server:
        command = [sys.executable, "-m", "uvicorn", "--app-dir", str(EXAMPLES), "fastapi_app:app"]
        command += ["--fd", str(server.fileno()), "--log-level", "error"]
        process = subprocess.Popen(command, env={**os.environ, **environ}, pass_fds=[server.fileno()])
        try:
            address = f"http://127.0.0.1:{server.getsockname()[1]}"
            _wait_until_ready(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTUP
    while process.poll() is None and time.monotonic() < until:
        try:
            if httpx.get(f"{address}/readyz", timeout=STARTUP, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"the back end was not ready in {STARTUP:g} s")


async def stored(environ: dict[str, str], keys: list[str]) -> dict[str, list[int]]:
    """Return the ids of the service's orders for each key."""
    async with Client.from_env(environ) as client:
        found = await client.company().find_marked(WoCreateCommand, "work_order.po_number", keys)
    return {key: [order.id for order in orders] for key, orders in found.items()}


async def measure(requests: int, at_once: int) -> dict[str, Any]:
    with LocalCompany() as local, back_end(dict(local.variables)) as address:
        local.faults.load(FAULTS)
        limits = httpx.Limits(max_connections=at_once)
        async with httpx.AsyncClient(base_url=address, limits=limits, timeout=90, trust_env=False) as web:
            load = Load(web)
            started = time.perf_counter()
            await run_load(load, requests, at_once)
            seconds = time.perf_counter() - started
        injected = local.faults.injected
        local.faults.clear()
        there = await stored(dict(local.variables), list(load.orders))
    wrong = [key for key, ids in there.items() if len(ids) != 1 or {*ids} != load.orders[key]]
    timed = sorted(load.seconds)
    return {
        "requests": requests,
        "at_once": at_once,
        "responses": len(timed),
        "repeated": load.repeats,
        "statuses": dict(sorted(load.statuses.items())),
        "seconds": round(seconds, 2),
        "p50_ms": round(1000 * timed[len(timed) // 2], 1),
        "p99_ms": round(1000 * timed[len(timed) * 99 // 100], 1),
        "faults": injected,
        "keys": len(there),
        "keys_without_exactly_one_order": wrong,
        "unforeseen": load.unforeseen,
    }


def main() -> None:
    parser = arguments.parser("tests.chaos.web", __doc__)
    parser.add_argument("--requests", type=arguments.count, default=500, metavar="N", help="requests in all")
    parser.add_argument("--at-once", type=arguments.count, default=50, metavar="N", help="requests at a time")
    given = parser.parse_args()
    figures = asyncio.run(measure(given.requests, given.at_once))
    print(json.dumps(figures, indent=1))
    broken = figures["keys_without_exactly_one_order"] or figures["unforeseen"]
    sys.exit(1 if broken or not figures["faults"] else 0)


if __name__ == "__main__":
    main()
