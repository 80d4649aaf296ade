"""Example command bodies that use suitable records of a Company."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Field
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.registry import NOT_MODELLED
from wosdk_async.sandbox.service.commands.workflow import ACTIONS
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.database import column

# Examples use the newest record of these types, and the oldest record of other types.
_NEWEST = frozenset({"WorkOrder", "WoItem", "WoFlag", "Payment", "Document"})
_ENTITIES = {  # entity types by member, for members not named after the type
    "AssetId": "Location",
    "VendorInvoiceStatusId": "ApInvoiceStatus",
    "WoItemIds": "WoItem",
    "DocumentIds": "Document",
    "Assignees": "Employee",
    "UserIds": "Employee",
    "FlagsToSet": "WoActionReasonLookup",
    "CostStatusId": "InternalCostStatus",
}
# Members that examples omit, because only special cases need them.
_OMITTED = frozenset({"UnitId", "SenderId", "StatusId", "ConcurrencyId", "FinancialConcurrencyId"}) | {
    ("WoCreateCommand", "WorkOrderId"),
    ("WoCreateCommand", "EmployeeId"),
}
_VALUES: Mapping[str, Any] = {
    "Comment": "Tried from the console",
    "RecordCount": 5,
    "PaymentAmount": 100,
    "CheckNumber": "1001",
    "Instructions": "Ring at the gate",
    "ActionId": "Flag",
    "State": "Posted",
    "Mode": "Primary",
    "IfUnitAlreadyExists": "Reuse",
    "NewUnitSpecifier": {"BuildingName": "Annex", "FloorName": "Ground floor", "UnitName": "Suite 1"},
    "TargetCurrencyTypeId": "USD",
    "Values": [{"CurrencyTypeId": "USD", "Value": 10}],
    "Protocol": "HTTPS",
    "ApiType": "REST",
    "Commands": [],
    "WorkZone": {"DisplayAs": "Annex"},
    "PropertySet": {"Properties": ["Comment"]},
    "InductionAndSafetyStatusID": "Passed",
    "WoRatingId": "Positive",
}
_CONNECTED = """EXISTS (SELECT 1 FROM "Employee" e WHERE e.company = t.company
    AND e.id = json_extract(t.body, '$.Employee.Id')
    AND json_extract(e.body, '$.ProviderStatusId') = 'Connected'
    AND json_extract(e.body, '$.WonMemberId') > 0)"""
_SENT = (f"{column('WonId', 'integer', 't.')} > 0 AND {_CONNECTED}", "sent to its provider")
# (command, entity type) -> SQL condition for the record, and its description for the note
_FITTING: Mapping[tuple[str, str], tuple[str, str]] = {
    ("SendWorkOrderCommand", "WorkOrder"): (
        f"{column('WonId', 'integer', 't.')} = 0 AND {_CONNECTED}",
        "assigned to a connected provider and not sent",
    ),
    ("WoRecallCommand", "WorkOrder"): _SENT,
    ("WoMessageCommand", "WorkOrder"): _SENT,
    ("VerifyWorkCommand", "WorkOrder"): (
        f"{column('StatusId', 'enum', 't.')} = 'Completed'",
        "in state Completed",
    ),
    ("WoClearFlagsCommand", "WorkOrder"): (f"{column('FlagId', 'integer', 't.')} > 0", "with a flag"),
    ("PostPaymentCommand", "Payment"): (f"{column('State', 'enum', 't.')} = 'Draft'", "in state Draft"),
    ("UserOrProviderSuspendCommand", "Employee"): (
        f"{column('ProviderStatusId', 'enum', 't.')} = 'Connected'",
        "that is a connected provider",
    ),
    ("ApSubmitPaymentCommand", "ApInvoiceStatus"): (
        f"{column('ApStateId', 'enum', 't.')} = 'Paid'",
        "for paid invoices",
    ),
    ("WoSetFlagsCommand", "WoActionReasonLookup"): (
        f"{column('ActionId', 'enum', 't.')} = 'Attention'",
        "for attention",
    ),
}


class _Missing(Exception):
    """Error for a record that an example needs and the Company lacks."""


def example_of(context: RequestContext, name: str) -> Record:
    """Return an example body for a command, and a note if the command cannot run."""
    command = catalogue.load().commands.get(name)
    if command is None:
        raise Refusal(404, "", f"There is no command {name[:60]}.")
    note = f"The sandbox refuses this command: {NOT_MODELLED[name]}." if name in NOT_MODELLED else ""
    members: dict[str, Any] = {}
    for field in command.request:
        try:
            value = _value(context, command, field)
        except _Missing as missing:
            note = note or f"{context.company.name} has no {missing}: create one first."
            value = [] if field.is_list else 0
        if value is not None:
            members[field.name] = value
    return {"Body": {"Command": members}, "Note": note}


def _value(context: RequestContext, command: Command, field: Field) -> Any:
    """Return an example value for a member; None to omit the member."""
    if field.name in _OMITTED or (command.name, field.name) in _OMITTED:
        return None
    if (make := _MAKERS.get((command.name, field.name)) or _MAKERS.get(field.name)) is not None:
        return make(context, command)
    if field.name in _VALUES:
        return _VALUES[field.name]
    entity = _ENTITIES.get(field.name, field.name.removesuffix("Id"))
    if field.type not in ("integer", "list") or entity not in schemas():
        return None
    key = _find(context, command.name, entity)["Id"]
    return [key] if field.is_list else key


def _find(context: RequestContext, command: str, entity: str) -> dict[str, Any]:
    condition, what = _FITTING.get((command, entity), ("1", ""))
    states = ACTIONS[command].sources if command in ACTIONS and entity == "WorkOrder" else None
    if states:
        names = sorted(states)  # safe in SQL, because they are from the table of actions
        condition = f"{column('StatusId', 'enum', 't.')} IN ({', '.join(map(repr, names))})"
        what = f"in state {' or '.join(names)}"
    found = _select(context, entity, f"{column('IsRemoved', 'boolean', 't.')} IS NOT 1 AND {condition}")
    if not found:
        raise _Missing(f"{entity} {what}".strip())
    return found[0]


def _select(context: RequestContext, entity: str, condition: str, limit: int = 1) -> list[dict[str, Any]]:
    direction = "DESC" if entity in _NEWEST else "ASC"
    text = (
        f'SELECT t.body FROM "{entity}" t WHERE t.company = ? AND {condition} '  # noqa: S608 names of this module
        f"ORDER BY t.id {direction} LIMIT ?"
    )
    return context.store.select(text, [context.company.id, limit])


def _work_order(context: RequestContext, command: Command) -> Record:
    kind = _find(context, command.name, "WorkOrderType")
    task = _find(context, command.name, "Task")
    fitting = f"{column('ModelId', 'integer', 't.')} = {int(task['ModelId'])}"
    asset = next(iter(_select(context, "Location", fitting)), None) or _find(context, "", "Location")
    return {
        "TypeCategory": kind["TypeId"],
        "SubType": {"Id": kind["Id"]},
        "Customer": {"Id": _find(context, command.name, "Customer")["Id"]},
        "Items": [{"Asset": {"Id": asset["Id"]}, "Task": {"Id": task["Id"]}, "Comment": _VALUES["Comment"]}],
        "ContactName": "Ana Ruiz",
    }


def _draft_order(context: RequestContext, command: Command) -> Record:
    names = {"Priority": "WoPriority", "Specialty": "Specialty", "WorkZone": "WorkZone"}
    found = {member: {"Id": _find(context, command.name, name)["Id"]} for member, name in names.items()}
    return _work_order(context, command) | found


def _reason(context: RequestContext, command: Command) -> int | None:
    action = ACTIONS.get(command.name)
    if action is None or not action.takes_reason:
        return None
    fitting = f"{column('ActionId', 'enum', 't.')} = '{action.logged}'"
    found = _select(context, "WoActionReasonLookup", fitting)
    if not found:
        raise _Missing(f"WoActionReasonLookup for {action.logged}")
    return int(found[0]["Id"])


def _week(context: RequestContext, command: Command) -> Any:
    return _find(context, command.name, "TimeCard")["WeekStartDate"]


def _second_order(context: RequestContext, _command: Command) -> int:
    found = _select(context, "WorkOrder", "1", limit=2)
    if len(found) < 2:
        raise _Missing("second WorkOrder")
    return int(found[1]["Id"])


def _removed_record(context: RequestContext, _command: Command) -> Record:
    for schema in schemas().values():
        if schema.soft_deleted:
            for record in _select(context, schema.name, f"{column('IsRemoved', 'boolean', 't.')} = 1"):
                return {"EntityType": schema.name, "Id": record["Id"]}
    raise _Missing("removed record")


def _contact_reference(context: RequestContext, command: Command) -> Record:
    return {"EntityType": "Contact", "Id": _find(context, command.name, "Contact")["Id"]}


# Member, or (command, member) -> function that makes the value
_MAKERS: Mapping[str | tuple[str, str], Callable[[RequestContext, Command], Any]] = {
    "CompanyName": lambda context, _command: context.company.name,
    "ActionReasonId": _reason,
    ("WoCreateCommand", "WorkOrder"): _work_order,
    "WorkOrder": _draft_order,
    "EntitySpecifier": _contact_reference,
    ("RestoreCommand", "EntitySpecifier"): _removed_record,
    ("UpdateCommand", "Entity"): lambda context, command: (
        _contact_reference(context, command) | {"Comment": _VALUES["Comment"]}
    ),
    ("CreateCommand", "Entity"): lambda context, command: {
        "EntityType": "Contact",
        "LastName": "Ruiz",
        "CustomerId": _find(context, command.name, "Customer")["Id"],
    },
    "EmployeeId": lambda context, command: _find(context, command.name, "TimeCard")["Employee"]["Id"],
    "WeekStartDate": _week,
    "BaseDate": _week,
    "MainWorkOrderId": lambda context, command: _find(context, command.name, "WorkOrder")["Id"],
    "DependentWorkOrderId": _second_order,
    "FlagsToClear": lambda context, command: [_find(context, command.name, "WorkOrder")["FlagId"]],
    ("UserOrProviderSuspendCommand", "Id"): lambda context, command: _find(context, command.name, "Employee")[
        "Id"
    ],
    "ParentAssetId": lambda context, command: _find(context, command.name, "Location")["Id"],
    "TaskCode": lambda context, command: _find(context, command.name, "Task")["Number"],
}
