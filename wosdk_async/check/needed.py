"""What may not be left out: fields without which the service is known to refuse a command or a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wosdk_async.model import Command, CommandResult, Record
from wosdk_async.model._index import NEEDED

__all__ = ["missing"]

_HINTS = {
    "ActionReasonId": "set it to the id of a reason, a row of WoActionReasonLookup",  # facts 4
    "CustomerId": "set it to the id of a customer that exists",  # spec 4.4
    "WorkOrderId": "set it to the id of the work order",
}


def missing(record: Record, *, new: bool = False) -> Iterator[tuple[str, str]]:
    """Each field of ``record`` that has no value and needs one: its name, and what to do.

    Commands have such fields, and entities when they are ``new``.
    """
    for name, remedy in (
        _of_command(record) if isinstance(record, Command) else _of_new(record, new)
    ).items():
        if getattr(record, name) is None and record.__wire__[name]["name"] not in (record.extra or ()):
            yield name, f"is missing; {remedy}."


def _of_command(command: Command[CommandResult]) -> Mapping[str, str]:
    return {
        name: _HINTS.get(meta["name"], f"{command.wire_name} cannot be run without it")
        for name, meta in command.__wire__.items()
        if meta.get("required")
    }


def _of_new(record: Record, new: bool) -> Mapping[str, str]:
    return NEEDED.get(record.wire_name, {}) if new else {}
