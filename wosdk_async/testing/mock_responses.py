"""Bodies of mocked responses: values in the envelope of an operation, or examples from the catalogue."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from wosdk_async import codec
from wosdk_async.catalogue import Command, Entity, Field, load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record
from wosdk_async.testing.operations import ServiceOperation, require_result

__all__ = ["envelope", "example", "wants_next_page"]

_MONEY = {"CurrencyTypeId": 840, "Value": 100.0}
_VALUES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": False,
    "datetime-local": "2025-03-03T09:00:00",
    "datetime-utc": "2025-03-03T15:00:00Z",
    "money": _MONEY,
    "ref": {"Id": 1},
}


def envelope(operation: ServiceOperation, value: Any) -> dict[str, Any]:
    """Return the body of a response whose result is ``value``.

    Raises:
        InvalidCallError: the operation cannot have this result.
    """
    if operation.kind == "query":
        if isinstance(value, Record | Mapping | str) or not hasattr(value, "__iter__"):
            raise InvalidCallError(
                f"query {operation.name} returns a list of records, not {value!r}; pass [...]"
            )
        value = list(value)
        require_result(operation, value)
        return {"Entities": [{"Data": _plain(operation, record)} for record in value]}
    require_result(operation, value)
    if operation.kind == "command":
        return {"CommandResult": _plain(operation, value)}
    if operation.kind == "retrieve":
        return {"Data": _plain(operation, value)}
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"EntityType": operation.name, "Id": value}
    return {"EntitySpecifier": _plain(operation, value)}


def example(operation: ServiceOperation, path: str, query: str, body: bytes) -> dict[str, Any] | None:
    """Return an example of a response, or None if the catalogue does not know the operation.

    Args:
        operation: of the request.
        path: of the request; with ``query`` and ``body`` it names the Id of the example.
        query: of the request.
        body: of the request.
    """
    if operation.kind == "command":
        command = load().commands.get(operation.name)
        return envelope(operation, _result(command)) if command is not None else None
    entity = load().entities.get(operation.name)
    if entity is None:
        return None
    if operation.kind == "query":
        page = envelope(operation, [_record(entity)])
        return envelope(operation, []) if wants_next_page(page, body) else page
    id = _id(operation.kind, path, query, body)
    return envelope(operation, _record(entity, id) if operation.kind == "retrieve" else id)


def wants_next_page(page: Mapping[str, Any], body: bytes) -> bool:
    """Return whether a query asks for the records after a page: a client does until a page is empty."""
    records = page.get("Entities")
    if not records:
        return False
    expression = json.loads(body).get("QueryExpression") or {}
    if expression.get("FirstResultIndex"):
        return True
    conditions = (expression.get("Criteria") or {}).get("Conditions") or []
    return any(
        condition.get("PropertyName") == "Id"
        and condition.get("Operator") in ("GreaterThan", "LessThan")
        and condition.get("Values") == [str(records[-1]["Data"].get("Id"))]
        for condition in conditions
    )


def _plain(operation: ServiceOperation, value: Any) -> Any:
    if isinstance(value, Record):
        return codec.unstructure(value)
    if isinstance(value, Mapping):
        return dict(value)
    expected = "an id" if operation.kind in ("create", "update", "delete") else "a record or a dict"
    own = "; a response of your own goes to .route" if hasattr(value, "status_code") else ""
    raise InvalidCallError(f"{operation.kind} {operation.name} returns {expected}, not {value!r}{own}")


def _id(kind: str, path: str, query: str, body: bytes) -> int:
    """Return the id in a request; 1 for a new record and for other keys."""
    if kind == "update":
        id = (json.loads(body).get("Entity") or {}).get("Id")
        return id if isinstance(id, int) else 1
    parameters = {name.lower(): values[0] for name, values in parse_qs(query).items()}
    found = re.fullmatch(r".*/(\d+)", path) or re.fullmatch(r"(\d+)", parameters.get("id", ""))
    return int(found[1]) if found and kind != "create" else 1


def _record(entity: Entity, id: int = 1) -> dict[str, Any]:
    """Return a record as a default read has it: scalars, references with their ``Id`` only, no lists."""
    # facts 3.4
    return {field.name: _value(field) for field in entity.fields if not field.is_list} | {"Id": id}


def _result(command: Command) -> dict[str, Any]:
    """Return the result of a command that succeeded: references are whole records, lists have one element."""
    fields = (field for field in command.response if field.of != "ErrorInfo")  # only in results of failures
    return {field.name: [_opened(field)] if field.is_list else _opened(field) for field in fields}


def _opened(field: Field) -> Any:
    entity = load().entities.get(field.of or "")
    return _record(entity) if field.kind in ("ref", "object") and entity is not None else _value(field)


def _value(field: Field) -> Any:
    if field.kind == "string":
        return field.name[: field.max_length]
    if field.kind == "enum":
        enum = load().enums.get(field.of or "")
        return enum.values[0].name if enum and enum.values else field.name
    return _VALUES.get(field.kind, {})
