"""Workers in processes of this machine: real processes, killed and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any, Protocol

import attrs
import pytest

from tests.jobs.cluster.ordering import Ordered, session_of, setup_of
from tests.jobs.cluster.pools import HELLO, SETUP, leave_results, opened
from tests.jobs.conftest import Local
from tests.jobs.runs import held
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster import process_link, processes
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.frames import LONGEST, frame, read_frame
from wosdk_async.jobs.cluster.messages import Grant, GrantedRow, MessageError, Setup, Share, WorkerLostError
from wosdk_async.jobs.cluster.pool import UndeliveredReport, WorkerLink
from wosdk_async.jobs.cluster.processes import Processes
from wosdk_async.jobs.cluster.undelivered_reader import UndeliveredReader


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return attrs.evolve(SETUP, folder=str(tmp_path))


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


async def test_processes_respond_and_end_with_the_pool(setup: Setup, tmp_path: Path) -> None:
    async with opened(Processes(2), setup) as pool:
        links = [await pool.links.get() for _ in range(2)]
        reports = [await link.exchange(HELLO) for link in links]
        assert reports[0].worker != reports[1].worker
        assert all(os.getpgid(pid(link)) != os.getpgid(0) for link in links)  # Ctrl-C does not reach them
    assert not any(lives(pid(link)) for link in links)


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


async def test_a_report_to_an_order_that_was_given_up_is_not_that_to_the_next_one(setup: Setup) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        report = await link.exchange(HELLO)
        first, second = (
            attrs.evolve(HELLO, worker=report.worker, share=Share(number=number, rate=1, in_flight=1))
            for number in (1, 2)
        )
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(link.exchange(attrs.evolve(first, patience=0.3)), 0.1)
        assert (await link.exchange(second)).share == 2


async def test_a_stopped_process_takes_one_order_at_most(setup: Setup) -> None:
    """Orders that nobody reads do not heap up in memory."""
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
        rows = tuple(GrantedRow(row, "x" * 100_000) for row in range(10))
        order = attrs.evolve(HELLO, grants=(Grant(epoch=1, ends=0.0, rows=rows),))
        tracemalloc.start()
        try:
            for _ in range(20):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(link.exchange(order), 0.01)
            assert tracemalloc.get_traced_memory()[0] < 5_000_000
        finally:
            tracemalloc.stop()
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
        await pool.aclose(2.0)
    assert broken.empty()


async def test_the_death_of_a_process_that_lived_for_long_does_not_count(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_LONG_LIFE", 0.0)
    async with asyncio.timeout(60), opened(Processes(1, deaths=2, pause=0.001), setup) as pool:
        for _ in range(3):
            os.kill(pid(await pool.links.get()), signal.SIGKILL)
        assert (await (await pool.links.get()).exchange(HELLO)).worker
        assert pool.broken.empty()


async def test_a_process_that_refuses_the_job(setup: Setup, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="99"):
        async with opened(Processes(2), attrs.evolve(setup, version="99")):
            pass
    assert names(tmp_path) == []


@pytest.mark.parametrize("count", [0, -1, "2", True, 2.5, None])
def test_a_number_of_processes_that_does_not_fit(count: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^{count!r} processes; .* 1 or more"):
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


async def test_a_file_of_the_working_directory_takes_the_place_of_no_module(
    setup: Setup, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("working")
    (folder / "asyncio.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(folder)
    async with opened(Processes(1), setup) as pool:
        assert (await (await pool.links.get()).exchange(HELLO)).worker


# --- a coordinator that is gone -------------------------------------------------------------------

COORDINATOR = """
import asyncio, json, sys
from tests.jobs.cluster.pools import leave_results, opened
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.processes import Processes

async def main():
    async with opened(Processes(1), Setup(**json.loads(sys.argv[1]))) as pool:
        link = await pool.links.get()
        await leave_results(link, 7, 8)
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


