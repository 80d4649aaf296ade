"""Rejects of a job are rows of its ledger."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.ledger.imports import LONG, corrected, refusal, undo
from tests.jobs.maps import KEYED, MAP, MARKER, rows
from tests.jobs.runs import carried_out, held, killed_while_sending
from tests.jobs.test_check import checked
from tests.support.laws import case
from wosdk_async.jobs import CsvFile, Summary
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.imports.check_result import Finding
from wosdk_async.jobs.ledger.terms import Plan
from wosdk_async.jobs.sources.json_lines import JsonLines
from wosdk_async.jobs.sources.rows import types_text
from wosdk_async.jobs.sources.source import REPORT_COLUMNS
from wosdk_async.text.remedies import Remedy


def lines_of(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_lines(path: Path, columns: Sequence[str], lines: Sequence[dict[str, Any]]) -> Path:
    """Write a CSV file with some columns of lines."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    return path


def as_json_lines(rejects: Path, copy: Path, *without: str, lines: tuple[int, ...] = ()) -> Path:
    """Return a copy of rejects as JSON lines, of which some lines (all unless given) lack fields."""
    records: list[dict[str, Any]] = lines_of(rejects)
    for number, each in enumerate(records, 1):
        each["_row"] = int(each["_row"])
        for name in without if number in (lines or (number,)) else ():
            del each[name]
    copy.write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf-8")
    return copy


def with_text(rejects: Path, copy: Path, text: str) -> Path:
    """Return a copy of rejects with another text instead of ``short``."""
    copy.write_text(rejects.read_text("utf-8").replace("short", text), "utf-8")
    return copy


@pytest.mark.parametrize("place", ["its place", "a copy", "JSON lines", "elsewhere with the folder"])
@pytest.mark.parametrize("options", [{}, {"marker": MARKER}], ids=["cells", "key"])
async def test_rejects_are_rows_of_their_ledger(
    local: Local, tmp_path: Path, place: str, options: dict[str, Any]
) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2)])
    folder = (await local.run(source, MAP, **options)).folder
    rejects = corrected(folder, LONG, "short")
    if place == "a copy":
        rejects = Path(shutil.copy(rejects, tmp_path / "fixed.csv"))
    elif place == "JSON lines":
        rejects = as_json_lines(rejects, tmp_path / "fixed.jsonl")
    elif place != "its place":
        (tmp_path / "deep" / "er").mkdir(parents=True)
        rejects = Path(shutil.copy(rejects, tmp_path / "deep" / "er" / "fixed.csv"))
        options = {**options, "folder": folder}
    for now in (1, 0):
        summary = await local.run(rejects, MAP, **options)
        assert (summary.folder, summary.rows, summary.done_now) == (folder, 1, now)
    assert await held(local) == Counter("12")
    for text in (LONG, "short"):  # as it was, and corrected there as well
        source = local.write([["1", text, "", ""], *rows(2)])
        assert (await local.run(source, MAP, **options)).done_now == 0
    assert await held(local) == Counter("12")


async def test_rejects_of_a_job_that_was_copied_need_the_name_of_a_folder(
    local: Local, tmp_path: Path
) -> None:
    """Only one of the two would know that the row was sent."""
    source = local.write([["1", LONG, "", ""], *rows(2)])
    folder = (await local.run(source, MAP)).folder
    rejects = Path(shutil.copy(corrected(folder, LONG, "short"), tmp_path / "fixed.csv"))
    shutil.copytree(folder, folder.with_name(f"copy-{folder.name}"))
    with pytest.raises(JournalError):
        await local.run(rejects, MAP)
    assert await held(local) == Counter("2")
    assert (await local.run(rejects, MAP, folder=folder)).done_now == 1


