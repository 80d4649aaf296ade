"""CSV: what a spreadsheet must not calculate, and what a program must read back."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Wosdk
from tests.support.service import Answer, Service
from wosdk_async.cli.output.formats import CsvFormat, csv_cell
from wosdk_async.jobs.sources.source import FileDialect

SIGNS = "=+-@\t\r\n＝＋－＠"
odd = st.one_of(st.text(), st.builds(str.__add__, st.sampled_from(SIGNS), st.text()))
numbers = st.one_of(st.integers(), st.decimals(allow_nan=False, allow_infinity=False))
values = st.one_of(st.none(), st.booleans(), numbers, odd)


def written(rows: list[dict[str, Any]], paths: list[str]) -> str:
    file = io.StringIO(newline="")
    form = CsvFormat(file, paths)
    form.write(rows)
    form.close()
    return file.getvalue()


@given(odd | st.text("=+-@＝,;| \t\n\x0b\xa0\u200b\u206aab"))
def test_no_part_of_a_text_is_a_formula(text: str) -> None:
    """No cell begins with the sign of a formula, unless it is a negative number, and nothing of it is lost.

    That holds too where a spreadsheet splits at another delimiter, and at the line breaks in cells; blanks
    and invisible marks behind a separator do not hide the sign.
    """
    made = csv_cell(text)
    assert made.replace("'", "") == text.replace("'", "")
    assert not made.startswith(tuple(SIGNS)) or re.fullmatch(r"-\d+(\.\d+)?", made, re.ASCII)
    for inside in re.split(r"[,;|\t\r\n]", made)[1:]:
        assert not inside.lstrip().lstrip(" \x0b\xa0\u200b\u206a").startswith(tuple("=+-@＝＋－＠"))


texts = st.text("=+-@＝,;|\t\r\n\"' \xa0\u206aab1")
rows_of_texts = st.lists(st.lists(texts, min_size=2, max_size=3), min_size=1, max_size=3)


@pytest.mark.parametrize("excel", [None, "comma", "semicolon"])
@given(rows=rows_of_texts)
def test_no_field_is_a_formula_whatever_delimiter_a_spreadsheet_assumes(
    excel: Any, rows: list[list[str]]
) -> None:
    """The file is read with each. A spreadsheet strips tab and CR: what counts is the sign behind them."""
    file = io.StringIO(newline="")
    dialect = FileDialect.for_excel(excel)
    dialect.writer(file).writerows([list(map(csv_cell, row)) for row in rows])
    for delimiter in ",;\t|":
        for fields in csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=delimiter):
            for field in fields:
                begin = field.lstrip(" \t\r\n\xa0\u206a")
                assert begin[:1] not in set("=+-@＝") or re.fullmatch(r"-[0-9]+", field), (
                    delimiter,
                    file.getvalue(),
                )


def test_a_long_text_of_separators_takes_no_time() -> None:
    """Its characters are looked at once: the square of them would be hours."""
    assert len(csv_cell("; \t" * 1_000_000)) == 3_000_000


@given(numbers)
def test_numbers_stay_numbers(number: int | Decimal) -> None:
    """Digits and sign are kept, so that a column can be added up."""
    assert Decimal(csv_cell(number)) == number


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-5", "-5"),
        ("-5+A1", "'-5+A1"),
        ("-٥", "'-٥"),
        ("-", "'-"),
        (-5, "-5"),
        (Decimal("-12.50"), "-12.50"),
        (None, ""),
        (False, "false"),
        ("plain", "plain"),
        ("x;=1+1", "x;'=1+1"),
        ("on hold - call", "on hold - call"),
        ("x:=1+1 =1", "x:=1+1 =1"),
        ("x;\t=1+1", "x;\t'=1+1"),
        ("x\r\n@SUM(A1)", "x\r\n'@SUM(A1)"),
        ("x; =1+1", "x; '=1+1"),
        (";\x0b=1", ";\x0b'=1"),
        ("x;\xa0\u200b\x00+1", "x;\xa0\u200b\x00'+1"),
        ("x\u2028=1", "x\u2028'=1"),
        (" =1+1", "' =1+1"),
        ("\ufeff@SUM(A1)", "'\ufeff@SUM(A1)"),
        ("5 - 3 = 2", "5 - 3 = 2"),
        ("x,=1+1", "x,'=1+1"),
        ("x| @SUM(A1)", "x| '@SUM(A1)"),
        ('x,"=1+1"', 'x,"\'=1+1"'),
        ("51.5, -0.12", "51.5, '-0.12"),
        ([{"Comment": "x;=1+1"}], '[{"Comment":"x;\'=1+1"}]'),
        ([{"Id": 1}], '[{"Id":1}]'),
    ],
)
def test_single_cells(value: object, expected: str) -> None:
    """What stands in a cell, kind by kind."""
    assert csv_cell(value) == expected


@given(st.lists(st.fixed_dictionaries({"A": values, "B": values}), min_size=1))
def test_every_cell_comes_back(rows: list[dict[str, Any]]) -> None:
    """RFC 4180: whatever the texts hold, a reader finds the cells again."""
    text = written(rows, ["A", "B"])
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert read == [["A", "B"], *([csv_cell(row["A"]), csv_cell(row["B"])] for row in rows)]


def test_lines_end_as_the_rfc_says() -> None:
    """CRLF behind each record, quotes doubled."""
    assert written([{"A": 'a "b", c'}], ["A"]) == 'A\r\n"a ""b"", c"\r\n'


def test_one_column_for_each_path_that_was_asked_for() -> None:
    """Also where no row has it; lists are JSON, objects have their own columns, other properties none."""
    rows = [
        {"Id": 1, "Nte": {"Value": Decimal("0.10"), "CurrencyTypeId": "USD"}, "Items": [{"Comment": "x"}]}
    ]
    text = written(rows, ["Items.Comment", "Nte", "Customer.Name"])
    header, line = csv.reader(io.StringIO(text, newline=""))
    assert header == ["Items.Comment", "Nte.Value", "Nte.CurrencyTypeId", "Customer.Name"]
    assert line == ['["x"]', "0.10", "USD", ""]
    assert json.loads(line[0]) == ["x"]


def test_properties_that_come_too_late_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """The header is written already: what only later pages have is named on stderr."""
    file = io.StringIO(newline="")
    form = CsvFormat(file, [])
    form.write([{"A": 1}])
    form.write([{"A": 2, "=B": 3}])
    form.close()
    assert file.getvalue() == "A\r\n1\r\n2\r\n"
    assert (
        capsys.readouterr().err
        == "wosdk: omitted columns that only appear in later rows: =B; select them with -p\n"
    )


def test_names_are_no_formulas_either() -> None:
    """Names of undocumented properties are texts of the service too."""
    assert written([{"=A()": 1}], []).startswith("'=A()\r\n")
    assert written([{"A;=B()": 1}], []).startswith("A;'=B()\r\n")


@pytest.mark.parametrize(("separator", "sign"), [("comma", ","), ("semicolon", ";")])
@pytest.mark.parametrize("command", [("get", "Customer", "7"), ("query", "Customer", "--limit", "1")])
def test_a_csv_for_excel_begins_with_a_mark_and_has_its_separator(
    wosdk: Wosdk, scripted: Service, tmp_path: Path, command: tuple[str, ...], separator: str, sign: str
) -> None:
    """Formulas are neutralised as in every CSV; the file is the same on stdout and by --output."""
    row = {"Data": {"Id": 7, "Name": '=1+1; "x"', "Town": "Köln"}}
    scripted.handler = lambda _: Answer(body={"Entities": [row, {"Data": {"Id": 8}}], **row})
    target = tmp_path / "made.csv"
    options = ("--csv-for-excel", separator, "-p", "Id", "-p", "Name", "-p", "Town", "--unchecked")
    printed = wosdk(*command, *options).stdout_bytes
    assert wosdk(*command, *options, "-o", target).exit_code == 0
    assert target.read_bytes() == printed
    assert printed.startswith(b"\xef\xbb\xbfId" + sign.encode())
    rows = list(csv.reader(io.StringIO(printed.decode("utf-8-sig"), newline=""), delimiter=sign))
    assert rows == [["Id", "Name", "Town"], ["7", '\'=1+1; "x"', "Köln"]]


@pytest.mark.parametrize(("separator", "sign", "point"), [("comma", ",", "."), ("semicolon", ";", ",")])
def test_numbers_for_excel_have_the_decimals_of_its_region(
    wosdk: Wosdk, scripted: Service, separator: str, sign: str, point: str
) -> None:
    """Where 1,5 is a number, 14.99 is a text and 1.5 a date; texts and lists stay as they are."""
    body = b'{"Data": {"Id": 7, "Nte": {"Value": 14.990}, "Text": "1.5", "List": [1.5]}}'
    scripted.handler = lambda _: Answer(body=body)
    paths = [part for path in ("Id", "Nte.Value", "Text", "List") for part in ("-p", path)]
    result = wosdk("get", "Customer", "7", "--csv-for-excel", separator, *paths, "--unchecked")
    _, row = csv.reader(io.StringIO(result.stdout_bytes.decode("utf-8-sig"), newline=""), delimiter=sign)
    assert row == ["7", f"14{point}990", "1.5", "[1.5]"]


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("command", "apostrophes"),
    [
        (("query", "Customer", "-p", "Instructions", "--csv"), True),
        (("query", "Customer", "-p", "Instructions", "--csv-raw"), False),
        (("query", "Customer", "-p", "Instructions", "--csv-for-excel", "semicolon", "--csv-raw"), False),
        (("get", "Customer", "512", "-p", "Instructions", "--csv"), True),
        (("get", "Customer", "512", "-p", "Instructions", "--csv-raw"), False),
        (("export", "Customer", "-p", "Instructions"), True),
        (("export", "Customer", "-p", "Instructions", "--csv-raw"), False),
    ],
)
def test_programs_get_texts_as_they_are(
    wosdk: Wosdk, tmp_path: Path, command: tuple[str, ...], apostrophes: bool
) -> None:
    """With --csv-raw; without it phone numbers get an apostrophe, and a line says how many texts did."""
    assert wosdk("update", "Customer", "512", "Instructions=+49 (0)30 1234567").exit_code == 0
    file = tmp_path / "out.csv"
    result = wosdk(*command, "-o", file)
    assert result.exit_code == 0, result.output
    text = file.read_text(encoding="utf-8-sig")
    assert ("+49 (0)30 1234567" in text, "'+49 (0)30 1234567" in text) == (True, apostrophes)
    said = "wosdk: 1 cell got a leading apostrophe, because"
    assert (said in result.stderr) == apostrophes


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("command", [("query",), ("export",)])
@pytest.mark.parametrize(("text", "said"), [("'=x", True), ("=x", False), ("it's", False)])
def test_raw_texts_that_an_import_would_change_are_announced(
    wosdk: Wosdk, tmp_path: Path, command: tuple[str, ...], text: str, said: bool
) -> None:
    assert wosdk("update", "Customer", "512", f"Instructions={text}").exit_code == 0
    file = tmp_path / "out.csv"
    result = wosdk(*command, "Customer", "-p", "Instructions", "--csv-raw", "-o", file)
    assert text in file.read_text(encoding="utf-8-sig")
    assert ("wosdk import would remove the apostrophe" in result.stderr) == said


@pytest.mark.usefixtures("seeded")
def test_raw_csv_is_one_format(wosdk: Wosdk, tmp_path: Path) -> None:
    result = wosdk("export", "Customer", "-o", tmp_path / "out.jsonl", "--csv-raw")
    assert (result.exit_code, "leave out --csv-raw" in result.stderr) == (2, True)
