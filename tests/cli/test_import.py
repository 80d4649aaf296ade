"""``wosdk import`` from end to end, on the examples that the documentation names."""

from __future__ import annotations

import contextlib
import csv
import errno
import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import EXAMPLES, Wosdk, table
from tests.support.service import Answer, Request, Service
from wosdk_async.cli import runner
from wosdk_async.jobs import output_folder
from wosdk_async.sandbox import open_store

MAP = EXAMPLES / "sf311.toml"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_example_holds_what_it_is_to_show() -> None:
    header, *records = table()
    rows = [dict(zip(header, record, strict=True)) for record in records]
    assert 12 <= len(rows) <= 20
    assert any("\n" in row["status_notes"] for row in rows)
    assert any(not row["descriptor"] for row in rows)
    assert any(not row["incident_address"].isascii() for row in rows)
    assert {"Other", "other"} <= {row["complaint_type"] for row in rows}
    assert any(len(row["incident_address"]) > 64 for row in rows)


def test_the_summary_is_one_json_object(file: Path, wosdk: Wosdk) -> None:
    result = wosdk("import", file, "--map", MAP, "--sandbox", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found.pop("seconds") > 0
    assert found == {"rows": 14, "created": 14, "failed": 0, "in_doubt": 0, "empty_rows": 0}


def test_the_summary_for_people(file: Path, wosdk: Wosdk) -> None:
    result = wosdk("import", file, "--map", MAP, "--sandbox")
    assert result.stdout.startswith("14 rows: 14 created, 0 failed, 0 in doubt\n")
    assert result.stdout.endswith("references: 6 found, 27 created\n")
    assert "wosdk: creating 10 Task records for task\n" in result.stderr
    assert "wosdk: 1 row with warnings; --outcomes FILE keeps them all\n" in result.stderr


def test_a_store_keeps_what_was_created(file: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """A new job finds the records that the first one made, and the work orders too: none is made twice."""
    command = ("import", file, "--map", MAP, "--sandbox", tmp_path / "s.db", "--job", tmp_path / "job")
    assert "references: 6 found, 27 created" in wosdk(*command).stdout
    again = wosdk(*command, "--again")
    assert again.exit_code == 1
    assert "14 rows: 0 created, 14 failed" in again.stdout
    assert "references: 33 found, 0 created" in again.stdout
    assert "is there already: work_order.po_number '900001'" in again.stderr
    skipped = wosdk(*command, "--again", "--if-exists", "skip")
    assert (skipped.exit_code, skipped.stdout.splitlines()[0]) == (
        0,
        "14 rows: 0 created, 14 found, 0 failed, 0 in doubt",
    )


def test_outcomes_have_one_line_for_each_row(wosdk: Wosdk, tmp_path: Path) -> None:
    source, outcomes, uncut = tmp_path / "f.csv", tmp_path / "out.jsonl", tmp_path / "m.toml"
    text = MAP.read_text(encoding="utf-8")
    uncut.write_text(re.sub(r"(?m)^comment = .*descriptor.*$", 'comment = "{descriptor}"', text), "utf-8")
    header, *rows = table()
    rows[2][header.index("descriptor")] = "x" * 4000
    with source.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows, ["too", "few"]])
    result = wosdk("import", source, "--map", uncut, "--sandbox", "--outcomes", outcomes)
    assert result.exit_code == 1
    reported = {line["row"]: line for line in lines(outcomes)}
    assert sorted(reported) == list(range(1, 16))  # type: ignore[type-var]
    assert reported[3] == {
        "row": 3,
        "line": 4,
        "outcome": "failed",
        "reason": "command.work_order.items[0].comment has 4000 characters, the service takes 3096; "
        "shorten it, or set truncate = true",
    }
    assert reported[4]["line"] == 7  # the record before it has a cell of three lines
    assert reported[9]["warnings"] == ["place name has 96 characters and was cut to 64"]
    assert reported[15]["reason"].startswith("the record has 2 cells, the header 19; add the cells")
    assert {reported[i]["outcome"] for i in range(1, 15)} == {"created", "failed"}
    assert {"work_order_id", "number"} < reported[1].keys()
    assert "row 3 (line 4) failed: command.work_order.items[0].comment" in result.stderr
    assert "row 15 (line 18) failed: the record has 2 cells" in result.stderr


def test_outcomes_of_an_earlier_import_are_kept(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """Refused before anything is sent, unless --force says otherwise; an empty file may be overwritten."""
    outcomes = tmp_path / "out.jsonl"
    outcomes.touch()
    command = ("import", file, "--map", MAP, "--outcomes", outcomes, "--job", tmp_path / "job")
    assert wosdk(*command).exit_code == 0
    first = lines(outcomes)
    again = wosdk(*command, "--again")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == (
        f"wosdk: {outcomes} exists already, and may be the only list of what an earlier import created; "
        "name another file, or add --force to overwrite it\n"
    )
    assert lines(outcomes) == first
    assert wosdk(*command, "--again", "--force", "--if-exists", "skip").exit_code == 0
    assert {line["outcome"] for line in lines(outcomes)} == {"found"}


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


NAUGHTY = "RSC\ud83d\x9b31m\u202e\x1b]0;"


def test_odd_texts_of_the_service_do_not_end_an_import(
    wosdk: Wosdk, scripted: Service, tmp_path: Path
) -> None:
    """Half a surrogate pair, controls and marks of direction: every row is reported, escaped."""

    def odd(request: Request) -> Answer:
        if request.path.endswith("WoCreateCommand"):
            if "row 2" in request.body.decode():
                return Answer(400, {"ErrorMessage": NAUGHTY, "ErrorCode": "BUSINESS_LOGIC_ERROR"})
            return Answer(body={"CommandResult": {"Wo": {"Id": 7, "Number": NAUGHTY}}})
        return Answer(body={"Entities": [{"Data": {"Id": 1}}]})

    scripted.handler = odd
    (tmp_path / "f.csv").write_text("text\nrow 1\nrow 2\n")
    (tmp_path / "m.toml").write_text('[command]\ncomment = "{text}"\nwork_order = { po_number = "P" }\n')
    outcomes = tmp_path / "out.jsonl"
    result = wosdk("import", tmp_path / "f.csv", "--map", tmp_path / "m.toml", "--outcomes", outcomes)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "2 rows: 1 created, 1 failed, 0 in doubt")
    reported = {line["row"]: line for line in lines(outcomes)}
    assert reported[1]["number"] == NAUGHTY
    assert NAUGHTY in str(reported[2]["reason"])
    for text in (outcomes.read_text(encoding="utf-8"), result.stderr):
        assert not {"\x1b", "\x9b", "\u202e", "\ud83d"} & set(text)


