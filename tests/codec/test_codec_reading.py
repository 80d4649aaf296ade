"""How single values are read."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from wosdk_async.codec import converter, structure, unstructure
from wosdk_async.model import (
    Employee,
    Money,
    Record,
    WOActionType,
    WoOnSite,
    WorkOrder,
    WorkOrderStatus,
    WOType,
)
from wosdk_async.model.base import define, field, wire


@each_of(("sent", "value"), [("12.50", "12.50"), (12, "12"), (0.1, "0.1"), ("-3", "-3")])
def test_money_of_another_json_type_is_read(sent: Any, value: str) -> None:
    """A money value that comes as text, integer or float is a Decimal."""
    read = structure({"Value": sent}, Money).value
    assert isinstance(read, Decimal)
    assert str(read) == value


@each_of("sent", ["12,50", "NaN", "1_000", "", "\u0663", True, [], float("nan"), float("inf")])
def test_what_is_no_number_stays(sent: Any) -> None:
    """A value that holds no number stays as it was sent."""
    assert structure({"Value": sent}, Money).value is sent


def test_an_offset_is_converted() -> None:
    """UTC fields are UTC with and without the Z (facts 3.5); an offset is converted."""
    for text in ("2024-05-16T13:12:00", "2024-05-16T13:12:00Z", "2024-05-16T09:12:00-04:00"):
        read = structure({"DueDateUtc": text}, WorkOrder).due_date_utc
        assert read is not None
        assert (read, read.tzinfo) == (datetime(2024, 5, 16, 13, 12, tzinfo=UTC), UTC)


@each_of("digits", range(8))
def test_local_fields_stay_naive(digits: int) -> None:
    """0 to 7 fraction digits are read, a zone is dropped, microseconds are kept."""
    fraction = f".{'1234567'[:digits]}" if digits else ""
    for zone in ("", "Z", "+02:00"):
        read = structure({"DtDue": f"2024-05-16T09:12:00{fraction}{zone}"}, WorkOrder).dt_due
        assert read == datetime(2024, 5, 16, 9, 12, 0, int("1234567"[:digits][:6].ljust(6, "0")))


def test_utc_is_what_the_catalogue_says_not_the_name() -> None:
    """OutCheckTypeId holds the letters "utC" and is no time."""
    assert WoOnSite.__wire__["out_check_type_id"]["type"] == "enum"
    read = structure({"OutCheckTypeId": "Gps"}, WoOnSite)
    assert str(read.out_check_type_id) == "Gps"


@each_of("sent", ["soon", 1715850000, {"a": 1}, "", "0001-01-01T00:00:00+14:00"])
def test_an_unreadable_time_stays(sent: Any) -> None:
    """A text that is not a date is not an error: the call may have succeeded."""
    assert structure({"DueDateUtc": sent}, WorkOrder).due_date_utc == sent


@each_of("sent", ["text", 5, [1], Decimal("0.5"), True])
def test_something_else_than_an_object_stays(sent: Any) -> None:
    """A reference or money that is no object stays, alone and in a list."""
    read = structure({"Customer": sent, "VendorNte": sent, "Items": [sent, None]}, WorkOrder)
    assert (read.customer, read.vendor_nte, read.items) == (sent, sent, [sent, None])
    assert structure({"Items": sent}, WorkOrder).items == sent


@each_of("sent", [[1], {"a": 1}, False, Decimal("1.5")])
def test_an_enum_of_another_type_stays(sent: Any) -> None:
    """A list, an object, a boolean or a fraction is no enum value and stays."""
    assert structure({"StatusId": sent}, WorkOrder).status_id is sent


def test_enum_values_are_members() -> None:
    """Names and known numbers are members; the rest becomes a member that is not known, each time."""
    read = [
        structure({"TypeCategory": sent}, WorkOrder).type_category
        for sent in ("Request", 4, "Parked", 77, "Parked")
    ]
    assert read[0] is read[1] is WOType.Request
    assert [member.is_known for member in read if member] == [True, True, False, False, False]
    assert read[2] == read[4]
    assert [member.value for member in read[2:4] if member] == ["Parked", 77]


def test_the_documented_name_wins_over_another_spelling() -> None:
    """When both are sent, the odd spelling goes to extra and nothing is lost."""
    read = structure({"number": "odd", "Number": "right", "NUMBER": "odder"}, WorkOrder)
    assert (read.number, read.extra) == ("right", {"number": "odd", "NUMBER": "odder"})
    assert unstructure(read) == {"Number": "right", "number": "odd", "NUMBER": "odder"}


def test_an_alias_may_be_another_word() -> None:
    """An alias is more than another letter case."""

    @define(kw_only=True)
    class Renamed(Record):
        number: str | None = field(default=None, metadata=wire("Number", "string", aliases=("OrderNo",)))

    assert structure({"orderno": "7"}, Renamed) == Renamed(number="7")


@each_of("sent", [None, [], "text", 5, WorkOrder()])
def test_no_object_at_all_is_a_type_error(sent: Any) -> None:
    """Where an object is asked for and none came, the error names the class and what came."""
    with pytest.raises(TypeError, match=f"WorkOrder takes a JSON object, not {type(sent).__name__}"):
        structure(sent, WorkOrder)


def test_the_source_is_not_shared() -> None:
    """Changing what was read leaves the source as it was."""
    source: dict[str, Any] = {"Items": [], "New": 1}
    read = structure(source, WorkOrder)
    assert read.items is not None
    assert read.extra is not None
    read.items.append(None)  # type: ignore[arg-type]
    read.extra["More"] = 2
    assert source == {"Items": [], "New": 1}


@attrs.define(kw_only=True)
class MarkedOrder(WorkOrder):
    """A user's class."""

    colour: str = "red"


def test_a_derived_class_keeps_its_own_fields() -> None:
    """A class derived with attrs.define is read too; its own fields have their defaults."""
    read = structure({"Number": "1", "StatusId": "New"}, MarkedOrder)
    assert (read.colour, read.number, read.status_id) == ("red", "1", WorkOrderStatus.New)


def test_nested_objects_obey_the_converter() -> None:
    """A hook for a class of the model that is registered on a copy applies inside other objects too."""
    copy = converter.copy()
    copy.register_structure_hook(Employee, lambda data, _: ("mine", data["Id"]))
    read = copy.structure({"Employee": {"Id": 3}}, WorkOrder)
    assert read.employee == ("mine", 3)
    assert structure({"Employee": {"Id": 3}}, WorkOrder).employee == Employee.ref(3)


def test_enum_classes_are_structured_by_the_converter() -> None:
    """converter.structure takes enum values, known or not."""
    assert structure("PickUp", WOActionType).value == "PickUp"
    assert structure("Never", WOActionType).is_known is False
