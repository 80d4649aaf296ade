"""Fields of records that are to be created: those that the service sets, and the due time of a work order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wosdk_async.cli.exit_codes import CliError
from wosdk_async.protocol.order_schedule import DUE_TIMES, replaced_fields

__all__ = ["order_fields", "order_warnings", "require_settable", "schedule_lines"]

_SET_BY_SERVICE = ("Id", "ConcurrencyId")  # facts 3.3: a create ignores both
_CALCULATED = ("Number", "DtCreated", "CreatedDateUtc")  # spec 3 row 1: number and dates are calculated
_FIRST_STATE = "New"  # spec 3 row 1


def require_settable(entity: str, given: Mapping[str, Any]) -> None:
    """Raise CliError for fields that the service would set itself, and not to the value in ``given``."""
    is_order = entity == "WorkOrder"
    names = (*_SET_BY_SERVICE, *(_CALCULATED if is_order else ()))
    faults = [
        f"{name} of a new {entity} is set by the service, whatever is sent; leave it out"
        for name in names
        if given.get(name)  # 0 and null are no wish
    ]
    if is_order and given.get("StatusId") not in (None, _FIRST_STATE):
        faults.append(
            f"StatusId of a new WorkOrder is {_FIRST_STATE}, whatever is sent; leave it out, and then"
            " `wosdk pickup`, `start` and `complete` lead on"
        )
    if faults:
        raise CliError("; ".join(faults))


def order_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the command that creates a work order.

    The service computes the schedule, unless that would replace a given field.
    """
    fields = {"WorkOrder": given}
    return fields if replaced_fields(given) else {**fields, "ComputeSchedule": True}


def schedule_lines(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the line about the due time that a new work order gets, for the lines before the question."""
    if not replaced_fields(given):
        yield "DtDue: computed by the service"


def order_warnings(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what may surprise people about a new work order."""
    replaced = replaced_fields(given)
    if replaced and not any(name in given for name in DUE_TIMES):
        yield (
            f"the order gets no due time: to compute it would replace {' and '.join(replaced)};"
            f" add DtDue=TIME, or leave {'it' if len(replaced) == 1 else 'them'} out"
        )
    if given.get("Contactid"):  # spec 4.3 sends it, facts 5: a recorded release drops it
        yield "Contactid is dropped by some releases; RequestorContact=ID names the requestor"
