"""The server as a process and as a thread: starting, ending, and what a killed one leaves."""

from __future__ import annotations

import contextlib
import gc
import json
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from tests.chaos.sandbox_kills import Acknowledged, check_file, find_lost, kill_once
from tests.sandbox.company import Caller
from tests.support.preloaded import python
from wosdk_async.sandbox import LocalCompany, StoreError, VirtualClock, open_store, serve
from wosdk_async.sandbox.storage.companies import StoredCompany

SERVE = """
import json, sys
from wosdk_async.sandbox import serve
serve(sys.argv[1], port=0, announce=lambda variables: print(json.dumps(variables), flush=True))
print("ended", flush=True)
"""


def caller(http: httpx.Client, variables: dict[str, str]) -> Caller:
    company = StoredCompany(
        46, variables["WOSDK_COMPANY"], variables["WOSDK_CLIENT_ID"], variables["WOSDK_CLIENT_SECRET"]
    )
    return Caller(http, company, variables["WOSDK_LOCATOR_URL"])


def started(path: Path) -> tuple[subprocess.Popen[str], dict[str, str]]:
    process = python(SERVE, path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    variables: dict[str, str] = json.loads(process.stdout.readline())
    return process, variables


async def test_killed_server_has_kept_all_it_answered(tmp_path: Path) -> None:
    """Two kills in the middle of writing lose nothing (``tests.chaos.sandbox_kills`` kills more often)."""
    acknowledged = Acknowledged()
    for orders in (77, 30):
        await kill_once(tmp_path / "sandbox.db", acknowledged, orders)
        assert await find_lost(tmp_path / "sandbox.db", acknowledged) == []
    assert len(acknowledged.numbers) >= 107
    assert check_file(tmp_path / "sandbox.db") == "ok"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    process, variables = started(tmp_path / "sandbox.db")
    assert set(variables) == {
        "WOSDK_TOKEN_URL",
        "WOSDK_LOCATOR_URL",
        "WOSDK_COMPANY",
        "WOSDK_CLIENT_ID",
        "WOSDK_CLIENT_SECRET",
    }
    with httpx.Client() as http:
        caller(http, variables).order()
    process.send_signal(number)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("ended\n", 0)
    assert not (tmp_path / "sandbox.db-wal").exists()


def test_a_taken_port_is_reported(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port}: .*Choose another port"):
            serve(tmp_path / "sandbox.db", port=port, announce=print)


def test_local_company_leaves_nothing() -> None:
    before = threading.active_count()
    with LocalCompany() as local, httpx.Client() as http:
        acme = caller(http, local.variables)
        assert "server" not in acme.send("GET", "base/Customer/512").headers
        root = local.variables["WOSDK_LOCATOR_URL"]
    assert threading.active_count() == before
    with pytest.raises(httpx.ConnectError):
        httpx.get(root)


def test_a_request_whose_client_gave_up_does_not_hold_up_the_end() -> None:
    with LocalCompany() as local, httpx.Client() as http:
        local.faults.add("latency", operation="token", fixed=3600.0)
        with pytest.raises(httpx.TimeoutException):
            http.post(local.variables["WOSDK_TOKEN_URL"], timeout=0.2)
        begun = time.monotonic()
    assert time.monotonic() - begun < 4.0


def test_connections_that_are_being_accepted_at_the_end_are_closed() -> None:
    """An unclosed socket fails the test: it is a ResourceWarning as soon as it is collected."""
    for _ in range(5):
        with contextlib.ExitStack() as clients:
            with LocalCompany() as local:
                address = urlsplit(local.variables["WOSDK_TOKEN_URL"])
                for _ in range(3):
                    clients.enter_context(socket.create_connection((address.hostname, address.port)))
            gc.collect()


def test_a_client_that_reads_nothing_is_dropped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its responses do not fit into the buffers, so they would wait for ever; here not for 5 s either."""
    configure, sooner = uvicorn.Config.__init__, {"timeout_graceful_shutdown": 1}
    monkeypatch.setattr(uvicorn.Config, "__init__", lambda *a, **named: configure(*a, **named | sooner))
    before = threading.enumerate()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        with LocalCompany() as local:
            client.connect(("127.0.0.1", int(local.variables["WOSDK_TOKEN_URL"].split(":")[2].split("/")[0])))
            client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 8)
            while not client.recv(1, socket.MSG_PEEK):
                pass
    assert set(threading.enumerate()) <= set(before)


def test_a_client_that_waits_gets_its_response_at_the_end() -> None:
    with httpx.Client() as http, ThreadPoolExecutor(1) as pool:
        with LocalCompany() as local:
            acme = caller(http, local.variables)
            local.faults.add("latency", operation="retrieve", fixed=0.3)
            response = pool.submit(acme.send, "GET", "base/Customer/512")
            while not local.faults.injected:
                time.sleep(0.001)  # the server is another thread
        assert response.result().status_code == 200


def test_a_forgotten_with_is_reported() -> None:
    """Before the block and after it there is no server to ask."""
    local = LocalCompany()
    asked: list[Callable[[], object]] = [
        lambda: local.variables,
        lambda: local.variables_of("AcmeFacilities"),
        lambda: local.seed({"Customer": []}),
        local.snapshot,
        local.reset,
        lambda: local.requests,
        local.clear_requests,
    ]

    def check_refused() -> None:
        for ask in asked:
            with pytest.raises(RuntimeError, match=r"only runs inside its block: with LocalCompany\(\) as"):
                ask()

    check_refused()
    with local:
        for ask in asked:
            ask()
    check_refused()


UNTYPED: Any = LocalCompany  # as programs without a type checker call it


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"companies": "North"}, r"companies is 'North'; it must be a list of names: \['North'\]"),
        ({"clock": datetime(2026, 1, 1, tzinfo=UTC)}, r"clock is .*; it must be a VirtualClock\("),
        ({"clock": VirtualClock}, r"it must be a VirtualClock\(start\)"),
    ],
)
def test_settings_of_the_wrong_kind_are_refused(settings: dict[str, object], expected: str) -> None:
    """A text would be five Companies of one letter, and without a clock no login would succeed."""
    with pytest.raises(ValueError, match=expected):
        UNTYPED(**settings)


def test_two_local_companies_are_apart() -> None:
    with LocalCompany() as one, LocalCompany() as two, httpx.Client() as http:
        caller(http, one.variables).order()
        assert caller(http, two.variables).ids("WorkOrder") == []


def test_numbers_are_unique_among_many_callers() -> None:
    with LocalCompany() as local, httpx.Client() as http:
        acme = caller(http, local.variables)
        with ThreadPoolExecutor(8) as pool:
            numbers = list(pool.map(lambda _: acme.order()["Number"], range(80)))
        assert sorted(numbers) == [f"RSC{serial:06d}" for serial in range(1, 81)]


def test_files_that_are_not_a_store(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database" * 100)
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE t (x)")
    for path in (text, other, tmp_path, tmp_path / "no" / "where.db"):
        with pytest.raises(StoreError, match=rf"{path.name}.* Choose"):
            open_store(str(path))


def test_store_of_another_version(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.db"
    open_store(str(path)).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreError, match="in format 99"):
        open_store(str(path))


def test_a_request_that_a_fault_still_holds_leaves_no_traceback_on_the_console() -> None:
    """In a process of its own: pytest would take the log."""
    program = """
import httpx
from wosdk_async.sandbox import LocalCompany
with LocalCompany() as local:
    local.faults.add("latency", fixed=60.0, operation="token")
    try:
        httpx.post(local.variables["WOSDK_TOKEN_URL"], timeout=0.5)
    except httpx.TimeoutException:
        print("held")
"""
    process = python(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.communicate(timeout=60) == ("held\n", "")
    assert process.returncode == 0
