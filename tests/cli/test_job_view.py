"""``wosdk jobs list`` and ``show``, and what the same command says of a finished job."""

from __future__ import annotations

import asyncio
import csv
import json
import shlex
from pathlib import Path

import attrs
import pytest

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP, imported, killed
from wosdk_async.jobs.journal import FolderLock, JobPlan, Journal, RowEntry


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


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


def test_a_list_of_jobs_overwrites_no_input(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    imported(wosdk, file, store)
    before = file.read_bytes()
    for place in (tmp_path, file):
        result = wosdk("jobs", "list", place, "-o", file)
        assert (result.exit_code, "would overwrite" in result.stderr) == (2, True)
    assert file.read_bytes() == before
    assert wosdk("jobs", "list", tmp_path, "-o", tmp_path / "jobs.csv").exit_code == 0


def test_a_look_leaves_no_file(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    before = {each.name for each in folder.iterdir()}
    for command in ("list", "show"):
        assert wosdk("jobs", command, folder).exit_code == 0
        assert {each.name for each in folder.iterdir()} == before


def test_the_newest_job_is_the_first(tmp_path: Path, wosdk: Wosdk) -> None:
    """And no name is cut, so that it can be copied."""
    plan = JobPlan(
        job="j",
        file="/f.csv",
        size=1,
        sha256="s",
        company="c",
        operation="create Customer",
        map_sha256="m",
        created_at="",
    )
    folders = [tmp_path / f"{'x' * 90}-{year}.job" for year in (2025, 2026, 2024)]
    for folder in folders:
        folder.mkdir()
        begun = attrs.evolve(plan, created_at=f"{folder.stem[-4:]}-01-01T00:00:00+00:00")
        asyncio.run(Journal.create(folder, begun, [RowEntry(1, 2, 0)]).close())
    assert wosdk("jobs", "list", tmp_path).stdout.splitlines()[::2] == [
        str(folders[1]),
        str(folders[0]),
        str(folders[2]),
    ]
    assert "  not begun: 1 not started of 1 row; begun 2026-01-01 00:00:00 UTC; create Customer, c\n" in (
        wosdk("jobs", "list", tmp_path).stdout
    )


def test_rejects_that_are_fed_back_belong_to_their_job(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Both know each other; the job itself is not lost below the first one."""
    header, *rows = table()
    source = tmp_path / "f.csv"
    rows[1][0] = ""
    with source.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows[:2]])
    folder = imported(wosdk, source, store)
    rejects = folder / "rejects.csv"
    rejects.write_text(rejects.read_text("utf-8").replace("\n,", "\n900002,"), "utf-8")
    again = imported(wosdk, rejects, store)
    listed = {
        each["folder"]: each
        for each in map(json.loads, wosdk("jobs", "list", tmp_path, "--json").stdout.splitlines())
    }
    assert {name: (each["done"], each["rejects_of"]) for name, each in listed.items()} == {
        str(folder): (1, None),
        str(again): (1, str(folder)),
    }
    assert f"{again} (the rejects of {folder})\n" in wosdk("jobs", "list", tmp_path).stdout
    shown = wosdk("jobs", "show", folder).stdout
    assert f"rejects    {again} is finished: 1 done of 1 row\n" in shown
    assert "records    1 created for customer\n" in shown
    said = wosdk("import", source, "--map", MAP, "--sandbox", store).stderr
    assert f"its rejects were imported by the job in {again}, finished: 1 done of 1 row\n" in said
    show = wosdk("jobs", "show", folder).stdout
    for text in (said, show):
        assert "--retry refused" not in text, "it could create again what that job created"
    assert f"rows of    the rejects of the job in {folder}\n" in wosdk("jobs", "show", again).stdout
    (again / "journal.db").write_bytes(b"x" * 5000)
    for command in (("jobs", "show", folder), ("import", source, "--map", MAP, "--sandbox", store)):
        result = wosdk(*command)
        assert (result.exit_code in (0, 1), f"{again}/journal.db: " in result.stderr) == (True, True)
        assert "the rows again that failed" not in result.stderr


def test_a_job_that_another_one_continues_is_not_unfinished(file: Path, store: Path, wosdk: Wosdk) -> None:
    """The next job of its file goes on, if --continue began it; one that began anew leaves it as it is."""
    folder = imported(wosdk, file, store)
    killed(folder, 3)
    text = file.read_text("utf-8")
    for number, (options, state) in enumerate(
        ((("--again", "--abandon"), "unfinished"), (("--continue",), "continued")), 2
    ):
        file.write_text(f"{text}{',' * number}\n", "utf-8")
        later = folder.with_name(f"{folder.name}-{number}")
        imported(wosdk, file, store, *options, "--if-exists", "skip")
        killed(later, 4)
        before = folder if number == 2 else folder.with_name(f"{folder.name}-2")
        listed = [json.loads(line) for line in wosdk("jobs", "list", file, "--json").stdout.splitlines()]
        found = {each["folder"]: (each["state"], each["continued_by"]) for each in listed}
        assert found[str(before)] == (state, str(later) if state == "continued" else None)
        assert found[str(later)] == ("unfinished", None)
    assert f"  continued by {later}: " in wosdk("jobs", "list", file).stdout
    shown = wosdk("jobs", "show", before).stdout
    assert f"state      continued by {later}\n" in shown
    assert f"  go on with the job in {later}, which took the rows over by their keys\n" in shown


def test_rejects_of_rejects_are_followed(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Nothing is offered again that a job below has done, and an undo names the jobs that it leaves."""
    header, *rows = table()
    source = tmp_path / "f.csv"
    rows[1][0] = rows[2][0] = ""
    with source.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows[:3]])
    folders = [imported(wosdk, source, store)]
    for number in ("900002", "900003"):
        rejects = folders[-1] / "rejects.csv"
        rejects.write_text(rejects.read_text("utf-8").replace("\n,", f"\n{number},", 1), "utf-8")
        command = wosdk("import", source, "--map", MAP, "--sandbox", store).stderr
        assert f"mend {rejects} and give: wosdk import {rejects} --map={MAP}" in command
        folders.append(imported(wosdk, rejects, store))
    first, second, third = folders
    said = wosdk("import", source, "--map", MAP, "--sandbox", store).stderr
    assert f"its rejects were imported by the job in {second}, finished: 1 done, 1 failed of 2 rows" in said
    assert f"the rejects of {second} were imported by the job in {third}, finished: 1 done of 1 row" in said
    shown = wosdk("jobs", "show", first).stdout
    assert f"rejects    {second} is finished: 1 done, 1 failed of 2 rows\n" in shown
    assert f"rejects    {third} is finished: 1 done of 1 row\n" in shown
    for text in (said, shown, wosdk("jobs", "show", second).stdout):
        assert ("--retry refused" in text, "mend " in text) == (False, False)
    written = wosdk("import", source, "--map", MAP, "--sandbox", store, "--retry", "refused").stderr
    assert f"they were imported by the job in {second}; import them no more, but its rejects" in written
    assert "once they are corrected" not in written
    report = (first / "report.html").read_text("utf-8")
    assert f"They were imported by the job in <code>{second}</code>" in report
    assert "import that file as it stands" not in report
    checked = wosdk("jobs", "undo", first, "--check")
    for folder in (second, third):
        assert f"not undone with it: 1 row done by the job in {folder}, of rejects" in checked.stdout
    undone = wosdk("jobs", "undo", first, "--reason", "Entered by mistake", "--json")
    assert f"not undone with it: 1 row done by the job in {second}, of rejects" in undone.stderr
    assert json.loads(undone.stdout)["jobs_of_rejects"] == [
        {"folder": str(each), "done": 1} for each in (second, third)
    ]
    assert wosdk("jobs", "undo", second, "--reason", "Entered by mistake").exit_code == 0
    left = json.loads(wosdk("jobs", "undo", first, "--check", "--json").stdout)["jobs_of_rejects"]
    assert left == [{"folder": str(third), "done": 1}]


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
    folder = imported(wosdk, source, store, *options)
    rejects = folder / "rejects.csv"
    rejects.write_text(rejects.read_text("cp1252").replace("\n;", "\n900002;"), "cp1252")
    said = wosdk("import", source, "--map", MAP, "--sandbox", store, *options).stderr
    (command,) = (line.partition(" and give: ")[2] for line in said.splitlines() if " and give: " in line)
    assert command.replace("'", "&#x27;") in (folder / "report.html").read_text("utf-8")
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
    assert shlex.join(given).replace("'", "&#x27;") in (folder / "report.html").read_text("utf-8")
    (run,) = json.loads(wosdk("jobs", "show", folder, "--json").stdout)["runs"]
    assert run["details"]["options"] == {}
    assert "is finished" in wosdk(*given[1:]).stderr
    assert not any(each.startswith("--job") for each in given)
    elsewhere = tmp_path / "other place"
    folder.rename(elsewhere)
    command = json.loads(wosdk("jobs", "show", elsewhere, "--json").stdout)["command"]
    assert f"the job in {elsewhere} is finished" in wosdk(*shlex.split(command)[1:]).stderr


def test_a_finished_job_says_what_can_be_done(file: Path, store: Path, wosdk: Wosdk) -> None:
    """Its counts and folder, and the commands for what is left; no rows that it does not name."""
    text = file.read_text("utf-8")
    file.write_text(text + text.splitlines()[-1].rpartition(",")[0] + "\n", "utf-8")
    command = ("import", file, "--map", MAP, "--sandbox", store)
    assert wosdk(*command).exit_code == 1
    folder = file.with_name(f"{file.name}.job")
    again = wosdk(*command)
    assert again.stdout == "15 rows: 14 created, 1 failed, 0 in doubt\n", (
        "it did nothing: no figures of a run"
    )
    assert again.stderr.splitlines() == [
        f"wosdk: the job in {folder} is finished (14 of 15 rows created, 1 failed): nothing is sent",
        "wosdk: to import the file again, as a new job: --again",
        "wosdk: to send the rows again that failed: "
        "--retry refused after you mended the map, or --continue after you mended the file, "
        f"or mend {folder}/rejects.csv and give: "
        f"wosdk import {folder}/rejects.csv --map={MAP} --sandbox={store}",
        f"wosdk: to write the report again: wosdk jobs report {folder}",
    ]


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
    assert "rows       14: 12 done, 2 under way when the run ended\n" in text
    assert "\nunder way when the run ended, 2:\n  row 3 (line 4) 900003\n" in text
    assert "  look up 2 rows under way when the run ended, by work_order.po_number, first; those" in text
    assert "  unfinished: 12 done, 2 under way when the run ended of 14 rows; " in listed
    assert "in doubt" not in text + listed, "nobody has looked for them yet"
    assert shown["plan"]["marker"] == "work_order.po_number"
    assert [run["exit_status"] for run in shown["runs"]] == [0]
    lock = FolderLock(folder)
    try:
        text = wosdk("jobs", "show", file).stdout
        assert "state      running (process " in text
        assert "rows       14: 12 done, 2 sending\n" in text
        assert "\nsending" not in text
        assert "be refused while another process works on the job" in text
        assert wosdk("jobs", "rejects", folder).exit_code == 2
    finally:
        lock.release()


def test_rows_that_failed_in_an_earlier_run_are_not_more_rows(file: Path, store: Path, wosdk: Wosdk) -> None:
    text = file.read_text("utf-8")
    cut = text.splitlines()[-1].rpartition(",")[0]
    file.write_text(text + f"{cut}\n" * 7, "utf-8")
    command = ("import", file, "--map", MAP, "--sandbox", store)
    assert "and 2 more rows; see" in wosdk(*command).stderr
    killed(file.with_name(f"{file.name}.job"), 3)
    again = wosdk(*command)
    assert "14 created, 7 failed" in again.stdout
    assert "more row" not in again.stderr


def test_a_signal_and_a_rate_are_shown_as_they_were_given(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store, "--rate", "400")

    async def stop() -> None:
        for status in (130, 143):
            async with Journal.open(folder) as journal:
                await journal.start_run()
                await journal.end_run(status, stopped="it was asked to stop")

    asyncio.run(stop())
    shown = wosdk("jobs", "show", folder).stdout
    assert "--rate=400" in shown.split()
    assert wosdk("jobs", "report", folder).exit_code == 0
    page = (folder / "report.html").read_text("utf-8")
    for signal in ("Ctrl-C", "SIGTERM"):
        assert f"stopped: it was asked to stop ({signal})" in shown
        assert f"stopped: it was asked to stop ({signal})" in page
