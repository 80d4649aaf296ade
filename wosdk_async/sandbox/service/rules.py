"""What the service does to rows of certain entity types by itself, whoever writes them."""

from __future__ import annotations

from collections.abc import Callable

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation
from wosdk_async.sandbox.schema.values import to_local, to_utc, zone_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.documents import decode_file

__all__ = ["ON_CHANGE", "ON_CREATE", "ON_DELETE", "ON_WRITE", "PAIRED_TIMES", "REQUIRED", "lineage"]

Rule = Callable[[RequestContext, Record], None]

# A work order's local times and their UTC twins (spec 2.3, facts 5 for DtOnSiteBy).
PAIRED_TIMES = {
    "DtDue": "DueDateUtc",
    "DtAcknowledgeBy": "AcknowledgeByUtc",
    "DtOnSiteBy": "DtUtcOnSiteBy",
    "DtScheduledStart": "ScheduledStartUtc",
}


def lineage(context: RequestContext, location: Record) -> list[Record]:
    """A location's ancestors, the nearest first; a circle of parents ends it."""
    found: list[Record] = []
    parent = context.find("Location", location["ParentId"])
    while parent is not None and parent not in found and len(found) < 32:
        found.append(parent)
        parent = context.find("Location", parent["ParentId"])
    return found


def _work_order(_context: RequestContext, row: Record) -> None:
    row["ContactName"] = row["ContactName"].rstrip()  # facts 3.4
    zone = zone_of(row["TimeZone"])
    for local, utc in PAIRED_TIMES.items():
        if local not in row:
            row.pop(utc, None)
        elif utc not in row or to_local(row[utc], zone) != row[local]:
            row[utc] = to_utc(row[local], zone) or row[local]


def _contact(_context: RequestContext, row: Record) -> None:
    name = f"{row['FirstName']} {row['LastName']}".strip()
    if name:
        row["DisplayAs"] = f"{name} (deleted)" if row["IsRemoved"] else name  # facts 3.4


def _document(_context: RequestContext, row: Record) -> None:
    # facts 3.10: the stored type follows MimeType, whatever id was sent
    if row["MimeType"].lower().startswith("image/"):
        row["DocType"] = {"Id": 3}
    elif row["MimeType"].lower() == "application/pdf":
        row["DocType"] = {"Id": 32}


def _blob(_context: RequestContext, row: Record) -> None:
    try:
        decode_file(row["Body"])
    except ValueError:  # facts 3.10: the schema has a base64 pattern; how it is enforced is assumed
        raise broken_rule("Blob.Body is not base64.") from None


def _location(context: RequestContext, row: Record) -> None:
    ancestors = lineage(context, row)
    row["RootId"] = ancestors[-1]["Id"] if ancestors else row["Id"]


def _wo_note(context: RequestContext, row: Record) -> None:
    """A work order has one completion note at most (facts 3.9), and points at it."""
    order = context.find("WorkOrder", row["WorkOrderId"])
    if order is None:
        return
    current = order.get("CompletionNote", {}).get("Id")
    if row["NoteTypeId"] == "Completion":
        if current not in (None, row["Id"]):  # text assumed
            raise broken_rule(f"Work order {row['WorkOrderId']} has a completion note already.")
        _point_at_note(context, order, row["Id"])
    elif current == row["Id"]:
        _point_at_note(context, order, None)


def _point_at_note(context: RequestContext, order: Record, key: int | None) -> None:
    """The order's counter stays: the note is a row of its own (not shown; assumed)."""
    order.pop("CompletionNote", None)
    if key is not None:
        order["CompletionNote"] = {"Id": key}
    context.replace_uncounted(schemas()["WorkOrder"], order)


def _lost_wo_note(context: RequestContext, row: Record) -> None:
    order = context.find("WorkOrder", row["WorkOrderId"])
    if order is not None and order.get("CompletionNote") == {"Id": row["Id"]}:
        _point_at_note(context, order, None)


def _assignment(context: RequestContext, row: Record) -> None:
    """An order's ``Employee`` is its primary assignee, whoever writes the assignment (not shown; assumed)."""
    before = context.store.get(context.company.id, "WoAssignment", row["Id"])
    if before is not None and before["WorkOrderId"] != row["WorkOrderId"]:
        _lost_assignment(context, before)
    if row["IsPrimary"]:
        for other in _other_primaries(context, row):
            context.replace_uncounted(schemas()["WoAssignment"], other | {"IsPrimary": False})
    _show_primary(context, row, [row] if row["IsPrimary"] else _other_primaries(context, row))


def _lost_assignment(context: RequestContext, row: Record) -> None:
    _show_primary(context, row, _other_primaries(context, row))


def _other_primaries(context: RequestContext, row: Record) -> list[Record]:
    rows = context.children(Relation(schemas()["WoAssignment"], "WorkOrderId"), row["WorkOrderId"])
    return [other for other in rows if other["IsPrimary"] and other["Id"] != row["Id"]]


def _show_primary(context: RequestContext, row: Record, primaries: list[Record]) -> None:
    """Show the first of ``primaries`` as the ``Employee`` of the order that ``row`` belongs to."""
    order = context.find("WorkOrder", row["WorkOrderId"])
    if order is None:
        return
    order.pop("Employee", None)
    if primaries:
        order["Employee"] = {"Id": primaries[0]["EmployeeId"]}
    context.replace_uncounted(schemas()["WorkOrder"], order)


def _new_wo_note(context: RequestContext, row: Record) -> None:
    row["CreatedDate"] = context.now.local(context.zone)
    row["CreatedBy"] = context.account


def _new_note(context: RequestContext, row: Record) -> None:
    row["CreatedAt"] = context.now.local(context.zone)
    row["CreatedBy"] = context.account


def _new_attribute(context: RequestContext, row: Record) -> None:
    asset = context.find("Location", row["AssetId"])
    row["TopAssetId"] = asset["RootId"] if asset else 0  # spec 2.8


def _time_card(before: Record, row: Record) -> None:
    if any(name in before and row.get(name) != before[name] for name in ("WeekStartDate", "Week")):
        raise broken_rule("Existing Time Card cannot be moved to another week")  # facts 3.9 and 6


# Members a create must send, with the name the refusal gives (facts 3.10: a peer's list).
REQUIRED = {"Document": {"DocType": "DocType.Id", "StorageTypeId": "StorageTypeId"}}
ON_CREATE: dict[str, Rule] = {
    "WoNote": _new_wo_note,
    "Note": _new_note,
    "AssetAttribute": _new_attribute,
}
ON_WRITE: dict[str, Rule] = {
    "WorkOrder": _work_order,
    "Blob": _blob,
    "Contact": _contact,
    "Document": _document,
    "Location": _location,
    "WoAssignment": _assignment,
    "WoNote": _wo_note,
}
ON_CHANGE: dict[str, Callable[[Record, Record], None]] = {"TimeCard": _time_card}
ON_DELETE: dict[str, Rule] = {"WoAssignment": _lost_assignment, "WoNote": _lost_wo_note}
