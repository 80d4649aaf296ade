"""Calls that no verb covers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wosdk_async import codec
from wosdk_async.calls.entities import SPECIFIER
from wosdk_async.calls.parts import name_of, segment
from wosdk_async.check.arguments import described
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import EntitySpecifier, Record
from wosdk_async.wire import Call

__all__ = ["post", "put"]


def post(path: str, body: Any, *, repeat_safe: bool) -> Call[Any]:
    """POST JSON to a path below ``api/v1/``; the answer is its JSON, as it came."""
    below = f"api/v1/{segment(path)}"
    return Call(f"POST {path}", "POST", below, codec.loads, repeat_safe, body=_json(body))


def put(entity: type[Record] | str, content: Any, properties: list[str]) -> Call[EntitySpecifier]:
    """PUT an entity with ``Properties`` as they are given (facts 3.6); in doubt it is not sent again."""
    if not isinstance(content, Record | Mapping):
        raise InvalidCallError(f"put() takes a dict with the Id and the fields, not {described(content)}")
    name = name_of(entity)
    body = _json({"Properties": properties, "Entity": content})
    return Call(f"update {name}", "PUT", f"api/v1/base/{name}", SPECIFIER, repeat_safe=False, body=body)


def _json(body: Any) -> bytes:
    try:
        return codec.dumps(codec.unstructure(body))
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
