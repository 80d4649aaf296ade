"""What an update cannot say is told before it is sent."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import Service
from tests.updates.order import DONE, ORDER, edited
from wosdk_async import (
    Address2,
    Blob,
    Contact,
    ContactInfo,
    Customer,
    CustomField2,
    Document,
    InvalidCallError,
    WoNote,
    WorkOrder,
)

A = copy.deepcopy((ORDER.notes or [])[0])

REFUSED: dict[str, tuple[Any, Any, str]] = {
    "another record": (WorkOrder(id=8), ORDER, "ids 8 and 7"),
    "another class": (Customer(id=7), ORDER, "not an edited WorkOrder"),
    "no id": (WorkOrder(), WorkOrder(), "read it first"),
    "a list that is gone": (edited(notes=None)(), ORDER, "WorkOrder.Notes.*perform_deletion"),
    "an empty list not read": (edited(items=[])(), ORDER, "read the list first"),
    "an id twice": (edited(notes=[A, A])(), ORDER, "two elements have the id 1"),
    "a marked new element": (edited(notes=[WoNote(perform_deletion=True)])(), ORDER, "without an id"),
    "a field of another record": (
        edited(customer=Customer(id=512, name="New"))(),
        ORDER,
        "update that Customer",
    ),
    "a reference without id": (edited(customer=Customer(name="New"))(), ORDER, "create the Customer first"),
    "a part taken away": (edited(address=None)(), ORDER, "set its fields to None"),
    "another part": (edited(address=Address2(id=5))(), ORDER, "the id cannot change"),
    "the record marked": (edited(perform_deletion=True)(), ORDER, "delete the WorkOrder"),
    "a wrong value": (edited(duration="soon")(), ORDER, "duration is 'soon', a string"),
    "a list in an element": (
        Customer(id=1, contacts=[Contact(id=2, contact_addresses=[ContactInfo(address="a@b.c")])]),
        Customer(id=1, contacts=[Contact(id=2)]),
        "update the Contact directly",
    ),
    "a list in a linked element": (
        Customer(id=1, contacts=[Contact(id=2, contact_addresses=[ContactInfo(address="a@b.c")])]),
        Customer(id=1),
        "update the Contact directly",
    ),
    "a list of other records in an element": (
        Customer(id=1, contacts=[Contact(id=2, custom_fields=[CustomField2(value="x")])]),
        Customer(id=1, contacts=[Contact(id=2)]),
        "update the Contact directly",
    ),
    "a part of an element": (
        WorkOrder(id=1, documents=[Document(id=2, blob=Blob(file_name="a.txt"))]),
        WorkOrder(id=1, documents=[Document(id=2)]),
        "update the Document directly",
    ),
    "an element read without id": (
        WorkOrder(id=1, notes=[]),
        WorkOrder(id=1, notes=[WoNote(body="a")]),
        "read its id, too",
    ),
}


@each_of(("record", "read", "remedy"), REFUSED.values(), ids=REFUSED)
async def test_what_an_update_cannot_say_is_refused(record: Any, read: Any, remedy: str) -> None:
    """Nothing is lost in silence: InvalidCallError names the field and the remedy, and nothing is sent."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(InvalidCallError, match=remedy):
            await client.company().update(record, read)
    assert service.calls == []


@each_of(
    ("id", "told"),
    [
        (True, "the id of a Customer is True; it must be a whole number"),
        ("5", "is '5', a string; it must be a whole number: send 5"),
        (5.0, "is 5.0; it must be a whole number"),
        (2**70, "is a number of more than 64 bits"),
    ],
)
async def test_an_id_that_is_no_whole_number(id: Any, told: str) -> None:
    """As get() and delete() refuse it; and a text in a reference as well."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        company = client.company()
        with pytest.raises(InvalidCallError, match=told):
            await company.update(Customer(id=id), name="New")
        with pytest.raises(InvalidCallError, match=told):
            await company.update(Customer(id=id, name="New"), Customer(id=id, name="Old"))
        with pytest.raises(InvalidCallError, match="customer"):
            await company.update(WorkOrder(id=7), customer=Customer(id=id))
        with pytest.raises(InvalidCallError, match=r"[cC]ustomer"):
            await company.update(edited(customer=Customer(id=id))(), ORDER)
    assert service.calls == []


async def test_a_copy_and_names_are_not_both_given() -> None:
    """One of the two forms says what changes."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(InvalidCallError, match="pass either an edited copy"):
            await client.company().update(ORDER, ORDER, po_number="x")