async def test_another_file_in_the_folder_of_a_job_is_what_the_job_wrote(local: Local) -> None:
    """Only the copy of its input is not."""
    source = local.write(rows(1))
    folder = (await local.run(source, MAP)).folder
    for name in ("results.csv", "runs/1/results.csv", "input.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        ready = local.job(Path(shutil.copy(source, folder / name)), MAP, folder=folder)
        if name == "input.csv":
            assert (await ready.run(local.company)).done_now == 0
        else:
            found = await refusal(ready, local)
            assert (found.why, found.problem, found.line) == ("rejects", "job_file", 1)


async def test_rows_in_doubt_are_no_file_to_import(local: Local) -> None:
    """Their columns begin with ``_``, as those of rejects do."""
    source = local.write(rows(1, 2))
    folder = await killed_while_sending(local.job(source, MAP), local, [1])
    await local.run(source, MAP)
    found = await refusal(local.job(folder / "in_doubt.csv", MAP), local)
    assert (found.why, found.problem) == ("rejects", "job_file")
    found = await refusal(local.job(Path(shutil.copy(folder / "in_doubt.csv", local.folder)), MAP), local)
    assert (found.why, found.problem) == ("rejects", "missing_job")


async def test_a_reject_that_is_done_meanwhile_is_skipped(local: Local) -> None:
    """It was corrected in the file as well."""
    source = local.write([["1", LONG, "", ""], *rows(2)])
    rejects = corrected((await local.run(source, MAP, marker=MARKER)).folder, LONG, "short")
    await local.run(rows(1, 2), MAP, marker=MARKER)
    summary = await local.run(rejects, MAP, marker=MARKER)
    assert (summary.created, summary.done_now) == (1, 0)
    assert await held(local) == Counter("12")


async def test_without_keys_a_reject_that_was_corrected_in_the_file_too_is_refused(local: Local) -> None:
    """Its cells are those of a row that was sent meanwhile; equal rows of one file are rows of their own."""
    source = local.write([["1", LONG, "", ""], ["1", LONG, "", ""], *rows(2)])
    rejects = corrected((await local.run(source, MAP)).folder, LONG, "short")
    copy = Path(shutil.copy(rejects, rejects.with_name("copy.csv")))
    assert (await local.run(rejects, MAP)).done_now == 2
    assert (await local.run(copy, MAP)).done_now == 0
    assert await held(local) == Counter("112")
    source = local.write([["3", LONG, "", ""], *rows(4)])
    rejects = corrected((await local.run(source, MAP, again=True)).folder, LONG, "short")
    await local.run([["3", "short", "", ""], *rows(4)], MAP)
    for _ in range(2):
        summary = await local.run(rejects, MAP)
        assert (summary.done_now, summary.failed) == (0, 1)
        assert "has the same cells" in (summary.folder / "results.csv").read_text("utf-8")
    assert await held(local) == Counter("11234")


async def test_without_keys_a_reject_that_the_file_replaced_needs_new_rows(
    local: Local, tmp_path: Path
) -> None:
    """A new row of the file may be the same one, corrected in another way."""
    source = local.write([*rows(1), ["2", LONG, "", ""]])
    folder = (await local.run(source, MAP)).folder
    old = Path(shutil.copy(corrected(folder, LONG, "short"), tmp_path / "old.csv"))
    await local.run(rows(1), MAP)  # the row is gone, and nothing came in its place
    assert isinstance((await checked(local, old, MAP)).decision, Plan)
    await local.run([*rows(1), ["2", "text", "", ""]], MAP)
    assert (await local.run(with_text(old, tmp_path / "equal.csv", "text"), MAP)).failed == 1
    found = await refusal(local.job(old, MAP), local)
    assert (found.problem, found.line, found.remedies) == ("replaced", 2, (Remedy.SAME_ROWS,))
    assert (await local.run(old, MAP, new_rows=True)).done_now == 1
    assert await held(local) == Counter("122")


async def test_a_row_that_is_undone_may_have_replaced_a_reject_too(local: Local, tmp_path: Path) -> None:
    """It may be retried."""
    folder = (await local.run(local.write([["2", LONG, "", ""]]), MAP)).folder
    old = Path(shutil.copy(corrected(folder, LONG, "short"), tmp_path / "old.csv"))
    await local.run([["2", "text", "", ""]], MAP)
    await undo(local, folder)
    assert (await refusal(local.job(old, MAP), local)).problem == "replaced"


async def test_rejects_that_do_not_name_their_rows_are_refused(local: Local) -> None:
    source = local.write([["1", LONG, "", ""], ["2", LONG, "", ""], *rows(3)])
    rejects = corrected((await local.run(source, MAP)).folder, LONG, "short")
    first, second = lines_of(rejects)
    unknown = "zyxw2345"  # no test has a ledger of this name
    for problem, lines in {
        "missing_job": [first, second | {"_job": ""}],
        "mixed_jobs": [first, second | {"_job": unknown}],
        "missing_row": [first, second | {"_row": ""}],
        "row_twice": [first, second | {"_row": "1"}],
        "unknown_row": [first, second | {"_row": "99"}],
        "no_ledger": [first | {"_job": unknown}, second | {"_job": unknown}],
    }.items():
        with case(problem):
            found = await refusal(local.job(write_lines(rejects, [*first], lines), MAP), local)
            assert (found.why, found.problem) == ("rejects", problem)


@pytest.mark.parametrize("text", [MAP, KEYED], ids=["cells", "key"])
async def test_rejects_whose_row_numbers_are_exchanged_after_one_was_sent_are_refused(
    local: Local, text: str
) -> None:
    """Each row would take the place of the other: one would be sent twice, and one never."""
    source = local.write([["1", "fine", "", ""], ["2", LONG, "", ""], ["3", LONG, "", ""]])
    stopped = await local.run(source, text)
    rejects = stopped.folder / "rejects.csv"
    second, third = lines_of(rejects)
    copy = write_lines(rejects.with_name("copy.csv"), list(second), [second | {"text": "short"}, third])
    assert (await local.run(copy, text)).done_now == 1
    third |= {"text": "short"}
    swapped = [second | {"text": "short", "_row": third["_row"]}, third | {"_row": second["_row"]}]
    write_lines(copy, list(second), swapped)
    assert (await refusal(local.job(copy, text), local)).problem == "other_row"
    write_lines(copy, list(second), [third])
    assert (await local.run(copy, text)).complete
    assert await held(local) == Counter("123")


async def test_no_ledger_begins_with_rejects(local: Local) -> None:
    folder = (await local.run([["1", LONG, "", ""], *rows(2)], MAP)).folder
    found = await refusal(local.job(corrected(folder, LONG, "short"), MAP, again=True), local)
    assert (found.why, found.problem) == ("rejects", "again")


async def test_rejects_stay_in_their_place_after_the_run_of_a_copy_was_killed(local: Local) -> None:
    """Nothing is sent, and its files are written after those of the first run are moved."""
    folder = (await local.run(rows(1, 1), MAP, marker=MARKER)).folder
    rejects = folder / "rejects.csv"
    copy = shutil.copy(rejects, folder.with_name("copy.csv"))
    await killed_while_sending(local.job(Path(copy), MAP, marker=MARKER), local, [])
    summary = await local.run(rejects, MAP, marker=MARKER)
    assert (summary.failed, summary.files_failed) == (1, None)
    assert rejects.exists()


async def test_rejects_that_are_in_doubt_now_are_read_before_they_are_removed(local: Local) -> None:
    """The run of a corrected copy was killed; the uncorrected rejects in their place are the same rows."""
    folder = (await local.run([["1", LONG, "", ""], *rows(2)], KEYED)).folder
    rejects = folder / "rejects.csv"
    copy = folder.with_name("copy.csv")
    copy.write_text(rejects.read_text("utf-8").replace(LONG, "short"), "utf-8")
    await killed_while_sending(local.job(copy, KEYED), local, [1])
    summary = await local.run(rejects, KEYED)
    assert (summary.in_doubt, summary.files_failed) == (1, None)
    assert [each["_key"] for each in lines_of(folder / "in_doubt.csv")] == ["1"]


async def test_edited_rejects_stay_as_they_are(local: Local) -> None:
    """Also when the next night's file has no rejects, or others."""
    folder = (await local.run([["1", LONG, "", ""], *rows(2)], MAP, marker=MARKER)).folder
    rejects = corrected(folder, LONG, "short")
    edited = rejects.read_bytes()
    for more in (rows(3), [["4", LONG, "", ""]]):
        await local.run([["1", LONG, "", ""], *rows(2), *more], MAP, marker=MARKER)
        assert rejects.read_bytes() == edited
    assert rejects.with_name("rejects-2.csv").exists()


HEADS = pytest.mark.parametrize("head", [f'marker = "{MARKER}"\n{MAP}', KEYED], ids=["marker", "key"])


@HEADS
@pytest.mark.parametrize("other", ["B", "C"], ids=["of another row", "of no row"])
async def test_a_reject_that_is_done_takes_no_other_key(
    local: Local, tmp_path: Path, head: str, other: str
) -> None:
    """A later row with that key is no copy of it, and a key that a spreadsheet made of its own is noticed."""
    folder = (await local.run([["A", LONG, "", ""], *rows("B")], head)).folder
    stale = Path(shutil.copy(corrected(folder, LONG, "text"), tmp_path / "rejects.csv"))
    assert (await local.run(stale, head)).done_now == 1
    summary = await local.run(corrected(tmp_path, "A,text", f"{other},text"), head)
    assert (summary.done_now, summary.changed) == (0, 1)
    assert (await refusal(local.job(rows("a", "B"), head), local)).why == "key_disguised"
    later = local.write([*rows("B"), [other, "another text", "", ""]])
    summary = await local.run(later, head)
    assert (summary.done_now, summary.failed) == ((0, 1) if other == "B" else (1, 0))
    assert await held(local) == Counter(dict.fromkeys(["A", "B", other], 1))


@HEADS
@pytest.mark.parametrize("alone", [False, True], ids=["both", "first alone"])
async def test_a_row_keeps_the_key_with_which_its_reject_was_sent(
    local: Local, head: str, alone: bool
) -> None:
    """Although a later file has its first key, too, which differs in case only, and both rows are edited."""
    folder = (await local.run([["A", LONG, "", ""]], head)).folder
    rejects = corrected(folder, f"A,{LONG}", "a,text")
    found = await refusal(local.job(rejects, head), local)
    assert (found.why, found.rows, found.resembling[0][0].name) == ("key_disguised", 1, "a")
    assert (await local.run(rejects, head, new_rows=True)).done_now == 1
    if alone:
        assert (await local.run(rows("A"), head)).done_now == 0
    both = local.write([["A", "new", "", ""], ["a", "edited", "", ""]])
    for now in (1, 0):
        summary = await local.run(both, head)
        assert (summary.done, summary.done_now, summary.failed) == (2, now, 0)
    assert await held(local) == Counter("aA")


@HEADS
async def test_a_key_that_a_reject_had_hides_no_new_row(local: Local, head: str) -> None:
    """The row that had it stays done; one with other cells is perhaps new, and says so in every run."""
    table = [["A", LONG, "", ""], *rows("B")]
    folder = (await local.run(table, head)).folder
    assert (await local.run(corrected(folder, f"A,{LONG}", "Z,text"), head)).done_now == 1
    summary = await local.run(table, head)
    assert (summary.done, summary.done_now, summary.failed) == (2, 0, 0)
    for _ in range(2):
        summary = await local.run(rows("A", "B", "C"), head)
        assert (summary.done, summary.failed) == (2, 1)
    assert await held(local) == Counter("ZBC")


@HEADS
async def test_rejects_that_exchange_keys_are_refused_and_the_corrected_file_is_not(
    local: Local, head: str
) -> None:
    """The import and its check do not say that a key belongs to a row which has another one now."""
    table = [["A", LONG, "", ""], *rows("B"), ["C", LONG, "", ""]]
    rejects = corrected((await local.run(table, head)).folder, LONG, "text")
    rejects = corrected(rejects.parent, "A,text", "-,text")
    rejects = corrected(corrected(rejects.parent, "C,text", "A,text").parent, "-,text", "C,text")
    findings: list[Finding] = []
    await checked(local, rejects, head, on_row=findings.append)
    _, outcomes = await carried_out(local.job(rejects, head), local)
    reasons = [outcomes[row].reason or "" for row in (1, 3)]
    for reason in (*reasons, *(each.reason or "" for each in findings if each.kind == "refused")):
        assert "belongs" not in reason
        assert "correct the original file" in reason
    assert ("row 3" in reasons[0], "row 1" in reasons[1], len(findings)) == (True, True, 2)
    summary = await local.run([["C", "text", "", ""], *rows("B"), ["A", "text", "", ""]], head)
    assert (summary.done, summary.done_now) == (3, 2)
    assert await held(local) == Counter("ABC")


async def test_a_reject_in_doubt_is_corrected_beside_its_duplicate(local: Local) -> None:
    """The duplicate has the cells that the reject was sent with, and had them before."""
    source = local.write([["1", LONG, "", ""], ["1", LONG, "", ""]])
    stopped = await local.run(source, MAP, marker=MARKER)
    await killed_while_sending(local.job(source, MAP, marker=MARKER, retry_refused=True), local, [1])
    first, second = lines_of(stopped.folder / "rejects.csv")
    copy = write_lines(stopped.folder / "copy.csv", list(first), [first | {"text": "short"}, second])
    summary = await local.run(copy, MAP, marker=MARKER)
    assert (summary.done, summary.failed) == (1, 1)


@HEADS
@pytest.mark.parametrize("in_file", [False, True], ids=["reject", "file"])
async def test_a_key_that_another_row_had_until_it_was_a_reject_does_not_belong_to_it(
    local: Local, head: str, in_file: bool
) -> None:
    """The message names its key of now."""
    table = [["A", LONG, "", ""], *rows("B"), ["C", LONG, "", ""]]
    folder = (await local.run(table, head)).folder
    assert (await local.run(corrected(folder, f"A,{LONG}", "Z,text"), head)).done_now == 1
    source = local.write(rows("A", "B")) if in_file else corrected(folder, f"C,{LONG}", "A,text")
    _, outcomes = await carried_out(local.job(source, head), local)
    (reason,) = [each.reason or "" for each in outcomes.values() if each.outcome == "failed"]
    assert ("had before its key became 'Z'" in reason, "belongs" in reason) == (True, False)


@HEADS
async def test_a_row_takes_the_key_again_that_its_reject_had(local: Local, head: str) -> None:
    """It was refused with the other key, and corrected in the file: it is no row with a reject's old key."""
    folder = (await local.run([["A", LONG, "", ""]], head)).folder
    await local.run(corrected(folder, f"A,{LONG}", f"Z,{LONG}x"), head)
    for keys in ("A", "AB"):
        summary = await local.run(rows(*keys), head)
        assert (summary.done, summary.done_now, summary.failed) == (len(keys), 1, 0)


async def test_rejects_that_are_sent_with_a_key_are_also_known_without_it(local: Local) -> None:
    table = [*rows("A"), ["B", LONG, "", ""], ["C", LONG, "", ""]]
    folder = (await local.run(table, MAP)).folder
    assert (await local.run(corrected(folder, LONG, "text"), KEYED)).done_now == 2
    summary = await local.run([*rows("A"), ["B", "text", "", ""]], MAP)
    assert (summary.done, summary.done_now, summary.gone) == (2, 0, 1)


@HEADS
async def test_a_new_key_of_a_refused_row_is_announced(local: Local, head: str) -> None:
    """Once, before anything is sent, by the import and by its check; also a key that comes back."""
    table = [[key, LONG, "", ""] for key in "ABC"]
    folder = (await local.run(table, head)).folder
    rejects = corrected(folder, f"A,{LONG}", f"A2,{LONG}")
    rejects = corrected(folder, f"B,{LONG}", f"B2,{LONG}")
    expected = "refused rows that will be sent with a new key: 2; the first: 'A' -> 'A2' (line 2)"
    before = local.server.count("WoCreateCommand")
    assert expected in (await checked(local, rejects, head)).warnings
    ready = local.job(rejects, head)
    await ready.open(local.company)
    assert (expected in ready.warnings, local.server.count("WoCreateCommand")) == (True, before)
    assert expected in (await ready.run(local.company)).warnings
    assert not _announced(await local.run(rejects, head)), "the ledger has these keys now"
    back = local.write([["A", "text", "", ""], *table[1:]])
    (told,) = _announced(await local.run(back, head))
    assert told == expected.replace("'A' -> 'A2'", "'A2' -> 'A'")
    assert await held(local) == Counter("A")


@HEADS
async def test_only_changed_keys_of_refused_rows_are_announced(local: Local, head: str) -> None:
    """Not a corrected cell, not the new key that a repeated one needs, and not a row that nothing links."""
    folder = (await local.run([["A", LONG, "", ""], *rows("B", "B")], head)).folder
    rejects = corrected(folder, LONG, "text")
    lines = rejects.read_text("utf-8").splitlines(keepends=True)
    lines[2] = lines[2].replace("B,", "C,", 1)
    assert "C," in lines[2]
    rejects.write_text("".join(lines), "utf-8")
    assert not _announced(await local.run(rejects, head))
    assert await held(local) == Counter("ABC")
    await local.run([*rows("A", "B", "C"), ["D", LONG, "", ""]], head)
    assert not _announced(await local.run(rows("A", "B", "C", "E"), head))


def _announced(summary: Summary) -> list[str]:
    return [each for each in summary.warnings if "new key" in each]


@pytest.mark.parametrize("options", [{}, {"marker": MARKER}], ids=["cells", "key"])
async def test_a_copy_of_rejects_without_their_job_is_no_file_of_its_own(
    local: Local, tmp_path: Path, options: dict[str, Any]
) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2)])
    rejects = corrected((await local.run(source, MAP, **options)).folder, LONG, "short")
    lines = lines_of(rejects)
    for kept in ("_line", "_outcome", "_code", "_reason"):
        names = [name for name in lines[0] if not name.startswith("_") or name == kept]
        copy = write_lines(tmp_path / "copy.csv", names, lines)
        found = await refusal(local.job(copy, MAP, **options), local)
        assert (found.why, found.problem, found.line) == ("rejects", "missing_job", 2), kept


