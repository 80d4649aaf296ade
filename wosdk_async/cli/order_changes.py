"""An action on the work orders named on the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Literal

import attrs
import click

from wosdk_async import Company
from wosdk_async.cli.exit_codes import CliError, say
from wosdk_async.cli.input.records import ORDER_RULE, RecordTexts, by_option
from wosdk_async.cli.options import change_options, with_options
from wosdk_async.cli.record_changes import ChangeResult, ChangeSession, RecordChange
from wosdk_async.cli.texts import visible
from wosdk_async.codec.text_values import parse_value
from wosdk_async.model import WoActionResponse, WorkOrder

_READ = ("Number", "StatusId", "Customer.DisplayAs", "TaskRefinement")
_LOG = "ActionLogRecords.*"

SHOWN = "shown"
"""Key of extra preview text in an order; lower case, so that it cannot equal a property's name."""


class _LocalTime(click.ParamType):  # type: ignore[type-arg]  # generic only for type checkers
    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            found: datetime = parse_value(value, {"type": "datetime-local"})
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return found


comment_option = click.option("--comment", metavar="TEXT", help="Comment for the order's log.")
at_option = click.option(
    "--at", type=_LocalTime(), metavar="TIME", help="Local time in the past, such as 2026-03-01T08:00."
)
reason_option = click.option("--reason", metavar="NAME|ID", help="Reason; omit to list all.")


def _state_change(before: str | None, result: WorkOrder | WoActionResponse) -> ChangeResult:
    order = result.wo if isinstance(result, WoActionResponse) else result
    after = None if order is None or order.status_id is None else str(order.status_id)
    return ChangeResult(
        f"{before or '?'} -> {after}" if after and after != before else "done", {"after": after}
    )


@attrs.frozen(kw_only=True)
class OrderPlan:
    """An action on any work order."""

    what: str
    """Description of the action, such as ``hold, reason 'Weather'``."""
    act: Callable[[Company, int], Awaitable[Any]]
    result_of: Callable[[str | None, Any], ChangeResult] = attrs.field(default=_state_change)
    """Function of the order's previous state and the call's result; returns the result to print."""
    shows: str = _LOG
    """Property path that shows the effect of the action."""
    prepare: Callable[[Company, dict[int, dict[str, Any]]], Awaitable[None]] | None = None
    """Function that reads more properties of the orders and sets :data:`SHOWN`."""


def order_verb(
    name: str, *options: Callable[[Any], Any]
) -> Callable[[Callable[..., Awaitable[OrderPlan]]], click.Command]:
    """Return a decorator that turns a plan function into a command for work orders.

    The function takes the Company and the values of ``options``; its docstring becomes the help.
    """

    def decorate(plan: Callable[..., Awaitable[OrderPlan]]) -> click.Command:
        def command(
            ctx: click.Context,
            /,
            orders: tuple[str, ...],
            by: str | None,
            yes: bool,
            dry_run: bool,
            as_json: bool,
            **values: Any,
        ) -> None:
            named = RecordTexts.read(WorkOrder, orders, by)
            with ChangeSession.open(ctx, yes=yes, dry_run=dry_run, as_json=as_json) as session:
                company = session.runner.company
                order_plan, changes = session.runner.run(_changes(company, named, plan(company, **values)))
                what = changes[0].label if len(changes) == 1 else f"{len(changes)} orders"
                session.carry_out(order_plan.what, f"{str(ctx.info_name).capitalize()} {what}?", changes)

        text, examples, rest = (plan.__doc__ or "").partition("\n\n    \b\n")
        command.__doc__ = f"{text}\n\n    {ORDER_RULE}{examples}{rest}"
        argument = click.argument("orders", nargs=-1, required=True, metavar="ORDER...")
        decorated = with_options(command, argument, by_option, click.pass_context, *options, change_options)
        return click.command(name, no_args_is_help=True)(decorated)

    return decorate


async def _changes(
    company: Company, named: RecordTexts, planned: Awaitable[OrderPlan]
) -> tuple[OrderPlan, list[RecordChange]]:
    plan, found = await planned, await read_orders(company, named)
    if plan.prepare is not None:
        await plan.prepare(company, found)
    return plan, [change_of(plan, id, record) for id, record in found.items()]


async def read_orders(company: Company, named: RecordTexts) -> dict[int, dict[str, Any]]:
    """Return the orders by id, in argument order; raise an error if one is missing."""
    ids = await named.ids(company, certain=True)
    texts: dict[int, str] = {}
    for text, id in zip(named.texts, ids, strict=True):
        if not isinstance(id, int):
            raise CliError(f"ORDER is {text!r}; write an id or a number such as RSC000005")
        if id in texts:
            say(f"{text} and {texts[id]} are the same work order; it is changed once")
        texts.setdefault(id, text)
    records = await asyncio.gather(*(company.get("WorkOrder", id, properties=_READ) for id in texts))
    return dict(zip(texts, records, strict=True))


def change_of(plan: OrderPlan, id: int, record: dict[str, Any]) -> RecordChange:
    """Return the change that applies the plan to one order."""
    number, state = record.get("Number"), record.get("StatusId")
    before = None if state is None else str(state)
    customer = (record.get("Customer") or {}).get("DisplayAs")

    async def make(company: Company) -> ChangeResult:
        return plan.result_of(before, await plan.act(company, id))

    label = str(number or f"WorkOrder {id}")
    parts = (label, before, customer, record.get("TaskRefinement"), record.get(SHOWN))
    return RecordChange(
        label=label,
        shown=("  ".join(visible(str(part)) for part in parts if part),),
        facts={"id": id, "number": number, "before": before},
        make=make,
        look_command=f"wosdk get WorkOrder {id} -p '*' -p '{plan.shows}'",
    )


async def reason_id(company: Company, action: Literal["OnHold", "Cancel"], reason: str | None) -> int:
    """Return the id of ``reason``. Raises CliError, which lists all reasons, if ``reason`` is None."""
    orders = company.work_orders
    if reason is None:
        names = [row.display_as or str(row.id) for row in await orders.reasons(action)]
        listed = ", ".join(repr(name) for name in sorted(names))
        raise CliError(f"--reason is missing; available reasons: {listed or 'none'}")
    find = {"OnHold": orders.hold_reason, "Cancel": orders.cancel_reason}[action]
    return await find(id_or_name(reason))


def id_or_name(text: str) -> Any:
    """Return digits as an id, and other text as a name."""
    return int(text) if text.isdecimal() and text.isascii() else text
