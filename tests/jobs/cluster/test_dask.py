"""Workers in a Dask cluster of real processes: they join, are killed, are orphaned, and say no secrets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from distributed import Client, Security

from benchmarks.certificate import certificate
from benchmarks.dask_processes import SAFE, DaskProcesses
from tests.jobs.cluster.dask_peers import Relay
from tests.jobs.cluster.pools import HELLO, SETUP, leave_results, opened
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster
from wosdk_async.jobs.cluster.dask_settings import (
    require_no_repeats,
    require_private,
    require_version,
    scheduler_address,
)
from wosdk_async.jobs.cluster.dask_wire import RefusedError
from wosdk_async.jobs.cluster.messages import PushedSession, WorkerLostError


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path) as cluster:
        yield cluster


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
                    with contextlib.suppress(OSError, RefusedError):  # a passing trouble, until it is seen
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


async def test_a_worker_that_stands_still_joins_when_it_goes_on(cluster: DaskProcesses) -> None:
    """It holds up neither the others nor the results of earlier runs."""
    names = [cluster.add_worker(), cluster.add_worker()]
    async with opened(DaskCluster(cluster.address)):
        pass  # the workers have imported the package: from now on they respond soon
    cluster.workers[0].send_signal(signal.SIGSTOP)
    async with opened(DaskCluster(cluster.address)) as pool:
        assert (await pool.links.get()).name == names[1]
        assert not await pool.pool.undelivered()
        cluster.workers[0].send_signal(signal.SIGCONT)
        assert (await pool.links.get()).name == names[0]


async def test_results_of_an_orphan_reach_the_next_run(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    async with opened(DaskCluster(cluster.address)) as first:
        link = await first.links.get()
        await leave_results(link, 7, 8)
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=2)) as second:
            reports = await second.pool.undelivered()
            assert [(each.run, each.report.row) for each in reports] == [(1, 7), (1, 8)]
            assert await second.pool.undelivered() == reports
            with pytest.raises(WorkerLostError, match="gave up the coordinator"):
                await link.exchange(HELLO)
            assert (await (await second.links.get()).exchange(HELLO)).worker
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=3)) as third:
            assert await third.pool.undelivered() == reports  # the end of a pool forgets nothing
            await third.pool.forget_undelivered()
            assert not await third.pool.undelivered()


async def test_what_a_worker_that_stands_still_keeps_is_not_forgotten(cluster: DaskProcesses) -> None:
    """Only what was returned is forgotten: the others' results are there for the next look."""
    names = [cluster.add_worker(), cluster.add_worker()]
    async with opened(DaskCluster(cluster.address)) as first:
        for _ in names:
            link = await first.links.get()
            await leave_results(link, 7 + names.index(link.name))
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, run=2, deadline=0.1)) as second:
            cluster.workers[0].send_signal(signal.SIGSTOP)
            assert [each.report.row for each in await second.pool.undelivered()] == [8]
            await second.pool.forget_undelivered()
            cluster.workers[0].send_signal(signal.SIGCONT)
            assert [each.report.row for each in await second.pool.undelivered()] == [7]


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
        assert [each.report.row for each in await second.pool.undelivered()] == [7]


