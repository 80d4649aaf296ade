"""Time cards (facts 5): found by employee and week, moved by actions named after their states."""

from __future__ import annotations

from datetime import date, timedelta

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["act_on_time_card", "get_time_card"]

# The state an action starts from and the one it leads to (by their names; assumed).
_MOVES = {
    "Submit": ("Pending", "Submitted"),
    "UnSubmit": ("Submitted", "Pending"),
    "Approve": ("Submitted", "Approved"),
    "UnApprove": ("Approved", "Submitted"),
    "ReadyForExport": ("Approved", "ReadyForExport"),
    "NotReadyForExport": ("ReadyForExport", "Approved"),
    "Export": ("ReadyForExport", "Exported"),
    "UnExport": ("Exported", "ReadyForExport"),
}
_FLAGGED = {"Flag": 1, "ClearFlag": 0}


@command("TimeCardActionCommand")
def act_on_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """Move or flag the card of an employee's week.

    Raises:
        Refusal: there is no such card, no such action, or the card is in another state.
    """
    card = _card(context, arguments.get("EmployeeId", 0), arguments.get("WeekStartDate", ""))
    action = arguments.get("ActionId", "Uknown")
    if action in _FLAGGED:
        changes: Record = {"Flagged": _FLAGGED[action]}
    elif action in _MOVES and card["StatusId"] == _MOVES[action][0]:
        changes = {"StatusId": _MOVES[action][1]}
    else:
        raise broken_rule(f"Action {action} is not possible for a time card that is {card['StatusId']}.")
    if card | changes != card:
        card |= changes
        context.replace(schemas()["TimeCard"], card)
    return _shown(context, card)


@command("GetTimeCardCommand")
def get_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """The card of the week that ``BaseDate`` lies in; the name in the result is assumed."""
    return _shown(context, _card(context, arguments.get("EmployeeId", 0), arguments.get("BaseDate", "")))


def _card(context: RequestContext, employee: int, day: str) -> Record:
    """The card whose week of seven days holds ``day``."""
    text = (
        "SELECT body FROM TimeCard WHERE company = ? AND json_extract(body, '$.Employee.Id') = ? ORDER BY id"
    )
    for card in context.store.select(text, [context.company.id, employee]) if day else ():
        start = date.fromisoformat(card["WeekStartDate"][:10]) if "WeekStartDate" in card else None
        if start is not None and start <= date.fromisoformat(day[:10]) < start + timedelta(days=7):
            return card
    raise broken_rule("Time Card record cannot be found")  # facts 6


def _shown(context: RequestContext, card: Record) -> Record:
    return {"TimeCard": default_read(context, "TimeCard", card)}
