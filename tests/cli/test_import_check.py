"""``wosdk import --check``: what it prints, what it writes nowhere, and how it exits."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.importing import MAP, imported
from wosdk_async import NotSentError
from wosdk_async.jobs.imports.check import Check


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def test_a_check_writes_nothing(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Neither a job folder nor a store, though the map creates records; and --read-only does not stop it."""
    command = ("import", file, "--map", MAP, "--sandbox", store, "--check")
    result = wosdk(*command, "--read-only")
    assert re.search(r"\n\d+ calls\n", result.stdout), "no time where it would be under a second"
    assert ", about " in wosdk(*command, "--rate", "15").stdout
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(
        "14 rows: 14 would be created\n6 records for customer would be created first\n"
    )
    assert result.stderr.endswith("wosdk: nothing was written\n")
    assert "row 9 (line 12) warning: place name has 96 characters and was truncated to 64\n" in result.stderr
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    found = json.loads(wosdk(*command, "--json", "--sample", "2").stdout)
    assert (found["rows"], found["checked"], found["would_send"], len(found["requests"])) == (14, 2, 2, 2)
    assert found["columns"]["latitude"] == {"filled": 1, "used": False}


def test_a_check_says_what_is_wrong(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """1 when some rows would not be created, 2 when the file, the map or the command cannot be used."""
    folder = imported(wosdk, file, store)
    folder.rename(tmp_path / "elsewhere")
    command = ("import", file, "--map", MAP, "--sandbox", store, "--check")
    result = wosdk(*command)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "14 rows: 14 already existing")
    assert " has work_order.po_number '900001'" in result.stderr
    assert result.stderr.count(f"the job {tmp_path / 'elsewhere'} sent the first") == 1
    assert "and 13 more rows for the same reason: row 2 (line 3), row 3 (line 4), " in result.stderr
    assert "to list all rows, add --outcomes FILE.csv" in result.stderr
    assert wosdk(*command, "--if-exists", "skip").exit_code == 0
    (tmp_path / "elsewhere").rename(folder)
    going_on = wosdk(*command)
    assert (going_on.exit_code, going_on.stdout.splitlines()[0]) == (
        0,
        "14 rows: 14 done before",
    )
    assert f"job in {folder}: nothing to send; 14 created before\n" in going_on.stdout
    assert wosdk("import", file, "--map", MAP, "--sandbox", store, "--sample", "3").exit_code == 2
    file.write_text("a,b\n1,2\n")
    assert "no column" in wosdk(*command).stderr
    assert wosdk(*command).exit_code == 2


def test_a_check_writes_a_line_for_every_row(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Good rows too, in the order of the file; formulas are texts, and no file of a user is overwritten."""
    text = file.read_text("utf-8")
    file.write_text(text.replace("900003", "").replace("900004", "=1+1"), "utf-8")
    out = tmp_path / "rows.csv"
    command = ("import", file, "--map", MAP, "--sandbox", store, "--check", "--outcomes", out)
    result = wosdk(*command)
    assert result.exit_code == 1, result.stderr
    assert f"nothing was written except {out}" in result.stderr
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert [row["row"] for row in rows] == [str(number) for number in range(1, 15)]
    assert [row["outcome"] for row in rows] == ["would_send"] * 2 + ["refused"] + ["would_send"] * 11
    assert (rows[0]["line"], rows[0]["key"], rows[3]["key"]) == ("2", "900001", "'=1+1")
    assert rows[0]["reason"].startswith("creates ")
    assert not store.exists()
    again = wosdk(*command)
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    assert wosdk(*command, "--force").exit_code == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == [file.name, out.name]


def test_a_check_that_loses_the_company_does_not_blame_its_file(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A NotSentError is an OSError, too."""

    async def lost(*_: object, **__: object) -> None:
        raise NotSentError("the service was not reached")

    monkeypatch.setattr(Check, "run", lost)
    out = tmp_path / "rows.csv"
    result = wosdk("import", file, "--map", MAP, "--sandbox", store, "--check", "--outcomes", out)
    assert (result.exit_code, result.stderr) == (6, "wosdk: the service was not reached\n")
    assert not out.exists()


def test_a_check_of_stdin_leaves_no_copy(
    file: Path, wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = wosdk(
        "import", "-", "--format", "csv", "--map", MAP, "--check", "--sandbox", input=file.read_text("utf-8")
    )
    assert result.exit_code == 0, result.stderr
    assert not list((tmp_path / "here").iterdir())


def test_a_check_exits_as_the_import_would(file: Path, store: Path, wosdk: Wosdk) -> None:
    """A key was changed as a spreadsheet does: both are refused, and the check says so at its end."""
    imported(wosdk, file, store)
    text = file.read_text("utf-8")
    file.write_text(text.replace("900004", "900004.0"), "utf-8")
    command = ("import", file, "--map", MAP, "--sandbox", store)
    imported_again, checked = wosdk(*command), wosdk(*command, "--check")
    assert (imported_again.exit_code, checked.exit_code) == (2, 2)
    reason = imported_again.stderr.splitlines()[-1].removeprefix("wosdk: nothing was sent: ")
    assert checked.stderr.endswith(f"wosdk: the import would be refused: {reason}\n")
    assert json.loads(wosdk(*command, "--check", "--json").stdout)["import_refused"] == "key_disguised"
    assert wosdk(*command, "--check", "--new-rows").exit_code == 0
    file.write_text(text, "utf-8")
    skips = wosdk(*command, "--check", "--again", "--if-exists", "skip")
    assert (skips.exit_code, "--if-exists" in skips.stderr) == (0, False)


def test_a_check_after_an_undo_exits_as_the_import_does(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    assert wosdk("jobs", "undo", folder, "--reason", "Entered by mistake", "--yes").exit_code == 0
    command = ("import", file, "--map", MAP, "--sandbox", store)
    result = wosdk(*command, "--check")
    assert (wosdk(*command).exit_code, result.exit_code) == (1, 1)
    assert result.stdout.startswith("14 rows: 14 undone\n")
    assert "14 undone (--retry-undone resends them)" in result.stdout
    result = wosdk(*command, "--check", "--retry-undone")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "14 rows: 14 would be created")


def test_a_check_names_causes_columns_and_missing_names(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    """More causes than are shown hide no name; a hole of one row is seen in the counts of the columns."""
    text, end = MAP.read_text("utf-8"), "\n\n"
    start = text.index("[reference.customer.create]")
    text = text[:start] + text[text.index(end, start) :]
    text = text.replace('if_missing = "create"', "", 1).replace('"@zone"', "{ id = 14 }")
    start = text.index("[reference.zone]")
    (path := tmp_path / "map.toml").write_text(text[:start] + text[text.index(end, start) :], "utf-8")
    lines = file.read_text("utf-8").splitlines()
    more = [each.replace("9000", "9100", 1) for each in lines[1:3]]
    file.write_text("\n".join([*lines, *more]) + "\n", "utf-8")
    result = wosdk("import", file, "--map", path, "--sandbox", store, "--check")
    assert result.exit_code == 1, result.stderr
    assert "referring to a missing record" in result.stdout
    assert re.search(r"\n +1 of 16  latitude  not used by the map\n", result.stdout), result.stdout
    assert re.search(r"\n  16 of 16  unique_key\n", result.stdout)
    (values,) = re.findall(r"wosdk: values: (.*)", result.stderr)
    assert values.count("'") == 2 * 6, "each of the six names"
