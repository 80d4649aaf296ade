"""The console script as a process: help, signals, a server that is killed."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import COMMAND, EXAMPLES, ROOT, serving, settling, spawn, table
from tests.sandbox.stranger import Stranger
from tests.support.waiting import until
from wosdk_async import __version__
from wosdk_async.sandbox import LocalCompany, open_store

MAP = EXAMPLES / "sf311.toml"
ROWS = 300  # more than a pipe, a buffer and the calls at a time hold


def run(*code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *code], cwd=ROOT, capture_output=True, text=True, check=False)


def orders_in(store: Path) -> list[dict[str, Any]]:
    """The work orders of a store."""
    with contextlib.closing(open_store(store)) as opened:
        return opened.select('SELECT body FROM "WorkOrder"', [])


def import_stepwise(
    source: Path, *options: str | Path, after_one: Callable[[subprocess.Popen[str]], object]
) -> tuple[int, str, str, list[str]]:
    """Import a file, with a call once one row has ended: status, stdout, stderr and lines of the outcomes."""
    ours, theirs = os.pipe()  # the import cannot run ahead of us by more than a pipe holds: some 30 rows
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    outcomes = ("--outcomes", f"/dev/fd/{theirs}")
    process = spawn("import", source, "--map", MAP, "--json", *options, *outcomes, pass_fds=(theirs,))
    os.close(theirs)
    with open(ours, encoding="utf-8") as read:
        lines = [read.readline()]
        after_one(process)
        lines += read.readlines()
    stdout, stderr = process.communicate()
    return process.returncode, stdout, stderr, lines


@pytest.mark.parametrize("code", [COMMAND[1:], ("-m", "wosdk_async.cli")], ids=["script", "module"])
def test_the_version(code: tuple[str, ...]) -> None:
    """Both ways to start it."""
    done = run(*code, "--version")
    assert (done.returncode, done.stdout) == (0, f"wosdk, version {__version__}\n")


@pytest.mark.parametrize("missing", ["click", "rich"])
@pytest.mark.parametrize(("command", "extras"), [((), "cli"), (("sandbox", "serve"), "cli,sandbox")])
def test_without_the_extra_the_remedy_is_reported(
    missing: str, command: tuple[str, ...], extras: str
) -> None:
    hide = f"import sys; sys.modules['{missing}'] = None; import importlib.util as u; f = u.find_spec; "
    hide += f"u.find_spec = lambda name: None if name == '{missing}' else f(name); "
    done = run("-c", hide + COMMAND[2], *command)
    assert done.returncode == 2
    assert done.stderr == f"wosdk: the command line is an extra; run: pip install 'wosdk_async[{extras}]'\n"


SERVE = ("sandbox", "serve", "--store", "s.db", "--env-file", "s.env")


@pytest.mark.parametrize("command", [("import", "FILE", "--map", str(MAP), "--sandbox"), SERVE])
def test_without_the_sandbox_extra_the_remedy_is_reported(file: Path, command: tuple[str, ...]) -> None:
    hide = "import sys; sys.modules['starlette'] = None; sys.modules['starlette.applications'] = None; "
    done = run("-c", hide + COMMAND[2], *(str(file) if each == "FILE" else each for each in command))
    assert done.returncode == 2
    assert done.stderr.endswith("; run: pip install 'wosdk_async[cli,sandbox]'\n")
    assert done.stderr.count("\n") == 1


def test_importing_the_package_loads_neither_jobs_nor_command_line() -> None:
    code = "import sys, wosdk_async; wosdk_async.Client; print(*sys.modules)"
    loaded = run("-c", code).stdout.split()
    assert "wosdk_async.client" in loaded
    assert not {"click", "rich", "wosdk_async.jobs", "wosdk_async.cli", "wosdk_async.sandbox"} & set(loaded)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (signal.SIGINT, "get 30 s; Ctrl-C again aborts them"),
        (signal.SIGTERM, "get 6 s; then they are aborted"),
    ],
)
def test_a_signal_ends_an_import_with_a_summary_and_every_row_reported(
    tmp_path: Path, number: signal.Signals, message: str
) -> None:
    """Every work order of the store is in the outcomes, and every row of the file."""
    header, first, *_ = table()
    source = tmp_path / "f.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *([str(i), *first[1:]] for i in range(ROWS))])
    status, stdout, stderr, lines = import_stepwise(
        source, "--sandbox", tmp_path / "s.db", after_one=lambda process: process.send_signal(number)
    )
    assert status == 128 + number
    folder = source.with_name(f"{source.name}.job")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert [run["exit_status"] for run in report["runs"]] == [128 + number]
    assert f"stopping: calls in flight {message}" in stderr
    assert "Traceback" not in stderr
    summary = json.loads(stdout)
    assert f"to send the remaining {summary['not_started']} rows, run the same command\n" in stderr
    rows = [json.loads(line) for line in lines]
    kinds = [row["outcome"] for row in rows]
    assert len(kinds) == summary["rows"] == ROWS
    assert kinds.count("created") == summary["created"] < ROWS
    assert set(kinds) == {"created", "not_started"}
    assert {row["Id"] for row in orders_in(tmp_path / "s.db")} == {
        row["work_order_id"] for row in rows if "work_order_id" in row
    }


def test_a_file_that_is_edited_during_the_run_leaves_rows_to_send(tmp_path: Path) -> None:
    """Status 8 is for rows that have all ended; a scheduler would not give the command again."""
    header, first, *_ = table()
    source = tmp_path / "f.csv"

    def write(last: str) -> None:  # the first row is refused, so there are rejects to write
        with source.open("w", newline="", encoding="utf-8") as file:
            keys = [*map(str, range(3 * ROWS)), last]  # rows are read well before they are sent
            csv.writer(file).writerows(
                [header, [f"too few cells: {last}"], *([key, *first[1:]] for key in keys)]
            )

    write("last")
    status, stdout, stderr, _ = import_stepwise(
        source, "--sandbox", tmp_path / "s.db", after_one=lambda _: write("edited")
    )
    assert (status, json.loads(stdout)["not_started"] > 0) == (1, True), stderr
    assert "rejects.csv was not written" in stderr
    assert f"{source} has changed since the last run" in stderr
    runs = json.loads(source.with_name("f.csv.job").joinpath("report.json").read_text("utf-8"))["runs"]
    assert [run["exit_status"] for run in runs] == [1]


def test_a_signal_gives_calls_that_hang_as_long_as_it_says(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sender of the signal kills the process later; until then every row is reported."""
    hangs = {"rule": [{"fault": "late_commit", "operation": "WoCreateCommand"}]}
    with LocalCompany(tmp_path / "s.db", faults=hangs) as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        shorter = "import signal\nfrom wosdk_async.cli import signals\nsignals._GRACE[signal.SIGTERM] = 1.0"
        process = spawn("import", file, "--map", MAP, "--json", code=shorter)
        until(lambda: local.faults.injected.get("late_commit"), 20)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = ""
        while "stopping" not in said:
            said = process.stderr.readline()
        begun = time.monotonic()
        stdout, _ = process.communicate()
        seconds = time.monotonic() - begun
    assert "calls in flight get 1 s" in said
    assert 0.5 < seconds < 5  # 6 s without the change
    summary = json.loads(stdout)
    assert (process.returncode, summary["created"], summary["in_doubt"] > 0) == (143, 0, True)


