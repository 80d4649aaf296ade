"""Workers in processes of this machine: real processes, killed and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.frames import LONGEST, frame, read_frame
from wosdk_async.jobs.cluster.messages import (
    Grant,
    GrantedRow,
    MessageError,
    Order,
    Report,
    Setup,
    Share,
    WorkerLostError,
)
from wosdk_async.jobs.cluster.pool import WorkerLink
from wosdk_async.jobs.cluster.processes import Processes
from wosdk_async.version import VERSION

HELLO = Order(worker="", received=0, share=Share(number=0, rate=None, in_flight=0), patience=0.0)


@attrs.define(eq=False)
class Opened:
    """A pool that is open, and what it said."""

    pool: Processes
    links: asyncio.Queue[WorkerLink] = attrs.field(factory=asyncio.Queue)
    broken: asyncio.Queue[str] = attrs.field(factory=asyncio.Queue)


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(
        job="job",
        run=1,
        version=VERSION,
        operation="WoCreateCommand",
        company="Company",
        marker=None,
        deadline=2.0,
        settle=1.0,
        attempts=3,
        most_in_flight=4,
        folder=str(tmp_path),
    )


@asynccontextmanager
async def opened(pool: Processes, setup: Setup) -> AsyncIterator[Opened]:
    found = Opened(pool)
    await pool.open(setup, found.links.put_nowait, found.broken.put_nowait)
    try:
        yield found
    finally:
        await pool.aclose()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def environment(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


def pid(link: WorkerLink) -> int:
    return int(link.name.removeprefix("process "))


def lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


async def leave_results(link: WorkerLink, rows: tuple[int, ...]) -> Report:
    """Grant rows with a lease that has ended: the worker says ``not_sent``, and nobody confirms it."""
    report = await link.exchange(HELLO)
    grant = Grant(epoch=1, ends=report.clock - 1, rows=tuple(GrantedRow(row, "{}") for row in rows))
    order = attrs.evolve(
        HELLO, worker=report.worker, grants=(grant,), share=Share(number=1, rate=None, in_flight=1)
    )
    while len(report.results) < len(rows):
        report = await link.exchange(attrs.evolve(order, patience=0.1))
    return report


async def test_processes_respond_and_end_with_the_pool(setup: Setup, tmp_path: Path) -> None:
    async with opened(Processes(2), setup) as pool:
        links = [await pool.links.get() for _ in range(2)]
        reports = [await link.exchange(HELLO) for link in links]
        assert reports[0].worker != reports[1].worker
        assert all(os.getpgid(pid(link)) != os.getpgid(0) for link in links)  # Ctrl-C does not reach them
    assert not any(lives(pid(link)) for link in links)
    assert names(tmp_path) == []


async def test_a_killed_process_has_surely_ended_and_is_replaced(setup: Setup, tmp_path: Path) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        before = await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(WorkerLostError, match="signal 9") as lost:
                await link.exchange(HELLO)
            assert lost.value.ended
            assert not lives(pid(link))  # reaped
        after = await (await pool.links.get()).exchange(HELLO)
        assert after.worker != before.worker
    assert names(tmp_path) == []
    assert pool.broken.empty()


async def test_a_process_that_is_killed_during_an_exchange(setup: Setup) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
        exchange = asyncio.create_task(link.exchange(HELLO))
        await asyncio.sleep(0)
        os.kill(pid(link), signal.SIGKILL)
        with pytest.raises(WorkerLostError) as lost:
            await exchange
        assert lost.value.ended


async def test_a_process_that_stood_still_obeys_the_newest_order(setup: Setup) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        report = await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
        for number in range(1, 4):
            late = attrs.evolve(HELLO, worker=report.worker, share=Share(number=number, rate=1, in_flight=1))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(link.exchange(late), 0.01)
        os.kill(pid(link), signal.SIGCONT)
        last = attrs.evolve(HELLO, worker=report.worker, share=Share(number=9, rate=1, in_flight=1))
        assert (await link.exchange(last)).share == 9


async def test_a_stopped_process_takes_one_order_at_most(setup: Setup) -> None:
    """Orders that nobody reads do not heap up in memory."""
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
        rows = tuple(GrantedRow(row, "x" * 100_000) for row in range(10))
        order = attrs.evolve(HELLO, grants=(Grant(epoch=1, ends=0.0, rows=rows),))
        for _ in range(20):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(link.exchange(order), 0.01)
        os.kill(pid(link), signal.SIGCONT)
        assert (await link.exchange(HELLO)).results == ()


async def test_processes_that_die_at_once_break_the_pool(setup: Setup) -> None:
    pool, died = Processes(2, deaths=3, pause=0.001), []
    broken: asyncio.Queue[str] = asyncio.Queue()

    def kill(link: WorkerLink) -> None:
        died.append(link)
        os.kill(pid(link), signal.SIGKILL)

    await pool.open(setup, kill, broken.put_nowait)
    try:
        assert "3 times in a row (signal 9)" in await broken.get()
        assert len(died) == 6
    finally:
        await pool.aclose()
    assert broken.empty()


async def test_a_process_that_refuses_the_job(setup: Setup, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="99"):
        async with opened(Processes(2), attrs.evolve(setup, version="99")):
            pass
    assert names(tmp_path) == []


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_processes_that_does_not_fit(count: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{count} processes"):
        Processes(count)


def test_a_system_that_cannot_run_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ConfigurationError, match="Linux or macOS"):
        Processes(2)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_no_credentials_in_the_environment(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOSDK_CLIENT_SECRET", "s3cr3t")
    async with opened(Processes(1), setup) as pool:
        found = environment(pid(await pool.links.get()))
    assert b"PYTHONPATH" in found  # it was read
    assert b"WOSDK_" not in found
    assert b"s3cr3t" not in found


# --- a coordinator that is gone -------------------------------------------------------------------

COORDINATOR = """
import asyncio, json, sys
from tests.jobs.cluster.test_processes import leave_results, opened
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.processes import Processes

