"""A file that was mended after an import: what is refused changes nothing, and what is advised works."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Wosdk
from tests.cli.importing import MAP, imported, killed


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def job(file: Path, store: Path, wosdk: Wosdk) -> Path:
    """The folder of a finished job: one row failed, as it has no address."""
    text = file.read_text("utf-8")
    file.write_text(
        text + text.splitlines()[-1].replace("900014", "900015").rpartition(",")[0] + "\n", "utf-8"
    )
    return imported(wosdk, file, store)


def mend(file: Path) -> None:
    lines = file.read_text("utf-8").splitlines(keepends=True)
    lines[-1] = lines[-2].replace("900014", "900015")
    file.write_text("".join(lines), "utf-8")


def command(file: Path, store: Path, *more: str) -> tuple[str | Path, ...]:
    return ("import", file, "--map", MAP, "--sandbox", store, *more)


def rows_of(wosdk: Wosdk, job: Path) -> tuple[str, list[str]]:
    facts = json.loads(wosdk("jobs", "show", job, "--json").stdout)
    failed = [row["reason"] for row in facts["first_rows"].get("failed", ())]
    return facts["state"], failed


def test_a_refused_retry_leaves_the_job_as_it_was(file: Path, store: Path, job: Path, wosdk: Wosdk) -> None:
    before = rows_of(wosdk, job)
    assert (before[0], len(before[1])) == ("finished", 1)
    mend(file)
    for more in ((), ("--check",)):
        refused = wosdk(*command(file, store, "--retry", "refused", *more))
        assert refused.exit_code == 2
        assert "--retry refused alone sends rows of the unchanged file: add --continue" in refused.stderr
        assert "is not finished" not in refused.stderr
    assert rows_of(wosdk, job) == before
    assert [each.name for each in file.parent.glob("*.job*")] == [job.name]


def test_what_the_refusal_advises_sends_the_mended_row(
    file: Path, store: Path, job: Path, wosdk: Wosdk
) -> None:
    mend(file)
    shown = wosdk("jobs", "show", job).stdout
    assert (
        "the file, which has changed, has no row of this one any more; or be refused, unless --con" in shown
    )
    refused = wosdk(*command(file, store))
    assert refused.exit_code == 2
    assert (
        f"14 of the rows of {file} were sent by the job in {job}, before the file changed: " in refused.stderr
    )
    assert "add --continue to go on with that job" in refused.stderr
    assert refused.stderr.removeprefix("wosdk: ") in wosdk(*command(file, store, "--check")).stderr
    went_on = wosdk(*command(file, store, "--continue"))
    assert (went_on.exit_code, went_on.stdout.partition("\n")[0]) == (
        0,
        "15 rows: 15 created, 0 failed, 0 in doubt",
    ), went_on.stderr
    renewed = job.with_name(f"{job.name}-2")
    assert (rows_of(wosdk, job)[0], rows_of(wosdk, renewed)[0]) == ("continued", "finished")
    assert f"continued by {renewed}" in wosdk("jobs", "list", file).stdout
    checked = wosdk("jobs", "undo", job, "--check", "--reason", "Entered twice")
    assert checked.exit_code == 2
    assert f"the job in {renewed} continues this one and took its rows over; undo that one" in checked.stderr
    report = (job / "report.html").read_text("utf-8")
    assert "Continued by another job" in report
    assert f"<code>{renewed}</code> took all rows over" in report
    assert "Correct them in" not in report
    assert json.loads((job / "report.json").read_text("utf-8"))["continued_by"] == str(renewed)


def test_an_undo_of_a_continued_job_takes_back_what_only_it_has(
    file: Path, store: Path, job: Path, wosdk: Wosdk
) -> None:
    mend(file)
    header, _, *rest = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join([header, *rest]), "utf-8")
    assert wosdk(*command(file, store, "--continue")).exit_code == 0
    checked = wosdk("jobs", "undo", job, "--check", "--reason", "Entered twice")
    assert checked.exit_code != 2, checked.stderr
    assert "has its other rows, too: 1 row carried out here that the new file does not have" in checked.stderr


def test_a_check_of_the_mended_file_reads_the_job_as_the_import_does(
    file: Path, store: Path, wosdk: Wosdk
) -> None:
    """Which rows are done, and which would be sent again: by their keys, as the file is another one."""
    strict = MAP.read_text("utf-8").replace('{ text = "{descriptor}", truncate = true }', '"{descriptor}"')
    (map_file := file.with_name("map.toml")).write_text(strict, "utf-8")
    text = file.read_text("utf-8")
    last = text.splitlines()[-1]
    failing = last.replace("900014", "900015").replace("東の門が開かない", "x" * 4000)
    file.write_text(f"{text}{failing}\n", "utf-8")
    given = ("import", file, "--map", map_file, "--sandbox", store)
    assert wosdk(*given).exit_code == 1
    job = file.with_name(f"{file.name}.job")
    more = ("--continue", "--check")
    new = last.replace("900014", "900016")
    mended = failing.replace("x" * 4000, "shorter")
    header, _, rest = text.partition("\n")
    file.write_text("\n".join([header, new, mended, rest]), "utf-8")
    checked = wosdk(*given, *more)
    assert checked.exit_code == 0, checked.stderr
    assert checked.stdout.startswith(
        "16 rows: 2 would be created, 14 carried out by the job already\n"
        "1 row failed in the job before, and would be sent again\n"
    )
    assert (
        f"there is a job in {job}; the import would\n"
        "  go on with the changed file, in a new job that takes over the ended rows by their keys\n"
    ) in checked.stdout
    rows = file.with_name("rows.csv")
    data = json.loads(wosdk(*given, *more, "--json", "--outcomes", rows).stdout)
    assert (data["would_send"], data["ended"], data["sent_again"]) == (2, 14, 1)
    lines = rows.read_text("utf-8").splitlines()
    assert ["failed in the job before" in line for line in lines[1:4]] == [False, True, False]
    killed(job, 3)
    again = wosdk(*given, *more)
    assert "13 carried out by the job already, 1 under way when the run ended" in again.stdout
    assert "row 5 (line 6) under way when the run ended: the import looks it up by work_order" in again.stderr
    assert rows_of(wosdk, job)[0] == "unfinished", "the check has changed nothing"
    went_on = wosdk(*given, "--continue", "--retry", "refused")
    assert went_on.stdout.startswith("16 rows: 16 created, 0 failed"), went_on.stderr


def test_a_check_of_a_retry_says_which_rows_are_sent_again(
    file: Path, store: Path, job: Path, wosdk: Wosdk
) -> None:
    """Of the same file, with a map that was mended."""
    mended = file.with_name("map.toml")
    text = MAP.read_text("utf-8")
    mended.write_text(text, "utf-8")
    checked = wosdk(*command(file, store, "--retry", "refused", "--check"))
    assert "14 carried out by the job already" in checked.stdout
    assert f"there is a job in {job}; the import would\n  try 1 row again that failed\n" in checked.stdout
    assert "unless --retry refused is added" not in checked.stdout


def test_a_check_says_that_rows_without_keys_cannot_be_continued(
    file: Path, store: Path, wosdk: Wosdk
) -> None:
    bare = MAP.read_text("utf-8").replace('marker = "work_order.po_number"', "")
    (unmarked := file.with_name("map.toml")).write_text(bare, "utf-8")
    given = ("import", file, "--map", unmarked, "--sandbox", store)
    assert wosdk(*given).exit_code == 0
    killed(file.with_name(f"{file.name}.job"), 3)
    file.write_text(file.read_text("utf-8").replace("900004", "910004"), "utf-8")
    refused = wosdk(*given, "--continue")
    checked = wosdk(*given, "--continue", "--check")
    assert (refused.exit_code, checked.exit_code) == (2, 2)
    message = refused.stderr.splitlines()[-1].removeprefix("wosdk: ")
    assert f"the import would be refused: {message}" in checked.stderr


def test_a_finished_job_says_what_to_do_after_the_file_was_mended(
    file: Path, store: Path, job: Path, wosdk: Wosdk
) -> None:
    tip = next(line for line in wosdk(*command(file, store)).stderr.splitlines() if "that failed:" in line)
    assert "--retry refused after you mended the map, or --continue after you mended the file" in tip
    bare = MAP.read_text("utf-8").replace('marker = "work_order.po_number"', "")
    (unmarked := file.with_name("map.toml")).write_text(bare, "utf-8")
    given = (
        "import",
        file,
        "--map",
        unmarked,
        "--sandbox",
        store.with_name("2.db"),
        "--job",
        file.with_name("j"),
    )
    wosdk(*given)
    assert "--continue" not in wosdk(*given).stderr, "without keys of their own rows are not told apart"


def test_no_as_an_answer_leaves_the_refused_rows(
    file: Path, served: dict[str, str], wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can be asked: status 2, and neither the rows nor the folders are others."""
    from wosdk_async.cli import runner

    text = file.read_text("utf-8")
    file.write_text(
        text + text.splitlines()[-1].replace("900014", "900015").rpartition(",")[0] + "\n", "utf-8"
    )
    assert wosdk("import", file, "--map", MAP).exit_code == 1
    job = file.with_name(f"{file.name}.job")
    before = rows_of(wosdk, job)
    monkeypatch.setattr(runner, "is_local", lambda _: False)
    assert wosdk("import", file, "--map", MAP, "--retry", "refused").exit_code == 2
    assert rows_of(wosdk, job) == before
    mend(file)
    assert wosdk("import", file, "--map", MAP, "--retry", "refused", "--continue").exit_code == 2
    assert rows_of(wosdk, job) == before
    assert [each.name for each in file.parent.glob("*.job*")] == [job.name]


