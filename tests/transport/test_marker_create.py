"""Creates of records with a marker: the same guarantees as those of commands."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from tests.support.payload import create_command
from tests.support.virtual import World, reply
from wosdk_async import (
    CallOptions,
    Client,
    Contact,
    Customer,
    DeadlineError,
    Employee,
    InDoubtError,
    InvalidCallError,
    Location,
    NoAnswerError,
    NotUniqueError,
    RetryPolicy,
    Trace,
    WoCreateCommand,
    WorkOrder,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox import LocalCompany

PAGE = reply(b"<html>bad gateway</html>", 502)
SETTLE = 30.0


def customer(code: str | None) -> Customer:
    return Customer(name="Acme Mall", tenant_code=code)


class Customers(World):
    """Keeps customers. The fate of a create: ``answer``, ``lost``, or seconds until it is committed."""

    def __init__(self, *fates: str | float, **options: Any) -> None:
        super().__init__(self.serve, **options)
        self.fates = iter(fates)
        self.stored: list[dict[str, Any]] = []
        self.sent = self.queries = 0

    async def serve(self, _: str, url: str, __: dict[str, str], body: bytes | None) -> Response:
        sent = json.loads(body or b"")
        if "/query/" in url:
            self.queries += 1
            (condition,) = sent["QueryExpression"]["Criteria"]["Conditions"]
            assert condition["PropertyName"] == "TenantCode"
            found = [row for row in self.stored if row["TenantCode"] in condition["Values"]]
            return reply({"Entities": [{"Data": row} for row in found]})
        self.sent += 1
        fate = next(self.fates, "answer")
        if fate == "lost":
            return PAGE
        if isinstance(fate, float):
            self.time.call_later(fate, lambda: self.commit(sent["Entity"]) and None)
            return PAGE
        made = self.commit(sent["Entity"])
        return reply({"EntitySpecifier": {"EntityType": "Customer", "Id": made["Id"], "ConcurrencyId": 1}})

    def commit(self, row: dict[str, Any]) -> dict[str, Any]:
        self.stored.append({**row, "Id": len(self.stored) + 1, "ConcurrencyId": 1})
        return self.stored[-1]

    async def create(self, record: Any = None, **options: Any) -> Any:
        first = options.pop("look_first", False)
        trace = options.pop("trace", Trace())
        company = self.company(**{"settle": SETTLE, **options}).traced(trace)
        call = company.create(record or customer("T"), marker="tenant_code", look_first=first)
        task = asyncio.create_task(call)
        await self.time.finish(task)
        return task.result()


@each_of("fate", ["answer", "lost", 0.0, 3.0, 29.0])
async def test_one_is_made_and_its_specifier_is_returned(fate: str | float) -> None:
    """As from the response, whether it came or the record was found."""
    service = Customers(fate)
    made = await service.create()
    assert (str(made.entity_type), made.id, made.concurrency_id) == ("Customer", 1, 1)
    assert len(service.stored) == 1
    assert service.sent == (2 if fate == "lost" else 1)


async def test_what_is_there_is_not_sent() -> None:
    """Removed or not (facts 3.4); the trace says that it was found."""
    service, trace = Customers(), Trace()
    service.stored = [{"Id": 9, "TenantCode": "T", "IsRemoved": True, "ConcurrencyId": 4}]
    made = await service.create(look_first=True, trace=trace)
    assert (made.id, made.concurrency_id, trace.found, service.sent) == (9, 4, True, 0)


async def test_an_entity_without_a_version_has_none_in_its_specifier() -> None:
    """facts 3.3: entities without a lock leave it out."""
    service = Customers()
    service.stored = [{"Id": 9, "TenantCode": "T"}]
    made = await service.create(look_first=True)
    assert (made.id, made.concurrency_id) == (9, None)


async def test_a_record_without_an_id_is_not_taken() -> None:
    """Nothing could be done with the specifier."""
    service = Customers()
    service.stored = [{"TenantCode": "T"}]
    with pytest.raises(NoAnswerError, match="its response omits the Id"):
        await service.create(look_first=True)
    assert service.sent == 0


async def test_the_ends_are_those_of_commands() -> None:
    """Never there, several there, and no time to settle."""
    with pytest.raises(NoAnswerError, match=r"not carried out: no record appeared within .* \(attempts: 2;"):
        await Customers(*["lost"] * 9).create(retry=RetryPolicy(attempts=2))
    several = Customers("lost")
    several.stored = [{"Id": number, "TenantCode": "T"} for number in (1, 2)]
    with pytest.raises(NotUniqueError, match="several Customer records have tenant_code 'T'"):
        await several.create()
    with pytest.raises(InDoubtError, match=r"\(settle\), beyond the"):
        await Customers("lost").create(deadline=5.0)
    with pytest.raises(DeadlineError):
        await Customers().create(deadline=0.0)


@each_of(
    ("record", "marker", "message"),
    [
        (customer(None), "tenant_code", "give it a unique key"),
        (customer(" T"), "tenant_code", "remove the leading or trailing whitespace"),
        (customer("  "), "tenant_code", "give it a unique key"),
        (customer("T"), "tenant_cod", "did you mean 'tenant_code'"),
        (Customer(id=5), "id", "the service sets Customer.Id itself"),
        (Customer(concurrency_id=5), "concurrency_id", "the service sets"),
        (Employee(password="x"), "password", "is a secret and is never read back"),
        (Contact(contact_addresses=[]), "contact_addresses", "names a list"),
        (Customer(tax_exempt=True), "tax_exempt", "a string property of the new record: display_as, name"),
        (Location(root_id=5), "root_id", "a string property"),
        ("Customer", "tenant_code", "needs an instance of a record class, not the name"),
        (WoCreateCommand(), "work_order.po_number", "is a command, not an entity"),
        (customer("T"), 7, "a marker is a string"),
    ],
)
async def test_a_marker_that_cannot_work_is_refused_before_anything_is_sent(
    record: Any, marker: Any, message: str
) -> None:
    """With the remedy."""
    service = Customers()
    with pytest.raises(InvalidCallError, match=message):
        await service.company().create(record, marker=marker)
    assert service.engines == []


VALUES: dict[str, Any] = {"string": "K-1", "integer": 7, "enum": 1, "boolean": True}


async def test_a_field_of_a_new_order_is_refused_or_keeps_its_key(dialect: str) -> None:
    """Whatever the field: a key that is not found again would make a second order of a lost response."""
    new = create_command("K-0").work_order
    assert new is not None
    with LocalCompany(dialect=dialect) as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            kept = set()
            for name, meta in WorkOrder.__wire__.items():
                if meta.get("many") or meta["type"] not in VALUES:
                    continue
                command = WoCreateCommand(work_order=attrs.evolve(new, **{name: VALUES[meta["type"]]}))
                marker = f"work_order.{name}"
                try:
                    made = await acme.run(command, marker=marker)
                except InvalidCallError:
                    continue
                found = await acme.find_marked(WoCreateCommand, marker, ["K-1"])
                assert [each.id for each in found["K-1"]] == [made.wo and made.wo.id], name
                kept.add(name)
    assert kept == {"po_number", "contact_name"}


# --- over real sockets --------------------------------------------------------------------------

FAULTS: list[dict[str, Any]] = [
    {"fault": "reset", "carried_out": True},
    {"fault": "reset", "carried_out": False},
    {"fault": "half_reply"},
    {"fault": "garbage"},
    {"fault": "status", "status": 502, "body": "html", "carried_out": True},
    {"fault": "late_commit", "after": 0.5, "hold": 0.1},
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault['fault']}-{fault.get('carried_out')}")
async def test_faults_of_a_real_server(fault: dict[str, Any], dialect: str) -> None:
    """Creates and commands, each twice at once and once more: one record of each key, whatever was lost."""
    rules = [{**fault, "operation": name, "first": 3} for name in ("create", "WoCreateCommand")]
    with LocalCompany(dialect=dialect) as local:
        local.faults.load({"seed": 1, "rule": rules})
        options = CallOptions(settle=1.5, deadline=30.0)
        async with Client.from_env(local.variables, options=options) as client:
            acme = client.company()
            keys = [f"K-{number}" for number in range(4)]

            async def contact(key: str) -> Any:
                record = Contact(first_name="Ines", last_name="M", customer_id=512, number=key)
                return await acme.create(record, marker="number")

            async def work_order(key: str) -> Any:
                return await acme.run(create_command(key), marker="work_order.po_number")

            made = await asyncio.gather(*(make(key) for key in keys * 2 for make in (contact, work_order)))
            trace = Trace()
            again = await acme.traced(trace).run(
                create_command("K-0"), marker="work_order.po_number", look_first=True
            )
            contacts = await acme.find_marked(Contact, "number", [*keys, "K-9"])
            orders = await acme.find_marked(WoCreateCommand, "work_order.po_number", keys)
        assert local.faults.injected == {fault["fault"]: 6}
    assert {key: len(found) for key, found in contacts.items()} == {**dict.fromkeys(keys, 1), "K-9": 0}
    assert {key: len(found) for key, found in orders.items()} == dict.fromkeys(keys, 1)
    assert [result.id for result in made[0::2]] == [contacts[key][0].id for key in keys * 2]
    assert [result.wo.id for result in made[1::2]] == [orders[key][0].id for key in keys * 2]
    assert (again.wo.id, trace.found) == (orders["K-0"][0].id, True)
