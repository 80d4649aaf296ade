"""``wosdk assign``: assign work orders to employees and providers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

import attrs
import click

from wosdk_async import Company
from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.order_changes import (
    SHOWN,
    OrderPlan,
    at_option,
    comment_option,
    id_or_name,
    order_verb,
)
from wosdk_async.cli.record_changes import ChangeResult
from wosdk_async.errors import NameNotFoundError, RefusedError, WosdkError
from wosdk_async.model import Employee
from wosdk_async.text.suggestions import suggestion

_SEARCHED = 1000  # employees searched for a suggestion; they fit into one response

_to_option = click.option(
    "--to",
    "employees",
    multiple=True,
    required=True,
    metavar="EMPLOYEE",
    help="User name, number, name or id; repeatable.",
)
_mode_option = click.option(
    "--mode",
    type=click.Choice(["Primary", "AddSecondary", "RemoveSecondary", "Snapshot"]),
    default="Primary",
    show_default=True,
    help="Which assignees to change; Snapshot replaces all.",
)


@order_verb("assign", _to_option, _mode_option, comment_option, at_option)
async def assign_command(
    company: Company, *, employees: tuple[str, ...], mode: str, comment: str | None, at: datetime | None
) -> OrderPlan:
    """Assign work orders to employees or providers, without changing the orders' state.

    With --mode Primary, the first assignee is replaced. The output shows the assignees before and after.

    \b
      wosdk assign RSC000005 --to mira.okafor
      wosdk assign RSC000005 --to 'Paul Renner' --to T-208 --mode Snapshot
    """
    named = await _employees(company, employees)
    assigning = _Assigning(list(named), mode)
    verb = "remove" if mode == "RemoveSecondary" else "assign to"
    return OrderPlan(
        what=f"{verb} {', '.join(map(repr, named.values()))}, mode {mode}",
        act=lambda acme, order: assigning.carry_out(acme, order, comment, at),
        result_of=lambda _, result: result,
        prepare=assigning.prepare,
    )


@attrs.define
class _Assigning:
    employees: list[int]
    mode: str
    before: dict[int, list[int]] = attrs.field(factory=dict)
    """Assignee ids by order id, the primary assignee first."""
    names: dict[int, str] = attrs.field(factory=dict)

    async def prepare(self, company: Company, orders: dict[int, dict[str, Any]]) -> None:
        found = await asyncio.gather(*(_assignees(company, id) for id in orders))
        self.before = dict(zip(orders, found, strict=True))
        await self._learn(company, {*self.employees, *(id for ids in found for id in ids)})
        for id, order in orders.items():
            order[SHOWN] = f"({self._assigned(self.before[id])})"

    async def carry_out(
        self, company: Company, order: int, comment: str | None, at: datetime | None
    ) -> ChangeResult:
        """Assign, then report who is assigned, because the service may ignore the call without an error."""
        await company.work_orders.assign(order, self.employees, mode=self.mode, comment=comment, at=at)
        facts: dict[str, Any] = {"mode": self.mode}
        try:
            after = await _assignees(company, order)
            await self._learn(company, after)
        except WosdkError as error:
            return ChangeResult(f"sent, but the assignees could not be read: {error}", facts)
        before = self.before[order]
        removed = [id for id in before if id not in after]
        text = self._assigned(after)
        if removed:
            text += f"; no longer to {self._named(removed)}"
        facts |= {"assignees": after, "removed": removed}
        return ChangeResult(text if after != before else f"nothing changed: {text}", facts)

    async def _learn(self, company: Company, ids: Iterable[int]) -> None:
        """Read names that are not in ``names`` yet. The id replaces a name that cannot be read."""
        unknown = sorted(set(ids) - set(self.names))
        self.names |= zip(unknown, await asyncio.gather(*(_name(company, id) for id in unknown)), strict=True)

    def _assigned(self, ids: list[int]) -> str:
        return f"assigned to {self._named(ids) or 'nobody'}"

    def _named(self, ids: list[int]) -> str:
        return ", ".join(self.names[id] for id in ids)


async def _employees(company: Company, texts: Iterable[str]) -> dict[int, str]:
    """Return the ``--to`` values by employee id, without duplicates."""
    found: dict[int, str] = {}
    for text in texts:
        id = await _employee(company, text)
        if id in found:
            say(f"--to {text} and --to {found[id]} are the same employee; the id is sent once")
        found.setdefault(id, text)
    return found


async def _employee(company: Company, text: str) -> int:
    try:
        return await company.work_orders.employee(id_or_name(text))
    except NameNotFoundError as error:
        names: list[str] = []
        with suppress(WosdkError):  # only the suggestion is lost
            query = company.query(Employee).select("DisplayAs", "Username", "Number").limit(_SEARCHED)
            for row in await query.all():
                names += [name for name in (row.display_as, row.username, row.number) if name]
        message = f"{error.message}{suggestion(text, names)}"
        raise NameNotFoundError(message, operation=error.operation, company=error.company) from error


async def _assignees(company: Company, order: int) -> list[int]:
    """Return the assignee ids of an order, the primary assignee first."""
    record = await company.get("WorkOrder", order, properties=["Assignments.*"])
    rows = sorted(record.get("Assignments") or [], key=lambda row: not row.get("IsPrimary"))
    return [row["EmployeeId"] for row in rows if row.get("EmployeeId")]


async def _name(company: Company, employee: int) -> str:
    try:
        record = await company.get("Employee", employee, properties=["DisplayAs"])
    except RefusedError:
        return f"Employee {employee}"
    return record.get("DisplayAs") or f"Employee {employee}"
