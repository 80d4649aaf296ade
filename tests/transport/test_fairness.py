"""Companies share a client: hosts that hang, and thousands at once, on real sockets and few files."""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import time
from statistics import quantiles
from typing import Any

import pytest

from tests.engine.raw import RawServer, echoing, empty, get
from tests.support.laws import each_of
from tests.support.preloaded import python
from tests.support.service import Answer, Request, Service
from tests.transport.script import FOUND, hang
from wosdk_async import Client, Company, Limits
from wosdk_async.transport.http.native.engine import NativeEngine
from wosdk_async.transport.http.selection import connection_ceiling

HANGING = 50
SECONDS = 0.02  # that a healthy host takes to respond


def company_of(request: Request) -> str:
    return request.headers["companyname"]


async def hang_or_respond(request: Request) -> Answer:
    if company_of(request).startswith("Hanging"):
        await hang(request)
    await asyncio.sleep(SECONDS)
    return FOUND


async def offer(company: Company, rounds: int, first: asyncio.Event | None = None) -> list[float]:
    """Offer 4 calls at a time, ``rounds`` times, and return the seconds that each took."""
    seconds = []

    async def one_after_the_other() -> None:
        for _ in range(rounds):
            begun = time.perf_counter()
            await company.get("Thing", 1)
            seconds.append(time.perf_counter() - begun)
            if first is not None:
                first.set()

    await asyncio.gather(*(one_after_the_other() for _ in range(4)))
    return seconds


async def let_companies_hang(client: Client, service: Service) -> list[asyncio.Task[object]]:
    """Let 50 Companies offer 32 calls each; return when their hosts have all that will come."""
    companies = [client.company(f"Hanging {number}") for number in range(HANGING)]
    await asyncio.gather(*(company.connect() for company in companies))
    tasks = [asyncio.create_task(company.get("Thing", 1)) for company in companies for _ in range(32)]
    while sum(company_of(call).startswith("Hanging") for call in service.calls) < 4 * HANGING:
        await asyncio.sleep(0)
    return tasks


def p99(seconds: list[float]) -> float:
    return quantiles(seconds, n=100)[-1]


@pytest.mark.parametrize("begins", ["before", "after"])
async def test_companies_that_hang_do_not_delay_a_healthy_one(begins: str) -> None:
    """Its slowest calls are as fast as those of a client that it has for itself, at the same time.

    Whatever else the machine does delays both, as a rule. A stall may fall on one of them, but not each time.
    """
    delays = [await delay_of_a_healthy_one(begins)]
    while delays[-1] > 2 and len(delays) < 3:
        delays.append(await delay_of_a_healthy_one(begins))
    assert min(delays) <= 2, delays


async def delay_of_a_healthy_one(begins: str) -> float:
    """Return its slowest calls beside Companies that hang, divided by those of its own client."""
    async with (
        Service(hang_or_respond) as service,
        service.client() as shared,
        service.client() as own,
        asyncio.timeout(30),
    ):
        beside, alone = (client.company("Healthy").with_options(deadline=5.0) for client in (shared, own))
        await asyncio.gather(beside.connect(), alone.connect())
        started = asyncio.Event()
        if begins == "before":
            measured = asyncio.gather(offer(beside, 100, started), offer(alone, 100))
            await started.wait()
            hanging = await let_companies_hang(shared, service)
        else:
            hanging = await let_companies_hang(shared, service)
            measured = asyncio.gather(offer(beside, 60), offer(alone, 60))
        with_others, by_itself = await measured
        assert shared.stats().queued > 0, "the others want more than they get"
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        assert (shared.stats().in_flight, shared.stats().queued) == (0, 0)
    return p99(with_others) / p99(by_itself)


async def test_more_connections_than_usual_are_only_for_the_shares_of_companies() -> None:
    """One Company stays within the limit. Many go beyond it, and no more than it allows are kept idle."""
    go = asyncio.Event()

    async def respond_together(_: Request) -> Answer:
        await go.wait()
        return FOUND

    limits = Limits(connections=6)
    async with (
        Service(respond_together) as service,
        service.client(limits=limits) as client,
        asyncio.timeout(30),
    ):
        for names, calls, under_way in (("A", 20, 6), ("ABCDEFGHIJ", 20, 6 + 9 * 4)):
            go.clear()
            companies = [client.company(name) for name in names]
            await asyncio.gather(*(company.connect() for company in companies))
            before = len(service.calls)
            tasks = [asyncio.create_task(each.get("Thing", 1)) for each in companies for _ in range(calls)]
            while len(service.calls) - before < under_way:
                await asyncio.sleep(0)
            stats = client.stats()
            assert (stats.in_flight, stats.queued) == (under_way, len(tasks) - under_way)
            go.set()
            await asyncio.gather(*tasks)
            stats = client.stats()
            assert (stats.connections_busy, stats.connections_idle) == (0, 6)


