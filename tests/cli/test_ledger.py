"""The same command sends what the ledger does not know to be done, and nothing else."""

from __future__ import annotations

import csv
import json
import shutil
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


def write(path: Path, *rows: tuple[str, str], more: str = "") -> None:
    """Write a file of rows with a key and a text each, and with another column if one is named."""
    header, row, *_ = table()
    lines = [dict(zip(header, row, strict=True), unique_key=key, descriptor=text) for key, text in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*header, *([more] if more else [])], restval="seen")
        writer.writeheader()
        writer.writerows(lines)


def held(wosdk: Wosdk) -> Counter[str]:
    """How many work orders that are not cancelled have each key."""
    found = wosdk("query", "WorkOrder", "-p", "PoNumber", "-p", "StatusId", "--all", "--json").stdout
    rows = [json.loads(line) for line in found.splitlines()]
    return Counter(row["PoNumber"] for row in rows if row["StatusId"] != "Cancelled")


A, B, C = ("A", "one"), ("B", "two"), ("C", "three")
REFUSED = ("A", LONG)


# --- rules 1 and 2: the ledger, and the identity of a row -----------------------------------------


@keyless
def test_stdin_has_one_ledger(
    give: Give, path: Path, tmp_path: Path, wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for rows in ((A, B), (A, B, C)):
        write(path, *rows)
        assert give("--format", "csv", file="-", input=path.read_text("utf-8")).exit_code == 0
    assert [each.name for each in tmp_path.glob("*.job*")] == ["stdin.job"]
    assert held(wosdk) == Counter("ABC")


# --- rule 3: the same command ---------------------------------------------------------------------


def test_new_and_corrected_rows_are_sent_and_no_others(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, REFUSED, B)
    assert give().exit_code == 1
    assert held(wosdk) == Counter("B")
    write(path, C, B, A)
    result = give()
    assert (result.exit_code, "2 rows to send; 1 created before" in result.stderr) == (0, True)
    assert "wosdk: 2 of 3 rows to send for Company " in result.stderr
    assert held(wosdk) == Counter("ABC")


@keyed
def test_rows_under_way_in_a_kill_are_looked_up(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    killed(path.with_name("requests.csv.job"), 1)
    result = give()
    assert (result.exit_code, "1 in doubt to look up first" in result.stderr) == (0, True)
    assert held(wosdk) == Counter("AB")


@keyed
def test_a_row_that_changed_after_it_was_sent_is_skipped_and_said(
    give: Give, path: Path, wosdk: Wosdk
) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, ("A", "edited"), B)
    result = give()
    assert (result.exit_code, "1 of them changed after being sent" in result.stderr) == (0, True)
    assert "\n1 row edited since; not resent, as each is already created\n" in result.stdout
    assert json.loads(give("--json").stdout)["changed"] == 1
    assert held(wosdk) == Counter("AB")


@keyed
def test_undone_rows_are_skipped_until_they_are_asked_for(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    undo = ("jobs", "undo", path.with_name("requests.csv.job"), "--reason", "Entered twice", "--yes")
    assert wosdk(*undo).exit_code == 0
    assert (give().exit_code, held(wosdk)) == (1, Counter())
    assert (give("--retry-undone").exit_code, held(wosdk)) == (0, Counter("AB"))


@pytest.mark.parametrize("change", ["--retry-refused", "cells", "map"])
@keyed
def test_rows_that_the_service_refused_wait_for_a_change_or_a_word(
    give: Give, path: Path, wosdk: Wosdk, local: LocalCompany, map_file: Path, change: str
) -> None:
    write(path, A, B)
    local.faults.load(
        {"rule": [{"fault": "status", "status": 400, "operation": "WoCreateCommand", "first": 1}]}
    )
    assert (give("--concurrency", "1").exit_code, held(wosdk)) == (1, Counter("B"))
    result = give()
    assert (result.exit_code, held(wosdk)) == (1, Counter("B"))
    assert "1 already refused and unchanged (--retry-refused resends)" in result.stderr
    if change == "cells":
        write(path, ("A", "edited"), B)
    elif change == "map":
        map_file.write_text(KEYED.replace("compute_schedule = true", "compute_schedule = false"), "utf-8")
    assert give(*[change] if change.startswith("-") else []).exit_code == 0
    assert held(wosdk) == Counter("AB")


def test_rows_that_are_gone_are_counted(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, B)
    result = give()
    assert (result.exit_code, "1 earlier row not in the file" in result.stderr) == (0, True)
    assert held(wosdk) == Counter("AB")


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


@keyless
def test_a_column_that_came_makes_all_rows_unknown(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    write(path, A, B, more="remark")
    result = give("--new-rows")
    assert (result.exit_code, "'remark'" in result.stderr, "--new-rows" in result.stderr) == (2, True, False)
    assert held(wosdk) == Counter("AB")


@keyed
def test_a_key_that_a_spreadsheet_changed_needs_a_word(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, ("00501", "one"))
    assert give().exit_code == 0
    write(path, ("501", "one"))
    result = give()
    assert (result.exit_code, "'501'" in result.stderr, "'00501'" in result.stderr) == (2, True, True)
    assert give("--new-rows").exit_code == 0
    assert held(wosdk) == Counter(["00501", "501"])


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


@keyless
def test_again_is_refused_while_rows_are_in_doubt(give: Give, path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    killed(folder := path.with_name("requests.csv.job"), 1)
    for more in (("--yes",), ("--check",)):
        refused = give("--again", *more)
        assert (refused.exit_code, "wosdk jobs settle" in refused.stderr) == (2, True)
    assert held(wosdk) == Counter("AB")
    assert wosdk("jobs", "settle", folder, "--all", "not-created").exit_code == 0
    assert give().exit_code == 0
    assert give("--again", "--yes").exit_code == 0
    assert held(wosdk) == Counter("AAABB")


# --- rule 7: rejects ------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [False, True], ids=["its place", "a copy"])
def test_rejects_are_rows_of_their_ledger(
    give: Give, path: Path, tmp_path: Path, wosdk: Wosdk, copied: bool
) -> None:
    write(path, REFUSED, B)
    assert give().exit_code == 1
    rejects = path.with_name("requests.csv.job") / "rejects.csv"
    if copied:
        rejects = Path(shutil.copy(rejects, tmp_path / "fixed.csv"))
    text = rejects.read_text("utf-8").replace(LONG, "short")
    rejects.write_text(text, "utf-8")
    assert [give(file=rejects).exit_code for _ in range(2)] == [0, 0]
    assert rejects.read_text("utf-8") == text
    assert [each.name for each in tmp_path.glob("*.job*")] == ["requests.csv.job"]
    assert give("--retry-refused").exit_code == 0, "the row of the file is the one that was corrected"
    assert held(wosdk) == Counter("AB")
    assert give("--again", "--yes", file=rejects).exit_code == 2


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


# --- rule 9: copies -------------------------------------------------------------------------------


@keyless
def test_a_copy_is_not_sent_once_more(give: Give, path: Path, tmp_path: Path, wosdk: Wosdk) -> None:
    write(path, A, B)
    assert give().exit_code == 0
    copy = Path(shutil.copy(path, tmp_path / "copy.csv"))
    refused = give(file=copy)
    assert (refused.exit_code, f"--job {path}.job" in refused.stderr) == (2, True)
    assert give("--job", f"{path}.job", file=copy).exit_code == 0
    (path.with_name("requests.csv.job") / "journal.db").write_bytes(b"no longer a database")
    assert give(file=copy).exit_code == 2
    assert held(wosdk) == Counter("AB")


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
