"""``wosdk import`` from end to end, on the examples that the documentation names."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP
from wosdk_async.cli import runner
from wosdk_async.jobs import report


def test_the_example_holds_what_it_is_to_show() -> None:
    header, *records = table()
    rows = [dict(zip(header, record, strict=True)) for record in records]
    assert 12 <= len(rows) <= 20
    assert any("\n" in row["status_notes"] for row in rows)
    assert any(not row["descriptor"] for row in rows)
    assert any(not row["incident_address"].isascii() for row in rows)
    assert any(len(row["incident_address"]) > 64 for row in rows)


def test_the_summary_is_one_json_object(file: Path, wosdk: Wosdk) -> None:
    result = wosdk("import", file, "--map", MAP, "--sandbox", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found.pop("seconds") > 0
    assert found.pop("plan") == {"new": 14}
    assert found == {
        "rows": 14,
        "created": 14,
        "created_now": 14,
        "failed": 0,
        "in_doubt": 0,
        "empty_rows": 0,
    }


def test_the_summary_for_people(file: Path, wosdk: Wosdk) -> None:
    result = wosdk("import", file, "--map", MAP, "--sandbox")
    assert result.stdout.startswith("14 rows: 14 created, 0 failed, 0 in doubt\n")
    assert result.stdout.endswith("references: 6 found, 27 created\n")
    assert "wosdk: creating 1 Task record for task\n" in result.stderr, "with the first row, alone"
    assert "wosdk: creating 9 Task records for task\n" in result.stderr
    assert "wosdk: 1 row with warnings; --outcomes FILE records all of them\n" in result.stderr


def test_a_store_keeps_what_was_created(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """A new job finds the records that the first one made, and the work orders too: none is made twice."""
    command = ("import", file, "--map", MAP, "--sandbox", tmp_path / "s.db", "--job", tmp_path / "job")
    assert "references: 6 found, 27 created" in wosdk(*command).stdout
    again = wosdk(*command, "--again", "--yes")
    assert again.exit_code == 1
    assert "14 rows: 0 created, 14 failed" in again.stdout
    assert "references: 33 found, 0 created" in again.stdout
    assert " has work_order.po_number '900001'" in again.stderr
    assert again.stderr.count("add --if-exists skip") == 1
    assert "--job" not in again.stderr, "the named job is the one that sends the rows again"
    skipped = wosdk(*command, "--again", "--if-exists", "skip")
    assert (skipped.exit_code, skipped.stdout.splitlines()[0]) == (
        0,
        "14 rows: 0 created, 14 found, 0 failed, 0 in doubt",
    )


def test_the_job_that_sent_the_rows_is_named(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    common = ("--map", MAP, "--sandbox", tmp_path / "s.db")
    wosdk("import", file, *common)
    copy = shutil.copy(file, file.with_name("copy.csv"))
    for more in ((), ("--check",)):
        result = wosdk("import", copy, *common, *more)
        assert result.stderr.count(f"the job {file}.job sent the first") == 1
        assert "that you corrected" not in result.stderr
    assert "Correct them" not in Path(f"{copy}.job", "report.html").read_text("utf-8")
    assert "14 created (0 now)" in wosdk("import", copy, *common, "--job", f"{file}.job").stdout
    for more in ((), ("--check",)):
        result = wosdk("import", tmp_path / "copy.csv.job" / "rejects.csv", *common, *more)
        assert (result.stderr.count("--if-exists skip"), result.stderr.count("--job")) == (1, 0)


def test_rejects_are_to_be_corrected_unless_all_their_records_exist(
    file: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    common = ("--map", MAP, "--sandbox", tmp_path / "s.db")
    wosdk("import", file, *common)
    copy = shutil.copy(file, file.with_name("copy.csv"))
    with copy.open("a", encoding="utf-8") as rows:
        rows.write("too,few\n")
    assert "that you corrected" in wosdk("import", copy, *common).stderr
    assert "Correct them" in Path(f"{copy}.job", "report.html").read_text("utf-8")


def test_empty_rows_are_counted(wosdk: Wosdk, tmp_path: Path) -> None:
    """They are not among the rows, and do not fail the import."""
    header, *rows = table()
    with (tmp_path / "f.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, rows[0], *[[""] * len(header)] * 2, rows[1]])
    result = wosdk("import", tmp_path / "f.csv", "--map", MAP, "--sandbox")
    assert result.exit_code == 0
    assert result.stdout.startswith("2 rows: 2 created, 0 failed, 0 in doubt; 2 empty rows skipped\n")
    result = wosdk("import", tmp_path / "f.csv", "--map", MAP, "--sandbox", "--json")
    assert json.loads(result.stdout)["empty_rows"] == 2


def test_a_company_on_this_machine_is_shown_and_not_asked_for(
    file: Path, wosdk: Wosdk, served: dict[str, str]
) -> None:
    result = wosdk("import", file, "--map", MAP, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["created"] == 14
    assert "14 of 14 rows to send for Company 'AcmeFacilities' at http://127.0.0.1:" in result.stderr
    assert served["WOSDK_CLIENT_SECRET"] not in result.output


def test_another_company_needs_a_yes(
    file: Path, wosdk: Wosdk, served: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    result = wosdk("import", file, "--map", MAP, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "stdin is not a terminal, so you cannot be prompted; add --yes" in result.stderr
    assert not file.with_name(f"{file.name}.job").exists()
    assert wosdk("import", file, "--map", MAP, "--yes").exit_code == 0


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_user_at_a_terminal_is_asked(
    file: Path, wosdk: Wosdk, served: dict[str, str], monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    monkeypatch.setattr(runner, "is_interactive", lambda: True)
    result = wosdk("import", file, "--map", MAP, input=answer)
    assert result.exit_code == code
    assert "Create the work orders? [y/N]" in result.stderr
    assert ("14 created" in result.stdout) == (code == 0)


def test_the_files_of_a_job_are_named(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    folder = tmp_path / "job"
    command = ("import", file, "--map", MAP, "--job", folder, "--json")
    result = wosdk(*command)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["job"] == str(folder)
    assert f"wosdk: outcomes of the rows: {folder / 'results.csv'}\n" in result.stderr
    assert f"wosdk: report: {folder / 'report.html'}\n" in result.stderr
    assert "rows to correct" not in result.stderr
    assert f"1 row with warnings; see {folder / 'results.csv'}\n" in result.stderr
    again = wosdk("jobs", "rejects", folder, "--csv-for-excel", "semicolon")
    assert (again.exit_code, again.stderr) == (0, "")
    assert (folder / "results.csv").read_bytes().startswith(b"\xef\xbb\xbfrow;line;")


def test_a_job_keeps_how_its_files_are_written(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    results = tmp_path / "job" / "results.csv"
    command = ("import", file, "--map", MAP, "--job", results.parent, "--csv-for-excel", "comma")
    assert wosdk(*command).exit_code == 0
    before = results.read_bytes()
    assert before.startswith(b"\xef\xbb\xbfrow,line,")
    assert wosdk("jobs", "rejects", results.parent).exit_code == 0
    assert results.read_bytes() == before
    again = wosdk(*command)
    assert (again.exit_code, "report.html" in again.stderr) == (0, False)  # nothing was written


def test_files_that_cannot_be_written_are_status_8(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary is printed, and the same command writes them as soon as there is room."""
    folder = tmp_path / "job"
    command = ("import", file, "--map", MAP, "--job", folder)

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(report, "replace_file", full)
        result = wosdk(*command)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        8,
        "14 rows: 14 created, 0 failed, 0 in doubt",
    )
    assert (
        "wosdk: the import ended, 14 rows created, but its files could not be written: "
        f"{folder / 'results.csv'}: No space left on device; the journal is intact; fix this problem, then "
        f"run wosdk jobs rejects {folder}\n"
    ) in result.stderr
    (run,) = json.loads(wosdk("jobs", "show", folder, "--json").stdout)["runs"]
    assert run["exit_status"] == 8
    again = wosdk(*command)
    assert (again.exit_code, (folder / "report.html").is_file()) == (0, True)
    assert "nothing to send; 14 created before" in again.stderr
