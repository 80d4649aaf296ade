"""CSV files by their encoding, delimiter and quotes: stated, refused with a suggestion, or written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.test_sources import written
from tests.support.laws import each_of
from wosdk_async.jobs import CsvFile, ImportMapError, open_source
from wosdk_async.jobs.sources.source import REPORT_COLUMNS, FileDialect
from wosdk_async.jobs.sources.table_rules import require_columns
from wosdk_async.text.remedies import Remedy


def test_a_wrong_encoding_is_refused_with_its_place_and_a_suggestion(tmp_path: Path) -> None:
    content = "name,street\nMüller,Königstraße\nx,Rue de la Réunion\n".encode("cp1252")
    path = written(tmp_path, content)
    with pytest.raises(ImportMapError) as caught:
        list(CsvFile(path))
    assert caught.value.message == f"{path}, line 2, column 2: byte 0xfc at offset 13 is not UTF-8"
    assert (caught.value.remedies, caught.value.facts["encoding"]) == ((Remedy.ENCODING,), "cp1252")
    first, _ = CsvFile(path, encoding="cp1252")
    assert first.cells == {"name": "Müller", "street": "Königstraße"}


@each_of(
    ("text", "encoding", "suggested"),
    [
        ("Tenant says “no heat” in unit 4", "cp1252", {"cp1252"}),
        ("Can’t open door – key broken", "cp1252", {"cp1252"}),
        ("5 °C", "cp1252", {"cp1252"}),
        ("Filter costs €12", "cp1252", {"cp1252"}),
        ("½ inch, «3×4» § 5… 5 µm ±2", "cp1252", {"cp1252"}),
        ("12\xa0km à Orléans", "cp1252", {"cp1252"}),
        ("Zürich\xa0HB", "cp1252", {"cp1252"}),
        ("naïve\xa0été, Herr\xa0Müller", "cp1252", {"cp1252"}),
        ("New\xa0York", "cp1252", {"cp1252"}),
        ("avería en el 2.º\xa0piso, 1ª puerta", "cp1252", {"cp1252"}),
        ("¿Qué\xa0pasa? ¡Ábrelo!", "cp1252", {"cp1252"}),
        ("Течёт кран на кухне, ул. Ленина", "cp1251", {"cp1251"}),
        ("Příliš žluťoučký kůň úpěl", "cp1250", {"cp1250"}),
        ("διαρροή στο μπάνιο", "cp1253", {"cp1253"}),
        ("水道が壊れています", "shift_jis", {"cp932", "shift-jis"}),
    ],
)
def test_usual_signs_and_letters_are_those_of_windows(
    tmp_path: Path, text: str, encoding: str, suggested: set[str]
) -> None:
    with pytest.raises(ImportMapError) as caught:
        list(CsvFile(written(tmp_path, f"no,text\n1,{text}\n".encode(encoding))))
    assert caught.value.facts["encoding"] in suggested


@pytest.mark.parametrize("text", ["Königstraße", "Málaga", "el sábado"])
def test_bytes_of_dos_are_not_taken_for_those_of_windows(tmp_path: Path, text: str) -> None:
    with pytest.raises(ImportMapError) as caught:
        list(CsvFile(written(tmp_path, f"no,text\n1,{text}\n".encode("cp850"))))
    assert caught.value.facts["encoding"] != "cp1252"


def test_bytes_that_look_like_nothing_get_no_suggestion(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n\x81\x8d\xff\x90\n")
    with pytest.raises(ImportMapError, match="line 2, column 1: byte 0x81 at offset 2 is not UTF-8"):
        list(CsvFile(path))


def test_the_place_of_a_bad_byte_counts_characters_and_every_kind_of_line_end(tmp_path: Path) -> None:
    path = written(tmp_path, "a\r\nö\rü\nö,ü".encode() + b"\xff" + b"x" * 100_000)
    with pytest.raises(ImportMapError, match="line 4, column 4: byte 0xff at offset 14 is not UTF-8"):
        list(CsvFile(path))
    path = written(tmp_path, b"a\n" + b"x\r\n" * 50_000 + b"\xff")
    with pytest.raises(ImportMapError, match="line 50002, column 1: byte 0xff at offset 150002 "):
        list(CsvFile(path))


@each_of("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "cp850"])
def test_a_stated_encoding_is_used(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, 'a,b\r\nä,"ö\nü"\r\n'.encode(encoding))
    source = open_source(path, encoding=encoding)
    assert [(row.line, row.cells) for row in source] == [(2, {"a": "ä", "b": "ö\nü"})]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "koi8-r"])
def test_utf_8_is_not_read_in_an_encoding_of_single_bytes(tmp_path: Path, encoding: str) -> None:
    rows = "x,y\n" * 40_000  # more than one chunk
    path = written(tmp_path, f"a,b\n{rows}kühlt nicht,日\n".encode())
    with pytest.raises(ImportMapError) as caught:
        open_source(path, encoding=encoding)
    assert (caught.value.remedies, caught.value.facts["option"]) == ((Remedy.LEAVE_OUT,), "encoding")
    for content in (f"a,b\n{rows}".encode(), f"a,b\nZürich,y\n{rows}".encode() + b"\xfc,y\n", b"a\n\xc3"):
        assert open_source(written(tmp_path, content), encoding=encoding).dialect.encoding != "utf-8"


def test_a_byte_order_mark_names_utf_16(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a;b\nä;日\n".encode("utf-16")), delimiter=";")
    assert [row.cells for row in source] == [{"a": "ä", "b": "日"}]
    assert source.dialect == FileDialect(delimiter=";", encoding="utf-16", line_end="\n")


@each_of(
    ("content", "options", "message"),
    [
        (b"a\n", {"encoding": "cp-1252"}, "unknown encoding 'cp-1252'; use a name such as cp1252"),
        (b"a\n", {"encoding": "hex"}, "unknown encoding 'hex'"),
        (b"a\n", {"encoding": "\0"}, "unknown encoding '\\x00'"),
        (b"\xef\xbb\xbfa\n", {"encoding": "cp1252"}, "byte order mark is for utf-8"),
        (b"a\n", {"delimiter": ""}, "'' is not a delimiter; use a single character such as ';', or tab"),
        (b"a\n", {"delimiter": ";;"}, "';;' is not a delimiter"),
        (b"a\n", {"delimiter": '"'}, "'\"' is not a delimiter"),
        (b"a\n", {"sheet": "x"}, ".csv files do not support sheet"),
        (b"a\n", {"format": "&&"}, "unknown format '&&'; the formats are csv, "),
        (b"a\n", {"format": "tvs"}, "unknown format 'tvs'; did you mean 'tsv'?"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, content: bytes, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ImportMapError) as caught:
        open_source(written(tmp_path, content), **options)
    assert message in caught.value.message


@each_of(
    ("name", "options", "delimiter"),
    [
        ("f.csv", {"delimiter": ";"}, ";"),
        ("f.csv", {"delimiter": "tab"}, "\t"),
        ("f.csv", {"delimiter": "|"}, "|"),
        ("f.csv", {"delimiter": "ž"}, "ž"),
        ("f.tsv", {}, "\t"),
        ("f.TAB", {}, "\t"),
        ("f.tsv", {"delimiter": ";"}, ";"),
        ("f", {"format": "tsv"}, "\t"),
    ],
)
def test_the_delimiter_is_stated_by_option_or_suffix(
    tmp_path: Path, name: str, options: dict[str, Any], delimiter: str
) -> None:
    path = tmp_path / name
    path.write_text(f"a{delimiter}b\n1,5{delimiter}2\n", encoding="utf-8")
    source = open_source(path, **options)
    assert [row.cells for row in source] == [{"a": "1,5", "b": "2"}]
    assert source.dialect.delimiter == delimiter


def test_a_line_sep_above_the_header_names_the_delimiter(tmp_path: Path) -> None:
    """Excel writes and reads it; an option outranks it."""
    path = written(tmp_path, b'sep=;\r\na;b\r\n1;"x\r\ny"\r\n2;3\r\n')
    source = CsvFile(path)
    assert [(row.line, row.cells["a"]) for row in source] == [(3, "1"), (5, "2")]
    assert source.dialect == FileDialect(delimiter=";", encoding="utf-8", first_line="sep=;")
    assert CsvFile(path, delimiter=",").columns == ("a;b",)


def test_a_wrong_delimiter_is_named_from_the_header(tmp_path: Path) -> None:
    wanted = {"key": "the map", "name, first": "the map"}
    source = CsvFile(written(tmp_path, b"key;name, first;x\n1;y;2\n"))
    with pytest.raises(ImportMapError) as caught:
        require_columns(source, wanted)
    assert (caught.value.remedies, caught.value.facts["delimiter"]) == ((Remedy.DELIMITER,), ";")
    with pytest.raises(ImportMapError) as caught:
        require_columns(CsvFile(written(tmp_path, b"key\tx\n")), wanted)
    assert (caught.value.remedies, caught.value.facts["delimiter"]) == ((Remedy.DELIMITER,), "tab")
    with pytest.raises(ImportMapError) as caught:
        require_columns(CsvFile(written(tmp_path, b"keys,x;y\n")), wanted)
    assert caught.value.remedies == ()


DIALECTS = st.builds(
    FileDialect,
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    quote_all=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    first_line=st.just(""),
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def write_in(dialect: FileDialect, path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding=dialect.encoding, newline="") as file:
        dialect.writer(file).writerows(rows)


@given(
    dialect=DIALECTS, sep=st.booleans(), rows=st.lists(st.lists(TEXTS, min_size=1, max_size=4), max_size=5)
)
def test_rows_written_in_the_dialect_of_a_file_are_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, dialect: FileDialect, sep: bool, rows: list[list[str]]
) -> None:
    """Rows of a wrong width too: that is how rejected rows are written."""
    if sep:
        dialect = attrs.evolve(dialect, first_line=f"sep={dialect.delimiter}")
    folder = tmp_path_factory.mktemp("csv")
    write_in(dialect, folder / "in.csv", [["a", "b"], *rows])
    source = CsvFile(folder / "in.csv", delimiter=dialect.delimiter)
    assert source.dialect == dialect
    before = [row.original(source.columns) for row in source]
    assert before == [row for row in rows if any(cell.strip() for cell in row)]
    report, reported = list(REPORT_COLUMNS), [f"r{place}" for place in range(len(REPORT_COLUMNS))]
    for header, cells in [
        (source.columns, before),
        ([*report, *source.columns], [[*reported, *row] for row in before]),
        ([*source.columns, *report], [[*row, *reported] for row in before]),
    ]:
        write_in(source.dialect, folder / "out.csv", [list(header), *cells])
        again = CsvFile(folder / "out.csv", delimiter=dialect.delimiter)
        assert again.columns == source.columns
        assert [row.original(again.columns) for row in again] == before
        assert [row.cells for row in again] == [row.cells for row in source]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_breaks_in_cells_survive_whatever_ends_the_lines(tmp_path: Path, end: str) -> None:
    rows = [["a", "b"], ["1\r", "x"], ["2\n", "y\r\n"], ["\r\n", "3\r\n"]]
    write_in(FileDialect(line_end=end), tmp_path / "f.csv", rows)
    assert [row.original(("a", "b")) for row in CsvFile(tmp_path / "f.csv")] == rows[1:]


def test_cells_below_no_name_are_kept_for_the_rejects(tmp_path: Path) -> None:
    (row,) = CsvFile(written(tmp_path, b"a,,b\n1,2,3\n"))
    assert (row.cells, row.original(("a", "", "b"))) == ({"a": "1", "b": "3"}, ["1", "2", "3"])