def test_outcomes_that_cannot_be_written_end_the_import(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """On a full disk no further row is started, and what is under way is reported on stderr."""
    result = wosdk("import", file, "--map", MAP, "--outcomes", "/dev/full", "--concurrency", "1", "--json")
    assert result.exit_code == 1
    assert "wosdk: the outcomes cannot be written (No space left on device): no further row is started\n" in (
        result.stderr
    )
    reported = [json.loads(line) for line in re.findall(r"^wosdk: (\{.*\})$", result.stderr, re.MULTILINE)]
    with contextlib.closing(open_store(tmp_path / "served.db")) as store:
        orders = store.select('SELECT body FROM "WorkOrder"', [])
    assert {row["work_order_id"] for row in reported} == {order["Id"] for order in orders}
    assert json.loads(result.stdout)["created"] == len(orders) < 14


def test_a_company_on_this_machine_is_shown_and_not_asked_for(
    file: Path, wosdk: Wosdk, served: dict[str, str]
) -> None:
    result = wosdk("import", file, "--map", MAP, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["created"] == 14
    assert "14 rows for Company 'AcmeFacilities' at http://127.0.0.1:" in result.stderr
    assert served["WOSDK_CLIENT_SECRET"] not in result.output


def test_another_company_needs_a_yes(
    file: Path, wosdk: Wosdk, served: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    result = wosdk("import", file, "--map", MAP, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "stdin is not a terminal, so you cannot be asked; add --yes" in result.stderr
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


def test_outcomes_are_not_the_store(wosdk: Wosdk, tmp_path: Path) -> None:
    """Under whichever name, new or old, and whatever --force says: a store that was there stays as it was."""
    example = ("import", EXAMPLES / "requests.csv", "--map", EXAMPLES / "sf311.toml")
    store, link = tmp_path / "s.db", tmp_path / "link"
    link.symlink_to(store)
    for kept in (False, True):
        if kept:
            open_store(store).close()
        before = store.read_bytes() if kept else b""
        for outcomes in (store, link, f"{store}-wal", f"{store}-shm"):
            result = wosdk(*example, "--sandbox", store, "--outcomes", outcomes, "--force")
            reported = f"wosdk: --outcomes would overwrite {store}; name another file\n"
            assert (result.exit_code, result.stdout, result.stderr) == (2, "", reported)
        assert (store.read_bytes() if kept else b"") == before
        assert store.exists() == kept


def test_outcomes_are_not_the_files_of_a_job(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """Nor any database: whatever --force says, and whichever name leads there."""
    command = ("import", file, "--map", MAP)
    folder, other = tmp_path / "first.job", tmp_path / "other.db"
    inside = wosdk(*command, "--job", folder, "--outcomes", folder / "own.jsonl")
    assert (inside.exit_code, "the folder of a job" in inside.stderr) == (2, True)
    assert wosdk(*command, "--job", folder).exit_code == 0
    open_store(other).close()
    (tmp_path / "link").symlink_to(folder / "lock")
    before = {path: path.read_bytes() for path in [*folder.iterdir(), other]}
    for name in ("first.job/journal.db", "link", "first.job/new.jsonl", "other.db", "other.db-wal"):
        result = wosdk(*command, "--again", "--outcomes", tmp_path / name, "--force")
        assert (name, result.exit_code, result.stdout) == (name, 2, "")
        assert result.stderr.startswith("wosdk: --outcomes would ")
        result = wosdk("query", "Customer", "--output", tmp_path / name)
        assert (name, result.exit_code, result.stdout) == (name, 2, "")
    assert {path: path.read_bytes() for path in [*folder.iterdir(), other]} == before


def test_the_files_of_a_job_are_named(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    folder = tmp_path / "job"
    command = ("import", file, "--map", MAP, "--job", folder, "--json")
    result = wosdk(*command)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["job"] == str(folder)
    assert f"wosdk: what became of each row: {folder / 'results.csv'}\n" in result.stderr
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
        patch.setattr(output_folder, "replace_file", full)
        result = wosdk(*command)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        8,
        "14 rows: 14 created, 0 failed, 0 in doubt",
    )
    assert (
        "wosdk: the import has ended, 14 rows created, but its files could not be written: "
        f"{folder / 'results.csv'}: No space left on device; the journal is right: mend this, then write the "
        f"files again with wosdk jobs rejects {folder}\n"
    ) in result.stderr
    again = wosdk(*command)
    assert (again.exit_code, (folder / "report.html").is_file()) == (0, True)
    assert "nothing is sent" in again.stderr
