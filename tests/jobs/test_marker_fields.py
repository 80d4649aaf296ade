"""Fields that a marker may name: single texts that keep a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.maps import FIXED_CUSTOMER, WORK_ORDER
from wosdk_async.jobs import ImportMap, ImportMapError
from wosdk_async.jobs.marking import RowKeys

FITTING = r"name a text field, such as .*work_order\.po_number"


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("work_order.dt_due", f"dt_due is a time, and a key is a text; {FITTING}"),
        ("work_order.duration", f"duration is a whole number, and a key is a text; {FITTING}"),
        ("work_order.type_category", f"type_category is one of a few values, and a key is a text; {FITTING}"),
        ("work_order.customer", f"customer is a record, and a key is a text; {FITTING}"),
        ("work_order.items", f"items is a list, and a key is a text; {FITTING}"),
        ("work_order.vendor_nte", f"vendor_nte is an amount, and a key is a text; {FITTING}"),
        ("compute_schedule", r"compute_schedule is true or false, and a key is a text; name a text field$"),
    ],
)
def test_a_field_that_no_key_fits_is_refused(tmp_path: Path, marker: str, message: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(WORK_ORDER + FIXED_CUSTOMER)
    import_map = ImportMap.load(path)
    with pytest.raises(ImportMapError, match=message):
        RowKeys.of(import_map, marker, "job")
    assert RowKeys.of(import_map, "work_order.po_number", "job").path == "work_order.po_number"


@pytest.mark.parametrize("marker", ["po_number", "PoNumber"])
def test_a_field_without_its_object_is_suggested_with_it(tmp_path: Path, marker: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(WORK_ORDER + FIXED_CUSTOMER)
    with pytest.raises(
        ImportMapError, match=rf"no field '{marker}'; did you mean 'work_order\.po_number'\?$"
    ):
        RowKeys.of(ImportMap.load(path), marker, "job")


def test_a_whole_number_is_a_key_where_the_map_fills_it(tmp_path: Path) -> None:
    """As an update by id has it; a default key is a text."""
    path = tmp_path / "m.toml"
    path.write_text('operation = "update Customer by Id"\n[entity]\nid = "{id}"\nname = "{name}"\n')
    assert RowKeys.of(ImportMap.load(path), "id", "job").node is not None


def test_a_key_is_made_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text((WORK_ORDER + FIXED_CUSTOMER).replace('"{key}"', '"fixed"'))
    with pytest.raises(ImportMapError, match="gives it the same value in every row; a key is made of"):
        RowKeys.of(ImportMap.load(path), "work_order.po_number", "job")
