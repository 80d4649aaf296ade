"""Times and numbers in the format that a map states."""

# ruff: noqa: E501 - a table of inputs and the messages about them

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.jobs.maps import built, load
from tests.support.laws import each_of
from wosdk_async import InvalidCallError
from wosdk_async.codec import loads
from wosdk_async.jobs import ImportMap, ImportMapError
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.imports.reading import RowBuilder
from wosdk_async.jobs.mapping.nodes import RowContext
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.jobs.mapping.tables import TextTable
from wosdk_async.jobs.mapping.values import value_parser
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.protocol.calls import Written, command

FIELDS = {
    "UTC": "work_order.due_date_utc",
    "LOCAL": "action_date",
    "NUMBER": "work_order.vendor_nte.value",
    "WHOLE": "work_order.duration",
    "TEXT": "work_order.po_number",
    "FLAG": "compute_schedule",
}
MAP = """
[command]
action_date = LOCAL
compute_schedule = FLAG
[command.work_order]
due_date_utc = UTC
duration = WHOLE
po_number = TEXT
vendor_nte = { value = NUMBER }
"""


def field_map(folder: Path, field: str, options: str, text: str = "{c}") -> ImportMap:
    table = f'{{ text = "{text}", {options} }}'
    lines = [line for line in MAP.splitlines() if line.startswith("[") or field in line]
    return load(folder, *(line.replace(field, table) for line in lines))


def value(folder: Path, field: str, options: str, cell: str, text: str = "{c}") -> Any:
    """The value of a field; None also where what would have it is not sent."""
    made = built(field_map(folder, field, options, text), {"c": cell})
    for step in FIELDS[field].split("."):
        made = getattr(made, step, None)
    return made


@each_of(
    ("field", "options", "cell", "found"),
    [
        ("FLAG", "values = { ja = true, nein = false }", " JA ", True),
        ("FLAG", "values = { ja = true, nein = false }", "nein", False),
        ("FLAG", "values = { ja = true }", "  ", None),
        ("WHOLE", 'values = { "zwei Stunden" = 120, eine = "60" }', "Eine", 60),
        (
            "NUMBER",
            'values = { viel = "1.000,5" }, decimal = ",", thousands = "."',
            "viel",
            Decimal("1000.5"),
        ),
        ("TEXT", 'values = { a = "Alpha", b = "" }', "A", "Alpha"),
    ],
)
def test_words_mean_what_the_map_says(
    tmp_path: Path, field: str, options: str, cell: str, found: object
) -> None:
    assert value(tmp_path, field, options, cell) == found


def test_a_word_that_the_map_does_not_know_fails_its_row(tmp_path: Path) -> None:
    with pytest.raises(
        RowError, match=r"takes 'ja', 'nein', not 'oui'; add this word to 'values' .*\(column 'c'\)"
    ):
        value(tmp_path, "FLAG", "values = { ja = true, nein = false }", "oui")
    many = ", ".join(f"w{number} = true" for number in range(1000))
    with pytest.raises(RowError, match=r"takes 'w0', .*, 'w7', \.\.\., not 'oui'"):
        value(tmp_path, "FLAG", f"values = {{ {many} }}", "oui")
    with pytest.raises(RowError, match=r"takes true or false, not 'oui'; or define its meaning with values"):
        value(tmp_path, "FLAG", "truncate = false", "oui")


def test_a_currency_sign_is_named_as_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(RowError, match=r"not '1,01 €'; if '€' is a currency .* strip = \[\"€\"\]"):
        value(tmp_path, "NUMBER", 'decimal = ","', "1,01 €")
    with pytest.raises(RowError, match=r"not '1,x1' \("):
        value(tmp_path, "NUMBER", 'decimal = ","', "1,x1")


