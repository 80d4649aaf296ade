"""Options and words of the ledger; tests/jobs/ledger has its rules."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP, killed
from tests.cli.terminal import Terminal
from wosdk_async.sandbox import LocalCompany

LONG = "x" * 4000
"""A text that no work order can have: the row is refused before it is sent."""

KEYED = MAP.read_text("utf-8").replace('{ text = "{descriptor}", truncate = true }', '"{descriptor}"')
KEYLESS = KEYED.replace('marker = "work_order.po_number"', "")

Give = Callable[..., Result]


@pytest.fixture(params=[KEYED, KEYLESS], ids=["key", "cells"])
def map_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "map.toml"
    path.write_text(request.param, "utf-8")
    return path


keyed = pytest.mark.parametrize("map_file", [KEYED], indirect=True, ids=["key"])
keyless = pytest.mark.parametrize("map_file", [KEYLESS], indirect=True, ids=["cells"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "requests.csv"


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, dialect: str) -> Iterator[LocalCompany]:
    """A local Company that the environment variables lead to."""
    with LocalCompany(tmp_path / "served.db", dialect=dialect) as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        yield local


@pytest.fixture
def give(wosdk: Wosdk, path: Path, map_file: Path, local: LocalCompany) -> Give:
    """Give the command for a file, that of the rows unless another one is named."""

    def given(*more: str | Path, file: Path | str = path, **options: str) -> Result:
        return wosdk("import", file, "--map", map_file, *more, **options)

    return given


def write(path: Path, *rows: tuple[str, str]) -> None:
    """Write a file of rows with a key and a text each."""
    header, row, *_ = table()
    lines = [dict(zip(header, row, strict=True), unique_key=key, descriptor=text) for key, text in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(lines)


def held(wosdk: Wosdk) -> Counter[str]:
    """How many work orders that are not cancelled have each key."""
    found = wosdk("query", "WorkOrder", "-p", "PoNumber", "-p", "StatusId", "--all", "--json").stdout
    rows = [json.loads(line) for line in found.splitlines()]
    return Counter(row["PoNumber"] for row in rows if row["StatusId"] != "Cancelled")


A, B, C = ("A", "one"), ("B", "two"), ("C", "three")
REFUSED = ("A", LONG)


# --- rule 3: the same command ---------------------------------------------------------------------


@keyed
def test_a_row_that_changed_after_it_was_sent_is_skipped_and_said(
    give: Give, path: Path, wosdk: Wosdk
) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, ("A", "edited"), B)
    result = give()
    assert (result.exit_code, "1 of them with cells changed since" in result.stderr) == (0, True)
    assert "\n1 row now differs from the cells that were sent (first: line 2)" in result.stdout
    assert json.loads(give("--json").stdout)["changed"] == 1
    assert held(wosdk) == Counter("AB")


@keyed
def test_undone_rows_are_skipped_until_they_are_asked_for(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    undo = ("jobs", "undo", path.with_name("requests.csv.job"), "--reason", "Entered twice", "--yes")
    assert wosdk(*undo).exit_code == 0
    assert (give().exit_code, held(wosdk)) == (1, Counter())
    write(path, ("A", "edited"), B)
    result = give()
    said = "undone rows whose cells have changed since they were sent: 1\n"
    assert (said in result.stderr, held(wosdk)) == (True, Counter())
    assert (give("--retry-undone").exit_code, held(wosdk)) == (0, Counter("AB"))


def test_rows_in_doubt_are_told_from_rows_to_send(give: Give, path: Path, map_file: Path) -> None:
    """They are looked up first or, without a marker, may exist already and wait for a person."""
    write(path, A, B)
    assert give().exit_code == 0
    folder = path.with_name(f"{path.name}.job")
    killed(folder, 2)
    write(path, A, B, C)
    result = give()
    if "\nmarker" in map_file.read_text("utf-8"):
        assert "1 row to send; 1 in doubt to look up first" in result.stderr
        assert "1 of 3 rows to send, 1 in doubt to look up first" in result.stderr
        return
    for each in (result, give()):
        assert f"rows whose records may already exist: {folder / 'in_doubt.csv'}; " in each.stderr
        assert f"wosdk jobs settle {folder} --row N created ID" in each.stderr
    assert "row 2 (line 3) 'B, " in result.stderr


@keyed
def test_the_job_that_sent_the_rows_of_a_renamed_file_is_named(give: Give, path: Path) -> None:
    """Neither the same command nor a correction of the rows would help."""
    write(path, *((f"K{number}", "text") for number in range(25)))
    assert give().exit_code == 0
    other, folder = path.rename(path.with_name("other.csv")), path.with_name(f"{path.name}.job")
    result = give(file=other)
    assert (result.exit_code, result.stderr.count(f"the job {folder} sent the first")) == (1, 1)
    assert not any(each in result.stderr for each in ("run the same command", "rejects.csv", "that job's"))
    assert "nothing to send; 25 created before" in give("--job", folder, file=other).stderr


@keyed
def test_rows_that_are_gone_are_counted(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, B)
    result = give()
    said = "1 earlier row not in the file (1 done)"
    assert (result.exit_code, said in result.stderr) == (0, True)
    assert held(wosdk) == Counter("AB")


@keyed
def test_found_rows_are_not_said_to_be_created(give: Give, path: Path) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, A, B, C)
    for said in ("", "nothing to send; 1 created, 2 found before"):
        result = give("--job", path.with_name("other.job"), "--if-exists", "skip")
        assert (result.exit_code, said in result.stderr) == (0, True), result.stderr


def test_undone_rows_that_the_file_lacks_are_said_to_be_undone(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    folder = path.with_name("requests.csv.job")
    assert wosdk("jobs", "undo", folder, "--reason", "Entered twice", "--yes").exit_code == 0
    write(path, C)
    assert give("--new-rows").exit_code == 0
    assert "2 rows not in the last file: 2 done (2 of them undone)\n" in wosdk("jobs", "show", folder).stdout


# --- rules 4 and 5: what cannot be told apart -----------------------------------------------------


@keyless
def test_an_edited_row_without_a_key_needs_a_word(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, A, ("B", "edited"))
    for more in ((), ("--check",)):
        result = give(*more)
        assert (result.exit_code, "--new-rows" in result.stderr) == (2, True)
    assert held(wosdk) == Counter("AB")
    assert (give("--new-rows").exit_code, give().exit_code) == (0, 0)
    assert held(wosdk) == Counter("ABB")


# --- rule 6: --again ------------------------------------------------------------------------------


@keyless
def test_again_asks_first_and_sends_all_rows_in_a_new_ledger(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    refused = give("--again")
    assert (refused.exit_code, "confirm with --yes" in refused.stderr) == (2, True)
    assert held(wosdk) == Counter("AB")
    assert give("--again", "--yes").exit_code == 0
    assert held(wosdk) == Counter("AABB")
    write(path, A, B, C)
    assert give().exit_code == 0
    assert sorted(each.name for each in path.parent.glob("*.job*")) == [
        "requests.csv.job",
        "requests.csv.job-2",
    ]
    assert held(wosdk) == Counter("AABBC")


@keyed
def test_again_says_that_rows_whose_keys_exist_will_fail(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    assert "rows whose keys exist will fail unless" in give("--again").stderr
    assert "will fail" not in give("--again", "--if-exists", "skip").stderr
    assert (give("--again", "--yes").exit_code, held(wosdk)) == (1, Counter("AB"))


@keyed
def test_again_names_the_keys_that_a_spreadsheet_changed(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, ("001", "a"), ("002", "b"), C)
    assert give().exit_code == 0
    write(path, ("1", "a"), ("2", "b"), C)
    refused = give("--again")
    assert (refused.exit_code, "2 rows whose key a spreadsheet may have changed" in refused.stderr) == (
        2,
        True,
    )
    assert held(wosdk) == Counter(["001", "002", "C"])


@keyed
@pytest.mark.parametrize("undone", [True, False], ids=["undone", "new"])
def test_again_asks_about_keys_that_another_job_sent_in_another_form(
    give: Give, path: Path, wosdk: Wosdk, undone: bool
) -> None:
    other = path.with_name("other.csv")
    write(path, ("00501", "one"))
    write(other, ("501", "one"))
    if undone:
        undo = ("jobs", "undo", path.with_name("requests.csv.job"), "--reason", "Entered twice", "--yes")
        assert (give().exit_code, wosdk(*undo).exit_code) == (0, 0)
    assert give(file=other).exit_code == 0
    assert (give("--again").exit_code, held(wosdk)) == (2, Counter(["501"]))


@keyless
@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("y", 0)])
def test_on_a_terminal_it_is_asked(
    give: Give, path: Path, wosdk: Wosdk, map_file: Path, answer: str, status: int
) -> None:
    write(path, A)
    assert give().exit_code == 0
    terminal = Terminal("import", str(path), "--map", str(map_file), "--again")
    terminal.answer(("Send them again? [y/N]:", answer))
    assert terminal.end() == status, terminal.shown
    assert path.with_name("requests.csv.job-2").exists() == (status == 0)
    assert held(wosdk) == Counter("AA" if answer == "y" else "A")


# --- rule 8: the run is the unit ------------------------------------------------------------------


@keyed
def test_an_undo_takes_back_the_last_run_another_or_all(give: Give, path: Path, wosdk: Wosdk) -> None:
    for rows in ((A,), (A, B), (A, B, C)):
        write(path, *rows)
        assert give().exit_code == 0
    folder = path.with_name("requests.csv.job")
    assert sorted(each.name for each in (folder / "runs").iterdir()) == ["1", "2"]
    for more, left in (((), "AB"), (("--run", "1"), "B"), (("--all",), "")):
        assert wosdk("jobs", "undo", folder, "--reason", "Entered twice", "--yes", *more).exit_code == 0
        assert held(wosdk) == Counter(left)


# --- rule 10: what is gone, and what a resume does not repeat -------------------------------------


@keyless
def test_a_resume_repeats_no_word_about_rows(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A)
    assert give().exit_code == 0
    assert give("--again", "--yes").exit_code == 0
    assert give("--new-rows", "--retry-refused", "--retry-undone").exit_code == 0
    assert give("--again", "--new-rows").exit_code == 2
    folder = path.with_name("requests.csv.job-2")
    assert wosdk("jobs", "resume", folder).exit_code == 0
    assert not path.with_name("requests.csv.job-3").exists()
    write(path, B)
    refused = wosdk("jobs", "resume", folder)
    assert (refused.exit_code, "--new-rows" in refused.stderr) == (2, True)
    assert held(wosdk) == Counter("AA")


@keyed
def test_show_and_check_say_what_the_command_does(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, REFUSED, B)
    assert give().exit_code == 1
    write(path, A, B, C)
    shown = wosdk("jobs", "show", path.with_name("requests.csv.job")).stdout
    checked = give("--check").stdout
    said = give().stderr
    plan = "2 rows to send; 1 created before"
    assert [plan in each for each in (shown, said)] == [True, True]
    assert "2 would be created" in checked
