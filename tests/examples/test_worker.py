"""The worker: every work order is processed, also when it is stopped, killed, or in doubt."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from docs.examples import worker
from docs.examples.worker import Store, follow
from tests.support.preloaded import python
from tests.support.waiting import until_true
from tests.testing.orders import create_command
from wosdk_async import Client, Company, WoPickUpCommand, WorkOrder
from wosdk_async.sandbox import Faults, LocalCompany
from wosdk_async.testing import Sandbox

PROGRAM = Path(worker.__file__)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "orders.db"


def rows(path: Path, query: str = "SELECT id, status FROM orders ORDER BY id") -> list[tuple[Any, ...]]:
    db = sqlite3.connect(path)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


async def run_until(acme: Company, path: Path, done: Any) -> None:
    """Run the worker until ``done()`` is true."""
    store, stop = Store(path), asyncio.Event()
    work = asyncio.ensure_future(follow(acme, store, stop, every=0))
    async with asyncio.timeout(10):
        while not (await done()):
            assert not work.done(), work
            await asyncio.sleep(0)
    stop.set()
    await work
    store.close()


async def flags_of(acme: Company, order: int) -> int:
    return len((await acme.get(WorkOrder, order, properties=["Flags.*"])).flags or [])


def sent(sandbox: Sandbox, path: str) -> int:
    return sum(path in request.path for request in sandbox.requests)


async def test_orders_are_kept_and_flagged_once(
    wosdk_company: Company, wosdk_sandbox: Sandbox, path: Path
) -> None:
    """The flag is a move of its own, which the feed gives again."""
    await wosdk_company.run(create_command("PO-1"))
    await wosdk_company.run(create_command(""))

    async def done() -> bool:
        return len(rows(path)) == 2 and sent(wosdk_sandbox, "query/WorkOrder") > 20

    await run_until(wosdk_company, path, done)
    assert (await flags_of(wosdk_company, 1), await flags_of(wosdk_company, 2)) == (0, 1)
    assert sent(wosdk_sandbox, "WoSetFlagsCommand") == 1


async def test_the_next_run_goes_on(wosdk_company: Company, path: Path) -> None:
    async def kept() -> bool:
        return rows(path) == [(1, "New")]

    async def moved() -> bool:
        return rows(path) == [(1, "Open"), (2, "New")]

    await wosdk_company.run(create_command("PO-1"))
    await run_until(wosdk_company, path, kept)
    await wosdk_company.run(create_command("PO-2"))
    await wosdk_company.run(WoPickUpCommand(work_order_id=1))
    await run_until(wosdk_company, path, moved)


@pytest.mark.parametrize("carried_out", [True, False])
async def test_a_flag_in_doubt_is_looked_for(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_sandbox: Sandbox, path: Path, carried_out: bool
) -> None:
    """It is set once, whether or not the first call was carried out."""
    await wosdk_company.run(create_command(""))
    wosdk_faults.add("reset", operation="WoSetFlagsCommand", carried_out=carried_out, first=1)

    async def done() -> bool:
        return bool(rows(path)) and await flags_of(wosdk_company, 1) == 1

    await run_until(wosdk_company, path, done)
    assert await flags_of(wosdk_company, 1) == 1
    assert sent(wosdk_sandbox, "WoSetFlagsCommand") == (1 if carried_out else 2)


async def test_a_failure_of_the_service_ends_nothing(
    wosdk_company: Company, wosdk_faults: Faults, path: Path
) -> None:
    await wosdk_company.run(create_command("PO-1"))
    wosdk_faults.add("status", status=500, operation="query", first=12)

    async def kept() -> bool:
        return bool(rows(path))

    await run_until(wosdk_company, path, kept)
    assert wosdk_faults.injected == {"status": 12}


async def test_a_refused_order_does_not_stop_the_others(
    wosdk_company: Company, wosdk_faults: Faults, path: Path
) -> None:
    """Whatever the code is: it is put aside, and its error is kept."""
    await wosdk_company.run(create_command(""))
    await wosdk_company.run(create_command("PO-2"))
    wosdk_faults.add("status", status=400, operation="WoSetFlagsCommand")

    async def kept() -> bool:
        return rows(path) == [(1, "New"), (2, "New")]

    await run_until(wosdk_company, path, kept)
    ((order, error),) = rows(path, "SELECT id, error FROM failures")
    assert order == 1
    assert "WoSetFlagsCommand" in error


async def test_rows_and_watermark_are_one_transaction(wosdk_company: Company, path: Path) -> None:
    """Killed before the commit, both are as they were."""
    store = Store(path)
    store.put(WorkOrder(id=1, number="A"))
    store.close()
    assert rows(path) == rows(path, "SELECT * FROM place") == []


async def test_sigterm_ends_the_program(path: Path) -> None:
    """``test_the_next_run_goes_on`` runs it once more."""

    def committed() -> bool:
        with contextlib.suppress(sqlite3.OperationalError):  # it has not made the table yet
            return [row[0] for row in rows(path)] == [1]
        return False

    with LocalCompany() as local:
        async with Client.from_env(local.variables) as client:
            await client.company().run(create_command("PO-1"))
        code = f"import runpy; runpy.run_path({str(PROGRAM)!r}, run_name='__main__')"
        process = python(code, path, env={**os.environ, **local.variables})
        await until_true(committed, 30)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 20) == 0
    assert committed()