@pytest.mark.parametrize(
    ("cell", "options"),
    [
        (".5", 'thousands = ","'),
        ("12.", 'strip = ["kg"]'),
        ("5,-", "truncate = false"),
        ("(5", 'decimal = ","'),
    ],
)
def test_marks_of_numbers_are_not_taken_for_units(tmp_path: Path, cell: str, options: str) -> None:
    """The map would refuse to strip them."""
    with pytest.raises(RowError) as raised:
        value(tmp_path, "NUMBER", options, cell)
    assert "strip" not in raised.value.message


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("9" * 101, "takes a number with at most 100 digits on each side of the decimal point, not '999"),
        (
            "0," + "1" * 101,
            "takes a number with at most 100 digits on each side of the decimal point, not '0.1",
        ),
        ("1" + "x" * 300_000 + "1", "takes a number, not '1xxx"),
    ],
)
def test_a_number_as_text_is_bounded_and_shown_cut(tmp_path: Path, cell: str, why: str) -> None:
    with pytest.raises(RowError) as error:
        value(tmp_path, "NUMBER", 'decimal = ",", thousands = "."', cell)
    assert why in error.value.message
    assert "(column 'c')" in error.value.message
    assert len(error.value.message) < 400


def utc(year: int, month: int, day: int, *time: int) -> datetime:
    return datetime(year, month, day, *time, tzinfo=UTC)


@each_of(
    ("field", "options", "cell", "found"),
    [
        ("UTC", 'date = "%d.%m.%Y"', "1.3.2026", utc(2026, 3, 1)),
        ("UTC", 'date = "%d.%m.%Y %H:%M", zone = "Europe/Berlin"', " 01.03.2026 08:00 ", utc(2026, 3, 1, 7)),
        ("UTC", 'date = "%d.%m.%Y %H:%M", zone = "Europe/Berlin"', "01.07.2026 08:00", utc(2026, 7, 1, 6)),
        (
            "UTC",
            'date = "%m/%d/%y %I:%M %p", zone = "US/Central"',
            "12/31/25 11:30 PM",
            utc(2026, 1, 1, 5, 30),
        ),
        ("UTC", 'zone = "Europe/Berlin"', "2026-03-01", utc(2026, 2, 28, 23)),
        ("UTC", 'zone = "Europe/Berlin"', "2026-03-01T08:00+05:00", utc(2026, 3, 1, 3)),
        ("UTC", 'date = "%Y%m%d%H%M%z", zone = "Europe/Berlin"', "202603010800-0600", utc(2026, 3, 1, 14)),
        ("UTC", 'date = "iso"', "2026-03-01T08:00Z", utc(2026, 3, 1, 8)),
        ("UTC", 'zone = "Europe/Berlin"', "2026-03-29T01:59", utc(2026, 3, 29, 0, 59)),
        ("UTC", 'zone = "Europe/Berlin"', "2026-03-29T03:00", utc(2026, 3, 29, 1)),
        ("UTC", 'zone = "Europe/Berlin", fold = "first"', "2026-10-25T02:30", utc(2026, 10, 25, 0, 30)),
        ("UTC", 'zone = "Europe/Berlin", fold = "second"', "2026-10-25T02:30", utc(2026, 10, 25, 1, 30)),
        ("UTC", 'zone = "Europe/Berlin"', "2026-10-25T03:00", utc(2026, 10, 25, 2)),
        ("UTC", 'zone = "Europe/Berlin"', " ", None),
        ("LOCAL", 'date = "%d.%m.%Y"', "01.03.2026", datetime(2026, 3, 1)),
        ("LOCAL", 'date = "%d.%m.%Y", zone = "Europe/Berlin"', "29.03.2026", datetime(2026, 3, 29)),
        ("LOCAL", 'zone = "Europe/Berlin"', "2026-03-01T08:00Z", datetime(2026, 3, 1, 9)),
        ("NUMBER", 'decimal = ","', "1234,50", Decimal("1234.50")),
        ("NUMBER", 'decimal = ",", thousands = "."', "-1.234.567,5", Decimal("-1234567.5")),
        ("NUMBER", 'decimal = ",", thousands = "."', "1234567", Decimal(1234567)),
        ("NUMBER", 'decimal = ",", thousands = " "', "1\u202f234\u00a0567,00", Decimal("1234567.00")),
        ("NUMBER", 'thousands = "\'"', "12'345.10", Decimal("12345.10")),
        ("NUMBER", 'thousands = ","', "+12,345", Decimal(12345)),
        ("WHOLE", 'thousands = "."', "1.234", 1234),
        ("WHOLE", 'thousands = "."', "90", 90),
    ],
)
def test_a_text_is_read_in_the_stated_format(
    tmp_path: Path, field: str, options: str, cell: str, found: object
) -> None:
    made = value(tmp_path, field, options, cell)
    assert made == found
    assert str(made) == str(found)  # the digits behind the decimal mark, and UTC


