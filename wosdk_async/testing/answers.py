"""What a mocked operation answers: objects of the model in the envelope of the operation."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from wosdk_async import codec
from wosdk_async.catalogue import load
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record
from wosdk_async.testing.examples import record, result
from wosdk_async.testing.mistakes import require_answer
from wosdk_async.testing.paths import RequestPath

__all__ = ["asks_for_more", "envelope", "example"]


def envelope(asked: RequestPath, value: Any) -> dict[str, Any]:
    """The body of an answer that says ``value``.

    Raises InvalidCallError when an answer of this operation cannot say it.
    """
    operation = asked.operation
    if operation == "query":
        if isinstance(value, Record | Mapping | str) or not hasattr(value, "__iter__"):
            raise InvalidCallError(f"query {asked.name} answers a list of records, not {value!r}")
        value = list(value)
        require_answer(asked, value)
        return {"Entities": [{"Data": _written(asked, row)} for row in value]}
    require_answer(asked, value)
    if operation == "command":
        return {"CommandResult": _written(asked, value)}
    if operation == "retrieve":
        return {"Data": _written(asked, value)}
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"EntityType": asked.name, "Id": value}
    return {"EntitySpecifier": _written(asked, value)}


def example(asked: RequestPath, path: str, query: str, body: bytes) -> dict[str, Any] | None:
    """An answer made from the catalogue; None for what it does not know."""
    if asked.operation == "command":
        command = load().commands.get(asked.name)
        return envelope(asked, result(command)) if command is not None else None
    entity = load().entities.get(asked.name)
    if entity is None:
        return None
    if asked.operation == "query":
        answer = envelope(asked, [record(entity)])
        return envelope(asked, []) if asks_for_more(answer, body) else answer
    id = _id(asked.operation, path, query, body)
    return envelope(asked, record(entity, id) if asked.operation == "retrieve" else id)


def asks_for_more(answer: Mapping[str, Any], body: bytes) -> bool:
    """Whether a query wants the page behind the rows of ``answer``: a client asks until one is empty."""
    rows = answer.get("Entities")
    if not rows:
        return False
    asked = json.loads(body).get("QueryExpression") or {}
    if asked.get("FirstResultIndex"):
        return True
    bounds = (asked.get("Criteria") or {}).get("Conditions") or []
    return any(
        bound.get("PropertyName") == "Id"
        and bound.get("Operator") in ("GreaterThan", "LessThan")
        and bound.get("Values") == [str(rows[-1]["Data"].get("Id"))]
        for bound in bounds
    )


def _written(asked: RequestPath, value: Any) -> Any:
    if isinstance(value, Record):
        return codec.unstructure(value)
    if isinstance(value, Mapping):
        return dict(value)
    article = "an id" if asked.operation in ("create", "update", "delete") else "a record or a dict"
    raise InvalidCallError(f"{asked.operation} {asked.name} answers {article}, not {value!r}")


def _id(operation: str, path: str, query: str, body: bytes) -> int:
    """The id that a request names; 1 for a record that is new or has another key."""
    if operation == "update":
        named = (json.loads(body).get("Entity") or {}).get("Id")
        return named if isinstance(named, int) else 1
    said = {name.lower(): values[0] for name, values in parse_qs(query).items()}
    found = re.fullmatch(r".*/(\d+)", path) or re.fullmatch(r"(\d+)", said.get("id", ""))
    return int(found[1]) if found and operation != "create" else 1
