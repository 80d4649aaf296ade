"""Fields that a marker may name: single texts that keep a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, load, rows
from tests.support.laws import each_of
from wosdk_async import Customer, InvalidCallError, WoCreateCommand
from wosdk_async.calls.markers import field_of
from wosdk_async.jobs import ImportMapError
from wosdk_async.jobs.mapping.marking import RowKeys

FITTING = r"use a string field, such as .*work_order\.po_number"


@each_of(
    ("marker", "message"),
    [
        ("work_order.dt_due", f"dt_due is a time, but a key is a string; {FITTING}"),
        ("work_order.duration", f"duration is a whole number, but a key is a string; {FITTING}"),
        ("work_order.type_category", f"type_category is an enum, but a key is a string; {FITTING}"),
        ("work_order.customer", f"customer is a record, but a key is a string; {FITTING}"),
        ("work_order.items", f"items is a list, but a key is a string; {FITTING}"),
        ("work_order.vendor_nte", f"vendor_nte is an amount, but a key is a string; {FITTING}"),
        ("work_order.po_numbr", r"WorkOrder has no field 'po_numbr'; did you mean 'po_number'\?"),
        ("work_order.customer.name", "work_order.customer is not an object in "),
        ("comment.text", "comment is not an object in "),
        (
            "compute_schedule",
            r"compute_schedule is true or false, but a key is a string; use a string field$",
        ),
    ],
)
def test_a_field_that_no_key_fits_is_refused(tmp_path: Path, marker: str, message: str) -> None:
    import_map = load(tmp_path, MAP)
    with pytest.raises(ImportMapError, match=message):
        RowKeys.of(import_map, marker, "job")
    assert RowKeys.of(import_map, "work_order.po_number", "job").path == "work_order.po_number"


@pytest.mark.parametrize("marker", ["po_number", "PoNumber"])
def test_a_field_without_its_object_is_suggested_with_it(tmp_path: Path, marker: str) -> None:
    with pytest.raises(ImportMapError, match=rf"'{marker}'; did you mean 'work_order\.po_number'\?$"):
        RowKeys.of(load(tmp_path, MAP), marker, "job")


def test_a_whole_number_is_a_key_where_the_map_fills_it(tmp_path: Path) -> None:
    """As an update by id has it; a default key is a text."""
    text = 'operation = "update Customer by Id"\n[entity]\nid = "{id}"\nname = "{name}"\n'
    assert RowKeys.of(load(tmp_path, text), "id", "job").node is not None


def test_a_key_is_made_of_columns(tmp_path: Path) -> None:
    with pytest.raises(ImportMapError, match="sets the same value for every row; use a unique"):
        RowKeys.of(load(tmp_path, MAP.replace('"{key}"', '"fixed"')), "work_order.po_number", "job")


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ("work_order.number", "the service sets WorkOrder.Number itself"),
        ("work_order.id", "the service sets WorkOrder.Id itself"),
        ("work_order.items", "names a list"),
    ],
)
def test_a_marker_that_does_not_fit_is_refused_with_those_that_do(marker: str, problem: str) -> None:
    """Not the number, the short location and the task refinement: the service calculates them."""
    with pytest.raises(InvalidCallError, match=problem) as refused:
        field_of(WoCreateCommand, marker)
    assert refused.value.message.endswith(": work_order.po_number, work_order.contact_name")
    with pytest.raises(InvalidCallError, match="names a record") as refused:
        field_of(Customer, "work_zone")
    assert refused.value.message.endswith("your key: display_as, name, dba, instructions, tenant_code")


@pytest.mark.parametrize("field", ["po_number", "contact_name"])
async def test_the_fields_that_a_message_names_keep_a_key(local: Local, field: str) -> None:
    """The import looks for the first key after its create, and stops if it is not there."""
    source = local.write(rows(1, 2))
    text = MAP.replace("po_number", field)
    summary = await local.run(source, text, marker=f"work_order.{field}")
    assert (summary.complete, summary.created) == (True, 2)
