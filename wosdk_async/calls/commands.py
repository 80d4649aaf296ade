"""Calls of commands (spec 4.2)."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import attrs

from wosdk_async import envelope, wire
from wosdk_async.agreement import agreed
from wosdk_async.calls.parts import content_of, content_of_dict, objects, segment
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, CommandResult, _registry, command_class
from wosdk_async.wire import Call

__all__ = ["by_other_paths", "command"]

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
    request_id = None if to_locator else os.urandom(16).hex()  # spec 4.2: on each command except discovery
    return Call(
        name,
        "POST",
        f"api/v1/cmd/{path}",
        decode,
        repeat_safe=safe,
        body=wire.body_of(Command=content, RequestId=request_id),
        request_id=request_id,
        to_locator=to_locator,
    )


def by_other_paths(call: Call[R], cmd: Command[Any] | str) -> list[Call[R]]:
    """``call`` by each other path that sources show for its command (facts 12 row 4), under one RequestId."""
    others = () if isinstance(cmd, str) else cmd.other_paths
    return [attrs.evolve(call, path=f"api/v1/cmd/{path}") for path in others]


_PLAIN = objects(envelope.RESULT, None)


@functools.cache
def _reader(result: str) -> Callable[[bytes], Any]:
    return objects(envelope.RESULT, _registry.resolve(result))
