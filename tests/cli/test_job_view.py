"""``wosdk jobs list`` and ``show``, and what the same command says of a finished job."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP, imported, killed
from tests.jobs.journal.plans import a_journal, a_plan
from wosdk_async.jobs.journal import FolderLock, JobPlan, Journal
from wosdk_async.sandbox import LocalCompany


def test_jobs_are_listed(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Below a directory, however deep, or beside a file; a damaged one does not hide the others."""
    folder = imported(wosdk, file, store)
    deep = tmp_path / "a" / "b" / "c.job"
    deep.parent.mkdir(parents=True)
    folder.rename(deep)
    again = imported(wosdk, file, store, "--if-exists", "skip")
    listed = [json.loads(line) for line in wosdk("jobs", "list", tmp_path, "--json").stdout.splitlines()]
    assert sorted((each["folder"], each["done"], each["found"], each["state"]) for each in listed) == [
        (str(deep), 14, 0, "finished"),
        (str(again), 0, 14, "finished"),
    ]
    beside = wosdk("jobs", "list", file, "--json").stdout.splitlines()
    assert [json.loads(line)["folder"] for line in beside] == [str(again)]
    (deep / "journal.db").write_bytes(b"x" * 5000)
    result = wosdk("jobs", "list", tmp_path)
    assert result.exit_code == 2
    assert "finished" in result.stdout
    assert f"{deep}/journal.db: " in result.stderr
    assert wosdk("jobs", "list", tmp_path / "a" / "b" / "c.job" / "nothing").exit_code == 2


def test_a_look_leaves_no_file(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    before = {each.name for each in folder.iterdir()}
    for command in ("list", "show"):
        assert wosdk("jobs", command, folder).exit_code == 0
        assert {each.name for each in folder.iterdir()} == before


def test_a_job_shows_what_identifies_its_rows(tmp_path: Path, wosdk: Wosdk) -> None:
    plans = {"{unique_key}": {"marker": None, "key": "{unique_key}"}, "their cells": {"marker": None}}
    for number, (identity, plan) in enumerate(plans.items()):
        folder = tmp_path / f"{number}.job"
        folder.mkdir()
        asyncio.run(a_job(folder, a_plan(**plan)))
        assert f", no marker, rows identified by {identity}\n" in wosdk("jobs", "show", folder).stdout


async def a_job(folder: Path, plan: JobPlan) -> None:
    await a_journal(folder, 1, plan).close()


def test_the_newest_job_is_the_first(tmp_path: Path, wosdk: Wosdk) -> None:
    """And no name is cut, so that it can be copied."""
    folders = [tmp_path / f"{'x' * 90}-{year}.job" for year in (2025, 2026, 2024)]
    for folder in folders:
        folder.mkdir()
        begun = f"{folder.stem[-4:]}-01-01T00:00:00+00:00"
        asyncio.run(a_job(folder, a_plan(operation="create Customer", company="c", created_at=begun)))
    assert wosdk("jobs", "list", tmp_path).stdout.splitlines()[::2] == [
        str(folders[1]),
        str(folders[0]),
        str(folders[2]),
    ]
    assert "  not begun: 1 not started of 1 row; started 2026-01-01 00:00:00 UTC; create Customer, c\n" in (
        wosdk("jobs", "list", tmp_path).stdout
    )


def with_two_rejects(wosdk: Wosdk, store: Path, tmp_path: Path) -> Path:
    """Return the job of an import of three rows, two of them without a key."""
    header, *rows = table()
    source = tmp_path / "f.csv"
    rows[1][0] = rows[2][0] = ""
    with source.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows[:3]])
    return imported(wosdk, source, store)


