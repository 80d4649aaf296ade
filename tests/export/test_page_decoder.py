"""Pages read straight into columns give the same batches as pages read as dicts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async import WorkOrder
from wosdk_async.codec import dumps
from wosdk_async.jobs.export.exported_rows import ExportedRows
from wosdk_async.jobs.export.page_decoder import BatchRow, batch_of
from wosdk_async.protocol import calls

SELECTED = (
    "Number",
    "Duration",
    "IsWarranty",
    "StatusId",
    "DtDue",
    "DueDateUtc",
    "VendorNte.Value",
    "Customer.Name",
)
ROWS = ExportedRows.of(WorkOrder, select=SELECTED)
BUILDER = ROWS.builder()
DICTS = calls.query("WorkOrder", {}).decode

TIMES = [
    "2026-03-01T09:12:31.44",
    "2026-03-01T09:12:31.4412345",
    "2026-03-01T09:12:31.4412345Z",
    "2026-03-01T09:12:31Z",
    "2026-03-01T09:12:31.441234+02:00",
    "2026-03-01T09:12:31.4412345+02:00",
    "2026-03-01T09:12:31.4412345-02",
    "2026-03-01",
    "0001-01-01T00:00:00",
    "0000-01-01T00:00:00",
    "9999-12-31T23:59:59.9999999Z",
    "9999-12-31T23:59:59-01:00",
    "2026-13-01T00:00:00",
    "2026-03-01T09:12:31.44123456789",
    "2026-03-01T09:12:31.441234  ",
    "soon",
    "",
]
NUMBERS = st.sampled_from(
    [0, 1, -5, 350.5, 350.50001, 1e30, "12.5", "1e3", " 7", "x", "", True, 10**18, -0.0]
)
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.text(max_size=3), st.just([1]), st.just({})
)
NORMAL: dict[str, Any] = {
    "Number": st.text(max_size=5),
    "Duration": st.integers(-(2**63), 2**63 - 1),
    "IsWarranty": st.booleans(),
    "StatusId": st.sampled_from(["New", "Open", "Frozen"]),
    "DtDue": st.sampled_from(TIMES),
    "DueDateUtc": st.sampled_from(TIMES),
    "VendorNte": st.one_of(
        st.none(), st.fixed_dictionaries({"Value": NUMBERS, "CurrencyTypeId": st.just("USD")})
    ),
    "Customer": st.one_of(
        st.none(), st.fixed_dictionaries({"Id": st.integers(1, 9), "Name": st.text(max_size=3)})
    ),
    "SlaState": st.text(max_size=2),
}


def some(values: dict[str, Any]) -> Any:
    """Rows that have some of the members."""
    return st.fixed_dictionaries(
        {}, optional={name: st.one_of(st.none(), each) for name, each in values.items()}
    )


@st.composite
def pages(draw: Any) -> list[dict[str, Any]]:
    """Pages as documented, mostly; some have an odd value, or a name in other letters."""
    rows = draw(st.lists(some(NORMAL), max_size=4))
    if rows and draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from([*NORMAL, "number", "Customer", "Items", "Unknown"]))
        rows[draw(st.integers(0, len(rows) - 1))][name] = draw(ODD)
    return [row | {"Id": number} for number, row in enumerate(rows, 1)]


def body_of(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps({"Entities": [{"Data": row} for row in rows]}).encode()


@given(pages(), pages())
def test_both_ways_give_the_same_batches(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    """Whatever the pages hold, and whatever was learned from the page before."""
    require_same(first, second, first, second)


def require_same(*pages: list[dict[str, Any]]) -> None:
    """Fail unless both ways give the same batch for each page."""
    decode = ROWS.decoder(BUILDER.schema)
    for page in pages:
        body = body_of(page)
        rows = decode(body)
        assert len(rows) == len(page)
        if rows:
            made, expected = batch_of(BUILDER, rows), BUILDER.batch(DICTS(body))
            assert made.to_pylist() == expected.to_pylist()
            assert made.schema.equals(expected.schema)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("name", ["DtDue", "DueDateUtc"])
def test_times_are_read_as_everywhere(name: str, time: str) -> None:
    """Alone in their page, and beside a time that is as documented."""
    require_same([{"Id": 1, name: time}], [FULL, {**FULL, name: time, "Id": 2}])


@pytest.mark.parametrize(
    "second", [{"SlaState": None}, {}, {"SlaState": 5}, {"SlaState": "Met", "Score": 1}], ids=str
)
def test_what_was_learned_may_be_wrong(second: dict[str, Any]) -> None:
    """A member that all records had is null in the next page, missing, of another type, or not alone."""
    first = [{**FULL, "SlaState": "Met"}]
    require_same(first, first, [{**FULL, **second}], first)


FULL = {
    "Number": "WO1",
    "Duration": 5,
    "IsWarranty": True,
    "StatusId": "New",
    "DtDue": "2026-03-01T09:12:31.4412345",
    "DueDateUtc": "2026-03-01T09:12:31.4412345Z",
    "VendorNte": {"Value": 350.25, "CurrencyTypeId": "USD"},
    "Customer": {"Id": 5, "Name": "Mall"},
    "Id": 1,
}


def is_direct(*bodies: bytes) -> bool:
    """Whether the last page is read without dicts, after those before it."""
    decode = ROWS.decoder(BUILDER.schema)
    rows: list[Any] = []
    for body in bodies:
        rows = decode(body)
    return isinstance(rows[0], BatchRow)


def test_documented_pages_are_read_without_dicts() -> None:
    """Also when all records have a member that the catalogue does not know, from the second page on."""
    assert is_direct(body_of([FULL]))
    unknown = body_of([{**FULL, "SlaState": "Met", "Score": 5}])
    assert not is_direct(unknown)
    assert is_direct(unknown, unknown)


@pytest.mark.parametrize(
    "odd",
    [
        {"Number": 5},
        {"Duration": "5"},
        {"Duration": 5.0},
        {"Customer": "Mall"},
        {"customer": {"Id": 5}},
        {"Items": []},
        {"DtDue": "soon"},
        {"VendorNte": {"Value": 0.00001}},
        {"Score": 1.5},
        {"SlaState": None},
    ],
    ids=str,
)
def test_other_pages_are_read_as_dicts(odd: dict[str, Any]) -> None:
    """Nothing is lost: the values are where the dicts have them."""
    body = body_of([FULL | odd])
    assert not is_direct(body, body)


def test_a_row_that_is_like_no_other_does_not_end_it() -> None:
    """Five pages that do not fit, one after the other, do: then no more are tried."""
    good, odd = body_of([FULL]), body_of([{**FULL, "Number": 5}])
    assert is_direct(*[odd] * 4, good)
    assert not is_direct(*[odd] * 5, good)


@pytest.mark.parametrize(
    "body",
    [
        b'{"Entities":[{"Data":{"Id":1,"Number":"\xff"}}]}',
        b'{"Entities":[{"Data":{"Id":1}}]} {"Entities":[]}',
        b'{"Entities":[null]}',
        b'{"Entities":[{"Data":null}]}',
        b'{"Entities":null}',
        b"{}",
        b"",
        b"[" * 100_000,
        b'{"Entities":[{"Data":{"Id":' + b"[" * 100_000,
        b'{"ErrorMessage":"no","ErrorCode":"BUSY"}',
    ],
    ids=lambda body: repr(body[:40]),
)
def test_a_body_that_is_no_page_is_judged_by_the_reader_of_responses(body: bytes) -> None:
    """With the same error, or the same result."""

    def outcome(read: Any) -> Any:
        try:
            return [type(row) for row in read(body)]
        except Exception as error:
            return type(error), str(error)

    assert outcome(ROWS.decoder(BUILDER.schema)) == outcome(DICTS)


def test_a_name_that_comes_twice_is_read_as_dicts() -> None:
    """The last one counts, as everywhere."""
    body = b'{"Entities":[{"Data":{"Id":1,"Number":"a","Number":"b"}}]}'
    rows = ROWS.decoder(BUILDER.schema)(body)
    assert batch_of(BUILDER, rows).to_pylist()[0]["Number"] == "b"


def test_lists_are_read_as_dicts() -> None:
    """Their column holds JSON text, which Arrow does not make."""
    rows = ExportedRows.of(WorkOrder, select=["Number", "Items.*"])
    decode = rows.decoder(rows.builder().schema)
    body = dumps({"Entities": [{"Data": {"Id": 1, "Number": "a", "Items": [{"Id": 7}]}}]})
    assert decode(body) == [{"Id": 1, "Number": "a", "Items": [{"Id": 7}]}]
