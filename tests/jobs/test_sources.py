"""Sources of rows: CSV files as they are, files that cannot be used, and other formats."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.jobs.maps import load
from tests.support.laws import each_of
from wosdk_async.jobs import CsvFile, Import, ImportMapError, Row, open_source
from wosdk_async.jobs.sources.formats import FORMATS, Format
from wosdk_async.jobs.sources.source import FileDialect
from wosdk_async.jobs.sources.table_rules import require_columns


def written(folder: Path, content: bytes) -> Path:
    path = folder / "f.csv"
    path.write_bytes(content)
    return path


def test_rows_know_their_number_and_the_line_they_start_in(tmp_path: Path) -> None:
    source = CsvFile(written(tmp_path, b'a\n"one\ntwo"\n\n3\n'))
    assert [(row.number, row.line, row.cells["a"]) for row in source] == [(1, 2, "one\ntwo"), (2, 5, "3")]


def test_records_without_content_are_passed_over_and_counted(tmp_path: Path) -> None:
    """Spreadsheets save the rows below a table as commas; their line numbers still count."""
    source = CsvFile(written(tmp_path, b'a,b\n,\n1,x\n,,,\n" ",\t\n\n2,\n,\n'))
    for _ in range(2):  # the count is that of one reading
        assert [(row.number, row.line, row.cells["a"]) for row in source] == [(1, 3, "1"), (2, 7, "2")]
        assert source.empty_rows == 4


def test_a_row_that_does_not_fit_the_header_says_so(tmp_path: Path) -> None:
    short, fits, long = CsvFile(written(tmp_path, b"a,b\n1\n1,2\n1,2,3\n"))
    assert str(short.fault).startswith("the record has 1 cells, the header 2; add the missing cells")
    assert fits.fault is None
    assert str(long.fault).startswith("the record has 3 cells, the header 2; quote cells ")
    assert (short.raw_cells, fits.raw_cells, long.raw_cells) == (["1"], None, ["1", "2", "3"])


def test_long_cells_are_read(tmp_path: Path) -> None:
    (row,) = CsvFile(written(tmp_path, b"a,b\n1," + b"x" * 500_000 + b"\n"))
    assert len(row.cells["b"]) == 500_000


@each_of(
    ("content", "message"),
    [
        (b"", "the file is empty; it needs a header"),
        (b"\n\n", "it needs a header"),
        (b",,\n1,2,3\n", "no header was found"),
        (b"a,b,a\n", "two columns are called 'a'; rename one"),
        (b"PK\x03\x04\0\0", "line 1: not text, but a zip or Excel file"),
        (b"PAR1\0\0", "line 1: not text, but a Parquet file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "line 3: not text; export the data as comma-separated UTF-8"),
        (b"%PDF-1.4\n%\xe2\xe3\n", "line 1: not text, but a PDF file"),
        (b"\n<!DOCTYPE html>\n<p>Log in\n", "this is a web page, not a table, perhaps a login"),
        (b"<HTML><body>", "this is a web page, not a table, perhaps a login"),
        (b'<?xml version="1.0"?>\n', "this is XML, not a table"),
        (b'{"a": 1}\n{"a": 2}\n', "this is JSON; if the file has one object per line, rename"),
        (b'[{"a": 1}]', "this is JSON; convert it to JSON lines"),
        (b"a\n1\n\x00\n", "line 3: not text"),
        (b"a\n" + b"1\n" * 5000 + b"\x00\n", "line 5002: not text"),
        (b"a\0;\0", "line 1: not text; export the data as comma-separated UTF-8, or pass enco"),
        (b"\xff\xfe\0\xd8a\0", "line 1, column 1: byte 0x00 at offset 2 is not UTF-16; part of the"),
        (b"a\n1\n\xc3", "line 3: the file ends within a UTF-8 character"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "line 3: this record has unbalanced quotes"),
        (b'a,b\n1,"2"x\n', "line 2: this record has unbalanced quotes"),
        (b"a\n" + b"x" * (2 << 20) + b"\n", "line 2: a cell has more than"),
        (b"a\n" + b"x" * (17 << 20), "line 2: not text"),
    ],
)
def test_what_is_not_csv_is_refused_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ImportMapError) as caught:
        list(CsvFile(path))
    assert str(path) in caught.value.message
    assert message in str(caught.value)
    if sys.platform == "linux":  # Windows does not replace an open file, and a program may keep the error
        assert str(path) not in {os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()}


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".jsonl"])
def test_a_file_that_may_not_be_read_is_refused(suffix: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to other users
        path = Path(name) / f"f{suffix}"
        path.parent.chmod(0o755)
        path.write_bytes(b"a,b\n1,2\n")
        path.chmod(0)
        said = as_nobody(lambda: open_source(path))
    assert said.startswith(f"ImportMapError: {path} cannot be read (Permission denied); change the perm")


def as_nobody(call: Callable[[], object]) -> str:
    """Make a call in a child whose user is not root, who may read anything. Return what it raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            try:
                call()
            except Exception as error:
                os.write(writing, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    os.waitpid(child, 0)
    return text


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportMapError, match="no such file"):
        CsvFile(tmp_path / "none.csv")
    with pytest.raises(ImportMapError, match="is a directory; name a file"):
        CsvFile(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ImportMapError, match="not a regular file, and an import reads its input twice"):
        CsvFile(tmp_path / "pipe")


@pytest.mark.parametrize("name", ["rows.csv", "ROWS.CSV", "rows.txt", "rows"])
def test_the_suffix_names_the_format(tmp_path: Path, name: str) -> None:
    """A file with an unknown suffix is read as CSV."""
    (tmp_path / name).write_text("a\n1\n")
    source = open_source(tmp_path / name)
    assert isinstance(source, CsvFile)
    assert [row.cells["a"] for row in source] == ["1"]


class Lines:
    """A format of a program's own: one text for each row."""

    def __init__(self, path: Path) -> None:
        self.path, self.columns, self.empty_rows = path, ("text",), 0
        self.dialect: FileDialect | None = None

    def __iter__(self) -> Iterator[Row]:
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            yield Row(number, number, {"text": line})


@pytest.mark.parametrize("suffix", [".lines", ".lines.gz"])
def test_another_format_is_a_class_and_a_line_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """An import takes any source that iterates over rows; a suffix may be double."""
    monkeypatch.setitem(FORMATS, suffix, Format(Lines))
    path = tmp_path / f"F.2026{suffix.upper()}"
    path.write_text("one\ntwo\n")
    job = Import(open_source(path), load(tmp_path, "[command]", 'comment = "{text}"'))
    assert job.read().rows == 2


def test_a_missing_column_is_reported_with_the_nearest_one(tmp_path: Path) -> None:
    source = CsvFile(written(tmp_path, b"agency_name,notes\n"))
    require_columns(source, {"notes": "the map"})
    with pytest.raises(ImportMapError) as caught:
        require_columns(source, {"agency_nam": "[command] of m.toml"})
    parts = "no column 'agency_nam', .* m.toml .* 'agency_name'\\? .*: agency_name, notes$"
    assert re.search(parts, caught.value.message)