async def test_lines_of_json_without_their_job_are_no_file_of_their_own(local: Local, tmp_path: Path) -> None:
    """Whichever column of the report they kept; they may stand beside lines that have a job."""
    source = local.write([["1", LONG, "", ""], ["2", LONG, "", ""], *rows(3)])
    rejects = corrected((await local.run(source, MAP)).folder, LONG, "short")
    columns = ("_line", "_outcome", "_code", "_reason", "_row")
    for kept, lines in itertools.product(columns, [(), (1,), (2,)]):
        with case(kept, lines):
            copy = as_json_lines(rejects, tmp_path / "c.jsonl", *{*REPORT_COLUMNS} - {kept}, lines=lines)
            found = await refusal(local.job(copy, MAP), local)
            assert (found.why, found.problem) == ("rejects", "missing_job")
            assert found.line == max(lines, default=1)


async def test_a_line_of_json_without_any_column_of_the_report_is_refused_beside_rejects(
    local: Local, tmp_path: Path
) -> None:
    source = local.write([["1", LONG, "", ""], ["2", LONG, "", ""], *rows(3)])
    rejects = corrected((await local.run(source, MAP)).folder, LONG, "short")
    whole = as_json_lines(rejects, tmp_path / "whole.jsonl")
    for lines in ((1,), (2,)):
        copy = as_json_lines(rejects, tmp_path / "c.jsonl", *REPORT_COLUMNS, lines=lines)
        assert (await refusal(local.job(copy, MAP), local)).problem == "missing_job"
    with whole.open("a", encoding="utf-8") as file:
        file.write("{\n")
    found = await refusal(local.job(whole, MAP), local)
    assert (found.problem, found.line) == ("missing_job", 3)


