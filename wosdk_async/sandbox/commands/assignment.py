"""Who works on an order: choosing an employee, and the rows that say so."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.ownership import Link, link
from wosdk_async.sandbox.shape import shapes

from .registry import Arguments, needed

__all__ = ["assign_primary", "preferred_assignee", "reassign"]


def preferred_assignee(desk: Desk, order: Row, arguments: Arguments) -> int | None:
    """The employee a new order gets, if any.

    With ``ComputeAssignment`` the first one of the order's specialty and work zone (how the service
    chooses is not shown; assumed), else the command's ``EmployeeId`` (facts 5: 0 is none).
    """
    if arguments.get("KeepUnassigned", False):
        return None
    if not arguments.get("ComputeAssignment", False):
        named = arguments.get("EmployeeId", 0)
        return int(needed(desk.find("Employee", named), "Employee", named)["Id"]) if named else None
    skilled = _linked(desk, "LinkUserAndSpecialty", "SpecialtyId", order.get("Specialty"))
    local = _linked(desk, "LinkUserAndWorkZone", "WorkZoneId", order.get("WorkZone"))
    return min(skilled & local, default=None)


def assign_primary(desk: Desk, order: Row, employee: int) -> None:
    """Make ``employee`` the order's first assignee; the caller keeps the order."""
    order["Employee"] = {"Id": employee}
    _insert(desk, order["Id"], employee, primary=True)


def reassign(desk: Desk, order: Row, employees: list[int], mode: str) -> None:
    """Change the assignees of an order by a ChangeAssignmentMode (facts 5, WoAssignCommand)."""
    current = desk.children(_assignments(), order["Id"])
    if mode == "Primary" and len(employees) > 1:
        raise broken_rule("Mode Primary takes one assignee.")  # not shown; assumed
    keep = {
        "Snapshot": [],
        "Primary": [row for row in current if not row["IsPrimary"] and row["EmployeeId"] not in employees],
        "AddSecondary": current,
        "RemoveSecondary": [row for row in current if row["IsPrimary"] or row["EmployeeId"] not in employees],
    }[mode]
    for row in current:
        if row not in keep:
            desk.remove("WoAssignment", row["Id"])
    known = {row["EmployeeId"] for row in keep}
    added = [] if mode == "RemoveSecondary" else [key for key in dict.fromkeys(employees) if key not in known]
    for index, key in enumerate(added):
        needed(desk.find("Employee", key), "Employee", key)
        _insert(desk, order["Id"], key, primary=mode in ("Snapshot", "Primary") and index == 0)
    _show_primary(desk, order)


def _show_primary(desk: Desk, order: Row) -> None:
    primary = next((row for row in desk.children(_assignments(), order["Id"]) if row["IsPrimary"]), None)
    order.pop("Employee", None)
    if primary is not None:
        order["Employee"] = {"Id": primary["EmployeeId"]}


def _insert(desk: Desk, order: int, employee: int, *, primary: bool) -> None:
    row: dict[str, Any] = {"WorkOrderId": order, "EmployeeId": employee, "IsPrimary": primary}
    desk.insert(shapes()["WoAssignment"], row)


def _linked(desk: Desk, entity: str, key: str, cut: Row | None) -> set[int]:
    if cut is None:
        return set()
    rows = desk.children(Link(shapes()[entity], key), cut["Id"])
    return {row["UserId"] for row in rows}


def _assignments() -> Link:
    found = link("WorkOrder", shapes()["WorkOrder"].by_name["assignments"])
    assert found is not None  # noqa: S101 the catalogue has WoAssignment.WorkOrderId
    return found
