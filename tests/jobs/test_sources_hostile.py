"""A reader that aborts, hangs or swells is one error about its file, and nothing is sent."""

from __future__ import annotations

import asyncio
import io
import os
import resource
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import xlsxwriter

from tests.jobs.hostile_reader import MB
from tests.jobs.opendocument import read_document, row, text_cells, text_row, write_document
from tests.jobs.readers import HOSTILE, LIMITS, hostile_format
from tests.jobs.test_sources_excel import changed, written
from tests.support.laws import each_of
from tests.support.preloaded import Preloaded
from tests.support.waiting import until
from wosdk_async.jobs import ImportMapError, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.sources.converted import (
    PARQUET,
    WORKBOOK,
    ConvertedFile,
    Reader,
    limits_for,
    off_the_loop,
    open_converted,
)
from wosdk_async.jobs.sources.formats import FORMATS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def hostile(folder: Path, what: str) -> Path:
    path = folder / "f.hostile"
    path.write_text(what)
    return path


def peak() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@pytest.mark.parametrize(
    ("what", "limits", "said"),
    [
        ("allocate", {}, "more than 512 MB of memory"),
        ("leak", {}, "aborted (SIGABRT)"),
        ("abort", {}, "aborted (SIGABRT)"),
        ("noise", {}, "aborted (exit status 3)"),
        ("sleep", {"seconds": 1}, "more than 1 s"),
        ("spin", {"cpu": 1, "seconds": 20}, "more than 1 s of CPU time"),
        ("swell", {}, "over 16 MB"),
        ("long", {}, "line 2: a cell is longer than 1048576 characters"),
    ],
)
def test_a_reader_that_misbehaves_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, limits: dict[str, int], said: str
) -> None:
    monkeypatch.setitem(FORMATS, ".hostile", hostile_format(**limits))
    path, before = hostile(tmp_path, what), peak()
    with pytest.raises(ImportMapError) as caught:
        open_source(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert said in caught.value.message
    assert "\n" not in caught.value.message
    assert peak() - before < 16
    assert not list(tmp_path.glob("core*"))


def test_a_reader_that_ends_early_is_no_shorter_file(tmp_path: Path) -> None:
    source = open_converted(HOSTILE, hostile(tmp_path, "end"), limits=LIMITS)
    with pytest.raises(ImportMapError):
        list(source)


@each_of(
    "lines",
    [
        b'[1,["a","b"],"s"]\n[2,["1"],"nnnn",{}]\n[2]\n',
        b'[1,["a","b"],"s"]\n[2,["1","2"],"zz",{}]\n[2]\n',
        b'[1,["a","b"],"s"]\n[2,["1","2"],"  ",{"x":"y"}]\n[2]\n',
        b'[1,["a","b"],"s"]\n[2,["1","2"]]\n[2]\n',
        b'[1,["a","b"],"s"]\n' + b"[" * 200_000 + b"\n[2]\n",
        b'[1,["a","b"],"s"]\n7\n[2]\n',
        b"\xff\n",
        b"{]\n",
        b'[1,["a"]]\n',
        b'[1,[1,2],"s"]\n[1]\n',
        b'[1,null,"s"]\n[1]\n',
        b'[1,{"a":1},"s"]\n[1]\n',
        b'["1",["a"],"s"]\n[1]\n',
        b'[1,["a"],{}]\n[1]\n',
        *(
            b'[1,["a","b"],"s"]\n' + rest
            for rest in (
                b'[2,[1,2],"  ",{}]\n[2]\n',
                b'[2,[null,["q"]],"nt",{}]\n[2]\n',
                b'[2,{"a":1,"b":2},"  ",{}]\n[2]\n',
                b'[2,"xy","  ",{}]\n[2]\n',
                b'[2,["x","y"],"  n",{}]\n[2]\n',
                b'[2,["x","y"],[" "," "],{}]\n[2]\n',
                b'[2,["x","y"],"  ",[1]]\n[2]\n',
                b'[2,["x","y"],"  ",null]\n[2]\n',
                b'[2,["x","y"],"  ",{"0":5}]\n[2]\n',
                b'[2,["x","y"],"  ",{"-1":"f"}]\n[2]\n',
                b'["2",["x","y"],"  ",{}]\n[2]\n',
                b'[1e999,["x","y"],"  ",{}]\n[2]\n',
                b'[2.0,["x","y"],"  ",{}]\n[2]\n',
                b'[1,["x","y"],"  ",{}]\n[2]\n',
                b'[3,["x","y"],"  ",{}]\n[2,["x","y"],"  ",{}]\n[3]\n',
                b'[%d,["x","y"],"  ",{}]\n[2]\n' % 10**30,
                b'[2,["x","y"],"  ",{}]\n[1]\n',
                b"[2]\n[3]\n",
                b'[2]\n[3,["x","y"],"  ",{}]\n[3]\n',
                b"[2]\n[3",
            )
        ),
    ],
)
def test_lines_that_no_reader_writes_are_one_error(lines: bytes) -> None:
    with pytest.raises(ImportMapError):
        list(ConvertedFile(Path("f.xlsx"), io.BytesIO(lines)))


def test_a_reader_gets_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WOSDK_CLIENT_SECRET", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://user:secret@proxy")
    (read,) = open_converted(HOSTILE, hostile(tmp_path, "environment"), limits=LIMITS)
    assert "PYTHONPATH" in read.cells["a"]
    assert "WOSDK" not in read.cells["a"]
    assert "_PROXY" not in read.cells["a"].upper()