async def test_rejects_as_json_lines_keep_the_types_of_their_cells(tmp_path: Path) -> None:
    types = {"number": {"limit": "1.5"}}
    record = {"key": "1", "limit": "1.5", "_job": "j", "_row": "7", "_types": json.dumps(types)}
    copy = tmp_path / "copy.jsonl"
    copy.write_text(json.dumps(record) + "\n", encoding="utf-8")
    source = JsonLines(copy)
    (row,) = source
    assert (source.columns, row.origin, row.cells) == (
        ("key", "limit"),
        ("j", "7"),
        {"key": "1", "limit": "1.5"},
    )
    assert json.loads(types_text(row.cells)) == types


async def test_the_header_of_such_a_copy_is_its_first_line_too(tmp_path: Path) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_text("key,_line,_reason\n1,2,no\n", encoding="utf-8")
    source = CsvFile(copy, header_row=3)
    assert (source.columns, source.is_of_rejects) == (("key",), True)


@pytest.mark.parametrize("name", ["brandnew.job", "other.csv.job"])
async def test_rejects_are_refused_with_the_folder_of_another_job(
    local: Local, tmp_path: Path, name: str
) -> None:
    other = local.write(rows(5)).rename(tmp_path / "other.csv")
    await local.run(other, MAP)
    source = local.write([["1", LONG, "", ""], *rows(2)])
    folder = (await local.run(source, MAP)).folder
    rejects = corrected(folder, LONG, "short")
    found = await refusal(local.job(rejects, MAP, folder=tmp_path / name), local)
    assert (found.why, found.problem, found.folder) == ("rejects", "other_job", folder)
    assert found.remedies == (Remedy.THAT_FOLDER,)
    assert (await local.run(rejects, MAP, folder=found.folder)).done_now == 1


