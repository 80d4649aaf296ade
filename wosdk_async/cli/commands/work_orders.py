"""``wosdk pickup``, ``start``, ``hold``, ``resume``, ``complete``, ``cancel``: from state to state."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from wosdk_async.cli.change_options import ChangeOptions, change_options
from wosdk_async.cli.order_changes import (
    OrderPlan,
    at_option,
    change_orders,
    comment_option,
    id_or_name,
    moved,
    order_verb,
    reason_id,
    reason_option,
)

if TYPE_CHECKING:
    from wosdk_async import Company

__all__ = [
    "cancel_command",
    "complete_command",
    "hold_command",
    "pickup_command",
    "resume_command",
    "start_command",
]


@order_verb("pickup")
@comment_option
@at_option
@change_options
def pickup_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Pick up work orders that are New, which makes them Open.

    \b
      wosdk pickup RSC000005
      wosdk pickup RSC000005 RSC000006 --comment 'On my way' --yes
    """

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what="pick up",
            act=lambda acme, order: acme.work_orders.pick_up(order, comment=comment, at=at),
            made=moved,
            target="Open",
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("start")
@comment_option
@at_option
@change_options
def start_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Start work orders that were picked up, which makes them InProgress.

    \b
      wosdk start RSC000005
      wosdk start RSC000005 --at 2026-03-01T08:00
    """

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what="start",
            act=lambda acme, order: acme.work_orders.start(order, comment=comment, at=at),
            made=moved,
            target="InProgress",
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("hold")
@reason_option
@comment_option
@at_option
@change_options
def hold_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    reason: str | None,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Put work orders on hold.

    A hold needs a reason of the Company.

    \b
      wosdk hold RSC000005 --reason 'Waiting for parts' --comment 'Belt ordered'
      wosdk hold RSC000005 RSC000006 --reason Weather --yes
    """

    async def plan(company: Company) -> OrderPlan:
        id = await reason_id(company, "OnHold", reason)
        return OrderPlan(
            what=f"hold, reason {reason!r}",
            act=lambda acme, order: acme.work_orders.hold(order, reason=id, comment=comment, at=at),
            made=moved,
            target="OnHold",
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("resume")
@click.option(
    "--start", is_flag=True, help="Pick the orders up and start them too, until they are InProgress."
)
@comment_option
@at_option
@change_options
def resume_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    start: bool,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Take up work orders that are on hold or paused.

    They are reopened, and are New again: no command leads from OnHold straight back to InProgress. With
    --start they are picked up and started as well, so three commands are sent for each. Orders in other
    states are left as they are; `wosdk run WoReopenCommand WorkOrderId=ID` reopens one that is finished.

    \b
      wosdk resume RSC000005
      wosdk resume RSC000005 --start --comment 'Parts are here'
    """

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what="resume: reopen, pick up and start" if start else "resume: reopen",
            act=lambda acme, order: acme.work_orders.resume(order, start=start, comment=comment, at=at),
            made=moved,
            target="New",
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("complete")
@click.option("--note", metavar="TEXT", help="The completion note, which replaces one that is there.")
@click.option("--repair-code", metavar="NAME|ID", help="A repair code, which some Companies demand.")
@at_option
@change_options
def complete_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    note: str | None,
    repair_code: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Complete work orders, which must be in progress.

    \b
      wosdk complete RSC000005 --note 'Filter changed' --repair-code 'Part replaced'
      wosdk complete RSC000005 RSC000006 --at 2026-03-01T17:30 --yes
    """

    async def plan(company: Company) -> OrderPlan:
        code = None if repair_code is None else await company.work_orders.repair_code(id_or_name(repair_code))
        return OrderPlan(
            what="complete" + (f", repair code {repair_code!r}" if repair_code else ""),
            act=lambda acme, order: acme.work_orders.complete(order, note=note, repair_code=code, at=at),
            made=moved,
            target="Completed",
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("cancel")
@reason_option
@comment_option
@at_option
@change_options
def cancel_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    reason: str | None,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Cancel work orders. A cancel needs a reason of the Company.

    \b
      wosdk cancel RSC000005 --reason 'Entered twice'
      wosdk cancel RSC000005 RSC000006 --reason 1841 --dry-run
    """

    async def plan(company: Company) -> OrderPlan:
        id = await reason_id(company, "Cancel", reason)
        return OrderPlan(
            what=f"cancel, reason {reason!r}",
            act=lambda acme, order: acme.work_orders.cancel(order, reason=id, comment=comment, at=at),
            made=moved,
            target="Cancelled",
        )

    change_orders(ctx, orders, by, options, plan)
