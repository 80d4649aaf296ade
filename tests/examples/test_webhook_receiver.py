"""The receiver of events: what it takes, what it refuses, and that nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from docs.examples import webhook_receiver
from docs.examples.webhook_receiver import MAX_BODY, MAX_WAITING, Inbox, create_app
from tests.testing.orders import create_command
from wosdk_async import Company
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox

KEY = "k-4711"


def event(*records: dict[str, Any]) -> bytes:
    return json.dumps({"Entities": [{"Data": record} for record in records]}).encode()


@asynccontextmanager
async def receiver(sandbox: Sandbox, path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Run the receiver, and give requests to it."""
    app = create_app(sandbox.client, path, KEY, pause=0, tries=3)
    async with app.router.lifespan_context(app):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as web:
            yield web


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.db"


def kept(path: Path, columns: str = "id, number, status") -> list[tuple[Any, ...]]:
    """Return what the receiver has read."""
    db = sqlite3.connect(path)
    try:
        return db.execute(f"SELECT {columns} FROM orders ORDER BY id").fetchall()  # noqa: S608
    finally:
        db.close()


def waiting(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return int(db.execute("SELECT count(*) FROM events").fetchone()[0])
    finally:
        db.close()


async def all_read(path: Path) -> None:
    """Wait until every event was worked off."""
    async with asyncio.timeout(10):
        while waiting(path):
            await asyncio.sleep(0)


async def test_an_event_leads_to_the_state_of_its_order(
    wosdk_sandbox: Sandbox, wosdk_company: Company, path: Path
) -> None:
    """By id or by number, once or often; what else the event says is not believed."""
    await wosdk_company.run(create_command())
    async with receiver(wosdk_sandbox, path) as web:
        for body in (
            event({"Id": 1, "StatusId": "Cancelled"}),
            event({"Number": "RSC000001"}, {"Id": 1}),
            event({"Id": 1}),
        ):
            assert (await web.post(f"/events/{KEY}", content=body)).status_code == 204
        await all_read(path)
    assert kept(path) == [(1, "RSC000001", "New")]


async def test_an_order_that_is_not_there_is_forgotten(wosdk_sandbox: Sandbox, path: Path) -> None:
    async with receiver(wosdk_sandbox, path) as web:
        body = event({"Id": 999_999}, {"Number": "no such"})
        assert (await web.post(f"/events/{KEY}", content=body)).status_code == 204
        await all_read(path)
    assert kept(path) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"Entities": [{"Data": 5}]}',
        b'{"Entities": ' + b"[" * 100_000,
        event({"StatusId": "New"}),
        event({"Id": -1}),
        event({"Id": True}),
        event({"Id": 1}, {"Id": -1}),
        event({"Id": 10**30}),
        event({"Id": {"x": 1}}),
        event({"Number": "x" * 65}),
        event({"Number": "a\x00b"}),
        b" " * (MAX_BODY + 1),
    ],
    ids=range(14),
)
async def test_a_hostile_body_is_refused(wosdk_sandbox: Sandbox, path: Path, body: bytes) -> None:
    """With 400, and nothing is kept."""
    async with receiver(wosdk_sandbox, path) as web:
        response = await web.post(f"/events/{KEY}", content=body)
        assert response.status_code == 400
        assert waiting(path) == 0


async def test_the_key_of_the_address_is_needed(wosdk_sandbox: Sandbox, path: Path) -> None:
    async with receiver(wosdk_sandbox, path) as web:
        for wrong in ("k-4712", "é", KEY + "x"):
            assert (await web.post(f"/events/{wrong}", content=event({"Id": 1}))).status_code == 404
        assert (await web.get(f"/events/{KEY}")).status_code == 405
        assert waiting(path) == 0


async def test_a_failure_of_the_service_loses_nothing(
    wosdk_sandbox: Sandbox, wosdk_company: Company, wosdk_faults: Faults, path: Path
) -> None:
    """The event is answered at once, and read again until it works."""
    await wosdk_company.run(create_command())
    wosdk_faults.add("status", status=500, operation="retrieve", first=10)
    async with receiver(wosdk_sandbox, path) as web:
        assert (await web.post(f"/events/{KEY}", content=event({"Id": 1}))).status_code == 204
        await all_read(path)
    assert wosdk_faults.injected == {"status": 10}
    assert kept(path, "id") == [(1,)]


def failures(path: Path) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(path)
    try:
        return db.execute("SELECT key, tries FROM failures ORDER BY key").fetchall()
    finally:
        db.close()


