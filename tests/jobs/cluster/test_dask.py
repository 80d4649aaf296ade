"""Workers in a Dask cluster of real processes: they join, are killed and replaced, and say no secrets."""

from __future__ import annotations

import ast
import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest
from distributed import Client, Security

import wosdk_async
from tests.chaos.dask_processes import DaskProcesses
from tests.jobs.cluster.pools import HELLO, hello, lost, opened
from tests.support.certificate import certificate
from tests.support.laws import each_of
from tests.support.serving import serving
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster, _is_private
from wosdk_async.jobs.cluster.messages import Order, PushedSession


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path) as cluster:
        yield cluster


# --- the interface --------------------------------------------------------------------------------


def test_nothing_but_documented_names_of_dask_is_imported() -> None:
    """``Client``, ``LocalCluster`` and ``Security``, as Dask's pages name them; no module below."""
    found = set()
    for path in Path(wosdk_async.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "dask" in text or "distributed" in text else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (
                "distributed",
                "dask",
            ):
                found |= {(node.module, each.name) for each in node.names}
            if isinstance(node, ast.Import):
                assert not {each.name.split(".")[0] for each in node.names} & {"distributed", "dask"}, path
    assert found == {("distributed", name) for name in ("Client", "LocalCluster", "Security")}
    assert all(name in distributed.__all__ for _, name in found)


# --- workers --------------------------------------------------------------------------------------


async def test_workers_that_join_are_killed_and_are_replaced(cluster: DaskProcesses) -> None:
    """One that was given up, as after silence, is a new actor with a nonce of its own."""
    first = cluster.add_worker()
    async with opened(DaskCluster(cluster.address)) as pool:
        link = await pool.links.get()
        assert link.name == first
        before = await hello(link)
        assert (await hello(link)).worker == before.worker
        await link.aclose()
        link, given_up = await pool.links.get(), before
        assert link.name == first
        before = await hello(link)
        assert before.worker != given_up.worker
        second = cluster.add_worker()
        other = await pool.links.get()
        assert other.name == second
        assert (await hello(other)).worker != before.worker
        cluster.kill_worker(0)
        with pytest.raises((OSError, RuntimeError)):
            while True:
                async with asyncio.timeout(1):
                    await hello(link)
        assert await lost(link) == "its process has exited"
        assert (await hello(other)).worker
        assert pool.broken.empty()


async def test_a_cluster_over_tls_and_directly(tmp_path: Path) -> None:
    file = str(certificate())
    options = ["--protocol", "tls", "--tls-ca-file", file, "--tls-cert", file, "--tls-key", file]
    security = Security(tls_ca_file=file, tls_client_cert=file, tls_client_key=file, require_encryption=True)
    with DaskProcesses(tmp_path, options=options) as cluster:
        assert cluster.address.startswith("tls://")
        worker = cluster.add_worker()
        async with opened(DaskCluster(cluster.address, security=security, direct=True)) as pool:
            link = await pool.links.get()
            assert link.name == worker
            assert (await hello(link)).worker


async def test_tls_without_certificates_names_what_to_set() -> None:
    with pytest.raises(ConfigurationError, match=r"set .*COMM__TLS__CA_FILE, .*CLIENT__CERT, .*CLIENT__KEY"):
        await opened(DaskCluster("tls://127.0.0.1:8786")).__aenter__()


async def test_a_worker_that_stands_still_joins_when_it_wakes(cluster: DaskProcesses) -> None:
    names = [cluster.add_worker(), cluster.add_worker()]
    async with opened(DaskCluster(cluster.address)):
        pass  # the workers have imported the package: from now on they respond soon
    cluster.workers[0].send_signal(signal.SIGSTOP)
    async with opened(DaskCluster(cluster.address)) as pool:
        assert (await pool.links.get()).name == names[1]
        cluster.workers[0].send_signal(signal.SIGCONT)
        assert (await pool.links.get()).name == names[0]


async def test_a_scheduler_that_dies_breaks_the_pool(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.add_worker()
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 5.0)  # so long it is looked for again
    async with opened(DaskCluster(cluster.address)) as pool:
        link = await pool.links.get()
        cluster.scheduler.kill()
        why = await pool.broken.get()
    assert "the connection to the scheduler of the Dask cluster tcp://127.0.0.1:" in why
    assert "repeat the command" in why
    assert link.lost


async def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.3)
    with pytest.raises(ConfigurationError, match=r"cannot be reached .*check that it is running"):
        async with opened(DaskCluster("tcp://127.0.0.1:9")):
            pass


@pytest.mark.parametrize(("said", "what"), [(b"", "cannot be reached"), (b"SSH-2.0\r\n" * 100, "")])
async def test_a_server_that_is_no_scheduler(monkeypatch: pytest.MonkeyPatch, said: bytes, what: str) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read()

    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.3)
    async with serving(respond) as port:
        with pytest.raises(
            ConfigurationError, match=rf"the scheduler at .* {what}.*check that it is running"
        ):
            await opened(DaskCluster(f"tcp://127.0.0.1:{port}")).__aenter__()


