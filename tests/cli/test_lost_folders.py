"""The job folder, or its journal, is removed or moved while ``wosdk import`` runs: what is said of it."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import EXAMPLES, Wosdk, spawn, table
from tests.support.laws import some
from tests.support.waiting import until
from wosdk_async.sandbox import LocalCompany

MAP = EXAMPLES / "sf311.toml"
ROWS, AT_ONCE = 100, 10
WORKERS = pytest.param(
    ["--processes", "1"], marks=pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")
)


SLOW = {"rule": [{"fault": "latency", "fixed": 0.1, "operation": "WoCreateCommand"}]}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of many rows that name the same records."""
    path = tmp_path / "f.csv"
    header, first, *_ = table()
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *([str(i), *first[1:]] for i in range(ROWS))])
    return path


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCompany]:
    with LocalCompany(tmp_path / "s.db", faults=SLOW) as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        yield local


def imported(
    local: LocalCompany, source: Path, options: Sequence[str], happens: Callable[[Path], object]
) -> tuple[int, dict[str, Any], list[str]]:
    """Import, let something happen under way, and return status, summary and what was said."""
    process = spawn("import", source, "--map", MAP, "--json", "--concurrency", str(AT_ONCE), *options)
    until(lambda: local.faults.injected.get("latency", 0) > AT_ONCE, 60)
    happens(source.with_name(f"{source.name}.job"))
    local.faults.load({"rule": []})
    stdout, stderr = process.communicate(timeout=120)
    return process.returncode, json.loads(stdout), stderr.splitlines()


@pytest.mark.parametrize("options", some([WORKERS, []], 2))
def test_a_folder_that_was_moved_is_to_be_put_back(
    local: LocalCompany, source: Path, tmp_path: Path, wosdk: Wosdk, options: list[str]
) -> None:
    folder, elsewhere = source.with_name("f.csv.job"), tmp_path / "elsewhere"
    status, summary, said = imported(local, source, options, lambda folder: folder.rename(elsewhere))
    assert (status, summary["missing"]) == (1, said[-1].removeprefix("wosdk: "))
    assert said[-1] == (
        f"wosdk: do not run the command again yet: {folder} was removed or moved, and only its journal "
        "knows which rows were sent. Restore the folder, then run the same command to resume; without the "
        f"journal, the command sends all {ROWS} rows again"
    )
    stop = f"{folder} was removed or moved while this process was working on the job; nothing more is sent. "
    assert f"wosdk: stopped: {stop}Restore the folder" in said
    assert not [text for text in said if "goes on with" in text or "Run the command again" in text]
    assert not folder.exists()
    elsewhere.rename(folder)
    result = wosdk("import", source, "--map", MAP)
    assert (result.exit_code, result.stdout.startswith(f"{ROWS} rows: {ROWS} created (")) == (0, True)


@pytest.mark.parametrize("options", some([[], WORKERS], 2))
def test_after_a_folder_was_removed_nobody_says_that_the_command_goes_on(
    local: LocalCompany, source: Path, options: list[str]
) -> None:
    status, _, said = imported(local, source, options, shutil.rmtree)
    assert status == 1
    assert said[-1].startswith("wosdk: do not run the command again yet: ")
    assert not [text for text in said if "goes on with" in text or "Run the command again" in text]


@pytest.mark.parametrize("options", some([[], WORKERS], 2))
def test_a_journal_that_was_removed_is_missed_at_the_end(
    local: LocalCompany, source: Path, wosdk: Wosdk, options: list[str]
) -> None:
    """The system keeps the open file, so that all rows are carried out, and the results are written."""
    journal = source.with_name("f.csv.job") / "journal.db"
    status, summary, said = imported(local, source, options, lambda _: journal.unlink())
    assert (status, summary["created"]) == (1, ROWS)
    assert summary["missing"].startswith(f"{journal} was removed or replaced during the import")
    assert f"wosdk: {summary['missing']}" in said
    with journal.with_name("results.csv").open(encoding="utf-8") as results:
        assert [row["outcome"] for row in csv.DictReader(results)] == ["created"] * ROWS
    again = wosdk("import", source, "--map", MAP)
    assert (again.exit_code, "has no journal and is not empty" in again.stderr) == (2, True)
