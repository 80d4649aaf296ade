"""Conversion of a plan's fields to a checked command or record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import attrs

from wosdk_async.calls.markers import Marker
from wosdk_async.codec.records import from_dict, to_dict
from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.mapping.needed_fields import empty_fields
from wosdk_async.mcp.fitting import fit_record
from wosdk_async.mcp.plan_journal import Plan
from wosdk_async.mcp.plan_rules import class_of, refuse_command, refuse_emptied_lists, refuse_fields
from wosdk_async.model import Command, Record, WoCreateCommand, WorkOrder
from wosdk_async.protocol.arguments import require_support
from wosdk_async.protocol.order_rules import DUE_TIMES, replaced_fields, warning_of_move
from wosdk_async.protocol.validation import errors_in_json, wire_path

_MAX_BYTES = 64_000  # of a plan's fields, as JSON


@attrs.frozen(kw_only=True)
class Change:
    """The change to send for a plan."""

    subject: Record = attrs.field(repr=False)
    path: str | None = None
    """Path of the marker."""
    marker: Marker | None = None
    changes: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """Fields to update, by Python name."""

    async def find(self, company: Company) -> dict[str, Any] | None:
        """Look up the record that has the marker; return it as :meth:`send` does, or None if there is none.

        Raises NotUniqueError if several records have the marker.
        """
        if self.marker is None or self.path is None:
            return None
        records = await company.find_marked(type(self.subject), self.path, [self.marker.key])
        result = self.marker.result_of(records[self.marker.key])
        return None if result is None else outcome_of(result, company)

    async def send(self, company: Company, *, dry: bool = False) -> dict[str, Any]:
        """Send the change unless a record already has the marker; return the result as plain values.

        A dry run skips the look-up, and returns an empty result.
        """
        look: dict[str, Any] = {"marker": self.path, "look_first": True} if self.path and not dry else {}
        if isinstance(self.subject, Command):
            result: Any = await company.run(self.subject, **look)
        elif self.changes:
            record: Any = self.subject
            has_version = getattr(record, "concurrency_id", None) is not None
            result = await company.update(record, if_unchanged=has_version, **self.changes)
        else:
            result = await company.create(self.subject, **look)
        return {} if dry else outcome_of(result, company)


def outcome_of(result: Any, company: Company) -> dict[str, Any]:
    """Return a result's values; omit lists in records, and keep only the id and names of references."""
    found = to_dict(result)
    for name, value in found.items():
        if isinstance(value, dict):
            found[name] = {inner: _named(item) for inner, item in value.items() if not isinstance(item, list)}
    return fit_record(found, secrets_of(company))[0]


def _named(value: Any) -> Any:
    shown = ("Id", "Number", "DisplayAs", "Name", "Value", "CurrencyTypeId")
    return {name: value[name] for name in shown if name in value} if isinstance(value, dict) else value


def with_order_command(action: str, name: str, fields: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Convert the creation of a work order to WoCreateCommand; return any other action unchanged.

    Request a computed due time, unless it would overwrite one of ``fields``.
    """
    if (action, name) != ("create", "WorkOrder"):
        return action, name, fields
    compute = {} if replaced_fields(fields) else {"ComputeSchedule": True}
    return "command", WoCreateCommand.wire_name, {"WorkOrder": fields, **compute}


def warnings_of(plan: Plan, current: Mapping[str, Any]) -> list[str]:
    """Return warnings about a plan; ``current`` is the current record, if any."""
    found = []
    if plan.action == "command" and (moved := warning_of_move(plan.name, current.get("StatusId"))):
        found.append(f"{moved}.")
    order = plan.fields.get("WorkOrder")
    if plan.name == WoCreateCommand.wire_name and isinstance(order, dict):
        if not plan.fields.get("ComputeSchedule") and not any(order.get(each) for each in DUE_TIMES):
            found.append("The order gets no due time: add DtDue, or leave out the other schedule fields.")
        for path in dict.fromkeys(empty_fields(from_dict(WorkOrder, order))):
            name = wire_path(WorkOrder, ".".join(path))
            found.append(
                f"The service requires {name} for a new work order and will probably refuse this one."
            )
        if plan.marker == "work_order.po_number":
            found.append(
                f"PoNumber will be {plan.id}, so that the order can be found if the outcome is in doubt."
            )
    if plan.marker is None:
        found.append(
            "The change has no marker: if no response arrives, the outcome stays unknown, and this"
            " plan is not resent."
        )
    if plan.action == "update" and plan.version is None:
        found.append("The entity has no version, so changes that others make meanwhile are overwritten.")
    return found


def change_of(plan: Plan) -> Change:
    """Return the change for a plan. Raises InvalidCallError for invalid fields."""
    if len(json.dumps(plan.fields)) > _MAX_BYTES:
        raise InvalidCallError(f"the fields are larger than {_MAX_BYTES:,} bytes; plan a smaller change")
    refuse_fields(plan.fields)
    fields = _exact(plan.fields)
    kind: Any = class_of(plan.action, plan.name)
    if plan.action == "command":
        refuse_command(kind)
    else:
        require_support(kind, plan.action)
    if plan.action == "update":
        refuse_emptied_lists(kind, plan.fields)
    record = from_dict(kind, fields, unknown="refuse")
    if found := errors_in_json(record, new=plan.action == "create"):
        raise InvalidCallError(f"{kind.wire_name}: {' '.join(found)}")
    if plan.action != "update":
        make: Any = Marker.of_command if plan.action == "command" else Marker.of_record
        marker = make(record, plan.marker) if plan.marker else None
        return Change(subject=record, path=plan.marker, marker=marker)
    changes = {
        python: getattr(record, python) for python, meta in kind.__wire__.items() if meta["name"] in fields
    }
    if not changes or plan.record is None:
        raise InvalidCallError("an update needs the record's id and the fields to write")
    version = {} if plan.version is None else {"concurrency_id": plan.version}
    return Change(subject=kind(id=plan.record, **version), changes=changes)


def _exact(value: Any) -> Any:
    """Convert floats in a JSON value to decimals with the same digits: 12.1 must not become 12.0999."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, Mapping):
        return {str(name): _exact(item) for name, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value
