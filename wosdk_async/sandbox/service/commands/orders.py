"""Helpers for commands on a work order: look-up, log, flags, verification; costs, invoices, payments."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.schema.values import UNREADABLE, read_ids, read_value, zone_of
from wosdk_async.sandbox.service.context import (
    Arguments,
    RequestContext,
    named_record,
    not_modelled,
    required_record,
)
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


# --- costs of work orders (spec 4.5, facts 5), invoices, payments and amounts ----------------------
# Commands on a cost record do not change the order's version, because cost records have their own (facts
# 3.7). Not shown; assumed: these commands log APInvStatus or CostStatus, which facts 8 and WOActionType list;
# invoice and payment commands do what their names say.

# Invoice state -> action that leads to this state, if CiActionType has one.
_INVOICE_ACTIONS = {"Posted": "Posted", "Paid": "Paid", "PaidInFull": "Paid", "Approved": "Approved"}


def change_ap_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the vendor invoice status, and the cost's state, from an ApInvoiceStatus record."""
    order, cost = _find_cost(context, arguments, "ApStatusId")
    status = named_record(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
    changes = {"ApStatusId": status["Id"], "ApStateId": status["ApStateId"]}
    return _save_cost(context, order, cost | changes, "APInvStatus", arguments)


def change_cost_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the internal cost status, and the cost's state, from an InternalCostStatus record (facts 5)."""
    order, cost = _find_cost(context, arguments, "CostStatusId")
    status = named_record(context, arguments, "CostStatusId", "InternalCostStatus")
    changes = {"CostStatusId": status["Id"], "CostState": status["InternalCostStateId"]}
    return _save_cost(context, order, cost | changes, "CostStatus", arguments)


def submit_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Pay the vendor invoice: set its state to Paid; amounts that are not sent stay unchanged (facts 5)."""
    order, cost = _find_cost(context, arguments, "ApStatusId")
    status = _paid_status(context, arguments)
    changed = cost | {"ApStatusId": status["Id"], "ApStateId": "Paid"}
    if "PaymentAmount" in arguments:
        amount = {"CurrencyTypeId": cost["CurrencyTypeId"], "Value": arguments["PaymentAmount"]}
        changed["PaymentAmount"] = amount
    changed |= {name: arguments[name] for name in ("CheckNumber", "CheckCutDate") if name in arguments}
    return _save_cost(context, order, changed, "APInvStatus", arguments)


def _find_cost(context: RequestContext, arguments: Arguments, status_field: str) -> tuple[Record, Record]:
    """Return the order and its cost record. Refuse if either has an unexpected state (facts 3.7)."""
    order = find_order(context, arguments)
    cost = context.get("WorkOrderCost", order["Id"])
    expected = (arguments.get("CurrentStatusId", 0), arguments.get("FinancialConcurrencyId", 0))
    if expected[0] not in (0, cost[status_field]) or expected[1] not in (0, cost["ConcurrencyId"]):
        raise modified()
    return order, cost


def _paid_status(context: RequestContext, arguments: Arguments) -> Record:
    """Return the payment status in the arguments, or else the first with state Paid. Not shown; assumed."""
    if arguments.get("VendorInvoiceStatusId", 0):
        status = named_record(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
        if status["ApStateId"] != "Paid":  # not shown; assumed
            raise broken_rule(f"Status {status['Id']} is not a paid invoice status.")
        return status
    first = context.first("ApInvoiceStatus", "json_extract(body, '$.ApStateId') = 'Paid'")
    if first is None:
        raise required("VendorInvoiceStatusId")
    return first


def _save_cost(
    context: RequestContext, order: Record, cost: Record, kind: str, arguments: Arguments
) -> Record:
    """If the cost record has changed, save it and log the change (facts 3.7)."""
    if cost != context.get("WorkOrderCost", order["Id"]):
        context.replace(schemas()["WorkOrderCost"], cost)
        log_action(context, order, kind, arguments)
    return {"Financial": show_default(context, "WorkOrderCost", cost)}


def update_invoice_state(context: RequestContext, arguments: Arguments) -> Record:
    """Set an invoice's state and log the change; a missing state is read as 0, Draft (facts 5)."""
    state = arguments.get("State", "Draft")
    action = _INVOICE_ACTIONS.get(state)
    if action is None:
        number = enumeration("CiInvoiceState").numbers[state]
        raise broken_rule(f"No action associated with {number} invoice state.\r\nParameter name: state")
    invoice = named_record(context, arguments, "InvoiceId", "Invoice", "Invoice")
    if invoice["State"] != state:
        invoice["State"] = state
        if state == "Posted":
            invoice["DtPosted"] = _moment(context, arguments)
        _save_invoice(context, invoice, action, arguments)
    return {"Invoice": show_default(context, "Invoice", invoice)}


def set_draft_step(step: str, context: RequestContext, arguments: Arguments) -> Record:
    """Set an invoice's ``DraftProcessStepId`` to ``step``, such as Disputed."""
    invoice = named_record(context, arguments, "InvoiceId", "Invoice", "Invoice")
    if invoice["DraftProcessStepId"] != step:
        invoice["DraftProcessStepId"] = step
        _save_invoice(context, invoice, step, arguments)
    return {}


def post_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Post a draft payment."""
    payment = named_record(context, arguments, "PaymentId", "Payment", "Payment")
    if payment["State"] != "Draft":
        raise broken_rule(f"Payment {payment['Id']} is {payment['State']}, not Draft.")
    payment |= {"State": "Posted", "DtPosted": _moment(context, arguments)}
    context.replace(schemas()["Payment"], payment)
    return {}


def _save_invoice(context: RequestContext, invoice: Record, action: str, arguments: Arguments) -> None:
    context.replace(schemas()["Invoice"], invoice)
    schema = schemas()["InvoiceLog"]
    entry = {
        **schema.blank,
        "Invoice": {"Id": invoice["Id"]},
        "Actor": context.account,
        "Idx": context.next_number(f"InvoiceLog of {invoice['Id']}") - 1,
        "ActionTypeId": action,
        "DtStamp": context.now.local(context.zone),
        "DtActual": _moment(context, arguments),
        "Comments": arguments.get("Comment", ""),
    }
    context.insert(schema, entry)


def _moment(context: RequestContext, arguments: Arguments) -> str:
    return str(arguments.get("Timestamp", context.now.local(context.zone)))


def convert_money(_context: RequestContext, arguments: Arguments) -> Record:
    """Return amounts in the requested currency; refuse others, because there are no exchange rates."""
    target, sent = arguments.get("TargetCurrencyTypeId", "Unknown"), arguments.get("Values")
    field = schemas()["WorkOrder"].by_name["vendornte"]
    amounts = [read_value(field, value) for value in sent] if isinstance(sent, list) else []
    known = [amount for amount in amounts if amount is not UNREADABLE]
    if any(amount["CurrencyTypeId"] != target for amount in known):
        raise not_modelled("ConvertMoneyValuesCommand", "it has no exchange rates")
    return {"Values": known}
