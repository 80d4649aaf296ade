"""Ten times the records cost a query hardly more: counted in SQLite's own instructions, not in seconds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.sandbox.company import ORDER, Caller
from wosdk_async.sandbox.schema.bodies import dump
from wosdk_async.sandbox.storage.store import Store

STEP = 50  # instructions between two counts


def grown(acme: Caller, store: Store, start: int, end: int) -> None:
    """Add copies of the first order, each with a number and a PO number of its own."""
    (record,) = store.select('SELECT body FROM "WorkOrder" WHERE company = ? AND id = 1', [46])
    records = (
        (key, dump(record | {"Id": key, "Number": f"N{key}", "PoNumber": f"PO {key}"}).decode())
        for key in range(start, end)
    )
    with store.transaction():
        store.insert_texts(46, "WorkOrder", records)
        store.counters.raise_to(46, "WorkOrder", end)


def steps(store: Store, work: Callable[[], object]) -> int:
    count = 0

    def one_more() -> int:
        nonlocal count
        count += 1
        return 0

    work()  # the first of a large table makes the index
    store._db.set_progress_handler(one_more, STEP)
    work()
    store._db.set_progress_handler(None, 0)
    return count


IN_ORDER = {"Orders": [{"PropertyName": "Id", "OrderType": "Ascending"}], "Count": 50}
QUERIES: dict[str, tuple[list[tuple[Any, ...]], dict[str, Any], int]] = {
    "number": ([("Number", "Equal", "n700")], {}, 1),
    "po number": ([("PoNumber", "Equal", "po 700")], {}, 1),
    "several": ([("PoNumber", "In", "PO 3", "PO 700")], {}, 2),
    "range": ([("PoNumber", "Between", "PO 700", "PO 7000")], {"Count": 1}, 1),
    "enum": ([("StatusId", "Equal", "New")], {"Count": 50}, 50),
    "reference": ([("Customer.Id", "Equal", 512)], {"Count": 50}, 50),
    "behind a reference": ([("Customer.Name", "Equal", "pier coffee inc")], IN_ORDER, 0),
    "page": ([("Id", "GreaterThan", 600)], IN_ORDER, 50),
    "page of an enum": ([("StatusId", "Equal", "New"), ("Id", "GreaterThan", 600)], IN_ORDER, 50),
    "first by a property": ([], {"Orders": [{"PropertyName": "Number"}], "Count": 5}, 5),
    "either": ([("Number", "Equal", "N5"), ("PoNumber", "Equal", "PO 6")], {"FilterOperator": "Or"}, 2),
}


def query(acme: Caller, name: str) -> list[int]:
    conditions, expression, found = QUERIES[name]
    records = [{"PropertyName": n, "Operator": o, "Values": list(v)} for n, o, *v in conditions]
    joined = {"Conditions": records, "FilterOperator": expression.get("FilterOperator", "And")}
    ids = acme.ids("WorkOrder", Criteria=joined, **expression)
    assert len(ids) == found
    return ids


def test_queries_by_what_is_indexed(acme: Caller, store: Store) -> None:
    """Every case stays within twice its instructions when the table grows tenfold."""
    acme.order()
    grown(acme, store, 2, 1001)
    few = {name: steps(store, partial(query, acme, name)) for name in QUERIES}
    grown(acme, store, 1001, 10_001)
    many = {name: steps(store, partial(query, acme, name)) for name in QUERIES}
    assert {name: (few[name], many[name]) for name in QUERIES if many[name] > 2 * few[name] + 2} == {}


def test_creates_and_reads(acme: Caller, store: Store) -> None:
    """So does a create, with all indexes in place, and a read."""
    acme.order()
    grown(acme, store, 2, 1001)
    for name in QUERIES:
        query(acme, name)
    works: list[Callable[[], object]] = [
        lambda: acme.run("WoCreateCommand", WorkOrder=ORDER),
        lambda: acme.get("WorkOrder", 700),
    ]
    few = [steps(store, work) for work in works]
    grown(acme, store, 1_101, 10_001)
    many = [steps(store, work) for work in works]
    assert [(a, b) for a, b in zip(few, many, strict=True) if b > 2 * a + 2] == []


def test_small_tables_get_no_index(acme: Caller, store: Store) -> None:
    """An index is made when a query asks for a property of a large table, and kept with the store."""
    acme.order()
    names = "SELECT json_quote(name) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'WorkOrder'"
    before = store.select(names, [])
    query_all = [("PoNumber", "Equal", "PO 700")]
    acme.ids("WorkOrder", *query_all)
    assert store.select(names, []) == before
    grown(acme, store, 2, 1001)
    acme.ids("WorkOrder", ("PoNumber", "Like", "%7%"))  # no index would help
    assert store.select(names, []) == before
    assert acme.ids("WorkOrder", *query_all) == [700]
    assert set(store.select(names, [])) - set(before) == {"WorkOrder.PoNumber"}


def test_an_index_of_a_refused_request_is_made_again(acme: Caller, store: Store) -> None:
    """It goes back with the request's writes; the next request makes it, so a create stays quick."""
    acme.order()
    grown(acme, store, 2, 2_000)
    bad = [{"Descriptor": {"Id": 4711}, "Value": "x"}]
    wrong = {"Command": {"WorkOrder": ORDER | {"CustomFields": bad}}}
    assert acme.refused("POST", "cmd/WoCreateCommand", wrong) == "BUSINESS_LOGIC_ERROR"
    few = steps(store, acme.order)
    grown(acme, store, 3_000, 20_000)
    assert steps(store, acme.order) < 2 * few
