"""Calls of commands (spec 4.2)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, TypeVar

import attrs

from wosdk_async import envelope, wire
from wosdk_async.agreement import agreed
from wosdk_async.calls.parts import content_of, content_of_dict, objects, segment
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, CommandResult, command_class
from wosdk_async.wire import Call

__all__ = ["command", "command_by_every_path"]

R = TypeVar("R", bound=CommandResult)


def command(
    cmd: Command[R] | str, fields: Mapping[str, Any] | None = None, *, check: bool = True
) -> Call[Any]:
    """Run a command (spec 4.2) under a new RequestId, which stays the same over all attempts."""
    result: type[CommandResult] | None = None
    content: Mapping[str, Any]
    if isinstance(cmd, str):
        name, path = cmd, segment(cmd)
        content = content_of_dict(command_class(cmd), fields, check)
        safe = to_locator = False
    elif not cmd.path:
        raise InvalidCallError(f"{type(cmd).__name__} is what commands share; run one of them")
    else:
        name, path = cmd.wire_name, cmd.path
        content = agreed(cmd.wire_name, content_of(cmd, check=check))
        safe, to_locator, result = cmd.repeat == "safe", cmd.host == "locator", cmd.result_class()
    request_id = None if to_locator else uuid.uuid4().hex  # spec 4.2: on each command except discovery
    return Call(
        name,
        "POST",
        f"api/v1/cmd/{path}",
        objects(envelope.RESULT, result),
        repeat_safe=safe,
        body=wire.body_of(Command=content, RequestId=request_id),
        request_id=request_id,
        to_locator=to_locator,
    )


def command_by_every_path(
    cmd: Command[R] | str, fields: Mapping[str, Any] | None = None, *, check: bool = True
) -> list[Call[Any]]:
    """The call of a command by each path that sources show for it (facts 12 row 4), under one RequestId."""
    call = command(cmd, fields, check=check)
    others = () if isinstance(cmd, str) else cmd.other_paths
    return [call, *(attrs.evolve(call, path=f"api/v1/cmd/{path}") for path in others)]
