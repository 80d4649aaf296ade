"""Progress where stderr is not a terminal, and what an import says of its rows."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import msgspec
import pytest

from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.cli.output.reporting import OutcomeWriter, print_summary, say_kept
from wosdk_async.jobs import RowOutcome, Summary
from wosdk_async.jobs.errors import ImportMapError, RunStoppedError
from wosdk_async.jobs.journal import RowRecord, State


def test_rows_of_a_known_number(capsys: pytest.CaptureFixture[str]) -> None:
    """An import has a summary of its own, so the end says nothing."""
    with RowProgress(3, interval=0) as progress:
        progress.stage("creating\n2 records")
        progress.add(1)
        progress.add(1, "1 failed")
    assert capsys.readouterr().err == (
        "wosdk: creating 2 records\nwosdk: 1 of 3 rows\nwosdk: 2 of 3 rows, 1 failed\n"
    )


def test_rows_of_an_earlier_run_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(3, done=1, interval=0) as progress:
        progress.add(1)
    assert capsys.readouterr().err == "wosdk: 2 of 3 rows\n"


class Progress(RowProgress):
    """Progress of 1,000 rows, of which 400 ended before, on a clock that is set."""

    def __init__(self, workers: int | None = None, settle: float | None = None) -> None:
        self.now = 20.0
        self.workers = workers
        super().__init__(1000, done=400, clock=lambda: self.now, workers=lambda: self.workers, settle=settle)

    def at(self, second: float, rows: int, *, failed: bool = False) -> None:
        self.now = second
        self.add(rows, failed=failed)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.removeprefix("wosdk: ") for line in capsys.readouterr().err.splitlines()]


def test_a_line_says_how_fast_rows_end(capsys: pytest.CaptureFixture[str]) -> None:
    """The pace is that since an earlier line: rows that end at the start may not have been sent."""
    progress = Progress()
    progress.at(24, 90)
    progress.at(29, 10)
    progress.at(34, 50)
    for second in range(39, 79, 5):  # as much as it is asked for, the pace is that of the last half minute
        progress.at(second, 5)
    first, second, *_, last = lines(capsys)
    assert first == "500 of 1000 rows"
    assert second == "550 of 1000 rows; 10 rows/s, about 0:45 min left"
    assert last == "590 of 1000 rows; 1 rows/s, about 6:50 min left"


def test_rows_that_only_fail_tell_no_pace(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.at(25, 1)
    progress.at(30, 50, failed=True)
    progress.at(35, 9)
    assert lines(capsys) == [
        "401 of 1000 rows",
        "451 of 1000 rows",
        "460 of 1000 rows; 5.9 rows/s, about 1:32 min left",
    ]


def test_the_pace_begins_anew_after_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.at(25, 500)
    progress.stage("rows in doubt: 9; next look-up in 30 s")
    progress.at(55, 1)
    progress.at(60, 10)
    assert lines(capsys)[2:] == ["901 of 1000 rows", "911 of 1000 rows; 2 rows/s, about 0:44 min left"]


def test_workers_are_counted_from_the_first_one_on(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(workers=0)
    for second, workers in ((25, 0), (30, 1), (35, 2), (40, 0)):
        progress.workers = workers
        progress.at(second, 1, failed=True)
    assert lines(capsys) == [
        "401 of 1000 rows",
        "402 of 1000 rows; 1 worker",
        "403 of 1000 rows; 2 workers",
        "404 of 1000 rows; no worker responds",
    ]


def test_a_line_says_how_long_a_row_in_doubt_waits(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(settle=30.0)
    progress.now = 31
    progress.idle()
    (line,) = lines(capsys)
    assert line.endswith("looked up after 30 s)")


def test_a_line_says_that_nothing_happens(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(workers=2)
    for second in range(21, 43):
        progress.now = second
        progress.idle()
    progress.at(43, 1)
    progress.now = 50
    progress.stage("waiting")  # says what it waits for, so nothing else has to
    progress.now = 55
    progress.idle()
    assert lines(capsys) == [
        "400 of 1000 rows; no progress for 10 s, 2 workers",
        "400 of 1000 rows; no progress for 20 s, 2 workers",
        "waiting",
    ]


def test_rows_of_an_unknown_number(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(interval=0) as progress:
        progress.add(1)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "wosdk: 1 row so far"
    assert re.fullmatch(r"wosdk: 1 row in \d+\.\d s", last)


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(1000) as progress:
        for _ in range(1000):
            progress.add(1)
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_unless_wanted_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    with RowProgress(shown=False, interval=0) as progress:
        progress.add(1)
    assert progress.rows == 1
    with pytest.raises(BrokenPipeError), RowProgress() as progress:
        progress.add(1)
        raise BrokenPipeError
    assert capsys.readouterr().err == ""


def outcome(row: int, kind: str) -> RowOutcome:
    details = {"entity": "WorkOrder", "id": row} if kind == "created" else {"reason": f"reason {row}"}
    if kind == "in_doubt":
        details["request_id"] = f"request-{row}"
    return RowOutcome(row=row, line=row + 1, outcome=kind, **details)  # type: ignore[arg-type]


KINDS = ["created", "failed", "in_doubt", *["failed"] * 4, "not_started"]


def test_the_first_bad_rows_and_warnings_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Causes with the first rows of each, those in doubt one by one, and warnings; the rest is counted."""
    file = io.BytesIO()
    writer = OutcomeWriter(file, stop=lambda: pytest.fail("nothing is wrong with the file"))
    warnings = [f"warning {i}" for i in range(7)]
    summary = Summary(rows=8, done=1, failed=5, in_doubt=1, not_started=1, warnings=warnings)
    for row, kind in enumerate(KINDS, 1):
        writer.row(msgspec.structs.replace(outcome(row, kind), warnings=("cut",) if row == 1 else ()))
    assert writer.problems == "5 failed, 1 in doubt, 1 not started"
    assert [json.loads(line)["outcome"] for line in file.getvalue().splitlines()] == KINDS
    writer.say_problems(summary, Path("out.jsonl"))
    assert lines(capsys) == [
        "row 2 (line 3) failed: reason 2",
        "and 4 more rows for the same reason: row 4 (line 5), row 5 (line 6), ...",
        "row 3 (line 4) in doubt: reason 3 (RequestId request-3)",
        *[f"warning: warning {i}" for i in range(5)],
        "and 2 more warnings",
        "row 1 (line 2) warning: cut",
        "1 row with warnings; see out.jsonl",
    ]