def found_in(folder: Path, run: int = 2) -> list[UndeliveredReport]:
    return list(UndeliveredReader(folder, "job", run).look())


async def ended(folder: Path) -> UndeliveredReader:
    """Wait until all processes of earlier runs have ended."""
    files = UndeliveredReader(folder, "job", 2)
    while files.look() or files.living or not files.ended:
        await asyncio.sleep(0.05)
    return files


async def test_results_of_an_orphan_reach_the_next_run(setup: Setup, tmp_path: Path) -> None:
    kill_coordinator(setup)
    await ended(tmp_path)
    found = found_in(tmp_path)
    assert [(each.run, each.report.row, each.report.result) for each in found] == [
        (1, 7, "not_sent"),
        (1, 8, "not_sent"),
    ]
    async with opened(Processes(1), attrs.evolve(setup, run=2)) as pool:
        assert list(await pool.pool.undelivered()) == []  # they are not the pool's
        await pool.pool.forget_undelivered()
    assert found_in(tmp_path) == found  # nor does a pool forget them


async def test_undelivered_results_are_kept_when_the_pool_is_closed(setup: Setup, tmp_path: Path) -> None:
    async with opened(Processes(1), setup) as pool:
        await leave_results(await pool.links.get(), 5)
    assert [each.report.row for each in found_in(tmp_path)] == [5]


