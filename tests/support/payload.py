"""Work orders for measurements: a 5 KB one in the form of spec 2.3, and the smallest that can be created."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from wosdk_async import Ref, WoCreateCommand, WoItem, WorkOrder, WOType, codec, model

MONEY: dict[str, Any] = {}
COST = dict.fromkeys(
    ("CostsTotal", "PaymentAmount", "VendorInvoiceTotal", "ExpensesTotal", "CustomerNte"), MONEY
)
OPENED: dict[str, Any] = {
    **{"WorkOrderCost": COST, "Priority": {}, "RequestorContact": {}, "MainAsset": {}, "WorkZone": {}},
    **{"Employee": {}, "VendorNte": MONEY, "Specialty": {}, "SubType": {}, "Customer": {}, "LastAction": {}},
    **{"Items": {"Asset": {}, "Task": {}}},
}
"""Objects contained in the order."""


def create_command(po_number: str) -> WoCreateCommand:
    """Return the command that creates a work order with this number."""
    order = WorkOrder(
        po_number=po_number,
        items=[WoItem(asset=Ref(20440), task=Ref(14211))],
        customer=Ref(512),
        sub_type=Ref(259),
        type_category=WOType.Request,
    )
    return WoCreateCommand(work_order=order)


def work_order(*, unknown: bool) -> bytes:
    """Return the order in JSON; ``unknown`` adds fields that the catalogue lacks, at two depths."""
    order = _filled(model.WorkOrder, OPENED)
    if unknown:
        order |= {"SlaState": "Met", "Forecast": {"Hours": [1, 2.50], "By": "model"}}
        order["WorkZone"]["Region"] = "EMEA"
        order["Items"][0]["Score"] = 0.75
    return codec.dumps(order)


def _filled(cls: type[Any], opened: dict[str, Any]) -> dict[str, Any]:
    """Return two of every three scalar fields, all lists, and the objects named in ``opened``."""
    found: dict[str, Any] = {}
    for i, meta in enumerate(cls.__wire__.values()):
        name = meta["name"]
        if name in opened:
            inner = _filled(getattr(model, meta["of"]), opened[name])
            found[name] = [inner] if meta.get("many") else inner
        elif meta.get("many"):
            found[name] = []
        elif meta["type"] in VALUES and (i % 3 or name == "Id"):
            found[name] = VALUES[meta["type"]](i, meta)
    return found


VALUES: dict[str, Any] = {
    "string": lambda i, meta: f"{meta['name']} {i}",
    "integer": lambda i, _: 10000 + 37 * i,
    "number": lambda i, _: codec.loads(b"%d.50" % i),
    "boolean": lambda i, _: i % 3 == 0,
    "enum": lambda _, meta: str(next(iter(getattr(model, meta["of"])))),
    "datetime-local": lambda i, _: f"2024-05-{i % 27 + 1:02d}T09:30:15.1234567",
    "datetime-utc": lambda i, _: f"2024-05-{i % 27 + 1:02d}T14:30:15.1234567Z",
}


def object_reader() -> Callable[[Any], Any]:
    """Return a function that forces an order to be decoded, and returns the order."""
    singles = attrgetter(*_paths(model.WorkOrder, {n: held for n, held in OPENED.items() if n != "Items"}))
    of_item = attrgetter(*_paths(model.WoItem, OPENED["Items"]))

    def read_all(order: Any) -> Any:
        singles(order)
        for item in order.items:
            of_item(item)
        return order

    return read_all


def _paths(cls: type[Any], opened: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of the objects named in ``opened``: ``work_order_cost.costs_total``."""
    for name, meta in cls.__wire__.items():
        if meta["name"] in opened:
            held = opened[meta["name"]]
            inner = [f"{name}.{path}" for path in _paths(getattr(model, meta["of"]), held)]
            yield from inner or [name]