@each_of(
    ("field", "options", "cell", "message"),
    [
        (
            "UTC",
            'date = "%d.%m.%Y"',
            "2026-03-01",
            "command.work_order.due_date_utc takes a time such as 31.03.2026 (date = '%d.%m.%Y'), not '2026-03-01'; correct the cell, or change 'date' in the map (column 'c')",
        ),
        ("UTC", 'date = "%d.%m.%Y"', "30.02.2026", "not '30.02.2026'; this day does not exist"),
        (
            "UTC",
            'zone = "Europe/Berlin"',
            "01.03.2026",
            "takes a time such as 2026-03-31T16:05 (date = 'iso')",
        ),
        (
            "UTC",
            'zone = "Europe/Berlin"',
            "2026-03-29T02:30",
            "takes a time that exists in Europe/Berlin, not '2026-03-29T02:30', which is skipped by a clock change",
        ),
        (
            "UTC",
            'zone = "Europe/Berlin"',
            "2026-10-25T02:30",
            "is ambiguous: '2026-10-25T02:30' occurs twice in Europe/Berlin because the clocks are set back; add fold = \"first\"",
        ),
        ("UTC", 'zone = "Europe/Berlin"', "0001-01-01", "takes a time in the years 1 to 9999"),
        ("UTC", 'zone = "US/Central"', "9999-12-31T23:00", "takes a time in the years 1 to 9999"),
        ("LOCAL", 'date = "iso"', "2026-03-01T08:00Z", "has a UTC offset; convert it with the site's zone"),
        ("NUMBER", 'decimal = ","', "1.5", "takes a number such as 1234,50, not '1.5'"),
        ("NUMBER", 'decimal = ",", thousands = "."', "1.5", "takes a number such as 1.234,50, not '1.5'"),
        ("NUMBER", 'decimal = ",", thousands = "."', "1.2345", "not '1.2345'"),
        ("NUMBER", 'decimal = ",", thousands = "."', "1234.567", "not '1234.567'"),
        ("NUMBER", 'decimal = ","', "5 €", "not '5 €'"),
        ("NUMBER", 'decimal = ","', "٣", "not '٣'"),
        ("WHOLE", 'thousands = "."', "1,5", "takes a number such as 1.234, not '1,5'"),
        ("WHOLE", 'thousands = "."', "9" * 5000, "takes a whole number, not '9"),
    ],
)
def test_a_text_in_another_format_fails_its_row(
    tmp_path: Path, field: str, options: str, cell: str, message: str
) -> None:
    with pytest.raises(RowError) as caught:
        value(tmp_path, field, options, cell)
    assert message in caught.value.message


@each_of(
    ("field", "options", "message"),
    [
        ("UTC", 'date = "%Q"', "command.work_order.due_date_utc takes a format such as \"%d.%m.%Y\" or \"iso\", not '%Q'"),
        ("UTC", 'date = "%d.%m."', "takes a format with day, month and year (%d %m %Y), not '%d.%m.'"),
        ("UTC", 'date = ""', "takes a format with day, month and year"),
        ("UTC", 'date = "%"', "takes a format such as"),
        ("UTC", 'date = "%d.%m.%Y %I:%M"', "takes a format with %p if it has %I"),
        ("UTC", "date = 5", "takes a single format such as"),
        ("UTC", 'date = ["%d.%m.%Y", "iso"]', "not ['%d.%m.%Y', 'iso']; correct cells in other formats"),
        ("UTC", 'zone = "Europe/Berln"', "takes an IANA time zone, not 'Europe/Berln'; did you mean 'Europe/Berlin'?"),
        ("UTC", 'zone = "../etc"', "takes an IANA time zone"),
        ("UTC", 'zone = ""', "takes an IANA time zone"),
        ("UTC", 'zone = "UTC", fold = "third"', "fold takes \"first\" or \"second\", not 'third'"),
        ("UTC", 'decimal = ","', "command.work_order.due_date_utc is not a number field; remove 'decimal'"),
        ("LOCAL", 'zone = "UTC", fold = "first"', "is local time, which is sent unchanged; remove 'fold'"),
        ("NUMBER", 'date = "iso"', "is not a time field; remove 'date'"),
        ("NUMBER", 'decimal = ",,"', 'takes a single character such as "," or ".", not \',,\''),
        ("NUMBER", 'decimal = "1"', "not '1'"),
        ("NUMBER", 'thousands = "."', "value: thousands and decimal are both '.'; set decimal, as in decimal"),
        ("NUMBER", 'decimal = ",", thousands = ","', "not ',' for both"),
        ("WHOLE", 'decimal = ","', "takes whole numbers; remove 'decimal'"),
        ("FLAG", "values = {}", "values takes a table of distinct words"),
        ("FLAG", "values = { Ja = true, ja = false }", "distinct words (ignoring case)"),
        ("FLAG", 'values = { ja = "perhaps" }', "compute_schedule.values.ja takes true or false, not 'perhaps'"),
        ("FLAG", "values = { ja = 7 }", "compute_schedule.values.ja takes true or false, not 7"),
        ("TEXT", "values = 7", "takes a table, not 7"),
        ("TEXT", 'empty = "null"', 'takes "skip" or "clear", not \'null\''),
        ("UTC", 'empty = "clear"', 'empty = "clear" works only for string fields with columns'),
        ("TEXT", 'date = "iso"', "is not a time field; remove 'date'"),
        ("TEXT", 'thousands = "."', "is not a number field; remove 'thousands'"),
        ("FLAG", 'zone = "UTC"', "is not a time field; remove 'zone'"),
        ("UTC", 'zones = "UTC"', "has an unknown key 'zones'; did you mean 'zone'?"),
    ],
)  # fmt: skip
def test_a_format_is_checked_when_the_map_is_loaded(
    tmp_path: Path, field: str, options: str, message: str
) -> None:
    with pytest.raises(ImportMapError) as caught:
        field_map(tmp_path, field, options)
    assert message in caught.value.message


