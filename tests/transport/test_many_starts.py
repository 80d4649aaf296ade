"""More Companies start at once than their process may open files."""

from __future__ import annotations

import asyncio
import subprocess

from tests.support.preloaded import python
from tests.support.service import Answer, Request, Service

STARTS = """
import asyncio, os, resource, sys
from wosdk_async import Client, Credentials, Region

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
url, hanging = sys.argv[1], int(sys.argv[2])
files = []


async def opened(client, name):
    try:
        await client.company(name).with_options(deadline=90.0).connect()
    except OSError as error:
        return type(error).__name__
    files.append(len(os.listdir("/dev/fd")))
    return "opened"


async def main():
    region = Region("test", locator_url=url, token_url=url + "/OAuth/token")
    async with Client(credentials=Credentials("id-1", "secret"), region=region) as client:
        stuck = [asyncio.create_task(client.company(f"hangs {n}").connect()) for n in range(hanging)]
        found = await asyncio.gather(*(opened(client, f"c{n}") for n in range(270)))
        print(max(files), *sorted(set(found)))
        for task in stuck:
            task.cancel()
        await asyncio.gather(*stuck, return_exceptions=True)


asyncio.run(main())
"""


async def start(service: Service, hanging: int) -> str:
    process = python(STARTS, service.url, str(hanging), stdout=subprocess.PIPE, text=True)
    out, _ = await asyncio.to_thread(process.communicate)
    return str(out)


async def test_270_companies_start_under_a_limit_of_256_files() -> None:
    """All sessions are opened, beside locators that hang; most files stay free for the program."""
    async with Service() as service:
        discover = service.on_discovery

        async def discover_some(request: Request) -> Answer:
            if request.headers["companyname"].startswith("hangs"):
                await asyncio.Event().wait()
            found = discover(request)
            assert isinstance(found, Answer)
            return found

        service.on_discovery = discover_some
        files, *outcomes = (await start(service, 80)).split()
    assert outcomes == ["opened"]
    assert int(files) < 64 + 20


async def test_the_connections_of_log_ins_are_closed_soon() -> None:
    """Long before those of calls: each Company needs its own for a moment only."""
    async with Service() as service, service.client() as client:
        await asyncio.gather(*(client.company(f"c{number}").connect() for number in range(50)))
        async with asyncio.timeout(5):
            while service.open_connections:
                await asyncio.sleep(0.01)
        await client.company().get("Thing", 1)