def pid_of(reader: Path) -> int:
    """The process that reads a file, when it has begun."""
    pid = Path(f"{reader}.pid")
    until(lambda: pid.exists() and pid.read_text() != "", 60)
    return int(pid.read_text())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter while it is read
        return False


async def test_cancellation_ends_the_reader(tmp_path: Path) -> None:
    """The event loop runs on while the file is converted."""
    path = hostile(tmp_path, "sleep")
    opening = asyncio.create_task(off_the_loop(open_converted, HOSTILE, path, limits=LIMITS))
    pid = await asyncio.to_thread(pid_of, path)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await asyncio.to_thread(until, lambda: not is_running(pid))


OPEN = """
import sys
from tests.jobs.readers import HOSTILE, LIMITS
from wosdk_async.jobs.sources.converted import open_converted
open_converted(HOSTILE, sys.argv[1], limits=LIMITS)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the reader ends when its time is over")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_reader_of_a_parent_that_ends_ends(tmp_path: Path, end: signal.Signals) -> None:
    path = hostile(tmp_path, "sleep")
    with Preloaded([path], code=OPEN, stderr=subprocess.DEVNULL) as parent:
        try:
            pid = pid_of(path)
            parent.send_signal(end)
            parent.wait(60)
        finally:
            parent.kill()
    until(lambda: not is_running(pid))


def test_a_program_without_an_interpreter_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(ImportMapError):
        open_converted(HOSTILE, hostile(tmp_path, ""))


@pytest.mark.parametrize("python", ["missing", "/bin/true"])
def test_an_interpreter_that_does_not_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    """Not a file without a header."""
    monkeypatch.setattr(sys, "executable", python)
    with pytest.raises(ImportMapError) as caught:
        open_converted(HOSTILE, hostile(tmp_path, ""))
    assert f"the Python at {python} " in caught.value.message


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import missing_library", "ModuleNotFoundError: No module named 'missing_library'"),
        ("raise OSError('libarrow.so: cannot open\\nmore')", "OSError: libarrow.so: cannot open)"),
        ("import os; os.abort()", "SIGABRT"),
        ("import os; os._exit(7)", "exit status 7"),
    ],
)
def test_a_reader_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    """It is the installation that has to be repaired, and not the file."""
    (tmp_path / "broken_reader.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportMapError) as caught:
        open_converted(Reader("broken_reader", "json", "files", "files"), hostile(tmp_path, ""))
    assert "could not start the reader (" in caught.value.message
    assert why in caught.value.message
    assert "damaged" not in caught.value.message
    assert "\n" not in caught.value.message


def test_a_library_that_is_loaded_late_and_broken_says_so(tmp_path: Path) -> None:
    with pytest.raises(ImportMapError, match=r"could not start the reader .*missing_library"):
        open_converted(HOSTILE, hostile(tmp_path, "import"), limits=LIMITS)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the parent of the reader does not matter")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('"{python}" "$@"; exit $?', "the reader is not a child of the process that requested it"),
        ("echo 'No module named wosdk_async' >&2; exit 1", "No module named wosdk_async"),
    ],
)
def test_a_launcher_that_starts_no_reader_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    """A reader that is not our own child would outlive us."""
    launcher = tmp_path / "python"
    launcher.write_text(f"#!/bin/sh\n{script.format(python=sys.executable)}\n")
    launcher.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(launcher))
    with pytest.raises(ImportMapError) as caught:
        open_converted(HOSTILE, hostile(tmp_path, "end"), limits=LIMITS)
    assert "could not start the reader (" in caught.value.message
    assert why in caught.value.message


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "machine", "memory"),
    [
        (0, 64, 1024),
        (32, 64, 2048),
        (96, 64, 4096),
        (4096, 64, 4096),
        (4096, 6, 3072),
        (4096, 1, 512),
    ],
)
def test_no_file_lifts_the_limits_over_a_bound(
    monkeypatch: pytest.MonkeyPatch, size: int, machine: int, memory: int
) -> None:
    """Sizes of files and limits in MB, memory of the machine in GB. A file may be padded, or have holes."""
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": machine << 18}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    limits = limits_for(size * MB)
    assert limits.memory == memory * MB
    assert limits.cpu == min(120 + 20 * size, 3600)


def test_a_limit_of_this_process_holds_for_the_reader_too(tmp_path: Path) -> None:
    """The message names it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * MB, hard))
    try:
        with pytest.raises(ImportMapError, match="over 8 MB"):
            open_converted(HOSTILE, hostile(tmp_path, "swell"), limits=LIMITS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# --- files that passed the checks of what a reader would do -------------------------------------


def refused(path: Path, memory: int = 512 * MB) -> str:
    """The message of a file, whose import leaves the memory of this process as it was."""
    before = peak()
    with pytest.raises(ImportMapError) as caught:
        reader = PARQUET if path.suffix == ".parquet" else WORKBOOK
        open_converted(reader, path, limits=LIMITS._replace(memory=memory))
    assert peak() - before < 16
    return caught.value.message


def test_a_stray_cell_far_from_the_table(tmp_path: Path) -> None:
    """Behind a byte that hides the archive from programs that read its beginning."""
    path = tmp_path / "f.xlsx"
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        page.write(0, 0, "a")
        page.write(1_048_575, 16_383, "x")
    path.write_bytes(b"x" + path.read_bytes())
    assert "MB of memory" in refused(path)


def test_a_sheet_that_unpacks_to_more_than_the_memory(tmp_path: Path) -> None:
    path = written(tmp_path / "f.xlsx", [["a"], ["1"]])
    cell = b'<row><c t="inlineStr"><is><t>' + b"x" * (8 * MB) + b"</t></is></c></row>"
    changed(
        path,
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"</sheetData>", cell * 12 + b"</sheetData>"),
    )
    assert path.stat().st_size < MB
    assert "MB of memory" in refused(path, 96 * MB)


