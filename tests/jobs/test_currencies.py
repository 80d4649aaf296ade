"""Currencies that only the number format of a cell shows: stated by the map, or the row fails."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from tests.jobs import maps
from tests.jobs.opendocument import read_document, text_row
from tests.jobs.readers import read_here
from tests.support.laws import each_of
from wosdk_async.jobs import CsvFile, ImportMap
from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.sources.rows import TYPES_COLUMN, Row, types_text
from wosdk_async.jobs.sources.source import Header, Source
from wosdk_async.readers import workbook

PLAIN = [
    *["#,##0.00", "0", "General", r"_-* #,##0.00\ _€_-", "[Red]0.00;[$-409]0.00", "0.00E+00"],
    *['0.00;-0.00;"free"', '_(* #,##0.00_);_(* "-"??_);_(@_)', '0.00",-"'],
]


def sheet(folder: Path, *formats: str | int, header: tuple[str, ...] = ("No", "Cost", "Currency")) -> Source:
    """A sheet with a row for each format, in which the cell in the second column has it."""
    path = folder / "f.xlsx"
    with xlsxwriter.Workbook(path) as made:
        page = made.add_worksheet()
        page.write_row(0, 0, header)
        for line, code in enumerate(formats, 1):
            page.write(line, 0, line)
            page.write(line, 1, 12.5, made.add_format({"num_format": code}))
            page.write(line, 2, "EUR")
    return read_here(workbook, path)


def load(folder: Path, currency: str = "", field: str = 'vendor_nte.value = "{Cost}"') -> ImportMap:
    stated = [f'vendor_nte.currency_type_id = "{currency}"'] if currency else []
    return maps.load(folder, "[command.work_order]", field, *stated)


def amount(found: ImportMap, row: Row) -> tuple[Any, list[str]]:
    """The value and currency of a row, with its warnings."""
    context = RowContext(row.cells, ReferenceIndex(()))
    made: Any = found.record.build(context)
    return made.work_order.vendor_nte, context.warnings


def outcomes(found: ImportMap, source: Iterable[Row]) -> list[str]:
    """``sent``, or the currency that a row fails by."""
    told = []
    for row in source:
        try:
            amount(found, row)
            told.append("sent")
        except RowError as error:
            is_complete = "'Cost'" in error.message and "vendor_nte" in error.message
            told.append(error.message.partition("'")[2].partition("'")[0] if is_complete else "")
    return told


@each_of(
    ("code", "sign", "fitting", "other"),
    [
        ('#,##0.00 "€"', "€", "EUR", "USD"),
        ("#,##0.00 [$€-407]", "€", "EUR", "USD"),
        ("[$USD] #,##0.00", "USD", "USD", "CAD"),
        ('"US$" 0.00', "US$", "USD", "CAD"),
        ("[$$-409]#,##0.00", "$", "CAD", "EUR"),
        (r"0.00\ \E\U\R", "EUR", "EUR", "USD"),
        ("0.00 [$kr-41D]", "kr", "SEK", "EUR"),
        ("€0.00;[Red]-€0.00", "€", "EUR", "GBP"),
        (r'_-* #,##0.00\ "€"_-;-* "-"??\ "€"_-', "€", "EUR", "GBP"),
    ],
)
def test_an_amount_needs_the_currency_that_its_cell_shows(
    tmp_path: Path, code: str, sign: str, fitting: str, other: str
) -> None:
    source = sheet(tmp_path, code)
    assert outcomes(load(tmp_path), source) == [sign]
    assert outcomes(load(tmp_path, other), source) == [sign]
    assert outcomes(load(tmp_path, fitting), source) == ["sent"]


def test_a_format_without_a_currency_needs_none(tmp_path: Path) -> None:
    assert outcomes(load(tmp_path), sheet(tmp_path, *PLAIN)) == ["sent"] * len(PLAIN)


@each_of(
    ("code", "shown"),
    [
        ('0.00" Mio €"', "Mio €"),
        ('0.0" T€"', "T€"),
        ("0.0 [$k€-407]", "k€"),
        ('0.0" TEUR"', "TEUR"),
        ('€0.0"M"', "€ M"),
        ('[$€-407] 0.0"k"', "€ k"),
        ('0" Cent"', "Cent"),
        ('0.00 "kg"', "kg"),
        ("0.0,", "0,"),
        ("0.0,, €", "0,, €"),
        ("0.0%", "%"),
        (10, "%"),
        ('0"00"', "00"),
        ("000-00-0000", "000-00-0000"),
        ("00000\\-0000", "00000-0000"),
    ],
)
def test_a_format_that_shows_more_than_a_currency_fails_an_amount(
    tmp_path: Path, code: str | int, shown: str
) -> None:
    (row,) = source = list(sheet(tmp_path, code))
    for currency in ("", "EUR"):
        assert outcomes(load(tmp_path, currency), source) == [shown]
    _, (warning,) = amount(load(tmp_path, field='contact_name = "{Cost}"'), row)
    assert repr(shown) in warning


def test_formats_of_the_reader_s_country_need_any_currency(tmp_path: Path) -> None:
    """Excel names them by a number and shows the local currency."""
    source = sheet(tmp_path, 7)
    assert outcomes(load(tmp_path), source) == ["¤"]
    assert outcomes(load(tmp_path, "EUR"), source) == ["sent"]


def test_a_known_sign_in_any_text_of_a_format_is_compared_and_others_of_a_country_are_not(
    tmp_path: Path,
) -> None:
    source = sheet(tmp_path, '0.00" zł"', "[$S/-280A] 0", '0.00" Euro"')
    assert outcomes(load(tmp_path, "PLN"), source) == ["sent", "sent", "Euro"]
    assert outcomes(load(tmp_path, "EUR"), source) == ["zł", "sent", "sent"]


def test_each_row_is_judged_by_its_own_cell(tmp_path: Path) -> None:
    formats = ['0 "€"', "0", "0", '0 "€"', "[$USD] 0", "[$USD] 0", "0"]
    source = sheet(tmp_path, *formats)
    expected = ["€", "sent", "sent", "€", "USD", "USD", "sent"]
    assert outcomes(load(tmp_path), source) == expected
    assert outcomes(load(tmp_path, "{Currency}"), source) == [
        *(["sent"] * 4), "USD", "USD", "sent",
    ]  # fmt: skip


def test_a_field_that_has_no_currency_is_sent_with_a_warning(tmp_path: Path) -> None:
    (row,) = sheet(tmp_path, '0.00 "€"')
    _, (warning,) = amount(load(tmp_path, field='contact_name = "{Cost}"'), row)
    assert "'€'" in warning


def test_rejects_keep_the_currency(tmp_path: Path) -> None:
    (row,) = sheet(tmp_path, '0.00 "€"')
    types = types_text(dict(row.cells.items()))
    header = Header(tmp_path, ["No", "Cost", "Currency", TYPES_COLUMN])
    again = header.row(1, 2, ["1", "12.5", "EUR", types])
    assert outcomes(load(tmp_path), [again]) == ["€"]
    assert outcomes(load(tmp_path, "EUR"), [again]) == ["sent"]


def test_a_text_of_csv_has_no_format(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("No,Cost\n1,12.5\n")
    assert outcomes(load(tmp_path), CsvFile(tmp_path / "f.csv")) == ["sent"]


# --- signs in texts -------------------------------------------------------------------------------


STRIPPED = 'vendor_nte.value = { text = "{Cost}", strip = ["€", "£", "US$", "$", "kr"] }'


@each_of(
    ("cost", "currency", "shown"),
    [
        ("6 €", "EUR", "sent"),
        ("6 €", "", "€"),
        ("£7", " ", "£"),
        ("7", "", "Cost"),
        ("", "GBP", "sent"),
        ("8 €", "GBP", "€"),
        ("-£8", "eur", "£"),
        ("US$ 8", "CAD", "US$"),
        ("8 $", "CAD", "sent"),
        ("8 KR", "EUR", "kr"),
        ("8", "GBP", "sent"),
    ],
)
def test_an_amount_whose_row_states_no_currency_or_another_one_than_its_sign_fails(
    tmp_path: Path, cost: str, currency: str, shown: str
) -> None:
    (tmp_path / "f.csv").write_text(f"No,Cost,Currency\n1,{cost},{currency}\n", encoding="utf-8")
    source: Any = list(CsvFile(tmp_path / "f.csv"))
    assert outcomes(load(tmp_path, "{Currency}", STRIPPED), source) == [shown]
    if not currency.strip():
        assert outcomes(load(tmp_path, "{Currency|'EUR'}", STRIPPED), source) == (
            ["£" if "£" in cost else "sent"]
        )


@each_of(
    ("units", "currency", "fits"),
    [
        ('["€", "EUR"]', "EUR", True),
        ('["$", "US$"]', "USD", True),
        ('["kr"]', "SEK", True),
        ('["kg"]', "", True),
        ('["kr"]', "", False),
        ('["€"]', "", False),
        ('["€"]', "GBP", False),
        ('["€", "£"]', "EUR", False),
        ('["€", "£"]', "{Currency}", True),
    ],
)
def test_signs_that_a_map_strips_fit_the_currency_that_it_states(
    tmp_path: Path, units: str, currency: str, fits: bool
) -> None:
    field = f'vendor_nte.value = {{ text = "{{Cost}}", strip = {units} }}'
    with nullcontext() if fits else pytest.raises(ImportMapError, match="must set that currency"):
        load(tmp_path, currency, field)


# --- OpenDocument ---------------------------------------------------------------------------------

_STYLES = """
<office:automatic-styles>
<number:number-style style:name="N1"><number:number/><number:text> €</number:text></number:number-style>
<number:currency-style style:name="N2"><number:currency-symbol>kr</number:currency-symbol>
<number:number/></number:currency-style>
<number:number-style style:name="N3"><number:number/><number:text> kg</number:text></number:number-style>
<number:number-style style:name="N4"><number:number number:display-factor="1000"/></number:number-style>
<number:number-style style:name="N5"><number:number number:decimal-places="0" number:min-integer-digits="5"/>
</number:number-style>
<number:number-style style:name="N6"><number:number number:decimal-places="2" number:min-integer-digits="5"/>
</number:number-style>
<style:style style:name="zeros" style:family="table-cell" style:data-style-name="N5"/>
<style:style style:name="decimals" style:family="table-cell" style:data-style-name="N6"/>
<style:style style:name="thousands" style:family="table-cell" style:data-style-name="N4"/>
<style:style style:name="euro" style:family="table-cell" style:data-style-name="N1"/>
<style:style style:name="krona" style:family="table-cell" style:data-style-name="N2"/>
<style:style style:name="weight" style:family="table-cell" style:data-style-name="N3"/>
</office:automatic-styles>"""


def number_row(attributes: str, repeated: int = 1) -> str:
    cell = f'<table:table-cell {attributes} office:value="12.5"><text:p>12,50</text:p></table:table-cell>'
    return f'<table:table-row table:number-rows-repeated="{repeated}">{cell}</table:table-row>'


def test_an_opendocument_cell_has_its_own_currency_or_that_of_its_style(tmp_path: Path) -> None:
    amount = 'office:value-type="currency"'
    rows = [
        text_row("Cost"),
        number_row(f'{amount} office:currency="GBP"'),
        number_row(amount),
        number_row('office:value-type="float" table:style-name="euro"', repeated=2),
        number_row(f'{amount} table:style-name="krona"'),
        number_row('office:value-type="float" table:style-name="weight"'),
        number_row('office:value-type="float"'),
        number_row('office:value-type="percentage"'),
        number_row('office:value-type="float" table:style-name="thousands"'),
    ]
    plain = read_document(tmp_path / "f.ods", "".join(rows), styles=_STYLES)
    found = load(tmp_path)
    assert outcomes(found, plain) == ["GBP", "¤", "€", "€", "kr", "kg", "sent", "%", "0,"]
    column = '<table:table-column table:default-cell-style-name="euro"/>'
    styled = read_document(tmp_path / "f.ods", "".join(rows), column, styles=_STYLES)
    assert outcomes(found, styled) == ["GBP", "€", "€", "€", "kr", "kg", "€", "€", "0,"]


def test_an_old_workbook_says_that_it_does_not_tell_currencies() -> None:
    source = read_here(workbook, Path(__file__).with_name("data") / "serials.xls")
    assert "currencies" in source.notes[0]


@pytest.mark.parametrize(
    ("cell", "sent"), [("11.6", True), ("12,50", False), ("12.500", False), ("1250", False)]
)
def test_another_amount_among_rejects_has_no_currency(tmp_path: Path, cell: str, sent: bool) -> None:
    """Rejects of rejects keep the currency, so that the first amount is still refused there."""
    (row,) = sheet(tmp_path, '0.00 "€"')
    header = Header(tmp_path, ["No", "Cost", "Currency", TYPES_COLUMN])
    edited = header.row(1, 2, ["1", cell, "EUR", types_text(dict(row.cells.items()))])
    found = load(tmp_path, "USD", 'vendor_nte.value = { text = "{Cost}", decimal = "," }')
    assert outcomes(found, [edited]) == (["sent"] if sent else ["€"])
    back = header.row(1, 2, ["1", "12.5", "EUR", types_text(dict(edited.cells.items()))])
    assert outcomes(found, [back]) == ["€"]


@pytest.mark.parametrize(
    ("style", "number", "shown"),
    [("zeros", "47", "00047"), ("zeros", "-47", "-00047"), ("zeros", "1.5", "1.5"), ("decimals", "47", "47")],
)
def test_an_opendocument_cell_has_the_leading_zeros_of_its_style(
    tmp_path: Path, style: str, number: str, shown: str
) -> None:
    attributes = f'office:value-type="float" table:style-name="{style}"'
    row = number_row(attributes).replace("12.5", number)
    (found,) = read_document(tmp_path / "f.ods", text_row("Cost") + row, styles=_STYLES)
    assert found.cells["Cost"] == shown
