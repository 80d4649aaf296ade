"""Risks that remain: each test shows one, so that SECURITY.md cannot name what is no longer true."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.service import Service
from wosdk_async.regular_files import connect_database
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.session.hosts import HostRules

SECRET = "kq9/Zq+7w&Lm3=Xr8tPv2B"


async def test_a_hook_of_your_own_client_sees_the_token() -> None:
    seen = []

    async def hook(request: Any) -> None:
        seen.append(request.headers.get("Authorization", ""))

    async with Service() as service, httpx.AsyncClient(event_hooks={"request": [hook]}) as http:
        async with service.client(http_client=http) as client:
            await client.company().connect()
    assert any(each.startswith("Bearer ") for each in seen)


@pytest.mark.parametrize("host", ["10.0.0.5", "files.intranet.example"])
def test_a_document_may_be_in_your_network(host: str) -> None:
    HostRules().require_download(f"https://{host}/a", local=False)


@pytest.mark.parametrize("form", [SECRET[::-1], zlib.compress(SECRET.encode()).hex(), " ".join(SECRET)])
def test_forms_of_a_secret_that_are_not_recognised(form: str) -> None:
    assert Secrets(SECRET).hide(form, 1000) == form


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_a_process_of_yours_reads_the_environment_of_another() -> None:
    code = f"print(open('/proc/{os.getpid()}/environ', 'rb').read().count(b'PATH=') > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={})
    assert done.stdout == "True\n"


def test_a_database_that_is_exchanged_while_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "journal.db", tmp_path / "other.db"
    for each in (path, other):
        with closing(sqlite3.connect(each)) as db:
            db.execute(f"CREATE TABLE {each.stem} (a)")
    connect = sqlite3.connect

    def exchanged(*args: Any, **options: Any) -> sqlite3.Connection:
        path.unlink()
        path.symlink_to(other)
        return connect(*args, **options)

    monkeypatch.setattr(sqlite3, "connect", exchanged)
    with closing(connect_database(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("other",)]


async def test_who_is_in_a_dask_cluster_runs_code_there() -> None:
    from distributed import Client, LocalCluster

    quiet = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    async with LocalCluster(
        n_workers=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs=quiet,
        worker_dashboard_address="127.0.0.1:0",
        asynchronous=True,
    ) as cluster:
        async with Client(cluster, asynchronous=True) as client:
            assert await client.submit(eval, "6 * 7") == 42
