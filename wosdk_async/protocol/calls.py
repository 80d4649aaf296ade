"""Calls of all verbs: commands (spec 4.2), records (spec 4.9, facts 3), queries (facts 4), any other path.

Each function takes an entity or command as a class of the model or, for one that the catalogue does not know,
as its name with plain dicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import (
    Command,
    EntitySpecifier,
    QueryExpression,
    Record,
    command_class,
    entity_class,
    registry,
)
from wosdk_async.protocol import envelopes
from wosdk_async.protocol.arguments import described, require_command, require_id
from wosdk_async.protocol.content import (
    ADAPTERS,
    body_of,
    content_of,
    content_of_dict,
    name_of,
    new_request_id,
    segment,
    warn_of_typo,
)
from wosdk_async.protocol.validation import computed_names
from wosdk_async.protocol.wire import COMMANDS, Call
from wosdk_async.text.remedies import Remedy

__all__ = [
    "Id",
    "command",
    "create",
    "delete",
    "post",
    "put",
    "query",
    "retrieve",
    "specifier_of",
    "update",
]

E = TypeVar("E", bound=Record)

Id = int | Mapping[str, int]
"""A record's id, or the identifier fields of an entity with a compound key (facts 3.1)."""


# --- commands -------------------------------------------------------------------------------


def command(
    cmd: Command[Any] | str,
    fields: Mapping[str, Any] | None = None,
    check: bool = True,
    origin: str | None = None,
) -> Call[Any]:
    """Return the call that runs a command at ``origin``, with a new RequestId that all its attempts share."""
    if isinstance(cmd, str):
        kind = _Kind(cmd, COMMANDS + segment(cmd), _PLAIN)
        warn_of_typo("command", cmd)
        content = content_of_dict(command_class(cmd), fields, check)
    else:
        kind = _kinds.get(cmd.__class__) or _kind_of(cmd)
        if fields is not None:
            raise InvalidCallError(f"run({type(cmd).__name__}(...)) takes no more fields; set them in it")
        content = content_of(cmd, check, origin=origin)
        if kind.adapt is not None:
            kind.adapt(content)
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
    """Parts that all calls of a command share."""

    name: str
    path: str
    decode: Any
    repeat_safe: bool = False
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    adapt: Any = None


_PLAIN = envelopes.objects(envelopes.RESULT, None)


_kinds: dict[type[Any], _Kind] = {}


def _kind_of(cmd: Command[Any]) -> _Kind:
    """Return the parts of a command that is run for the first time. Raises InvalidCallError."""
    require_command(cmd)
    cls = type(cmd)
    if not cls.path:
        raise InvalidCallError(f"{cls.__name__} is a base class of commands; run one of them")
    _kinds[cls] = _Kind(
        cls.wire_name,
        COMMANDS + cls.path,
        envelopes.objects(envelopes.RESULT, registry.resolve(cls.result_name)),
        cls.repeat == "safe",
        cls.host == "locator",
        tuple(COMMANDS + path for path in cls.other_paths),
        ADAPTERS.get(cls.wire_name),
    )
    return _kinds[cls]


def specifier_of(result: Mapping[str, Any]) -> EntitySpecifier:
    """Return the record that a generic command was about."""
    return codec.structure(result.get("EntitySpecifier") or {}, EntitySpecifier)


# --- records --------------------------------------------------------------------------------

_SPECIFIER = envelopes.objects(envelopes.SPECIFIER, EntitySpecifier)


def retrieve(entity: type[E] | str, id: Id, properties: Iterable[str]) -> Call[Any]:
    """Return the call that reads one record; without property paths the service chooses (facts 3.4)."""
    name = name_of(entity)
    require_id(entity, id)
    paths = ",".join(properties)
    arguments = [f"properties={quote(paths, safe='*,.')}"] if paths else []
    if isinstance(id, int):
        path = f"api/v1/base/{name}/{int(id)}"  # facts 3.1; spec 4.10 does not show the path
    else:
        path = f"api/v1/base/{name}"
        arguments.insert(0, f"ID={quote(codec.dumps(dict(id)).decode(), safe='')}")
    query = f"?{'&'.join(arguments)}" if arguments else ""
    decode = envelopes.objects(envelopes.RECORD, entity)
    if name.lower() != "assettree":  # facts 3.4: its Id repeats that of the parent
        decode = envelopes.record_with(decode, id)
    return Call(f"retrieve {name}", "GET", path + query, decode, repeat_safe=True)


def create(
    entity: Record | str,
    fields: Mapping[str, Any] | None = None,
    *,
    check: bool = True,
    origin: str | None = None,
) -> Call[EntitySpecifier]:
    """Return the call that creates a record (spec 4.9) at ``origin``."""
    name = name_of(entity if isinstance(entity, str) else type(entity))
    if isinstance(entity, str):
        content = content_of_dict(entity_class(entity), fields, check, new=True)
    elif fields is not None:
        raise InvalidCallError(f"create({type(entity).__name__}(...)) takes no more fields; set them in it")
    else:
        content = content_of(entity, check=check, new=True, origin=origin)
    return _write("create", "POST", name, {"Entity": content})