def test_rejects_that_are_fed_back_are_rows_of_their_job(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Also the rejects of rejects: there is one job, and its last run is that of the rejects."""
    folder = with_two_rejects(wosdk, store, tmp_path)
    for left, number in ((1, "900002"), (0, "900003")):
        rejects = folder / "rejects.csv"
        rejects.write_text(rejects.read_text("utf-8").replace("\n,", f"\n{number},", 1), "utf-8")
        result = wosdk("import", rejects, "--map", MAP, "--sandbox", store)
        assert result.stdout.startswith(f"{1 + left} row{'s' * left}: 1 created, {left} failed")
        rejects = folder / ("rejects-2.csv" if left else "rejects.csv")
        if left:
            assert (
                f"to import the rows that you corrected in it: wosdk import {rejects} --map={MAP}"
                in result.stderr
            )
            rejects.replace(folder / "rejects.csv")
    (listed,) = map(json.loads, wosdk("jobs", "list", tmp_path, "--json").stdout.splitlines())
    assert (listed["folder"], listed["state"], listed["done"], listed["gone"]) == (
        str(folder), "finished", 1, 2,
    )  # fmt: skip
    assert "gone       2 rows not in the last file: 2 done\n" in wosdk("jobs", "show", folder).stdout
    undone = wosdk("jobs", "undo", folder, "--all", "--check", "--reason", "Entered by mistake")
    assert (undone.exit_code, undone.stdout) == (0, "3 to be undone\n")


def test_failed_rejects_that_were_left_out_are_shown(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Of two failed rows one is corrected and the other deleted from the rejects."""
    folder = with_two_rejects(wosdk, store, tmp_path)
    rejects = folder / "rejects.csv"
    lines = rejects.read_text("utf-8").splitlines()
    rejects.write_text("\n".join([lines[0], f"900002{lines[1]}", ""]), "utf-8")
    assert wosdk("import", rejects, "--map", MAP, "--sandbox", store).exit_code == 0
    shown = wosdk("jobs", "show", folder).stdout
    assert "gone       2 rows not in the last file: 1 done, 1 failed\n" in shown
    assert "\nfailed, not in the last file, 1:\n  row 3 (line " in shown
    facts = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    assert [row["row"] for row in facts["first_gone_rows"]["failed"]] == [3]


def test_failed_rows_are_named_by_their_keys_without_a_marker(
    store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    keyed = tmp_path / "keyed.toml"
    keyed.write_text(
        MAP.read_text("utf-8").replace('marker = "work_order.po_number"', 'key = "{unique_key}"')
    )
    header, row, *_ = table()
    with (source := tmp_path / "f.csv").open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, row, row])
    assert "1 created, 1 failed" in wosdk("import", source, "--map", keyed, "--sandbox", store).stdout
    assert f"row 2 (line 3) {row[0]}: " in wosdk("jobs", "show", source).stdout


