"""What a Dask cluster sends is never unpickled by the coordinator; what is not a cluster is named as such."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from distributed import Client, Security

from benchmarks.certificate import certificate
from benchmarks.dask_processes import DaskProcesses
from tests.jobs.cluster.dask_peers import Stranger
from tests.jobs.cluster.pools import opened
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.dask import DaskCluster
from wosdk_async.jobs.cluster.dask_wire import NotDaskError, RefusedError, Wire

HOSTILE = """
from distributed.protocol import ToPickle, to_serialize

CODE = "import os; file = open({path!r}, 'a'); file.write(str(os.getpid()) + ' '); file.close()"

class Evil(Exception):
    def __reduce__(self):
        return (exec, (CODE,))

async def fails(**_):
    raise Evil()

async def pickles(**_):
    return ToPickle(Evil())

async def serializes(**_):
    return to_serialize(Evil())

async def result(**_):
    return {{"status": "OK", "result": to_serialize(Evil())}}

async def error(**_):
    evil = ToPickle(Evil())
    return {{"status": "error", "exception": to_serialize(Evil()), "exception_text": evil, "traceback": evil}}

def dask_setup(worker):
    kinds = [fails, pickles, serializes, result, error]
    worker.handlers.update({{each.__name__: each for each in kinds}})
    if {hijacked!r}:
        worker.handlers["run"] = result
"""
KINDS = ["fails", "pickles", "serializes", "result", "error"]


@attrs.define
class Hostile:
    """A worker whose responses run code where they are unpickled."""

    address: str
    path: Path

    def victims(self) -> set[int]:
        """Return the processes that ran the code."""
        return {int(each) for each in self.path.read_text().split()} if self.path.exists() else set()


def add_hostile(cluster: DaskProcesses, folder: Path, *, hijacked: bool = False) -> Hostile:
    path = folder / "victims.txt"
    (folder / "hostile.py").write_text(HOSTILE.format(path=str(path), hijacked=hijacked))
    cluster.variables["DASK_DISTRIBUTED__WORKER__PRELOAD"] = str(folder / "hostile.py")
    return Hostile(cluster.add_worker(), path)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path) as cluster:
        yield cluster


async def test_a_hostile_response_runs_no_code(cluster: DaskProcesses, tmp_path: Path) -> None:
    """From the worker itself, or through the scheduler; neither a result nor an error."""
    hostile = add_hostile(cluster, tmp_path)
    direct, through = Wire(hostile.address, None, 5.0), Wire(cluster.address, None, 5.0)
    for kind in KINDS:
        for request in (
            direct.request(kind),
            through.request("proxy", worker=hostile.address, msg={"op": kind}),
        ):
            with contextlib.suppress(RefusedError, NotDaskError, OSError):
                found = await request
                assert not isinstance(found, bytes)
    direct.close()
    through.close()
    assert os.getpid() not in hostile.victims()


async def test_a_hostile_worker_gets_no_rows(cluster: DaskProcesses, tmp_path: Path) -> None:
    hostile = add_hostile(cluster, tmp_path, hijacked=True)
    with pytest.raises(ConfigurationError, match=r"no worker that can be used: .*it tells no version"):
        async with opened(DaskCluster(cluster.address)):
            pass
    assert os.getpid() not in hostile.victims()
    async with Client(cluster.address, asynchronous=True, set_as_default=False) as client:
        await client.run(os.getpid)
    assert os.getpid() in hostile.victims()  # Dask's own client runs it: the worker is hostile


# --- no scheduler there ----------------------------------------------------------------------------


def numbers(*values: int) -> bytes:
    return struct.pack(f"{len(values)}Q", *values)


@pytest.mark.parametrize(
    ("says", "close", "hint"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", True, "is not a scheduler of Dask|reset"),
        (b"\xff" * 64, False, "is not a scheduler of Dask"),
        (numbers(1 << 60, 1, 1 << 60), False, "is not a scheduler of Dask"),
        (numbers(1 << 20, 1 << 50), False, "is not a scheduler of Dask"),
        (numbers(1 << 20, 2, 1 << 40, 1 << 40), False, "is not a scheduler of Dask"),
        (numbers(24, 1, 1) + b"\xc1", False, "is not a scheduler of Dask"),
        (numbers(24, 1, 1) + b"\x01", False, "is not a scheduler of Dask"),
        (numbers(24, 1)[:9], True, "is not a scheduler of Dask|reset"),
        (b"", False, "nothing responds within 1 s"),
    ],
)
async def test_what_is_not_a_scheduler(
    says: bytes, close: bool, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused at once, whatever length it names."""
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 1.0)
    with Stranger(says, close=close) as there, pytest.raises(ConfigurationError, match=hint) as refused:
        async with opened(DaskCluster(f"dask://{there.place}")):
            pass
    assert "\n" not in refused.value.message
    assert there.place in refused.value.message