def test_open_document_cells_that_are_repeated(tmp_path: Path) -> None:
    path = write_document(tmp_path / "f.ods", row(text_cells("x"), repeated=1_000_000_000))
    assert "MB of memory" in refused(path, 96 * MB)


def test_a_long_text_that_many_rows_name(tmp_path: Path) -> None:
    """1,024 rows of it would be 2 GB."""
    path = tmp_path / "rows.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 1024, pa.int32()), ["x" * (2 * MB)])
    pq.write_table(pa.table({"a": long}), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 2000
    assert "line 1: a cell is longer than" in refused(path)


def test_open_document_sheets_are_read(tmp_path: Path) -> None:
    number = '<table:table-cell office:value-type="float" office:value="7"/>'
    rows = text_row("a", "b") + row(text_cells("00501") + number, repeated=2)
    rows += row('<table:table-cell table:number-columns-repeated="16384"/>', repeated=1_048_570)
    source = open_source(write_document(tmp_path / "f.ods", rows))
    assert [each.cells for each in source] == [{"a": "00501", "b": "7"}] * 2


@pytest.mark.parametrize(
    "attributes",
    [
        'table:formula="of:=NA()" office:value-type="string" calcext:value-type="error"',
        'table:formula="of:=A1"',
        'table:formula="of:=1/0" office:value-type="float" office:value="0"><text:p>#DIV/0!</text:p',
        'table:formula="of:=1/0" office:value-type="string" office:string-value=""><text:p>Err:502</text:p',
        'office:value-type="string"><text:p>Pole<text:tab/>114</text:p',
        'office:value-type="string"><text:p>a</text:p><text:p><text:span>b<text:line-break/></text:span>c</text:p',
        "><text:p>a text without a type</text:p",
    ],
    ids=["error", "no result", "shown error", "shown error of a text", "tab", "line break", "no type"],
)
def test_open_document_cells_whose_value_is_not_read(tmp_path: Path, attributes: str) -> None:
    cell = f"<table:table-cell {attributes}{'></table:table-cell>' if '<' in attributes else '/>'}"
    empty = '<table:table-cell table:number-columns-repeated="2"/>'
    rows = row(empty, repeated=2) + row(empty + text_cells("a", "b"))
    rows += row(empty + text_cells("1") + cell, repeated=2) + row(empty + text_cells("2", "x"))
    first, second, good = read_document(tmp_path / "f.ods", rows)
    assert [each.line for each in (first, second, good)] == [4, 5, 6]
    assert (good.cells["b"], second.cells["a"]) == ("x", "1")
    for each in (first, second):
        with pytest.raises(RowError):
            each.cells["b"]


def test_a_cell_of_an_old_workbook_in_the_last_column_that_a_number_names(tmp_path: Path) -> None:
    """.xls sheets have 256 columns, but their records 16 bits for one."""
    content = (Path(__file__).with_name("data") / "sheet.xls").read_bytes()
    number = content.rindex(struct.pack("<HHHH", 0x203, 14, 3, 2))  # a record of a number in C4
    path = tmp_path / "f.xls"
    path.write_bytes(content[: number + 6] + b"\xff\xff" + content[number + 8 :])
    before = peak()
    with pytest.raises(ImportMapError, match="65536 columns are too many; the limit is 16384"):
        open_source(path)
    assert peak() - before < 16


NOTE = "<office:annotation><text:p>a<text:tab/>note</text:p><office:annotation/></office:annotation>"
SHAPE = (
    "<drawing:frame><drawing:frame/><drawing:a><text:p>a<text:tab/>shape</text:p></drawing:a></drawing:frame>"
)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (f'office:value-type="string">{NOTE}<text:p>x</text:p>', "x"),
        (f">{NOTE}{SHAPE}", ""),
        ('office:value-type="string" office:string-value="a&#9;b"><text:p>a<text:tab/>b</text:p>', "a\tb"),
        ('table:formula="of:=1" office:value-type="float" office:value="7"><text:p># 7</text:p>', "7"),
        (
            'table:formula="A1" office:value-type="string" calcext:value-type="string"><text:p>#N/A</text:p>',
            "#N/A",
        ),
    ],
)
def test_open_document_cells_whose_value_is_read(tmp_path: Path, cell: str, text: str) -> None:
    """Comments and shapes are not of the cell, and a text that looks like an error may be one."""
    rows = text_row("a", "b") + row(f"{text_cells('1')}<table:table-cell {cell}</table:table-cell>")
    (found,) = read_document(tmp_path / "f.ods", rows)
    assert found.cells["b"] == text


def test_a_table_in_a_cell_of_an_open_document_is_refused(tmp_path: Path) -> None:
    inner = f'<table:table table:is-sub-table="true">{text_row("x")}</table:table>'
    rows = row(f"{text_cells('a')}<table:table-cell>{inner}</table:table-cell>")
    with pytest.raises(ImportMapError, match="a cell contains a table"):
        open_source(write_document(tmp_path / "f.ods", rows))
