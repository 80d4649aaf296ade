"""The work order that a command names: found, logged, flagged, verified."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import list_of
from wosdk_async.sandbox.schema.values import read_ids, zone_of
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, required_record
from wosdk_async.sandbox.service.query.selection import show_default

__all__ = [
    "add_flag",
    "clear_flags",
    "find_order",
    "find_reason",
    "last_modification",
    "log_action",
    "save_action",
    "set_flags",
    "set_last_action",
    "verify_work",
]


def find_order(context: RequestContext, arguments: Arguments) -> Record:
    """Return the order that a command names, if it is as the caller expects (facts 3.7)."""
    order = named_record(context, arguments, "WorkOrderId", "WorkOrder", "WorkOrder")
    state, version = arguments.get("StatusId", "Unknown"), arguments.get("ConcurrencyId", 0)
    if state not in ("Unknown", order["StatusId"]) or version not in (0, order["ConcurrencyId"]):
        raise modified()
    return order


def find_reason(context: RequestContext, key: int, action: str) -> Record:
    """Return the WoActionReasonLookup record that a command names by its Id, not its ReasonId (facts 4).

    A reason of another action is refused (not shown; assumed).
    """
    reason = required_record(context, "WoActionReasonLookup", key)
    if reason["ActionId"] != action:
        raise broken_rule(f"Reason {key} is not one of {action}.")
    return reason


def log_action(context: RequestContext, order: Record, kind: str, arguments: Arguments) -> Record:
    """Add a WoActionLog record of a WOActionType; the order itself stays as it is.

    ``Comment``, ``ActionDate`` and ``ActionReasonId`` of the arguments are logged (facts 5).
    """
    moment = context.now.local(zone_of(order["TimeZone"]))
    happened = arguments.get("ActionDate", moment)
    schema = schemas()["WoActionLog"]
    entry = {
        **schema.blank,
        "WorkOrderId": order["Id"],
        "TypeId": kind,
        "Actor": context.account,
        "ActionDate": happened,
        "Comment": arguments.get("Comment", ""),
        "ActionReasonId": arguments.get("ActionReasonId", 0),
        "IsBackDate": happened < moment,  # facts 5: back-dating; what a later date does is assumed
        "UiTypeId": "IntegrationWS",  # not shown; assumed by its name
        "TimeZone": order["TimeZone"],
        "SystemDateUtc": context.now.utc,
    }
    return context.insert(schema, entry)


def set_last_action(context: RequestContext, order: Record) -> None:
    """Set the moment of the order's last action to now, also for a back-dated one (not shown; assumed)."""
    order["LastActionDate"] = context.now.local(zone_of(order["TimeZone"]))
    order["LastActionDateUtc"] = context.now.utc


def save_action(
    context: RequestContext, order: Record, kind: str, arguments: Arguments, reason: Record | None = None
) -> None:
    """Log an action, let the order's WoLastAction name it, and save the changed order."""
    entry = log_action(context, order, kind, arguments)
    set_last_action(context, order)
    last = context.get("WoLastAction", order["Id"])
    last["LastAction"] = {"Id": entry["Id"]}
    last.pop("Reason", None)
    if reason is not None:
        last["Reason"] = {"Id": reason["Id"]}
    context.replace(schemas()["WoLastAction"], last)
    context.replace(schemas()["WorkOrder"], order)


def last_modification(context: RequestContext, arguments: Arguments) -> Record:
    """Return the moment of the last action: no other is stored (assumed)."""
    order = find_order(context, arguments)
    shown = show_default(context, "WorkOrder", order)
    return {"DtLastModified": shown["LastActionDate"], "WorkOrderId": order["Id"]}


def verify_work(context: RequestContext, arguments: Arguments) -> Record:
    """Add a rating and a comment to completed work (spec 4.7); it is logged as Verified (assumed).

    Spec 3 names the state; the text of the refusal is assumed.
    """
    if not context.company.verification:  # spec 1 and 3; that others refuse one is assumed
        raise broken_rule("This Company does not use verification.")
    order = find_order(context, arguments)
    if order["StatusId"] != "Completed":
        raise broken_rule(f"{{!{{Work Order}}!}} that is in state '{order['StatusId']}' cannot be verified")
    schema = schemas()["WoVerification"]
    earlier = context.children(list_of("WoVerification", "WorkOrderId"), order["Id"])
    verification = {
        **schema.blank,
        "Idx": len(earlier),  # facts 5: 0 for the first
        "WorkOrderId": order["Id"],
        "WoRatingId": arguments.get("WoRatingId", "Unknown"),
        "Comment": arguments.get("Comment", ""),
        "EditedDate": context.now.local(zone_of(order["TimeZone"])),
        "Actor": context.account,
    }
    context.insert(schema, verification)
    save_action(context, order, "Verified", arguments)
    return {"WorkVerification": show_default(context, "WoVerification", verification)}


# Flags are set and cleared by commands only (facts 3.9, WoFlag). Each function returns whether the order
# changed, as the actions of `workflow` do.


def add_flag(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Add the flag of the older command, from ``ActionReasonId``; without one nothing changes (facts 5.1)."""
    key = arguments.get("ActionReasonId", 0)
    return _add_flags(context, order, [key] if key else [], arguments)


def set_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Add the flags of ``FlagsToSet``: ids of the reasons for attention (assumed, as for reasons)."""
    return _add_flags(context, order, read_ids(arguments.get("FlagsToSet")), arguments)


def clear_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Remove the flags of ``FlagsToClear``; one that is not set is ignored (assumed)."""
    cleared = read_ids(arguments.get("FlagsToClear"))
    gone = [flag for flag in _flags(context, order) if flag["FlagId"] in cleared]
    for flag in gone:
        context.remove("WoFlag", flag["Id"])
    _show_newest_flag(context, order)
    return bool(gone)


def _add_flags(context: RequestContext, order: Record, keys: list[int], arguments: Arguments) -> bool:
    present = {flag["FlagId"] for flag in _flags(context, order)}
    added = [key for key in dict.fromkeys(keys) if key not in present]
    for key in added:
        find_reason(context, key, "Attention")
        flag = {"WoId": order["Id"], "FlagId": key, "UtcStamp": context.now.utc}
        context.insert(schemas()["WoFlag"], flag | {"Comment": arguments.get("Comment", "")})
    _show_newest_flag(context, order)
    return bool(added)


def _show_newest_flag(context: RequestContext, order: Record) -> None:
    """Let ``Flag`` and ``FlagId`` name the newest flag (not shown; assumed)."""
    order.pop("Flag", None)
    order["FlagId"] = 0
    for flag in _flags(context, order)[-1:]:
        order["FlagId"] = flag["FlagId"]
        order["Flag"] = {"Id": flag["FlagId"]}


def _flags(context: RequestContext, order: Record) -> list[Record]:
    return context.children(list_of("WoFlag", "WoId"), order["Id"])
