"""``wosdk import --outcomes``: a line for each row, in a file that overwrites nothing else."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import EXAMPLES, Wosdk, table
from tests.cli.importing import MAP
from tests.support.service import Answer, Request, Service
from wosdk_async.sandbox import open_store

NAUGHTY = "RSC\ud83d\x9b31m\u202e\x1b]0;"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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
        "reason": "command.work_order.items[0].comment has 4000 characters, but the limit is 3096; "
        "shorten the text, or set truncate = true",
    }
    assert reported[4]["line"] == 7  # the record before it has a cell of three lines
    assert reported[9]["warnings"] == ["place name has 96 characters and was truncated to 64"]
    assert reported[15]["reason"].startswith("the record has 2 cells, the header 19; add the missing cells")
    assert {reported[i]["outcome"] for i in range(1, 15)} == {"created", "failed"}
    assert {"work_order_id", "number"} < reported[1].keys()
    assert "row 3 (line 4) failed: command.work_order.items[0].comment" in result.stderr
    assert "row 15 (line 18) failed: the record has 2 cells" in result.stderr


@pytest.mark.parametrize("check", [(), ("--check",)])
@pytest.mark.parametrize(("mode", "outcomes_mode"), [(0o600, 0o600), (0o640, 0o600), (0o644, 0o644)])
def test_who_cannot_read_the_input_cannot_read_the_outcomes(
    file: Path, wosdk: Wosdk, tmp_path: Path, check: tuple[str, ...], mode: int, outcomes_mode: int
) -> None:
    outcomes = tmp_path / "out"
    file.chmod(mode)
    before = os.umask(0o022)
    try:
        result = wosdk("import", file, "--map", MAP, "--sandbox", "--outcomes", outcomes, *check)
    finally:
        os.umask(before)
    assert result.exit_code == 0, result.stderr
    assert outcomes.stat().st_mode & 0o777 == outcomes_mode


def test_outcomes_of_an_earlier_import_are_kept(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """Refused before anything is sent, unless --force says otherwise; an empty file may be overwritten."""
    outcomes = tmp_path / "out.jsonl"
    outcomes.touch()
    command = ("import", file, "--map", MAP, "--outcomes", outcomes, "--job", tmp_path / "job")
    assert wosdk(*command).exit_code == 0
    first = lines(outcomes)
    again = wosdk(*command, "--again", "--yes")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr == (
        f"wosdk: {outcomes} exists, and may be the only list of an earlier import's records; "
        "name another file, or add --force to overwrite it\n"
    )
    assert lines(outcomes) == first
    assert wosdk(*command, "--again", "--yes", "--force", "--if-exists", "skip").exit_code == 0
    assert {line["outcome"] for line in lines(outcomes)} == {"found"}


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


@pytest.mark.parametrize("name", ["missing/out.jsonl", "."])
@pytest.mark.parametrize("check", [(), ("--check",)], ids=["import", "check"])
def test_outcomes_that_cannot_be_written_create_no_store(
    file: Path, wosdk: Wosdk, tmp_path: Path, name: str, check: tuple[str, ...]
) -> None:
    store = tmp_path / "new.db"
    result = wosdk(
        "import", file, "--map", MAP, "--sandbox", store, "--outcomes", tmp_path / name, "--yes", *check
    )
    assert result.exit_code == 2
    assert f"wosdk: {tmp_path / name}: " in result.stderr
    assert not store.exists()


def test_outcomes_that_cannot_be_written_end_the_import(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """On a full disk no further row is started, and what is under way is reported on stderr."""
    result = wosdk("import", file, "--map", MAP, "--outcomes", "/dev/full", "--concurrency", "1", "--json")
    assert result.exit_code == 1
    assert "wosdk: cannot write the outcomes (No space left on device); starting no more rows\n" in (
        result.stderr
    )
    reported = [json.loads(line) for line in re.findall(r"^wosdk: (\{.*\})$", result.stderr, re.MULTILINE)]
    with contextlib.closing(open_store(tmp_path / "served.db")) as store:
        orders = store.select('SELECT body FROM "WorkOrder"', [])
    assert {row["work_order_id"] for row in reported} == {order["Id"] for order in orders}
    assert json.loads(result.stdout)["created"] == len(orders) < 14


def test_outcomes_that_lack_the_last_row_have_a_status_of_their_own(
    file: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    """The row is done, so only the file is at fault."""
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[:2]) + "\n", "utf-8")
    result = wosdk("import", file, "--map", MAP, "--outcomes", "/dev/full", "--json")
    assert (result.exit_code, json.loads(result.stdout)["created"]) == (8, 1)


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
    assert (inside.exit_code, "the job folder" in inside.stderr) == (2, True)
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
