"""A scheduler whose messages are those of another version of Dask: one line names both, and nothing hangs."""

from __future__ import annotations

import signal
from importlib.metadata import version
from pathlib import Path

import pytest

from benchmarks.dask_processes import SAFE, DaskProcesses
from tests.jobs.cluster.dask_peers import Stranger
from tests.jobs.cluster.pools import opened
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster

HERE = version("distributed")

PRELOAD = """
import struct
from distributed.comm import core, tcp

{change}

def dask_setup(scheduler):
    scheduler.handlers["versions"] = lambda: {{"packages": {{"distributed": "2099.1.0"}}}}
    {setup}
"""

CHANGES = {
    "the greeting must have more": (
        "def ask(local, remote): return {'epoch': remote['epoch'], 'compression': None}\n"
        "core.Comm.handshake_configuration = staticmethod(ask)",
        "an unknown version",
    ),
    "the greeting has other names": (
        "core.Comm.handshake_info = lambda comm: {'format': 2}",
        "an unknown version",
    ),
    "messages begin otherwise": (
        "tcp._add_frames_header = lambda frames: ([b'DASK2' * 9], [45], 45)",
        "an unknown version",
    ),
}
SETUPS = {
    "it names itself otherwise": "scheduler.handlers['identity'] = lambda: {'kind': 'scheduler'}",
    "a request has another name": "del scheduler.handlers['identity']",
    "a request fails": "scheduler.handlers['identity'] = lambda: 1 / 0",
    "a response is not sent": "scheduler.handlers['identity'] = lambda: scheduler.finished()",
}


async def refused(cluster: DaskProcesses) -> str:
    with pytest.raises(ConfigurationError) as refused:
        async with opened(DaskCluster(cluster.address)):
            pass
    assert "\n" not in refused.value.message
    assert HERE in refused.value.message
    return refused.value.message


def changed(folder: Path, change: str = "", setup: str = "") -> DaskProcesses:
    (folder / "preload.py").write_text(PRELOAD.format(change=change, setup=setup))
    preload = {"DASK_DISTRIBUTED__SCHEDULER__PRELOAD": str(folder / "preload.py")}
    return DaskProcesses(folder, SAFE | preload)


@pytest.mark.parametrize("change", CHANGES)
async def test_another_handshake(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 3.0)
    code, there = CHANGES[change]
    with changed(tmp_path, code) as cluster:
        assert f"it has {there}, this process distributed {HERE}" in await refused(cluster)


async def test_other_responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 3.0)
    for number, setup in enumerate(SETUPS.values()):
        (folder := tmp_path / str(number)).mkdir()
        with changed(folder, setup=setup) as cluster:
            said = await refused(cluster)
            assert "it has distributed 2099.1.0" in said, setup
            assert "install the same version of dask" in said


async def test_a_scheduler_that_stands_still_breaks_the_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when several connections to it are open."""
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 2.0)
    with DaskProcesses(tmp_path) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        async with opened(DaskCluster(cluster.address)) as pool:
            for _ in range(2):
                await pool.links.get()
            monkeypatch.setattr("wosdk_async.jobs.cluster.dask_scheduler._SILENT", 0.5)
            cluster.scheduler.send_signal(signal.SIGSTOP)
            assert "the connection to the scheduler" in await pool.broken.get()
            monkeypatch.setattr("wosdk_async.jobs.cluster.dask._GRACE", 0.0)


async def test_the_last_error_is_the_one_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler that is started meanwhile, and cannot be used."""
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 5.0)
    with Stranger(b"") as there:
        place = there.place
    started: list[Stranger] = []

    def start(_: str) -> None:
        started.append(Stranger(b"\xff" * 64, port=int(place.rpartition(":")[2])).__enter__())

    try:
        with pytest.raises(ConfigurationError, match="is not a scheduler of Dask"):
            async with opened(DaskCluster(f"dask://{place}", on_stage=start)):
                pass
    finally:
        started[0].__exit__(None, None, None)


async def test_a_worker_whose_address_others_can_read_gets_nothing(tmp_path: Path) -> None:
    """The token does not go there, as nothing does."""
    setup = "scheduler.handlers['ncores'] = lambda: {'tcp://203.0.113.1:4122': 1}"
    asked = "scheduler.handlers['proxy'] = lambda **_: print('ASKED', flush=True)"
    with changed(tmp_path, setup=f"{setup}; {asked}") as cluster:
        with pytest.raises(
            ConfigurationError, match=r"203\.0\.113\.1:4122: .* without encryption; use tls://"
        ):
            async with opened(DaskCluster(cluster.address)):
                pass
        assert "ASKED" not in cluster.logs()
