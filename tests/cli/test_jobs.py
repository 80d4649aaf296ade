"""``wosdk jobs``: imports shown, resumed, settled and undone."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk, table
from tests.cli.importing import MAP, imported, killed
from tests.jobs.maps import CREATED, WORK_ORDER
from wosdk_async.cli.commands.import_ import import_command
from wosdk_async.cli.import_arguments import saved_arguments
from wosdk_async.cli.import_options import OneRun
from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.errors import NoAnswerError
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports import settling
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.sandbox import LocalCompany

REASON = ("--reason", "Entered by mistake")


def states(folder: Path) -> dict[int, State]:
    async def read() -> dict[int, State]:
        async with Journal.open(folder, read_only=True) as journal:
            return {row.row: row.state for row in await journal.rows_in()}

    return asyncio.run(read())


def test_a_job_is_resumed_as_it_was_begun(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another directory, with the map, the store and the marker of the first command."""
    outcomes = tmp_path / "out.jsonl"
    monkeypatch.chdir(tmp_path)
    folder = imported(wosdk, Path(file.name), Path(store.name), "--outcomes", "out.jsonl")
    killed(tmp_path / folder, 3)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    result = wosdk("jobs", "resume", tmp_path / folder, "--json", "--outcomes", outcomes)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["created"] == 14
    assert len(outcomes.read_text().splitlines()) == 15, "row 3 was found by its marker"
    assert set(states(tmp_path / folder).values()) == {State.DONE}
    assert "nothing to send; 14 created before" in wosdk("jobs", "resume", tmp_path / folder).stderr


def add_options(folder: Path, *options: str) -> None:
    """Add options to the command that a job keeps, in its plan and in its last run."""
    with contextlib.closing(sqlite3.connect(folder / "journal.db")) as db:
        plan = json.loads(db.execute("SELECT data FROM plan").fetchone()[0])
        plan["options"]["command"] += options
        number, text = db.execute("SELECT number, details FROM run ORDER BY number DESC").fetchone()
        details = json.loads(text)
        details["given"]["command"] = plan["options"]["command"]
        db.execute("UPDATE plan SET data = ?", (json.dumps(plan),))
        db.execute("UPDATE run SET details = ? WHERE number = ?", (json.dumps(details), number))
        db.commit()


def test_a_journal_names_no_file_that_a_resume_writes(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"before")
    folder = imported(wosdk, file, store)
    killed(folder, 3)
    add_options(folder, f"--outcomes={victim}", "--force")
    result = wosdk("jobs", "resume", folder)
    assert (result.exit_code, victim.read_bytes()) == (0, b"before")
    assert f"--outcomes={victim}" in result.stderr


