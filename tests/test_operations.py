"""What an entity is documented not to support is refused before it is sent, unless a program insists.

``tests/model/test_generated.py`` tries each operation of each entity.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import (
    AssetAttribute,
    AssetInfo,
    Client,
    Company,
    Customer,
    UnsupportedError,
    WoFlag,
)
from wosdk_async.sandbox import LocalCompany

DONE = Answer(body={"EntitySpecifier": {"Id": 1}, "Entities": []})

Verb = Callable[[Company, bool], Awaitable[Any]]
VERBS: list[Verb] = [
    lambda acme, check: acme.create(WoFlag(), check=check),
    lambda acme, check: acme.create("WorkOrder", {}, check=check),
    lambda acme, check: acme.delete(WoFlag, 1, check=check),
    lambda acme, check: acme.update(AssetAttribute(id=1), value="x", check=check),
    lambda acme, check: acme.query(AssetInfo, {}, check=check),
]


@each_of("verb", VERBS)
async def test_a_program_may_insist(verb: Verb) -> None:
    """Spec 2.11, 4.9 rules 1 and 2, facts 3.9, facts 10 row 10: ``check=False`` sends it anyway."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        with pytest.raises(UnsupportedError):
            await verb(client.company(), True)
        assert service.calls == []
        await verb(client.company(), False)
        assert len(service.calls) == 1


async def test_what_is_not_documented_is_sent() -> None:
    """Entities that are supported, or that nobody knows, go out."""
    async with Service(lambda _: DONE) as service, service.client() as client:
        acme = client.company()
        await acme.create(Customer())
        await acme.create("Novelty", {})
        await acme.delete("Novelty", 1)
    assert len(service.calls) == 3


async def test_a_removed_record_is_restored(dialect: str) -> None:
    """Facts 3.4: a removed customer stays readable, and comes back, in the local Company."""
    with LocalCompany(dialect=dialect) as local:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            await acme.delete(Customer, 512)
            assert (await acme.get(Customer, 512)).is_removed
            assert (await acme.restore(Customer, 512)).id == 512
            assert (await acme.get(Customer, 512)).is_removed is False