def test_jobs_show_looks_whether_the_file_has_changed(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 3)
    assert "look up 1 row under way when the run ended" in wosdk("jobs", "show", folder).stdout
    file.write_text(file.read_text("utf-8").replace("900004", "910004"), "utf-8")
    shown = wosdk("jobs", "show", folder).stdout
    refusal = next(line for line in shown.splitlines() if "be refused: " in line)
    refused = wosdk(*command(file, store))
    assert refused.exit_code == 2
    assert refusal.partition("be refused: ")[2] == refused.stderr.removeprefix("wosdk: ").rstrip()
    again = next(line for line in shown.splitlines() if line.startswith("command")).split(maxsplit=1)[1]
    assert wosdk(*shlex.split(again)[1:], "--continue").exit_code == 0


def test_after_the_file_of_an_unfinished_job_was_changed_again_alone_is_refused(
    file: Path, store: Path, wosdk: Wosdk
) -> None:
    """Its rows may be under way still, so a new job could create them twice."""
    killed(imported(wosdk, file, store), 3)
    file.write_text(file.read_text("utf-8").replace("900004", "910004"), "utf-8")
    for more in ((), ("--check",)):
        refused = wosdk(*command(file, store, "--again", *more))
        assert refused.exit_code == 2
        assert "--again does not go on: the job in " in refused.stderr
        assert "add --continue and no --again; to begin anew all the same, add --abandon" in refused.stderr
    assert "or add --again --abandon to begin a new job" in wosdk(*command(file, store)).stderr
