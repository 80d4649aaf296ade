"""Calls of commands (spec 4.2)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, command_class, registry
from wosdk_async.protocol import envelopes
from wosdk_async.protocol.content import (
    content_of,
    content_of_dict,
    new_request_id,
    objects,
    segment,
    warn_of_typo,
)
from wosdk_async.protocol.validation.arguments import require_command
from wosdk_async.protocol.wire import COMMANDS, Call, body_of
from wosdk_async.protocol.wire_compat import agreement

__all__ = ["command"]


def command(
    cmd: Command[Any] | str, fields: Mapping[str, Any] | None = None, check: bool = True
) -> Call[Any]:
    """Run a command (spec 4.2) under a new RequestId, which stays the same over all attempts."""
    if isinstance(cmd, str):
        kind = _Kind(cmd, COMMANDS + segment(cmd), _PLAIN)
        warn_of_typo("command", cmd)
        content = content_of_dict(command_class(cmd), fields, check)
    else:
        require_command(cmd)
        if fields is not None:
            raise InvalidCallError(f"run({type(cmd).__name__}(...)) takes no more fields; set them in it")
        cls: Any = cmd.__class__
        kind = _kind(cls)
        content = content_of(cmd, check)
        if kind.agree is not None:
            kind.agree(content)
    body: dict[str, Any] = {"Command": content}
    request_id = None
    if not kind.to_locator:  # spec 4.2: on each command except discovery
        body["RequestId"] = request_id = new_request_id()
    return Call(
        kind.name,
        "POST",
        kind.path,
        kind.decode,
        kind.repeat_safe,
        body_of(body),
        (),
        request_id,
        kind.to_locator,
        kind.other_paths,
    )


@attrs.frozen
class _Kind:
    """What is the same for all calls of a command."""

    name: str
    path: str
    decode: Any
    repeat_safe: bool = False
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    agree: Any = None


_PLAIN = objects(envelopes.RESULT, None)


@functools.cache
def _kind(cls: Any) -> _Kind:
    if not cls.path:
        raise InvalidCallError(f"{cls.__name__} is what commands share; run one of them")
    return _Kind(
        cls.wire_name,
        COMMANDS + cls.path,
        objects(envelopes.RESULT, registry.resolve(cls.result_name)),
        cls.repeat == "safe",
        cls.host == "locator",
        tuple(COMMANDS + path for path in cls.other_paths),
        agreement(cls.wire_name),
    )
