"""Workers in a Dask cluster of real processes: they join, are killed, are orphaned, and say no secrets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
from distributed import Client, Security

from benchmarks.certificate import certificate
from benchmarks.dask_processes import SAFE, DaskProcesses
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster
from wosdk_async.jobs.cluster.dask_settings import require_no_repeats, require_private, require_version
from wosdk_async.jobs.cluster.messages import (
    Grant,
    GrantedRow,
    Order,
    PushedSession,
    Report,
    Setup,
    Share,
    WorkerLostError,
)
from wosdk_async.jobs.cluster.pool import WorkerLink
from wosdk_async.version import VERSION

HELLO = Order(worker="", received=0, share=Share(number=0, rate=None, in_flight=0), patience=0.0)
SETUP = Setup(
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
    folder="/home/someone/orders.csv.job",
)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path) as cluster:
        yield cluster


@attrs.define(eq=False)
class Opened:
    """A pool that is open, and what it said."""

    pool: DaskCluster
    links: asyncio.Queue[WorkerLink] = attrs.field(factory=asyncio.Queue)
    broken: asyncio.Queue[str] = attrs.field(factory=asyncio.Queue)


@asynccontextmanager
async def opened(pool: DaskCluster, setup: Setup = SETUP) -> AsyncIterator[Opened]:
    found = Opened(pool)
    await pool.open(setup, found.links.put_nowait, found.broken.put_nowait)
    try:
        yield found
    finally:
        await pool.aclose()


async def leave_results(link: WorkerLink, *rows: int, session: PushedSession | None = None) -> Report:
    """Grant rows with a lease that has ended: the worker says ``not_sent``, and nobody confirms it."""
    report = await link.exchange(HELLO)
    grant = Grant(epoch=1, ends=report.clock - 1, rows=tuple(GrantedRow(row, "{}") for row in rows))
    share = Share(number=1, rate=None, in_flight=1)
    order = attrs.evolve(
        HELLO, worker=report.worker, grants=(grant,), share=share, session=session, patience=0.1
    )
    while len(report.results) < len(rows):
        report = await link.exchange(order)
    return report


@pytest.mark.parametrize("direct", [False, True])
async def test_workers_that_join_are_killed_and_are_replaced(cluster: DaskProcesses, direct: bool) -> None:
    first = cluster.add_worker()
    async with opened(DaskCluster(cluster.address, direct=direct)) as pool:
        link = await pool.links.get()
        assert link.name == first
        before = await link.exchange(HELLO)
        second = cluster.add_worker()
        other = await pool.links.get()
        assert other.name == second
        assert (await other.exchange(HELLO)).worker != before.worker
        cluster.kill_worker(0)
        for _ in range(2):
            with pytest.raises(WorkerLostError, match="lost") as lost:
                while True:
                    await link.exchange(HELLO)
            assert not lost.value.ended  # nobody saw it end
        assert (await other.exchange(HELLO)).worker
        assert pool.broken.empty()


async def test_a_cluster_over_tls(tmp_path: Path) -> None:
    file = str(certificate())
    options = ["--protocol", "tls", "--tls-ca-file", file, "--tls-cert", file, "--tls-key", file]
    security = Security(tls_ca_file=file, tls_client_cert=file, tls_client_key=file, require_encryption=True)
    with DaskProcesses(tmp_path, options=options) as cluster:
        assert cluster.address.startswith("tls://")
        worker = cluster.add_worker()
        async with opened(DaskCluster(cluster.address, security=security)) as pool:
            link = await pool.links.get()
            assert link.name == worker
            assert (await link.exchange(HELLO)).worker


async def test_a_worker_that_stands_still_joins_when_it_goes_on(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds up neither the others nor the results of earlier runs."""
    names = [cluster.add_worker(), cluster.add_worker()]
    async with opened(DaskCluster(cluster.address)):
        pass  # the workers have imported the package: from now on they respond soon
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._GRACE", 3.0)
    cluster.workers[0].send_signal(signal.SIGSTOP)
    async with opened(DaskCluster(cluster.address)) as pool:
        assert (await pool.links.get()).name == names[1]
        assert not await pool.pool.leftovers()
        cluster.workers[0].send_signal(signal.SIGCONT)
        assert (await pool.links.get()).name == names[0]


async def test_results_of_an_orphan_reach_the_next_run(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    async with opened(DaskCluster(cluster.address)) as first:
        link = await first.links.get()
        await leave_results(link, 7, 8)
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=2)) as second:
            left = await second.pool.leftovers()
            assert [(each.run, each.report.row) for each in left] == [(1, 7), (1, 8)]
            assert await second.pool.leftovers() == left  # they are forgotten when the pool is closed
            with pytest.raises(WorkerLostError, match="gave up the coordinator"):
                await link.exchange(HELLO)
            assert (await (await second.links.get()).exchange(HELLO)).worker
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=3)) as third:
            assert not await third.pool.leftovers()


async def test_an_orphan_ends_by_itself(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, orphan=0.2)) as first:
        link = await first.links.get()
        await leave_results(link, 7)
        with pytest.raises(WorkerLostError, match="gave up the coordinator"):
            while True:
                await asyncio.sleep(0.3)
                await link.exchange(HELLO)
    async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=2)) as second:
        assert [each.report.row for each in await second.pool.leftovers()] == [7]


