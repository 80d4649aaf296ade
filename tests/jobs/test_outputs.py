"""Files that come out of a job: whole after a kill, and rejects that are an input as they stand."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import errno
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.conftest import Local
from tests.jobs.journal.plans import a_journal, a_plan
from tests.jobs.maps import MAP, MARKER, rows
from tests.support.laws import case, examples, some
from tests.support.preloaded import Preloaded
from wosdk_async.company import sender_of
from wosdk_async.jobs import Row, RowOutcome, Source, open_source, report
from wosdk_async.jobs.errors import OutputError
from wosdk_async.jobs.journal import (
    JobPlan,
    Journal,
    ReferenceRecord,
    RowRecord,
    State,
)
from wosdk_async.jobs.report.outputs import outputs_are_current, write_outputs, write_report
from wosdk_async.jobs.sources.source import REPORT_COLUMNS
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets


def planned(folder: Path, source: Source, **more: Any) -> Journal:
    """A journal in which every row of a file is planned."""
    folder.mkdir(exist_ok=True)
    fields = {"operation": "WoCreateCommand", "company": "Acme", "created_at": "2026-11-22T10:00:00+00:00"}
    fields |= {"job": "abcd2345", "file": str(source.path), "sha256": "", "map_sha256": "2f"}
    return of_file(folder, source, JobPlan(size=1, **(fields | more)))


def of_file(folder: Path, source: Source, plan: JobPlan, key: str = "K{}") -> Journal:
    """A journal with the rows of a file, each with a key of its number."""
    lines = [(row.line, key.format(row.number), row.number) for row in source]
    journal = a_journal(folder, len(lines), attrs.evolve(plan, sha256=sha256_of(source.path)))
    with contextlib.closing(sqlite3.connect(journal.path, isolation_level=None)) as db:
        db.executemany("UPDATE planned SET line = ?, key = ? WHERE row = ?", lines)
    return journal


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def records(path: Path) -> dict[str, dict[str, str]]:
    header, *lines = table(path)
    return {line[0]: dict(zip(header, line, strict=True)) for line in lines}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "in.csv"
    path.write_text("name,note\r\n" + "".join(f"n{i},x{i}\r\n" for i in range(1, 8)), newline="")
    return open_source(path)


OUTCOMES = [
    RowRecord(1, State.DONE, 901, "RSC1", warnings=("cut", "=late"), request_id="r1"),
    RowRecord(2, State.REFUSED, reason="=cmd|' /C calc'!A0", code="BAD"),
    RowRecord(3, State.IN_DOUBT, reason="no response", request_id="r3"),
    RowRecord(4, State.FOUND, 77, "RSC0"),
    RowRecord(5, State.SENDING),
    RowRecord(6, State.PLANNED, reason="not reached"),
]


async def test_no_key_is_a_formula(tmp_path: Path, source: Source) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    async with of_file(folder, source, a_plan(file=str(source.path)), "=HYPERLINK({})") as journal:
        journal.record(RowRecord(3, State.IN_DOUBT, reason="no response"))
        await write_outputs(journal, source)
    tables = (("results.csv", "key"), ("in_doubt.csv", "_key"))
    keys = [row[key] for name, key in tables for row in records(folder / name).values()]
    assert keys == [f"'=HYPERLINK({number})" for number in (1, 2, 3, 4, 5, 6, 7, 3)]


async def test_results_have_every_row(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        for record in OUTCOMES:
            journal.record(record)
        paths = await write_outputs(journal, source)
    names = ["results.csv", "rejects.csv", "in_doubt.csv", "report.html", "report.json"]
    assert [path.name for path in paths] == names
    found = records(tmp_path / "job" / "results.csv")
    assert [row["outcome"] for row in found.values()] == [
        *("created", "failed", "in_doubt", "found", "sending", "not_started", "not_started")
    ]
    assert found["5"]["reason"] == "in flight when the run ended"
    assert found["1"] == {
        "row": "1", "line": "2", "outcome": "created", "key": "K1", "id": "901", "number": "RSC1",
        "reason": "", "code": "", "request_id": "r1", "warnings": "cut;' =late".replace("' =", " '="),
        "changed": "",
    }  # fmt: skip
    assert found["2"]["reason"] == "'=cmd|' /C calc'!A0"
    doubts = records(tmp_path / "job" / "in_doubt.csv")
    assert {number: (row["_key"], row["name"], row["note"]) for number, row in doubts.items()} == {
        "3": ("K3", "n3", "x3"),
        "5": ("K5", "n5", "x5"),
    }


async def test_columns_of_the_file_keep_their_names_among_the_rows_in_doubt(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("number,id\nA-1,x\n")
    source, folder = open_source(tmp_path / "in.csv"), tmp_path / "job"
    async with planned(folder, source) as journal:
        journal.record(RowRecord(1, State.IN_DOUBT, 901, "RSC1"))
        await write_outputs(journal, source)
    (doubt,) = records(folder / "in_doubt.csv").values()
    assert [doubt[name] for name in ("_number", "_id", "number", "id")] == ["RSC1", "901", "A-1", "x"]


HUGE = "\x1b[2J=1\r\n\0\x9b\u202e" + "R" * 3_000_000


async def test_texts_of_the_service_are_bounded_and_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('a,b\r\n1,x\r\n2,y\r\n3,"=z\n\x1b\x9b"\r\n', newline="")
    source, folder = open_source(tmp_path / "in.csv"), tmp_path / "job"
    async with planned(folder, source) as journal:
        await journal.start_run()
        journal.record(RowRecord(1, State.DONE, 5, HUGE, warnings=(HUGE, "second")))
        journal.record(RowRecord(2, State.REFUSED, reason=HUGE, code=HUGE))
        journal.record(RowRecord(3, State.IN_DOUBT, reason=HUGE, request_id=HUGE))
        journal.record_reference(ReferenceRecord("task", "t", "T", State.REFUSED, reason=HUGE))
        paths = await write_outputs(journal, source)
    size = sum(path.stat().st_size for path in (*paths, folder / "journal.db"))
    assert size < 150_000  # of the journal half: each table and index takes a page
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    for name, text in texts.items():
        assert (name, set(text) & {"\0", "\x1b", "\x9b", "\u202e"}) == (name, set())
    assert texts["results.csv"].count("\n") == 4
    assert texts["rejects.csv"].count("\n") == 2
    found = records(folder / "results.csv")
    assert found["1"]["number"].startswith(r"\x1b[2J=1\r\n\x00\x9b\u202eRRR")
    assert "R... (cut from 3,000,011 characters)" in found["1"]["number"]
    assert found["1"]["warnings"].endswith("(cut from 3,000,011 characters); second")
    assert "(cut from 3,000,011 characters)" in found["2"]["reason"]
    assert records(folder / "in_doubt.csv")["3"]["b"] == "'=z\n\\x1b\\x9b"


async def test_what_is_kept_of_the_service_is_bounded_and_searched_no_further(
    tmp_path: Path, source: Source
) -> None:
    """A secret at the cut is hidden; to search the rest of a text would hold the event loop for seconds."""
    secret = "Q7rT2mXv9KpL4sWz8NbY6cJd1HfG3gAe"
    escaped = f"{'n' * 190}{secret}{'%2541' * 600_000}"
    async with planned(tmp_path / "job", source) as journal:
        journal.secrets = lambda: Secrets(secret)
        begun = time.process_time()
        kept = journal.record(RowRecord(1, State.DONE, 5, escaped, reason=HUGE, warnings=(HUGE,)))
        assert time.process_time() - begun < 1
    found = RowOutcome.of(kept, 2, "created", "WorkOrder")
    assert found.number == f"{'n' * 190}***%2541%2... (cut from 3,000,222 characters)"
    assert (len(found.warnings[0]), len(found.reason or "")) == (1035, 1035)


@pytest.mark.parametrize(
    ("operation", "word"),
    [("update Customer by id", "updated"), ("delete Task by id", "deleted"), ("WoAssignCommand", "done")],
)
async def test_what_was_not_created_is_not_called_so(
    tmp_path: Path, source: Source, operation: str, word: str
) -> None:
    async with planned(tmp_path / "job", source, operation=operation) as journal:
        journal.record(RowRecord(1, State.DONE, 5))
        await write_outputs(journal, source)
    assert records(tmp_path / "job" / "results.csv")["1"]["outcome"] == word


async def test_rejects_have_the_original_cells_and_the_reason(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        for record in OUTCOMES:
            journal.record(record)
        await write_outputs(journal, source)
    assert (tmp_path / "job" / "rejects.csv").read_bytes() == (
        b"name,note,_job,_row,_line,_outcome,_code,_reason\r\n"
        b"n2,x2,abcd2345,2,3,failed,BAD,'=cmd|' /C calc'!A0\r\n"
    )


async def test_a_short_row_keeps_its_place_and_its_fault_among_the_rejects(tmp_path: Path) -> None:
    """Until its missing cells are filled in, or the reason beside them is emptied; a long row stays long."""
    (tmp_path / "in.csv").write_text("a,b,c\n1\n2,x\n3,x,y,z\n")
    source = open_source(tmp_path / "in.csv")
    async with planned(tmp_path / "job", source) as journal:
        for row in source:
            journal.record(RowRecord(row.number, State.REFUSED, reason=row.fault))
        await write_outputs(journal, source)
    rejects = tmp_path / "job" / "rejects.csv"
    header, *lines = csv.reader(rejects.read_text().splitlines())
    assert [line[header.index("_row")] for line in lines[:2]] == ["1", "2"]
    again = list(open_source(rejects))
    for row, first in zip(again, source, strict=True):
        assert row.fault
        assert (row.cells, row.raw_cells) == (first.cells, first.raw_cells)
        assert row.origin == ("abcd2345", str(first.number))
    lines[0][1] = "filled in"
    lines[1][header.index("_reason")] = ""
    with rejects.open("w", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    fixed = list(open_source(rejects))
    assert [bool(row.fault) for row in fixed] == [False, False, True]
    assert [row.cells for row in fixed[:2]] == [
        {"a": "1", "b": "filled in", "c": ""}, {"a": "2", "b": "x", "c": ""},
    ]  # fmt: skip


async def test_rejects_of_other_formats_are_csv_that_excel_reads(tmp_path: Path) -> None:
    lines = ['{"a": "Müller", "b": {"c": 0.10}}', '{"a": "x\\ny"}', "no JSON", '{"a": "left"}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    source = open_source(tmp_path / "in.jsonl")
    async with planned(tmp_path / "job", source) as journal:
        for row in (1, 2, 3):
            journal.record(RowRecord(row, State.REFUSED, reason="bad"))
        await write_outputs(journal, source)
    rejects = tmp_path / "job" / "rejects.csv"
    assert rejects.read_bytes().startswith(b"\xef\xbb\xbfa,b.c,_job,_row,")
    again = list(open_source(rejects))
    assert [row.cells for row in again[:2]] == [{"a": "Müller", "b.c": "0.10"}, {"a": "x\ny", "b.c": ""}]
    assert again[2].original(("a", "b.c")) == ["no JSON"]


async def test_tables_for_excel_have_a_mark_and_its_separator(tmp_path: Path, source: Source) -> None:
    """The rejects of a CSV file stay in its own way: they are an input."""
    (tmp_path / "in.jsonl").write_text('{"name": "M\u00fcller; Co", "note": "=1"}\n' * 7, encoding="utf-8")
    for each in (source, open_source(tmp_path / "in.jsonl")):
        folder = tmp_path / f"{each.path.suffix}.job"
        async with planned(folder, each) as journal:
            for record in OUTCOMES:
                journal.record(record)
            await write_outputs(journal, each, csv_for_excel="semicolon")
        heads = {path.name: path.read_bytes()[:13] for path in folder.glob("*.csv")}
        own = b"name,note,_job" if each is source else b"\xef\xbb\xbfname;note;_job"
        assert heads == {
            "results.csv": b"\xef\xbb\xbfrow;line;o",
            "in_doubt.csv": b"\xef\xbb\xbf_row;_line",
            "rejects.csv": own[:13],
        }
    (again,) = open_source(folder / "rejects.csv", delimiter=";")
    assert again.cells == {"name": "Müller; Co", "note": "=1"}


async def test_files_without_rows_go(tmp_path: Path, source: Source) -> None:
    """A rejects.csv of an earlier run, whose rows were created meanwhile, would make them again."""
    async with planned(tmp_path / "job", source) as journal:
        journal.record(RowRecord(2, State.REFUSED, reason="bad"))
        journal.record(RowRecord(3, State.IN_DOUBT, reason="no response"))
        await write_outputs(journal, source)
        for number in (2, 3):
            journal.record(RowRecord(number, State.DONE, 7))
        paths = await write_outputs(journal, source)
    assert [path.name for path in paths] == ["results.csv", "report.html", "report.json"]
    left = {path.name for path in (tmp_path / "job").iterdir()}
    assert left == {"results.csv", "report.html", "report.json", "outputs.json", "journal.db", "lock"}


async def test_rejects_that_somebody_corrected_are_never_lost(tmp_path: Path, source: Source) -> None:
    folder = tmp_path / "job"
    async with planned(folder, source) as journal:

        async def written() -> dict[str, str]:
            await write_outputs(journal, source)
            return {path.name: path.read_text() for path in folder.glob("rejects*.csv")}

        journal.record(RowRecord(2, State.REFUSED, reason="bad"))
        first = (await written())["rejects.csv"]
        assert await written() == {"rejects.csv": first}
        edited = first.replace("x2", "mended")
        (folder / "rejects.csv").write_text(edited)
        journal.record(RowRecord(3, State.REFUSED, reason="bad"))
        second = (await written())["rejects-2.csv"]
        assert "n2,x2" in second
        assert "n3,x3" in second
        assert await written() == {"rejects.csv": edited, "rejects-2.csv": second}
        report = json.loads((folder / "report.json").read_text())
        assert [file["name"] for file in report["files"]] == [
            *("results.csv", "rejects.csv", "rejects-2.csv", "report.html")
        ]
        assert "rejects-2.csv" in (folder / "report.html").read_text(encoding="utf-8")
        (folder / "rejects-2.csv").write_text("also edited")
        assert (await written()).keys() == {"rejects.csv", "rejects-2.csv", "rejects-3.csv"}
        (folder / "rejects.csv").unlink()
        assert await written() == {"rejects.csv": second, "rejects-2.csv": "also edited"}
        for row in (2, 3):
            journal.record(RowRecord(row, State.DONE, 5))
        assert await written() == {"rejects-2.csv": "also edited"}


def killed_at(step: int, *, after: bool) -> Callable[[Path, Path], Path]:
    """A ``Path.replace`` whose call number ``step`` raises, before or after it has done its work."""
    replace, steps = Path.replace, itertools.count(1)

    def replaced(path: Path, target: Path) -> Path:
        last = next(steps) >= step
        if not last or after:
            replace(path, target)
        if last:
            raise RuntimeError("killed")
        return target

    return replaced


async def test_a_kill_between_writing_and_naming_a_file_makes_no_edit_of_it(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many kills there are, before or after a file gets its name, none is taken for one changed."""
    folder = tmp_path / "job"
    async with planned(folder, source) as journal:
        for kill in range(24):
            journal.record(RowRecord(2, State.REFUSED, reason=f"version {kill}"))
            with monkeypatch.context() as patch:
                patch.setattr(Path, "replace", killed_at(kill % 6 + 1, after=kill < 12))
                with contextlib.suppress(RuntimeError):
                    await write_outputs(journal, source)
        await write_outputs(journal, source)
    names = {path.name for path in folder.iterdir()}
    assert {name for name in names if "-" in name} == set()
    assert "version 23" in (folder / "rejects.csv").read_text()