def test_a_served_company_outlives_a_killed_server(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in (1, 2):
        server = spawn("sandbox", "serve", "--port", "0", "--store", tmp_path / "company.db")
        assert server.stdout is not None
        pairs = [server.stdout.readline().rstrip("\n").split("=", 1) for _ in range(5)]
        assert [name for name, _ in pairs] == [
            f"WOSDK_{name}" for name in ("TOKEN_URL", "LOCATOR_URL", "COMPANY", "CLIENT_ID", "CLIENT_SECRET")
        ]
        for name, value in pairs:
            monkeypatch.setenv(name, value)
        process = spawn("import", file, "--map", MAP, "--json")
        stdout, stderr = process.communicate()
        assert process.returncode == 0, stderr
        assert json.loads(stdout)["created"] == 14
        assert ("creating" in stderr) == (i == 1)  # the second server finds what the first one answered
        if i == 1:
            server.kill()
        else:
            server.send_signal(signal.SIGINT)
        server.communicate()
    assert server.returncode == 0


def test_the_dialect_of_a_served_company(tmp_path: Path) -> None:
    """It answers as the option says; a store does not remember its dialect."""
    for dialect, members in (("recorded", {"Data"}), ("spec", {"Data", "Entities"})):
        served = serving("--store", tmp_path / "company.db", "--dialect", dialect)
        with served as (_, variables), Stranger(variables) as stranger:
            stranger.log_in()
            assert stranger.send("GET", "/api/v1/base/Contact/731")[1].keys() == members


def test_a_terminal_sees_a_progress_bar(file: Path) -> None:
    import pty

    master, slave = pty.openpty()
    process = spawn("import", file, "--map", MAP, "--sandbox", "--json", stderr=slave)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # how a pseudo terminal ends on Linux
        pass
    finally:
        os.close(master)
    stdout, _ = process.communicate()
    assert json.loads(stdout)["created"] == 14
    assert "14/14" in shown.decode()
    assert "creating 9 Task records" in shown.decode()


def test_an_import_whose_summary_cannot_be_written(file: Path, tmp_path: Path) -> None:
    """The work orders are made, so the status is not the one of an import that did nothing."""
    with Path("/dev/full").open("w") as full:
        process = spawn("import", file, "--map", MAP, "--sandbox", tmp_path / "s.db", stdout=full)
        _, stderr = process.communicate()
    message = "wosdk: the import ended, 14 rows created, but the result could not be written: "
    assert (process.returncode, stderr.splitlines()[-1]) == (8, f"{message}stdout: No space left on device")


def test_rows_that_remain_matter_more_than_an_unwritten_summary(file: Path, tmp_path: Path) -> None:
    """Status 8 would say that every row has an outcome."""
    command = ("import", file, "--map", MAP, "--sandbox", tmp_path / "s.db", "--concurrency", "1")
    with Path("/dev/full").open("w") as full:
        process = spawn(*command, "--outcomes", "/dev/full", stdout=full)
        _, stderr = process.communicate()
    assert process.returncode == 1, stderr


def test_a_disk_that_is_full_stops_an_import_and_loses_nothing(
    tmp_path: Path, served: dict[str, str]
) -> None:
    """What the journal could not take is said; with room again the same command goes on."""
    header, first, *_ = table()
    source = tmp_path / "f.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *([str(i), *first[1:]] for i in range(ROWS))])
    full = (0, resource.RLIM_INFINITY)
    status, stdout, stderr, lines = import_stepwise(
        source, after_one=lambda process: resource.prlimit(process.pid, resource.RLIMIT_FSIZE, full)
    )
    assert "Traceback" not in stderr
    assert status == 1, stderr
    assert "stopped: " in stderr
    assert "journal.db" in stderr
    made = {row["row"]: row["work_order_id"] for row in map(json.loads, lines) if row["outcome"] == "created"}
    assert 0 < len(made) < ROWS
    assert {order["Id"] for order in orders_in(tmp_path / "served.db")} == set(made.values())
    assert json.loads(stdout)["created"] + stderr.count("not in the journal: ") >= len(made)
    assert json.loads(stdout)["created_now"] <= json.loads(stdout)["created"]
    process = spawn("import", source, "--map", MAP, "--json", code=settling(1))
    stdout, stderr = process.communicate()
    assert (process.returncode, json.loads(stdout)["created"]) == (0, ROWS), stderr
    numbers = [order["PoNumber"] for order in orders_in(tmp_path / "served.db")]
    assert len(numbers) == len(set(numbers)) == ROWS
