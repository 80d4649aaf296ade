"""What an entity is documented not to support is told before it is sent, with what to do instead."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.service import Answer, Service
from wosdk_async import (
    AssetAttribute,
    AssetInfo,
    Client,
    Company,
    Customer,
    TimeCard,
    UnsupportedError,
    WoFlag,
    WorkOrder,
    WorkZone,
)
from wosdk_async.sandbox import LocalCompany

DONE = Answer(body={"EntitySpecifier": {"Id": 1}})

Verb = Callable[[Company, bool], Awaitable[Any]]
REFUSED: list[tuple[Verb, str]] = [
    (lambda acme, check: acme.create(WorkOrder(), check=check), "run WoCreateCommand"),
    (lambda acme, check: acme.create("WorkOrder", {}, check=check), "run WoCreateCommand"),
    (lambda acme, check: acme.delete(WorkOrder, 1, check=check), "run WoCancelCommand"),
    (lambda acme, check: acme.create(WoFlag(), check=check), "run WoSetFlagsCommand"),
    (lambda acme, check: acme.delete(WoFlag, 1, check=check), "run WoClearFlagsCommand"),
    (lambda acme, check: acme.create(WorkZone(), check=check), "run WorkZoneCreateCommand"),
    (lambda acme, check: acme.delete(AssetAttribute, 1, check=check), "update the Location"),
    (lambda acme, check: acme.update(AssetAttribute(id=1), value="x", check=check), "update the Location"),
    (lambda acme, check: acme.create(TimeCard(), check=check), "create is not supported by TimeCard"),
]


@pytest.mark.parametrize(("verb", "instead"), REFUSED)
async def test_refused_with_what_to_do_instead(verb: Verb, instead: str) -> None:
    """Spec 4.9 rules 1 and 2, facts 3.9: nothing is sent; check=False sends it anyway."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        with pytest.raises(UnsupportedError, match=instead):
            await verb(acme, True)
        assert service.calls == []
        await verb(acme, False)
        assert len(service.calls) == 1


async def test_what_is_not_documented_is_sent() -> None:
    """Entities that are supported, or that nobody knows, go out."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        await acme.create(Customer())
        await acme.create("Novelty", {})
        await acme.delete("Novelty", 1)
    assert len(service.calls) == 3


async def test_a_query_that_is_reported_to_fail() -> None:
    """Spec 2.11, facts 10 row 10: AssetInfo is read through its Location, which the message says."""
    async with Service(lambda _: Answer(body={"Entities": []})) as service, service.client() as client:
        acme = client.company()
        with pytest.raises(UnsupportedError, match="query Location"):
            acme.query(AssetInfo)
        assert await acme.query(AssetInfo, check=False).all() == []


async def test_a_removed_record_is_restored(dialect: str) -> None:
    """Facts 3.4: a removed customer stays readable, and comes back, in the local Company."""
    with LocalCompany(dialect=dialect) as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            await acme.delete(Customer, 512)
            assert (await acme.get(Customer, 512)).is_removed
            assert (await acme.restore(Customer, 512)).id == 512
            assert (await acme.get(Customer, 512)).is_removed is False
