"""``wosdk import`` on many workers: its options, and what ``wosdk jobs`` says of such a job."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, settling, spawn
from tests.cli.importing import MAP, imported, killed
from tests.jobs.cluster.pools import children
from tests.jobs.journal.test_grants import a_grant
from tests.support.waiting import until
from wosdk_async.jobs.journal import AuditResult, AuditRow, Journal
from wosdk_async.sandbox import LocalCompany


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--processes", "2", "--engine", "dask://127.0.0.1:1"], "are mutually exclusive"),
        (["--lease", "9"], "--lease needs --processes or --engine"),
        (["--engine", "ray://127.0.0.1:1"], "not a scheduler address; write dask+tls://HOST:8786"),
        (["--engine", "dask://127.0.0.1"], "has no port; write dask://127.0.0.1:8786"),
        (["--engine", ""], "'' is not a scheduler address; write dask+tls://HOST:8786"),
        (["--processes", "two"], "Invalid value for '--processes': 'two' is not"),
        (["--processes", "0"], "0 is not in the range 1<=x<=256"),
        (["--processes", "1000"], "1000 is not in the range 1<=x<=256"),
        (["--rate", "0"], "0.0 is not in the range x>0"),
        (["--rate", "inf"], "'inf' is not a finite number"),
        (["--lease", "nan"], "'nan' is not a finite number"),
        (["--stop-after-doubt", "0"], "0 is not in the range x>=1"),
        (["--engine", "dask://cluster.example:8786"], "write tls://cluster.example:8786"),
        (["--engine", "dask+tls://cluster.example:8786", "--sandbox"], "cannot reach --sandbox"),
    ],
)
def test_options_that_contradict_each_other(
    file: Path, wosdk: Wosdk, options: list[str], message: str
) -> None:
    result = wosdk("import", file, "--map", MAP, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not file.with_name(f"{file.name}.job").exists()


def test_the_check_takes_the_options_of_the_import(file: Path, wosdk: Wosdk) -> None:
    result = wosdk("import", file, "--map", MAP, "--sandbox", "--check", "--processes", "2", "--lease", "9")
    assert result.exit_code in (0, 1), result.stderr


def audited(folder: Path, *rows: AuditRow) -> None:
    """Write into a journal what a job on workers leaves, with an audit that found these rows."""

    async def write() -> None:
        async with Journal.open(folder) as journal:
            await journal.grant(a_grant(1, 1, 2))
            journal.end_grant(1, lost=[2])
            twice = sum(row.finding == "twice" for row in rows)
            await journal.save_audit(AuditResult(at=1.0, once=3, twice=twice, not_made=10), rows)

    asyncio.run(write())


def test_a_job_shows_its_audit(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    folder = imported(wosdk, file, tmp_path / "store.db")
    assert "\naudit " not in wosdk("jobs", "show", folder).stdout
    audited(folder, AuditRow(2, "twice", (5, 6)))
    said = wosdk("jobs", "show", folder).stdout
    assert "workers    1 lease of rows granted, 1 lost with 1 row" in said
    assert "audit      not clean: 3 once, 1 twice, 10 not made" in said
    assert "; the audit, which looks up every row's key, found 3 once, 1 twice, 10 not made" in said
    assert "row 2 (line 3)" in said
    facts = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    assert facts["audit"]["twice"] == 1
    assert (facts["audit_rows"][0]["row"], facts["audit_rows"][0]["ids"]) == (2, [5, 6])


def test_an_audit_that_is_not_clean_is_made_again(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    folder = imported(wosdk, file, tmp_path / "store.db")
    audited(folder, AuditRow(2, "twice", (5, 6)))
    again = wosdk("import", file, "--map", MAP, "--sandbox", tmp_path / "store.db")
    assert "audit clean: " in again.stdout
    assert "audit: " in again.stderr
    assert "audit      clean" in wosdk("jobs", "show", folder).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")
def test_processes_send_the_rows(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    options = ("--map", MAP, "--sandbox", store)
    result = wosdk("import", file, *options, "--processes", "1", "--lease", "6")
    assert result.exit_code == 0, result.stderr
    assert "audit clean: 14 once" in result.stdout
    folder = file.with_name(f"{file.name}.job")
    facts = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    assert facts["workers"]["leases"] > 0
    assert {"--processes=1", "--lease=6"} <= set(facts["plan"]["options"]["command"])
    assert facts["runs"][0]["details"]["options"]["lease"] == 6
    assert "1 process (lease 6 s), no rate" in wosdk("jobs", "show", folder).stdout
    killed(folder, 3)
    assert wosdk("import", file, *options).exit_code == 0, "goes on in one process"
    killed(folder, 3)
    resumed = wosdk("import", file, *options, "--processes", "1", "--lease", "7")
    assert resumed.exit_code == 0, resumed.stderr
    assert "audit clean: 14 once" in resumed.stdout
    facts = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    details = [run["details"] for run in facts["runs"]]
    assert [each.get("engine") for each in details] == ["1 process", None, "1 process"]
    assert [each.get("lease") for each in details] == [6, None, 7]


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_rows_without_a_key_are_refused_for_workers(
    file: Path, wosdk: Wosdk, tmp_path: Path, check: tuple[str, ...]
) -> None:
    unmarked = tmp_path / "map.toml"
    unmarked.write_text(MAP.read_text("utf-8").replace('marker = "work_order.po_number"', ""), "utf-8")
    result = wosdk("import", file, "--map", unmarked, "--sandbox", "--processes", "1", *check)
    assert result.exit_code == 2
    assert "workers need a key for each row" in result.stderr
    assert not file.with_name(f"{file.name}.job").exists()


@pytest.mark.parametrize("option", [["--processes", "2"], ["--engine", "dask://127.0.0.1:8786"]])
def test_the_extra_is_named(
    file: Path, wosdk: Wosdk, option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask.find_spec", lambda _: None)
    result = wosdk("import", file, "--map", MAP, "--sandbox", *option)
    assert result.exit_code == 2
    assert "pip install 'wosdk_async[dask]'" in result.stderr


def until_said(process: subprocess.Popen[str], text: str) -> None:
    """Wait until a process writes a line with a text to stderr."""
    assert process.stderr is not None
    while text not in (line := process.stderr.readline()):
        assert line, "it has ended"


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_ends_the_wait_for_a_cluster(file: Path, served: dict[str, str]) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        engine = f"dask://127.0.0.1:{nobody.getsockname()[1]}"
        process = spawn("import", file, "--map", MAP, "--engine", engine, "--json")
        until_said(process, "waiting for the first worker: Dask cluster")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert time.monotonic() - began < 8  # also on a busy machine
    assert process.returncode == 130, stderr
    assert json.loads(stdout)["not_started"] == 14
    assert "cannot be reached" not in stderr
    assert "calls in flight get 2 s" in stderr


BUSY = 2.0  # seconds more on a busy machine


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_that_stands_still_holds_up_neither_a_signal_nor_the_next_run(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not the first row: that is sent by the coordinator.
    hangs = {"rule": [{"fault": "late_commit", "operation": "WoCreateCommand", "every": 2}]}
    with LocalCompany(tmp_path / "s.db", faults=hangs) as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        options = ("import", file, "--map", MAP, "--json")
        process = spawn("--deadline", "2", *options, "--processes", "1", "--lease", "3")
        until(lambda: local.faults.injected.get("late_commit"), 60)
        (worker,) = children(process.pid)
        os.kill(worker, signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        stdout, stderr = process.communicate()
        assert time.monotonic() - begun < 6 + BUSY
        assert process.returncode == 143, stderr
        assert json.loads(stdout)["in_doubt"] > 0
        assert not Path(f"/proc/{worker}").exists()
        local.faults.load({"rule": []})
        process = spawn(*options, code=settling(2))
        stdout, said = process.communicate(timeout=60)
        assert "may still send rows" in said
        assert json.loads(stdout)["created"] == 14
