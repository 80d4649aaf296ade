"""From a verb to a :class:`~wosdk_async.wire.Call`: paths, bodies and how the answer is read.

Each function takes an entity or command as a class of the model or, for what the catalogue does not know,
as its name with plain dicts.
"""

from __future__ import annotations

import copy
import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import attrs

from wosdk_async import check, codec, envelope, wire
from wosdk_async.agreement import agreed
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.model import Command, CommandResult, EntitySpecifier, Record
from wosdk_async.model._index import UNSUPPORTED
from wosdk_async.wire import Call

__all__ = [
    "Id",
    "change",
    "changed",
    "command_by_every_path",
    "create",
    "delete",
    "query",
    "retrieve",
    "update",
]

_log = logging.getLogger("wosdk_async")

E = TypeVar("E", bound=Record)
R = TypeVar("R", bound=CommandResult)

Id = int | Mapping[str, int]
"""A record's id, or the identifier fields of an entity with a compound key (facts 3.1)."""


def retrieve(entity: type[E] | str, id: Id, properties: Iterable[str]) -> Call[Any]:
    """Read one record; property paths as in facts 3.4, none for the service's own choice."""
    name = _name(entity)
    paths = ",".join(properties)
    asked = [f"properties={quote(paths, safe='*,.')}"] if paths else []
    if isinstance(id, int):
        path = f"api/v1/base/{name}/{id}"  # facts 3.1; spec 4.10 does not show the path
    else:
        path = f"api/v1/base/{name}"
        asked.insert(0, f"ID={quote(codec.dumps(dict(id)).decode(), safe='')}")
    query = f"?{'&'.join(asked)}" if asked else ""
    return Call(
        f"retrieve {name}",
        "GET",
        path + query,
        _objects(envelope.RECORD, entity),
        repeat_safe=True,
    )


def create(entity: Record | str, fields: Mapping[str, Any] | None = None) -> Call[EntitySpecifier]:
    """Create a record (spec 4.9)."""
    name = _name(entity if isinstance(entity, str) else type(entity))
    content = fields or {} if isinstance(entity, str) else _content(entity)
    return _change(f"create {name}", "POST", f"api/v1/base/{name}", wire.body_of(Entity=content))


def update(
    entity: type[Record] | str, id: Id, properties: list[str], fields: Mapping[str, Any]
) -> Call[EntitySpecifier]:
    """Write the listed properties of a record and nothing else (spec 4.9); ``fields`` by wire name."""
    name = _name(entity)
    key = {"Id": id} if isinstance(id, int) else dict(id)
    body = wire.body_of(Properties=properties, Entity=key | dict(fields))
    return _change(f"update {name}", "PUT", f"api/v1/base/{name}", body)


def change(record: Record, changes: Mapping[str, Any]) -> Call[EntitySpecifier]:
    """Write the fields of ``record`` that ``changes`` names as in Python; None sends null.

    Raises InvalidCallError for a field that the class does not have, a record without an id, or an empty
    list, which the service answers with success and ignores (spec 4.9 rule 3).
    """
    entity = type(record)
    id = getattr(record, "id", None)
    if not isinstance(id, int):
        raise InvalidCallError(f"the {entity.__name__} has no id; read it first, or give it one")
    content = _content(_with(entity(), changes))
    sent = {}
    for name, value in changes.items():
        wire_name = entity.__wire__[name]["name"]
        sent[_property(name, entity.__wire__[name], value)] = (wire_name, content.get(wire_name))
    return update(entity, id, list(sent), dict(sent.values()))


def changed(record: E, changes: Mapping[str, Any], made: EntitySpecifier) -> E:
    """A copy of ``record`` as it stands after ``changes`` were written."""
    version = {"concurrency_id": made.concurrency_id} if made.concurrency_id is not None else {}
    return _with(copy.copy(record), {**changes, **version})


def delete(entity: type[Record] | str, id: Id, *, missing_ok: bool) -> Call[EntitySpecifier]:
    """Delete a record; only with ``missing_ok`` is it safe to repeat (facts 3.8)."""
    name = _name(entity)
    text = str(id) if isinstance(id, int) else codec.dumps(dict(id)).decode()
    return Call(
        f"delete {name}",
        "DELETE",
        f"api/v1/base/{name}?ID={quote(text, safe='')}",  # spec 4.9
        _SPECIFIER,
        repeat_safe=missing_ok,
        headers=(("IgnoreMissingEntityOnDelete", "true"),) if missing_ok else (),
    )


def query(
    entity: type[E] | str, expression: Record | Mapping[str, Any], *, isolation: str | None = None
) -> Call[list[Any]]:
    """Rows of an entity that a QueryExpression selects (facts 4), at an isolation level (facts 3.8)."""
    name = _name(entity)
    content = _content(expression) if isinstance(expression, Record) else expression
    return Call(
        f"query {name}",
        "POST",
        f"api/v1/query/{name}",
        _objects(envelope.ROWS, entity),
        repeat_safe=True,
        body=wire.body_of(QueryExpression=content),
        headers=(("DataRetrievalIsolationLevel", isolation),) if isolation else (),
    )


