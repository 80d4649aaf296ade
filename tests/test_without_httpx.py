"""Programs without httpx, or without httpx2, too: all works but mocks and clients of what is not there.

Each runs in an interpreter of its own that does not find the packages, over real sockets.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.raw import RawServer, responding

ROOT = Path(__file__).parents[1]
HTTPX = ("httpx", "httpcore", "respx", "pytest_httpx", "pytest_httpx2")  # the last three need httpx
HTTPX2 = ("httpx2", "httpcore2", "truststore")

REMOVING = """
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {names} else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run Python where the packages ``without`` are not installed."""

    def run(
        *arguments: object, without: tuple[str, ...] = HTTPX, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "sitecustomize.py").write_text(REMOVING.format(names=without))
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        environ = {**kept, "PYTHONPATH": f"{tmp_path}:{ROOT}", **variables}
        return subprocess.run(
            [sys.executable, "-Werror", *map(str, arguments)],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lines of a program that ended well."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


ORDERS = """
import asyncio, sys
from wosdk_async import Client, ConfigurationError, Ref, WoCreateCommand, WoItem, WorkOrder, WOType
from wosdk_async.sandbox import LocalCompany
from tests.engine.proxy import Proxy

ORDER = WorkOrder(
    items=[WoItem(asset=Ref(20440), task=Ref(14211))],
    customer=Ref(512), sub_type=Ref(259), type_category=WOType.Request,
)

async def orders(client):
    acme = client.company()
    made = await acme.run(WoCreateCommand(work_order=ORDER, compute_schedule=True))
    document = await acme.documents.attach(made.wo, b"bytes", file_name="a.txt")
    file = await acme.documents.download(document)
    return made.wo.id == (await acme.get(WorkOrder, made.wo.id)).id, file

async def native(variables):
    async with Client.from_env(variables) as client:
        print(*await orders(client))
    async with Proxy() as proxy:
        async with Client.from_env(variables, proxy=f"http://{proxy.address}") as client:
            print(*await orders(client), len(proxy.heads) > 0)
"""

WITH_HTTPX2 = """
import httpx2

async def main(variables):
    await native(variables)
    async with httpx2.AsyncClient(trust_env=False) as http:
        async with Client.from_env(variables, http_client=http) as client:
            print(*await orders(client))
    async with httpx2.AsyncHTTPTransport() as transport:
        async with Client.from_env(variables, transport=transport) as client:
            print(*await orders(client))

with LocalCompany() as local:
    asyncio.run(main(local.variables))
print([name for name in sys.modules if name.partition(".")[0] in ("httpx", "httpcore")])
"""


def test_with_httpx2_alone_calls_go_every_way(run: Run) -> None:
    """By our engine, through a proxy, and over parts of httpx2; files too."""
    assert said(run("-c", ORDERS + WITH_HTTPX2)) == [
        "True b'bytes'",
        "True b'bytes' True",
        "True b'bytes'",
        "True b'bytes'",
        "[]",
    ]


WITHOUT_BOTH = """
import os

class Own:
    async def handle_async_request(self, request): ...

async def main(variables):
    await native(variables)
    async with Client.from_env(variables, transport=Own()) as client:
        try:
            await client.company().connect()
        except ConfigurationError as error:
            print(error.message)

from pathlib import Path
from wosdk_async.jobs.sources.spool import spool

print(spool(sys.argv[1] + "/rows.csv", Path(sys.argv[2])).read_text())
with LocalCompany() as local:
    asyncio.run(main(local.variables))
    os.environ |= local.variables
    sys.argv[1:] = ["get", "Customer", "512", "--json"]
    from wosdk_async.cli import main

    main()
"""


async def test_without_both_our_engine_sends(run: Run, tmp_path: Path) -> None:
    """Through proxies and files, an import reads a URL, and the command line works.

    A transport needs one of them, as the error says.
    """
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na,b"
    async with RawServer(responding(answer)) as server:
        program = ("-c", ORDERS + WITHOUT_BOTH, server.url, tmp_path)
        done = await asyncio.to_thread(run, *program, without=HTTPX + HTTPX2)
    lines = said(done)
    assert json.loads("".join(lines[4:]))["Id"] == 512
    assert lines[:4] == [
        "a,b",
        "True b'bytes'",
        "True b'bytes' True",
        "an Own is not from httpx or httpx2, and neither is installed: pip install httpx, or "
        "'wosdk_async[httpx2]'",
    ]


KIT = """
import pytest
from wosdk_async import Customer

async def test_a_company(wosdk_company):
    assert (await wosdk_company.get(Customer, 512)).id == 512

def test_mocks_of_httpx():
    with pytest.raises(ImportError, match=r"routes needs .*testing\\]' \\(respx and httpx\\); Mock"):
        from wosdk_async.testing import routes
"""

MOCK = """
import httpx2
from wosdk_async import Client, Credentials, Customer

def answer(request):
    found = {"Url": "https://acme.corrigo.com/", "CompanyName": "Acme", "CompanyId": 1}
    body = {"access_token": "a", "expires_in": 1199, "CommandResult": found, "Data": {"Id": 7}}
    return httpx2.Response(200, json=body)

async def test_a_transport_that_responds():
    login = {"credentials": Credentials("a", "b"), "company": "Acme"}
    async with Client(**login, transport=httpx2.MockTransport(answer)) as client:
        assert (await client.company().get(Customer, 7)).id == 7

async def test_a_patch(monkeypatch):
    async def patched(_, request):
        return answer(request)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", patched)
    async with Client(credentials=Credentials("a", "b"), company="Acme") as client:
        assert (await client.company().get(Customer, 7)).id == 7
"""


@pytest.mark.parametrize("without", [HTTPX, HTTPX + HTTPX2], ids=["httpx2", "neither"])
def test_the_fixtures_for_tests(run: Run, tmp_path: Path, without: tuple[str, ...]) -> None:
    """The Company of a test; of mocks those of httpx2, and the error that says what those of httpx need."""
    (tmp_path / "test_kit.py").write_text(KIT + (MOCK if without == HTTPX else ""))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function"
    )
    plugins = ("-p", "pytest_asyncio.plugin", "-p", "wosdk_async.testing.plugin")
    done = run("-m", "pytest", "-q", *plugins, without=without, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert said(done)[-1].startswith("4 passed" if without == HTTPX else "2 passed")
