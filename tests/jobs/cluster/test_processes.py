"""Workers in processes of this machine: real processes, killed and stopped, whatever the parent is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import distributed
import pytest
from distributed import Security
from distributed.comm import connect

from tests.jobs.cluster.pools import ForkedWorker, children, hello, opened
from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import carried_out, held
from tests.support.laws import each_of
from tests.support.preloaded import Preloaded
from tests.support.waiting import cancel_without_end, until, until_true
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster import processes
from wosdk_async.jobs.cluster.processes import Processes
from wosdk_async.jobs.journal import Journal

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

CREATE = "WoCreateCommand"
BRIEF: dict[str, Any] = {"lease": 1.5, "skew": 0.2}


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worker processes be forks, in tests that are not of their start."""
    own = SimpleNamespace(**{**vars(subprocess), "Popen": ForkedWorker})
    monkeypatch.setattr("asyncio.unix_events.subprocess", own)


def exists(path: str) -> bool:
    return Path(path).exists()


def lives(number: int) -> bool:
    return exists(f"/proc/{number}")


# --- the pool -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("forked")
async def test_processes_respond_and_are_replaced_and_end_with_the_pool() -> None:
    """Also one that was stopped."""
    async with opened(Processes(2)) as pool:
        links = [await pool.links.get() for _ in range(2)]
        reports = [await hello(link) for link in links]
        assert reports[0].worker != reports[1].worker
        started = children()
        assert len(started) == 2
        assert all(os.getsid(each) == each for each in started)  # the terminal's Ctrl-C does not reach them
        folder = pool.pool._folder
        assert exists(folder)
        os.kill(started[0], signal.SIGKILL)
        after = await hello(await pool.links.get())
        assert after.worker not in {report.worker for report in reports}
        assert [each.lost for each in links].count("its process has exited") == 1
        assert pool.broken.empty()
        started = children()
        os.kill(started[0], signal.SIGSTOP)
        began = time.monotonic()
    assert time.monotonic() - began < 6
    assert not any(map(lives, started))
    assert not exists(folder)


async def test_processes_that_cannot_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MAX_DEATHS", 2)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ConfigurationError, match=r"failed to start 2 times \(exit status 1\)"):
        async with opened(Processes(2)):
            pass


