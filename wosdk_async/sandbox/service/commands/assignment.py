"""Who works on an order: choosing an employee, and the rows that say so."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.http.context import Desk
from wosdk_async.sandbox.http.errors import broken_rule
from wosdk_async.sandbox.service.commands.registry import Arguments, needed
from wosdk_async.sandbox.service.entity_schema import shapes
from wosdk_async.sandbox.service.query.expressions import Row
from wosdk_async.sandbox.service.relations import Link, link

__all__ = ["assign_primary", "preferred_assignee", "reassign", "suitable"]


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
    return next(iter(suitable(desk, order.get("Specialty"), order.get("WorkZone"))), None)


def suitable(desk: Desk, specialty: Row | None, zone: Row | None) -> list[int]:
    """The employees who have the specialty and the work zone, by id."""
    skilled = _linked(desk, "LinkUserAndSpecialty", "SpecialtyId", specialty)
    return sorted(skilled & _linked(desk, "LinkUserAndWorkZone", "WorkZoneId", zone))


def assign_primary(desk: Desk, order: Row, employee: int) -> None:
    """Make ``employee`` the order's first assignee; the caller keeps the order."""
    order["Employee"] = {"Id": employee}
    _insert(desk, order["Id"], employee, primary=True)


def reassign(desk: Desk, order: Row, employees: list[int], mode: str) -> bool:
    """Change the assignees of an order by a ChangeAssignmentMode (facts 5, WoAssignCommand).

    Returns:
        Whether anybody was added, removed or made the first.
    """
    rows = desk.children(_assignments(), order["Id"])
    before = {row["EmployeeId"]: row["IsPrimary"] for row in rows}
    after = _after(before, list(dict.fromkeys(employees)), mode)
    for row in rows:
        if after.get(row["EmployeeId"]) != row["IsPrimary"]:
            desk.remove("WoAssignment", row["Id"])
    for key, primary in after.items():
        if before.get(key) != primary:
            needed(desk.find("Employee", key), "Employee", key)
            _insert(desk, order["Id"], key, primary=primary)
    _show_primary(desk, order)
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