@each_of(
    ("kind", "text", "keys"),
    [
        ("datetime-local", "01.12.2026", 'date = "%d.%m.%Y"'),
        ("datetime-utc", "01/12/2026 08:00", 'date = "%d/%m/%Y %H:%M" or date = "%m/%d/%Y %H:%M"'),
        ("datetime-local", "05.03.2026 14:30", 'date = "%d.%m.%Y %H:%M"'),
        ("datetime-local", "5.3.2026, 14:30:10", 'date = "%d.%m.%Y, %H:%M:%S"'),
        ("datetime-utc", "3/25/2026 2:30:10 pm", 'date = "%m/%d/%Y %I:%M:%S %p"'),
        ("datetime-utc", "25/03/2026 2:30PM", 'date = "%d/%m/%Y %I:%M%p"'),
        ("datetime-local", "25/03/2026", 'date = "%d/%m/%Y"'),
        ("number", "1.250,50", 'decimal = ",", thousands = "."'),
        ("number", "80,5", 'decimal = ",", thousands = "."'),
    ],
)
def test_a_text_of_another_country_leads_to_the_keys_of_the_map(kind: str, text: str, keys: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f'in the map: {{ text = "{{...}}", {keys} }}')):
        parser(kind)(text)
    with pytest.raises(ValueError, match="not 'soon'") as caught:
        parser(kind)("soon")
    assert "in the map" not in str(caught.value), "no format has such a value"
    assert kind.startswith("datetime") is str(caught.value).endswith("; correct the cell")


@each_of("text", ["31.02.2026", "05.03.2026 14:30 Uhr", "5/3/2026 25:00", "5.3.2026 14:30 PM"])
def test_a_format_that_cannot_read_the_text_is_not_proposed(text: str) -> None:
    with pytest.raises(ValueError, match=rf"not '{re.escape(text)}'; .* date = \"\.\.\."):
        parser("datetime-utc")(text)


@given(
    st.datetimes().map(lambda time: time.replace(microsecond=0)),
    st.sampled_from(["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"]),
    st.sampled_from(["", " %H:%M", " %H:%M:%S", ", %H:%M", " %I:%M %p", " %I:%M:%S%p"]),
)
def test_the_format_of_a_time_is_among_those_proposed_for_it(time: datetime, day: str, hour: str) -> None:
    """Each that is proposed reads the text; the one in which it was written reads it as it was meant."""
    text = time.strftime(f"{day}{hour}".replace("%Y", f"{time.year:04}"))
    with pytest.raises(ValueError, match="set it in the map") as caught:
        parser("datetime-local")(text)
    proposed = re.findall(r'date = "([^"]*)"', str(caught.value))
    read = {each: parser("datetime-local", date=each)(text) for each in proposed}
    assert read[f"{day}{hour}"].date() == time.date()


