"""Pages: every row once and in order, whatever the sizes and whatever is added meanwhile."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.query.table import Table
from tests.support.laws import each_of
from wosdk_async import (
    AssetTree,
    Client,
    Company,
    InvalidCallError,
    NotUniqueError,
    Query,
    WoNote,
    WosdkError,
    catalogue,
    fields,
)
from wosdk_async.protocol.wire import Call
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.query.plan import KEYS
from wosdk_async.sandbox import LocalCompany, open_store

f = fields(WoNote)
ids = st.sets(st.integers(-20, 300), max_size=40)
sizes = st.integers(1, 12)


async def read(query: Query[WoNote], size: int) -> list[int]:
    return [note.id or 0 async for page in query.pages(size=size) for note in page]


@given(present=ids, added=st.lists(ids, max_size=8), size=sizes, cap=sizes, down=st.booleans())
async def test_pages_by_key_give_every_row_once_and_in_order(
    present: set[int], added: list[set[int]], size: int, cap: int, down: bool
) -> None:
    """What was there is read whatever is added between the pages, and nothing is read twice."""
    table = Table(present, cap=cap)
    table.before = lambda number: table.insert(added[number] if number < len(added) else ())
    found = await read(table.query().order_by(f.id.desc() if down else f.id), size)
    assert found == sorted(set(found), reverse=down)
    assert present <= set(found) <= present.union(*added)
    assert all(expression.get("FirstResultIndex") is None for expression in table.asked)


@given(present=ids, size=sizes, cap=sizes)
async def test_pages_by_offset_give_every_row_once_and_in_order(
    present: set[int], size: int, cap: int
) -> None:
    """Another order than by Id, over rows that do not change; the key is behind it."""
    table = Table(present, cap=cap)
    found = await read(table.query().order_by(f.body.desc()), size)
    assert found == sorted(present, key=lambda id: f"note {-id}", reverse=True)
    assert [order["PropertyName"] for order in table.asked[0]["Orders"]] == ["Body", "Id"]


@given(present=ids, added=st.lists(ids, max_size=8), size=sizes, cap=sizes, parallel=st.integers(1, 6))
@example(present={-9, -5}, added=[set(), {-3, -2}], size=1, cap=1, parallel=3)
async def test_scan_gives_every_row_once(
    present: set[int], added: list[set[int]], size: int, cap: int, parallel: int
) -> None:
    """The ranges cover all ids up to the highest, none twice, with no more calls at once than asked for."""
    table = Table(present, cap=cap, turns=2)
    table.before = lambda number: table.insert(added[number - 1] if 0 < number <= len(added) else ())
    found = [note.id async for note in table.query().scan(parallel=parallel, size=size)]
    assert len(found) == len(set(found))
    assert present <= set(found)
    assert all(id <= max(present) for id in found if id is not None)
    assert table.most_in_flight <= parallel


@given(present=ids, limit=st.integers(1, 50), size=sizes, down=st.booleans(), by_key=st.booleans())
async def test_a_limit_cuts_and_fetches_no_more_than_needed(
    present: set[int], limit: int, size: int, down: bool, by_key: bool
) -> None:
    """No row more is asked for, and once the limit is met no further page is."""
    table = Table(present)
    order = f.id if by_key else f.body
    query = table.query().order_by(order.desc() if down else order.asc()).limit(limit)
    found = await read(query, size)
    every = sorted(present) if by_key else sorted(present, key=table.rows.__getitem__)
    assert found == (every[::-1] if down else every)[:limit]
    assert all(expression["Count"] > 0 for expression in table.asked)  # 0 would mean no limit
    if limit <= len(present):
        assert sum(expression["Count"] for expression in table.asked) == limit


@given(present=ids, size=st.integers(2, 12), repeated=st.integers(1, 3), down=st.booleans())
async def test_a_row_that_a_page_repeats_is_given_once(
    present: set[int], size: int, repeated: int, down: bool
) -> None:
    """A condition on a list may repeat a row for each element that fits; in both orders."""
    query = Table(present, repeated=repeated).query().order_by(f.id.desc() if down else f.id)
    assert await read(query, size) == sorted(present, reverse=down)


async def test_it_ends_on_an_empty_page_only() -> None:
    """A short page may be the cap: the last request is answered with nothing."""
    table = Table([1, 2, 3])
    assert [note.id for note in await table.query().all()] == [1, 2, 3]
    assert [expression["Count"] for expression in table.asked] == [1000, 1000]
    assert table.asked[1]["Criteria"]["Conditions"] == [
        {"PropertyName": "Id", "Operator": "GreaterThan", "Values": ["3"]}
    ]


async def test_a_service_that_ignores_the_bound_is_told() -> None:
    """Rows that come again would be read for ever."""
    table = Table([1, 2])
    respond = table.respond
    table.respond = lambda expression, call: respond({**expression, "Criteria": {}}, call)  # type: ignore[method-assign]
    with pytest.raises(WosdkError, match="not in order of Id: 1 came after 2"):
        await table.query().all()


async def test_first_and_one() -> None:
    table = Table([7, 5])
    first = await table.query().first()
    assert first is not None
    assert first.id == 5
    assert await Table([]).query().first() is None
    assert (await Table([4]).query().one()).id == 4
    assert [expression["Count"] for expression in table.asked] == [1]


async def test_one_asks_for_distinct_rows() -> None:
    """A row that came twice would look like several."""
    table = Table([4])
    await table.query().one()
    assert [(expression["Count"], expression["Distinct"]) for expression in table.asked] == [(2, True)]


@each_of("order", [f.id.asc(), f.id.desc(), f.body.asc()])
@each_of("repeated", [2, 3])
async def test_one_counts_a_repeated_record_once(repeated: int, order: Any) -> None:
    """A condition on a list may repeat a row for each element that fits; another record is still found."""
    assert (await Table([4], repeated=repeated).query().order_by(order).one()).id == 4
    with pytest.raises(NotUniqueError):
        await Table([4, 5], repeated=repeated).query().order_by(order).one()


@each_of("id", [None, [4], "4", True])
async def test_one_compares_only_numbers(id: Any) -> None:
    """Without usable ids, two rows are two records."""

    async def twice(call: Call[list[Any]]) -> list[Any]:
        return call.decode(json.dumps({"Entities": [{"Data": {"Id": id}}] * 2}).encode())

    with pytest.raises(NotUniqueError):
        await Query("Thing", twice).one()


async def test_one_believes_no_service_that_ignores_its_condition() -> None:
    """Whether there is another record then remains unknown."""
    with pytest.raises(NotUniqueError):
        await Table([4], repeated=2, deaf_to="NotEqual").query().one()


@pytest.mark.parametrize("order", [f.id, f.body])
async def test_a_limit_holds_whatever_the_service_sends(order: Any) -> None:
    assert len(await Table(range(9), greedy=True).query().order_by(order).limit(3).all()) == 3


@each_of("size", [0, -1, 4001, 2.5, True])
async def test_a_page_beyond_the_cap_is_refused(size: int) -> None:
    with pytest.raises(InvalidCallError, match="from 1 to 4000"):
        Table([]).query().pages(size=size)


def scans(query: Query[WoNote]) -> list[Query[WoNote]]:
    return [query.limit(5), query.order_by(f.body), query.order_by(f.id.desc())]


async def test_scan_has_no_order_and_no_limit() -> None:
    for query in scans(Table([1]).query()):
        with pytest.raises(InvalidCallError, match="no order, limit"):
            await anext(query.scan())
    with pytest.raises(InvalidCallError, match="parallel is 0"):
        await anext(Table([1]).query().scan(parallel=0))


def test_the_numbers_are_those_of_the_catalogue() -> None:
    known = catalogue.load()
    assert known.row_cap == ROW_CAP
    keys = {entity.name: entity.composite_key for entity in known.entities.values() if entity.composite_key}
    assert keys == {name: key for name, key in KEYS.items() if key}


async def test_past_the_cap_of_the_sandbox(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, dialect: str
) -> None:
    """More rows than one answer holds, over a socket: by key, by scan, and by offset with a warning."""
    path = tmp_path / "full.db"
    store = open_store(str(path))
    (owner,) = store.companies()
    with store.transaction():
        for key in range(1, 4502):
            store.insert(owner.id, "WoNote", {"Id": key, "Body": str(key % 10), "WorkOrderId": 1})
    store.close()
    with LocalCompany(path, dialect=dialect) as local:
        async with Client.from_env(local.variables) as client:
            query = client.company().query(WoNote).select("Id")
            assert [note.id async for page in query.pages(size=4000) for note in page] == list(range(1, 4502))
            assert sorted([note.id or 0 async for note in query.scan(parallel=4)]) == list(range(1, 4502))
            assert caplog.records == []
            with caplog.at_level(logging.WARNING, "wosdk_async"):
                assert len(await query.order_by(f.body).all()) == 4501
            assert "exceeds the cap of 4000 records" in caplog.text
            assert len(caplog.records) == 1


async def test_entities_without_an_id_of_their_own_are_paged_by_offset(company: Company) -> None:
    """The Id of an AssetTree repeats its ParentId (facts 3.4)."""
    query = company.query(AssetTree)
    ascending = [{"PropertyName": name, "OrderType": "Ascending"} for name in ("ParentId", "ChildId")]
    assert query.expression["Orders"] == ascending
    small = [row async for page in query.pages(size=2) for row in page]
    assert small == await query.all()
    assert len({row.id for row in small}) < len(small)


@each_of("found", [[{}], [{"Id": None}], [{"Id": "7"}], [{"Id": 5.0}], [{"Id": True}]])
async def test_a_record_without_its_id_is_named(found: list[dict[str, Any]]) -> None:
    """The next page could not be asked for: an error of the library, not one of Python."""
    body = json.dumps({"Entities": [{"Data": row} for row in found]}).encode()

    async def send(call: Call[list[Any]]) -> list[Any]:
        return call.decode(body)

    with pytest.raises(WosdkError, match=r"the Id of a record of Thing is .*, not a whole number"):
        await Query("Thing", send).all()


@each_of(("data", "sent"), [(None, "null"), ([1], "of type list"), ("x", "of type str")])
@each_of(
    "read",
    [
        lambda query: query.all(),
        lambda query: query.first(),
        lambda query: query.order_by("Name").all(),
        lambda query: query.table(),
        lambda query: query.order_by("Number").table(),
    ],
)
async def test_a_row_that_is_no_object_is_named(
    read: Callable[[Query[Any]], Awaitable[Any]], data: Any, sent: str
) -> None:
    """Whether it is read by its id or by offset, as a dict or for a table."""
    body = json.dumps({"Entities": [{"Data": {"Id": 1}}, {"Data": data}]}).encode()

    async def send(call: Call[Any]) -> Any:
        return call.decode(body)

    with pytest.raises(WosdkError, match=f"a record of WorkOrder is {sent}, not a JSON object"):
        await read(Query("WorkOrder", send))


async def test_of_several_pages_that_fail_none_is_left_unseen(caplog: pytest.LogCaptureFixture) -> None:
    """The first error is raised; the others are not reported by the event loop as forgotten."""
    table = Table(range(1, 40), turns=1)

    def fail(number: int) -> None:
        if number:
            raise WosdkError(f"page {number}")

    table.before = fail
    with pytest.raises(WosdkError, match="page"):
        [note async for note in table.query().scan(parallel=4, size=5)]
    for _ in range(10):
        await asyncio.sleep(0)
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_scan_asks_for_nothing_beyond_its_end() -> None:
    """A range whose last row was read is not asked for once more."""
    table = Table(range(1, 21))
    assert len([note async for note in table.query().scan(parallel=1, size=20)]) == 20
    first, second, *pages = table.asked
    assert [first["Count"], second["Count"], len(pages)] == [1, 1, 1]


@pytest.mark.parametrize("verb", ["scan", "table"])
async def test_a_service_that_ignores_the_end_of_a_range_is_refused(verb: str) -> None:
    """Its rows would come once for each range. Of two pages that are there, either may be looked at first."""
    query: Any = Table(range(1, 21), deaf_to="LessOrEqual").query()
    with pytest.raises(WosdkError, match=r"Id up to (6 contains 7|13 contains 14): the service ignores"):
        if verb == "table":
            await query.table(parallel=3, size=10)
        else:
            [note async for note in query.scan(parallel=3, size=10)]


@given(present=ids, size=sizes, more=st.integers(1, 50), parallel=st.integers(1, 6))
async def test_a_service_that_gives_more_than_asked(
    present: set[int], size: int, more: int, parallel: int
) -> None:
    """Each row comes once: the highest id is that of the first row, whatever comes behind it."""
    found = [note.id async for note in Table(present, more=more).query().scan(parallel=parallel, size=size)]
    assert sorted(id for id in found if id is not None) == sorted(present)


@pytest.mark.parametrize("greedy", [False, True])
async def test_a_service_that_ignores_descending_order_is_refused(greedy: bool) -> None:
    """The lowest id would be taken for the highest, and all records but one be missed."""
    query = Table(range(1, 21), deaf_to="Descending", greedy=greedy).query()
    for reading in (query.scan(), query.batches(parallel=4)):
        with pytest.raises(WosdkError, match=r"ignores the order|order of Id: 2 came after 1"):
            await anext(reading)


async def test_rows_that_are_dicts_are_paged_by_their_id() -> None:
    """An entity that is given by its name is read to the end as well."""
    table = Table(range(1, 8))
    query = Query("WoNote", table.send)
    found = [row["Id"] async for page in query.pages(size=3) for row in page]
    assert (found, len(table.asked)) == (list(range(1, 8)), 4)
