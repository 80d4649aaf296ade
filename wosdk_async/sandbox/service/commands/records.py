"""Commands on single records: base operations (facts 5), files (facts 3.10), time cards, providers, money.

Commands on a cost record do not change the order's version, because cost records have their own (facts 3.7).
Not shown; assumed: these commands log APInvStatus or CostStatus, which facts 8 and WOActionType list; invoice
and payment commands do what their names say.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model, modified, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import EntitySchema, enumeration, find_schema, schemas
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value, reference_id
from wosdk_async.sandbox.service.commands.orders import find_order, log_action
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, not_modelled
from wosdk_async.sandbox.service.crud import create_entity, delete_entity, specifier, update_entity
from wosdk_async.sandbox.service.documents import address_of
from wosdk_async.sandbox.service.query.selection import property_paths, show_default
from wosdk_async.sandbox.service.write import restore


def create_record(context: RequestContext, arguments: Arguments) -> Record:
    """Create a record, as POST does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    return create_entity(context, schema, entity)


def update_record(context: RequestContext, arguments: Arguments) -> Record:
    """Update a record, as PUT does."""
    schema, entity = _typed_entity(context, arguments.get("Entity"))
    chosen = arguments.get("PropertySet")
    paths = property_paths(get_ignore_case(chosen, "Properties") if isinstance(chosen, dict) else None)
    return update_entity(context, schema, entity, list(paths))


def delete_record(context: RequestContext, arguments: Arguments) -> Record:
    """Delete a record, as DELETE does."""
    schema, key = _parse_specifier(context, arguments.get("EntitySpecifier"))
    return delete_entity(context, schema, str(key), missing_ok=False)


def restore_record(context: RequestContext, arguments: Arguments) -> Record:
    """Restore a removed record."""
    schema, key = _parse_specifier(context, arguments.get("EntitySpecifier"))
    record = context.get(schema.name, key)
    restore(context, schema, record)
    return specifier(schema, record)


def download_urls(context: RequestContext, arguments: Arguments) -> Record:
    """Return the addresses of documents. Not shown; assumed: missing documents and addresses are omitted."""
    keys = arguments.get("DocumentIds")
    if not keys:
        raise required("DocumentIds")
    if not isinstance(keys, list) or not all(type(key) is int for key in keys):
        raise incorrect_model("DocumentIds must be a list of integers.")
    documents = [each for key in keys if abs(key) < 2**63 and (each := context.find("Document", key))]
    return {"Results": [_download(context, each) for each in documents if address_of(context, each)]}


def _download(context: RequestContext, document: Record) -> Record:
    blob = context.find("Blob", document["Blob"]["Id"]) if "Blob" in document else None
    name = blob["FileName"] if blob else ""  # not shown; assumed: a link has no name
    return {"DocumentId": document["Id"], "Url": address_of(context, document), "FileName": name}


def _typed_entity(context: RequestContext, entity: Any) -> tuple[EntitySchema, dict[str, Any]]:
    """Return a sent entity's type and members. Not shown; assumed: its ``EntityType`` names the type."""
    name = get_ignore_case(entity, "EntityType") if isinstance(entity, dict) else None
    if not isinstance(name, str):
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "The entity has no EntityType.")
    return find_schema(name, context.dialect), entity


def _parse_specifier(context: RequestContext, sent: Any) -> tuple[EntitySchema, int]:
    name = get_ignore_case(sent, "EntityType") if isinstance(sent, dict) else None
    key = reference_id(sent)
    if not isinstance(name, str) or key is None:
        raise Refusal(400, "ENTITYSPECIFIER_NOT_FOUND", "EntitySpecifier is null or empty.")  # facts 6
    return find_schema(name, context.dialect), key


# --- time cards, by employee and week, and provider suspension (facts 5) ---------------------------

# Action -> states before and after it. Not shown; assumed from the names.
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
    """Change the state or the flag of an employee's weekly time card."""
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
    """Return the time card of the week of ``BaseDate``. Not shown; assumed: the result's form."""
    card = _find_card(context, arguments.get("EmployeeId", 0), arguments.get("BaseDate", ""))
    return _card_result(context, card)


def _find_card(context: RequestContext, employee: int, day: str) -> Record:
    cards = context.pointing("TimeCard", "Employee.Id", employee)
    for card in cards if day else ():
        start = date.fromisoformat(card["WeekStartDate"][:10]) if "WeekStartDate" in card else None
        if start is not None and start <= date.fromisoformat(day[:10]) < start + timedelta(days=7):
            return card
    raise broken_rule("Time Card record cannot be found")  # facts 6


def _card_result(context: RequestContext, card: Record) -> Record:
    return {"TimeCard": show_default(context, "TimeCard", card)}


def suspend(context: RequestContext, arguments: Arguments) -> Record:
    """Suspend a connected provider, or reconnect a suspended one (assumed from EmployeeWonStatus)."""
    employee = named_record(context, arguments, "Id", "Employee", "Employee", removed_ok=True)
    if employee["ActorTypeId"] != "Provider":
        raise not_modelled(
            "UserOrProviderSuspendCommand", "it is unknown how a user record shows a suspension"
        )
    states = ("Suspended", "Connected") if arguments.get("Reactivate", False) else ("Connected", "Suspended")
    before, after = states
    if employee["ProviderStatusId"] != before:
        raise broken_rule(f"Provider {employee['Id']} is {employee['ProviderStatusId']}, not {before}.")
    employee["ProviderStatusId"] = after
    context.replace(schemas()["Employee"], employee)
    return {"EmployeeId": employee["Id"]}


# --- costs of work orders (spec 4.5, facts 5), invoices, payments and amounts ----------------------

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
    """Pay the vendor invoice: set its state to Paid, and keep amounts that are not sent (facts 5)."""
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
    invoice = _find_invoice(context, arguments)
    if invoice["State"] != state:
        invoice["State"] = state
        if state == "Posted":
            invoice["DtPosted"] = _moment(context, arguments)
        _save_invoice(context, invoice, action, arguments)
    return {"Invoice": show_default(context, "Invoice", invoice)}


def set_draft_step(step: str, context: RequestContext, arguments: Arguments) -> Record:
    """Set an invoice's ``DraftProcessStepId`` to ``step``, such as Disputed."""
    invoice = _find_invoice(context, arguments)
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


def _find_invoice(context: RequestContext, arguments: Arguments) -> Record:
    return named_record(context, arguments, "InvoiceId", "Invoice", "Invoice")


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
