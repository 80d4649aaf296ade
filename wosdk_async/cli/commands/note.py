"""``wosdk note``: notes of work orders."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wosdk_async.cli.change_options import ChangeOptions, change_options
from wosdk_async.cli.exit_codes import CliError
from wosdk_async.cli.order_changes import OrderPlan, change_orders, order_verb
from wosdk_async.cli.output.cells import counted, visible
from wosdk_async.cli.record_changes import ChangeResult
from wosdk_async.text.safe_text import shortened

if TYPE_CHECKING:
    from wosdk_async import Company

__all__ = ["note_command"]

_MAX_NOTE = 64 * 1024  # characters; the longest note that the service takes is not shown
_MAX_SHOWN = 200  # characters of it before the question


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

    shown = f"{counted(len(body), 'character')}: {shortened(visible(body), _MAX_SHOWN)}"

    async def plan(_: Company) -> OrderPlan:
        return OrderPlan(
            what=f"note, {kind.lower()}, {shown}",
            act=lambda acme, order: acme.work_orders.note(order, body, note_type=kind),
            made=lambda _, made: ChangeResult(f"note {made.id or '?'} added", {"note": made.id}),
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
