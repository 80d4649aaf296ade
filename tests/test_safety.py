"""Clients that cannot do harm: read-only, vetoed, and dry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.service import COMPANY, Answer, Service
from wosdk_async import (
    Company,
    Contact,
    Customer,
    Done,
    DryRun,
    GetDocDownloadUrlCommand,
    InvalidCallError,
    Ref,
    WoCreateCommand,
    WorkOrder,
)

FOUND = Answer(body={"Data": {"Id": 1}, "Entities": [], "CommandResult": {}})


async def change_everything(acme: Company) -> list[Any]:
    return [
        await acme.create(Customer(name="A")),
        await acme.update(WorkOrder(id=1), po_number="PO"),
        await acme.delete(Contact, 1, missing_ok=True),
        await acme.run(WoCreateCommand(work_order=WorkOrder(), comment="c")),
        await acme.run("AnyCommand", {}),
    ]


async def read_everything(acme: Company) -> None:
    await acme.get(WorkOrder, 1)
    await acme.query(WorkOrder, {})
    await acme.run(GetDocDownloadUrlCommand(document_ids=[1]))


async def test_a_read_only_client_refuses_before_it_sends() -> None:
    """Reads work; whatever could change something is refused, and nothing of it leaves."""
    async with Service(lambda _: FOUND) as service, service.client(read_only=True) as client:
        acme = client.company()
        await read_everything(acme)
        for change in (
            acme.create(Customer(name="A")),
            acme.update(WorkOrder(id=1), po_number="PO"),
            acme.delete(Contact, 1, missing_ok=True),
            acme.run(WoCreateCommand(work_order=WorkOrder())),
            acme.run("AnyCommand", {}),
        ):
            with pytest.raises(InvalidCallError, match="read-only"):
                await change
    assert len(service.calls) == 3


async def test_a_dry_run_reads_and_keeps_the_rest() -> None:
    """Reads go out; the rest is kept in order, with its body, and answered with nothing."""
    dry = DryRun()
    async with Service(lambda _: FOUND) as service, service.client(before_send=dry) as client:
        acme = client.company()
        await read_everything(acme)
        results = await change_everything(acme)
        async with acme.run_many([WoCreateCommand(work_order=Ref(n)) for n in range(3)]) as run:
            outcomes = [outcome async for outcome in run]
    assert len(service.calls) == 3
    assert results[0].id is None
    assert results[1].po_number == "PO"
    assert all(isinstance(outcome, Done) for outcome in outcomes)
    assert [call.operation for _, call in dry.calls][:5] == [
        "create Customer",
        "update WorkOrder",
        "delete Contact",
        "WoCreateCommand",
        "AnyCommand",
    ]
    assert len(dry.calls) == 8
    company, create = dry.calls[0]
    assert (company, json.loads(create.body or b"")) == (COMPANY, {"Entity": {"Name": "A"}})


async def test_a_hook_that_raises_stops_the_call() -> None:
    """What the hook raises reaches the caller as it is."""

    async def no(*_: Any) -> None:
        raise PermissionError("not on Fridays")

    async with Service() as service, service.client(before_send=no) as client:
        with pytest.raises(PermissionError, match="Fridays"):
            await client.company().get("Thing", 1)
    assert service.calls == service.tokens == []


async def test_a_call_that_was_kept_can_be_sent_later() -> None:
    """Its result is that of the verb."""
    dry = DryRun()
    async with Service(lambda _: Answer(body={"EntitySpecifier": {"Id": 7}})) as service:
        async with service.client(before_send=dry) as client:
            await client.company().create(Customer(name="A"))
        assert service.calls == []
        async with service.client() as client:
            for _, call in dry.calls:
                assert (await client.company().send(call)).id == 7
        assert len(service.calls) == 1