async def test_a_scheduler_that_dies_breaks_the_pool(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    async with opened(DaskCluster(cluster.address)) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        cluster.scheduler.kill()
        assert not await pool.pool.leftovers()
        assert "start a new one, and repeat the command" in await pool.broken.get()
        with pytest.raises(WorkerLostError, match="connection to the scheduler"):
            await link.exchange(HELLO)
        assert not await pool.pool.leftovers()
    assert pool.broken.empty()


async def test_a_cluster_without_workers(cluster: DaskProcesses) -> None:
    with pytest.raises(ConfigurationError, match="has no workers; start some: dask worker tcp://127"):
        async with opened(DaskCluster(cluster.address, patience=0.1)):
            pass


async def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.2)
    with pytest.raises(ConfigurationError, match="the scheduler cannot be reached"):
        async with opened(DaskCluster("tcp://127.0.0.1:9")):
            pass


@pytest.mark.parametrize(
    ("variable", "value", "setting"),
    [
        ("ALLOWED_FAILURES", "3", "allowed-failures: 3"),
        ("WORK_STEALING", "True", "work-stealing: True"),
    ],
)
async def test_a_cluster_that_would_repeat_work_is_refused(
    tmp_path: Path, variable: str, value: str, setting: str
) -> None:
    name = f"DASK_DISTRIBUTED__SCHEDULER__{variable}"
    with DaskProcesses(tmp_path, SAFE | {name: value}) as cluster:
        with pytest.raises(ConfigurationError) as refused:
            async with opened(DaskCluster(cluster.address)):
                pass
    assert f"distributed.scheduler.{setting}" in refused.value.message
    assert f"{name}={SAFE[name]}" in refused.value.message  # the remedy


async def test_workers_of_another_version_are_refused(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    with pytest.raises(ConfigurationError, match="99"):
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, version="99")):
            pass


async def test_the_token_is_in_nothing_that_dask_tells(tmp_path: Path) -> None:
    token = "t0ken-of-the-c0mpany"
    session = PushedSession(number=1, token=token, base_url="https://127.0.0.1:9/", expires_in=900)
    with DaskProcesses(tmp_path, SAFE | {"DASK_LOGGING__DISTRIBUTED": "debug"}) as cluster:
        cluster.add_worker()
        async with opened(DaskCluster(cluster.address)) as pool:
            link = await pool.links.get()
            await leave_results(link, 7, session=session)
            told = [repr(pool.pool), repr(link), repr(vars(link)), *await _told(cluster.address, tmp_path)]
        logs = cluster.logs()
    assert "wosdk-job-1-" in "".join(told)  # it was looked at
    assert "DEBUG" in logs
    for text in (*told, logs):
        assert token not in text
        assert SETUP.folder not in text  # a path of this machine is nobody's business either


async def _told(address: str, folder: Path) -> list[str]:
    async with Client(address, asynchronous=True, set_as_default=False) as client:
        await client.dump_cluster_state(str(folder / "state"), format="yaml")
        return [
            (folder / "state.yaml").read_text(),
            str(await client.get_events()),
            str(await client.get_scheduler_logs()),
            str(await client.get_worker_logs()),
            str(await client.scheduler.identity()),
            str(await client.call_stack()),
            str(await client.scheduler.get_task_stream()),
        ]


PARENT = """
import sys
from pathlib import Path
from benchmarks.dask_processes import DaskProcesses

with DaskProcesses(Path(sys.argv[1])) as cluster:
    print(cluster.address, flush=True)
    sys.stdin.read()
"""


def test_dask_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """A test run that is killed leaves no schedulers behind."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
    ) as parent:
        assert parent.stdout is not None
        host, port = parent.stdout.readline().decode().strip().removeprefix("tcp://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            parent.kill()
            with contextlib.suppress(ConnectionResetError):
                while connection.recv(4096):
                    pass  # until the scheduler has ended


# --- settings, addresses, versions ----------------------------------------------------------------


def test_settings_that_are_safe() -> None:
    require_no_repeats(
        {"distributed.scheduler.allowed-failures": 0, "distributed.scheduler.work-stealing": False}
    )


@pytest.mark.parametrize(
    "address",
    [
        "tls://10.0.0.3:8786",
        "tls://scheduler.example:8786",
        "tcp://127.0.0.1:8786",
        "tcp://localhost:8786",
        "tcp://[::1]:8786",
        "127.0.0.1:8786",
        "inproc://10.0.0.3/1/2",
    ],
)
def test_addresses_that_are_private(address: str) -> None:
    require_private(address)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.3:8786",
        "tcp://scheduler.example:8786",
        "tcp://127.0.0.1.example:8786",
        "scheduler:8786",
        "10.0.0.3:8786",
        "ws://10.0.0.3:8786",
        "ucx://127.0.0.1:8786",
        "tcp://localhost.example:1",
        "tcp://",
        "",
    ],
)
def test_addresses_where_others_would_read_the_token(address: str) -> None:
    with pytest.raises(ConfigurationError, match="tls://"):
        require_private(address)
    with pytest.raises(ConfigurationError, match="tls://"):
        DaskCluster(address)


@pytest.mark.parametrize("found", ["0.0.9", ModuleNotFoundError("No module named 'wosdk_async'")])
def test_workers_with_another_package(found: object) -> None:
    require_version("tls://10.0.0.3:4122", "1.0", "1.0")
    with pytest.raises(ConfigurationError, match=r"wosdk_async\[dask\]==1.0") as refused:
        require_version("tls://10.0.0.3:4122", found, "1.0")
    assert str(found) in refused.value.message