def test_of_many_causes_the_first_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    writer = OutcomeWriter(None, stop=lambda: None)
    for row in range(1, 9):
        writer.row(msgspec.structs.replace(outcome(row, "failed"), reason=f"cause {'abcdefgh'[row - 1]}"))
    writer.say_problems(Summary(rows=8, failed=8), Path("out.jsonl"))
    named = [f"row {row} (line {row + 1}) failed: cause {'abcdefgh'[row - 1]}" for row in range(1, 6)]
    assert lines(capsys) == [*named, "and 3 more rows; see out.jsonl"]


def test_the_first_rows_with_each_warning_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    writer = OutcomeWriter(None, stop=lambda: None)
    for row, texts in enumerate(
        [["cut to 60", "cut to 64", "a"], ["cut to 9"], ["b"], ["c"], ["d"], *[["b"]] * 4], 1
    ):
        writer.row(msgspec.structs.replace(outcome(row, "created"), warnings=tuple(texts)))
    writer.say_problems(Summary(rows=9, done=9), None)
    assert lines(capsys) == [
        "row 1 (line 2) warning: cut to 64",
        "and 1 more row for the same reason: row 2 (line 3)",
        "row 1 (line 2) warning: a",
        "row 3 (line 4) warning: b",
        "and 4 more rows for the same reason: row 6 (line 7), row 7 (line 8), ...",
        "9 rows with warnings; --outcomes FILE records all of them",
    ]


def test_what_was_said_before_is_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    """A warning that came during the import."""
    writer = OutcomeWriter(None, stop=lambda: None)
    writer.row(outcome(1, "failed"))
    writer.note_printed("warning: there is no marker")
    assert writer.problems == "1 failed"
    writer.say_problems(Summary(rows=9, warnings=["there is no marker", "a worker is lost"]), None)
    assert lines(capsys) == ["row 1 (line 2) failed: reason 1", "warning: a worker is lost"]


def test_a_good_import_says_nothing_but_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    writer = OutcomeWriter(None, stop=lambda: None)
    writer.row(outcome(1, "created"))
    summary = Summary(rows=1, done=1, done_now=1, seconds=0.5, references_found=2)
    writer.say_problems(summary, None)
    print_summary(summary, as_json=False)
    shown = capsys.readouterr()
    assert (writer.problems, shown.err) == ("", "")
    assert shown.out == (
        "1 row: 1 created, 0 failed, 0 in doubt\n0.5 s, 2 rows/s; references: 2 found, 0 created\n"
    )


def test_files_that_somebody_changed_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    say_kept([Path("a.job/results.csv"), Path("a.job/rejects-2.csv")])
    assert capsys.readouterr().err == (
        "wosdk: a.job/rejects.csv has been edited and was kept; the new file is rejects-2.csv\n"
    )


@pytest.mark.parametrize("changed", [True, False], ids=["file changed", "stopped"])
def test_the_same_command_sends_nothing_of_a_file_that_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, changed: bool
) -> None:
    """It has to be restored first."""
    stopped = ImportMapError("f.csv: the file changed") if changed else RunStoppedError("enough")
    summary = Summary(rows=3, done=1, not_started=2, stopped=stopped, folder=tmp_path)
    OutcomeWriter(None, lambda: None).say_problems(summary, None)
    remedy = "restore the file, then run the same command" if changed else "run the same command"
    assert lines(capsys)[-1] == f"to send the remaining 2 rows, {remedy}"


def test_what_the_journal_lacks_is_explained_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line has the id of a record that exists."""
    unwritten = [RowRecord(row, State.DONE, 900 + row) for row in (1, 2)]
    OutcomeWriter(None, lambda: None).say_problems(Summary(rows=2, in_doubt=2, unwritten=unwritten), None)
    first, *rest = lines(capsys)
    assert first.startswith("2 outcomes could not be written to the journal; ")
    assert [json.loads(each.removeprefix("not in the journal: "))["id"] for each in rest] == [901, 902]


def test_a_row_that_could_not_be_sent_is_named_and_others_that_never_started_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    writer = OutcomeWriter(None, lambda: None)
    writer.row(RowOutcome(1, 2, "not_started", reason="throttled", code="ThrottledError"))
    writer.row(RowOutcome(2, 3, "not_started", reason="the import stopped before this row"))
    writer.say_problems(Summary(rows=2, not_started=2, waiting=1), None)
    assert lines(capsys) == ["row 1 (line 2) not started: throttled"]
