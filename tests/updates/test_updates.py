"""What an edited copy and named fields send, in the grammar of facts 3.6."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Service
from tests.updates.order import DONE, ORDER, done, edited
from wosdk_async import (
    Actor,
    ActorType,
    Address2,
    AssetAttribute,
    AttributeDescriptor,
    CurrencyType,
    Customer,
    CustomField2,
    Employee,
    FinancialItem,
    InvalidCallError,
    Location,
    Money,
    Note,
    PTEType,
    Ref,
    WoNote,
    WorkOrder,
    WorkOrderCost,
    WorkZone,
)

Json = dict[str, Any]
A, B, C = (copy.deepcopy(note) for note in ORDER.notes or ())
SENT: dict[str, tuple[Callable[[], WorkOrder], list[str], Json]] = {
    "scalars": (
        edited(po_number="PO-2", duration=None),
        ["Duration", "PoNumber"],
        {"PoNumber": "PO-2", "Duration": None},
    ),
    "a reference": (edited(customer=Customer(id=5, name="x")), ["Customer.Id"], {"Customer": {"Id": 5}}),
    "inside a part": (
        edited(address=Address2(id=4, street="2 Main", city="Portmouth")),
        ["Address.Street"],
        {"Address": {"Id": 4, "Street": "2 Main"}},
    ),
    "unknown fields": (edited(extra={"Novel": 2}), ["Novel", "Gone"], {"Novel": 2, "Gone": None}),
    "an added element": (
        edited(notes=[A, B, C, WoNote(id=0, body="d", is_new=True)]),
        ["Notes.*"],
        {"Notes": [{"Id": 0, "Body": "d"}]},
    ),
    "a changed element": (
        edited(notes=[A, B, WoNote(id=3, body="z")]),
        ["Notes.*"],
        {"Notes": [{"Id": 3, "Body": "z"}]},
    ),
    "an element left out": (
        edited(notes=[C, A]),
        ["Notes.*"],
        {"Notes": [{"Id": 2, "PerformDeletion": True}]},
    ),
    "a marked element": (
        edited(notes=[A, B, WoNote(id=3, body="z", perform_deletion=True)]),
        ["Notes.*"],
        {"Notes": [{"Id": 3, "PerformDeletion": True}]},
    ),
    "no elements": (
        edited(notes=[]),
        ["Notes.*"],
        {"Notes": [{"Id": id, "PerformDeletion": True} for id in (1, 2, 3)]},
    ),
    "an element from elsewhere": (
        edited(notes=[A, B, C, WoNote(id=8, body="e")]),
        ["Notes.*"],
        {"Notes": [{"Id": 8, "Body": "e"}]},
    ),
    "elements of a list that was not read": (
        edited(custom_fields=[CustomField2(descriptor=Ref(88), value="x")]),
        ["CustomFields.*"],
        {"CustomFields": [{"Descriptor": {"Id": 88}, "Value": "x"}]},
    ),
}


@each_of(("make", "properties", "fields"), SENT.values(), ids=SENT)
async def test_an_edited_copy_sends_what_changed(
    make: Callable[[], WorkOrder], properties: list[str], fields: Json
) -> None:
    """Facts 3.6: Properties names what changed, the entity holds it, and the copy has the new version."""
    order = make()
    async with Service(lambda _: DONE) as service, service.client() as client:
        made = await client.company().update(order, ORDER)
    (call,) = service.calls
    assert (call.method, sorted(call.json["Properties"])) == ("PUT", sorted(properties))
    assert call.json["Entity"] == {"Id": 7} | fields
    assert (made.concurrency_id, made.po_number, order, ORDER.concurrency_id) == (
        4,
        order.po_number,
        make(),
        3,
    )


SAME = {
    "a copy": edited(),
    "other spellings": edited(status_id="New", customer=Ref(512), duration=30),
    "what the service counts": edited(concurrency_id=99, is_new=True),
    "another order of elements": edited(notes=[C, A, B]),
    "money with other zeros": edited(vendor_nte=Money(currency_type_id="USD", value=1.5)),
}


@each_of("make", SAME.values(), ids=SAME)
async def test_nothing_changed_sends_nothing(make: Callable[[], WorkOrder]) -> None:
    """No request, and the record comes back with the version that was read."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        made = await client.company().update(make(), ORDER, if_unchanged=True)
    assert (service.calls, made.concurrency_id, made.po_number) == ([], 3, "PO-1")


