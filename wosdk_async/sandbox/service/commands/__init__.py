"""The commands that the local service models, each a small function in one registry.

A command is written as ``@command("Name")`` above a function from `RequestContext` and arguments to the
members of ``CommandResult``. Importing this package fills the registry.
"""

from __future__ import annotations

from wosdk_async.sandbox.service.commands import (
    copying,
    creation,
    employees,
    files,
    generic,
    invoices,
    look_ups,
    money,
    plans,
    provider_network,
    routines,
    spaces,
    time_cards,
    verification,
    work_zones,
    workflow,
)
from wosdk_async.sandbox.service.commands.registry import find_command, modelled_commands, run_command
from wosdk_async.sandbox.service.commands.unmodelled import NOT_MODELLED

__all__ = [
    "NOT_MODELLED",
    "copying",
    "creation",
    "employees",
    "files",
    "find_command",
    "generic",
    "invoices",
    "look_ups",
    "modelled_commands",
    "money",
    "plans",
    "provider_network",
    "routines",
    "run_command",
    "spaces",
    "time_cards",
    "verification",
    "work_zones",
    "workflow",
]