async def test_an_order_that_cannot_be_read_is_put_aside(
    wosdk_sandbox: Sandbox, wosdk_company: Company, wosdk_faults: Faults, path: Path
) -> None:
    """It does not stop the others."""
    await wosdk_company.run(create_command())
    wosdk_faults.add("status", status=400, operation="retrieve", first=1)
    async with receiver(wosdk_sandbox, path) as web:
        body = event({"Id": 77}, {"Id": 1})
        assert (await web.post(f"/events/{KEY}", content=body)).status_code == 204
        await all_read(path)
    assert kept(path, "id") == [(1,)]
    assert failures(path) == [(77, 1)]


async def test_what_never_passes_is_not_tried_for_ever(
    wosdk_sandbox: Sandbox, wosdk_faults: Faults, path: Path
) -> None:
    wosdk_faults.add("status", status=500, operation="retrieve")
    async with receiver(wosdk_sandbox, path) as web:
        body = event({"Id": 77}, {"Id": 1})
        assert (await web.post(f"/events/{KEY}", content=body)).status_code == 204
        await all_read(path)
    assert failures(path) == [(1, 3), (77, 3)]


def test_a_failure_that_may_pass_waits_behind_the_others(path: Path) -> None:
    inbox = Inbox(path, tries=2)
    inbox.add([1])
    inbox.add([2])
    assert inbox.fail(1, 1, "x", passes=True)
    assert inbox.next() == (2, 2)
    inbox.finish(2, 2, None)
    assert inbox.next() == (1, 3)
    assert not inbox.fail(1, 3, "x", passes=True)
    assert inbox.next() is None
    inbox.close()


async def test_entries_count_and_not_bodies(wosdk_sandbox: Sandbox, path: Path) -> None:
    """More than can wait are refused for now, and none is kept."""
    body = b'{"Entities":[' + b",".join(b'{"Data":{"Id":%d}}' % n for n in range(1, MAX_WAITING + 2)) + b"]}"
    async with receiver(wosdk_sandbox, path) as web:
        response = await web.post(f"/events/{KEY}", content=body)
        assert (response.status_code, response.headers["Retry-After"]) == (503, "60")
        assert waiting(path) == 0


async def test_what_is_not_done_at_the_end_is_done_after_the_next_start(
    wosdk_sandbox: Sandbox, wosdk_company: Company, path: Path
) -> None:
    """As after a kill: the event is on the disk before it is answered."""
    await wosdk_company.run(create_command())
    inbox = Inbox(path)
    inbox.add([1])
    inbox.close()
    async with receiver(wosdk_sandbox, path):
        await all_read(path)
    assert kept(path, "id") == [(1,)]


def test_an_event_that_comes_while_its_order_is_read_is_not_forgotten(path: Path) -> None:
    inbox = Inbox(path)
    inbox.add([1])
    assert inbox.next() == (1, 1)
    inbox.add([1, "RSC000002"])
    inbox.finish(1, 1, None)
    assert inbox.next() == (1, 2)
    inbox.finish(1, 2, None)
    assert inbox.next() == ("RSC000002", 2)
    inbox.close()


async def test_the_access_log_of_the_server_does_not_show_the_key(tmp_path: Path) -> None:
    """As docs/webhooks.md starts it: a path of uvicorn's log holds whatever was asked for."""
    folder = Path(webhook_receiver.__file__).parent
    variables = {"COMPANY": "Acme", "CLIENT_ID": "id-1", "CLIENT_SECRET": "s3cr3t-do-not-print"}
    environ = os.environ | {f"WOSDK_{name}": value for name, value in variables.items()}
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "uvicorn", "--port", "0", "--app-dir", str(folder), "webhook_receiver:app"),
        cwd=tmp_path,
        env=environ | {"WEBHOOK_KEY": KEY},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert server.stdout is not None
    output = b""
    try:
        async with asyncio.timeout(30):
            while (address := re.search(rb"running on (http://[0-9.:]+)", output)) is None:
                output += await server.stdout.readline()
            async with httpx.AsyncClient(base_url=address[1].decode()) as web:
                for key, status in ((KEY, 400), ("wrong", 404)):
                    assert (await web.post(f"/events/{key}", content=b"{}")).status_code == status
            server.terminate()
            output += await server.stdout.read()
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()
    assert output.count(b"/events/***") == 2
    assert KEY.encode() not in output
