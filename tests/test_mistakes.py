"""What a newcomer gets wrong: each mistake is told with its value and what to do, and nothing is sent.

The texts are facts of the message, in order: those on both sides of "…".
"""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from starlette.datastructures import UploadFile

from tests.support.laws import case, each_of
from tests.support.service import Answer, Service
from wosdk_async import (
    AssetTree,
    Command,
    Company,
    CompositeCommand,
    CreateCommand,
    Customer,
    EntitySpecifier,
    EntityType,
    Failed,
    InvalidCallError,
    Location,
    Money,
    QueryExpression,
    Ref,
    Trace,
    UnknownFieldError,
    UnknownPropertyError,
    UpdateCommand,
    Watermark,
    WoCreateCommand,
    WoNote,
    WorkOrder,
    WorkZone,
    WoStartCommand,
    WOType,
    codec,
    fields,
    read_event,
)

ORDER = WorkOrder(id=7, number="RSC000001")
f = fields(WorkOrder)
anything: Any = fields
refer: Any = Ref
customer: Any = Customer
order_class: Any = WorkOrder
start_class: Any = WoStartCommand
watermark: Any = Watermark
START = WoStartCommand(work_order_id=7)
MADE = EntitySpecifier(entity_type=EntityType.WoNote, id=1)
NAME = fields(Customer).name
LONG = f"https://a.example/{'x' * 2048}"
wild = anything(WorkOrder)


def start(order: Any) -> WoStartCommand:
    return WoStartCommand(work_order_id=order)


async def attach(acme: Any, source: Any, **options: Any) -> None:
    await acme.documents.attach(ORDER, source, file_name="a", **options)


CREATE = WoCreateCommand(work_order=WorkOrder(po_number="a", type_category=WOType.Basic))

UNTYPED: list[tuple[Command[Any], str]] = [
    (CompositeCommand(commands=[START]), "Commands"),
    (CreateCommand(entity=Customer(name="x")), "Entity"),
    (UpdateCommand(entity=Customer(id=7, name="x")), "Entity"),
]