async def test_elements_read_without_an_id_are_not_added_again() -> None:
    """So the record that an update returned can be edited further, though its new elements have no ids."""
    order = WorkOrder(id=7, notes=[WoNote(id=1, body="a")])
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        for text in "bc":
            edited = copy.deepcopy(order)
            edited.notes = [*(edited.notes or []), WoNote(body=text)]
            order = await acme.update(edited, order)
    assert [call.json["Entity"]["Notes"] for call in service.calls] == [[{"Body": "b"}], [{"Body": "c"}]]


TYPED: dict[str, tuple[Any, Any]] = {
    "duration": ("45", 45),
    "dt_due": ("2026-11-28T10:00", datetime(2026, 11, 28, 10)),
    "due_date_utc": ("2026-11-28T10:00:00Z", datetime(2026, 11, 28, 10, tzinfo=UTC)),
    "access": ("PTE", PTEType.PTE),
    "customer": ({"Id": 5}, Customer(id=5)),
    "vendor_nte": (
        {"CurrencyTypeId": "USD", "Value": 2.5},
        Money(currency_type_id=CurrencyType.USD, value=Decimal("2.5")),
    ),
}


@each_of(("name", "value"), TYPED.items(), ids=TYPED)
@each_of("by_copy", [False, True])
async def test_the_record_afterwards_has_the_types_of_the_catalogue(
    name: str, value: tuple[Any, Any], by_copy: bool
) -> None:
    """What is given as a text, a number or a dict is kept as what a read would give."""
    given, kept = value
    order = WorkOrder(id=7)
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        changed = attrs.evolve(order, **{name: given})
        made = await (acme.update(changed, order) if by_copy else acme.update(order, **{name: given}))
    found = getattr(made, name)
    assert (found, type(found)) == (kept, type(kept))
    assert getattr(changed, name) is given


async def test_lists_by_name() -> None:
    """The same grammar: added, changed and removed elements, and the list that was read follows."""
    old = Location(id=1, attributes=[AssetAttribute(id=5, value="a", concurrency_id=2), AssetAttribute(id=6)])
    new = AssetAttribute(descriptor=AttributeDescriptor(id=46, name="Phone"), value="c")
    given = [
        AssetAttribute(id=5, value="b", concurrency_id=2),
        AssetAttribute(id=6, perform_deletion=True),
        new,
    ]
    async with (
        Service(lambda _: Answer(body={"EntitySpecifier": {"EntityType": "Location", "Id": 1}})) as service,
        service.client() as client,
    ):
        made = await client.company().update(old, attributes=given)
        unread = await client.company().update(Location(id=1), attributes=given)
        for empty in ([], None):
            with pytest.raises(InvalidCallError, match="perform_deletion=True"):
                await client.company().update(old, attributes=empty)
        with pytest.raises(InvalidCallError, match="without an id"):
            await client.company().update(old, attributes=[AssetAttribute(perform_deletion=True)])
    assert service.calls[0].json["Entity"]["Attributes"] == [
        {"Id": 5, "Value": "b"},
        {"Id": 6, "PerformDeletion": True},
        {"Descriptor": {"Id": 46}, "Value": "c"},
    ]
    assert made.attributes == [AssetAttribute(id=5, value="b", concurrency_id=2), new]
    assert (unread.attributes, len(service.calls), len(old.attributes or ())) == (None, 2, 2)


async def test_a_compound_key() -> None:
    """Facts 3.1: it is a JSON object in ID; a record without an id says what to update instead."""
    found = Answer(body={"Data": {"ParentId": 1}, "EntitySpecifier": {}})
    async with Service(lambda _: found) as service, service.client() as client:
        acme = client.company()
        await acme.get("Link", {"A": 1, "B": 2}, properties=["*"])
        await acme.delete("Link", {"A": 1, "B": 2})
        with pytest.raises(InvalidCallError, match="update the record that contains it"):
            await acme.update(Employee(first_name="x"), first_name="y")
    text = "%7B%22A%22%3A1%2C%22B%22%3A2%7D"
    assert [call.path for call in service.calls] == [
        f"/api/v1/base/Link?ID={text}&properties=*",
        f"/api/v1/base/Link?ID={text}",
    ]


ZONE = WorkZone(id=31, number="07", display_as="North", concurrency_id=4)
BY_NAME: dict[str, tuple[dict[str, Any], list[str], Json]] = {
    "a record as read": ({"work_zone": ZONE}, ["WorkZone.Id"], {"WorkZone": {"Id": 31}}),
    "a bare reference": ({"work_zone": WorkZone.ref(31)}, ["WorkZone.Id"], {"WorkZone": {"Id": 31}}),
    "any reference": ({"work_zone": Ref(31)}, ["WorkZone.Id"], {"WorkZone": {"Id": 31}}),
    "a record as JSON": (
        {"work_zone": {"Id": 31, "Number": "07"}},
        ["WorkZone.Id"],
        {"WorkZone": {"Id": 31}},
    ),
    "no reference": ({"work_zone": None}, ["WorkZone.Id"], {"WorkZone": None}),
    "beside a scalar": (
        {"name": "Acme", "work_zone": ZONE},
        ["Name", "WorkZone.Id"],
        {"Name": "Acme", "WorkZone": {"Id": 31}},
    ),
}