def test_a_journal_skips_no_question(
    file: Path, served: dict[str, str], wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wosdk("import", file, "--map", MAP).exit_code in (0, 1)
    folder = file.with_name(f"{file.name}.job")
    killed(folder, 3)
    add_options(folder, "--yes")
    monkeypatch.setattr("wosdk_async.cli.runner.is_local", lambda _: False)
    assert wosdk("jobs", "resume", folder).exit_code == 2
    assert State.DONE is not states(folder)[3]


@pytest.mark.parametrize(
    "name", sorted(str(each.name) for each in import_command.params if isinstance(each, OneRun))
)
def test_an_option_that_is_not_kept_is_not_believed(tmp_path: Path, name: str) -> None:
    """However it is written: also one that would take the next argument for its value."""
    option = next(each.opts[0] for each in import_command.params if each.name == name)
    kept = ["--sandbox", "--rate=3", option, f"{option}=1", option[:-1], "--marker", "-v", "--", "x"]
    assert saved_arguments({"command": kept}, tmp_path) == ["--sandbox", "--rate=3"]


def test_a_resume_never_begins_a_new_job(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path, served: dict[str, str]
) -> None:
    folder = imported(wosdk, file, store)
    text = file.read_bytes()
    file.write_bytes(text.replace(b"900001", b"800001"))
    result = wosdk("jobs", "resume", folder)
    assert (result.exit_code, "1 row to send; 13 created before" in result.stderr) == (0, True)
    file.unlink()
    assert "this job's input file is missing" in wosdk("jobs", "resume", folder).stderr
    assert [each.name for each in tmp_path.glob("*.job*")] == [folder.name]
    file.write_bytes(text)
    held = tmp_path / "held.job"
    wosdk("import", file, "--map", MAP, "--sandbox", "--job", held)
    for command in ("resume", "settle", "undo"):
        result = wosdk("jobs", command, held, *(REASON if command == "undo" else ()))
        assert (result.exit_code, "was temporary" in result.stderr) == (2, True)


def test_another_company_is_refused(file: Path, wosdk: Wosdk, served: dict[str, str], tmp_path: Path) -> None:
    assert wosdk("import", file, "--map", MAP).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    plan = json.loads(wosdk("jobs", "show", folder, "--json").stdout)["plan"]
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as db:
        db.execute("UPDATE plan SET data = ?", [json.dumps(plan | {"company": "other (1) at x"})])
    for command in (["resume"], ["settle"], ["undo", *REASON]):
        result = wosdk("jobs", command[0], folder, *command[1:])
        assert (result.exit_code, "Company 'other (1) at x'" in result.stderr) == (2, True)


def test_rows_with_a_marker_are_looked_up_again(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 2, 3)
    result = wosdk("jobs", "settle", folder, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == {"looked_up": 2, "found": 2, "not_there": 0, "in_doubt": 0}
    assert set(states(folder).values()) == {State.DONE}


def unmarked(tmp_path: Path) -> Path:
    """The example's map without a marker."""
    path = tmp_path / "unmarked.toml"
    text = MAP.read_text(encoding="utf-8")
    path.write_text("".join(line for line in text.splitlines(True) if not line.startswith("marker")), "utf-8")
    return path


def test_settle_says_that_no_row_is_in_doubt(file: Path, store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Then it needs no marker."""
    assert wosdk("import", file, "--map", unmarked(tmp_path), "--sandbox", store).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    for decision in ((), ("--all", "not-created")):
        result = wosdk("jobs", "settle", folder, *decision)
        assert (result.exit_code, result.stderr) == (0, "wosdk: no row is in doubt\n")
    found = json.loads(wosdk("jobs", "settle", folder, "--json").stdout)
    assert found == {"looked_up": 0, "found": 0, "not_there": 0, "in_doubt": 0}
    killed(folder, 2, 3)
    assert wosdk("jobs", "settle", folder, "--all", "not-created").exit_code == 0
    assert [states(folder)[row] for row in (2, 3)] == [State.PLANNED] * 2


def test_a_person_decides_rows_without_a_marker(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    assert wosdk("import", file, "--map", unmarked(tmp_path), "--sandbox", store).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    killed(folder, 2, 3)
    assert "the job has no marker" in wosdk("jobs", "settle", folder).stderr
    result = wosdk("jobs", "settle", folder, "--row", "2", "created", "99999")
    assert (result.exit_code, "no WorkOrder has the id 99999" in result.stderr) == (2, True)
    assert states(folder)[2] == State.SENDING
    result = wosdk("jobs", "settle", folder, "--row", "2", "created", "2")
    assert (result.exit_code, states(folder)[2]) == (1, State.DONE)
    assert re.search(r"row 2: created as 2 \(RSC000002.*\)\n", result.stderr), result.stderr
    assert "still in doubt: 1" in result.stderr
    for decision, state in (
        ("not-created", State.PLANNED),
        ("created", State.DONE),
        ("not-created", State.PLANNED),
    ):
        ids = ["3"] if decision == "created" else []
        result = wosdk("jobs", "settle", folder, "--row", "3", decision, *ids)
        assert (result.exit_code, states(folder)[3]) == (0, state)
    shown = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    assert shown["resume"] == "1 row to send; 13 created before"
    assert (
        "row 1 is done, not in doubt" in wosdk("jobs", "settle", folder, "--row", "1", "not-created").stderr
    )
    assert "has no row 99" in wosdk("jobs", "settle", folder, "--row", "99", "not-created").stderr
    for wrong in (
        ["--row", "3"],
        ["created", "5"],
        ["--row", "3", "created"],
        ["--row", "3", "not-created", "5"],
    ):
        assert wosdk("jobs", "settle", folder, *wrong).exit_code == 2
    no_id = wosdk("jobs", "settle", folder, "--row", "3", "created", "abc")
    assert (no_id.exit_code, "'abc' is not a valid whole number" in no_id.stderr) == (2, True)


def test_a_decision_of_a_person_is_kept_and_not_undone(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 2)
    large = wosdk("jobs", "settle", folder, "--row", "2", "created", str(2**63))
    assert (large.exit_code, "is not a valid record id" in large.stderr) == (2, True)
    assert wosdk("jobs", "settle", folder, "--row", "2", "created", "2").exit_code == 0

    async def reason() -> str | None:
        async with Journal.open(folder, read_only=True) as journal:
            return (await journal.rows_in(after=1, limit=1))[0].reason

    assert "decided by " in (asyncio.run(reason()) or "")
    found = json.loads(wosdk("jobs", "undo", folder, *REASON, "--json").stdout)
    assert (found["undone"], found["unsure"], found["left"][0]["row"]) == (13, 1, 2)


def test_a_job_is_found_by_the_new_name_of_its_file(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    """Also when its folder is renamed, before the next import."""
    folder = imported(wosdk, file, store)
    renamed = file.rename(tmp_path / "renamed.csv")
    lost = wosdk("jobs", "resume", folder)
    assert (lost.exit_code, f"--job {folder}" in lost.stderr) == (2, True)
    assert wosdk("jobs", "show", renamed).exit_code == 2
    imported(wosdk, renamed, store, "--job", str(folder))
    for job in (renamed, folder.rename(tmp_path / "renamed.csv.job")):
        assert "if rerun: nothing to send; 14 created before" in wosdk("jobs", "show", job).stdout
    moved = renamed.rename(tmp_path / "moved.csv")
    folder = (tmp_path / "renamed.csv.job").rename(tmp_path / "moved.csv.job")
    result = wosdk("jobs", "resume", folder)
    assert (result.exit_code, f"{folder}: nothing to send" in result.stderr) == (0, True), result.stderr
    assert f"wosdk import {moved} --map" in wosdk("jobs", "show", moved).stdout
    renamed.write_text("unique_key\n", encoding="utf-8")  # another file with the old name
    assert f"wosdk import {moved} --map" in wosdk("jobs", "show", moved).stdout
    assert wosdk("jobs", "show", renamed).exit_code == 2


def test_a_stopped_undo_is_named_by_the_next_import(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    assert wosdk("jobs", "undo", folder, *REASON).exit_code == 0

    async def stop() -> None:
        """Leave the journal as Ctrl-C does after all but one of the records."""
        async with Journal.open(folder) as journal:
            await journal.start_run(command="undo", of_run=1)
            await journal.end_run(130, undo={"undone": 13, "not_started": 1})

    asyncio.run(stop())
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as db:
        db.execute("DELETE FROM undo WHERE row = 14")
    assert "; undo the job again to resume" in wosdk("jobs", "show", folder).stdout
    again = wosdk("import", file, "--map", MAP, "--sandbox", store)
    assert "warning: an undo of this job did not finish" in again.stderr


def test_doubts_without_a_marker_are_settled_together(file: Path, store: Path, wosdk: Wosdk) -> None:
    text = MAP.read_text("utf-8").replace("marker = ", "# marker = ")
    map_file = file.with_name("unmarked.toml")
    map_file.write_text(text, encoding="utf-8")
    assert wosdk("import", file, "--map", map_file, "--sandbox", store).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    killed(folder, 2, 3)
    assert wosdk("import", file, "--map", map_file, "--sandbox", store).exit_code == 1
    shown = wosdk("jobs", "show", folder).stdout
    assert all(part in shown for part in ("to settle: look", f"wosdk jobs settle {folder} --row N created"))
    settled = wosdk("jobs", "settle", folder, "--all", "not-created")
    assert (settled.exit_code, settled.stderr.count("not created")) == (0, 1)
    assert f"2 rows not created; to send: wosdk jobs resume {folder}" in settled.stderr


def test_rejects_and_reports_are_written_again(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    header, *rows = table()
    source = tmp_path / "f.csv"
    with source.open("w", newline="", encoding="utf-8-sig") as opened:
        csv.writer(opened).writerows([header, rows[0], ["too", "few"]])
    assert wosdk("import", source, "--map", MAP, "--sandbox", store).exit_code == 1
    folder = source.with_name(f"{source.name}.job")
    written = (folder / "rejects.csv").read_bytes()
    (folder / "rejects.csv").unlink()
    (folder / "report.html").unlink()
    again = wosdk("jobs", "rejects", folder)
    assert again.exit_code == 0, again.stderr
    assert (folder / "rejects.csv").read_bytes() == written
    assert (folder / "report.html").exists()
    source.unlink()
    (folder / "report.html").unlink()
    (folder / "rejects.csv").unlink()
    incomplete = wosdk("jobs", "rejects", folder)
    assert (incomplete.exit_code, "put it back" in incomplete.stderr) == (2, True)
    shown = json.loads(wosdk("jobs", "show", folder, "--json").stdout)
    assert (shown["failed"], "put it back" in shown["resume"]) == (1, True)
    assert (folder / "report.html").exists()
    (folder / "report.html").unlink()
    assert wosdk("jobs", "report", folder).exit_code == 0
    assert (folder / "report.html").exists()
    assert not (folder / "rejects.csv").exists()


def test_the_dialect_of_the_file_is_kept(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Delimiter and encoding of the first command are those of resume and rejects."""
    header, *rows = table()
    source = tmp_path / "semicolons.csv"
    rows[0][header.index("descriptor")] = "Zufahrt für die Küche"
    with source.open("w", newline="", encoding="cp1252") as opened:
        csv.writer(opened, delimiter=";").writerows([header, rows[0], ["too", "few"]])
    options = ("--delimiter", ";", "--encoding", "cp1252")
    assert wosdk("import", source, "--map", MAP, "--sandbox", store, *options).exit_code == 1
    folder = source.with_name(f"{source.name}.job")
    written = (folder / "rejects.csv").read_bytes()
    (folder / "rejects.csv").unlink()
    assert wosdk("jobs", "rejects", folder).exit_code == 0
    assert (folder / "rejects.csv").read_bytes() == written
    killed(folder, 1)
    result = wosdk("jobs", "resume", folder, "--json")
    assert json.loads(result.stdout)["created"] == 1, result.stderr


def test_an_undo_shows_first_asks_and_undoes_once(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    checked = wosdk("jobs", "undo", folder, "--check")
    assert checked.stdout == "14 to be undone\n"
    assert "14 work orders would be cancelled" in checked.stderr
    missing = wosdk("jobs", "undo", folder)
    assert (checked.exit_code, missing.exit_code) == (2, 2)
    for said in (checked.stderr, missing.stderr):
        assert "--reason is missing; available reasons: " in said
        assert "'Entered by mistake'" in said
    complete = wosdk("jobs", "undo", folder, "--check", *REASON)
    assert (complete.exit_code, complete.stdout) == (0, "14 to be undone\n")
    wrong = wosdk("jobs", "undo", folder, "--reason", "Entered by mistak")
    assert (wrong.exit_code, "did you mean 'Entered by mistake'" in wrong.stderr) == (4, True)
    done = wosdk("jobs", "undo", folder, *REASON)
    assert done.stdout == "14 undone\n"
    assert done.stderr.count("14 work orders") == 1, "said once"
    assert "14 work orders to be cancelled" in done.stderr
    assert wosdk("jobs", "undo", folder, *REASON).stdout == "14 undone (0 now)\n"
    assert json.loads(wosdk("jobs", "list", folder, "--json").stdout)["state"] == "undone"
    with (folder / "results.csv").open(newline="", encoding="utf-8-sig") as results:
        assert {each["outcome"] for each in csv.DictReader(results)} == {"undone"}
    assert json.loads((folder / "report.json").read_bytes())["undo"] == "undone: 14 of 14"
    assert "Undone: 14 of 14" in (folder / "report.html").read_text("utf-8")
    assert "undone: 14 of 14" in wosdk("jobs", "show", folder).stdout
    assert "undone: 14 undone of 14 rows;" in wosdk("jobs", "list", folder).stdout
    assert "14: 14 done (14 of them undone)\n" in wosdk("jobs", "show", folder).stdout
    again = wosdk("import", file, "--map", MAP, "--sandbox", store)
    assert (again.exit_code, ": 0 created, 14 undone" in again.stdout) == (1, True)
    counts = json.loads(wosdk("import", file, "--map", MAP, "--sandbox", store, "--json").stdout)
    assert (counts["rows"], counts["created"], counts["undone"]) == (14, 0, 14)
    said = "nothing to send; 14 undone (--retry-undone resends them)"
    assert said in again.stderr
    assert said in wosdk("jobs", "show", folder).stdout
    resent = wosdk("import", file, "--map", MAP, "--sandbox", store, "--retry-undone", "--if-exists", "skip")
    assert (resent.exit_code, resent.stdout.startswith("14 rows: 14 created")) == (0, True), resent.stderr


def test_an_undo_names_the_outcomes_that_it_does_not_rewrite(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    outcomes = tmp_path / "out.jsonl"
    folder = imported(wosdk, file, store, "--outcomes", outcomes)
    before, said = outcomes.read_bytes(), f"{outcomes} still has the import's outcomes; results.csv has"
    assert said not in wosdk("jobs", "rejects", folder).stderr
    assert said in wosdk("jobs", "undo", folder, *REASON).stderr
    killed(folder, 1)
    assert said in wosdk("jobs", "settle", folder).stderr
    assert outcomes.read_bytes() == before


def test_a_job_is_settled_and_undone_in_the_store_that_is_named(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    """It may have been moved; that of another Company is refused, and none is made."""
    folder = imported(wosdk, file, store)
    killed(folder, 1)
    moved, other = store.rename(tmp_path / "moved.db"), tmp_path / "other.db"
    for command in (["settle"], ["undo", *REASON]):
        missing = wosdk("jobs", *command[:1], folder, *command[1:])
        assert (missing.exit_code, f"{store}: the store" in missing.stderr) == (2, True)
        absent = wosdk("jobs", *command[:1], folder, *command[1:], "--sandbox", store)
        assert (absent.exit_code, store.exists()) == (2, False)
        with LocalCompany(other):
            pass
        wrong = wosdk("jobs", *command[:1], folder, *command[1:], "--sandbox", other)
        assert (wrong.exit_code, "belongs to Company" in wrong.stderr) == (2, True)
        done = wosdk("jobs", *command[:1], folder, *command[1:], "--sandbox", moved)
        assert done.exit_code == (0 if command == ["settle"] else 1), done.stderr
        assert "1 found" in done.stdout if command == ["settle"] else "13 undone" in done.stdout


@pytest.mark.parametrize("method", ["start_run", "begin_undo"])
def test_an_undo_whose_ledger_fails_says_whether_anything_was_sent(
    file: Path, store: Path, wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The disk is full at once, or after five records."""
    folder, real, calls = imported(wosdk, file, store), getattr(Journal, method), 0

    async def failing(self: Journal, *given: Any, **details: Any) -> Any:
        nonlocal calls
        calls += 1
        if method == "start_run" or calls > 5:
            raise JournalError("disk I/O error")
        return await real(self, *given, **details)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, method, failing)
        failed = wosdk("jobs", "undo", folder, *REASON)
    assert (failed.exit_code, "disk I/O error" in failed.stderr) == (2 if method == "start_run" else 1, True)
    assert wosdk("jobs", "undo", folder, *REASON).stdout.startswith("14 undone")


@pytest.mark.parametrize("rows", [[3], list(range(1, 15))], ids=["one in doubt", "all in doubt"])
def test_an_undo_that_only_settles_doubts_writes_the_files(
    file: Path, store: Path, wosdk: Wosdk, rows: list[int]
) -> None:
    """As after a kill: the records are cancelled, and the journal does not know it."""
    folder = imported(wosdk, file, store)
    before = {name: (folder / name).read_bytes() for name in ("results.csv", "report.json")}
    assert wosdk("jobs", "undo", folder, *REASON).exit_code == 0

    async def kill() -> None:
        async with Journal.open(folder) as journal:
            await journal.start_run(command="undo")
            for row in rows:
                await journal.begin_undo(row)

    asyncio.run(kill())
    for name, content in before.items():
        (folder / name).write_bytes(content)
    checked = wosdk("jobs", "undo", folder, "--check")
    assert (checked.exit_code, checked.stdout) == (0, "14 undone\n")
    assert (folder / "results.csv").read_bytes() == before["results.csv"], "a look writes nothing"
    assert "undone in part" in wosdk("jobs", "show", folder).stdout
    imported_again = wosdk("import", file, "--map", MAP, "--sandbox", store)
    assert "warning: an undo of this job did not finish" in imported_again.stderr
    assert imported_again.exit_code == 1
    counts = json.loads(wosdk("import", file, "--map", MAP, "--sandbox", store, "--json").stdout)
    assert [counts.get(each, 0) for each in ("rows", "created", "undone", "undo_in_doubt")] == [
        14,
        0,
        14 - len(rows),
        len(rows),
    ]
    with (folder / "results.csv").open(encoding="utf-8", newline="") as results:
        listed = {
            int(each["row"]): (each["outcome"], bool(each["reason"])) for each in csv.DictReader(results)
        }
    assert {row for row in listed if listed[row] == ("undo_in_doubt", True)} == {*rows}
    assert wosdk("jobs", "undo", folder, *REASON).stdout == "14 undone (0 now)\n"
    imported_again = wosdk("import", file, "--map", MAP, "--sandbox", store)
    assert "did not finish" not in imported_again.stderr
    with (folder / "results.csv").open(encoding="utf-8", newline="") as results:
        assert {each["outcome"] for each in csv.DictReader(results)} == {"undone"}
    report = json.loads((folder / "report.json").read_bytes())
    assert report["undo"] == "undone: 14 of 14"
    assert report["runs"][-1]["exit_status"] == 0


def test_a_settle_that_fails_half_way_writes_the_files(
    file: Path, store: Path, wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = imported(wosdk, file, store, "--marker", "work_order.po_number")
    killed(folder, 3, 4)
    find_records, calls = settling.find_records, iter(range(9))

    async def failing(*args: Any, **options: Any) -> Any:
        if next(calls):
            raise NoAnswerError("no queries today")
        return await find_records(*args, **options)

    monkeypatch.setattr(settling, "find_records", failing)
    monkeypatch.setattr(settling, "_PAGE", 1)
    (folder / "report.json").unlink()
    result = wosdk("jobs", "settle", folder)
    assert (result.exit_code, "no queries today" in result.stderr) == (6, True)
    counts = json.loads((folder / "report.json").read_bytes())["counts"]
    assert counts["created"] == 13, counts


def test_an_undo_beside_rows_in_doubt_is_not_complete(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    killed(folder, 2)
    for _ in range(2):
        result = wosdk("jobs", "undo", folder, *REASON, "--json")
        said = json.loads(result.stdout)
        assert (result.exit_code, said["undone"], said["in_doubt"]) == (1, 13, 1)
        assert [(each["row"], each["outcome"]) for each in said["left"]] == [(2, "in_doubt")]
        assert "1 row in doubt; to undo them, run wosdk jobs settle first" in result.stderr


def test_an_undo_names_the_command_for_rows_without_a_marker(
    file: Path, store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    assert wosdk("import", file, "--map", unmarked(tmp_path), "--sandbox", store).exit_code == 0
    folder = file.with_name(f"{file.name}.job")
    killed(folder, 2)
    command = f"wosdk jobs settle {folder} --row N created ID, or --row N not-created"
    assert command in wosdk("jobs", "undo", folder, "--check").stderr
    refused = wosdk("import", file, "--map", tmp_path / "unmarked.toml", "--sandbox", store, "--again")
    assert (refused.exit_code, command in refused.stderr) == (2, True)


def test_a_look_at_an_undo_shows_the_rows_before_it_needs_the_reasons(
    file: Path, wosdk: Wosdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Company that does not show them is one whose jobs can be looked at, but not undone."""
    with LocalCompany(tmp_path / "served.db") as local:
        for name, value in local.variables.items():
            monkeypatch.setenv(name, value)
        assert wosdk("import", file, "--map", MAP).exit_code == 0
        refused = {"fault": "status", "status": 403, "operation": "query", "every": 3}
        local.faults.load({"rule": [refused]})
        checked = wosdk("jobs", "undo", file, "--check")
    assert (checked.exit_code, checked.stdout) == (3, "14 to be undone\n"), checked.stderr


def test_an_undone_file_is_imported_again(file: Path, wosdk: Wosdk, served: dict[str, str]) -> None:
    """Its keys are those of cancelled orders; one that was opened again is there."""
    assert wosdk("import", file, "--map", MAP).exit_code == 0
    assert wosdk("jobs", "undo", file, *REASON).exit_code == 0
    again = ("import", file, "--map", MAP, "--again")
    assert wosdk(*again, "--check").stdout.startswith("14 rows: 14 would be created\n")
    opened = wosdk("run", "WoReopenCommand", "WorkOrderId=1", "--yes")
    assert opened.exit_code == 0, opened.stderr
    assert wosdk(*again, "--check").stdout.startswith("14 rows: 13 would be created, 1 already existing\n")
    result = wosdk(*again, "--if-exists", "skip")
    assert result.stdout.startswith("14 rows: 13 created, 1 found"), result.stderr


def test_an_undo_says_first_what_nobody_can_check(store: Path, wosdk: Wosdk, tmp_path: Path) -> None:
    """Locations have no version: they are left unless that is asked for. Rows that are left are named."""
    source, import_map = tmp_path / "places.csv", tmp_path / "places.toml"
    source.write_text("name\nNorth\nSouth\n", "utf-8")
    import_map.write_text(
        'operation = "create Location"\n[entity]\nname = "{name}"\ntype_id = "Building"\n', "utf-8"
    )
    assert wosdk("import", source, "--map", import_map, "--sandbox", store).exit_code == 0
    left = wosdk("jobs", "undo", source)
    assert (left.exit_code, left.stdout.startswith("2 not undone, because the record has no version: ")) == (
        1,
        True,
    )
    assert "Location records have no versions, so later changes cannot be detected" in left.stderr
    assert left.stderr.count(", id 20903: not undone, because the record has no version") == 1
    assert ", exit status 1, undo, " in wosdk("jobs", "show", source).stdout
    assert wosdk("jobs", "undo", source, "--unversioned").stdout == "2 undone\n"
    nothing = wosdk("jobs", "undo", source, "--unversioned")
    assert nothing.stdout == "2 undone (0 now)\n"
    assert "have no versions" not in nothing.stderr


def test_an_undo_deletes_what_the_rows_refer_to_if_it_is_asked_to(
    store: Path, wosdk: Wosdk, tmp_path: Path
) -> None:
    """It says how many records stay without the option, and which are used."""
    source, import_map = tmp_path / "rows.csv", tmp_path / "map.toml"
    import_map.write_text(WORK_ORDER + CREATED, "utf-8")
    source.write_text("key,text,notes,customer\n1,a,b,New 1\n2,a,b,New 2\n", "utf-8")
    imported = ("import", source, "--map", import_map, "--sandbox", store)
    assert wosdk(*imported).exit_code == 0
    folder = source.with_name("rows.csv.job")
    source.write_text("key,text,notes,customer\n3,a,b,New 2\n", "utf-8")
    assert wosdk(*imported, "--again", "--yes").exit_code == 0
    plain = wosdk("jobs", "undo", folder, "--check")
    assert "2 created references kept; --references deletes the unused ones" in plain.stderr
    checked = wosdk("jobs", "undo", folder, "--check", "--references")
    assert (
        checked.stdout == "2 to be undone\nreferences: 1 to be undone; 1 not undone, used by other records\n"
    )
    assert "1 created reference would be deleted" in checked.stderr
    assert "id 515 (New 2): not undone" in checked.stderr
    assert "Customer.Id of WorkOrder 3 refers to this record" in checked.stderr
    done = wosdk("jobs", "undo", folder, "--references", *REASON, "--json")
    assert json.loads(done.stdout)["references"] == {"undone": 1, "used": 1}
    assert done.stderr.count("id 515 (New 2): not undone") == 1
    assert "2 work orders to be cancelled, 1 created reference to be deleted for Company" in done.stderr
    assert done.exit_code == 1
    shown = wosdk("jobs", "show", folder).stdout
    assert "undone in part: 2 of 2; references: 1 left (1 used by other records)\n" in shown
    again = wosdk("jobs", "undo", folder, "--references")  # no work order is left that needs a reason
    assert (again.exit_code, again.stdout.splitlines()[0]) == (1, "2 undone (0 now)"), again.stderr
    assert "1 created reference kept; " in wosdk("jobs", "undo", folder, "--check").stderr
    with (folder / "references.csv").open(newline="", encoding="utf-8-sig") as references:
        found = {each["name"]: each["state"] for each in csv.DictReader(references)}
    assert found == {"New 1": "undone", "New 2": "done"}
    assert "Created by this job: 2 records; undone: 1." in (folder / "report.html").read_text("utf-8")
    assert "1 undone for customer" in wosdk("jobs", "show", folder).stdout


def test_an_undo_of_a_distant_company_needs_a_yes(
    file: Path, wosdk: Wosdk, served: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wosdk("import", file, "--map", MAP).exit_code == 0
    monkeypatch.setattr("wosdk_async.cli.runner.is_local", lambda host: False)
    folder = file.with_name(f"{file.name}.job")
    refused = wosdk("jobs", "undo", folder, *REASON)
    assert (refused.exit_code, "stdin is not a terminal" in refused.stderr) == (2, True)
    assert wosdk("jobs", "undo", folder, *REASON, "--yes").stdout == "14 undone\n"


def test_nothing_is_changed_with_read_only(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = imported(wosdk, file, store)
    for command in (["undo", *REASON], ["settle"], ["resume"]):
        result = wosdk("jobs", command[0], folder, *command[1:], "--read-only")
        assert (result.exit_code, "--read-only" in result.stderr) == (2, True)


def test_what_is_no_job_is_refused(file: Path, tmp_path: Path, wosdk: Wosdk) -> None:
    for command in (["show"], ["resume"], ["rejects"], ["report"], ["settle"], ["undo", *REASON]):
        for place in (tmp_path, file, tmp_path / "nothing.job"):
            result = wosdk("jobs", command[0], place, *command[1:])
            assert (result.exit_code, result.stdout) == (2, "")
            assert result.stderr.startswith(f"wosdk: {place}: ")


def test_a_start_that_was_killed_leaves_a_command_to_run_again(file: Path, store: Path, wosdk: Wosdk) -> None:
    folder = file.with_name(f"{file.name}.job")
    folder.mkdir()
    for name in ("lock", "journal.db.part", "journal.db.part-journal"):
        (folder / name).touch()
    for place in (folder, file):
        for command in ("show", "resume"):
            result = wosdk("jobs", command, place)
            assert (result.exit_code, "run the same command again" in result.stderr) == (2, True)
    imported(wosdk, file, store)
    (folder / "journal.db").unlink()  # rows were sent: its lock has the job
    assert "run the same command again" not in wosdk("jobs", "show", folder).stderr


def test_a_long_undo_says_how_far_it_is(
    file: Path, store: Path, wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a line for each row, otherwise one every five seconds."""
    monkeypatch.setitem(RowProgress.__init__.__kwdefaults__, "interval", 0.0)
    folder = imported(wosdk, file, store)
    undone = wosdk("jobs", "undo", folder, *REASON, "--yes")
    assert [f"wosdk: {n} row{'s' * (n > 1)} so far" in undone.stderr for n in (1, 7, 14)] == [True] * 3
