"""``wosdk hold``, ``resume``, ``complete``, ``cancel``, ``assign``, ``note``: actions on work orders."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.order_changes import (
    OrderPlan,
    at_option,
    change_orders,
    comment_option,
    moved,
    order_verb,
    reason_id,
    reason_option,
)
from wosdk_async.cli.record_changes import ChangeOptions, Made, change_options

if TYPE_CHECKING:
    from wosdk_async import Company

__all__ = [
    "assign_command",
    "cancel_command",
    "complete_command",
    "hold_command",
    "note_command",
    "resume_command",
]

_MAX_NOTE = 64 * 1024  # characters; the longest note that the service takes is not shown
# facts 5.1: what is documented; each Company sets up its own moves
_OWN_MOVES = "each Company sets up which state may follow which"
_HOLD_RULE = f"An order that is InProgress can be held; {_OWN_MOVES}"
_RESUME_RULE = f"An order that is OnHold, Paused or Cancelled can be resumed; {_OWN_MOVES}"
_COMPLETE_RULE = (
    "An order that is InProgress can be completed: `wosdk run WoPickUpCommand` and `WoStartCommand` lead"
    f" there from New; {_OWN_MOVES}"
)
_CANCEL_RULE = f"An order that is neither Completed nor Cancelled can be cancelled; {_OWN_MOVES}"


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

    ORDER is a number such as RSC000005, or an id. A hold needs a reason of the Company.

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
            rule=_HOLD_RULE,
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
    --start they are picked up and started as well, so three commands are sent for each.

    \b
      wosdk resume RSC000005
      wosdk resume RSC000005 --start --comment 'Parts are here'
    """

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what="resume: reopen, pick up and start" if start else "resume: reopen",
            act=lambda acme, order: acme.work_orders.resume(order, start=start, comment=comment, at=at),
            made=moved,
            rule=_RESUME_RULE,
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
        code = (
            None if repair_code is None else await company.work_orders.repair_code(_id_or_name(repair_code))
        )
        return OrderPlan(
            what="complete" + (f", repair code {repair_code!r}" if repair_code else ""),
            act=lambda acme, order: acme.work_orders.complete(order, note=note, repair_code=code, at=at),
            made=moved,
            rule=_COMPLETE_RULE,
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
            rule=_CANCEL_RULE,
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("assign")
@click.option(
    "--to",
    "employees",
    multiple=True,
    required=True,
    metavar="EMPLOYEE",
    help="User name, number, name or id of an employee or provider; may be repeated.",
)
@click.option(
    "--mode",
    type=click.Choice(["Primary", "AddSecondary", "RemoveSecondary", "Snapshot"]),
    default="Primary",
    show_default=True,
    help="Replace the first assignee, add or remove others, or replace all.",
)
@comment_option
@at_option
@change_options
def assign_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    employees: tuple[str, ...],
    mode: str,
    comment: str | None,
    at: datetime | None,
    options: ChangeOptions,
) -> None:
    """Assign work orders to employees or providers; their state stays as it is.

    \b
      wosdk assign RSC000005 --to mira.okafor
      wosdk assign RSC000005 --to 'Paul Renner' --to T-208 --mode Snapshot
    """

    async def plan(company: Company) -> OrderPlan:
        ids = [await company.work_orders.employee(_id_or_name(name)) for name in employees]
        named = ", ".join(map(repr, employees))
        return OrderPlan(
            what=f"assign to {named}, mode {mode}",
            act=lambda acme, order: acme.work_orders.assign(order, ids, mode=mode, comment=comment, at=at),
            made=lambda _, __: Made(f"assigned to {named}", {"assignees": ids, "mode": mode}),
        )

    change_orders(ctx, orders, by, options, plan)


@order_verb("note")
@click.option("--text", required=True, metavar="TEXT|-", help="The note; - reads it from stdin.")
@click.option("--public", is_flag=True, help="A public note; otherwise it is private.")
@change_options
def note_command(
    ctx: click.Context,
    orders: tuple[str, ...],
    by: str | None,
    text: str,
    public: bool,
    options: ChangeOptions,
) -> None:
    """Add a note to work orders. Where stdin is the note, nobody can be asked: --yes is needed.

    \b
      wosdk note RSC000005 --text 'Gate code 4711'
      wosdk note RSC000005 --text - --public --yes < note.txt
    """
    body = _note(text)
    kind = "Public" if public else "Private"

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what=f"note, {kind.lower()}, {len(body)} characters",
            act=lambda acme, order: acme.work_orders.note(order, body, note_type=kind),
            made=lambda _, made: Made(f"note {made.id or '?'} added", {"note": made.id}),
            shows="Notes.*",
        )

    change_orders(ctx, orders, by, options, plan)


def _note(text: str) -> str:
    """Return the text of a note. Raises CliError for one that is empty or very long."""
    body = sys.stdin.read(_MAX_NOTE + 1) if text == "-" else text
    if len(body) > _MAX_NOTE:
        raise CliError(f"--text: the note is longer than {_MAX_NOTE} characters; attach a file instead")
    if not body.strip():
        raise CliError("--text: the note is empty")
    return body.rstrip("\n") if text == "-" else body


def _id_or_name(text: str) -> Any:
    return int(text) if text.isdecimal() and text.isascii() else text
