"""Commands on single records: base operations (facts 5), files (facts 3.10), time cards, providers."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from wosdk_async.sandbox.errors import Refusal, broken_rule, incorrect_model, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import EntitySchema, find_schema, schemas
from wosdk_async.sandbox.schema.values import reference_id
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
    """Return document addresses. Not shown; assumed: documents without an address are left out."""
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
    """Return an entity's type and the entity. Not shown; assumed: its ``EntityType`` names the type."""
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
    """Return the time card of the week of ``BaseDate``. Not shown; assumed: the member ``TimeCard``."""
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
    employee = named_record(context, arguments, "Id", "Employee", "Employee", removed=True)
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