async def test_a_changed_input_gives_no_rejects_but_all_other_files(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        journal.record(RowRecord(2, State.REFUSED, reason="bad"))
        journal.record(RowRecord(3, State.REFUSED, reason="bad"))
        source.path.write_text(source.path.read_text().replace("n3", "m3"))
        with pytest.raises(OutputError, match=r"rejects\.csv was not written: .*in\.csv has changed since"):
            await write_outputs(journal, source)
    left = {path.name for path in (tmp_path / "job").iterdir()}
    assert left == {"results.csv", "report.html", "report.json", "outputs.json", "journal.db", "lock"}


async def test_without_the_input_the_report_is_written_again(tmp_path: Path, source: Source) -> None:
    folder = tmp_path / "job"
    async with planned(folder, source) as journal:
        journal.record(RowRecord(2, State.REFUSED, reason="bad"))
        await write_outputs(journal, source)
    before = (folder / "rejects.csv").read_bytes()
    for name in ("results.csv", "report.html", "report.json"):
        (folder / name).unlink()
    async with Journal.open(folder, read_only=True) as journal:
        assert not await outputs_are_current(journal)
        assert [path.name for path in await write_report(journal)] == ["report.html", "report.json"]
        written = await write_outputs(journal, None)
        assert [path.name for path in written] == ["results.csv", "report.html", "report.json"]
        assert await outputs_are_current(journal)
    assert (folder / "rejects.csv").read_bytes() == before


async def test_files_of_an_earlier_run_are_not_current(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        await journal.start_run()
        await write_outputs(journal, source)
        assert await outputs_are_current(journal)
        await journal.start_run()  # which is killed before it wrote any
        assert not await outputs_are_current(journal)


async def test_hashes_are_those_of_the_files(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        for record in OUTCOMES:
            journal.record(record)
        paths = await write_outputs(journal, source)
    report = json.loads((tmp_path / "job" / "report.json").read_text())
    assert {file["name"]: file["sha256"] for file in report["files"]} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths[:-1]
    }


async def memory_of_writing(folder: Path, source: Source) -> int:
    """The peak of memory in which the files of a job are written that has doubts, refusals and references."""
    async with planned(folder, source) as journal:
        for number in range(1, 301):
            journal.record_reference(ReferenceRecord("task", f"t{number}", f"T{number}", State.REFUSED))
        for row in source:
            journal.record(
                RowRecord(row.number, State(3 + row.number % 2), reason=f"row {row.number} is bad")
            )
        await journal.flush()
        tracemalloc.start()
        try:
            await write_outputs(journal, source)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


async def test_files_of_many_rows_take_no_more_memory_and_lists_are_bounded(tmp_path: Path) -> None:
    used, folder = [], tmp_path / "job"
    for count in (10, 1000, 3500):  # the first writing imports modules
        shutil.rmtree(folder, ignore_errors=True)
        (tmp_path / "in.csv").write_text("a\n" + "".join(f"a{i}\n" for i in range(count)))
        used.append(await memory_of_writing(folder, open_source(tmp_path / "in.csv")))
    assert used[2] < used[1] + 1_000_000
    report = json.loads((folder / "report.json").read_text())
    assert report["lists"] == {
        "changed": {"count": 0, "listed": 0, "file": "results.csv"},
        "in_doubt": {"count": 1750, "listed": 200, "file": "in_doubt.csv"},
        "references": {"count": 300, "listed": 200, "file": "references.csv"},
    }
    assert {name: len(report[name]) for name in report["lists"]} == {
        name: each["listed"] for name, each in report["lists"].items()
    }
    assert [len(table(folder / f"{name}.csv")) for name in ("in_doubt", "references")] == [1751, 301]
    assert table(folder / "references.csv")[1] == ["task", "T1", "refused", "", "", ""]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "1,550 more rows: see in_doubt.csv" in page
    assert "250 more records: see references.csv" in page


# --- the law: rejects are an input as they stand ---------------------------------------------------

letters = st.characters(codec="cp1252", exclude_characters="\0\x1a")
HOSTILE = (
    *("=cmd|' /C calc'!A0", "</script>", '"', 'a"b', "a\nb", "a\r\nb", "a\rb", "\r", "\n", "a;b", ","),
    *("\t", " x ", "'", "\x01", "00501", "NA"),
)
hostile = st.sampled_from(HOSTILE)
cell = st.one_of(hostile, st.text(letters, max_size=12))
names = st.lists(
    st.text(letters, min_size=1, max_size=6).map(str.strip).filter(bool), min_size=1, max_size=4, unique=True
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    header = [name for name in draw(names) if name not in REPORT_COLUMNS and not name.startswith("sep=")]
    width = len(header := header or ["a"])
    right = st.lists(cell, min_size=width, max_size=width)
    lines = draw(
        st.lists(st.one_of(right, right, st.lists(cell, min_size=1, max_size=width + 2)), max_size=6)
    )
    return header, lines


@st.composite
def dialects(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "delimiter": draw(st.sampled_from([",", ";", "\t", "|"])),
        "encoding": draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"])),
        "end": draw(st.sampled_from(["\r\n", "\n", "\r"])),
        "quote_all": draw(st.booleans()),
        "first": draw(st.booleans()),
    }


def write_table(path: Path, table: tuple[list[str], list[list[str]]], dialect: Mapping[str, Any]) -> None:
    """Write every cell quoted, or those that need it; the writer of the standard library forgets some."""
    d = dialect["delimiter"]

    def written(text: str) -> str:
        needs = dialect["quote_all"] or not text or any(c in text for c in ('"', d, "\r", "\n", " "))
        return '"' + text.replace('"', '""') + '"' if needs else text

    lines = [d.join(map(written, line)) for line in [table[0], *table[1]]]
    lines[:0] = [f"sep={d}"] if dialect["first"] else []
    path.write_bytes("".join(f"{line}{dialect['end']}" for line in lines).encode(dialect["encoding"]))


def opened(path: Path, dialect: Mapping[str, Any]) -> Source:
    encoding = dialect["encoding"] if dialect["encoding"] == "cp1252" else None
    return open_source(path, delimiter=dialect["delimiter"], encoding=encoding)


def seen(row: Row, columns: Sequence[str]) -> tuple[dict[str, str], list[str], bool]:
    return dict(row.cells), row.original(columns), row.fault is None


def every_dialect() -> Iterator[dict[str, Any]]:
    names = ("delimiter", "encoding", "end", "quote_all", "first")
    ends, encodings = ("\r\n", "\n", "\r"), ("utf-8", "cp1252")
    for values in itertools.product((",", ";", "\t"), encodings, ends, (False, True), (False, True)):
        yield dict(zip(names, values, strict=True))


def test_hostile_cells_come_back_in_every_dialect(tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = [[text, text[::-1]] for text in HOSTILE]
    lines += [[text] for text in HOSTILE if text.strip()] + [[text, "1", text] for text in HOSTILE]
    for dialect in some(every_dialect(), 5):
        with case(dialect):
            check_rejects(tmp_path_factory.mktemp("each"), (["a", "b"], lines), dialect)


@examples(60)
@given(table=tables(), dialect=dialects())
def test_rejects_read_again_are_the_refused_rows(
    tmp_path_factory: pytest.TempPathFactory, table: Any, dialect: dict[str, Any]
) -> None:
    check_rejects(tmp_path_factory.mktemp("law"), table, dialect)


def check_rejects(folder: Path, table: Any, dialect: dict[str, Any]) -> None:
    """Refuse two rows of three, and read the rejects again."""
    write_table(folder / "in.csv", table, dialect)
    source = opened(folder / "in.csv", dialect)
    refused = [row for row in source if row.number % 3]

    async def write() -> None:
        async with planned(folder / "job", source) as journal:
            for row in refused:
                reason = (row.fault if row.number % 2 else None) or '=é\n\u4e2d;"</script>'
                journal.record(RowRecord(row.number, State.REFUSED, reason=reason, code="B"))
            await write_outputs(journal, source)

    asyncio.run(write())
    rejects = folder / "job" / "rejects.csv"
    assert rejects.exists() == bool(refused)
    if refused:
        again = opened(rejects, dialect)
        assert again.columns == source.columns
        assert [seen(row, again.columns) for row in again] == [seen(row, source.columns) for row in refused]


# --- kills, cancellation, full disks ---------------------------------------------------------------

CHILD = """
import asyncio, sys
from pathlib import Path
from tests.jobs.test_outputs import planned
from wosdk_async.jobs import open_source
from wosdk_async.jobs.journal import RowRecord, State
from wosdk_async.jobs.report.outputs import write_outputs

async def main(folder):
    source = open_source(folder / "in.csv")
    async with planned(folder / "job", source) as journal:
        for version in range(10_000):
            for row in range(1, 601):
                journal.record(RowRecord(row, State(3 + row % 2), reason=f"version {version}"))
            await journal.flush()
            print(version, flush=True)
            await write_outputs(journal, source)

asyncio.run(main(Path(sys.argv[1])))
"""


def check_whole(folder: Path) -> int:
    """Check that every file is complete, and return how many versions there are among them."""
    versions = set()
    for name, count in (("results.csv", 600), ("rejects.csv", 300), ("in_doubt.csv", 300)):
        header, *lines = table(folder / name)
        reasons = {line[header.index("reason" if name == "results.csv" else "_reason")] for line in lines}
        assert (name, len(lines), len(reasons)) == (name, count, 1)
        versions |= reasons
    assert json.loads((folder / "report.json").read_text())["counts"]["failed"] == 300
    assert (folder / "report.html").read_text(encoding="utf-8").endswith("</html>\n")
    return len(versions)


def test_a_kill_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    """Nor does anybody who reads the files meanwhile see half of one."""
    chance = random.Random(14)
    for attempt in range(2):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        text = "name\r\n" + "".join(f"n{i}\r\n" for i in range(1, 601))
        (folder / "in.csv").write_text(text, newline="")
        child = Preloaded([folder], code=CHILD, modules=["tests.jobs.test_outputs"], stdout=subprocess.PIPE)
        for _ in range(2):
            assert child.stdout.readline()
        until = time.monotonic() + chance.uniform(0, 0.25)
        while time.monotonic() < until:
            check_whole(folder / "job")
        assert child.poll() is None
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert check_whole(folder / "job") <= 2


async def test_a_cancelled_caller_leaves_whole_files(tmp_path: Path, source: Source) -> None:
    async with planned(tmp_path / "job", source) as journal:
        journal.record(RowRecord(2, State.REFUSED, reason="bad"))
        writing = asyncio.create_task(write_outputs(journal, source))
        turns = 0
        while not writing.done():
            await asyncio.sleep(0)
            turns += writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert turns > 2
        assert await outputs_are_current(journal)
    assert (tmp_path / "job" / "rejects.csv").exists()


async def test_a_full_disk_keeps_the_old_files(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "job"
    async with planned(folder, source) as journal:
        await write_outputs(journal, source)
        before = {path.name: path.read_bytes() for path in folder.glob("re*")}
        journal.record(RowRecord(1, State.DONE, 5))

        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OutputError, match="No space left on device; the journal is intact"):
                await write_outputs(journal, source)
        assert {path.name: path.read_bytes() for path in folder.glob("re*")} == before
        await write_outputs(journal, source)
    assert records(folder / "results.csv")["1"]["outcome"] == "created"


# --- at the end of an import ------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


async def test_a_finished_job_given_again_changes_no_file(local: Local) -> None:
    """With a row that the service refused: neither it nor the map has changed."""
    local.server.refused = "text 4"
    path = local.write(rows(1, 2, 3, 4))
    first = await local.run(path, MAP)
    assert [each.name for each in first.files] == ["results.csv", "rejects.csv", "report.html", "report.json"]
    assert first.folder is not None
    before = contents(first.folder)
    again = await local.run(path, MAP)
    assert (again.files, again.created, again.done_now) == ([], 3, 0)
    after = contents(first.folder)
    assert {name for name in after if name != "lock" and after[name] != before[name]} == set()


async def test_files_of_a_night_are_kept_when_the_file_is_replaced(local: Local) -> None:
    """Without the rejects that somebody corrected, which stay where they are."""
    rejects, before = "", []
    for run, keys in enumerate(((1, 2), (7,), (8,)), 1):
        source = local.write([*rows(*keys), [f"{run}", "too", "few"]])
        night = await local.run(source, MAP, new_rows=True)
        assert (night.folder, night.done_now, night.failed) == (
            source.with_name("rows.csv.job"), len(keys), 1,
        )  # fmt: skip
        folder = night.folder or source
        if run == 2:
            (folder / "rejects.csv").write_text(rejects := "corrected")
        names = {"results.csv", "report.html", "report.json", *(["rejects.csv"] if run != 2 else [])}
        before.append({path.name: path.read_bytes() for path in folder.glob("re*") if path.name in names})
    for run in (1, 2):
        kept = {path.name: path.read_bytes() for path in (folder / "runs" / str(run)).iterdir()}
        assert kept == before[run - 1]
    assert (folder / "rejects.csv").read_text() == rejects
    assert [row["outcome"] for row in records(folder / "results.csv").values()] == ["created", "failed"]
    assert "3,too,few" in (folder / "rejects-2.csv").read_text()


async def test_files_that_a_kill_left_out_are_written_by_the_same_command(local: Local) -> None:
    path = local.write(rows(1, 2, 3))
    first = await local.run(path, MAP)
    (first.folder / "report.json").unlink()
    again = await local.run(path, MAP)
    assert [each.name for each in again.files] == ["results.csv", "report.html", "report.json"]


async def test_rejects_below_a_footer_have_their_own_cells(local: Local) -> None:
    """Rows are numbered without the footer; the files are written again from a file that still has it."""
    below = [["Total", "", "11", ""], ["", "no key", "y", ""]]
    path = local.write([*rows(1), *below])
    first = await local.run(path, MAP, marker=MARKER)
    rejects = first.folder / "rejects.csv"
    rejects.unlink()
    async with Journal.open(first.folder) as journal:
        await write_outputs(journal, open_source(path))
    (rejected,) = csv.DictReader(rejects.read_text("utf-8-sig").splitlines())
    assert (rejected["text"], rejected["_line"]) == ("no key", "4")


async def test_files_that_cannot_be_written_do_not_hide_the_summary(
    local: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(report, "replace_file", full)
    summary = await local.run(rows(1, 2), MAP)
    assert (summary.complete, summary.files) == (True, [])
    assert summary.files_failed.remedies == (Remedy.WRITE_OUTPUTS,)
    assert "results.csv: No space left on device" in summary.files_failed.message


async def test_nothing_of_a_job_shows_what_a_response_repeats(local: Local) -> None:
    """The token and the client secret, as the number of an order."""
    secret = local.variables["WOSDK_CLIENT_SECRET"]
    await local.company.connect()
    grant = sender_of(local.company).grant
    token = grant.token.reveal()
    numbers = iter((f"N-{secret}", f"Bearer {token}"))

    def alter(content: Any) -> None:
        content["CommandResult"]["Wo"]["Number"] = next(numbers)

    local.server.altered = alter
    told: list[RowOutcome] = []
    summary = await local.job(rows(1, 2), MAP, marker=MARKER).run(local.company, on_row=told.append)
    assert summary.complete
    found = [path.read_text("utf-8", "replace") for path in summary.folder.rglob("*") if path.is_file()]
    for text in (*found, str(told), str(summary)):
        assert secret not in text
        assert token not in text
    assert sorted(each.number or "" for each in told) == ["Bearer ***", "N-***"]


async def test_who_cannot_read_the_input_cannot_open_the_job(local: Local) -> None:
    """Also if permissions were taken away after the first run; a link may be in a more open folder."""
    before = os.umask(0o022)
    try:
        source = local.write(rows(1))
        source.chmod(0o644)
        link = source.with_name("link.csv")
        link.symlink_to(source)
        elsewhere = source.parent / "jobs" / "x"
        jobs = [
            await local.run(source, MAP, marker=MARKER),
            await local.run(link, MAP, marker=MARKER, again=True),
            await local.run(source, MAP, marker=MARKER, folder=elsewhere, again=True),
        ]
        assert [each.folder.stat().st_mode & 0o777 for each in jobs] == [0o755, 0o700, 0o700]
        source.chmod(0o600)
        summary = await local.run(source, MAP, marker=MARKER)
    finally:
        os.umask(before)
    assert (summary.folder, summary.folder.stat().st_mode & 0o777) == (jobs[0].folder, 0o700)
