"""Copies, pickles and comparisons of records whose objects are made when a program first looks at them."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import attrs
import pytest

import wosdk_async as wosdk
from wosdk_async import Customer, WorkOrder, codec

BODY = json.dumps(
    {
        "Id": 7,
        "Customer": {"Id": 512, "DisplayAs": "Dental", "Region": "EMEA", "display_as": 1},
        "Items": [{"Comment": "noisy", "Task": {"Id": 1}}, None],
        "WorkOrderCost": {"CostsTotal": {"Value": 12.50}, "CheckClearDate": "2024-05-14T09:12:31.4470216"},
        "VendorNte": {"Value": "12.50"},
        "SlaState": "Met",
    }
).encode()
OBJECTS = ("customer", "items", "work_order_cost")


def fresh() -> WorkOrder:
    """Return a record that no program has looked at; the codec has seen its fields before."""
    for _ in range(3):
        codec.decode(BODY, WorkOrder)
    return codec.decode(BODY, WorkOrder)  # type: ignore[no-any-return]


def looked_at() -> WorkOrder:
    order = fresh()
    repr(order)
    return order


BOTH = pytest.mark.parametrize("make", [fresh, looked_at])


@BOTH
@pytest.mark.parametrize("again", [copy.copy, attrs.evolve])
def test_a_shallow_copy_shares_the_objects(
    make: Callable[[], WorkOrder], again: Callable[[WorkOrder], WorkOrder]
) -> None:
    order = make()
    twin = again(order)
    for name in OBJECTS:
        assert getattr(order, name) is getattr(twin, name)
    twin.id = 8
    assert order.id == 7


@BOTH
def test_a_deep_copy_shares_nothing(make: Callable[[], WorkOrder]) -> None:
    order = make()
    twin = copy.deepcopy(order)
    assert twin == order
    assert twin.customer is not None
    assert twin.items is not None
    assert twin.extra is not None
    twin.customer.display_as = "Other"
    twin.items[0].comment = "quiet"
    twin.extra["SlaState"] = "Missed"
    assert order == looked_at()


@BOTH
def test_equality_does_not_depend_on_what_was_looked_at(make: Callable[[], WorkOrder]) -> None:
    assert make() == looked_at()
    assert fresh() == make()
    other = make()
    assert other.customer is not None
    other.customer.display_as = "Other"
    assert make() != other
    assert make() != Customer()


@BOTH
def test_evolve_changes_only_the_copy(make: Callable[[], WorkOrder]) -> None:
    order = make()
    changed = attrs.evolve(order, customer=Customer(id=5))
    assert changed.customer == Customer(id=5)
    assert changed.items is order.items
    assert order == looked_at()


@BOTH
def test_asdict_of_attrs_has_dicts_all_the_way_down(make: Callable[[], WorkOrder]) -> None:
    shown = attrs.asdict(make())
    assert shown["customer"]["display_as"] == "Dental"
    assert shown["items"][0]["task"]["id"] == 1
    assert shown == attrs.asdict(looked_at())


READ = """
import pickle, sys
for _ in range(2):
    order = pickle.load(sys.stdin.buffer)
    print(order.customer.display_as, order.items[0].comment, order.extra, type(order).__name__, flush=True)
    sys.stdout.buffer.write(pickle.dumps(order).hex().encode() + b"\\n")
    sys.stdout.flush()
"""


def test_a_pickle_is_read_by_a_process_that_has_read_no_response() -> None:
    texts = [pickle.dumps(make()) for make in (fresh, looked_at)]
    command = [sys.executable, "-c", READ]
    done = subprocess.run(command, input=b"".join(texts), capture_output=True, check=True)
    lines = done.stdout.splitlines()
    for shown, back in zip(lines[::2], lines[1::2], strict=True):
        assert shown == b"Dental noisy {'SlaState': 'Met'} WorkOrder"
        assert pickle.loads(bytes.fromhex(back.decode())) == looked_at()  # noqa: S301 - our own
    # The names of the values that are there, not those of every field.
    assert all(len(text) < 3 * len(BODY) for text in texts)


@BOTH
def test_a_record_is_shown_alike_whether_it_was_looked_at_or_not(make: Callable[[], WorkOrder]) -> None:
    for names in ("wire", "python"):
        shown = wosdk.to_dict(make(), names=names)
        assert shown == wosdk.to_dict(looked_at(), names=names)
        assert list(shown) == list(wosdk.to_dict(looked_at(), names=names))
        assert wosdk.from_dict(WorkOrder, shown) == looked_at()
    assert wosdk.to_dict(make())["Customer"]["extra"] == {"display_as": 1}
    assert wosdk.to_dict(make())["WorkOrderCost"]["CheckClearDate"] == "2024-05-14T09:12:31.447021"


def test_a_dict_of_a_record_makes_no_objects_and_shares_none() -> None:
    order = fresh()
    shown = wosdk.to_dict(order)
    shown["Customer"]["DisplayAs"] = "Other"
    shown["Items"].clear()
    assert order == looked_at()


def test_threads_that_look_at_once_find_the_same_objects() -> None:
    for _ in range(50):
        order = fresh()
        barrier = threading.Barrier(4)
        found: list[Any] = []

        def look(order: WorkOrder = order, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            found.append((order.customer, copy.copy(order).items, wosdk.to_dict(order)))  # noqa: B023

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert all(customer is order.customer and items is order.items for customer, items, _ in found)
        assert all(shown == found[0][2] for _, _, shown in found)
