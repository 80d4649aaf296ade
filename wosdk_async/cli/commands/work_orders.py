"""Work order commands: state changes and notes."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from wosdk_async import Company
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.order_changes import (
    OrderPlan,
    at_option,
    comment_option,
    id_or_name,
    order_verb,
    reason_id,
    reason_option,
)
from wosdk_async.cli.record_changes import ChangeResult
from wosdk_async.cli.texts import counted, visible
from wosdk_async.text.safe_text import shortened


@order_verb("pickup", comment_option, at_option)
async def pickup_command(_: Company, *, comment: str | None, at: datetime | None) -> OrderPlan:
    """Pick up work orders: move them from New to Open.

    \b
      wosdk pickup RSC000005
      wosdk pickup RSC000005 RSC000006 --comment 'On my way' --yes
    """
    return OrderPlan(
        what="pick up",
        act=lambda acme, order: acme.work_orders.pick_up(order, comment=comment, at=at),
    )


@order_verb("start", comment_option, at_option)
async def start_command(_: Company, *, comment: str | None, at: datetime | None) -> OrderPlan:
    """Start work orders: move them from Open to InProgress.

    \b
      wosdk start RSC000005
      wosdk start RSC000005 --at 2026-03-01T08:00
    """
    return OrderPlan(
        what="start",
        act=lambda acme, order: acme.work_orders.start(order, comment=comment, at=at),
    )


@order_verb("hold", reason_option, comment_option, at_option)
async def hold_command(
    company: Company, *, reason: str | None, comment: str | None, at: datetime | None
) -> OrderPlan:
    """Put work orders on hold, with one of the Company's reasons.

    \b
      wosdk hold RSC000005 --reason 'Waiting for parts' --comment 'Belt ordered'
      wosdk hold RSC000005 RSC000006 --reason Weather --yes
    """
    id = await reason_id(company, "OnHold", reason)
    return OrderPlan(
        what=f"hold, reason {reason!r}",
        act=lambda acme, order: acme.work_orders.hold(order, reason=id, comment=comment, at=at),
    )


_start_option = click.option("--start", is_flag=True, help="Also pick up and start the orders.")


@order_verb("resume", _start_option, comment_option, at_option)
async def resume_command(_: Company, *, start: bool, comment: str | None, at: datetime | None) -> OrderPlan:
    """Resume work orders that are on hold or paused.

    Resuming reopens the order as New, because no command leads from OnHold to InProgress. --start also picks
    up and starts each order, for a total of three commands. Orders in other states are refused; to reopen a
    finished order, run `wosdk run WoReopenCommand WorkOrderId=ID`.

    \b
      wosdk resume RSC000005
      wosdk resume RSC000005 --start --comment 'Parts are here'
    """
    return OrderPlan(
        what="resume: reopen, pick up and start" if start else "resume: reopen",
        act=lambda acme, order: acme.work_orders.resume(order, start=start, comment=comment, at=at),
    )


_note_option = click.option("--note", metavar="TEXT", help="Completion note; replaces an existing one.")
_repair_option = click.option(
    "--repair-code", metavar="NAME|ID", help="Repair code, if required by the Company."
)


@order_verb("complete", _note_option, _repair_option, at_option)
async def complete_command(
    company: Company, *, note: str | None, repair_code: str | None, at: datetime | None
) -> OrderPlan:
    """Complete work orders that are in progress.

    \b
      wosdk complete RSC000005 --note 'Filter changed' --repair-code 'Part replaced'
      wosdk complete RSC000005 RSC000006 --at 2026-03-01T17:30 --yes
    """
    code = None if repair_code is None else await company.work_orders.repair_code(id_or_name(repair_code))
    return OrderPlan(
        what="complete" + (f", repair code {repair_code!r}" if repair_code else ""),
        act=lambda acme, order: acme.work_orders.complete(order, note=note, repair_code=code, at=at),
    )


@order_verb("cancel", reason_option, comment_option, at_option)
async def cancel_command(
    company: Company, *, reason: str | None, comment: str | None, at: datetime | None
) -> OrderPlan:
    """Cancel work orders, with one of the Company's reasons.

    \b
      wosdk cancel RSC000005 --reason 'Entered twice'
      wosdk cancel RSC000005 RSC000006 --reason 1841 --dry-run
    """
    id = await reason_id(company, "Cancel", reason)
    return OrderPlan(
        what=f"cancel, reason {reason!r}",
        act=lambda acme, order: acme.work_orders.cancel(order, reason=id, comment=comment, at=at),
    )


_MAX_NOTE = 64 * 1024  # characters; the service's limit (not shown; assumed)
_MAX_SHOWN = 200  # characters in the prompt


def _note(_: click.Context, __: click.Parameter, text: str) -> str:
    """Return the note. Raises CliError if the note is empty or too long."""
    body = sys.stdin.read(_MAX_NOTE + 1) if text == "-" else text
    if len(body) > _MAX_NOTE:
        raise CliError(f"--text: the note is longer than {_MAX_NOTE} characters; attach a file instead")
    if not body.strip():
        raise CliError("--text: the note is empty; write some text")
    return body.rstrip("\n") if text == "-" else body


_text_option = click.option(
    "--text", required=True, metavar="TEXT|-", callback=_note, help="The note; - reads stdin."
)
_public_option = click.option("--public", is_flag=True, help="Make the note public (default: private).")


@order_verb("note", _text_option, _public_option)
async def note_command(_: Company, *, text: str, public: bool) -> OrderPlan:
    """Add a note to work orders. A note from stdin needs --yes, because stdin cannot answer prompts.

    \b
      wosdk note RSC000005 --text 'Gate code 4711'
      wosdk note RSC000005 --text - --public --yes < note.txt
    """
    kind = "Public" if public else "Private"
    shown = f"{counted(len(text), 'character')}: {shortened(visible(text), _MAX_SHOWN)}"
    return OrderPlan(
        what=f"note, {kind.lower()}, {shown}",
        act=lambda acme, order: acme.work_orders.note(order, text, note_type=kind),
        result_of=lambda _, note: ChangeResult(f"note {note.id or '?'} added", {"note": note.id}),
        shows="Notes.*",
    )
