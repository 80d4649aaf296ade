"""Labor entries: who worked on which work order, and for how long."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from datetime import datetime
from typing import TYPE_CHECKING

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.calls import require_own
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import identifier
from wosdk_async.query.plan import Condition
from wosdk_async.resources.names import batches
from wosdk_async.resources.resource import Verbs

if TYPE_CHECKING:  # at run time, methods load the model's modules on demand
    from wosdk_async.model import FinancialItem, WorkOrder

__all__ = ["Labor"]

# facts 10 row 11. facts 3.9: WorkOrderCost can be queried; whether FinancialItem can is not shown.
_PATHS = ("Id", "Items.*", "Items.Employee.DisplayAs", "Items.LaborCode.DisplayAs")


class Labor:
    """Labor entries of work orders: ``company.labor``."""

    def __init__(self, company: Verbs, origin: str) -> None:
        self._company = company
        self._origin = origin

    async def entries(
        self,
        orders: Iterable[WorkOrder | int] | None = None,
        *,
        where: Condition | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> AsyncGenerator[FinancialItem, None]:
        """Yield labor entries by work order: the cost lines whose category is Labor.

        ::

            async for entry in acme.labor.entries(since=datetime(2024, 5, 1), until=datetime(2024, 6, 1)):
                print(entry.wo_id, entry.employee.display_as, entry.start_date, entry.duration)

        Each entry has ``wo_id``, ``employee`` and ``labor_code`` (with id and ``display_as``), ``start_date``
        in local time, and ``duration`` and ``quantity`` as the service sent them. ``duration`` is in minutes
        according to the vendor's class help for the older SOAP API; no source confirms this for REST.

        Args:
            orders: work orders or their ids (default: all work orders).
            where: a condition on :class:`~wosdk_async.model.WorkOrderCost`, whose id is the work order's:
                ``fields(WorkOrderCost).items.employee == 208``. An order matches if any of its lines matches.
            since: earliest start of an entry, inclusive, in the site's local time.
            until: latest start of an entry, exclusive.
        """
        for name, moment in (("since", since), ("until", until)):
            if not isinstance(moment, datetime | None):
                raise InvalidCallError(
                    f"{name} is {described(moment)}; it must be a datetime in local time, such as"
                    " datetime(2024, 5, 1)"
                )
        f = fields(model.WorkOrderCost)
        query = self._company.query(model.WorkOrderCost).select(*_PATHS)
        if where is not None:
            query = query.where(where)
        if since is not None:
            query = query.where(f.items.start_date >= since)
        if until is not None:
            query = query.where(f.items.start_date < until)
        queries = [query]
        if orders is not None:
            queries = [query.where(f.id.in_(some)) for some in batches(self._ids_of(orders))]
        for each in queries:
            async with aclosing(aiter(each)) as costs:
                async for cost in costs:
                    for item in cost.items or ():
                        if _matches(item, since, until):
                            item.wo_id = item.wo_id or cost.id  # facts 5: a cost has the id of its work order
                            yield item

    def _ids_of(self, orders: Iterable[WorkOrder | int]) -> dict[int, None]:
        if isinstance(orders, str | bytes) or not isinstance(orders, Iterable):
            raise InvalidCallError(f"orders is {described(orders)}; it must be a list of work orders or ids")
        ids: dict[int, None] = {}
        for order in orders:
            require_own(order, self._origin)
            ids[identifier(order, "the work order", "WorkOrder")] = None
        return ids


def _matches(item: FinancialItem, since: datetime | None, until: datetime | None) -> bool:
    """Return whether this line matches. The service sends all lines of an order if any of them matches."""
    start = item.start_date
    if item.cost_category_id != "Labor" or (start is None and (since or until)):
        return False
    return start is None or ((since is None or start >= since) and (until is None or start < until))
