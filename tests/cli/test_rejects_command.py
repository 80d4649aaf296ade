"""The command that imports mended rejects: they are CSV, whatever the input was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_plan
from tests.support.laws import each_of
from wosdk_async.cli.output.reporting import rejects_command, rejects_of
from wosdk_async.jobs import open_source
from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.sources.formats import FORMATS
from wosdk_async.jobs.sources.source import REPORT_COLUMNS


def plan(file: str, *given: str) -> JobPlan:
    return a_plan(file=file, options={"command": list(given), "global": {"profile": "test"}})


@each_of(
    ("file", "given", "kept"),
    [
        ("/f.csv", ["--encoding=cp1252", "--outcomes=/o.jsonl"], ["--encoding=cp1252"]),
        ("/f.dat", ["--format=csv", "--delimiter=;"], []),
        ("/f.TSV", [], []),
        ("/f.xls", ["--encoding=cp1252", "--delimiter=tab"], ["--encoding=cp1252"]),  # a text
        ("/f.jsonl", ["--encoding=cp1252"], []),
        ("/f.xlsx", ["--sheet=2"], []),
        ("/f.xlsx", ["--csv-for-excel=semicolon"], ["--csv-for-excel=semicolon"]),
    ],
)
def test_the_input_options_of_rejects(file: str, given: list[str], kept: list[str]) -> None:
    command = rejects_command(plan(file, "--map=/a b.toml", *given), Path("/f.job/rejects.csv"))
    options = " ".join(["'--map=/a b.toml'", *kept, "--profile=test"])
    assert command == f"wosdk import /f.job/rejects.csv {options}"


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("a;b;_job;_row;_line;_outcome;_code;_reason;_types\r\n", ";"),
        ('"a";"b";"_job";"_row";"_line";"_outcome"\n', ";"),  # as a spreadsheet may save it
        ('"a";"b";_job;_row;_line;_outcome\n', ";"),
        ('"a\nb";"c";_job;_row;_line;_outcome\n', ";"),
        ("sep=|\na|_job|_row|_line|_outcome\n", "|"),
        ("a\t_job\t_row\t_line\t_outcome\n", "\t"),
        ("\ufeffa,_job,_row,_line,_outcome\n", ","),
        ("a,b;_job;_row;_line;_outcome\n", ";"),  # a name with a comma
        ("my_job;_row;b,c\n", ","),  # columns of another file
    ],
)
def test_the_delimiter_of_rejects_is_in_their_header(tmp_path: Path, header: str, delimiter: str) -> None:
    """Whatever wrote the file last: a spreadsheet, or `wosdk jobs rejects` with its own option."""
    (rejects := tmp_path / "rejects.csv").write_text(header, encoding="utf-8")
    source = open_source(rejects)
    assert source.dialect is not None
    assert source.dialect.delimiter == delimiter


@pytest.mark.parametrize("suffix", [*FORMATS, ".dat"])
def test_rejects_of_each_format_are_read_without_a_delimiter(tmp_path: Path, suffix: str) -> None:
    delimiter = FORMATS.get(suffix, FORMATS[".csv"]).delimiter or ","
    (rejects := tmp_path / "rejects.csv").write_text(
        delimiter.join(["a", *REPORT_COLUMNS]) + "\n", encoding="utf-8"
    )
    command = rejects_command(plan(f"/f{suffix}"), rejects)
    assert command == f"wosdk import {rejects} --profile=test"
    assert open_source(rejects).columns == ("a",)


def test_the_newest_rejects(tmp_path: Path) -> None:
    """A file that a person named otherwise is not one of the job."""
    assert rejects_of(tmp_path) == tmp_path / "rejects.csv"
    for name in ("rejects.csv", "rejects-2.csv", "rejects-10.csv", "rejects-mended-long.csv"):
        (tmp_path / name).touch()
    assert rejects_of(tmp_path) == tmp_path / "rejects-10.csv"