async def test_a_pool_that_is_cancelled_while_its_key_is_written_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the thread that writes, so that nothing is written after its folder was removed."""
    begun, may_write, create_file = threading.Event(), threading.Event(), processes.create_file

    def wait_and_create(path: Path, **options: Any) -> Any:
        begun.set()
        assert may_write.wait(20)
        return create_file(path, **options)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(processes, "create_file", wait_and_create)

    async def use() -> None:
        async with opened(Processes(1)):
            pass

    task = asyncio.create_task(use())
    assert await asyncio.to_thread(begun.wait, 20)
    try:
        await cancel_without_end(task)
    finally:
        may_write.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("forked")
async def test_processes_that_die_again_and_again_break_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MAX_DEATHS", 2)
    monkeypatch.setattr(processes, "_LONG_LIFE", 1000.0)
    async with opened(Processes(1)) as pool:
        await pool.links.get()
        killed = set[int]()
        for _ in range(2):
            await until_true(lambda: set(children()) - killed)  # one that is dying may be listed for a moment
            for each in set(children()) - killed:
                os.kill(each, signal.SIGKILL)
                killed.add(each)
        why = await pool.broken.get()
    assert "no worker process remains" in why
    assert "exit status -9" in why


@each_of("count", [0, -1, 257, "2", True, 2.5, None])
def test_a_number_of_processes_that_does_not_fit(count: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"^the process count is {count!r}; .* from 1 to 256"):
        Processes(count)


def test_a_system_that_cannot_run_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ConfigurationError, match="Linux or macOS"):
        Processes(2)


async def test_processes_start_in_surroundings_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a site that requires TLS, below credentials, beside a file with the name of a module.

    They listen on loopback alone: the scheduler and the workers, with their servers for HTTP. Nothing is left
    in the temporary folder.
    """
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("DASK_CONFIG", "/settings/of/the/site")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION", "True")
    monkeypatch.setenv("WOSDK_CLIENT_SECRET", "s3cr3t")
    (tmp_path / "asyncio.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    with dask.config.set({"distributed.comm.require-encryption": True}):
        async with opened(Processes(1)) as pool:
            assert (await hello(await pool.links.get())).worker
            found, ours = environment_of(children()[0]), listening(os.getpid(), *children())
    assert b"PYTHONPATH" in found  # it was read
    assert not [text for text in (b"/settings/of/the/site", b"\0WOSDK_", b"s3cr3t") if text in found]
    assert len(ours) >= 2
    assert set(ours) <= {"0100007F", "00000000000000000000000001000000"}
    assert os.listdir(folder) == []


async def test_a_dask_that_cannot_start_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ValueError("a dask config file is malformed")

    monkeypatch.setattr(distributed, "LocalCluster", fails)
    with pytest.raises(ConfigurationError, match=r"Dask cannot be started \(a dask .* is malformed\)"):
        await opened(Processes(1)).__aenter__()


def listening(*processes: int) -> list[str]:
    """The addresses on which processes listen, as /proc has them."""
    inodes = set()
    for process in processes:
        for each in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                inodes.add(os.readlink(each).removeprefix("socket:[").removesuffix("]"))
    text = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    lines = [line.split() for line in text.splitlines() if " 0A " in line]
    return [line[1].partition(":")[0] for line in lines if line[9] in inodes]


def environment_of(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


# --- below any parent -----------------------------------------------------------------------------

_PROGRAM = """
import asyncio
from tests.jobs.cluster.pools import hello, opened
from wosdk_async.jobs.cluster.processes import Processes

async def main():
    async with opened(Processes(1)) as pool:
        assert (await hello(await pool.links.get())).worker
    print("worked")

asyncio.run(main())
"""


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}


_DAEMONIC = """
import multiprocessing

def work():
    exec(%r, {})

process = multiprocessing.get_context("fork").Process(target=work, daemon=True)
process.start()
process.join(60)
raise SystemExit(process.exitcode)
"""


def test_a_daemonic_process_of_a_program_without_a_guard_may_have_workers() -> None:
    """As below Celery's prefork; and the program, which comes from stdin, cannot be imported."""
    command, code = [sys.executable, "-"], (_DAEMONIC % _PROGRAM).encode()
    process = subprocess.Popen(command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    said, _ = process.communicate(code, timeout=60)
    assert (process.returncode, said) == (0, b"worked\n")


def test_processes_end_soon_after_a_parent_that_was_killed(tmp_path: Path) -> None:
    program = _PROGRAM.replace(
        "        assert", "        print('ready', flush=True); await asyncio.Event().wait()\n        assert"
    )
    left = os.environ | {"TMPDIR": str(tmp_path)}  # what it cannot remove
    with Preloaded([], code=program, modules=["distributed"], env=left, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        until(lambda: len(children(process.pid)) == 1, 30)
        workers = children(process.pid)
        process.kill()
    until(lambda: not any(map(lives, workers)), 15)


# --- imports --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("forked")
async def test_killed_and_stopped_processes_lose_and_double_nothing(local: Local) -> None:
    local.company = local.company.with_options(settle=0.2, deadline=0.8)
    local.company.set_rate(40)
    numbers = range(1, 61)
    ready = local.job(rows(*numbers), MAP, marker=MARKER, workers=Processes(2), **BRIEF)
    running = asyncio.create_task(carried_out(ready, local))
    stopped: list[int] = []
    for count, kind in ((10, signal.SIGKILL), (20, signal.SIGSTOP), (30, signal.SIGKILL)):
        await until_true(lambda most=count: local.server.count(CREATE) >= most or running.done(), 60)
        process = next(each for each in children() if each not in stopped)
        os.kill(process, kind)
        if kind == signal.SIGSTOP:
            stopped.append(process)
            asyncio.get_running_loop().call_later(2.8, _wake, process)
    summary, outcomes = await running
    assert (summary.created, summary.complete, len(outcomes)) == (60, True, 60)
    assert await held(local) == Counter(map(str, numbers))
    assert len([each for each in summary.warnings if "was lost" in each or "silent" in each]) >= 2


def _wake(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


def refuse_the_token_of_now(local: Local) -> None:
    app, refused = local.server._app, set()

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        token = dict(scope["headers"]).get(b"authorization")
        if token is not None and (not refused or token in refused):
            refused.add(token)
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await app(scope, receive, send)

    local.server._app = refusing


@pytest.mark.usefixtures("forked")
async def test_a_token_that_is_refused_and_a_service_that_asks_to_wait(local: Local) -> None:
    """The coordinator renews the session for all workers, and their shares are halved."""
    local.company = local.company.with_options(settle=0.2)
    numbers = range(1, 61)
    ready = local.job(rows(*numbers), MAP, marker=MARKER, workers=Processes(2), concurrency=4)
    running = asyncio.create_task(carried_out(ready, local))
    await until_true(lambda: local.server.count(CREATE) >= 10, 60)
    refuse_the_token_of_now(local)
    await until_true(lambda: local.server.count(CREATE) >= 25, 60)
    local.server.busy, sent = True, local.server.count(CREATE)
    await until_true(lambda: local.server.count(CREATE) >= sent + 4, 60)
    local.server.busy = False
    summary, _ = await running
    assert (summary.created, summary.complete) == (60, True)
    assert await held(local) == Counter(map(str, numbers))


async def test_a_killed_coordinator_is_waited_for(local: Local, tmp_path: Path) -> None:
    """The next run waits until the leases are over, looks up, and sends the rest."""
    import_map = tmp_path / "killed.toml"
    import_map.write_text(MAP)
    local.company = local.company.with_options(settle=0.5)
    source = local.write(rows(*range(1, 41)))
    program = f"""
import asyncio, os, signal
from wosdk_async import CallOptions, Client
from wosdk_async.jobs import Import, ImportMap, open_source
from wosdk_async.jobs.cluster.processes import Processes
async def main():
    seen = []
    def kill(row):
        seen.append(row)
        if len(seen) == 15: os.kill(os.getpid(), signal.SIGKILL)
    async with Client.from_env(rate=30, options=CallOptions(deadline=0.5, settle=0.5)) as client:
        job = Import(open_source({str(source)!r}), ImportMap.load({str(import_map)!r}), marker={MARKER!r},
                     workers=Processes(2), lease=1, skew=0.2, on_row=kill)
        await job.run(client.company())
asyncio.run(main())
"""
    left = {"TMPDIR": str(tmp_path)}  # what it cannot remove
    process = Preloaded([], code=program, modules=["distributed"], env=environment() | local.variables | left)
    assert await asyncio.to_thread(process.wait, 60) == -signal.SIGKILL
    stages: list[str] = []
    summary = await local.run(source, MAP, marker=MARKER, on_stage=stages.append)
    assert stages[0].startswith("workers of an earlier run may still send rows")
    assert (summary.created, summary.complete, summary.audit_state) == (40, True, "clean")
    assert await held(local) == Counter(str(number) for number in range(1, 41))
    async with Journal.open(summary.folder, snapshot=True) as journal:
        assert await journal.open_leases() == {}


@pytest.mark.usefixtures("forked")
async def test_nobody_without_the_certificate_of_a_cluster_joins_it() -> None:
    """Neither its scheduler nor a worker speaks to another user of the machine."""
    strangers = (Security(require_encryption=False), Security.temporary())  # type: ignore[no-untyped-call]
    async with opened(Processes(1)) as pool:
        await pool.links.get()
        scheduler = pool.pool._scheduler.scheduler
        for address in (scheduler.address, *scheduler.workers):
            for security in strangers:
                place = address.partition("://")[2]
                for scheme in ("tcp", "tls"):
                    arguments = security.get_connection_args("client")
                    with pytest.raises((OSError, TypeError, RuntimeError)):
                        await connect(f"{scheme}://{place}", timeout=2, **arguments)
