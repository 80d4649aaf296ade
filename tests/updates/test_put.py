"""A PUT as it stands: what an update does not say can be said all the same."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import RESET, Service, error
from tests.updates.order import done
from wosdk_async import (
    Customer,
    EntitySpecifier,
    InDoubtError,
    InvalidCallError,
    Money,
    RefusedError,
    UnknownNameError,
    WorkOrder,
)

SENT: dict[str, tuple[Any, Any, list[str], dict[str, Any]]] = {
    "everything": ("Customer", {"Id": 512, "Name": "Acme"}, ["*"], {"Id": 512, "Name": "Acme"}),
    "a class": (Customer, {"Id": 512, "Name": None}, ["Name"], {"Id": 512, "Name": None}),
    "a record": (Customer, Customer(id=512, name="Acme"), ["*"], {"Id": 512, "Name": "Acme"}),
    "inside another record": (
        Customer,
        {"Id": 512, "WorkZone": {"Id": 31, "Number": "07"}},
        ["WorkZone.*"],
        {"Id": 512, "WorkZone": {"Id": 31, "Number": "07"}},
    ),
    "values of the model": (
        WorkOrder,
        {"Id": 7, "VendorNte": Money(currency_type_id="USD", value=Decimal("1.50"))},
        ["VendorNte", "Novel"],
        {"Id": 7, "VendorNte": {"CurrencyTypeId": "USD", "Value": 1.5}},
    ),
    "nothing to write": ("Novel", {"Id": 1}, [], {"Id": 1}),
}


@each_of(("entity", "content", "properties", "body"), SENT.values(), ids=SENT)
async def test_it_is_sent_as_it_stands(
    entity: Any, content: Any, properties: list[str], body: dict[str, Any]
) -> None:
    """Facts 3.1 and 3.6: the path names the type, Properties and Entity are the caller's."""
    async with Service(done) as service, service.client() as client:
        made = await client.company().put(entity, content, properties=properties)
    (call,) = service.calls
    name = entity if isinstance(entity, str) else entity.wire_name
    assert (call.method, call.path) == ("PUT", f"/api/v1/base/{name}")
    assert call.json == {"Properties": properties, "Entity": body}
    assert made == EntitySpecifier(entity_type=name, id=body["Id"], concurrency_id=4)


async def test_its_verdicts_are_those_of_an_update() -> None:
    """A refusal is one; what may have been written is in doubt, and is not sent again."""
    async with Service(lambda _: RESET) as service, service.client() as client:
        acme = client.company()
        with pytest.raises(InDoubtError) as doubt:
            await acme.put("Customer", {"Id": 512}, properties=["*"])
        assert (doubt.value.operation, len(service.calls)) == ("update Customer", 1)
        service.handler = lambda _: error(400, "ERROR_CODE_1002")
        with pytest.raises(UnknownNameError):
            await acme.put("Customer", {"Id": 512}, properties=["Nme"])


async def test_a_read_only_client_refuses_it() -> None:
    """Before it is sent, like every call that could change something."""
    async with Service(done) as service, service.client(read_only=True) as client:
        with pytest.raises((InvalidCallError, RefusedError), match="read_only"):
            await client.company().put("Customer", {"Id": 512}, properties=["*"])
    assert service.calls == []


async def test_what_json_cannot_hold() -> None:
    """A value without a JSON form is told before anything is sent."""
    async with Service(done) as service, service.client() as client:
        with pytest.raises(InvalidCallError):
            await client.company().put("Customer", {"Id": float("nan")}, properties=["*"])
    assert service.calls == []