async def test_rejects_of_a_numbered_folder_may_be_imported_with_the_name_of_the_first(local: Local) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2)])
    first = (await local.run(source, MAP, marker=MARKER)).folder
    second = (await local.run(source, MAP, marker=MARKER, again=True, if_exists="skip")).folder
    summary = await local.run(corrected(second, LONG, "short"), MAP, marker=MARKER, folder=first)
    assert (summary.folder, summary.done_now) == (second, 1)


async def test_rejects_of_a_replaced_job_lead_to_those_of_the_newest(local: Local, tmp_path: Path) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2)])
    old = (await local.run(source, MAP, marker=MARKER)).folder
    copy = Path(shutil.copy(corrected(old, LONG, "short"), tmp_path / "copy.csv"))
    for _ in range(2):
        new = (await local.run(source, MAP, marker=MARKER, again=True, if_exists="skip")).folder
    for folder in (None, old, new):
        found = await refusal(local.job(copy, MAP, marker=MARKER, folder=folder), local)
        assert (found.why, found.folder) == ("superseded", new)
        assert found.remedies == (Remedy.NEWER_REJECTS,)
    assert (await local.run(corrected(found.folder, LONG, "short"), MAP, marker=MARKER)).done_now == 1
    assert await held(local) == Counter("12")


async def test_rejects_whose_records_exist_are_not_sent_to_another_job(local: Local, tmp_path: Path) -> None:
    """That job would not be theirs."""
    text = f'marker = "{MARKER}"\n{MAP}'
    await local.run(local.write(rows(*range(25))).rename(tmp_path / "first.csv"), text)
    summary = await local.run(rows(*range(25)), text)
    assert summary.stopped is not None
    assert summary.stopped.remedies == (Remedy.JOB_BESIDE,)
    summary = await local.run(summary.folder / "rejects.csv", text, if_exists="skip")
    assert summary.complete


@pytest.mark.parametrize("name", [".", "", "runs/..", ".."])
async def test_the_folder_may_be_the_one_of_the_program(
    local: Local, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    source = local.write([["1", LONG, "", ""], *rows(2)])
    folder = (await local.run(source, MAP)).folder
    rejects = corrected(folder, LONG, "short")
    (folder / "runs").mkdir(exist_ok=True)
    monkeypatch.chdir(folder / "runs" if name == ".." else folder)
    ready = local.job(rejects, MAP, folder=name)
    assert (await ready.run(local.company)).done_now == 1
    assert (await local.run(source, MAP, folder=name)).folder == folder
