"""The pages of imports name every option, keyword, format and column."""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import attrs
import click
import pytest

from tests.docs.pages import ROOT, read
from tests.errors.tables import rendered
from tests.jobs.ledger_tables import TABLES
from tests.support.laws import each_of
from wosdk_async.cli.commands.import_ import import_command, init_command
from wosdk_async.cli.commands.jobs import jobs_command
from wosdk_async.jobs import ImportOptions, open_source
from wosdk_async.jobs.journal import JobPlan, Journal, ReferenceRecord, RowRecord, State
from wosdk_async.jobs.report.outputs import write_outputs
from wosdk_async.jobs.sources.formats import FORMATS
from wosdk_async.regular_files import sha256_of

IMPORT, MAP, JOBS, FILES = (ROOT / "docs" / f"{name}.md" for name in ("import", "map", "jobs", "files"))


def words(text: str) -> set[str]:
    """Return the code words of a text: options, keywords, columns."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split()}


def options_of(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def cells_beside(page: Path, first: str) -> Iterable[str]:
    """Yield the last cell of each row of a table whose first cell is ``first``."""
    return (cells[-1] for _, cells in read(page).rows if first == cells[0])


@pytest.mark.parametrize("command", [import_command, init_command], ids=lambda each: each.name)
def test_each_option_of_an_import_is_on_the_page(command: click.Command) -> None:
    named = words(IMPORT.read_text(encoding="utf-8") + MAP.read_text(encoding="utf-8"))
    assert [each.opts for each in options_of(command) if not named.intersection(each.opts)] == []


@each_of("name", sorted(jobs_command.commands))
def test_the_options_of_each_command_of_jobs_are_in_a_table(name: str) -> None:
    every = [set(each.opts) for each in options_of(jobs_command.commands[name])]
    (cell,) = cells_beside(JOBS, f"`{name}`")
    named = {word for word in words(cell) if word.startswith("-")}
    assert all(named & each for each in every)
    assert named <= set().union(*every)


def test_each_keyword_of_an_import_is_in_a_table() -> None:
    named = {word.strip("`") for _, cells in read(JOBS).rows for word in cells[0].split(", ")}
    assert {each.name for each in attrs.fields(ImportOptions)} - named == set()


def test_each_format_is_on_the_page_with_its_options() -> None:
    table = [cells for _, cells in read(FILES).rows if len(cells) == 4 and cells[1].startswith("`.")]
    named = {suffix: words(cells[3]) for cells in table for suffix in words(cells[1])}
    assert named == {
        suffix: {f"--{option.replace('_', '-')}" for option in format.options}
        for suffix, format in FORMATS.items()
    }
    (delimiters,) = re.findall(r"^- \*\*Delimiter\*\*.*", FILES.read_text(encoding="utf-8"), re.MULTILINE)
    assert {suffix for suffix, format in FORMATS.items() if format.delimiter} <= words(delimiters)


def _inserting(rows: Sequence[tuple[object, ...]]) -> Callable[[sqlite3.Connection], None]:
    def insert(db: sqlite3.Connection) -> None:
        db.executemany("INSERT INTO planned VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, 0)", rows)

    return insert


async def test_each_column_that_comes_out_is_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a,b\n1,2\n3,4\n")
    source, folder = open_source(tmp_path / "in.csv"), tmp_path / "job"
    folder.mkdir()
    plan = JobPlan(
        job="abcd2345",
        file=str(source.path),
        size=12,
        sha256=sha256_of(source.path),
        company="acme",
        operation="WoCreateCommand",
        map_sha256="cd",
        created_at="2026-11-22T12:00:00+00:00",
    )
    rows = [(row.number, row.number, row.line, 0, 0, None, None, 0) for row in source]
    async with Journal.create(folder, plan) as journal:
        await journal.start_run()
        await journal.admit(_inserting(rows), plan)
        journal.record(RowRecord(1, State.REFUSED))
        journal.record(RowRecord(2, State.IN_DOUBT))
        journal.record_reference(ReferenceRecord("task", "t", "T", State.REFUSED))
        await write_outputs(journal, source)

    def header(name: str) -> list[str]:
        with (folder / name).open(newline="", encoding="utf-8") as file:
            return next(csv.reader(file))

    def named(name: str) -> list[str]:
        (cell,) = (cell for cell in cells_beside(JOBS, f"`{name}`") if "`" in cell)
        return re.findall(r"`(\w+)`", cell)

    assert header("results.csv") == named("results.csv")
    assert header("references.csv") == named("references.csv")
    assert header("rejects.csv") == ["a", "b", *named("rejects.csv")]
    assert header("in_doubt.csv") == [*(f"_{name}" for name in named("results.csv")), "a", "b"]


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.name)
def test_the_tables_are_what_is_decided(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == rendered(page, TABLES[page]), (
        "run: python -m tests.jobs.ledger_tables"
    )