Mistake = Callable[
    [Any], Any
]  # on a Company of which type checkers know nothing: they would tell most of these
MISTAKES: dict[str, tuple[Mistake, str]] = {
    # ids
    "an id as text": (lambda a: a.get(WorkOrder, "1"), "the id of a WorkOrder is '1'…whole number: send 1"),
    "a number for an id": (lambda a: a.get(WorkOrder, "RSC000001"), "work_orders.by_number('RSC000001')"),
    "a name for an id": (lambda a: a.get(Customer, "Acme Mall"), "fields(Customer).name == 'Acme Mall')"),
    "a text for an unknown entity": (lambda a: a.get("New", "x"), "find a record by name with query()"),
    "a huge id": (
        lambda a: a.get(WorkOrder, 10**5000),
        "is a number of more than 64 bits; it must be a whole",
    ),
    "a huge id as text": (lambda a: a.get("New", "1" * 5000), "a string; it must be a whole number"),
    "no id": (lambda a: a.get(WorkOrder, None), "is None; it must be a whole number"),
    "a float as id": (lambda a: a.get(WorkOrder, 1.0), "is 1.0; it must be a whole number"),
    "nan as id": (lambda a: a.get(WorkOrder, float("nan")), "is nan; it must be a whole number"),
    "a truth value as id": (lambda a: a.get(WorkOrder, True), "is True; it must be a whole number"),
    "a Decimal as id": (lambda a: a.get(WorkOrder, Decimal(1)), "is a Decimal; it must be a whole number"),
    "a record as id": (lambda a: a.get(WorkOrder, ORDER), "is a WorkOrder; pass its id, 7"),
    "a record without id as id": (lambda a: a.get(WorkOrder, WorkOrder()), "is a WorkOrder; pass its id"),
    "a reference as id": (lambda a: a.get(WorkOrder, Ref(7)), "is a Ref; pass its id, 7"),
    "an empty key": (lambda a: a.get(AssetTree, {}), "the id of an AssetTree is an empty dict"),
    "a key with a misspelt name": (lambda a: a.get(AssetTree, {"parent_id": 1, "ChildId": 2}), "'ParentId'?"),
    "a key with a text": (lambda a: a.get(AssetTree, {"ParentId": "1", "ChildId": 2}), "ParentId is '1'; it"),
    "a key with nan": (lambda a: a.get("Link", {"A": float("nan")}), "A is nan; it must be a whole number"),
    "a key with None": (lambda a: a.delete("Link", {"A": None}), "A is None; it must be a whole number"),
    "a key that is no name": (lambda a: a.delete("Link", {1: 2}), "has the member 1"),
    "delete by a text": (lambda a: a.delete(Customer, "5"), "it must be a whole number: send 5"),
    "delete nothing": (lambda a: a.delete(Customer, None, missing_ok=True), "the id of a Customer is None"),
    "restore by a text": (lambda a: a.restore(Customer, "5"), "it must be a whole number: send 5"),
    "edit by a text": (lambda a: a.edit(WorkOrder, "1", print), "it must be a whole number: send 1"),
    # entities
    "get by a record": (lambda a: a.get(WorkOrder(id=1), 1), "not a WorkOrder; pass the class WorkOrder"),
    "get nothing": (lambda a: a.get(None, 1), "not None; pass the class WorkOrder"),
    "get a command": (lambda a: a.get(WoCreateCommand, 1), "not an entity; use run(WoCreateCommand(...))"),
    "get another class": (lambda a: a.get(dict, 1), "the class dict is not an entity"),
    "get a name with a blank": (lambda a: a.get("Work Order", 1), "'Work Order' is not the name"),
    "delete by a record": (lambda a: a.delete(Customer(id=1), 1), "not a Customer; pass the class Customer"),
    "query by a record": (lambda a: a.query(WorkOrder(id=1)), "not a WorkOrder; pass the class WorkOrder"),
    "query unchecked by a record": (lambda a: a.query(ORDER, check=False), "pass the class WorkOrder"),
    "query an expression by a record": (lambda a: a.query(ORDER, {}), "pass the class WorkOrder"),
    "query a command": (lambda a: a.query(WoCreateCommand), "is a command, not an entity"),
    "fields of a record": (lambda _: anything(ORDER), "pass the class WorkOrder"),
    "edit by a name": (lambda a: a.edit("WorkOrder", 1, print), "an entity class, not the name 'WorkOrder'"),
    "changes by a record": (lambda a: a.changes(ORDER), "pass the class WorkOrder"),
    "resolve by a record": (lambda a: a.resolve(Customer(id=1), name="x"), "pass the class Customer"),
    # records to be written
    "create a class": (lambda a: a.create(Customer), "not the class Customer…Customer(...)"),
    "create a dict": (lambda a: a.create({"Name": "x"}), "not a dict…Customer(...), or a name"),
    "create nothing": (lambda a: a.create(None), "takes a record, not None"),
    "create a command": (lambda a: a.create(WoCreateCommand()), "use run(WoCreateCommand(...))"),
    "fields twice": (lambda a: a.create(Customer(name="x"), {"Name": "y"}), "set them in the record"),
    "create with a list": (lambda a: a.create("Customer", ["x"]), "be a dict, {'Name': ...}, not a list"),
    "update an id": (lambda a: a.update(1, po_number="x"), "not 1; pass the record that was read"),
    "update a class": (lambda a: a.update(WorkOrder, po_number="x"), "the class WorkOrder…WorkOrder.ref(id)"),
    "update a name": (lambda a: a.update("WorkOrder", po_number="x"), "not 'WorkOrder'; pass the record"),
    "update a dict": (lambda a: a.update({"Id": 7}, po_number="x"), "not a dict…the record that was read"),
    "update with a dict": (lambda a: a.update(ORDER, {"PoNumber": "x"}), "not a dict…record that was read"),
    "update a command": (lambda a: a.update(START, comment="x"), "is a command, not an entity"),
    "update nothing": (lambda a: a.update(ORDER), "has nothing to write; pass fields"),
    "update without an id": (lambda a: a.update(WorkOrder(), po_number="x"), "the WorkOrder has no id"),
    "a misspelt field": (lambda a: a.update(ORDER, po_numbr="x"), "'po_numbr'…'po_number'?"),
    "a wire name": (lambda a: a.update(ORDER, PoNumber="x"), "'PoNumber'…'po_number'?"),
    "a reference without an id": (lambda a: a.update(ORDER, work_zone=WorkZone()), "no id…WorkZone.ref(id)"),
    "put a text": (lambda a: a.put("WorkOrder", "x", properties=["*"]), "takes a dict with the Id…not 'x'"),
    "put one path": (
        lambda a: a.put("WorkOrder", {}, properties="*"),
        "properties is '*'; it must be a list",
    ),
    # commands
    "run a dict": (lambda a: a.run({"WorkOrderId": 7}), "takes a command, not a dict; pass one, such as"),
    "run a class": (lambda a: a.run(WoCreateCommand), "the class WoCreateCommand…WoCreateCommand(...)"),
    "run a record": (lambda a: a.run(ORDER), "WoCreateCommand(work_order=...)…change it with update("),
    "run another record": (lambda a: a.run(Customer(name="x")), "create a Customer with create(record)"),
    "run nothing": (lambda a: a.run(None), "takes a command, not None"),
    "run a marked dict": (lambda a: a.run({}, marker="work_order.po_number"), "takes a command, not a dict"),
    "run with fields twice": (lambda a: a.run(START, {"Comment": "x"}), "set them in the command"),
    "run with a list": (lambda a: a.run("WoStartCommand", [7]), "must be a dict, {'Name': ...}, not a list"),
    # properties
    "one path": (lambda a: a.get(WorkOrder, 1, properties="Customer.Name"), "pass a list, ['Customer.Name']"),
    "one property": (lambda a: a.get(WorkOrder, 1, properties=f.number), "a list of paths: pass a list"),
    "no paths": (lambda a: a.get(WorkOrder, 1, properties=None), "properties is None…paths: leave it out"),
    "a misspelt path": (lambda a: a.get(WorkOrder, 1, properties=["Custmer.Name"]), "mean 'Customer'?"),
    "a misspelt step": (lambda a: a.get(WorkOrder, 1, properties=["Customer.Nam"]), "did you mean 'Name'?"),
    "a python name": (lambda a: a.get(WorkOrder, 1, properties=["po_number"]), "did you mean 'PoNumber'?"),
    "a reference as path": (lambda a: a.get(WorkOrder, 1, properties=["Customer"]), "write 'Customer.*'"),
    "a path that is no text": (lambda a: a.get(WorkOrder, 1, properties=[5]), "not 5"),
    "a property of another": (lambda a: a.get(WorkOrder, 1, properties=[NAME]), "Name is not a property of"),
    "edit one path": (lambda a: a.edit(WorkOrder, 1, print, properties="Notes.*"), "list, ['Notes.*']"),
    "edit a misspelt path": (lambda a: a.edit(WorkOrder, 1, print, properties=["Note.*"]), "'Notes'?"),
    "changes of one path": (lambda a: a.changes(WorkOrder, properties="Number"), "pass a list, ['Number']"),
    "changes of a misspelt path": (lambda a: a.changes(WorkOrder, properties=["Numbr"]), "'Number'?"),
    # references
    "ref of a text": (lambda _: customer.ref("512"), "not '512'…Customer.ref(512)"),
    "ref of a name": (lambda _: customer.ref("Acme"), "not 'Acme'; pass the id of the record"),
    "ref of nothing": (lambda _: customer.ref(None), "not None; pass the id of the record"),
    "ref of a truth value": (lambda _: customer.ref(True), "takes a whole number, not True"),
    "ref of a record": (lambda _: order_class.ref(ORDER), "an object of WorkOrder…WorkOrder.ref(7)"),
    "Ref of a text": (lambda _: refer("512"), "takes a whole number, not '512'; pass Ref(512)"),
    # queries
    "a property in where": (lambda a: a.query(WorkOrder).where(f.customer), "Customer…fields(WorkOrder).id"),
    "a text in where": (lambda a: a.query(WorkOrder).where("Id = 5"), "takes conditions, not 'Id = 5'"),
    "a condition behind the entity": (lambda a: a.query(WorkOrder, f.id == 5), "query(WorkOrder).where(...)"),
    "an entity behind the entity": (lambda a: a.query(WorkOrder, Customer()), "QueryExpression or a dict"),
    "a misspelt value": (lambda a: a.query(WorkOrder).where(f.status_id == "Nww"), "did you mean 'New'?"),
    "compared with text": (
        lambda a: a.query(WorkOrder).where(f.customer == "512"),
        "is '512'; it must be Ref(",
    ),
    "a list compared with another class": (lambda _: f.items.task == Location(id=5), "Items.Task is Loc"),
    "a reference in a text": (lambda _: f.customer.in_("512"), "WorkOrder.Customer: In takes a list"),
    "one value for several": (lambda _: anything(WorkOrder).id.in_(5), "WorkOrder.Id: In takes a list"),
    "an object compared": (lambda _: f.vendor_nte == Money(), "WorkOrder.VendorNte has no Id to compare"),
    "update with a timeout": (lambda a: a.update(ORDER, po_number="x", timeout=3), "with_options(deadline="),
    # what an update does not write
    "update the assignee": (lambda a: a.update(ORDER, employee=Ref(3)), "only by commands…check=False"),
    "update the id": (lambda a: a.update(ORDER, id=13, po_number="x"), "never writes id…WorkOrder.ref(13)"),
    "update the version": (lambda a: a.update(ORDER, concurrency_id=3), "concurrency_id…if_unchanged=True"),
    "update to a removal": (lambda a: a.update(WoNote(id=5), perform_deletion=True), "delete(WoNote, 5)"),
    "a misspelt option of update": (lambda a: a.update(ORDER, if_unchagned=True), "'if_unchanged'?"),
    "another misspelt option of update": (lambda a: a.update(ORDER, chekc=True), "'check'?"),
    # traces
    "traced by a number": (lambda a: a.traced(5), "takes a Trace, not 5; pass one: trace = Trace()"),
    "traced by the class": (lambda a: a.traced(Trace), "not the class Trace; pass one: trace = Trace()"),
    "traced by a dict": (lambda a: a.traced({}), "takes a Trace, not a dict"),
    "traced by nothing": (lambda a: a.traced(None), "takes a Trace, not None"),
    # markers
    "a marker that is a number": (lambda a: a.run(CREATE, marker=7), "'work_order.po_number', not 7"),
    "a marker that is a property": (lambda a: a.run(CREATE, marker=f.po_number), "WorkOrder.PoNumber>…path"),
    "a misspelt marker": (lambda a: a.run(CREATE, marker="work_order.po_numbr"), "po_numbr'…'po_number'?"),
    "a marker in a misspelt record": (lambda a: a.run(CREATE, marker="work_ordr.po_number"), "work_order'?"),
    "a key longer than its field": (
        lambda a: a.create(Customer(tenant_code="x" * 65), marker="tenant_code", check=False),
        "has 65 characters; Customer.TenantCode holds 64: use a shorter key",
    ),
    # feeds, custom fields, edits, files
    "changes since a text": (lambda a: a.changes(WorkOrder, since="yesterday"), "'yesterday'…Watermark."),
    "changes since a date": (lambda a: a.changes(WorkOrder, since=date(2024, 5, 1)), "since is a date; it"),
    "a number as overlap": (lambda a: a.changes(WorkOrder, overlap=60), "overlap is 60…a timedelta"),
    "a watermark of nothing": (lambda _: watermark.parse(None), "not a watermark: None"),
    "custom fields as a text": (lambda a: a.custom_fields.set(ORDER, "Dock"), "a dict…pass {'Dock': value}"),
    "custom fields by a number": (lambda a: a.custom_fields.set(ORDER, {5: "x"}), "must be a string, not 5"),
    "custom fields of an id": (lambda a: a.custom_fields.get(7), "custom_fields.get() takes a record, not 7"),
    "custom fields for an id": (lambda a: a.custom_fields.set(7, {"Dock": "5"}), "a record, not 7; pass"),
    "edit by a dict": (lambda a: a.edit(WorkOrder, 1, {"po_number": "x"}), "not a dict…WorkOrder.ref(1)"),
    "attempts as a text": (lambda a: a.edit(WorkOrder, 1, print, attempts="5"), "is '5'; it must be a whole"),
    "scan with a text": (
        lambda a: anext(a.query(WorkOrder).scan(parallel="4")),
        "parallel is '4'; it must be",
    ),
    # conditions
    "no parentheses": (lambda _: wild.status_id == "New" & wild.id == 1, "Id is not a…each comparison in"),
    "none around the second": (lambda _: (wild.id > 1) | wild.id == 1, "parentheses: (f.a == 1) & (f.b"),
    "no comparison": (lambda _: anything(WorkOrder).customer & 5, "WorkOrder.Customer is not a condition: &"),
    "a property negated": (lambda _: ~anything(WorkOrder).is_warranty, "IsWarranty…== True) before negating"),
    # values of another kind
    "a record for an id in a command": (lambda a: a.run(start(ORDER)), "is a WorkOrder…send its id, 7."),
    "a Ref for an id in a command": (lambda a: a.run(start(Ref(7))), "a whole number: send its id, 7."),
    "a number for an id in a command": (lambda a: a.run(start("RSC1")), "is 'RSC1', a string…a whole number"),
    "a span for minutes": (lambda a: a.update(ORDER, duration=timedelta(1)), "a timedelta…a whole number"),
    "a generator for a list": (lambda a: a.update(ORDER, items=iter(())), "a list: send list(value)."),
    "a dict for a list": (lambda a: a.update(ORDER, items={"Id": 1}), "is a dict…a list: send [value]."),
    # numbers and lists of the helpers
    "attach with a size as text": (
        lambda a: attach(a, b"x", max_bytes="10MB"),
        "is '10MB'; it must be a number of bytes, 0",
    ),
    "download with a size as text": (lambda a: a.documents.download(5, max_bytes="10MB"), "max_bytes is"),
    "download to a number": (lambda a: a.documents.download(5, 5), "to= is 5…the path of a file"),
    "link a number": (lambda a: a.documents.link(ORDER, 5, title="t"), "the link is 5…an http(s) address"),
    "addresses of one document": (lambda a: a.documents.download_urls(5), "documents is 5…a list"),
    "no flags": (lambda a: a.work_orders.set_flags(ORDER, None), "flags is None…a list of at least one"),
    "clear one flag": (lambda a: a.work_orders.clear_flags(ORDER, 7), "flags is 7…a list of at least one"),
    "set one flag by name": (lambda a: a.work_orders.set_flags(ORDER, "Urgent"), "flags is 'Urgent'…a list"),
    "labor of one order": (lambda a: a.labor.entries(ORDER).__anext__(), "orders is a WorkOrder…a list"),
    "resolve with an age as text": (lambda a: a.resolve(Customer, name="x", max_age="x"), "max_age is 'x'"),
    "resolve with a negative age": (lambda a: a.resolve(Customer, name="x", max_age=-1), "max_age is -1; it"),
    "resolve and remember a text": (lambda a: a.resolve(Customer, name="x", remember="x"), "remember is 'x'"),
    "resolve a number": (lambda a: a.resolve(Customer, names=5), "takes one property and its value, such as"),
    "resolve bytes": (lambda a: a.resolve(Customer, names=b"x"), "takes one property and its value, such as"),
    "poll at a negative time": (lambda a: a.changes(WorkOrder).poll(every=-1), "every is -1…a number"),
    "poll without a pause": (lambda a: a.changes(WorkOrder).poll(0), "every is 0…a number of seconds"),
    "poll at nan": (
        lambda a: a.changes(WorkOrder).poll(float("nan")),
        "every is nan; it must be a number of",
    ),
    "poll never": (lambda a: a.changes(WorkOrder).poll(float("inf")), "every is inf; it must be a number of"),
    "poll at a text": (lambda a: a.changes(WorkOrder).poll("60"), "every is '60'…a number of seconds"),
    "poll at True": (lambda a: a.changes(WorkOrder).poll(True), "every is True…a number of seconds"),
    # fields without their names
    "a record by its id alone": (lambda _: customer(512), "Customer(field=value)…Customer.ref(512)"),
    "a command by an id alone": (lambda _: start_class(7), "by name, WoStartCommand(field=value)"),
    # remedies
    "another reference as id": (lambda a: a.get(Customer, Location.ref(20440)), "not of a Location"),
    "a name for a reference": (lambda a: a.update(ORDER, customer="Pier"), "resolve(Customer, name='Pier')"),
    "a path with its root": (lambda a: a.post("api/v1/cmd/X", {}), "must be relative to api/v1/…: 'cmd/X'"),
    "a path with a slash": (lambda a: a.post("/cmd/X", {}), "without a leading slash: 'cmd/X'"),
    "a number as name": (lambda a: a.documents.attach(ORDER, b"x", file_name=5), "file_name is 5…text"),
    "a number as media type": (lambda a: attach(a, b"x", mime_type=5), "mime_type is 5; it must be text"),
    "an open file": (lambda a: attach(a, io.BytesIO(b"x")), "a BytesIO cannot be uploaded; pass its .read()"),
    "an upload of a framework": (
        lambda a: attach(a, UploadFile(io.BytesIO(b"x"))),
        "a UploadFile cannot be uploaded; pass what 'await .read()' returns",
    ),
    "download of the order": (lambda a: a.documents.download(ORDER), "is a WorkOrder; it must be a Document"),
    "a specifier for a document": (
        lambda a: a.documents.download_urls([MADE]),
        "is an EntitySpecifier; it must be",
    ),
    "progress that is a number": (lambda a: a.documents.download(7, progress=5), "is 5…two arguments"),
    "a long link": (
        lambda a: a.documents.link(ORDER, LONG, title="a"),
        "has 2,066 characters; the maximum is",
    ),
    "a number for a text": (lambda a: a.query(WorkOrder).where(f.number == 5), "it must be text: send '5'"),
    "reasons by a label": (lambda a: a.work_orders.reasons("On Hold"), "'On Hold'…WOActionType…did you mean"),
    "a webhook's body that was parsed": (lambda _: read_event({"Entities": []}, WorkOrder), "await request."),
    "an empty list of flags": (lambda a: a.work_orders.set_flags(ORDER, []), "flags is empty…a list"),
    "no note option": (lambda a: a.work_orders.complete(ORDER, note="x", note_option=None), "FillEmpty"),
    "an option alone": (lambda a: a.work_orders.complete(ORDER, note_option="Replce"), "'Replce'…FillEmpty"),
    "an order by its number": (lambda a: a.work_orders.complete("RSC000001"), "by_number('RSC000001')"),
    "a misspelt kind": (lambda a: a.custom_fields.set(ORDER, {}, kind="Propperty"), "mean 'Property'?"),
    "labor since a text": (lambda a: anext(a.labor.entries(since="2024-05-01")), "'2024-05-01'…datetime"),
    "names by a number": (lambda a: a.resolve(Customer, names=["x"], by=5), "by= is 5…text property…'name'"),
    "many of a text": (lambda a: a.run_many("WoStartCommand"), "the inputs are a str; pass a list"),
    "many of a dict": (lambda a: a.run_many({"a": START}), "the inputs are a dict; pass a list"),
    "many by what is no function": (lambda a: a.run_many([1], command=5), "command is 5…a function"),
    # commands that contain others, or whole records
    **{
        f"{command.wire_name} with what has no type": (
            lambda a, command=command: a.run(command),
            f"{command.wire_name}: …{field}…use create or update, or run each command…check=False",
        )
        for command, field in UNTYPED
    },
    "fields of a CompositeCommand": (
        lambda a: a.run("CompositeCommand", {"Commands": [{"WorkOrderId": 7}]}),
        "CompositeCommand: …Commands…check=False",
    ),
    "post to a number": (lambda a: a.post(5, {}), "post() takes a path below api/v1/ such as 'cmd/X', not 5"),
}


