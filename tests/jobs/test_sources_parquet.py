"""Parquet: values of every type are exact texts."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.jobs.readers import read_here
from tests.support.facts import having
from tests.support.laws import WHOLE, each_of
from wosdk_async.jobs import ImportMapError, open_source
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.ledger.identity import Identities
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.text.remedies import Remedy

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from wosdk_async.readers import parquet  # noqa: E402 -- it imports pyarrow


def written(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / "rows.parquet"
    pq.write_table(pa.table(columns), path, **options)
    return path


NANOSECOND = 1772352000123456789
PLUS_2 = dt.timezone(dt.timedelta(hours=2))


@each_of(
    ("value", "kind", "text"),
    [
        ("00501", pa.string(), "00501"),
        ("NA", pa.large_string(), "NA"),
        ("null", pa.dictionary(pa.int32(), pa.string()), "null"),
        (b"caf\xc3\xa9", pa.binary(), "café"),
        (b"ABCDEFGHIJKLMNOP", pa.uuid(), "41424344-4546-4748-494a-4b4c4d4e4f50"),
        (None, pa.uuid(), ""),
        (" x ", pa.string(), " x "),
        (None, pa.string(), ""),
        (None, pa.null(), ""),
        (True, pa.bool_(), "true"),
        (False, pa.bool_(), "false"),
        (2**64 - 1, pa.uint64(), "18446744073709551615"),
        (-5, pa.int8(), "-5"),
        (Decimal("0.10"), pa.decimal128(10, 2), "0.10"),
        (Decimal("12345678901234567890.123456789"), pa.decimal128(38, 9), "12345678901234567890.123456789"),
        (Decimal(0), pa.decimal128(38, 10), "0.0000000000"),
        (501.0, pa.float64(), "501"),
        (0.1, pa.float32(), "0.1"),
        (0.1 + 0.2, pa.float64(), "0.30000000000000004"),
        (1e-7, pa.float64(), "0.0000001"),
        (dt.date(2026, 3, 1), pa.date32(), "2026-03-01"),
        (dt.date(2026, 3, 1), pa.date64(), "2026-03-01"),
        (dt.time(8, 20), pa.time64("us"), "08:20:00"),
        (dt.datetime(2026, 3, 1, 8), pa.timestamp("ms"), "2026-03-01T08:00:00"),
        (dt.datetime(2026, 3, 1, 8, 0, 0, 120_000), pa.timestamp("us"), "2026-03-01T08:00:00.12"),
        (NANOSECOND, pa.timestamp("ns"), "2026-03-01T08:00:00.123456789"),
        (
            dt.datetime(2026, 3, 1, 8, tzinfo=PLUS_2),
            pa.timestamp("us", "Europe/Berlin"),
            "2026-03-01T06:00:00Z",
        ),
    ],
)
def test_a_value_is_an_exact_text(tmp_path: Path, value: Any, kind: Any, text: str) -> None:
    source = read_here(parquet, written(tmp_path, {"key": ["1"], "v": pa.array([value], kind)}))
    (row,) = source
    assert row.cells == {"key": "1", "v": text}
    assert source.dialect is None


@each_of(
    ("value", "kind", "reason"),
    [
        (float("nan"), pa.float64(), "nan is not a number that can be sent; write null for no value"),
        (float("-inf"), pa.float64(), "-inf is not a number"),
        (12345678901234567.0, pa.float64(), "has more than 15 digits"),
        (12345678.0, pa.float32(), "has more than 6 digits"),
        (["x"], pa.list_(pa.string()), "values of the type list<element: string>"),
        (b"\xff\xfe", pa.binary(), "begin with b'\\xff\\xfe', are not UTF-8"),
        (b"\xff\xfe", pa.binary(2), "its bytes, which begin with b'\\xff\\xfe', are not UTF-8"),
        (5, pa.bool8(), "it holds values of the type arrow.bool8, which cannot be converted"),
        (5, pa.duration("s"), "it holds values of the type duration[s]"),
        (10**17, pa.timestamp("ms"), "the time 100000000000000000 is not in the years 1 to 9999; correct it"),
        (-(10**6), pa.date32(), "the time -0768-02-04 is not in the years 1 to 9999"),
        (86_400, pa.time32("s"), "the time 86400000 is not within a day"),
    ],
)
def test_a_value_that_has_no_text_fails_rows_that_use_it(
    tmp_path: Path, value: Any, kind: Any, reason: str
) -> None:
    source = read_here(parquet, written(tmp_path, {"key": ["1", "2"], "v": pa.array([value, None], kind)}))
    bad, good = source
    assert (bad.fault, bad.cells["key"], good.cells["v"]) == (None, "1", "")
    with pytest.raises(RowError) as caught:
        bad.cells["v"]
    assert caught.value.message.startswith("column 'v': ")
    assert reason in caught.value.message


def test_each_text_is_judged_by_itself(tmp_path: Path) -> None:
    """Whatever other rows of its batch have, and also in a column of texts."""
    values = [b"abc", b"\xff\xfe", "é".encode()]
    texts = pa.array(values, pa.binary())
    unchecked = pa.Array.from_buffers(pa.string(), 3, texts.buffers())
    for column in (texts, unchecked, unchecked.dictionary_encode()):
        source = read_here(parquet, written(tmp_path, {"v": column}))
        assert [cell(row, "v") for row in source] == [
            "abc",
            r"column 'v': its bytes, which begin with b'\xff\xfe', are not UTF-8; write the column as text",
            "é",
        ]


def cell(row: Row, column: str) -> str:
    """The text of a cell, or why it has none."""
    try:
        return row.cells[column]
    except RowError as error:
        return error.message


def test_fields_of_structs_are_columns(tmp_path: Path) -> None:
    values = [{"b": 1, "c": {"d": "x"}}, None, {"b": None, "c": None}]
    source = read_here(parquet, written(tmp_path, {"a": values, "z": ["1", "2", "3"]}))
    assert source.columns == ("a.b", "a.c.d", "z")
    assert [tuple(row.cells.values()) for row in source] == [("1", "x", "1"), ("", "", "2"), ("", "", "3")]


def test_rows_are_counted_over_batches_and_empty_ones_skipped(tmp_path: Path) -> None:
    texts = [str(number) if number % 1000 else " " for number in range(5000)]
    source = read_here(parquet, written(tmp_path, {"a": texts, "b": [None] * 5000}, row_group_size=700))
    for _ in range(2):
        rows = [(row.number, row.line, row.cells["a"]) for row in source]
        assert rows[:1] + rows[-1:] == [(1, 2, "1"), (4995, 5000, "4999")]
        assert source.empty_rows == 5


def test_what_is_not_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    for content in (b"", b"PAR1" + b"\0" * 100 + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(ImportMapError, match=r"rows\.parquet: this is not a Parquet file"):
            open_source(path)
    with pytest.raises(ImportMapError, check=having(remedies=(Remedy.OTHER_HEADER,))):
        pq.write_table(pa.table([["1"], ["2"]], names=["a", "a"]), path)
        read_here(parquet, path)


def test_a_damaged_page_is_reported_before_rows_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, {"a": [f"text {number}" for number in range(5000)]}, compression="gzip")
    content = bytearray(path.read_bytes())
    content[40:4000] = b"\xff" * 3960
    path.write_bytes(content)
    with pytest.raises(ImportMapError, match="is damaged"):
        open_source(path)


def test_without_the_extra_its_name_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"a": ["1"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportMapError, match=r"extra 'parquet'; run pip install 'wosdk_"):
        open_source(path)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["00501", "NA", "null", "12345678901234567890", "0.10", "nan"]
)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_texts_are_given_exactly_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    first, second = map(list, zip(*rows, strict=True))
    path = written(tmp_path_factory.mktemp("p"), {"a": first, "b": second})
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    assert [(row.cells["a"], row.cells["b"]) for row in read_here(parquet, path)] == filled


@given(number=st.decimals(-(10**18), 10**18, places=4))
def test_decimals_are_exact(tmp_path_factory: pytest.TempPathFactory, number: Decimal) -> None:
    path = written(tmp_path_factory.mktemp("p"), {"n": pa.array([number], pa.decimal128(38, 4))})
    assert [row.cells["n"] for row in read_here(parquet, path)] == [format(number, "f")]


@given(number=st.floats(-1e14, 1e14))
def test_floats_are_read_back_as_the_same_number(
    tmp_path_factory: pytest.TempPathFactory, number: float
) -> None:
    path = written(tmp_path_factory.mktemp("p"), {"n": pa.array([number], pa.float64())})
    assert [float(row.cells["n"]) for row in read_here(parquet, path)] == [number]


FIRST, LAST = -62_135_596_800, 253_402_300_800  # seconds: the years 1 to 9999
EDGES = [FIRST - 1, FIRST, LAST - 1, LAST, -(2**33), 2**33, 9_223_372_036, 9_223_372_037, -9_223_372_037]
SPANS = [
    (pa.timestamp(unit, zone), size)
    for unit, size in (("ms", 3), ("us", 6), ("ns", 9))
    for zone in (None, "Asia/Tokyo")
]


def iso(second: int, part: int, size: int) -> str:
    """The text of a time, in ``second`` seconds and ``part`` units of 10**-size seconds since 1970."""
    time = (dt.datetime(1970, 1, 1) + dt.timedelta(seconds=second)).isoformat()
    return f"{time}.{part:0{size}}".rstrip("0") if part else time


@given(
    second=st.integers(FIRST, LAST) | st.integers(-(2**63) // 1000, 2**63 // 1000) | st.sampled_from(EDGES),
    part=st.integers(0, 10**9 - 1) | st.just(0),
    span=st.sampled_from(SPANS),
)
def test_a_time_is_exact_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, second: int, part: int, span: tuple[Any, int]
) -> None:
    kind, size = span
    part //= 10 ** (9 - size)
    value = second * 10**size + part
    assume(-(2**63) <= value < 2**63)
    (row,) = read_here(parquet, written(tmp_path_factory.mktemp("p"), {"v": pa.array([value], kind)}))
    if FIRST <= second < LAST:
        assert cell(row, "v") == iso(second, part, size) + ("Z" if kind.tz else "")
    else:
        assert "is not in the years 1 to 9999" in cell(row, "v")


@given(second=st.integers(FIRST, LAST + 10**9) | st.sampled_from(EDGES), part=st.integers(0, 10**6 - 1))
def test_a_time_of_96_bits_is_exact_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, second: int, part: int
) -> None:
    """As Spark and Impala write them, also outside the years 1677 to 2262."""
    times = [{"t": None}, {"t": second * 10**6 + part}]
    column = pa.array(times, pa.struct([("t", pa.timestamp("us"))]))
    path = written(
        tmp_path_factory.mktemp("p"), {"k": ["1", "2"], "v": column}, use_deprecated_int96_timestamps=True
    )
    empty, row = read_here(parquet, path)
    assert empty.cells["v.t"] == ""
    if FIRST <= second < LAST:
        assert cell(row, "v.t") == iso(second, part, 6)
    else:
        assert "is not in the years 1 to 9999" in cell(row, "v.t")


def test_a_time_of_96_bits_keeps_its_nanoseconds(tmp_path: Path) -> None:
    times = pa.array([NANOSECOND, -1], pa.timestamp("ns"))
    path = written(tmp_path, {"v": times}, use_deprecated_int96_timestamps=True, row_group_size=1)
    texts = ["2026-03-01T08:00:00.123456789", "1969-12-31T23:59:59.999999999"]
    assert [row.cells["v"] for row in read_here(parquet, path)] == texts


@given(day=st.integers(-(2**31), 2**31 - 1) | st.integers(-719_162 - 9, 2_932_896 + 9))
def test_a_day_is_exact_or_a_fault(tmp_path_factory: pytest.TempPathFactory, day: int) -> None:
    (row,) = read_here(parquet, written(tmp_path_factory.mktemp("p"), {"v": pa.array([day], pa.date32())}))
    ordinal = day + dt.date(1970, 1, 1).toordinal()
    if 1 <= ordinal <= dt.date.max.toordinal():
        assert cell(row, "v") == dt.date.fromordinal(ordinal).isoformat()
    else:
        assert "is not in the years 1 to 9999" in cell(row, "v")


def test_a_float_of_16_bits_is_the_shortest_text(tmp_path: Path) -> None:
    """All positive ones, and some of the negative ones, which differ by their sign alone."""
    every = [*range(1 << 15), *range(1 << 15, 1 << 16, 1 if WHOLE else 17), 0xAE66]
    halves = [struct.unpack("e", struct.pack("H", bits))[0] for bits in every]
    finite = [half for half in halves if math.isfinite(half)]
    rows = read_here(parquet, written(tmp_path, {"v": pa.array(finite, pa.float16())}))
    texts = [cell(row, "v") for row in rows]
    for half, text in zip(finite, texts, strict=True):
        if abs(half) >= 1000 and half == int(half):
            assert "has more than 3 digits" in text
        else:
            assert struct.pack("e", float(text)) == struct.pack("e", half)
            assert len(text.strip("-0.").replace(".", "")) <= 5
    assert {"0.1", "-0.1", "0.3333", "0.00000006"} <= {*texts}


@given(
    month=st.integers(0, 2**31 - 1),
    day=st.integers(0, 2**31 - 1),
    millisecond=st.integers(0, 2**31 - 1),
    text=st.none() | st.binary(max_size=4),
)
def test_what_duckdb_writes(
    tmp_path_factory: pytest.TempPathFactory, month: int, day: int, millisecond: int, text: bytes | None
) -> None:
    """UUID, INTERVAL, HUGEINT as a float, and bytes, each cell by itself, as DuckDB itself shows them."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("x") / "f.parquet"
    interval = f"to_months({month}) + to_days({day}) + to_milliseconds({millisecond})"
    first_row = f"(uuid(), {interval}, {millisecond}::HUGEINT, ?::BLOB, 1)"
    rows = f"VALUES {first_row}, (NULL, NULL, 2::HUGEINT ** 90, 'ok', 2)"
    duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)", [text])
    first, second = read_here(parquet, path)
    one, two, three, four, _ = first.cells.keys()
    shown = duckdb.execute("SELECT col0::text FROM read_parquet(?)", [str(path)]).fetchall()[0][0]
    assert first.cells[one] == shown
    found = re.fullmatch(r"P(?:(\d+)M)?(?:(\d+)D)?(?:T(\d+)(?:\.(\d+))?S)?", first.cells[two])
    assert (int(found[1] or 0), int(found[2] or 0)) == (month, day)
    assert int(found[3] or 0) * 1000 + int((found[4] or "").ljust(3, "0")) == millisecond
    assert first.cells[three] == str(millisecond)
    assert (second.cells[one], second.cells[two], second.cells[four]) == ("", "", "ok")
    with pytest.raises(RowError, match="more than 15 digits"):
        second.cells[three]
    try:
        expected = (text or b"").decode()
    except UnicodeDecodeError:
        with pytest.raises(RowError, match="are not UTF-8"):
            first.cells[four]
    else:
        assert first.cells[four] == expected


def test_rows_are_known_by_their_uuids(tmp_path: Path) -> None:
    """Without a key two rows that differ in nothing else are two, whatever their order."""
    values = pa.array([uuid.UUID(int=each).bytes for each in (1, 2, 1)], pa.uuid())
    identities = Identities(("uid",), None)
    one, two, again = map(identities.of, read_here(parquet, written(tmp_path, {"uid": values})))
    assert one.identity == again.identity != two.identity
    assert one.digest != two.digest
