"""The command that imports mended rejects: they are CSV, whatever the input was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wosdk_async.cli.output.reporting import rejects_command, rejects_of
from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.sources.formats import FORMATS


def plan(file: str, *given: str) -> JobPlan:
    return JobPlan(
        job="j",
        file=file,
        size=1,
        sha256="s",
        company="c",
        operation="create Customer",
        map_sha256="m",
        created_at="",
        options={"command": list(given), "global": {"profile": "test"}},
    )


@pytest.mark.parametrize(
    ("file", "given", "kept"),
    [
        ("/f.csv", ["--encoding=cp1252", "--outcomes=/o.jsonl"], ["--encoding=cp1252"]),
        ("/f.dat", ["--format=csv", "--delimiter=;"], ["'--delimiter=;'"]),
        ("/f.TSV", [], ["--delimiter=tab"]),
        ("/f.jsonl", ["--encoding=cp1252"], []),
        ("/f.xlsx", ["--sheet=2"], []),
        ("/f.xlsx", ["--csv-for-excel=semicolon"], ["--csv-for-excel=semicolon", "'--delimiter=;'"]),
    ],
)
def test_the_input_options_of_rejects(file: str, given: list[str], kept: list[str]) -> None:
    command = rejects_command(plan(file, "--map=/a b.toml", *given), Path("/f.job/rejects.csv"))
    options = " ".join(["'--map=/a b.toml'", *kept, "--profile=test"])
    assert command == f"wosdk import /f.job/rejects.csv {options}"


@pytest.mark.parametrize(
    ("file", "given", "head", "kept"),
    [
        ("/a.tsv", [], "a,_job,_row,_line,_outcome\n", []),  # a workbook
        ("/b.csv", [], "a;_job;_row;_line;_outcome\n", ["'--delimiter=;'"]),  # and another
        (
            "/d.xls",  # a text
            ["--encoding=cp1252", "--delimiter=tab"],
            "ü\t_job\t_row\t_line\t_outcome\n",
            ["--encoding=cp1252", "--delimiter=tab"],
        ),
    ],
)
def test_rejects_of_a_file_under_another_suffix(
    tmp_path: Path, file: str, given: list[str], head: str, kept: list[str]
) -> None:
    (rejects := tmp_path / "rejects.csv").write_bytes(head.encode("cp1252"))
    command = rejects_command(plan(file, *given), rejects)
    assert command == " ".join(["wosdk import", str(rejects), *kept, "--profile=test"])


@pytest.mark.parametrize("suffix", FORMATS)
def test_rejects_are_read_with_the_delimiter_of_their_file(suffix: str) -> None:
    """A format of which only the table knows the delimiter, too."""
    delimiter = FORMATS[suffix].delimiter
    command = rejects_command(plan(f"/f{suffix}"), Path("/f.job/rejects.csv")) or ""
    said = f" --delimiter={'tab' if delimiter == chr(9) else delimiter}" if delimiter else ""
    assert command == f"wosdk import /f.job/rejects.csv{said} --profile=test"


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        ("a;b;_job;_row;_line;_outcome;_code;_reason;_types\r\n", ["'--delimiter=;'"]),
        ('"a";"b";"_job";"_row";"_line";"_outcome"\n', ["'--delimiter=;'"]),  # as a spreadsheet may save it
        ("a\t_job\t_row\t_line\t_outcome\n", ["--delimiter=tab"]),
        ("\ufeffa,_job,_row,_line,_outcome\n", []),
    ],
)
def test_the_delimiter_is_that_of_the_file_that_is_there(
    tmp_path: Path, header: str, kept: list[str]
) -> None:
    """Whatever wrote it last: `wosdk jobs rejects` has an option of its own for it."""
    rejects = tmp_path / "rejects.csv"
    rejects.write_text(header, encoding="utf-8")
    for given in ([], ["--csv-for-excel=semicolon"]):
        command = rejects_command(plan("/f.xlsx", *given), rejects)
        assert command == " ".join(["wosdk import", str(rejects), *given, *kept, "--profile=test"])


def test_rejects_that_are_a_pipe_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rejects.csv")
    assert rejects_command(plan("/f.csv"), tmp_path / "rejects.csv")


def test_the_newest_rejects(tmp_path: Path) -> None:
    """A file that a person named otherwise is not one of the job."""
    assert rejects_of(tmp_path) == tmp_path / "rejects.csv"
    for name in ("rejects.csv", "rejects-2.csv", "rejects-10.csv", "rejects-mended-long.csv"):
        (tmp_path / name).touch()
    assert rejects_of(tmp_path) == tmp_path / "rejects-10.csv"
