"""Calls of commands (spec 4.2)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from wosdk_async import envelope, wire
from wosdk_async.agreement import agreed
from wosdk_async.calls.parts import content_of, content_of_dict, objects, segment
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, CommandResult, _registry, command_class
from wosdk_async.wire import Call

__all__ = ["command", "paths_of"]

R = TypeVar("R", bound=CommandResult)


def command(
    cmd: Command[R] | str, fields: Mapping[str, Any] | None = None, *, check: bool = True
) -> Call[Any]:
    """Run a command (spec 4.2) under a new RequestId, which stays the same over all attempts."""
    content: Mapping[str, Any]
    if isinstance(cmd, str):
        name, path, decode = cmd, segment(cmd), _PLAIN
        content = content_of_dict(command_class(cmd), fields, check)
        safe = to_locator = False
    elif not cmd.path:
        raise InvalidCallError(f"{type(cmd).__name__} is what commands share; run one of them")
    else:
        name, path = cmd.wire_name, cmd.path
        content = agreed(cmd.wire_name, content_of(cmd, check=check))
        safe, to_locator, decode = cmd.repeat == "safe", cmd.host == "locator", _reader(cmd.result_name)
    body: dict[str, Any] = {"Command": content}
    request_id = None
    if not to_locator:  # spec 4.2: on each command except discovery
        body["RequestId"] = request_id = os.urandom(16).hex()
    return Call(
        name,
        "POST",
        _BELOW + path,
        decode,
        repeat_safe=safe,
        body=wire.body_of(body),
        request_id=request_id,
        to_locator=to_locator,
    )


def paths_of(cmd: Command[Any] | str) -> list[str]:
    """Every path that sources show for a command (facts 12 row 4), the documented one first."""
    known = () if isinstance(cmd, str) else (cmd.path, *cmd.other_paths)
    return [f"{_BELOW}{path}" for path in known]


_BELOW = "api/v1/cmd/"
_PLAIN = objects(envelope.RESULT, None)


@functools.cache
def _reader(result: str) -> Callable[[bytes], Any]:
    return objects(envelope.RESULT, _registry.resolve(result))
