"""Helpers for commands on a work order: look-up, log, flags, verification."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import read_ids, zone_of
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, required_record
from wosdk_async.sandbox.service.query.selection import show_default


def find_order(context: RequestContext, arguments: Arguments) -> Record:
    """Return a command's order. Refuse if it does not have the expected state (facts 3.7)."""
    order = named_record(context, arguments, "WorkOrderId", "WorkOrder", "WorkOrder")
    state, version = arguments.get("StatusId", "Unknown"), arguments.get("ConcurrencyId", 0)
    if state not in ("Unknown", order["StatusId"]) or version not in (0, order["ConcurrencyId"]):
        raise modified()
    return order


def find_reason(context: RequestContext, key: int, action: str) -> Record:
    """Return a reason by Id, not ReasonId (facts 4). Not shown; assumed: it must be one for ``action``."""
    reason = required_record(context, "WoActionReasonLookup", key)
    if reason["ActionId"] != action:
        raise broken_rule(f"Reason {key} is not a reason for {action}.")
    return reason


def log_action(context: RequestContext, order: Record, kind: str, arguments: Arguments) -> Record:
    """Add a WoActionLog record with the sent comment, date and reason (facts 5); keep the order unchanged."""
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
        "IsBackDate": happened < moment,  # facts 5. Not shown; assumed: later dates do not count
        "UiTypeId": "IntegrationWS",  # not shown; assumed from the name
        "TimeZone": order["TimeZone"],
        "SystemDateUtc": context.now.utc,
    }
    return context.insert(schema, entry)


def set_last_action(context: RequestContext, order: Record) -> None:
    """Set the order's last action time to now. Not shown; assumed: even for a back-dated action."""
    order["LastActionDate"] = context.now.local(zone_of(order["TimeZone"]))
    order["LastActionDateUtc"] = context.now.utc


def save_action(
    context: RequestContext, order: Record, kind: str, arguments: Arguments, reason: Record | None = None
) -> None:
    """Log an action, point the order's WoLastAction to it, and save the changed order."""
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
    """Return the time of the order's last action. Not shown; assumed: other changes do not count."""
    order = find_order(context, arguments)
    shown = show_default(context, "WorkOrder", order)
    return {"DtLastModified": shown["LastActionDate"], "WorkOrderId": order["Id"]}


def verify_work(context: RequestContext, arguments: Arguments) -> Record:
    """Rate completed work (spec 3 and 4.7). Not shown; assumed: the log entry and the refusal's text."""
    if not context.company.verification:  # spec 1, 3. Not shown; assumed: the refusal
        raise broken_rule("This Company does not use verification.")
    order = find_order(context, arguments)
    if order["StatusId"] != "Completed":
        raise broken_rule(f"{{!{{Work Order}}!}} that is in state '{order['StatusId']}' cannot be verified")
    schema = schemas()["WoVerification"]
    earlier = context.pointing("WoVerification", "WorkOrderId", order["Id"])
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


# Only commands set and clear flags (facts 3.9, WoFlag). Each function is an `Effect` of an action
# in `workflow`: it returns whether the order changed.


def add_flag(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Add the flag in WoFlagCommand's ``ActionReasonId``, if there is one (facts 5.1)."""
    key = arguments.get("ActionReasonId", 0)
    return _add_flags(context, order, [key] if key else [], arguments)


def set_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Add the flags in ``FlagsToSet``. Not shown; assumed: they are ids of reasons for Attention."""
    return _add_flags(context, order, read_ids(arguments.get("FlagsToSet")), arguments)


def clear_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Remove the flags in ``FlagsToClear``. Not shown; assumed: flags that are not set are ignored."""
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
    """Not shown; assumed: point ``Flag`` and ``FlagId`` to the newest flag."""
    order.pop("Flag", None)
    order["FlagId"] = 0
    for flag in _flags(context, order)[-1:]:
        order["FlagId"] = flag["FlagId"]
        order["Flag"] = {"Id": flag["FlagId"]}


def _flags(context: RequestContext, order: Record) -> list[Record]:
    return context.pointing("WoFlag", "WoId", order["Id"])