async def test_a_scheduler_that_dies_breaks_the_pool(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    async with opened(DaskCluster(cluster.address)) as pool:
        link = await pool.links.get()
        await link.exchange(HELLO)
        cluster.scheduler.kill()
        assert not await pool.pool.undelivered()
        assert "start a new one, and repeat the command" in await pool.broken.get()
        with pytest.raises(WorkerLostError, match="connection to the scheduler"):
            await link.exchange(HELLO)
        assert not await pool.pool.undelivered()
    assert pool.broken.empty()


async def test_a_cluster_without_workers(cluster: DaskProcesses) -> None:
    said: list[str] = []
    pool = DaskCluster(cluster.address, patience=0.5, on_stage=said.append)
    start = f"start some: dask worker {cluster.address} --nthreads 1"
    with pytest.raises(ConfigurationError, match=f"has no workers; {start}$"):
        async with opened(pool):
            pass
    assert [text.endswith(start) for text in said] == [True]  # it is not silent meanwhile


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
    assert all(f"{name}={value}" in refused.value.message for name, value in SAFE.items())  # the remedy


async def test_a_worker_that_refuses_the_job(cluster: DaskProcesses) -> None:
    cluster.add_worker()
    with pytest.raises(ConfigurationError, match=r"no worker that can be used: worker tcp://.*99"):
        async with opened(DaskCluster(cluster.address), attrs.evolve(SETUP, version="99")):
            pass


async def registered(cluster: DaskProcesses, workers: int) -> None:
    """Wait until the scheduler knows so many workers."""
    async with Client(cluster.address, asynchronous=True, set_as_default=False) as client:
        await client.wait_for_workers(workers)


OTHERS = {
    "wosdk_async 0.0.9": "import wosdk_async.jobs.cluster.dask_worker as m\nm.VERSION = '0.0.9'",
    "no wosdk_async that can be used": "import sys\nsys.modules['wosdk_async'] = None",
}


async def test_workers_of_another_version_get_nothing(
    cluster: DaskProcesses, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others send the rows; without any other one the job ends."""
    for number, preload in enumerate(OTHERS.values()):
        (tmp_path / f"preload{number}.py").write_text(preload)
        cluster.variables["DASK_DISTRIBUTED__WORKER__PRELOAD"] = str(tmp_path / f"preload{number}.py")
        cluster.add_worker()
    await registered(cluster, 2)
    with pytest.raises(ConfigurationError) as refused:
        async with opened(DaskCluster(cluster.address)):
            pass
    cluster.variables.clear()
    good = cluster.add_worker()
    await registered(cluster, 3)
    caplog.clear()
    async with opened(DaskCluster(cluster.address)) as pool:
        link = await pool.links.get()
        assert (link.name, pool.links.empty()) == (good, True)
        while caplog.text.count("gets no rows") < 2:
            assert (await link.exchange(HELLO)).worker
    for text in (refused.value.message, caplog.text):
        assert all(f"has {found}" in text for found in OTHERS)
        assert text.count("install wosdk_async[dask]==") == 2


async def test_a_retired_worker_is_lost_as_any_other(cluster: DaskProcesses) -> None:
    names = [cluster.add_worker(), cluster.add_worker()]
    async with opened(DaskCluster(cluster.address)) as pool:
        links = {link.name: link for link in [await pool.links.get(), await pool.links.get()]}
        async with Client(cluster.address, asynchronous=True, set_as_default=False) as client:
            await client.retire_workers([names[0]], close_workers=True)
        with pytest.raises(WorkerLostError):
            while True:
                with contextlib.suppress(OSError, RefusedError):
                    await links[names[0]].exchange(HELLO)
        assert (await links[names[1]].exchange(HELLO)).worker


async def test_a_connection_that_breaks_is_opened_again(cluster: DaskProcesses) -> None:
    """The job goes on, with the same held workers."""
    cluster.add_worker()
    with Relay(cluster.address) as relay:
        async with opened(DaskCluster(relay.address)) as pool:
            link = await pool.links.get()
            before = await link.exchange(HELLO)
            await relay.cut()
            with pytest.raises(OSError, match=r"closed|reset"):
                await link.exchange(HELLO)
            assert (await link.exchange(HELLO)).worker == before.worker
            await pool.pool.undelivered()
            assert pool.broken.empty()


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
    assert "Calling into handler _exchange" in logs  # it was looked at
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
    ],
)
def test_addresses_that_are_private(address: str) -> None:
    require_private(address)
    scheme, _, place = address.rpartition("://")
    assert scheduler_address(address) == f"{scheme or 'tcp'}://{place}"


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
        "inproc://10.0.0.3/1/2",
    ],
)
def test_addresses_where_others_would_read_the_token(address: str) -> None:
    with pytest.raises(ConfigurationError, match="tls://"):
        require_private(address)
    with pytest.raises(ConfigurationError):
        DaskCluster(address)


@pytest.mark.parametrize(
    ("address", "right"),
    [
        ("dask+tls://10.0.0.3:8786", "tls://10.0.0.3:8786"),
        ("dask://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("dask+tcp://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_addresses_as_the_command_writes_them(address: str, right: str) -> None:
    assert repr(DaskCluster(address)) == f"DaskCluster({right!r})"


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("dask://127.0.0.1", "write dask://127.0.0.1:8786"),
        ("dask+tls://host", r"write dask\+tls://host:8786"),
        ("dask://host:8786", r"write dask\+tls://host:8786"),
        ("http://host:80", r"write dask\+tls://host:80"),
        ("ucx://127.0.0.1:9", "write dask://127.0.0.1:9"),
        ("tls://host:99999", r"write dask\+tls://HOST:8786"),
        ("tls://host:0", r"write dask\+tls://HOST:8786"),
        ("tls://host:8786/x", r"write dask\+tls://HOST:8786"),
        ("://host:8786", r"write dask\+tls://host:8786"),
        (8786, r"8786 is not .* write dask\+tls://HOST:8786"),
        (None, r"write dask\+tls://HOST:8786"),
    ],
)
def test_addresses_that_are_none(address: Any, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=hint):
        DaskCluster(address)


@pytest.mark.parametrize(
    "options", [{"security": True}, {"direct": "yes"}, {"patience": "5"}, {"patience": -1}]
)
def test_arguments_of_a_wrong_type(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"{next(iter(options))} is .*; it takes"):
        DaskCluster("tcp://127.0.0.1:8786", **options)


@pytest.mark.parametrize("found", ["0.0.9", ModuleNotFoundError("No module named 'wosdk_async'")])
def test_workers_with_another_package(found: object) -> None:
    require_version("tls://10.0.0.3:4122", "1.0", "1.0")
    with pytest.raises(ConfigurationError, match=r"wosdk_async\[dask\]==1.0") as refused:
        require_version("tls://10.0.0.3:4122", found, "1.0")
    assert str(found) in refused.value.message
