"""Who works on an order: choosing an employee, and the rows that say so."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation, relation_of
from wosdk_async.sandbox.service.commands.registry import Arguments, needed
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["assign_primary", "preferred_assignee", "reassign", "suitable"]


def preferred_assignee(context: RequestContext, order: Record, arguments: Arguments) -> int | None:
    """The employee a new order gets, if any.

    With ``ComputeAssignment`` the first one of the order's specialty and work zone (how the service
    chooses is not shown; assumed), else the command's ``EmployeeId`` (facts 5: 0 is none).
    """
    if arguments.get("KeepUnassigned", False):
        return None
    if not arguments.get("ComputeAssignment", False):
        named = arguments.get("EmployeeId", 0)
        return int(needed(context.find("Employee", named), "Employee", named)["Id"]) if named else None
    return next(iter(suitable(context, order.get("Specialty"), order.get("WorkZone"))), None)


def suitable(context: RequestContext, specialty: Record | None, zone: Record | None) -> list[int]:
    """The employees who have the specialty and the work zone, by id."""
    skilled = _linked(context, "LinkUserAndSpecialty", "SpecialtyId", specialty)
    return sorted(skilled & _linked(context, "LinkUserAndWorkZone", "WorkZoneId", zone))


def assign_primary(context: RequestContext, order: Record, employee: int) -> None:
    """Make ``employee`` the order's first assignee; the caller keeps the order."""
    order["Employee"] = {"Id": employee}
    _insert(context, order["Id"], employee, primary=True)


def reassign(context: RequestContext, order: Record, employees: list[int], mode: str) -> bool:
    """Change the assignees of an order by a ChangeAssignmentMode (facts 5, WoAssignCommand).

    Returns:
        Whether anybody was added, removed or made the first.
    """
    rows = context.children(_assignments(), order["Id"])
    before = {row["EmployeeId"]: row["IsPrimary"] for row in rows}
    after = _after(before, list(dict.fromkeys(employees)), mode)
    for row in rows:
        if after.get(row["EmployeeId"]) != row["IsPrimary"]:
            context.remove("WoAssignment", row["Id"])
    for key, primary in after.items():
        if before.get(key) != primary:
            needed(context.find("Employee", key), "Employee", key)
            _insert(context, order["Id"], key, primary=primary)
    _show_primary(context, order)
    return after != before


def _after(before: dict[int, bool], employees: list[int], mode: str) -> dict[int, bool]:
    """Who is assigned afterwards, and whether as the first."""
    if mode == "Snapshot":  # facts 5: the list replaces all, its first is the primary
        return {key: index == 0 for index, key in enumerate(employees)}
    if mode == "AddSecondary":
        return dict.fromkeys(employees, False) | before
    if mode == "RemoveSecondary":
        return {key: primary for key, primary in before.items() if primary or key not in employees}
    if len(employees) > 1:
        raise broken_rule("Mode Primary takes one assignee.")  # not shown; assumed
    kept = {key: False for key, primary in before.items() if not primary}
    return kept | dict.fromkeys(employees, True)


def _show_primary(context: RequestContext, order: Record) -> None:
    primary = next((row for row in context.children(_assignments(), order["Id"]) if row["IsPrimary"]), None)
    order.pop("Employee", None)
    if primary is not None:
        order["Employee"] = {"Id": primary["EmployeeId"]}


def _insert(context: RequestContext, order: int, employee: int, *, primary: bool) -> None:
    row: dict[str, Any] = {"WorkOrderId": order, "EmployeeId": employee, "IsPrimary": primary}
    context.insert(schemas()["WoAssignment"], row)


def _linked(context: RequestContext, entity: str, key: str, cut: Record | None) -> set[int]:
    if cut is None:
        return set()
    rows = context.children(Relation(schemas()[entity], key), cut["Id"])
    return {row["UserId"] for row in rows}


def _assignments() -> Relation:
    found = relation_of("WorkOrder", schemas()["WorkOrder"].by_name["assignments"])
    assert found is not None  # noqa: S101 the catalogue has WoAssignment.WorkOrderId
    return found
