"""What no agent may plan: to delete, to send secrets, and to go around the checks of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wosdk_async.catalogue import load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, Record
from wosdk_async.text.safe_text import is_secret_name

__all__ = ["refuse_command", "refuse_emptied_lists", "refuse_fields", "refuse_plan_ids"]

_DELETING = re.compile("delet|remov", re.IGNORECASE)  # facts 3.4: a removal is a mark, IsRemoved, too
_NO_DELETE = "nothing is deleted by an agent; a person can, with `wosdk delete`"
_PLAN_ID = re.compile(r"\s*mcp-[0-9a-f]{16}\s*", re.IGNORECASE)


def refuse_command(kind: type[Command[Any]]) -> None:
    """Raise InvalidCallError for a command that deletes, changes nothing, or carries other changes."""
    name = kind.wire_name
    if _DELETING.search(name):
        raise InvalidCallError(f"{name}: {_NO_DELETE}")
    if kind.repeat == "safe":
        raise InvalidCallError(f"{name} changes nothing, so it needs no plan")
    if carried := _carried(name):
        raise InvalidCallError(
            f"{name} carries any record or command in {carried}, which a plan could not check;"
            " use action create or update, or plan each command by itself"
        )


def _carried(command: str) -> str:
    """Return the field of a command that may hold anything: a command, or the whole of any record."""
    fields = load().commands[command].request
    return next((each.name for each in fields if each.kind == "object" and not each.of), "")


def refuse_fields(value: Any) -> None:
    """Raise InvalidCallError for fields that delete, or hold secrets: plans and conversations are kept."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if is_secret_name(str(name)):
                raise InvalidCallError(f"{str(name)!r:.60} holds a secret; set it without an agent")
            if _DELETING.search(str(name)) and item:
                raise InvalidCallError(f"{str(name)!r:.60}: {_NO_DELETE}")
            refuse_fields(item)
    elif isinstance(value, list):
        for item in value:
            refuse_fields(item)


def refuse_emptied_lists(kind: type[Record], fields: Mapping[str, Any]) -> None:
    """Raise InvalidCallError for an update that would empty a list."""
    lists = {meta["name"] for meta in kind.__wire__.values() if meta.get("many")}
    for name in lists.intersection(fields):
        if not fields[name]:
            raise InvalidCallError(f"{name}: the service ignores an empty list, and {_NO_DELETE}")


def refuse_plan_ids(value: Any, path: str = "") -> None:
    """Raise InvalidCallError for a text that is the id of a plan.

    Ids of plans are markers: a record that carries that of another plan would be taken for the other's.
    """
    if isinstance(value, str) and _PLAN_ID.fullmatch(value):
        raise InvalidCallError(f"{path}: it is the id of a plan, which only that plan may write")
    if isinstance(value, Mapping):
        for name, item in value.items():
            refuse_plan_ids(item, f"{path}.{name}"[:100] if path else str(name)[:100])
    elif isinstance(value, list):
        for item in value:
            refuse_plan_ids(item, path)
