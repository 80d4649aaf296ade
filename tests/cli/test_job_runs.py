"""Runs of a job: each keeps its own options, its exit status and why it ended."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.importing import MAP, imported, killed


def facts_of(wosdk: Wosdk, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    return found


def test_each_run_has_its_own_options_and_a_resume_those_of_the_last(
    file: Path, store: Path, wosdk: Wosdk
) -> None:
    folder = imported(wosdk, file, store, "--rate", "400", "--concurrency", "3")
    killed(folder, 3)
    imported(wosdk, file, store, "--rate", "500")
    killed(folder, 3)
    assert wosdk("jobs", "resume", folder).exit_code == 0
    runs = facts_of(wosdk, folder)["runs"]
    given = [(run["details"]["rate"], run["details"]["limit"]) for run in runs]
    assert given == [(400, 3), (500, 32), (500, 32)]
    shown = wosdk("jobs", "show", folder).stdout
    assert "one process, 400 calls/s, 3 calls at a time" in shown
    assert "one process, 500 calls/s, 32 calls at a time" in shown
    assert "--rate=500" in next(line for line in shown.splitlines() if line.startswith("command"))


@pytest.fixture
def no_scheduler(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a scheduler that is not there: nobody listens on port 1."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("wosdk_async.jobs.cluster.dask._CONNECT", 0.5)
    return "dask://127.0.0.1:1"


def test_a_refused_run_says_why_and_changes_no_options(
    file: Path, store: Path, wosdk: Wosdk, no_scheduler: str
) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 3)
    refused = wosdk("import", file, "--map", MAP, "--sandbox", store, "--engine", no_scheduler, "--rate", "7")
    assert refused.exit_code == 2
    run = facts_of(wosdk, folder)["runs"][-1]
    assert (run["exit_status"], run["details"]["refused"]) == (2, True)
    assert run["details"]["error"] in refused.stderr
    shown = wosdk("jobs", "show", folder).stdout
    assert re.search(rf"exit status 2, .*by {run['details']['user']}@", shown)
    assert "; refused: " in shown
    assert "--rate=7" not in shown
    assert wosdk("jobs", "resume", folder).exit_code == 0
    assert facts_of(wosdk, folder)["runs"][-1]["details"]["rate"] is None
    page = (folder / "report.html").read_text("utf-8")
    assert "exit status 2: " in page


def test_a_refused_command_leaves_no_job(file: Path, store: Path, wosdk: Wosdk, no_scheduler: str) -> None:
    options = ("--map", MAP, "--sandbox", store)
    assert wosdk("import", file, *options, "--engine", no_scheduler).exit_code == 2
    assert not file.with_name(f"{file.name}.job").exists()
    result = wosdk("import", file, *options, "--marker", "work_order.po_number")
    assert result.exit_code == 0, result.stderr
