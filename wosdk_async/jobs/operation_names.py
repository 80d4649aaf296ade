"""Names of operations: read from a map or the command line, and written into journals.

::

    WoCreateCommand
    create Customer
    update Customer by tenant_code
    delete Customer by id
"""

from __future__ import annotations

import re
from typing import Any

from wosdk_async.errors import WosdkError
from wosdk_async.jobs.changing import DeleteRecord, UpdateRecord
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.operations import CreateRecord, RunCommand
from wosdk_async.jobs.row_operation import RowOperation
from wosdk_async.model import Record, command_class, entity_class, index
from wosdk_async.protocol.arguments import require_support
from wosdk_async.text.suggestions import suggestion

__all__ = ["operation_named"]

_OF_RECORDS = re.compile(r"(?P<verb>create|update|delete) (?P<entity>\w+)(?: by (?P<by>\w+))?")


def operation_named(text: str) -> RowOperation:
    """Return the operation with this name.

    Raises:
        ImportMapError: there is none, or the service does not support it; the message says what to write.
    """
    words = " ".join(text.split())
    if (found := _OF_RECORDS.fullmatch(words)) is not None:
        return _of_records(found["verb"], found["entity"], found["by"])
    command: Any = command_class(words)
    if command is None:
        hint = suggestion(words, index.COMMANDS) or (
            '; write a command such as "WoAssignCommand", "create Customer", "update Customer by id" '
            'or "delete Customer by id"'
        )
        raise ImportMapError(f"there is no operation {text!r}{hint}")
    return RunCommand(command)


def _of_records(verb: str, name: str, by: str | None) -> RowOperation:
    kind: Any = entity_class(name)
    if kind is None or "id" not in kind.__wire__:
        hint = suggestion(name, index.ENTITIES) or "; wosdk describe lists them"
        raise ImportMapError(f"{verb} {name}: the service has no entity {name!r}{hint}")
    try:
        require_support(kind, verb)
    except WosdkError as error:
        raise ImportMapError(error.message.removesuffix(" (check=False sends it anyway)")) from None
    if verb == "create":
        if by is not None:
            raise ImportMapError(f'create {name}: nothing is looked for by {by}; write "create {name}"')
        return CreateRecord(kind)
    made = UpdateRecord if verb == "update" else DeleteRecord
    return made(kind, _key_field(kind, by or "id", f"{verb} {name}"))


def _key_field(kind: type[Record], by: str, where: str) -> str:
    """Return the Python name of the field that identifies the records."""
    wires = {meta["name"].casefold(): name for name, meta in kind.__wire__.items()}
    name = by if by in kind.__wire__ else wires.get(by.casefold())
    if name is None:
        raise ImportMapError(f"{where}: {kind.__name__} has no field {by!r}{suggestion(by, kind.__wire__)}")
    meta = kind.__wire__[name]
    if meta["type"] not in ("string", "integer") or meta.get("many") or meta.get("secret"):
        raise ImportMapError(f"{where}: {name} is not a text or a whole number; name the field of a key")
    return name
