"""A machine whose memory is used up: an error of ours says so, never a bare MemoryError."""

from __future__ import annotations

import asyncio
import functools
import gzip
import random
import sys

import pytest

from tests.support.laws import some
from tests.support.service import Answer, Request, Service

PROGRAM = """
import asyncio, re, resource, sys
import LIBRARY as library
from wosdk_async import CallOptions, Client, Credentials, Customer, Region, RetryPolicy, WosdkError

async def said(call):
    try:
        await call
    except WosdkError as error:
        print(type(error).__name__, error)

async def main(kind, url):
    async with library.AsyncClient(trust_env=False) as own:
        way = {"http_client": own} if kind == "http_client" else {}
        region = Region("test", locator_url=url, token_url=f"{url}/OAuth/token")
        options = CallOptions(retry=RetryPolicy(attempts=1))
        login = {"region": region, "credentials": Credentials("id", "secret"), "company": "Acme"}
        async with Client(**login, **way, options=options, trust_env=False) as client:
            acme = client.company()
            await acme.get(Customer, 1)
            await acme.documents.download(1)
            used = int(re.search(r"VmSize:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
            before = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (used + 24 * 1024 * 1024, before[1]))
            for id in (2, 3):
                await said(acme.get(Customer, id))
                await said(acme.documents.download(id))
            assert (await acme.get(Customer, 1)).id == 1
            resource.setrlimit(resource.RLIMIT_AS, before)

asyncio.run(main(*sys.argv[1:]))
"""


def record(name: str) -> bytes:
    return b'{"Data":{"Id":1,"Name":"%b"}}' % name.encode()


@functools.cache
def too_long() -> bytes:
    """Return a record for which there is not enough memory; it shrinks 100 times."""
    draw = random.Random(1)
    return record("".join(f"{draw.randbytes(400).hex():x<80000}" for _ in range(400)))


@functools.cache
def packed() -> bytes:
    return gzip.compress(too_long(), 1)


def answer(request: Request) -> Answer:
    """Of record and file 1 little, of 2 more than there is memory for, of 3 the same compressed."""
    if request.path.endswith("GetDocDownloadUrlCommand"):
        id = request.json["Command"]["DocumentIds"][0]
        url = f"http://{request.headers['host']}/file/{id}"
        return Answer(body={"CommandResult": {"Results": [{"DocumentId": id, "Url": url}]}})
    if "/base/Document/" in request.path:
        return Answer(body={"Data": {"StorageTypeId": "Cloud"}})
    id = int(request.path.partition("?")[0].rpartition("/")[2])
    if id < 3:
        return Answer(body=record("") if id == 1 else too_long())
    return Answer(body=packed(), headers={"Content-Encoding": "gzip"})


@pytest.mark.parametrize(
    ("kind", "library"), some([("native", "httpx"), ("http_client", "httpx"), ("http_client", "httpx2")], 2)
)
@pytest.mark.plain("OpenSSL, in C, fails otherwise without memory")
async def test_memory_that_is_used_up_is_an_error_of_ours(kind: str, library: str) -> None:
    """Of a call and of a download, and the client goes on."""
    async with Service(answer) as service:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM.replace("LIBRARY", library), kind, service.url, stdout=-1, stderr=-1
        )
        said, errors = (text.decode() for text in await process.communicate())
    assert (errors, process.returncode) == ("", 0)
    kinds = [line.partition(" ")[0] for line in said.splitlines()]
    assert kinds == ["NoAnswerError", "DownloadError"] * 2
    assert said.count("memory") == 4