def test_a_fixed_text_is_read_in_its_format_too(tmp_path: Path) -> None:
    made = built(field_map(tmp_path, "UTC", 'date = "%d.%m.%Y"', text="01.03.2026"), {})
    assert made.work_order.due_date_utc == utc(2026, 3, 1)
    with pytest.raises(ImportMapError, match=r"takes a time such as 31.03.2026 .*, not 'soon'"):
        field_map(tmp_path, "UTC", 'date = "%d.%m.%Y"', text="soon")


def parser(kind: str, **options: Any) -> Any:
    return value_parser({"type": kind}, TextTable(text="{c}", **options), "field")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_numbers_written_with_marks_are_the_same_numbers(number: Decimal) -> None:
    swapped = f"{number:,}".translate(str.maketrans(",.", ".,"))
    assert str(parser("number", decimal=",", thousands=".")(swapped)) == str(number)


@given(
    st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1), max_value=datetime(2037, 1, 1)),
    st.sampled_from(["Europe/Berlin", "America/Chicago", "Australia/Lord_Howe", "Asia/Kolkata"]),
)
def test_every_instant_is_read_back_from_its_local_time(instant: datetime, zone: str) -> None:
    """Also those of the hour that the clocks show twice."""
    import zoneinfo

    local = instant.astimezone(zoneinfo.ZoneInfo(zone))
    fold = ("first", "second")[local.fold]
    text = local.replace(tzinfo=None).isoformat()
    assert parser("datetime-utc", zone=zone, fold=fold)(text) == instant


def test_blanks_that_the_service_cuts_off_are_announced(tmp_path: Path) -> None:
    """It does so at the end of a contact's name."""
    found = load(tmp_path, "[command.work_order]", 'contact_name = "{c}"', 'po_number = "{c}"')
    for cell, told in (("Ana ", 1), ("  ", 1), (" Ana", 0)):
        context = RowContext({"c": cell}, ReferenceIndex(()))
        made: Any = found.record.build(context)
        assert (made.work_order.contact_name, len(context.warnings)) == (cell, told)
        assert all("contact_name" in each and repr(cell) in each for each in context.warnings)


CELLS = {
    "text": ["", " ", "1", "x" * 31, "x" * 65, "x" * 4000],
    "time": ["", "2026-03-31T16:05"],
    "number": ["", "7"],
    "flag": ["", "yes"],
}
WHOLE_MAP = """
[command]
comment = "{text}"
compute_schedule = "{flag}"
action_date = "{time}"
[command.work_order]
type_category = "Request"
due_date_utc = { text = "{time}", zone = "Europe/Berlin" }
duration = "{number}"
po_number = "{number}{text}"
vendor_nte = { value = "{number}", currency_type_id = "USD" }
customer.id = "{number}"
number = "{number}"
[[command.work_order.items]]
comment = "{text}"
asset = { id = 5 }
[[command.work_order.items]]
comment = "{flag}"
"""


@given(
    cells=st.fixed_dictionaries({name: st.sampled_from(texts) for name, texts in CELLS.items()}),
    is_set_by_service=st.booleans(),
)
def test_a_row_sends_what_its_record_would_send(
    tmp_path_factory: pytest.TempPathFactory, cells: dict[str, str], is_set_by_service: bool
) -> None:
    lines = [line for line in WHOLE_MAP.splitlines() if is_set_by_service or not line.startswith("number =")]
    builder = RowBuilder(load(tmp_path_factory.getbasetemp(), *lines), ReferenceIndex(()), None)
    row = Row(1, 2, cells)
    try:
        record: Any = builder.build(row)[0]
    except RowError as error:
        with pytest.raises(RowError, match=re.escape(error.message)):
            builder.build_claim(row, None)
        return
    sent = builder.build_claim(row, None).record
    try:
        body = command(record).body
    except InvalidCallError as error:
        with pytest.raises(InvalidCallError, match=re.escape(error.message)):
            command(sent)
        return
    assert isinstance(sent, Written)  # only what the service refuses needs the record
    assert _without_request_id(command(sent).body) == _without_request_id(body)


def _without_request_id(body: bytes | None) -> object:
    content = loads(body or b"")
    assert content.pop("RequestId")
    return content
