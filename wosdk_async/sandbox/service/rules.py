"""Entity-specific rules at each write: validation and computed fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from datetime import UTC, tzinfo

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import convert_time, is_time, zone_of
from wosdk_async.sandbox.service.context import RequestContext, required_record
from wosdk_async.sandbox.service.documents import decode_file
from wosdk_async.sandbox.storage.database import column

Rule = Callable[[RequestContext, Record], None]

_SIGNATURE = {"Id": 1}  # facts 3.10

# Local times of a work order, each with its UTC field (spec 2.3, facts 5 for DtOnSiteBy).
PAIRED_TIMES = {
    "DtDue": "DueDateUtc",
    "DtAcknowledgeBy": "AcknowledgeByUtc",
    "DtOnSiteBy": "DtUtcOnSiteBy",
    "DtScheduledStart": "ScheduledStartUtc",
}


def ancestors(context: RequestContext, location: Record) -> list[Record]:
    """Return a location's ancestors, nearest first; stop at a cycle, which older stores may contain."""
    found: dict[int, Record] = {}
    parent = context.find("Location", location["ParentId"])
    while parent is not None and parent["Id"] not in found:
        found[parent["Id"]] = parent
        parent = context.find("Location", parent["ParentId"])
    return list(found.values())


def _work_order(context: RequestContext, order: Record) -> None:
    """Trim the contact name, and keep local times and their UTC fields in sync.

    If a PUT writes a local time or its UTC field (spec 4.9), the other is computed. Not shown; assumed: if a
    PUT writes both, the local time wins.
    """
    order["ContactName"] = order["ContactName"].rstrip()  # facts 3.4
    zone = zone_of(order["TimeZone"])
    pairs = [pair for pair in PAIRED_TIMES.items() if not _agree(order, *pair, zone)]
    stored = (context.store.get(context.company.id, "WorkOrder", order["Id"]) or {}) if pairs else {}
    for local, utc in pairs:
        if order.get(local) == stored.get(local):
            _set_time(order, local, order.get(utc), UTC, zone)
        else:
            _set_time(order, utc, order.get(local), zone, UTC)


def _agree(order: Record, local: str, utc: str, zone: tzinfo) -> bool:
    if local in order and utc in order:
        return bool(convert_time(order[utc], UTC, zone) == order[local])
    return local not in order and utc not in order


def _set_time(order: Record, name: str, time: str | None, source: tzinfo, target: tzinfo) -> None:
    order.pop(name, None)
    if time is not None:
        order[name] = convert_time(time, source, target) or time  # a time out of range is not converted


def _contact(_context: RequestContext, contact: Record) -> None:
    name = f"{contact['FirstName']} {contact['LastName']}".strip()
    if name:
        contact["DisplayAs"] = f"{name} (deleted)" if contact["IsRemoved"] else name  # facts 3.4


def _employee(_context: RequestContext, employee: Record) -> None:
    if employee["ActorTypeId"] == "Provider":
        employee.setdefault("DtPwdChange", "1753-01-01T00:00:00")  # facts 3.4: an empty date


_ZONE_RANGES: dict[str, Container[int]] = {  # entities.json
    "AccessOptionsMask": range(1, 2**31),  # "zero not allowed"
    "AdvanceNotice": range(241),  # "0 to 240"
    "LatestSlot": range(1, 2**31),  # "1 or more (vendor sample)"
    "SlotsCount": (3, 5, 7, 10),  # "3, 5, 7 or 10 (vendor sample)"
}


def _work_zone(_context: RequestContext, zone: Record) -> None:
    for name, allowed in _ZONE_RANGES.items():
        if zone[name] not in allowed:  # not shown; assumed: the refusal
            raise broken_rule(f"{name} of a work zone cannot be {zone[name]}.")


def _document(context: RequestContext, document: Record) -> None:
    # facts 3.10: the stored DocType follows from MimeType, whatever DocType was sent. It is never Signature.
    # Not shown; assumed: parameters of MimeType do not matter. A Signature must be an image or a PDF.
    media = document["MimeType"].partition(";")[0].strip().lower()
    if media.startswith("image/"):
        document["DocType"] = {"Id": 3}
    elif media == "application/pdf":
        document["DocType"] = {"Id": 32}
    elif document.get("DocType") == _SIGNATURE and context.unchecked is None:  # seed rows may have any type
        stored = context.store.get(context.company.id, "Document", document["Id"]) or {}
        if stored.get("DocType") != _SIGNATURE:
            raise broken_rule("The API cannot store a document as Signature: send another DocType.")


