"""Names to references: what is asked, what is remembered, and what is told when a name has no record."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.jobs.conftest import Local
from wosdk_async import (
    CallOptions,
    Contact,
    Customer,
    Employee,
    InvalidCallError,
    NoAnswerError,
    NotFoundError,
    NotUniqueError,
    Ref,
    RetryPolicy,
    UnknownPropertyError,
    WorkZone,
)

CUSTOMERS = "query/Customer"


async def made(local: Local, *names: str, **fields: Any) -> list[int]:
    records = [Customer(name=name, display_as=name, work_zone=Ref(14), **fields) for name in names]
    return [(await local.company.create(record)).id or 0 for record in records]


def asked(local: Local) -> list[list[str]]:
    """Return the values of each condition that was sent."""
    bodies = [json.loads(body) for body in local.server.bodies if "QueryExpression" in body]
    return [body["QueryExpression"]["Criteria"]["Conditions"][0]["Values"] for body in bodies]


async def test_a_name_becomes_a_reference(local: Local) -> None:
    """Any text property may be the name; letter case and outer blanks do not count."""
    acme = local.company
    assert await acme.resolve(Customer, name=" lindqvist DENTAL llc ") == Customer.ref(512)
    assert await acme.resolve(WorkZone, number="wz-015") == WorkZone.ref(15)
    people = await acme.resolve(Employee, names=["mira.okafor", "Paul.Renner"], by="username")
    assert people == {"mira.okafor": Employee.ref(208), "Paul.Renner": Employee.ref(215)}
    assert await acme.resolve(Customer, names=[]) == {}


async def test_names_with_other_letters_are_found_in_any_case(local: Local) -> None:
    (id,) = await made(local, "Café Öl")
    assert await local.company.resolve(Customer, name="CAFÉ ÖL") == Customer.ref(id)


async def test_calls_of_one_turn_are_one_query(local: Local) -> None:
    """However many tasks, Companies and spellings; another property or entity is another query."""
    acme = local.company
    await made(local, *(f"Shop {i}" for i in range(5)))
    found = await asyncio.gather(
        *(acme.with_options().resolve(Customer, name=f"shop {i % 5}") for i in range(120)),
        acme.resolve(Customer, names=["Shop 1", "SHOP 1", "Shop 2 "]),
        acme.resolve(Customer, display_as="Shop 3"),
        acme.resolve(Contact, number="C-0731"),
    )
    assert len({each.id for each in found[:120]}) == 5
    assert found[120] == {"Shop 1": found[1], "SHOP 1": found[1], "Shop 2 ": found[2]}
    assert local.server.count(CUSTOMERS) == 2
    assert local.server.count("query/Contact") == 1


async def test_many_names_go_in_batches(local: Local) -> None:
    """200 in a query; the error names the first that are missing."""
    names = ["Pier Coffee Inc", *(f"Shop {i}" for i in range(230))]
    with pytest.raises(NotFoundError, match=r"'Shop 0', .* 'Shop 19' and 210 more"):
        await local.company.resolve(Customer, names=names)
    assert sorted(len(values) for values in asked(local)) == [31, 200]


async def test_what_was_found_is_remembered_with_the_company(local: Local) -> None:
    """By other Company objects of the client too, and asked for again when it is too old."""
    acme = local.company
    for company in (acme, acme.with_options(deadline=5), acme):
        await company.resolve(Customer, name="Pier Coffee Inc")
    assert local.server.count(CUSTOMERS) == 1
    await acme.resolve(Customer, names=["pier coffee inc", "Lindqvist Dental LLC"])
    assert asked(local)[1:] == [["Lindqvist Dental LLC"]]
    await acme.resolve(Customer, name="Pier Coffee Inc", max_age=0)
    assert local.server.count(CUSTOMERS) == 3


async def test_no_more_is_remembered_than_asked_for(local: Local) -> None:
    """The names used last stay."""
    acme = local.company
    await made(local, "A", "B", "C")
    for name in ("A", "B", "A", "C"):
        await acme.resolve(Customer, name=name, remember=2)
    assert asked(local) == [["A"], ["B"], ["C"]]
    await acme.resolve(Customer, name="A")
    assert local.server.count(CUSTOMERS) == 3
    await acme.resolve(Customer, name="B", remember=0)
    await acme.resolve(Customer, name="A")
    assert asked(local)[3:] == [["B"], ["A"]]


async def test_a_name_without_a_record_is_told_and_not_remembered(local: Local) -> None:
    acme = local.company
    with pytest.raises(NotFoundError) as caught:
        await acme.resolve(Customer, names=["Pier Coffee Inc", "Nobody", "None"])
    assert "no Customer has the Name 'Nobody', 'None'" in str(caught.value)
    assert (caught.value.status, caught.value.company) == (0, "AcmeFacilities")
    (id,) = await made(local, "Nobody")
    assert (await acme.resolve(Customer, name="Nobody")).id == id


async def test_a_name_of_several_records_is_told(local: Local) -> None:
    first, second = await made(local, "Twin", "TWIN ")
    with pytest.raises(NotUniqueError, match=f"have the Name 'twin': ids {first}, {second}"):
        await local.company.resolve(Customer, name="twin")


async def test_removed_records_are_passed_over(local: Local) -> None:
    first, second = await made(local, "Twin", "Twin")
    await local.company.delete(Customer, first)
    assert (await local.company.resolve(Customer, name="Twin")).id == second


async def test_one_who_errs_does_not_harm_those_who_asked_with_him(local: Local) -> None:
    acme = local.company
    found, error = await asyncio.gather(
        acme.resolve(Customer, name="Pier Coffee Inc"),
        acme.resolve(Customer, name="Nobody"),
        return_exceptions=True,
    )
    assert found == Customer.ref(513)
    assert isinstance(error, NotFoundError)
    assert local.server.count(CUSTOMERS) == 1


async def test_a_failed_query_reaches_all_and_is_asked_again(local: Local) -> None:
    """Each gets an error of his own, and the next call is not stuck with it."""
    acme = local.company.with_options(retry=RetryPolicy(attempts=1))
    local.server.creation, local.server.broken = "query/Customer", True
    errors = await asyncio.gather(
        *(acme.resolve(Customer, name=name) for name in ("Pier Coffee Inc", "x")), return_exceptions=True
    )
    assert [type(error) for error in errors] == [NoAnswerError, NoAnswerError]
    assert errors[0] is not errors[1]
    local.server.broken = False
    assert (await acme.resolve(Customer, name="Pier Coffee Inc")).id == 513


async def test_calls_with_less_time_are_not_joined(local: Local) -> None:
    hasty = local.company.with_options(deadline=CallOptions().deadline or 7)
    await asyncio.gather(
        local.company.resolve(Customer, name="Pier Coffee Inc"),
        hasty.resolve(Customer, name="Pier Coffee Inc"),
    )
    assert local.server.count(CUSTOMERS) == 2


async def test_what_cannot_be_asked_is_told_before_anything_is_sent(local: Local) -> None:
    acme = local.company
    with pytest.raises(UnknownPropertyError, match="'nmae' of Customer; did you mean 'name'"):
        await acme.resolve(Customer, nmae="x")
    with pytest.raises(InvalidCallError, match=r"Customer.id is not text"):
        await acme.resolve(Customer, id="5")
    with pytest.raises(InvalidCallError, match=r"number is an int; it must be text: send '7'"):
        await acme.resolve(WorkZone, number=7)
    with pytest.raises(InvalidCallError, match="is blank"):
        await acme.resolve(Customer, name="  ")
    for wrong in ({}, {"name": "a", "dba": "b"}, {"by": "dba", "name": "a"}, {"names": "abc"}):
        with pytest.raises(InvalidCallError, match="takes one property and its value"):
            await acme.resolve(Customer, **wrong)
    assert local.server.asked == []