async def main():
    async with opened(Processes(1), Setup(**json.loads(sys.argv[1]))) as pool:
        link = await pool.links.get()
        await leave_results(link, (7, 8))
        print(link.name, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def kill_coordinator(setup: Setup) -> None:
    """Let a coordinator grant two rows, and kill it before it confirms their results."""
    coordinator = subprocess.Popen(
        [sys.executable, "-c", COORDINATOR, json.dumps(attrs.asdict(setup))],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
    )
    with coordinator:
        assert coordinator.stdout is not None
        assert coordinator.stdout.readline().startswith(b"process ")
        coordinator.kill()


async def test_results_of_an_orphan_reach_the_next_run(setup: Setup, tmp_path: Path) -> None:
    kill_coordinator(setup)
    async with opened(Processes(1), attrs.evolve(setup, run=2)) as pool:
        left = await pool.pool.leftovers()
        assert [(each.run, each.report.row, each.report.result) for each in left] == [
            (1, 7, "not_sent"),
            (1, 8, "not_sent"),
        ]
        assert await pool.pool.leftovers() == left  # they are forgotten when the pool is closed
    assert names(tmp_path) == []


async def test_results_that_nobody_took_are_left_when_the_pool_is_closed(setup: Setup) -> None:
    async with opened(Processes(1), setup) as pool:
        await leave_results(await pool.links.get(), (5,))
    async with opened(Processes(1), attrs.evolve(setup, run=2)) as pool:
        assert [each.report.row for each in await pool.pool.leftovers()] == [5]


async def test_a_process_that_stands_still_is_killed_when_the_pool_is_closed(setup: Setup) -> None:
    async with opened(Processes(1), attrs.evolve(setup, deadline=0.1)) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
    assert not lives(pid(link))


# --- frames ---------------------------------------------------------------------------------------


async def test_a_frame_that_is_too_long_is_refused_by_both_sides() -> None:
    with pytest.raises(MessageError, match="bytes"):
        frame(1, bytes(LONGEST + 1))
    reader = asyncio.StreamReader()
    reader.feed_data(b"\xff" * 12)
    with pytest.raises(MessageError, match="bytes"):
        await read_frame(reader)


async def test_a_stream_that_ends_within_a_frame() -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(frame(1, b"message")[:-1])
    reader.feed_eof()
    with pytest.raises(EOFError):
        await read_frame(reader)