def _blob(_context: RequestContext, blob: Record) -> None:
    try:
        decode_file(blob["Body"])
    except ValueError:  # facts 3.10: base64 by schema. Not shown; assumed: the service checks it
        raise broken_rule("Blob.Body is not base64.") from None


def _location(context: RequestContext, location: Record) -> None:
    above = ancestors(context, location)
    if location["Id"] in (each["ParentId"] for each in (location, *above)):  # not shown; assumed
        raise broken_rule(
            f"ParentId {location['ParentId']} is Location {location['Id']} itself, or a location below it."
        )
    location["RootId"] = above[-1]["Id"] if above else location["Id"]
    _move_descendants(context, location)


def _move_descendants(context: RequestContext, location: Record) -> None:
    """Not shown; assumed: set a location's root in its descendants, in their attributes and in its own."""
    context.store.indexes.ensure("Location", "ParentId", "integer")
    root = location["RootId"]
    moved = [location]
    for each in moved:
        for attribute in context.pointing("AssetAttribute", "AssetId", each["Id"]):
            if attribute["TopAssetId"] != root:
                context.replace_uncounted(schemas()["AssetAttribute"], attribute | {"TopAssetId": root})
        for child in context.pointing("Location", "ParentId", each["Id"]):
            if child["RootId"] != root:
                context.replace_uncounted(schemas()["Location"], child | {"RootId": root})
                moved.append(child)


def _new_attribute(context: RequestContext, attribute: Record) -> None:
    asset = context.find("Location", attribute["AssetId"])
    attribute["TopAssetId"] = asset["RootId"] if asset else 0  # spec 2.8


def _new_note(context: RequestContext, note: Record) -> None:
    note["CreatedAt"] = context.now.local(context.zone)
    note["CreatedBy"] = context.account


def _new_work_order_note(context: RequestContext, note: Record) -> None:
    order = context.find("WorkOrder", note["WorkOrderId"])
    zone = zone_of(order["TimeZone"]) if order else context.zone  # all times of an order use one zone
    note["CreatedDate"] = context.now.local(zone)
    note["CreatedBy"] = context.account


def _work_order_note(context: RequestContext, note: Record) -> None:
    """Set a work order's completion note; an order has at most one (facts 3.9)."""
    order = context.find("WorkOrder", note["WorkOrderId"])
    if order is None:
        return
    current = order.get("CompletionNote", {}).get("Id")
    if note["NoteTypeId"] == "Completion":
        if current not in (None, note["Id"]):  # not shown; assumed: the text
            raise broken_rule(f"Work order {note['WorkOrderId']} already has a completion note.")
        _set_completion_note(context, order, note["Id"])
    elif current == note["Id"]:
        _set_completion_note(context, order, None)


def _set_completion_note(context: RequestContext, order: Record, key: int | None) -> None:
    # Not shown; assumed: this does not count as a change to the order, because the note is a separate record
    order.pop("CompletionNote", None)
    if key is not None:
        order["CompletionNote"] = {"Id": key}
    context.replace_uncounted(schemas()["WorkOrder"], order)


def _assignment(context: RequestContext, assignment: Record) -> None:
    """Not shown; assumed: set an order's ``Employee`` to its primary assignee."""
    if not assignment["EmployeeId"]:
        raise required("EmployeeId", "WoAssignment")
    before = context.store.get(context.company.id, "WoAssignment", assignment["Id"])
    if before is not None and before["WorkOrderId"] != assignment["WorkOrderId"]:
        _deleted_assignment(context, before)
    if assignment["IsPrimary"]:
        for other in _other_primaries(context, assignment):
            context.replace_uncounted(schemas()["WoAssignment"], other | {"IsPrimary": False})
    primaries = [assignment] if assignment["IsPrimary"] else _other_primaries(context, assignment)
    _set_employee(context, assignment, primaries)


def _deleted_assignment(context: RequestContext, assignment: Record) -> None:
    _set_employee(context, assignment, _other_primaries(context, assignment))


def _other_primaries(context: RequestContext, assignment: Record) -> list[Record]:
    found = context.pointing("WoAssignment", "WorkOrderId", assignment["WorkOrderId"])
    return [other for other in found if other["IsPrimary"] and other["Id"] != assignment["Id"]]


