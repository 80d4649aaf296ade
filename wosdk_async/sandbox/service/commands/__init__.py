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
from wosdk_async.sandbox.service.commands.registry import find, modelled, run
from wosdk_async.sandbox.service.commands.unmodelled import NOT_MODELLED

__all__ = [
    "NOT_MODELLED",
    "copying",
    "creation",
    "employees",
    "files",
    "find",
    "generic",
    "invoices",
    "look_ups",
    "modelled",
    "money",
    "plans",
    "provider_network",
    "routines",
    "run",
    "spaces",
    "time_cards",
    "verification",
    "work_zones",
    "workflow",
]
