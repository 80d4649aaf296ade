"""Work orders by number; reasons, repair codes and employees by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from wosdk_async import model  # used as ``model.X``, which loads a class on first use
from wosdk_async.errors import InvalidCallError, NameNotFoundError, NotFoundError
from wosdk_async.protocol.arguments import described
from wosdk_async.query.builder import selection
from wosdk_async.query.fields import fields
from wosdk_async.query.paths import identifier
from wosdk_async.query.properties import Path
from wosdk_async.resources.lookup_tables import MAX_AGE, folded, require_one
from wosdk_async.resources.names import spellings
from wosdk_async.resources.resource import Resource
from wosdk_async.text.suggestions import suggestion

if TYPE_CHECKING:  # at run time, methods load the model's modules on demand
    from wosdk_async.model import Employee, RepairCode, WoActionReasonLookup, WOActionType, WorkOrder

E = TypeVar("E", "WoActionReasonLookup", "RepairCode")


class OrderLookups(Resource):
    """Look-ups of :class:`~wosdk_async.resources.work_orders.WorkOrders`."""

    # --- work orders by number --------------------------------------------------------------

    async def by_number(self, number: str, *, properties: Iterable[str | Path] = ()) -> WorkOrder:
        """Return the work order with this number: ``await acme.work_orders.by_number("RSC000005")``.

        Args:
            number: the number as a string; case and surrounding whitespace are ignored.
            properties: property paths to read, as for ``Query.select``; id and number are always read.

        Raises:
            NotFoundError: no work order has the number (the error's ``status`` is 0).
            NotUniqueError: several work orders have the number.
        """
        found = await self.by_numbers([number], properties=properties)
        return found[number]

    async def by_numbers(
        self, numbers: Iterable[str], *, properties: Iterable[str | Path] = ()
    ) -> dict[str, WorkOrder]:
        """Return work orders by their numbers, with one query per 200 numbers.

        Raises:
            NotFoundError: some numbers have no work order; the message lists them.
            NotUniqueError: several work orders share a number.
        """
        wanted = _texts(numbers)
        paths = selection(model.WorkOrder, properties, check=True)
        found: dict[str, list[WorkOrder]] = {}
        for texts in spellings(number.strip() for number in wanted):
            query = self._company.query(model.WorkOrder).where(fields(model.WorkOrder).number.in_(texts))
            if paths:
                query = query.select("Id", "Number", *paths)
            for order in await self._tables.all_of(model.WorkOrder, query):
                found.setdefault(folded(order.number or ""), []).append(order)
        orders = {number: found.get(folded(number), []) for number in wanted}
        ids = {number: [order.id or 0 for order in some] for number, some in orders.items()}
        require_one("WorkOrder", "number", ids, self._tables.sender.company, NotFoundError)
        return {number: order for number, (order, *_) in orders.items()}

    # --- reasons, repair codes and employees by name -----------------------------------------

    async def reasons(self, action: WOActionType | str) -> list[WoActionReasonLookup]:
        """Return the reasons that users can choose for ``OnHold``, ``Cancel`` or ``Attention``."""
        if not isinstance(action, str) or not model.WOActionType(action).is_known:
            near = suggestion(action, map(str, model.WOActionType)) if isinstance(action, str) else ""
            takes = "it takes a WOActionType, such as OnHold, Cancel or Attention"
            raise InvalidCallError(f"action is {described(action)}; {takes}{near}")
        records = await self._tables.records(model.WoActionReasonLookup, self._tables.now() - MAX_AGE)
        return [row for row in records if row.action_id == action and not (row.hide or row.is_removed)]

    async def hold_reason(self, reason: WoActionReasonLookup | str | int) -> int:
        """Return the id of a hold reason, given its name. Passing ids instead of names saves look-ups."""
        return await self._reason_id("OnHold", "hold reason", reason)

    async def cancel_reason(self, reason: WoActionReasonLookup | str | int) -> int:
        """Return the id of a cancel reason, given its name. Passing ids instead of names saves look-ups."""
        return await self._reason_id("Cancel", "cancel reason", reason)

    async def repair_code(self, code: RepairCode | str | int) -> int:
        """Return the id of a repair code, given its name."""
        return await self._id_of(model.RepairCode, "repair code", code)

    async def employee(self, employee: Employee | str | int) -> int:
        """Return the id of an employee or provider, given the user name, number or display name.

        Raises:
            NameNotFoundError: no employee has this user name, number or name.
            NotUniqueError: several employees match; the message lists their ids.
        """
        if not isinstance(employee, str):
            return identifier(employee, "the employee", "Employee")
        f = fields(model.Employee)
        (texts,) = spellings(_texts([employee.strip()]))
        condition = f.username.in_(texts) | f.number.in_(texts) | f.display_as.in_(texts)
        query = self._company.query(model.Employee).where(condition).select("Id", "IsRemoved")
        ids = [row.id or 0 for row in await self._tables.all_of(model.Employee, query) if not row.is_removed]
        by, company = "user name, number or name", self._tables.sender.company
        require_one("Employee", by, {employee: ids}, company, NameNotFoundError)
        return ids[0]

    # --- parts ------------------------------------------------------------------------------

    async def _reason_id(self, action: str, what: str, reason: WoActionReasonLookup | str | int) -> int:
        # not shown; assumed: a reason that users cannot see must be given by id
        return await self._id_of(
            model.WoActionReasonLookup, what, reason, lambda row: row.action_id == action and not row.hide
        )

    async def _id_of(
        self, entity: type[E], what: str, given: E | str | int, fits: Callable[[E], bool] = lambda _: True
    ) -> int:
        """Return the id of ``given``; a name is looked up among current records that satisfy ``fits``."""
        if isinstance(given, str):
            given = await self._tables.find(
                entity,
                what,
                given,
                label=lambda row: row.display_as,
                fits=lambda row: fits(row) and not row.is_removed,
            )
        return identifier(given, f"the {what}", entity.__name__)


def _texts(given: Iterable[str]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InvalidCallError(
                f"an order number or a name must be a string such as 'RSC000005', not {described(text)}"
            )
    return texts
