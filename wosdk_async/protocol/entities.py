"""Calls on entities: retrieve, create, update, delete, query (spec 4.9, facts 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError, UnsupportedError
from wosdk_async.model import EntitySpecifier, QueryExpression, Record, entity_class
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol import envelopes, wire
from wosdk_async.protocol.content import Id, content_of, content_of_dict, name_of, new_request_id, objects
from wosdk_async.protocol.validation.arguments import described, entity_name, require_id
from wosdk_async.protocol.wire import Call

__all__ = [
    "create",
    "delete",
    "put",
    "query",
    "require_support",
    "retrieve",
    "specifier_of",
    "update",
]

E = TypeVar("E", bound=Record)

_SPECIFIER = objects(envelopes.SPECIFIER, EntitySpecifier)


def retrieve(entity: type[E] | str, id: Id, properties: Iterable[str]) -> Call[Any]:
    """Read one record; property paths as in facts 3.4, none for the service's own choice."""
    name = name_of(entity)
    require_id(entity, id)
    paths = ",".join(properties)
    asked = [f"properties={quote(paths, safe='*,.')}"] if paths else []
    if isinstance(id, int):
        path = f"api/v1/base/{name}/{int(id)}"  # facts 3.1; spec 4.10 does not show the path
    else:
        path = f"api/v1/base/{name}"
        asked.insert(0, f"ID={quote(codec.dumps(dict(id)).decode(), safe='')}")
    query = f"?{'&'.join(asked)}" if asked else ""
    decode = objects(envelopes.RECORD, entity)
    if name.lower() != "assettree":  # facts 3.4: its Id repeats that of the parent
        decode = envelopes.record_with(decode, id)
    return Call(f"retrieve {name}", "GET", path + query, decode, repeat_safe=True)


def create(
    entity: Record | str, fields: Mapping[str, Any] | None = None, *, check: bool = True
) -> Call[EntitySpecifier]:
    """Create a record (spec 4.9)."""
    name = name_of(entity if isinstance(entity, str) else type(entity))
    if isinstance(entity, str):
        content = content_of_dict(entity_class(entity), fields, check)
    elif fields is not None:
        raise InvalidCallError(f"create({type(entity).__name__}(...)) takes no more fields; set them in it")
    else:
        content = content_of(entity, check=check, new=True)
    body = wire.body_of({"Entity": content})
    decode = envelopes.specifier_for(_SPECIFIER, name)
    return Call(f"create {name}", "POST", f"api/v1/base/{name}", decode, repeat_safe=False, body=body)


def update(
    entity: type[Record] | str, id: Id, properties: list[str], fields: Mapping[str, Any]
) -> Call[EntitySpecifier]:
    """Write the listed properties of a record and nothing else (spec 4.9); ``fields`` by wire name."""
    name = name_of(entity)
    key = {"Id": id} if isinstance(id, int) else dict(id)
    body = wire.body_of({"Properties": properties, "Entity": key | dict(fields)})
    decode = envelopes.specifier_for(_SPECIFIER, name, id)
    return Call(f"update {name}", "PUT", f"api/v1/base/{name}", decode, repeat_safe=False, body=body)


def put(entity: type[Record] | str, content: Any, properties: list[str]) -> Call[EntitySpecifier]:
    """PUT what the caller wrote, ``Properties`` as given (facts 3.6); in doubt it is not sent again."""
    if not isinstance(content, Record | Mapping):
        raise InvalidCallError(f"put() takes a dict with the Id and the fields, not {described(content)}")
    name = name_of(entity)
    try:
        written = codec.unstructure({"Properties": properties, "Entity": content})
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
    body = wire.body_of(written)
    id = next((value for key, value in written["Entity"].items() if key.lower() == "id"), None)  # facts 3.3
    decode = envelopes.specifier_for(_SPECIFIER, name, id)
    return Call(f"update {name}", "PUT", f"api/v1/base/{name}", decode, repeat_safe=False, body=body)


def delete(entity: type[Record] | str, id: Id, *, missing_ok: bool) -> Call[EntitySpecifier]:
    """Delete a record; only with ``missing_ok`` is it safe to repeat (facts 3.8)."""
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


def query(
    entity: type[E] | str,
    expression: Record | Mapping[str, Any],
    *,
    isolation: str | None = None,
    check: bool = False,
    numbered: bool = False,
) -> Call[list[Any]]:
    """Rows of an entity that a QueryExpression selects (facts 4), at an isolation level (facts 3.8).

    A ``numbered`` one sends a RequestId, which the response repeats (facts 4).
    """
    name = name_of(entity)
    if not isinstance(expression, QueryExpression | Mapping):
        raise InvalidCallError(
            f"query() takes a QueryExpression or a dict behind the entity, not {described(expression)}; "
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
        objects(envelopes.ROWS, entity),
        repeat_safe=True,
        body=wire.body_of(body),
        headers=(("DataRetrievalIsolationLevel", isolation),) if isolation else (),
        request_id=request_id,
    )


def specifier_of(result: Mapping[str, Any]) -> EntitySpecifier:
    """The record that a generic command was about."""
    return codec.structure(result.get("EntitySpecifier") or {}, EntitySpecifier)


def require_support(entity: type[Record] | str, operation: str) -> None:
    """Raise UnsupportedError, with what to do instead, for what the service is documented to refuse."""
    name = entity_name(entity)
    instead = UNSUPPORTED.get(name, {}).get(operation)
    if instead is not None:
        remedy = f"; {instead}" if instead else ""
        raise UnsupportedError(
            f"{operation} is not supported by {name}{remedy} (check=False sends it anyway)",
            code="ERROR_CODE_1000",
        )
