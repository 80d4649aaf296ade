"""Text files as people and programs make them: cells arrive as they are meant, or their row fails."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs import maps
from tests.support.laws import each_of, examples
from wosdk_async.jobs import CsvFile, Import, ImportMap, ImportMapError, Source, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.mapping.tables import TextTable
from wosdk_async.jobs.mapping.values import value_parser
from wosdk_async.jobs.sources.table import Table
from wosdk_async.jobs.sources.table_rules import TableRules
from wosdk_async.text.formula_guard import without_formulas, without_guard
from wosdk_async.text.remedies import Remedy

MAP = '[command]\ncomment = "{No} {Due}"\n'


def load(folder: Path, *lines: str) -> ImportMap:
    return maps.load(folder, *lines, MAP)


def table(source: Source) -> list[list[str]]:
    """The cells of each row, ``!`` for those that cannot be used."""

    def cell(row: Any, column: str) -> str:
        try:
            return str(row.cells[column])
        except RowError:
            return "!"

    return [["!"] if row.fault else [cell(row, each) for each in source.columns if each] for row in source]


def read(path: Path, content: str | bytes, **options: Any) -> list[list[str]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return table(open_source(path, **options))


@each_of("error", ["#N/A", " #NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!", "#WERT!"])
@each_of("encoding", ["utf-8", "utf-16"])
def test_a_formula_error_in_a_text_file_fails_rows_that_use_it(
    tmp_path: Path, error: str, encoding: str
) -> None:
    """As in a workbook."""
    path = tmp_path / "f.csv"
    path.write_text(f'a,b\n1,"{error}"\n2,#5 {error}\n#Q,x\n', encoding=encoding)
    assert table(CsvFile(path)) == [["1", "!"], ["2", f"#5 {error}"], ["#Q", "x"]]
    first = next(iter(CsvFile(path)))
    assert first.original(("a", "b")) == ["1", error]
    with pytest.raises(RowError, match=re.escape(f"column 'b': the cell shows the formula error {error!r}")):
        first.cells["b"]


# --- ends of lines, Ctrl-Z, guards ----------------------------------------------------------------


@each_of(
    ("content", "rows"),
    [
        ("a,b\n1,first\rsecond\n2,y\n", [["1", "first\rsecond"], ["2", "y"]]),
        ("a,b\r\n1,first\rsecond\r\n2,y\r\n", [["1", "first\rsecond"], ["2", "y"]]),
        ('a,b\n"1\rx",2\n', [["1\rx", "2"]]),
        ("a,b\r1,x\r2,y\r", [["1", "x"], ["2", "y"]]),
        ('a,b\r1,"x\ny"\r2,"y\nz"\r', [["1", "x\ny"], ["2", "y\nz"]]),
        ("a,b\r\r\n1,x\r\r\n", [["1", "x"]]),
        ("a,b\n1,\r\r\rx\n", [["1", "\r\r\rx"]]),
        ("a,b\n1,x\rsecond,\n2,y\n", [["!"], ["2", "y"]]),
        ("a,b\n1,2\n\x1a", [["1", "2"]]),
        ("a,b\r\n1,2\r\n\x1a\r\n", [["1", "2"]]),
        ("a,b\n1,2\x1a", [["1", "2"]]),
        ("a,b\n1,\x1a\n2,y\n", [["1", "\x1a"], ["2", "y"]]),
    ],
)
def test_line_ends_and_end_marks(tmp_path: Path, content: str, rows: list[list[str]]) -> None:
    assert read(tmp_path / "f.csv", content) == rows


def test_our_own_guard_is_taken_off_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    texts = ["+49 30 123", "=x", "'=x", "-5", "it's; =y", "'quoted'"]
    path.write_text("No,Due\n" + "".join(f'"{without_formulas(each)}",x\n' for each in texts))
    source = CsvFile(path)
    assert [row[0] for row in table(source)] == texts
    (note,) = source.notes
    assert "4 cells have an apostrophe before =, +, - or @" in note
    rejects = "_job,_row,No,Due\nj,1,'+49,x\n"  # has what the input had, unguarded
    assert read(tmp_path / "rejects.csv", rejects) == [["'+49", "x"]]


@examples(200)
@given(st.text(alphabet="'=+-@,;\"\t\n\r 1.aé＝", max_size=12))
def test_the_guard_comes_off_exactly(text: str) -> None:
    assert without_guard(without_formulas(text)) == text


CELL = st.text(alphabet="ab \r'=+-\x1a,;\"\n", max_size=6)


def parsed(content: str, end: str) -> list[list[str]]:
    """Records of CSV, read character by character: quotes, commas, and the one line end of the file."""
    records: list[list[str]] = [[""]]
    place, quoted = 0, False
    while place < len(content):
        character, cells = content[place], records[-1]
        if quoted and content.startswith('""', place):
            cells[-1] += '"'
            place += 1
        elif quoted:
            quoted = character != '"'
            cells[-1] += character if quoted else ""
        elif character == '"' and not cells[-1]:
            quoted = True
        elif character == ",":
            cells.append("")
        elif content.startswith(end, place):
            records.append([""])
            place += len(end) - 1
        else:
            cells[-1] += character
        place += 1
    return [each for each in records if each != [""]]


@examples(150)
@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\x1a"]),
    above=st.integers(0, 2),
)
def test_a_file_is_read_as_character_by_character(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str]],
    end: str,
    mark: str,
    above: int,
) -> None:
    """A CR is part of a cell unless lines end with it; CRs just before an end belong to it."""
    rows = [(first.replace("\x1a", "z"), second.replace("\x1a", "z")) for first, second in rows]

    def written(cell: str) -> str:
        needs_quotes = any(each in cell for each in ',"\n') or cell != cell.rstrip("\r")
        return '"' + cell.replace('"', '""') + '"' if needs_quotes else cell

    lines = ["title"] * above + ["A,B", *(f"k{written(first)},{written(second)}" for first, second in rows)]
    lines = [line.replace('k"', '"k', 1) if line.startswith('k"') else line for line in lines]
    content = end.join(lines) + end
    found = read(
        tmp_path_factory.mktemp("x") / "f.csv", content + mark, header_row=above + 1 if above else None
    )
    expected = [[without_guard(cell) for cell in row] for row in parsed(content, end)[above + 1 :]]
    assert found == expected


# --- JSON lines -----------------------------------------------------------------------------------


def test_a_field_of_another_kind_fails_the_lines_that_differ(tmp_path: Path) -> None:
    lines = [
        {"No": 1, "Due": "May"},
        {"No": 2, "Due": {"day": "5"}},
        {"No": 3, "Due": ["May"]},
        {"No": 4, "Due": {}},
        {"No": 5, "Due": None},
    ]
    path = tmp_path / "f.jsonl"
    found = read(path, "".join(json.dumps(each) + "\n" for each in lines))
    assert [row[:2] for row in found] == [["1", "May"], ["2", "!"], ["3", "!"], ["4", ""], ["5", ""]]
    with pytest.raises(RowError, match=r"this line has 'Due\.day' instead; use the same kind of value"):
        list(open_source(path))[1].cells["Due"]
    same = [{"a.b": 1, "a": 2}, {"a": 3}]  # a name with a point is no object
    assert read(path, "".join(json.dumps(each) + "\n" for each in same)) == [["1", "2"], ["", "3"]]


VALUES = st.recursive(
    st.sampled_from([None, "x", "y", 1]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@examples(150)
@given(st.lists(st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2), min_size=1, max_size=5))
def test_a_cell_of_json_is_the_value_at_its_path_or_fails(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]]
) -> None:
    """Where a line has a value at a place that the path does not reach, no cell is empty in silence."""
    path = tmp_path_factory.mktemp("x") / "f.jsonl"
    path.write_text("".join(json.dumps({"key": number, **each}) + "\n" for number, each in enumerate(lines)))
    source = open_source(path)
    for row, line in zip(table(source), lines, strict=True):
        for column, cell in zip(source.columns, row, strict=True):
            if column == "key":
                continue
            at: Any = line
            for step in column.split("."):
                if isinstance(at, list) and step.isdecimal():
                    at = at[int(step)] if int(step) < len(at) else None
                elif isinstance(at, dict) and not step.isdecimal():
                    at = at.get(step)
                elif at is not None:  # another kind of value stands where the path goes on
                    at = [at]
                    break
            if isinstance(at, str | int):
                assert cell in ("!", str(at))
            else:
                assert cell == ("!" if _has_value(at) else ""), column


def _has_value(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, str | int) or any(map(_has_value, inner))


# --- the rows of a table --------------------------------------------------------------------------


def test_a_header_below_other_lines_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("Orders,,\nprinted,,\n,,\nNo,Due,Text\n1,May,x\n")
    with pytest.raises(ImportMapError) as caught:
        Import(CsvFile(path), load(tmp_path))
    assert (caught.value.remedies, caught.value.facts["line"]) == ((Remedy.HEADER_ROW,), 4)
    assert table(CsvFile(path, header_row=4)) == [["1", "May", "x"]]
    with pytest.raises(
        ImportMapError, match="the map sets header_row = 4, but the header is on another line"
    ):
        Import(CsvFile(path), load(tmp_path, "header_row = 4"))
    Import(CsvFile(path, header_row=4), load(tmp_path, "header_row = 4"))
    lines = tmp_path / "f.jsonl"
    lines.write_text('{"No": "1", "Due": "May"}\n')
    with pytest.raises(ImportMapError) as refused:
        Import(open_source(lines), load(tmp_path, "header_row = 4"))
    assert refused.value.remedies == (Remedy.NO_HEADER_ROW,)
    with pytest.raises(ImportMapError, match="no row starts on line 9"):
        CsvFile(path, header_row=9)
    path.write_text("_job,_row,No,Due\nj,1,1,May\n")  # rejects have their header in the first line
    Import(CsvFile(path, header_row=4), load(tmp_path, "header_row = 4"))


def test_a_map_without_rules_has_the_fingerprint_of_before() -> None:
    assert ImportMap.load("docs/examples/sf311.toml").fingerprint == "42055aaba3beb50e99227ecd17c6e574"


def test_rows_are_left_out_and_listed(tmp_path: Path) -> None:
    rows = ["1,May,open", "2,May,Closed ", "3,June,open", "4,July,closed", "Total May,,"]
    path = tmp_path / "f.csv"
    path.write_text("\n".join(["No,Due,Status", *rows]))
    lines = ['skip_when = [{ Status = ["closed", "void"] }, { No = "total*", Due = "" }]']
    job = Import(CsvFile(path), load(tmp_path, *lines))
    assert job.read().rows == 2
    assert job.warnings[-1].endswith("skip_when skips 3 rows, lines 3, 5-6")
    for wrong in ("5", "{}", "{ No = 5 }", '["x"]'):
        with pytest.raises(ImportMapError, match="skip_when takes column values, as in"):
            load(tmp_path, f"skip_when = {wrong}")
    for wrong in ("5", "[5]"):
        with pytest.raises(ImportMapError, match="fill_down takes column names"):
            load(tmp_path, f"fill_down = {wrong}")
    for wrong, why in (("0", "1 or higher"), ("true", "a whole number"), ('"4"', "a whole number")):
        with pytest.raises(ImportMapError, match=f"header_row takes .*{why}"):
            load(tmp_path, f"header_row = {wrong}")
    with pytest.raises(ImportMapError, match="no column 'Gone', which skip_when of"):
        Import(CsvFile(path), load(tmp_path, 'skip_when = { Gone = "" }'))


def test_totals_below_the_last_row_with_a_key_are_a_footer(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    rows = [",Total,1", "1,May,x", ",June,y", ",Summe:,5", "Gesamt,,6", ",note,"]
    path.write_text("\n".join(["No,Due,Text", *rows]))
    job = Import(CsvFile(path), load(tmp_path, 'key = "{No}"'))
    assert job.read().rows == 4  # those without a key elsewhere are refused, not left out
    assert job.warnings[-1].endswith("look like totals and are skipped: line 5 'Summe:', line 6 'Gesamt'")
    assert Import(CsvFile(path), load(tmp_path)).read().rows == 6  # without keys nobody can tell


KEYED = 'key = "W-{No}"'  # the label is a cell, not the whole key


def doubtful(folder: Path, rows: list[str], *lines: str) -> tuple[list[str], list[str]]:
    """The first cells of the rows that are read, and the warnings."""
    path = folder / "f.csv"
    path.write_text("\n".join(["No,Due,Text", *rows]), encoding="utf-8")
    loaded = load(folder, KEYED, *lines)
    job = Import(CsvFile(path), loaded)
    read = job.read().rows
    rows_read = list(Table.of(CsvFile(path), loaded.rules, loaded.key))
    assert [row.number for row in rows_read] == list(range(1, read + 1))
    return [row.cells["No"] for row in rows_read], [warning.partition(": ")[2] for warning in job.warnings]


@each_of(
    "label",
    ["Total", "Total général", "Totale generale", "Total (EUR)", "Sub-total", "Grand total May", "Summe: 5"],
)
def test_a_total_in_place_of_a_key_is_a_footer_or_told(tmp_path: Path, label: str) -> None:
    end = [f"{label},,11", "Prepared by: Anna,,", "2 records,,"]
    found, warnings = doubtful(tmp_path, ["A1,x,5", *end[:1], "A2,y,6", *end])
    assert found == ["A1", label, "A2", "Prepared by: Anna", "2 records"]
    assert warnings[0].endswith(f"the last row looks like a total and is skipped: line 5 '{label}'")
    assert f"line 3 '{label}'; to skip it" in warnings[1]
    assert "line 6 'Prepared by: Anna', line 7 '2 records'; to skip them" in warnings[2]
    rules = [warning.partition("add ")[2].removesuffix(" to the map") for warning in warnings[1:]]
    both = f"{rules[0][:-1]}, {rules[1].removeprefix('skip_when = [')}"
    assert doubtful(tmp_path, ["A1,x,5", *end[:1], "A2,y,6", *end], both)[0] == ["A1", "A2"]


ORDERS = ["A1,Pier Coffee,Shop 12,,", "A2,Pier Coffee,Shop 12,80.00,", "A3,Acme,Shop 9,,urgent"]


@each_of(
    ("last", "is_read"),
    [
        ("Total 0043,Pier Coffee,Shop 12,80.00,", True),
        ("Gesamt 12,Pier Coffee,Shop 12,,", True),
        ("Summe,Pier Coffee,Shop 12,,", True),
        (",Total,Shop Inc,,urgent", True),  # fails, because it has no key
        ("Total 0043,,,80.00,", False),
        ("Total 3,2 customers,2 shops,80.00,", False),
        ("Total,,EUR,80.00,", False),
        ("Grand total,Sum:,3,80.00,5", False),
    ],
)
def test_a_full_last_row_is_no_footer(tmp_path: Path, last: str, is_read: bool) -> None:
    path = tmp_path / "f.csv"
    path.write_text("\n".join(["No,Due,Site,Cost,Text", *ORDERS, last]))
    job = Import(CsvFile(path), load(tmp_path, KEYED))
    assert job.read().rows == 3 + is_read
    assert any("line 5 " in each and "is skipped" in each for each in job.warnings) is not is_read


def test_a_total_that_may_be_a_name_is_told_and_not_left_out(tmp_path: Path) -> None:
    found, (warning,) = doubtful(tmp_path, ["Acme,x,5", "Total Energies,y,6"])
    assert found == ["Acme", "Total Energies"]
    assert "line 3 'Total Energies'" in warning
    for rows in (["Sum-1,x,5", "Summer,y,6"], ["A1,,", "A2,,"], ["A1,x,", "A2,,y"]):
        assert doubtful(tmp_path, rows) == ([row.partition(",")[0] for row in rows], [])


def test_what_is_filled_down_makes_no_row_full(tmp_path: Path) -> None:
    rows = ["A1,May,5", "A2,,6", "Total May,,", "Anna,,"]
    found, warnings = doubtful(tmp_path, rows, 'fill_down = ["Due"]')
    assert found == ["A1", "A2", "Anna"]
    assert [warning.count("line 5 'Anna'") for warning in warnings] == [0, 1]


def test_labels_far_from_the_end_are_told_a_few_in_their_words(tmp_path: Path) -> None:
    rows = [f"Total {number} {'x' * 99},,1\nA{number},x,5" for number in range(500)]
    found, (warning,) = doubtful(tmp_path, rows)
    assert len(found) == 1000
    assert "500 rows" in warning
    assert f"line 2 'Total 0 {'x' * 52}*', line 4 " in warning
    assert warning.count("line ") == 8


@given(
    st.lists(
        st.sampled_from(["A1,x,5", "Total,,5", "Total Energies,y,1", "Anna,,", ",z,", ",Total,"]), max_size=8
    )
)
def test_no_row_is_left_out_or_doubtful_in_silence(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    """As a loop over the lines does it that knows nothing of the classes."""
    found, warnings = doubtful(tmp_path_factory.mktemp("x"), rows)
    full = [place for place, row in enumerate(rows) if row in ("A1,x,5", "Total Energies,y,1")]
    keyed = [place for place, row in enumerate(rows) if row[0] == "A"]
    end = (full or keyed or [-1])[-1]
    out = [row in ("Total,,5", ",Total,") and place > end for place, row in enumerate(rows)]
    assert found == [row.split(",")[0] for row, left in zip(rows, out, strict=True) if not left]
    told = "".join(warnings)
    for place, row in enumerate(rows):
        named = row.startswith("Total") or (row == "Anna,," and full and place > end)
        if named and not out[place]:
            assert f"line {place + 2} " in told
    assert ("is skipped" in told) == any(out)


@given(st.lists(st.sampled_from(["1,x,a", "1,x,b", "2,x,a", "3,y,"]), max_size=8))
def test_equal_rows_without_a_key_are_counted(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("x")
    (folder / "f.csv").write_text("\n".join(["No,Due,Text", *rows]))
    found = Import(CsvFile(folder / "f.csv"), load(folder)).read().notes
    equal = len(rows) - len({row[:3] for row in rows})  # the map does not read Text
    shown = (
        "1 row is identical to an earlier row"
        if equal == 1
        else f"{equal} rows are identical to earlier rows"
    )
    assert [note.partition(": ")[2].partition(" in all")[0] for note in found] == [shown] * bool(equal)
    assert Import(CsvFile(folder / "f.csv"), load(folder, 'key = "{No}"')).read().notes == []


WORDS = st.sampled_from(["", "", " ", "a", "b", "stop"])


@examples(100)
@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=12))
def test_filling_down_and_leaving_out(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, bool]]
) -> None:
    """As a loop over the lines does it that knows nothing of the classes."""
    path = tmp_path_factory.mktemp("x") / "f.csv"
    lines = [
        f"k{number},{first},{second}{',x' * faulty}" for number, (first, second, faulty) in enumerate(rows)
    ]
    path.write_text("\n".join(["key,A,B", *lines]))
    rules = TableRules(fill_down=("A",), skip_when=({"A": "stop"}, {"B": ["b", "x*"]}))
    expected: list[list[str]] = []
    above = ""
    for number, (first, second, faulty) in enumerate(rows):
        if faulty:
            above = "!"
            expected.append(["!"])
            continue
        above = first if first.strip() else above
        if above == "!":
            expected.append(["!"] if second.strip() != "b" else [])
        elif above != "stop" and second != "b":
            expected.append([f"k{number}", above or first, second])
    found = list(Table.of(CsvFile(path), rules))
    rejects = path.with_name("rejects.csv")
    rejects.write_text("_job,_row,key,A,B\nj,1,k1,x,\nj,2,k2,,\n")  # whose cells were filled already
    assert [row.cells["A"] for row in Table.of(CsvFile(rejects), rules)] == ["x", ""]
    assert [row.number for row in found] == list(range(1, len(found) + 1))
    shown = [["!"] if row.fault else list(dict(row.cells.items()).values()) for row in found]
    assert [row for row in shown if row != ["!"]] == [row for row in expected if row not in (["!"], [])]


# --- values ---------------------------------------------------------------------------------------


@examples(150)
@given(
    number=st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9),
    unit=st.sampled_from(["€", "EUR", "kg", "US$", "eur"]),
    space=st.sampled_from(["", " ", "\u00a0", "\u2009", "\u202f"]),
    before=st.booleans(),
    mark=st.sampled_from([".", " ", "\u2009"]),
)
def test_units_are_taken_off(number: Decimal, unit: str, space: str, before: bool, mark: str) -> None:
    digits = f"{number:,.2f}".replace(",", "x").replace(".", ",").replace("x", mark)
    text = f"{unit}{space}{digits}" if before else f"{digits}{space}{unit}"
    thousands = "." if mark == "." else " "
    units = ["€", "EUR", "kg", "US$"]
    options = TextTable(text="{c}", decimal=",", thousands=thousands, strip=units)
    parse = value_parser({"type": "number", "name": "Value"}, options, "value")
    assert parse(text) == number
    with pytest.raises(ValueError, match=r"takes a number"):
        parse(f"{digits} USD")
    alone = value_parser({"type": "number", "name": "Value"}, TextTable(text="{c}", strip=units), "value")
    assert alone(f"{number}{space}{unit}") == number


def test_units_are_for_numbers_and_have_no_digits(tmp_path: Path) -> None:
    for options, why in (
        ('text = "{No}", strip = ["kg"]', "is not a number field; remove 'strip'"),
        ('text = "{No}", strip = ["5"]', "takes currency signs and units, as in"),
        ('text = "{No}", strip = "kg"', "takes currency signs and units, as in"),
        ('text = "{No}", strip = ["("]', "takes currency signs and units, as in"),
        ('text = "{No}", strip = [",–"]', "takes currency signs and units, as in"),
    ):
        with pytest.raises(ImportMapError, match=why):
            maps.load(tmp_path, "[command]", f"comment = {{ {options} }}")


@each_of(
    ("kind", "text", "remedy"),
    [
        ("number", "1,234", 'thousands = "," or decimal = ","'),
        ("number", "1,234,567", 'thousands = ","'),
        ("number", "1.234,5", 'decimal = ",", thousands = "."'),
        ("datetime-local", "2026-03-05T08:00:00Z", 'zone = "..."'),
    ],
)
def test_remedies_keep_the_value(kind: Any, text: str, remedy: str) -> None:
    """Both readings where there are two, and a time with an offset is converted and not cut."""
    parse = value_parser({"type": kind, "name": "x"}, TextTable(text="{c}"), "x")
    with pytest.raises(ValueError, match=re.escape(remedy)):
        parse(text)


@pytest.mark.parametrize("text", ["1.234 €", "€1.234", "-12.500 €"])
def test_an_amount_that_may_be_two_numbers_fails(text: str) -> None:
    """Unless the map names a mark."""
    wire: Any = {"type": "number", "name": "x"}
    parse = value_parser(wire, TextTable(text="{c}", strip=["€"]), "x")
    stated = value_parser(wire, TextTable(text="{c}", strip=["€"], decimal="."), "x")
    with pytest.raises(ValueError, match="may be"):
        parse(text)
    assert abs(stated(text)) < 100
    assert parse("1.23 €") == Decimal("1.23")


def test_no_unit_is_proposed_for_an_id() -> None:
    parse = value_parser({"type": "integer", "name": "Id"}, TextTable(text="{c}"), "asset.id")
    with pytest.raises(ValueError, match=r"^(?!.*strip)"):
        parse("20440x")


def test_an_empty_cell_can_be_a_word_too(tmp_path: Path) -> None:
    flag = 'compute_schedule = { text = "{flag}", values = { "✓" = true, x = true, "" = false } }'
    found = maps.load(tmp_path, "[command]", flag)
    for cell, value in (("X", True), ("✓", True), ("", False), ("  ", False)):
        assert maps.built(found, {"flag": cell}).compute_schedule is value


def test_an_item_whose_records_are_fixed_is_kept(tmp_path: Path) -> None:
    item = '[[command.work_order.items]]\nasset = { id = 5 }\ntask = { id = 6 }\ncomment = "{note}"\n'
    amount = '[command.work_order]\nvendor_nte = { value = "{cost}", currency_type_id = "USD" }\n'
    by_column = item.replace("5", '"{asset}"')
    made = {}
    for name, text in (("fixed", item), ("by column", by_column), ("amount", amount)):
        found = maps.load(tmp_path, "[command]", 'comment = "x"', text)
        made[name] = maps.built(found, {"note": "", "asset": "", "cost": ""}).work_order
    assert [item.task.id for item in made["fixed"].items] == [6]
    assert (made["by column"], made["amount"]) == (None, None)
