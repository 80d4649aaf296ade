"""People: time cards, found by employee and week, and the suspension of providers (facts 5)."""

from __future__ import annotations

from datetime import date, timedelta

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, not_modelled
from wosdk_async.sandbox.service.query.selection import show_default

__all__ = ["change_time_card", "get_time_card", "suspend"]

# The state that an action starts from and the one that it leads to (by their names; assumed).
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
_FLAGS = {"Flag": 1, "ClearFlag": 0}


def change_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """Move or flag the card of an employee's week."""
    card = _find_card(context, arguments.get("EmployeeId", 0), arguments.get("WeekStartDate", ""))
    action = arguments.get("ActionId", "Uknown")
    if action in _FLAGS:
        changes: Record = {"Flagged": _FLAGS[action]}
    elif action in _MOVES and card["StatusId"] == _MOVES[action][0]:
        changes = {"StatusId": _MOVES[action][1]}
    else:
        raise broken_rule(f"Action {action} is not possible for a time card that is {card['StatusId']}.")
    if card | changes != card:
        card |= changes
        context.replace(schemas()["TimeCard"], card)
    return _card_result(context, card)


def get_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """Return the card of the week that has ``BaseDate`` in it; the name in the result is assumed."""
    card = _find_card(context, arguments.get("EmployeeId", 0), arguments.get("BaseDate", ""))
    return _card_result(context, card)


def _find_card(context: RequestContext, employee: int, day: str) -> Record:
    cards = context.select("TimeCard", "json_extract(body, '$.Employee.Id') = ?", employee)
    for card in cards if day else ():
        start = date.fromisoformat(card["WeekStartDate"][:10]) if "WeekStartDate" in card else None
        if start is not None and start <= date.fromisoformat(day[:10]) < start + timedelta(days=7):
            return card
    raise broken_rule("Time Card record cannot be found")  # facts 6


def _card_result(context: RequestContext, card: Record) -> Record:
    return {"TimeCard": show_default(context, "TimeCard", card)}


def suspend(context: RequestContext, arguments: Arguments) -> Record:
    """Suspend a connected provider, or connect a suspended one again (by EmployeeWonStatus; assumed)."""
    employee = named_record(context, arguments, "Id", "Employee", "Employee", removed=True)
    if employee["ActorTypeId"] != "Provider":
        raise not_modelled("UserOrProviderSuspendCommand", "where a user shows it is not known")
    states = ("Suspended", "Connected") if arguments.get("Reactivate", False) else ("Connected", "Suspended")
    before, after = states
    if employee["ProviderStatusId"] != before:
        raise broken_rule(f"Provider {employee['Id']} is {employee['ProviderStatusId']}, not {before}.")
    employee["ProviderStatusId"] = after
    context.replace(schemas()["Employee"], employee)
    return {"EmployeeId": employee["Id"]}