def command(cmd: Command[R] | str, fields: Mapping[str, Any] | None = None) -> Call[Any]:
    """Run a command (spec 4.2) under a new RequestId, which stays the same over all attempts."""
    result: type[CommandResult] | None = None
    if isinstance(cmd, str):
        name, path, content = cmd, _segment(cmd), fields or {}
        safe = to_locator = False
    elif not cmd.path:
        raise InvalidCallError(f"{type(cmd).__name__} is what commands share; run one of them")
    else:
        name, path, content = cmd.wire_name, cmd.path, agreed(cmd.wire_name, _content(cmd))
        safe, to_locator, result = cmd.repeat == "safe", cmd.host == "locator", cmd.result_class()
    request_id = None if to_locator else uuid.uuid4().hex  # spec 4.2: on each command except discovery
    return Call(
        name,
        "POST",
        f"api/v1/cmd/{path}",
        _objects(envelope.RESULT, result),
        repeat_safe=safe,
        body=wire.body_of(Command=content, RequestId=request_id),
        request_id=request_id,
        to_locator=to_locator,
    )


def command_by_every_path(cmd: Command[R] | str, fields: Mapping[str, Any] | None = None) -> list[Call[Any]]:
    """The call of a command by each path that sources show for it (facts 12 row 4), under one RequestId."""
    call = command(cmd, fields)
    others = () if isinstance(cmd, str) else cmd.other_paths
    return [call, *(attrs.evolve(call, path=f"api/v1/cmd/{path}") for path in others)]


def specifier_of(result: Mapping[str, Any]) -> EntitySpecifier:
    """The record that a generic command was about."""
    return codec.structure(result.get("EntitySpecifier") or {}, EntitySpecifier)


# --- what is not offered ---


def require_support(entity: type[Record] | str, operation: str) -> None:
    """Raise UnsupportedError, with what to do instead, for what the service is documented to refuse."""
    name = entity if isinstance(entity, str) else entity.wire_name
    instead = UNSUPPORTED.get(name, {}).get(operation)
    if instead is not None:
        remedy = f"; {instead}" if instead else ""
        raise UnsupportedError(
            f"{operation} is not supported by {name}{remedy} (check=False sends it anyway)",
            code="ERROR_CODE_1000",
        )


# --- parts ----------------------------------------------------------------------------------


def _name(entity: type[Record] | str) -> str:
    return _segment(entity if isinstance(entity, str) else entity.wire_name)


def _segment(name: str) -> str:
    """``name`` as a path, the form ``WorkOrder/Create`` included (facts 5)."""
    if not name or not all(part.isidentifier() for part in name.split("/")):
        raise InvalidCallError(f"{name!r} is no name of an entity or command")
    return quote(name)


def _with(record: E, changes: Mapping[str, Any]) -> E:
    for name, value in changes.items():
        if name not in record.__wire__:
            raise InvalidCallError(f"{type(record).__name__} has no field {name!r}")
        setattr(record, name, value)
    return record


def _property(name: str, field: Mapping[str, Any], value: Any) -> str:
    """The entry of ``Properties`` that makes the service write a field (facts 3.6)."""
    wire_name: str = field["name"]
    if field.get("many"):
        if value is not None and not value:
            raise InvalidCallError(
                f"{name}: the service ignores an empty list; send the elements to remove, each with its id "
                "and perform_deletion=True"
            )
        return f"{wire_name}.*"
    if field["type"] == "ref":
        only_id = value is None or not any(
            getattr(value, other, None) for other in getattr(value, "__wire__", ()) if other != "id"
        )
        return f"{wire_name}.Id" if only_id else f"{wire_name}.*"  # not shown; assumed after facts 3.4
    return wire_name


def _content(record: Record) -> dict[str, Any]:
    """The JSON object of ``record``. Raises InvalidCallError that names each fault and its remedy."""
    found = check.problems(record)
    if faults := [str(problem) for problem in found if problem.severity == "error"]:
        raise InvalidCallError(f"{type(record).__name__}: {' '.join(faults)}")
    for problem in found:
        _log.warning("%s: %s", type(record).__name__, problem)
    content: dict[str, Any] = codec.unstructure(record)
    return content


def _objects(form: codec.Form, kind: type[Record] | str | None) -> Callable[[bytes], Any]:
    cls = None if isinstance(kind, str) else kind
    return lambda body: envelope.objects(body, form, cls)


_SPECIFIER = _objects(envelope.SPECIFIER, EntitySpecifier)


def _change(operation: str, method: str, path: str, body: bytes) -> Call[EntitySpecifier]:
    return Call(operation, method, path, _SPECIFIER, repeat_safe=False, body=body)
