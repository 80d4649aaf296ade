"""Faults of rows: all of one row are said at once, and the columns behind a field that the service misses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import CUSTOMER, FIXED_CUSTOMER, WORK_ORDER, built, load
from tests.jobs.test_check import checked
from tests.support.laws import each_of
from wosdk_async.jobs import CsvFile, Import, ImportMapError, ImportOptions, RowOutcome
from wosdk_async.jobs.errors import AmbiguousNameError, RowError, WaitingRowError, joined
from wosdk_async.jobs.imports.check_result import Finding
from wosdk_async.jobs.stop import ALIKE, StopRules

MAP = """
[command]
action_date = { text = "{begun}", date = "%d.%m.%Y" }
[command.work_order]
duration = "{minutes}"
[command.work_order.work_order_cost]
customer_nte.value = "{cost}"
[[command.work_order.items]]
sort_order_idx = "{place}"
"""


def test_all_bad_cells_of_a_row_are_named(tmp_path: Path) -> None:
    """In objects and lists, too; the good ones are not."""
    cells = {"begun": "2026-01-01", "minutes": "90", "cost": "1,5", "place": "x"}
    with pytest.raises(RowError) as raised:
        built(load(tmp_path, MAP), cells)
    for column in ("begun", "cost", "place"):
        assert f"(column '{column}')" in raised.value.message
    assert "minutes" not in raised.value.message


def test_the_kind_of_several_faults() -> None:
    """Names alone are one kind; a row that waits is refused when something else is wrong with it."""
    first, second = AmbiguousNameError("a"), AmbiguousNameError("b")
    assert (type(joined([first, second])), joined([first, second]).message) == (AmbiguousNameError, "a; b")
    assert type(joined([first, RowError("c")])) is RowError
    assert joined([WaitingRowError("w"), first]) is first
    assert type(joined([WaitingRowError("w"), WaitingRowError("v")])) is WaitingRowError


@pytest.mark.parametrize(
    ("reasons", "stops"),
    [
        ([f"due 'x{n}' is no date" for n in range(ALIKE)], True),
        ([f"due {n} is no date" + ("; no cost" if n % 2 else "") for n in range(ALIKE)], True),
        ([f"{'due' if n % 2 else 'cost'} is bad" for n in range(ALIKE)], False),
    ],
)
def test_rows_with_one_fault_in_common_stop_the_import(reasons: list[str], stops: bool) -> None:
    rules = StopRules(ImportOptions(), rows=100)
    for reason in reasons:
        rules.refused(reason)
    assert (rules.stop.reason is not None) == stops


def test_the_first_rows_were_not_all_refused_when_one_was_carried_out() -> None:
    rules = StopRules(ImportOptions(), rows=100)
    rules.refused("bad")
    rules.done()
    for _ in range(ALIKE):
        rules.refused("bad")
    assert rules.stop.reason is None


@each_of(
    ("reason", "text"),
    [
        ("Customer.Id is a required field", "column 'customer'"),
        ("`WorkOrder.Customer.Id` is a required field", "column 'customer'"),
        ("PoNumber is a required field.", "column 'key'"),
        ("AssetLocation.Id is a required field", "the map does not set it"),
        ("Comment is a required field", None),  # of the command or of its item
        ("Items is a required field of WorkOrder", "blank column 'text'"),
        ("SubType.Id is a required field", None),  # one record for all rows
        ("the customer is closed", None),
    ],
)
def test_the_columns_behind_a_field_that_the_service_misses(
    tmp_path: Path, reason: str, text: str | None
) -> None:
    assert load(tmp_path, WORK_ORDER + CUSTOMER).columns_behind(reason) == text


def test_an_amount_has_its_value_in_a_field(tmp_path: Path) -> None:
    text = MAP.replace("customer_nte.value", "customer_nte")
    with pytest.raises(ImportMapError, match=r'not .{cost}.; write customer_nte\.value = "{cost}"$'):
        load(tmp_path, text)


async def test_the_outcome_names_the_column_that_was_empty(local: Local, tmp_path: Path) -> None:
    source = CsvFile(local.write([["1", "Leaking", "", ""]]))
    outcomes: list[RowOutcome] = []
    await Import(source, load(tmp_path, WORK_ORDER + CUSTOMER)).run(local.company, on_row=outcomes.append)
    reason = outcomes[0].reason or ""
    assert reason.startswith("Customer.Id is a required field")
    assert reason.endswith(" (column 'customer')")


async def test_check_and_import_say_that_the_cells_of_all_items_are_blank(
    local: Local, tmp_path: Path
) -> None:
    text = WORK_ORDER.partition("[reference.asset]")[0] + FIXED_CUSTOMER
    text = text.replace('"@asset"', '{ id = "{notes}" }').replace('"@task"', "{ id = 1 }")
    file = local.write([["1", "", "", ""]])
    told: list[Finding] = []
    await checked(local, file, text, on_row=told.append)
    outcomes: list[RowOutcome] = []
    await Import(CsvFile(file), load(tmp_path, text)).run(local.company, on_row=outcomes.append)
    for reason in (told[0].lacks[0], outcomes[0].reason or ""):
        assert "blank columns 'notes', 'text'" in reason