async def test_calls_under_way_end_when_the_coordinator_is_gone_and_their_results_are_kept(
    local: Local, tmp_path: Path
) -> None:
    local.server.held = asyncio.Event()
    folder = tmp_path / "kept"
    folder.mkdir()
    async with opened(Processes(1), setup_of(local, folder=str(folder))) as pool:
        link: Any = await pool.links.get()
        link.nonce = (await link.exchange(HELLO)).worker
        worker = Ordered(link, local, boottime)
        await worker.say(session=await session_of(local), patience=0.0)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 2))),), patience=0.0)
        await local.server.arrived.wait()
        closing = asyncio.create_task(pool.pool.aclose(30.0))
        assert not (await asyncio.wait({closing}, timeout=1.0))[0]  # it does not leave the call alone
        local.server.held.set()
        await closing
    (kept,) = UndeliveredReader(folder, "j", 2).look()
    assert (kept.report.row, kept.report.result) == (1, "done")
    assert await held(local) == {"PO-1": 1}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_process_that_is_asked_to_end_reports_all_its_rows_before(
    local: Local, tmp_path: Path, capfd: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    local.server.held = asyncio.Event()
    async with asyncio.timeout(60), opened(Processes(1), setup_of(local, folder=str(tmp_path))) as pool:
        link: Any = await pool.links.get()
        link.nonce = (await link.exchange(HELLO)).worker
        worker = Ordered(link, local, boottime)
        worker.share = Share(number=1, rate=None, in_flight=1)
        await worker.say(session=await session_of(local), patience=0.0)
        grant = worker.grant(1, await worker.bodies(range(1, 3)))
        assert not (await worker.say(grants=(grant,), patience=0.0)).draining
        await local.server.arrived.wait()
        os.kill(pid(link), number)
        while not (await worker.say()).draining or not worker.results:
            pass
        assert [(each.row, each.result) for each in worker.results] == [(2, "not_sent")]  # at once
        late = worker.grant(2, {3: "{}"})
        await worker.say(grants=(late,))  # one that crossed its report
        local.server.held.set()
        with pytest.raises(WorkerLostError, match="exit status 0") as lost:
            while True:
                await worker.say()
        assert lost.value.ended
        assert {each.row: each.result for each in worker.results} == {1: "done", 2: "not_sent", 3: "not_sent"}
        assert await (await pool.links.get()).exchange(HELLO)  # it is replaced
    assert found_in(tmp_path) == []
    assert "Traceback" not in capfd.readouterr().err


async def test_a_worker_is_in_its_file_before_it_gets_a_grant(setup: Setup, tmp_path: Path) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        report = await link.exchange(HELLO)
        (name,) = names(tmp_path)
        assert report.worker in name
        files = UndeliveredReader(tmp_path, "job", 2)
        files.look()
        assert f"process {pid(link)} " in files.living[0]
        os.kill(pid(link), signal.SIGKILL)
        assert (await ended(tmp_path)).ended >= {report.worker}


async def test_a_process_that_stands_still_is_killed_when_the_grace_is_over(
    setup: Setup, tmp_path: Path
) -> None:
    async with opened(Processes(2), attrs.evolve(setup, deadline=600.0)) as pool:
        links = [await pool.links.get() for _ in range(2)]
        for link in links:
            await link.exchange(HELLO)
            os.kill(pid(link), signal.SIGSTOP)
        began = asyncio.get_running_loop().time()
        await pool.pool.aclose(1.0)
        assert asyncio.get_running_loop().time() - began < 5  # side by side, and not the deadline
    assert not any(lives(pid(link)) for link in links)


async def test_a_link_is_given_up_without_waiting(setup: Setup) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        os.kill(pid(link), signal.SIGSTOP)
        await asyncio.wait_for(link.aclose(), 0.5)
        assert lives(pid(link))


# --- processes that do not start ------------------------------------------------------------------

BROKEN = """
import fcntl, os, time
with open(os.environ["BROKEN_STARTS"], "a+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)  # two that start at once are not both the second
    file.write("x")
    file.seek(0)
    number = len(file.read())
if str(number) in os.environ["BROKEN_WHICH"].split():
    {what}
"""


HANGS = "open(os.environ['BROKEN_STARTS'], 'a').write(f' {os.getpid()}'); time.sleep(600)"


class BrokenStarts(Protocol):
    """Prepares the starts; returns the file with one letter for each."""

    def __call__(self, which: str, what: str = ...) -> Path: ...


@pytest.fixture
def broken_starts(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> BrokenStarts:
    """Let the processes with these numbers, in the order of their starts, end before they are ready.

    Or let them do something else, as a line of Python says.
    """

    def prepare(which: str, what: str = "os._exit(3)") -> Path:
        folder = tmp_path_factory.mktemp("broken")
        (folder / "sitecustomize.py").write_text(BROKEN.format(what=what))
        monkeypatch.setenv("BROKEN_STARTS", str(folder / "starts"))
        monkeypatch.setenv("BROKEN_WHICH", which)
        monkeypatch.syspath_prepend(folder)
        return folder / "starts"

    return prepare


async def test_a_process_that_dies_at_its_start_is_tried_again(
    setup: Setup, broken_starts: BrokenStarts
) -> None:
    starts = broken_starts("1 3 4")
    async with opened(Processes(2, pause=0.001), setup) as pool:
        links = [await pool.links.get() for _ in range(2)]
        assert len({(await link.exchange(HELLO)).worker for link in links}) == 2
        assert pool.broken.empty()
    assert len(starts.read_text()) == 5


async def test_a_replacement_that_dies_at_its_start_is_replaced(
    setup: Setup, broken_starts: BrokenStarts
) -> None:
    starts = broken_starts("2 3")
    async with opened(Processes(1, pause=0.001), setup) as pool:
        link = await pool.links.get()
        os.kill(pid(link), signal.SIGKILL)
        assert (await (await pool.links.get()).exchange(HELLO)).worker
        assert pool.broken.empty()
    assert len(starts.read_text()) == 4


async def test_replacements_that_never_start_break_the_pool(
    setup: Setup, broken_starts: BrokenStarts
) -> None:
    starts = broken_starts("2 3 4 5")
    async with opened(Processes(1, deaths=4, pause=0.001), setup) as pool:
        os.kill(pid(await pool.links.get()), signal.SIGKILL)
        assert "4 times in a row" in (why := await pool.broken.get())
        assert "exit status 3" in why
    assert len(starts.read_text()) == 4


async def test_no_process_starts(setup: Setup, broken_starts: BrokenStarts, tmp_path: Path) -> None:
    broken_starts("1 2")
    with pytest.raises(ConfigurationError, match=r"none of 2 processes could be started.*exit status 3"):
        async with opened(Processes(2), setup):
            pass
    assert names(tmp_path) == []


async def test_the_program_is_gone(setup: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(ConfigurationError, match=r"none of 1 process could be started.*cannot be started"):
        async with opened(Processes(1), setup):
            pass


async def test_a_replacement_that_refuses_the_job(setup: Setup, broken_starts: BrokenStarts) -> None:
    """As another version was installed meanwhile: the next one would say the same."""
    broken_starts("2", "import wosdk_async.version as version; version.VERSION = '99'")
    async with asyncio.timeout(60), opened(Processes(1, pause=0.001), setup) as pool:
        os.kill(pid(await pool.links.get()), signal.SIGKILL)
        assert "this worker has 99" in await pool.broken.get()


async def test_a_process_that_is_silent_at_its_start_is_killed(
    setup: Setup, broken_starts: BrokenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = broken_starts("1", HANGS)
    monkeypatch.setattr(process_link, "_START", 3.0)
    with pytest.raises(ConfigurationError, match=r"could be started \(process \d+ is silent"):
        async with opened(Processes(1), setup):
            pass
    assert not lives(int(starts.read_text().split()[-1]))


async def test_a_start_that_is_cancelled_leaves_no_process(setup: Setup, broken_starts: BrokenStarts) -> None:
    starts = broken_starts("1", HANGS)
    opening = asyncio.create_task(Processes(1).open(setup, print, print))
    while not (starts.exists() and " " in starts.read_text()):
        await asyncio.sleep(0.01)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert not lives(int(starts.read_text().split()[-1]))


@pytest.mark.parametrize("words", ["b'?' * 99", "b''"])
async def test_a_process_that_is_not_understood_is_killed(
    setup: Setup, broken_starts: BrokenStarts, words: str
) -> None:
    """It says something else, or closes its connection, and lives on."""
    broken_starts("1", f"os.write(0, {words}); os.close(0); time.sleep(600)")
    with pytest.raises(ConfigurationError, match=r"none of 1 process could be started.*signal 9"):
        async with asyncio.timeout(60), opened(Processes(1), setup):
            pass


async def test_what_a_process_prints_is_not_what_the_command_prints(
    setup: Setup, broken_starts: BrokenStarts, capfd: pytest.CaptureFixture[str]
) -> None:
    broken_starts("1", "print('printed', flush=True)")
    async with opened(Processes(1), setup):
        pass
    said = capfd.readouterr()
    assert ("printed" in said.out, "printed" in said.err) == (False, True)


async def test_a_folder_that_cannot_be_written(
    setup: Setup, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(ConfigurationError, match=r"none of 1 process could be started.*exit status 1"):
        async with opened(Processes(1), attrs.evolve(setup, folder=gone)):
            pass
    said = capfd.readouterr().err
    assert f"cannot write into {gone}: No such file" in said
    assert "Traceback" not in said


async def test_a_disk_that_is_full_when_results_are_kept(
    setup: Setup, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with opened(Processes(1), setup) as pool:
        link = await pool.links.get()
        resource.prlimit(pid(link), resource.RLIMIT_FSIZE, (400, 400))
        await leave_results(link, *range(1, 20))
    said = capfd.readouterr().err
    assert "cannot keep 19 results" in said
    assert "Traceback" not in said
    files = UndeliveredReader(tmp_path, "job", 2)
    assert len(files.look()) < 19
    assert files.ended
    assert "1 damaged line" in files.warnings[0]


def test_the_program_of_a_worker_says_who_starts_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wosdk_async.jobs.cluster.process_main"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "wosdk import --processes" in done.stderr
    assert "Traceback" not in done.stderr


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
