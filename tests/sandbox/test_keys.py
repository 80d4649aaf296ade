"""What markers rely on, of the service alone: keys are found by In and Equal, also those of removed records.

The client has its own tests of the same sentences, against responses written by hand
(``tests/transport/test_marker_batches.py``), so that no mistake is in both unseen.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller


def keys_of(rows: list[dict[str, Any]], name: str) -> list[str]:
    return sorted(row[name] for row in rows)


def test_two_hundred_keys_in_one_condition(acme: Caller) -> None:
    """facts 4: In takes a list of texts; no match gives no entities."""
    for number in range(3):
        acme.order(PoNumber=f"K-{number}")
    many = [f"K-{number}" for number in range(200)]
    assert keys_of(acme.query("WorkOrder", ("PoNumber", "In", *many)), "PoNumber") == ["K-0", "K-1", "K-2"]
    assert keys_of(acme.query("WorkOrder", ("PoNumber", "Equal", "K-1")), "PoNumber") == ["K-1"]
    nothing = {"Criteria": {"Conditions": [{"PropertyName": "PoNumber", "Operator": "In", "Values": ["?"]}]}}
    assert acme.ok("POST", "query/WorkOrder", {"QueryExpression": nothing}) == {"Entities": []}


def test_each_record_of_a_key_is_returned(acme: Caller) -> None:
    """A key is unique only if the program makes it so."""
    made = [acme.order(PoNumber="K")["Id"] for _ in range(3)]
    assert acme.ids("WorkOrder", ("PoNumber", "In", "K", "L")) == made


def test_removed_records_are_returned(acme: Caller) -> None:
    """facts 3.4: queries return them when nothing filters on IsRemoved."""
    body = {"Entity": {"FirstName": "Ann", "LastName": "Lee", "CustomerId": 512, "Number": "K"}}
    made = acme.ok("POST", "base/Contact", body)["EntitySpecifier"]["Id"]
    acme.ok("DELETE", f"base/Contact?ID={made}")
    for operator, *values in (("Equal", "K"), ("In", "K", "L")):
        (row,) = acme.query("Contact", ("Number", operator, *values))
        assert (row["Id"], row["IsRemoved"], row["Number"]) == (made, True, "K")


@pytest.mark.parametrize(("name", "sent"), [("Id", 5), ("ConcurrencyId", 25)])
def test_a_create_ignores_what_the_service_sets(acme: Caller, name: str, sent: int) -> None:
    """facts 3.3: no key can be kept there."""
    body = {"Entity": {"FirstName": "Ann", "LastName": "Lee", "CustomerId": 512, name: sent}}
    assert acme.ok("POST", "base/Contact", body)["EntitySpecifier"][name] != sent


def test_the_number_of_a_work_order_is_that_of_the_service(acme: Caller) -> None:
    """spec 2.3: calculated at the creation."""
    assert acme.order(Number="K")["Number"] != "K"
    assert acme.ids("WorkOrder", ("Number", "Equal", "K")) == []


def test_a_password_is_not_read_back(acme: Caller) -> None:
    """facts 3.4: it reads as an empty text."""
    (row, *_) = acme.query("Employee")
    assert row.get("Password", "") == ""