async def test_a_mistake_is_explained_and_nothing_is_sent() -> None:
    """The error is one of the library's, names the value and the remedy, and no connection was made."""
    async with Service() as service, service.client() as client:
        for name, (mistake, message) in MISTAKES.items():
            with case(name):
                with pytest.raises(InvalidCallError) as caught:
                    await mistake(client.company())
                assert re.search(".*".join(map(re.escape, message.split("…"))), caught.value.explained())
                assert service.connections == 0


def test_some_are_python_s_errors_too() -> None:
    """What looks for an attribute or a keyword finds none, as hasattr and callers of either expect."""
    assert issubclass(UnknownPropertyError, AttributeError)
    assert issubclass(UnknownFieldError, TypeError)


@each_of(
    ("given", "told"),
    [
        ({"WorkOrderId": 7}, "takes a command, not a dict"),
        (WoStartCommand, "make one: WoStartCommand(...)"),
        (ORDER, "not a WorkOrder"),
        (None, "not None"),
    ],
)
@each_of("marker", [None, "work_order.po_number"])
async def test_what_is_no_command_fails_alone_in_a_run(given: Any, told: str, marker: str | None) -> None:
    """Its outcome is Failed with the same error; the input beside it is carried out."""
    good = WoCreateCommand(work_order=WorkOrder(po_number="a", type_category=WOType.Basic))
    async with (
        Service(lambda _: Answer(body={"CommandResult": {"Wo": {"Id": 7}}})) as service,
        service.client() as client,
    ):
        inputs: list[Any] = [given, good]
        async with client.company().run_many(inputs, marker=marker) as run:
            outcomes = {outcome.index: outcome async for outcome in run}
    failed = outcomes[0]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, InvalidCallError)
    assert told in failed.error.message
    assert [call.path for call in service.calls] == ["/api/v1/cmd/WoCreateCommand"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda a: a.get("Custommer", 1),
            "the entity 'Custommer' is not in the catalogue and is sent unchanged",
        ),
        (lambda a: a.run("WoStarttCommand", {}), "did you mean 'WoStartCommand'?"),
        (lambda a: a.get("workorder", 1), ""),
        (lambda a: a.get("CustomerGroups", 1), ""),
        (lambda a: a.run("wostartcommand", {"WorkOrderId": 7}), ""),
    ],
)
async def test_a_name_near_a_known_one_is_sent_and_warned_of(
    call: Mistake, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The service may know names that the catalogue does not: it is asked, and the log names the near one."""
    answer = Answer(body={"Data": {"Id": 1}, "CommandResult": {}})
    async with Service(lambda _: answer) as service, service.client() as client:
        for _ in range(2):
            await call(client.company())
    assert len(service.calls) == 2
    texts = [record.getMessage() for record in caplog.records]
    assert len(texts) == bool(told)
    assert told in "".join(texts)


@each_of("marker", [7, f.po_number, "work_order.po_numbr", ""])
async def test_a_marker_that_is_none_fails_each_input_of_a_run(marker: Any) -> None:
    """With the same error as ``run``; nothing is sent."""
    async with Service() as service, service.client() as client:
        async with client.company().run_many([CREATE, CREATE], marker=marker) as run:
            outcomes = [outcome async for outcome in run]
    errors = [outcome.error for outcome in outcomes if isinstance(outcome, Failed)]
    assert [type(error) for error in errors] in ([InvalidCallError] * 2, [UnknownPropertyError] * 2)
    assert service.connections == 0


GOOD: dict[str, tuple[Callable[[Company], Awaitable[Any]], str, str]] = {
    "a property": (
        lambda a: a.get(WorkOrder, 1, properties=[f.customer.name, "*"]),
        "GET",
        "/WorkOrder/1?properties=Customer.Name,*",
    ),
    "a property with all below": (
        lambda a: a.get(WorkOrder, 1, properties=[f.items]),
        "GET",
        "/WorkOrder/1?properties=Items.*",
    ),
    "a generator": (
        lambda a: a.get(WorkOrder, 1, properties=(name for name in ["*"])),
        "GET",
        "/WorkOrder/1?properties=*",
    ),
    "unchecked": (
        lambda a: a.get(WorkOrder, 1, properties=["Novel"], check=False),
        "GET",
        "/WorkOrder/1?properties=Novel",
    ),
    "by name": (
        lambda a: a.get("WorkOrder", 1, properties=["Novel.*"]),
        "GET",
        "/WorkOrder/1?properties=Novel.*",
    ),
    "an id of a reference in a key": (
        lambda a: a.get("InvoiceLog", {"InvoiceId": 1, "Idx": 2}),
        "GET",
        "/InvoiceLog?ID=%7B%22InvoiceId%22%3A1%2C%22Idx%22%3A2%7D",
    ),
    "a key in any case": (
        lambda a: a.delete(AssetTree, {"parentid": 1, "childid": 2}, check=False),
        "DELETE",
        "/AssetTree?ID=%7B%22parentid%22%3A1%2C%22childid%22%3A2%7D",
    ),
}


@each_of(("verb", "method", "path"), GOOD.values(), ids=GOOD)
async def test_what_looks_odd_and_is_right_is_sent(
    verb: Callable[[Company], Awaitable[Any]], method: str, path: str
) -> None:
    """The checks refuse no call that the service may take."""
    found = Answer(body={"Data": {"Id": 1}, "EntitySpecifier": {}})
    async with Service(lambda _: found) as service, service.client() as client:
        await verb(client.company())
    assert [(call.method, call.path) for call in service.calls] == [(method, f"/api/v1/base{path}")]


async def test_a_command_without_the_types_of_its_parts_is_sent_only_unchecked() -> None:
    """``run_many`` has no such argument: there, each is refused on its own."""
    async with (
        Service(lambda _: Answer(body={"CommandResult": {"EntitySpecifier": {"Id": 7}}})) as service,
        service.client() as client,
    ):
        acme = client.company()
        commands = [command for command, _ in UNTYPED]
        async with acme.run_many(commands) as run:
            outcomes = [outcome async for outcome in run]
        assert [type(outcome.error) for outcome in outcomes if isinstance(outcome, Failed)] == [
            InvalidCallError
        ] * len(commands)
        assert service.calls == []
        for command in commands:
            await acme.run(command, check=False)
    assert [call.json["Command"] for call in service.calls] == [codec.unstructure(each) for each in commands]


async def test_an_expression_may_be_a_record_or_a_dict() -> None:
    """Both forms of a raw query are sent."""
    async with Service(lambda _: Answer(body={"Entities": []})) as service, service.client() as client:
        acme = client.company()
        assert await acme.query(WorkOrder, QueryExpression(count=1)) == []
        assert await acme.query(WorkOrder, {"Count": 1}) == []
    assert [call.json for call in service.calls] == [{"QueryExpression": {"Count": 1}}] * 2


@each_of(
    "use",
    [
        lambda acme, given: acme.get(Customer, given),
        lambda acme, given: acme.run(given),
        lambda acme, given: acme.update(given, name="x"),
        lambda acme, given: acme.work_orders.start(given),
        lambda acme, given: acme.work_orders.by_number(given),
    ],
)
async def test_a_forgotten_await_is_named(use: Callable[[Company, Any], Awaitable[Any]]) -> None:
    """Instead of the coroutine's representation."""
    async with Service() as service, service.client() as client:
        given = client.company().get(Customer, 1)
        with pytest.raises(InvalidCallError, match=r"a coroutine \(await it\)"):
            await use(client.company(), given)
        given.close()