def test_mended_rejects_are_imported_by_the_command_that_is_printed(
    store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    """It has the way in which they are written, and a shell takes it."""
    header, *rows = table()
    source = tmp_path / "two words;.csv"
    rows[1][0], rows[1][header.index("descriptor")] = "", "Küche"
    with source.open("w", newline="", encoding="cp1252") as opened:
        csv.writer(opened, delimiter=";").writerows([header, *rows[:2]])
    options = ("--delimiter", ";", "--encoding", "cp1252", "--outcomes", str(tmp_path / "out.jsonl"))
    said = wosdk("import", source, "--map", MAP, "--sandbox", store, *options).stderr
    folder = source.with_name(f"{source.name}.job")
    rejects = folder / "rejects.csv"
    rejects.write_text(rejects.read_text("cp1252").replace("\n;", "\n900002;"), "cp1252")
    (command,) = re.findall("to import the rows that you corrected in it: (.*)\n", said)
    assert command in unescape((folder / "report.html").read_text("utf-8"))
    assert wosdk(*shlex.split(command)[1:]).stdout.startswith("1 row: 1 created")


def test_the_command_of_a_job_can_be_given_to_a_shell(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    header, *rows = table()
    source = tmp_path / "two words;.csv"
    with source.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened, delimiter=";").writerows([header, rows[0]])
    folder = imported(wosdk, source, store, "--delimiter", ";")
    (line,) = (
        each for each in wosdk("jobs", "show", folder).stdout.splitlines() if each.startswith("command  ")
    )
    given = shlex.split(line.removeprefix("command").strip(), posix=True)
    assert given[:3] == ["wosdk", "import", str(source)]
    assert "--delimiter=;" in given
    assert shlex.join(given) in unescape((folder / "report.html").read_text("utf-8"))
    (run,) = json.loads(wosdk("jobs", "show", folder, "--json").stdout)["runs"]
    assert (run["details"]["options"], run["done"]) == ({}, 1)
    assert f", 1 done of {source}, by " in wosdk("jobs", "show", folder).stdout
    assert "nothing to send; 1 created before" in wosdk(*given[1:]).stderr
    assert not any(each.startswith("--job") for each in given)
    for elsewhere in (tmp_path / "other place", Path(f"{folder}-old")):
        folder = folder.rename(elsewhere)
        command = json.loads(wosdk("jobs", "show", elsewhere, "--json").stdout)["command"]
        assert f"{elsewhere}: nothing to send; 1 created before" in wosdk(*shlex.split(command)[1:]).stderr


def test_a_finished_job_says_what_can_be_done(
    file: Path, wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is skipped and why, and the rows to correct; nothing else is said or done."""
    command = ("import", file, "--map", MAP, "--concurrency", "1")
    with LocalCompany(tmp_path / "served.db") as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        refused = {"fault": "status", "status": 400, "operation": "WoCreateCommand", "first": 1}
        local.faults.load({"rule": [refused]})
        stopped = wosdk(*command)
        assert (stopped.exit_code, "the first row with new references" in stopped.stderr) == (1, True)
        assert wosdk(*command).exit_code == 1
        again = wosdk(*command)
        sent_again = wosdk(*command, "--retry-refused")
    folder = file.with_name(f"{file.name}.job")
    assert (again.exit_code, again.stdout) == (1, "14 rows: 13 created (0 now), 1 failed, 0 in doubt\n")
    *lines, reason = again.stderr.splitlines()
    assert lines == [
        f"wosdk: {folder}: nothing to send; 13 created before; 1 already refused and unchanged "
        "(--retry-refused resends them)",
        f"wosdk: failed rows with reasons: {folder}/rejects.csv",
    ]
    assert reason.startswith("wosdk: row 1 (line 2) '900001' failed: Injected by the sandbox.")
    assert sent_again.exit_code == 0, sent_again.stderr


def test_a_column_that_is_gone_is_named(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    file.write_text(file.read_text("utf-8").replace("incident_address", "street", 1), encoding="utf-8")
    shown = wosdk("jobs", "show", folder)
    assert (shown.exit_code, "no column 'incident_address'" in shown.stdout) == (0, True)


def test_a_job_is_shown_while_another_process_works_on_it(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 3, 4)
    shown = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    counts = [shown[name] for name in ("done", "in_doubt", "sending")]
    assert (shown["state"], counts) == ("unfinished", [12, 0, 2])
    assert {name: [row["row"] for row in rows] for name, rows in shown["first_rows"].items()} == {
        "sending": [3, 4]
    }
    text, listed = wosdk("jobs", "show", folder).stdout, wosdk("jobs", "list", file).stdout
    assert "rows       14: 12 done, 2 in flight when the run ended\n" in text
    assert "\nin flight when the run ended, 2:\n  row 3 (line 4) 900003\n" in text
    assert "if rerun: nothing to send; 2 in doubt to look up first; 12 created before\n" in text
    assert "  unfinished: 12 done, 2 in flight when the run ended of 14 rows; " in listed
    assert "in doubt" not in text.partition("\nif rerun")[0] + listed
    assert shown["plan"]["marker"] == "work_order.po_number"
    assert [run["exit_status"] for run in shown["runs"]] == [0]
    lock = FolderLock(folder)
    try:
        text = wosdk("jobs", "show", file).stdout
        assert "state      running (process " in text
        assert "rows       14: 12 done, 2 sending\n" in text
        assert "\nsending" not in text
        assert "if rerun: refused while another process is running the job\n" in text
        assert wosdk("jobs", "rejects", folder).exit_code == 2
    finally:
        lock.release()


def test_a_signal_and_a_rate_are_shown_as_they_were_given(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store, "--rate", "400")

    async def stop() -> None:
        for status in (130, 143):
            async with Journal.open(folder) as journal:
                await journal.start_run()
                await journal.end_run(status, stopped="a stop was requested")

    asyncio.run(stop())
    shown = wosdk("jobs", "show", folder).stdout
    assert "--rate=400" in shown.split()
    wosdk("jobs", "rejects", folder)
    page = (folder / "report.html").read_text("utf-8")
    for signal in ("Ctrl-C", "SIGTERM"):
        assert f"stopped: a stop was requested ({signal})" in shown
        assert f"stopped: a stop was requested ({signal})" in page
