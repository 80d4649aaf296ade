"""Queries over a socket: what the sandbox answers is what a filter in Python finds."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.support.service import Answer, Request, Service
from wosdk_async import (
    Client,
    Company,
    Condition,
    Location,
    NotFoundError,
    NotUniqueError,
    fields,
)

f = fields(Location)
Case = tuple[Condition, Callable[[Location], bool]]
COMPARE = [operator.eq, operator.ne, operator.gt, operator.ge, operator.lt, operator.le]

IDS = st.sampled_from([20400, 20410, 20420, 20440, 20441, 20901])
NAMES = st.sampled_from(["Floor 1", "Floor 2", "Air handler", "nowhere"])
KINDS = st.sampled_from(["Community", "Building", "Floor", "Unit", "Equipment"])


def by_id(compare: Callable[[Any, Any], Any], id: int) -> Case:
    return compare(f.id, id), lambda row: bool(compare(row.id, id))


def by_name(name: str) -> Case:
    return f.name == name, lambda row: row.name == name


def by_kinds(kinds: list[str]) -> Case:
    return f.type_id.in_(kinds), lambda row: str(row.type_id) in kinds


def by_part(part: str) -> Case:
    return f.name.like(f"%{part}%"), lambda row: part.lower() in (row.name or "").lower()


def between(low: int, high: int) -> Case:
    return f.id.between(low, high), lambda row: low <= (row.id or 0) <= high


def both(one: Case, other: Case) -> Case:
    return one[0] & other[0], lambda row: one[1](row) and other[1](row)


def either(one: Case, other: Case) -> Case:
    return one[0] | other[0], lambda row: one[1](row) or other[1](row)


def negated(one: Case) -> Case:
    return ~one[0], lambda row: not one[1](row)


cases = st.recursive(
    st.builds(by_id, st.sampled_from(COMPARE), IDS)
    | st.builds(by_name, NAMES)
    | st.builds(by_kinds, st.lists(KINDS, min_size=1, max_size=3))
    | st.builds(by_part, st.sampled_from(["o", "FLOOR", "a"]))
    | st.builds(between, IDS, IDS),
    lambda inner: st.builds(both, inner, inner) | st.builds(either, inner, inner) | st.builds(negated, inner),
    max_leaves=6,
)


@given(case=cases)
@examples(25)
async def test_the_sandbox_finds_what_a_filter_finds(variables: dict[str, str], case: Case) -> None:
    """For any condition: built, sent as JSON, answered by SQL."""
    condition, fits = case
    async with Client.from_env(variables) as client:
        query = client.company().query(Location)
        rows = await query.all()
        answered = [row.id async for page in query.where(condition).pages(size=5) for row in page]
    assert len(rows) > 10
    assert answered == [row.id for row in rows if fits(row)]


async def test_rows_of_a_class_and_of_a_name(company: Company) -> None:
    """Paths through references, selections, and an entity that is only named."""
    found = await company.query(Location).where(f.id == 20440).select(f.name, "TypeId").one()
    assert found == Location(id=20440, name=found.name, type_id=found.type_id)
    row = await company.query("Location").where(fields("Location").Id == 20440).select("Name").one()
    assert row == {"Id": 20440, "Name": found.name}


async def test_one_is_one(company: Company) -> None:
    where = rf" \(operation query Location, Company {company.name}\)"
    with pytest.raises(NotFoundError, match=f"no row matches{where}"):
        await company.query(Location).where(f.id == 1).one()
    with pytest.raises(NotUniqueError, match=f"several rows match{where}"):
        await company.query(Location).one()


async def test_an_expression_is_still_sent_as_it_is(company: Company) -> None:
    rows = await company.query(Location, {"Count": 2})
    assert [type(row) for row in rows] == [Location, Location]
    assert [type(row) for row in await company.query("Location", {"Count": 1})] == [dict]


async def test_the_isolation_level_is_a_header() -> None:
    """Of queries only, and only when asked for (facts 3.8)."""

    def answer(request: Request) -> Answer:
        return Answer(body={"Entities": []})

    async with Service(answer) as service, service.client() as client:
        query = client.company().query(Location)
        await query.isolation("ReadUncommitted").all()
        await query.all()
        levels = [call.headers.get("dataretrievalisolationlevel") for call in service.calls]
    assert levels == ["ReadUncommitted", None]
