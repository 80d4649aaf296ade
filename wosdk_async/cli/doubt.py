"""What to look at when nobody knows whether a command was carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wosdk_async.model import command_class

__all__ = ["what_to_look_at"]


def what_to_look_at(command: str, fields: Mapping[str, Any]) -> str:
    """The ``wosdk`` command that shows the effect, if there was one."""
    before = "before you run it again: "
    if isinstance(id := fields.get("WorkOrderId"), int | str) and id:
        return f"Look {before}wosdk get WorkOrder {id} -p '*' -p 'ActionLogRecords.*'"
    if (made := _made(command)) is not None:
        return f"Look {before}wosdk query {made} --order 'Id desc' --limit 5"
    return "Look at what it would have changed before you run it again"


def _made(command: str) -> str | None:
    """The entity that the command's result refers to."""
    cls = command_class(command)
    result = cls.result_class() if cls is not None else None
    refers = (meta for meta in result.__wire__.values() if meta["type"] == "ref") if result else iter(())
    first = next(refers, None)
    return None if first is None else str(first["of"])