def update(
    entity: type[Record] | str, id: Id, properties: list[str], fields: Mapping[str, Any]
) -> Call[EntitySpecifier]:
    """Return the call that writes the listed properties of a record (spec 4.9); ``fields`` by wire name."""
    key = {"Id": id} if isinstance(id, int) else dict(id)
    content = {"Properties": properties, "Entity": key | dict(fields)}
    return _write("update", "PUT", name_of(entity), content, id)


def put(entity: type[Record] | str, content: Any, properties: list[str]) -> Call[EntitySpecifier]:
    """Return the call that writes what the caller wrote, with ``Properties`` as given (facts 3.6)."""
    if not isinstance(content, Record | Mapping):
        raise InvalidCallError(f"put() takes a dict with the Id and the fields, not {described(content)}")
    name = name_of(entity)
    try:
        written = codec.unstructure({"Properties": properties, "Entity": content})
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    id = next((value for key, value in written["Entity"].items() if key.lower() == "id"), None)  # facts 3.3
    return _write("update", "PUT", name, written, id)


_GIVEN = computed_names("WorkOrder")


def _write(
    verb: str, method: str, name: str, content: Mapping[str, Any], id: object = None
) -> Call[EntitySpecifier]:
    """Return the call of a write, which is never safe to repeat."""
    decode = envelopes.specifier_for(_SPECIFIER, name, id)
    path = f"api/v1/base/{name}"
    remedy = None
    if verb == "update" and name == "WorkOrder":
        given = _GIVEN.intersection(content["Properties"])
        # facts 10 row 4: an update that changes StatusId fails; of the others not shown; assumed
        remedy = Remedy.MOVED_BY_COMMANDS if "StatusId" in given else Remedy.GIVEN if given else None
    return Call(
        f"{verb} {name}",
        method,
        path,
        decode,
        repeat_safe=False,
        body=body_of(content),
        remedy=remedy,
    )


def delete(entity: type[Record] | str, id: Id, *, missing_ok: bool) -> Call[EntitySpecifier]:
    """Return the call that deletes a record; only with ``missing_ok`` is it safe to repeat (facts 3.8)."""
    name = name_of(entity)
    require_id(entity, id)
    text = str(int(id)) if isinstance(id, int) else codec.dumps(dict(id)).decode()
    return Call(
        f"delete {name}",
        "DELETE",
        f"api/v1/base/{name}?ID={quote(text, safe='')}",  # spec 4.9
        envelopes.specifier_for(_SPECIFIER, name, id),
        repeat_safe=missing_ok,
        headers=(("IgnoreMissingEntityOnDelete", "true"),) if missing_ok else (),
    )


# --- queries, and any other path ------------------------------------------------------------


def query(
    entity: type[E] | str,
    expression: Record | Mapping[str, Any],
    *,
    isolation: str | None = None,
    check: bool = False,
    numbered: bool = False,
) -> Call[list[Any]]:
    """Return the call that reads the records of a QueryExpression, at an isolation level (facts 3.8).

    A ``numbered`` one sends a RequestId, which the response repeats (facts 4).
    """
    name = name_of(entity)
    if not isinstance(expression, QueryExpression | Mapping):
        raise InvalidCallError(
            f"query() takes a QueryExpression or a dict after the entity, not {described(expression)}; "
            f"conditions go into query({name}).where(...)"
        )
    if isinstance(expression, Record):
        content: Mapping[str, Any] = content_of(expression, check=check)
    else:
        content = content_of_dict(QueryExpression if check else None, expression, check)
    body: dict[str, Any] = {"QueryExpression": content}
    request_id = None
    if numbered:
        body["RequestId"] = request_id = new_request_id()
    return Call(
        f"query {name}",
        "POST",
        f"api/v1/query/{name}",
        envelopes.objects(envelopes.ROWS, entity),
        repeat_safe=True,
        body=body_of(body),
        headers=(("DataRetrievalIsolationLevel", isolation),) if isolation else (),
        request_id=request_id,
    )


def post(path: str, body: Any, *, repeat_safe: bool) -> Call[Any]:
    """Return the call that posts JSON to a path below ``api/v1/``; its result is the JSON as it came."""
    if not isinstance(path, str):
        raise InvalidCallError(f"post() takes a path below api/v1/ such as 'cmd/X', not {described(path)}")
    if path.startswith(("/", "api/")):
        below = path.lstrip("/").removeprefix("api/v1/")
        raise InvalidCallError(
            f"{path!r:.80} does not start below api/v1/; post() takes what follows it, without a leading"
            f" slash: {below!r:.80}"
        )
    try:
        content = codec.dumps(codec.unstructure(body))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    return Call(f"POST {path}", "POST", f"api/v1/{segment(path)}", codec.loads, repeat_safe, body=content)