@each_of(("changes", "properties", "fields"), BY_NAME.values(), ids=BY_NAME)
async def test_a_record_in_a_reference_is_pointed_to(
    changes: dict[str, Any], properties: list[str], fields: Json
) -> None:
    """Facts 3.6: ``WorkZone.*`` would write inside the zone, so its id alone is named and sent."""
    async with Service(done) as service, service.client() as client:
        made = await client.company().update(Customer(id=512), **changes)
    (call,) = service.calls
    assert call.json == {"Properties": properties, "Entity": {"Id": 512} | fields}
    zone = changes["work_zone"]
    assert made.work_zone == (zone if isinstance(zone, WorkZone) or zone is None else WorkZone.ref(31))


async def test_an_actor_is_pointed_to_by_id_and_kind() -> None:
    """Facts 3.4: an actor's id alone does not say whose it is."""
    actor = Actor(id=8, type_id=ActorType.Employee, display_as="Ann")
    async with Service(done) as service, service.client() as client:
        await client.company().update(Note(id=5), created_by=actor)
    (call,) = service.calls
    assert call.json["Properties"] == ["CreatedBy.Id", "CreatedBy.TypeId"]
    assert call.json["Entity"] == {"Id": 5, "CreatedBy": {"Id": 8, "TypeId": "Employee"}}


async def test_a_part_is_written_inside() -> None:
    """Facts 3.6: an address is a part of its record, so ``Address.*`` is what is meant."""
    async with Service(done) as service, service.client() as client:
        await client.company().update(WorkOrder(id=7), address=Address2(id=4, street="2 Main"))
    assert service.calls[0].json == {
        "Properties": ["Address.*"],
        "Entity": {"Id": 7, "Address": {"Id": 4, "Street": "2 Main"}},
    }


@pytest.mark.parametrize(
    ("address", "sent"), [(None, None), (Address2(id=4), {"Id": 4}), (Address2.ref(4), {"Id": 4})]
)
async def test_a_part_without_fields_is_named_by_its_id(address: Any, sent: Json | None) -> None:
    """``Address.*`` would write inside an address of which nothing but the id is given."""
    async with Service(done) as service, service.client() as client:
        await client.company().update(WorkOrder(id=7), address=address)
    assert service.calls[0].json == {"Properties": ["Address.Id"], "Entity": {"Id": 7, "Address": sent}}


@pytest.mark.parametrize("by_name", [True, False])
async def test_an_amount_keeps_its_currency(by_name: bool) -> None:
    """An amount is written whole: the part that was left out is that of the record held."""
    amount = Money(value=6)
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        if by_name:
            after = await acme.update(ORDER, vendor_nte=amount)
        else:
            after = await acme.update(edited(vendor_nte=amount)(), ORDER)
    assert service.calls[0].json["Entity"]["VendorNte"] == {"CurrencyTypeId": "USD", "Value": 6}
    assert after.vendor_nte == Money(currency_type_id="USD", value=6)
    assert amount == Money(value=6)


async def test_an_amount_in_an_element_keeps_its_currency() -> None:
    """In lists and parts too; a new element is as it was given."""
    read = WorkOrderCost(
        id=7, items=[FinancialItem(id=1, rate=Money(currency_type_id="EUR", value=5), comment="a")]
    )
    changed = copy.deepcopy(read)
    changed.items = [
        FinancialItem(id=1, rate=Money(value=6), comment="a"),
        FinancialItem(rate=Money(value=7)),
    ]
    async with Service(done) as service, service.client() as client:
        await client.company().update(changed, read)
    assert service.calls[0].json["Entity"]["Items"] == [
        {"Id": 1, "Rate": {"CurrencyTypeId": "EUR", "Value": 6}},
        {"Rate": {"Value": 7}},
    ]


@pytest.mark.parametrize(
    ("amount", "lacks"), [(Money(value=6), "CurrencyTypeId"), (Money(currency_type_id="USD"), "Value")]
)
async def test_an_amount_whose_other_part_nobody_knows_is_refused(amount: Money, lacks: str) -> None:
    """A bare reference holds no currency, and an update without one would wipe it."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(InvalidCallError, match=rf"WorkOrder\.VendorNte has no {lacks}.*as a whole"):
            await client.company().update(WorkOrder.ref(7), vendor_nte=amount)
    assert service.calls == []
