"""Objects in the objects of a response are made when a program looks at them, and it cannot tell."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from tests.support.laws import each_of
from tests.support.payload import work_order
from wosdk_async import (
    Customer,
    Employee,
    Location,
    Money,
    Task,
    WoActionResponse,
    WoItem,
    WorkOrder,
    codec,
    to_dict,
)
from wosdk_async.codec import WHOLE, RecordReaders, ResponseReader
from wosdk_async.model.lazy import Lazy, raw_slot, waits

BODY = (
    b'{"Id": 1, "Customer": {"Id": 2, "Name": "Acme"}, "WorkOrderCost": {"CostsTotal": {"Value": 7.50}},'
    b' "Items": [{"Id": 3, "Asset": {"Id": 4}, "Task": {"Id": 5, "Tag": 6}}], "Notes": [], "Owner": null}'
)


def slow() -> WorkOrder:
    """The order, made of dicts and at once."""
    return codec.structure(codec.loads(BODY), WorkOrder)


@pytest.fixture
def order() -> WorkOrder:
    """The same, as responses are read once their kind is known."""
    # With readers of its own: what other tests have read decides when those of the process learn.
    reader = ResponseReader(WorkOrder, WHOLE, RecordReaders(codec.converter))
    for _ in range(9):
        reader.read(BODY)
    read: WorkOrder = reader.read(BODY)
    assert waits(read, "customer")
    assert waits(read, "items")
    return read


def test_what_is_not_there_is_none_or_empty_at_once(order: WorkOrder) -> None:
    assert order.owner is order.flag is None
    assert order.notes == []


def test_the_garbage_collector_sees_few_objects_of_an_order_that_is_kept() -> None:
    """It walks over all of them again and again, so thousands of results would slow down every call."""
    body = work_order(unknown=False)
    assert body.count(b"[") > 40
    reader = ResponseReader(WorkOrder, WHOLE, RecordReaders(codec.converter))
    for _ in range(9):
        reader.read(body)
    gc.collect()
    before = len(gc.get_objects())
    kept = [reader.read(body) for _ in range(100)]
    gc.collect()
    # The lists alone would be fifty. Python 3.13 counts each Decimal, too: ten in all, not four.
    assert len(gc.get_objects()) - before < 15 * len(kept)


def test_it_can_be_changed_before_and_after_it_was_looked_at(order: WorkOrder) -> None:
    """What the program puts there is what it finds there; changes of what was made are kept."""
    order.customer = Customer.ref(9)
    assert order.customer == Customer.ref(9)
    assert order.work_order_cost is not None
    order.work_order_cost.costs_total = Money(value=None)
    assert order.work_order_cost.costs_total == Money()
    order.items = None
    assert order.items is None


@pytest.mark.parametrize(
    "use",
    [
        copy.deepcopy,
        lambda order: pickle.loads(pickle.dumps(order)),  # noqa: S301 - its own
        lambda order: attrs.evolve(order),
        lambda order: codec.structure(codec.unstructure(order), WorkOrder),
    ],
    ids=["deepcopy", "pickle", "evolve", "unstructure"],
)
def test_copies_and_requests_hold_all_of_it(order: WorkOrder, use: Callable[[WorkOrder], WorkOrder]) -> None:
    assert use(order) == slow()
    assert not waits(use(order), "items")


def test_what_nobody_has_looked_at_can_be_sent(order: WorkOrder) -> None:
    """Without a detour: nothing in it is odd."""
    assert order.items is not None
    assert order.items[0].task is not None
    order.items[0].task.extra = None
    assert waits(order, "customer")
    assert waits(order.items[0], "asset")
    assert codec.plain(order) == codec.unstructure(order)


def test_what_shows_it_shows_all_of_it(order: WorkOrder) -> None:
    assert repr(order) == repr(slow())
    assert attrs.asdict(codec.decode(BODY, WorkOrder)) == attrs.asdict(slow())


def test_a_shallow_copy_shares_what_it_holds(order: WorkOrder) -> None:
    """As copies of objects do."""
    assert copy.copy(order).customer is order.customer


@each_of("value", ["", "Z", 5, True, {}, {"at": 5}, [], ["Z"]], ids=repr)
def test_a_time_of_another_type_is_kept_as_it_came(value: Any) -> None:
    """However often such values come: both ways of reading a response agree on them."""
    body = codec.dumps({"Id": 1, "CreatedDateUtc": value})
    reader = ResponseReader(WorkOrder, WHOLE, RecordReaders(codec.converter))
    for _ in range(5):
        assert reader.read(body) == WorkOrder(id=1, created_date_utc=value)


def test_a_tuple_of_objects_is_read_as_a_list() -> None:
    item = WoItem(comment="first")
    order = WorkOrder(items=(item,), notes=())  # type: ignore[arg-type]  # what a program without types may pass
    assert to_dict(order) == {"Items": [{"Comment": "first"}], "Notes": []}
    assert order.items == [item]
    assert order.notes == []


def test_fields_are_set_and_deleted_like_others() -> None:
    task = Task.ref(5)
    item = WoItem(asset=Location.ref(4), task=task)
    assert item.task is task
    for name in ("task", "comment"):
        delattr(item, name)
        # Python 3.13 says the class with its module.
        with pytest.raises(AttributeError, match=f"WoItem' object has no attribute '{name}'$"):
            getattr(item, name)


def test_who_looks_while_it_is_made_gets_the_same_object(order: WorkOrder) -> None:
    """A thread that comes in between is the first to end: its object stays, for both."""
    found: list[Customer | None] = []

    class Slow(Lazy):
        def __made__(self, origin: str | None) -> Customer:
            if not found:
                found.append(None)
                other = threading.Thread(target=lambda: found.append(order.customer))
                other.start()
                other.join()
            return Customer.ref(8)

    setattr(order, raw_slot(WorkOrder, "customer"), Slow())
    assert order.customer is order.customer is found[1] is not None


def test_a_hook_of_the_program_is_asked_when_the_response_is_read() -> None:
    """However deep it is, it may refuse: later the response could not be called unreadable."""
    own = codec.converter.copy()

    def refuse(data: Any, _: Any) -> Employee:
        if data["Id"] == 3:
            raise ValueError("employee 3")
        return Employee(id=data["Id"])

    own.register_structure_hook(Employee, refuse)
    reader = ResponseReader(WoActionResponse, WHOLE, RecordReaders(own))
    texts = {"string", "datetime-local", "datetime-utc"}
    when = "2024-05-14T09:12:31"
    order: dict[str, Any] = {
        meta["name"]: when for meta in WorkOrder.__wire__.values() if meta["type"] in texts
    }
    assert len(order) > 8  # few fields are copied at once
    good = codec.dumps({"Wo": order | {"Employee": {"Id": 2}}})
    bad = codec.dumps({"Wo": order | {"Employee": {"Id": 3}}})
    for _ in range(5):
        assert reader.read(good).wo.number == when
        with pytest.raises(ValueError, match="employee 3"):
            reader.read(bad)
