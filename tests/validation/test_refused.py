"""What is wrong is told before anything is sent: where it is, what it is, and what to do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import (
    Address,
    Blob,
    Company,
    Contact,
    Customer,
    CustomField,
    Document,
    DocumentType,
    InvalidCallError,
    Money,
    QueryExpression,
    Ref,
    SpaceCreateCommand,
    UnknownFieldError,
    VerifyWorkCommand,
    WoActionLog,
    WoActionReasonLookup,
    WoAssignCommand,
    WoCancelCommand,
    WoCreateCommand,
    WoFlag,
    WoItem,
    WoOnHoldCommand,
    WorkOrder,
    WorkZone,
    WOType,
)
from wosdk_async.web.validation import Fault, InvalidRecordError

Ask = Callable[[Company, bool], Awaitable[Any]]
MADE = {"Wo": {"Id": 1}, "NewSpace": {"Id": 1}}
DONE = Answer(body={"CommandResult": MADE, "EntitySpecifier": {"Id": 1}, "Entities": []})


def creating(**order: Any) -> Ask:
    return lambda acme, check: acme.run(WoCreateCommand(work_order=WorkOrder(**order)), check=check)


def running(command: Any) -> Ask:
    return lambda acme, check: acme.run(command, check=check)


def by_name(name: str, fields: Any) -> Ask:
    return lambda acme, check: acme.run(name, fields, check=check)


def making(entity: Any, *fields: Any) -> Ask:
    return lambda acme, check: acme.create(entity, *fields, check=check)


def asking(expression: Any) -> Ask:
    return lambda acme, check: acme.query(WorkOrder, expression, check=check)


PIPE: dict[str, Any] = {"work_order_id": 1}
TABLE: list[tuple[Ask, str]] = [
    # texts and lengths
    (creating(number=7), "work_order.number is an int; it must be text: send '7'."),
    (making(Blob(body=b"x")), "body is a bytes; it must be text: send base64.b64encode(...).decode()."),
    (
        creating(items=[WoItem(comment="x" * 3097)]),
        "items[0].comment has 3097 characters; the service accepts 3096",
    ),
    (
        making(Contact(first_name="x" * 51)),
        "first_name has 51 characters; the service accepts 50: shorten it.",
    ),
    # numbers
    (creating(duration=1.5), "work_order.duration is a float; it must be a whole number: send int(...)."),
    (creating(duration=True), "work_order.duration is a bool; it must be a whole number: send int(...)."),
    (creating(id=2**63), f"is {2**63}; it must be a whole number of at most 64 bits: send a smaller one."),
    (
        creating(vendor_nte=Money(value=Decimal("NaN"))),
        "vendor_nte.value is NaN, which JSON does not support",
    ),
    (creating(vendor_nte=250), "vendor_nte is an int; it must be an object of type Money: send Money(...)."),
    (creating(vendor_nte=Ref(1)), "vendor_nte is a Ref; it must be an object of type Money"),
    (creating(vendor_nte=Money(value="5")), "send Decimal(...)"),  # type: ignore[arg-type]
    # references
    (creating(customer=512), "is an int; it must be an object of type Customer: send Customer.ref(512)."),
    (creating(customer="512"), "is a str; it must be an object of type Customer: send Customer.ref(512)."),
    (
        creating(customer=Contact(id=5)),
        "is a Contact; it must be an object of type Customer: send Customer.ref(id)",
    ),
    (
        creating(custom_fields=[CustomField(value="7")]),
        "it must be an object of type CustomField2: send CustomField2(...), or CustomField2.ref(id) for one",
    ),
    *(
        (
            creating(address=wrong),
            f"work_order.address is {kind}; it must be an object of type Address2: send Address2(...).",
        )
        for wrong, kind in ((Address(street="1"), "an Address"), (5, "an int"), ("Pier 1", "a str"))
    ),
    (
        creating(items=[WoItem(asset=5)]),
        "work_order.items[0].asset is an int; it must be an object of type Loc",
    ),
    (
        running(WoCreateCommand(work_order=[WorkOrder()])),  # type: ignore[arg-type]
        "work_order is a list; it must be one WorkOrder: make a record or command for each",
    ),
    (creating(items=WoItem()), "work_order.items is a WoItem; it must be a list: send [value]."),
    (creating(items=[None]), "work_order.items[0] is a None; it must be an object of type WoItem"),
    (
        running(WoAssignCommand(work_order_id=1, assignees=[1, "two"])),
        "assignees[1] is 'two', a string; it must be",
    ),
    # times
    (
        creating(dt_due=datetime(2024, 6, 1, tzinfo=UTC)),
        "has a time zone; it must be local time: convert it",
    ),
    (creating(dt_due="2024-06-01T00:00:00Z"), "work_order.dt_due has a time zone; it must be local time"),
    (
        creating(due_date_utc=datetime(2024, 6, 1)),
        "has no time zone; it must be UTC: use .replace(tzinfo=datetime.UTC",
    ),
    (
        creating(dt_due=date(2024, 6, 1)),
        "is datetime.date(2024, 6, 1); it must be a datetime or its ISO 8601 text",
    ),
    # enum values
    (creating(status_id="Nwe"), "is 'Nwe'; WorkOrderStatus has no such value; did you mean 'New'?"),
    (creating(status_id=WOType.Basic), "is WOType.Basic; it must be a member of WorkOrderStatus"),
    (creating(status_id="new"), "is 'new'; WorkOrderStatus has no such value; did you mean 'New'?"),
    (creating(status_id="Parked"), "send WorkOrderStatus('Parked')"),
    (creating(type_category=9), "is 9; WOType has no such value. If the service supports it"),
    (creating(is_warranty="yes"), "work_order.is_warranty is a str; it must be True or False."),
    # what may not be missing
    (running(WoOnHoldCommand(**PIPE)), "action_reason_id is missing; set it to the id of a reason"),
    (running(WoCancelCommand(**PIPE)), "action_reason_id is missing; set it to the id of a reason"),
    (running(SpaceCreateCommand()), "customer_id is missing; set it to the id of an existing customer."),
    (running(VerifyWorkCommand()), "work_order_id is missing; set it to the id of the work order."),
    (running(WoCreateCommand()), "work_order is missing; WoCreateCommand cannot be run without it."),
    (making(Document(storage_type_id="URL")), "doc_type is missing; set it to the id of a document type"),
    (making(Document(doc_type=DocumentType(id=3))), "storage_type_id is missing; set 'Cloud' for a file"),
    # what a create drops, because the service gives a new record its own
    (making(Customer(id=777)), "id is set by the service for new records, and would be dropped; leave it"),
    (making(Customer(concurrency_id=2)), "concurrency_id is set by the service for new records"),
    (making("Customer", {"ID": 777}), "ID is set by the service for new records"),
    (creating(id=5), "work_order.id is set by the service for new records, and would be dropped"),
    (creating(number="W1"), "work_order.number is set by the service for new records"),
    (creating(status_id="OnHold"), "leave it out: a new work order has the status New; commands change it."),
    (creating(dt_created=datetime(2024, 6, 1)), "dt_created is set by the service for new records"),
    (creating(flag_id=1901), "work_order.flag_id is set by the service for new records, and would be"),
    (creating(flag=WoActionReasonLookup.ref(1901)), "work_order.flag is set by the service"),
    (creating(flags=[WoFlag(flag_id=1901)]), "would be dropped; run WoSetFlagsCommand afterwards."),
    (creating(action_log_records=[WoActionLog(comment="x")]), "work_order.action_log_records is set by"),
    (creating(induction_and_safety_status_id="Passed"), "run UpdateWoInductionAndSafetyStatusCommand after"),
    (running(WoCreateCommand(work_order={"Number": "W1"})), "Number is set by the service for new records"),
    (by_name("wocreatecommand", {"Workorder": {"number": 1}}), "Workorder.number is set by the service"),
    # dicts of names that the catalogue knows
    (by_name("WoCreateCommand", {"Workorder": {"StatusID": "New", "Statu": 1}}), "Workorder.Statu is not"),
    (by_name("WoCreateCommand", {"ComputeSchedul": True}), "did you mean 'ComputeSchedule'?"),
    (by_name("wocompletecommand", {"CompletionNote": "Fill"}), "CompletionNote is not a property of WoCom"),
    (by_name("ApStatusChangeCommand", {"VendorInvoiceStatusId": "Paid"}), "it must be a whole number"),
    (making("WoNote", {"Body": "x", "WorkOrderID": 1, "Type": "Public"}), "Type is not a property of WoNote"),
    (making("Contact", {"ContactAddresses": [{"Adress": "a"}]}), "[0].Adress is not a prop"),
    (creating(items=[{"Aset": {"Id": 5}}]), "work_order.items[0].Aset is not a property of WoItem"),
    (asking({"Order": {"PropertyName": "Id"}}), "Order is not a property of QueryExpression"),
    (asking(QueryExpression(count="many")), "count is 'many', a string; it must be a whole number"),
]
ALWAYS = (
    "body is a bytes",
    "value is NaN",
    "has no time zone",
    "has a time zone",
    "date(",
)
"""What has no form in JSON, or only one that says something else: not even ``check=False`` sends it."""


@each_of(("ask", "remedy"), TABLE, ids=[remedy[:60] for _, remedy in TABLE])
async def test_refused(ask: Ask, remedy: str) -> None:
    """Nothing is sent, and the message holds the place, the value and the remedy; check=False sends it."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        with pytest.raises(InvalidCallError) as caught:
            await ask(acme, True)
        assert remedy in str(caught.value)
        assert "check=False sends it anyway" in str(caught.value)
        assert service.calls == service.tokens == []
        if not any(words in remedy for words in ALWAYS):
            await ask(acme, False)
            assert len(service.calls) == 1