@pytest.mark.parametrize("usual", [2, 9])
async def test_a_burst_ends_at_the_ceiling_of_an_engine(usual: int) -> None:
    """An idle connection makes room for one more, one in use does not; requests beyond the ceiling wait."""
    made, most = NativeEngine(limits=Limits(connections=usual), ceiling=5), min(usual, 5)
    async with RawServer(echoing) as first, RawServer(echoing) as second, asyncio.timeout(10):
        await asyncio.gather(*(get(made, f"{first.url}/0") for _ in range(most)))
        urls = [f"{first.url}/0", *(f"{second.url}/{number}" for number in range(1, 10))]
        calls = asyncio.gather(*(get(made, url) for url in urls))
        await asyncio.sleep(0)
        now = made.statistics()
        assert (now.busy, now.idle, now.waiting) == (5, 0, 5)
        assert [response.body for response in await calls] == [b"/%d" % number for number in range(10)]
        assert (first.connections, second.connections <= 5) == (most, True)
        now = made.statistics()
        assert (now.busy, now.idle, now.waiting) == (0, most, 0)
        await made.aclose()
    empty(made)


# --- few files ----------------------------------------------------------------------------------


@each_of(
    ("files", "wanted", "ceiling"),
    [(1024, 100, 336), (1024, 500, 672), (1024, 5000, 672), (256, 100, 48), (80, 100, 16)],
)
def test_a_burst_takes_half_of_the_files_and_a_client_what_it_wants(
    files: int, wanted: int, ceiling: int
) -> None:
    """As long as that leaves room for log-ins, downloads, name look-ups and the program."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, before[1]))
    try:
        assert connection_ceiling(wanted) == ceiling
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


PROGRAM = """
import asyncio, json, os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (512, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from wosdk_async import CallOptions, Client, Credentials, Region

async def call(client, number):
    try:
        await client.company(f"Company {number}").get("Thing", 1)
        return "served"
    except Exception as error:
        return f"{type(error).__name__}: {error}"

async def main():
    region = Region("test", locator_url=url, token_url=url + "/OAuth/token")
    options = CallOptions(deadline=90.0)
    async with Client(credentials=Credentials("id", "secret"), region=region, options=options) as client:
        calls = [asyncio.create_task(call(client, number)) for number in range(520)]
        while client.stats().connections_busy <= 110:
            await asyncio.sleep(0.05)
        files = [open(os.devnull) for _ in range(130)]
        ends = await asyncio.gather(*calls)
        print(json.dumps([len(files), client.stats().connections_idle, sorted(set(ends))]))

url = sys.argv[1]
asyncio.run(main())
"""


async def run(program: str, *arguments: str) -> Any:
    """Run a program of its own, which may set its limit of files, and return what it prints."""
    process = python(program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said, errors = await asyncio.to_thread(process.communicate)
    assert (errors, process.returncode) == ("", 0)
    return json.loads(said)


@pytest.mark.plain("the number of files is the same with TLS")
async def test_more_companies_than_files_log_in_and_call() -> None:
    """All are served under ``ulimit -n 512``, and the program can open files meanwhile. No host responds
    before the last log-in, so as many calls are under way as may be.
    """

    async def respond(_: Request) -> Answer:
        await all_in.wait()
        return FOUND

    def discover(request: Request) -> Answer:
        if len(service.discoveries) >= 520:
            all_in.set()
        found = discovery(request)
        assert isinstance(found, Answer)
        return found

    all_in = asyncio.Event()
    async with Service(respond) as service:
        discovery, service.on_discovery = service.on_discovery, discover
        opened, idle, ends = await run(PROGRAM, service.url)
    assert (opened, ends) == (130, ["served"])
    assert idle <= 100
