"""UserOrProviderSuspendCommand (facts 5)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed, not_modelled
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["suspend"]


@command("UserOrProviderSuspendCommand")
def suspend(context: RequestContext, arguments: Arguments) -> Record:
    """Suspend a connected provider, or connect a suspended one again (by EmployeeWonStatus; assumed).

    Raises:
        Refusal: the employee is a user, of whom no such state is known, or is in another state.
    """
    key = arguments.get("Id", 0)
    if not key:
        raise required("Id")
    employee = needed(context.find("Employee", key), "Employee", key)
    if employee["ActorTypeId"] != "Provider":
        raise not_modelled("UserOrProviderSuspendCommand", "where a user shows it is not known")
    states = ("Suspended", "Connected") if arguments.get("Reactivate", False) else ("Connected", "Suspended")
    before, after = states
    if employee["ProviderStatusId"] != before:
        raise broken_rule(f"Provider {key} is {employee['ProviderStatusId']}, not {before}.")
    employee["ProviderStatusId"] = after
    context.replace(schemas()["Employee"], employee)
    return {"EmployeeId": key}