async def test_the_states_of_a_new_order_may_be_sent_as_they_are() -> None:
    """Spec 3: values that the service gives it, and an order without flags."""
    given = {"status_id": "New", "induction_and_safety_status_id": "NotRequired", "flag_id": 0}
    made = Answer(body={"CommandResult": {"Wo": {"Id": 1}}})
    async with Service(lambda _: made) as service, service.client() as client:
        await creating(**given)(client.company(), True)
    assert service.calls[0].json["Command"]["WorkOrder"]["FlagId"] == 0


@each_of("words", ALWAYS)
async def test_what_can_never_be_sent(words: str) -> None:
    """check=False lets no value go out that JSON has not, or that the service would take for another."""
    ask = next(ask for ask, remedy in TABLE if words in remedy)
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(InvalidCallError):
            await ask(client.company(), False)
    assert service.calls == []


@pytest.mark.parametrize("check", [True, False])
async def test_a_wrong_name_in_an_update(check: bool) -> None:
    """What is near is named; there is no wire name to send it under, so check=False changes nothing."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(UnknownFieldError, match="no field 'ponumber'; did you mean 'po_number'"):
            await client.company().update(WorkOrder(id=1), check=check, ponumber="PO-77")
    assert service.calls == []


async def test_names_that_nobody_documented_are_not_checked() -> None:
    """Entities and commands of the Company's own go out as they are."""
    content = {"Whatever": {"Thing": 1}, "None": None}
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        await acme.run("MyOwnCommand", content)
        await acme.create("MyOwnEntity", content)
    assert [call.json.get("Command", call.json.get("Entity")) for call in service.calls] == [content] * 2


async def test_values_that_are_not_listed_go_out_as_members() -> None:
    """Enums grow between releases (facts 9): the remedy of the message works."""
    from wosdk_async import PTEType

    zone = WorkZone(default_access="PTE", extra={"NotDocumented": 1})
    order = WorkOrder(access=PTEType("Parked"), work_zone=zone, customer=Ref(5))
    async with Service(lambda _: DONE) as service, service.client() as client:
        await client.company().run(WoCreateCommand(work_order=order))
    sent = service.calls[0].json["Command"]["WorkOrder"]
    assert (sent["Access"], sent["WorkZone"]["NotDocumented"]) == ("Parked", 1)


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],  # noqa: S301
)
def test_a_copy_of_the_error_of_a_body_has_all_of_it(copied: Callable[[Any], Any]) -> None:
    error = InvalidRecordError([Fault(f"fault {number}") for number in range(60)])
    error.add(company="Acme", request_id="r1")
    error.add_note("seen twice")
    made = copied(error)
    assert (str(made), vars(made)) == (str(error), vars(error))
