"""Read request bodies: JSON with exact numbers, names in any letter case, query expressions."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from wosdk_async.sandbox.errors import Refusal, incorrect_model
from wosdk_async.sandbox.service.entity_schema import enumeration

__all__ = [
    "Row",
    "checked",
    "dump",
    "glance",
    "joined",
    "joiner_of",
    "load",
    "objects",
    "pick",
    "query_of",
    "request_id_of",
]

Row = dict[str, Any]

_encoder = msgspec.json.Encoder(decimal_format="number")
_decoder = msgspec.json.Decoder(float_hook=Decimal)
_MAX_DEPTH = 100  # not shown; assumed. Deeper bodies would only exhaust the stack


def dump(value: object) -> bytes:
    """``value`` as compact JSON, decimals as the numbers they were read as."""
    return _encoder.encode(value)


def load(text: str | bytes) -> Any:
    """JSON this program wrote itself."""
    return _decoder.decode(text)


def glance(raw: bytes) -> Row:
    """The JSON object of a request; an empty one for whatever cannot be read as that."""
    value = _decoded(raw.removeprefix(codecs.BOM_UTF8))
    return value if isinstance(value, dict) else {}


def checked(body: Row) -> Row:
    """The same object, when it can be answered.

    Raises:
        Refusal: ``EMPTY_INPUT_PARAMETER`` for a body that is empty or was not read as an object
            (spec 4.9 rule 4), ``INCORRECT_MODEL`` for one that nests too deep.
    """
    if not body:
        raise Refusal(400, "EMPTY_INPUT_PARAMETER", "Field 'body' is null or empty.")
    if _too_deep(body):
        raise incorrect_model(f"The body nests deeper than {_MAX_DEPTH} levels.")
    return body


def pick(container: Mapping[str, Any], name: str) -> Any:
    """The member ``name``, ignoring letter case (facts 3.3), or None."""
    if name in container:
        return container[name]
    wanted = name.lower()
    return next((value for key, value in container.items() if key.lower() == wanted), None)


def query_of(raw: bytes) -> dict[str, str]:
    """Return the query of an address, its names in small letters."""
    pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True)
    return {name.lower(): value for name, value in pairs}


def request_id_of(query: Mapping[str, str], body: Row) -> str | None:
    """Return the ``RequestId`` of a request: from its query, or beside ``Command`` (facts 3.1 and 5).

    A number counts as its text, as in other members that are texts (not shown; assumed).
    """
    for value in (query.get("requestid"), pick(body, "RequestId")):
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return None


def _decoded(raw: bytes) -> Any:
    try:
        return _read(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, InvalidOperation, RecursionError):
        return None


def _read(raw: bytes) -> Any:
    try:
        return _decoder.decode(raw)
    except msgspec.DecodeError:
        # facts 3.3: a surplus closing brace after the JSON did no harm
        shorter = raw.rstrip()
        if not shorter.endswith(b"}"):
            raise
        return _decoder.decode(shorter[:-1])


def _too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(_MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(item: object) -> list[object]:
    if isinstance(item, dict):
        return [child for child in item.values() if isinstance(child, dict | list)]
    return [child for child in item if isinstance(child, dict | list)] if isinstance(item, list) else []


def objects(container: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A member that is a list of objects, or nothing.

    Raises:
        Refusal: ``INCORRECT_MODEL``.
    """
    found = pick(container, name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise incorrect_model(f"{name} must be a list of objects.")
    return found


def joiner_of(operator: object) -> str:
    """The word of SQL for a ``FilterOperator``.

    Raises:
        Refusal: ``INCORRECT_MODEL``.
    """
    if operator is None:
        return "AND"  # the enum's first: a missing enum is read as 0 (facts 5, UpdateInvoiceState)
    name = enumeration("LogicalOperator").name_of(operator)
    if name is None:
        raise incorrect_model("FilterOperator is And or Or.")
    return name.upper()


def joined(parts: list[str], joiner: str) -> str:
    """The parts joined as a balanced tree: SQLite bounds the depth of an expression."""
    if len(parts) < 2:
        return parts[0] if parts else "1"
    middle = len(parts) // 2
    return f"({joined(parts[:middle], joiner)} {joiner} {joined(parts[middle:], joiner)})"