async def test_nothing_at_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.5)
    said: list[str] = []
    remedy = "start it: DASK_.*=0 DASK_.*=False dask scheduler --host 127.0.0.1 --port 9$"
    with pytest.raises(ConfigurationError, match=f"cannot be reached: Connection refused; {remedy}"):
        async with opened(DaskCluster("tcp://127.0.0.1:9", on_stage=said.append)):
            pass
    assert len(said) == 1
    assert said[0].startswith("waiting up to 0 s for the scheduler at tcp://127.0.0.1:9: Connection refused")
    assert said[0].endswith("; look whether it was started, and whether host and port are right")


async def test_one_that_says_nothing_is_named_while_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.5)
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask_scheduler._QUIET", 0.1)
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:  # the system accepts connections, nobody reads
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ConfigurationError, match="nothing responds within 0 s; look whether host and"):
            async with opened(DaskCluster(address, on_stage=said.append)):
                pass
    assert said == [
        f"waiting up to 0 s for the scheduler at {address}: no response yet; look whether it was started, "
        "and whether host and port are right"
    ]


async def test_a_host_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.5)
    file = str(certificate())
    security = Security(tls_ca_file=file, tls_client_cert=file, tls_client_key=file)
    with pytest.raises(ConfigurationError, match=r"look whether the name is right|nothing responds"):
        async with opened(DaskCluster("tls://scheduler.invalid:8786", security=security)):
            pass


async def test_a_worker_is_not_a_scheduler(cluster: DaskProcesses) -> None:
    with pytest.raises(ConfigurationError, match="it is a Worker of Dask"):
        async with opened(DaskCluster(cluster.add_worker())):
            pass


# --- TLS --------------------------------------------------------------------------------------------


def tls_options(file: str) -> list[str]:
    return ["--protocol", "tls", "--tls-ca-file", file, "--tls-cert", file, "--tls-key", file]


def own(file: str, authority: str = "") -> Security:
    return Security(tls_ca_file=authority or file, tls_client_cert=file, tls_client_key=file)


async def test_tls_without_certificates() -> None:
    with pytest.raises(ConfigurationError, match="needs certificates for TLS; name their files in DASK_DIS"):
        async with opened(DaskCluster("dask+tls://127.0.0.1:8786", security=Security())):
            pass


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_certificates_that_cannot_be_read(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "ca.pem").write_text(content)
    security = own(str(tmp_path / "ca.pem"))
    with pytest.raises(ConfigurationError, match=r"certificates .* cannot be used \(.*\): .*ca\.pem"):
        async with opened(DaskCluster("dask+tls://127.0.0.1:8786", security=security)):
            pass


async def test_a_scheduler_with_tls_is_addressed_wrongly(
    tmp_path: Path, cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 2.0)
    file, other = str(certificate()), str(certificate(("IP:127.0.0.2",)))
    (tmp_path / "tls").mkdir()
    with DaskProcesses(tmp_path / "tls", options=tls_options(file)) as encrypted:
        place = encrypted.address.removeprefix("tls://")
        for pool, hint in [
            (DaskCluster(f"dask://{place}"), rf"one with TLS is dask\+tls://{place}"),
            (
                DaskCluster(f"dask+tls://{place}", security=own(other)),
                "its certificate is refused .*CA_FILE",
            ),
            (
                DaskCluster(f"dask+tls://{place}", security=own(other, file)),
                "certificate of its own authority",
            ),
        ]:
            with pytest.raises(ConfigurationError, match=hint):
                async with opened(pool):
                    pass
    plain = cluster.address.removeprefix("tcp://")
    with pytest.raises(ConfigurationError, match="start it with --protocol tls"):
        async with opened(DaskCluster(f"dask+tls://{plain}", security=own(file))):
            pass
