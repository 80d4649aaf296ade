"""``wosdk import --again`` beside an unfinished job: it does not mean "go on"."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.importing import MAP, imported, killed
from tests.cli.terminal import Terminal

COUNTS = (
    "is not finished (12 done, 2 under way when the run ended), and a new job sends all 14 rows once more: "
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def unmarked(tmp_path: Path) -> Path:
    path = tmp_path / "map.toml"
    path.write_text(MAP.read_text("utf-8").replace('marker = "work_order.po_number"', ""), "utf-8")
    return path


@pytest.mark.parametrize("yes", [(), ("--yes",)], ids=["", "yes"])
def test_a_new_job_beside_an_unfinished_one_is_refused(
    file: Path, store: Path, wosdk: Wosdk, yes: tuple[str, ...]
) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 3, 4)
    command = ("import", file, "--map", MAP, "--sandbox", store)
    refused = wosdk(*command, "--again", *yes)
    assert (refused.exit_code, refused.stdout) == (2, "")
    message = (
        f"--again does not go on: the job in {folder} {COUNTS}those that are there already fail, or are "
        "skipped with --if-exists skip; to go on, give the command without --again; to begin anew all the "
        "same, add --abandon\n"
    )
    assert refused.stderr == f"wosdk: {message}"
    checked = wosdk(*command, "--again", "--check")
    assert (checked.exit_code, checked.stderr.splitlines(True)[-1]) == (
        2,
        f"wosdk: the import would be refused: {message}",
    )
    assert not folder.with_name(f"{folder.name}-2").exists()
    assert wosdk(*command).exit_code == 0
    again = wosdk(*command, "--again", "--if-exists", "skip")  # a finished job stands in nobody's way
    assert (again.exit_code, "14 found" in again.stdout) == (0, True), again.stderr


def test_who_insists_begins_a_new_job(file: Path, store: Path, unmarked: Path, wosdk: Wosdk) -> None:
    command = ("import", file, "--map", unmarked, "--sandbox", store)
    assert wosdk(*command).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    killed(folder, 3, 4)
    refused = wosdk(*command, "--again")
    assert (refused.exit_code, f"{COUNTS}what that job has done would be done twice; " in refused.stderr) == (
        2,
        True,
    )
    assert wosdk(*command, "--again", "--abandon", "--check").exit_code == 0
    again = wosdk(*command, "--again", "--abandon")
    assert (again.exit_code, again.stdout.partition("\n")[0]) == (
        0,
        "14 rows: 14 created, 0 failed, 0 in doubt",
    )
    assert "unfinished" in wosdk("jobs", "show", folder).stdout
    alone = wosdk(*command, "--abandon")
    assert (alone.exit_code, "--abandon is for --again" in alone.stderr) == (2, True)


def test_a_file_that_was_changed_begins_a_new_job(file: Path, store: Path, wosdk: Wosdk) -> None:
    killed(imported(wosdk, file, store), 3)
    file.write_text(file.read_text("utf-8").replace("900004", "910004"), "utf-8")
    again = wosdk(
        "import", file, "--map", MAP, "--sandbox", store, "--again", "--abandon", "--if-exists", "skip"
    )
    assert (again.exit_code, "1 created, 13 found" in again.stdout) == (0, True), again.stderr


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("", 1), ("y", 0)])
def test_on_a_terminal_it_is_asked(
    file: Path, store: Path, unmarked: Path, wosdk: Wosdk, answer: str, status: int
) -> None:
    command = ("import", file, "--map", unmarked, "--sandbox", store)
    assert wosdk(*command).exit_code == 0
    killed(file.with_name(f"{file.name}.job"), 3, 4)
    terminal = Terminal(*map(str, command), "--again")
    terminal.answer(("send all rows once more? [y/N]:", answer))
    assert terminal.end() == status, terminal.shown
    assert "to go on, give the command without --again" in " ".join(terminal.shown.split())
    assert file.with_name(f"{file.name}.job-2").exists() == (status == 0)
    assert ("nothing was sent" in terminal.shown) == (status == 1)
