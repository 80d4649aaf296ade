"""The commands that the local service models, each a small function in one registry.

A command is written as ``@command("Name")`` above a function from `Desk` and arguments to the
members of ``CommandResult``. Importing this package fills the registry.
"""

from __future__ import annotations

from . import creation, files, generic, money, sending, spaces, verification, workflow
from .registry import find, run

__all__ = [
    "creation",
    "files",
    "find",
    "generic",
    "money",
    "run",
    "sending",
    "spaces",
    "verification",
    "workflow",
]
