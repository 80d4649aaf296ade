"""Which operation of the service a request is, by method and path."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

from wosdk_async.catalogue import load

__all__ = ["DISCOVERY", "RequestPath", "asked_for", "is_command", "names_of", "spelled"]

DISCOVERY = "GetCompanyWsdkUrlCommand"
_BASE = {"GET": "retrieve", "POST": "create", "PUT": "update", "DELETE": "delete"}


class RequestPath(NamedTuple):
    """An operation (``retrieve``, ``create``, ``update``, ``delete``, ``query``, ``command``) and what it
    is asked of: an entity or a command.
    """

    operation: str
    name: str


def asked_for(method: str, path: str) -> RequestPath | None:
    """What a request to a Company's host asks for; None when that is no operation. Letter case does not
    matter, nor do doubled slashes.
    """
    # facts 3.3; facts 3.1
    parts = [part for part in path.split("/") if part]
    if [part.lower() for part in parts[:2]] != ["api", "v1"] or len(parts) < 4:
        return None
    family, rest = parts[2].lower(), parts[3:]
    if family == "base" and len(rest) <= 2 and method in _BASE:
        return RequestPath(_BASE[method], spelled(rest[0]))
    if family == "query" and len(rest) == 1 and method == "POST":
        return RequestPath("query", spelled(rest[0]))
    if family == "cmd" and method == "POST":
        return RequestPath("command", spelled("/".join(rest)))
    return None


def spelled(name: str) -> str:
    """The catalogue's own spelling of an entity or of a command's path; others stay as they are."""
    entity = load().entity(name)
    return entity.name if entity is not None else _commands().get(name.lower(), name)


def is_command(name: str) -> bool:
    """Whether something called so is a command: of those that the catalogue does not know the end tells."""
    return name in load().commands or name.endswith(("Command", "Routine"))


def names_of(asked: RequestPath) -> list[str]:
    """All names that paths call this entity or command by."""
    command = load().commands.get(asked.name)
    if asked.operation == "command" and command is not None:
        return [asked.name, command.path, *command.other_paths]
    return [asked.name, *(alias for alias, name in load().aliases.items() if name == asked.name)]


@functools.cache
def _commands() -> Mapping[str, str]:
    return {
        path.lower(): name
        for name, command in load().commands.items()
        for path in (name, command.path, *command.other_paths)
    }