def _set_employee(context: RequestContext, assignment: Record, primaries: list[Record]) -> None:
    order = context.find("WorkOrder", assignment["WorkOrderId"])
    if order is None:
        return
    order.pop("Employee", None)
    if primaries:
        order["Employee"] = {"Id": primaries[0]["EmployeeId"]}
    context.replace_uncounted(schemas()["WorkOrder"], order)


def _time_card(before: Record, card: Record) -> None:
    if any(name in before and card.get(name) != before[name] for name in ("WeekStartDate", "Week")):
        raise broken_rule("Existing Time Card cannot be moved to another week")  # facts 3.9 and 6


# --- custom fields ---------------------------------------------------------------------------

# CfType -> text format; Date and Time are checked below, other types accept any text. Not shown; assumed:
# formats of JSON and ISO 8601.
_FORMS = {
    "Integer": re.compile(r"-?\d{1,19}", re.ASCII),
    "Decimal": re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII),
    "Money": re.compile(r"-?\d{1,15}(\.\d{1,12})?", re.ASCII),
    "Boolean": re.compile(r"true|false", re.ASCII | re.IGNORECASE),
}
_WIDER_KINDS = {"Employee": "Provider"}  # facts 9: providers are also Employee records
_SAME_OWNER = " AND ".join(
    f"{column(path, kind)} = ?"
    for path, kind in (("ObjectId", "integer"), ("ObjectTypeId", "enum"), ("Descriptor.Id", "integer"))
)


def _custom_field(context: RequestContext, field: Record) -> None:
    """Check a custom field; an owner has at most one per descriptor (spec 2.3).

    Not shown; assumed: the refusals.
    """
    if "Descriptor" not in field:
        raise required("Descriptor.Id", "CustomField2")
    if not field["ObjectId"]:
        raise required("ObjectId", "CustomField2")
    key = field["Descriptor"]["Id"]
    if context.unchecked is not None and context.find("CustomFieldDescriptor", key) is None:
        return  # the descriptor may be a later seed row, so the value cannot be checked
    descriptor = required_record(context, "CustomFieldDescriptor", key, "Descriptor")
    name, kind, value = descriptor["Name"], descriptor["ActorTypeId"], field["Value"]
    if kind not in ("Unknown", field["ObjectTypeId"], _WIDER_KINDS.get(field["ObjectTypeId"])):
        raise broken_rule(f"{name} is a custom field of {kind}, not of {field['ObjectTypeId']}.")
    if 0 < descriptor["Length"] < len(value):
        raise broken_rule(f"{name} is longer than {descriptor['Length']} characters.")
    if value and not _fits(descriptor["Type"], value):
        raise broken_rule(f"{name} takes a value of type {descriptor['Type']}.")
    owner = field["ObjectId"], field["ObjectTypeId"], descriptor["Id"]
    if any(
        other["Id"] != field["Id"] for other in context.select("CustomField2", _SAME_OWNER, *owner, limit=2)
    ):
        raise broken_rule(f"{field['ObjectTypeId']} {field['ObjectId']} already has a value for {name}.")


def _fits(kind: str, value: str) -> bool:
    if kind in ("Date", "Time"):
        return is_time(value) or (kind == "Time" and is_time(f"2000-01-01T{value}"))
    form = _FORMS.get(kind)
    return form is None or form.fullmatch(value) is not None


# Entity type -> members required in a create -> their names in refusals (facts 3.10, for Document).
REQUIRED = {
    "Document": {"DocType": "DocType.Id", "StorageTypeId": "StorageTypeId"},
    "WoItem": {
        "Asset": "Asset.Id",
        "Task": "Task.Id",
    },  # spec 4.3 for WoCreateCommand; others: not shown; assumed
}
ON_CREATE: dict[str, Rule] = {
    "WoNote": _new_work_order_note,
    "Note": _new_note,
    "AssetAttribute": _new_attribute,
}
ON_WRITE: dict[str, Rule] = {
    "WorkOrder": _work_order,
    "Blob": _blob,
    "Contact": _contact,
    "CustomField2": _custom_field,
    "Document": _document,
    "Employee": _employee,
    "Location": _location,
    "WoAssignment": _assignment,
    "WoNote": _work_order_note,
    "WorkZone": _work_zone,
}
ON_CHANGE: dict[str, Callable[[Record, Record], None]] = {"TimeCard": _time_card}
ON_DELETE: dict[str, Rule] = {
    "WoAssignment": _deleted_assignment,
    "WoNote": lambda context, note: _work_order_note(context, note | {"NoteTypeId": "Unknown"}),
}
