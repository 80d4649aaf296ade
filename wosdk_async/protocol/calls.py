"""From a verb to a :class:`~wosdk_async.protocol.wire.Call`: paths, bodies and how the answer is read.

Each function takes an entity or command as a class of the model or, for what the catalogue does not know,
as its name with plain dicts.
"""

from __future__ import annotations

from wosdk_async.protocol.commands import command
from wosdk_async.protocol.content import Id, post
from wosdk_async.protocol.entities import (
    create,
    delete,
    put,
    query,
    require_support,
    retrieve,
    specifier_of,
    update,
)
from wosdk_async.protocol.updates import change, change_to, require_unchanged, version, versioned
from wosdk_async.protocol.validation.arguments import require_command

__all__ = [
    "Id",
    "change",
    "change_to",
    "command",
    "create",
    "delete",
    "post",
    "put",
    "query",
    "require_command",
    "require_support",
    "require_unchanged",
    "retrieve",
    "specifier_of",
    "update",
    "version",
    "versioned",
]
