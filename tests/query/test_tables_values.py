"""Laws: each cell of a table is what reading the record gives, and Extra has the rest."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.query.row_strategies import as_sent, expected, rows
from tests.support.laws import each_of
from wosdk_async import WorkOrder, codec
from wosdk_async.model import WoNote
from wosdk_async.query.columns import columns_of
from wosdk_async.query.table import TableBuilder

ORDERS = columns_of(WorkOrder, ["TypeCategory", "IsWarranty", "Items.*", "Address.Latitude", "Customer.Name"])
NOTES = columns_of(WoNote, ["*", "CreatedBy.DisplayAs"])
FEW = columns_of(WorkOrder, ["Number", "VendorNte.Value", "DueDateUtc", "DtDue", "Duration", "Customer.Name"])
PLANS = [(WorkOrder, ORDERS), (WoNote, NOTES), (WorkOrder, FEW)]


def page(data: list[Any]) -> bytes:
    return codec.dumps({"Entities": [{"Data": row} for row in data]})


def sendable(data: Any) -> Any:
    """Without whole numbers of more than 64 bits, which ``dumps`` refuses; tested apart."""
    if isinstance(data, dict):
        return {name: sendable(value) for name, value in data.items()}
    too_long = isinstance(data, int) and not -(2**63) <= data < 2**64
    return Decimal("1E+30") if too_long else data


@pytest.mark.parametrize(("cls", "columns"), PLANS)
@given(st.data())
def test_cells_are_what_the_record_holds(cls: Any, columns: Any, data: st.DataObject) -> None:
    sent = data.draw(st.lists(rows(columns), max_size=4))
    made = [as_sent(row) for row in TableBuilder(columns).batch(sent).to_pylist()]
    assert made == [expected(row, cls, columns) for row in sent]


@pytest.mark.parametrize(("cls", "columns"), PLANS)
@given(st.data())
def test_the_fast_way_gives_what_the_slow_way_gives(cls: Any, columns: Any, data: st.DataObject) -> None:
    builder = TableBuilder(columns)
    for _ in range(3):  # names are learned
        odd = data.draw(st.booleans())
        body = page([sendable(row) for row in data.draw(st.lists(rows(columns, odd=odd), max_size=3))])
        plain = [row["Data"] for row in codec.loads(body)["Entities"]]
        assert builder.batch(builder.rows(body)).equals(builder.batch(plain))


def test_pages_of_documented_rows_are_read_the_fast_way() -> None:
    builder = TableBuilder(FEW)
    (row,) = builder.rows(page([{"Id": 5, "Number": "7"}]))
    assert not isinstance(row, dict)
    assert row.id == 5
    assert TableBuilder(FEW).rows(page([{"Id": 5, "Sla": 1}])) == [{"Id": 5, "Sla": 1}]


def test_unknown_names_are_learned() -> None:
    builder = TableBuilder(FEW)
    body = page([{"Id": 5, "Sla": 1, "Customer": {"Id": 7, "Zone": None}}, {"Id": 6}])
    first, second = builder.rows(body), builder.rows(body)
    assert isinstance(first[0], dict)
    assert not isinstance(second[0], dict)
    for read in (first, second):  # the older form is still read
        assert builder.batch(read).column("Extra").to_pylist() == ['{"Customer.Zone":null,"Sla":1}', None]


def test_ever_new_names_do_not_fill_the_memory() -> None:
    builder = TableBuilder(FEW)
    for i in range(20):
        data = [{"Id": 5, f"New{i}": i, f"Other{i}": i}]
        batch = builder.batch(builder.rows(page(data)))
        assert batch.column("Extra").to_pylist() == [f'{{"New{i}":{i},"Other{i}":{i}}}']
    assert isinstance(builder.rows(page([{"Id": 5, "New19": 1}]))[0], dict)


@each_of(
    ("sent", "extra"),
    [
        (b'{"Number":"\\ud800"}', '{"Number":"\\ud800"}'),
        (b'{"Duration":123456789012345678901234567890}', '{"Duration":123456789012345678901234567890}'),
        (b'{"Duration":9223372036854775808}', '{"Duration":9223372036854775808}'),
        (b'{"VendorNte":{"Value":1.0000000000000001}}', '{"VendorNte.Value":1.0000000000000001}'),
        (
            b'{"VendorNte":{"Value":"\\ud800","New":[1.50]}}',
            '{"VendorNte.New":[1.50],"VendorNte.Value":"\\ud800"}',
        ),
        (b'{"DueDateUtc":"0000-01-01T00:00:00"}', '{"DueDateUtc":"0000-01-01T00:00:00"}'),
        (b'{"DtDue":"0000-01-01"}', '{"DtDue":"0000-01-01"}'),
        (b'{"VendorNte":7}', '{"VendorNte":7}'),
        (b'{"Duration":5.0}', '{"Duration":5.0}'),
        (b'{"Duration":true,"NUMBER":"A"}', '{"Duration":true}'),
    ],
)
def test_what_does_not_fit_is_kept_as_it_was_sent(sent: bytes, extra: str) -> None:
    builder = TableBuilder(FEW)
    body = b'{"Entities":[{"Data":%b}]}' % sent
    for _ in range(2):
        (row,) = builder.batch(builder.rows(body)).to_pylist()
        assert row["Extra"] == extra
        assert row["Duration"] is None
        assert row["VendorNte.Value"] is None
        assert row["Number"] in (None, "A")


@each_of(
    "number", ["0E-9999999", "1." + "0" * 5000, "1.5000", "-1E+2", "0.00001", "1234567890123456.123456789"]
)
def test_a_number_of_any_length_is_exact(number: str) -> None:
    builder = TableBuilder(FEW)
    (row,) = builder.batch([{"VendorNte": {"Value": Decimal(number)}}]).to_pylist()
    assert row["VendorNte.Value"] == Decimal(number)
    assert row["Extra"] is None


@each_of("number", ["1." + "0" * 5000 + "1", "0.0000000000000001", "1" + "0" * 23, "-1E-9999999"])
def test_a_number_that_does_not_fit_is_never_rounded(number: str) -> None:
    builder = TableBuilder(FEW)
    (row,) = builder.batch([{"VendorNte": {"Value": Decimal(number)}}]).to_pylist()
    assert row["VendorNte.Value"] is None
    assert row["Extra"] == f'{{"VendorNte.Value":{number}}}'