OTHERS = {
    "wosdk_async 0.0.9": "import wosdk_async.version as m\nm.VERSION = '0.0.9'",
    "No module named": (
        "import sys\n"
        "for name in list(sys.modules):\n"
        "    if name.startswith('wosdk_async.'): del sys.modules[name]\n"
        "sys.modules['wosdk_async'] = None"
    ),
}


async def test_workers_of_another_version_get_nothing(
    cluster: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others send the rows; without any other one, or any at all, the job ends."""
    with monkeypatch.context() as patch:
        patch.setattr("wosdk_async.jobs.cluster.dask._START", 1.0)
        with pytest.raises(ConfigurationError, match="usable worker: none responded within 1 s"):
            async with opened(DaskCluster(cluster.address)):
                pass
    for number, preload in enumerate(OTHERS.values()):
        (tmp_path / f"preload{number}.py").write_text(preload)
        cluster.variables["DASK_DISTRIBUTED__WORKER__PRELOAD"] = str(tmp_path / f"preload{number}.py")
        cluster.add_worker()
    with pytest.raises(ConfigurationError, match="has no usable worker: worker tcp://"):
        async with opened(DaskCluster(cluster.address)):
            pass
    cluster.variables.clear()
    good, said = cluster.add_worker(), []
    async with opened(DaskCluster(cluster.address, on_stage=said.append)) as pool:
        link = await pool.links.get()
        while len(said) < 2:
            assert (await hello(link)).worker, said
        assert (link.name, pool.links.empty()) == (good, True)
    text = "\n".join(said)
    assert all(found in text for found in OTHERS), text
    assert "install wosdk_async[dask]==" in text


async def test_a_worker_that_was_refused_is_tried_again_when_it_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may have been restarted with the right version, at the address that it had."""
    welcomed: list[str] = []

    async def welcome(_: DaskCluster, address: str) -> None:
        welcomed.append(address)

    monkeypatch.setattr(DaskCluster, "_start_actor", welcome)
    pool = DaskCluster("tcp://127.0.0.1:8786")
    pool._refused["tcp://127.0.0.1:9000"] = "it runs wosdk_async 0.1"
    pool._update_links({})  # it ends, and is started again
    pool._update_links({"tcp://127.0.0.1:9000": {}})
    await asyncio.sleep(0)
    assert welcomed == ["tcp://127.0.0.1:9000"]


async def test_the_token_is_in_nothing_that_dask_tells(tmp_path: Path) -> None:
    token = "t0ken-of-the-c0mpany"
    session = PushedSession(number=1, token=token, base_url="https://127.0.0.1:9/", expires_in=900)
    with DaskProcesses(tmp_path, variables={"DASK_LOGGING__DISTRIBUTED": "debug"}) as cluster:
        cluster.add_worker()
        async with opened(DaskCluster(cluster.address)) as pool:
            link = await pool.links.get()
            nonce = (await hello(link)).worker
            order = Order(worker=nonce, received=0, share=HELLO.share, session=session, patience=0.0)
            assert (await hello(link, order)).session == 1
            told = [repr(pool.pool), repr(link), repr(vars(link)), repr(order)]
            async with Client(cluster.address, asynchronous=True, set_as_default=False) as client:
                told += [repr(await client.scheduler.identity(n_workers=-1)), str(await client.story())]
        told.append(cluster.logs())
    assert not [text for text in told if token in text]


async def test_a_worker_whose_address_others_can_read_gets_nothing() -> None:
    pool, said = DaskCluster("tcp://127.0.0.1:8786"), []
    pool._on_stage = said.append
    await pool._start_actor("tcp://10.0.0.3:4122")
    assert "would be sent unencrypted" in said[0]
    assert pool._links == {}


# --- addresses ------------------------------------------------------------------------------------


@each_of(
    ("address", "right"),
    [
        ("tls://10.0.0.3:8786", "tls://10.0.0.3:8786"),
        ("tls://scheduler.example:8786", "tls://scheduler.example:8786"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://localhost:8786", "tcp://localhost:8786"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("dask+tls://10.0.0.3:8786", "tls://10.0.0.3:8786"),
        ("dask://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("dask+tcp://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_addresses_that_are_private(address: str, right: str) -> None:
    assert DaskCluster(address).address == right


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
        DaskCluster(address)
    assert not _is_private(address)


@each_of(
    ("address", "hint"),
    [
        ("dask://127.0.0.1", "write dask://127.0.0.1:8786"),
        ("dask+tls://host", r"write dask\+tls://host:8786"),
        ("dask://host:8786", r"write tls://host:8786"),
        ("http://host:80", r"write dask\+tls://HOST:8786"),
        ("tls://host:99999", r"write dask\+tls://HOST:8786"),
        ("tls://host:0", r"write dask\+tls://HOST:8786"),
        ("tls://host:8786/x", r"write dask\+tls://HOST:8786"),
        ("://host:8786", r"write dask\+tls://HOST:8786"),
        (8786, r"8786 is not .* write dask\+tls://HOST:8786"),
        (None, r"write dask\+tls://HOST:8786"),
    ],
)
def test_addresses_that_are_none(address: Any, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=hint):
        DaskCluster(address)
