"""Service operations by path and name, checks for mocks that would never match, and mock bodies.

Names missing from the catalogue are allowed, because a later release may add them. Unknown names that
resemble a known one are refused as misspelled.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn
from urllib.parse import parse_qs

from wosdk_async import codec
from wosdk_async.catalogue import Command as CatalogueCommand
from wosdk_async.catalogue import Entity, Field, load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Command, EntitySpecifier, Record, command_class, entity_class
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol.arguments import described
from wosdk_async.protocol.verdicts import CODES
from wosdk_async.text.suggestions import suggestion

DISCOVERY = "GetCompanyWsdkUrlCommand"
_BASE = {"GET": "retrieve", "POST": "create", "PUT": "update", "DELETE": "delete"}
_KINDS = (*_BASE.values(), "query", "command")
_TYPO = 0.85  # similarity above which an unknown name counts as a typo


class ServiceOperation(NamedTuple):
    """Operation kind (retrieve, create, update, delete, query, command), and entity or command."""

    kind: str
    name: str


def operation_at(method: str, path: str) -> ServiceOperation | None:
    """Return the operation of a request, or None for other paths.

    Paths are case-insensitive, and doubled slashes are ignored.
    """
    # facts 3.3; facts 3.1
    parts = [part for part in path.split("/") if part]
    if [part.lower() for part in parts[:2]] != ["api", "v1"] or len(parts) < 4:
        return None
    family, rest = parts[2].lower(), parts[3:]
    if family == "base" and len(rest) <= 2 and method in _BASE:
        return ServiceOperation(_BASE[method], _canonical(rest[0]))
    if family == "query" and len(rest) == 1 and method == "POST":
        return ServiceOperation("query", _canonical(rest[0]))
    if family == "cmd" and method == "POST":
        return ServiceOperation("command", _canonical("/".join(rest)))
    return None


def is_command(name: str) -> bool:
    """Return whether a name is a command; for unknown names the suffix decides."""
    return name in load().commands or name.endswith(("Command", "Routine"))


def names_of(operation: ServiceOperation) -> list[str]:
    """Return all path names of an entity or command."""
    command = load().commands.get(operation.name)
    if operation.kind == "command" and command is not None:
        return [operation.name, command.path, *command.other_paths]
    return [operation.name, *(alias for alias, name in load().aliases.items() if name == operation.name)]


def name_of(what: Any) -> str:
    """Return the name of a command or entity.

    Raises InvalidCallError if ``what`` is neither a class nor a name, or if the name seems misspelled.
    """
    if isinstance(what, Record | Command):
        _refuse(f"on() takes a class or a name, not {described(what)}; pass {type(what).__name__}")
    given = what if isinstance(what, str) else getattr(what, "wire_name", None)
    if not isinstance(given, str) or not given.strip():
        _refuse(f"on() takes a command or entity class, or a name, not {described(what)}")
    if given in _KINDS:
        _refuse(f"{given!r} is an operation; pass an entity or command first, as in on(Customer, 'query')")
    name = _canonical(given)
    known = [*load().entities, *load().aliases, *load().commands]
    if name not in known and isinstance(what, str):
        problem = f"the catalogue has no entity or command {name!r}"
        _refuse_typo(problem, name, known)
        _refuse_typo(problem, f"{name}Command", load().commands)  # a command without its suffix
    return name


def require_operation(operation: ServiceOperation, given: str | None) -> None:
    """Raise InvalidCallError if ``operation`` cannot exist. ``given`` is the kind that the caller passed."""
    kinds = ", ".join(_KINDS[:-1])
    if operation.kind not in _KINDS:
        _refuse(f"unknown operation {given!r}; use one of {kinds}")
    if operation.kind != "command" and is_command(operation.name):
        _refuse(f"{operation.name} is a command; leave out the operation {given!r}: on({operation.name})")
    if operation.kind == "command" and operation.name in load().entities:
        _refuse(f"{operation.name} is an entity, not a command; use one of {kinds}")
    refused = UNSUPPORTED.get(operation.name, {})
    if operation.kind in refused:
        accepted = ", ".join(kind for kind in _KINDS[:-1] if kind not in refused)
        instead = refused[operation.kind] and f" ({refused[operation.kind]})"
        _refuse(f"{operation.name} has no {operation.kind}{instead}; use one of {accepted}")


def require_code(code: Any) -> None:
    """Raise InvalidCallError unless ``code`` can be an error code of the service."""
    if not isinstance(code, str) or not code.strip():
        _refuse(f"refuses() takes an error code, such as 'ERROR_CODE_1019', not {described(code)}")
    if code not in CODES and not re.fullmatch(r"ERROR_CODE_\d+", code):
        _refuse_typo(f"no error has the code {code!r}", code, CODES)
    if not re.fullmatch("[A-Z0-9_]+", code):  # the list of codes is open (facts 6), their spelling is not
        raised = [rule.code for rule in CODES.values() if rule.error.__name__ == code]
        remedy = " or ".join(raised) or "one such as ERROR_CODE_1019"
        _refuse(f"{code!r} is not an error code, in capitals, digits and underscores; pass {remedy}")


def _require_result(operation: ServiceOperation, value: Any) -> None:
    """Raise InvalidCallError for a record of the wrong class, or a dict with a misspelled member."""
    expected = _result_class(operation)
    if expected is None:
        return
    where = f"{operation.kind} {operation.name} returns"
    for each in value if operation.kind == "query" else [value]:
        if isinstance(each, Record) and not isinstance(each, expected):
            _refuse(f"{where} {expected.__name__}, not {described(each)}; pass {expected.__name__}(...)")
        if isinstance(each, dict):
            names = [meta["name"] for meta in expected.__wire__.values()]
            known = {name.lower() for name in names}
            for member in each:
                # A later release may have more names, so a name unlike the known ones is accepted.
                if str(member).lower() not in known and (near := suggestion(str(member), names)):
                    _refuse(f"{where} {expected.__name__}, which has no {member!r}{near}")


def _result_class(operation: ServiceOperation) -> type[Record] | None:
    if operation.kind in ("create", "update", "delete"):
        return EntitySpecifier
    if operation.kind == "command":
        command = command_class(operation.name)
        return None if command is None else command.result_class()
    return entity_class(operation.name)


def _canonical(name: str) -> str:
    """Return the canonical name for an entity or command path; unknown names are unchanged."""
    entity = load().entity(name)
    return entity.name if entity is not None else _command_names().get(name.lower(), name)


@functools.cache
def _command_names() -> Mapping[str, str]:
    return {
        path.lower(): name
        for name, command in load().commands.items()
        for path in (name, command.path, *command.other_paths)
    }


def _refuse_typo(problem: str, name: str, known: Iterable[str]) -> None:
    if near := suggestion(name, known, cutoff=_TYPO):
        _refuse(f"{problem}{near}")


def _refuse(problem: str) -> NoReturn:
    raise InvalidCallError(problem)


# --- mock bodies: values in an operation's envelope, or examples from the catalogue ----------------------

_VALUES: dict[str, Any] = {
    "integer": 1,
    "number": 1.5,
    "boolean": False,
    "datetime-local": "2025-03-03T09:00:00",
    "datetime-utc": "2025-03-03T15:00:00Z",
    "money": {"CurrencyTypeId": 840, "Value": 100.0},
    "ref": {"Id": 1},
}


def envelope(operation: ServiceOperation, value: Any) -> dict[str, Any]:
    """Return the response body for ``value``. Raises InvalidCallError for an impossible result."""
    if operation.kind == "query":
        if isinstance(value, Record | Mapping | str) or not hasattr(value, "__iter__"):
            raise InvalidCallError(
                f"query {operation.name} returns a list of records, not {value!r}; pass [...]"
            )
        value = list(value)
        _require_result(operation, value)
        return {"Entities": [{"Data": _plain(operation, record)} for record in value]}
    _require_result(operation, value)
    if operation.kind == "command":
        return {"CommandResult": _plain(operation, value)}
    if operation.kind == "retrieve":
        return {"Data": _plain(operation, value)}
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"EntityType": operation.name, "Id": value}
    return {"EntitySpecifier": _plain(operation, value)}


def example_body(operation: ServiceOperation, path: str, query: str, body: bytes) -> dict[str, Any] | None:
    """Return an example response with the Id of the request, or None for an unknown operation."""
    if operation.kind == "command":
        command = load().commands.get(operation.name)
        order = (json.loads(body or b"{}").get("Command") or {}).get("WorkOrderId")
        result = command and _result(command, order if isinstance(order, int) else 1)
        return None if result is None else envelope(operation, result)
    entity = load().entities.get(operation.name)
    if entity is None:
        return None
    if operation.kind == "query":
        page = envelope(operation, [_record(entity)])
        return envelope(operation, []) if wants_next_page(page, body) else page
    id = _id(operation.kind, path, query, body)
    return envelope(operation, _record(entity, id) if operation.kind == "retrieve" else id)


def wants_next_page(page: Mapping[str, Any], body: bytes) -> bool:
    """Return whether a query asks for the page after ``page``. Clients do so until a page is empty."""
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
    own = "; to return your own response, use .route" if hasattr(value, "status_code") else ""
    raise InvalidCallError(f"{operation.kind} {operation.name} returns {expected}, not {value!r}{own}")


def _id(kind: str, path: str, query: str, body: bytes) -> int:
    """Return the id in a request; 1 for a new record or a compound key."""
    if kind == "update":
        id = (json.loads(body).get("Entity") or {}).get("Id")
        return id if isinstance(id, int) else 1
    parameters = {name.lower(): values[0] for name, values in parse_qs(query).items()}
    found = re.fullmatch(r".*/(\d+)", path) or re.fullmatch(r"(\d+)", parameters.get("id", ""))
    return int(found[1]) if found and kind != "create" else 1


def _record(entity: Entity, id: int = 1) -> dict[str, Any]:
    """Return an example record as in a default read: scalars, references with ``Id`` only, no lists."""
    # facts 3.4
    return {field.name: _value(field) for field in entity.fields if not field.is_list} | {"Id": id}


def _result(command: CatalogueCommand, order: int) -> dict[str, Any]:
    """Return an example of a command's result: references are whole records, lists have one element.

    If the result contains a work order, its id is ``order``.
    """
    found = {}
    for field in command.response:
        if field.of == "ErrorInfo":  # only a failed command has it
            continue
        entity = load().entities.get(field.of or "") if field.kind in ("ref", "object") else None
        value = _record(entity, order if field.of == "WorkOrder" else 1) if entity else _value(field)
        found[field.name] = [value] if field.is_list else value
    return found


def _value(field: Field) -> Any:
    if field.kind == "string":
        return field.name[: field.max_length]
    if field.kind == "enum":
        enum = load().enums.get(field.of or "")
        return enum.values[0].name if enum and enum.values else field.name
    return _VALUES.get(field.kind, {})
